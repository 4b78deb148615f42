"""What training makes of pieces: crops as the face readers get them, of other sizes, colours, lamps and cameras."""

from __future__ import annotations

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from bench.train.dice_data import NOISE, Bytes, oval
from bench.train.dice_pool import DIE_PX, PIECE_PX, Pieces
from bench.train.dice_scenes import brightness
from vision.dice_face import CROP_PX, INK_RANGE, LEAST_SPREAD, REACH, WITHIN, second_ink

SHIFT, SIZE_SPREAD = 0.06, 0.13
"""Spreads of a crop's place, in sides of the die, and of the logarithm of its size: boxes of finders are loose."""
TWO_INKS, GLARE, OTHER_GROUND = 0.24, 0.18, 0.25
"""How often a die is made of two other colours, mirrors lamps, and (of photographs) is laid on another ground."""
DYED_GLARE, DYED_GROUND, CLOSE_INKS = 0.35, 0.5, 0.45
"""How often a die of two other colours mirrors lamps, is laid on another ground, and has pips about as bright as it."""
LEAST_INKS_APART = 60
"""Grey levels by which a dyed die's pips differ from it in some channel."""
SECOND_INK = 0.1
"""How often a crop is given as the reader's other looks will see it, by its second ink alone."""
COARSE, LEAST_DIE_PX = 0.5, 17.0
"""How often a crop is as if taken from afar, and how small a die may be then."""
COMPRESSED = 0.45
"""How often a crop goes through JPEG, colours at half the resolution."""
INVERTED, SWAPPED, MIXED, GREY = 0.1, 0.3, 0.4, 0.03
"""How often colours are inverted, channels swapped, mixed, and taken out."""
USES = 2
"""How often each crop is used, the second time mirrored, among others."""
WAITING = 2048
"""Crops that wait to be used, so that a batch is not of one making."""
Floats = NDArray[np.float32]
Shares = list[tuple[float, Pieces, bool]]
"""Share of the crops, pieces, and whether these are photographs."""


class Crops:
    """Endless training crops of pieces, each lot drawn with its share."""

    def __init__(self, lots: Shares, has_inks: bool, seed: int) -> None:
        self._lots = [lot for lot in lots if lot[0] > 0 and len(lot[1])]
        shares = np.array([share for share, _, _ in self._lots])
        self._rises = np.cumsum(shares / shares.sum())
        self._has_inks, self._rng = has_inks, np.random.default_rng(seed)
        grounds = [pieces.pictures[:: max(1, len(pieces) // 2000)] for _, pieces, is_real in self._lots if not is_real]
        self._grounds = np.concatenate(grounds)
        self._crops = np.empty((WAITING, CROP_PX, CROP_PX, 3), np.uint8)
        self._classes, self._left = np.empty(WAITING, np.int64), np.zeros(WAITING, np.int64)
        for k in range(WAITING):
            self._make(k)
            self._left[k] = self._rng.integers(1, USES + 1)

    def _make(self, k: int) -> None:
        rng = self._rng
        _, pieces, is_real = self._lots[min(int(np.searchsorted(self._rises, rng.random())), len(self._lots) - 1)]
        n = int(rng.integers(len(pieces)))
        self._classes[k] = pieces.classes[n]
        piece, value, die_px = pieces.pictures[n], int(pieces.classes[n]), float(pieces.die_px[n])
        self._crops[k] = crop_of(rng, piece, value, die_px, bool(pieces.can_roll[n]), is_real, self._grounds)
        self._left[k] = USES

    def batch(self, count: int) -> tuple[Tensor, Tensor]:
        """(count, channels, CROP_PX, CROP_PX) as the networks eat them, and their classes."""
        picks = self._rng.choice(WAITING, count, replace=False)
        crops, classes = self._crops[picks], self._classes[picks]
        mirrored = self._left[picks] % 2 == 0
        crops[mirrored] = crops[mirrored][:, :, ::-1]
        for k in picks:
            self._left[k] -= 1
            if self._left[k] <= 0:
                self._make(k)
        x = torch.from_numpy(crops[..., ::-1].transpose(0, 3, 1, 2).astype(np.float32)) / 255 - 0.5
        if self._has_inks:
            x = torch.cat([x, inks_of(x, self._rng)], 1)
        return x, torch.from_numpy(classes)


def inks_of(colours: Tensor, rng: np.random.Generator) -> Tensor:
    """The inks of `vision.dice_face.with_inks` for many crops (n, 3, h, w), their signs turned at random."""
    flat = colours.flatten(2)
    die = flat[:, :, torch.from_numpy(WITHIN)]
    mean = die.mean(2, keepdim=True)
    die = die - mean
    spread2, axes = torch.linalg.eigh(die @ die.transpose(1, 2) / die.shape[2])
    signs = torch.from_numpy(rng.choice([-1.0, 1.0], (len(colours), 1, 3)).astype(np.float32))
    spread = spread2.flip(1).clamp(min=0).sqrt() + LEAST_SPREAD / 255
    across = axes.flip(2) * signs / spread[:, None]
    inks = (across.transpose(1, 2) @ (flat - mean)).clamp(-INK_RANGE, INK_RANGE) / (2 * INK_RANGE)
    return inks.view_as(colours)


def crop_of(
    rng: np.random.Generator, piece: Bytes, value: int, die_px: float, can_roll: bool, is_photo: bool, grounds: Bytes
) -> Bytes:
    """A crop of a piece as the reader will cut it, but turned and shifted, of another size, dye, lamp and camera."""
    crop = _cut(rng, piece, can_roll)
    if 1 <= value <= 6:
        is_dyed = rng.random() < TWO_INKS
        if is_dyed:
            crop = two_inks(rng, crop)
        if rng.random() < (DYED_GLARE if is_dyed else GLARE):
            crop = glare(rng, crop)
        if rng.random() < (DYED_GROUND if is_dyed else OTHER_GROUND * is_photo):
            _change_ground(rng, crop, grounds)
    crop = recolour(rng, crop, is_photo or rng.random() < 0.3)
    crop = photographed(rng, crop, die_px)
    if rng.random() < SECOND_INK:
        crop = second_ink(crop)
        crop = cv2.bitwise_not(crop) if rng.random() < 0.5 else crop
    return crop


def _cut(rng: np.random.Generator, piece: Bytes, can_roll: bool) -> Bytes:
    g = rng.standard_normal(8)
    scale = CROP_PX / (REACH * DIE_PX * float(np.exp(SIZE_SPREAD * g[0])))
    angle, kind = 0.1 * g[1], rng.random()
    if can_roll and kind < 0.8:
        angle = kind / 0.8 * 2 * np.pi if kind < 0.5 else np.floor(kind * 1000 % 4) * np.pi / 2 + 0.02 * g[1]
    c, s = np.cos(angle) * scale, np.sin(angle) * scale
    flip = -1 if rng.random() < 0.5 else 1
    a = np.array([[c * flip, -s], [s * flip, c]])
    if rng.random() < 0.5:  # a little slant
        a = (np.eye(2) + 0.06 * g[4:8].reshape(2, 2)) @ a
    middle = (PIECE_PX - 1) / 2 + SHIFT * DIE_PX * g[2:4]
    warp = np.column_stack([a, (CROP_PX - 1) / 2 - a @ middle])
    way = cv2.INTER_LINEAR
    return np.asarray(cv2.warpAffine(piece, warp, (CROP_PX, CROP_PX), flags=way, borderMode=cv2.BORDER_REPLICATE))


def _change_ground(rng: np.random.Generator, crop: Bytes, grounds: Bytes) -> None:
    """Keeps the die in the middle of a crop and lays it on a part of another piece."""
    ground = grounds[rng.integers(len(grounds))]
    y, x = rng.integers(PIECE_PX - CROP_PX + 1, size=2)
    half = 0.57 * CROP_PX / REACH
    mask = oval(CROP_PX, half, half, np.eye(2))[..., None]
    crop[:] = (ground[y : y + CROP_PX, x : x + CROP_PX] * (1 - mask) + crop * mask).astype(np.uint8)


def two_inks(rng: np.random.Generator, crop: Bytes) -> Bytes:
    """The die of a crop as if made of two other colours, often hardly lighter one than the other, and marbled."""
    grey = cv2.cvtColor(crop, cv2.COLOR_BGR2GRAY).astype(np.float32)
    part = np.sort(grey[CROP_PX // 4 : -CROP_PX // 4 : 2, CROP_PX // 4 : -CROP_PX // 4 : 2].ravel())
    low, high = float(part[len(part) // 25]), float(part[-len(part) // 25])
    if high - low < 50:
        return crop
    share = np.clip((grey - low) / (high - low), -0.2, 1.2)[..., None]
    u = rng.random(8)
    hsv = np.array([[[u[0] * 180, 140 + u[1] * 115, 255], [u[2] * 180, u[3] * 255, 255]]], np.uint8)
    inks = cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0].astype(np.float32) * rng.uniform(0.25, 1, (2, 1)).astype(np.float32)
    if rng.random() < CLOSE_INKS:
        pip, body = inks
        if u[3] < 0.6:  # a grey body
            body[:] = body.mean()
        body *= brightness(pip) / max(brightness(body), 1.0) * (0.5 + 0.9 * u[4])
    elif u[4] < 0.5:  # a dark body
        inks[1] *= 0.35
    if float(np.abs(inks[0] - inks[1]).max()) < LEAST_INKS_APART:
        return crop
    if _has_dark_pips(grey, low, high) != (u[5] < 0.15):
        share = 1 - share
    waves = rng.uniform(-1, 1, (5, 5)).astype(np.float32)
    waves = cv2.resize(waves, (CROP_PX, CROP_PX), interpolation=cv2.INTER_CUBIC)[..., None]
    body = inks[1] * (1 + np.float32(0.9 * u[6]) * waves)
    return np.clip(body + (inks[0] - body) * share, 0, 255).astype(np.uint8)


def _has_dark_pips(grey: Floats, low: float, high: float) -> bool:
    """Whether the die in the middle is lighter than its pips: most of it is body."""
    die = grey.ravel()[WITHIN]
    return bool((die > (low + high) / 2).mean() > 0.5)


def glare(rng: np.random.Generator, crop: Bytes) -> Bytes:
    """A lamp mirrored in the die of a crop: bright strokes, arcs, rings and spots over its face."""
    mask = np.zeros((CROP_PX, CROP_PX), np.uint8)
    for _ in range(rng.integers(1, 5)):
        u = rng.random(8)
        at = tuple(int(v) for v in CROP_PX / 2 + rng.normal(0, 0.12, 2) * CROP_PX)
        axes = (int((0.04 + 0.34 * u[0]) * CROP_PX), int((0.04 + 0.34 * u[1]) * CROP_PX))
        begin = 360 * u[2]
        end = begin + (360 if u[3] < 0.15 else 20 + 120 * u[3])
        thick = -1 if u[4] < 0.12 and max(axes) < 7 else 1 + int(2 * u[4])
        cv2.ellipse(mask, at, axes, 360 * u[5], begin, end, 110 + int(145 * u[6]), thick)
    soft = cv2.GaussianBlur(mask, (0, 0), 0.5 + 1.1 * rng.random())
    return np.asarray(cv2.max(crop, cv2.addWeighted(crop, 1.0, cv2.merge([soft] * 3), 1.0, 0)))


def recolour(rng: np.random.Generator, crop: Bytes, strong: bool) -> Bytes:
    """Another dye, lamp, exposure: channels swapped, hues turned, inverted, curved."""
    x, u, g = crop, rng.random(8), rng.standard_normal(16)
    if strong:
        if u[0] < SWAPPED:
            x = np.ascontiguousarray(x[..., rng.permutation(3)])
        if u[1] < INVERTED:
            x = cv2.bitwise_not(x)
        if u[2] < MIXED:
            mix = np.eye(3) + 0.25 * g[:9].reshape(3, 3)
            x = cv2.transform(x, (mix / mix.sum(0)).T)
    if u[3] < GREY:
        x = cv2.cvtColor(cv2.cvtColor(x, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    level = np.linspace(0, 1, 256, dtype=np.float32)[:, None]
    level = level * ((0.62 + 0.73 * u[4]) * (1 + 0.07 * g[9:12])).astype(np.float32) + np.float32(0.05 * g[12])
    curve = np.clip(level, 0, 1) ** np.float32(np.exp(0.24 * g[13])) * 255
    return np.asarray(cv2.LUT(x, curve.astype(np.uint8)[None]))


def photographed(rng: np.random.Generator, crop: Bytes, die_px: float) -> Bytes:
    """Another camera: blurred, shaken or sharpened, from afar, noisy, compressed."""
    x, u = crop, rng.random(12)
    if u[0] < 0.26:
        x = cv2.GaussianBlur(x, (0, 0), 0.3 + 1.1 * u[1])
    elif u[0] < 0.34:
        kernel = np.zeros((7, 7), np.float32)
        tip = (round(3 + 3 * np.cos(np.pi * u[1])), round(3 + 3 * np.sin(np.pi * u[1])))
        cv2.line(kernel, (3, 3), tip, 1.0, 1)
        x = cv2.filter2D(x, -1, kernel / kernel.sum())
    elif u[0] < 0.48:
        more = 0.3 + u[1]
        x = cv2.addWeighted(x, 1 + more, cv2.GaussianBlur(x, (0, 0), 1.0), -more, 0)
    smallest = LEAST_DIE_PX * REACH / CROP_PX
    side = CROP_PX
    if u[2] < COARSE and die_px > LEAST_DIE_PX:
        side = round(CROP_PX * (smallest + (1.05 - smallest) * u[3]))
        x = cv2.resize(x, (side, side), interpolation=cv2.INTER_AREA)
    if u[4] < 0.35:
        y0, x0 = int(u[5] * (NOISE.shape[0] - side)), int(u[6] * (NOISE.shape[1] - side))
        x = cv2.add(x, NOISE[y0 : y0 + side, x0 : x0 + side] * np.float32(1 + 9 * u[7]), dtype=cv2.CV_8U)
    if u[8] < COMPRESSED:
        grid = int(u[9] * 8)  # where JPEG's blocks begin
        x = cv2.copyMakeBorder(x, grid, 0, grid, 0, cv2.BORDER_REPLICATE)
        x = cv2.imdecode(cv2.imencode(".jpg", x, [cv2.IMWRITE_JPEG_QUALITY, int(30 + 62 * u[10])])[1], 1)[grid:, grid:]
    if side != CROP_PX:
        x = cv2.resize(x, (CROP_PX, CROP_PX), interpolation=cv2.INTER_LINEAR)
    return np.asarray(x)
