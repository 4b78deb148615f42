"""Finds corner indices (rank over suit) anywhere in a picture, at any angle, by a small network on an image pyramid."""

from dataclasses import dataclass, replace
from math import hypot
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Picture
from vision.measure.networks import Network, blob
from vision.photo.cards.limits import LIMITS
from vision.photo.limits import LIMITS as SHARED

MAX_LONG_SIDE_PX = 2 * SHARED.long_side_px
"""Larger pictures are shrunk first: the smallest readable index is 9 px. Small pictures are enlarged."""


@dataclass(frozen=True, slots=True)
class IndexSpot:
    """A possible place of an index: middle and height in pixels, angle of the card in rad (0: upright).

    Also a possible face-down card: then the height is the whole card's, and the angle is known up to half a turn.
    """

    x: float
    y: float
    height_px: float
    angle: float
    score: float


class IndexFinder:
    """The network on an image pyramid. One canvas holds all levels, so that the network runs once."""

    def __init__(self, model: Path) -> None:
        self._net = Network(model)

    def find(self, picture: Picture) -> tuple[list[IndexSpot], list[IndexSpot]]:
        """Indices and face-down cards in the picture's pixels, highest score first, without duplicates."""
        return self._found(_levels(picture), LIMITS.min_index_score)

    def find_at(self, picture: Picture, scale: float) -> list[IndexSpot]:
        """Indices found in the scaled picture, in the given picture's pixels. Separates indices that are otherwise too
        close."""
        how = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
        return self.find_in(_scaled(picture, scale, how), scale, LIMITS.min_index_score)[0]

    def find_in(self, scaled: Picture, scale: float, least_score: float) -> tuple[list[IndexSpot], list[IndexSpot]]:
        """Indices and face-down cards in a picture that was already scaled, in pixels of the original."""
        return self._found([(scaled, scale)], least_score)

    def _found(
        self, levels: list[tuple[Picture, float]], least_score: float
    ) -> tuple[list[IndexSpot], list[IndexSpot]]:
        canvas, places = _canvas([level for level, _ in levels])
        maps = self._net(blob([canvas]))[0]
        cell_px = canvas.shape[1] // maps.shape[2]
        spots: list[IndexSpot] = []
        backs: list[IndexSpot] = []
        for (level, scale), (x0, y0) in zip(levels, places, strict=True):
            rows = slice(y0 // cell_px, (y0 + level.shape[0]) // cell_px + 1)
            columns = slice(x0 // cell_px, (x0 + level.shape[1]) // cell_px + 1)
            spots += _decoded(maps[:6, rows, columns], cell_px, scale, least_score, LIMITS.unit_px)
            lying = _decoded(maps[6:, rows, columns], cell_px, scale, LIMITS.min_back_score, LIMITS.back_unit_px)
            backs += [replace(back, angle=back.angle / 2) for back in lying]
        return once_each(spots), once_each(backs)


def _levels(picture: Picture) -> list[tuple[Picture, float]]:
    """The picture and its halvings, each with its scale relative to the given picture."""
    long = max(picture.shape[:2])
    scale = 1.0
    if long > MAX_LONG_SIDE_PX:
        scale = MAX_LONG_SIDE_PX / long
    elif long <= SHARED.long_side_px:
        scale = 2.0
    level = picture
    if scale != 1.0:
        how = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
        level = _scaled(picture, scale, how)
    levels = [(level, scale)]
    while max(level.shape[:2]) > 2 * LIMITS.min_level_px:
        level = _scaled(level, 0.5, cv2.INTER_AREA)
        scale *= 0.5
        levels.append((level, scale))
    return levels


def _scaled(picture: Picture, scale: float, how: int) -> Picture:
    height, width = picture.shape[:2]
    if round(min(height, width) * scale) < 1:
        size = (max(1, round(width * scale)), max(1, round(height * scale)))
        return np.asarray(cv2.resize(picture, size, interpolation=how), np.uint8)
    return np.asarray(cv2.resize(picture, None, fx=scale, fy=scale, interpolation=how), np.uint8)


def _canvas(levels: list[Picture]) -> tuple[Picture, list[tuple[int, int]]]:
    """All levels in one picture: the first level, with the others in a strip along its longer side."""

    def up(n: int) -> int:
        return -(-n // LIMITS.multiple_px) * LIMITS.multiple_px

    gap = LIMITS.multiple_px
    height, width = levels[0].shape[:2]
    is_wide = width >= height
    places = [(0, 0)]
    x, y = (0, up(height) + gap) if is_wide else (up(width) + gap, 0)
    for level in levels[1:]:
        places.append((x, y))
        if is_wide:
            x += up(level.shape[1]) + gap
        else:
            y += up(level.shape[0]) + gap
    tall = max(p[1] + up(level.shape[0]) for p, level in zip(places, levels, strict=True))
    wide = max(p[0] + up(level.shape[1]) for p, level in zip(places, levels, strict=True))
    canvas = np.full((tall, wide, 3), 255 // 2, np.uint8)
    for (x, y), level in zip(places, levels, strict=True):
        canvas[y : y + level.shape[0], x : x + level.shape[1]] = level
    return canvas, places


def _decoded(
    maps: NDArray[np.float32], cell_px: int, scale: float, least_score: float, unit_px: float
) -> list[IndexSpot]:
    """The spots in an answer for a picture scaled by `scale`; `unit_px`: the height that the network calls 0."""
    heat = 1 / (1 + np.exp(-maps[0]))
    peak = (heat >= cv2.dilate(heat, np.ones((3, 3), np.uint8))) & (heat >= least_score)
    spots = []
    for y, x in np.argwhere(peak):
        sine, cosine, tall, dx, dy = (float(v) for v in maps[1:, y, x])
        spots.append(
            IndexSpot(
                ((x + dx + 0.5) * cell_px - 0.5) / scale,
                ((y + dy + 0.5) * cell_px - 0.5) / scale,
                unit_px * float(np.exp(tall)) / scale,
                float(np.arctan2(sine, cosine)),
                float(heat[y, x]),
            )
        )
    return spots


def once_each(spots: list[IndexSpot]) -> list[IndexSpot]:
    """The spots without duplicates: of spots within a share of an index height, the one with the highest score."""
    kept: list[IndexSpot] = []
    for spot in sorted(spots, key=lambda s: -s.score):
        if all(
            hypot(spot.x - k.x, spot.y - k.y) > LIMITS.same_index_share * min(spot.height_px, k.height_px) for k in kept
        ):
            kept.append(spot)
    return kept


SHIFTS = LIMITS.edge_step * np.array(range(-2, 3))
TILTS = 2 * SHIFTS
"""Offsets of an edge from its usual place, in card heights, and its slopes, because the view may be slanting."""


def is_oblong(picture: Picture, back: IndexSpot) -> bool:
    """Whether all four edges of the card are visible, straight, and about where the finder expects them."""
    if back.score >= LIMITS.sure_back_score:
        return True
    contrasts = edge_contrasts(picture, back)
    least, share = LIMITS.min_edge_contrast, LIMITS.min_edge_share
    if back.score < LIMITS.doubtful_back_score:
        least, share = LIMITS.clear_edge_contrast, LIMITS.clear_edge_share
    return min(contrasts) >= max(least, share * max(contrasts))


def edge_contrasts(picture: Picture, back: IndexSpot) -> list[float]:
    """The contrast, in grey values, reached by most of each edge: left, right, upper, lower."""
    view = _upright(picture, back)
    middle = (2 * LIMITS.back_view_px - 1) / 2
    contrasts = []
    for axis, away, length in LIMITS.back_edges:
        steps = view[:, 2:] - view[:, :-2] if axis == 0 else (view[2:] - view[:-2]).transpose(1, 0, 2)
        steep = cv2.dilate(np.ascontiguousarray(np.abs(steps).max(2)), np.ones((1, 3), np.uint8))
        along = np.arange(int(middle - length * LIMITS.back_view_px), int(middle + length * LIMITS.back_view_px) + 1)
        for sign in (-1, 1):
            across = middle - 1 + sign * (away + SHIFTS) * LIMITS.back_view_px
            where = across[:, None, None] + TILTS[:, None] * (along - middle)
            at = np.clip(np.rint(where).astype(int), 0, steep.shape[1] - 1)
            contrasts.append(float(np.percentile(steep[along, at], LIMITS.gap_percentile, axis=2).max()))
    return contrasts


def _upright(picture: Picture, back: IndexSpot) -> NDArray[np.float32]:
    """The card upright in the middle of a square view, slightly blurred."""
    k = back.height_px / LIMITS.back_view_px
    c, s = np.cos(back.angle) * k, np.sin(back.angle) * k
    to = np.array([[c, -s, 0.0], [s, c, 0.0]])
    to[:, 2] = np.array([back.x, back.y]) - to[:, :2].sum(1) * (2 * LIMITS.back_view_px - 1) / 2
    pixels = max(1, round(k))  # many pixels may become one: blur first
    picture = np.asarray(cv2.blur(picture, (pixels, pixels)), np.uint8)
    size = (2 * LIMITS.back_view_px, 2 * LIMITS.back_view_px)
    how = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    view = cv2.warpAffine(picture, to, size, flags=how, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(cv2.GaussianBlur(view, (0, 0), 1.0), np.float32)
