"""Small rendered card tables for the tests: own suits, a font of OpenCV, no art and no photographs."""

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.drawn.suits import PIPS, ink_on, suit_mask, tight

Image = NDArray[np.uint8]
TALL_PX, WIDE_PX = 440, 305
"""A face of 88 x 61 mm at 5 px a mm."""
RED, BLACK = (40, 30, 190), (25, 20, 20)
Card = tuple[str, str]


def shape_of(text: str, height_px: int, width_px: int) -> Image:
    canvas = np.zeros((200, 400, 3), np.uint8)
    cv2.putText(canvas, text, (30, 150), (255, 255, 255), cv2.FontFace("sans"), 110, 600)
    return np.asarray(
        cv2.resize(tight(np.ascontiguousarray(canvas[..., 0])), (width_px, height_px), interpolation=cv2.INTER_AREA)
    )


def face_of(card: Card) -> Image:
    """A face with two indices of 16 mm, pips, and a patterned frame for courts."""
    rank, suit = card
    face = np.full((TALL_PX, WIDE_PX, 3), 250, np.uint8)
    colour = RED if suit in "HD" else BLACK
    drawn = suit_mask(suit)
    pip = cv2.resize(drawn, (52, 60), interpolation=cv2.INTER_AREA)
    for x, y in PIPS.get(rank, ()):
        at = (WIDE_PX * (0.3 + 0.4 * x), TALL_PX * (0.17 + 0.66 * y))
        ink_on(face, pip if y <= 0.5 else pip[::-1], *at, colour)
    if rank not in PIPS:
        for k in range(0, 130, 9):
            tone = ((30, 160, 220), (160, 60, 30), colour)[k % 3]
            cv2.rectangle(face, (70 + k // 2, 40 + k), (WIDE_PX - 70 - k // 2, TALL_PX - 40 - k), tone, 4)
    for view in (face, face[::-1, ::-1]):
        ink_on(view, shape_of(rank, 46, 38 if rank == "10" else 28), 28, 20 + 23, colour)
        ink_on(view, cv2.resize(drawn, (25, 28), interpolation=cv2.INTER_AREA), 28, 20 + 46 + 5 + 14, colour)
    return face


def back() -> Image:
    """A red lattice in a white frame."""
    face = np.full((TALL_PX, WIDE_PX, 3), 245, np.uint8)
    y, x = np.mgrid[:TALL_PX, :WIDE_PX]
    lattice = (np.abs((x + y) % 22) < 5) | (np.abs((x - y) % 22) < 5)
    inner = np.zeros((TALL_PX, WIDE_PX), bool)
    inner[16:-16, 16:-16] = True
    face[inner] = (50, 40, 170)
    face[inner & lattice] = (230, 225, 240)
    return face


def felt(wide_px: int = 900, tall_px: int = 640, seed: int = 1) -> Image:
    """Green felt with a little noise."""
    noise = np.random.default_rng(seed).normal(0, 5, (tall_px, wide_px, 1))
    return np.clip(np.array([60, 110, 40]) + noise, 0, 255).astype(np.uint8)


def put(table: Image, face: Image, x_px: float, y_px: float, turn_deg: float, tall_px: float = 200) -> None:
    """Lays a face with its middle at (x, y), clockwise by turn_deg, `tall_px` tall; rounded corners, a soft shadow."""
    scale = tall_px / TALL_PX
    face = np.asarray(cv2.resize(face, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
    tall, wide = face.shape[:2]
    mask = np.zeros((tall, wide), np.uint8)
    r = max(3, tall // 28)
    cv2.rectangle(mask, (r, 0), (wide - r, tall), 255, -1)
    cv2.rectangle(mask, (0, r), (wide, tall - r), 255, -1)
    for cx in (r, wide - 1 - r):
        for cy in (r, tall - 1 - r):
            cv2.circle(mask, (cx, cy), r, 255, -1)
    to = cv2.getRotationMatrix2D(((wide - 1) / 2, (tall - 1) / 2), -turn_deg, 1.0)
    to[:, 2] += np.array([x_px, y_px]) - ((wide - 1) / 2, (tall - 1) / 2)
    size = (table.shape[1], table.shape[0])
    part = cv2.warpAffine(mask, to, size).astype(np.float32)[..., None] / 255
    laid = cv2.warpAffine(face, to, size, borderMode=cv2.BORDER_REPLICATE)
    shade = cv2.GaussianBlur(cv2.warpAffine(mask, to, size), (0, 0), 3).astype(np.float32)[..., None] / 255
    table[:] = (table * (1 - 0.3 * shade) * (1 - part) + laid * part).astype(np.uint8)
