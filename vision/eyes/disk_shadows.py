"""Samurai on their own colour's territory with a shadow far beyond the rim: they lie on a die that they hide.

Such a die shows no white, and on ground of the same colour too little of the rim is seen to measure the height. But the
shadow tells. A disk of 4 mm darkens the ground for a few millimetres beyond its rim, even under a low window. One that
lies 28 mm higher darkens it for a centimetre or more, under any lamp that is not straight above.
"""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from companion.readings import Kind
from vision.eyes.die_checks import light_at
from vision.eyes.pieces import SHARED_MM2, Detection, Shapes, radius_mm, shared_mm2
from vision.eyes.raised_disks import moved_mm
from vision.eyes.samurai import UNSEEN_CONFIDENCE
from vision.measure.bodies import apart_mm
from vision.measure.colors import Colors
from vision.measure.prepared import Floats, PreparedImage
from vision.measure.rims import hue_of

NEAR_MM, FAR_MM = (9.5, 11.0, 13.0), (22.0, 24.0, 26.0, 28.0)
"""The ground at the first distances outside a rim is compared with the ground at the second, in the same direction."""
DIRECTIONS, DARK = 48, 0.8
"""A far shadow is darker than this share in three neighbouring directions. None of 120 labelled samurai alone on their
own territory had one (0.83 at the least), 52 of 58 drawn ones on hidden dice had."""
CASTS_MM = 16.0
"""Ground nearer to another piece may lie in that one's shadow."""


def lower_confidence(image: PreparedImage, colors: Colors, shapes: Shapes, pieces: list[Detection]) -> list[Detection]:
    """The pieces; samurai whose shadow puts them on a die are unsure, and their error covers how far aside."""
    side_mm = 2 * shapes.empire_die.half_height_mm
    judged = list(pieces)
    for i, disk in enumerate(pieces):
        if _is_on_own(disk, pieces) and _casts_far_shadow(image, colors, disk, pieces):
            spread_mm = float(np.hypot(disk.spread_mm, moved_mm(image, disk, side_mm)))
            judged[i] = replace(disk, spread_mm=spread_mm, confidence=min(disk.confidence, UNSEEN_CONFIDENCE))
    return judged


def _is_on_own(disk: Detection, pieces: list[Detection]) -> bool:
    """Whether a samurai seems to lie on its own colour's territory, with nothing else on or under it."""
    if disk.kind is not Kind.SAMURAI or disk.is_leaning:
        return False
    lands = [p for p in pieces if p.kind is Kind.TERRITORY and p.color == disk.color]
    if not any(apart_mm(land.place, disk.place) < radius_mm(land) for land in lands):
        return False
    others = (p for p in pieces if p is not disk and p.kind is not Kind.TERRITORY)
    return all(shared_mm2(disk, other) <= SHARED_MM2 for other in others)


def _casts_far_shadow(image: PreparedImage, colors: Colors, disk: Detection, pieces: list[Detection]) -> bool:
    """Whether a shadow beside a disk, no other piece's, reaches as far as only a raised disk's."""
    turns = np.arange(DIRECTIONS) * (2 * np.pi / DIRECTIONS)
    x, y, z = disk.place.middle_mm.tolist()
    reach = radius_mm(disk) + np.array([*NEAR_MM, *FAR_MM])
    ground = np.empty((len(reach), DIRECTIONS, 3))
    ground[..., 0] = x + reach[:, None] * np.cos(turns)
    ground[..., 1] = y + reach[:, None] * np.sin(turns)
    ground[..., 2] = z - disk.solid.half_height_mm
    light = light_at(image, ground.reshape(-1, 3))
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


def _is_shaded(ground: Floats, casting: list[Detection]) -> bool:
    """Whether a piece is near enough to any of these places (N, 2) to darken them."""
    outlines = [piece.outline_mm.astype(np.float32) for piece in casting]
    return any(cv2.pointPolygonTest(o, (x, y), True) > -CASTS_MM for o in outlines for x, y in ground.tolist())
