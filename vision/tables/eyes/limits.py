"""Thresholds of the reader for Eyes of the Emperor.

Values without a source were chosen by hand on drawn tables. Probabilities and shares are 0 to 1, lengths in mm. Sides
are those of the die in question. Sigmas are standard errors. Log odds are natural logarithms. A top is the upper face
of a piece.
"""

from dataclasses import dataclass

from companion.game.margin import TOO_CLOSE_SIGMAS


@dataclass(frozen=True, slots=True)
class Limits:
    """One line per threshold: name with unit, value, meaning and source."""

    tiny: float = 1e-9  # keeps divisors from 0

    # Used for many decisions of a kind: each decision bears a change by a third
    pose_mm: float = 0.15  # error of a fitted footprint: poses that differ by less are one
    contact_mm: float = 0.3  # error of a place that depends on a contact
    same_mm: float = 4.5  # a place nearer than this is the same; error of a contact that was not measured
    reach_mm: float = 8.0  # what is nearer than this to a piece may belong to it
    small_mm2: float = 9.0  # minimum area of a part of a piece
    large_mm2: float = 45.0  # minimum area of a part of a piece that is far from others
    touch_mm: float = 1.0  # pieces that seem this deep in each other may touch
    rim_mm: float = 2.0  # width of a rim with its rounding, wall and blur
    bare_mm: float = 0.5  # colour further than this from a disk is not the disk's
    max_slope: float = 0.5  # with a larger slope a piece would slide
    usual_slope: float = 0.12  # initial slope of a die on a rim a few mm high
    slope: float = 0.005  # slopes that differ by less count as equal
    level_deg: float = 1.0  # maximum tilt of a level piece
    same_tilt_deg: float = 5.0  # tilts that differ by less may be equal
    sigmas: float = TOO_CLOSE_SIGMAS  # a difference below this is open
    doubt_sigmas: float = 2.0  # a difference above this is doubted
    trace: float = 0.05  # a smaller share may be noise
    few: float = 0.12  # share of a circle that may be a rim, and of a rim that others cover
    fifth: float = 0.2  # share of a rim that shows if it fits closely; of an ink that varnish outshines
    some: float = 0.3  # share of a rim, outline or light at which a part of a piece counts as seen
    half: float = 0.5  # more than half of a rim, an outline, the light or the play area
    usual: float = 0.6  # share of a rim or of a die's edges: the piece is in full view
    most: float = 0.8  # share or probability: likely
    nearly_all: float = 0.9
    in_doubt: float = 0.5  # confidence of a piece, or of a die's face, that people are asked about
    outline_px: float = 2.0  # places nearer to another piece's outline belong to that piece

    # Shapes of pieces
    eye_half_width: float = 0.355  # of the printed eye, in sides; kit
    eye_half_height: float = 0.2  # in sides; kit
    eye_line: float = 0.026  # width of its line, in sides; kit
    iris_radius: float = 0.132  # in sides; kit
    flat_reach: float = 0.44  # flat part of a face, in sides from its middle; beyond it the face is rounded; kit
    face_samples: int = 25  # samples of a top or along a face, per axis

    # Errors
    covered_error_mm: float = 0.5  # additional error of a mostly covered piece, and of heights in a heap
    faint_error_mm: float = 1.0  # additional error of a piece with few votes, a strange rim or something on it
    ninja_error_mm: float = 2.0  # error of a samurai under a ninja

    # Samurai
    sure_votes: float = 0.4  # minimum votes for a sure circle, as a share of its rim; of 960 with more none was false
    min_crescent_px: float = 1.4  # minimum depth; thinner crescents are walls or blurred rims
    unsure_seen_mm: float = 2.0  # height error of a samurai on a doubtful one

    # Doubts about samurai
    min_oval_mm: float = 0.4  # minimum half difference of an oval rim's widths
    min_oval_sigmas: float = 4.9  # minimum of that difference in sigmas; eight of 982 level samurai exceed it
    oval_error_mm: float = 2.0  # error of the place of a samurai with an oval rim
    max_oval_outlier_px: float = 0.8  # measured rims further off hardly count
    oval_prior: tuple[float, ...] = (1e-6, 1e-6, 1e-4, 0.02, 0.02)  # weights of place, height and oval
    line_lead: float = 1.0  # of a crescent's rim, in sigmas: 12 of 13 pairs had 2.3, 35 of 36 others 0.7
    max_swaps: int = 2  # maximum pairs of one table that are swapped
    rim_weight: float = 180.0  # factor of a rim's mean square (pixels) in the log odds: samples have common errors
    fit_px: float = 0.06  # rims and outlines are known to this; closer matches are luck

    # Samurai that lean on dice
    clear_step: float = 0.1  # step in the square root of light that is certainly an edge
    die_sigma_mm: float = 0.5  # standard error of a fitted die's place, and of the contact with the ground
    loose_die_sigma_mm: float = 2.0  # standard error of the place of a die that may be partly hidden
    min_lean_cosine: float = 0.15  # 81 degrees
    max_lean_cosine: float = 0.96  # 16 degrees

    # Doubts about dice
    max_level_misfit: float = 1.0  # maximum residual in sigmas of a die that measures the room's light
    min_raised_px: float = 0.5  # a die with a larger residual is tried higher up
    fit_ratio: float = 1.3  # ratio of two residuals of a die's edges: a larger one decides; 14 dice on dice had 1.04
    max_edge_width_px: float = 2.0  # of a sharp edge: 3,057 pieces have 1.89 or less, blurred by 2 px 2 to 2.4
    blur_reach_px: float = 6.0  # length of the profiles across an outline
    blur_sectors: int = 4  # quarters of an outline; the most blurred one counts

    # Poses of dice
    max_pose_step_mm: float = 2.0  # after longer moves the edges are measured again
    lean_log_prior: float = 2.0  # cost of each of several leaning poses
    reference_noise: float = 4.0  # noise on paper for which the weights apply
    noise_power: float = 1.5  # power of the weights' decrease with noise
    patch_px: int = 64  # side of the picture around a die that the network gets; fixed by training
    patch_sides: float = 1.8  # width of that picture, in sides

    # Owner of an eye
    min_cosine: float = 0.05  # minimum cosine of faces that are searched for an eye (87 degrees)
    hue_weight: float = 100.0  # log odds of an ink per unit of the difference of a top's tints
    max_mirrored: float = 32.0  # ink looks white above; 1 / slope²: varnish mirrors at most an 80th of that

    # Oblique faces
    own_absorbed: float = 0.33  # share of its own colour's light that an ink absorbs; of other light it absorbs all
    kept_correlation: float = 8.0  # variance factor of the three channels
    min_side_sine: float = 0.5  # minimum horizontal part of a side's normal
    luma_correlation: float = 2.0  # variance factor, because neighbouring pixels have common errors
    coarse_share: float = 0.5  # factor of the log odds in a strongly compressed picture
    ground_order: int = 3  # polynomial order of the ground across the face
    min_oblique_pixels: int = 25
    eye_slide: float = 0.15  # step of four offsets in sides; the eye must fit better without any
    channel_weight: float = 3.5  # log odds of an ink per unit of those by the channels; 77 eyes on sides

    # Ninjas
    min_match: float = 0.72  # minimum correlation of a top with a pattern of pips
    rival_score: float = 0.1  # maximum difference of rival tops from the best score
    max_rivals: int = 5
    max_core: float = 1.2  # maximum area of the core of a die whose top is not recognised, in squares of its side
    max_ninja_length: float = 12.0  # maximum length of a dark part, in sides; longer parts are shadows or sleeves
    max_grey_hue: float = 0.65  # maximum relative difference of the channels; 252 labelled tops reach 0.56

    # The mat
    min_color_step: float = 0.13  # minimum difference of mat and piece, as a share of the piece's colour
    darkest_mat: float = 0.06  # minimum light of the mat relative to paper: ninjas are lost on darker mats
    max_specks: float = 0.025  # maximum share of red and blue specks; samples have at most 0.001

    # Margins
    measured_mm: float = 20.0  # pairs nearer than this are measured
    # for a samurai and a die: error that a fit's scatter does not show (shadows to one side, distortion of the lens)
    floor_mm: tuple[float, float] = (0.02, 0.08)
    fits_px: tuple[float, float] = (0.1, 0.65)  # residual of a good fit of a samurai, and of a die
    misfit_mm: tuple[float, float] = (0.7, 0.25)  # growth of both errors per pixel of residual beyond `fits_px`
    hidden_error_mm: float = 4.0  # growth of a piece's error per share of its edge that is missing
    fine_px_per_mm: float = 1.2  # minimum resolution for measuring rounded edges; below it the error grows
    blur_error_mm: float = 2.0  # additional error per pixel of blur beyond `max_blur_px`
    max_blur_px: float = 0.95  # maximum blur of the fiducials' edges at which the edges' errors apply

    # Drawing
    max_reason_letters: int = 32
    mm_per_cm: int = 10  # people read areas in cm2

    # Places of hidden dice
    hideout_cell_px: int = 2  # side of a grid cell, in pixels of the view from above
    hideout_border_cells: int = 10  # margin of the grid around that view: a piece high above the edge appears there
    ink_area_weight: float = 0.5  # weight of red or blue area: up to 75 mm2 may be the die's eye
    raised_rim_px: float = 0.21  # the rim of a samurai on a die appears this far inside: nothing shades it; 72 samurai


LIMITS = Limits()
