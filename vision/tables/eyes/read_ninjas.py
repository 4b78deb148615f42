"""Ninjas as detections: on their support or leaning on a rim; unclear values are confirmed or dropped.

A ninja that leans on a disk's rim shows its pips like an upright ninja, but its value does not count. It is first
assumed to be upright, which puts it up to three millimetres from its place. If this place is over the rim, the ninja
must lean. Otherwise the wall that it turns up toward the disk decides: a strip of the picture that would show the
ground if the ninja were upright.
"""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from calibration.pose import Pose
from companion.game.readings import Kind
from vision.measure import bodies, white_squares
from vision.measure.bodies import Place, Silhouette, Solid, View, apart_mm, depth_in_disk, silhouette, unit
from vision.measure.colors import Colors, dark_or_foreign, erase_body
from vision.measure.edges import profiles
from vision.measure.prepared import Floats, PreparedImage
from vision.photo.dice.face import FaceReader, Halved
from vision.photo.dice.find import Found
from vision.readers import Picture
from vision.tables.eyes import ninjas, support
from vision.tables.eyes.die_poses import Rest, underside_of
from vision.tables.eyes.limits import LIMITS
from vision.tables.eyes.ninjas import Top
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

WALLS = 0.72 * np.column_stack([np.cos(bodies.turns(24)), np.sin(bodies.turns(24))])
UNCLEAR = "its pips are not clear"


def read_ninjas(image: PreparedImage, colors: Colors, shapes: Shapes, pieces: list[Detection]) -> list[Detection]:
    foreign = dark_or_foreign(image, colors)
    dice = [piece for piece in pieces if piece.kind is Kind.EMPIRE_DIE]
    for die in dice:
        erase_body(image, foreign, die.solid, die.place)
    raised = [Platform.of(piece) for piece in pieces if piece.tilt_deg < LIMITS.max_bearing_deg]
    found = []
    side_mm = 2 * shapes.ninja.half_height_mm
    tops = ninjas.find_ninjas(image, colors, foreign, shapes.ninja, raised)
    for top in tops + _whited(image, colors, shapes.ninja, raised, dice, tops):
        at = image.at_height(top.seen_mm(image, side_mm), side_mm)
        if top.value is None and is_in_die(at, dice):
            continue  # a die's own shadow: no ninja can be inside a die
        fit = bodies.Fit(top.place(shapes.ninja), np.diag([0.1, 0.1, 1.0, 0.1, 0.1, 0.01]), 1.0, 1.0, 1.0, 0.0)
        ninja = Detection(
            Kind.NINJA, "black", shapes.ninja, fit, value=top.value, confidence=top.score, reason=top.reason
        )
        found.append(
            _leaned(image, ninja, [p for p in pieces if p.solid.is_round and p.tilt_deg < LIMITS.max_bearing_deg])
        )
    return found


def _whited(
    image: PreparedImage, colors: Colors, solid: Solid, raised: list[Platform], dice: list[Detection], tops: list[Top]
) -> list[Top]:
    """Ninjas whose top a mirrored lamp makes white: white squares of their size next to black walls."""
    side_mm = 2 * solid.half_height_mm
    white = unexplained_white(image, colors, dice)
    whited = []
    for square in white_squares.find_squares(image, replace(colors, white=white), side_mm):
        seen = np.array([square.x_mm, square.y_mm])
        (x, y), base_mm = stand_on_highest(image, seen, side_mm, raised)
        top = Top(float(x), float(y), square.angle_deg, None, LIMITS.unread_confidence, ninjas.UNREADABLE, base_mm)
        last = np.array(white.shape[::-1])[:, None] - 1
        columns, rows = np.rint(image.to_grid(seen + WALLS * side_mm)).astype(int).T.clip(0, last)
        has_walls = (colors.black[rows, columns] > 0).mean() > LIMITS.min_black_walls
        if has_walls and all(top.apart_mm(other) > LIMITS.min_ninja_gap * side_mm for other in tops):
            whited.append(top)
    return whited


def _leaned(image: PreparedImage, ninja: Detection, disks: list[Detection]) -> Detection:
    """A ninja; if it leans on a rim, its pose is on that rim, and it has no value."""
    for disk in disks:
        # a ninja with its middle on a disk is on the disk
        if is_above(ninja, disk) or apart_mm(ninja.place, disk.place) <= radius_mm(disk) + LIMITS.ninja_outside_mm:
            continue
        place = lean_on_rim(image, ninja.solid, ninja.place, disk, disks)
        if place is not None:
            return replace(ninja, fit=replace(ninja.fit, place=place), value=None, reason=LEANING)
    return ninja


def die_at(pose: Pose, xy_mm: tuple[float, float], angle_deg: float, side_mm: float, base_mm: float = 0.0) -> Found:
    """The box of a level die with its underside `base_mm` above the table, as the dice finder would give it."""
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
    """The ninjas. An unclear ninja loses its value if the dice reader does not confirm it.

    It is dropped if it overlaps a clear ninja, because the gap between two dice may look like a die. So is a ninja that
    seems to lean on a rim, because a die's wall may look like one.
    """
    side_mm = 2 * found[0].solid.half_height_mm if found else 0.0
    least = [LIMITS.clear_pips + LIMITS.two_more * (ninja.value == 2) for ninja in found]
    unclear = [k for k, ninja in enumerate(found) if ninja.value is not None and ninja.confidence < least[k]]
    places = [found[k].place for k in unclear]
    boxes = [
        die_at(pose, (x, y), place.angle_deg, side_mm, z - side_mm / 2)
        for place in places
        for x, y, z in [place.middle_mm.tolist()]
    ]
    kept = list(found)
    for k, chances in zip(unclear, faces.look(Halved(picture), boxes), strict=True):
        if chances[kept[k].value or 0] < LIMITS.min_dice_chance:
            sure = found[k].confidence if found[k].confidence >= LIMITS.clear_pips else LIMITS.unread_confidence
            kept[k] = replace(kept[k], value=None, confidence=sure, reason=UNCLEAR)
    clear = [ninja for ninja in kept if ninja.value is not None]
    gap_mm = LIMITS.min_ninja_gap * side_mm
    return [
        n
        for n in kept
        if not (n.reason == LEANING or (n.reason == UNCLEAR and n.confidence < LIMITS.clear_pips))
        or all(apart_mm(n.place, o.place) > gap_mm for o in clear)
    ]


LEANING = "it leans on the rim of a disk"


def lean_on_rim(
    image: PreparedImage, solid: Solid, flat: Place, disk: Detection, disks: list[Detection]
) -> Place | None:
    """The pose of a ninja on a disk's rim, if it is not upright at `flat`; None: it is upright. `disks`: all flat
    disks."""
    middle, radius = disk.place.middle_mm[:2], radius_mm(disk)
    over_mm = depth_in_disk(solid, flat, middle, radius)
    if over_mm < -LIMITS.beside_rim_mm:
        return None
    standing = _Edge(image, solid, flat)
    near = [each for each in disks if apart_mm(each.place, flat) < radius_mm(each) + LIMITS.carrying_mm]
    rest = Rest(middle, radius, [support.support_of(each.solid, each.place) for each in near])
    leaning = [_Edge(image, solid, place) for place in _leaning(image.view, solid, flat, rest, over_mm)]
    if (
        over_mm <= LIMITS.over_rim_mm
        and max((_upturned(each, standing) for each in leaning), default=0.0) <= LIMITS.min_upturned_edge
    ):
        return None
    return max(leaning, key=lambda edge: float(edge.steps.mean())).place if leaning else None


class _Edge:
    """The outline of a die at a place, and how much brighter it is just outside the outline than inside (N,)."""

    def __init__(self, image: PreparedImage, solid: Solid, place: Place) -> None:
        self.place = place
        self.outline: Silhouette = silhouette(image.view, solid, place, spacing_px=1.0)
        along, lights = profiles(image.light, self.outline.pixels, self.outline.normals, LIMITS.edge_outside_px[1])
        root = np.sqrt(lights)
        inside, outside = (
            root[:, (sign * along >= near) & (sign * along <= far)].mean(axis=1).max(axis=1)
            for sign, (near, far) in ((-1, LIMITS.edge_inside_px), (1, LIMITS.edge_outside_px))
        )
        self.steps: Floats = np.clip(outside - inside, -LIMITS.max_edge_step, LIMITS.max_edge_step)

    def brighter_than(self, other: _Edge, by_px: float) -> Floats:
        """The steps where this outline is more than `by_px` outside the other outline; for a negative `by_px`: more
        than that inside."""
        polygon = other.outline.pixels.astype(np.float32)
        far = np.array([-cv2.pointPolygonTest(polygon, at, True) for at in self.outline.pixels.tolist()])
        return np.asarray(self.steps[far > by_px] if by_px > 0 else self.steps[far < by_px])


def _upturned(leaning: _Edge, standing: _Edge) -> float:
    """How much clearer the leaning die's outline is than the upright die's, where it is further out."""
    mine, others = (
        leaning.brighter_than(standing, LIMITS.min_outline_gap_px),
        standing.brighter_than(leaning, -LIMITS.min_outline_gap_px),
    )
    if min(len(mine), len(others)) < LIMITS.min_outline_samples:
        return 0.0
    return float(mine.mean() - others.mean())


def _leaning(view: View, solid: Solid, flat: Place, rest: Rest, over_mm: float) -> list[Place]:
    """The leaning poses on a rim whose top's middle appears at the same pixel as the upright die's."""
    toward = unit(rest.disk_middle - flat.middle_mm[:2])
    start = Place(flat.middle_mm + np.append(toward * max(LIMITS.ninja_start_mm - over_mm, 0.0), 0.0), flat.axes)
    sought = _top_px(view, solid, flat)
    found = []
    for way in range(LIMITS.max_poses):
        place: Place | None = start
        for _ in range(LIMITS.ninja_rounds):
            under = underside_of(solid, place, way, rest, LIMITS.max_slope) if place is not None else None
            place = None if under is None or place is None else _shown_at(view, solid, place, under, sought)
        if place is not None and float(np.hypot(*(_top_px(view, solid, place) - sought))) < LIMITS.same_top_px:
            found.append(place)
    return found


def _shown_at(view: View, solid: Solid, place: Place, under: support.Underside, sought: Floats) -> Place:
    """A die on an underside, moved on the table until its top's middle appears at `sought`."""
    laid = support.place_on(place, solid, under)
    top = laid.middle_mm + support.up_axis(laid) * solid.half_height_mm
    at, right, down = view.to_pixels(top + np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]))
    step = np.linalg.solve(np.column_stack([right - at, down - at]), sought - at)
    return Place(laid.middle_mm + np.append(step, 0.0), laid.axes)


def _top_px(view: View, solid: Solid, place: Place) -> Floats:
    """The pixel of the middle of a die's top."""
    return np.asarray(view.to_pixels((place.middle_mm + support.up_axis(place) * solid.half_height_mm)[None])[0])
