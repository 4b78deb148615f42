"""Thresholds of the reader for cards on photographs.

The weights of its confidence are in models/cards_sure.json. Values without a source were chosen by hand on public
photographs. Probabilities, shares and scores are 0 to 1; a score is the finder's. Heights are those of
the index, or of a face-down card.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """One line per threshold: name with unit, value, meaning and source."""

    # Indices
    same_index_share: float = 0.4  # spots within this many index heights are the same
    other_size: float = 1.12  # factor of an index's height in further views: the finder's heights are as wrong

    # Two indices of one card
    turn_tolerance_rad: float = 0.7  # deviation of the angles of one card's indices: perspective and bent cards
    usual_down: float = 4.1  # offset to the opposite index, downward, in index heights
    usual_across: float = 3.1  # that offset to the right
    # maximum ratio of such an offset to the usual one, and of two heights: indices are 8 to 30 mm high, views slanting
    distortion: float = 2.2
    rim_across: float = 0.42  # distance from an index's middle to the card's edge, to the left, in index heights
    rim_down: float = 0.68  # the same upward

    # Cards face down
    min_edge_contrast: float = 20.0  # minimum contrast of a card's weakest edge, levels of 255, times its score
    edge_step: float = 0.05  # step of an edge's tried places, in card heights, and of its tried slopes
    gap_percentile: int = 20  # this percentage of an edge may lack contrast

    # Reader
    min_confidence: float = 0.6  # minimum of a reported card: carpets, courts and print look slightly like indices


LIMITS = Limits()
