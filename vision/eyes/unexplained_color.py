"""Samurai whose colour goes on beyond their rim: another one lies under them unseen, or they lie elsewhere.

Two samurai of a colour that lie almost exactly on each other look like one, and that one would be measured at the wrong
height. Of 1629 samurai in 550 labelled scenes nine showed such colour: five of these were 0.5 to 1.9 mm from where they
were taken to be, the others lay beside one that was not found. An almost hidden samurai of the other colour shows its
wall, a thin line along the rim, unless that colour's territory lies beside it: 20 of 57 drawn ones had such a line.
"""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.readings import Kind
from vision.eyes.hidden_disks import BESIDE_HIDDEN_MM
from vision.eyes.pieces import Detection, radius_mm
from vision.eyes.samurai import UNSEEN_CONFIDENCE, UNSEEN_MM
from vision.measure import views
from vision.measure.bodies import apart_mm
from vision.measure.colors import Colors
from vision.measure.prepared import Floats, PreparedImage
from vision.measure.rims import hue_of

OUTSIDE_MM = 1.6
"""So far outside of a rim a lit wall no longer shows."""
SPACING_PX = 2.0
LEAST_MM = 8.0
"""With own colour beyond its rim over this length a samurai is unsure."""
LINE_MM, AWAY_MM = (0.5, 0.9, 1.3, 1.7), (2.8, 3.5, 4.2)
"""How far from a rim a line of another colour is searched, and the ground beyond it."""
LINE_HUE, LINE_LEAST_MM, LINED_MM = 0.14, 14.0, 0.8
"""It is redder or bluer than the ground by this, over this length. Of 1329 labelled samurai on the table, territories
and what was found none has one. What lies on one that is not found is seen up to two millimetres aside."""
OTHERS_PX = 2.0
"""Places nearer to another piece's outline belong to that piece."""


def lower_confidence(image: PreparedImage, colors: Colors, pieces: list[Detection]) -> list[Detection]:
    """The pieces; samurai with unexplained colour beyond their rim, or with another one almost hidden in their place,
    are unsure, with a larger error."""
    mine = [i for i, piece in enumerate(pieces) if piece.kind is Kind.SAMURAI]
    if not mine:
        return pieces
    found = views.silhouettes(image.view, pieces[mine[0]].solid, [pieces[i].place for i in mine], SPACING_PX)
    outlines = views.outlines_px(image.view, [(piece.solid, piece.place) for piece in pieces], 2 * SPACING_PX)
    judged = list(pieces)
    last = np.cumsum(found.counts)
    for i, first, end in zip(mine, (last - found.counts).tolist(), last.tolist(), strict=True):
        rim, normals = found.outline.pixels[first:end], found.outline.normals[first:end]
        px_mm = float(np.hypot(*(rim - rim.mean(axis=0)).T).mean()) / radius_mm(pieces[i])
        at = rim + normals * OUTSIDE_MM * px_mm
        at = at[_is_own(image, colors, pieces[i].color or "red", at)]
        is_beyond = _unexplained_mm(pieces, outlines, i, pieces[i].color, at, px_mm) >= LEAST_MM
        is_lined = _is_lined(image, pieces, outlines, i, rim, normals * px_mm)
        if is_beyond or is_lined or _hides_its_like(pieces, i):
            spread = float(np.hypot(pieces[i].spread_mm, LINED_MM if is_lined else UNSEEN_MM))
            confidence = min(pieces[i].confidence, UNSEEN_CONFIDENCE)
            judged[i] = replace(pieces[i], spread_mm=spread, confidence=confidence)
    return judged


def _is_lined(
    image: PreparedImage, pieces: list[Detection], outlines: list[Floats], i: int, rim: Floats, out_px: Floats
) -> bool:
    """Whether a thin line of the other colour runs along a rim (N, 2) that no other piece explains; `out_px` (N, 2) is
    a millimetre outward."""
    other = "blue" if pieces[i].color == "red" else "red"
    lines, far = ([_hue_at(image, other, rim + out_px * by_mm) for by_mm in reach] for reach in (LINE_MM, AWAY_MM))
    more = np.max(lines, axis=0) - np.maximum(np.max(far, axis=0), 0.0)
    more = (more + np.roll(more, 1) + np.roll(more, -1)) / 3
    at = (rim + out_px * LINE_MM[1])[more > LINE_HUE]
    px_mm = float(np.hypot(*out_px.T).mean())
    return _unexplained_mm(pieces, outlines, i, other, at, px_mm) >= LINE_LEAST_MM


def _hue_at(image: PreparedImage, color: str, at: Floats) -> Floats:
    """The redness or blueness of the picture at places (N, 2)."""
    x, y = at.astype(np.float32).T
    light = cv2.remap(image.light, x[None], y[None], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)[0]
    redness, blueness = hue_of(light.astype(np.float64) / 65535, image.paper)
    return redness if color == "red" else blueness


def _unexplained_mm(
    pieces: list[Detection], outlines: list[Floats], i: int, color: str | None, at: Floats, px_mm: float
) -> float:
    """The length of these places (N, 2) of a colour beside a rim that no other piece explains."""
    if len(at) * SPACING_PX >= LEAST_MM * px_mm:
        for other in _others(pieces, outlines, i, color, at):
            at = at[[cv2.pointPolygonTest(other, (x, y), True) < -OTHERS_PX for x, y in at.tolist()]]
    return len(at) * SPACING_PX / px_mm


def _hides_its_like(pieces: list[Detection], i: int) -> bool:
    """Whether another one of its colour, all but a crescent, lies in its place: their two rims merge."""
    mine = pieces[i]
    return any(
        k != i
        and other.is_hidden
        and other.color == mine.color
        and apart_mm(other.place, mine.place) < BESIDE_HIDDEN_MM
        for k, other in enumerate(pieces)
    )


def _is_own(image: PreparedImage, colors: Colors, color: str, at: Floats) -> NDArray[np.bool_]:
    """Whether the picture is of that colour at each place (N, 2)."""
    return _hue_at(image, color, at) > (colors.red_from if color == "red" else colors.blue_from)


def _others(
    pieces: list[Detection], outlines: list[Floats], i: int, color: str | None, at: Floats
) -> list[NDArray[np.float32]]:
    """The outlines in the picture, of all, of the other pieces that may explain colour at these places (N, 2)."""
    low, high = at.min(axis=0) - OTHERS_PX, at.max(axis=0) + OTHERS_PX
    return [
        outline.astype(np.float32)
        for k, (piece, outline) in enumerate(zip(pieces, outlines, strict=True))
        if k != i
        and (piece.kind is not Kind.TERRITORY or piece.color == color)
        and (outline.max(axis=0) > low).all()
        and (outline.min(axis=0) < high).all()
    ]
