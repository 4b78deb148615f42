"""Which of two overlapping samurai lies above: told by the colour of the overlap, or by whose rim shows across."""

from __future__ import annotations

import cv2
import numpy as np

from vision.eyes.hidden_disks import BESIDE_HIDDEN_MM
from vision.eyes.pieces import Detection, radius_mm
from vision.measure import rims
from vision.measure.bodies import apart_mm
from vision.measure.prepared import PreparedImage

TOUCH_MM = 0.15
"""Disks further apart than this, before they are laid, do not touch."""
CRESCENT_SURE = 0.85
"""The confidence that a crescent lies under the samurai of its colour that covers its middle."""
HIDDEN_SURE = 0.6
"""The same where two lie almost in one place, so that the crescent may be the upper one's."""
DRAWN_AHEAD = 1.5
"""Unless its own rim shows across that one more clearly, by so many standard errors. Of 49 such pairs in 750
labelled scenes, both bare enough, 13 lay so, all but one ahead by 2.3 or more; of the others one by more than 0.7."""
EVEN = 0.51
"""At most this confidence comes from a pair that shows no rim across at all."""


def find_layers(image: PreparedImage, samurai: list[Detection]) -> dict[tuple[int, int], float]:
    """(upper, lower) of overlapping samurai: the one whose rim shows across the other lies above."""
    uppers: dict[tuple[int, int], float] = {}
    for i in range(len(samurai)):
        for j in range(i):
            a, b = samurai[i], samurai[j]
            radius = radius_mm(a)
            apart = apart_mm(a.place, b.place)
            if apart > 2 * radius + TOUCH_MM:
                continue
            is_hidden = a.is_hidden or b.is_hidden
            if a.color == b.color and a.is_crescent != b.is_crescent and (apart < radius or is_hidden):
                sure = HIDDEN_SURE if is_hidden and apart <= BESIDE_HIDDEN_MM else CRESCENT_SURE
                whole, crescent = (j, i) if a.is_crescent else (i, j)
                is_drawn = _is_drawn_across(image, samurai[crescent], samurai[whole], radius)
                uppers[(crescent, whole) if is_drawn else (whole, crescent)] = sure
                continue
            ahead = _ahead(image, a, b, radius)
            pair = (i, j) if ahead > 0 else (j, i)
            uppers[pair] = 0.5 + 0.5 * min(abs(ahead), 1.0)
    return uppers


def _is_drawn_across(image: PreparedImage, crescent: Detection, whole: Detection, radius: float) -> bool:
    """Whether a crescent's rim runs across another samurai: then it lies above after all."""
    lines = _bare_lines(image, crescent, whole, radius)
    if lines is None:
        if apart_mm(crescent.place, whole.place) >= radius:
            return False
        lines = _all_lines(image, crescent, whole, radius)
    return lines[0] > lines[1] + DRAWN_AHEAD


def _lines(image: PreparedImage, a: Detection, b: Detection, radius: float) -> tuple[float, float]:
    """How clearly the rim of each of two samurai is drawn across the other: where nothing of another colour covers
    them, if enough of both is bare."""
    return _bare_lines(image, a, b, radius) or _all_lines(image, a, b, radius)


def _bare_lines(image: PreparedImage, a: Detection, b: Detection, radius: float) -> tuple[float, float] | None:
    """The same of two of one colour where nothing of another covers them; None where that is too little."""
    if a.color != b.color:
        return None
    mine = rims.line_strength(image, a.solid, a.place, b.place.middle_mm[:2], radius, a.color)
    other = rims.line_strength(image, b.solid, b.place, a.place.middle_mm[:2], radius, a.color)
    return None if mine is None or other is None else (mine, other)


def _all_lines(image: PreparedImage, a: Detection, b: Detection, radius: float) -> tuple[float, float]:
    """The same whatever covers them."""
    mine = rims.line_strength(image, a.solid, a.place, b.place.middle_mm[:2], radius)
    other = rims.line_strength(image, b.solid, b.place, a.place.middle_mm[:2], radius)
    return mine or 0.0, other or 0.0


def _ahead(image: PreparedImage, a: Detection, b: Detection, radius: float) -> float:
    """How surely `a` lies above `b` (negative: below): by the colour where they overlap, else by whose rim shows."""
    if a.color != b.color:
        middle = (a.place.middle_mm + b.place.middle_mm) / 2
        toward = b.place.middle_mm[:2] - a.place.middle_mm[:2]
        apart = max(float(np.hypot(*toward)), 1e-6)
        across = np.array([-toward[1], toward[0]]) / apart
        half = float(np.sqrt(max(radius**2 - apart**2 / 4, 0.0)))
        u, v = np.meshgrid(np.linspace(-0.5, 0.5, 5) * (2 * radius - apart), np.linspace(-0.8, 0.8, 9) * half)
        points = middle[:2] + u.reshape(-1, 1) * toward / apart + v.reshape(-1, 1) * across
        inside = [np.hypot(*(points - s.place.middle_mm[:2]).T) < radius - 0.4 for s in (a, b)]
        points = points[inside[0] & inside[1]]
        if len(points) >= 3:
            pixels = image.view.to_pixels(np.column_stack([points, np.full(len(points), middle[2] + 3.0)]))
            light = cv2.remap(
                image.light, pixels[:, :1].astype(np.float32), pixels[:, 1:].astype(np.float32), cv2.INTER_LINEAR
            )
            red, blue = rims.hue_of(np.asarray(light, np.float64).reshape(-1, 3) / 65535.0, image.paper)
            share = float((red > blue).mean())
            return (2 * share - 1) * (1.0 if a.color == "red" else -1.0)
    mine, other = _lines(image, a, b, radius)
    return (mine - other) / max(mine + other, 1e-6)
