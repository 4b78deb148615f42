"""Ones that may be a two: a die nearer to the camera may hide the second pip.

Of a two that looks out behind a die a single pip on black may be all that shows, and it is then read as a one up to six
millimetres beside its place. Any other value would hide more pips, so what cannot be a two is a one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from companion.readings import Kind
from vision.eyes.pieces import Detection
from vision.measure.pip_patterns import PIP_PITCH, PIP_RADIUS
from vision.measure.prepared import Floats, Floats32, PreparedImage

DIRECTIONS = 24
OFF = PIP_PITCH * 2**0.5
"""How far each pip of a two is from the middle, in sides."""
TOUCHING_MM = 1.5
"""The error of a ninja's middle: it stands no deeper than this in a die."""
HIDDEN = "a die hides a part of its top: what shows may be one pip of more"


def doubt_occluded_ones(image: PreparedImage, pieces: Sequence[Detection]) -> list[Detection]:
    """The pieces; a one that may be a two with a hidden pip has no value."""
    dice = [piece for piece in pieces if piece.kind is Kind.EMPIRE_DIE]
    return [
        replace(piece, value=None, reason=HIDDEN)
        if piece.value == 1 and any(_may_hide_a_pip(image, die, piece) for die in dice)
        else piece
        for piece in pieces
    ]


def _may_hide_a_pip(image: PreparedImage, die: Detection, ninja: Detection) -> bool:
    """Whether a die hides where another pip would be, the seen one being the first of two, and has room beside it for
    that ninja."""
    half_mm = ninja.solid.half_height_mm
    top_mm = float(ninja.place.middle_mm[2]) + half_mm
    turns = np.arange(DIRECTIONS) * (2 * np.pi / DIRECTIONS)
    along = 2 * half_mm * OFF * np.column_stack([np.cos(turns), np.sin(turns)])
    pip = ninja.place.middle_mm[:2]
    hidden, outline = _hull(_hidden_mm(image, die, top_mm)), _hull(die.outline_mm)
    return any(
        _inside_mm(hidden, pip + 2 * step) > -PIP_RADIUS * 2 * half_mm - die.doubt_mm
        and _inside_mm(outline, pip + step) < TOUCHING_MM + die.doubt_mm - half_mm
        for step in along
    )


def _hidden_mm(image: PreparedImage, die: Detection, height_mm: float) -> Floats:
    """The corners (N, 2) of what a die hides of a level so high: it, and what lies behind what stands above."""
    corners = die.place.points(np.sign(die.solid.core_mm) * die.solid.half_height_mm)
    behind = [
        image.at_height(image.seen_at(corner[:2], float(corner[2])), height_mm)
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
