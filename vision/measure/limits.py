"""Thresholds of the measurements that readers share.

Lengths are pixels of the picture or mm on the table, shares between 0 and 1. Figures of rims and ridges come from
labelled scenes, drawn and path-traced. Values without a source were chosen by hand on drawn tables.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """One line per threshold: name with unit, value, meaning and source."""

    # Edges of pieces
    edge_blur_px: float = 2.0  # reach of an edge's blur: colours are taken beyond it
    edge_smooth_samples: int = 3  # colours of the sides: the mean over this many points to either side
    plate_px: float = 3.0  # the colour of a side is the mean over this length
    min_hue_sine: float = 0.17  # sine of the angle between colours that are unmixed by hue: 10 degrees
    few_points: int = 60  # up to this number OpenCV projects faster than numpy
    # motions are measured over these, mm and rad
    motion_steps: tuple[float, ...] = (0.1, 0.1, 0.1, 0.001, 0.001, 0.001)
    still_px: float = 1e-3  # a step that moves no sample by more is the last

    # Coarse JPEG
    coarse_jpeg_step: float = 8.2  # of wave (3, 3) in light: quality 85 has 9, quality 86 has 8
    jpeg_block_step: int = 5  # every fifth block each way is looked at
    min_wave_height: float = 2.5  # lower waves come from rounding the decoded picture
    min_waves: int = 30  # fewer waves tell nothing
    first_wave_percentile: float = 10.0  # of the heights left, at the first step less half a level

    # View from above
    raised_px: int = 60  # margin in the picture for pieces at the table's edge
    paper_samples: int = 15  # along each side of a fiducial's paper
    usual_noise: float = 5.5  # levels of 255, where paper cannot be measured
    noise_range: tuple[float, float] = (2.5, 12.0)  # limits of a measured value
    min_paper_px: int = 20  # pixels of paper that measure the noise ...
    max_paper_level: int = 245  # ... with a median of at most this

    # Colours
    red_share: float = 0.72  # of a red piece's light, that its red exceeds the next channel by, in white light
    blue_share: float = 0.5  # the same for a blue piece
    min_white: float = 0.40  # share of paper's light in every channel of a white piece
    max_black: float = 0.10  # the same of a black piece
    lit_paper: float = 0.85  # pixels with this share of paper's light are white too ...
    lit_lead: float = 1.35  # ... if they are brighter than the nearby mat by this factor
    max_pale: float = 0.38  # difference of a white or black piece's channels, as a share of the greatest
    mat_cell_px: int = 16  # side of the cells in which the mat's brightness is measured
    median_step_px: int = 5  # medians over the mat take every fifth pixel along each axis
    dark_share: float = 0.5  # a die's body is darker than this share of the mat
    mirror_share: float = 1.25  # a top that mirrors a lamp is brighter than the mat by this, and pale
    max_mat_hue: float = 0.12  # difference in redness or blueness from the mat
    hole_px: int = 15  # width of a hole in a colour that counts as something on top of it
    max_shade: float = 0.9  # share of the mat's light that a shadow keeps, at most ...
    min_shade: float = 0.12  # ... and at least
    max_shade_ratio: float = 1.4  # of two channels in a shadow: lamps and the room's light differ in hue

    # Hands
    hand_cell_px: int = 6  # cells of the view from above: 9 mm
    min_strange_log: float = 0.13  # difference of a cell from the mat's light, logarithm of a channel ...
    min_strange_sigmas: float = 5.0  # ... and in standard deviations of the mat's own cells
    min_hand_mm2: float = 4200.0  # more than any shadow or cluster of dice that reaches the edge
    mat_rounds: int = 5  # of the fit of the mat's light, a polynomial ...
    mat_order: int = 4  # ... of this order ...
    mat_cell_step: int = 4  # ... by every fourth cell
    min_far_log: float = 0.7  # from slowly changing light: 50 samples without a hand have at most 81 mm2 beyond it
    slow_order: int = 2  # order of that light's polynomial ...
    slow_rounds: int = 8  # ... and the rounds of its fit
    half_weight_log: float = 0.25  # the difference that counts half
    max_hand_shade: float = 0.9  # share of shade in a hand; more is the shadow of pieces ...
    broad_cells: int = 9  # ... unless this disk fits: two dice cast 60 mm, a dark sleeve is 90 mm broad

    # Circles and squares
    vote_spread_px: float = 1.3  # edges are known to about a pixel
    edge_soft_px: int = 4  # reach of blur and slopes
    core_sides: float = 0.36  # radius of the disk that every die's top contains
    min_whiter: float = 0.3  # contrast between a top and its surroundings
    eye_px: int = 9  # width of the hole that an eye leaves in a top
    half_hidden: tuple[float, float] = (0.3, 0.9)  # white share of a half hidden die's top ...
    mostly_white: float = 0.65  # ... this share of it white but for an eye's ink ...
    min_color_beside: float = 0.12  # ... and this share of its border red or blue, in a ring ...
    beside_px: int = 11  # ... of half this width: a disk's wall may be dark
    pattern_window: float = 0.94  # part of the top that is compared, in sides
    pattern_blur_mm: float = 0.55  # of a drawn pattern
    pattern_samples: int = 4  # points per cell and direction when a pattern is drawn
    tag_reach: float = 3.0  # side of the square that is searched for a tag, in sides of the thing
    max_tag_px: int = 640  # larger squares are shrunk; enlarged tags are found less often

    # Rims of disks: a rim of half a millimetre, a blur of about a pixel
    # how far the disk's share and the mat's disagree; `bench eyes` scenes gave the three curves by it
    rim_gaps_px: tuple[float, ...] = (-1.5, -0.75, -0.25, 0.25, 0.75, 1.25, 1.75, 2.5, 4.0)
    # how far outside of the rim the disk's share ends
    rim_bias_px: tuple[float, ...] = (0.92, 0.60, 0.37, -0.08, -0.24, -0.34, -0.43, -0.56, -0.90)
    # part of a visible wall outside of that end: a dark wall for a wide gap, one lit like the top for none
    wall_shares: tuple[float, ...] = (-0.6, -0.4, -0.3, -0.25, 0.05, 0.4, 0.5, 0.7, 0.8)
    rim_sigma_px: tuple[float, ...] = (0.45, 0.33, 0.27, 0.2, 0.18, 0.19, 0.2, 0.21, 0.26)  # about these curves
    rim_reach_px: float = 8.0  # of profiles to both sides of the expected rim
    rim_window_px: float = 3.5  # shares are summed this far to both sides
    rim_far_px: tuple[float, float] = (4.0, 7.0)  # the colours of both sides are taken between these distances
    max_ends_px: float = 2.7  # a rim that the disk's share puts further away belongs to another piece
    max_begins_px: float = 3.8  # the same by the mat's share
    max_glint: float = 0.12  # of the table's share inside, above its least value outside
    min_rim_sine: float = 0.2  # of colours that are unmixed: 12 degrees
    bare_redness: float = 0.35  # below it a pixel is table ...
    bare_blueness: float = 0.2  # ... and below this blueness
    strip_samples: int = 4  # on both sides of a rim; colours mix nearer than this to another piece
    min_bare: int = 6  # samples of a disk from which the table's colour is known
    min_strip_px: float = 0.8  # breadth of a strip of table
    min_apart: float = 0.05  # share of a unit cube that three colours must span
    faint_sigma_px: float = 0.8  # of a rim on its own colour, known by its line of shade ...
    min_faint: float = 3.0  # ... as deep as this, in multiples of the noise
    step_sigma_px: float = 0.5  # of a rim that shows as a step of brightness only
    step_plate_px: float = 2.0  # length of the means before and after such a step ...
    step_reach_px: float = 4.0  # ... and the range in which it is searched
    step_bias_px: float = 0.5  # inside of the disk's end the rounded rim turns dark
    min_step: float = 0.15  # drop of light, as a share ...
    min_step_noises: float = 3.0  # ... and in multiples of the scatter between samples
    min_line_samples: int = 4  # to judge a line
    line_px: float = 1.5  # half its width
    min_own_hue: float = 0.2  # redness or blueness of a piece next to it
    rim_spacing_px: float = 3.2  # between two samples of a rim
    fine_core: int = 200  # disks with more points are sampled half as finely
    coarse_px: float = 10.0  # between two samples of a rough fit ...
    still_mm: float = 1e-3  # ... and the change at which it stops
    correlated_samples: float = 5.0  # neighbours that err together: shade changes slowly along a rim
    settled_mm: float = 0.03  # a disk that moves by less has arrived
    min_rim_samples: int = 8  # of a rim that is fitted
    trust_px: float = 1.5  # first tolerance for a crescent: samples further off belong to other rims
    min_clear_rim: float = 0.5  # share of a large disk's rim against another colour
    kept_shift: float = 0.8  # part of a large disk's shift that holds for small ones
    max_shift_px: float = 0.4

    # Edges of dice: measured for a round of a seventeenth of the side, blurs of 0.4 to 0.9 px
    min_face_cosine: float = 0.04  # toward the camera, of a face that is seen: 2 degrees
    min_edge_px: float = 7.0  # length of a measured edge
    min_face_px: float = 4.0  # width of its first face ...
    min_second_px: float = 1.5  # ... and of its second one
    max_edge_rise: float = 0.6  # steeper edges stand upright, and mislead against their own shadow
    # place where the light has fallen to `low_share`, outward: on a second face without lamp light, its change for each
    # unit of lamp light there, and for a saturated first face (by 1 / its light)
    outline_falloff_px: tuple[float, float, float] = (0.29, 0.61, 0.99)
    ridge_falloff_px: tuple[float, float, float] = (1.14, 1.15, 1.35)  # from the middle of the round
    ridge_reach_px: float = 8.0  # of profiles across an edge
    inner_px: tuple[float, float] = (4.0, 7.5)  # the first face's light is taken this far inside the edge
    high_share: float = 0.8  # the width of the fall is measured from this share of its height ...
    low_share: float = 0.25  # ... to this one
    foot_px: float = -0.12  # place of the half-way fall at a wall's foot, outward
    top_light: float = 1.6  # a white die's top with its glare, paper = 1; a camera that saturates shows it wider
    saturated_share: float = 0.93  # of a channel's range
    outline_sigma_px: float = 0.3  # scatter about outlines ...
    ridge_sigma_px: float = 0.4  # ... edges between visible faces ...
    foot_sigma_px: float = 0.4  # ... and edges on the table
    calm_share: float = 0.3  # of the variation between pictures that unsaturated tops show
    max_second_light: float = 0.45  # a second face brighter than this part of the first ...
    narrow_px: float = 3.0  # ... or narrower than this hardly shows the edge ...
    vague_sigma_px: float = 0.9  # ... which then has this error
    min_contrast: float = 0.05  # of a measured edge, as a share of the paper's light
    min_white_face: float = 0.3  # least channel in the greatest, even next to a red territory
    cover_px: float = 5.0  # of a measured edge from a piece on top of the die
    beyond_px: float = 2.5  # the second face begins this far beyond the edge
    min_lit: float = 0.5  # part of the lamps' light on level ground that a first face gets
    round_px: float = 2.55  # width of the round for which the figures hold; they scale with it
    min_top_normal: float = 0.9  # height of the normal of a face that is a top
    min_ridges: int = 4  # half edges for a fit of a die in full view ...
    min_bared_ridges: int = 2  # ... and of one that others cover
    held: tuple[float, float] = (1e-4, 1e-1)  # a fit's pull to its start, by place (mm) and turn (rad)
    held_bared: tuple[float, float] = (0.1, 400.0)  # the same for a die that others cover
    min_met: float = 0.65  # half edges that a die shows: 145 labelled ones 0.7 or more, two half off 0.4, 0.6
    aside: tuple[float, float] = (0.35, 0.7)  # such a die is searched this far beside, in half sides
    unfitted_px: float = 9.0  # residual of a place with too few measured edges

    # Light of the room
    min_level: float = 0.99  # cosine of a top that counts
    max_upright: float = 0.1  # sine of a wall that counts
    min_seen: float = 0.12  # cosine by which a wall is turned toward the camera
    bare_percentile: int = 70  # above what an eye's ink can darken
    walls: tuple[float, ...] = (0.12, 0.18, 0.24, 0.30, 0.36)  # tried light of walls without lamps, paper = 1
    wall_usual: float = 0.22  # the usual one ...
    wall_spread: float = 0.08  # ... and its scatter
    wall_gain: float = 0.9  # more light for each unit of the lamps' light ...
    max_lit: float = 1.5  # ... up to this
    wall_sigma: float = 0.13
    lit: tuple[float, float, float] = (-1.0, 0.0, 1.0)  # lamps' light on a wall, for ...
    width_px: tuple[float, float, float] = (1.75, 1.47, 0.87)  # ... the width of the fall at its edge
    lit_saturated: tuple[float, float, float] = (-0.5, 0.0, 1.5)  # the same next to a saturated top: ...
    width_saturated_px: tuple[float, float, float] = (1.6, 1.18, 1.1)  # ... it hardly narrows
    width_sigma_px: float = 0.25
    sharper_spread_px: float = 0.3  # of cameras
    wall_weight: float = 1.4  # of a half edge: two halves err together
    width_weight: float = 1.0
    max_outlier: float = 6.0  # squared sigmas that an outlier counts
    direction_cost: float = 0.1  # times its square: without a sign of any there is none
    sampled_top: float = 0.66  # part of a top that is sampled, in sides
    top_samples: int = 16  # each way
    min_top_cosine: float = 0.9  # tops that lean more are lit otherwise
    max_even: float = 0.57  # scatter of a saturated top in the paper's noise: 250 pictures, 0.56 or less; others 0.64
    alike_levels: float = 2.0  # no top is brighter by more than this
    full_level: float = 250.0  # a camera that reaches this saturates where pictures do
    max_paper_step: float = 8.0  # of neighbours on paper, levels of 255; more is an object

    # Likelihood of a die's pose
    around_px: int = 3  # band outside all poses' outlines that is compared too
    ring_px: int = 9  # the ground's colours are taken from a ring of this width beyond
    grounds: int = 4  # colours of the ground: mat, territories, their shadows
    shades: tuple[float, ...] = (1.0, 0.6, 0.3)  # of its light that the ground may have close to a die
    face_sigma: float = 0.08  # scatter of the root of light within a face ...
    fine_sigma: float = 0.05  # ... and about faces blurred together
    max_pixel_sigmas: float = 3.0  # weight of one pixel
    pixels_as_one: float = 180.0  # correlated neighbours, at ...
    fine_pixels_as_one: float = 265.0  # ... and for faces blurred together ...
    as_one_px_per_mm: float = 1.4  # ... this scale
    pixel_blur_px: float = 0.8  # of the camera and of a pixel's own width
    inset: float = 0.985  # a face is drawn smaller: its rounded ends have another light
    core_share: float = 0.95  # a face's light is measured on pixels with this share of it ...
    min_core_px: int = 12  # ... if there are as many
    sloped_px: int = 30  # pixels from which the light of a side may slope along it
    side_lead: float = 0.5  # a side's least channel over the ground's at its foot, logarithm
    max_side_lack: float = 1.2  # what is missing of it costs, up to this, ...
    side_weight: float = 4.5  # ... this for each unit
    foot_mm: tuple[float, float] = (0.8, 3.5)  # distances of that ground from the foot
    upward: float = 0.7  # height of the normal of a top, which has one colour
    dark: float = 0.004  # light that counts as none
    ground_share: float = 0.02  # pixels with less ground in them are a face's own


LIMITS = Limits()
