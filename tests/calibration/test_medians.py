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


def test_no_values_have_no_medians() -> None:
    with pytest.raises(ValueError, match="no values"):
        column_medians(np.zeros((0, 3)))
