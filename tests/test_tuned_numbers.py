"""The readers' tuned numbers may only become fewer: lower the limit when they do."""

from __future__ import annotations

from tests.tuned_numbers import counts, tuned

MAX_TUNED = 1212


def test_the_readers_have_no_more_tuned_numbers_than_before() -> None:
    assert sum(sum(found) for found in counts().values()) <= MAX_TUNED


def test_an_index_and_a_plain_number_are_not_tuned() -> None:
    assert tuned("class Limits:\n    width_mm: float = 12.5\nrow = rows[3] * 7 + 1") == (1, 1)


def test_shapes_axes_scales_and_guards_are_not_tuned() -> None:
    assert tuned("a = np.zeros((4, 3)).sum(axis=3) / 255 + round(x, 4) + 1e-9") == (0, 0)
    assert tuned("a = max(x, 0.3) + np.full((3, 3), 0.7) + min(y, 12)") == (0, 3)
