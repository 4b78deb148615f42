"""Thresholds of the reader for cards on photographs.

`bench fit cards` fits the weights of its confidence (models/cards_sure.json). Values without
a source were chosen by hand on public photographs. Chances, shares and scores are between 0 and 1; a score is the
finder's. Heights are those of the index or, face down, of the card.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """One line per threshold: name with unit, value, meaning and source."""

    # Finder
    min_level_px: int = 96  # the picture is halved while its long side stays above this
    max_long_side_px: int = 1280  # larger pictures are shrunk first: the smallest readable index is 9 px
    enlarged_below_px: int = 700  # pictures up to this long side are enlarged twice: their indices are small
    min_index_score: float = 0.25  # of a spot, on a photograph
    same_index_share: float = 0.4  # spots this near each other, in index heights, are one
    min_back_score: float = 0.3  # of a card face down; its edges are checked afterwards

    # Indices
    min_index_chance: float = 0.1  # at first sight, for a spot that is read
    retry_sizes: tuple[float, float] = (0.8, 1.25)  # of a spot that reads as nothing, relative to its height ...

    # Indices of one card
    turn_tolerance_rad: float = 0.6  # from half a turn between two indices: perspective and bent cards
    across_range: tuple[float, float] = (0.7, 8.5)  # to the opposite index, along the first, in index heights ...
    down_range: tuple[float, float] = (1.2, 10.5)  # ... and below it; indices of 8 to 30 mm on cards of 57 to 63 mm
    slant_range: tuple[float, float] = (0.38, 1.5)  # across over down, with room for a slanting view
    height_range: tuple[float, float] = (0.55, 1.8)  # of one index, in the other's height
    usual_across: float = 3.1  # in index heights
    usual_down: float = 4.1  # in index heights
    loose_turn_rad: float = 0.85  # the same tolerance for two lone indices in a slanting view: ...
    loose_height_range: tuple[float, float] = (0.45, 2.2)  # the same range of heights for them; ...
    min_loose_offset: float = 0.3  # ... in each other's lower right by at least this many heights, ...
    loose_range: tuple[float, float] = (2.3, 12.0)  # ... this many heights apart, ...
    min_loose_agreement: float = 0.3  # ... with this chance of the same card
    corner_reach: float = 0.9  # of a third index from its corner, in index heights
    min_agreement: float = 0.02  # chance of the same card for two indices that may be one card's
    rim_across: float = 0.42  # from an index's middle to the card's corner, in index heights
    rim_down: float = 0.68  # the same downward

    # Crowds and doubles
    min_crowd_index: float = 0.9  # chance of a clear index ...
    crowd_reach: float = 2.2  # ... with another one within this many heights ...
    crowd_turn_rad: float = 0.7  # ... turned by less than this against it; ...
    min_crowd: int = 3  # ... this many make a crowd
    seen_chance: float = 0.8  # of a card that counts as seen
    second_copy: float = 0.3  # factor for a card already seen once: packs come in pairs ...
    third_copy: float = 0.02  # ... and for one seen twice

    # Cards face down
    back_view_px: int = 72  # height of the card in the view that shows its edges; the view is a square of twice that
    # axis across the edge, distance from the middle, half length; in card heights
    back_edges: tuple[tuple[int, float, float], tuple[int, float, float]] = ((0, 0.345, 0.35), (1, 0.5, 0.24))
    gap_percentile: int = 20  # of the contrast along an edge: this share may be without contrast
    min_edge_contrast: float = 24.0  # of the weakest edge, grey values
    min_edge_share: float = 0.35  # of the strongest edge's contrast
    doubtful_back_score: float = 0.46  # below it the edges must have ...
    clear_edge_contrast: float = 40.0  # ... this contrast ...
    clear_edge_share: float = 0.6  # ... and this share
    covered_depth: float = 0.15  # of a back's middle inside a card that shows its face, in heights
    sure_back_score: float = 0.85  # from this on the finder is believed, although an edge may be covered

    # Reader
    min_confidence: float = 0.6  # of a reported card: carpets, courts and print look a little like indices
    min_joker_confidence: float = 0.85  # of a reported joker; its corners look like any word, so two must agree
    crowd_index_px: float = 30.0  # height of indices in the second look at a crowd


LIMITS = Limits()
