"""Fiducials and calibration boards as vectors: black squares in one path each."""

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.charuco import CalibrationBoard
from calibration.paper.paper import SOFT, WHITE, Box, Pen, Printable
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
