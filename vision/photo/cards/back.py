"""Whether what looks like a card that lies face down has a card's four straight edges: coins and dominoes have not."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.photo.cards.find import Spot
from vision.readers import Picture

TALL_PX = 72
"""Height of the card in the view in which its edges are looked for; the view is a square of twice that."""
SIDES = ((0, 0.345, 0.35), (1, 0.5, 0.24))
"""Axis across the edge, its usual distance from the middle, half the length looked along; in card heights."""
SHIFTS = np.arange(-0.08, 0.081, 0.02)
TILTS = np.array([-0.16, -0.08, 0.0, 0.08, 0.16])
"""How far an edge may lie from its usual place, in card heights, and how it may lean, by slanting views."""
GAPS = 20
"""Per cent of an edge that may be without contrast."""
LEAST_CONTRAST, LEAST_SHARE = 24.0, 0.35
"""Grey values over the weakest edge, and its share of the strongest."""
DOUBTFUL_SCORE, CLEAR_CONTRAST, CLEAR_SHARE = 0.46, 40.0, 0.6
"""Below this score the edges must be clearer."""
PLAIN_SCORE = 0.85
"""From this score on the finder is believed though an edge is covered."""


def is_oblong(picture: Picture, back: Spot) -> bool:
    """Whether all four edges of the card show, each straight and about where the finder says."""
    if back.score >= PLAIN_SCORE:
        return True
    contrasts = edge_contrasts(picture, back)
    least, share = LEAST_CONTRAST, LEAST_SHARE
    if back.score < DOUBTFUL_SCORE:
        least, share = CLEAR_CONTRAST, CLEAR_SHARE
    return min(contrasts) >= max(least, share * max(contrasts))


def edge_contrasts(picture: Picture, back: Spot) -> list[float]:
    """The contrast, in grey values, that nearly all of each edge has: left, right, upper, lower."""
    view = _upright(picture, back)
    middle = (2 * TALL_PX - 1) / 2
    contrasts = []
    for axis, away, length in SIDES:
        steps = view[:, 2:] - view[:, :-2] if axis == 0 else (view[2:] - view[:-2]).transpose(1, 0, 2)
        steep = cv2.dilate(np.ascontiguousarray(np.abs(steps).max(2)), np.ones((1, 3), np.uint8))
        along = np.arange(int(middle - length * TALL_PX), int(middle + length * TALL_PX) + 1)
        for sign in (-1, 1):
            across = middle - 1 + sign * (away + SHIFTS) * TALL_PX
            where = across[:, None, None] + TILTS[:, None] * (along - middle)
            at = np.clip(np.rint(where).astype(int), 0, steep.shape[1] - 1)
            contrasts.append(float(np.percentile(steep[along, at], GAPS, axis=2).max()))
    return contrasts


def _upright(picture: Picture, back: Spot) -> NDArray[np.float32]:
    """The card upright in the middle of a square view, a little softened."""
    k = back.height_px / TALL_PX
    c, s = np.cos(back.angle) * k, np.sin(back.angle) * k
    to = np.array([[c, -s, 0.0], [s, c, 0.0]])
    to[:, 2] = np.array([back.x, back.y]) - to[:, :2].sum(1) * (2 * TALL_PX - 1) / 2
    if k > 1.5:  # many pixels to one: shrink first
        picture = np.asarray(cv2.blur(picture, (round(k), round(k))), np.uint8)
    size = (2 * TALL_PX, 2 * TALL_PX)
    how = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    view = cv2.warpAffine(picture, to, size, flags=how, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(cv2.GaussianBlur(view, (0, 0), 1.0), np.float32)
