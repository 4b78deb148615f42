"""Medians of few values by a network of comparisons."""

from itertools import product

import numpy as np
import pytest

from calibration.edges import column_medians, medians


@pytest.mark.parametrize("count", range(1, 14))
def test_medians_are_right_for_every_order_of_the_values(count: int) -> None:
    """A network that is right for all columns of zeros and ones is right for all values (Knuth 5.3.4, theorem Z)."""
    columns = np.array(list(product((0.0, 1.0), repeat=count)))[:, :, None]
    assert (medians(columns) == np.median(columns, axis=1)).all()


def test_medians_keep_the_other_axes_and_the_type() -> None:
    values = np.random.default_rng(5).random((4, 12, 7, 3)).astype(np.float32)
    before = values.copy()
    found = medians(values)
    assert found.shape == (4, 7, 3)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, np.median(values, axis=1), rtol=1e-6)
    np.testing.assert_array_equal(values, before)


@pytest.mark.parametrize("count", [1, 2, 3, 8, 15, 64])
def test_column_medians_are_those_of_numpy(count: int) -> None:
    values = np.random.default_rng(count).random((count, 3))
    np.testing.assert_allclose(column_medians(values), np.median(values, axis=0), rtol=1e-12)


def test_no_values_have_no_medians() -> None:
    with pytest.raises(ValueError, match="no values"):
        column_medians(np.zeros((0, 3)))
