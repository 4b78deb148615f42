"""Pieces that the picture shows too softly: a drop, a finger print or dust on the lens, or focus lost on one side.

Fiducials tell of the picture at its corners only. Where an edge is wider than the windows in which edges are measured,
what is found there may be off by as much, and fits it no worse. So each piece is measured by its own outline.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from companion.readings import Kind
from vision.eyes.bodies import Solid, silhouettes
from vision.eyes.edges import STEP_PX, profiles
from vision.eyes.pieces import Found
from vision.eyes.sight import Floats, Sight

REACH_PX = 6.0
SPACING_PX = 4.0
SECTORS = 4
"""A spot may lie over a part of a piece: the softest quarter of its outline counts ..."""
SHARPEST = 4
"""... by the sharpest quarter of its profiles, for shade beside a piece makes its edge look wide."""
LEAST_PROFILES, LEAST_CONTRAST = 3, 0.06
"""A sector is judged by so many profiles at least, each of which spans so much light (1: full scale)."""
SOFT_PX = {Kind.SAMURAI: 1.95, Kind.EMPIRE_DIE: 1.8, Kind.NINJA: 2.05}
"""Standard deviation of an edge beyond which a piece is soft. Of 882, 894 and 1281 labelled ones none has a wider edge
than 1.84, 1.71 and 1.89; blurred by 2 px more they have edges of 2 to 2.4 px."""
OFF_A_PX = 0.6
"""What is soft may be off by this part of its edge's width."""
SOFT_CONFIDENCE = 0.6
SOFT = "the picture is soft where it lies: wipe the lens, or focus it"


def doubted(sight: Sight, pieces: Sequence[Found]) -> list[Found]:
    """The pieces; what the picture shows softly is unsure, known to what the softness may hide, and bears nothing that
    would have to be read off it."""
    judged = list(pieces)
    for k, wide_px in widths_px(sight, pieces).items():
        if wide_px > SOFT_PX[pieces[k].kind]:
            judged[k] = _in_doubt(sight, pieces[k], wide_px)
    return judged


def _in_doubt(sight: Sight, piece: Found, wide_px: float) -> Found:
    off_mm = OFF_A_PX * wide_px / float(sight.view.project(piece.place.middle_mm[None])[1][0])
    return replace(
        piece,
        spread_mm=float(np.hypot(piece.spread_mm, off_mm)),
        confidence=min(piece.confidence, SOFT_CONFIDENCE),
        color=None if piece.kind is Kind.EMPIRE_DIE else piece.color,
        value=None,
        marked_up=None,
        reason=piece.reason if piece.kind is Kind.SAMURAI else SOFT,
        is_soft=True,
    )


def widths_px(sight: Sight, pieces: Sequence[Found]) -> dict[int, float]:
    """How wide the edges of pieces are (standard deviation), by their indices: territories, so broad that a spot hides
    nothing of where they are, and what has too little of an edge are left out."""
    alike: dict[int, tuple[Solid, list[int]]] = {}
    for k, piece in enumerate(pieces):
        if piece.kind is not Kind.TERRITORY:
            alike.setdefault(id(piece.solid), (piece.solid, []))[1].append(k)
    if not alike:
        return {}
    pixels, normals, sectors = [], [], []
    for solid, which in alike.values():
        found = silhouettes(sight.view, solid, [pieces[k].place for k in which], SPACING_PX)
        of = np.repeat(np.arange(len(which)), found.counts)
        pixels.append(found.outline.pixels)
        normals.append(found.outline.normals)
        sectors.append(np.array(which)[of] * SECTORS + _sector(found.outline.normals))
    widths = _edge_widths_px(sight, np.concatenate(pixels), np.concatenate(normals))
    return _softest(widths, np.concatenate(sectors))


def _sector(normals: Floats) -> NDArray[np.int64]:
    """Which quarter of a turn each normal (N, 2) looks into."""
    return (normals[:, 0] > normals[:, 1]) * 2 + (normals[:, 0] > -normals[:, 1])


def _edge_widths_px(sight: Sight, pixels: Floats, normals: Floats) -> Floats:
    """The width of the steepest edge in each profile across an outline (N,), NaN where there is none.

    A step of height A that is blurred by s has the slope A / (s sqrt(2 pi)).
    """
    _, lights = profiles(sight.light, pixels, normals, REACH_PX)
    spans = lights.max(axis=1) - lights.min(axis=1)
    channel = spans.argmax(axis=1)
    rows = np.arange(len(lights))
    span, light = spans[rows, channel], lights[rows, :, channel]
    run = round(1 / STEP_PX)
    slope = np.abs(light[:, run:] - light[:, :-run]).max(axis=1)
    return np.where(span > LEAST_CONTRAST, span / np.maximum(slope, 1e-6) / np.sqrt(2 * np.pi), np.nan)


def _softest(widths: Floats, sectors: NDArray[np.int64]) -> dict[int, float]:
    """Of each piece the width in its softest sector, by the piece's index."""
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
