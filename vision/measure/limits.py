"""Thresholds of the measurements that readers share.

Lengths are pixels of the picture or mm on the table, shares are 0 to 1. Values of rims and ridges come from labelled
scenes, drawn and path-traced. Values without a source were chosen by hand on drawn tables.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """One line per threshold: name with unit, value, meaning and source."""

    # Networks
    batch: int = 16  # number of crops that a network gets at once
    log_severity: int = 3  # the runtime reports only errors: below this level it warns of unknown processors

    # Pips
    pip_pitch: float = 0.25  # distance between pips, in sides of the die
    pip_radius: float = 0.11  # in sides of the die

    # Edges of pieces
    edge_smooth_samples: int = 3  # the colours of a rim's sides are means over this many points to either side
    circle_points: int = 24  # directions around a circle
    few_points: int = 60  # up to this number OpenCV projects faster than numpy
    motion_step: float = 0.001  # for numerical derivatives, in mm and in radians
    still: float = 1e-3  # a fit ends when its step moves all samples (px) or all places (mm) by less
    max_step: float = 3.0  # maximum step of a fit, mm and rad; also the error of a place without a fit
    fit_rounds: int = 3  # steps of a fit
    outlier_sigmas: float = 2.5  # measured edges further off hardly count
    fitting_sigmas: float = 4.0  # measured rims nearer than this belong to the disk

    # Coarse JPEG
    jpeg_block_px: int = 8  # side of JPEG's blocks
    jpeg_wave: int = 3  # number of the measured wave along both axes
    coarse_jpeg_step: float = 8.2  # quantization step of this wave in brightness: quality 85 has 9, quality 86 has 8
    min_wave_height: float = 2.5  # weaker waves come from rounding the decoded picture
    min_waves: float = 0.01  # minimum share of blocks with that wave; fewer are noise of coarse steps
    first_wave_percentile: float = 10.0  # of the remaining heights: about the first step minus half a level

    # Light
    dim: float = 0.02  # light added to divisors: below it colours are noise
    min_noise: float = 0.004  # noise added to any measured noise, 1: full scale

    # View from above
    view_step_mm: float = 1.5  # side of its pixels; a pixel of a camera 1.1 m up is 0.6 mm
    around_mm: float = 18.0  # width of the visible strip around the play area
    view_height_mm: float = 3.0  # height of its plane: that of the disks' tops
    stride_px: int = 8  # it is projected at every eighth pixel, and bilinear between
    raised_px: int = 60  # margin in the picture for pieces at the table's edge
    paper_samples: int = 15  # along each side of a fiducial's paper
    paper_ring: float = 1.12  # distance of the measured paper from a fiducial's middle, in half sides
    min_noise_levels: float = 2.5  # minimum of the measured noise, in levels of 255

    # Colours
    # excess of a red piece's red over the next channel, as a share of its light, in white light
    red_share: float = 0.72
    min_redness: float = 0.4  # minimum redness of a red pixel, on any mat
    blue_share: float = 0.5  # the same for a blue piece
    max_black: float = 0.10  # maximum share of paper's light in every channel of a black piece
    lit_paper: float = 0.85  # share of paper's light of white; its minimum under a lamp
    max_pale: float = 0.38  # maximum difference of a white or black piece's channels, as a share of the strongest
    mat_cell_px: int = 16  # side of the cells for measuring the mat's brightness
    mat_blur_cells: float = 2.5  # standard deviation of the smoothing of that brightness, in cells
    median_step_px: int = 5  # medians over the mat take every fifth pixel along each axis
    dark_share: float = 0.5  # a die's body is darker than this share of the mat
    mirror_share: float = 1.3  # a top under a lamp or that mirrors it is brighter than the mat by this factor, and pale
    max_off_mat: float = 0.12  # difference from the mat, in redness, blueness or the logarithm of a channel
    min_foreign_sigmas: float = 6.0  # minimum difference in redness or blueness, in standard deviations of the mat
    hole_px: int = 15  # width of a hole in a coloured area that counts as a piece on top
    erased: float = 1.12  # scale of an erased body, without its rounding: it covers the blur of its edges
    max_shade: float = 0.9  # maximum share of the mat's light in a shadow, and of shadow in a hand
    min_shade: float = 0.12  # minimum share of the mat's light in a shadow
    max_shade_ratio: float = 1.4  # ratio of two channels in a shadow: lamps and the room's light differ in hue

    pixel_blur_px: float = 0.8  # standard deviation of the camera's blur, including a pixel's own width

    # Hands
    hand_cell_px: int = 6  # cells of the view from above: 9 mm
    min_strange_sigmas: float = 5.0  # minimum difference of its cells, in standard deviations of the mat
    min_hand_mm2: float = 4200.0  # more than any shadow or cluster of dice that reaches the edge
    broad_cells: int = 9  # a hand if this disk fits: two dice cast 60 mm, a dark sleeve is 90 mm broad

    # Circles and squares
    vote_spread_px: float = 1.3  # edges are known to about a pixel
    rim_width_px: float = 1.8  # edges this near to a circle are of its rim
    edge_soft_px: int = 4  # reach of blur and slopes
    max_edge_light: float = 1.2  # light of an edge is cut off here, paper = 1
    hue_weight: float = 0.35  # weight of hue; the root of light has 1. 0.5 missed samurai in heaps
    min_edge: float = 0.45  # minimum weight of an edge that votes
    full_edge: float = 4.0  # edges stronger than the usual slope by this factor have full weight
    disk_cell_px: int = 4  # large disks are searched in cells of this side
    disk_ring: float = 1.15  # radius in radii of the ring around a large disk that must not have its colour
    min_disk_share: float = 0.4  # minimum share of a large disk that shows its colour
    core_sides: float = 0.36  # radius in sides of the disk that every die's top contains
    cutout_cell_mm: float = 0.8  # side of a pixel of a cut-out of the table
    square_window: float = 0.9  # sampled part of a top, in sides; its surroundings are sampled as far outside
    min_whiter: float = 0.3  # contrast between a top and its surroundings, as a share of the top's light
    pattern_window: float = 0.94  # part of the top that is compared, in sides
    coarse_turn_deg: float = 9.0  # step of the turn of squares and patterns, first search; then half of it
    more_pips: float = 0.02  # correlation bonus per pip: a two's pip looks like a one
    one_behind: float = 0.08  # lead required of a one
    pattern_blur_mm: float = 0.55  # blur of a drawn pattern
    drawn_samples: int = 4  # drawn points per cell or pixel, per axis
    subpixel_bits: int = 4  # outlines are drawn to this power of two of a pixel
    tag_reach: float = 3.0  # side of the square searched for a tag, relative to the object's side
    max_tag_px: int = 640  # larger squares are shrunk, because enlarged tags are found less often

    # Rims of disks: for rims of half a millimetre and a blur of about a pixel
    # gap between the disk's share and the mat's share; the three curves below depend on it, fitted on `bench eyes`
    # scenes
    rim_gaps_px: tuple[float, ...] = (-1.5, -0.25, 0.25, 1.25, 4.0)
    # distance of the end of the disk's share beyond the rim
    rim_bias_px: tuple[float, ...] = (0.92, 0.37, -0.08, -0.34, -0.90)
    # part of a visible wall beyond that end: a dark wall for a wide gap, a wall lit like the top for no gap
    wall_shares: tuple[float, ...] = (-0.6, -0.3, -0.25, 0.4, 0.8)
    # standard errors of these curves
    rim_sigma_px: tuple[float, ...] = (0.45, 0.27, 0.2, 0.19, 0.26)
    share_range: tuple[float, float] = (-0.1, 1.2)  # shares of colours are cut off here
    rim_window_px: float = 3.5  # shares are summed over this distance on both sides
    rim_far_px: tuple[float, float] = (4.0, 7.0)  # the colours of both sides are measured between these distances
    max_ends_px: float = 2.7  # a rim that the disk's share puts further away belongs to another piece
    max_begins_px: float = 3.8  # the same for the mat's share
    max_glint: float = 0.12  # rise of the table's share inside the rim, above its minimum outside
    min_rim_sine: float = 0.2  # minimum sine of the angle between unmixed colours: 12 degrees
    bare_redness: float = 0.35  # maximum redness of a table pixel
    bare_blueness: float = 0.2  # maximum blueness of a table pixel
    strip_samples: int = 4  # samples on both sides of a sample; colours mix nearer than this to another piece
    min_bare: int = 6  # minimum samples of a disk for measuring the table's colour
    min_strip_px: float = 0.8  # minimum width of a strip of table
    min_apart: float = 0.05  # minimum share of a unit cube that three colours must span
    faint_sigma_px: float = 0.8  # error of a rim between equal colours, a line of shade, and of a die's vague edge
    faint_reach_px: float = 2.5  # range of the search for that line
    min_faint: float = 3.0  # minimum depth of that line, or drop of a step, in multiples of the noise
    step_sigma_px: float = 0.5  # error of a rim that shows only as a step of brightness
    step_plate_px: float = 2.0  # length of the means before and after such a step
    step_bias_px: float = 0.5  # the rounded rim turns dark this far inside the disk's end
    min_step: float = 0.15  # minimum drop of light at the step, as a share
    min_line_samples: int = 4  # minimum samples for judging a line
    line_px: float = 1.5  # half the width of the line, and the distance of its samples
    line_reach_px: float = 6.0  # length of its profiles; the light around it is taken from their outer halves
    sure_line_samples: int = 10  # with fewer samples a line counts less
    rim_margin_mm: float = 1.2  # the line across another disk is judged this far inside that disk
    rim_spacing_px: float = 3.2  # distance between two samples of a rim
    fine_core: int = 200  # disks with more points are sampled half as finely
    # number of neighbouring samples with a common error: shade changes slowly along a rim
    correlated_samples: float = 5.0
    settled_mm: float = 0.03  # a disk that moves by less has settled
    min_rim_samples: int = 8  # minimum samples of a rim for a fit
    trust_px: float = 1.5  # first tolerance for a crescent, twice for a leaning disk: further off are other rims
    kept_shift: float = 0.8  # part of a large disk's shift that also applies to small disks

    # Edges of dice: measured for a rounding of a seventeenth of the side, blurs of 0.4 to 0.9 px
    min_face_cosine: float = 0.04  # minimum cosine toward the camera of a visible face: 2 degrees
    min_second_px: float = 1.5  # minimum width of a measured edge's second face
    # outward place where the light has fallen to `low_share`, in widths of the rounding: on a second face without lamp
    # light, and its change for each unit of lamp light there
    outline_falloff: tuple[float, float] = (0.114, 0.239)
    ridge_falloff: float = 0.45  # both for an edge between visible faces, from the middle of the rounding
    by_saturation_px: float = 1.2  # change of that place for a saturated first face, by 1 / its light
    # the first face's light is measured this far inside the edge; a measured edge has at least this width and length
    inner_px: tuple[float, float] = (4.0, 7.5)
    low_share: float = 0.25  # share of a fall at which the outer end of an edge is measured
    foot_px: float = -0.12  # outward offset of the half-way fall at a wall's foot
    # light of a white die's top with its glare, paper = 1; on a camera that saturates the top looks wider
    top_light: float = 1.6
    saturated_share: float = 0.93  # of a channel's range
    outline_sigma_px: float = 0.3  # standard error of outlines; a short rim of a samurai fits closer: all of 1,111
    ridge_sigma_px: float = 0.4  # standard error of edges between visible faces, and of edges on the table
    narrow_px: float = 3.0  # a second face narrower than this has a vague edge
    min_contrast: float = 0.05  # of a measured edge, as a share of the paper's light
    # minimum ratio of a face's weakest channel to its strongest, even next to a red territory
    min_white_face: float = 0.3
    cover_px: float = 5.0  # distance of a measured edge from a piece on top of the die
    beyond_px: float = 2.5  # the second face begins this far beyond the edge
    min_lit: float = 0.5  # minimum share of the lamps' light on level ground that a first face gets
    min_ridges: int = 4  # minimum half edges for fitting a die in full view
    # minimum share of half edges found on a die: 145 labelled dice had 0.7 or more, two half off 0.4 and 0.6
    min_met: float = 0.65
    unfitted_px: float = 9.0  # residual assigned to a place with too few measured edges

    # Light of the room
    dome: float = 0.9  # a dome of lights ends at this square of its radius: 72 degrees from the vertical
    shadow_step_mm: float = 4.5  # distance of the places where shadows are measured
    light_rounds: int = 100  # steps of the search for lights
    tiny: float = 1e-9  # keeps divisors from 0
    room_light_sigma: float = 0.25  # error of the direction, and of shifts of edges between pictures, px
    sampled_face: float = 0.66  # part of a face that is sampled, in sides
    face_samples: int = 12  # samples of a face per axis, and along half an edge
    # maximum scatter of a saturated top, relative to the paper's noise: 250 pictures, 0.56 or less; others 0.64
    max_even: float = 0.57
    alike_levels: float = 2.0  # tops whose brightness differs by at most this are alike
    full_level: float = 250.0  # a camera that reaches this saturates at the picture's maximum
    max_paper_step: float = 8.0  # maximum step between neighbours on paper, levels of 255; a larger step is an object


LIMITS = Limits()
