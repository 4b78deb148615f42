"""Circles of a known radius in the view from above: large disks by their colour, small ones by votes of edges.

Source: D. H. Ballard, Generalizing the Hough transform to detect arbitrary shapes, Pattern Recognition 13 (1981).
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.edges import median
from vision.measure.colors import Colors
from vision.measure.limits import LIMITS
from vision.measure.prepared import STEP_MM, Floats32, Mask, PreparedImage


@dataclass(frozen=True, slots=True)
class Circle:
    """A circle in the view from above: its middle (column, row) and the share of its rim with votes."""

    column: float
    row: float
    support: float


def find_large_disk(mask: Mask, radius_mm: float) -> Circle | None:
    """The large disk of one colour: the best overlap of a disk with the mask. None: less than about half is visible."""
    shrink = 4
    small = cv2.resize(mask, None, fx=1 / shrink, fy=1 / shrink, interpolation=cv2.INTER_AREA).astype(np.float32) / 255
    radius = radius_mm / STEP_MM / shrink
    reach = int(np.ceil(radius * 1.25))
    y, x = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    far = np.hypot(x, y)
    # the score grows with mask pixels inside the disk and falls with those just outside
    kernel = np.where(far <= radius, 1.0, np.where(far <= radius * 1.15, -0.5, 0.0)).astype(np.float32)
    padded = cv2.copyMakeBorder(small, reach, reach, reach, reach, cv2.BORDER_CONSTANT)
    score = cv2.filter2D(padded, cv2.CV_32F, kernel, borderType=cv2.BORDER_CONSTANT)
    _, best, _, (c, r) = cv2.minMaxLoc(score)
    support = best / (np.pi * radius**2)
    if support < 0.4:
        return None
    return Circle((c - reach + 0.5) * shrink - 0.5, (r - reach + 0.5) * shrink - 0.5, float(support))


@dataclass(frozen=True, eq=False)
class EdgeMap:
    """Edge pixels of the view from above, row by row: places (N, 2) as (column, row), unit gradients (N, 2) and weights
    (N,)."""

    at: Floats32
    toward: Floats32
    weight: Floats32

    def of(self, which: NDArray[np.intp]) -> EdgeMap:
        """A selection of the edges, in their order."""
        return EdgeMap(self.at.take(which, axis=0), self.toward.take(which, axis=0), self.weight.take(which))

    def without(self, gone: NDArray[np.intp]) -> EdgeMap:
        """All edges except these."""
        kept = np.ones(len(self.at), np.bool_)
        kept[gone] = False
        return self.of(np.flatnonzero(kept))

    def shifted(self, left: int, top: int) -> EdgeMap:
        """The edges in the coordinates of a window with this top left corner."""
        return EdgeMap(self.at - np.array([left, top], np.float32), self.toward, self.weight)


def edges_of(image: PreparedImage, colors: Colors, near: Mask, blind: Mask) -> EdgeMap:
    """Edges within `near` and outside `blind`: steps of brightness or hue, each weighted up to 1 above the noise."""
    inside = (near > 0) & (blind == 0)
    left, top, width, height = cv2.boundingRect(inside.astype(np.uint8))
    if not width:
        return EdgeMap(np.zeros((0, 2), np.float32), np.zeros((0, 2), np.float32), np.zeros(0, np.float32))
    x0, y0 = max(left - LIMITS.edge_soft_px, 0), max(top - LIMITS.edge_soft_px, 0)
    window = (slice(y0, top + height + LIMITS.edge_soft_px), slice(x0, left + width + LIMITS.edge_soft_px))
    root = cv2.sqrt(np.clip(image.top[window], 0, 1.2))
    hue = (colors.redness[window] - colors.blueness[window]) * np.float32(0.35)
    at = np.flatnonzero(inside[window])
    slopes, sizes = [], []
    for channel in (*cv2.split(root)[::-1], hue):
        soft = cv2.GaussianBlur(channel, (0, 0), 0.8)
        pair = [cv2.Scharr(soft, cv2.CV_32F, dx, 1 - dx, scale=1 / 32).ravel().take(at) for dx in (1, 0)]
        size = cv2.magnitude(*pair).ravel()
        slopes.append(pair)
        sizes.append(size / np.float32(4 * (median(size[:: LIMITS.median_step_px]) + 0.002)))
    best, total = np.zeros(len(at), np.int64), sizes[0]
    for k in range(1, len(sizes)):
        best[sizes[k] > total] = k
        total = np.maximum(total, sizes[k])
    strong = np.flatnonzero(total > 0.45)
    g = np.array(slopes)[best[strong], :, strong]
    g /= np.maximum(np.hypot(g[:, 0], g[:, 1]), 1e-9)[:, None]
    rows, columns = np.divmod(at[strong], hue.shape[1])
    places = np.column_stack([columns + x0, rows + y0]).astype(np.float32)
    return EdgeMap(places, g.astype(np.float32), np.minimum(total[strong], 1.0))


def vote(edges: EdgeMap, shape: tuple[int, int], radius_px: float) -> Floats32:
    """The votes for each place as the middle of a circle: 1 if a whole rim of full weight votes."""
    rows, columns = shape
    way = np.float32(radius_px) * edges.toward
    at = np.rint(np.concatenate([edges.at + way, edges.at - way])).astype(np.int64)
    x, y = at[:, 0], at[:, 1]
    ok = np.flatnonzero((x >= 0) & (y >= 0) & (x < columns) & (y < rows))
    weight = np.concatenate([edges.weight, edges.weight]).take(ok)
    board = np.bincount((y * columns + x).take(ok), weights=weight, minlength=rows * columns)
    spread = cv2.GaussianBlur(board.reshape(shape).astype(np.float32), (9, 9), LIMITS.vote_spread_px)
    # a rim two pixels wide casts 2 * circumference votes; a Gaussian has 1 / (2 pi sigma^2) at its middle
    return spread * np.float32(LIMITS.vote_spread_px**2 / (2 * radius_px))


def on_rim(edges: EdgeMap, column: float, row: float, radius_px: float, within_px: float = 1.8) -> NDArray[np.intp]:
    """The numbers of the edges on a circle's rim: near the rim and across it."""
    outer = radius_px + within_px
    first, last = np.searchsorted(edges.at[:, 1], np.array([row - outer, row + outer], np.float32))
    d = edges.at[first:last] - np.array([column, row], np.float32)
    far2 = np.einsum("ij,ij->i", d, d)
    near = np.flatnonzero((far2 < outer**2) & (far2 > max(radius_px - within_px, 0.0) ** 2))
    across = np.abs(np.einsum("ij,ij->i", d.take(near, axis=0), edges.toward[first:last].take(near, axis=0)))
    return np.asarray(near[across > 0.8 * np.sqrt(far2[near])] + first)


def find_circles(edges: EdgeMap, shape: tuple[int, int], radius_px: float, least: float, most: int) -> list[Circle]:
    """Circles, the best supported first; each removes its rim's edges from the search."""
    board = vote(edges, shape, radius_px)
    found: list[Circle] = []
    is_left = np.ones(len(edges.at), np.bool_)
    while len(found) < most:
        _, best, _, (c, r) = cv2.minMaxLoc(board)
        if best < least:
            break
        gone = on_rim(edges, c, r, radius_px)
        gone = gone[is_left[gone]]
        if not len(gone):
            break
        found.append(Circle(float(c), float(r), float(best)))
        # remove only this rim's votes: they are within two radii of it
        reach = round(2 * radius_px) + 8
        x0, y0 = max(c - reach, 0), max(r - reach, 0)
        window = (slice(y0, r + reach + 1), slice(x0, c + reach + 1))
        board[window] -= vote(edges.of(gone).shifted(x0, y0), board[window].shape, radius_px)
        is_left[gone] = False
    return found
