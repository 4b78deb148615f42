"""Thresholds of the race board reader.

`bench fit board` fits the rules of its markers (models/board_markers.json).
Values without a source were chosen by hand on drawn tables. Chances are between 0 and 1, lengths in mm on the table.
Cells are those of the view from above. Log odds are natural logarithms. A top is a die's upper face.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """One line per threshold: name with unit, value, meaning and source."""

    # The view from above
    around_board_mm: float = 24.0  # visible margin: the board may have been pushed
    view_stride: int = 16  # places are computed at this step, in cells, and are bilinear between
    min_white: float = 0.05

    # Place of the board
    coarse_cells: int = 3  # votes are cast on cells this many times as large
    min_slope: float = 0.03  # of the light, per coarse cell, paper = 1
    near_search_mm: float = 4.8  # first search around the board's place ...
    near_search_deg: float = 1.5
    far_search_mm: float = 19.2  # ... and the second one
    far_search_deg: float = 8.0
    near_share: float = 0.7  # a place found beyond this share of the first search starts the second
    search_step_mm: float = 1.2
    search_step_deg: float = 0.5
    fine_step_mm: float = 0.3
    fine_step_deg: float = 0.1
    vote_blur_cells: float = 0.9  # a rim drawn as a line has two edges, and none in its middle
    # Lead in votes over the next board. Boards that differ in 8 of 130 circles: 7; copies of one board: 0.5
    min_better_lead: float = 3.0
    # of the spots' votes, for a circle in plain view even if half the board is covered
    rim_percentile: int = 80
    min_lead: float = 18.0  # of the board's votes over usual ones, in standard deviations

    # Print
    twin_rank: int = 5  # of many spots printed alike, this many look like an empty one
    max_print_distance: float = 0.2  # to that neighbour, of a spot that shows its print
    min_strange_distance: float = 0.28  # to that neighbour, of a spot that shows something else
    min_print_share: float = 0.6  # of the spots that show their print, for both
    max_twin_distance: float = 0.065  # the same for few spots: three this alike show their print
    min_no_twin_distance: float = 0.3  # the same for few spots
    max_shape_distance: float = 0.22  # the same for spots compared by shape, to the nearest
    min_strange_shape: float = 0.35  # the same for spots compared by shape
    # distance to all spots of its role; of 8,800 spots without a marker none was beyond 0.48
    min_foreign_shape: float = 0.52

    # Signs of markers
    max_hue_gap_deg: float = 15.0  # reach of a colour's hues into a gap to the next colour
    shared_hue_deg: float = 8.0  # reach beyond the middle of that gap
    patch_cells: int = 20  # half width of a spot's cut-out: 12 mm
    foot_mm: float = 6.0  # radius that a marker of at least 14 mm always covers
    max_off_mm: float = 4.3  # a marker further off its spot is between spots
    min_strength: float = 0.07  # of a colour; below it the hue is noise
    stronger_than_print: float = 1.6  # strength of markers where most spots have a colour's hue, as cream has yellow's
    max_light: float = 1.6  # brighter light is cut off, paper = 1
    min_cover: float = 0.6  # share of the foot in a colour
    max_candidates: int = 14  # of one colour
    same_strength: float = 0.72  # minimum ratio of strengths within one thing
    same_light: float = 0.16  # maximum relative difference of light within one thing
    printed_line_mm: float = 0.5  # width of a printed circle's line, left out
    ring_mm: float = 0.9  # width of the ring inside it
    glimpsed_share: float = 0.15  # minimum share of the circle in the colour of a partly covered marker ...
    glimpsed_strength: float = 0.3  # ... and its minimum strength
    pale_strength: float = 0.1  # strength that glare leaves: white is added, the hue stays
    pale_light: float = 0.8  # minimum light of such a marker
    off_cost: float = 0.004  # cover that a foot must gain per mm from the spot
    washed_out_foot: float = 0.9  # share of a foot that is overexposed; above it its strength says little
    mirrored_share: float = 0.12  # share of a foot that mirrors a lamp
    mirrored_white: float = 0.5  # minimum white in it
    min_lopsided: float = 0.06  # difference of such a foot from itself turned around

    # Edges of markers
    middle_mm: float = 4.0  # radius that shows a marker's look
    inside_rim_mm: float = 1.0  # a marker's inside ends this far within its rim
    beyond_rim_mm: tuple[float, float] = (0.4, 1.8)  # ring of its surroundings, from and to
    edge_off_cost: float = 0.003  # contrast that a marker must gain per cell from its spot
    max_unlike: float = 0.5  # difference beyond which a thing is just another one
    inside_weight: float = 1.5  # of an uneven inside against a plain rim
    edge_step_cells: int = 2  # between the cells that are compared
    no_twin: float = 0.6  # difference assumed for a spot without twins
    twin_line_mm: float = 0.3  # width of a circle's own line, left out
    max_twin_light: float = 1.4  # brighter light is cut off, paper = 1

    # Markers
    # of 0, 1, 2, ... visible markers of a colour; the others are off the table
    count_chances: tuple[float, ...] = (0.1, 0.04, 0.05, 0.1, 1.0)
    mirror_is_marker: float = 0.85  # chance that a mirroring spot holds a marker where markers are missing
    usual_marker: float = 0.9  # minimum chance of the markers that show their colour's usual look
    damping: float = 0.8  # of the evidence for one candidate: unseen cameras err more often
    max_log_odds: float = 6.0  # of the evidence for one candidate
    max_look_log_odds: float = 8.0  # of the look, as a part of the edge's evidence
    look_terms: int = 7  # that are weighed again with the edge
    edge_terms: int = 6  # that are compared with another marker's
    print_twin: float = 0.08  # maximum distance to a twin of print
    even_inside: float = 0.1  # maximum difference of an even inside
    kept_weighings: int = 64  # most colours of a picture are weighed as before
    max_overexposed: float = 0.3  # share of a foot whose strength is still its colour's
    max_hue_difference_deg: float = 10.0  # of two markers of a colour under one lamp
    min_strength_ratio: float = 0.5  # of the same
    unlike_log_odds: float = 0.0  # maximum for a marker beyond both
    marker_log_odds: float = 2.4  # minimum of a candidate that looks like a marker by itself
    seeming_is_marker: float = 0.4  # chance of a marker where one seems to be, if its colour has too many
    same_color_deg: float = 14.0  # colours nearer than this in hue ...
    same_color_strength: float = 0.1  # ... and relative strength may be one
    claimed: float = 0.05  # chance of a spot in two colours that share its marker's hue
    unparted: float = 0.25  # the same after parting: the colours cannot be separated

    # Second look
    min_looked_at: float = 0.02  # chance of a spot that is looked at again
    net_weight: float = 0.4  # of the network's log odds; fitted on cameras that it had not seen
    max_net_log_odds: float = 5.0
    bleached_net_weight: float = 1.0  # the same where light takes all colour away
    # of a marker there; of 3,370 empty spots none was beyond -3.2, of 186 markers one below
    min_bleached_log_odds: float = -2.0
    print_difference: float = 0.12  # cells beyond it differ from other print
    min_different: float = 0.04  # share of such cells in a spot that does not show its print
    border_cells: int = 3  # at the border, which do not count
    max_twins: int = 12  # evenly chosen spots that show how print looks

    # Between spots
    between_cover: float = 0.85  # share of a marker's area in its colour ...
    between_inner: float = 0.75  # ... without this share of its rim
    between_strengths: tuple[float, float] = (0.6, 1.6)  # strength in its colour's, minimum and maximum
    between_seen: float = 0.1  # share of its colour in a cut-out with a marker
    between_gap_mm: float = 1.5  # distance of the surrounding ring
    between_ring_mm: float = 2.0  # its width
    between_contrast: float = 0.2  # minimum difference of that ring ...
    between_ring_share: float = 0.55  # ... over this share of it
    between_steps: int = 6  # cells around each place
    between_coarse: int = 4  # every fourth cell shows already whether the colour is there
    between_free: float = 0.8  # minimum distance from a marker on a spot, in marker widths

    # Two markers on a spot
    crowd_turns: int = 12  # directions in which a second one is searched, one width away
    crowd_step_mm: float = 2.0  # between cells that show whether a look is there ...
    crowd_cover: float = 0.4  # ... and the least share of them
    crowd_plain: float = 1.6  # least sum of a second marker's cover and of the ring's share that differs
    # distance of a second marker from the first, in widths; a pawn's head leans out by half of one
    second_marker: tuple[float, float] = (0.65, 1.3)
    crowded_is_marker: float = 0.6  # chance of the marker that was read on such a spot

    # Tops of dice
    top_blur_cells: float = 0.7
    top_turns: int = 18  # tried within a quarter turn
    top_growth: float = 1.03  # edges are seen a little outside: blur and bevels
    top_reach_cells: int = 6  # search around a place
    edge_prior_mm: float = 1.2  # Gaussian radius around an edge's expected place
    edge_peak_samples: int = 2  # on each side of the strongest, whose middle is the edge's place
    top_rounds: int = 2
    max_top_shift_mm: float = 1.5  # per round

    # Dice
    found_px: float = 18.0  # a die's side in the picture of the finder
    min_pip_contrast: float = 0.12  # of small things that may be pips
    window_px: int = 32  # squares that the finder looks at: those with such a thing, and their neighbours
    min_find: float = 0.24  # of the finder for a die
    plain_pips: float = 0.9  # correlation of pips that make up for a lower find: touching dice are found weakly
    min_box_sides: float = 0.8  # root of a die's box area, in sides of its top
    max_box_sides: float = 2.0
    square_cells: int = 2  # pips are tried this far around a plain top's middle ...
    square_turn_deg: float = 7.0  # ... and turned by this at most
    coarse_turn_deg: float = 9.0  # the same for a top without a plain square, first step ...
    fine_turn_deg: float = 4.5  # ... and second step
    near_cells: int = 5
    stride_cells: int = 2
    pip_neighbourhood: float = 0.34  # a cell's darkness is taken against this radius, in sides
    max_die_light: float = 1.3  # brighter light is cut off, paper = 1
    more_pips: float = 0.02  # correlation bonus per pip without a square: a two's pip looks like a one
    one_behind: float = 0.08
    max_no_die: float = 0.75  # chance of the face networks above which a weak top is not a die
    min_value: float = 0.35  # chance of the face networks below which a weak top has no value
    beyond_outline_mm: tuple[float, float, float] = (1.2, 1.8, 2.6)  # distances beyond a level die's outline ...
    min_edge_mm: float = 5.0  # ... over at least this length ...
    max_beyond_light: float = 0.25  # ... with less than this share of the top's light
    min_square: float = 0.965  # ratio of a top's sides; a leaning die is foreshortened
    lean_reach_mm: float = 3.5  # distance from the tray's edge beyond which ...
    nearly_square: float = 0.94  # ... this ratio suffices; a die leaning by 20 degrees has 0.93
    free_edge_mm: float = 5.0  # distance from the edge, or a hidden side with level pips, where ...
    dark_beyond: float = 0.1  # ... a top with this little light beyond its outline ...
    little_beyond: float = 0.15
    level_pips: float = 0.88  # minimum correlation of a level top's pips
    barely_square: float = 0.92  # ... needs this ratio only; none of 108 leaning dice (86 cameras) fits
    neighbour_mm: float = 0.8  # points this near to another die's outline belong to that die
    min_free_points: int = 4  # of nine beyond an edge that is looked at
    min_side_mm: float = 2.0  # visible width of the side toward the tray's middle: a leaning die hides it
    min_side_light: float = 0.1  # of that side, as a share of the top's light beyond the ground's
    plain_side_light: float = 0.25  # the same, if nothing else speaks for a level die
    side_over_ground: float = 1.6  # light of that side in the ground's
    side_heights: tuple[float, float, float] = (0.35, 0.5, 0.65)  # where that side is measured, in sides over the foot
    edge_margin_mm: float = 9.0  # a die nearer to the tray's edge may lean on it
    over_edge_mm: float = -1.0  # a foot this far over the edge leans
    max_level_deg: float = 9.0  # tilt by the pose network of a level die, if nothing shows beyond its outline
    min_leaning_deg: float = 15.0  # tilt beyond which a die leans, whatever else is seen
    correlation_weight: float = 18.0  # log odds per unit of a top's correlation
    # logistic rule: correlation, its lead, networks' log odds, constant
    confidence_weights: tuple[float, ...] = (16.0, 18.0, 2.0, -12.0)
    agreement_bonus: float = 1.5  # log odds if two independent readings agree on a top with a plain square
    max_pip_offset: float = 0.36  # of a pip from a top's middle, each way, in sides
    washed_out_top: float = 0.8  # share of a top this close to full scale above which pips are lost ...
    nearly_full: float = 0.9  # ... of the camera's full scale

    # Spots
    sheet_mm: float = 0.8  # height of a board's surface: paper, or wood of two millimetres
    certain_spot: float = 0.99  # below it a spot is reported with all its possible colours
    marker_beneath: float = 0.7  # chance of a marker whose colour shows next to a covering thing
    plainly_marked: float = 0.95  # chance of a marker by its look ...
    marker_on_print: tuple[float, float] = (0.3, 0.6)  # ... and on a spot that shows its print: below and above it
    min_rim: float = 0.22  # of an empty spot's circle (1 is usual)
    max_covered: int = 3  # spots without a circle; more are covered by a hand
    max_hidden: float = 0.2  # share of circles behind a hand and its arm; more are under cards, or of another board
    washed_out_patch: float = 0.5  # share of a cut-out that is overexposed; above it a printed line may be lost
    tall_marker: float = 1.0  # height in widths of turned markers
    min_print_spots: int = 10  # empty spots that show the tint of print
    min_tint: float = 0.04  # difference of a marker's tint from print
    tint_ratio: float = 0.5  # a marker may be this much nearer to its colour's tint than to print
    tinted_is_marker: float = 0.6  # chance that it is one
    bleached_is_marker: float = 0.1  # chance of a marker where light takes all colour away

    # Several pictures
    same_place_mm: float = 6.0  # dice and markers nearer than this in two pictures are one


LIMITS = Limits()
