"""A close call is a length with an error, never a bare yes."""

from dataclasses import dataclass
from enum import StrEnum

TOO_CLOSE_SIGMAS = 3.0
"""Minimum distance of a margin from zero, in standard errors, for a verdict: below it the people decide."""


class Call(StrEnum):
    OVERLAPS = "overlaps"
    CLEAR = "clear"
    TOO_CLOSE = "too_close"


@dataclass(frozen=True, slots=True)
class Margin:
    """Depth of an overlap in mm (negative: the gap), with its standard error.

    >>> Margin(margin_mm=-0.3, sigma_mm=0.6).call()
    <Call.TOO_CLOSE: 'too_close'>
    >>> Margin(margin_mm=2.0, sigma_mm=0.1).call()
    <Call.OVERLAPS: 'overlaps'>
    """

    margin_mm: float
    sigma_mm: float

    def call(self) -> Call:
        """Overlaps, clear, or too close: a margin below `TOO_CLOSE_SIGMAS` and an exact zero are too close."""
        if abs(self.margin_mm) < TOO_CLOSE_SIGMAS * self.sigma_mm or self.margin_mm == 0.0:
            return Call.TOO_CLOSE
        return Call.OVERLAPS if self.margin_mm > 0 else Call.CLEAR
