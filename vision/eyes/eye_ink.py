"""Red or blue ink: by the colour that is missing beyond green, and by the light that is missing in each channel."""

from __future__ import annotations

import numpy as np

from vision.eyes.finish import DIE_WHITE, PAINT, linear
from vision.measure.prepared import Floats

CORRELATED, CHROMA_CORRELATED = 2.0, 4.0
"""Neighbouring pixels err together, and colour (kept at half the resolution) more: factors of the variances."""
LEAST_WEIGHT = 1e-12
"""A drawing in colour that the ground explains has at least this weight: its lack is then as unsure as can be."""
FADED, SPREAD = 0.7, 0.2
"""Seen so obliquely an ink shows this part of its colour, because it mirrors the table; and the scatter of that."""
KEPT_CORRELATED, KEPT_SPREAD, KEPT_FLOOR, KEPT_COMMON = 8.0, 0.07, 0.04, 0.2
"""The factor for the variances of the three channels, and what they scatter besides: by a share of what the ink
absorbs, each by itself, and all alike."""
LEAST_SEEN, MOST_SEEN = 0.2, 1.0
"""A side mirrors light as well: the least and the most of an ink's absorption that shows."""


def lack_of(shares: Floats, eye: Floats, base: Floats) -> tuple[Floats, Floats]:
    """What is missing in each channel (3,) in the shape of an eye, and the covariance of that (3, 3), by what is left.

    `shares` (pixels, 3) are what is seen over what a bare face would show, `eye` the drawing in colour.
    """
    clean = eye - base @ (base.T @ eye)
    weight = max(float(clean @ clean), LEAST_WEIGHT)
    lack = -(clean @ shares) / weight
    rest = shares + np.outer(clean, lack)
    return lack, rest.T @ rest / max(len(rest) - base.shape[1] - 1, 5) / weight


def odds_by_color(lack: Floats, covariance: Floats, share: float, floor: Floats) -> tuple[float, float]:
    """How much likelier blue ink is than red, and how far the nearer of the two is, by what is missing of blue and of
    red beyond green's; `floor` (2, 2) holds the variances below which no fit is better."""
    beyond = lack @ BEYOND_GREEN
    variance = CHROMA_CORRELATED * np.diag(BEYOND_GREEN.T @ covariance @ BEYOND_GREEN + floor)
    variance = variance / share**2 + SPREAD**2
    far = {color: float(((beyond / share - FADED * tint) ** 2 / variance).sum()) for color, tint in _TINTS.items()}
    return (far["red"] - far["blue"]) / 2, min(far.values())


def odds_by_absorption(lack: Floats, covariance: Floats) -> float:
    """How much likelier blue ink is than red, by the light missing in each channel.

    The varnish adds mirrored light, so less may be missing than an ink absorbs, but never more, in no channel.
    """
    covariance = KEPT_CORRELATED * covariance + KEPT_FLOOR**2 * np.eye(3) + KEPT_COMMON**2
    far = {}
    for color, keeps in KEEPS.items():
        certain = np.linalg.inv(covariance + np.diag((KEPT_SPREAD * keeps) ** 2))
        seen = float(np.clip(keeps @ certain @ lack / (keeps @ certain @ keeps), LEAST_SEEN, MOST_SEEN))
        off = lack - seen * keeps
        far[color] = float(off @ certain @ off)
    return (far["red"] - far["blue"]) / 2


BEYOND_GREEN = np.array([(1.0, 0.0), (-1.0, -1.0), (0.0, 1.0)])
KEEPS = {color: (1 - linear(PAINT[color]) / linear(DIE_WHITE)).astype(np.float64) for color in ("red", "blue")}
"""What an ink absorbs of blue, green and red light."""
_TINTS = {color: keeps @ BEYOND_GREEN / keeps.mean() for color, keeps in KEEPS.items()}
"""What it absorbs of blue and of red beyond green, over what it absorbs on the whole."""
