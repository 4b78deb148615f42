"""Finds the dice of a picture: a small network gives a heat and a box, in views at several scales."""

import math
from dataclasses import dataclass, replace

import cv2
import numpy as np

from calibration.arrays import Floats32, Picture
from vision.measure.networks import MODELS, Network, Run, as_colours
from vision.photo.dice.limits import LIMITS
from vision.photo.limits import LIMITS as SHARED

SHARES = (1.0, *2.0 ** (-1 - np.arange(LIMITS.coarser_views) / 2))
"""Sizes of the views of the whole picture, relative to the first view."""


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
    """Finds dice of any size in views of the whole picture at seven scales.

    The first view, `SHARED.long_side_px` long, finds dice of 11 to 170 px. A large picture with very small dice, or
    with none, gets a finer view. A die has a high heat in every view at a suitable size; a pip, a key or a letter
    mostly in one view only.
    """

    def __init__(self, net: Run | None = None) -> None:
        self._net = net if net is not None else Network(MODELS / "dice_find.onnx")

    def find(self, picture: Picture) -> list[Found]:
        """All possible dice of a BGR picture, of any size, without duplicates. Detections within or around other
        detections are kept."""
        whole = min(SHARED.long_side_px / max(picture.shape[:2]), 2.0)
        shrunk = _scaled(picture, whole) if whole < 1 else picture
        looks = [(whole * share, self.look(picture, whole * share, shrunk)) for share in SHARES]
        first = looks[0][1]
        if whole < LIMITS.fine_scale and (not first or min(f.side_px for f in first) * whole < LIMITS.min_seen_px):
            fine = min(2 * whole, 1.0)
            looks.append((fine, self.look(picture, fine)))
        return one_each(looks, whole)

    def look(self, picture: Picture, scale: float, shrunk: Picture | None = None) -> list[Found]:
        """One run of the network on the picture scaled by `scale`; near detections are not merged. `shrunk`: a smaller
        version of the picture, at least of the target size, to save time."""
        h, w = picture.shape[:2]
        small = _scaled(picture if shrunk is None else shrunk, scale, (w, h))
        small_h, small_w = small.shape[:2]
        more = (0, -small_h % LIMITS.multiple_px, 0, -small_w % LIMITS.multiple_px)
        padded = cv2.copyMakeBorder(small, *more, cv2.BORDER_REPLICATE)
        out = self._net(as_colours(np.asarray(padded, np.uint8))[None])[0]
        cell_px = padded.shape[1] // out.shape[2]
        return peaks(out, cell_px, w / small_w, h / small_h)


def _scaled(picture: Picture, scale: float, of: tuple[int, int] | None = None) -> Picture:
    h, w = picture.shape[:2]
    size = tuple(max(1, round(side * scale)) for side in (of or (w, h)))
    if size == (w, h):
        return picture
    way = cv2.INTER_AREA if size[0] < w else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(picture, size, interpolation=way), np.uint8)


def peaks(out: Floats32, cell_px: int, px_x: float, px_y: float) -> list[Found]:
    """The detections in the network's answer (12, rows, columns), each cell `cell_px` pixels of the view. px_x, px_y:
    picture pixels per pixel of the view."""
    heat = out[0]
    highest = cv2.dilate(heat, np.ones((3, 3), np.uint8))
    lowest = float(np.log(LIMITS.min_heat / (1 - LIMITS.min_heat)))
    found = []
    for row, column in zip(*np.nonzero((heat == highest) & (heat > lowest)), strict=True):
        cell = out[:, row, column]
        width, height = np.exp(cell[3:5]) * LIMITS.unit_px
        found.append(
            Found(
                x=float((column + 0.5 + cell[1]) * cell_px * px_x),
                y=float((row + 0.5 + cell[2]) * cell_px * px_y),
                width=float(width * px_x),
                height=float(height * px_y),
                heat=float(1 / (1 + np.exp(-cell[0]))),
            )
        )
    return found


def one_each(looks: list[tuple[float, list[Found]]], whole: float) -> list[Found]:
    """Each die once, from views (scale, detections); `whole` is the scale of the first view.

    The heat is the highest of all views. The box is of the same view, unless another view shows the die at a better
    size (`LIMITS.best_box_px`).
    """
    every = [(scale, one) for scale, found in looks for one in found if _counts(scale, one, whole)]
    left = sorted(every, key=lambda pair: -pair[1].heat)
    kept: list[Found] = []
    while left:
        scale, warmest = left[0]
        best = warmest
        if not LIMITS.min_box_px <= warmest.side_px * scale <= LIMITS.max_box_px:
            warm = [pair for pair in left if is_same(pair[1], warmest)]
            best = min(warm, key=lambda pair: abs(math.log(pair[1].side_px * pair[0] / LIMITS.best_box_px)))[1]
        if not any(is_same(best, other) for other in kept):
            kept.append(replace(best, heat=warmest.heat, heats=heats_of(warmest, looks)))
        left = [pair for pair in left if not is_same(pair[1], warmest)]
    return kept


def _counts(scale: float, one: Found, whole: float) -> bool:
    """Whether a view's detection proposes a die: very small detections in coarse views do not."""
    return scale >= whole or one.side_px * scale >= LIMITS.min_coarse_px


def is_same(one: Found, other: Found) -> bool:
    """Whether two detections are the same die: near, and similar in size."""
    near = math.hypot(one.x - other.x, one.y - other.y) < LIMITS.same_die_share * min(one.side_px, other.side_px)
    return near and 1 / LIMITS.same_size_ratio < one.side_px / other.side_px < LIMITS.same_size_ratio


def heats_of(one: Found, looks: list[tuple[float, list[Found]]]) -> tuple[float, ...]:
    """The heat in each view that should see this die at a suitable size, highest first; 0: not found there."""
    heats = []
    for scale, found in looks:
        if LIMITS.min_seen_px <= one.side_px * scale <= LIMITS.max_seen_px:
            heats.append(
                max(
                    (
                        other.heat
                        for other in found
                        if math.hypot(other.x - one.x, other.y - one.y) < LIMITS.again_share * one.side_px
                        and 1 / LIMITS.same_size_ratio < other.side_px / one.side_px < LIMITS.same_size_ratio
                    ),
                    default=0.0,
                )
            )
    return tuple(sorted(heats, reverse=True))


def distinct(found: list[Found]) -> list[Found]:
    """Each die of one view once: the detection with the highest heat."""
    kept: list[Found] = []
    for one in sorted(found, key=lambda f: -f.heat):
        if not any(is_same(one, other) for other in kept):
            kept.append(one)
    return kept
