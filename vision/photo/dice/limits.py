"""Thresholds of the reader for dice on photographs.

Probabilities, shares and heats are 0 to 1; a heat is the finder's. A side is that of the die's box (the square root of
its area) or of its face. `bench fit dice` fits the weights of its two rules (models/dice_sure.json).
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """One line per threshold: name with unit, value, meaning and source."""

    # Finder
    min_heat: float = 0.22  # minimum heat of a detection; also assumed for a view that should have found the die
    seen_px: tuple[float, float] = (16.0, 100.0)  # sides of dice that a view should show
    same_die_share: float = 0.5  # detections nearer than this share of the smaller side are the same die
    # detections whose sides differ by less than this factor have one size; a smaller one within another is its part, or
    # the other is not a die
    same_size_ratio: float = 1.5

    # Faces
    clear_chance: float = 0.5  # minimum probability of a clear face, of a die by its surroundings, or beside another
    min_hope: float = 0.35  # minimum square root of heat times probability of a die for a second look

    # Places of pips
    telling: float = 0.1  # a face whose correlation is lower by this is less likely by e, twice by e squared
    min_likeness: float = 0.5  # minimum correlation of a sure value, and at which the pips' places count
    max_guided_chance: float = 0.6  # a value with a lower probability is raised by the pips' places, at most to this

    # Pose
    leaning_deg: float = 20.0  # minimum angle of a leaning die to the other dice

    # Reader
    die_alone: float = 0.9  # minimum probability to accept a lone die, or a value without support by the pips' places
    leaning_unreadable: float = 0.10  # from this probability of an unreadable face the die may lean


LIMITS = Limits()
