"""Fiducials and calibration boards as vectors: black squares in one path each."""

from __future__ import annotations

from collections.abc import Iterable

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.charuco import CalibrationBoard
from calibration.paper.paper import BLACK, SOFT, WHITE, Box, Pen, Printable
from companion.game.kit import Kit

Bits = NDArray[np.bool_]
QUIET_CELLS = 1.5
"""White margin around a fiducial, in cells; one cell is needed, the rest is for cutting."""
GAP_MM = 6.0


def cells(dictionary: str, marker: int) -> Bits:
    """A marker's cells, border included: (N, N), True is black."""
    known = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, dictionary))
    count = int(known.markerSize) + 2
    drawn = np.asarray(cv2.aruco.generateImageMarker(known, marker, count, borderBits=1), np.uint8)
    return np.less(drawn, 128)


def dark(at_mm: tuple[float, float], side_mm: float, black: Bits) -> list[Box]:
    """The black runs of a marker's rows as boxes; `at_mm`: the marker's top-left corner."""
    cell = side_mm / len(black)
    found: list[Box] = []
    for row, line in enumerate(black):
        edges = np.flatnonzero(np.diff(np.concatenate([[0], line.astype(np.int8), [0]])))
        for start, end in zip(edges[::2], edges[1::2], strict=True):
            found.append((at_mm[0] + start * cell, at_mm[1] + row * cell, (end - start) * cell, cell))
    return found


def quiet_mm(kit: Kit) -> float:
    """Width of the white margin around a fiducial of this kit."""
    return QUIET_CELLS * kit.mat.marker_mm / len(cells(kit.mat.dictionary, 0))


def draw_fiducial(pen: Pen, kit: Kit, marker: int, middle_mm: tuple[float, float]) -> None:
    """Draws a fiducial with its quiet zone around its middle."""
    side, quiet = kit.mat.marker_mm, quiet_mm(kit)
    x, y = middle_mm[0] - side / 2, middle_mm[1] - side / 2
    pen.boxes([(x - quiet, y - quiet, side + 2 * quiet, side + 2 * quiet)], WHITE)
    pen.boxes(dark((x, y), side, cells(kit.mat.dictionary, marker)))


def fiducials(kit: Kit) -> Printable:
    """All fiducials of a kit, to cut out along the lines. The number is below the fiducial, upright on the table."""
    side = kit.mat.marker_mm + 2 * quiet_mm(kit)
    label = 7.0
    pitch = side + GAP_MM
    ids = sorted(kit.mat.markers)
    across = 2 if len(ids) > 1 else 1

    def draw(pen: Pen) -> None:
        for i, marker in enumerate(ids):
            x, y = (i % across) * pitch, (i // across) * (pitch + label)
            pen.outline((x, y, side, side + label), 0.15, SOFT)
            draw_fiducial(pen, kit, marker, (x + side / 2, y + side / 2))
            corner = ("top left", "top right", "bottom right", "bottom left")[marker] if marker < 4 else ""
            pen.text((x + side / 2, y + side + 3.5), f"{marker}  {corner}, this side down", 3.0, align="middle")

    rows = -(-len(ids) // across)
    title = f"Fiducials of {kit.game}: {kit.mat.dictionary}, {kit.mat.marker_mm:g} mm"
    return Printable(title, across * pitch - GAP_MM, rows * (pitch + label) - GAP_MM, draw)


def charuco(board: CalibrationBoard) -> Printable:
    """A ChArUco board, to glue on something flat."""
    width, height = board.across * board.square_mm, board.down * board.square_mm
    markers = np.asarray(board.opencv().getIds()).ravel().tolist()
    gap = (board.square_mm - board.marker_mm) / 2

    def draw(pen: Pen) -> None:
        black: list[Box] = []
        at = iter(markers)
        for row in range(board.down):
            for column in range(board.across):
                x, y = column * board.square_mm, row * board.square_mm
                if (row + column) % 2 == 0:
                    black.append((x, y, board.square_mm, board.square_mm))
                else:
                    black += dark((x + gap, y + gap), board.marker_mm, cells(board.dictionary, next(at)))
        pen.boxes(black)

    return Printable(f"Calibration board {board}", width, height, draw)


def small_markers(
    pen: Pen, dictionary: str, side_mm: float, places_mm: Iterable[tuple[int, tuple[float, float]]]
) -> None:
    """Draws markers by number and middle, on the paper's white."""
    for marker, (x, y) in places_mm:
        pen.boxes(dark((x - side_mm / 2, y - side_mm / 2), side_mm, cells(dictionary, marker)), BLACK)


# The drill's sheet: five marked places between four small markers, laid on the table twice. The box finds the sheet by
# its markers, and people put a piece on each place. Then the reader's result is compared with the true places. The
# sheet's sizes are defined only here, also for the drill.


SIZE_MM = (190.0, 250.0)
DICTIONARY = "DICT_APRILTAG_36h11"
MARKER_MM = 24.0
MARKERS_MM = {20: (16.0, 16.0), 21: (174.0, 16.0), 22: (174.0, 234.0), 23: (16.0, 234.0)}
"""Middle of each marker, by number."""
PLACES_MM = ((95.0, 30.0), (40.0, 80.0), (150.0, 80.0), (95.0, 130.0), (60.0, 195.0))
"""Middles of the marked places, in order."""
CROSS_MM = 60.0


def drill_sheet() -> Printable:
    """The sheet, upright: markers in the corners, crosses with circles where the pieces go."""

    def draw(pen: Pen) -> None:
        small_markers(pen, DICTIONARY, MARKER_MM, MARKERS_MM.items())
        for number, (x, y) in enumerate(PLACES_MM, 1):
            for diameter in (16.0, 28.0, 45.0):
                pen.circle((x, y), diameter, rim=SOFT, width_mm=0.25)
            reach = CROSS_MM / 2
            for u, v in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                pen.line(((x + 4 * u, y + 4 * v), (x + reach * u, y + reach * v)), 0.2, SOFT)
            pen.text((x + 24, y - 20), str(number), 5, color=SOFT)

    return Printable("Drill: lay it in one corner, then in the opposite one", *SIZE_MM, draw)
