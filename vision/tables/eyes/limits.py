"""Thresholds of the reader for Eyes of the Emperor.

Values without a source were chosen by hand on drawn tables. Probabilities and shares are 0 to 1, lengths in mm. Sides
are those of the die in question. Sigmas are standard errors. Log odds are natural logarithms. A top is the upper face
of a piece.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """One line per threshold: name with unit, value, meaning and source."""

    tiny: float = 1e-9  # keeps divisors from 0

    # Shapes of pieces
    eye_half_width: float = 0.355  # of the printed eye, in sides; kit
    eye_half_height: float = 0.2  # in sides; kit
    eye_line: float = 0.026  # width of its line, in sides; kit
    iris_radius: float = 0.132  # in sides; kit
    min_white_outline: float = 0.9  # minimum white share of the outline of a die without an eye
    max_hole: float = 0.15  # maximum hole in the white of a die without an eye, as a share of an iris
    leaning_error_mm: float = 3.0  # minimum error of two pieces that seem to overlap, because they lean on each other
    max_into_die_mm: float = 1.0  # maximum overlap of a disk with a die; if larger, one of them leans
    leaning_disk_confidence: float = 0.8  # confidence that it leans
    same_level_mm: float = 0.5  # a piece at most this much lower than a top does not lean on its rim
    max_shared_mm2: float = 4.0  # maximum common area of the footprints of two pieces that are not on each other
    same_disk_mm: float = 4.0  # two flat disks of a colour nearer than this are two detections of one disk

    in_doubt: float = 0.5  # confidence of a piece, or of a die's face, that people are asked about
    touching_error_mm: float = 0.3  # additional error of a piece that leans or shows a crescent only
    covered_error_mm: float = 0.6  # additional error of a mostly covered piece
    faint_error_mm: float = 1.2  # additional error of a piece with few votes, a strange rim or something on it
    hidden_reach_mm: float = 8.0  # maximum distance of unexplained colour from the rim that may cover its owner

    # Detection
    hiding_reach_mm: float = 60.0  # a piece further from a die hides none of its sides
    max_level_misfit: float = 1.0  # maximum residual in sigmas of a die that measures the room's light

    # Samurai
    min_crescent_mm2: float = 40.0  # minimum area of a crescent that is a samurai under others
    min_crescent_rim: float = 0.06  # minimum share of its rim in the crescent
    min_crescent_px: float = 1.4  # minimum depth; thinner crescents are walls or blurred rims
    blurred_rim_px: float = 0.75  # pixels this near to a found disk belong to its blurred rim
    min_shaded_rim: float = 0.3  # minimum share of a rim found as a step of brightness; 156 false circles have less
    min_votes: float = 0.12  # minimum votes for a circle, as a share of a whole rim
    faint_votes: float = 0.2  # a circle with fewer votes needs a rim on its own colour
    min_rim_few_votes: float = 0.33  # minimum visible rim of a circle with few votes
    many_votes: float = 0.4  # a circle with a smaller share has few votes; of 960 circles with more none was false
    min_close_rim: float = 0.18  # minimum share of a rim if it fits closely
    close_rim_px: float = 0.3  # maximum distance of such a rim; of 1,070 circles 11 had one, all samurai
    close_circles_mm: float = 14.0  # two circles nearer than this must each show a rim of their own

    # Shaded samurai
    shaded_step_mm: float = 3.5  # step of the four places tried beyond the middle of the upper samurai
    min_shaded_coverage: float = 0.16  # minimum visible share of the whole rim
    min_bare_rim: float = 0.6  # minimum visible share of the uncovered rim
    own_circle_mm: float = 7.0  # a circle nearer to a disk of its colour is that disk
    min_under_mm: float = 3.0  # minimum depth under the upper samurai
    max_foreign: float = 0.1  # maximum share of the bare part in another colour
    min_explained: float = 0.8  # minimum explained share of the unexplained colour
    shaded_blur_mm: float = 3.4  # width of a rim that is ignored

    # Slivers of hidden samurai
    min_sliver_mm2: float = 9.0  # minimum area; of 33 such parts on drawn heaps 30 were missed samurai
    near_best_share: float = 0.9  # places with at least this share of the best place's explanation are also possible
    min_sliver_error_mm: float = 1.0
    max_sliver_error_mm: float = 5.0  # with a larger error the place counts as unknown
    other_samurai_mm: float = 5.0  # slivers nearer to a known samurai of their colour may belong to it

    # Doubts about samurai
    min_rise_mm: float = 6.0  # minimum apparent rise of a samurai that may be on a hidden die
    min_rise_sigmas: float = 2.7  # minimum of that rise in sigmas
    min_rise_rim: float = 0.6  # minimum clear rim for that test; false for 2 in 100
    min_oval_mm: float = 0.4  # minimum half difference of an oval rim's widths
    min_oval_sigmas: float = 4.9  # minimum of it in sigmas; eight of 982 level samurai exceed it
    oval_error_mm: float = 2.0  # error of such a samurai's place
    max_oval_outlier_px: float = 0.8
    oval_prior: tuple[float, ...] = (1e-6, 1e-6, 1e-4, 0.02, 0.02)  # weights of place, height and oval
    max_level_disk_deg: float = 1.0  # a samurai with a larger tilt looks oval because of it
    min_alone: float = 1.5  # radii; a nearer samurai of its colour may overlap its rim
    wall_reach_mm: float = 1.6  # distance outside a rim at which its lit wall ends
    beyond_step_px: float = 2.0
    min_beyond_mm: float = 8.0  # minimum length of its own colour beyond the rim of a doubtful samurai
    other_outline_px: float = 2.0  # places nearer to another piece's outline belong to that piece
    open_height_mm: float = 2.0  # height error, half a samurai, if the lower samurai is unsure
    min_order: float = 0.7  # minimum confidence in the order of two samurai
    heap_height_mm: float = 0.7  # height error of any samurai on another samurai

    # Stacks
    crescent_under: float = 0.85  # probability that a crescent is under the samurai that covers its middle
    min_crescent_lead: float = 1.5  # of a crescent's rim, in sigmas: 12 of 13 pairs had 2.3, 35 of 36 others 0.7
    bare_mm: float = 0.5  # distance outside a third samurai at which the colour is not its own
    covered_weight: float = 0.3  # weight of the colour if the whole overlap is covered: both orders are tried
    even_confidence: float = 0.51  # maximum for a pair without a visible rim across
    rim_weight: float = 180.0  # factor of a rim's mean square (pixels) in the log odds: samples have common errors
    min_swap_lead: float = 0.4  # minimum log odds for the other order
    open_order: float = 0.9  # with a lower confidence both orders are tried
    min_order_gain: float = 0.02  # minimum gain in visible rim (sum of shares) for the other order
    order_gain_slope: float = 0.6  # additional gain required per unit of confidence above even
    closer_weight: float = 0.5  # weight of the logarithm of the residuals' ratio against the gain in visible rim
    min_misfit_px: float = 0.05  # smaller residuals count as this: a closer match is luck
    settled_rim_mm: float = 0.15  # a disk has settled if its underside moves less at its rim
    settled_radius_mm: float = 15.0  # radius at which this movement is measured
    max_swaps: int = 3  # maximum pairs of one table that are swapped
    footprint_sigma_mm: float = 0.15  # standard error of a footprint: it may contradict a pose, or just reach a piece
    rival_share: float = 0.35  # share of the difference to the other pose that stays as an error near a rim
    lean_rim_weight: float = 0.5  # weight of the rim if a leaning samurai may be flat
    beside_range_mm: tuple[float, float] = (-1.5, 0.3)  # margins of a flat samurai that may be on a rim
    max_upon_mm: float = 0.9  # maximum margin of a leaning samurai that may be flat
    max_short_mm: float = 0.4  # maximum distance outside a rim for a samurai on it, because of errors

    # Samurai that lean on dice
    lean_slopes_deg: tuple[int, int] = (24, 78)  # first and last of the seven slopes tried
    lean_aside_mm: int = 5  # step of the nine places tried sideways
    lean_inside_mm: float = 1.8  # distance of samples inside the rim
    lean_outside_mm: float = 1.5  # distance of samples outside the rim
    clear_step: float = 0.1  # step in the square root of light that is certainly an edge
    min_lean_outline: float = 0.42  # minimum visible share of an outline
    ground_sigma_mm: float = 0.6  # standard error of the contact with the ground
    die_sigma_mm: float = 0.5  # standard error of a fitted die's place
    loose_die_sigma_mm: float = 2.0  # standard error of the place of a die that may be partly hidden
    min_lean_coverage: float = 0.45
    min_lean_cosine: float = 0.15  # 81 degrees
    max_lean_cosine: float = 0.96  # 16 degrees
    same_leaning_disk_mm: float = 15.0  # disks nearer than this are the same
    upper_end_mm: float = 20.0  # distance along a disk's axis at which disks of different slopes are apart

    # Doubts about dice
    min_right_edges: float = 0.58  # minimum share of a die's edges where a cube's would be
    max_level_die_deg: float = 0.5  # a die with a larger tilt was fitted with its support
    unsure_die_mm: float = 1.0  # a die with a larger error is not judged again
    min_raised_residual: float = 0.45  # sigmas; beyond it the edges are tried higher up
    max_raised_ratio: float = 0.7  # maximum ratio of the residual higher up to that on the table
    min_raised_gain: float = 0.2  # minimum fall of the squared residual
    white_reach_mm: float = 9.0  # width of the searched ring around a die
    min_other_white_mm2: float = 10.0  # minimum area of white that belongs to another die
    max_edge_width_px: float = 1.95  # of a sharp edge: 3,057 pieces have 1.89 or less, blurred by 2 px 2 to 2.4
    blur_reach_px: float = 6.0
    blur_spacing_px: float = 4.0
    blur_sectors: int = 4  # quarters of an outline; the most blurred one counts
    min_profiles: int = 3  # minimum profiles in a quarter
    min_profile_contrast: float = 0.06  # minimum contrast of a profile, 1: full scale
    blur_error_per_px: float = 0.6  # error of a blurred piece per px of its edge's width

    # Poses of dice
    max_die_slope: float = 0.34  # on a rim a few mm high
    max_pose_steps: int = 5
    max_pose_step_mm: float = 1.5  # after longer moves the edges are measured again
    max_pose_turn: float = 0.12  # the same, radians
    tilt_base_mm: float = 0.15  # length for the derivative of the tilt by the place
    max_halvings: int = 3  # halvings of a step that would take the die off its rim
    max_poses: int = 6
    same_slope: float = 0.004  # poses this close are the same
    same_pose_mm: float = 0.1
    promising_steps: int = 2  # number of steps after which a hopeless pose is dropped
    stands_beside_mm: float = 4.5  # a die further from a rim is next to it
    max_footprint_log_odds: float = 14.0
    min_lean_overlap_mm: float = 0.2  # minimum overlap of a leaning die with its rim, because rims are round
    outline_weight: float = 1.2  # weight of outlines and of edges on the table in the log likelihood
    on_land_mm: float = 5.0  # a die with its middle this far inside a rim is on the territory
    nearly_on_land_mm: float = 3.0  # a die with its middle this far outside may be on the territory
    lean_log_prior: float = 2.0  # cost of each of several leaning poses
    reference_noise: float = 4.5  # noise on paper for which the weights apply
    noise_power: float = 1.5  # power of the weights' decrease with noise
    one_pose_slope: float = 0.012  # poses whose slopes differ by less are one
    min_pose_chance: float = 1e-4  # minimum probability relative to the best pose
    min_pose_share: float = 5e-4  # minimum share of a kept pose: no picture excludes it

    # Owner of an eye
    face_cells: int = 28  # samples of a face, per axis
    min_hue_cosine: float = 0.12  # minimum cosine of a face whose hue counts (83 degrees)
    min_top_tint: float = 0.03  # minimum tint of an iris on a top, beyond its surroundings
    min_side_tint: float = 0.045  # minimum tint of an iris on a side
    min_dip: float = 0.05  # minimum loss of light by ink whose hue glare washes out
    faint_dip: float = 0.02  # loss of light by a faint eye
    saturated: float = 0.92  # minimum share of the camera's range of a saturated cell
    max_dull_cells: int = 16  # maximum number of darker cells in the middle of a top that may hide an eye
    max_tinge: float = 0.09  # maximum tint of a top from strong compression, without loss of light
    max_other_ink: float = 0.5  # maximum tint in the other colour, relative to the ink's
    hue_weight: float = 100.0  # log odds of an ink per unit of the difference of a top's tints
    face_middle: float = 0.84  # inner part of a face that is sampled, in sides
    min_oblique_cosine: float = 0.05  # minimum cosine of faces that are searched for an eye (87 degrees)
    # minimum (share of light absorbed, sigmas) of an eye on a side; 1 of 2,919 sides without an eye exceeds it
    side_rules: tuple[tuple[float, float], tuple[float, float]] = ((0.35, 2.5), (0.2, 4.0))
    top_sigmas: float = 8.0
    max_side_hidden: float = 0.03  # maximum hidden share of a side that is searched
    lamp_factor: float = 1.4  # a lamp is this much further from the vertical than walls and edges indicate
    mirror_reach: float = 0.45  # maximum distance (in slopes) of a mirrored lamp; 64 labelled lamps were within 0.41
    wider_px: float = 0.075  # minimum widening of an outline if the top hides an eye; 31 path-traced tops
    too_bright: float = 0.4  # saturated share of a die's edges above which it is overexposed
    same_lamp: float = 0.1  # maximum distance (in slopes) of two dice that mirror one lamp

    # Oblique faces
    luma_correlation: float = 2.0  # variance factor, because neighbouring pixels have common errors
    kept_correlation: float = 8.0  # variance factor of the three channels
    kept_spread: float = 0.07  # scatter by a share of the absorbed light
    kept_floor: float = 0.04  # scatter of each channel
    kept_common: float = 0.2  # scatter common to all channels
    min_seen: float = 0.2  # minimum share of an ink's absorption on a mirroring side
    max_seen: float = 1.0
    oblique_blur_px: float = 0.75  # blur of the camera, standard deviation
    oblique_reach: float = 0.44  # fitted part of a face, in sides from its middle; beyond it the face is rounded
    oblique_rim_px: float = 0.7  # ignored margin at its upper and lower ends
    ground_order: int = 3  # polynomial order of the ground across the face
    min_oblique_pixels: int = 25
    min_light_error: float = 0.003  # paper = 1
    foot_distances_mm: tuple[float, ...] = (2.0, 4.0, 6.0, 9.0)  # where the table's colour is measured
    max_side_sine: float = 0.6  # minimum horizontal part of a side's normal
    oblique_motley: float = 0.15  # change of the table's blue or red beyond green before a side: a rim or a piece
    eye_slide: float = 0.15  # step of four offsets in sides; the eye must fit better without any
    gram_floor: float = 1e-9  # basis functions closer than this share count as one
    oblique_sigmas: float = 3.0  # minimum significance of an eye whose colour is measured
    # log odds of an ink per unit of those by the channels, and in a strongly compressed picture; 77 eyes on sides
    channel_weight: float = 3.5
    coarse_weight: float = 0.7
    most_side_odds: float = 6.5  # maximum log odds by a side; none of 712 eyes on sides was wrong

    # Ninjas
    min_ninja_gap: float = 0.94  # minimum distance of adjacent ninjas, in sides
    min_coarse_match: float = 0.62  # minimum match of a pattern on coarse cells
    coarse_cell: int = 2  # in cells
    rival_score: float = 0.1  # maximum difference of rival tops from the best score
    max_rivals: int = 5
    rival_gap: float = 0.3  # minimum distance of rival tops, in sides
    min_top_match: float = 0.74  # minimum correlation of a die's top
    top_astray_mm: float = 2.6  # maximum distance of a top from its approximate place
    glance_astray_mm: float = 4.5  # maximum distance of a top from the middle of a pale part
    min_dark: float = 0.33  # minimum dark or strange share of a ninja's top
    max_ninja_length: float = 12.0  # maximum length of a dark part, in sides; longer parts are shadows or sleeves
    max_heap: int = 30  # ninjas that may touch in one heap
    same_ninja_mm: float = 3.0  # tops nearer than this are of one die
    min_pip_light: float = 0.33  # minimum light of pips above their surroundings (square root); usually 0.6
    dark_reach: float = 1.3  # search around a dark region, in sides: if the top mirrors the room, only walls are dark
    dark_reach_px: int = 6  # maximum distance of a top's middle from dark pixels
    search_gap: float = 0.72  # minimum distance of tops in the search, in sides
    faint_match: float = 0.72  # minimum correlation of pips on a top that mirrors a lamp
    faint_one_match: float = 0.9  # minimum correlation of a one on such a top
    min_value_lead: float = 0.07
    inner_top: float = 0.78  # compared part of a pale top, in sides
    pip_brightness: float = 0.3  # minimum brightness of pips or a mirrored lamp, as a share of paper
    ninja_core_mm: float = 3.6  # radius of an unrecognised die's core
    max_grey_hue: float = 0.65  # maximum relative difference of the channels; 252 labelled tops reach 0.56
    grey_share: float = 0.75  # minimum share of the top with such grey

    # Values and leaning ninjas
    clear_pips: float = 0.87  # minimum correlation of a ninja that may be inside another
    max_bearing_deg: float = 8.0  # maximum tilt of a piece that may carry a level ninja

    # Supports
    max_slope: float = 0.6  # with a larger slope a piece would slide (31 degrees)
    rim_step_mm: float = 1.2  # distance between sampled points of rims
    usual_slope: float = 0.12  # initial slope of a die on a rim a few mm high
    slope_tolerance: float = 2e-3
    support_rounds: int = 2  # a tilted body's underside is not below its middle, so the tilt is computed again

    # Strange things
    hiding_radius_mm: float = 16.5  # a strange part this broad may hide a samurai; 143 clean tables reach 8
    land_wall_mm: float = 1.9  # width beyond its blurred rim in which a territory's wall is visible
    eye_reach: float = 0.36  # radius of an eye's ink on a top, in sides
    flat_reach: float = 0.43  # flat part of a top, in sides from its middle; beyond it the top is rounded
    samurai_rim_mm: float = 2.0  # ignored width along its rim
    min_bare_top: float = 0.1  # minimum bare share of a top that is judged
    white_percentile: int = 75  # percentile of a top's places that gives its white
    dull_light: float = 0.6  # a place with a smaller share of that light is not the die's
    tinted_light: float = 0.3  # a place whose channels differ by a larger share is not the die's
    strange_outline_px: float = 3.0  # places nearer to another piece's outline have mixed colours
    max_strange: float = 0.04  # maximum strange share of a top; of 290 dice and 365 samurai none had more than 0.02

    # The mat
    max_color_share: float = 0.75  # maximum coloured share of the play area; pieces never cover more than a tenth
    min_color_step: float = 0.13  # minimum difference of mat and piece, as a share of the piece's colour
    darkest_mat: float = 0.06  # minimum light of the mat relative to paper: ninjas are lost on darker mats
    palest_mat: float = 0.87  # maximum light of the mat: empire dice are lost on paler mats
    max_specks: float = 0.025  # maximum share of red and blue specks; samples have at most 0.001
    full_scale: float = 0.9  # light of the mat, relative to full scale, at which paler pieces saturate
    swapped_tint: float = 0.03  # minimum green beyond the darkest channel that proves swapped channels

    # Margins
    max_other_side: float = 0.003  # more of the mixture beyond the rim makes it too close to call ...
    asked_factor: float = 1.02  # ... by this factor
    min_margin_mm: float = 0.12  # a smaller margin is too close to call
    max_margin_error_mm: float = 0.35  # with a larger error a margin is too close to call
    half_normal: float = 0.6  # standard deviation of half a normal distribution
    measured_mm: float = 20.0  # pairs nearer than this are measured
    whole_rim: float = 0.85  # visible share of its rim below which a samurai's error grows
    rim_error_mm: float = 0.25  # growth of that error per missing share
    tilt_error_mm: float = 0.1  # error of a leaning die's footprint
    enough_edge: float = 0.35  # visible share of its edge below which a piece's error grows
    hidden_error_mm: float = 4.0  # growth of that error per missing share
    fine_px_per_mm: float = 1.2  # minimum resolution for measuring rounded edges; below it the error grows
    coarse_error_mm: float = 1.0  # growth of that error
    max_blur_px: float = 0.95  # maximum blur of the fiducials' edges at which the edges' errors apply
    blur_error_mm: float = 2.0  # additional error per pixel of blur beyond it

    # Several pictures
    same_piece_mm: float = 5.0  # pieces of a kind and colour nearer than this in two pictures are one
    same_tilt_deg: float = 3.0
    min_rest_confidence: float = 0.5  # minimum mean confidence that one piece is on another

    # Drawing
    written_margin_mm: float = 5.0  # smaller margins are written next to the piece
    max_reason_letters: int = 32

    # Places of hidden dice
    hideout_cell_px: int = 2  # side of a grid cell, in pixels of the view from above
    hideout_border_cells: int = 10  # margin of the grid around that view: a piece high above the edge appears there
    hideout_step_mm: float = 3.5  # step between tried heights, from the table to the top of two dice
    max_unseen_mm2: float = 40.0  # maximum visible area of a hidden ball; three cells at its outline may be wrong
    ink_area_weight: float = 0.5  # weight of red or blue area: up to 75 mm2 may be the die's eye
    ball_overlap_mm: float = 2.5  # tolerated overlap of a ball with a piece: the errors of both places
    body_step_mm: float = 7.0  # distance between sampled points of a piece
    lower_mm: float = 2.0  # a surface further than this below the ball's surface would be hidden by the ball
    raised_fit_ratio: float = 1.3  # maximum residual of a die on another die, relative to the table; 14 dice: 1.04
    raised_rim_px: float = 0.21  # the rim of a samurai on a die appears this far inside: nothing shades it; 72 samurai
    raised_rim_sigma_px: float = 0.055  # standard deviation of this shift between cameras
    raised_sigmas: float = 3.0  # a samurai this many sigmas below a die's height is not on a die
    min_hidden_share: float = 0.1  # minimum hidden share of the ball for a piece that counts as hiding it


LIMITS = Limits()
