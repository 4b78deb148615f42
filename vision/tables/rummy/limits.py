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
    beyond_mat_mm: float = 12.0  # strip outside the mat: cards may stick out
    view_stride_px: int = 16  # places are computed at this step and are bilinear between

    # Indices and backs
    min_spot_score: float = 0.2  # of the finder; assumed where it found nothing
    # probability that two indices agree, or that neighbours make no meld; share of a part's points beyond its end
    rare: float = 0.02

    # Cards from indices
    # usual offset of an index from its card's edges, across and down
    index_offset_mm: tuple[float, float] = (5.7, 11.6)
    # of a pack's offset from the usual offset, of an index from its line, and of a card from the line of its neighbours
    max_offset_mm: float = 4.5
    same_card_rad: float = 0.2  # maximum difference of angles of one card, and of neighbours in a meld, either way up
    # as likely as not: an index makes a card, two indices agree, a meld confirms a corner; also the share on paper of a
    # card with a certain index: light and print make holes
    even_chance: float = 0.5
    min_step_mm: float = 9.8  # between cards of a fan: nearer, their indices cannot be seen
    index_height_mm: float = 17.0  # usual height of an index
    # minimum and maximum height of an index in usual heights of the picture, and of a face-down card in cards; a stack
    # is nearer to the camera
    heights: tuple[float, float] = (0.68, 1.3)
    # minimum probability of a clear index or value; share of a rectangle, and of the light around an index
    clear: float = 0.9
    # minimum probability of a card's value; a fainter only index may be a pip. Also the minimum white share of a
    # face-up card: a back with a rim has a quarter
    maybe: float = 0.35

    # Second look, and lines of indices
    same_spot: float = 0.08  # a spot is already known if its size (logarithm) and angle differ by at most this
    max_index_turn_rad: float = 0.5  # error of an index's angle

    # White paper
    min_white: float = 0.5  # light of card paper against nearby paper
    min_whiteness: float = 0.72  # weakest channel of paper against its strongest
    # paper nearer than this shows the same light, and backs nearer than this are one stack
    light_radius_mm: float = 40.0
    min_part_mm2: int = 220  # minimum area of unexplained paper
    # error of an estimated card's place, step of the places that are read in a gap; a print is this far inside its card
    slack_mm: int = 4

    # Unread cards
    # minimum probability of a rather clear index, also of one that contradicts another; share of a card on paper
    rather_clear: float = 0.8
    wide_step: float = 1.5  # a step this many times as wide as the others, and as usual, misses a readable card
    very_wide_step: float = 1.75  # the same for a card that is hardly readable
    usual_step_mm: float = 18.0  # of a fan, compared with a single other step; in twice of it one may be missing
    max_part_points: int = 2000  # of a part that are fitted
    max_unread: int = 8  # unread cards; with more, the table shows something else
    min_joker: float = 0.4  # likeness to a joker's word
    # place of a joker's word, from its card's corner
    joker_zone_mm: tuple[tuple[float, float], tuple[float, float]] = ((-2.0, 24.0), (-2.0, 33.0))

    # Black suits. Chosen on 4,107 indices of 65 virtual tables and 154 of ten path-traced ones (R9941 to R9950)
    # usual log odds of clubs, as they are read; spades have as much below 0. Half of it is the standard deviation
    usual_club_odds: float = 8.0
    usual_cards: float = 6.0  # number of cards of each suit that the usual odds count as

    # Melds as context
    min_corner_chance: float = 4e-3  # of any card: the networks err alike in one picture
    unread_is_joker: float = 0.12  # probability that a card without a readable corner is a joker
    # logarithm of plain odds: of the corners' own values against a meld, also for each card whose corner shows another
    # value; and of the best meld against the next
    meld_log_lead: float = 3.0
    by_meld_confidence: float = 0.6  # confidence of a value that only the meld suggests

    # Melds on the table
    max_row_mm: float = 12.0  # of a card from its row's line, and between cards of a row


LIMITS = Limits()
SAME_CARD_MM = LIMITS.usual_step_mm / 2
"""Maximum distance of two middles of one card: nearer to this card than to its neighbours in a fan."""
