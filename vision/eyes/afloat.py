"""Samurai on their own colour's territory whose shadow falls far beyond their rim: they lie on a die that they hide.

Nothing white shows of such a die, and on ground of its own colour too little of a rim to tell how high a disk lies. Its
shadow tells: a disk of 4 mm darkens the ground to a few millimetres from its rim even under a low window, one 28 mm
higher to a centimetre and more under any lamp that is not straight above.
"""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from companion.readings import Kind
from vision.eyes.bodies import apart_mm
from vision.eyes.color import Colors
from vision.eyes.genuine import light_at
from vision.eyes.perched import moved_mm
from vision.eyes.pieces import SHARED_MM2, Found, Shapes, radius_mm, shared_mm2
from vision.eyes.rims import hue_of
from vision.eyes.samurai import UNSEEN_CONFIDENCE
from vision.eyes.sight import Floats, Sight

NEAR_MM, FAR_MM = (9.5, 11.0, 13.0), (22.0, 24.0, 26.0, 28.0)
"""The ground so far outside a rim is held against the ground beyond it, in the same direction."""
DIRECTIONS, DARK = 48, 0.8
"""It is darker than this share over three neighbouring directions. Of 120 labelled samurai that lay on
their own territory alone none is, 0.83 at the least; of 58 drawn ones on dice that they hid 52."""
CASTS_MM = 16.0
"""Ground nearer to another piece may lie in that one's shadow."""


def doubted(sight: Sight, colors: Colors, shapes: Shapes, pieces: list[Found]) -> list[Found]:
    """The pieces; samurai whose shadow tells that they lie on a die are unsure, and their error says how far aside."""
    side_mm = 2 * shapes.empire_die.half_height_mm
    judged = list(pieces)
    for i, disk in enumerate(pieces):
        if _is_on_own(disk, pieces) and _is_afloat(sight, colors, disk, pieces):
            spread_mm = float(np.hypot(disk.spread_mm, moved_mm(sight, disk, side_mm)))
            judged[i] = replace(disk, spread_mm=spread_mm, confidence=min(disk.confidence, UNSEEN_CONFIDENCE))
    return judged


def _is_on_own(disk: Found, pieces: list[Found]) -> bool:
    """Whether a samurai is taken to lie on its own colour's territory, nothing else on it or under it."""
    if disk.kind is not Kind.SAMURAI or disk.is_propped:
        return False
    lands = [p for p in pieces if p.kind is Kind.TERRITORY and p.color == disk.color]
    if not any(apart_mm(land.place, disk.place) < radius_mm(land) for land in lands):
        return False
    others = (p for p in pieces if p is not disk and p.kind is not Kind.TERRITORY)
    return all(shared_mm2(disk, other) <= SHARED_MM2 for other in others)


def _is_afloat(sight: Sight, colors: Colors, disk: Found, pieces: list[Found]) -> bool:
    """Whether a shadow that is no other piece's lies on the ground beside a disk, as far out as only a raised one's."""
    turns = np.arange(DIRECTIONS) * (2 * np.pi / DIRECTIONS)
    x, y, z = disk.place.middle_mm.tolist()
    reach = radius_mm(disk) + np.array([*NEAR_MM, *FAR_MM])
    ground = np.empty((len(reach), DIRECTIONS, 3))
    ground[..., 0] = x + reach[:, None] * np.cos(turns)
    ground[..., 1] = y + reach[:, None] * np.sin(turns)
    ground[..., 2] = z - disk.solid.half_height_mm
    light = light_at(sight, ground.reshape(-1, 3))
    redness, blueness = hue_of(light, np.ones(3))
    is_own = (redness > colors.red_from if disk.color == "red" else blueness > colors.blue_from).reshape(
        ground.shape[:2]
    )
    bright = light[:, 2 if disk.color == "red" else 0].reshape(ground.shape[:2])
    near, far = bright[: len(NEAR_MM)].mean(axis=0), bright[len(NEAR_MM) :]
    is_far = is_own[len(NEAR_MM) :]
    beyond = (far * is_far).sum(axis=0) / np.maximum(is_far.sum(axis=0), 1)
    is_bare = is_own[: len(NEAR_MM)].all(axis=0) & is_far.any(axis=0)
    share = np.where(is_bare, near / np.maximum(beyond, 1e-9), np.inf)
    mean = (share + np.roll(share, 1) + np.roll(share, -1)) / 3
    casting = [p for p in pieces if p is not disk and p.kind is not Kind.TERRITORY]
    return any(
        not _is_shaded(ground[: len(NEAR_MM), [k - 1, k, (k + 1) % DIRECTIONS], :2].reshape(-1, 2), casting)
        for k in np.flatnonzero(mean < DARK).tolist()
    )


def _is_shaded(ground: Floats, casting: list[Found]) -> bool:
    """Whether a piece is near enough to any of these places (N, 2) to darken them."""
    outlines = [piece.outline_mm.astype(np.float32) for piece in casting]
    return any(cv2.pointPolygonTest(o, (x, y), True) > -CASTS_MM for o in outlines for x, y in ground.tolist())
