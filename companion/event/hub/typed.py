"""Numbers as people type them, and as anybody may send them."""

from __future__ import annotations

import re
from fractions import Fraction

_WHOLE = re.compile(r"\d{1,9}")
_POINTS = re.compile(r"-?[0-9]{1,6}(?:[./][0-9]{1,6})?")


def whole(text: str) -> int | None:
    """A whole number of up to nine digits; None for other text.

    >>> whole("12"), whole("-1"), whole("9" * 5000)
    (12, None, None)
    """
    return int(text) if _WHOLE.fullmatch(text) else None


def points_of(text: str) -> Fraction | None:
    """Points such as 1, 0.5, 0,5 or 1/2; None for other text.

    >>> points_of("1/2"), points_of("0,5"), points_of("1/0"), points_of("1e999999999")
    (Fraction(1, 2), Fraction(1, 2), None, None)
    """
    try:
        return Fraction(typed) if _POINTS.fullmatch(typed := text.replace(",", ".")) else None
    except ZeroDivisionError:
        return None
