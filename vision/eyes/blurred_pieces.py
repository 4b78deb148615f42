"""Pieces that the picture shows blurred: a drop, a finger print or dust on the lens, or focus lost on one side.

Fiducials only tell about the picture's corners. Where an edge is wider than the window in which it is measured, the
result may be off by as much and still fit well. So each piece is judged by the width of its own outline.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from companion.readings import Kind
from vision.eyes.pieces import Detection
from vision.measure.bodies import Solid
from vision.measure.edges import STEP_PX, profiles
from vision.measure.prepared import Floats, PreparedImage
from vision.measure.views import silhouettes

REACH_PX = 6.0
SPACING_PX = 4.0
SECTORS = 4
"""A spot may cover a part of a piece only: the most blurred quarter of its outline counts ..."""
SHARPEST = 4
"""... by the sharpest quarter of its profiles, because shade beside a piece makes its edge look wide."""
LEAST_PROFILES, LEAST_CONTRAST = 3, 0.06
"""A sector needs so many profiles, each spanning so much light (1: full scale)."""
BLURRED_PX = {Kind.SAMURAI: 1.95, Kind.EMPIRE_DIE: 1.8, Kind.NINJA: 2.05}
"""A piece is blurred where the standard deviation of its edge is greater. Of 882, 894 and 1281 labelled ones none has a
wider edge than 1.84, 1.71 and 1.89; blurred by 2 px more they have edges of 2 to 2.4 px."""
OFF_PER_PX = 0.6
"""A blurred piece may be off by this part of its edge's width."""
BLURRED_CONFIDENCE = 0.6
BLURRED = "the picture is soft where it lies: wipe the lens, or focus it"


def lower_confidence(image: PreparedImage, pieces: Sequence[Detection]) -> list[Detection]:
    """The pieces; a blurred one is unsure, its error covers what the blur may hide, and its value and owner are not
    said."""
    judged = list(pieces)
    for k, wide_px in widths_px(image, pieces).items():
        if wide_px > BLURRED_PX[pieces[k].kind]:
            judged[k] = _in_doubt(image, pieces[k], wide_px)
    return judged


def _in_doubt(image: PreparedImage, piece: Detection, wide_px: float) -> Detection:
    off_mm = OFF_PER_PX * wide_px / float(image.view.project(piece.place.middle_mm[None])[1][0])
    return replace(
        piece,
        spread_mm=float(np.hypot(piece.spread_mm, off_mm)),
        confidence=min(piece.confidence, BLURRED_CONFIDENCE),
        color=None if piece.kind is Kind.EMPIRE_DIE else piece.color,
        value=None,
        marked_up=None,
        reason=piece.reason if piece.kind is Kind.SAMURAI else BLURRED,
        is_blurred=True,
    )


def widths_px(image: PreparedImage, pieces: Sequence[Detection]) -> dict[int, float]:
    """The widths of pieces' edges (standard deviation) by their indices, without territories, which no spot can hide,
    and without pieces that show too little of an edge."""
    alike: dict[int, tuple[Solid, list[int]]] = {}
    for k, piece in enumerate(pieces):
        if piece.kind is not Kind.TERRITORY:
            alike.setdefault(id(piece.solid), (piece.solid, []))[1].append(k)
    if not alike:
        return {}
    pixels, normals, sectors = [], [], []
    for solid, which in alike.values():
        found = silhouettes(image.view, solid, [pieces[k].place for k in which], SPACING_PX)
        of = np.repeat(np.arange(len(which)), found.counts)
        pixels.append(found.outline.pixels)
        normals.append(found.outline.normals)
        sectors.append(np.array(which)[of] * SECTORS + _sector(found.outline.normals))
    widths = _edge_widths_px(image, np.concatenate(pixels), np.concatenate(normals))
    return _softest(widths, np.concatenate(sectors))


def _sector(normals: Floats) -> NDArray[np.int64]:
    """Which quarter of a turn each normal (N, 2) looks into."""
    return (normals[:, 0] > normals[:, 1]) * 2 + (normals[:, 0] > -normals[:, 1])


def _edge_widths_px(image: PreparedImage, pixels: Floats, normals: Floats) -> Floats:
    """The width of the steepest edge in each profile across an outline (N,), NaN without one.

    A step of height A that is blurred by s has the slope A / (s sqrt(2 pi)).
    """
    _, lights = profiles(image.light, pixels, normals, REACH_PX)
    spans = lights.max(axis=1) - lights.min(axis=1)
    channel = spans.argmax(axis=1)
    rows = np.arange(len(lights))
    span, light = spans[rows, channel], lights[rows, :, channel]
    run = round(1 / STEP_PX)
    slope = np.abs(light[:, run:] - light[:, :-run]).max(axis=1)
    return np.where(span > LEAST_CONTRAST, span / np.maximum(slope, 1e-6) / np.sqrt(2 * np.pi), np.nan)


def _softest(widths: Floats, sectors: NDArray[np.int64]) -> dict[int, float]:
    """The width in each piece's most blurred sector, by the piece's index."""
    known = np.isfinite(widths)
    widths, sectors = widths[known], sectors[known]
    order = np.lexsort((widths, sectors))
    which, first, counts = np.unique(sectors[order], return_index=True, return_counts=True)
    sharp = widths[order][first + counts // SHARPEST]
    softest: dict[int, float] = {}
    for sector, count, width in zip(which.tolist(), counts.tolist(), sharp.tolist(), strict=True):
        if count >= LEAST_PROFILES:
            piece = sector // SECTORS
            softest[piece] = max(softest.get(piece, 0.0), width)
    return softest
