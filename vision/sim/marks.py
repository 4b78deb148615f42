"""Print on the pieces: reflectances (linear, blue first) at points of their surfaces."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.measure.edges import linear_of
from vision.sim.scene import PIP_FACES, Body

Floats32 = NDArray[np.float32]
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
"""Pips are white on a colour whose parts sum to less."""

PIP_RADIUS = 0.115
"""In shares of a die's side; its pips are a quarter of the side off the middle."""
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
    """A colour a face."""
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
    """Distance outside the eye's outline: the lens that two equal circles share."""
    radius = (EYE_HALF_WIDTH**2 + EYE_HALF_HEIGHT**2) / (2 * EYE_HALF_HEIGHT)
    distance: Floats32 = np.hypot(u, np.abs(v) + np.float32(radius - EYE_HALF_HEIGHT)) - np.float32(radius)
    return distance


def _mottle(p: Floats32, body: Body) -> Floats32:
    """The lacquer of a wooden disk is not quite even."""
    phase = np.float32(sum(map(ord, body.id)) % 97)
    x, y = p[0] + phase * 13, p[1] - phase * 7
    waves = np.sin(x * 0.11 + 2 * np.sin(y * 0.05)) + np.sin(y * 0.13 + 2 * np.sin(x * 0.07 + phase))
    shade: Floats32 = 1 + np.float32(0.025) * waves.astype(np.float32)
    return shade
