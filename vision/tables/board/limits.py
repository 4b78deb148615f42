"""Thresholds of the race board reader.

`bench fit board` fits the rules of its markers (models/board_markers.json).
Values without a source were chosen by hand on drawn tables. Probabilities are 0 to 1, lengths in mm on the table. Cells
are those of the view from above. Log odds are natural logarithms. A top is a die's upper face.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """One line per threshold: name with unit, value, meaning and source."""

    # The view from above
    around_board_mm: float = 24.0  # visible margin: the board may have been pushed
    view_stride: int = 16  # places are computed at this step, in cells, and are bilinear between

    dim: float = 0.1  # square root of light added to divisors: below it differences are noise

    # Place of the board
    coarse_cells: int = 3  # votes are cast on cells this many times as large
    min_slope: float = 0.03  # minimum slope of the light, per coarse cell, paper = 1
    near_search_mm: float = 4.8  # reach of the first search around the board's expected place
    near_search_deg: float = 1.5
    far_search_mm: float = 19.2  # reach of the second search
    far_search_deg: float = 8.0
    near_share: float = 0.7  # a place found beyond this share of the first search starts the second
    search_step_mm: float = 1.2
    search_step_deg: float = 0.5
    fine_step_mm: float = 0.3
    fine_step_deg: float = 0.1
    vote_blur_cells: float = 0.9  # a rim drawn as a line has two edges but none in its middle; the blur fills it
    # Lead in votes over the next board. Boards that differ in 8 of 130 circles: 7; copies of one board: 0.5
    min_better_lead: float = 3.0
    # of the spots' votes, for a circle in plain view even if half the board is covered
    rim_percentile: int = 80
    min_lead: float = 18.0  # minimum lead of the board's votes over usual votes, in standard deviations

    # Print
    # rank of the neighbour that is compared: an empty spot looks like this many spots with the same print
    twin_rank: int = 5
    max_print_distance: float = 0.2  # maximum difference from that neighbour for a spot that shows its print
    min_strange_distance: float = 0.28  # minimum difference from that neighbour for a spot that shows something else
    min_print_share: float = 0.6  # minimum share of spots that show their print; otherwise neither is decided
    max_twin_distance: float = 0.065  # maximum difference between few spots: three this alike show their print
    min_no_twin_distance: float = 0.3  # minimum difference of a strange spot from them
    max_shape_distance: float = 0.22  # maximum difference from the nearest spot, compared by shape
    min_strange_shape: float = 0.35  # minimum difference of a strange spot, compared by shape
    # distance to all spots of its role; of 8,800 spots without a marker none was beyond 0.48
    min_foreign_shape: float = 0.52

    # Signs of markers
    max_hue_gap_deg: float = 15.0  # range of a colour's hues into a gap to the next colour
    shared_hue_deg: float = 8.0  # range beyond the middle of that gap
    patch_cells: int = 20  # half width of a spot's cut-out: 12 mm
    foot_mm: float = 6.0  # radius that a marker of at least 14 mm always covers
    max_off_mm: float = 4.3  # a marker further from its spot is between spots
    min_strength: float = 0.07  # minimum strength of a colour; below it the hue is noise
    # required strength relative to the median, if most spots have a colour's hue, like cream and yellow
    stronger_than_print: float = 1.6
    max_light: float = 1.6  # brighter light is cut off, paper = 1
    min_cover: float = 0.6  # minimum share of the foot in a colour
    max_candidates: int = 14  # maximum candidates of one colour
    same_strength: float = 0.72  # minimum ratio of strengths within one object
    same_light: float = 0.16  # maximum relative difference of light within one object
    printed_line_mm: float = 0.5  # width of a printed circle's line, which is ignored
    ring_mm: float = 0.9  # width of the ring inside it
    glimpsed_share: float = 0.15  # minimum share of the circle in the colour of a partly covered marker
    glimpsed_strength: float = 0.3  # minimum strength of that colour
    off_cost: float = 0.004  # cost in cover of an offset of the foot, per mm
    washed_out_foot: float = 0.9  # share of a foot that is overexposed; above it the strength means little

    # Edges of markers
    middle_mm: float = 4.0  # radius in which a marker's look is measured
    inside_rim_mm: float = 1.0  # a marker's inside ends this far within its rim
    beyond_rim_mm: tuple[float, float] = (0.4, 1.8)  # ring of its surroundings, from and to
    edge_off_cost: float = 0.003  # cost in contrast of an offset, per cell
    max_unlike: float = 0.5  # larger differences count as this difference
    inside_weight: float = 1.5  # weight of an uneven inside against a plain rim
    edge_step_cells: int = 2  # step between the cells that are compared
    no_twin: float = 0.6  # difference assumed for a spot without twins
    twin_line_mm: float = 0.3  # width of a circle's own line, which is ignored

    # Markers
    # prior of 0, 1, 2, ... visible markers of a colour; the others are off the table
    count_chances: tuple[float, ...] = (0.1, 0.04, 0.05, 0.1, 1.0)
    usual_marker: float = 0.9  # minimum probability of the markers that give their colour's usual look
    damping: float = 0.8  # factor for the evidence of one candidate: unseen cameras err more often
    max_log_odds: float = 6.0  # limit of the evidence for one candidate
    look_terms: int = 7  # features of the look that are weighed again with the edge
    edge_terms: int = 6  # features of the edge that are compared with another marker's
    print_twin: float = 0.08  # maximum distance to a twin of print
    even_inside: float = 0.1  # maximum difference of an even inside
    kept_weighings: int = 64  # cached results: most colours of a picture stay the same
    max_hue_difference_deg: float = 10.0  # maximum hue difference of two markers of a colour under one lamp
    min_strength_ratio: float = 0.5  # minimum ratio of their strengths
    unlike_log_odds: float = 0.0  # maximum for a marker that violates both
    marker_log_odds: float = 2.4  # minimum for a candidate that looks like a marker by itself
    # probability of a marker that another sign contradicts: print, a second marker, a cover, faded colour
    perhaps_marker: float = 0.6
    # probability of a marker on a spot that seems to hold one, if its colour has too many, or the spot shows its print
    seeming_is_marker: float = 0.4
    same_color_deg: float = 14.0  # colours nearer than this in hue may be one
    same_color_strength: float = 0.1  # colours nearer than this in relative strength may be one
    claimed: float = 0.05  # minimum probability of a spot in two colours that share its marker's hue
    unparted: float = 0.25  # the same after splitting: the colours cannot be separated

    # Second check
    min_looked_at: float = 0.02  # minimum probability of a colour for a second check
    net_weight: float = 0.4  # weight of the network's log odds; fitted on cameras that it had not seen
    max_net_log_odds: float = 5.0
    bleached_net_weight: float = 1.0  # the same for spots whose colour the light takes away
    # minimum for a marker on such a spot: of 3,370 empty spots none was above -3.2, of 186 markers one was below
    min_bleached_log_odds: float = -2.0
    print_difference: float = 0.12  # cells with a larger difference differ from other print
    min_different: float = 0.04  # share of such cells in a spot that does not show its print
    border_cells: int = 3  # cells along the border that are ignored
    unchanged_level: float = 3.0  # mean difference, of 255, of a spot that looks as before: noise 1.2, a marker 35
    max_twins: int = 12  # maximum number of spots, evenly chosen, that show the usual print

    # Between spots
    between_cover: float = 0.85  # minimum share of a marker's inner area in its colour
    between_inner: float = 0.75  # radius of that inner area, as a share of the marker's
    between_ratio: float = 1.65  # maximum ratio of its strength to its colour's, and of the light of two markers
    between_seen: float = 0.1  # minimum share of its colour in a cut-out with a marker
    between_gap_mm: float = 1.5  # distance of the surrounding ring from the rim
    between_ring_mm: float = 2.0  # width of that ring
    between_contrast: float = 0.2  # minimum difference of that ring
    between_ring_share: float = 0.55  # minimum share of the ring with that difference
    between_steps: int = 6  # cells searched around each place
    between_coarse: int = 4  # a first check of every fourth cell
    between_free: float = 0.8  # minimum distance from a marker on a spot, in marker widths

    # Two markers on a spot
    crowd_turns: int = 12  # directions in which a second marker is searched, one width away
    crowd_step_mm: float = 2.0  # step between the cells of a first check
    crowd_cover: float = 0.4  # minimum share of those cells in the marker's colours
    crowd_plain: float = 1.6  # minimum sum of a second marker's cover and the ring's share that differs

    # Tops of dice
    top_blur_cells: float = 0.7
    top_turns: int = 18  # angles tried within a quarter turn
    top_growth: float = 1.03  # edges appear slightly outside, because of blur and bevels
    top_reach_cells: int = 6  # search around a place
    edge_peak_samples: int = 2  # samples on each side of the strongest; their weighted mean is the edge's place
    max_top_shift_mm: float = 1.5  # of the measured square from the found one

    # Dice
    found_px: float = 18.0  # a die's side in the picture of the finder
    min_pip_contrast: float = 0.12  # minimum contrast of small objects that may be pips
    square_cells: int = 2  # maximum offset of tried pips from a plain top's middle
    square_turn_deg: float = 7.0  # maximum turn of tried pips
    near_cells: int = 5
    stride_cells: int = 2
    pip_neighbourhood: float = 0.34  # a cell's darkness is relative to its neighbourhood of this radius, in sides
    max_die_light: float = 1.3  # brighter light is cut off, paper = 1
    max_no_die: float = 0.85  # probability by the face networks above which a find is not a die
    beyond_outline_mm: tuple[float, float, float] = (1.2, 1.8, 2.6)  # distances beyond a level die's outline
    min_edge_mm: float = 5.0  # minimum length of the outline compared at these distances
    max_beyond_light: float = 0.25  # maximum light at these distances, as a share of the top's
    min_square: float = 0.965  # ratio of the sides of a top that was found by its edges
    neighbour_mm: float = 0.8  # points this near to another die's outline belong to that die
    min_free_points: int = 3  # minimum points, of seven, beyond an edge that is checked
    edge_margin_mm: float = 9.0  # a die nearer to the tray's edge may lean on it
    max_level_deg: float = 15.0  # maximum tilt of a level die by the pose network: level ones at the edge have up to 14
    correlation_weight: float = 18.0  # log odds per unit of a top's correlation
    # logistic rule: correlation, its lead, networks' log odds, constant
    confidence_weights: tuple[float, ...] = (16.0, 18.0, 2.0, -12.0)
    agreement_bonus: float = 1.5  # log odds if two independent readings agree on a top with a plain square
    max_pip_offset: float = 0.36  # maximum distance of a pip from a top's middle, per axis, in sides
    washed_out_top: float = 0.8  # overexposed share of a top above which pips are lost
    nearly_full: float = 0.9  # minimum light of an overexposed pixel, as a share of the camera's full scale

    # Spots
    sheet_mm: float = 0.8  # height of a board's surface: paper, or wood of two millimetres
    certain_spot: float = 0.99  # a less certain spot is reported with all its possible colours
    plainly_marked: float = 0.95  # probability of a marker by its look that print hardly contradicts
    min_rim: float = 0.22  # minimum clearness of an empty spot's circle (usual: 1)
    max_covered: int = 3  # maximum spots without a circle; more are covered by a hand
    # maximum share of circles behind a hand and its arm; if more are hidden, there are cards or another board
    max_hidden: float = 0.2
    washed_out_patch: float = 0.5  # overexposed share of a cut-out above which a printed line may be lost
    tall_marker: float = 1.0  # minimum height in widths of turned markers (pawns)
    bleached_is_marker: float = 0.1  # probability of a marker on a spot whose colour the light takes away

    # Several pictures
    same_place_mm: float = 6.0  # dice and markers nearer than this in two pictures are the same


LIMITS = Limits()
