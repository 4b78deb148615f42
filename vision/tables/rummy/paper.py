"""The mat as seen straight from above: all cards have one size there. The card networks read this view.

Convention: the view's pixel (column, row) shows the table's point ``(pixel - EDGE_PX) / px_per_mm`` mm at the height of
a card's face.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial, reduce

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Floats, Mask, Picture
from calibration.edges import LIGHT
from calibration.light import Light
from calibration.pose import Pose
from companion.game.kit import Mat
from vision.measure.pictures import all_places, coarse_places
from vision.photo.cards.find import IndexSpot
from vision.photo.cards.index import halvings
from vision.tables.rummy.limits import LIMITS


@dataclass(frozen=True, eq=False)
class MatView:
    """The mat in a picture, at `px_per_mm` pixels a mm."""

    picture: Picture
    pose: Pose
    px_per_mm: float
    height_mm: float

    @cached_property
    def small(self) -> Picture:
        """The view at one pixel per mm."""
        scale = 1 / self.px_per_mm
        return np.asarray(cv2.resize(self.picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)

    @cached_property
    def pyramid(self) -> list[Picture]:
        """The view's halvings, for the index reader."""
        return halvings(self.picture)

    def to_table(self, pixels: Floats) -> Floats:
        """Table points (N, 2) in mm of the view's pixels (N, 2)."""
        return _to_table(pixels, self.px_per_mm)

    def to_view(self, xy_mm: Floats) -> Floats:
        """The view's pixels (N, 2) of table points (N, 2)."""
        return (np.asarray(xy_mm, np.float64) + LIMITS.beyond_mat_mm) * self.px_per_mm

    def to_picture(self, xy_mm: Floats) -> Floats:
        """The picture's pixels (N, 2) of table points (N, 2)."""
        points = np.asarray(xy_mm, np.float64).reshape(-1, 2)
        return np.asarray(self.pose.to_pixels(np.column_stack([points, np.full(len(points), self.height_mm)])))


def _to_table(pixels: Floats, px_per_mm: float) -> Floats:
    return np.asarray(pixels, np.float64) / px_per_mm - LIMITS.beyond_mat_mm


def view_of(picture: Picture, pose: Pose, mat: Mat, height_mm: float) -> MatView:
    """The mat in a BGR picture, about as fine as the picture shows its middle."""
    across = np.array([[mat.width_mm / 2 + x, mat.height_mm / 2, height_mm] for x in (-1, 1)])
    shown = float(np.linalg.norm(np.diff(pose.to_pixels(across), axis=0))) / 2
    px_per_mm = min(max(shown, LIMITS.min_px_per_mm), LIMITS.max_px_per_mm)
    columns, rows = (round((side + 2 * LIMITS.beyond_mat_mm) * px_per_mm) for side in (mat.width_mm, mat.height_mm))
    size, stride, to_table = (columns, rows), LIMITS.view_stride_px, partial(_to_table, px_per_mm=px_per_mm)
    places = all_places(coarse_places(pose.to_pixels, to_table, size, height_mm, stride, first=0.5), size, stride)
    seen = cv2.remap(picture, places, np.empty(0), cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    return MatView(np.asarray(seen, np.uint8), pose, px_per_mm, height_mm)


Labels = NDArray[np.int32]
Lit = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Paper:
    """Mask of the cards, one pixel per mm, in the view's frame."""

    mask: Mask
    parts: Labels
    """The number of the connected part that each pixel belongs to; 0: none."""
    turns: tuple[float | None, ...]
    """Angle of each part's sides, rad, modulo a quarter turn; None: its sides are not those of a rectangle."""

    def left_of(self, outlines_mm: Sequence[Floats]) -> Mask:
        """The part of it that these cards do not explain."""
        left = self.mask.copy()
        for outline_mm in outlines_mm:
            cv2.fillConvexPoly(left, _pixels(outline_mm), 0)
            cv2.polylines(left, [_pixels(outline_mm)], True, 0, 2 * LIMITS.slack_mm)
        return np.asarray(
            cv2.morphologyEx(left, cv2.MORPH_OPEN, np.ones((2 * LIMITS.slack_mm, 2 * LIMITS.slack_mm), np.uint8))
        )

    def turn_at(self, point_mm: Floats) -> float | None:
        """Angle of the part's sides at a point (2,), to a quarter turn; None if it cannot be measured."""
        column, row = np.rint(point_mm + LIMITS.beyond_mat_mm - 0.5).astype(int)
        inside = 0 <= row < self.parts.shape[0] and 0 <= column < self.parts.shape[1]
        return self.turns[int(self.parts[row, column])] if inside else None

    def share_of(self, outline_mm: Floats) -> float:
        """Share of an outline (4, 2) on paper."""
        pixels = _pixels(outline_mm)
        x0, y0 = np.maximum(pixels.min(axis=0), 0)
        seen = self.mask[y0 : pixels[:, 1].max() + 1, x0 : pixels[:, 0].max() + 1]
        inside = np.zeros_like(seen)
        cv2.fillConvexPoly(inside, pixels - (x0, y0), 1)
        return float((inside & seen).sum() / max(1, int(inside.sum())))

    def share_along(self, start_mm: Floats, end_mm: Floats) -> float:
        """Share of the straight way between two points (2,) on paper."""
        way = np.linspace(start_mm, end_mm, max(2, int(np.linalg.norm(end_mm - start_mm))))
        columns, rows = np.clip(_pixels(way), 0, np.array(self.mask.shape[::-1]) - 1).T
        return float(self.mask[rows, columns].mean())


def paper_of(
    view: MatView,
    light: Light,
    mat: Mat,
    faces: Sequence[IndexSpot],
    down: Sequence[IndexSpot],
    size_mm: tuple[float, float],
) -> Paper:
    """The paper of all cards that lie face up, holes of print filled; cards face down are left out.

    `faces`: indices that were seen. A window may light one end of a table three times as much as the
    other. So white is judged by known paper near by: that of the fiducials, and that around each index.
    """
    scale = 1 / view.px_per_mm
    lit = np.asarray(cv2.LUT(view.small, LIGHT), np.float32)
    shares = cv2.split(cv2.divide(lit, _white(lit, light, mat, faces, scale)))
    low, high = reduce(cv2.min, shares), reduce(cv2.max, shares)
    white = ((low > LIMITS.min_white) & (low > LIMITS.min_whiteness * high)).astype(np.uint8)
    white = np.asarray(cv2.morphologyEx(white, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8)), np.uint8)
    edge = int(LIMITS.beyond_mat_mm)  # beyond the mat lie the fiducials
    white[:, :edge] = white[:, -edge:] = 0
    white[:edge] = white[-edge:] = 0
    outlines, _ = cv2.findContours(white, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    mask = np.zeros_like(white)
    for outline in outlines:
        if cv2.contourArea(outline) >= LIMITS.min_part_mm2 and _is_face(np.asarray(outline, np.int32), white):
            cv2.fillPoly(mask, [outline], 1)
    for spot in down:
        sides = np.array(size_mm) * (spot.height_px * scale / size_mm[1]) + 2 * LIMITS.slack_mm
        box = ((spot.x * scale, spot.y * scale), sides.tolist(), float(np.degrees(spot.angle)))
        cv2.fillConvexPoly(mask, np.rint(cv2.boxPoints(box)).astype(np.int32), 0)
    parts, turns = np.zeros(mask.shape, np.int32), list[float | None]([None])
    for part, outline in enumerate(cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)[0], 1):
        cv2.fillPoly(parts, [outline], part)
        x, y, wide, tall = cv2.boundingRect(outline)
        count = np.count_nonzero(parts[y : y + tall, x : x + wide] == part)
        _, (width, height), angle = cv2.minAreaRect(outline)
        turns.append(float(np.radians(angle)) if count > LIMITS.clear * width * height else None)
    return Paper(mask, parts, tuple(turns))


def _is_face(outline: NDArray[np.int32], white: Mask) -> bool:
    """Whether an outline holds printed paper, and not a back with a white rim."""
    x, y, wide, high = cv2.boundingRect(outline)
    inside = np.zeros((high, wide), np.uint8)
    cv2.fillPoly(inside, [outline], 1, offset=(-x, -y))
    return float(white[y : y + high, x : x + wide][inside > 0].mean()) >= LIMITS.maybe


def _white(lit: Lit, light: Light, mat: Mat, faces: Sequence[IndexSpot], scale: float) -> Lit:
    """Expected brightness of paper everywhere, from known paper: nearer paper has more weight."""
    at = [(x + LIMITS.beyond_mat_mm, y + LIMITS.beyond_mat_mm) for x, y in (mat.markers[id] for id in light.paper_bgr)]
    whites = list(light.paper_bgr.values())
    for spot in faces:
        x, y, half = spot.x * scale, spot.y * scale, spot.height_px * scale / 2
        about = lit[max(0, int(y - half)) : int(y + half), max(0, int(x - half)) : int(x + half)].reshape(-1, 3)
        if len(about):
            at.append((x, y))
            rank = int(LIMITS.clear * len(about))
            whites.append(np.partition(about, rank, axis=0)[rank])
    cell = int(LIMITS.light_radius_mm / 2)
    rows, columns = (np.arange(0, side + cell, cell) for side in lit.shape[:2])
    cells = np.stack(np.meshgrid(columns, rows), axis=-1).reshape(-1, 1, 2)
    near = 1 / (((cells - np.array(at)) ** 2).sum(axis=2) + LIMITS.light_radius_mm**2) ** 2
    white = (near @ np.array(whites)) / near.sum(axis=1, keepdims=True)
    coarse = np.maximum(white, 1e-6).reshape(len(rows), len(columns), 3).astype(np.float32)
    drawn = cv2.resize(coarse, None, fx=cell, fy=cell, interpolation=cv2.INTER_LINEAR)
    return np.asarray(drawn[: lit.shape[0], : lit.shape[1]])


def _pixels(points_mm: NDArray[np.float64]) -> NDArray[np.int32]:
    return np.rint(points_mm + LIMITS.beyond_mat_mm - 0.5).astype(np.int32)
