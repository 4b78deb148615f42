"""Thresholds of the reader for dice on photographs.

Chances, shares and heats are between 0 and 1; a heat is the finder's. Sides are those of the die's box (the root of its
area) or of its face. `bench fit dice` fits the weights of its two rules (models/dice_sure.json).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """One line per threshold: name with unit, value, meaning and source."""

    # Finder
    long_side_px: int = 640  # of the picture in the first look; dice of 11 to 170 px are found there
    min_heat: float = 0.22  # of a find
    min_coarse_px: float = 18.0  # side of a die in looks coarser than the first; finer looks see smaller ones better
    min_box_px: float = 20.0  # boxes with a side from this in a look ...
    max_box_px: float = 90.0  # ... to this are good; another box is taken from a look ...
    box_heat_share: float = 0.75  # ... with this share of the warmest look's heat ...
    best_box_px: float = 45.0  # ... that shows the die nearest to this side
    fine_scale: float = 0.75  # a picture shrunk below this scale gets a look twice as fine ...
    small_die_px: float = 15.0  # ... if its smallest die has a shorter side there, or none was found
    closer_scale: float = 4.0  # without dice: scale of a finer look at such a picture, relative to the first
    max_closer_finds: int = 2  # without dice: squares around this many of the warmest finds are searched ...
    closer_reach: float = 1.0  # ... up to this from the find's middle, in its sides ...
    max_closer_share: float = 0.6  # ... if the square is shorter than this share of the picture
    same_die_share: float = 0.45  # finds nearer than this share of the smaller side ...
    again_share: float = 0.25  # another look found the die if nearer than this share of its side ...
    min_seen_px: float = 15.0  # dice with sides from this in a look ...
    max_seen_px: float = 110.0  # ... to this should be found there; others only sometimes are

    # Faces
    clear_chance: float = 0.5  # of one face in every first look; then no further look is needed
    # root of heat times chance of a die, to go on after the first look, and after the second
    min_hope: tuple[float, float] = (0.25, 0.35)
    min_ink_range: float = 12.0  # grey levels; a second ink with a smaller range is not stretched to full contrast
    ink_spread_floor: float = 6.0  # grey levels added to an ink's spread: weak inks are mostly noise
    max_ink_spreads: float = 2.5  # inks are clipped at this many spreads from the die's mean colour
    # pixels of the picture per pixel of a crop: beyond these it is halved once, twice, three times
    halving_steps: tuple[float, float, float] = (1.6, 3.2, 6.4)

    # Surroundings
    open_log_odds: float = 3.0  # a find nearer to even than this is looked at mirrored too

    # Places of pips
    pip_sigma: float = 0.058  # Gaussian radius of a drawn pip, in sides of the face
    compared_reach: float = 0.41  # from the middle of a face, in its sides
    square_sides: float = 1.3  # width of the square that shows a face, in its sides
    square_px: int = 28  # pixels of that square, each way
    tried_turns_deg: tuple[int, ...] = (-12, -6, 0, 6, 12)  # of the drawn face
    tried_shifts: tuple[float, ...] = (-0.07, -0.035, 0.0, 0.035, 0.07)  # across and down, in sides of the face
    tried_sizes: tuple[float, float] = (0.95, 1.05)  # relative to the expected side
    tried_pip_steps: tuple[float, ...] = (0.2, 0.235, 0.27, 0.305)  # from pip to pip, in sides of the face
    min_ink_variance: float = 1e-3  # summed over a face; below it the ink is flat
    likeness_weight: float = 10.0  # of a correlation in the log odds of a value
    min_likeness: float = 0.45  # best correlation; below it the pips' places change no chance
    no_likeness: float = 0.4  # best correlation at or below this: the pips' places say nothing; ...
    full_likeness: float = 0.55  # ... at or above this they count in full
    full_lead: float = 0.08  # lead over the next face that counts in full
    max_guided_chance: float = 0.6  # a value below it is guided by the pips' places, at most up to it

    # Pose
    max_face_sine: float = 0.93  # a face turned away further counts as turned by this
    min_log_side: float = -0.9  # logarithm of a face's side over the box's, at least ...
    max_log_side: float = 0.3  # ... and at most
    min_slant_sine: float = 0.25  # ... if it is turned away by more than this; ...
    straight_weight: float = 0.3  # ... that reading has this weight
    # focal lengths in long sides of the picture, where the camera's is unknown
    tried_focals: tuple[float, ...] = (0.75, 1.2, 2.0, 3.0)
    same_way_deg: float = 20.0  # upper faces with a smaller angle between them look the same way up
    level_deg: float = 8.0  # angle to the other dice: up to this a die is level ...
    leaning_deg: float = 22.0  # ... and from this on it leans

    # Reader
    die_alone: float = 0.88  # minimum chance to accept a die alone, ...
    die_beside_one: float = 0.5  # ... with one neighbour of its size, ...
    die_in_group: float = 0.4  # ... and with several: dice thrown together are alike
    several_neighbours: float = 2.5  # ... and as several
    same_size_ratio: float = 1.5  # finds of one size differ by less than this factor
    context_heat: float = 0.6  # from this heat on the surroundings are looked at, even if the face readers see no die
    min_look_heat: float = 0.12  # heat of a look that should have found the die and did not
    # a find within another with a side below this share is its part, or the other is not a die
    part_ratio: float = 0.67
    min_value_chance: float = 0.2  # of the best value; below it none is reported
    unreadable_weight: float = 0.4  # of the chance that a die cannot be read, against a value's chance
    min_sure_chance: float = 0.7  # of a sure value by the face readers ...
    min_unsupported_chance: float = 0.9  # ... and of one without this support ...
    min_support: float = 0.5  # ... by the pips' places (-1 to 1)
    min_level: float = -0.9  # how well a die fits the others' direction (-1 to 1); below it, it may lean
    # correlation with the value's face for a sure value; 2 in 100 of 153 drawn dice have less
    min_face_likeness: float = 0.5
    contrary_weight: float = 0.5  # of pips that speak for another value: a wrong pose misleads them
    # chance that a die cannot be read: its pips count in full below the first value; above the second they count only
    # as far as other dice show that this one is level
    level_unreadable: float = 0.03
    leaning_unreadable: float = 0.10


LIMITS = Limits()
