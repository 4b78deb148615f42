"""Samurai of which only a narrow crescent is seen, beside one that lies on them or between two others.

The outer side of a crescent is an arc of a circle of known size. A place is believed where most of the bare arc is
drawn: by the end of the samurai's colour or, on ground of the same colour, by the thin dark line of a rim. In 400
labelled scenes there was a samurai at every place that was drawn over 24 mm, over three fifths of what is bare, and to
a pixel. Other circles, where lines happened to lie near, were up to 2.5 pixels off.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from companion.readings import Kind
from vision.eyes.pieces import Detection, Shapes, radius_mm
from vision.eyes.rim_arcs import (
    BARE_MM,
    DRAWN_PX,
    DRAWN_SHARE,
    INSIDE_PX,
    SPACING_PX,
    Arc,
    arc_at,
    covered_pixels,
    is_bare,
)
from vision.eyes.samurai import edges_off_rims
from vision.measure import bodies, circles, rims, views
from vision.measure.bodies import Place, apart_mm
from vision.measure.colors import Colors
from vision.measure.prepared import DISK_HALF_MM, STEP_MM, Mask, PreparedImage

LEAST_SUPPORT, PEAK_PX, MOST_CIRCLES = 0.06, 2, 40
"""A circle is tried from this share of a whole rim's votes on: the peaks within so many pixels of the view from above,
then the best of what is left, at most so many."""
BESIDE_PX = 1.0
"""Edges nearer to a known rim are its own; those of a narrow crescent begin close beside it."""
UNDER_MM = 3.0
"""A samurai under or on another one reaches at least so far under or over it."""
PROMISING_MM = 14.0
"""Shorter arcs are not followed."""
NUDGES_MM = [(3.0 * np.cos(turn), 3.0 * np.sin(turn)) for turn in np.arange(8) * np.pi / 4]
"""A circle that is voted for and of which others cover nearly all is looked at so far beside as well: the votes of a
short arc lie scattered. Of 24 drawn piles with such a crescent at their foot 20 are told so, 4 without; of 1,200 drawn
scenes three gain hidden samurai by it and none a false one (4 mm: 21 of 24, but one false one)."""
HELD, STRAY_PX = 0.5, 0.8
"""How firmly a step is held (squared pixels a mm); samples that stray further lose their weight."""
MOST_STEP_MM, STILL_MM, ROUNDS = 3.0, 0.05, 4
MOST_BARE, OWN_SHARE = 0.7, 0.3
"""An arc is tried where no more than the first share of the whole rim is bare, and at least the second share of that
has the samurai's colour inside."""
ACROSS_MM = 24.0
"""An arc across others must show so much of its colour."""
APART_MM, SHORT_APART_MM, NUDGED_APART_MM = 3.2, 5.0, 7.0
"""A disk of a colour that seems nearer to one that was found is that one; the second where little of it is drawn, the
third where no circle was voted for just there (the one false one seemed 6.0 away, the nearest true one 7.7)."""
BESIDE_HIDDEN_MM = 8.0
"""Two of one colour nearer than this lie so nearly in one place that one's rim may be taken for the other's."""
SPLIT_MM = 5.0
"""Two nearer than this, of which neither is drawn all around, are one."""
WHOLE_SHARE, ASTRAY_PX = 0.85, 1.4
"""A rim that lies above is drawn over more than this share of what others leave bare of it; what is drawn with more
scatter is another's rim or a shadow."""
POOR_PX, UNSEEN_PX, CLOSE_PX, CLOSER_PX = 0.4, 9.0, 0.8, 0.5
"""A rim that fits no better than the first (RMS; none was seen where it is the second) may be a shadow's: it is, where
one is drawn within the third, and nearer by the fourth than where it was found."""
ON_SAMURAI_MM = 0.5
"""What lies so much higher than on a territory lies on a samurai."""
HIDDEN_MM, HIDDEN_CONFIDENCE = 0.5, 0.6
"""The error of such a samurai, and the confidence in it."""


def find_hidden(
    image: PreparedImage,
    colors: Colors,
    shapes: Shapes,
    edges: circles.EdgeMap,
    pieces: list[Detection],
    rests_on: list[tuple[int, int, float]],
    changed: list[Detection] | None = None,
) -> tuple[list[Detection], list[Detection]]:
    """Hidden samurai as if they lay flat, and the pieces that they replace.

    Samurai whose rim fits better elsewhere are among both. A piece beside a hidden one of its colour goes if it has no
    rim of its own. `edges`: of the view from above. `rests_on`: across a piece that bears another the rim of one
    between them may run. `changed`: search only near these. Distances are measured to where the pieces were laid.
    """
    samurai = [piece for piece in pieces if piece.kind is Kind.SAMURAI]
    moved = [(disk, anew) for disk in samurai if (anew := _met_again(image, colors, shapes, disk, pieces))]
    uppers = [disk for disk in samurai if all(disk is not gone for gone, _ in moved)]
    again = [disk for _, disk in moved]
    starts = _starts(image, colors, shapes, edges, pieces, uppers)
    if changed is not None:
        starts = _over(starts, changed)
    lower = [piece for k, piece in enumerate(pieces) if piece in uppers and any(j == k for _, j, _ in rests_on)]
    found = _hidden_under(image, colors, shapes, pieces, starts, lower, uppers + again)
    mistaken: list[tuple[Detection, list[Detection]]] = []
    split: list[Detection] = []
    for upper in [upper for upper in uppers if not upper.is_hidden]:
        beside = [p for p in found if p.color == upper.color and apart_mm(p.place, upper.place) < BESIDE_HIDDEN_MM]
        if not beside:
            continue
        bare = covered_pixels(image, [p for p in pieces if p is not upper])
        alone = arc_at(image, colors, shapes, upper.place, bare)
        if _is_mistaken(image, colors, shapes, upper, alone, beside, bare):
            mistaken.append((upper, beside))
        elif alone.share <= WHOLE_SHARE:
            # a shadow splits its rim in two
            split += [p for p in beside if apart_mm(p.place, upper.place) <= SPLIT_MM]
    found = [p for p in found if p not in split]
    # nothing goes for the sake of what is dropped itself
    gone = [upper for upper, beside in mistaken if any(p in found for p in beside)]
    return again + found, [disk for disk, _ in moved] + gone


def _hidden_under(
    image: PreparedImage,
    colors: Colors,
    shapes: Shapes,
    pieces: list[Detection],
    starts: list[Place],
    lower: list[Detection],
    known: list[Detection],
) -> list[Detection]:
    """The hidden samurai found from these starts, without known ones; rims may run across the `lower` ones."""
    if not starts:
        return []
    found: list[Detection] = []
    every = covered_pixels(image, pieces)
    likely = _likely(image, colors, shapes, starts, every, None)
    beside = _likely(image, colors, shapes, _nudged([start for start in starts if start not in likely]), every, None)
    for k, start in enumerate(likely + beside):
        place, arc = _followed(image, colors, shapes, start, every)
        near_mm = _nearest_mm(place, arc.color, known + found)
        if k >= len(likely) and near_mm < NUDGED_APART_MM:
            continue
        if (arc.is_rim and near_mm >= APART_MM) or (arc.is_short_rim and near_mm >= SHORT_APART_MM):
            found.append(_hidden(shapes, place, arc))
    for bearing in [[disk for disk in lower if disk.color == color] for color in ("red", "blue")]:
        if not bearing:
            continue
        taken = covered_pixels(image, pieces, bearing)
        for place, arc in _traced(image, colors, shapes, _over(starts, bearing), taken, every):
            is_one = arc.is_rim_across and arc.color == bearing[0].color
            if is_one and _nearest_mm(place, arc.color, known + found) >= APART_MM:
                found.append(replace(_hidden(shapes, place, arc), is_crescent=False))
    return found


def _met_again(
    image: PreparedImage, colors: Colors, shapes: Shapes, disk: Detection, pieces: list[Detection]
) -> Detection | None:
    """A samurai whose rim fits badly, moved to where a rim is drawn all around and closely; None where there is no such
    place, and for one that lies on others."""
    is_on_samurai = disk.under.height_mm > 2 * shapes.territory.half_height_mm + ON_SAMURAI_MM
    if disk.flat is None or disk.is_hidden or is_on_samurai or not POOR_PX <= disk.fit.residual_px < UNSEEN_PX:
        return None
    bare = covered_pixels(image, [piece for piece in pieces if piece is not disk])
    here = arc_at(image, colors, shapes, disk.place, bare)
    place, arc = _followed(image, colors, shapes, disk.place, bare)
    is_rim = arc.color == disk.color and arc.share > WHOLE_SHARE and arc.scatter_px < CLOSE_PX
    if not is_rim or here.scatter_px - arc.scatter_px < CLOSER_PX:
        return None
    again = replace(disk.flat, spread_mm=float(np.hypot(disk.flat.spread_mm, HIDDEN_MM)), is_hidden=True)
    seen = replace(again, fit=replace(again.fit, place=place))
    return keep_in_view(image, seen, disk.flat.place)


def _traced(
    image: PreparedImage, colors: Colors, shapes: Shapes, starts: list[Place], taken: Mask, every: Mask
) -> Iterator[tuple[Place, Arc]]:
    """Where the likely starts lead to, of those bare of `taken` for long enough and not of `every`."""
    for start in _likely(image, colors, shapes, starts, taken, every):
        yield _followed(image, colors, shapes, start, taken)


def _nudged(starts: list[Place]) -> list[Place]:
    """Places a little beside starts, all around."""
    return [start.moved(np.array([*step, 0, 0, 0, 0])) for start in starts for step in NUDGES_MM]


def _over(starts: list[Place], disks: list[Detection]) -> list[Place]:
    """The starts from which a disk would reach over one of these."""
    return [p for p in starts if any(apart_mm(p, disk.place) < 2 * radius_mm(disk) - UNDER_MM for disk in disks)]


def _nearest_mm(place: Place, color: str, disks: list[Detection]) -> float:
    """How far the next disk of a colour lies from a place."""
    return min((apart_mm(disk.place, place) for disk in disks if disk.color == color), default=np.inf)


def _is_mistaken(
    image: PreparedImage,
    colors: Colors,
    shapes: Shapes,
    disk: Detection,
    alone: Arc,
    beside: list[Detection],
    bare: Mask,
) -> bool:
    """Whether a disk is only a shadow of the ones `beside` it: it shows no rim of its own where they would lie above
    it; or one of them is drawn all around even if the disk lay above, and the disk is not. `alone`: its arc without
    them. `bare`: what the others take."""
    own = arc_at(image, colors, shapes, disk.place, bare | covered_pixels(image, beside))
    if own.color != disk.color or own.share < DRAWN_SHARE:
        return True
    if own.scatter_px <= ASTRAY_PX and alone.share > WHOLE_SHARE:
        return False
    return any(arc_at(image, colors, shapes, other.place, bare).share > WHOLE_SHARE for other in beside)


def _hidden(shapes: Shapes, place: Place, arc: Arc) -> Detection:
    share = arc.drawn_mm / (2 * np.pi * shapes.samurai_radius_mm)
    fit = bodies.Fit(place, np.diag([0.1, 0.1, 0.0, 0.0, 0.0, 0.0]), share, share, share, DRAWN_PX)
    return Detection(
        Kind.SAMURAI,
        arc.color,
        shapes.samurai,
        fit,
        confidence=HIDDEN_CONFIDENCE,
        spread_mm=HIDDEN_MM,
        is_crescent=True,
        is_hidden=True,
    )


def keep_in_view(image: PreparedImage, disk: Detection, place: Place) -> Detection:
    """A hidden samurai laid at another height, seen where it was seen."""
    old, new = (float(each.middle_mm[2]) + DISK_HALF_MM for each in (disk.place, place))
    xy = image.at_height(image.seen_at(disk.place.middle_mm[:2], old), new)
    return replace(disk, fit=replace(disk.fit, place=Place(np.append(xy, place.middle_mm[2]), place.axes)))


def _starts(
    image: PreparedImage,
    colors: Colors,
    shapes: Shapes,
    edges: circles.EdgeMap,
    pieces: list[Detection],
    uppers: list[Detection],
) -> list[Place]:
    """Peaks of votes by edges that are no found disk's rim, near enough to one to lie under it."""
    if not uppers:
        return []
    for color in ("red", "blue"):
        edges = edges_off_rims(
            image, shapes, edges, [p for p in pieces if p.solid.is_round and p.color == color], color, BESIDE_PX
        )
    radius = shapes.samurai_radius_mm / STEP_MM
    above = np.array([image.shown_at(upper.place.middle_mm) for upper in uppers])
    rows, columns = colors.red.shape
    left, top = np.maximum(np.floor(above.min(axis=0) - 2 * radius).astype(int), 0).tolist()
    right, bottom = np.minimum(np.ceil(above.max(axis=0) + 2 * radius).astype(int) + 1, (columns, rows)).tolist()
    near = edges.within(left - radius, top - radius, right + radius, bottom + radius).shifted(left, top)
    seen = circles.peaks_of(near, (bottom - top, right - left), radius, LEAST_SUPPORT, MOST_CIRCLES, PEAK_PX)
    high = 2 * shapes.samurai.half_height_mm
    middles = image.at_height(image.to_table(seen + np.array([left, top])), high)
    places = [bodies.upright(x, y, high / 2) for x, y in middles.tolist()]
    return _over(places, uppers)


def _likely(
    image: PreparedImage, colors: Colors, shapes: Shapes, places: list[Place], taken: Mask, every: Mask | None
) -> list[Place]:
    """Places where the bare part of an outline has a samurai's colour inside, and is too short for the samurai to be
    found whole. With `every`: only those with more bare of `taken` than of it."""
    if not places:
        return []
    outlines = views.silhouettes(image.view, shapes.samurai, places, 3 * SPACING_PX)
    outline, first = outlines.outline, np.cumsum(outlines.counts) - outlines.counts
    bare = is_bare(outline, taken)
    x, y = np.round(outline.pixels[bare] + outline.normals[bare] * np.mean(INSIDE_PX)).astype(int).T
    x, y = x.clip(0, taken.shape[1] - 1), y.clip(0, taken.shape[0] - 1)
    hues = rims.hue_of(image.light[y, x] * (1 / 65535), image.paper)
    shares = [np.add.reduceat(bare, first, dtype=np.int64) / outlines.counts]
    for hue, least in zip(hues, (colors.red_from, colors.blue_from), strict=True):
        mine = np.zeros(len(bare), np.bool_)
        mine[bare] = hue > least
        shares.append(np.add.reduceat(mine, first, dtype=np.int64) / outlines.counts)
    bared, own = shares[0], np.maximum(shares[1], shares[2])
    rim_mm = 2 * np.pi * shapes.samurai_radius_mm
    if every is None:
        good = (bared <= MOST_BARE) & (own >= np.maximum(BARE_MM / rim_mm, OWN_SHARE * bared))
    else:
        before = np.add.reduceat(is_bare(outline, every), first, dtype=np.int64) / outlines.counts
        good = (bared <= MOST_BARE) & (own >= ACROSS_MM / rim_mm) & (bared - before >= BARE_MM / rim_mm)
    return [place for place, is_good in zip(places, good.tolist(), strict=True) if is_good]


def _followed(image: PreparedImage, colors: Colors, shapes: Shapes, place: Place, taken: Mask) -> tuple[Place, Arc]:
    """The place an arc leads to, and the arc there."""
    arc = arc_at(image, colors, shapes, place, taken)
    for _ in range(ROUNDS):
        if arc.drawn_mm < PROMISING_MM:
            break
        of = np.zeros(len(arc.is_drawn), np.int64)
        slopes = views.motions_of(image.view, [place], arc.outline, of, [0, 1])[arc.is_drawn]
        offset = arc.offset_px[arc.is_drawn]
        weight = np.ones(len(offset))
        for _ in range(5):
            normal = slopes.T @ (slopes * weight[:, None]) + np.eye(2) * HELD
            step = np.linalg.solve(normal, slopes.T @ (weight * offset)).clip(-MOST_STEP_MM, MOST_STEP_MM)
            weight = 1 / (1 + ((offset - slopes @ step) / STRAY_PX) ** 2) ** 2
        place = place.moved(np.array([*step, 0, 0, 0, 0]))
        arc = arc_at(image, colors, shapes, place, taken)
        if np.abs(step).max() < STILL_MM:
            break
    return place, arc
