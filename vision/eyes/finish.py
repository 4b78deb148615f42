"""How the pieces of a set are finished, which no kit says: rounded edges, inks, the eye's drawing.

The numbers are those of the set that the virtual table draws: what they are off on a real set is part of the readings'
error on photographs.
"""

from __future__ import annotations

import numpy as np

from companion.readings import Kind
from vision.measure.prepared import Floats32
from vision.tone import linear_of

BEVEL_MM = {Kind.TERRITORY: 0.5, Kind.SAMURAI: 0.6, Kind.EMPIRE_DIE: 1.6, Kind.NINJA: 1.0}
"""The radius of the edges."""
DIE_WHITE = (238, 238, 234)
PAINT = {"red": (206, 42, 46), "blue": (52, 86, 186)}
"""Colours are sRGB 0 to 255, red first."""
EYE_HALF_WIDTH, EYE_HALF_HEIGHT = 0.355, 0.2
EYE_LINE, IRIS_RADIUS = 0.026, 0.132
"""The eye's measures are fractions of the die's side."""


def linear(color: tuple[int, int, int]) -> Floats32:
    """Linear light (3,), blue first as in pictures, of a colour."""
    return linear_of(np.asarray(color[::-1], np.float64) / 255).astype(np.float32)
