"""Things under and around the cards: tables, cloths, papers with words, objects that resemble cards."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.train.cards_faces import glyph
from bench.train.cards_suits import suit_mask

Image = NDArray[np.uint8]
Colour = tuple[int, int, int]


def random_colour(rng: np.random.Generator, low: int = 0, high: int = 256) -> Colour:
    """Any colour."""
    b, g, r = (int(v) for v in rng.integers(low, high, 3))
    return b, g, r


def smooth_noise(rng: np.random.Generator, size: tuple[int, int], cells: tuple[int, int]) -> NDArray[np.float32]:
    """Noise from 0 to 1 with about `cells` blobs down and across."""
    small = rng.random((cells[0] + 2, cells[1] + 2), np.float32)
    return np.clip(cv2.resize(small, (size[1], size[0]), interpolation=cv2.INTER_CUBIC), 0, 1)


def table(rng: np.random.Generator, size_px: int) -> Image:
    """A surface: wood, felt, cloth, stone, stripes, tiles or plain; shape (size_px, size_px, 3)."""
    kind = rng.choice(["wood", "felt", "cloth", "stone", "stripes", "plain", "tiles", "dark"])
    shape = (size_px, size_px)
    base = np.array(random_colour(rng, 20, 245), np.float32)
    if kind in ("wood", "stripes"):
        base = np.array([rng.uniform(20, 110), rng.uniform(50, 150), rng.uniform(90, 200)], np.float32)
    if kind == "felt":
        base = np.array([[40, 110, 30], [130, 60, 20], [30, 30, 120], [60, 60, 60]][rng.integers(4)], np.float32)
    if kind == "dark":
        base = np.array(random_colour(rng, 0, 40), np.float32)
    field = smooth_noise(rng, shape, (3, 3)) * 0.5
    if kind == "wood":
        wave = smooth_noise(rng, shape, (int(rng.integers(2, 6)), int(rng.integers(20, 90))))
        field = field * 0.4 + wave * rng.uniform(0.3, 1.2)
    elif kind in ("felt", "stone", "cloth"):
        grain = int(rng.integers(20, size_px // 2))
        field = field + smooth_noise(rng, shape, (grain, grain)) * rng.uniform(0.1, 1.2)
    elif kind == "stripes":
        wide = int(rng.integers(6, 60))
        field = field + ((np.arange(size_px) // wide) % 2)[None, :].astype(np.float32) * rng.uniform(0.1, 0.8)
    elif kind == "tiles":
        wide = int(rng.integers(14, 120))
        y, x = np.mgrid[:size_px, :size_px]
        field = field + (((x % wide) < 3) | ((y % wide) < 3)).astype(np.float32) * rng.uniform(-0.6, 0.8)
    other = np.array(random_colour(rng), np.float32) if rng.random() < 0.2 else base * rng.uniform(0.2, 1.8)
    picture = base + (other - base) * field[..., None]
    if kind == "cloth":
        picture *= 0.6 + 0.6 * smooth_noise(rng, shape, (int(rng.integers(3, 9)),) * 2)[..., None]
    surface = np.clip(picture, 0, 255).astype(np.uint8)
    turn = cv2.getRotationMatrix2D((size_px / 2, size_px / 2), rng.uniform(0, 360), rng.uniform(1.0, 1.6))
    return cv2.warpAffine(surface, turn, (size_px, size_px), borderMode=cv2.BORDER_REFLECT)


def clutter(rng: np.random.Generator, picture: Image, fonts: list[Path], count: int) -> None:
    """Draws other objects than cards: papers with words, coins, dice, letter tiles, pens, single glyphs."""
    for _ in range(count):
        kind = rng.choice(["paper", "coin", "dice", "tiles", "pen", "shape", "suits", "box", "domino", "disc"])
        at = rng.integers(0, picture.shape[0], 2)
        {
            "paper": _paper,
            "coin": _coin,
            "dice": _dice,
            "tiles": _tiles,
            "pen": _pen,
            "shape": _shape,
            "suits": _suits,
            "box": _box,
            "domino": _domino,
            "disc": _disc,
        }[str(kind)](rng, picture, (int(at[0]), int(at[1])), fonts)


def _paste(picture: Image, patch: Image, middle: tuple[int, int], angle_deg: float) -> None:
    h, w = patch.shape[:2]
    turn = cv2.getRotationMatrix2D((w / 2, h / 2), angle_deg, 1.0)
    turn[:, 2] += np.array(middle) - (w / 2, h / 2)
    size = (picture.shape[1], picture.shape[0])
    where = cv2.warpAffine(np.full((h, w), 255, np.uint8), turn, size, flags=cv2.INTER_LINEAR)
    moved = cv2.warpAffine(patch, turn, size, flags=cv2.INTER_LINEAR)
    picture[where > 127] = moved[where > 127]


def _words(rng: np.random.Generator, patch: Image, fonts: list[Path], colour: Colour) -> None:
    """Lines of random words and numbers."""
    font = str(fonts[rng.integers(len(fonts))])
    signs = list("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0123456789AQJK")
    tall = int(rng.integers(6, 34))
    y = 4
    while y + tall < patch.shape[0] - 2:
        x = 4
        while x < patch.shape[1] - tall:
            mask = glyph("".join(rng.choice(signs, size=rng.integers(1, 8))), font)
            wide = max(3, round(tall * mask.shape[1] / mask.shape[0] * 0.8))
            if x + wide >= patch.shape[1] - 2:
                break
            ink = cv2.resize(mask, (wide, tall), interpolation=cv2.INTER_AREA) > 110
            patch[y : y + tall, x : x + wide][ink] = colour
            x += wide + max(2, tall // 2)
        y += round(tall * rng.uniform(1.3, 2.2))


def _paper(rng: np.random.Generator, picture: Image, at: tuple[int, int], fonts: list[Path]) -> None:
    patch = np.full((int(rng.integers(40, 240)), int(rng.integers(40, 240)), 3), random_colour(rng, 150), np.uint8)
    _words(rng, patch, fonts, random_colour(rng, 0, 120))
    _paste(picture, patch, at, rng.uniform(0, 360))


def _coin(rng: np.random.Generator, picture: Image, at: tuple[int, int], fonts: list[Path]) -> None:
    size = int(rng.integers(14, 70))
    patch_colour = random_colour(rng, 60)
    cv2.circle(picture, at, size // 2, patch_colour, -1, cv2.LINE_AA)
    cv2.circle(picture, at, size // 2 - 3, random_colour(rng), 1, cv2.LINE_AA)
    mask = glyph(str(rng.choice(list("0123456789AKQJ"))), str(fonts[rng.integers(len(fonts))]))
    tall = max(6, size // 2)
    patch = np.full((tall, max(4, round(tall * mask.shape[1] / mask.shape[0])), 3), patch_colour, np.uint8)
    patch[cv2.resize(mask, patch.shape[1::-1], interpolation=cv2.INTER_AREA) > 110] = random_colour(rng)
    _paste(picture, patch, at, rng.uniform(0, 360))


def _dice(rng: np.random.Generator, picture: Image, at: tuple[int, int], fonts: list[Path]) -> None:
    size = int(rng.integers(18, 70))
    patch = np.full((size, size, 3), random_colour(rng, 120), np.uint8)
    pip = random_colour(rng, 0, 90)
    for _ in range(rng.integers(1, 7)):
        x, y = (int(v) for v in rng.choice([size // 4, size // 2, 3 * size // 4], 2))
        cv2.circle(patch, (x, y), max(2, size // 9), pip, -1, cv2.LINE_AA)
    _paste(picture, patch, at, rng.uniform(0, 360))


def _tiles(rng: np.random.Generator, picture: Image, at: tuple[int, int], fonts: list[Path]) -> None:
    """Letter or number tiles, dominoes with numbers: one glyph on a light tile."""
    tall = int(rng.integers(20, 70))
    row = np.full((tall, tall * int(rng.integers(1, 5)), 3), random_colour(rng, 150), np.uint8)
    font = str(fonts[rng.integers(len(fonts))])
    for k in range(row.shape[1] // tall):
        mask = glyph(str(rng.choice(list("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"))), font)
        high = round(tall * 0.6)
        wide = max(4, min(tall - 4, round(high * mask.shape[1] / mask.shape[0])))
        x0 = k * tall + (tall - wide) // 2
        area = row[tall // 5 : tall // 5 + high, x0 : x0 + wide]
        area[cv2.resize(mask, (wide, high), interpolation=cv2.INTER_AREA) > 110] = random_colour(rng, 0, 130)
        cv2.rectangle(row, (k * tall, 0), ((k + 1) * tall - 1, tall - 1), random_colour(rng), 1)
    _paste(picture, row, at, rng.uniform(0, 360))


def _domino(rng: np.random.Generator, picture: Image, at: tuple[int, int], fonts: list[Path]) -> None:
    """A domino, as tall as a card may be: two fields of pips and a bar."""
    wide = int(rng.integers(14, 64))
    tall = round(wide * rng.uniform(1.8, 2.2))
    tile = random_colour(rng)
    light = sum(tile) > 380
    patch = np.full((tall, wide, 3), tile, np.uint8)
    ink = random_colour(rng, 0, 90) if light else random_colour(rng, 170)
    cv2.line(patch, (wide // 8, tall // 2), (wide - wide // 8, tall // 2), ink, max(1, wide // 16))
    nine = [(x, y) for y in (0.25, 0.5, 0.75) for x in (0.25, 0.5, 0.75)]
    for half in (0, 1):
        for k in rng.permutation(9)[: rng.integers(0, 7)]:
            x, y = nine[k][0] * wide, (half + nine[k][1]) * tall / 2
            cv2.circle(patch, (round(x), round(y)), max(1, wide // 11), ink, -1, cv2.LINE_AA)
    cv2.rectangle(patch, (0, 0), (wide - 1, tall - 1), tuple(int(v * 0.6) for v in tile), 1)
    _paste(picture, patch, at, rng.uniform(0, 360))


def _disc(rng: np.random.Generator, picture: Image, at: tuple[int, int], fonts: list[Path]) -> None:
    """A large coin, button, counter, saucer: rings, rays, holes."""
    radius = int(rng.integers(10, 75))
    cv2.circle(picture, at, radius, random_colour(rng), -1, cv2.LINE_AA)
    for _ in range(rng.integers(1, 5)):
        ring = int(radius * rng.uniform(0.3, 1.0))
        cv2.circle(picture, at, ring, random_colour(rng), int(rng.integers(1, max(2, radius // 5))), cv2.LINE_AA)
    if rng.random() < 0.4:
        for angle in np.linspace(0, 2 * np.pi, int(rng.integers(6, 60))):
            a, b = (
                (round(at[0] + k * radius * np.cos(angle)), round(at[1] + k * radius * np.sin(angle)))
                for k in (0.8, 0.98)
            )
            cv2.line(picture, a, b, random_colour(rng, 0, 120), 1, cv2.LINE_AA)
    if rng.random() < 0.4:
        for angle in np.linspace(0, 2 * np.pi, int(rng.choice([2, 4])), endpoint=False) + rng.uniform(0, 6):
            hole = (round(at[0] + 0.3 * radius * np.cos(angle)), round(at[1] + 0.3 * radius * np.sin(angle)))
            cv2.circle(picture, hole, max(1, radius // 8), random_colour(rng, 0, 90), -1, cv2.LINE_AA)


def _pen(rng: np.random.Generator, picture: Image, at: tuple[int, int], fonts: list[Path]) -> None:
    angle = rng.uniform(0, 2 * np.pi)
    end = (round(at[0] + 260 * np.cos(angle)), round(at[1] + 260 * np.sin(angle)))
    cv2.line(picture, at, end, random_colour(rng), int(rng.integers(3, 20)), cv2.LINE_AA)


def _shape(rng: np.random.Generator, picture: Image, at: tuple[int, int], fonts: list[Path]) -> None:
    points = np.array(at) + rng.normal(0, rng.uniform(10, 80), (int(rng.integers(3, 8)), 2))
    cv2.fillPoly(picture, [points.astype(np.int32)], random_colour(rng), cv2.LINE_AA)


def _box(rng: np.random.Generator, picture: Image, at: tuple[int, int], fonts: list[Path]) -> None:
    """A picture, a phone or a book: a rectangle with a darker field and words."""
    patch = np.full((int(rng.integers(60, 220)), int(rng.integers(40, 160)), 3), random_colour(rng), np.uint8)
    patch[8:-8, 8:-8] = random_colour(rng)
    if rng.random() < 0.5:
        _words(rng, patch[14:-14, 14:-14], fonts, random_colour(rng))
    _paste(picture, patch, at, rng.uniform(0, 360))


def _suits(rng: np.random.Generator, picture: Image, at: tuple[int, int], fonts: list[Path]) -> None:
    """Suit signs without a rank, red and black, on light paper."""
    size = int(rng.integers(12, 60))
    patch = np.full((size * 2, size * int(rng.integers(2, 5)), 3), random_colour(rng, 190), np.uint8)
    for k in range(patch.shape[1] // size):
        mask = suit_mask(str(rng.choice(list("SHDC"))), rng, 60)
        small = cv2.resize(mask, (max(4, size * 3 // 4),) * 2, interpolation=cv2.INTER_AREA) > 110
        area = patch[size // 2 : size // 2 + small.shape[0], k * size : k * size + small.shape[1]]
        area[small] = (30, 20, 200) if rng.random() < 0.5 else (20, 20, 20)
    _paste(picture, patch, at, rng.uniform(0, 360))
