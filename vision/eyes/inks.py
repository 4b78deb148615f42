"""The eye on an empire die: on which visible face it is, and in whose colour."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.eyes.bodies import Place, Solid
from vision.eyes.rims import hue_of
from vision.eyes.sight import Floats, Sight

CELLS = 28
"""A face is looked at in so many cells a side."""
SEEN_COSINE = 0.12
"""Faces turned further away than this (83 degrees) are not looked at."""
LEAST, CLEAR = 0.03, 0.045
"""The iris is redder or bluer by this than what lies beside it on the face: on the top, and on a side."""
DIP = 0.05
"""Where glare washes the ink's hue away it is still darker by this share."""
FLOODED = 0.955
"""A face whose every cell is brighter than this (of the camera's range) may hide an eye under the mirrored lamp."""
OTHER = 0.5
"""The other colour's figure is at most this part of it."""
MIDDLE = 0.84
"""Only the inner part of a face is looked at, in sides."""
_AT = (np.arange(CELLS) - (CELLS - 1) / 2) / CELLS * MIDDLE
_LEFT, _RIGHT = _AT < -0.37, _AT > 0.37
_IRIS = np.hypot(_AT[None, :], _AT[:, None]) < 0.13


@dataclass(frozen=True, slots=True)
class Ink:
    """The ink found on one visible face."""

    is_up: bool
    cosine: float
    red: float
    blue: float
    dip: float
    is_flooded: bool


def inks_on(sight: Sight, solid: Solid, place: Place) -> list[Ink]:
    """The visible faces, the most upward first."""
    half = solid.half_height_mm
    found = []
    up = int(np.argmax(np.abs(place.axes[2])))
    for axis in range(3):
        for sign in (-1.0, 1.0):
            normal = place.axes[:, axis] * sign
            centre = place.middle_mm + normal * half
            toward = sight.pose.centre_mm - centre
            cosine = float(normal @ toward / np.linalg.norm(toward))
            if cosine < SEEN_COSINE:
                continue
            is_up = bool(axis == up and normal[2] > 0)
            found.append(Ink(is_up, cosine, *_ink(sight, place, half, axis, sign)))
    return sorted(found, key=lambda ink: not ink.is_up)


def _ink(sight: Sight, place: Place, half: float, axis: int, sign: float) -> tuple[float, float, float, bool]:
    """How much redder and bluer the middle of a face is than what lies beside it."""
    u, v = (a for a in range(3) if a != axis)
    reach = half * MIDDLE
    body = np.zeros((4, 3))
    body[:, axis] = sign * half
    body[:, u] = [-reach, reach, reach, -reach]
    body[:, v] = [-reach, -reach, reach, reach]
    pixels = sight.view.to_pixels(place.points(body)).astype(np.float32)
    to = np.array([(0, 0), (CELLS - 1, 0), (CELLS - 1, CELLS - 1), (0, CELLS - 1)], np.float32)
    warp = cv2.getPerspectiveTransform(to, pixels)
    face = cv2.warpPerspective(
        sight.light,
        warp,
        (CELLS, CELLS),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )
    light: Floats = face.reshape(-1, 3).astype(np.float64) / 65535
    inks, dips = [], []
    for k, values in enumerate((*hue_of(light, sight.paper), *light.T)):
        cells = values.reshape(CELLS, CELLS)
        if abs(place.axes[2, u]) > abs(place.axes[2, v]):
            cells = cells.T  # rows go down the face now: what the table's colour does to it, it does to whole rows
        left, right = cells[:, _LEFT].mean(axis=1), cells[:, _RIGHT].mean(axis=1)
        if k < 2:
            more = cells - np.maximum(left, right)[:, None]
            inks.append(float(more[_IRIS].mean()))
        else:
            less = np.minimum(left, right)[:, None] - cells
            dips.append(float(less[_IRIS].mean() / max(left.mean(), 0.02)))
    is_flooded = float(np.percentile(light.min(axis=1), 2)) > FLOODED
    return inks[0], inks[1], max(dips), is_flooded


def eye_of(inks: list[Ink]) -> tuple[str | None, bool | None, str | None]:
    """(owner, whether the eye looks up, why something is not known)."""
    top = next((i for i in inks if i.is_up), None)
    if top is None:
        return None, None, "no face that looks up is seen"
    marked = [(i, *_stronger(i)) for i in inks]
    for ink, color, size, other in marked:
        if ink is top and size > LEAST and other < OTHER * size:
            return color, True, None
    if top.dip > DIP:
        return None, True, "glare washes out the colour of its eye"
    sides = [
        (size, color) for ink, color, size, other in marked if ink is not top and size > CLEAR and other < OTHER * size
    ]
    if len(sides) == 1:
        return sides[0][1], False, None
    if top.is_flooded:
        return None, None, "a lamp is mirrored in its top: an eye there would not be seen"
    return None, False, "its eye is on a face that the camera does not see"


def _stronger(ink: Ink) -> tuple[str, float, float]:
    return ("red", ink.red, ink.blue) if ink.red > ink.blue else ("blue", ink.blue, ink.red)
