"""A race board seen straight from above, and its place.

All light is linear, as a share of the fiducials' paper.

Convention: `seen` is (rows, columns, 3), blue, green, red; its cell (i, j) shows the board frame's point
(j * CELL_MM - AROUND_MM, i * CELL_MM - AROUND_MM) at `height_mm` over the table. This assumes that the board is in its
place.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Floats, Floats32
from calibration.edges import LIGHT
from calibration.light import CLIPPED, Light
from calibration.pose import Pose
from companion.game.board import Board
from companion.game.brought import boards, load_board
from vision.measure.limits import LIMITS as SHARED
from vision.measure.pictures import all_places, coarse_places, colors_at, sampled
from vision.measure.prepared import slopes_of
from vision.tables.board.limits import LIMITS

CELL_MM = LIMITS.cell_mm


@dataclass(frozen=True, eq=False)
class BoardView:
    """The board in a picture."""

    seen: NDArray[np.uint8]
    pose: Pose
    corner_mm: tuple[float, float]
    """Position of the board's corner (0, 0) on the table."""
    height_mm: float
    white_bgr: Floats
    """The light of the fiducials' paper in the picture."""
    _votes: dict[float, Floats32] = field(default_factory=dict)

    @property
    def full(self) -> Floats:
        """The light (blue, green, red) at which the camera saturates."""
        return np.asarray(CLIPPED / self.white_bgr)

    @cached_property
    def _levels(self) -> Floats32:
        """The light of each grey level: (1, 256, 3)."""
        return (LIGHT[:, None] / self.white_bgr).astype(np.float32)[None]

    @cached_property
    def light(self) -> Floats32:
        """The light of all cells."""
        return np.asarray(cv2.LUT(self.seen, self._levels), np.float32)

    def light_at(self, cells: Floats32) -> Floats32:
        """The light at places (column, row) between cells: (rows, columns, 3) of (rows, columns, 2)."""
        return np.asarray(cv2.LUT(sampled(self.seen, cells), self._levels), np.float32)

    def light_around(self, xy_mm: Floats, side: int) -> Floats32:
        """The light of squares, `side` cells wide, around table points (N, 2): (N, side, side, 3)."""
        middles = self.to_cells(xy_mm).astype(np.float32)
        seen = [cv2.getRectSubPix(self.seen, (side, side), middle) for middle in middles]
        return np.asarray(cv2.LUT(np.concatenate(seen), self._levels), np.float32).reshape(-1, side, side, 3)

    def roots(self, max_light: float) -> Floats32:
        """Square roots of the light of all cells, brighter light cut off."""
        return np.asarray(cv2.LUT(self.seen, np.sqrt(np.minimum(self._levels, max_light))), np.float32)

    def votes(self, circle_mm: float) -> Floats32:
        """Share of a circle around each coarse cell that runs along a rim, 0 to 1."""
        if circle_mm not in self._votes:
            rings = _rings(circle_mm / 2 / (CELL_MM * LIMITS.coarse_cells))
            seen = [cv2.filter2D(plane, cv2.CV_32F, ring) for plane, ring in zip(self._rims, rings, strict=True)]
            votes = cv2.GaussianBlur(np.sum(seen, axis=0), (0, 0), LIMITS.blur_cells)
            self._votes[circle_mm] = np.asarray(votes, np.float32)
        return self._votes[circle_mm]

    @cached_property
    def _rims(self) -> tuple[Floats32, Floats32, Floats32]:
        """Squares and twice the product of the slopes' cosine and sine at each coarse cell, less where it is even."""
        rows, columns = (side // LIMITS.coarse_cells for side in self.seen.shape[:2])
        whole = self.seen[: rows * LIMITS.coarse_cells, : columns * LIMITS.coarse_cells]
        small = cv2.resize(whole, (columns, rows), interpolation=cv2.INTER_AREA)
        b, g, r = cv2.split(cv2.LUT(small, self._levels))
        grey = cv2.max(cv2.max(b, g), r)
        soft = cv2.GaussianBlur(np.sqrt(np.minimum(grey, 2.0)), (0, 0), LIMITS.blur_cells)
        x, y = slopes_of(np.asarray(soft, np.float32))
        weight = np.asarray(1 / (x * x + y * y + SHARED.dim**2), np.float32)
        return x * x * weight, 2 * x * y * weight, y * y * weight

    def to_cells(self, xy_mm: Floats) -> Floats:
        """Places (column, row) in `seen` of points (N, 2) on the table at the view's height."""
        return (np.asarray(xy_mm, np.float64) - self.corner_mm + LIMITS.around_board_mm) / CELL_MM

    def to_table(self, cells: Floats) -> Floats:
        """Table points (N, 2) of places (column, row) in `seen`."""
        return _to_table(cells, self.corner_mm)

    def lift(self, xy_mm: Floats, height_mm: float) -> Floats:
        """Table points (N, 2) at another height, projected to the view's height along the camera's rays."""
        camera = self.pose.centre_mm
        share = (camera[2] - self.height_mm) / (camera[2] - height_mm)
        return np.asarray(camera[:2] + (np.asarray(xy_mm, np.float64) - camera[:2]) * share)


def _to_table(cells: Floats, corner_mm: tuple[float, float]) -> Floats:
    return np.asarray(cells, np.float64) * CELL_MM - LIMITS.around_board_mm + corner_mm


def view_of(
    picture: NDArray[np.uint8],
    pose: Pose,
    light: Light,
    box_mm: tuple[float, float, float, float],
    height_mm: float,
) -> BoardView:
    """The board whose place on the table is `box_mm` (x0, y0, x1, y1), from a BGR picture."""
    x0, y0, x1, y1 = box_mm
    columns, rows = (int(np.ceil((length + 2 * LIMITS.around_board_mm) / CELL_MM)) for length in (x1 - x0, y1 - y0))
    size, stride = (columns, rows), LIMITS.view_stride
    coarse = coarse_places(pose.to_pixels, lambda cells: _to_table(cells, (x0, y0)), size, height_mm, stride)
    last = np.array(picture.shape[1::-1]) - 1
    left, top = np.floor(coarse.min(axis=(0, 1))).clip(0, last).astype(int)
    right, bottom = np.ceil(coarse.max(axis=(0, 1))).clip(0, last).astype(int) + 1
    places = cv2.subtract(all_places(coarse, size, stride), np.array([left, top, 0.0, 0.0]))
    seen = colors_at(picture[top:bottom, left:right], np.asarray(places, np.float32))
    return BoardView(seen, pose, (x0, y0), height_mm, light.white_bgr)


# The place of a race board on the table, found from the circles of its spots, whatever is painted between them.
# A rim's slope points along the circle's radius, whether the inside is lighter or darker. Slopes with that direction
# vote for a circle. The whole pattern of circles is shifted and turned over these votes.
# Source: D. H. Ballard, Generalizing the Hough transform to detect arbitrary shapes, Pattern Recognition 13 (1981).


@dataclass(frozen=True, slots=True)
class BoardPlace:
    """The board's pose: its middle is off its place by `shift_mm`, its sheet turned by `turn_deg` (x towards y).

    `lead` is the certainty: standard deviations above the pattern's votes without a board.
    """

    middle_mm: tuple[float, float]
    size_mm: tuple[float, float]
    shift_mm: tuple[float, float] = (0.0, 0.0)
    turn_deg: float = 0.0
    lead: float = 0.0

    @property
    def is_found(self) -> bool:
        """Whether the circles gave the place; else it is the kit's place."""
        return self.lead >= LIMITS.min_lead

    def to_table(self, xy_mm: Floats) -> Floats:
        """Table points (N, 2) of points of the board's own frame."""
        own = np.asarray(xy_mm, np.float64) - np.array(self.size_mm) / 2
        return np.asarray(own @ _turn(self.turn_deg).T + self.middle_mm + np.array(self.shift_mm))


def _turn(degrees: float) -> Floats:
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return np.array([[c, -s], [s, c]])


def found_place(view: BoardView, board: Board, middle_mm: tuple[float, float]) -> tuple[BoardPlace, Floats]:
    """The pose of the board whose middle should be at `middle_mm`, and how plainly each spot's circle shows (N,): 1 is
    usual. `is_found` is false where no pattern is seen."""
    spots = np.array(list(board.spots.values()))
    place = expected = BoardPlace(middle_mm, board.size_mm)
    for reach_mm in (LIMITS.around_board_mm / 2, LIMITS.around_board_mm):
        if not place.is_found:
            place = _search(view, board, expected, reach_mm)
    if not place.is_found:
        place = expected
    at = _coarse(view.to_cells(place.to_table(spots))).astype(np.float32)[None]
    rims = sampled(view.votes(board.circle_mm), at, repeats_edge=False)[0].astype(np.float64)
    return place, rims / max(float(np.quantile(rims, LIMITS.high_share)), 1e-6)


def likelier_board(view: BoardView, told: Board, place: BoardPlace) -> str | None:
    """The shipped board whose circles fit the picture plainly better than those of the board in use, near its `place`;
    or None. If that was found, only boards with circles of its size are tried."""
    reach_mm = LIMITS.around_board_mm / (2 if place.is_found else 1)
    others = [load_board(name) for name in boards() if name != told.name]
    others = [other for other in others if not place.is_found or other.circle_mm == told.circle_mm]
    found = {other.name: _search(view, other, replace(place, size_mm=other.size_mm), reach_mm) for other in others}
    best = max(found, key=lambda name: found[name].lead, default=None)
    return best if best and found[best].is_found and found[best].lead > place.lead + LIMITS.min_better_lead else None


def _search(view: BoardView, board: Board, near: BoardPlace, reach_mm: float) -> BoardPlace:
    """The best of all places within reach by some spots and steps of a coarse cell, then by all and ever smaller steps.

    A turn's reach and step move the usual spot as far as a shift's.
    """
    votes, spots = view.votes(board.circle_mm), np.array(list(board.spots.values()))
    away_mm = float(np.sqrt(np.square(spots - np.array(near.size_mm) / 2).sum(axis=1).mean()))
    framed = np.asarray(cv2.copyMakeBorder(votes, 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=0), np.float32)
    cell_mm = CELL_MM * LIMITS.coarse_cells
    step, reach, tried = 1.0, int(reach_mm // cell_mm), spots[:: LIMITS.coarse_cells]
    while True:
        steps_mm = step * cell_mm * np.arange(-reach, reach + 1)
        places = [replace(near, turn_deg=near.turn_deg + float(turn)) for turn in np.degrees(steps_mm / away_mm)]
        cells = [_coarse(view.to_cells(place.to_table(tried))).astype(np.float32) + 1 for place in places]
        scores = np.array([_means(framed, at, reach, step) for at in cells])
        turn, row, column = np.unravel_index(int(scores.argmax()), scores.shape)
        x, y = near.shift_mm
        near = replace(places[turn], shift_mm=(x + float(steps_mm[column]), y + float(steps_mm[row])))
        if step * cell_mm <= CELL_MM / 2:
            lead = float((scores.max() - votes.mean()) / (votes.std() + 1e-6)) * len(spots) ** 0.5
            return replace(near, lead=lead)
        step, reach, tried = step / 2, 1, spots


def _means(framed: Floats32, cells: Floats32, reach: int, step: float) -> Floats32:
    """The mean of votes, framed in zeros, at places (N, 2) that are shifted up to `reach` steps: (rows, columns)."""
    side = 2 * reach + 1
    if step == 1:  # all shifts of a place are a window of votes
        windows = sum(cv2.getRectSubPix(framed, (side, side), cell) for cell in cells)
        return np.asarray(windows / np.float32(len(cells)), np.float32)
    steps = step * np.arange(-reach, reach + 1)
    shifts = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2).astype(np.float32)
    return np.asarray(sampled(framed, cells[:, None] + shifts).mean(axis=0).reshape(side, side), np.float32)


def _coarse(cells: Floats) -> Floats:
    """Places in coarse cells."""
    return (cells + 0.5) / LIMITS.coarse_cells - 0.5


@lru_cache(maxsize=8)
def _rings(radius: float) -> tuple[Floats32, Floats32, Floats32]:
    """Kernels of a ring a cell wide: squares and product of the radius' cosine and sine, their sum 1."""
    reach = int(np.ceil(radius + 2))
    y, x = np.mgrid[-reach : reach + 1, -reach : reach + 1].astype(np.float32)
    far = np.hypot(x, y)
    ring = np.exp(-0.5 * ((far - radius) / LIMITS.blur_cells) ** 2)
    ring /= ring.sum()
    c, s = x / np.maximum(far, 1e-6), y / np.maximum(far, 1e-6)
    return ring * c * c, ring * c * s, ring * s * s
