"""Thresholds of the measurements that readers share.

Lengths are pixels of the picture or mm on the table, shares are 0 to 1. Values of rims and ridges come from labelled
scenes, drawn and path-traced. Values without a source were chosen by hand on drawn tables.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """One line per threshold: name with unit, value, meaning and source."""

    # Kinds of thresholds
    blur_px: float = 4.0  # reach of an edge's blur: the colours of its sides are measured beyond it
    plate_px: float = 3.0  # length over which a side's colour is the mean, and distance of samples along a rim
    edge_px: float = 2.0  # an edge or a line itself is this wide to either side
    beside_samples: int = 3  # means along an outline include this many samples to either side
    min_samples: int = 8  # minimum number of samples for a colour or a fit
    line_samples: int = 15  # points sampled along a line, or along each axis of a face
    every: int = 5  # medians and fits over many pixels take every fifth
    outlier_sigmas: float = 3.0  # values further off, in standard errors, do not belong
    fit_rounds: int = 3  # steps of a fit
    still: float = 1e-3  # a change that matters to nothing, in mm, px or rad: ends a fit, and measures slopes
    settled_mm: float = 0.03  # a piece that moves by less has settled
    max_step: float = 3.0  # maximum of one step of a fit, in mm and in radians; an unfitted place is in doubt by it
    unfitted_px: float = 9.0  # residual of a place with too few measured edges
    min_noise: float = 0.004  # noise added to any measured noise, 1: full scale
    dim: float = 0.02  # light added to divisors: below it colours are noise
    min_contrast: float = 0.05  # a smaller difference or share of light does not count
    slight: float = 0.12  # a smaller difference or share of light may be stray light
    lead: float = 1.35  # a clear ratio of two lights or channels
    nearly: float = 0.9  # a share that counts as nearly all
    min_cosine: float = 0.04  # minimum cosine toward the camera of a visible face
    min_hue_sine: float = 0.17  # sine of the smallest angle between colours that are unmixed by hue: 10 degrees
    full_level: float = 250.0  # a camera that reaches this level saturates at the picture's maximum
    turn_deg: float = 4.5  # step of tried turns of squares and drawn patterns

    # Coarse JPEG
    jpeg_wave: int = 3  # number of the measured wave along both axes
    coarse_jpeg_step: float = 8.2  # quantization step of this wave in brightness: quality 85 has 9, quality 86 has 8
    min_wave_height: float = 2.5  # weaker waves come from rounding the decoded picture
    first_wave_percentile: float = 10.0  # of the remaining heights: about the first step minus half a level
    min_waves: float = 0.01  # minimum share of blocks with that wave; fewer are noise of coarse steps

    # View from above
    raised_px: int = 60  # margin in the picture for pieces at the table's edge
    usual_noise: float = 5.5  # assumed noise in levels of 255 if paper cannot be measured

    # Colours
    # excess of a red piece's red over the next channel, as a share of its light, in white light
    red_share: float = 0.72
    min_redness: float = 0.4  # minimum redness of a red pixel, on any mat
    blue_share: float = 0.5  # the same for a blue piece
    min_blueness: float = 0.2  # minimum blueness of a blue pixel, on any mat
    max_pale: float = 0.38  # maximum difference of a white or black piece's channels, as a share of the strongest
    mat_cell_px: int = 16  # side of the cells for measuring the mat's brightness
    hole_px: int = 15  # width of a hole in a coloured area that counts as a piece on top

    # Hands
    hand_cell_px: int = 6  # cells of the view from above: 9 mm
    hand_sigmas: float = 5.0  # minimum difference of a hand from the mat, in standard deviations of the mat's cells
    hand_mm: float = 65.0  # minimum width of a hand: two dice cast a shadow of 60 mm, a dark sleeve is 90 mm broad

    # Circles and squares
    vote_spread_px: float = 1.3  # edges are known to about a pixel
    core_sides: float = 0.36  # radius in sides of the disk that every die's top contains
    min_whiter: float = 0.3  # contrast between a top and its surroundings
    pattern_window: float = 0.94  # part of the top that is compared, in sides
    more_pips: float = 0.02  # correlation bonus per pip: a two's pip looks like a one
    one_behind: float = 0.08  # lead required of a one
    pattern_blur_mm: float = 0.55  # blur of a drawn pattern
    drawn_samples: int = 4  # drawn points per cell or pixel, per axis
    subpixel_bits: int = 2  # outlines are drawn to this power of two of a pixel
    tag_reach: float = 3.0  # side of the square searched for a tag, relative to the object's side
    max_tag_px: int = 640  # larger squares are shrunk, because enlarged tags are found less often

    # Rims of disks: for rims of half a millimetre and a blur of about a pixel
    # the gap between both shares shows how far a rim is beyond the end of the disk's share: 444 rims of 130 pictures
    gap_share: float = 0.44  # that distance per pixel of the gap
    gap_bend: float = 0.26  # less of it around a gap of half a pixel; more of it per pixel of a visible wall
    rim_sigma_px: float = 0.25  # standard error of a rim
    max_ends_px: float = 2.7  # a rim that the disk's share puts further away belongs to another piece
    max_begins_px: float = 3.8  # the same for the mat's share
    kept_shift: float = 0.8  # part of a large disk's shift that also applies to small disks
    min_strip_px: float = 1.0  # minimum width of a strip of table
    faint_sigma_px: float = 0.8  # error of an edge that hardly shows
    step_sigma_px: float = 0.5  # error of a rim that shows only as a step of brightness
    step_bias_px: float = 0.5  # the rounded rim turns dark this far inside the disk's end
    # number of neighbouring samples with a common error: shade changes slowly along a rim
    correlated_samples: float = 4.0

    # Edges of dice: measured for a rounding of a seventeenth of the side, blurs of 0.4 to 0.9 px
    edge_outlier_sigmas: float = 2.5  # measured edges further off hardly count
    min_face_cosine: float = 0.04  # minimum cosine toward the camera of a visible face: 2 degrees
    min_edge_px: float = 7.0  # length of a measured edge
    min_face_px: float = 4.0  # minimum width of its first face
    min_second_px: float = 1.5  # minimum width of its second face
    # place where the light has fallen to `low_share`, outward: on a second face without lamp light, its change for each
    # unit of lamp light there, and for a saturated first face (by 1 / its light)
    outline_falloff_px: tuple[float, float, float] = (0.29, 0.61, 0.99)
    ridge_falloff_px: tuple[float, float, float] = (1.14, 1.15, 1.35)  # distance from the middle of the rounding
    ridge_reach_px: float = 8.0  # of profiles across an edge
    inner_px: tuple[float, float] = (4.0, 7.5)  # the first face's light is measured this far inside the edge
    high_share: float = 0.8  # the width of the fall is measured below this share of its height
    saturated_share: float = 0.93  # of a channel's range
    outline_sigma_px: float = 0.3  # standard error of outlines
    foot_sigma_px: float = 0.4  # standard error of edges on the table
    calm_share: float = 0.3  # share of the variation between pictures that applies to unsaturated tops
    max_second_light: float = 0.45  # a second face brighter than this share of the first has a vague edge
    narrow_px: float = 3.0  # a second face narrower than this has a vague edge
    vague_sigma_px: float = 0.9  # standard error of a vague edge
    # minimum ratio of a face's weakest channel to its strongest, even next to a red territory
    min_white_face: float = 0.3
    cover_px: float = 5.0  # distance of a measured edge from a piece on top of the die
    beyond_px: float = 2.5  # the second face begins this far beyond the edge
    round_px: float = 2.55  # width of the rounding for which these values hold; they scale with it
    min_top_normal: float = 0.9  # minimum height of a top's normal
    min_bared_ridges: int = 2  # minimum half edges for fitting a partly covered die
    held: tuple[float, float] = (1e-4, 1e-1)  # weight of a fit's starting pose, by place (mm) and turn (rad)
    held_bared: tuple[float, float] = (0.1, 400.0)  # the same for a partly covered die
    aside: tuple[float, float] = (0.35, 0.7)  # otherwise the die is searched this far to the side, in half sides
    max_upright: float = 0.1  # maximum sine of an upright wall
    min_seen: float = 0.12  # minimum cosine toward the camera of a visible wall
    wall_step: float = 0.06  # between the five tried values of that brightness
    wall_spread: float = 0.08  # scatter of that brightness
    wall_gain: float = 0.9  # added brightness per unit of the lamps' light
    max_lit: float = 1.5  # maximum of the lamps' light in that sum
    lit: tuple[float, float, float] = (-1.0, 0.0, 1.0)  # lamps' light on a wall: nodes of the table `width_px`
    width_px: tuple[float, float, float] = (1.75, 1.47, 0.87)  # width of the fall at its edge, by the lamps' light
    # nodes of the table `width_saturated_px`, next to a saturated top
    lit_saturated: tuple[float, float, float] = (-0.5, 0.0, 1.5)
    width_saturated_px: tuple[float, float, float] = (1.6, 1.18, 1.1)  # width of the fall there: it hardly narrows
    width_sigma_px: float = 0.25
    sharper_spread_px: float = 0.3  # difference in sharpness between cameras
    wall_weight: float = 1.4  # weight of a half edge: both halves have common errors
    width_weight: float = 1.0
    max_outlier: float = 6.0  # maximum cost of an outlier, in squared sigmas
    direction_cost: float = 0.1  # factor of the squared direction: without evidence the direction is zero
    sampled_top: float = 0.66  # part of a top that is sampled, in sides
    top_samples: int = 16  # samples per axis
    # maximum scatter of a saturated top, relative to the paper's noise: 250 pictures, 0.56 or less; others 0.64
    max_even: float = 0.57
    max_paper_step: float = 8.0  # maximum step between neighbours on paper, levels of 255; a larger step is an object
    max_edge_rise: float = 0.6  # steeper edges are nearly upright, and mislead next to their own shadow
    foot_px: float = -0.12  # outward offset of the half-way fall at a wall's foot
    # light of a white die's top with its glare, paper = 1; on a camera that saturates the top looks wider
    top_light: float = 1.6
    low_share: float = 0.25  # of the fall's height; of a white face's weakest channel
    ridge_sigma_px: float = 0.4  # standard error of edges between visible faces and on the table
    min_lit: float = 0.5  # minimum share of the lamps' light on level ground that a first face gets
    min_ridges: int = 4  # minimum half edges for fitting a die in full view
    # minimum share of half edges found on a die: 145 labelled dice had 0.7 or more, two half off 0.4 and 0.6
    min_met: float = 0.65

    # Light of the room
    bare_percentile: int = 70  # percentile above the part of a wall that an eye's ink can darken
    wall_usual: float = 0.22  # usual brightness of walls without lamp light, paper = 1
    wall_sigma: float = 0.13  # scatter of a wall's brightness
    alike_levels: float = 2.0  # tops whose brightness differs by at most this are alike

    # Likelihood of a die's pose
    grounds: int = 4  # number of colours of the ground: mat, territories, their shadows
    face_sigma: float = 0.05  # scatter of the square root of light within a face
    as_one_mm2: float = 90.0  # area of correlated pixels that count as one
    pixel_blur_px: float = 0.8  # standard deviation of the camera's blur, including a pixel's own width
    side_lead: float = 0.5  # a side's weakest channel relative to the ground's at its foot, logarithm
    side_weight: float = 4.5  # cost per unit of the shortfall
    foot_mm: tuple[float, float] = (0.8, 3.5)  # distances of that ground from the foot


LIMITS = Limits()
