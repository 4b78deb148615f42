"""Thresholds of the reader for dice on photographs.

Probabilities, shares and heats are 0 to 1; a heat is the finder's. A side is that of the die's box (the square root of
its area) or of its face. `bench fit dice` fits the weights of its two rules (models/dice_sure.json).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """One line per threshold: name with unit, value, meaning and source."""

    # Finder
    long_side_px: int = 640  # long side of the picture in the first view, which finds dice of 11 to 170 px
    min_heat: float = 0.22  # minimum heat of a detection
    # minimum side of a die in views coarser than the first; finer views see smaller dice better
    min_coarse_px: float = 18.0
    min_box_px: float = 20.0  # a box with a side from this in a view ...
    max_box_px: float = 90.0  # ... to this is good; otherwise the box comes from a view ...
    box_heat_share: float = 0.75  # ... with this share of the highest heat ...
    best_box_px: float = 45.0  # ... with a side nearest to this
    fine_scale: float = 0.75  # a picture shrunk below this scale also gets a view twice as fine ...
    small_die_px: float = 15.0  # ... if its smallest die has a shorter side there, or no die was found
    closer_scale: float = 4.0  # without dice: scale of a finer view of such a picture, relative to the first
    max_closer_finds: int = 2  # without dice: number of the warmest detections whose surroundings are searched ...
    closer_reach: float = 1.0  # ... up to this distance from the detection's middle, in its sides ...
    max_closer_share: float = 0.6  # ... if the square is shorter than this share of the picture
    same_die_share: float = 0.45  # detections nearer than this share of the smaller side are the same die
    again_share: float = 0.25  # another view found the die if nearer than this share of its side
    min_seen_px: float = 15.0  # a die with a side from this in a view ...
    max_seen_px: float = 110.0  # ... to this should be found there; other dice only sometimes are

    # Faces
    clear_chance: float = 0.5  # minimum probability of one face in all first views for skipping the others
    # minimum square root of heat times probability of a die, after the first view and after the second
    min_hope: tuple[float, float] = (0.25, 0.35)
    # minimum range of a second ink in grey levels; a smaller range is not stretched to full contrast
    min_ink_range: float = 12.0
    ink_spread_floor: float = 6.0  # grey levels added to an ink's spread: weak inks are mostly noise
    max_ink_spreads: float = 2.5  # inks are clipped at this many spreads from the die's mean colour
    # pixels of the picture per pixel of a crop: beyond these it is halved once, twice, three times
    halving_steps: tuple[float, float, float] = (1.6, 3.2, 6.4)

    # Surroundings
    open_log_odds: float = 3.0  # a detection with log odds nearer to 0 also gets a mirrored view

    # Places of pips
    pip_sigma: float = 0.058  # Gaussian radius of a drawn pip, in sides of the face
    compared_reach: float = 0.41  # compared part of a face, from its middle, in sides
    square_sides: float = 1.3  # width of the square that shows a face, in its sides
    square_px: int = 28  # pixels of that square, each way
    tried_turns_deg: tuple[int, ...] = (-12, -6, 0, 6, 12)  # angles tried for the drawn face
    tried_shifts: tuple[float, ...] = (-0.07, -0.035, 0.0, 0.035, 0.07)  # across and down, in sides of the face
    tried_sizes: tuple[float, float] = (0.95, 1.05)  # relative to the expected side
    tried_pip_steps: tuple[float, ...] = (0.2, 0.235, 0.27, 0.305)  # from pip to pip, in sides of the face
    min_ink_variance: float = 1e-3  # minimum variance summed over a face; below it the ink is uniform
    likeness_weight: float = 10.0  # weight of a correlation in the log odds of a value
    min_likeness: float = 0.45  # minimum best correlation for the pips' places to change a probability
    no_likeness: float = 0.4  # at or below this best correlation the pips' places count nothing ...
    full_likeness: float = 0.55  # ... and at or above this fully
    full_lead: float = 0.08  # lead over the next face at which it counts fully
    max_guided_chance: float = 0.6  # a value with a lower probability is raised by the pips' places, at most to this

    # Pose
    max_face_sine: float = 0.93  # maximum sine of a face's tilt; larger tilts are limited to this
    min_log_side: float = -0.9  # logarithm of a face's side over the box's, at least ...
    max_log_side: float = 0.3  # ... and at most
    min_slant_sine: float = 0.25  # a face tilted more than this is also read straight on ...
    straight_weight: float = 0.3  # ... and that reading has this weight
    # focal lengths in long sides of the picture, where the camera's is unknown
    tried_focals: tuple[float, ...] = (0.75, 1.2, 2.0, 3.0)
    same_way_deg: float = 20.0  # upper faces within this angle count as parallel
    level_deg: float = 8.0  # angle to the other dice: up to this a die is level ...
    leaning_deg: float = 22.0  # ... and from this on the die leans

    # Reader
    die_alone: float = 0.88  # minimum probability to accept a lone die ...
    die_beside_one: float = 0.5  # ... a die with one neighbour of its size ...
    die_in_group: float = 0.4  # ... and a die with several: dice thrown together look alike
    several_neighbours: float = 2.5  # sum of the neighbours' probabilities that counts as several
    same_size_ratio: float = 1.5  # detections whose sides differ by less than this factor have one size
    context_heat: float = 0.6  # from this heat the surroundings are judged, even if the face readers see no die
    min_look_heat: float = 0.12  # heat assumed for a view that should have found the die but did not
    # a detection within another with a side below this share is its part, or the other is not a die
    part_ratio: float = 0.67
    min_value_chance: float = 0.2  # minimum probability of the best value; below it no value is reported
    unreadable_weight: float = 0.4  # weight of the probability of an unreadable die against that of a value
    min_sure_chance: float = 0.7  # minimum probability of a sure value by the face readers ...
    min_unsupported_chance: float = 0.9  # ... and of a sure value without support ...
    min_support: float = 0.5  # ... of at least this by the pips' places (-1 to 1)
    # minimum agreement of a die with the others' direction (-1 to 1); below it the die may lean
    min_level: float = -0.9
    # correlation with the value's face for a sure value; 2 in 100 of 153 drawn dice have less
    min_face_likeness: float = 0.5
    contrary_weight: float = 0.5  # weight of pips that contradict the value: a wrong pose misleads them
    level_unreadable: float = 0.03  # up to this probability of an unreadable die its pips count fully; ...
    leaning_unreadable: float = 0.10  # ... above this they count only as far as other dice show that the die is level


LIMITS = Limits()
