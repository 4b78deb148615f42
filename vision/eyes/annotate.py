"""A reading of an Eyes table drawn on its picture: outlines, names, margins, and what is too close, magnified."""

from __future__ import annotations

from textwrap import wrap

import numpy as np
from numpy.typing import NDArray

from calibration.pose import Pose
from companion.kit import Kit
from companion.margin import Call
from companion.readings import SURE, EyesReading, Kind, Overlap, Piece
from vision.drawing import DOUBT_INK, RIM_INK, Drawing, Ink, ink_of, told
from vision.readers import Picture

TOLD_MM = 5.0
"""Margins nearer to the rim than this are written beside the piece."""
MOST_LETTERS = 32
"""The longest line that says why something is not told."""
LEVEL_DEG = 1.5
"""The top of a die that leans no more than this is drawn where it is seen."""


def draw_reading(picture: Picture, reading: EyesReading, pose: Pose, kit: Kit) -> Picture:
    """A copy of the picture (H, W, 3) with the reading on it.

    Outlines lie in the plane of the territories' rims, where it is decided how deep a piece lies in one; what shows of
    a die that stands upright has its own outline above that.
    """
    drawing = Drawing(picture)
    pieces = {piece.id: piece for piece in reading.pieces}

    def seen(piece: Piece, height_mm: float) -> NDArray[np.float64]:
        return pose.to_pixels(np.array([(x, y, height_mm) for x, y in piece.footprint_mm], np.float64))

    for piece in reading.pieces:
        ink = _ink(piece)
        outline = seen(piece, kit.rim_mm)
        is_ground = piece.kind is Kind.TERRITORY
        drawing.outline(outline, ink, is_dashed=piece.confidence < SURE, is_ground=is_ground)
        around = outline
        under = [pieces[pair.on].kind for pair in reading.rests_on if pair.piece == piece.id]
        if piece.kind in (Kind.EMPIRE_DIE, Kind.NINJA) and _stands(piece, under):
            foot_mm = kit.rim_mm if under else 0.0
            top = seen(piece, foot_mm + kit.piece(piece.kind).size_mm("side"))
            drawing.outline(top, ink, is_dashed=True)
            around = np.vstack([outline, top])
        if is_ground:
            around = outline.mean(0)[None]
        drawing.label(_lines(piece, reading), around, ink)
    for pair in reading.overlaps:
        if pair.ruling is Call.TOO_CLOSE:
            piece, over = pieces[pair.piece], pieces[pair.over]
            deepest = _deepest(piece, over)
            at = pose.to_pixels(np.array([(*deepest, kit.rim_mm)]))[0]
            if pair.other_outline_mm:
                other = np.array([(x, y, kit.rim_mm) for x, y in pair.other_outline_mm], np.float64)
                drawing.outline(pose.to_pixels(other), DOUBT_INK, is_dashed=True)
            drawing.magnify(at, f"{_name(piece.id)}: {_length(pair)}", DOUBT_INK)
    return drawing.finished()


def _ink(piece: Piece) -> Ink:
    if piece.kind is Kind.TERRITORY:
        return RIM_INK
    is_told = piece.value is not None if piece.kind is Kind.NINJA else True
    if piece.kind is Kind.EMPIRE_DIE:
        is_told = piece.marked_up is not None
    return ink_of(piece.confidence, is_told)


def _stands(piece: Piece, under: list[Kind]) -> bool:
    """Whether it stands level on the mat or on a territory, so that the height of its top is known."""
    return (piece.tilt_deg or 0.0) < LEVEL_DEG and all(kind is Kind.TERRITORY for kind in under)


def _lines(piece: Piece, reading: EyesReading) -> list[str]:
    """What was read of a piece: its name and face, what it lies on, how near it lies to a rim, how unsure it is."""
    name = _name(piece.id)
    if piece.kind is Kind.EMPIRE_DIE:
        name += {True: ": eye up", False: ": eye not up", None: ": eye?"}[piece.marked_up]
    if piece.kind is Kind.NINJA:
        name += ": ?" if piece.value is None else f": {piece.value}"
    lines = [name]
    lines += [f"on {_name(p.on)}" for p in reading.rests_on if p.piece == piece.id and not p.on.startswith("territory")]
    for pair in reading.overlaps:
        if pair.piece == piece.id and abs(pair.margin_mm) < TOLD_MM:
            says = {Call.CLEAR: "clear of", Call.OVERLAPS: "overlaps", Call.TOO_CLOSE: "too close to"}[pair.ruling]
            lines.append(f"{says} {_name(pair.over)}: {_length(pair)}")
    if piece.reason is not None:
        lines += wrap(piece.reason, MOST_LETTERS)
    if piece.confidence < SURE:
        lines.append(f"unsure, {told(piece.confidence)}")
    return lines


def _length(pair: Overlap) -> str:
    length = f"{pair.margin_mm:+.2f} mm, σ {pair.sigma_mm:.2f}"
    return length if pair.other_mm is None else f"{length}, or {pair.other_mm:+.2f}"


def _name(id: str) -> str:
    return id.replace("_", " ")


def _deepest(piece: Piece, over: Piece) -> tuple[float, float]:
    """The corner of a piece that reaches deepest into a round territory, in mm."""
    return min(piece.footprint_mm, key=lambda p: (p[0] - over.x_mm) ** 2 + (p[1] - over.y_mm) ** 2)
