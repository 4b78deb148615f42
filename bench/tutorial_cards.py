"""The card reader of the popular tutorials, for comparison with ours: threshold, outlines, corners, templates.

The steps are those of most tutorials and videos. A grey threshold above the background's brightness gives outlines with
four corners. The card is straightened to 200 x 300, and its corner is enlarged and thresholded. The largest two blobs
are rank and suit, compared with stored templates by absolute difference. The templates are cut from labelled pictures
of one card each, given at the start, so it is given the pack, as in those tutorials.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Picture

CARD_PX = (200, 300)
CORNER_PX = (32, 84)
ZOOM = 4
RANK_PX, SUIT_PX = (70, 125), (70, 100)
ABOVE_BACKGROUND = 60
LEAST_AREA_SHARE, MOST_AREA_SHARE = 0.01, 0.6
WORST_RANK, WORST_SUIT = 2000, 700


@dataclass(slots=True)
class Templates:
    """Rank and suit shapes, white on black."""

    ranks: dict[str, Picture]
    suits: dict[str, Picture]


def outlines(picture: Picture) -> list[NDArray[np.float32]]:
    """The outlines of bright quadrangles, four corners each."""
    grey = cv2.GaussianBlur(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), (5, 5), 0)
    background = int(grey[grey.shape[0] // 100, grey.shape[1] // 2])
    _, bright = cv2.threshold(grey, min(254, background + ABOVE_BACKGROUND), 255, cv2.THRESH_BINARY)
    found, _ = cv2.findContours(bright, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    total = grey.size
    quads = []
    for outline in found:
        if LEAST_AREA_SHARE * total < cv2.contourArea(outline) < MOST_AREA_SHARE * total:
            corners = cv2.approxPolyDP(outline, 0.01 * cv2.arcLength(outline, True), True)
            if len(corners) == 4:
                quads.append(corners.reshape(4, 2).astype(np.float32))
    return quads


def straightened(picture: Picture, quad: NDArray[np.float32]) -> Picture:
    """The card upright, 200 x 300 grey."""
    total, apart = quad.sum(1), np.diff(quad, axis=1).ravel()
    ordered = quad[[total.argmin(), apart.argmin(), total.argmax(), apart.argmax()]]
    if np.linalg.norm(ordered[1] - ordered[0]) > np.linalg.norm(ordered[3] - ordered[0]):
        ordered = np.roll(ordered, 1, axis=0)
    w, h = CARD_PX
    to = np.array([[0, 0], [w - 1, 0], [w - 1, h - 1], [0, h - 1]], np.float32)
    view = cv2.warpPerspective(picture, cv2.getPerspectiveTransform(ordered, to), CARD_PX)
    return np.asarray(cv2.cvtColor(view, cv2.COLOR_BGR2GRAY), np.uint8)


def rank_and_suit(card: Picture) -> tuple[Picture | None, Picture | None]:
    """The two shapes in the top left corner, at the templates' sizes."""
    corner = cv2.resize(card[: CORNER_PX[1], : CORNER_PX[0]], None, fx=ZOOM, fy=ZOOM)
    white = int(corner[15, corner.shape[1] // 2])
    _, ink = cv2.threshold(corner, max(1, white - 30), 255, cv2.THRESH_BINARY_INV)
    return _largest(ink[20:185], RANK_PX), _largest(ink[186:336], SUIT_PX)


def _largest(ink: Picture, size: tuple[int, int]) -> Picture | None:
    found, _ = cv2.findContours(ink, cv2.RETR_TREE, cv2.CHAIN_APPROX_SIMPLE)
    if not found:
        return None
    x, y, w, h = cv2.boundingRect(max(found, key=cv2.contourArea))
    return np.asarray(cv2.resize(ink[y : y + h, x : x + w], size), np.uint8)


def learn(pictures: list[tuple[Picture, str, str]]) -> Templates:
    """Templates from pictures of one card each, with its rank and suit; the first usable picture of each is used."""
    known = Templates({}, {})
    for picture, rank, suit in pictures:
        quads = outlines(picture)
        if len(quads) == 1:
            rank_shape, suit_shape = rank_and_suit(straightened(picture, quads[0]))
            if rank_shape is not None:
                known.ranks.setdefault(rank, rank_shape)
            if suit_shape is not None:
                known.suits.setdefault(suit, suit_shape)
    return known


def read(picture: Picture, known: Templates) -> dict[str, Any]:
    """A reading in the form of the command line. The approach has no measure of doubt: every card has confidence 1."""
    cards = []
    for quad in outlines(picture):
        rank, suit = rank_and_suit(straightened(picture, quad))
        if rank is None or suit is None or not known.ranks or not known.suits:
            continue
        rank_off = {name: int(cv2.absdiff(rank, shape).sum() // 255) for name, shape in known.ranks.items()}
        suit_off = {name: int(cv2.absdiff(suit, shape).sum() // 255) for name, shape in known.suits.items()}
        best_rank, best_suit = min(rank_off, key=rank_off.__getitem__), min(suit_off, key=suit_off.__getitem__)
        if rank_off[best_rank] < WORST_RANK and suit_off[best_suit] < WORST_SUIT:
            cards.append({"rank": best_rank, "suit": best_suit, "corners": quad.tolist(), "confidence": 1.0})
    return {"cards": cards, "face_down": 0}
