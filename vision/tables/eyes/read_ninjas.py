"""Ninjas as detections: on what bears them or on the rim that they lean on, unclear values confirmed or dropped.

A ninja that leans on a disk's rim shows its pips like a standing one, but its value does not count. It is first taken
to stand, up to three millimetres from its place. Over the rim it must lean. Beside it the wall that it turns up toward
the disk tells: a strip of the picture that would show the ground if the ninja stood.
"""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from calibration.pose import Pose
from companion.game.readings import Kind
from vision.measure import bodies, white_squares
from vision.measure.bodies import Place, Solid, apart_mm, depth_in_disk
from vision.measure.colors import Colors
from vision.measure.edges import profiles
from vision.measure.masks import dark_or_foreign, erase_body
from vision.measure.prepared import Floats, PreparedImage
from vision.measure.views import Outline, View, silhouette
from vision.photo.dice.face import FaceReader, Halved
from vision.photo.dice.find import Found
from vision.readers import Picture
from vision.tables.eyes import ninjas, support
from vision.tables.eyes.die_poses import WAYS, Rest, underside_of
from vision.tables.eyes.ninjas import BESIDE, Top
from vision.tables.eyes.pieces import (
    Detection,
    Platform,
    Shapes,
    is_above,
    is_in_die,
    radius_mm,
    stand_on_highest,
    unexplained_white,
)

OUTSIDE_MM = 0.5
"""A ninja with its middle so far beside a disk may lean on its rim."""
CLEAR_PIPS, TWO_MORE = 0.87, 0.07
"""Pips with a better correlation need no second opinion, and a two with one better by so much more: a one's pip and
one of a wall or of the die beside it look like a two, at up to 0.935 ..."""
LEAST_CHANCE = 0.4
"""... others count only if the dice reader gives their value at least this chance: of 64 right ones below 0.95 all had
0.48 or more, two wrong twos 0.36 and 0."""
BEARS_DEG = 8.0
"""What leans more bears no level ninja, and how one lies on its rim is not known."""
WALLS = 0.72 * np.column_stack([np.cos(np.arange(24) * np.pi / 12), np.sin(np.arange(24) * np.pi / 12)])
LEAST_WALLS = 0.15
"""At these places round a whited top (in sides) so much is black."""
UNCLEAR = "its pips are not clear"


def read_ninjas(image: PreparedImage, colors: Colors, shapes: Shapes, pieces: list[Detection]) -> list[Detection]:
    foreign = dark_or_foreign(image, colors)
    dice = [piece for piece in pieces if piece.kind is Kind.EMPIRE_DIE]
    for die in dice:
        erase_body(image, foreign, die.solid, die.place)
    raised = [Platform.of(piece) for piece in pieces if piece.tilt_deg < BEARS_DEG]
    found = []
    side_mm = 2 * shapes.ninja.half_height_mm
    tops = ninjas.find_ninjas(image, colors, foreign, shapes.ninja, raised)
    for top in tops + _whited(image, colors, shapes.ninja, raised, dice, tops):
        at = image.at_height(top.seen_mm(image, side_mm), side_mm)
        if top.value is None and is_in_die(at, dice):
            continue  # a die's own shadow: nothing stands in a die
        fit = bodies.Fit(top.place(shapes.ninja), np.diag([0.1, 0.1, 1.0, 0.1, 0.1, 0.01]), 1.0, 1.0, 1.0, 0.0)
        ninja = Detection(
            Kind.NINJA, "black", shapes.ninja, fit, value=top.value, confidence=top.score, reason=top.reason
        )
        found.append(_leaned(image, ninja, [p for p in pieces if p.solid.is_round and p.tilt_deg < BEARS_DEG]))
    return found


def _whited(
    image: PreparedImage, colors: Colors, solid: Solid, raised: list[Platform], dice: list[Detection], tops: list[Top]
) -> list[Top]:
    """Ninjas whose tops a mirrored lamp makes white: white squares of their size with black walls beside them."""
    side_mm = 2 * solid.half_height_mm
    white = unexplained_white(image, colors, dice)
    whited = []
    for square in white_squares.find_squares(image, replace(colors, white=white), side_mm):
        seen = np.array([square.x_mm, square.y_mm])
        (x, y), base_mm = stand_on_highest(image, seen, side_mm, raised)
        top = Top(float(x), float(y), square.angle_deg, None, ninjas.UNREAD_CONFIDENCE, ninjas.UNREADABLE, base_mm)
        last = np.array(white.shape[::-1])[:, None] - 1
        columns, rows = np.rint(image.to_grid(seen + WALLS * side_mm)).astype(int).T.clip(0, last)
        has_walls = (colors.black[rows, columns] > 0).mean() > LEAST_WALLS
        if has_walls and all(top.apart_mm(other) > BESIDE * side_mm for other in tops):
            whited.append(top)
    return whited


def _leaned(image: PreparedImage, ninja: Detection, disks: list[Detection]) -> Detection:
    """A ninja, laid on the rim that it leans on if it does: then its value does not count."""
    for disk in disks:
        if is_above(ninja, disk) or not _is_outside(ninja, disk):
            continue
        place = lean_on_rim(image, ninja.solid, ninja.place, disk, disks)
        if place is not None:
            return replace(ninja, fit=replace(ninja.fit, place=place), value=None, reason=LEANING)
    return ninja


def die_at(pose: Pose, xy_mm: tuple[float, float], angle_deg: float, side_mm: float, base_mm: float = 0.0) -> Found:
    """Where a picture shows a level die that stands `base_mm` above the table, as the finder would tell it."""
    angle = np.radians(angle_deg)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    half = side_mm / 2
    below = np.array([(u, v) for u in (-half, half) for v in (-half, half)]) @ turn.T + xy_mm
    corners = np.array([(x, y, base_mm + z) for x, y in below for z in (0.0, side_mm)])
    low, high = (edge(pose.to_pixels(corners), 0) for edge in (np.min, np.max))
    x, y = (low + high) / 2
    width, height = high - low
    return Found(float(x), float(y), float(width), float(height), 1.0)


def confirm_values(picture: Picture, pose: Pose, found: list[Detection], faces: FaceReader) -> list[Detection]:
    """The ninjas, without unclear values that the dice reader does not confirm, and without unclear ones that stand in
    a clear one: what lies between two dice may look like a die."""
    side_mm = 2 * found[0].solid.half_height_mm if found else 0.0
    least = [CLEAR_PIPS + TWO_MORE * (ninja.value == 2) for ninja in found]
    unclear = [k for k, ninja in enumerate(found) if ninja.value is not None and ninja.confidence < least[k]]
    places = [found[k].place for k in unclear]
    boxes = [
        die_at(pose, (x, y), place.angle_deg, side_mm, z - side_mm / 2)
        for place in places
        for x, y, z in [place.middle_mm.tolist()]
    ]
    kept = list(found)
    for k, chances in zip(unclear, faces.look(Halved(picture), boxes), strict=True):
        if chances[kept[k].value or 0] < LEAST_CHANCE:
            sure = found[k].confidence if found[k].confidence >= CLEAR_PIPS else ninjas.UNREAD_CONFIDENCE
            kept[k] = replace(kept[k], value=None, confidence=sure, reason=UNCLEAR)
    clear = [ninja for ninja in kept if ninja.value is not None]
    return [
        n
        for n in kept
        if n.reason != UNCLEAR
        or n.confidence >= CLEAR_PIPS
        or all(apart_mm(n.place, o.place) > BESIDE * side_mm for o in clear)
    ]


def _is_outside(ninja: Detection, disk: Detection) -> bool:
    """Whether the middle of a ninja lies beside a disk: it cannot stand on it."""
    return apart_mm(ninja.place, disk.place) > radius_mm(disk) + OUTSIDE_MM


OVER_MM, BESIDE_MM = 0.15, 1.2
"""A ninja that seems to reach further over a rim than the first leans on it; one that seems to stand further beside it
than the second does not. Of 122 labelled ninjas beside rims none that stood was seen over one by more than 0.01, and
one that leaned was further away."""
UPTURNED = 0.14
"""Between these, a leaning outline must be a clearer edge than the standing one by this (root of light), where it lies
further out: it was for 7 of 9 that leaned and for 1 of 9 that stood."""
OUT_PX = 1.5
"""How far outside of the other one outline must lie to be compared."""
LEAST_SAMPLES = 4
"""The least number of such samples of each."""
AROUND_MM = 25.0
"""Disks whose rims are nearer may carry it."""
START_MM = 1.5
"""A leaning die starts so far over the rim."""
STEEPEST = 0.6
"""The steepest slope: a small die on a samurai leans more than a large one."""
LEANING = "it leans on the rim of a disk"
ROUNDS, SAME_TOP_PX = 3, 1.0
"""The rounds that bring the top to where it is seen, and how near it must come."""
INSIDE_PX, OUTSIDE_PX, MOST_STEP = (1.0, 2.0), (1.0, 2.0), 0.3
"""An edge is the step between means over these distances; it counts up to this."""


def lean_on_rim(
    image: PreparedImage, solid: Solid, flat: Place, disk: Detection, disks: list[Detection]
) -> Place | None:
    """How a ninja that seems to stand at `flat` leans on a disk's rim; None if it stands. `disks`: all lying ones."""
    middle, radius = disk.place.middle_mm[:2], radius_mm(disk)
    over_mm = depth_in_disk(solid, flat, middle, radius)
    if over_mm < -BESIDE_MM:
        return None
    standing = _Edge(image, solid, flat)
    near = [each for each in disks if apart_mm(each.place, flat) < radius_mm(each) + AROUND_MM]
    rest = Rest(middle, radius, [support.support_of(each.solid, each.place) for each in near])
    leaning = [_Edge(image, solid, place) for place in _leaning(image.view, solid, flat, rest, over_mm)]
    if over_mm <= OVER_MM and max((_upturned(each, standing) for each in leaning), default=0.0) <= UPTURNED:
        return None
    return max(leaning, key=lambda edge: float(edge.steps.mean())).place if leaning else None


class _Edge:
    """The outline of a die at a place, and how much brighter it is just outside of it than inside (N,)."""

    def __init__(self, image: PreparedImage, solid: Solid, place: Place) -> None:
        self.place = place
        self.outline: Outline = silhouette(image.view, solid, place, spacing_px=1.0)
        along, lights = profiles(image.light, self.outline.pixels, self.outline.normals, OUTSIDE_PX[1])
        root = np.sqrt(lights)
        inside, outside = (
            root[:, (sign * along >= near) & (sign * along <= far)].mean(axis=1).max(axis=1)
            for sign, (near, far) in ((-1, INSIDE_PX), (1, OUTSIDE_PX))
        )
        self.steps: Floats = np.clip(outside - inside, -MOST_STEP, MOST_STEP)

    def brighter_than(self, other: _Edge, by_px: float) -> Floats:
        """The steps where this outline lies so far outside the other one, or inside where `by_px` is negative."""
        polygon = other.outline.pixels.astype(np.float32)
        far = np.array([-cv2.pointPolygonTest(polygon, at, True) for at in self.outline.pixels.tolist()])
        return np.asarray(self.steps[far > by_px] if by_px > 0 else self.steps[far < by_px])


def _upturned(leaning: _Edge, standing: _Edge) -> float:
    """How much clearer a leaning die's outline is than a standing one's, where it lies further out."""
    mine, others = leaning.brighter_than(standing, OUT_PX), standing.brighter_than(leaning, -OUT_PX)
    if min(len(mine), len(others)) < LEAST_SAMPLES:
        return 0.0
    return float(mine.mean() - others.mean())


def _leaning(view: View, solid: Solid, flat: Place, rest: Rest, over_mm: float) -> list[Place]:
    """The ways to lean on a rim that show the top's middle where the standing one shows it."""
    toward = rest.disk_middle - flat.middle_mm[:2]
    toward = toward / max(float(np.hypot(*toward)), 1e-9)
    start = Place(flat.middle_mm + np.append(toward * max(START_MM - over_mm, 0.0), 0.0), flat.axes)
    sought = _top_px(view, solid, flat)
    found = []
    for way in range(WAYS):
        place: Place | None = start
        for _ in range(ROUNDS):
            under = underside_of(solid, place, way, rest, STEEPEST) if place is not None else None
            place = None if under is None or place is None else _shown_at(view, solid, place, under, sought)
        if place is not None and float(np.hypot(*(_top_px(view, solid, place) - sought))) < SAME_TOP_PX:
            found.append(place)
    return found


def _shown_at(view: View, solid: Solid, place: Place, under: support.Underside, sought: Floats) -> Place:
    """A die laid on an underside, moved on the table until its top's middle is seen there."""
    laid = support.place_on(place, solid, under)
    top = laid.middle_mm + support.up_axis(laid) * solid.half_height_mm
    at, right, down = view.to_pixels(top + np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]))
    step = np.linalg.solve(np.column_stack([right - at, down - at]), sought - at)
    return Place(laid.middle_mm + np.append(step, 0.0), laid.axes)


def _top_px(view: View, solid: Solid, place: Place) -> Floats:
    """Where the middle of a die's top is seen."""
    return np.asarray(view.to_pixels((place.middle_mm + support.up_axis(place) * solid.half_height_mm)[None])[0])
