"""Finds the kit's fiducials in a picture, with corners to a few hundredths of a pixel.

The detector of `cv2.aruco` finds and decodes them on a reduced picture, but places corners up to two pixels too far
inside. So every edge between a black and a white cell is measured at full resolution, on the outer sides and inside the
code. One homography is fitted to all of them. An edge is half way from ink to paper in linear light (sRGB undone).
Clipped paper and spread ink move all edges by the same length. That length is fitted with the homography.
The fit uses undistorted rays, because the lens bends straight sides.

Convention: pixels (x, y), origin top-left, pixel centres at integers; corners of the black square: top-left, top-right,
bottom-right, bottom-left in the table frame.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import cv2
import numpy as np

from calibration.arrays import Floats, Picture
from calibration.edges import LIGHT, MAD_TO_SIGMA, Profiles, crossings, mapped, median, offsets_px
from calibration.lens import Lens
from companion.game.errors import LensError
from companion.game.kit import Kit, Mat
from companion.game.says import Says

SEARCH_WIDTH_PX = 1152
"""A picture is reduced to this width for the search; decoding needs about 3 pixels per cell there."""
SEARCH_WINDOW_PX = 15
"""One window size of the adaptive threshold: three (OpenCV's default) take twice the time and find no more."""
CELL_PX, FINE_CELL_PX = 4, 8
"""Samples per cell and direction. The larger number is for a second try: in small cells white spreads over black."""
REACH_CELLS = 0.6
"""Length of an edge's profile on either side, in cells."""
ALONG, ROUGHLY_ALONG = (0.2, 0.35, 0.5, 0.65, 0.8), (0.35, 0.65)
"""Places of profiles along a cell's side, in the last and in the first fit. The ends are left out: two edges blur into
each other there."""
LEAST_SEEN = 0.7
"""Minimum share of a fiducial's edges at their fitted places; with fewer it is covered, or not a fiducial."""
WORST_EDGE_PX = 0.6
"""Maximum median residual of the edges of a valid fit."""
RANK_FLOOR = 1e-13
"""Edges of one direction alone leave parameters undetermined: equations count as dependent below this share."""


@dataclass(frozen=True, eq=False, slots=True)
class Fiducial:
    """One fiducial as measured in the picture.

    `corners_px`: (4, 2). `sigma_px`: standard error of a corner's coordinate, from the edges' scatter. `blur_px`: width
    of an edge as one standard deviation, of the more blurred direction. `seen`: share of edges found.
    """

    id: int
    corners_px: Floats
    sigma_px: float
    blur_px: float
    seen: float


def find_fiducials(grey: Picture, lens: Lens, mat: Mat, near: Mapping[int, Floats] | None = None) -> list[Fiducial]:
    """The mat's fiducials in a grey picture (H, W), sorted by id.

    Args:
        near: expected corners, id to (4, 2), to within 2 pixels. If three fiducials are found there, the picture is not
            searched.
    An id that appears twice is left out, because the right fiducial is unknown.
    """
    if near:
        tracked = [_measured(grey, lens, mat.dictionary, i, corners) for i, corners in sorted(near.items())]
        found = [fiducial for fiducial in tracked if fiducial is not None]
        if len(found) >= 3:
            return found
    reduced = max(1, round(grey.shape[1] / SEARCH_WIDTH_PX))
    places = _searched(grey, mat, reduced)
    if len(places) < 3:
        places |= _searched(grey, mat, 1, FINE_CELL_PX)
    if len(places) < 3:
        places |= _searched(_as_light(grey), mat, 1, FINE_CELL_PX)
    measured = [_measured(grey, lens, mat.dictionary, i, corners) for i, corners in sorted(places.items())]
    return [fiducial for fiducial in measured if fiducial is not None]


def find_mirrored(grey: Picture, mat: Mat) -> dict[int, Floats]:
    """The mat's fiducials that appear mirrored in a grey picture: id to approximate corners."""
    reduced = max(1, round(grey.shape[1] / SEARCH_WIDTH_PX))
    flipped = np.ascontiguousarray(grey[:, ::-1])
    last = grey.shape[1] - 1
    return {i: corners * (-1, 1) + (last, 0) for i, corners in _searched(flipped, mat, reduced).items()}


def find_strange(grey: Picture, mat: Mat) -> list[int]:
    """The sorted numbers of fiducials in a grey picture that are of the mat's dictionary but not on the mat."""
    known = _dictionary(mat.dictionary)
    others = {i: (0.0, 0.0) for i in range(len(known.bytesList)) if i not in mat.markers}
    reduced = max(1, round(grey.shape[1] / SEARCH_WIDTH_PX))
    return sorted(_searched(grey, replace(mat, markers=others), reduced))


def marker_corners_mm(mat: Mat, marker: int) -> Floats:
    """The corners (4, 2) of a fiducial's black square in the table frame."""
    half = mat.marker_mm / 2
    return np.array(mat.markers[marker]) + half * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], np.float64)


def cells_across(mat: Mat) -> int:
    """Width of a fiducial's black square in cells, with its border."""
    return int(_dictionary(mat.dictionary).markerSize) + 2


def seen_twice(grey: Picture, mat: Mat) -> list[int]:
    """The mat's fiducials that appear more than once in a picture, for example if another mat is in view."""
    numbers = [number for number, _ in _detected(grey, mat, max(1, round(grey.shape[1] / SEARCH_WIDTH_PX)))]
    return sorted({number for number in numbers if numbers.count(number) > 1})


def _searched(grey: Picture, mat: Mat, reduced: int, cell_px: int = CELL_PX) -> dict[int, Floats]:
    detected = _detected(grey, mat, reduced, cell_px)
    numbers = [number for number, _ in detected]
    return {number: corners for number, corners in detected if numbers.count(number) == 1}


def _as_light(grey: Picture) -> Picture:
    """The picture in linear light, 255 the brightest: glaring white then looks as wide as black."""
    share = np.minimum(LIGHT / LIGHT[max(1, int(grey.max()))], 1)
    return np.asarray(cv2.LUT(grey, np.round(255 * share).astype(np.uint8)), np.uint8)


def _detected(grey: Picture, mat: Mat, reduced: int, cell_px: int = CELL_PX) -> list[tuple[int, Floats]]:
    """All fiducials that the detector finds on the reduced picture, with corners in the full picture."""
    small = grey
    if reduced > 1:
        size = (grey.shape[1] // reduced, grey.shape[0] // reduced)
        crop = grey[: size[1] * reduced, : size[0] * reduced]
        small = np.asarray(cv2.resize(crop, size, interpolation=cv2.INTER_AREA), np.uint8)
    known = tuple(sorted(mat.markers))
    corners, ids, _ = _detector(mat.dictionary, known, cell_px).detectMarkers(small)
    numbers = [] if ids is None else [known[int(i)] for i in np.asarray(ids).reshape(-1)]
    return [
        (number, (np.asarray(quad, np.float64).reshape(4, 2) + 0.5) * reduced - 0.5)
        for number, quad in zip(numbers, corners, strict=True)
    ]


@cache
def _dictionary(name: str) -> cv2.aruco.Dictionary:
    return cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, name))


@cache
def _detector(name: str, markers: tuple[int, ...], cell_px: int) -> cv2.aruco.ArucoDetector:
    """A detector for these markers only, numbered in their order: comparing with all codes takes twice the time."""
    known = _dictionary(name)
    few = cv2.aruco.Dictionary(known.bytesList[list(markers)], known.markerSize, known.maxCorrectionBits)
    parameters = cv2.aruco.DetectorParameters()
    parameters.adaptiveThreshWinSizeMin = parameters.adaptiveThreshWinSizeMax = SEARCH_WINDOW_PX
    parameters.perspectiveRemovePixelPerCell = cell_px
    return cv2.aruco.ArucoDetector(few, parameters)


@dataclass(frozen=True, eq=False, slots=True)
class _Edges:
    """Points on the black-white edges of one marker, in cells; (0, 0) is the black square's top-left corner.

    `along`: the edge's direction. `whiter`: +1 if white is towards +x or +y, otherwise -1. `by`: number of adjacent
    points on one cell's side.
    """

    cells: int
    at: Floats
    along: Floats
    whiter: Floats
    by: int


@cache
def _edges(dictionary: str, marker: int, places: tuple[float, ...]) -> _Edges:
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
    at = np.array(starts, np.float64)[:, None] + np.array(places)[None, :, None] * directions[:, None]
    return _Edges(
        cells=cells,
        at=at.reshape(-1, 2),
        along=np.repeat(directions, len(places), axis=0),
        whiter=np.repeat(np.array(whiter, np.float64), len(places)),
        by=len(places),
    )


def _measured(grey: Picture, lens: Lens, dictionary: str, marker: int, corners_px: Floats) -> Fiducial | None:
    """The fiducial, measured from its approximate corners; None: its edges are not found there."""
    cells = _edges(dictionary, marker, ALONG).cells
    square = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float64) * cells
    cell_px = np.linalg.norm(corners_px - np.roll(corners_px, 1, axis=0), axis=1).min() / cells
    offsets = offsets_px(REACH_CELLS * cell_px)
    homography = _homography(square, lens.rays(corners_px))
    if homography is None:
        return None
    fit = None
    # two fits, each with profiles at the previous fit's edges; further fits move corners by at most 0.02 pixels
    for places in (ROUGHLY_ALONG, ALONG):
        fit = _fit(grey, lens, _edges(dictionary, marker, places), homography, offsets)
        if fit is None:
            return None
        homography = fit.homography
    if fit is None or fit.seen < LEAST_SEEN or fit.residual_px > WORST_EDGE_PX:
        return None
    return Fiducial(
        id=marker,
        corners_px=lens.pixels(mapped(homography, square)),
        sigma_px=fit.sigma_px,
        blur_px=_blur_px(_edges(dictionary, marker, ALONG), fit.profiles),
        seen=fit.seen,
    )


def _blur_px(edges: _Edges, profiles: Profiles) -> float:
    """The width of the more blurred direction: motion along a side leaves edges along it sharp."""
    is_upright = edges.along[:, 1] > 0
    return max(profiles.blur_px(is_upright), profiles.blur_px(~is_upright))


@dataclass(frozen=True, eq=False, slots=True)
class _Fit:
    """A marker's homography from cells to rays, its corners' standard error, and the measurements of its edges."""

    homography: Floats
    sigma_px: float
    seen: float
    residual_px: float
    profiles: Profiles


def _fit(grey: Picture, lens: Lens, edges: _Edges, homography: Floats, offsets: Floats) -> _Fit | None:
    """One Gauss-Newton step on all edges of a marker; None: too few edges are found."""
    focal = (lens.fx_px + lens.fy_px) / 2
    rays = mapped(homography, edges.at)
    points = lens.pixels(rays)
    ahead = lens.pixels(mapped(homography, edges.at + 0.05 * edges.along)) - points
    ahead /= np.linalg.norm(ahead, axis=1, keepdims=True)
    # the normal points to the white: the direction, rotated by a quarter turn, one way for x-edges and the other for
    # y-edges
    turn = np.where(edges.along[:, 1] > 0, 1.0, -1.0) * edges.whiter
    normals = np.column_stack([ahead[:, 1], -ahead[:, 0]]) * turn[:, None]
    profiles = crossings(grey, points, normals, offsets, by=edges.by)
    sharp = profiles.sharp
    if sharp.mean() < 0.5 * LEAST_SEEN:
        return None
    across = lens.rays(points + normals) - rays
    a_pixel = np.linalg.norm(across, axis=1)
    across /= a_pixel[:, None]
    residuals = profiles.away_px * a_pixel * focal
    weights = np.column_stack([edges.at, np.ones(len(edges.at))]) / (edges.at @ homography[2, :2] + 1)[:, None]
    columns = [across[:, :1] * weights, across[:, 1:] * weights, -(across * rays).sum(1)[:, None] * weights[:, :2]]
    system = np.column_stack([*columns, np.full(len(edges.at), 1 / focal)]) * focal
    kept = sharp
    for _ in range(3):
        seen_system = system[kept]
        normal = seen_system.T @ seen_system
        normal += RANK_FLOOR * float(np.trace(normal)) * np.eye(len(normal))
        found = np.linalg.solve(normal, seen_system.T @ residuals[kept])
        left = residuals - system @ found
        spread = MAD_TO_SIGMA * median(np.abs(left[kept]))
        before, kept = kept, sharp & (np.abs(left) < 3 * spread + 0.02)
        if kept.sum() < 4 * system.shape[1]:
            return None
        if (kept == before).all():
            break
    seen = float(sharp.mean())
    better = homography + np.append(found[:8], 0).reshape(3, 3)
    # the profiles on one cell's side share pixels, so they count as one measurement
    corner_sigma = spread * np.sqrt(system.shape[1] / (kept.sum() / edges.by))
    return _Fit(better, float(corner_sigma), seen, median(np.abs(left[sharp])), profiles)


def _homography(source: Floats, target: Floats) -> Floats | None:
    found = cv2.findHomography(source, target)[0]
    if found is None or abs(found[2, 2]) < 1e-12:
        return None
    return np.asarray(found / found[2, 2], np.float64)


# The places of fiducials, from one picture and two distances measured with a tape. The squares' size and the lens give
# the fiducials' relative places. A print's size is only accurate to some tenths of a per cent, so the distances set the
# scale. Gauss-Newton solves for all parameters, with prior knowledge as weak observations: the camera's six parameters,
# the print's stretch, each sheet's place and turn. Source: Triggs et al., Bundle adjustment: a modern synthesis, 2000.


ROUNDS = 25
CORNER_PX, TAPE_MM = 0.05, 0.5
"""Standard errors of a corner in the picture and of a length on a tape."""
LAID_MM, LAID_RAD, PRINT_SHARE = 5.0, 0.02, 0.003
"""Standard errors of a sheet's place and turn, and of a printer's stretch."""
MOST_MISFIT_PX = 1.0
MOST_APART_SHARE = 0.01
"""Maximum difference in scale between two distances; beyond it one was measured wrongly."""
MOST_TURN_DEG = 4.0
"""Maximum turn of a sheet: sheets should be upright."""


def laid_places(
    seen: Sequence[Fiducial], lens: Lens, kit: Kit, apart_mm: Mapping[tuple[int, int], float]
) -> dict[int, tuple[float, float]]:
    """The fiducials' middles in the kit's frame, id to (x, y) in mm.

    Args:
        apart_mm: measured distances between middles, by pairs of fiducial numbers.
    Raises: LensError: too few fiducials are visible, or the distances contradict each other or the picture.
    """
    by_id = {fiducial.id: fiducial for fiducial in seen}
    ids = sorted(i for i in by_id if i in kit.mat.markers)
    missing = [str(i) for pair in apart_mm for i in pair if i not in ids]
    if len(ids) < 3 or missing:
        words = "too few fiducials are visible ({ids}), expected every one that you measured from: uncover them"
        raise LensError(Says(words, {"ids": ", ".join(map(str, ids)) or Says("none")}))
    pixels = np.vstack([by_id[i].corners_px for i in ids])
    places, turns_deg, misfit_px = _solved(pixels, ids, lens, kit, apart_mm)
    if misfit_px > MOST_MISFIT_PX:
        words = "the sheets are {px} px off, expected at most {most}: lay them flat, and use the kit of this print"
        raise LensError(Says(words, {"px": f"{misfit_px:.1f}", "most": f"{MOST_MISFIT_PX:g}"}))
    if any(abs(_apart(places, ids, pair) / mm - 1) > MOST_APART_SHARE / 2 for pair, mm in apart_mm.items()):
        untaped = _solved(pixels, ids, lens, kit, {})[0]
        seen_mm = {pair: _apart(untaped, ids, pair) for pair in apart_mm}
        raise LensError(_wrong_tape(apart_mm, seen_mm))
    turned = max(abs(turn) for turn in turns_deg)
    if turned > MOST_TURN_DEG:
        words = "a sheet is turned by {n} degrees, expected all upright: turn it straight"
        raise LensError(Says(words, {"n": round(turned)}))
    there = _onto(places, np.array([kit.mat.markers[i] for i in ids]))
    return {i: (round(float(x), 2), round(float(y), 2)) for i, (x, y) in zip(ids, there, strict=True)}


def _apart(places: Floats, ids: Sequence[int], pair: tuple[int, int]) -> float:
    a, b = (ids.index(i) for i in pair)
    return float(np.linalg.norm(places[a] - places[b]))


def _wrong_tape(apart_mm: Mapping[tuple[int, int], float], seen_mm: Mapping[tuple[int, int], float]) -> Says:
    """The refusal of measured distances that contradict the picture: names the worst."""
    pair = max(apart_mm, key=lambda pair: abs(float(np.log(seen_mm[pair] / apart_mm[pair]))))
    mm = apart_mm[pair]
    if round(seen_mm[pair] / mm) == 10:
        return Says("{cm} looks like centimetres: type millimetres, {mm}", {"cm": f"{mm:g}", "mm": f"{10 * mm:g}"})
    words = (
        "you measured {mm} mm between fiducials {a} and {b}, and the picture shows {seen}: measure again from centre to"
        " centre"
    )
    return Says(words, {"a": pair[0], "b": pair[1], "mm": f"{mm:g}", "seen": f"{seen_mm[pair]:.0f}"})


def with_places_text(text: str, places_mm: Mapping[int, tuple[float, float]]) -> str:
    """A kit file's text with new places of the fiducials."""
    told = ", ".join(f"{i} = [{x:g}, {y:g}]" for i, (x, y) in sorted(places_mm.items()))
    lines = [f"markers = {{ {told} }}" if line.startswith("markers") else line for line in text.splitlines()]
    return "\n".join(lines) + "\n"


def _solved(
    pixels: Floats, ids: Sequence[int], lens: Lens, kit: Kit, apart_mm: Mapping[tuple[int, int], float]
) -> tuple[Floats, list[float], float]:
    """Middles (F, 2) in mm, the turn of each sheet in degrees, and the misfit in pixels."""
    square = kit.mat.marker_mm / 2 * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], np.float64)
    nominal = np.array([kit.mat.markers[i] for i in ids])
    flat = np.column_stack([(nominal[:, None] + square).reshape(-1, 2), np.zeros(4 * len(ids))])
    rays = lens.rays(pixels)
    _, rvec, tvec = cv2.solvePnP(flat.reshape(-1, 1, 3), rays.reshape(-1, 1, 2), np.eye(3), None)
    # the camera's six parameters, the print's scale, and x, y and turn of each sheet
    figures = np.concatenate([rvec.ravel(), tvec.ravel(), [0.0], *[(x, y, 0.0) for x, y in nominal]])
    usual = np.concatenate([[0.0], *[(x, y, 0.0) for x, y in nominal]])
    sigma = np.concatenate([[PRINT_SHARE], *[(LAID_MM, LAID_MM, LAID_RAD)] * len(ids)])
    pairs = [(ids.index(a), ids.index(b), mm) for (a, b), mm in apart_mm.items()]

    def missed(now: Floats) -> Floats:
        sheets, corners = now[7:].reshape(-1, 3), []
        for x, y, turn in sheets:
            c, s = np.cos(turn), np.sin(turn)
            corners.append((1 + now[6]) * square @ np.array([[c, s], [-s, c]]) + (x, y))
        at = np.column_stack([np.vstack(corners), np.zeros(4 * len(ids))])
        drawn, _ = cv2.projectPoints(at, now[:3], now[3:6], lens.matrix, lens.coefficients)
        taped = [(np.linalg.norm(sheets[i, :2] - sheets[j, :2]) - mm) / TAPE_MM for i, j, mm in pairs]
        return np.concatenate([(pixels - drawn.reshape(-1, 2)).ravel() / CORNER_PX, taped, (now[6:] - usual) / sigma])

    for _ in range(ROUNDS):
        off = missed(figures)
        steps = np.where(np.abs(figures) > 1, 1e-2, 1e-5)
        slopes = np.column_stack([(missed(figures + step) - off) / step.sum() for step in np.diag(steps)])
        change = np.linalg.lstsq(-slopes, off, rcond=None)[0]
        figures = figures + change
        if np.abs(change / steps).max() < 1e-2:
            break
    left = missed(figures)[: pixels.size] * CORNER_PX
    turns = np.degrees(figures[9::3])
    misfit = float(np.sqrt((left**2).reshape(-1, 2).sum(axis=1).mean()))
    return figures[7:].reshape(-1, 3)[:, :2], [float(turn) for turn in turns - np.median(turns)], misfit


def _onto(places: Floats, nominal: Floats) -> Floats:
    """The places, rotated and shifted without stretching, as near as possible to the nominal places."""
    here, there = places - places.mean(axis=0), nominal - nominal.mean(axis=0)
    u, _, vt = np.linalg.svd(here.T @ there)
    turn = u @ np.diag([1.0, np.sign(np.linalg.det(u @ vt))]) @ vt
    return np.asarray(here @ turn + nominal.mean(axis=0))
