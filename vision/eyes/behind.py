"""Ones that may be a pip of more: a die beside a ninja, nearer to the camera, hides the others.

Of a two that looks out behind a die one pip on black may be all that shows, as of a one, and it is then found up to six
millimetres beside where it is. Of every other value more pips are hidden then, so what cannot be a two is a one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from companion.readings import Kind
from vision.eyes.pieces import Found
from vision.eyes.pips import PIP_PITCH, PIP_RADIUS
from vision.eyes.sight import Floats, Floats32, Sight

DIRECTIONS = 24
OFF = PIP_PITCH * 2**0.5
"""Each pip of a two is so far from the middle, in sides."""
TOUCHING_MM = 1.5
"""A ninja's middle is known so well: it stands no further than this in a die."""
HIDDEN = "a die hides a part of its top: what shows may be one pip of more"


def ones_in_doubt(sight: Sight, pieces: Sequence[Found]) -> list[Found]:
    """The pieces; a ninja's one that may be a pip of a two, a die hiding the other, is no value."""
    dice = [piece for piece in pieces if piece.kind is Kind.EMPIRE_DIE]
    return [
        replace(piece, value=None, reason=HIDDEN)
        if piece.value == 1 and any(_may_hide_a_pip(sight, die, piece) for die in dice)
        else piece
        for piece in pieces
    ]


def _may_hide_a_pip(sight: Sight, die: Found, ninja: Found) -> bool:
    """Whether a die hides where another pip would be, the seen one being the first of two, and has room beside it for
    that ninja."""
    half_mm = ninja.solid.half_height_mm
    top_mm = float(ninja.place.middle_mm[2]) + half_mm
    turns = np.arange(DIRECTIONS) * (2 * np.pi / DIRECTIONS)
    along = 2 * half_mm * OFF * np.column_stack([np.cos(turns), np.sin(turns)])
    pip = ninja.place.middle_mm[:2]
    hidden, outline = _hull(_hidden_mm(sight, die, top_mm)), _hull(die.outline_mm)
    return any(
        _inside_mm(hidden, pip + 2 * step) > -PIP_RADIUS * 2 * half_mm - die.spread_mm
        and _inside_mm(outline, pip + step) < TOUCHING_MM + die.spread_mm - half_mm
        for step in along
    )


def _hidden_mm(sight: Sight, die: Found, height_mm: float) -> Floats:
    """The corners (N, 2) of what a die hides of a level so high: it, and what lies behind what stands above."""
    corners = die.place.points(np.sign(die.solid.core_mm) * die.solid.half_height_mm)
    behind = [
        sight.at_height(sight.seen_at(corner[:2], float(corner[2])), height_mm)
        for corner in corners
        if corner[2] > height_mm
    ]
    return np.vstack([*behind, die.outline_mm])


def _hull(corners_mm: Floats) -> Floats32:
    return np.asarray(cv2.convexHull(corners_mm.astype(np.float32)), np.float32)


def _inside_mm(hull_mm: Floats32, at_mm: Floats) -> float:
    """How deep a place lies in a hull (N, 1, 2), negative outside."""
    x_mm, y_mm = at_mm.tolist()
    return cv2.pointPolygonTest(hull_mm, (x_mm, y_mm), True)
