"""The kit's fiducials in a picture, their corners to a few hundredths of a pixel.

The detector of `cv2.aruco` finds and decodes them on a reduced picture; its corners are drawn in by up to two
pixels. So every edge between a black and a white cell is then measured at full resolution, the outer sides and the
cells of the code alike, and one homography is fitted to all of them. An edge is where the light (sRGB undone) is half
way from ink to paper. Clipped paper and the ink's spread in print move an edge, the white cells' edges and the outer
sides by the same length, so that length (`bleed_px`) is fitted with the homography instead of assumed.
The fit is made on undistorted rays: a side that the lens bends is not taken for a straight one.

Convention: pixels (x, y), origin top-left, pixel centres at integers; corners top-left, top-right, bottom-right,
bottom-left of the black square as it lies in the table frame.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.lens import Floats, Lens
from companion.errors import KitError
from companion.kit import Mat

Picture = NDArray[np.uint8]

SEARCH_WIDTH_PX = 1152
"""Fiducials are searched on a picture reduced to about this width; decoding needs about 3 pixels a cell there."""
SEARCH_WINDOW_PX = 15
"""One window of the adaptive threshold: three (OpenCV's default) cost twice the time and find no more."""
REACH_PX = 3.5
"""How far to either side of an edge its profile is sampled; never more than `REACH_CELLS` of a cell."""
REACH_CELLS = 0.6
SAMPLES = 15
"""Samples along a profile."""
ALONG = np.linspace(0.2, 0.8, 5)
"""Where along a cell's side profiles are laid; the ends are left out, there two edges blur into each other."""
LEAST_CONTRAST = 0.004
"""Light between paper and ink, of a full scale of 1, below which nothing is measured."""
LEAST_SHARE = 0.3
"""Contrast of an edge as a share of the fiducial's usual one; below it something lies over the edge."""
LEAST_SEEN = 0.7
"""Share of a fiducial's edges that must be where the fit says; fewer: it is covered, or it is something else."""
WORST_EDGE_PX = 0.6
"""Median residual of an edge beyond which a fit is not believed."""
ROUNDS = 2
"""Fits, each on profiles laid along the one before; the last moves no corner by more than a hundredth of a pixel."""


@dataclass(frozen=True, eq=False, slots=True)
class Fiducial:
    """One fiducial as the picture shows it.

    `corners_px` is (4, 2); `sigma_px` the standard error of a corner's coordinate from the edges' scatter;
    `bleed_px` how far the white eats into the black; `blur_px` the width of an edge as one standard deviation;
    `paper` and `ink` the light (0 to 1, linear) to both sides of its edges; `seen` the share of edges found.
    """

    id: int
    corners_px: Floats
    sigma_px: float
    bleed_px: float
    blur_px: float
    paper: float
    ink: float
    seen: float


_GREYS = np.arange(256) / 255
LIGHT: NDArray[np.float32] = np.where(_GREYS <= 0.04045, _GREYS / 12.92, ((_GREYS + 0.055) / 1.055) ** 2.4).astype(
    np.float32
)
"""Linear light (0 to 1) of each grey level. Source: IEC 61966-2-1 (sRGB)."""


def find_fiducials(grey: Picture, lens: Lens, mat: Mat, near: Mapping[int, Floats] | None = None) -> list[Fiducial]:
    """The mat's fiducials in a grey picture of shape (H, W), in the order of their ids.

    Args:
        near: where their corners are expected, id to (4, 2), to within 2 pixels. When three are found there, the
            picture is not searched.
    An id that is seen twice is left out: nothing says which of the two lies on the table.
    """
    if near:
        tracked = [_measured(grey, lens, mat.dictionary, i, corners) for i, corners in sorted(near.items())]
        found = [fiducial for fiducial in tracked if fiducial is not None]
        if len(found) >= 3:
            return found
    reduced = max(1, round(grey.shape[1] / SEARCH_WIDTH_PX))
    places = _searched(grey, mat, reduced)
    if len(places) < 3 and reduced > 1:
        places |= _searched(grey, mat, 1)
    measured = [_measured(grey, lens, mat.dictionary, i, corners) for i, corners in sorted(places.items())]
    return [fiducial for fiducial in measured if fiducial is not None]


def marker_corners_mm(mat: Mat, marker: int) -> Floats:
    """The corners (4, 2) of a fiducial's black square in the table frame."""
    half = mat.marker_mm / 2
    return np.array(mat.markers[marker]) + half * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], np.float64)


def _searched(grey: Picture, mat: Mat, reduced: int) -> dict[int, Floats]:
    small = grey
    if reduced > 1:
        size = (grey.shape[1] // reduced, grey.shape[0] // reduced)
        crop = grey[: size[1] * reduced, : size[0] * reduced]
        small = cv2.resize(crop, size, interpolation=cv2.INTER_AREA)
    corners, ids, _ = _detector(mat.dictionary).detectMarkers(small)
    numbers = [] if ids is None else [int(i) for i in np.asarray(ids).reshape(-1)]
    return {
        number: (np.asarray(quad, np.float64).reshape(4, 2) + 0.5) * reduced - 0.5
        for number, quad in zip(numbers, corners, strict=True)
        if number in mat.markers and numbers.count(number) == 1
    }


@cache
def _dictionary(name: str) -> cv2.aruco.Dictionary:
    number = getattr(cv2.aruco, name, None) if name.startswith("DICT_") else None
    if number is None:
        raise KitError(f"mat.dictionary is {name!r}, expected one of OpenCV's such as 'DICT_APRILTAG_36h11'")
    return cv2.aruco.getPredefinedDictionary(number)


@cache
def _detector(name: str) -> cv2.aruco.ArucoDetector:
    parameters = cv2.aruco.DetectorParameters()
    parameters.adaptiveThreshWinSizeMin = parameters.adaptiveThreshWinSizeMax = SEARCH_WINDOW_PX
    return cv2.aruco.ArucoDetector(_dictionary(name), parameters)


@dataclass(frozen=True, eq=False, slots=True)
class _Edges:
    """Points on the black-white edges of one marker, in cells, (0, 0) at the black square's top-left corner.

    `along` is the edge's direction, `whiter` +1 where white lies towards +x or +y, -1 where it lies the other way.
    """

    cells: int
    at: Floats
    along: Floats
    whiter: Floats


@cache
def _edges(dictionary: str, marker: int) -> _Edges:
    known = _dictionary(dictionary)
    cells = known.markerSize + 2
    drawn = cv2.aruco.generateImageMarker(known, marker, cells, borderBits=1)
    white = np.pad(drawn > 127, 1, constant_values=True)
    starts, along, whiter = [], [], []
    for row, column in np.argwhere(white[:, 1:] != white[:, :-1]):
        starts.append((column, row - 1))
        along.append((0, 1))
        whiter.append(1 if white[row, column + 1] else -1)
    for row, column in np.argwhere(white[1:, :] != white[:-1, :]):
        starts.append((column - 1, row))
        along.append((1, 0))
        whiter.append(1 if white[row + 1, column] else -1)
    directions = np.array(along, np.float64)
    at = np.array(starts, np.float64)[:, None] + ALONG[None, :, None] * directions[:, None]
    return _Edges(
        cells=cells,
        at=at.reshape(-1, 2),
        along=np.repeat(directions, len(ALONG), axis=0),
        whiter=np.repeat(np.array(whiter, np.float64), len(ALONG)),
    )


def _measured(grey: Picture, lens: Lens, dictionary: str, marker: int, corners_px: Floats) -> Fiducial | None:
    """The fiducial measured from a rough place; None where its edges are not there."""
    edges = _edges(dictionary, marker)
    square = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float64) * edges.cells
    cell_px = np.linalg.norm(corners_px - np.roll(corners_px, 1, axis=0), axis=1).min() / edges.cells
    offsets = np.linspace(-1, 1, SAMPLES) * min(REACH_PX, REACH_CELLS * cell_px)
    homography = _homography(square, lens.rays(corners_px))
    if homography is None:
        return None
    for _ in range(ROUNDS):
        fit = _fit(grey, lens, edges, homography, offsets)
        if fit is None:
            return None
        homography, sigma, bleed_px, seen, profiles = fit
    if seen < LEAST_SEEN or profiles.residual_px > WORST_EDGE_PX:
        return None
    return Fiducial(
        id=marker,
        corners_px=lens.pixels(_mapped(homography, square)),
        sigma_px=sigma,
        bleed_px=bleed_px,
        blur_px=profiles.blur_px,
        paper=profiles.paper,
        ink=profiles.ink,
        seen=seen,
    )


@dataclass(frozen=True, eq=False, slots=True)
class _Profiles:
    residual_px: float
    blur_px: float
    paper: float
    ink: float


def _fit(
    grey: Picture, lens: Lens, edges: _Edges, homography: Floats, offsets: Floats
) -> tuple[Floats, float, float, float, _Profiles] | None:
    """One step of Gauss-Newton: the homography, a corner's standard error, the bleed, the share of edges seen."""
    focal = (lens.fx_px + lens.fy_px) / 2
    rays = _mapped(homography, edges.at)
    points = lens.pixels(rays)
    ahead = lens.pixels(_mapped(homography, edges.at + 0.05 * edges.along)) - points
    ahead /= np.linalg.norm(ahead, axis=1, keepdims=True)
    # the normal points to the white: a quarter turn of the direction, one way for x-edges and the other for y-edges
    turn = np.where(edges.along[:, 1] > 0, 1.0, -1.0) * edges.whiter
    normals = np.column_stack([ahead[:, 1], -ahead[:, 0]]) * turn[:, None]
    crossings, sharp, profiles = _crossings(grey, points, normals, offsets)
    if sharp.mean() < 0.5 * LEAST_SEEN:
        return None
    across = lens.rays(points + normals) - rays
    a_pixel = np.linalg.norm(across, axis=1)
    across /= a_pixel[:, None]
    residuals = crossings * a_pixel * focal
    weights = np.column_stack([edges.at, np.ones(len(edges.at))]) / (edges.at @ homography[2, :2] + 1)[:, None]
    columns = [across[:, :1] * weights, across[:, 1:] * weights, -(across * rays).sum(1)[:, None] * weights[:, :2]]
    system = np.column_stack([*columns, np.full(len(edges.at), 1 / focal)]) * focal
    kept = sharp
    for _ in range(3):
        normal = system[kept].T @ system[kept]
        found = np.linalg.solve(normal, system[kept].T @ residuals[kept])
        left = residuals - system @ found
        spread = 1.4826 * float(np.median(np.abs(left[kept])))
        kept = sharp & (np.abs(left) < 3 * spread + 0.02)
        if kept.sum() < 4 * system.shape[1]:
            return None
    seen = float(sharp.mean())
    better = homography + np.append(found[:8], 0).reshape(3, 3)
    # the profiles of one cell's side share pixels, so they count as one measurement
    corner_sigma = spread * np.sqrt(system.shape[1] / (kept.sum() / len(ALONG)))
    about = _Profiles(float(np.median(np.abs(left[sharp]))), *profiles)
    return better, float(corner_sigma), float(found[8]), seen, about


def _crossings(
    grey: Picture, points: Floats, normals: Floats, offsets: Floats
) -> tuple[Floats, NDArray[np.bool_], tuple[float, float, float]]:
    """Where each profile crosses half way from ink to paper: pixels along its normal, whether it does, what it shows.

    What it shows: the edge's width as a standard deviation in pixels, and the light of paper and ink.
    """
    laid = points[:, None] + offsets[None, :, None] * normals[:, None]
    left, top = np.maximum(np.floor(laid.min(axis=(0, 1))).astype(int) - 1, 0)
    right, bottom = np.maximum(np.ceil(laid.max(axis=(0, 1))).astype(int) + 2, 0)
    crop = LIGHT[grey[top:bottom, left:right]]
    if crop.size == 0:
        return np.zeros(len(points)), np.zeros(len(points), np.bool_), (0.0, 0.0, 0.0)
    at = (laid - (left, top)).astype(np.float32)
    levels = cv2.remap(crop, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
    levels = levels.astype(np.float64)
    by_side = levels.reshape(-1, len(ALONG), len(offsets))
    paper = by_side[..., -3:].mean(axis=(1, 2)).repeat(len(ALONG))
    ink = by_side[..., :3].mean(axis=(1, 2)).repeat(len(ALONG))
    contrast = paper - ink
    usual = float(np.median(contrast))
    sharp = contrast > max(LEAST_CONTRAST, LEAST_SHARE * usual)
    shares = (levels - ink[:, None]) / np.where(sharp, contrast, 1.0)[:, None]
    step = offsets[1] - offsets[0]
    rises = (shares[:, :-1] < 0.5) & (shares[:, 1:] >= 0.5)
    far = np.where(rises, np.abs(offsets[:-1] + step / 2), np.inf)
    first = far.argmin(axis=1)
    rows = np.arange(len(levels))
    sharp &= rises[rows, first]
    low, high = shares[rows, first], shares[rows, first + 1]
    crossings = offsets[first] + step * (0.5 - low) / np.where(high > low, high - low, 1.0)
    blur_px = _width(shares[sharp], crossings[sharp], offsets) if sharp.any() else float("inf")
    return crossings, sharp, (blur_px, float(np.median(paper)), float(np.median(ink)))


def _width(shares: Floats, crossings: Floats, offsets: Floats) -> float:
    """The standard deviation in pixels of the Gaussian step that rises as steeply as the profiles do.

    From the slope between a quarter and three quarters, which clipped paper and sharpening's overshoot leave alone.
    """
    middle = np.abs(shares - 0.5) < 0.25
    if not middle.any():
        return 0.0
    away = (offsets[None, :] - crossings[:, None])[middle]
    rise = (shares - 0.5)[middle]
    slope = float((away * rise).sum() / max((away * away).sum(), 1e-12))
    return float(1 / (np.sqrt(2 * np.pi) * max(slope, 1e-6)))


def _homography(source: Floats, target: Floats) -> Floats | None:
    found = cv2.findHomography(source, target)[0]
    if found is None or abs(found[2, 2]) < 1e-12:
        return None
    return np.asarray(found / found[2, 2], np.float64)


def _mapped(homography: Floats, points: Floats) -> Floats:
    lifted = np.column_stack([points, np.ones(len(points))]) @ homography.T
    return lifted[:, :2] / lifted[:, 2:]
