"""Thresholds of the reader for dice on photographs.

Probabilities, shares and heats are 0 to 1; a heat is the finder's. A side is that of the die's box (the square root of
its area) or of its face. `bench fit dice` fits the weights of its two rules (models/dice_sure.json).
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """One line per threshold: name with unit, value, meaning and source."""

    # Networks, as they were trained
    multiple_px: int = 32  # sides of the finder's input are multiples of this: it halves five times
    unit_px: float = 32.0  # the finder answers logarithms of sizes in this unit
    crop_px: int = 64  # side of a crop
    crop_sides: float = 1.5  # side of a crop relative to the die's side (square root of its box's area)
    far_crops: float = 3.0  # side of the crop of a die's surroundings, in sides of the usual crop
    die_within: float = 0.27  # reach of the pixels that certainly show the die, from a crop's middle, in its sides

    # Finder
    min_heat: float = 0.22  # minimum heat of a detection
    # minimum side of a die in views coarser than the first; finer views see smaller dice better
    min_coarse_px: float = 18.0
    min_box_px: float = 20.0  # minimum side of a good box in a view
    max_box_px: float = 90.0  # maximum side of a good box in a view
    best_box_px: float = 45.0  # without a good box: preferred side in the chosen view
    # a picture shrunk below this scale gets a view twice as fine, if no die was found or one is too small for the first
    fine_scale: float = 0.75
    closer_scale: float = 4.0  # without dice: scale of a finer view of such a picture, relative to the first
    max_closer_finds: int = 2  # without dice: number of the warmest detections searched around
    closer_reach: float = 1.0  # reach of that search from the detection's middle, in its sides
    max_closer_share: float = 0.6  # maximum side of the searched square, as a share of the picture
    same_die_share: float = 0.45  # detections nearer than this share of the smaller side are the same die
    again_share: float = 0.25  # another view found the die if nearer than this share of its side
    min_seen_px: float = 15.0  # minimum side of a die that a view should show
    max_seen_px: float = 110.0  # maximum side of a die that a view should show

    # Faces
    clear_chance: float = 0.5  # minimum probability of a clear face, or of a die by its surroundings
    die_in_group: float = 0.5  # minimum probability to accept a die with a neighbour of its size
    min_support: float = 0.5  # minimum support by the pips' places (-1 to 1)
    min_face_likeness: float = 0.5  # of a sure value; 2 in 100 of 153 drawn dice have less
    # minimum square root of heat times probability of a die for a second look
    min_hope: float = 0.35
    # minimum range of a second ink in grey levels; a smaller range is not stretched to full contrast
    min_ink_range: float = 12.0
    ink_spread_floor: float = 6.0  # grey levels added to an ink's spread: weak inks are mostly noise
    max_ink_spreads: float = 2.5  # inks are clipped at this many spreads from the die's mean colour
    # pixels of the picture per pixel of a crop: beyond this it is halved, beyond twice as much again
    halved_from: float = 1.6

    # Places of pips
    pip_sigma: float = 0.058  # Gaussian radius of a drawn pip, in sides of the face
    compared_reach: float = 0.41  # compared part of a face, from its middle, in sides
    square_sides: float = 1.3  # width of the square that shows a face, in its sides
    square_px: int = 28  # pixels of that square, each way
    tried_turn_deg: float = 6.0  # step of the five angles tried for the drawn face
    tried_shift: float = 0.035  # step of the five places tried across and down, in sides of the face
    tried_sizes: tuple[float, float] = (0.95, 1.05)  # relative to the expected side
    tried_pip_steps: tuple[float, ...] = (0.2, 0.235, 0.27, 0.305)  # from pip to pip, in sides of the face
    likeness_weight: float = 10.0  # weight of a correlation in the log odds of a value
    min_likeness: float = 0.45  # minimum best correlation for the pips' places to change a probability
    min_clear_likeness: float = 0.5  # lowest correlation at which the pips' places count
    full_lead: float = 0.08  # lead over the next face at which it counts fully
    max_guided_chance: float = 0.6  # a value with a lower probability is raised by the pips' places, at most to this

    # Pose
    min_log_side: float = -0.9  # minimum logarithm of a face's side over the box's
    max_log_side: float = 0.3  # maximum logarithm of a face's side over the box's
    min_slant_sine: float = 0.25  # minimum tilt of a face that is also read straight on
    straight_weight: float = 0.3  # weight of that straight-on reading
    # focal lengths in long sides of the picture, where the camera's is unknown
    tried_focals: tuple[float, ...] = (0.75, 1.2, 2.0, 3.0)
    same_way_deg: float = 20.0  # upper faces within this angle count as parallel
    level_deg: float = 8.0  # maximum angle of a level die to the other dice
    leaning_deg: float = 22.0  # minimum angle of a leaning die to the other dice

    # Reader
    max_log_odds: float = 7.0  # maximum log odds of one kind of evidence: 1 in 1,100
    die_alone: float = 0.88  # minimum probability to accept a lone die
    # detections whose sides differ by less than this factor have one size; a smaller one within another is its part, or
    # the other is not a die
    same_size_ratio: float = 1.5
    context_heat: float = 0.6  # from this heat the surroundings are judged, even if the face readers see no die
    min_look_heat: float = 0.12  # heat assumed for a view that should have found the die but did not
    unreadable_weight: float = 0.4  # weight of the probability of an unreadable die against that of a value
    min_sure_chance: float = 0.7  # minimum probability of a sure value by the face readers
    min_unsupported_chance: float = 0.9  # minimum probability of a sure value without support by the pips' places
    # minimum agreement of a die with the others' direction (-1 to 1); below it the die may lean
    min_level: float = -0.9
    contrary_weight: float = 0.5  # weight of pips that contradict the value: a wrong pose misleads them
    level_unreadable: float = 0.03  # up to this probability of an unreadable die its pips count fully
    leaning_unreadable: float = 0.10  # ... above this they count only as far as other dice show that the die is level


LIMITS = Limits()
