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

    # Tips
    spot_blur_mm: float = 1.6  # blur of the network's answer before spots are searched
    min_tip_gap_mm: float = 6.0  # minimum distance of two spots of one colour
    min_other_tip_gap_mm: float = 4.5  # minimum distance of two plain spots of different colours
    spot_radius_mm: float = 4.2  # answers this near to a spot's middle belong to it
    plain_color_share: float = 0.6  # share of a spot at which its colour is plain
    min_spot_share: float = 0.12  # minimum probability of a tip in a spot
    min_color_share: float = 0.05  # a colour with a smaller share of a spot is ignored

    # Wires between tips
    arc_shares: tuple[float, ...] = (0.08, 0.3, 0.55, 0.8, 1.0)  # possible shares of a wire's length that are bent
    max_bend_rad: float = 2.6
    min_chord: float = 0.62  # distance of the tips, as a share of the wire
    chord_slack_mm: float = 2.5  # error of that distance
    same_shape_mm: float = 1.8  # shapes that differ by less are the same
    wire_step_mm: float = 2.4  # distance between the sampled places of a wire
    # deviation of a wire from its shape, found cell by cell: notches, and wires on top of other rods
    max_wire_offset_mm: float = 4.2
    quick_look_step: int = 5  # a quick check samples every fifth place
    wire_window_mm: float = 20.0  # a wire counts as its weakest stretch of this length
    reach_step_rad: float = 0.035  # between the bends tried from one tip
    reach_bends: int = 60  # bends tried from one tip
    reach_turns: int = 4  # steps tried to either side of the tip's direction
    # stretch beyond the far tip where nothing of the wire may be seen, from and to
    beyond_tip_mm: tuple[float, float] = 8.0, 18.0
    hanging_percentile: int = 30  # percent of a hanging wire that may look flat: hanging rods cross flat ones
    max_reaching: int = 24  # wires from one tip that are checked closely
    min_turn_cosine: float = 0.6  # between a tip's direction and its wire, if the direction is sure
    sure_direction: float = 0.6  # minimum confidence of a sure direction of a tip
    turn_cost: float = 0.12  # cost of deviating by one cell per step

    # Candidates
    min_evidence_quick: float = 0.45  # minimum evidence for a wire in a quick check
    min_evidence: float = 0.55  # minimum evidence for a wire in a close check
    min_hung_chord: float = 0.4  # distance of a hanging rod's tips, in rod lengths
    max_hung_chord: float = 1.4  # distance of a hanging rod's tips, in rod lengths
    # lengths tried for a nearly straight wire, in distances of its tips
    straight_lengths: tuple[float, float] = (1.004, 1.04)
    hung_places: int = 40  # sampled places of a straight wire
    hang_radius_mm: float = 125.0  # around the stand's middle; a hanging rod shows a part inside it
    straight_chord: float = 0.94  # share of the wire beyond which the tips' distance is corrected
    tips_correction_mm: float = 3.5  # that correction; for a nearly straight wire it is 10 mm of its bend
    # distance of the wire's middle from the line between its tips, as a share of that line
    min_plain_bend: float = 0.12
    max_log_odds: float = 4.0  # log odds of a feature are cut off here
    max_tips: int = 20  # tips tried per colour, most probable first; a kit has eight rods
    min_tip_color: float = 0.15  # minimum share of a colour for a search of its wire
    min_reach: float = 0.8  # evidence for a wire with one visible tip

    # Choice among candidates
    same_wire_mm: float = 2.6  # maximum distance of two wires that are one
    max_shared: float = 0.75  # minimum share of their length at that distance
    min_chance: float = 0.02  # minimum probability of a candidate
    # if a kit's full number is found with this probability, no more rods of that colour are possible
    known_chance: float = 0.9
    own_wire_mm: float = 4.0  # wire this far from all other rods belongs to this rod
    max_choice_log_odds: float = 6.0  # log odds beyond this are cut off
    max_weighed: int = 14  # clashing candidates that are weighed against each other
    plain_single: float = 0.8  # minimum plainness of a lone tip that proves a rod
    out_of_reach_mm: float = 280.0  # minimum distance of that tip from the stand: no hanging rod reaches it
    max_flat_shape: float = 0.1  # above this probability of a flat rod's shape a hanging rod may have fallen
    rod_end_mm: float = 9.0  # spots this near to a reported rod's end belong to it
    spare_tip: float = 0.2  # minimum plainness of a tip that may belong to one more rod
    even_chance: float = 0.5  # as likely as not: a reported rod, a seen wire, a plain tip
    min_reaching_tip: float = 0.35  # minimum plainness of a tip for a search of wires from it
    min_unreported: float = 0.05  # minimum probability of a possible rod that is reported
    max_unreported: float = 0.49  # maximum probability of a possible further rod
    plain_tip_is_rod: float = 0.4  # probability that a plain tip without a wire, away from the stand, belongs to a rod
    min_possible_color: float = 0.25  # minimum share of a colour that a tip may have
    flat_odds: float = 0.02  # odds that a wire which seems to hang is flat; none of 106 fallen rods seemed to hang
    hung_reach_mm: float = 230.0  # around the stand's middle, where a lone tip may be of a hanging rod

    # Unexplained wire
    rod_width_mm: float = 10.0  # wire this near to a reported rod belongs to it
    die_shadow_mm: float = 26.0  # around the die's middle: its edges and shadow
    stand_radius_mm: float = 150.0  # around the stand's middle: its arm and hanging rods
    min_hanging: float = 0.4  # minimum probability of hanging, for wire within a hanging rod's reach
    min_rest_share: float = 0.3  # minimum length of unexplained wire, as a share of the rod's length
    min_rest_mm: float = 20.0  # minimum length of unexplained wire

    # Several pictures
    same_rod_mm: float = 7.0  # rods nearer than this in two pictures are one

    # Colour die
    die_turns: int = 12  # angles at which its square is searched
    die_step: int = 2  # cells between the places where edges are searched
    edge_share: float = 0.8  # of a side that shows as an edge: corners are round
    min_edges: float = 0.45  # contrast of the weakest of the four edges
    fair_edges: float = 0.6  # the same, for a die without rivals
    plain_edges: float = 0.7  # the same, for a sure die
    plain: float = 0.99  # confidence in a sure rod, and in a die's colour without a rival
    fair: float = 0.8  # confidence in a colour with a rival
    rival_apart: float = 0.75  # minimum distance of a rival square, in sides
    max_rival: float = 0.85  # share of the edges that a rival square may show: a mat's grain shows many
    core_radius: float = 0.3  # where the colour is measured, in sides around the top's middle
    clipped_share: float = 0.3  # overexposed share of a face above which its colour may be cut off
    clipped_factor: float = 1.4  # maximum factor for a cut-off channel: orange with its red cut off is yellow
    min_saturation: float = 0.13  # of a face with a colour
    pale_light: float = 0.5  # a colourless face is black unless it is brighter
    frame_radius: float = 0.45  # of a white frame, in sides around the top's middle
    max_framed_light: float = 0.8  # a colourless face with less of the frame's light is black, and shines
    plain_lead: float = 1.5  # factor from that saturation for a plainly coloured or plainly grey face
    max_hue_share: float = 0.42  # distance to a plain colour's hue, relative to the next colour's
    search_beyond_mm: float = 14.0  # around the die's place

    # Zones and counts
    near_zone_mm: float = 30.0  # maximum distance of a rod's middle from its zone
    between_zones_mm: float = 16.0  # maximum difference between two zones that may own a rod
    die_spots: float = 1.6  # in sides: spots this near to the die's middle belong to the die
    fiducial_margin_mm: float = 5.0  # spots this near to a fiducial belong to its paper
    min_inside: float = 0.85  # share of a rod inside its zone near the stand; hanging rods reach over it
    sure_rod: float = 0.97  # minimum probability of a sure rod; by the stand no rod is sure
    max_one_more: float = 0.1  # maximum probability of one more rod of a colour whose count is sure
    piece_is_rod: float = 0.3  # probability that a piece of wire is one more rod


LIMITS = Limits()
