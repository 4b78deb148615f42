"""Thresholds of the reader for cards on photographs.

Values without a source were chosen by hand on public photographs. Probabilities, shares and scores are 0 to 1; a score
is the finder's. Heights are those of the index, or of a face-down card.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """One line per threshold: name with unit, value, meaning and source."""

    # Networks, as they were trained
    multiple_px: int = 16  # sides of the finder's input are multiples of this: it halves four times
    unit_px: float = 18.0  # height of an index for which the finder answers 0, the logarithm of the ratio
    back_unit_px: float = 70.0  # the same of a face-down card
    crop_heights: float = 1.45  # height of a crop in index heights

    # Finder
    min_level_px: int = 96  # the picture is halved while its long side stays above this
    min_index_score: float = 0.25  # minimum score of a spot on a photograph
    same_index_share: float = 0.4  # spots within this many index heights are the same
    part_height: float = 0.7  # a spot lower than this share of another is a part of it ...
    part_reach: float = 0.75  # ... if within this many of the other's heights
    min_back_score: float = 0.3  # minimum score of a face-down card, whose edges are checked afterwards

    # Indices
    min_index_chance: float = 0.1  # minimum probability of an index for a closer reading
    # views of a crop, slightly shifted (x, y in index heights), scaled and turned (rad); their answers are averaged
    views: tuple[tuple[float, float, float, float], ...] = (
        (0.0, 0.0, 1.0, 0.0),
        (0.06, 0.02, 0.9, 0.06),
        (-0.05, -0.04, 1.12, -0.07),
    )
    retry_sizes: tuple[float, float] = (0.8, 1.25)  # sizes tried for a spot where no index was read at its own height

    # Two indices of one card
    turn_tolerance_rad: float = 0.6  # deviation from half a turn between two indices: perspective and bent cards
    across_range: tuple[float, float] = (0.7, 8.5)  # offset to the opposite index, to the right, in index heights
    # that offset down; indices are 8 to 30 mm high on cards 57 to 63 mm wide
    down_range: tuple[float, float] = (1.2, 10.5)
    slant_range: tuple[float, float] = (0.38, 1.5)  # ratio of right to down, with room for a slanting view
    max_height_ratio: float = 1.8  # of the two indices
    usual_across: float = 3.1  # in index heights
    usual_down: float = 4.1  # in index heights
    loose_turn_rad: float = 0.85  # turn_tolerance_rad for two lone indices in a slanting view
    loose_height_ratio: float = 2.2  # max_height_ratio of two lone indices
    min_loose_offset: float = 0.3  # minimum offset of each to the lower right of the other, in heights
    loose_range: tuple[float, float] = (2.3, 12.0)  # range of their distance, in heights
    min_loose_agreement: float = 0.3  # minimum probability that both show the same card
    corner_reach: float = 0.9  # maximum distance of a third index from its corner, in index heights
    min_agreement: float = 0.02  # minimum probability of the same card for two indices that may be of one card
    # of two indices of a card: weights of a distance unlike the usual one, and of a turn, against disagreement
    off_weight: float = 3.0
    turn_weight: float = 2.0
    rim_across: float = 0.42  # distance from an index's middle to the card's edge, to the left, in index heights
    rim_down: float = 0.68  # the same upward

    # Crowds and doubles
    min_crowd_index: float = 0.9  # minimum probability of a clear index in a crowd
    crowd_reach: float = 2.2  # maximum distance to another index of the crowd, in heights
    crowd_turn_rad: float = 0.7  # maximum difference of their angles
    min_crowd: int = 3  # minimum number of indices of a crowd
    seen_chance: float = 0.8  # minimum probability of a card that counts as seen
    second_copy: float = 0.3  # factor per copy of a card seen already: packs come in pairs

    # Cards face down
    back_view_px: int = 72  # height of the card in the view that shows its edges, a square of twice that side
    # axis across the edge, distance from the middle, half length; in card heights
    back_edges: tuple[tuple[int, float, float], tuple[int, float, float]] = ((0, 0.345, 0.35), (1, 0.5, 0.24))
    edge_step: float = 0.04  # step of the tried offsets of an edge, in card heights
    gap_percentile: int = 20  # this percentage of an edge may lack contrast
    min_edge_contrast: float = 24.0  # minimum contrast of the weakest edge, grey values
    min_edge_share: float = 0.35  # minimum contrast of the weakest edge relative to the strongest
    doubtful_back_score: float = 0.46  # below this score a back needs clear edges
    clear_edge_contrast: float = 40.0  # minimum contrast of clear edges
    clear_edge_share: float = 0.6  # minimum share of the strongest edge's contrast
    covered_depth: float = 0.15  # minimum depth of a back's middle inside a face-up card, in heights
    sure_back_score: float = 0.85  # from this score the finder alone is trusted, although an edge may be covered

    # Reader
    min_confidence: float = 0.6  # minimum of a reported card: carpets, courts and print look slightly like indices
    min_joker_confidence: float = 0.85  # minimum of a reported joker; its corners look like any word, so two must agree
    clear_index_px: float = 40.0  # beyond this height an index does not become clearer
    max_chance: float = 1 - 1e-4  # maximum probability as evidence
    crowd_index_px: float = 30.0  # height of indices in the second search of a crowd


LIMITS = Limits()
