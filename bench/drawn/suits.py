"""Suits drawn by curves, and where the pips of the number cards stand. Needs no fonts and no art."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Mask

Image = NDArray[np.uint8]

PIPS: dict[str, tuple[tuple[float, float], ...]] = {
    "A": ((0.5, 0.5),),
    "2": ((0.5, 0), (0.5, 1)),
    "3": ((0.5, 0), (0.5, 0.5), (0.5, 1)),
    "4": ((0, 0), (1, 0), (0, 1), (1, 1)),
    "5": ((0, 0), (1, 0), (0, 1), (1, 1), (0.5, 0.5)),
    "6": ((0, 0), (1, 0), (0, 0.5), (1, 0.5), (0, 1), (1, 1)),
    "7": ((0, 0), (1, 0), (0, 0.5), (1, 0.5), (0, 1), (1, 1), (0.5, 0.25)),
    "8": ((0, 0), (1, 0), (0, 0.5), (1, 0.5), (0, 1), (1, 1), (0.5, 0.25), (0.5, 0.75)),
    "9": ((0, 0), (1, 0), (0, 1 / 3), (1, 1 / 3), (0, 2 / 3), (1, 2 / 3), (0, 1), (1, 1), (0.5, 0.5)),
    "10": ((0, 0), (1, 0), (0, 1 / 3), (1, 1 / 3), (0, 2 / 3), (1, 2 / 3), (0, 1), (1, 1), (0.5, 1 / 6), (0.5, 5 / 6)),
}
"""Positions of the pips of the number cards, in fractions of the pip field."""


def suit_mask(suit: str, size_px: int = 160) -> Mask:
    """A suit's shape from curves; uint8 mask, tight."""
    canvas = np.zeros((size_px * 2, size_px * 2), np.uint8)
    mid = size_px

    def fill(points: NDArray[np.float64]) -> None:
        cv2.fillPoly(canvas, [np.rint(points * size_px * 0.8 + mid).astype(np.int32)], 255, cv2.LINE_AA)

    if suit == "D":
        fill(np.array([[0, -1], [0.8, 0], [0, 1], [-0.8, 0]]))
    elif suit == "H":
        fill(_heart())
    elif suit == "S":
        fill(_heart() * [1, -1])
        fill(_stem())
    else:
        for x, y in ((0, -0.48), (-0.5, 0.12), (0.5, 0.12)):
            center = round(mid + x * size_px * 0.8), round(mid + y * size_px * 0.8)
            cv2.circle(canvas, center, round(0.4 * size_px * 0.8), 255, -1)
        fill(np.array([[-0.12, -0.3], [0.12, -0.3], [0.16, 0.3], [-0.16, 0.3]]))
        fill(_stem())
    return tight(canvas)


def _heart() -> NDArray[np.float64]:
    """The usual heart curve: x = 16 sin³ t, y = -(13 cos t - 5 cos 2t - 2 cos 3t - cos 4t)."""
    t = np.linspace(0, 2 * np.pi, 120)
    y = -(13 * np.cos(t) - 5 * np.cos(2 * t) - 2 * np.cos(3 * t) - np.cos(4 * t)) / 16
    return np.stack([0.9 * np.sin(t) ** 3, y], axis=1)


def _stem() -> NDArray[np.float64]:
    t = np.linspace(0, 1, 12)
    x, y = 0.06 + 0.3 * t**2.5, 0.1 + 0.85 * t
    return np.vstack([np.stack([-x, y], 1), np.stack([x, y], 1)[::-1]])


def tight(mask: Mask) -> Mask:
    """The mask cut to its ink."""
    x, y, w, h = cv2.boundingRect((mask > 40).astype(np.uint8))
    return mask[y : y + h, x : x + w]


def ink_on(face: Image, mask: Mask, x: float, y: float, colour: tuple[int, int, int]) -> None:
    """Prints the mask with its middle at pixel (x, y); what falls off the card is lost."""
    h, w = mask.shape
    x0, y0 = round(x - w / 2), round(y - h / 2)
    cx0, cy0, cx1, cy1 = max(0, x0), max(0, y0), min(face.shape[1], x0 + w), min(face.shape[0], y0 + h)
    if cx1 <= cx0 or cy1 <= cy0:
        return
    part = mask[cy0 - y0 : cy1 - y0, cx0 - x0 : cx1 - x0, None].astype(np.float32) / 255
    area = face[cy0:cy1, cx0:cx1]
    area[:] = (area * (1 - part) + np.array(colour, np.float32) * part).astype(np.uint8)
