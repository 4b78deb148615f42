"""Where the dice of a picture are: a small network gives a heat and a box, in looks at several scales."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from importlib.resources import files

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
Floats = NDArray[np.float32]

LONG_SIDE_PX = 640
"""Pictures are brought to this long side: dice of 11 to 170 px there are found."""
STEP_PX = 32
"""The network halves five times: sides are filled up to multiples of this."""
CELL_PX = 4
LOG_UNIT_PX = 32.0
"""Sizes come as logarithms of this many pixels."""
HEAT_LOWEST = 0.27
COARSE_FROM_PX = 20.0
"""In the coarser looks only dice at least this large (there) count: the first look sees the others better."""
FINE_FROM, SMALL_PX = 0.75, 15.0
"""A picture shrunk below this is looked at twice as closely where its dice, shrunk, are smaller than this or none."""
SAME_DIE = 0.45
"""Two finds nearer than this share of the smaller one's side are one die."""
AGAIN_NEAR, AGAIN_ALIKE = 0.25, 1.5
"""Another look found the same die where it is no farther off than this share of its side, and as large up to this."""
SEEN_FROM_PX, SEEN_TO_PX = 13.0, 170.0
"""Dice of these sides are seen in a look, smaller ones only sometimes."""


@dataclass(frozen=True, slots=True)
class Found:
    """A die's place in pixels of the picture, and how warm the network was there, 0 to 1."""

    x: float
    y: float
    width: float
    height: float
    heat: float
    again: float | None = None
    """The heat of the same die in the look, at another scale, that sees it next best; 0: that look could have seen it
    and did not; None: the die is too small or too large for any other look."""

    @property
    def side_px(self) -> float:
        """Root of the box's area."""
        return math.sqrt(self.width * self.height)


def model(name: str) -> cv2.dnn.Net:
    """A network of vision/models. Raises: FileNotFoundError: the package was installed without its models."""
    raw = (files("vision") / "models" / name).read_bytes()
    return cv2.dnn.readNetFromONNX(np.frombuffer(raw, np.uint8))


class DiceFinder:
    """Finds dice of any size: one look at the whole picture, two at a half and a quarter, where large dice are warmer.

    A large picture with very small dice, or with none, is looked at more closely too.
    """

    def __init__(self, net: cv2.dnn.Net | None = None) -> None:
        self._net = net if net is not None else model("dice_find.onnx")

    def find(self, picture: Picture) -> list[Found]:
        """All dice of a picture, BGR, any size; each once."""
        scale = LONG_SIDE_PX / max(picture.shape[:2])
        scale = min(scale, 2.0)
        first = self.look(picture, scale)
        looks, found = [(scale, first)], first
        if scale < FINE_FROM and (not found or min(f.side_px for f in found) * scale < SMALL_PX):
            fine = min(2 * scale, 1.0)
            looks.append((fine, self.look(picture, fine)))
            found = [f for f in found if f.side_px * scale >= SMALL_PX] + looks[-1][1]
        for coarse in (scale / 2, scale / 4):
            looks.append((coarse, self.look(picture, coarse)))
            found = found + [f for f in looks[-1][1] if f.side_px * coarse >= COARSE_FROM_PX]
        return [replace(one, again=heat_elsewhere(one, looks)) for one in distinct(found)]

    def look(self, picture: Picture, scale: float) -> list[Found]:
        """One run of the network on the picture times `scale`; near finds are not yet merged."""
        h, w = picture.shape[:2]
        small_w, small_h = max(1, round(w * scale)), max(1, round(h * scale))
        way = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
        small = cv2.resize(picture, (small_w, small_h), interpolation=way) if scale != 1 else picture
        more = (0, -small_h % STEP_PX, 0, -small_w % STEP_PX)
        small = cv2.copyMakeBorder(small, *more, cv2.BORDER_REPLICATE)
        blob = cv2.dnn.blobFromImage(small, 1 / 255, mean=(127.5, 127.5, 127.5), swapRB=True)
        self._net.setInput(blob)
        out = self._net.forward()[0]
        return peaks(out, w / small_w, h / small_h)


def peaks(out: Floats, px_x: float, px_y: float) -> list[Found]:
    """The finds in the network's answer, shape (12, rows, columns); px_x, px_y: picture pixels of one of its pixels."""
    heat = out[0]
    highest = cv2.dilate(heat, np.ones((3, 3), np.uint8))
    lowest = float(np.log(HEAT_LOWEST / (1 - HEAT_LOWEST)))
    found = []
    for row, column in zip(*np.nonzero((heat == highest) & (heat > lowest)), strict=True):
        cell = out[:, row, column]
        width, height = np.exp(np.clip(cell[3:5], -3, 3)) * LOG_UNIT_PX
        found.append(
            Found(
                x=float((column + 0.5 + cell[1]) * CELL_PX * px_x),
                y=float((row + 0.5 + cell[2]) * CELL_PX * px_y),
                width=float(width * px_x),
                height=float(height * px_y),
                heat=float(1 / (1 + np.exp(-cell[0]))),
            )
        )
    return found


def heat_elsewhere(one: Found, looks: list[tuple[float, list[Found]]]) -> float | None:
    """`Found.again` of a find in one of these looks (scale, finds)."""
    heats = []
    for scale, found in looks:
        if any(other is one for other in found) or not SEEN_FROM_PX <= one.side_px * scale <= SEEN_TO_PX:
            continue
        same = [
            other.heat
            for other in found
            if math.hypot(other.x - one.x, other.y - one.y) < AGAIN_NEAR * one.side_px
            and 1 / AGAIN_ALIKE < other.side_px / one.side_px < AGAIN_ALIKE
        ]
        heats.append(max(same, default=0.0))
    return max(heats, default=None)


def distinct(found: list[Found]) -> list[Found]:
    """Each die once: the warmest of several finds of one die."""
    kept: list[Found] = []
    for one in sorted(found, key=lambda f: -f.heat):
        if all(math.hypot(one.x - k.x, one.y - k.y) > SAME_DIE * min(one.side_px, k.side_px) for k in kept):
            inside = [k for k in kept if abs(one.x - k.x) < 0.4 * k.width and abs(one.y - k.y) < 0.4 * k.height]
            if not any(one.side_px < 0.7 * k.side_px for k in inside):
                kept.append(one)
    return kept
