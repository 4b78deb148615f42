"""Ninjas as detections: on what bears them or on the rim that they lean on, unclear values confirmed or dropped."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from calibration.pose import Pose
from companion.readings import Kind
from vision.dice_face import FaceReader
from vision.dice_table import die_at
from vision.eyes import (
    ninjas,
)
from vision.eyes.die_tops import BESIDE
from vision.eyes.leaning_ninjas import LEANING, lean_on_rim
from vision.eyes.pieces import (
    Detection,
    Shapes,
    is_above,
    is_in_die,
    radius_mm,
)
from vision.eyes.platforms import Platform
from vision.measure import bodies
from vision.measure.bodies import apart_mm
from vision.measure.colors import Colors
from vision.measure.masks import dark_or_foreign, erase_body
from vision.measure.prepared import PreparedImage
from vision.readers import Picture

LEAN_DEPTH_MM, OUTSIDE_MM = 0.8, 0.5
"""A ninja that reaches so far over a rim, its middle so far beside the disk, leans: its place is not that wrong."""
CLEAR_PIPS = 0.87
"""Pips with a better correlation need no second opinion ..."""
LEAST_CHANCE = 0.4
"""... others count only if the dice reader gives their value at least this chance."""
BEARS_DEG = 8.0
"""What leans more bears no level ninja, and how one lies on its rim is not known."""
UNCLEAR = "its pips are not clear"


def read_ninjas(image: PreparedImage, colors: Colors, shapes: Shapes, pieces: list[Detection]) -> list[Detection]:
    foreign = dark_or_foreign(image, colors)
    dice = [piece for piece in pieces if piece.kind is Kind.EMPIRE_DIE]
    for die in dice:
        erase_body(image, foreign, die.solid, die.place)
    raised = [Platform.of(piece) for piece in pieces if piece.tilt_deg < BEARS_DEG]
    found = []
    side_mm = 2 * shapes.ninja.half_height_mm
    for top in ninjas.find_ninjas(image, colors, foreign, shapes.ninja, raised):
        at = image.at_height(top.seen_mm(image, side_mm), side_mm)
        if top.value is None and is_in_die(at, dice):
            continue  # a die's own shadow: nothing stands in a die
        fit = bodies.Fit(top.place(shapes.ninja), np.diag([0.1, 0.1, 1.0, 0.1, 0.1, 0.01]), 1.0, 1.0, 1.0, 0.0)
        ninja = Detection(
            Kind.NINJA, "black", shapes.ninja, fit, value=top.value, confidence=top.score, reason=top.reason
        )
        found.append(_leaned(image, ninja, [p for p in pieces if p.solid.is_round and p.tilt_deg < BEARS_DEG]))
    return found


def _leaned(image: PreparedImage, ninja: Detection, disks: list[Detection]) -> Detection:
    """A ninja, laid on the rim that it leans on if it does: then its value does not count."""
    for disk in disks:
        if is_above(ninja, disk) or not _is_outside(ninja, disk):
            continue
        place = lean_on_rim(image, ninja.solid, ninja.place, disk, disks)
        if place is not None or _hangs_over(ninja, disk):
            fit = ninja.fit if place is None else replace(ninja.fit, place=place)
            return replace(ninja, fit=fit, value=None, reason=LEANING)
    return ninja


def confirm_values(picture: Picture, pose: Pose, found: list[Detection], faces: FaceReader) -> list[Detection]:
    """The ninjas, without unclear values that the dice reader does not confirm, and without unclear ones that stand in
    a clear one: what lies between two dice may look like a die."""
    side_mm = 2 * found[0].solid.half_height_mm if found else 0.0
    unclear = [k for k, ninja in enumerate(found) if ninja.value is not None and ninja.confidence < CLEAR_PIPS]
    places = [found[k].place for k in unclear]
    boxes = [
        die_at(pose, (x, y), place.angle_deg, side_mm, z - side_mm / 2)
        for place in places
        for x, y, z in [place.middle_mm.tolist()]
    ]
    kept = list(found)
    for k, chances in zip(unclear, faces.look(picture, boxes), strict=True):
        if chances[kept[k].value or 0] < LEAST_CHANCE:
            kept[k] = replace(kept[k], value=None, reason=UNCLEAR)
    clear = [ninja for ninja in kept if ninja.value is not None]
    return [n for n in kept if n.reason != UNCLEAR or all(apart_mm(n.place, o.place) > BESIDE * side_mm for o in clear)]


def _is_outside(ninja: Detection, disk: Detection) -> bool:
    """Whether the middle of a ninja lies beside a disk: it cannot stand on it."""
    return apart_mm(ninja.place, disk.place) > radius_mm(disk) + OUTSIDE_MM


def _hangs_over(ninja: Detection, disk: Detection) -> bool:
    """Whether a ninja lies far over a disk's rim."""
    depth_mm = bodies.depth_in_disk(ninja.solid, ninja.place, disk.place.middle_mm[:2], radius_mm(disk))
    return depth_mm > LEAN_DEPTH_MM
