"""The print of playing cards: the index in two corners, the suit's pips in columns, a back."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.game.cards import is_joker
from vision.sim.marks import Color, linear

Floats32 = NDArray[np.float32]
Picture = NDArray[np.uint8]

CELLS_A_MM, FINE = 3, 4
"""Cells of a print a mm, and how many times finer it is drawn."""
WHITE: Color = (246, 245, 240)
INKS: dict[str, Color] = {"H": (190, 24, 34), "D": (190, 24, 34), "C": (24, 24, 26), "S": (24, 24, 26)}
BACK: Color = (40, 70, 140)
INDEX_MM, PIP_MM = 10.5, 11.0
"""Heights of the index's rank and of a pip."""
COLUMNS: dict[int, tuple[int, int]] = {1: (0, 1), 2: (0, 2), 3: (0, 3), 4: (2, 0), 5: (2, 1), 6: (3, 0)} | {
    7: (3, 1),
    8: (3, 2),
    9: (4, 1),
    10: (4, 2),
}
"""Pips in each outer column and in the middle one, by rank."""


@lru_cache(maxsize=120)
def face(card: str | None, width_mm: float, length_mm: float) -> Floats32:
    """Reflectances (H, W, 3), blue first, of a card's face, or of its back for None."""
    scale = CELLS_A_MM * FINE
    size = (round(length_mm * scale), round(width_mm * scale), 3)
    image = np.full(size, WHITE if card else BACK, np.uint8)
    if card is None:
        edge = round(3 * scale)
        cv2.rectangle(image, (0, 0), (size[1] - 1, size[0] - 1), WHITE, 2 * edge)
    else:
        _half(image, card, scale)
        image = np.ascontiguousarray(image[::-1, ::-1])
        _half(image, card, scale)
        if not is_joker(card):
            _pips(image, card, scale)
    small = cv2.resize(image, (size[1] // FINE, size[0] // FINE), interpolation=cv2.INTER_AREA)
    soft = cv2.GaussianBlur(small, (0, 0), 1.0)
    steps = np.array([linear((step, step, step))[0] for step in range(256)], np.float32)
    return np.asarray(steps[soft[..., ::-1]])


def paint(card: str | None, halves_mm: tuple[float, float, float], p: Floats32, n: Floats32) -> Floats32:
    """Reflectance (N, 3) at points (3, N) with normals (3, N) of a card whose face is its +z side."""
    width, length = 2 * halves_mm[0], 2 * halves_mm[1]
    colors = np.repeat(linear(WHITE)[None], p.shape[1], 0)
    for sign, name in ((1, card), (-1, None)):
        on = np.flatnonzero(n[2] * sign > 0.5)
        printed = face(name, width, length)
        u = np.clip((p[0, on] + width / 2) * CELLS_A_MM, 0, printed.shape[1] - 1).astype(int)
        v = np.clip((p[1, on] + length / 2) * CELLS_A_MM, 0, printed.shape[0] - 1).astype(int)
        colors[on] = printed[v, u]
    return colors


def _half(image: Picture, card: str, scale: int) -> None:
    """The index in the upper left corner."""
    rank, suit = ("JOKER", "") if is_joker(card) else (card[:-1], card[-1])
    ink = INKS.get(suit, (90, 40, 120))
    letter = INDEX_MM if suit else 5.5
    font, thick = cv2.FONT_HERSHEY_DUPLEX, max(1, round(letter * scale / 7))
    (wide, high), _ = cv2.getTextSize(rank, font, 1.0, 1)
    size = letter * scale / high * (0.72 if len(rank) == 2 else 1.0)
    at = (round(6.5 * scale - wide * size / 2) if suit else round(3 * scale), round((3 + letter) * scale))
    cv2.putText(image, rank, at, font, size, ink, thick, cv2.LINE_AA)
    if suit:
        _suit(image, suit, (6.5 * scale, (3 + letter + 6.5) * scale), 8.5 * scale)


def _pips(image: Picture, card: str, scale: int) -> None:
    rank, suit = card[:-1], card[-1]
    height, width = image.shape[:2]
    if rank in "JQK":
        box = (round(width * 0.27), round(height * 0.16)), (round(width * 0.73), round(height * 0.84))
        cv2.rectangle(image, *box, INKS[suit], scale // 2)
        _suit(image, suit, (width / 2, height / 2), 2.2 * PIP_MM * scale)
        return
    outer, middle = COLUMNS[1 if rank == "A" else int(rank)]
    for column, count in ((0.32, outer), (0.5, middle), (0.68, outer)):
        spread = 0.0 if count < 2 else 0.2 if outer and column == 0.5 else 0.36
        for y in np.linspace(0.5 - spread, 0.5 + spread, count):
            _suit(image, suit, (width * column, height * float(y)), PIP_MM * scale)


def _suit(image: Picture, suit: str, at: tuple[float, float], size: float) -> None:
    """A suit's sign of this height about a place, in pixels."""
    r = size / 2

    def disk(x: float, y: float, part: float) -> None:
        center = (round(at[0] + x * r), round(at[1] + y * r))
        cv2.circle(image, center, round(part * r), INKS[suit], cv2.FILLED, cv2.LINE_AA)

    def corners(*places: tuple[float, float]) -> None:
        points = np.round(np.array(places) * r + at).astype(np.int32)
        cv2.fillPoly(image, [points], INKS[suit], cv2.LINE_AA)

    if suit == "D":
        corners((0, -1), (0.72, 0), (0, 1), (-0.72, 0))
    elif suit == "H":
        disk(-0.4, -0.35, 0.45)
        disk(0.4, -0.35, 0.45)
        corners((-0.8, -0.15), (0.8, -0.15), (0, 1))
    elif suit == "S":
        disk(-0.4, 0.3, 0.44)
        disk(0.4, 0.3, 0.44)
        corners((-0.81, 0.16), (0, -1.05), (0.81, 0.16), (0.3, 0.55), (-0.3, 0.55))
        corners((0, 0.1), (0.26, 1), (-0.26, 1))
    else:
        disk(0, -0.52, 0.43)
        disk(-0.52, 0.25, 0.43)
        disk(0.52, 0.25, 0.43)
        corners((0, -0.2), (0.3, 1), (-0.3, 1))
