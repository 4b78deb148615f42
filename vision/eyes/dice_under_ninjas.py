"""Empire dice under a ninja: it hides so much of the top that none was found, but white shows around it.

The ninja is found by its pips, as if it stood on the table. Its outline counted as white completes the top's square.
Then the die is fitted by the edges that the ninja leaves bare. These are few, and a shaded top is hard to tell from a
side: of 90 drawn dice under a ninja 64 are met within half a millimetre, six are off by two to four, three are not
found. So each of them is reported as unsure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from companion.readings import Kind
from vision.eyes.pieces import Detection, Shapes, is_in_die
from vision.eyes.platforms import Platform, stand_on_highest
from vision.eyes.raised_dice import UNCERTAIN
from vision.eyes.standing_dice import base_height_mm, stand_die
from vision.measure import bodies, cube_fit, white_squares
from vision.measure.bodies import Place, Solid, apart_mm
from vision.measure.colors import Colors
from vision.measure.components import components_of
from vision.measure.masks import erase_body, erase_fiducials, round_kernel
from vision.measure.prepared import STEP_MM, Floats, Mask, PreparedImage
from vision.measure.ridges import measure_ridges
from vision.measure.views import silhouette

DIRECTIONS, AROUND, LEAST_AROUND = 16, (0.75, 0.95), 0.15
"""At these distances round a ninja (in its sides) so much is white if a die bears it. So it was for all but two of 90
on dice, and for two of 993 in labelled scenes that stood elsewhere."""
LEAST_WHITE = 0.15
"""Unexplained white that touches a ninja must be this part of a die's top."""
TOUCHES_PX = 5
"""It touches the ninja if it is within half of this, in the view from above."""
REACH = 1.5
"""How far white that belongs to the die reaches from the ninja, in the die's sides."""
EDGE_DIRECTIONS = 4
"""The directions of edges to try: the ninja's own are among the strongest."""
ASIDE, STARTS = (0.35, 0.7), 3
"""Each square is also tried this far aside, in half sides, and fitted from the three likeliest places."""
RIDGE_MM2 = 25.0
"""A measured half edge outweighs so much unexplained white."""
LEAST_RIDGES, APART = 4, 1.4
"""A die shows so many half edges, and lies so many half sides from another one."""
MOST_WHITE_MM2 = 160.0
"""With more white beside it, it is no die: of 90 dice under a ninja one left more."""
KNOWN_MM = 1.5
"""The error of such a die: all but one lay within three times this."""


def find_dice_under_ninjas(
    image: PreparedImage, colors: Colors, shapes: Shapes, pieces: list[Detection], ninjas: list[Detection], count: int
) -> tuple[list[Detection], list[Detection]]:
    """Missed dice under ninjas, and all ninjas, those on these dice raised. `count`: how many dice the set has; where
    all were found, there are no others."""
    seen = sum(piece.kind is Kind.EMPIRE_DIE for piece in pieces)
    beside = [ninja for ninja in ninjas if ninja.value is not None and _has_white_around(image, colors, ninja)]
    if seen >= count or not beside:
        return [], ninjas
    white = colors.white.copy()
    for piece in [*pieces, *ninjas]:
        if piece.kind in (Kind.EMPIRE_DIE, Kind.NINJA):
            erase_body(image, white, piece.solid, piece.place)
    erase_fiducials(image, white)
    territories = [piece for piece in pieces if piece.kind is Kind.TERRITORY]
    dice: list[Detection] = []
    for ninja in beside:
        die = _under(image, colors, shapes, territories, white, ninja)
        if die is not None and all(
            apart_mm(die.place, other.place) > APART * die.solid.half_height_mm for other in dice
        ):
            dice.append(die)
    dice = dice[: count - seen]
    kept = [ninja for ninja in ninjas if ninja.value is not None or not is_in_die(_on_table_mm(image, ninja), dice)]
    return dice, _stood(image, dice, kept)


def _has_white_around(image: PreparedImage, colors: Colors, ninja: Detection) -> bool:
    turns = np.arange(DIRECTIONS) * (2 * np.pi / DIRECTIONS)
    ring = np.column_stack([np.cos(turns), np.sin(turns)]) * 2 * ninja.solid.half_height_mm
    at = image.to_grid(_seen_mm(image, ninja) + np.vstack([far * ring for far in AROUND]))
    height, width = colors.white.shape
    columns, rows = np.rint(at).astype(int).T
    return float((colors.white[rows.clip(0, height - 1), columns.clip(0, width - 1)] > 0).mean()) > LEAST_AROUND


def _seen_mm(image: PreparedImage, ninja: Detection) -> Floats:
    """Where the view from above shows the middle of a ninja's top."""
    x, y, z = ninja.place.middle_mm.tolist()
    return image.seen_at(np.array([x, y]), z + ninja.solid.half_height_mm)


def _on_table_mm(image: PreparedImage, ninja: Detection) -> Floats:
    """Its middle if it stands on the table."""
    return image.at_height(_seen_mm(image, ninja), 2 * ninja.solid.half_height_mm)


@dataclass(frozen=True, eq=False)
class DieUnderNinja:
    """A die by what a ninja leaves bare of it: a lower `cost` is likelier, `beside_mm2` is the white that it does not
    explain."""

    die: Detection
    image: PreparedImage
    cost: float
    beside_mm2: float
    ridges: float


def _under(
    image: PreparedImage, colors: Colors, shapes: Shapes, territories: list[Detection], white: Mask, ninja: Detection
) -> Detection | None:
    """The die under a ninja, if the white beside it belongs to one."""
    solid = shapes.empire_die
    side_mm = 2 * solid.half_height_mm
    bare = np.full_like(white, 255)
    erase_body(image, bare, ninja.solid, ninja.place)
    cap = np.asarray(cv2.bitwise_not(bare), np.uint8)
    mine = _touching(white, cap, round(REACH * side_mm / STEP_MM))
    if cv2.countNonZero(mine) * STEP_MM**2 < LEAST_WHITE * side_mm**2:
        return None
    whole = np.asarray(cv2.morphologyEx(mine | cap, cv2.MORPH_CLOSE, round_kernel(TOUCHES_PX)), np.uint8)
    low = white_squares.whiteness(colors, colors.red | colors.blue | cap, whole)
    seed = np.argwhere(whole > 0).mean(axis=0)
    tried = []
    for square in white_squares.squares_near(image, low, seed, side_mm, EDGE_DIRECTIONS):
        at = np.array([square.x_mm, square.y_mm])
        under_mm = base_height_mm(image.at_height(at, side_mm), territories)
        x, y = image.at_height(at, side_mm + under_mm)
        place = bodies.upright(x, y, side_mm / 2 + under_mm, square.angle_deg)
        starts = sorted(_aside(place, solid), key=lambda start: sum(_astray_mm2(image, solid, start, mine, cap)))
        tried += [_fit_what_is_bare(image, solid, start, ninja, mine, cap) for start in starts[:STARTS]]
    best = min(tried, key=lambda bared: bared.cost, default=None)
    if best is None or best.ridges < LEAST_RIDGES or best.beside_mm2 > MOST_WHITE_MM2:
        return None
    die = stand_die(best.image, best.die, territories)
    spread_mm = float(np.hypot(die.spread_mm, KNOWN_MM))
    return replace(die, spread_mm=spread_mm, confidence=min(die.confidence, UNCERTAIN), is_cube=True)


def _touching(white: Mask, cap: Mask, reach_px: int) -> Mask:
    """The parts of the white that touch a ninja, within reach."""
    left, top, width, height = cv2.boundingRect(cap)
    rows = slice(max(top - reach_px, 0), top + height + reach_px)
    columns = slice(max(left - reach_px, 0), left + width + reach_px)
    _, labels, _ = components_of(np.ascontiguousarray(white[rows, columns]))
    near = cv2.dilate(cap[rows, columns], round_kernel(TOUCHES_PX)) > 0
    mine = np.zeros_like(white)
    mine[rows, columns][np.isin(labels, np.setdiff1d(labels[near], [0]))] = 255
    return mine


def _aside(place: Place, solid: Solid) -> Iterator[Place]:
    """A level die's place and places beside it."""
    yield place
    for axis in (0, 1):
        for far in (*ASIDE, *(-far for far in ASIDE)):
            yield Place(place.middle_mm + far * solid.half_height_mm * place.axes[:, axis], place.axes)


def _fit_what_is_bare(
    image: PreparedImage, solid: Solid, start: Place, ninja: Detection, white: Mask, cap: Mask
) -> DieUnderNinja:
    """A die fitted from this start by what the ninja leaves bare."""
    die = Detection(Kind.EMPIRE_DIE, None, solid, bodies.Fit(start, np.eye(6), 0.0, 0.0, 1.0, 9.0))
    upon = _stood(image, [die], [ninja])[0]
    bared = replace(image, covers=(silhouette(image.view, upon.solid, upon.place).pixels,))
    fit = cube_fit.fit_cube(bared, solid, start)
    ridges = len(measure_ridges(bared, solid, [fit.place])[0]) * fit.coverage
    beside, lacking = _astray_mm2(image, solid, fit.place, white, cap)
    return DieUnderNinja(replace(die, fit=fit), bared, beside + lacking - RIDGE_MM2 * ridges, beside, ridges)


def _astray_mm2(image: PreparedImage, solid: Solid, place: Place, white: Mask, cap: Mask) -> tuple[float, float]:
    """How much of the white a die there does not explain, and how much of its top is neither white nor hidden."""
    corners = place.points(np.sign(solid.core_mm) * solid.half_height_mm)
    seen = np.round([image.to_grid(image.seen_at(corner[:2], float(corner[2]))) for corner in corners]).astype(np.int32)
    whole, top = np.zeros_like(white), np.zeros_like(white)
    cv2.fillConvexPoly(whole, cv2.convexHull(seen), 255)
    cv2.fillConvexPoly(top, cv2.convexHull(seen[corners[:, 2] > place.middle_mm[2]]), 255)
    beside, lacking = cv2.countNonZero(white & ~whole), cv2.countNonZero(top & ~(white | cap))
    return beside * STEP_MM**2, lacking * STEP_MM**2


def _stood(image: PreparedImage, dice: Sequence[Detection], ninjas: list[Detection]) -> list[Detection]:
    """The ninjas; those on these dice stand on them, where they are seen."""
    raised = [Platform.of(die) for die in dice]
    stood = []
    for ninja in ninjas:
        half_mm = ninja.solid.half_height_mm
        xy, base_mm = stand_on_highest(image, _seen_mm(image, ninja), 2 * half_mm, raised)
        if base_mm:
            place = Place(np.array([*xy, base_mm + half_mm]), ninja.place.axes)
            ninja = replace(ninja, fit=replace(ninja.fit, place=place))
        stood.append(ninja)
    return stood
