"""Samurai beyond whose rim their own colour goes on: one that was not found lies under them, or they lie elsewhere.

Two samurai of a colour that lie all but on each other look like one, and that one would be measured at the wrong
height. Of 1629 samurai in 550 labelled scenes nine showed such colour; five of these were 0.5 to 1.9 mm from where they
were taken to be, and the others lay beside one that was not found.
"""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.readings import Kind
from vision.eyes import bodies
from vision.eyes.bodies import apart_mm
from vision.eyes.color import Colors
from vision.eyes.hidden import TWINS_MM
from vision.eyes.pieces import Found, radius_mm
from vision.eyes.rims import hue_of
from vision.eyes.samurai import UNSEEN_CONFIDENCE, UNSEEN_MM
from vision.eyes.sight import Floats, Sight

BEYOND_MM = 1.6
"""So far outside of a rim no glow of a lit wall is left."""
SPACING_PX = 2.0
LEAST_MM = 8.0
"""A rim with own colour beyond it over this length is in doubt."""
OTHERS_PX = 2.0
"""Places so near to another piece's outline are taken for that piece's."""


def doubted(sight: Sight, colors: Colors, pieces: list[Found]) -> list[Found]:
    """The pieces; samurai beyond whose rims no other piece explains the colour, or of which another all but hides in
    their place, are unsure, with a larger error."""
    mine = [i for i, piece in enumerate(pieces) if piece.kind is Kind.SAMURAI]
    if not mine:
        return pieces
    found = bodies.silhouettes(sight.view, pieces[mine[0]].solid, [pieces[i].place for i in mine], SPACING_PX)
    outlines = bodies.outlines_px(sight.view, [(piece.solid, piece.place) for piece in pieces], 2 * SPACING_PX)
    judged = list(pieces)
    last = np.cumsum(found.counts)
    for i, first, end in zip(mine, (last - found.counts).tolist(), last.tolist(), strict=True):
        rim, normals = found.outline.pixels[first:end], found.outline.normals[first:end]
        px_mm = float(np.hypot(*(rim - rim.mean(axis=0)).T).mean()) / radius_mm(pieces[i])
        at = rim + normals * BEYOND_MM * px_mm
        at = at[_is_own(sight, colors, pieces[i].color or "red", at)]
        if _has_twin(pieces, i) or _unexplained_mm(pieces, outlines, i, at, px_mm) >= LEAST_MM:
            spread = float(np.hypot(pieces[i].spread_mm, UNSEEN_MM))
            confidence = min(pieces[i].confidence, UNSEEN_CONFIDENCE)
            judged[i] = replace(pieces[i], spread_mm=spread, confidence=confidence)
    return judged


def _unexplained_mm(pieces: list[Found], outlines: list[Floats], i: int, at: Floats, px_mm: float) -> float:
    """How much of these places (N, 2) beside a rim no other piece explains."""
    if len(at) * SPACING_PX >= LEAST_MM * px_mm:
        for other in _others(pieces, outlines, i, at):
            at = at[[cv2.pointPolygonTest(other, (x, y), True) < -OTHERS_PX for x, y in at.tolist()]]
    return len(at) * SPACING_PX / px_mm


def _has_twin(pieces: list[Found], i: int) -> bool:
    """Whether of another of its colour all but a crescent lies in its place: the two rims are drawn into one."""
    mine = pieces[i]
    return any(
        k != i and other.is_hidden and other.color == mine.color and apart_mm(other.place, mine.place) < TWINS_MM
        for k, other in enumerate(pieces)
    )


def _is_own(sight: Sight, colors: Colors, color: str, at: Floats) -> NDArray[np.bool_]:
    """Whether the picture is of that colour at each place (N, 2)."""
    x, y = at.astype(np.float32).T
    light = cv2.remap(sight.light, x[None], y[None], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)[0]
    redness, blueness = hue_of(light.astype(np.float64) / 65535, sight.paper)
    return redness > colors.red_from if color == "red" else blueness > colors.blue_from


def _others(pieces: list[Found], outlines: list[Floats], i: int, at: Floats) -> list[NDArray[np.float32]]:
    """The outlines in the picture, of all, of the other pieces that may explain colour at these places (N, 2)."""
    low, high = at.min(axis=0) - OTHERS_PX, at.max(axis=0) + OTHERS_PX
    return [
        outline.astype(np.float32)
        for k, (piece, outline) in enumerate(zip(pieces, outlines, strict=True))
        if k != i
        and (piece.kind is not Kind.TERRITORY or piece.color == pieces[i].color)
        and (outline.max(axis=0) > low).all()
        and (outline.min(axis=0) < high).all()
    ]
