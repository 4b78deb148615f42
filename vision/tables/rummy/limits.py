"""Thresholds of the card table reader.

Values without a source were chosen by hand on drawn tables. Probabilities are 0 to 1, lengths in mm on the table.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """One line per threshold: name with unit, value, meaning and source."""

    # The view from above
    min_px_per_mm: float = 1.2  # a coarser view loses indices
    max_px_per_mm: float = 2.0  # a finer view adds no detail
    view_stride_px: int = 16  # places are computed at this step and are bilinear between
    max_spots: int = 400  # two packs have 212 indices; beyond, only the best are read

    # Indices of a usual pack
    index_offset_mm: tuple[float, float] = (5.7, 11.6)  # from its card's edges, across and down
    index_height_mm: float = 17.0
    heights: tuple[float, float] = (0.7, 1.3)  # range of heights of indices and backs, relative to the usual height
    # share of a card's width and length, from its corner, that contains a joker's word
    joker_zone: float = 0.38

    # Lengths and angles
    near_mm: float = 5.0  # error of an index's and a card's place, and step between the places that are read
    look_mm: float = 4.0  # to either side of an index's usual place, where it is searched: fans are laid by hand
    same_card_mm: float = 9.0  # cards nearer than this are one; parts of paper narrower than this are none
    row_mm: float = 12.0  # of a card from its row's line, or between its cards; and of a card beyond the mat
    step_mm: float = 20.0  # usual step of a fan; of the map of light; room around a card
    wide_mm: float = 30.0  # minimum step of a fan that may miss a card; a wider gap may lack one
    half_card_mm: float = 40.0  # backs nearer than this are one stack, and paper shows the same light
    max_room_mm: float = 100.0  # between neighbours of a row or of a fan that lost cards
    same_card_rad: float = 0.2  # maximum difference of the angles of one card's indices, and of neighbours
    max_index_turn_rad: float = 0.5  # error of an index's angle
    same_spot: float = 0.1  # maximum difference in size (logarithm) and angle of a spot seen already

    # Probabilities and shares
    even_chance: float = 0.5  # as likely as not: an index, two that agree, a value that only its meld suggests
    clear: float = 0.9  # minimum probability of a clear index or value, and share of a rectangle or of its light
    rather_clear: float = 0.8  # minimum probability of a rather clear index, and share of a card on paper
    min_card: float = 0.3  # minimum probability of a card's value, and of its only index among cards that make a meld
    min_joker: float = 0.4  # minimum likeness to a joker's word
    unfound_score: float = 0.25  # of the finder: the minimum, and assumed where it found nothing
    rare: float = 0.02  # minimum share of the doubt for a second value; of adjacent cards that make no meld
    min_whiteness: float = 0.7  # weakest channel of paper against its strongest

    # Unread cards
    wide_step: float = 1.5  # a step this many times as wide as the others misses a card
    max_unread: int = 8  # unread cards; with more, the table shows something else

    # Melds
    min_meld: int = 3  # cards of a meld
    min_corner_chance: float = 4e-3  # of any card: the networks err alike in one picture
    unread_is_joker: float = 0.1  # probability that a card without a readable corner is a joker
    # logarithm of plain odds: of the corners' own values against a meld, and of the best meld against the next
    meld_log_lead: float = 3.0


LIMITS = Limits()
