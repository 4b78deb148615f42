"""Thresholds of the reader for Eyes of the Emperor.

Values without a source were chosen by hand on drawn tables. Chances and shares are between 0 and 1, lengths in mm.
Sides are those of the die in question. Sigmas are standard errors. Log odds are natural logarithms. A top is the
upper face of a piece.
"""

from __future__ import annotations

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
    max_hole: float = 0.15  # maximum hole in the white of a die without an eye, as a share of an iris
    leaning_error_mm: float = 3.0  # minimum error of two pieces that seem to overlap: they lean on each other
    max_into_die_mm: float = 1.0  # overlap of a disk with a die; beyond it one of them leans
    leaning_disk_error_mm: float = 0.25  # added error of a samurai that leans on a die
    leaning_disk_confidence: float = 0.8  # that it leans
    same_level_mm: float = 0.5  # a piece at most this much lower than a top does not lean on its rim
    min_from_die_mm: float = 7.0  # distance of any other piece's middle from a die's: half a ninja is broader
    max_shared_mm2: float = 3.0  # common footprint of two pieces that are not on each other
    same_disk_mm: float = 4.0  # two flat disks of a colour nearer than this are two rims of one

    # Detection
    hiding_reach_mm: float = 60.0  # a piece further from a die hides none of its sides
    max_level_misfit: float = 1.0  # edges' residual, in sigmas, of a die that shows the room's light

    # Samurai
    min_crescent_mm2: float = 40.0  # area of a crescent that is a samurai under others ...
    min_crescent_rim: float = 0.06  # ... with this share of a rim ...
    crescent_error_mm: float = 0.3  # ... and this error
    min_crescent_px: float = 1.4  # depth; thinner ones are walls or blurred rims
    blurred_rim_px: float = 0.75  # pixels this near to a found disk are its blurred rim
    subpixel_bits: int = 4  # disks are drawn to this power of two of a pixel
    unseen_error_mm: float = 0.6  # of a samurai on another one that was not found
    unseen_confidence: float = 0.7  # of the same
    min_shaded_rim: float = 0.3  # share of a rim seen as a step of brightness; of 156 false circles none had more
    vote_reach_mm: float = 8.0  # distance between a circle's votes and its rim
    min_votes: float = 0.12  # of a circle, as a share of a whole rim's
    faint_votes: float = 0.2  # with fewer only the rim on its own colour counts
    min_rim_few_votes: float = 0.33  # visible rim of a circle with fewer votes than ...
    many_votes: float = 0.4  # ... this
    min_rim_many_votes: float = 0.12  # visible rim of a circle with more
    min_close_rim: float = 0.18  # share of a rim that suffices ...
    close_rim_px: float = 0.3  # ... this near to a circle; all 11 such of 1,070 circles were samurai
    seen_confidence: float = 0.98  # of a circle with many votes; of 960 such none was false
    few_votes_error_mm: float = 1.2  # error of one with fewer; measured on ten of seven cameras
    close_circles_mm: float = 14.0  # two circles nearer than this must both show rims of their own

    # Shaded samurai
    shaded_offsets_mm: tuple[float, ...] = (4.0, 7.0, 10.0, 14.0)  # tried beyond the middle of the upper samurai
    shaded_reach_mm: float = 8.0  # distance of the unexplained colour from that samurai's rim
    min_shaded_coverage: float = 0.16  # visible share of the whole rim
    max_shaded_residual_px: float = 0.7
    min_bare_rim: float = 0.6  # visible share of the rim that is not covered
    min_hidden_rim: float = 0.15  # share of the rim that others cover
    own_circle_mm: float = 7.0  # a circle nearer to a disk of its colour is that disk's
    min_under_mm: float = 3.0  # depth under the upper samurai
    max_foreign: float = 0.1  # share of the bare part in another colour
    min_explained: float = 0.8  # share of the unexplained colour
    shaded_error_mm: float = 0.5
    shaded_confidence: float = 0.6
    shaded_blur_px: float = 1.5  # blur of the view from above

    # Slivers of hidden samurai
    min_sliver_mm2: float = 9.0  # of 33 such parts on drawn heaps 30 were missed samurai
    sliver_reach_mm: float = 8.0  # distance from the rim of the samurai on top
    sliver_confidence: float = 0.5  # people are asked if it decides something
    near_best_share: float = 0.9  # places that explain this part of the best one's are possible too
    min_sliver_error_mm: float = 1.0
    max_sliver_error_mm: float = 5.0  # beyond it the place is unknown
    other_samurai_mm: float = 5.0  # minimum distance from known ones of its colour: nearer slivers may belong to them

    # Doubts about samurai
    min_rise_mm: float = 6.0  # a samurai that seems this much higher than its level ...
    min_rise_sigmas: float = 2.7  # ... by this many sigmas ...
    min_rise_rim: float = 0.6  # ... with this much clear rim may be on a hidden die; false for 2 in 100
    min_oval_mm: float = 0.4  # half difference of an oval rim's widths ...
    min_oval_sigmas: float = 4.9  # ... in sigmas; eight of 982 level samurai exceed it
    oval_error_mm: float = 2.0  # error of such a samurai's place
    max_oval_outlier_px: float = 0.8
    # weights of place, height and oval where little rim shows (normal matrix, a mm)
    oval_prior: tuple[float, ...] = (1e-6, 1e-6, 1e-4, 0.02, 0.02)
    max_level_disk_deg: float = 1.0  # beyond it a samurai looks oval because it leans
    min_alone: float = 1.5  # distance to another samurai of its colour, in radii, of one with its own rim
    wall_reach_mm: float = 1.6  # outside a rim, where its lit wall ends
    beyond_step_px: float = 2.0
    min_beyond_mm: float = 8.0  # length of own colour beyond the rim of an unsure samurai
    other_outline_px: float = 2.0  # places nearer to another piece's outline belong to that piece
    line_search_mm: float = 8.0  # search for another rim outside a rim ...
    line_step_mm: float = 0.4  # ... in these steps ...
    line_range_mm: tuple[float, float] = (2.2, 6.8)  # ... nearer is its own wall and shadow, further another samurai
    line_half_width_mm: float = 1.2  # a rim's line is darker than both sides at this distance ...
    min_line_log: float = 0.05  # ... by this (logarithm)
    line_samples: int = 5  # neighbours along a rim that are averaged
    open_height_mm: float = 2.0  # half a samurai's height, open where the lower one is unsure
    min_order: float = 0.7  # confidence in which of two samurai is the lower one
    heap_height_mm: float = 0.7  # error of the height of any samurai on another
    max_rim_chi2: float = 40.0  # of a samurai's rim against its place ...
    min_amiss_rim: float = 0.5  # ... with this much clear rim; beyond it the samurai is placed otherwise
    amiss_height_mm: float = 8.0  # error of its height: two samurai
    amiss_aside_mm: float = 1.0  # error of its place
    min_corner_mm2: float = 6.0  # pale area ...
    corner_reach_mm: float = 5.0  # ... this near to a samurai's rim ...
    corner_brightness: float = 1.4  # ... brighter than the mat by this is a hidden die's corner; seven of eight were
    die_blur_px: int = 2  # around a found die in the view from above

    # Stacks
    touch_mm: float = 0.15  # disks further apart, before they are stacked, do not touch
    crescent_under: float = 0.85  # chance that a crescent is under the samurai that covers its middle
    # minimum lead of its own rim, in sigmas: 12 of 13 such pairs had 2.3, one of 36 others more than 0.7
    min_crescent_lead: float = 1.5
    bare_mm: float = 0.5  # distance outside a third samurai without its influence
    covered_weight: float = 0.3  # of the colour where nothing is bare: both orders are tried
    even_confidence: float = 0.51  # maximum for a pair without a visible rim across
    little_rim: float = 0.3  # with less of its rim a samurai stays near its crescent
    rim_weight: float = 180.0  # of a whole rim's mean square (pixels) in the log odds: its samples err together
    min_swap_lead: float = 0.4  # log odds for the other order
    open_order: float = 0.9  # below this confidence both orders are tried
    min_order_gain: float = 0.02  # more rim (shares summed) for the other order
    order_gain_slope: float = 0.6  # more for a confidence of one above even
    closer_weight: float = 0.5  # of log(misfit before / after), times the visible share of the rim
    min_misfit_px: float = 0.05  # a closer match is luck
    same_stack_mm: float = 0.1  # places nearer than this are the same
    settled_rim_mm: float = 0.15  # a disk has settled if its underside moves less at its rim
    settled_radius_mm: float = 15.0  # radius that counts as its rim
    max_swaps: int = 3  # pairs of one table in the other order
    footprint_sigma_mm: float = 0.14  # standard error of a footprint that contradicts a pose
    rival_share: float = 0.35  # of the difference to the other pose that stays open near a rim
    lean_rim_weight: float = 0.5  # of the rim where a leaning samurai may be flat
    beside_range_mm: tuple[float, float] = (-1.5, 0.3)  # margins of a samurai that may be on a rim
    upon_range_mm: tuple[float, float] = (-20.0, 0.9)  # margins of a leaning one that may be flat
    max_short_mm: float = 0.4  # a samurai on a rim may be measured this far outside it

    # Samurai that lean on dice
    top_border: float = 0.43  # of a die's top, in sides from its middle
    min_redness: float = 0.35  # of a samurai
    min_blueness: float = 0.2  # of a samurai
    min_border_hidden: float = 0.1  # coloured share of the top's border under a leaning samurai
    lean_directions: int = 24  # tried all around
    lean_slopes_deg: tuple[int, ...] = (24, 33, 42, 51, 60, 69, 78)
    lean_aside_mm: tuple[int, ...] = (-20, -15, -10, -5, 0, 5, 10, 15, 20)
    lean_ring_points: int = 28  # of an outline for each trial
    lean_inside_mm: float = 1.8  # sample distance inside the rim
    lean_outside_mm: float = 1.5  # sample distance outside it
    clear_step: float = 0.1  # of the root of light that is surely an edge
    min_lean_outline: float = 0.42  # visible share of an outline
    lean_rounds: int = 6  # steps of a fit
    lean_starts: int = 4  # starts of fits ...
    lost_starts: int = 4  # ... and further ones that may be lost
    ground_sigma_mm: float = 0.6  # of the contact with the ground
    die_sigma_mm: float = 0.5  # of a fitted die's place
    loose_die_sigma_mm: float = 2.0  # of a die that may be half hidden
    min_lean_coverage: float = 0.45
    max_lean_residual_px: float = 1.6
    min_lean_cosine: float = 0.15  # 81 degrees
    max_lean_cosine: float = 0.96  # 16 degrees
    open_die_mm: float = 4.0  # error of a half hidden die where it shows no edge
    plane_sigma_mm: float = 0.7  # of its place by a disk's plane
    max_leaning: int = 2  # samurai searched on one die
    same_lean_mm: float = 4.0  # disks with middles and upper ends nearer than this are tried once
    same_leaning_disk_mm: float = 15.0  # nearer than this they are one
    upper_end_mm: float = 20.0  # along a disk's axis, where disks of different slopes are apart
    ground_away_mm: float = 20.0  # of a disk's lower edge before the corner that it leans on
    bared_error_mm: float = 0.3  # added error of a die under leaning samurai
    half_hidden_error_mm: float = 0.8  # added error of a die that shows little
    max_half_hidden_px: float = 1.5  # residual of its visible edges
    leaning_near_mm: float = 16.0  # a flat samurai nearer to a die may be one that leans on it

    # Doubts about dice
    corner_inside: float = 0.85  # sample places of a top, in half sides: inside its corners, ...
    corner_outside: float = 1.32  # ... beyond them, ...
    middle_ring: float = 0.62  # ... and around its middle; ink seldom covers half of these
    missing_of_top: float = 0.6  # a corner is missing below this share of the top's light ...
    missing_of_outside: float = 1.25  # ... and this share of the light beyond
    max_missing_corners: int = 1  # one may be in a shadow
    min_right_edges: float = 0.58  # share of a die's edges where a cube's would be
    max_level_die_deg: float = 0.5  # beyond it a die was fitted with its support
    unsure_die_mm: float = 1.0  # one with a larger error is not judged again
    min_raised_residual: float = 0.45  # sigmas; beyond it the edges are tried higher up ...
    max_raised_ratio: float = 0.7  # ... where the residual must fall by this factor ...
    min_raised_gain: float = 0.2  # ... and its square by this
    white_reach_mm: float = 9.0  # search for white around a die
    min_other_white_mm2: float = 10.0  # area that belongs to another die
    max_common_mm2: float = 4.0  # table shared with a die; beyond it one is elsewhere
    uncertain_face: float = 0.5  # confidence of the face of a die with an unknown support
    set_up_mm: float = 19.0  # near a territory's middle the white next to a die is the die below (Instructions 2)
    blur_reach_px: float = 6.0
    blur_spacing_px: float = 4.0
    blur_sectors: int = 4  # the most blurred quarter of an outline counts: a spot may cover a part only
    blur_sharpest: int = 4  # its sharpest quarter of profiles, because shade makes an edge look wide
    min_profiles: int = 3  # in a sector
    min_profile_contrast: float = 0.06  # 1: full scale
    blur_error_per_px: float = 0.6  # of a blurred piece, per px of its edge's width
    pip_directions: int = 24
    touching_mm: float = 1.5  # error of a ninja's middle: it overlaps a die by at most this

    # Poses of dice
    max_die_slope: float = 0.34  # on a rim of a few mm
    max_pose_steps: int = 5
    settled_step_mm: float = 0.1  # a shorter step is the last
    max_pose_step_mm: float = 1.5  # longer moves measure the edges again
    max_pose_turn: float = 0.12  # the same, radians
    tilt_base_mm: float = 0.15  # length over which tilt is related to place
    max_halvings: int = 3  # of a step that would part the die from its rim
    meets_mm: float = 0.4  # start of a leaning die over its rim
    same_start_slope: float = 0.004  # poses with starts this close end as one
    max_poses: int = 6
    same_slope: float = 0.004  # poses this close are one
    same_pose_mm: float = 0.1
    promising_steps: int = 2  # after these a pose is dropped ...
    hopeless_px2: float = 5.0  # ... if its mean square exceeds the best one's by this
    stands_beside_mm: float = 4.5  # a die further from a rim is next to it
    die_footprint_sigma_mm: float = 0.157  # standard error of a footprint that contradicts a pose
    max_footprint_log_odds: float = 14.0
    min_lean_overlap_mm: float = 0.2  # of a leaning die with its rim: rims are round
    outline_weight: float = 1.1  # of outlines in the log likelihood
    foot_weight: float = 1.3  # of edges on the table
    max_edge_sigmas: float = 2.5  # an edge further off says little more
    on_land_mm: float = 5.0  # a die with its middle this far inside a rim is on the territory
    nearly_on_land_mm: float = 3.0  # with its middle this far outside it may be
    lean_log_prior: float = 2.0  # against each of several leaning poses
    reference_noise: float = 4.5  # paper noise for which the weights hold ...
    noise_power: float = 1.5  # ... and the power of their decrease
    one_pose_slope: float = 0.012  # poses whose slopes differ by less are one
    hopeless_log_odds: float = 16.0  # poses this much worse are not weighed by their faces
    same_height_mm: float = 0.05  # a die fitted this near to a height is not fitted again
    min_pose_chance: float = 1e-4  # relative to the best pose
    min_pose_share: float = 5e-4  # of a kept pose: no picture excludes a possible one

    # Owner of an eye
    face_cells: int = 28  # samples of a face, each way
    min_hue_cosine: float = 0.12  # of a face whose hue counts (83 degrees)
    min_top_tint: float = 0.03  # of an iris on a top, beyond its surroundings
    min_side_tint: float = 0.045  # of an iris on a side
    min_dip: float = 0.05  # loss of light in ink whose hue glare washes out
    faint_dip: float = 0.02
    saturated: float = 0.92  # share of the camera's range; an eye may be hidden under a lamp ...
    max_dull_cells: int = 16  # ... if at most this many cells of the middle are darker
    max_tinge: float = 0.09  # tint of a top by coarse compression, without loss of light
    max_other_ink: float = 0.5  # the other colour's figure, relative to the ink's
    face_middle: float = 0.84  # inner part of a face that is sampled, in sides
    min_oblique_cosine: float = 0.05  # of faces that are searched for an eye (87 degrees)
    # (share of light absorbed, sigmas) of an eye on a side; 1 of 2,919 sides without an eye has it
    side_rules: tuple[tuple[float, float], tuple[float, float]] = ((0.35, 2.5), (0.2, 4.0))
    confirmed_share: float = 0.3  # absorbed light that suffices if the hue speaks for an eye
    top_share: float = 0.04  # absorbed light on a top, where glare may leave little
    top_sigmas: float = 8.0
    cover_px: float = 2.0  # cells nearer to a covering piece are left out
    max_side_hidden: float = 0.03  # share of a side that is looked at
    lamp_factor: float = 1.4  # a lamp is this much further from the vertical than walls and edges show
    mirror_reach: float = 0.45  # distance (in slopes) of a possible mirrored lamp; 64 labelled ones were within 0.41
    wider_px: float = 0.075  # tops that hide an eye are seen wider to each side; 31 path-traced tops
    too_bright: float = 0.4  # saturated share of a die's edges
    same_lamp: float = 0.1  # maximum distance (in slopes) of two dice that mirror one lamp

    # Sides seen edge-on
    min_edge_on_cosine: float = 0.02  # 89 degrees
    max_edge_on_cosine: float = 0.12  # 83 degrees
    # in all ways of weighing; 2 false of 4,000 sides without an eye, none of 1,470 with one
    sure_ink_log_odds: float = 6.0
    min_ink_log_odds: float = 2.0  # against a colour found otherwise
    edge_on_sigmas: float = 0.5  # missing light in the eye's shape, in every way of weighing ...
    edge_on_middle_sigmas: float = 1.9  # ... and in the middle one
    # missing share of light, from and to; more than all is not an eye
    edge_on_shares: tuple[float, float] = (0.05, 1.4)
    edge_on_motley: float = 0.1  # change of the table's colour before the foot that needs one more way
    edge_on_tints: tuple[float, ...] = (0.1, 0.4, 0.7, 0.95)  # shares of a side's light that the table may colour
    drawn_tint: int = 2  # index of the one for the eye's shape
    edge_on_subsamples: int = 4  # drawn points per pixel, each way
    edge_on_points: int = 240  # drawn points of the face, each way
    edge_on_margin_px: int = 8  # around the side
    min_edge_on_middle: float = 0.18  # half length of the weighed part of a side, in sides
    min_edge_on_pixels: int = 30
    edge_on_ridge: float = 1e-5  # terms closer than this share count as one
    min_edge_on_term: float = 1e-3
    drawn_absorption: float = 0.3  # of the drawn inks
    max_absorption: float = 1.5  # of ink, as a share of the light
    min_edge_light: float = 0.02  # of a bare edge, as a share of the picture's range
    max_edge_light: float = 1.2
    ink_light: float = 0.0005  # that ink leaves

    # Oblique faces
    luma_correlation: float = 2.0  # variance factor: neighbouring pixels err together
    chroma_correlation: float = 4.0  # the same for colour, kept at half the resolution
    min_color_weight: float = 1e-12
    faded: float = 0.7  # share of its colour that an oblique ink shows, because it mirrors the table
    faded_spread: float = 0.2
    kept_correlation: float = 8.0  # variance factor of the three channels
    kept_spread: float = 0.07  # scatter by a share of the absorbed light
    kept_floor: float = 0.04  # scatter of each channel
    kept_common: float = 0.2  # scatter of all channels together
    min_seen: float = 0.2  # share of an ink's absorption that a mirroring side shows
    max_seen: float = 1.0
    oblique_subsamples: int = 4  # drawn points per pixel, each way
    oblique_blur_px: float = 0.75  # of the camera, standard deviation
    oblique_reach: float = 0.44  # weighed part of a face, in sides from its middle; beyond it is round
    oblique_rim_px: float = 0.7  # left out at its upper and lower ends
    ground_order: int = 3  # of the ground across the face
    min_oblique_pixels: int = 25
    min_light_error: float = 0.003  # paper = 1
    max_side_sine: float = 0.6  # a face is a side if its normal is this level
    oblique_motley: float = 0.15  # change of the table's blue or red beyond green: a rim or a piece
    eye_slides: tuple[float, ...] = (-0.3, -0.15, 0.15, 0.3)  # in sides; the eye must fit better in the middle
    gram_floor: float = 1e-9  # terms closer than this share count as one
    oblique_sigmas: float = 3.0  # of a thing whose colour is weighed
    oblique_share: float = 0.03  # its minimum absorption
    sure_color_log_odds: float = 2.3  # of a sure colour, with doubled variances ...
    sure_channel_log_odds: float = 1.5  # ... and by the channels, with eightfold variances, ...
    agreeing_log_odds: float = 1.3  # ... or this if both agree; of 712 eyes on sides none is false, the worst at 1.23
    coarse_log_odds: float = 5.0  # by the channels in a coarse picture; false ones reach 4.3
    max_ink_chi2: float = 9.0  # distance from both inks' colours (two figures)

    # Ninjas
    min_ninja_gap: float = 0.94  # between middles of adjacent ninjas, in sides
    more_pips_bonus: float = 0.02  # per pip: a two's pip looks like a one
    one_handicap: float = 0.08  # lead that a one needs
    min_coarse_match: float = 0.62  # of a pattern on coarse cells
    coarse_cell: int = 2  # in cells
    coarse_turn_deg: float = 9.0
    fine_turn_deg: float = 4.5
    rival_score: float = 0.1  # maximum distance of rival tops from the best score ...
    max_rivals: int = 5
    rival_gap: float = 0.3  # ... and their minimum distance, in sides
    min_top_match: float = 0.74  # correlation of a die's top
    min_value_match: float = 0.74  # correlation of a reported value
    top_astray_mm: float = 2.6  # distance of a top from its rough place
    glance_astray_mm: float = 4.5  # the same from the middle of a pale one
    min_dark: float = 0.33  # share of its top's area that a ninja leaves dark or strange
    max_ninja_length: float = 12.0  # in sides; longer things are shadows or sleeves
    max_heap: int = 30  # ninjas that may touch in one heap
    same_ninja_mm: float = 3.0  # tops nearer than this are one die's
    min_pip_light: float = 0.33  # above its surroundings, as a share of paper (root of light); 0.6 is usual
    dark_reach: float = 1.3  # search around a dark region, in sides: if the top mirrors the room, only walls are dark
    dark_reach_px: int = 6  # distance of a top's middle from dark pixels
    search_gap: float = 0.72  # between tops, in sides: where they are searched, ...
    kept_gap: float = 0.7  # ... where they are kept ...
    room_gap: float = 0.8  # ... and where they are not recognised
    faint_match: float = 0.72  # correlation of pips on a top that mirrors a lamp
    faint_one_match: float = 0.9  # the same for a one ...
    faint_one_mm: float = 3.5  # ... this near to the middle
    min_value_lead: float = 0.07
    min_one_lead: float = 0.1  # a one may look like a two with a wall's pip
    inner_top: float = 0.78  # compared part of a pale top, in sides
    pip_brightness: float = 0.3  # minimum share of paper of pips or a mirrored lamp
    body_brightness: float = 0.1  # maximum share of paper of a ninja's body
    unread_confidence: float = 0.5  # of a ninja without a readable value
    ninja_core_mm: float = 3.6  # radius of an unrecognised die's core
    max_grey_hue: float = 0.65  # difference of the channels of black and white; 252 labelled tops reach 0.56 ...
    dim_light: float = 0.03  # ... below this light hues do not count ...
    grey_share: float = 0.75  # ... and this share of the top counts

    # Values and leaning ninjas
    ninja_outside_mm: float = 0.5  # a ninja with its middle this far outside a disk may lean on its rim
    clear_pips: float = 0.87  # correlation without a second opinion
    two_more: float = 0.07  # more for a two: a one and a wall's pip look like it, up to 0.935
    min_dice_chance: float = 0.4  # by the dice reader; 64 right values had 0.48 or more, two wrong ones 0.36 and 0
    max_bearing_deg: float = 8.0  # tilt of a piece that may carry a level ninja
    min_black_walls: float = 0.15  # black share around a whited top
    over_rim_mm: float = 0.15  # a ninja further over a rim leans on it; none of 122 standing ones was over by 0.01
    beside_rim_mm: float = 1.2  # one further outside does not
    # more contrast (root of light) of a leaning outline: 7 of 9 leaning, 1 of 9 standing
    min_upturned_edge: float = 0.14
    min_outline_gap_px: float = 1.5  # between the two outlines where they are compared
    min_outline_samples: int = 4  # of each
    carrying_mm: float = 25.0  # disks with rims this near may carry it
    ninja_start_mm: float = 1.5  # start of a leaning ninja over the rim
    ninja_rounds: int = 3  # that bring the top to its seen place
    same_top_px: float = 1.0  # tolerance of that place
    edge_inside_px: tuple[float, float] = (1.0, 2.0)  # means inside an edge
    edge_outside_px: tuple[float, float] = (1.0, 2.0)  # means outside it
    max_edge_step: float = 0.3  # a larger step counts as this

    # Supports
    max_slope: float = 0.6  # beyond it a piece would slide (31 degrees)
    rim_step_mm: float = 1.2  # between samples of rims that may touch
    usual_slope: float = 0.12  # of a die on a rim of a few mm
    slope_rounds: int = 3
    slope_tolerance: float = 2e-3
    support_rounds: int = 2  # a tilted body's underside is not below its middle, so the tilt is found again

    # Strange things
    hiding_radius_mm: float = 16.5  # a thing that holds this disk may hide a samurai; 143 clean tables reach 8
    land_wall_mm: float = 3.0  # beyond its rim, where a territory's wall shows
    eye_reach: float = 0.36  # of an eye's ink from a top's middle, in sides
    flat_reach: float = 0.43  # of a top, in sides; beyond it is round
    samurai_rim_mm: float = 2.0  # of its top, left out
    min_bare_top: float = 0.1  # share of a top that is judged
    white_percentile: int = 75  # of a top's places, for its white
    dull_light: float = 0.6  # a place with less of that light is not the die's ...
    tinted_light: float = 0.3  # ... nor one whose channels differ by more than this share
    max_strange: float = 0.04  # share of a top; of 290 dice and 365 samurai none had more than 0.02
    covered_confidence: float = 0.5
    strange_outline_px: float = 3.0  # nearer to another piece's outline colours mix

    # The mat
    max_color_share: float = 0.75  # of the play area; pieces never cover more than a tenth
    min_color_step: float = 0.13  # between mat and piece, as a share of the piece's colour; the least sample has 0.22
    darkest_mat: float = 0.06  # light as a share of paper's: ninjas are lost on darker mats; samples have 0.18 to 0.40
    palest_mat: float = 0.87  # empire dice are lost on paler ones
    max_specks: float = 0.025  # share of red and blue specks; samples have at most 0.001
    full_scale: float = 0.9  # of the mat's light, where paler pieces saturate
    swapped_tint: float = 0.03  # green beyond the darkest channel; tells swapped channels
    territory_core: float = 0.9  # share of a territory's radius where its colour is taken

    # Margins
    max_other_side: float = 0.003  # share of a mixture on the other side of the rim; more is too close to call ...
    asked_factor: float = 1.02  # ... by this factor
    min_margin_mm: float = 0.12  # nearer to the rim is too close to call
    max_margin_error_mm: float = 0.35  # a larger error is too close to call
    half_normal: float = 0.6  # standard deviation of a normal distribution cut off at its middle
    measured_mm: float = 20.0  # pairs nearer than this are measured
    max_misfit_px: float = 1.0  # residual that adds to an error
    whole_rim: float = 0.85  # share of its rim below which a samurai's error ...
    rim_error_mm: float = 0.25  # ... grows by this per share
    tilt_error_mm: float = 0.1  # of a leaning die's footprint
    enough_edge: float = 0.35  # share of its edge below which a piece's error ...
    hidden_error_mm: float = 4.0  # ... grows by this per share
    fine_px_per_mm: float = 1.2  # resolution at which rounded edges are measured; below it the error ...
    coarse_error_mm: float = 1.0  # ... grows by this
    max_blur_px: float = 0.95  # blur of the fiducials' edges; up to it the edge figures hold ...
    blur_error_mm: float = 2.0  # ... and the error per pixel more

    # Several pictures
    same_piece_mm: float = 5.0  # pieces of a kind and colour nearer than this in two pictures are one
    same_tilt_deg: float = 3.0
    min_rest_confidence: float = 0.5  # mean confidence that one piece is on another

    # Drawing
    written_margin_mm: float = 5.0  # margins nearer to the rim are written next to the piece
    max_reason_letters: int = 32

    # Places of hidden dice
    hideout_cell_px: int = 2  # side of a grid cell, in pixels of the view from above
    hideout_border_cells: int = 10  # of the grid beyond that view: a piece high above the edge is seen there
    hideout_step_mm: float = 3.5  # between tried heights, from the table to the top of two dice
    hideout_bits: int = 4  # outlines are drawn to this power of two of a cell
    max_unseen_mm2: float = 40.0  # visible area of a hidden ball; three cells at its outline may be wrong
    ink_area_weight: float = 0.5  # of red or blue area: up to 75 mm2 of it may be the die's eye
    ball_overlap_mm: float = 2.5  # of a ball with a piece: the errors of both places
    body_step_mm: float = 7.0  # between sampled points of a piece that a ball may meet
    lower_mm: float = 2.0  # a surface more than this below the ball's is hidden by it
    raised_fit_ratio: float = 1.3  # residual of a die's edges on a die, over that on the table; 14 upper dice: 1.04
    raised_rim_px: float = 0.21  # rim of a samurai on a die, seen further in: nothing shades it; 72 on nine cameras
    raised_rim_sigma_px: float = 0.055  # the same, standard deviation between cameras
    raised_sigmas: float = 3.0  # below a samurai on a die, where none is excluded
    min_hidden_share: float = 0.1  # of the ball, for a piece that is named as hiding it

    # Table before oblique faces
    # before the foot of a side, where the table's colour is taken
    foot_distances_mm: tuple[float, ...] = (2.0, 4.0, 6.0, 9.0)


LIMITS = Limits()
