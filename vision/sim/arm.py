"""A hand and forearm over the table, as capsules."""

from __future__ import annotations

import math

import numpy as np

from vision.sim.marks import Color
from vision.sim.scene import Hand
from vision.sim.solids import Capsule

ARM_MM = 900.0
FINGERS = ((-16.0, 74.0, 7.5), (-5.0, 84.0, 8.0), (7.0, 80.0, 7.8), (19.0, 64.0, 6.8))
"""Each finger: aside of the hand's middle line, length beyond the palm's middle, radius (mm)."""


def capsules(hand: Hand) -> tuple[tuple[Capsule, Color], ...]:
    """The hand's parts with their colours (sRGB), lowest first."""
    out = np.array([math.cos(math.radians(hand.from_deg)), math.sin(math.radians(hand.from_deg))])
    side = np.array([-out[1], out[0]])
    palm = np.array(hand.reach_mm) + out * 84.0

    def at(along: float, aside: float, height: float) -> tuple[float, float, float]:
        x, y = palm + out * along + side * aside
        return float(x), float(y), height

    z = hand.height_mm
    parts: list[tuple[Capsule, Color]] = []
    for aside, length, radius in FINGERS:
        tip = Capsule(at(-length * 0.62, aside * 1.3, z - 12), at(-length + radius, aside * 1.4, z - 24), radius * 0.92)
        parts += [
            (tip, hand.skin),
            (Capsule(at(-20, aside, z), at(-length * 0.62, aside * 1.3, z - 12), radius), hand.skin),
        ]
    parts.append((Capsule(at(18, -26, z), at(-22, -50, z - 14), 9.0), hand.skin))
    parts.append((Capsule(at(-22, -50, z - 14), at(-44, -56, z - 20), 8.0), hand.skin))
    for aside in (-20.0, -13.0, -6.0, 0.0, 6.0, 13.0, 20.0):
        parts.append((Capsule(at(-24, aside, z), at(40, aside * 0.6, z + 2), 14.0), hand.skin))
    cuff = 48.0 + hand.bare_mm
    parts.append((Capsule(at(36, 0, z + 4), at(cuff + 30, 0, z + 18), 27.0), hand.skin))
    parts.append((Capsule(at(cuff + 42, 0, z + 20), at(ARM_MM, 0, z + 120), 46.0), hand.sleeve))
    return tuple(parts)
