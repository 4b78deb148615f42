"""Finds places where a die could be hidden: behind, under or next to pieces, or outside the picture.

A ball is tried at every place. Each pose of a cube contains the ball that touches its faces, so it is at least as
visible. Where the ball would be visible, no cube is hidden. The ball would be visible where the picture shows the mat,
or a piece lower than the ball. A level cube also contains the upright cylinder around the ball. Where only the cylinder
would be visible, a hidden cube leans. A pale object that is neither mat nor piece may be an unrecognized die, and
excludes nothing.

Convention: places and heights in table mm; a cell (row, column) of the grid is two pixels of the view from above wide.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Floats, Floats32
from companion.game.readings import Kind
from vision.measure import cube_fit
from vision.measure.colors import Colors, components_of, paper_mm
from vision.measure.limits import LIMITS as SHARED
from vision.measure.pictures import all_places, coarse_places
from vision.measure.prepared import STEP_MM, PreparedImage
from vision.tables.eyes.checks import foreign_mask
from vision.tables.eyes.die_doubts import is_level, lifted
from vision.tables.eyes.disk_doubts import measured_rises
from vision.tables.eyes.limits import LIMITS
from vision.tables.eyes.pieces import Detection, Shapes

CELL_MM = LIMITS.hideout_cell_px * STEP_MM
NOBODY, NO_PIECE = -1, -2
"""Owners of a cell without a piece, and of one with something pale that was not recognized."""
STRANGE, BEYOND = np.float32(np.inf), np.finfo(np.float32).max
"""Pseudo heights of such a thing, and of what hides a die without being one: paper, the end of the picture."""
INK = np.float32(1.0)
"""Pseudo height of a red or blue surface: above the mat's, below everything on a territory."""

Cells = NDArray[np.int64]
Owners = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class DieHideout:
    """A place (x, y) where a die could be hidden, and the indices of the pieces that would hide it. `area_mm2`: the
    area of all such places around it (None: something pale was not recognized), and `level_mm2`: of those where a level
    die could be hidden. `on_it`: pieces that would all have to be on the die. `one_on_it`: at least one of these pieces
    would have to be on it."""

    at_mm: tuple[float, float]
    behind: tuple[int, ...]
    area_mm2: float | None = None
    level_mm2: float = 0.0
    on_it: tuple[int, ...] = ()
    one_on_it: tuple[int, ...] = ()


def find_hideouts(
    image: PreparedImage, colors: Colors, shapes: Shapes, pieces: Sequence[Detection]
) -> tuple[DieHideout, ...]:
    """Places where one more empire die could be hidden. `pieces`: all pieces found."""
    radius = shapes.empire_die.half_height_mm
    room_mm = radius - LIMITS.rim_mm
    raised = _may_be_raised(image, pieces, 2 * radius)
    low_mm = [float(_corners_mm(piece)[:, 2].max()) for piece in pieces]
    tops_mm = [top_mm + 2 * radius * is_raised for top_mm, is_raised in zip(low_mm, raised, strict=True)]
    bare, hulls = _bare(image, colors, pieces), [_hull(image, piece) for piece in pieces]
    heights, owners = _covered(bare, hulls, tops_mm)
    ball, bulge_mm = _ball(radius)
    cells = _little_seen(heights, ball)
    bodies = [_filled_mm(p) for p, is_raised in zip(pieces, raised, strict=True) if not is_raised]
    # a ninja on a hidden die carries no second die
    carry_mm = [low if p.kind is Kind.NINJA else top for p, low, top in zip(pieces, low_mm, tops_mm, strict=True)]
    whole = np.array([image.kit.mat.width_mm, image.kit.mat.height_mm])
    on_mat = image.to_table((cells[:, ::-1] - LIMITS.hideout_border_cells).astype(np.float64) * LIMITS.hideout_cell_px)
    is_seen = np.zeros(len(cells), bool)  # a ball that would show would also show higher up
    hidden, places = [np.empty((0, 2), np.int64)], [np.empty((0, 3))]
    for z_mm in np.arange(radius, 2 * radius + radius + LIMITS.same_mm, LIMITS.same_mm).tolist():
        xy = image.at_height(on_mat, z_mm)
        near = np.flatnonzero(((xy >= 0) & (xy <= whole)).all(axis=1) & ~is_seen)
        if z_mm > radius:
            near = near[_is_borne(xy[near], z_mm, pieces, carry_mm, radius)]
        surfaces = _under(heights, cells[near], ball)
        is_seen[near] = _shown_mm2(surfaces, z_mm + bulge_mm) > LIMITS.large_mm2
        near = near[~is_seen[near]]
        middles = np.column_stack([xy[near], np.full(len(near), z_mm)])
        free = _is_free(middles, bodies, room_mm)
        hidden.append(cells[near[free]])
        places.append(middles[free])
    cells, middles = np.vstack(hidden), np.vstack(places)
    stand = np.zeros((len(cells), len(pieces)), bool)
    over = _under(owners, cells, ball)
    for i in np.flatnonzero(raised).tolist():
        mine = (over == i).any(axis=1)
        if not mine.any():
            continue
        lower_mm = [low_mm[i] if k == i else top_mm for k, top_mm in enumerate(tops_mm)]
        without = _under(_covered(bare, hulls, lower_mm)[0], cells[mine], ball)
        stand[mine, i] = _shown_mm2(without, middles[mine, 2:] + bulge_mm) > LIMITS.large_mm2
        stand[:, i] |= ~_is_free(middles, [_filled_mm(pieces[i])], room_mm)
    one = _one_stands(bare, hulls, low_mm, np.array(raised), cells, ball, middles[:, 2:] + bulge_mm)
    is_level = ~_is_seen_level(image, heights, middles, ball, radius)
    return _grouped(cells, middles, is_level, stand, one & ~stand.any(axis=1, keepdims=True), owners, ball)


def _is_seen_level(
    image: PreparedImage, heights: Floats32, middles: Floats, ball: Cells, radius_mm: float
) -> NDArray[np.bool_]:
    """Whether level dice with these middles (N, 3) would be visible, by two slices of their upright cylinders."""
    seen, reach = np.zeros(len(middles), bool), int(ball.max())
    for rise_mm in (LIMITS.same_mm - radius_mm, radius_mm - LIMITS.rim_mm):
        level_mm = middles[:, 2] + rise_mm
        at = image.to_grid(image.seen_at(middles[:, :2], level_mm)) / LIMITS.hideout_cell_px
        cells = np.rint(at[:, ::-1]).astype(np.int64) + LIMITS.hideout_border_cells
        cells = cells.clip(reach, np.array(heights.shape) - 1 - reach)
        seen |= _shown_mm2(_under(heights, cells, ball), level_mm[:, None]) > LIMITS.large_mm2
    return seen


def _one_stands(
    bare: Floats32,
    hulls: Sequence[NDArray[np.int32] | None],
    low_mm: Sequence[float],
    raised: NDArray[np.bool_],
    cells: Cells,
    ball: Cells,
    level_mm: Floats,
) -> NDArray[np.bool_]:
    """Mask (N, pieces): one of these pieces must be on the ball, or it would be visible."""
    one = np.zeros((len(cells), len(hulls)), bool)
    shown = _shown_mm2(_under(_covered(bare, hulls, low_mm)[0], cells, ball), level_mm) > LIMITS.large_mm2
    for i in np.flatnonzero(raised).tolist() if shown.any() else ():
        hull = hulls[i]
        if hull is not None:
            mine = cv2.fillConvexPoly(np.zeros(bare.shape, np.uint8), hull, 1, shift=SHARED.subpixel_bits)
            one[shown, i] = _under(mine, cells[shown], ball).any(axis=1)
    return one


def _under(values: NDArray[Any], cells: Cells, ball: Cells) -> NDArray[Any]:
    """The values (N, K) under balls at cells (N, 2)."""
    row = np.array([values.shape[1], 1])
    return np.asarray(values.take((cells @ row)[:, None] + ball @ row))


def _shown_mm2(surfaces: Floats32, level_mm: Floats) -> Floats:
    """The visible area of balls (N,) in front of surfaces (N, K), from the height of the ball's own surface."""
    weights = np.where(surfaces == INK, np.float32(LIMITS.ink_area_weight), np.float32(1))
    return np.asarray((weights * (surfaces < level_mm - LIMITS.rim_mm)).sum(axis=1)) * CELL_MM**2


def _may_be_raised(image: PreparedImage, pieces: Sequence[Detection], die_mm: float) -> list[bool]:
    """Whether each piece may be on a die that it hides.

    A ninja hides too little of a die for its height to matter. A die that fits better on a ninja may also be on a die,
    because one picture hardly distinguishes the two. So may a die whose edges fit nearly as well there as on the table.
    The tilt of a samurai on a rim was assumed, not measured. Samurai that lean on dice were fitted with them.
    """
    raised = [
        piece.kind is Kind.NINJA
        or piece.raised is not None
        or (piece.kind is Kind.EMPIRE_DIE and not is_level(piece))  # at a rim a tilt was chosen among level poses too
        for piece in pieces
    ]
    dice = [i for i, piece in enumerate(pieces) if piece.kind is Kind.EMPIRE_DIE and is_level(piece)]
    if dice:
        places = [lifted(image, pieces[i], die_mm) for i in dice]
        fits = cube_fit.fit_cubes(image, pieces[dice[0]].solid, places, rounds=2)
        for i, fit in zip(dice, fits, strict=True):
            raised[i] |= fit.residual_px < LIMITS.fit_ratio * pieces[i].fit.residual_px
    disks = [i for i, piece in enumerate(pieces) if piece.kind is Kind.SAMURAI and not piece.is_leaning]
    if disks:
        flat = [pieces[i] for i in disks]
        rises, sigmas, *_ = measured_rises(image, flat, [disk.place for disk in flat])
        _, scales = image.view.project(np.array([pieces[i].place.middle_mm for i in disks]))
        # growth of a disk's image per mm of its height
        gains = pieces[disks[0]].solid.radius_mm * scales / abs(float(image.pose.centre_mm[2]))
        lost, scatter = LIMITS.raised_rim_px / gains, LIMITS.fit_px / gains
        least = die_mm - lost - LIMITS.sigmas * np.hypot(sigmas, scatter)
        for i, is_high in zip(disks, rises > least, strict=True):
            raised[i] = bool(is_high or pieces[i].tilt_deg >= LIMITS.level_deg)
    return raised


def _is_borne(
    xy_mm: Floats, z_mm: float, pieces: Sequence[Detection], tops_mm: Sequence[float], radius_mm: float
) -> NDArray[np.bool_]:
    """Whether a piece can carry a die at places (N, 2) at this height: at most half a face's diagonal below."""
    borne = np.zeros(len(xy_mm), bool)
    for piece, top_mm in zip(pieces, tops_mm, strict=True):
        corner = 1.0 if piece.solid.is_round else math.sqrt(2)
        reach_mm = radius_mm + corner * piece.solid.radius_mm
        if z_mm < top_mm + math.sqrt(2) * radius_mm:
            borne |= np.hypot(*(xy_mm - piece.place.middle_mm[:2]).T) < reach_mm
    return borne


def _bare(image: PreparedImage, colors: Colors, pieces: Sequence[Detection]) -> Floats32:
    """The height of the surface in each cell without the pieces: the mat, ink, `STRANGE` or `BEYOND`."""
    pale = np.asarray(cv2.compare(colors.low, (1 - SHARED.max_pale) * colors.high, cv2.CMP_GT), np.uint8)
    strange = foreign_mask(image, colors, list(pieces)) & pale & ~colors.black
    papers = np.zeros_like(strange)
    half_mm = paper_mm(image.kit.mat)
    for centre in image.kit.mat.markers.values():
        paper = image.to_grid(np.array(centre) + half_mm * np.array([[-1], [1]]))
        (left, top), (right, bottom) = np.rint(paper).astype(int).tolist()
        cv2.rectangle(papers, (left, top), (right, bottom), 255, -1)
    near = np.ones((3, 3), np.uint8)
    heights: Floats32 = np.zeros(strange.shape, np.float32)
    for height, mask in ((INK, colors.red | colors.blue), (STRANGE, strange), (BEYOND, papers)):
        heights[cv2.dilate(mask, near) > 0] = height
    heights = heights[:: LIMITS.hideout_cell_px, :: LIMITS.hideout_cell_px]
    heights[~_in_picture(image, heights.shape)] = BEYOND
    return np.pad(heights, LIMITS.hideout_border_cells, constant_values=BEYOND)


def _hull(image: PreparedImage, piece: Detection) -> NDArray[np.int32] | None:
    """The outline of a piece on the grid, for `cv2.fillConvexPoly`; None: a territory."""
    if piece.kind is Kind.TERRITORY:
        return None
    corners = _corners_mm(piece)
    at = image.to_grid(image.seen_at(corners[:, :2], corners[:, 2])) / LIMITS.hideout_cell_px
    hull = cv2.convexHull(at.astype(np.float32)) + LIMITS.hideout_border_cells
    return np.asarray(np.round(hull * 2**SHARED.subpixel_bits), np.int32)


def _covered(
    bare: Floats32, hulls: Sequence[NDArray[np.int32] | None], tops_mm: Sequence[float]
) -> tuple[Floats32, Owners]:
    """The height of the visible surface in each cell, and the index of its piece."""
    heights, owners = bare.copy(), np.where(bare == STRANGE, NO_PIECE, NOBODY).astype(np.int32)
    for i in sorted(range(len(hulls)), key=lambda i: tops_mm[i]):
        if (hull := hulls[i]) is not None:
            cv2.fillConvexPoly(heights, hull, tops_mm[i], shift=SHARED.subpixel_bits)
            cv2.fillConvexPoly(owners, hull, i, shift=SHARED.subpixel_bits)
    return heights, owners


def _corners_mm(piece: Detection) -> Floats:
    """The corners of a piece (N, 3), including its rounded edges."""
    core = piece.solid.core_mm
    return piece.place.points(core * (1 + piece.solid.round_mm / np.abs(core).max(axis=0)))


def _in_picture(image: PreparedImage, shape: tuple[int, int]) -> NDArray[np.bool_]:
    """The cells within the picture."""
    size, stride, (height, width) = shape[::-1], SHARED.stride_px, image.light.shape[:2]
    coarse = coarse_places(
        image.view.to_pixels, lambda cells: image.to_table(cells * LIMITS.hideout_cell_px), size, 0.0, stride
    )
    x, y = cv2.split(all_places(coarse, size, stride))
    return np.asarray((x >= 0) & (y >= 0) & (x < width) & (y < height))


def _ball(radius_mm: float) -> tuple[Cells, Floats]:
    """The cells that a ball covers (K, 2), relative to its middle, and its surface's height over its middle."""
    reach = int(radius_mm / CELL_MM)
    rows, columns = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    square = radius_mm**2 - (rows**2 + columns**2) * CELL_MM**2
    return np.column_stack([rows[square > 0], columns[square > 0]]), np.sqrt(square[square > 0])


def _little_seen(heights: Floats32, ball: Cells) -> Cells:
    """The cells (N, 2) where a ball on the table would cover little of the visible mat."""
    reach = int(ball.max())
    kernel = np.zeros((2 * reach + 1, 2 * reach + 1), np.float32)
    kernel[ball[:, 0] + reach, ball[:, 1] + reach] = 1
    mat = cv2.filter2D((heights == 0).astype(np.float32), -1, kernel, borderType=cv2.BORDER_CONSTANT)
    few = mat * CELL_MM**2 <= LIMITS.large_mm2
    few[:reach] = few[-reach:] = False
    few[:, :reach] = few[:, -reach:] = False
    return np.argwhere(few)


def _filled_mm(piece: Detection) -> Floats:
    """Points (N, 3) spread over the volume of a piece."""
    solid, place = piece.solid, piece.place
    if piece.kind is Kind.TERRITORY:
        return np.empty((0, 3))
    half = solid.half_height_mm
    reach = solid.radius_mm
    along = np.linspace(-reach, reach, 2 * math.ceil(reach / LIMITS.reach_mm) + 1)
    upward = np.linspace(-half, half, math.ceil(2 * half / LIMITS.reach_mm) + 1)
    points = np.stack(np.meshgrid(along, along, upward), axis=-1).reshape(-1, 3)
    if solid.is_round:
        points = points[np.hypot(points[:, 0], points[:, 1]) <= reach]
    return place.points(points)


def _is_free(middles_mm: Floats, bodies_mm: Sequence[Floats], radius_mm: float) -> NDArray[np.bool_]:
    """Whether each ball with these middles (N, 3) contains no point of these bodies, each (M, 3)."""
    free = np.ones(len(middles_mm), bool)
    for body_mm in bodies_mm:
        if not len(body_mm):
            continue
        low, high = body_mm.min(axis=0) - radius_mm, body_mm.max(axis=0) + radius_mm
        near = np.flatnonzero(free & ((middles_mm >= low) & (middles_mm <= high)).all(axis=1))
        balls, points = middles_mm[near] - low, body_mm - low
        far2 = np.square(balls).sum(axis=1)[:, None] + np.square(points).sum(axis=1) - 2 * balls @ points.T
        free[near] = far2.min(axis=1) > radius_mm**2
    return free


def _grouped(
    hidden: Cells,
    places_mm: Floats,
    is_level: NDArray[np.bool_],
    stand: NDArray[np.bool_],
    one: NDArray[np.bool_],
    owners: Owners,
    ball: Cells,
) -> tuple[DieHideout, ...]:
    """Hideouts: connected places of equal `stand` and `one` (N, pieces), with the pieces that hide the middle one."""
    found: list[DieHideout] = []
    carried = np.hstack([stand, one])
    for row in np.unique(carried, axis=0):
        same = (carried == row).all(axis=1)
        on_it, one_on_it = (tuple(np.flatnonzero(part).tolist()) for part in np.split(row, 2))
        cells, xy_mm, level = hidden[same], places_mm[same, :2], is_level[same]
        mask = np.zeros(owners.shape, np.uint8)
        mask[tuple(cells.T)] = 255
        count, labels, _ = components_of(mask)
        label = labels[tuple(cells.T)]
        for k in range(1, count):
            mine, at = xy_mm[label == k], cells[label == k]
            middle = int(np.hypot(*(mine - mine.mean(axis=0)).T).argmin())
            over = owners[tuple((at[middle] + ball).T)]
            names, sizes = np.unique(over[over != NOBODY], return_counts=True)
            hides = names[sizes >= (1 - LIMITS.nearly_all) * len(ball)].tolist()
            behind = tuple(name for name in hides if name != NO_PIECE)
            x, y = np.round(mine[middle], 1).tolist()
            area_mm2 = None if NO_PIECE in hides else len(mine) * CELL_MM**2
            level_mm2 = int(level[label == k].sum()) * CELL_MM**2
            found.append(DieHideout((x, y), behind, area_mm2, level_mm2, on_it, one_on_it))
    return tuple(found)
