"""Flat tables full of fanned cards as a table's camera shows them, cut into the crops that the index reader sees.

The art, the cameras' tone, noise and blur are the scene maker's (its folder must be importable); light and layout are
simpler than there, so that a minute makes thousands of crops.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.train.cards_art import RANKS, SUITS
from vision.photo.cards.find import Spot
from vision.photo.cards.index import crop, halvings

Floats = NDArray[np.float64]
Image = NDArray[np.float32]
CARD_MM, FACE_PX = np.array([63.0, 88.0]), (252, 352)
SHEET_MM, PX_MM = np.array([560, 420]), 3.0
MARKS_MM = {"letele": (5.7, 11.2, 16.1), "svgcards": (5.0, 11.4, 19.6), "house": (6.5, 13.6, 21.2)}
"""Where a design has its index: across, down, and how high. `house` is the pack of the virtual table."""
COPIES, LEAST_SEEN, SEEN_ENOUGH = 2, 0.3, 0.55
GRID = np.stack(np.meshgrid(np.linspace(-29.5, -23, 7), np.linspace(-41, -24, 14)), -1).reshape(-1, 2)


def sheet(seed: int, art: Path, designs: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Crops (N, 56, 40, 3) and labels (N, 8), as `cards_read.gather` gives them, of one flat table."""
    rng = np.random.default_rng([27, seed])
    design = str(rng.choice(designs))
    lit, owner, cards = _laid(rng, art / design)
    view, to_view, px_mm = _photographed(rng, lit)
    across, down, high = MARKS_MM[design]
    pyramid, crops, labels = halvings(view), [], []
    for number, (name, middle, turn) in enumerate(cards):
        for sign in (1, -1):
            points = np.rint((sign * GRID @ turn.T + middle) * PX_MM).astype(int)
            if ((points < 0) | (points >= owner.shape[::-1])).any():
                continue
            seen = float((owner[points[:, 1], points[:, 0]] == number).mean())
            if seen < LEAST_SEEN:
                continue
            at = turn @ (sign * (np.array([across, down]) - CARD_MM / 2)) + middle
            angle = float(np.arctan2(turn[1, 0], turn[0, 0])) + (np.pi if sign < 0 else 0)
            spot = Spot(*map(float, to_view(at)), high * px_mm, angle, 1.0)
            rank, suit = (13, -1) if name.startswith("JOKER") else (RANKS.index(name[:-1]), SUITS.index(name[-1]))
            for _ in range(COPIES):
                moved, off = _jittered(rng, spot)
                crops.append(crop(pyramid, moved))
                labels.append([rank, suit, 1 if seen >= SEEN_ENOUGH else -1, *off, min(1.0, seen + 0.1)])
            if rng.random() < 0.35:
                crops.append(crop(pyramid, _awry(rng, spot)))
                labels.append([-1, -1, 0, 0, 0, 0, 0, 1])
    return np.array(crops, np.uint8), np.array(labels, np.float32)


def _jittered(rng: np.random.Generator, spot: Spot) -> tuple[Spot, list[float]]:
    dx, dy, grow, turn = rng.normal(0, (0.05, 0.05, 0.07, 0.06))
    angle, high = spot.angle + turn, spot.height_px * float(np.exp(grow))
    c, s = np.cos(angle) * high, np.sin(angle) * high
    return Spot(spot.x + c * dx - s * dy, spot.y + s * dx + c * dy, high, angle, 1.0), [-dx, -dy, -grow, -turn]


def _awry(rng: np.random.Generator, spot: Spot) -> Spot:
    """A place next to an index, or an index turned over."""
    (dx, dy), turn = rng.normal(0, 0.08, 2), float(rng.choice([np.pi, np.pi / 2, -np.pi / 2]))
    if rng.random() < 0.5:
        (dx, dy), turn = rng.choice([-1, 1], 2) * rng.uniform(0.4, 1.2, 2), 0.0
    turn += rng.normal(0, 0.1)
    c, s = np.cos(spot.angle) * spot.height_px, np.sin(spot.angle) * spot.height_px
    return Spot(spot.x + c * dx - s * dy, spot.y + s * dx + c * dy, spot.height_px, spot.angle + turn, 1.0)


def _laid(rng: np.random.Generator, art: Path) -> tuple[Image, NDArray[np.int16], list[tuple[str, Floats, Floats]]]:
    """A mat with fans and rows of random cards, linear light, the card that each pixel shows, and the cards."""
    wide, high = (SHEET_MM * PX_MM).astype(int)
    ground = np.full((high, wide, 3), 0.05, np.float32) + rng.uniform(0, 0.3) * rng.uniform(0.5, 1, 3)
    lit = (ground * np.exp(rng.normal(0, 0.06, (high, wide, 1)))).astype(np.float32)
    owner, cards = np.full((high, wide), -1, np.int16), []
    for _ in range(int(rng.integers(20, 28))):
        count, layout = (
            int(rng.choice([1, 3, 3, 4, 4, 5, 6, 7])),
            rng.choice(["row", "fan", "cascade"], p=[0.25, 0.5, 0.25]),
        )
        step = {"row": 63 + rng.uniform(0.3, 8), "fan": rng.uniform(14, 27), "cascade": rng.uniform(21, 31)}[layout]
        turned = np.radians(float(rng.choice([0, 90, 180, 270])) + rng.normal(0, 8))
        along = turned + (np.pi / 2 if layout == "cascade" else 0)
        start, sign = rng.uniform(20, SHEET_MM - 20), -1 if rng.random() < 0.2 else 1
        for k in range(min(count, 4) if layout == "row" else count):
            name = (
                f"JOKER_{rng.choice(['r', 'b'])}" if rng.random() < 0.07 else f"{rng.choice(RANKS)}{rng.choice(SUITS)}"
            )
            middle = (
                start + sign * (k - count / 2) * step * np.array([np.cos(along), np.sin(along)]) + rng.normal(0, 0.9, 2)
            )
            angle = turned + np.radians(rng.normal(0, 1.4))
            turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
            _put(lit, owner, cv2.imread(str(art / f"{name}.png")), middle, turn, len(cards))
            cards.append((name, middle, turn))
    return lit, owner, cards


def _put(
    lit: Image, owner: NDArray[np.int16], face: NDArray[np.uint8], middle: Floats, turn: Floats, number: int
) -> None:
    face = np.asarray(cv2.resize(face, FACE_PX, interpolation=cv2.INTER_AREA))[..., ::-1]
    paper = (0.83 * (face.astype(np.float32) / 255) ** 2.2 + 0.006).astype(np.float32)
    to = np.column_stack([turn * (CARD_MM / FACE_PX), middle - turn @ (CARD_MM / 2)]) * PX_MM
    size = (lit.shape[1], lit.shape[0])
    inside = cv2.warpAffine(np.ones(FACE_PX[::-1], np.float32), to, size)
    laid = cv2.warpAffine(paper, to, size, borderMode=cv2.BORDER_REPLICATE)
    shade = 0.22 * cv2.GaussianBlur(inside, (0, 0), 1.6) * (1 - inside)
    lit[:] = lit * (1 - shade)[..., None] * (1 - inside[..., None]) + laid * inside[..., None]
    owner[inside > 0.5] = number


def _photographed(rng: np.random.Generator, lit: Image):  # type: ignore[no-untyped-def]
    """The table as a camera gives it, where its points (mm) lie in it, and its pixels a mm."""
    from kitrender.render import isp  # type: ignore[import-not-found]

    px_mm = float(np.exp(rng.uniform(np.log(1.12), np.log(2.1))))
    small = cv2.resize(cv2.blur(lit, (max(1, round(PX_MM / px_mm)),) * 2), None, fx=px_mm / PX_MM, fy=px_mm / PX_MM)
    light = np.array([1, rng.uniform(0.75, 1), rng.uniform(0.4, 1)], np.float32)
    level = rng.uniform(0.55, 1.02) if rng.random() < 0.62 else rng.uniform(1.0, 2.0)  # of paper; 1: full scale
    camera = {
        "psf": rng.uniform(0.55, 1.5),
        "vignette": 0.0,
        "shot": rng.uniform(0.0003, 0.0027),
        "read": rng.uniform(0.0015, 0.009),
        "sat": rng.uniform(0.9, 1.25),
        "contrast": rng.uniform(0.1, 0.35),
        "chroma_nr": rng.uniform(0.8, 2.4),
        "sharp": rng.uniform(0, 1),
        "wb_err": 1 + rng.normal(0, 0.035, 3) * [1, 0, 1],
    }
    usual = float(np.median(small @ np.array([0.25, 0.6, 0.15], np.float32)))
    shot = isp((small * light).astype(np.float32), rng, light, camera | {"key": level / 0.83 * usual / 0.6})
    packed = cv2.imencode(".jpg", shot, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(78, 97))])[1]
    return cv2.imdecode(packed, cv2.IMREAD_COLOR), lambda at_mm: np.asarray(at_mm) * px_mm - 0.5, px_mm
