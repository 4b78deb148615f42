"""Samurai of which no more than a narrow crescent is seen beside those that lie on them.

The outer side of a crescent is an arc of a circle of known size. A place is believed where most of the arc that nothing
covers is drawn: by the samurai's colour, which ends there, or, on a ground of its own colour, by the thin dark line
that a rim draws. In 400 labelled scenes every place that was drawn over 24 mm, over three fifths of what is bare, and
within a pixel, had such a samurai; other circles were up to 2.5 pixels off where lines happened to lie near them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.medians import column_medians
from companion.readings import Kind
from vision.eyes import bodies, circles, rims
from vision.eyes.bodies import Place, apart_mm
from vision.eyes.color import Colors
from vision.eyes.edges import STEP_PX, profiles
from vision.eyes.pieces import Found, Shapes, radius_mm
from vision.eyes.samurai import not_rims
from vision.eyes.sight import DISK_HALF_MM, STEP_MM, Floats, Mask, Sight

LEAST_SUPPORT, PEAK_PX, MOST_CIRCLES = 0.06, 2, 40
"""A circle is looked at from so many votes of a whole rim's on: where no more fall so near (pixels of the view from
above), and where most fall when those that had more are taken away, at most so many."""
UNDER_MM = 3.0
"""One that lies under another reaches at least so far under it."""
SPACING_PX, REACH_PX = 1.5, 6.0
"""Samples of an arc lie so far apart and look so far to both sides."""
SEEK_PX = 2.5
"""An arc is looked for so far from where it is expected."""
COVERED_PX = 2
"""What lies as near to another piece's outline may be that one's rim or wall."""
INSIDE_PX, OUTSIDE_PX = (-2.5, -1.0), (2.5, 4.5)
"""The colours of both sides are taken there."""
SOFT_SAMPLES, LINE_SAMPLES = 5, 9
"""Colours and lines are means over so many samples along the arc."""
LINE_PX, LINE_DEPTH = 2.0, 0.03
"""A line is darker by this share than what is so far to both sides of it."""
PROMISING_MM = 14.0
"""An arc that is drawn over less is not followed."""
HELD, STRAY_PX = 0.5, 0.8
"""A step is held by so many squared pixels a mm; samples that stray further lose their weight."""
MOST_STEP_MM, STILL_MM, ROUNDS = 3.0, 0.05, 4
DRAWN_MM, DRAWN_SHARE, DRAWN_PX = 24.0, 0.6, 0.9
"""So much of an arc must be drawn, such a share of what is bare, with this scatter (RMS) at most."""
SHORT_MM, SHORT_SHARE, SHORT_PX, SHORT_APART_MM = 16.0, 0.85, 0.6, 5.0
"""Shorter ones are believed that are drawn as far as they are bare, with less scatter, further from any disk of their
colour. Of 850 labelled circles without a hidden samurai none was drawn so; of the eight samurai missed three."""
BARE_MM, MOST_BARE, OWN_SHARE = 12.0, 0.7, 0.3
"""An arc is looked at where so much of it is bare and no more than such a share of the whole rim, and such a share of
what is bare has its colour inside."""
APART_MM = 3.2
"""A disk of a colour that seems nearer to one that was found is that one."""
TWINS_MM = 8.0
"""Two of one colour nearer than this lie so nearly in one place that one's rim may be taken for the other's."""
WHOLE_SHARE, ASTRAY_PX = 0.85, 1.4
"""A rim drawn over more than this share is no crescent's, and what is drawn with more scatter is another's rim or a
shadow."""
HIDDEN_MM, HIDDEN_CONFIDENCE = 0.5, 0.6
"""How well and how surely such a samurai is known."""


@dataclass(frozen=True, eq=False)
class Arc:
    """What N bare samples of an outline show: whether a rim `is_drawn` there, and how far outward (`offset_px`), of a
    samurai of this colour; `sample_mm` is the length that one stands for."""

    outline: bodies.Outline
    color: str
    is_drawn: NDArray[np.bool_]
    offset_px: Floats
    sample_mm: float

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
        """Whether it can only be a samurai's rim."""
        return self.drawn_mm >= DRAWN_MM and self.share >= DRAWN_SHARE and self.scatter_px < DRAWN_PX

    @property
    def is_short_rim(self) -> bool:
        """The same of an arc of which little is bare."""
        return self.drawn_mm >= SHORT_MM and self.share >= SHORT_SHARE and self.scatter_px < SHORT_PX


def find_hidden(
    sight: Sight, colors: Colors, shapes: Shapes, edges: circles.EdgeMap, pieces: list[Found]
) -> tuple[list[Found], list[Found]]:
    """The samurai under those among the pieces, as if they lay flat, and those of the pieces that are mistaken: beside
    a hidden one of their colour and without a rim of their own. `edges` are those of the view from above."""
    uppers = [piece for piece in pieces if piece.kind is Kind.SAMURAI]
    starts = _starts(sight, colors, shapes, edges, pieces, uppers)
    if not starts:
        return [], []
    taken = _taken(sight, pieces)
    found: list[Found] = []
    for start in _likely(sight, colors, shapes, starts, taken):
        place, arc = _followed(sight, colors, shapes, start, taken)
        near_mm = min((apart_mm(p.place, place) for p in uppers + found if p.color == arc.color), default=np.inf)
        if (arc.is_rim and near_mm >= APART_MM) or (arc.is_short_rim and near_mm >= SHORT_APART_MM):
            found.append(_hidden(shapes, place, arc))
    mistaken = []
    for upper in uppers:
        beside = [p for p in found if p.color == upper.color and apart_mm(p.place, upper.place) < TWINS_MM]
        if beside and _is_mistaken(sight, colors, shapes, upper, beside, [p for p in pieces if p is not upper]):
            mistaken.append(upper)
    return found, mistaken


def _is_mistaken(
    sight: Sight, colors: Colors, shapes: Shapes, disk: Found, beside: list[Found], others: list[Found]
) -> bool:
    """Whether there is nothing but the ones beside a disk: it shows no rim of its own, or lines that only lie near its
    rim while one beside it is drawn all around, also where the disk would cover it."""
    own = _arc(sight, colors, shapes, disk.place, _taken(sight, others + beside))
    if own.color != disk.color or own.share < DRAWN_SHARE:
        return True
    bare = _taken(sight, others)
    is_whole = any(_arc(sight, colors, shapes, other.place, bare).share > WHOLE_SHARE for other in beside)
    return is_whole and own.scatter_px > ASTRAY_PX


def _hidden(shapes: Shapes, place: Place, arc: Arc) -> Found:
    share = arc.drawn_mm / (2 * np.pi * shapes.samurai_radius_mm)
    fit = rims.Fit(place, np.diag([0.1, 0.1, 0.0, 0.0, 0.0, 0.0]), share, share, share, DRAWN_PX)
    return Found(
        Kind.SAMURAI,
        arc.color,
        shapes.samurai,
        fit,
        confidence=HIDDEN_CONFIDENCE,
        spread_mm=HIDDEN_MM,
        is_crescent=True,
        is_hidden=True,
    )


def kept_in_sight(sight: Sight, disk: Found, place: Place) -> Found:
    """A hidden samurai laid at another height, seen where it was seen."""
    old, new = (float(each.middle_mm[2]) + DISK_HALF_MM for each in (disk.place, place))
    xy = sight.at_height(sight.seen_at(disk.place.middle_mm[:2], old), new)
    return replace(disk, fit=replace(disk.fit, place=Place(np.append(xy, place.middle_mm[2]), place.axes)))


def _starts(
    sight: Sight, colors: Colors, shapes: Shapes, edges: circles.EdgeMap, pieces: list[Found], uppers: list[Found]
) -> list[Place]:
    """Where circles are voted for by edges that are no found disk's rim, near enough to lie under one."""
    if not uppers:
        return []
    for color in ("red", "blue"):
        edges = not_rims(sight, shapes, edges, [p for p in pieces if p.solid.is_round and p.color == color], color)
    radius = shapes.samurai_radius_mm / STEP_MM
    above = np.array([sight.shown_at(upper.place.middle_mm) for upper in uppers])
    rows, columns = colors.red.shape
    left, top = np.maximum(np.floor(above.min(axis=0) - 2 * radius).astype(int), 0).tolist()
    right, bottom = np.minimum(np.ceil(above.max(axis=0) + 2 * radius).astype(int) + 1, (columns, rows)).tolist()
    near = edges.within(left - radius, top - radius, right + radius, bottom + radius).shifted(left, top)
    seen = circles.peaks_of(near, (bottom - top, right - left), radius, LEAST_SUPPORT, MOST_CIRCLES, PEAK_PX)
    high = 2 * shapes.samurai.half_height_mm
    middles = sight.at_height(sight.to_table(seen + np.array([left, top])), high)
    places = [bodies.upright(x, y, high / 2) for x, y in middles.tolist()]
    return [p for p in places if any(apart_mm(p, u.place) < 2 * radius_mm(u) - UNDER_MM for u in uppers)]


def _taken(sight: Sight, pieces: list[Found]) -> Mask:
    """The pixels of the picture that pieces cover or that are near their outlines; of territories only these."""
    taken = np.zeros(sight.light.shape[:2], np.uint8)
    outlines = bodies.outlines_px(sight.view, [(piece.solid, piece.place) for piece in pieces], 2 * SPACING_PX)
    for piece, pixels in zip(pieces, outlines, strict=True):
        outline = np.round(pixels * 16).astype(np.int32)
        if piece.kind is not Kind.TERRITORY:
            cv2.fillPoly(taken, [outline], 255, shift=4)
        cv2.polylines(taken, [outline], True, 255, 2 * COVERED_PX, shift=4)
    return taken


def _likely(sight: Sight, colors: Colors, shapes: Shapes, places: list[Place], taken: Mask) -> list[Place]:
    """The places where enough of an outline is bare with a samurai's colour inside, and so little that it was not found
    whole."""
    outlines = bodies.silhouettes(sight.view, shapes.samurai, places, 3 * SPACING_PX)
    outline, first = outlines.outline, np.cumsum(outlines.counts) - outlines.counts
    bare = _is_bare(outline, taken)
    x, y = np.round(outline.pixels[bare] + outline.normals[bare] * np.mean(INSIDE_PX)).astype(int).T
    x, y = x.clip(0, taken.shape[1] - 1), y.clip(0, taken.shape[0] - 1)
    hues = rims.hue_of(sight.light[y, x] * (1 / 65535), sight.paper)
    shares = [np.add.reduceat(bare, first, dtype=np.int64) / outlines.counts]
    for hue, least in zip(hues, (colors.red_from, colors.blue_from), strict=True):
        mine = np.zeros(len(bare), np.bool_)
        mine[bare] = hue > least
        shares.append(np.add.reduceat(mine, first, dtype=np.int64) / outlines.counts)
    bared, own = shares[0], np.maximum(shares[1], shares[2])
    least_own = np.maximum(BARE_MM / (2 * np.pi * shapes.samurai_radius_mm), OWN_SHARE * bared)
    good = (bared <= MOST_BARE) & (own >= least_own)
    return [place for place, is_good in zip(places, good.tolist(), strict=True) if is_good]


def _is_bare(outline: bodies.Outline, taken: Mask) -> NDArray[np.bool_]:
    """Which samples of an outline the picture shows and nothing takes."""
    height, width = taken.shape
    x, y = np.round(outline.pixels).astype(int).T
    bare = (x >= 0) & (y >= 0) & (x < width) & (y < height)
    bare[bare] = taken[y[bare], x[bare]] == 0
    return np.asarray(bare)


def _followed(sight: Sight, colors: Colors, shapes: Shapes, place: Place, taken: Mask) -> tuple[Place, Arc]:
    """The place that an arc leads to, and the arc there."""
    arc = _arc(sight, colors, shapes, place, taken)
    for _ in range(ROUNDS):
        if arc.drawn_mm < PROMISING_MM:
            break
        of = np.zeros(len(arc.is_drawn), np.int64)
        slopes = bodies.motions_of(sight.view, [place], arc.outline, of, [0, 1])[arc.is_drawn]
        offset = arc.offset_px[arc.is_drawn]
        weight = np.ones(len(offset))
        for _ in range(5):
            normal = slopes.T @ (slopes * weight[:, None]) + np.eye(2) * HELD
            step = np.linalg.solve(normal, slopes.T @ (weight * offset)).clip(-MOST_STEP_MM, MOST_STEP_MM)
            weight = 1 / (1 + ((offset - slopes @ step) / STRAY_PX) ** 2) ** 2
        place = place.moved(np.array([*step, 0, 0, 0, 0]))
        arc = _arc(sight, colors, shapes, place, taken)
        if np.abs(step).max() < STILL_MM:
            break
    return place, arc


def _arc(sight: Sight, colors: Colors, shapes: Shapes, place: Place, taken: Mask) -> Arc:
    """What the bare part of the outline of a samurai at a place shows, of the colour that lies inside of it."""
    outline = bodies.silhouette(sight.view, shapes.samurai, place, SPACING_PX)
    bare = _is_bare(outline, taken)
    outline = bodies.Outline(outline.pixels[bare], outline.normals[bare], outline.body_mm[bare])
    count, sample_mm = len(outline.pixels), 2 * np.pi * shapes.samurai_radius_mm / len(bare)
    if count * sample_mm < BARE_MM:
        return Arc(outline, "red", np.zeros(count, np.bool_), np.zeros(count), sample_mm)
    along, lights = profiles(sight.light, outline.pixels, outline.normals, REACH_PX)
    lights = _soft(lights, SOFT_SAMPLES)
    inner, outer = ((along >= low) & (along <= high) for low, high in (INSIDE_PX, OUTSIDE_PX))
    hues = [hue.reshape(count, -1) for hue in rims.hue_of(lights.reshape(-1, 3), sight.paper)]
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
