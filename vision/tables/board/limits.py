"""Thresholds of the race board reader.

`bench fit board` fits the rules of its markers (models/board_markers.json).
Values without a source were chosen by hand on drawn tables. Probabilities are 0 to 1, lengths in mm on the table. Cells
are those of the view from above. Log odds are natural logarithms. A top is a die's upper face.
"""

import math
from dataclasses import dataclass

from vision.measure.limits import LIMITS as SHARED

DIM = math.sqrt(SHARED.dim)
"""Square root of light added to divisors: below it differences are noise."""


@dataclass(frozen=True, slots=True)
class Limits:
    """One line per threshold: name with unit, value, meaning and source."""

    # Shared by all parts
    max_light: float = 1.6  # brighter light is cut off, paper = 1
    blur_cells: float = 0.7  # blur of edges: it fills a rim drawn as a line, which has two edges but none in its middle
    high_share: float = 0.8  # part of an area or of spots that counts as nearly all
    alike: float = 0.2  # relative difference of the light of equal things
    strange: float = 0.3  # minimum of that difference for something else
    same_ratio: float = 1.6  # maximum ratio of two strengths or lights of the same colour
    hue_deg: float = 10.0  # range of one paint's hues under one lamp
    likely: float = 0.9  # minimum probability of a marker that others are compared with
    perhaps: float = 0.6  # probability of a marker that another sign contradicts: print, a second marker, a cover

    # usual hues of paints, degrees, in order
    hues_deg: tuple[tuple[str, float], ...] = (
        ("red", 0),
        ("orange", 23),
        ("yellow", 53),
        ("green", 130),
        ("blue", 221),
        ("purple", 281),
        ("pink", 327),
    )

    # Place of the board
    cell_mm: float = 0.6  # width of a cell: cameras that see the whole table have pixels of about this size
    around_board_mm: float = 24.0  # visible margin: the board may have been pushed
    view_stride: int = 16  # places are computed at this step, in cells, and are bilinear between
    coarse_cells: int = 3  # width of a coarse cell, for votes and first checks
    min_lead: float = 18.0  # minimum lead of the board's votes over usual votes, in standard deviations
    # lead over the next board. Boards that differ in 8 of 130 circles: 7; copies of one board: 0.5
    min_better_lead: float = 2.0

    # Print
    # rank of the neighbour that is compared: an empty spot looks like this many spots with the same print
    twin_rank: int = 5
    max_twin_distance: float = 0.065  # maximum difference between few spots: three this alike show their print
    # distance to all spots of its role, by shape; of 8,800 spots without a marker none was beyond 0.48
    min_foreign_shape: float = 0.5

    # Signs of markers
    hue_reach_deg: float = 60.0  # maximum difference of a marker's hue from its colour's usual hue
    foot_mm: float = 6.0  # radius that a marker of at least 14 mm always covers
    max_off_mm: float = 4.0  # a marker further from its spot is between spots
    off_cost: float = 0.005  # cost of an offset of the foot, in cover or contrast per mm
    min_strength: float = 0.07  # minimum strength of a colour; below it the hue is noise
    max_candidates: int = 14  # maximum candidates of one colour
    seen_share: float = 0.1  # minimum share of a visible colour in a cut-out

    # Markers
    missing: float = 0.1  # prior of each number of visible markers below four, against that of four
    damping: float = 0.9  # factor for the evidence of one candidate: unseen cameras err more often
    max_log_odds: float = 6.0  # limit of the evidence for one candidate

    # Second check
    unchanged_level: float = 3.0  # mean difference, of 255, of a spot that looks as before: noise 1.2, a marker 35
    # minimum for a marker on a spot whose colour the light takes away: of 3,370 empty spots none was above -3.2, of
    # 186 markers one was below
    min_bleached_log_odds: float = -2.0

    # Spots
    sheet_mm: float = 1.0  # height of a board's surface: paper, or wood of two millimetres
    certain_spot: float = 0.99  # a less certain spot is reported with all its possible colours
    max_covered: int = 3  # maximum spots without a circle; more are covered by a hand

    # Dice
    found_px: float = 18.0  # a die's side in the picture of the finder
    near_cells: int = 6  # reach of the search around a place
    stride_cells: int = 2  # step of the rough search
    min_square: float = 0.965  # ratio of the sides of a top that was found by its edges
    max_level_deg: float = 15.0  # maximum tilt of a level die by the pose network: level ones at the edge have up to 14
    correlation_weight: float = 18.0  # log odds per unit of a top's correlation, and of its lead over the next value
    top_log_odds: float = -14.0  # constant of that rule


LIMITS = Limits()
FAINT = LIMITS.alike / 2
"""A pip is darker than its surroundings by more, and an even inside differs by less."""
