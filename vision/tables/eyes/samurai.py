"""Samurai in the view from above: whole circles first, then crescents of those that others cover."""

import cv2
import numpy as np

from calibration.arrays import Mask
from companion.game.kit import Kit
from companion.game.readings import Kind
from vision.measure import bodies, disk_fit
from vision.measure.colors import Colors, components_of
from vision.measure.disk_fit import Circle
from vision.measure.limits import LIMITS as SHARED
from vision.measure.prepared import STEP_MM, PreparedImage
from vision.tables.eyes.hidden_disks import find_shaded
from vision.tables.eyes.limits import LIMITS
from vision.tables.eyes.pieces import Detection, Shapes, draw_over, found_samurai


def find_samurai(
    image: PreparedImage, colors: Colors, shapes: Shapes, kit: Kit, territories: list[Detection]
) -> list[Detection]:
    """The samurai of both colours as if they were flat: their supports are found later."""
    kernel = np.ones((3, 3), np.uint8)
    near = np.asarray(cv2.dilate(colors.red | colors.blue, kernel, iterations=2), np.uint8)
    blind = np.asarray(cv2.dilate(colors.white, kernel, iterations=2), np.uint8)
    edges = disk_fit.edges_of(image, colors, near, blind)
    for t in territories:
        column, row = image.to_grid(t.place.middle_mm[:2])
        edges = edges.without(disk_fit.on_rim(edges, column, row, shapes.territory.radius_mm / STEP_MM))
    most = 2 * sum(kit.piece(kind).count_each for kind in (Kind.SAMURAI, Kind.TERRITORY))
    found, tried = _whole(image, colors, shapes, edges, most)
    for color in ("red", "blue"):
        left = _unexplained(image, colors, [*territories, *found], color)
        if left:
            bare = edges_off_rims(image, edges, [*territories, *found], color)
            more = _crescents(image, shapes, bare, left, found, color)
            if more:
                found += more
                left = _unexplained(image, colors, [*territories, *found], color)
        shaded = find_shaded(image, colors, shapes, left, tried[color], found, color)
        if shaded:
            found += shaded
    return found


def _whole(
    image: PreparedImage, colors: Colors, shapes: Shapes, edges: disk_fit.EdgeMap, most: int
) -> tuple[list[Detection], dict[str, list[bodies.Place]]]:
    """The samurai that show most of their circles, and by colour the other places with votes."""
    radius = shapes.samurai.radius_mm
    seen = disk_fit.find_circles(edges, colors.red.shape, radius / STEP_MM, LIMITS.few, most)
    colored = [(circle, _color_at(colors, edges, circle, radius)) for circle in seen]
    middles = [
        image.at_height(image.to_table(np.array([c.column, c.row])), 2 * shapes.samurai.half_height_mm)
        for c, _ in colored
    ]
    places = [bodies.upright(x, y, shapes.samurai.half_height_mm) for x, y in middles]
    tried: dict[str, list[bodies.Place]] = {"red": [], "blue": []}
    for (_, color), place in zip(colored, places, strict=True):
        tried[color].append(place)
    fits = disk_fit.fit_disks(image, shapes.samurai, places, [color for _, color in colored], rounds=2)
    fits, shaded = _seen_by_shade(image, shapes, colored, places, fits)
    found: list[Detection] = []
    for i, (circle, color) in enumerate(colored):
        fit = fits[i]
        if not _shows_rim(circle, fit):
            continue
        if _is_duplicate(fit, color, found):
            continue
        tried[color] = [place for place in tried[color] if place is not places[i]]
        is_sure = circle.support >= LIMITS.sure_votes
        confidence, error_mm = (1.0, 0.0) if is_sure else (circle.support, LIMITS.faint_error_mm)
        found.append(found_samurai(shapes, color, fit, confidence, error_mm, is_shaded=i in shaded))
    return found, tried


def _seen_by_shade(
    image: PreparedImage,
    shapes: Shapes,
    colored: list[tuple[Circle, str]],
    places: list[bodies.Place],
    fits: list[bodies.Fit],
) -> tuple[list[bodies.Fit], list[int]]:
    """The fits of circles, and which of them used steps of brightness because too little of a line shows."""
    unseen = [k for k, (fit, (circle, _)) in enumerate(zip(fits, colored, strict=True)) if not _shows_rim(circle, fit)]
    if not unseen:
        return fits, []
    starts, own = [places[k] for k in unseen], [colored[k][1] for k in unseen]
    again = disk_fit.fit_disks(image, shapes.samurai, starts, own, are_shaded=[True] * len(unseen))
    better = {k: fit for k, fit in zip(unseen, again, strict=True) if fit.coverage > LIMITS.some}
    return [better.get(k, fit) for k, fit in enumerate(fits)], list(better)


def _shows_rim(circle: Circle, fit: bodies.Fit) -> bool:
    """Whether a circle shows enough of its rim."""
    if circle.support < LIMITS.fifth:
        return fit.coverage - fit.clear > LIMITS.some
    return fit.coverage >= (LIMITS.fifth if fit.residual_px < SHARED.outline_sigma_px else LIMITS.some)


def _crescents(
    image: PreparedImage, shapes: Shapes, edges: disk_fit.EdgeMap, left: list[Mask], found: list[Detection], color: str
) -> list[Detection]:
    """Samurai mostly covered by others: found by colour that nothing else explains."""
    radius = shapes.samurai.radius_mm / STEP_MM
    more: list[Detection] = []
    at = edges.at.astype(int)
    for mine in left:
        near = cv2.dilate(mine, np.ones((5, 5), np.uint8))
        own = edges.of(np.flatnonzero(near[at[:, 1], at[:, 0]]))
        if len(own.at) < SHARED.min_rim_samples:
            continue
        board = disk_fit.vote(own, mine.shape, radius)
        _, best, _, (column, row) = cv2.minMaxLoc(board)
        if best < LIMITS.trace:
            continue
        xy = image.at_height(image.to_table(np.array([float(column), float(row)])), 2 * shapes.samurai.half_height_mm)
        place = bodies.upright(xy[0], xy[1], shapes.samurai.half_height_mm)
        fit = disk_fit.fit_disk(image, shapes.samurai, place, color, is_crescent=True)
        if fit.coverage < LIMITS.trace or _is_duplicate(fit, color, found + more):
            continue
        confidence, error_mm = LIMITS.in_doubt, LIMITS.contact_mm
        more.append(found_samurai(shapes, color, fit, confidence, error_mm, is_crescent=True))
    return more


def _unexplained(image: PreparedImage, colors: Colors, pieces: list[Detection], color: str) -> list[Mask]:
    """The parts of a colour that no found disk explains, if they are large and broad enough to be a piece's."""
    left = colors.of(color).copy()
    for piece in pieces:
        if piece.kind is not Kind.TERRITORY or piece.color == color:
            draw_over(image, left, piece, value=0)
    return large_parts(left)


def large_parts(left: Mask) -> list[Mask]:
    """The parts of a mask that are large and broad enough to be a piece's."""
    if cv2.countNonZero(left) * STEP_MM**2 < LIMITS.large_mm2:
        return []
    deep = cv2.distanceTransform(left, cv2.DIST_L2, 3)
    if deep.max() < LIMITS.min_crescent_px:
        return []
    count, labels, stats = components_of(left)
    large = [i for i in range(1, count) if stats[i, cv2.CC_STAT_AREA] * STEP_MM**2 >= LIMITS.large_mm2]
    masks = [labels == i for i in large]
    return [mask.astype(np.uint8) for mask in masks if deep[mask].max() >= LIMITS.min_crescent_px]


def edges_off_rims(
    image: PreparedImage, edges: disk_fit.EdgeMap, pieces: list[Detection], color: str
) -> disk_fit.EdgeMap:
    """The edges that are not on the rims of found disks."""
    known = [
        disk_fit.on_rim(edges, column, row, piece.solid.radius_mm / STEP_MM)
        for piece in pieces
        for column, row in [image.shown_at(piece.place.middle_mm).tolist()]
        if piece.kind is not Kind.TERRITORY or piece.color == color
    ]
    return edges.without(np.concatenate(known)) if known else edges


def _color_at(colors: Colors, edges: disk_fit.EdgeMap, circle: Circle, radius_mm: float) -> str:
    """The colour just inside of the rim, where the rim shows."""
    d = edges.at[circle.rim] - np.array([circle.column, circle.row], np.float32)
    d /= np.maximum(np.hypot(d[:, 0], d[:, 1]), LIMITS.tiny)[:, None]
    inside = np.array([circle.column, circle.row]) + d * (radius_mm - LIMITS.same_mm) / STEP_MM
    c = inside[:, 0].round().astype(int).clip(0, colors.red.shape[1] - 1)
    r = inside[:, 1].round().astype(int).clip(0, colors.red.shape[0] - 1)
    return "red" if (colors.red[r, c] > 0).sum() > (colors.blue[r, c] > 0).sum() else "blue"


def _is_duplicate(fit: bodies.Fit, color: str, found: list[Detection]) -> bool:
    for other in found:
        least_mm = other.solid.radius_mm if fit.clear < LIMITS.trace else LIMITS.same_mm
        if color == other.color and bodies.apart_mm(fit.place, other.place) < least_mm:
            return True
    return False
