"""Finds corner indices (rank over suit) anywhere in a picture, at any angle, by a small network on an image pyramid."""

from dataclasses import dataclass, replace
from math import hypot
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.measure.networks import Network, blob
from vision.photo.cards.limits import LIMITS
from vision.photo.nets import LONG_SIDE_PX, POSSIBLE, made_with, scaled, sigmoid
from vision.readers import Picture

_MADE_WITH = made_with("cards")
UNIT_PX: float = _MADE_WITH["index_px"]
"""Index height for which the network answers 0, the logarithm of the ratio."""
BACK_UNIT_PX: float = _MADE_WITH["back_px"]
"""Height of a face-down card for which the network answers 0."""
ALIGN_PX: int = _MADE_WITH["find_multiple_px"]
WIDTH, HEIGHT = (LIMITS.usual_across + 2 * LIMITS.rim_across), (LIMITS.usual_down + 2 * LIMITS.rim_down)
"""Sides of a card, in heights of its index."""
MAX_LONG_SIDE_PX = 2 * LONG_SIDE_PX
"""Larger pictures are shrunk first: the smallest readable index is 9 px."""


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
        return self._found(_levels(picture), POSSIBLE)

    def find_at(self, picture: Picture, scale: float) -> list[IndexSpot]:
        """Indices found in the scaled picture, in the given picture's pixels. Separates indices that are otherwise too
        close."""
        return self.find_in(scaled(picture, scale), scale, POSSIBLE)[0]

    def find_in(self, resized: Picture, scale: float, least_score: float) -> tuple[list[IndexSpot], list[IndexSpot]]:
        """Indices and face-down cards in a picture that was already scaled, in pixels of the original."""
        return self._found([(resized, scale)], least_score)

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
            spots += _decoded(maps[:6, rows, columns], scale / cell_px, least_score, UNIT_PX / scale)
            lying = _decoded(maps[6:, rows, columns], scale / cell_px, POSSIBLE, BACK_UNIT_PX / scale)
            backs += [replace(back, angle=back.angle / 2) for back in lying]
        return once_each(spots), once_each(backs)


def _levels(picture: Picture) -> list[tuple[Picture, float]]:
    """The picture and its halvings, each with its scale relative to the given picture."""
    long = max(picture.shape[:2])
    scale = 2.0 if long <= LONG_SIDE_PX else min(1.0, MAX_LONG_SIDE_PX / long)
    level = scaled(picture, scale)
    levels = [(level, scale)]
    while max(level.shape[:2]) > 2 * BACK_UNIT_PX:
        level = scaled(level, 0.5)
        scale *= 0.5
        levels.append((level, scale))
    return levels


def _canvas(levels: list[Picture]) -> tuple[Picture, list[tuple[int, int]]]:
    """All levels in one picture: the first level, with the others in a strip along its longer side."""

    def up(n: int) -> int:
        return -(-n // ALIGN_PX) * ALIGN_PX

    gap = ALIGN_PX
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


def _decoded(maps: NDArray[np.float32], cells: float, least_score: float, unit_px: float) -> list[IndexSpot]:
    """The spots in an answer with so many cells per pixel of the picture, and the height that it calls 0."""
    heat = sigmoid(maps[0])
    peak = (heat >= cv2.dilate(heat, np.ones((3, 3), np.uint8))) & (heat >= least_score)
    spots = []
    for y, x in np.argwhere(peak):
        sine, cosine, tall, dx, dy = (float(v) for v in maps[1:, y, x])
        spots.append(
            IndexSpot(
                (x + dx + 0.5) / cells - 0.5,
                (y + dy + 0.5) / cells - 0.5,
                unit_px * float(np.exp(tall)),
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


_TRIED = np.array((-2, -1, 0, 1, 2))


def is_oblong(picture: Picture, back: IndexSpot) -> bool:
    """Whether all four edges of the card are visible, straight, and about where the finder expects them."""
    return back.score * min(edge_contrasts(picture, back)) >= LIMITS.min_edge_contrast


def edge_contrasts(picture: Picture, back: IndexSpot) -> list[float]:
    """The contrast, in grey values, reached by most of each edge between the indices: left, right, upper, lower.

    Shifted and turned edges are tried too, because the view may be slanting.
    """
    view = _upright(picture, back)
    tall = view.shape[0] // 2
    tried = LIMITS.edge_step * _TRIED
    contrasts = []
    for axis, (side, length) in enumerate(((WIDTH, LIMITS.usual_down), (HEIGHT, LIMITS.usual_across))):
        along = np.rint(np.linspace(-0.5, 0.5, tall) * tall * length / HEIGHT).astype(int)
        steps = view[:, 2:] - view[:, :-2] if axis == 0 else (view[2:] - view[:-2]).transpose(1, 0, 2)
        steep = cv2.dilate(np.ascontiguousarray(np.abs(steps).max(2)), np.ones((1, 3), np.uint8))
        for sign in (-1, 1):
            away = tall * (sign * side / HEIGHT / 2 + tried) + (tall - 0.5) - 1
            where = away[:, None, None] + tried[:, None] * along
            at = np.clip(np.rint(where).astype(int), 0, steep.shape[1] - 1)
            contrasts.append(float(np.percentile(steep[tall + along, at], LIMITS.gap_percentile, axis=2).max()))
    return contrasts


def _upright(picture: Picture, back: IndexSpot) -> NDArray[np.float32]:
    """The card upright in the middle of a square view, slightly blurred."""
    k = back.height_px / BACK_UNIT_PX
    c, s = np.cos(back.angle) * k, np.sin(back.angle) * k
    to = np.array([[c, -s, 0.0], [s, c, 0.0]])
    side_px = 2 * int(BACK_UNIT_PX)
    to[:, 2] = np.array([back.x, back.y]) - to[:, :2].sum(1) * (side_px - 1) / 2
    if k > 1:  # many pixels become one: blur first
        picture = np.asarray(cv2.blur(picture, (round(k), round(k))), np.uint8)
    how = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    view = cv2.warpAffine(picture, to, (side_px, side_px), flags=how, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(cv2.GaussianBlur(view, (0, 0), 1.0), np.float32)
