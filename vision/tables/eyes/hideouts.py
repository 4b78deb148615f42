"""Places where a die could be without being seen: behind, under or next to what the picture shows, or outside of it.

A ball is drawn at every place. Each pose of a cube holds the ball that touches its faces, and shows at least as much.
So where the ball would be seen no cube is hidden. The ball would be seen where the picture shows the mat, or a piece
that stands lower than the ball. A pale thing that is neither mat nor piece may be a die that was not recognized: it
excludes nothing.

Convention: places and heights in table mm; a cell (row, column) of the grid is two pixels of the view from above wide.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.game.readings import Kind
from vision.measure.colors import PALE, Colors
from vision.measure.components import components_of
from vision.measure.masks import PAPER
from vision.measure.prepared import STEP_MM, Floats, Floats32, PreparedImage
from vision.tables.eyes.disk_doubts import measured_rises
from vision.tables.eyes.limits import LIMITS
from vision.tables.eyes.pieces import Detection, Shapes, radius_mm
from vision.tables.eyes.strange_things import foreign_mask

CELL_MM = LIMITS.hideout_cell_px * STEP_MM
NOBODY = -1
INK = np.float32(1.0)
"""The height that stands for a red or blue surface: above the mat's, and below everything on a territory."""

Cells = NDArray[np.int64]
Owners = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Hideout:
    """A place (x, y) where a die could be hidden, and the pieces, by index, that would hide it."""

    at_mm: tuple[float, float]
    behind: tuple[int, ...]


def find_hideouts(
    image: PreparedImage, colors: Colors, shapes: Shapes, pieces: Sequence[Detection]
) -> tuple[Hideout, ...]:
    """Places where one more empire die could be hidden. `pieces` are all that were found."""
    radius = shapes.empire_die.half_height_mm
    raised = _may_be_raised(image, pieces, 2 * radius)
    heights, owners = _surfaces(image, colors, pieces, raised, 2 * radius)
    ball, bulge_mm = _ball(radius)
    cells = _little_seen(heights, ball)
    surfaces = heights[tuple((cells[:, None] + ball).transpose(2, 0, 1))]
    weights_mm2 = np.where(surfaces == INK, LIMITS.ink_area_weight, 1.0) * CELL_MM**2
    bodies = [_filled_mm(p) for p, is_raised in zip(pieces, raised, strict=True) if not is_raised]
    filled = np.vstack([np.empty((0, 3)), *bodies])
    whole = np.array([image.kit.mat.width_mm, image.kit.mat.height_mm])
    hidden, places = [np.empty((0, 2), np.int64)], [np.empty((0, 2))]
    for z_mm in np.arange(radius, 3 * radius + LIMITS.hideout_step_mm, LIMITS.hideout_step_mm).tolist():
        shown_mm2 = ((surfaces < z_mm + bulge_mm - LIMITS.lower_mm) * weights_mm2).sum(axis=1)
        near = cells[shown_mm2 <= LIMITS.max_unseen_mm2]
        xy = image.at_height(
            image.to_table((near[:, ::-1] - LIMITS.hideout_border_cells).astype(np.float64) * LIMITS.hideout_cell_px),
            z_mm,
        )
        inside = ((xy >= 0) & (xy <= whole)).all(axis=1)
        if z_mm > radius:
            inside &= _is_borne(xy, pieces, radius)
        near, xy = near[inside], xy[inside]
        free = _is_free(np.column_stack([xy, np.full(len(xy), z_mm)]), filled, radius - LIMITS.ball_overlap_mm)
        hidden.append(near[free])
        places.append(xy[free])
    return _grouped(np.vstack(hidden), np.vstack(places), owners, ball)


def _may_be_raised(image: PreparedImage, pieces: Sequence[Detection], die_mm: float) -> list[bool]:
    """Which pieces may stand on a die that they hide: their heights are not measured, or are measured as high.

    A ninja hides too little of a die for its height to matter. Leaning samurai were fitted with their supports.
    """
    raised = [
        piece.kind is Kind.NINJA
        or (
            piece.raised is not None
            and piece.raised.middle_mm[2] - piece.place.middle_mm[2] > LIMITS.raised_share * die_mm
        )
        for piece in pieces
    ]
    disks = [i for i, piece in enumerate(pieces) if piece.kind is Kind.SAMURAI and not piece.is_leaning]
    if disks:
        rises, sigmas, _, are_ovals = measured_rises(image, [pieces[i] for i in disks])
        for i, rise, sigma, is_oval in zip(disks, rises, sigmas, are_ovals, strict=True):
            raised[i] = bool(
                rise + LIMITS.raised_sigmas * sigma > LIMITS.raised_share * die_mm
                or (is_oval and pieces[i].tilt_deg < LIMITS.max_level_disk_deg)
            )
    return raised


def _is_borne(xy_mm: Floats, pieces: Sequence[Detection], radius_mm_: float) -> NDArray[np.bool_]:
    """Whether a piece is near enough to carry a die at these places (N, 2)."""
    borne = np.zeros(len(xy_mm), bool)
    for piece in pieces:
        reach_mm = radius_mm_ + (
            radius_mm(piece) if piece.solid.is_round else math.sqrt(2) * piece.solid.half_height_mm
        )
        borne |= np.hypot(*(xy_mm - piece.place.middle_mm[:2]).T) < reach_mm
    return borne


def _surfaces(
    image: PreparedImage, colors: Colors, pieces: Sequence[Detection], raised: Sequence[bool], die_mm: float
) -> tuple[Floats32, Owners]:
    """The height of the surface that each cell shows (infinite if unknown), and the piece that it belongs to."""
    pale = np.asarray(cv2.compare(colors.low, (1 - PALE) * colors.high, cv2.CMP_GT), np.uint8)
    unknown = foreign_mask(image, colors, list(pieces)) & pale & ~colors.black
    half_mm = PAPER * image.kit.mat.marker_mm
    for centre in image.kit.mat.markers.values():
        paper = image.to_grid(np.array(centre) + half_mm * np.array([[-1], [1]]))
        (left, top), (right, bottom) = np.rint(paper).astype(int).tolist()
        cv2.rectangle(unknown, (left, top), (right, bottom), 255, -1)
    near = np.ones((3, 3), np.uint8)
    unknown, inked = (
        np.asarray(cv2.dilate(mask, near), np.uint8)[:: LIMITS.hideout_cell_px, :: LIMITS.hideout_cell_px]
        for mask in (unknown, colors.red | colors.blue)
    )
    heights = np.where(unknown > 0, np.float32(np.inf), np.where(inked > 0, INK, np.float32(0)))
    heights[~_in_picture(image, heights.shape)] = np.inf
    heights = cv2.copyMakeBorder(
        heights,
        LIMITS.hideout_border_cells,
        LIMITS.hideout_border_cells,
        LIMITS.hideout_border_cells,
        LIMITS.hideout_border_cells,
        cv2.BORDER_CONSTANT,
        value=np.inf,
    )
    owners = np.full(heights.shape, NOBODY, np.int32)
    tops = [
        float(_corners_mm(piece)[:, 2].max()) + (die_mm if is_raised else 0.0)
        for piece, is_raised in zip(pieces, raised, strict=True)
    ]
    for i in sorted(range(len(pieces)), key=lambda i: tops[i]):
        if pieces[i].kind is not Kind.TERRITORY:
            at = [
                image.to_grid(image.seen_at(corner[:2], float(corner[2]))) / LIMITS.hideout_cell_px
                for corner in _corners_mm(pieces[i])
            ]
            hull = np.round(
                (cv2.convexHull(np.array(at, np.float32)) + LIMITS.hideout_border_cells) * 2**LIMITS.hideout_bits
            ).astype(np.int32)
            cv2.fillConvexPoly(heights, hull, tops[i], shift=LIMITS.hideout_bits)
            cv2.fillConvexPoly(owners, hull, i, shift=LIMITS.hideout_bits)
    return np.asarray(heights, np.float32), owners


def _corners_mm(piece: Detection) -> Floats:
    """The corners of a piece (N, 3), its rounded edges included."""
    core = piece.solid.core_mm
    return piece.place.points(core * (1 + piece.solid.round_mm / np.abs(core).max(axis=0)))


def _in_picture(image: PreparedImage, shape: tuple[int, int]) -> NDArray[np.bool_]:
    """The cells within the picture."""
    rows, columns = np.indices(shape)
    xy = image.to_table(np.column_stack([columns.ravel(), rows.ravel()]).astype(np.float64) * LIMITS.hideout_cell_px)
    pixels = image.view.to_pixels(np.column_stack([xy, np.zeros(len(xy))]))
    height, width = image.light.shape[:2]
    return np.asarray(((pixels >= 0) & (pixels < (width, height))).all(axis=1).reshape(shape))


def _ball(radius_mm_: float) -> tuple[Cells, Floats]:
    """The cells that a ball covers (K, 2), about its middle, and how far its surface is above its middle there."""
    reach = int(radius_mm_ / CELL_MM)
    rows, columns = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    square = radius_mm_**2 - (rows**2 + columns**2) * CELL_MM**2
    return np.column_stack([rows[square > 0], columns[square > 0]]), np.sqrt(square[square > 0])


def _little_seen(heights: Floats32, ball: Cells) -> Cells:
    """The cells (N, 2) where a ball on the table would cover little of what is surely the mat."""
    reach = int(ball.max())
    kernel = np.zeros((2 * reach + 1, 2 * reach + 1), np.float32)
    kernel[ball[:, 0] + reach, ball[:, 1] + reach] = 1
    mat = cv2.filter2D((heights == 0).astype(np.float32), -1, kernel, borderType=cv2.BORDER_CONSTANT)
    few = mat * CELL_MM**2 <= LIMITS.max_unseen_mm2
    few[:reach] = few[-reach:] = False
    few[:, :reach] = few[:, -reach:] = False
    return np.argwhere(few)


def _filled_mm(piece: Detection) -> Floats:
    """Points (N, 3) all over a piece."""
    solid, place = piece.solid, piece.place
    if piece.kind is Kind.TERRITORY:
        return np.empty((0, 3))
    half = solid.half_height_mm
    reach = radius_mm(piece) if solid.is_round else half
    along = np.linspace(-reach, reach, 2 * math.ceil(reach / LIMITS.body_step_mm) + 1)
    upward = np.linspace(-half, half, math.ceil(2 * half / LIMITS.body_step_mm) + 1)
    points = np.stack(np.meshgrid(along, along, upward), axis=-1).reshape(-1, 3)
    if solid.is_round:
        points = points[np.hypot(points[:, 0], points[:, 1]) <= reach]
    return place.points(points)


def _is_free(middles_mm: Floats, filled_mm: Floats, radius_mm_: float) -> NDArray[np.bool_]:
    """Whether balls at these middles (N, 3) meet none of these points (M, 3)."""
    free = np.ones(len(middles_mm), bool)
    for part in np.array_split(np.arange(len(middles_mm)), max(1, len(middles_mm) * len(filled_mm) // 2_000_000)):
        square = ((middles_mm[part, None] - filled_mm) ** 2).sum(axis=2)
        free[part] = (square > radius_mm_**2).all(axis=1)
    return free


def _grouped(hidden: Cells, places_mm: Floats, owners: Owners, ball: Cells) -> tuple[Hideout, ...]:
    """Hideouts: places that touch each other as one, with the pieces that hide the most central of them."""
    mask = np.zeros(owners.shape, np.uint8)
    mask[tuple(hidden.T)] = 255
    count, labels, _ = components_of(mask)
    label = labels[tuple(hidden.T)]
    found = []
    for k in range(1, count):
        mine, at = places_mm[label == k], hidden[label == k]
        middle = int(np.hypot(*(mine - mine.mean(axis=0)).T).argmin())
        over = owners[tuple((at[middle] + ball).T)]
        names, sizes = np.unique(over[over != NOBODY], return_counts=True)
        behind = tuple(names[sizes >= LIMITS.min_hidden_share * len(ball)].tolist())
        x, y = np.round(mine[middle], 1).tolist()
        found.append(Hideout((x, y), behind))
    return tuple(found)
