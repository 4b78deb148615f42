"""Labelled pictures in memory and what training makes of them: crops, colours, targets. BGR uint8."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch.utils.data import IterableDataset

from bench.train.dice_nets import FIND_CHANNELS, STRIDE_PX
from bench.train.dice_scenes import photographed
from bench.train.dice_tables import clutter, table
from vision.dice_face import second_ink, with_inks
from vision.dice_find import LONG_SIDE_PX, DiceFinder

SIDE_PX = 192
CROP_PX = 64
CROP_REACH = 1.5
"""Side of a face crop over the die's box (root of its area)."""
NO_DIE = 7
"""The face reader's class of what is no die."""
TWO_INKS, EARLY_GLARE, LATE_GLARE = 0.3, 0.12, 0.25
"""How often a die is made of two other colours, and how often lamps are mirrored in it."""
WHOLE = 0.85
"""A die of which more is seen than this is hidden by nothing."""
SECOND_INK = 0.15
"""How often a crop is given as the reader's other looks will see it, by its second ink alone."""
SIZE_SPREAD = 0.13
"""Spread of the logarithm of a crop's size: boxes of finders and of strangers are loose."""
PASTED = 0.3
"""How often a photographed die is laid on another picture."""
POOL = 512
DRAWN = ("rendered", "cards", "clutter")
"""Sources that are no photographs of dice."""
NOISE = np.random.default_rng(0).standard_normal((512, 512, 3), np.float32)
"""Noise to cut pieces from: drawing it each time would take longer than all else."""
Bytes = NDArray[np.uint8]


@dataclass(slots=True)
class Sample:
    """A labelled picture, still JPEG. `dice` rows: centre x, y, width, height, value, seen."""

    jpeg: bytes
    dice: NDArray[np.float32]
    can_roll: bool
    source: str
    name: str = field(default="")
    decoded: Bytes | None = None

    def picture(self) -> Bytes:
        """Decoded, and kept so (6000 scenes are 1.8 GB)."""
        if self.decoded is None:
            self.decoded = cv2.imdecode(np.frombuffer(self.jpeg, np.uint8), cv2.IMREAD_COLOR)
        return self.decoded


def load(folder: Path, long_side_px: int = 1000) -> list[Sample]:
    """The pictures of a folder with labels.jsonl, larger ones shrunk. Pictures without a licence are left out."""
    found = []
    for text in (folder / "labels.jsonl").read_text(encoding="utf-8").splitlines():
        line = json.loads(text)
        if line.get("license", "own") in ("", "none stated"):
            continue
        jpeg = (folder / line["image"]).read_bytes()
        rows = [
            ((b[0] + b[2]) / 2, (b[1] + b[3]) / 2, b[2] - b[0], b[3] - b[1], d["value"] or 0, d.get("seen", 1.0))
            for d in line["dice"]
            for b in [d["box"]]
        ]
        dice = np.asarray(rows, np.float32).reshape(-1, 6)
        if max(line.get("width", 0), line.get("height", 0)) > long_side_px:
            shrink = long_side_px / max(line["width"], line["height"])
            small = cv2.resize(
                cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR),
                None,
                fx=shrink,
                fy=shrink,
                interpolation=cv2.INTER_AREA,
            )
            jpeg = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, 95])[1].tobytes()
            dice[:, :4] *= shrink
        found.append(Sample(jpeg, dice, line.get("can_roll", line.get("view") == "top"), line["source"], line["image"]))
    return found


def load_empty(photos: Path) -> list[Sample]:
    """Pictures without dice: the licensed card photographs beside the dice, if they are there."""
    labels = photos.parent / "cards" / "labels.jsonl"
    if not labels.exists():
        return []
    lines = [json.loads(line) for line in labels.read_text(encoding="utf-8").splitlines()]
    found = []
    for line in [x for x in lines if "none" not in x["license"]][::3]:
        picture = cv2.imread(str(labels.parent / line["image"]))
        shrink = 500 / max(picture.shape)
        small = cv2.resize(picture, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
        jpeg = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, 92])[1].tobytes()
        found.append(Sample(jpeg, np.zeros((0, 6), np.float32), True, "cards"))
    return found


def draw_clutter(count: int, first_seed: int = 2_000_000) -> list[Sample]:
    """Drawn tables full of things that are no dice."""
    found = []
    for seed in range(first_seed, first_seed + count):
        rng = np.random.default_rng(seed)
        picture, size = table(rng, 360, 360), float(rng.uniform(28, 110))
        for _ in range(rng.integers(2, 9)):
            clutter(rng, picture, (int(rng.uniform(30, 330)), int(rng.uniform(30, 330))), size)
        jpeg = cv2.imencode(".jpg", photographed(rng, picture), [cv2.IMWRITE_JPEG_QUALITY, 92])[1].tobytes()
        found.append(Sample(jpeg, np.zeros((0, 6), np.float32), True, "clutter"))
    return found


def leaning(rendered: list[Sample]) -> list[Sample]:
    """The scenes with dice that are seen whole and still cannot be told, with these dice only."""
    out = []
    for sample in rendered:
        dice = sample.dice[(sample.dice[:, 4] == 0) & (sample.dice[:, 5] > WHOLE)]
        if len(dice):
            out.append(Sample(sample.jpeg, dice, sample.can_roll, "clutter", sample.name, sample.decoded))
    return out


def mistaken(samples: list[Sample], finder: DiceFinder) -> list[Sample]:
    """The pictures in which `finder` takes something for a die, with these places as rows of the value 7."""
    out = []
    for sample in samples:
        picture, rows = sample.picture(), []
        whole = min(1.0, LONG_SIDE_PX / max(picture.shape))
        for scale in (whole,) if len(sample.dice) else (whole / 2, whole):
            for one in finder.look(picture, scale):
                away = np.hypot(sample.dice[:, 0] - one.x, sample.dice[:, 1] - one.y)
                sides = np.sqrt(sample.dice[:, 2] * sample.dice[:, 3])
                is_die = (away < 0.5 * sides) & (one.side_px > 0.55 * sides) & (one.side_px < 1.8 * sides)
                if not is_die.any() and one.side_px * scale < 200:
                    rows.append((one.x, one.y, one.width, one.height, NO_DIE, 1.0))
        if rows:
            dice = np.asarray(rows, np.float32)
            out.append(Sample(sample.jpeg, dice, sample.can_roll, "clutter", sample.name, picture))
    return out


def recolour(rng: np.random.Generator, picture: Bytes, strong: bool) -> Bytes:
    """Another camera, lamp, dye: channels swapped, hue turned, inverted, curved, noisy, blurred, compressed."""
    x = picture
    if strong:
        if rng.random() < 0.3:
            x = np.ascontiguousarray(x[..., rng.permutation(3)])
        if rng.random() < 0.12:
            x = cv2.bitwise_not(x)
        if rng.random() < 0.4:
            mix = np.eye(3) + rng.normal(0, 0.25, (3, 3))
            x = cv2.transform(x, (mix / mix.sum(0)).T.astype(np.float32))
    if rng.random() < 0.03:
        x = cv2.cvtColor(cv2.cvtColor(x, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    level = np.linspace(0, 1, 256, dtype=np.float32)[:, None]
    level = level * (rng.uniform(0.55, 1.35) * (1 + rng.normal(0, 0.07, 3))) + rng.normal(0, 0.05)
    curve = np.clip(level, 0, 1) ** np.exp(rng.normal(0, 0.28)) * 255
    x = cv2.LUT(x, curve.astype(np.uint8)[None])
    pick = rng.random()
    if pick < 0.28:
        x = cv2.GaussianBlur(x, (0, 0), rng.uniform(0.3, 1.4))
    elif pick < 0.36:
        away = rng.uniform(0, np.pi)
        kernel = np.zeros((7, 7), np.float32)
        tip = (round(3 + 3 * np.cos(away)), round(3 + 3 * np.sin(away)))
        cv2.line(kernel, (3, 3), tip, 1.0, 1)
        x = cv2.filter2D(x, -1, kernel / kernel.sum())
    elif pick < 0.5:
        more = rng.uniform(0.3, 1.3)
        x = cv2.addWeighted(x, 1 + more, cv2.GaussianBlur(x, (0, 0), 1.0), -more, 0)
    if rng.random() < 0.35:
        h, w = x.shape[:2]
        y0, x0 = rng.integers(NOISE.shape[0] - h + 1), rng.integers(NOISE.shape[1] - w + 1)
        noise = NOISE[y0 : y0 + h, x0 : x0 + w] * np.float32(rng.uniform(1, 10))
        x = cv2.add(x, noise, dtype=cv2.CV_8U)
    if rng.random() < 0.2:
        x = cv2.imdecode(cv2.imencode(".jpg", x, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(25, 80))])[1], 1)
    return x


def two_inks(rng: np.random.Generator, crop: Bytes) -> Bytes:
    """The die of a crop as if made of two other colours, often hardly lighter one than the other, and marbled."""
    grey = cv2.cvtColor(crop, cv2.COLOR_BGR2GRAY).astype(np.float32)
    low, high = np.percentile(grey[CROP_PX // 4 : -CROP_PX // 4, CROP_PX // 4 : -CROP_PX // 4], (4, 96))
    if high - low < 50:
        return crop
    share = np.clip((grey - low) / (high - low), -0.2, 1.2)[..., None]
    hues = cv2.cvtColor(
        np.array(
            [[[rng.integers(180), rng.integers(140, 256), 255], [rng.integers(180), rng.integers(256), 255]]], np.uint8
        ),
        cv2.COLOR_HSV2BGR,
    )[0].astype(np.float32)
    inks = hues * rng.uniform(0.25, 1, (2, 1)).astype(np.float32)
    if rng.random() < 0.5:  # a dark body
        inks[1] *= 0.35
    if rng.random() < 0.5:
        share = 1 - share
    waves = cv2.resize(rng.uniform(-1, 1, (5, 5)).astype(np.float32), (CROP_PX, CROP_PX), interpolation=cv2.INTER_CUBIC)
    body = inks[1] * (1 + rng.uniform(0, 0.9) * waves[..., None])
    return np.clip(body * (1 - share) + inks[0] * share, 0, 255).astype(np.uint8)


def glare(rng: np.random.Generator, crop: Bytes) -> Bytes:
    """A lamp mirrored in the die of a crop: bright strokes and arcs over its face."""
    side = crop.shape[0]
    mask = np.zeros((side, side), np.uint8)
    for _ in range(rng.integers(1, 4)):
        at = tuple(int(v) for v in side / 2 + rng.normal(0, 0.12, 2) * side)
        axes = tuple(int(v) for v in rng.uniform(0.08, 0.4, 2) * side)
        begin = rng.uniform(0, 360)
        ends = (begin, begin + rng.uniform(20, 120))
        cv2.ellipse(mask, at, axes, rng.uniform(0, 360), *ends, int(rng.integers(120, 256)), int(rng.integers(1, 3)))
    soft = cv2.GaussianBlur(mask, (0, 0), rng.uniform(0.5, 1.6)).astype(np.float32)[..., None] / 255
    return (crop + soft * (255 - crop.astype(np.float32))).astype(np.uint8)


def as_input(picture: Bytes) -> torch.Tensor:
    """(3, H, W), RGB, -0.5 to 0.5: what the networks eat."""
    return torch.from_numpy(np.ascontiguousarray(picture[..., ::-1].transpose(2, 0, 1))).float() / 255 - 0.5


def _inked(rng: np.random.Generator, crop: Bytes) -> NDArray[np.float32]:
    """What the second face reader eats; the inks' signs mean nothing and are turned at random."""
    eaten = with_inks(crop)
    eaten[3:] *= rng.choice([-1, 1], (3, 1, 1)).astype(np.float32)
    return eaten


def _turned(rng: np.random.Generator, sample: Sample, scale: float, at: tuple[float, float], side: int) -> NDArray:
    """The 2x3 transform that brings `at` to the middle of a square of `side`, turned and mirrored as may be."""
    angle = rng.uniform(0, 2 * np.pi) if sample.can_roll and rng.random() < 0.7 else rng.normal(0, 0.1)
    if sample.can_roll and rng.random() < 0.3:
        angle = rng.integers(4) * np.pi / 2
    c, s = np.cos(angle) * scale, np.sin(angle) * scale
    flip = -1 if rng.random() < 0.5 else 1
    a = np.array([[c * flip, -s], [s * flip, c]], np.float64)
    return np.column_stack([a, np.array([side / 2, side / 2]) - a @ np.asarray(at)])


def warped(picture: Bytes, warp: NDArray, side: int, fill: int, value: tuple[int, ...] = (0, 0, 0)) -> Bytes:
    """`picture` brought by `warp` to a square of `side`; only the part needed, shrunk first where it shrinks."""
    scale = float(np.sqrt(abs(np.linalg.det(warp[:, :2]))))
    back = np.linalg.inv(warp[:, :2])
    corners = (np.array([[0, 0], [side, 0], [0, side], [side, side]]) - warp[:, 2]) @ back.T
    pad = 3 / min(1.0, scale)
    h, w = picture.shape[:2]
    x0, y0 = np.clip(np.floor(corners.min(0) - pad), 0, (w - 2, h - 2)).astype(int)
    x1, y1 = np.clip(np.ceil(corners.max(0) + pad), (x0 + 2, y0 + 2), (w, h)).astype(int)
    part = picture[y0:y1, x0:x1]
    a, b = warp[:, :2], warp[:, :2] @ (x0, y0) + warp[:, 2]
    if scale < 0.7:  # by areas: sampling alone would flicker
        size = [max(2, round(n * scale / 0.8)) for n in (x1 - x0, y1 - y0)]
        a = a @ np.diag([(x1 - x0) / size[0], (y1 - y0) / size[1]])
        part = cv2.resize(part, size, interpolation=cv2.INTER_AREA)
    way = cv2.INTER_LINEAR
    return cv2.warpAffine(part, np.column_stack([a, b]), (side, side), flags=way, borderMode=fill, borderValue=value)


def find_sample(
    rng: np.random.Generator, sample: Sample, strong: bool, others: list[Sample]
) -> tuple[torch.Tensor, torch.Tensor]:
    """A training square for the finder and its targets (8, rows, columns): the last is the heat's weight.

    Target channels: heat, offset x, y (cells), log w, log h (of px / 32), value (-1: none), mask of boxes,
    weight of heat. Dice of the photographs `others` are laid into some squares of other pictures.
    """
    picture = sample.picture()
    h, w = picture.shape[:2]
    dice = sample.dice
    if len(dice) and rng.random() < 0.9:
        pick = dice[rng.integers(len(dice))]
        size = float(np.sqrt(pick[2] * pick[3]))
        want = float(np.exp(rng.uniform(np.log(11), np.log(125))))
        scale = float(np.clip(want / size, 0.3, 2.2))
        at = (
            pick[0] + rng.uniform(-0.45, 0.45) * SIDE_PX / scale,
            pick[1] + rng.uniform(-0.45, 0.45) * SIDE_PX / scale,
        )
    else:
        scale = float(np.exp(rng.uniform(np.log(0.4), np.log(1.6))))
        at = (rng.uniform(0, w), rng.uniform(0, h))
    half = SIDE_PX / 2 / scale
    if 2 * half < w:
        at = (float(np.clip(at[0], half, w - half)), at[1])
    if 2 * half < h:
        at = (at[0], float(np.clip(at[1], half, h - half)))
    warp = _turned(rng, sample, scale, at, SIDE_PX)
    fill = cv2.BORDER_CONSTANT if rng.random() < 0.5 else cv2.BORDER_REPLICATE
    square = warped(picture, warp, SIDE_PX, fill, tuple(rng.integers(0, 255, 3).tolist()))
    rows = [_moved(row, warp, scale) for row in dice]
    if others and sample.source in ("rendered", "cards") and rng.random() < PASTED:
        for _ in range(rng.integers(1, 6)):
            _lay(rng, square, rows, others)
    return as_input(recolour(rng, square, strong)), torch.from_numpy(_targets(rows))


def _moved(row: NDArray[np.float32], warp: NDArray, scale: float) -> tuple[float, ...]:
    """A row of `Sample.dice` brought into the square: the box of the ellipse in the old box."""
    cx, cy, dw, dh, value, seen = row
    px, py = warp[:, :2] @ (cx, cy) + warp[:, 2]
    bw, bh = np.sqrt((np.abs(warp[:, :2]) / scale) ** 2 @ np.array([dw**2, dh**2])) * scale
    return float(px), float(py), float(bw), float(bh), float(value), float(seen)


def _lay(rng: np.random.Generator, square: Bytes, rows: list[tuple[float, ...]], others: list[Sample]) -> None:
    """Lays a photographed die into `square` where no other lies, and adds its row."""
    other = others[rng.integers(len(others))]
    row = other.dice[rng.integers(len(other.dice))]
    size = float(np.sqrt(row[2] * row[3]))
    scale = float(np.clip(np.exp(rng.uniform(np.log(14), np.log(80))) / size, 0.25, 1.5))
    size *= scale
    spot = rng.uniform(0.5 * size, SIDE_PX - 0.5 * size, 2)
    if any(np.hypot(spot[0] - r[0], spot[1] - r[1]) < 0.62 * (size + np.sqrt(r[2] * r[3])) for r in rows):
        return
    side = int(1.7 * size) + 2
    warp = _turned(rng, other, scale, (float(row[0]), float(row[1])), side)
    patch = warped(other.picture(), warp, side, cv2.BORDER_REPLICATE)
    mask = _oval(side, 0.59 * row[2] * scale, 0.59 * row[3] * scale, warp[:, :2] / scale)
    x0, y0 = (round(v - side / 2) for v in spot)
    a, b = max(0, -x0), max(0, -y0)
    c, d = min(side, SIDE_PX - x0), min(side, SIDE_PX - y0)
    window = square[y0 + b : y0 + d, x0 + a : x0 + c]
    mask = mask[b:d, a:c, None]
    window[:] = (window * (1 - mask) + patch[b:d, a:c] * mask).astype(np.uint8)
    warp = np.column_stack([warp[:, :2], warp[:, 2] + (x0, y0)])
    rows.append(_moved(row, warp, scale))


def _oval(side: int, half_w: float, half_h: float, turn: NDArray) -> NDArray[np.float32]:
    """A soft-edged, slightly square oval in the middle of a square; `turn`: the 2x2 turn of its axes."""
    grid = np.mgrid[:side, :side].astype(np.float32) - (side - 1) / 2
    u = (turn[0, 0] * grid[1] + turn[1, 0] * grid[0]) / half_w
    v = (turn[0, 1] * grid[1] + turn[1, 1] * grid[0]) / half_h
    return np.clip((1.0 - (np.abs(u) ** 2.6 + np.abs(v) ** 2.6)) * 4, 0, 1).astype(np.float32)


def _targets(rows: list[tuple[float, ...]]) -> NDArray[np.float32]:
    grid = SIDE_PX // STRIDE_PX
    out = np.zeros((8, grid, grid), np.float32)
    out[5] = -1
    out[7] = 1
    y, x = np.mgrid[:grid, :grid].astype(np.float32)
    for px, py, bw, bh, value, seen in rows:
        inside = np.clip(min(px + bw / 2, SIDE_PX) - max(px - bw / 2, 0), 0, None) / bw
        inside *= np.clip(min(py + bh / 2, SIDE_PX) - max(py - bh / 2, 0), 0, None) / bh
        if inside <= 0:
            continue
        size = np.sqrt(bw * bh)
        gx, gy = px / STRIDE_PX - 0.5, py / STRIDE_PX - 0.5
        if inside < 0.5 or seen < 0.3 or size < 9 or size > 190:
            out[7][(np.abs(x - gx) * STRIDE_PX < bw * 0.6) & (np.abs(y - gy) * STRIDE_PX < bh * 0.6)] = 0
            continue
        sigma = max(0.7, 0.09 * size / STRIDE_PX)
        heat = np.exp(-((x - gx) ** 2 + (y - gy) ** 2) / (2 * sigma**2))
        cell = (int(np.clip(round(gy), 0, grid - 1)), int(np.clip(round(gx), 0, grid - 1)))
        heat[cell] = 1
        near = (heat > 0.4) & (heat > out[0])
        out[0] = np.maximum(out[0], heat)
        out[1][near], out[2][near] = (gx - x)[near], (gy - y)[near]
        out[3][near], out[4][near] = np.log(bw / 32), np.log(bh / 32)
        out[5][near] = value if inside > 0.98 else (0 if inside < 0.6 else -1)
        out[6][near] = 1
    return out


def _between(rng: np.random.Generator, dice: NDArray[np.float32], w: int, h: int) -> tuple[float, float, float] | None:
    """A place (x, y, size) that no die is the middle of: anywhere, or half off a die."""
    size = float(np.exp(rng.uniform(np.log(14), np.log(120))))
    at = np.array([rng.uniform(0, w), rng.uniform(0, h)])
    if len(dice):
        pick = dice[rng.integers(len(dice))]
        size = float(np.sqrt(pick[2] * pick[3]))
        if rng.random() < 0.6:
            away = rng.uniform(0, 2 * np.pi)
            at = pick[:2] + np.array([np.cos(away), np.sin(away)]) * size * rng.uniform(0.6, 1.5)
        elif rng.random() < 0.4:  # a pip, a corner: much smaller than the die
            at = pick[:2] + rng.uniform(-0.35, 0.35, 2) * size
            return float(at[0]), float(at[1]), size * float(rng.uniform(0.2, 0.4))
        for d in dice:
            if np.linalg.norm(d[:2] - at) < 0.5 * np.sqrt(d[2] * d[3]):
                return None
    return float(at[0]), float(at[1]), size


def face_samples(
    rng: np.random.Generator,
    sample: Sample,
    strong: bool,
    grounds: list[Sample],
    is_late: bool,
    has_inks: bool,
    most: int = 6,
) -> list[tuple[torch.Tensor, int]]:
    """Crops of one picture for a face reader, with their class; some dice of photographs lie on other `grounds`.

    `is_late`: once photographs are learned from, some dice take other colours too, and more mirror lamps.
    """
    h, w = sample.picture().shape[:2]
    jobs: list[tuple[float, float, float, int]] = []
    usable = sample.dice[sample.dice[:, 5] >= 0.3]
    for k in rng.permutation(len(usable))[:most]:
        cx, cy, dw, dh, value, _ = usable[k]
        size = float(np.sqrt(dw * dh))
        jobs.append((cx + rng.normal(0, 0.05) * size, cy + rng.normal(0, 0.05) * size, size, int(value)))
    for _ in range(2 if sample.source != "clutter" else 0):
        place = _between(rng, sample.dice, w, h)
        if place is not None:
            jobs.append((*place, NO_DIE))
    out = []
    for job in jobs:
        crop = crop_of(rng, sample, job)
        if 1 <= job[3] <= 6:
            if sample.source != "rendered" and grounds and rng.random() < PASTED:
                _change_ground(rng, crop, grounds)
            if is_late and rng.random() < TWO_INKS:
                crop = two_inks(rng, crop)
            if rng.random() < (LATE_GLARE if is_late else EARLY_GLARE):
                crop = glare(rng, crop)
        crop = recolour(rng, crop, strong)
        if is_late and rng.random() < SECOND_INK:
            crop = second_ink(crop)
            crop = cv2.bitwise_not(crop) if rng.random() < 0.5 else crop
        out.append((torch.from_numpy(_inked(rng, crop)) if has_inks else as_input(crop), job[3]))
    return out


def _change_ground(rng: np.random.Generator, crop: Bytes, grounds: list[Sample]) -> None:
    """Keeps the die in the middle of a crop and lays it on a piece of another picture."""
    ground = grounds[rng.integers(len(grounds))].picture()
    side = int(rng.integers(CROP_PX, 3 * CROP_PX))
    side = min(side, *ground.shape[:2])
    y, x = (int(rng.integers(n - side + 1)) for n in ground.shape[:2])
    piece = cv2.resize(ground[y : y + side, x : x + side], (CROP_PX, CROP_PX), interpolation=cv2.INTER_AREA)
    half = 0.57 * CROP_PX / CROP_REACH
    mask = _oval(CROP_PX, half, half, np.eye(2))[..., None]
    crop[:] = (piece * (1 - mask) + crop * mask).astype(np.uint8)


def crop_of(rng: np.random.Generator, sample: Sample, job: tuple[float, float, float, int]) -> Bytes:
    """A crop as the reader will cut it, but turned, shifted, of another size, slant and sharpness."""
    cx, cy, size, _ = job
    scale = CROP_PX / (CROP_REACH * size * float(np.exp(rng.normal(0, SIZE_SPREAD))))
    side = CROP_PX
    if rng.random() < 0.35 and scale < 1.5:  # as if taken from afar: cut small, then enlarged
        side = max(16, int(CROP_PX * rng.uniform(0.35, 1)))
    warp = _turned(rng, sample, scale * side / CROP_PX, (cx, cy), side)
    if rng.random() < 0.5:  # a little slant
        slant = np.eye(2) + rng.normal(0, 0.06, (2, 2))
        warp = slant @ warp
        warp[:, 2] += side / 2 - slant @ (side / 2, side / 2)
    crop = warped(sample.picture(), warp, side, cv2.BORDER_REPLICATE)
    if side != CROP_PX:
        crop = cv2.resize(crop, (CROP_PX, CROP_PX), interpolation=cv2.INTER_LINEAR)
    return crop


class Stream(IterableDataset):
    """Endless training samples: groups of pictures, each drawn with its share. `kind`: "find", "face" or "inks"."""

    def __init__(self, kind: str, groups: list[tuple[float, list[Sample]]], seed: int) -> None:
        super().__init__()
        self.kind, self.seed = kind, seed
        self.groups = [(share, samples) for share, samples in groups if samples and share > 0]

    def __iter__(self):
        """Yields (input, target) tensors."""
        cv2.setNumThreads(1)
        torch.set_num_threads(1)
        info = torch.utils.data.get_worker_info()
        rng = np.random.default_rng((self.seed, info.id if info else 0))
        shares = np.array([s for s, _ in self.groups])
        every = [s for _, samples in self.groups for s in samples]
        others = [s for s in every if s.source not in DRAWN and len(s.dice)]
        grounds = [s for s in every if s.source == "rendered"]
        pool: list[tuple[torch.Tensor, int]] = []
        while True:
            samples = self.groups[rng.choice(len(shares), p=shares / shares.sum())][1]
            sample = samples[rng.integers(len(samples))]
            strong = bool(sample.source != "rendered" or rng.random() < 0.3)
            if self.kind == "find":
                yield find_sample(rng, sample, strong, others)
                continue
            pool += face_samples(rng, sample, strong, grounds, bool(others), self.kind == "inks")
            while len(pool) > POOL:  # mixed, so that a batch is not one picture
                k = int(rng.integers(len(pool)))
                pool[k], pool[-1] = pool[-1], pool[k]
                yield pool.pop()


assert FIND_CHANNELS == 12
