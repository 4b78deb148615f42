"""Thresholds of the rod reader.

`bench fit rods` fits the weights of its choices (models/rods_sure.json).
Values without a source were chosen by hand on drawn tables. Probabilities are 0 to 1, lengths in mm on the table.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """One line per threshold: name with unit, value, meaning and source."""

    # The network's picture
    cells_per_answer: int = 2  # cells of the view per answer of the network, along each side; fixed by training
    max_light: float = 1.2  # brighter light is cut off, paper = 1; fixed by training
    net_multiple_px: int = 16  # the network's input sides are multiples of this

    # Lengths
    wire_mm: float = 3.0  # step along a wire, error of its shape, length and place; kit: thickness of a wire
    half_tip_mm: float = 4.0  # reach of a tip's spot, and offset of a wire from its shape; kit: half of a tip
    tip_mm: float = 8.0  # spots and rods of one colour nearer than this are one; kit: length of a tip
    stretch_mm: float = 20.0  # a wire counts as its weakest stretch; a shorter rest of wire is not reported
    near_zone_mm: float = 30.0  # maximum distance of a rod's middle from its zone; half of it is between two zones
    die_shadow_mm: float = 26.0  # around the die's middle: its edges and shadow
    # around the stand's middle: hanging rods show a part inside it, and reach twice as far; kit: half of the stand
    stand_mm: float = 140.0

    # Probabilities and shares
    even_chance: float = 0.5  # as likely as not: a reported rod, a seen wire, a plain tip
    fair: float = 0.8  # of a plain tip, a known count, a wire from one tip; also most of a length
    sure_rod: float = 0.97  # minimum probability of a sure rod; by the stand no rod is sure
    plain: float = 0.99  # confidence in a sure rod, and in a die's colour without a rival
    one_more: float = 0.4  # of a tip or a piece of wire without a rod that may be of one more rod
    maybe_color: float = 0.2  # minimum share of a tip's possible colour, and plainness of a tip without a rod
    hardly: float = 0.1  # share of a spot, a bend or a mistaken colour below which it does not count
    rare: float = 0.02  # a less probable candidate or colour is left out

    # Wires between tips
    arc_shares: tuple[float, ...] = (0.1, 0.5, 1.0)  # possible shares of a wire's length that are bent
    max_bend_rad: float = 2.6
    min_chord: float = 0.62  # distance of the tips, as a share of the wire
    bowed_length: float = 1.005  # of a hanging wire that is not quite straight, in distances of its tips
    turn_step_rad: float = 0.04  # between the bends and directions that are tried from one tip
    turns: int = 4  # directions that are tried to either side of the tip's own
    quick_look_step: int = 5  # a quick check samples every fifth place
    max_candidates: int = 20  # tips of a colour, wires from one tip, clashing wires, most probable first
    max_log_odds: float = 5.0  # log odds of a feature are cut off here

    # Color die
    usual_steep: float = 3.0  # median slopes that count as half an edge
    plain_edges: float = 0.7  # contrast of the weakest of the four edges of a sure die
    core_radius: float = 0.3  # where the colour is measured, in sides around the top's middle
    min_saturation: float = 0.13  # of a face with a colour
    plain_lead: float = 1.5  # factor from that saturation for a plain colour, and from an overexposed channel


LIMITS = Limits()
