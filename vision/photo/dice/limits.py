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
    face_turns: int = 4  # a face repeats after a quarter turn: the pose network answers four times its turn
    die_within: float = 0.27  # reach of the pixels that certainly show the die, from a crop's middle, in its sides

    # Finder
    coarser_views: int = 6  # the first half as long as the whole picture, each further 1.4 times shorter
    min_heat: float = 0.22  # minimum heat of a detection; a view that should have found a die but did not has this
    # minimum side of a die in views coarser than the first; finer views see smaller dice better
    min_coarse_px: float = 18.0
    min_box_px: float = 20.0  # minimum side of a good box in a view
    max_box_px: float = 90.0  # maximum side of a good box in a view
    best_box_px: float = 45.0  # without a good box: preferred side in the chosen view
    # a picture shrunk below this scale gets a view twice as fine, if no die was found or one is too small for the first
    fine_scale: float = 0.75
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
    ink_spread_floor: float = 6.0  # grey levels added to an ink's spread: weak inks are mostly noise
    max_ink_spreads: float = 2.5  # inks are clipped at this many spreads from the die's mean colour
    # pixels of the picture per pixel of a crop: beyond this it is halved, beyond twice as much again
    halved_from: float = 1.6

    # Places of pips
    compared_reach: float = 0.41  # compared part of a face, from its middle, in sides
    tried_shift: float = 0.035  # step of the five places tried across and down, in sides of the face
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
    level_deg: float = 8.0  # maximum angle of a level die to the other dice
    leaning_deg: float = 22.0  # minimum angle of a leaning die to the other dice; below it they count as parallel

    # Reader
    # minimum probability without other evidence: of a lone die, and of a sure value without support by the pips' places
    alone_chance: float = 0.9
    # from this probability of an unreadable die its pips count only as far as other dice show that the die is level
    leaning_unreadable: float = 0.10
    max_log_odds: float = 7.0  # maximum log odds of one kind of evidence: 1 in 1,100
    # detections whose sides differ by less than this factor have one size; a smaller one within another is its part, or
    # the other is not a die
    same_size_ratio: float = 1.5
    context_heat: float = 0.5  # from this heat the surroundings are judged, even if the face readers see no die
    min_sure_chance: float = 0.7  # minimum probability of a sure value by the face readers
    contrary_weight: float = 0.5  # weight of pips that contradict the value: a wrong pose misleads them


LIMITS = Limits()
