"""Print on the pieces and on playing cards: reflectances (linear, blue first) at points of their surfaces."""

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Floats32, Picture
from calibration.edges import linear_of
from companion.game.cards import is_joker
from vision.sim.scene import PIP_FACES, Body

Color = tuple[int, int, int]

RED: Color = (206, 42, 46)
BLUE: Color = (52, 86, 186)
DIE_WHITE: Color = (238, 238, 234)
DIE_BLACK: Color = (34, 34, 36)
PIP_WHITE: Color = (236, 236, 232)
PAINT: dict[str, Color] = {
    "red": RED,
    "blue": BLUE,
    "black": DIE_BLACK,
    "white": DIE_WHITE,
    "yellow": (236, 190, 40),
    "green": (46, 132, 68),
    "orange": (228, 112, 32),
    "purple": (112, 58, 140),
    "mixed": DIE_WHITE,
    "steel": (176, 178, 182),
    "wood": (172, 128, 84),
}
"""Colours by the kit's words; any other word is grey."""
GREY: Color = (128, 128, 128)
DARK_SUM = 330
"""Pips are white on a colour with a smaller sum of its parts."""

PIP_RADIUS = 0.115
"""Radius in sides of the die; pips are a quarter of the side from the middle."""
PIPS = {
    1: ((0, 0),),
    2: ((1, -1), (-1, 1)),
    3: ((1, -1), (0, 0), (-1, 1)),
    4: ((1, 1), (1, -1), (-1, 1), (-1, -1)),
    5: ((1, 1), (1, -1), (0, 0), (-1, 1), (-1, -1)),
    6: ((1, 1), (1, 0), (1, -1), (-1, 1), (-1, 0), (-1, -1)),
}
EYE_HALF_WIDTH, EYE_HALF_HEIGHT = 0.355, 0.2
EYE_LINE, IRIS_RADIUS = 0.026, 0.132
GLINT_RADIUS, GLINT_AT = 0.058, (0.043, -0.036)
"""The eye's measures are fractions of the die's side."""


def linear(color: Color | tuple[float, float, float]) -> Floats32:
    """Linear light (3,), blue first as in pictures, of an sRGB colour 0 to 255, red first (IEC 61966-2-1)."""
    c = np.asarray(color[::-1], np.float64) / 255
    return linear_of(c).astype(np.float32)


def printed_light(image: NDArray[np.uint8]) -> Floats32:
    """Linear light (H, W, 3), blue first, of a print, red first."""
    steps = np.array([linear((step, step, step))[0] for step in range(256)], np.float32)
    return np.asarray(steps[image[..., ::-1]])


def paint(body: Body, p: Floats32, n: Floats32) -> Floats32:
    """Reflectance (N, 3) of a piece at points (3, N) with normals (3, N), both in the piece's own frame."""
    color = PAINT.get(body.color, GREY)
    if body.faces == "pips":
        return _pipped(p, n, body.solid.half_mm * 2, color)
    if body.faces == "mark":
        return _marked(p, n, body.solid.half_mm * 2, linear(color))
    if body.faces == "colors":
        return _motley(n, body.inks)
    flat = linear(color)
    return flat[None, :] * _mottle(p, body)[:, None]


def _motley(n: Floats32, inks: tuple[str, ...]) -> Floats32:
    """One colour per face."""
    axis = np.abs(n).argmax(0)
    colors = np.zeros((n.shape[1], 3), np.float32)
    for (face, sign), value in PIP_FACES.items():
        colors[(axis == face) & (n[face] * sign > 0)] = linear(PAINT.get(inks[value - 1], GREY))
    return colors


def _pipped(p: Floats32, n: Floats32, side_mm: float, color: Color) -> Floats32:
    colors = np.repeat(linear(color)[None], p.shape[1], 0)
    ink = linear(PIP_WHITE if sum(color) < DARK_SUM else DIE_BLACK)
    axis = np.abs(n).argmax(0)
    step, radius = side_mm / 4, PIP_RADIUS * side_mm
    for (face, sign), value in PIP_FACES.items():
        on = np.flatnonzero((axis == face) & (n[face] * sign > 0))
        if not len(on):
            continue
        u, v = (p[a, on] for a in range(3) if a != face)
        inked = np.zeros(len(on), bool)
        for x, y in PIPS[value]:
            inked |= (u - x * step) ** 2 + (v - y * step) ** 2 < radius * radius
        colors[on[inked]] = ink
    return colors


def _marked(p: Floats32, n: Floats32, side_mm: float, ink: Floats32) -> Floats32:
    colors = np.repeat(linear(DIE_WHITE)[None], p.shape[1], 0)
    on = np.flatnonzero(n[2] > 0.7)
    if len(on):
        u, v = p[0, on] / side_mm, p[1, on] / side_mm
        rim = _almond(u, v)
        outline = (rim < 0) & (rim > -EYE_LINE)
        iris = u * u + v * v < IRIS_RADIUS**2
        glint = (u - GLINT_AT[0]) ** 2 + (v - GLINT_AT[1]) ** 2 < GLINT_RADIUS**2
        colors[on[outline | (iris & ~glint)]] = ink
    return colors


def _almond(u: Floats32, v: Floats32) -> Floats32:
    """Distance outside the eye's outline, which is the intersection of two equal circles."""
    radius = (EYE_HALF_WIDTH**2 + EYE_HALF_HEIGHT**2) / (2 * EYE_HALF_HEIGHT)
    distance: Floats32 = np.hypot(u, np.abs(v) + np.float32(radius - EYE_HALF_HEIGHT)) - np.float32(radius)
    return distance


def _mottle(p: Floats32, body: Body) -> Floats32:
    """The lacquer of a wooden disk is slightly uneven."""
    phase = np.float32(sum(map(ord, body.id)) % 97)
    x, y = p[0] + phase * 13, p[1] - phase * 7
    waves = np.sin(x * 0.11 + 2 * np.sin(y * 0.05)) + np.sin(y * 0.13 + 2 * np.sin(x * 0.07 + phase))
    shade: Floats32 = 1 + np.float32(0.025) * waves.astype(np.float32)
    return shade


CELLS_A_MM, FINE = 3, 4
"""Cells of a print per mm, and the factor for drawing it finer."""
WHITE: Color = (246, 245, 240)
INKS: dict[str, Color] = {"H": (190, 24, 34), "D": (190, 24, 34), "C": (24, 24, 26), "S": (24, 24, 26)}
BACK: Color = (40, 70, 140)
INDEX_MM, PIP_MM = 10.5, 11.0
"""Heights of an index's rank and of a pip."""
COLUMNS: dict[int, tuple[int, int]] = {1: (0, 1), 2: (0, 2), 3: (0, 3), 4: (2, 0), 5: (2, 1), 6: (3, 0)} | {
    7: (3, 1),
    8: (3, 2),
    9: (4, 1),
    10: (4, 2),
}
"""Number of pips in each outer column and in the middle column, by rank."""


@lru_cache(maxsize=120)
def face(card: str | None, width_mm: float, length_mm: float) -> Floats32:
    """Reflectances (H, W, 3), blue first, of a card's face, or of its back for None."""
    scale = CELLS_A_MM * FINE
    size = (round(length_mm * scale), round(width_mm * scale), 3)
    image = np.full(size, WHITE if card else BACK, np.uint8)
    if card is None:
        edge = round(3 * scale)
        cv2.rectangle(image, (0, 0), (size[1] - 1, size[0] - 1), WHITE, 2 * edge)
    else:
        _half(image, card, scale)
        image = np.ascontiguousarray(image[::-1, ::-1])
        _half(image, card, scale)
        if not is_joker(card):
            _pips(image, card, scale)
    small = cv2.resize(image, (size[1] // FINE, size[0] // FINE), interpolation=cv2.INTER_AREA)
    soft = cv2.GaussianBlur(small, (0, 0), 1.0)
    return printed_light(np.asarray(soft, np.uint8))


def paint_card(card: str | None, halves_mm: tuple[float, float, float], p: Floats32, n: Floats32) -> Floats32:
    """Reflectance (N, 3) at points (3, N) with normals (3, N) of a card whose face is its +z side."""
    width, length = 2 * halves_mm[0], 2 * halves_mm[1]
    colors = np.repeat(linear(WHITE)[None], p.shape[1], 0)
    for sign, name in ((1, card), (-1, None)):
        on = np.flatnonzero(n[2] * sign > 0.5)
        printed = face(name, width, length)
        u = np.clip((p[0, on] + width / 2) * CELLS_A_MM, 0, printed.shape[1] - 1).astype(int)
        v = np.clip((p[1, on] + length / 2) * CELLS_A_MM, 0, printed.shape[0] - 1).astype(int)
        colors[on] = printed[v, u]
    return colors


def _half(image: Picture, card: str, scale: int) -> None:
    """Draws the index in the upper left corner."""
    rank, suit = ("JOKER", "") if is_joker(card) else (card[:-1], card[-1])
    ink = INKS.get(suit, (90, 40, 120))
    letter = INDEX_MM if suit else 5.5
    font, thick = cv2.FONT_HERSHEY_DUPLEX, max(1, round(letter * scale / 7))
    (wide, high), _ = cv2.getTextSize(rank, font, 1.0, 1)
    size = letter * scale / high * (0.72 if len(rank) == 2 else 1.0)
    at = (round(6.5 * scale - wide * size / 2) if suit else round(3 * scale), round((3 + letter) * scale))
    cv2.putText(image, rank, at, font, size, ink, thick, cv2.LINE_AA)
    if suit:
        _suit(image, suit, (6.5 * scale, (3 + letter + 6.5) * scale), 8.5 * scale)


def _pips(image: Picture, card: str, scale: int) -> None:
    rank, suit = card[:-1], card[-1]
    height, width = image.shape[:2]
    if rank in "JQK":
        box = (round(width * 0.27), round(height * 0.16)), (round(width * 0.73), round(height * 0.84))
        cv2.rectangle(image, *box, INKS[suit], scale // 2)
        _suit(image, suit, (width / 2, height / 2), 2.2 * PIP_MM * scale)
        return
    outer, middle = COLUMNS[1 if rank == "A" else int(rank)]
    for column, count in ((0.32, outer), (0.5, middle), (0.68, outer)):
        spread = 0.0 if count < 2 else 0.2 if outer and column == 0.5 else 0.36
        for y in np.linspace(0.5 - spread, 0.5 + spread, count):
            _suit(image, suit, (width * column, height * float(y)), PIP_MM * scale)


def _suit(image: Picture, suit: str, at: tuple[float, float], size: float) -> None:
    """Draws a suit's sign of this height at a place, in pixels."""
    r = size / 2

    def disk(x: float, y: float, part: float) -> None:
        center = (round(at[0] + x * r), round(at[1] + y * r))
        cv2.circle(image, center, round(part * r), INKS[suit], cv2.FILLED, cv2.LINE_AA)

    def corners(*places: tuple[float, float]) -> None:
        points = np.round(np.array(places) * r + at).astype(np.int32)
        cv2.fillPoly(image, [points], INKS[suit], cv2.LINE_AA)

    if suit == "D":
        corners((0, -1), (0.72, 0), (0, 1), (-0.72, 0))
    elif suit == "H":
        disk(-0.4, -0.35, 0.45)
        disk(0.4, -0.35, 0.45)
        corners((-0.8, -0.15), (0.8, -0.15), (0, 1))
    elif suit == "S":
        disk(-0.4, 0.3, 0.44)
        disk(0.4, 0.3, 0.44)
        corners((-0.81, 0.16), (0, -1.05), (0.81, 0.16), (0.3, 0.55), (-0.3, 0.55))
        corners((0, 0.1), (0.26, 1), (-0.26, 1))
    else:
        disk(0, -0.52, 0.43)
        disk(-0.52, 0.25, 0.43)
        disk(0.52, 0.25, 0.43)
        corners((0, -0.2), (0.3, 1), (-0.3, 1))
