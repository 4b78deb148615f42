"""Measures a ChArUco board's inner corners in a picture, to a few hundredths of a pixel.

`cv2.aruco.CharucoDetector` finds and numbers the corners. Each corner is then measured as the crossing of two lines,
fitted to the four edges that meet there. Black and white swap sides at the crossing. Clipped white or spread ink push
every edge towards the black. So they push the two halves of a line apart, but leave the crossing in place.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from calibration.arrays import Floats, Picture
from calibration.edges import MAD_TO_SIGMA, crossings, mapped, offsets_px
from companion.game.errors import CompanionError

LEAST_MARKERS = 3
"""Minimum number of markers that prove a dictionary: the detector finds one or two in any clutter."""


@dataclass(frozen=True, slots=True)
class Markers:
    """The name of a dictionary in OpenCV, and the sorted numbers of its visible markers."""

    dictionary: str
    ids: tuple[int, ...]


def markers_shown(greys: Sequence[Picture], meant: str) -> Markers | None:
    """The dictionary with most markers in grey pictures (H, W), `meant` on a tie; None: hardly any markers are
    visible."""
    best: tuple[tuple[int, bool, int], Markers] | None = None
    for family in _families(meant):
        for name, known in family:
            detector = cv2.aruco.ArucoDetector(known)
            found = [ids.ravel() for ids in (detector.detectMarkers(grey)[1] for grey in greys) if ids is not None]
            ids = tuple(np.unique(np.concatenate(found)).tolist()) if found else ()
            if len(ids) < LEAST_MARKERS:
                # boards are numbered from 0: if these markers do not appear, larger dictionaries need no slow search
                break
            rank = (len(ids), name == meant, -len(known.bytesList))
            if best is None or rank > best[0]:
                best = rank, Markers(name, ids)
    return None if best is None else best[1]


def _families(meant: str) -> list[list[tuple[str, cv2.aruco.Dictionary]]]:
    """OpenCV's dictionaries, grouped by equal first markers, smaller dictionaries first; `meant` wins over synonyms."""
    names = {getattr(cv2.aruco, name): name for name in (*dir(cv2.aruco), meant) if name.startswith("DICT_")}
    families: dict[bytes, list[tuple[str, cv2.aruco.Dictionary]]] = {}
    for number, name in names.items():
        # this dictionary finds a marker in every dark square
        if isinstance(number, int) and number != cv2.aruco.DICT_ARUCO_ORIGINAL:
            known = cv2.aruco.getPredefinedDictionary(number)
            families.setdefault(known.bytesList[:LEAST_MARKERS].tobytes(), []).append((name, known))
    return [sorted(family, key=lambda one: len(one[1].bytesList)) for family in families.values()]


ALONG_SQUARES = np.concatenate([-np.linspace(0.1, 0.45, 15)[::-1], np.linspace(0.1, 0.45, 15)])
"""Sampled places along the two edges of a corner, in squares from the corner; the corner itself is left out."""
STRETCH = 5
"""Number of adjacent profiles that share their levels."""
LEAST_SEEN = 0.6
"""Minimum share of a line's profiles with an edge."""
WORST_LINE_PX = 0.35
"""Maximum scatter of the profiles about their line for a valid corner (otherwise blur, or a bent board)."""
ROUNDS = 2
MOST_SQUARES = 31
"""Maximum number of squares across or down."""


class BoardError(CompanionError, ValueError):
    """An invalid description of a calibration board."""


@dataclass(frozen=True, slots=True)
class CalibrationBoard:
    """A ChArUco board: squares across and down, side of a square and of a marker in mm, dictionary of the markers."""

    across: int
    down: int
    square_mm: float
    marker_mm: float
    dictionary: str
    is_legacy: bool = False
    """The pattern of older software: with an even number of rows such a board begins with a white square."""

    def __str__(self) -> str:
        return f"charuco:{self.across}x{self.down},{self.square_mm:g},{self.marker_mm:g},{self.dictionary}"

    @property
    def corners_mm(self) -> Floats:
        """All inner corners in the board's frame (x right, y down, z 0), shape (N, 3), in the order of their ids."""
        return np.asarray(self.opencv().getChessboardCorners(), np.float64).reshape(-1, 3)

    def opencv(self) -> cv2.aruco.CharucoBoard:
        """The same board for `cv2.aruco`: detection and drawing."""
        markers = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, self.dictionary))
        board = cv2.aruco.CharucoBoard((self.across, self.down), self.square_mm, self.marker_mm, markers)
        board.setLegacyPattern(self.is_legacy)
        return board


@dataclass(frozen=True, eq=False, slots=True)
class CharucoCorners:
    """The corners of a board in one picture: `ids` (N,), `pixels` (N, 2)."""

    ids: np.ndarray
    pixels: Floats


def board_of(text: str) -> CalibrationBoard:
    """The board that a text describes. Raises: BoardError.

    >>> board_of("charuco:7x5,30,22,DICT_5X5_100")
    CalibrationBoard(across=7, down=5, square_mm=30.0, marker_mm=22.0, dictionary='DICT_5X5_100', is_legacy=False)
    >>> str(board_of("charuco:7x5,30,22.5,DICT_5X5_100"))
    'charuco:7x5,30,22.5,DICT_5X5_100'
    >>> board_of("charuco:7x5,22,30,DICT_5X5_100")
    Traceback (most recent call last):
    calibration.charuco.BoardError: the board's marker is 30 mm in squares of 22 mm, expected it to be smaller
    """
    form = "charuco:7x5,30,22,DICT_5X5_100 (squares across x down, square mm, marker mm, dictionary)"
    kind, _, rest = text.partition(":")
    parts = rest.split(",")
    size = parts[0].split("x")
    if kind != "charuco" or len(parts) != 4 or len(size) != 2:
        raise BoardError(f"the board is {text!r}, expected a text such as {form}")
    try:
        across, down = int(size[0]), int(size[1])
        square_mm, marker_mm = float(parts[1]), float(parts[2])
    except ValueError as error:
        raise BoardError(f"the board is {text!r}, expected numbers as in {form}") from error
    if across < 3 or down < 3:
        raise BoardError(f"the board has {across} x {down} squares, expected at least 3 each way")
    if not 0 < square_mm < 1e4:
        raise BoardError(f"the board's square is {square_mm:g} mm, expected a length above 0")
    if not 0 < marker_mm < square_mm:
        raise BoardError(
            f"the board's marker is {marker_mm:g} mm in squares of {square_mm:g} mm, expected it to be smaller"
        )
    name = parts[3].strip()
    if not name.startswith("DICT_") or not isinstance(getattr(cv2.aruco, name, None), int):
        raise BoardError(f"the board's dictionary is {name!r}, expected one of OpenCV's such as 'DICT_5X5_100'")
    held = len(cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, name)).bytesList)
    if across * down // 2 > held:
        raise BoardError(
            f"the board has {across} x {down} squares, expected at most {2 * held + 1}: every other one bears a marker "
            f"and {name} has {held}"
        )
    return CalibrationBoard(across, down, square_mm, marker_mm, name)


def find_board(grey: Picture, board: CalibrationBoard) -> CharucoCorners:
    """The board's corners in a grey picture (H, W); empty if the board is not visible.

    For a board with an even number of rows its older pattern is tried too.
    """
    seen = _found(grey, board)
    if not len(seen.ids) and board.down % 2 == 0:
        return _found(grey, replace(board, is_legacy=not board.is_legacy))
    return seen


def board_shown(greys: Sequence[Picture], meant: CalibrationBoard) -> CalibrationBoard | None:
    """The board that these pictures show instead of `meant`, with the mm sizes of `meant`; None: no known board."""
    markers = markers_shown(greys, meant.dictionary)
    if markers is None:
        return None
    count = max(markers.ids) + 1
    sizes = [(a, d) for a in range(3, MOST_SQUARES) for d in range(3, MOST_SQUARES) if a * d // 2 == count]
    boards = [replace(meant, across=a, down=d, dictionary=markers.dictionary) for a, d in sizes]
    seen = [max(len(find_board(grey, board).ids) for grey in greys) for board in boards]
    best = int(np.argmax(seen)) if seen else 0
    return boards[best] if seen and seen[best] else None


def _found(grey: Picture, board: CalibrationBoard) -> CharucoCorners:
    found, ids, _, _ = cv2.aruco.CharucoDetector(board.opencv()).detectBoard(grey)
    none = CharucoCorners(np.zeros(0, np.int64), np.zeros((0, 2)))
    if ids is None or len(ids) < 4:
        return none
    numbers = np.asarray(ids, np.int64).reshape(-1)
    rough = np.asarray(found, np.float64).reshape(-1, 2)
    flat = board.corners_mm[numbers, :2]
    homography = cv2.findHomography(flat, rough, cv2.RANSAC, 0.05 * float(np.ptp(rough)))[0]
    if homography is None:
        return none
    kept, pixels = [], []
    for number, corner_mm, corner in zip(numbers, flat, rough, strict=True):
        ways = mapped(
            np.asarray(homography, np.float64), corner_mm + board.square_mm * np.array([(0, 0), (0.5, 0), (0, 0.5)])
        )
        measured = _crossing(grey, corner, 2 * (ways[1:] - ways[0]))
        if measured is not None:
            kept.append(number)
            pixels.append(measured)
    return CharucoCorners(np.array(kept, np.int64), np.array(pixels).reshape(-1, 2))


def _crossing(grey: Picture, rough: Floats, sides: Floats) -> Floats | None:
    """The crossing of two edges at a corner. `sides` (2, 2): a square's sides in pixels."""
    lengths = np.linalg.norm(sides, axis=1)
    ahead = sides / lengths[:, None]
    normals = np.column_stack([-ahead[:, 1], ahead[:, 0]])
    corner = rough
    for _ in range(ROUNDS):
        lines = []
        for i in (0, 1):
            reach_px = 0.1 * lengths[1 - i] * abs(float(normals[i] @ ahead[1 - i]))
            line = _line(grey, corner + ALONG_SQUARES[:, None] * sides[i], normals[i], ALONG_SQUARES, reach_px)
            if line is None:
                return None
            lines.append(line)
        # each line: the points p with n.(p - corner) = away + slope * s, where s = (p - corner).side / length²
        rows = np.array([normals[i] - lines[i][1] * sides[i] / lengths[i] ** 2 for i in (0, 1)])
        corner = corner + np.linalg.lstsq(rows, [lines[0][0], lines[1][0]], rcond=None)[0]
    return None if np.linalg.norm(corner - rough) > 0.15 * lengths.min() else corner


def _line(grey: Picture, points: Floats, normal: Floats, along: Floats, reach_px: float) -> tuple[float, float] | None:
    """Distance of an edge from `points` along `normal` at s = 0, and its slope over s."""
    ends = (points[:, None] + np.array([-0.8, 0.8])[None, :, None] * max(reach_px, 1.0) * normal).astype(np.float32)
    levels = cv2.remap(grey, ends[..., 0], ends[..., 1], cv2.INTER_LINEAR).astype(np.float64)
    # the colour on each side of the corner comes from the mean of that half, not from one noisy profile
    half = len(points) // 2
    rises = (levels[:, 1] - levels[:, 0]).reshape(2, half).mean(axis=1)
    if rises[0] * rises[1] >= 0:
        return None
    white = np.repeat(np.sign(rises), half)
    profiles = crossings(grey, points, normal * white[:, None], offsets_px(reach_px), by=STRETCH)
    away = profiles.away_px * white
    system = np.column_stack([np.ones(len(points)), along, white])
    kept = profiles.sharp
    for _ in range(3):
        if kept.mean() < LEAST_SEEN or kept[:half].sum() < 5 or kept[half:].sum() < 5:
            return None
        found = np.linalg.lstsq(system[kept], away[kept], rcond=None)[0]
        left = away - system @ found
        spread = MAD_TO_SIGMA * float(np.median(np.abs(left[kept])))
        kept = profiles.sharp & (np.abs(left) < 3 * spread + 0.02)
    return None if spread > WORST_LINE_PX else (float(found[0]), float(found[1]))
