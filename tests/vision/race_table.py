"""Race boards drawn flat and simply: any board file, markers as prisms, dice as cubes, through an exact camera."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.arrays import Floats, Picture
from calibration.pose import Pose
from companion.game.board import Board
from companion.game.kit import Kit
from tests.lenses import lens
from vision.measure.pip_patterns import PATTERNS
from vision.sim.render import overhead

LENS = lens((1920, 1080), (1500.0, 1500.0), (958.0, 541.0), (0.0, 0.0, 0.0, 0.0, 0.0), 0.05)
PAINT = {"red": (40, 30, 200), "yellow": (30, 200, 235), "green": (60, 130, 20), "blue": (190, 90, 30)}
"""Blue, green, red as shown."""
PER_MM = 3
AROUND_MM = 110
SIDES = 48
MARKER_HEIGHT_MM, DIE_MM = 5.0, 16.0


@dataclass(frozen=True)
class Die:
    """A die with a value up, its middle at (x, y); `lean_deg`: so far tipped up toward larger x."""

    value: int
    x_mm: float
    y_mm: float
    angle_deg: float = 20.0
    lean_deg: float = 0.0


@dataclass(frozen=True)
class Table:
    """What lies on the mat. `markers` are spot to colour, `beside` (colour, x, y) on the sheet; the sheet is shifted
    and turned about its middle; `arm` covers what lies between two table points."""

    board: Board
    markers: Mapping[str, str]
    beside: tuple[tuple[str, float, float], ...] = ()
    dice: tuple[Die, ...] = ()
    shift_mm: tuple[float, float] = (0.0, 0.0)
    turn_deg: float = 0.0
    off_mm: float = 1.2
    arm: tuple[tuple[float, float], tuple[float, float]] | None = None

    def on_table(self, at: tuple[float, float]) -> Floats:
        """Where the sheet's point lies on the table."""
        angle, middle = np.radians(self.turn_deg), np.array(self.board.size_mm) / 2
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        return np.asarray(turn @ (np.array(at) - middle) + middle + self.shift_mm)


def draw(table: Table, kit: Kit, seed: int = 0) -> Picture:
    """The table as a camera sees it, BGR."""
    rng = np.random.default_rng(seed)
    pose = overhead(LENS, height_mm=1150, tilt_deg=6.0, toward_deg=40, aim_mm=(350, 250))
    flat = _flat(table, kit)
    corners = np.array([(0, 0), (flat.shape[1], 0), (flat.shape[1], flat.shape[0]), (0, flat.shape[0])], np.float64)
    at = pose.to_pixels(np.column_stack([corners / PER_MM - AROUND_MM, np.zeros(4)]))
    homography = cv2.getPerspectiveTransform((corners - 0.5).astype(np.float32), at.astype(np.float32))
    size = (LENS.width_px, LENS.height_px)
    picture = cv2.warpPerspective(flat, homography, size, flags=cv2.INTER_AREA, borderValue=(60, 80, 95))
    standing = [(color, table.board.spots[spot]) for spot, color in table.markers.items()]
    for color, place in [*standing, *((color, (x, y)) for color, x, y in table.beside)]:
        x, y = table.on_table(place) + (rng.normal(0, table.off_mm / 2, 2) if table.off_mm else 0)
        _prism(picture, pose, (x, y), table.board.marker_mm, PAINT[color])
    for die in table.dice:
        _die(picture, pose, die)
    if table.arm is not None:
        ends = pose.to_pixels(np.array([(*point, 40.0) for point in table.arm])).round().astype(int)
        cv2.line(picture, tuple(ends[0]), tuple(ends[1]), (130, 160, 215), 150, cv2.LINE_AA)
    soft = cv2.GaussianBlur(picture, (0, 0), 0.8).astype(np.float64)
    return np.clip(soft + rng.normal(0, 2.0, soft.shape), 0, 255).astype(np.uint8)


def _flat(table: Table, kit: Kit) -> Picture:
    """Mat, fiducials, tray and board seen straight from above, `PER_MM` pixels a mm, from `-AROUND_MM` on."""
    mat = kit.mat
    wide, high = (round((length + 2 * AROUND_MM) * PER_MM) for length in (mat.width_mm, mat.height_mm))
    flat = np.full((high, wide, 3), (105, 120, 95), np.uint8)
    words = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, mat.dictionary))
    for number, (x, y) in mat.markers.items():
        side = round(mat.marker_mm * PER_MM)
        tag = cv2.cvtColor(cv2.aruco.generateImageMarker(words, number, side), cv2.COLOR_GRAY2BGR)
        white = round(side * 0.19)
        tag = cv2.copyMakeBorder(tag, *(white,) * 4, cv2.BORDER_CONSTANT, value=(235, 235, 235))
        column, row = (round((v + AROUND_MM) * PER_MM - tag.shape[0] / 2) for v in (x, y))
        flat[row : row + tag.shape[0], column : column + tag.shape[1]] = tag
    x0, y0, x1, y1 = mat.areas_mm["tray_mm"]
    _fill(flat, [(x0, y0), (x1, y0), (x1, y1), (x0, y1)], (70, 60, 40))
    width, height = table.board.size_mm
    sheet = [table.on_table(corner) for corner in ((0, 0), (width, 0), (width, height), (0, height))]
    _fill(flat, sheet, (205, 215, 220))
    for a, to in table.board.next.items():
        for b in to:
            _fill(flat, [table.on_table(table.board.spots[s]) for s in (a, b)], (150, 150, 150))
    homes = {spot: color for color, role in table.board.roles.items() for spot in role["home"]}
    for spot, place in table.board.spots.items():
        middle = table.on_table(place)
        circle = _round(middle, table.board.circle_mm)
        _fill(flat, circle, (235, 240, 240))
        _fill(flat, circle, PAINT.get(homes.get(spot, ""), (70, 70, 70)), line_mm=1.0)
    return flat


def _round(middle: Floats | tuple[float, float], across_mm: float) -> Floats:
    angles = np.arange(SIDES) * 2 * np.pi / SIDES
    return np.asarray(middle) + across_mm / 2 * np.column_stack([np.cos(angles), np.sin(angles)])


def _fill(
    flat: Picture, outline_mm: Iterable[Iterable[float]], ink: tuple[int, int, int], line_mm: float = 0.0
) -> None:
    points = (((np.array(list(outline_mm), np.float64) + AROUND_MM) * PER_MM - 0.5) * 16).round().astype(np.int32)
    if line_mm:
        cv2.polylines(flat, [points], True, ink, round(line_mm * PER_MM), cv2.LINE_AA, 4)
    else:
        cv2.fillPoly(flat, [points], ink, cv2.LINE_AA, 4)
        cv2.polylines(flat, [points], False, ink, 2, cv2.LINE_AA, 4)


def _seen(picture: Picture, pose: Pose, points_mm: Floats, ink: tuple[int, int, int]) -> None:
    """The convex outline of points (N, 3), filled."""
    hull = cv2.convexHull(pose.to_pixels(points_mm).astype(np.float32))[:, 0]
    cv2.fillPoly(picture, [(hull * 16).round().astype(np.int32)], ink, cv2.LINE_AA, 4)


def _prism(picture: Picture, pose: Pose, at: tuple[float, float], across_mm: float, ink: tuple[int, int, int]) -> None:
    rim = _round(at, across_mm)
    dark = tuple(int(0.6 * v) for v in ink)
    _seen(picture, pose, np.vstack([np.column_stack([rim, np.full(SIDES, z)]) for z in (0, MARKER_HEIGHT_MM)]), dark)  # type: ignore[arg-type]
    _seen(picture, pose, np.column_stack([rim, np.full(SIDES, MARKER_HEIGHT_MM)]), ink)


def _die(picture: Picture, pose: Pose, die: Die) -> None:
    half, (angle, lean) = DIE_MM / 2, np.radians((die.angle_deg, die.lean_deg))
    turn = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    tip = np.array([[np.cos(lean), 0, -np.sin(lean)], [0, 1, 0], [np.sin(lean), 0, np.cos(lean)]])
    square = np.array([(-half, -half), (half, -half), (half, half), (-half, half)])
    corners = np.array([(*p, z) for p in square for z in (-half, half)])
    low = float((corners @ (tip @ turn).T)[:, 2].min())

    def on_table(points: Floats) -> Floats:
        return np.asarray(points @ (tip @ turn).T + (die.x_mm, die.y_mm, -low))

    _seen(picture, pose, on_table(corners), (150, 155, 160))
    _seen(picture, pose, on_table(np.column_stack([square, np.full(4, half)])), (225, 228, 230))
    for pip in PATTERNS[die.value][0]:
        spots = _round(np.array(pip) * DIE_MM / 4, 3.4)
        _seen(picture, pose, on_table(np.column_stack([spots, np.full(SIDES, half)])), (25, 25, 25))
