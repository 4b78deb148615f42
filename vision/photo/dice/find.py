"""Finds the dice of a picture: a small network gives a heat and a box, in views at several scales."""

import math
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.measure.networks import MODELS, Network, Run
from vision.photo.dice.limits import LIMITS
from vision.photo.nets import LONG_SIDE_PX, POSSIBLE, as_colours, logit, made_with, scaled, sigmoid

Picture = NDArray[np.uint8]
Floats = NDArray[np.float32]

_MADE_WITH = made_with("dice")
STEP_PX: int = _MADE_WITH["find_multiple_px"]
"""The network halves five times: sides are padded to multiples of this."""
LOG_UNIT_PX: float = _MADE_WITH["find_unit_px"]
"""Unit of size: the network answers logarithms of sizes in this many pixels."""
COARSER = 2**-0.5
"""Sizes of the views of the whole picture, each relative to the one before."""


@dataclass(frozen=True, slots=True)
class Found:
    """A possible die: its box in pixels of the picture, and the network's heat there, 0 to 1."""

    x: float
    y: float
    width: float
    height: float
    heat: float
    heats: tuple[float, ...] = ()
    """Heats in all views that show the die at a size that the network knows, highest first; 0: not found there."""
    by_context: float = 0.5
    """Probability of a die by its surroundings (`vision.photo.dice.face`); 0.5: not judged."""

    @property
    def side_px(self) -> float:
        """Square root of the box's area."""
        return math.sqrt(self.width * self.height)


class DiceFinder:
    """Finds dice of any size in views of the whole picture at six scales. A large picture with very small dice, or
    with none, gets a finer view.

    A die has a high heat in every view at a suitable size; a pip, a key or a letter mostly in one view only.
    """

    def __init__(self, net: Run | None = None) -> None:
        self._net = net if net is not None else Network(MODELS / "dice_find.onnx")

    def find(self, picture: Picture) -> list[Found]:
        """All possible dice of a BGR picture, of any size, without duplicates. Detections within or around other
        detections are kept."""
        whole = min(LONG_SIDE_PX / max(picture.shape[:2]), 2.0)
        shrunk = scaled(picture, min(whole, 1.0))
        steps = range(int(2 * math.log2(LONG_SIDE_PX / LIMITS.seen_px[1])) + 1)
        looks = [(whole * COARSER**k, self.look(picture, whole * COARSER**k, shrunk)) for k in steps]
        first = looks[0][1]
        if whole < 1 and (not first or min(f.side_px for f in first) * whole < LIMITS.seen_px[0]):
            fine = min(2 * whole, 1.0)
            looks.append((fine, self.look(picture, fine)))
        return one_each(looks, whole)

    def look(self, picture: Picture, scale: float, shrunk: Picture | None = None) -> list[Found]:
        """One run of the network on the picture scaled by `scale`; near detections are not merged. `shrunk`: a smaller
        version of the picture, at least of the target size, to save time."""
        big = picture if shrunk is None else shrunk
        small = scaled(big, scale * max(picture.shape[:2]) / max(big.shape[:2]))
        rows, columns = small.shape[:2]
        more = (0, -rows % STEP_PX, 0, -columns % STEP_PX)
        padded = np.asarray(cv2.copyMakeBorder(small, *more, cv2.BORDER_REPLICATE), np.uint8)
        out = self._net(as_colours(padded)[None])[0]
        x, y = picture.shape[1] / columns, picture.shape[0] / rows
        return [
            replace(one, x=one.x * x, y=one.y * y, width=one.width * x, height=one.height * y)
            for one in peaks(out, padded.shape[1] // out.shape[2])
        ]


def peaks(out: Floats, cell_px: int) -> list[Found]:
    """The detections in the network's answer (12, rows, columns), in pixels of the view."""
    heat = out[0]
    highest = cv2.dilate(heat, np.ones((3, 3), np.uint8))
    found = []
    for row, column in zip(*np.nonzero((heat == highest) & (heat > logit(POSSIBLE))), strict=True):
        cell = out[:, row, column]
        x, y = (np.array([column, row]) + 0.5 + cell[1:3]) * cell_px
        width, height = np.exp(cell[3:5]) * LOG_UNIT_PX
        found.append(Found(float(x), float(y), float(width), float(height), float(sigmoid(cell[0]))))
    return found


def one_each(looks: list[tuple[float, list[Found]]], whole: float) -> list[Found]:
    """Each die once, from views (scale, detections); `whole` is the scale of the first view.

    The heat is the highest of all views. The box is of the same view, unless another view shows the die at a better
    size (`LIMITS.seen_px`).
    """
    every = [(scale, one) for scale, found in looks for one in found if scale >= whole or _is_seen(one, scale)]
    left = sorted(every, key=lambda pair: -pair[1].heat)
    kept: list[Found] = []
    while left:
        scale, warmest = left[0]
        best = warmest
        if not _is_seen(warmest, scale):
            warm = [pair for pair in left if is_same(pair[1], warmest)]
            usual_px = math.sqrt(math.prod(LIMITS.seen_px))
            best = min(warm, key=lambda pair: abs(math.log(pair[1].side_px * pair[0] / usual_px)))[1]
        if not any(is_same(best, other) for other in kept):
            kept.append(replace(best, heat=warmest.heat, heats=heats_of(warmest, looks)))
        left = [pair for pair in left if not is_same(pair[1], warmest)]
    return kept


def _is_seen(one: Found, scale: float) -> bool:
    """Whether a view at this scale shows a die at a size that the network knows."""
    return LIMITS.seen_px[0] <= one.side_px * scale <= LIMITS.seen_px[1]


def is_same(one: Found, other: Found) -> bool:
    """Whether two detections are the same die: near, and similar in size."""
    near = math.hypot(one.x - other.x, one.y - other.y) < 0.5 * min(one.side_px, other.side_px)
    return near and 1 / LIMITS.same_size_ratio < one.side_px / other.side_px < LIMITS.same_size_ratio


def heats_of(one: Found, looks: list[tuple[float, list[Found]]]) -> tuple[float, ...]:
    """The heat in each view that should see this die at a suitable size, highest first; 0: not found there."""
    seen = [found for scale, found in looks if _is_seen(one, scale)]
    heats = [max((other.heat for other in found if is_same(other, one)), default=0.0) for found in seen]
    return tuple(sorted(heats, reverse=True))


def distinct(found: list[Found]) -> list[Found]:
    """Each die of one view once: the detection with the highest heat."""
    kept: list[Found] = []
    for one in sorted(found, key=lambda f: -f.heat):
        if not any(is_same(one, other) for other in kept):
            kept.append(one)
    return kept
