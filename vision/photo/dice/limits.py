"""Thresholds of the reader for dice on photographs.

Probabilities, shares and heats are 0 to 1; a heat is the finder's. A side is that of the die's box (the square root of
its area) or of its face. `bench fit dice` fits the weights of its two rules (models/dice_sure.json).
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """One line per threshold: name with unit, value, meaning and source."""

    seen_px: tuple[float, float] = (16.0, 100.0)  # sides of dice that a view should show
    # detections whose sides differ by less than this factor have one size; a smaller one within another is its part, or
    # the other is not a die
    same_size_ratio: float = 1.5
    # more likely than not: a die by its heat and the face readers, by its surroundings, or with a neighbour; the value
    # of a clear face; also the minimum correlation and support of a value by the pips' places
    likely: float = 0.5
    min_likeness: float = 0.4  # minimum correlation of a sure value with its face; at 0.5 a tenth of one source is less
    telling: float = 0.1  # a face whose correlation is lower by this is less likely by e, twice by e squared
    leaning_deg: float = 22.0  # minimum angle of a leaning die to the other dice


LIMITS = Limits()
