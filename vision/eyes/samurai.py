"""Samurai in the view from above: whole circles first, then crescents of those that others cover."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from companion.kit import Kit
from companion.readings import Kind
from vision.eyes import bodies, circles, rims
from vision.eyes.arcs import arc_at, taken_by
from vision.eyes.circles import Circle
from vision.eyes.color import Colors
from vision.eyes.parts import parts_of
from vision.eyes.pieces import TWIN_MM, Found, Shapes, radius_mm
from vision.eyes.shaded import find_shaded
from vision.eyes.sight import STEP_MM, Mask, Sight

CRESCENT_MM2, CRESCENT_SUPPORT, CRESCENT_MM = 40.0, 0.06, 0.3
"""A crescent of this area, with so much of a rim, tells of a samurai under others, known to this error."""
CRESCENT_DEEP_PX = 1.4
"""Thinner crescents are walls or blurred rims."""
AROUND_PX = 0.75
"""What lies so near outside of a disk that was found is its blurred rim."""
FINE_BITS = 4
"""Disks are drawn to this share of a pixel, as a power of two: a part beside them may be two pixels broad."""
CRESCENT_GAP_MM = 4.0
"""Colour so near to a samurai may be of one below it."""
UNSEEN_MM, UNSEEN_CONFIDENCE = 0.6, 0.7
"""A samurai that lies on another that was not found is seen so far from where it is."""
SHADED_SUPPORT, SHADED_RIM, SHADED_BESIDE = 0.25, 0.3, 0.5
"""A circle with so many votes whose rim has no line, or too little of one, is looked at again for steps of brightness:
so much must show, and where there are lines, which may be others' rims, so much."""
LEAST_SUPPORT, FAINT_SUPPORT = 0.2, 0.12
"""A circle has so many votes of a whole rim's, and one that others may cover for the most of it so many."""
LEAST_RIM, SURE_SUPPORT, SURE_RIM = 0.33, 0.4, 0.12
"""A circle with fewer votes must show so much of its rim in the picture itself, and one with more a little."""
SEEN_CONFIDENCE = 0.98
"""How surely a samurai is one whose circle has more: of 960 such in labelled scenes, two fifths of them with less than
0.95 of a whole rim's votes, none was invented."""
FAINT_RIM, FAINT_BARE_MM, FAINT_SHARE = 0.36, 40.0, 0.2
"""Where no more of a rim is seen, and so much is bare of others, such a share must be drawn at a closer look: a shadow
across a territory's rim, the one thing invented in 3948 circles of labelled scenes, showed 0.07."""
CLOSE_MM = 14.0
"""Two circles nearer than this must both show rims of their own."""


def find_samurai(
    sight: Sight, colors: Colors, shapes: Shapes, kit: Kit, territories: list[Found]
) -> tuple[list[Found], circles.EdgeMap]:
    """The samurai of both colours, as if they lay flat: what they lie on is found later; and the edges looked at."""
    kernel = np.ones((3, 3), np.uint8)
    near = cv2.dilate(colors.red | colors.blue, kernel, iterations=2)
    blind = cv2.dilate(colors.white, kernel, iterations=2)
    edges = circles.edges_of(sight, colors, near, blind)
    for t in territories:
        column, row = sight.to_grid(t.place.middle_mm[:2])
        edges = edges.without(circles.on_rim(edges, column, row, shapes.territory_radius_mm / STEP_MM, 2.2))
    most = 2 * kit.piece(Kind.SAMURAI).count_each + 6
    found, tried = _whole(sight, colors, shapes, edges, most)
    found = [disk for disk in found if not _is_shadow(sight, colors, shapes, disk, territories, found)]
    for color in ("red", "blue"):
        left = _unexplained(sight, colors, shapes, [*territories, *found], color)
        if left:
            bare = not_rims(sight, shapes, edges, [*territories, *found], color)
            more = _crescents(sight, shapes, bare, left, found, color)
            if more:
                found += more
                left = _unexplained(sight, colors, shapes, [*territories, *found], color)
        shaded = find_shaded(sight, colors, shapes, left, tried[color], found, color)
        if shaded:
            found += shaded
            left = _unexplained(sight, colors, shapes, [*territories, *found], color)
        found = _lifted(sight, found, left)
    return found, edges


def _whole(
    sight: Sight, colors: Colors, shapes: Shapes, edges: circles.EdgeMap, most: int
) -> tuple[list[Found], dict[str, list[bodies.Place]]]:
    """The samurai whose circles are seen for the most of them, and by colour the other places that votes fell on."""
    radius = shapes.samurai_radius_mm
    seen = circles.find_circles(edges, colors.red.shape, radius / STEP_MM, FAINT_SUPPORT, most)
    colored = [(circle, color) for circle in seen if (color := _color_at(sight, colors, edges, circle, radius))]
    middles = [sight.at_height(sight.to_table(np.array([c.column, c.row])), 4.0) for c, _ in colored]
    places = [bodies.upright(x, y, shapes.samurai.half_height_mm) for x, y in middles]
    tried: dict[str, list[bodies.Place]] = {"red": [], "blue": []}
    for (_, color), place in zip(colored, places, strict=True):
        tried[color].append(place)
    clear = [i for i, (circle, _) in enumerate(colored) if circle.support >= LEAST_SUPPORT]
    fits = rims.fit_disks(sight, shapes.samurai, [places[i] for i in clear], [colored[i][1] for i in clear], rounds=2)
    fits, shaded = _seen_by_shade(sight, shapes, [(*colored[i], places[i]) for i in clear], fits)
    found: list[Found] = []
    for k, (i, fit) in enumerate(zip(clear, fits, strict=True)):
        circle, color = colored[i]
        if fit.coverage < _least_rim(circle) or fit.residual_px > 1.5:
            continue
        if np.hypot(*(fit.place.middle_mm[:2] - middles[i])) > 6.0:
            continue
        if _is_twin(fit, color, found):
            continue
        tried[color] = [place for place in tried[color] if place is not places[i]]
        confidence = SEEN_CONFIDENCE if circle.support >= SURE_SUPPORT else circle.support
        found.append(Found(Kind.SAMURAI, color, shapes.samurai, fit, confidence=confidence, is_shaded=k in shaded))
    return found, tried


def _seen_by_shade(
    sight: Sight, shapes: Shapes, circled: list[tuple[Circle, str, bodies.Place]], fits: list[rims.Fit]
) -> tuple[list[rims.Fit], list[int]]:
    """The fits of circles, those of which too little of a line was seen made anew by steps of brightness, and which
    these are."""
    unseen = [
        k
        for k, (fit, (circle, _, _)) in enumerate(zip(fits, circled, strict=True))
        if fit.coverage < _least_rim(circle) and circle.support > SHADED_SUPPORT
    ]
    if not unseen:
        return fits, []
    starts, own = [circled[k][2] for k in unseen], [circled[k][1] for k in unseen]
    again = rims.fit_disks(sight, shapes.samurai, starts, own, rounds=3, are_shaded=[True] * len(unseen))
    better = {
        k: fit
        for k, fit in zip(unseen, again, strict=True)
        if fit.coverage > (SHADED_RIM if fits[k].coverage == 0 else SHADED_BESIDE)
    }
    return [better.get(k, fit) for k, fit in enumerate(fits)], list(better)


def _least_rim(circle: Circle) -> float:
    """How much of its rim a circle must show."""
    return LEAST_RIM if circle.support < SURE_SUPPORT else SURE_RIM


def _lifted(sight: Sight, samurai: list[Found], left: list[Mask]) -> list[Found]:
    """Samurai beside colour that nothing explains: one that was not found may carry them."""
    if not left:
        return samurai
    columns_rows = np.argwhere(np.any(left, axis=0))[:, ::-1].astype(np.float64)
    judged = []
    for disk in samurai:
        seen = sight.shown_at(disk.place.middle_mm)
        beside = (radius_mm(disk) + CRESCENT_GAP_MM) / STEP_MM
        if np.hypot(*(columns_rows - seen).T).min() < beside:
            spread = float(np.hypot(disk.spread_mm, UNSEEN_MM))
            disk = replace(disk, spread_mm=spread, confidence=min(disk.confidence, UNSEEN_CONFIDENCE))
        judged.append(disk)
    return judged


def _crescents(
    sight: Sight, shapes: Shapes, edges: circles.EdgeMap, left: list[Mask], found: list[Found], color: str
) -> list[Found]:
    """Samurai of which little is seen beside those that lie on them: colour that nothing else explains."""
    radius = shapes.samurai_radius_mm / STEP_MM
    more: list[Found] = []
    at = edges.at.astype(int)
    for mine in left:
        near = cv2.dilate(mine, np.ones((5, 5), np.uint8))
        own = edges.of(np.flatnonzero(near[at[:, 1], at[:, 0]]))
        if len(own.at) < 8:
            continue
        board = circles.vote(own, mine.shape, radius)
        _, best, _, (column, row) = cv2.minMaxLoc(board)
        if best < CRESCENT_SUPPORT:
            continue
        xy = sight.at_height(sight.to_table(np.array([float(column), float(row)])), 4.0)
        place = bodies.upright(xy[0], xy[1], shapes.samurai.half_height_mm)
        fit = rims.fit_disk(sight, shapes.samurai, place, color, rounds=3, is_crescent=True)
        if fit.coverage < 0.06 or np.hypot(*(fit.place.middle_mm[:2] - xy)) > 6.0 or _is_twin(fit, color, found + more):
            continue
        more.append(
            Found(Kind.SAMURAI, color, shapes.samurai, fit, confidence=0.6, spread_mm=CRESCENT_MM, is_crescent=True)
        )
    return more


def _on_view(sight: Sight, shapes: Shapes, pieces: list[Found], color: str) -> list[tuple[float, float, float]]:
    """Where the view from above shows disks: the column and row of the middle and the radius in its pixels."""
    seen = []
    for piece in pieces:
        if piece.kind is Kind.TERRITORY and piece.color != color:
            continue
        column, row = sight.shown_at(piece.place.middle_mm)
        radius = shapes.territory_radius_mm if piece.kind is Kind.TERRITORY else shapes.samurai_radius_mm
        seen.append((float(column), float(row), radius / STEP_MM))
    return seen


def _unexplained(sight: Sight, colors: Colors, shapes: Shapes, pieces: list[Found], color: str) -> list[Mask]:
    """What of a colour no disk found explains: each part that is large and broad enough to be a piece's."""
    left = colors.of(color).copy()
    for column, row, radius in _on_view(sight, shapes, pieces, color):
        x, y, reach = (round(size * 2**FINE_BITS) for size in (column, row, radius + AROUND_PX))
        cv2.circle(left, (x, y), reach, 0, -1, shift=FINE_BITS)
    return large_parts(left)


def large_parts(left: Mask) -> list[Mask]:
    """The parts of a mask that are large and broad enough to be a piece's."""
    if cv2.countNonZero(left) * STEP_MM**2 < CRESCENT_MM2:
        return []
    deep = cv2.distanceTransform(left, cv2.DIST_L2, 3)
    if deep.max() < CRESCENT_DEEP_PX:
        return []
    count, labels, stats = parts_of(left)
    large = [i for i in range(1, count) if stats[i, cv2.CC_STAT_AREA] * STEP_MM**2 >= CRESCENT_MM2]
    masks = [labels == i for i in large]
    return [mask.astype(np.uint8) for mask in masks if deep[mask].max() >= CRESCENT_DEEP_PX]


def not_rims(
    sight: Sight, shapes: Shapes, edges: circles.EdgeMap, pieces: list[Found], color: str, within_px: float = 1.8
) -> circles.EdgeMap:
    """The edges that are no found disk's rim, or so near to one."""
    known = [circles.on_rim(edges, *disk, within_px) for disk in _on_view(sight, shapes, pieces, color)]
    return edges.without(np.concatenate(known)) if known else edges


def _color_at(sight: Sight, colors: Colors, edges: circles.EdgeMap, circle: Circle, radius_mm: float) -> str | None:
    """The colour just inside the rim where the rim is seen."""
    on = circles.on_rim(edges, circle.column, circle.row, radius_mm / STEP_MM)
    d = edges.at[on] - np.array([circle.column, circle.row], np.float32)
    d /= np.maximum(np.hypot(d[:, 0], d[:, 1]), 1e-6)[:, None]
    inside = np.array([circle.column, circle.row]) + d * (radius_mm - 3.5) / STEP_MM
    c = inside[:, 0].round().astype(int).clip(0, colors.red.shape[1] - 1)
    r = inside[:, 1].round().astype(int).clip(0, colors.red.shape[0] - 1)
    red, blue = int((colors.red[r, c] > 0).sum()), int((colors.blue[r, c] > 0).sum())
    if red + blue < 0.4 * max(len(c), 1) or red + blue < 6:
        return None
    return "red" if red > blue else "blue"


def _is_shadow(
    sight: Sight, colors: Colors, shapes: Shapes, disk: Found, territories: list[Found], samurai: list[Found]
) -> bool:
    """Whether a circle whose rim is hardly seen is none: what nothing covers of it is not drawn."""
    if disk.fit.coverage > FAINT_RIM:
        return False
    taken = taken_by(sight, [*territories, *(other for other in samurai if other is not disk)])
    arc = arc_at(sight, colors, shapes, disk.place, taken)
    return arc.bare_mm > FAINT_BARE_MM and arc.share < FAINT_SHARE


def _is_twin(fit: rims.Fit, color: str, found: list[Found]) -> bool:
    for other in found:
        apart = bodies.apart_mm(fit.place, other.place)
        if apart < TWIN_MM and color == other.color:
            return True
        if apart < CLOSE_MM and color == other.color and fit.clear < 0.08:
            return True
    return False
