"""Empire dice that bear a ninja: it hides so much of a top that none was found, but white looks out around it.

The ninja is found by its pips, as if it stood on the table. Taken for a part of the white it makes a top's square whole
again; the die is fitted by those of its edges that the ninja leaves bare. Few are left, and a top in the ninja's shadow
is hard to tell from a side: of 90 drawn dice that bore a ninja 64 are met within half a millimetre and six are two to
four off. So each is in doubt. Three are not found.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from companion.readings import Kind
from vision.eyes import bodies, cubes, rims
from vision.eyes.bodies import Place, Solid, apart_mm, silhouette
from vision.eyes.color import Colors
from vision.eyes.foreign import disk, strike, without_fiducials
from vision.eyes.leaning import borne_mm, stand_die
from vision.eyes.parts import parts_of
from vision.eyes.pieces import Found, Shapes, is_in_die
from vision.eyes.raised import Raised, standing
from vision.eyes.ridges import measure_ridges
from vision.eyes.sight import STEP_MM, Floats, Mask, Sight
from vision.eyes.upheld import UNCERTAIN

DIRECTIONS, AROUND, LEAST_AROUND = 16, (0.75, 0.95), 0.15
"""Around a ninja that a die bears so much is white, so far from its middle, in its sides. Of 90 on dice all but two had
that much; of 993 in labelled scenes that stood elsewhere two."""
LEAST_WHITE = 0.15
"""White that touches a ninja and that no die explains is a part of this size of a die's top, at least."""
TOUCHES_PX = 5
"""It touches it no further from its outline in the view from above than half of this."""
REACH = 1.5
"""White is a die's no further from a ninja on it than this, in the die's sides."""
EDGE_DIRECTIONS = 4
"""So many directions of edges are tried: the ninja's own are among the likeliest."""
ASIDE, STARTS = (0.35, 0.7), 3
"""Each square is looked for so far aside as well, in half sides, and fitted from the likeliest of these places."""
RIDGE_MM2 = 25.0
"""An edge (a half of one) that is met where it should be outweighs so much white that is not explained."""
LEAST_RIDGES, APART = 4, 1.4
"""So many edges (halves) are met of what is a die, and so many half sides from another one."""
MOST_WHITE_MM2 = 160.0
"""More white beside it is no die's: of 90 dice that bore a ninja one left more."""
KNOWN_MM = 1.5
"""How well such a die is known: all but one lie within three times this."""


def find_bearing(
    sight: Sight, colors: Colors, shapes: Shapes, pieces: list[Found], ninjas: list[Found], count: int
) -> tuple[list[Found], list[Found]]:
    """Dice that bear ninjas and were not found, and all ninjas, those on these dice laid there. `count`: how many dice
    the set has; where all were found, there are no others."""
    seen = sum(piece.kind is Kind.EMPIRE_DIE for piece in pieces)
    beside = [ninja for ninja in ninjas if ninja.value is not None and _has_white_around(sight, colors, ninja)]
    if seen >= count or not beside:
        return [], ninjas
    white = colors.white.copy()
    for piece in [*pieces, *ninjas]:
        if piece.kind in (Kind.EMPIRE_DIE, Kind.NINJA):
            strike(sight, white, piece.solid, piece.place)
    without_fiducials(sight, white)
    territories = [piece for piece in pieces if piece.kind is Kind.TERRITORY]
    dice: list[Found] = []
    for ninja in beside:
        die = _under(sight, colors, shapes, territories, white, ninja)
        if die is not None and all(
            apart_mm(die.place, other.place) > APART * die.solid.half_height_mm for other in dice
        ):
            dice.append(die)
    dice = dice[: count - seen]
    kept = [ninja for ninja in ninjas if ninja.value is not None or not is_in_die(_on_table_mm(sight, ninja), dice)]
    return dice, _stood(sight, dice, kept)


def _has_white_around(sight: Sight, colors: Colors, ninja: Found) -> bool:
    turns = np.arange(DIRECTIONS) * (2 * np.pi / DIRECTIONS)
    ring = np.column_stack([np.cos(turns), np.sin(turns)]) * 2 * ninja.solid.half_height_mm
    at = sight.to_grid(_seen_mm(sight, ninja) + np.vstack([far * ring for far in AROUND]))
    height, width = colors.white.shape
    columns, rows = np.rint(at).astype(int).T
    return float((colors.white[rows.clip(0, height - 1), columns.clip(0, width - 1)] > 0).mean()) > LEAST_AROUND


def _seen_mm(sight: Sight, ninja: Found) -> Floats:
    """Where the view from above shows the middle of a ninja's top."""
    x, y, z = ninja.place.middle_mm.tolist()
    return sight.seen_at(np.array([x, y]), z + ninja.solid.half_height_mm)


def _on_table_mm(sight: Sight, ninja: Found) -> Floats:
    """Where it is if it stands on the table."""
    return sight.at_height(_seen_mm(sight, ninja), 2 * ninja.solid.half_height_mm)


@dataclass(frozen=True, eq=False)
class Bared:
    """A die by what a ninja leaves bare of it: `cost` is less for a likelier place, `beside_mm2` is the white that it
    does not explain."""

    die: Found
    sight: Sight
    cost: float
    beside_mm2: float
    ridges: float


def _under(
    sight: Sight, colors: Colors, shapes: Shapes, territories: list[Found], white: Mask, ninja: Found
) -> Found | None:
    """The die that a ninja stands on, where the white beside it is one's."""
    solid = shapes.empire_die
    side_mm = 2 * solid.half_height_mm
    bare = np.full_like(white, 255)
    strike(sight, bare, ninja.solid, ninja.place)
    cap = np.asarray(cv2.bitwise_not(bare), np.uint8)
    mine = _touching(white, cap, round(REACH * side_mm / STEP_MM))
    if cv2.countNonZero(mine) * STEP_MM**2 < LEAST_WHITE * side_mm**2:
        return None
    whole = np.asarray(cv2.morphologyEx(mine | cap, cv2.MORPH_CLOSE, disk(TOUCHES_PX)), np.uint8)
    low = cubes.whiteness(colors, colors.red | colors.blue | cap, whole)
    seed = np.argwhere(whole > 0).mean(axis=0)
    tried = []
    for square in cubes.squares_near(sight, low, seed, side_mm, EDGE_DIRECTIONS):
        at = np.array([square.x_mm, square.y_mm])
        under_mm = borne_mm(sight.at_height(at, side_mm), territories)
        x, y = sight.at_height(at, side_mm + under_mm)
        place = bodies.upright(x, y, side_mm / 2 + under_mm, square.angle_deg)
        starts = sorted(_aside(place, solid), key=lambda start: sum(_astray_mm2(sight, solid, start, mine, cap)))
        tried += [_bared(sight, solid, start, ninja, mine, cap) for start in starts[:STARTS]]
    best = min(tried, key=lambda bared: bared.cost, default=None)
    if best is None or best.ridges < LEAST_RIDGES or best.beside_mm2 > MOST_WHITE_MM2:
        return None
    die = stand_die(best.sight, best.die, territories)
    spread_mm = float(np.hypot(die.spread_mm, KNOWN_MM))
    return replace(die, spread_mm=spread_mm, confidence=min(die.confidence, UNCERTAIN), is_cube=True)


def _touching(white: Mask, cap: Mask, reach_px: int) -> Mask:
    """The parts of the white that touch a ninja, as far from it as that."""
    left, top, width, height = cv2.boundingRect(cap)
    rows = slice(max(top - reach_px, 0), top + height + reach_px)
    columns = slice(max(left - reach_px, 0), left + width + reach_px)
    _, labels, _ = parts_of(np.ascontiguousarray(white[rows, columns]))
    near = cv2.dilate(cap[rows, columns], disk(TOUCHES_PX)) > 0
    mine = np.zeros_like(white)
    mine[rows, columns][np.isin(labels, np.setdiff1d(labels[near], [0]))] = 255
    return mine


def _aside(place: Place, solid: Solid) -> Iterator[Place]:
    """A level die's place and places beside it."""
    yield place
    for axis in (0, 1):
        for far in (*ASIDE, *(-far for far in ASIDE)):
            yield Place(place.middle_mm + far * solid.half_height_mm * place.axes[:, axis], place.axes)


def _bared(sight: Sight, solid: Solid, start: Place, ninja: Found, white: Mask, cap: Mask) -> Bared:
    """A die fitted from there by what the ninja leaves bare."""
    die = Found(Kind.EMPIRE_DIE, None, solid, rims.Fit(start, np.eye(6), 0.0, 0.0, 1.0, 9.0))
    upon = _stood(sight, [die], [ninja])[0]
    bared = replace(sight, covers=(silhouette(sight.view, upon.solid, upon.place).pixels,))
    fit = cubes.fit_cube(bared, solid, start)
    ridges = len(measure_ridges(bared, solid, [fit.place])[0]) * fit.coverage
    beside, lacking = _astray_mm2(sight, solid, fit.place, white, cap)
    return Bared(replace(die, fit=fit), bared, beside + lacking - RIDGE_MM2 * ridges, beside, ridges)


def _astray_mm2(sight: Sight, solid: Solid, place: Place, white: Mask, cap: Mask) -> tuple[float, float]:
    """How much of the white a die there does not explain, and how much of its top is neither white nor hidden."""
    corners = place.points(np.sign(solid.core_mm) * solid.half_height_mm)
    seen = np.round([sight.to_grid(sight.seen_at(corner[:2], float(corner[2]))) for corner in corners]).astype(np.int32)
    whole, top = np.zeros_like(white), np.zeros_like(white)
    cv2.fillConvexPoly(whole, cv2.convexHull(seen), 255)
    cv2.fillConvexPoly(top, cv2.convexHull(seen[corners[:, 2] > place.middle_mm[2]]), 255)
    beside, lacking = cv2.countNonZero(white & ~whole), cv2.countNonZero(top & ~(white | cap))
    return beside * STEP_MM**2, lacking * STEP_MM**2


def _stood(sight: Sight, dice: Sequence[Found], ninjas: list[Found]) -> list[Found]:
    """The ninjas, those that these dice bear stood on them where they are seen."""
    raised = [Raised.of(die) for die in dice]
    stood = []
    for ninja in ninjas:
        half_mm = ninja.solid.half_height_mm
        xy, base_mm = standing(sight, _seen_mm(sight, ninja), 2 * half_mm, raised)
        if base_mm:
            place = Place(np.array([*xy, base_mm + half_mm]), ninja.place.axes)
            ninja = replace(ninja, fit=replace(ninja.fit, place=place))
        stood.append(ninja)
    return stood
