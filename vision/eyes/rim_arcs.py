"""How much of a samurai's rim the picture shows along an outline, and where.

The rim shows where the samurai's colour ends or, on ground of the same colour, as a thin dark line.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.medians import column_medians
from companion.readings import Kind
from vision.eyes.pieces import Detection, Shapes
from vision.measure import rims, views
from vision.measure.bodies import Place
from vision.measure.colors import Colors
from vision.measure.edges import STEP_PX, profiles
from vision.measure.prepared import Floats, Mask, PreparedImage

SPACING_PX, REACH_PX = 1.5, 6.0
"""The distance of an arc's samples, and how far their profiles go to both sides."""
SEEK_PX = 2.5
"""How far from its expected place an arc is searched."""
COVERED_PX = 2
"""What lies nearer to another piece's outline may be that one's rim or wall."""
INSIDE_PX, OUTSIDE_PX = (-2.5, -1.0), (2.5, 4.5)
"""Where the colours of both sides are taken."""
SOFT_SAMPLES, LINE_SAMPLES = 5, 9
"""Colours and lines are means over so many samples along the arc."""
LINE_PX, LINE_DEPTH = 2.0, 0.03
"""A line is darker by this share than what lies so far to both sides."""
DRAWN_MM, DRAWN_SHARE, DRAWN_PX = 24.0, 0.6, 0.9
"""The length of an arc that must be drawn, its share of what is bare, and its greatest scatter (RMS)."""
LONG_MM, LONG_SHARE, LONG_PX = 36.0, 0.75, 1.3
"""Longer arcs may scatter more, where the picture is blurred or a shadow lies along them. Of 2541 circles in 680
labelled scenes that had no samurai, none so far from another of its colour was drawn over so much by less than 1.6
pixels."""
SHORT_MM, SHORT_SHARE, SHORT_PX = 16.0, 0.85, 0.6
"""Shorter arcs count that are drawn as far as they are bare, with less scatter. Of 850 circles without a
hidden samurai in labelled scenes none was drawn so; of the eight samurai missed three."""
BARE_MM = 12.0
"""Shorter bare arcs are not judged."""


@dataclass(frozen=True, eq=False)
class Arc:
    """What N bare samples of an outline show: whether a rim `is_drawn` there, and how far outward (`offset_px`), of a
    samurai of this colour; `sample_mm` is the length that one stands for."""

    outline: views.Outline
    color: str
    is_drawn: NDArray[np.bool_]
    offset_px: Floats
    sample_mm: float

    @property
    def bare_mm(self) -> float:
        return len(self.is_drawn) * self.sample_mm

    @property
    def drawn_mm(self) -> float:
        return float(self.is_drawn.sum()) * self.sample_mm

    @property
    def share(self) -> float:
        """The part of what is bare that is drawn; 0 where nothing is."""
        return float(self.is_drawn.mean()) if len(self.is_drawn) else 0.0

    @property
    def scatter_px(self) -> float:
        """How far from the outline it is drawn (RMS)."""
        return float(np.sqrt(np.square(self.offset_px[self.is_drawn]).mean())) if self.is_drawn.any() else np.inf

    @property
    def is_rim(self) -> bool:
        """Whether only a samurai's rim looks like this."""
        return self._is_drawn(DRAWN_MM, DRAWN_SHARE, DRAWN_PX) or self._is_drawn(LONG_MM, LONG_SHARE, LONG_PX)

    @property
    def is_rim_across(self) -> bool:
        """The same across others of its colour, where shadows lie."""
        return self._is_drawn(LONG_MM, LONG_SHARE, DRAWN_PX)

    @property
    def is_short_rim(self) -> bool:
        """The same for a short bare arc."""
        return self._is_drawn(SHORT_MM, SHORT_SHARE, SHORT_PX)

    def _is_drawn(self, least_mm: float, least_share: float, most_px: float) -> bool:
        return self.drawn_mm >= least_mm and self.share >= least_share and self.scatter_px < most_px


def is_bare(outline: views.Outline, taken: Mask) -> NDArray[np.bool_]:
    """Which samples of an outline lie in the picture and under nothing `taken`."""
    height, width = taken.shape
    x, y = np.round(outline.pixels).astype(int).T
    bare = (x >= 0) & (y >= 0) & (x < width) & (y < height)
    bare[bare] = taken[y[bare], x[bare]] == 0
    return np.asarray(bare)


def covered_pixels(image: PreparedImage, pieces: list[Detection], bare: Collection[Detection] = ()) -> Mask:
    """The pixels that pieces cover and those near their outlines. Of territories, and of `bare` pieces across which
    rims may run, only the latter."""
    taken = np.zeros(image.light.shape[:2], np.uint8)
    outlines = views.outlines_px(image.view, [(piece.solid, piece.place) for piece in pieces], 2 * SPACING_PX)
    for piece, pixels in zip(pieces, outlines, strict=True):
        outline = np.round(pixels * 16).astype(np.int32)
        if piece.kind is not Kind.TERRITORY and piece not in bare:
            cv2.fillPoly(taken, [outline], 255, shift=4)
        cv2.polylines(taken, [outline], True, 255, 2 * COVERED_PX, shift=4)
    return taken


def arc_at(image: PreparedImage, colors: Colors, shapes: Shapes, place: Place, taken: Mask) -> Arc:
    """What the bare part of a samurai's outline at a place shows, in the colour that lies inside of it."""
    outline = views.silhouette(image.view, shapes.samurai, place, SPACING_PX)
    bare = is_bare(outline, taken)
    outline = views.Outline(outline.pixels[bare], outline.normals[bare], outline.body_mm[bare])
    count, sample_mm = len(outline.pixels), 2 * np.pi * shapes.samurai_radius_mm / len(bare)
    if count * sample_mm < BARE_MM:
        return Arc(outline, "red", np.zeros(count, np.bool_), np.zeros(count), sample_mm)
    along, lights = profiles(image.light, outline.pixels, outline.normals, REACH_PX)
    lights = _soft(lights, SOFT_SAMPLES)
    inner, outer = ((along >= low) & (along <= high) for low, high in (INSIDE_PX, OUTSIDE_PX))
    hues = [hue.reshape(count, -1) for hue in rims.hue_of(lights.reshape(-1, 3), image.paper)]
    least = (colors.red_from, colors.blue_from)
    inside = [hue[:, inner].mean(axis=1) for hue in hues]
    own = [side > from_ for side, from_ in zip(inside, least, strict=True)]
    mine = int(own[1].sum() > own[0].sum())
    outside = hues[mine][:, outer].mean(axis=1)
    is_in, is_out = own[mine], outside > least[mine]
    sought = np.abs(along) <= SEEK_PX
    middle = (inside[mine] + outside) / 2
    ends = (hues[mine][:, sought] > middle[:, None]).mean(axis=1) * (2 * SEEK_PX) - SEEK_PX
    lines, depths = _lines(along, sought, lights)
    is_drawn = is_in & np.where(is_out, depths > LINE_DEPTH, np.abs(ends) < SEEK_PX - 2 * STEP_PX)
    return Arc(outline, ("red", "blue")[mine], is_drawn, np.where(is_out, lines, ends), sample_mm)


def _lines(along: Floats, sought: NDArray[np.bool_], lights: Floats) -> tuple[Floats, Floats]:
    """Where each profile (N, M, 3) is darker than to both sides, and by what share of its light."""
    bright = lights.sum(axis=2)
    share = _soft(bright / np.maximum(column_medians(bright.T), 1e-6)[:, None], LINE_SAMPLES)
    at, beside = np.flatnonzero(sought), round(LINE_PX / STEP_PX)
    depth = np.minimum(share[:, at - beside], share[:, at + beside]) - share[:, at]
    best = depth.argmax(axis=1)
    return along[at][best], depth[np.arange(len(depth)), best]


def _soft(values: Floats, width: int) -> Floats:
    """The running mean along an arc."""
    width = min(width, (len(values) - 1) // 2 * 2 + 1)
    return np.asarray(cv2.blur(np.ascontiguousarray(values), (1, width), borderType=cv2.BORDER_REPLICATE))
