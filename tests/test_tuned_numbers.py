"""The readers' tuned numbers may only become fewer: lower the limit when they do."""

from __future__ import annotations

from tests.tuned_numbers import counts

MAX_TUNED = 461


def test_the_readers_have_no_more_tuned_numbers_than_before() -> None:
    assert sum(sum(found) for found in counts().values()) <= MAX_TUNED
