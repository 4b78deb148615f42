"""Whether a card found face down has a card's four straight edges: coins and dominoes do not."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.photo.cards.find import Spot
from vision.photo.cards.limits import LIMITS
from vision.readers import Picture

SHIFTS = np.arange(-0.08, 0.081, 0.02)
TILTS = np.array([-0.16, -0.08, 0.0, 0.08, 0.16])
"""Offsets of an edge from its usual place, in card heights, and its slopes, because the view may be slanting."""


def is_oblong(picture: Picture, back: Spot) -> bool:
    """Whether all four edges of the card show, each straight and about where the finder says."""
    if back.score >= LIMITS.sure_back_score:
        return True
    contrasts = edge_contrasts(picture, back)
    least, share = LIMITS.min_edge_contrast, LIMITS.min_edge_share
    if back.score < LIMITS.doubtful_back_score:
        least, share = LIMITS.clear_edge_contrast, LIMITS.clear_edge_share
    return min(contrasts) >= max(least, share * max(contrasts))


def edge_contrasts(picture: Picture, back: Spot) -> list[float]:
    """The contrast, in grey values, that nearly all of each edge has: left, right, upper, lower."""
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


def _upright(picture: Picture, back: Spot) -> NDArray[np.float32]:
    """The card upright in the middle of a square view, a little softened."""
    k = back.height_px / LIMITS.back_view_px
    c, s = np.cos(back.angle) * k, np.sin(back.angle) * k
    to = np.array([[c, -s, 0.0], [s, c, 0.0]])
    to[:, 2] = np.array([back.x, back.y]) - to[:, :2].sum(1) * (2 * LIMITS.back_view_px - 1) / 2
    if k > 1.5:  # many pixels to one: shrink first
        picture = np.asarray(cv2.blur(picture, (round(k), round(k))), np.uint8)
    size = (2 * LIMITS.back_view_px, 2 * LIMITS.back_view_px)
    how = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    view = cv2.warpAffine(picture, to, size, flags=how, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(cv2.GaussianBlur(view, (0, 0), 1.0), np.float32)
