"""A printed race board on the table, drawn from its board file: circles, steps between them, each colour's own spots.

Convention: the board's frame is that of its file (mm, origin top-left, x right, y down); `at_mm` is its origin on the
table.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import cv2
import numpy as np

from calibration.arrays import Floats32, Picture
from companion.game.board import Board, PointMm
from vision.sim.marks import GREY, PAINT, Color, printed_light

CELL_MM = 0.5
"""A printed board is sampled at cells of this size ..."""
FINE = 4
"""... and drawn this many times finer."""
BLUR_CELLS = 0.8
"""Blur of the print, which also prevents flicker under coarse pixels."""
STROKE_MM = 0.8
STAR = 0.28
"""Distance of the tips of a start spot's star from the middle, in circle widths; a larger star would look like a
marker."""


@dataclass(frozen=True, slots=True)
class BoardStyle:
    """Colours of a printed board: ground, circles, their rims, and common spots."""

    ground: Color
    circle: Color
    rim: Color
    common: Color = (150, 110, 180)
    tint: float = 0.35
    """Mix of a colour's spots with the circle's colour; its start is printed in full colour."""


STYLES = {
    "plain": BoardStyle((250, 249, 245), (255, 255, 255), (90, 90, 90)),
    "wood": BoardStyle((176, 128, 78), (222, 200, 165), (70, 44, 24), (120, 60, 40), 0.15),
    "dark": BoardStyle((38, 44, 58), (226, 220, 204), (16, 18, 24), (150, 120, 60), 0.2),
}


@dataclass(frozen=True, slots=True)
class PrintedBoard:
    """A board on the table; `angle_deg` turns it about its middle, x towards y."""

    board: Board
    at_mm: PointMm = (0.0, 0.0)
    angle_deg: float = 0.0
    style: str = "plain"
    places_mm: Mapping[str, PointMm] = field(init=False, repr=False, compare=False)
    """Places of the spots on the table."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "places_mm", {name: self.on_table(at) for name, at in self.board.spots.items()})

    def on_table(self, at_mm: PointMm) -> PointMm:
        """The table point of a point on the board."""
        (w, h), turn = self.board.size_mm, math.radians(self.angle_deg)
        x, y = at_mm[0] - w / 2, at_mm[1] - h / 2
        c, s = math.cos(turn), math.sin(turn)
        return self.at_mm[0] + w / 2 + c * x - s * y, self.at_mm[1] + h / 2 + s * x + c * y

    def nearest(self, at_mm: PointMm) -> tuple[str, float]:
        """The spot nearest to a table point, and its distance (mm)."""
        name = min(self.places_mm, key=lambda spot: math.dist(self.places_mm[spot], at_mm))
        return name, math.dist(self.places_mm[name], at_mm)


def printed(board: Board, style: str) -> Picture:
    """The board's print as an RGB picture. Each pixel covers `CELL_MM`, counted from the board's origin."""
    looks, scale = STYLES[style], FINE / CELL_MM
    width, height = (round(side * scale) for side in board.size_mm)
    image = np.full((height, width, 3), looks.ground, np.uint8)

    def px(at_mm: PointMm) -> tuple[int, int]:
        return round(at_mm[0] * scale), round(at_mm[1] * scale)

    for spot, to in board.next.items():
        for other in to:
            cv2.line(image, px(board.spots[spot]), px(board.spots[other]), looks.rim, round(scale), cv2.LINE_AA)
    radius, stroke = round(board.circle_mm / 2 * scale), round(STROKE_MM * scale)
    inks = {spot: _ink(looks, *owner) for spot, owner in board.owners().items()}
    for spot, at_mm in board.spots.items():
        cv2.circle(image, px(at_mm), radius, inks.get(spot, looks.circle), cv2.FILLED, cv2.LINE_AA)
        cv2.circle(image, px(at_mm), radius - stroke // 2, looks.rim, stroke, cv2.LINE_AA)
    for roles in board.roles.values():
        x, y = board.spots[roles["start"]]
        tips = [(math.pi * i / 4, board.circle_mm * (STAR if i % 2 == 0 else STAR * 0.45)) for i in range(8)]
        star = [px((x + far * math.sin(turn), y - far * math.cos(turn))) for turn, far in tips]
        cv2.fillPoly(image, [np.array(star, np.int32)], looks.circle, cv2.LINE_AA)
    cv2.rectangle(image, (0, 0), (width - 1, height - 1), looks.rim, 2 * stroke)
    size = (round(width / FINE), round(height / FINE))
    small = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.GaussianBlur(small, (0, 0), BLUR_CELLS), np.uint8)


def _ink(looks: BoardStyle, color: str | None, is_start: bool) -> Color:
    """The fill of a spot; a start is printed in full colour."""
    if color is None:
        return looks.common
    full = np.array(PAINT.get(color, GREY))
    r, g, b = (int(part) for part in full + (0 if is_start else (np.array(looks.circle) - full) * looks.tint))
    return r, g, b


def lay_on(cover: Floats32, x_mm: Floats32, y_mm: Floats32, sheet: PrintedBoard) -> None:
    """Draws the board over reflectances `cover` (H, W, 3) of table points (H, W), in place."""
    (w, h), turn = sheet.board.size_mm, math.radians(sheet.angle_deg)
    x, y = x_mm - np.float32(sheet.at_mm[0] + w / 2), y_mm - np.float32(sheet.at_mm[1] + h / 2)
    c, s = np.float32(math.cos(turn)), np.float32(math.sin(turn))
    u, v = c * x + s * y, c * y - s * x
    outside = np.maximum(np.abs(u) - np.float32(w / 2), np.abs(v) - np.float32(h / 2))
    share = np.clip(np.float32(0.5) - outside, 0, 1)[..., None]
    light = cv2.remap(
        _print(sheet.board, sheet.style),
        (u + np.float32(w / 2)) / np.float32(CELL_MM) - np.float32(0.5),
        (v + np.float32(h / 2)) / np.float32(CELL_MM) - np.float32(0.5),
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    cover += share * (light - cover)


@lru_cache(maxsize=2)
def _print(board: Board, style: str) -> Floats32:
    """The linear light, blue first, of the board's print; read only."""
    light = printed_light(printed(board, style))
    light.flags.writeable = False
    return light
