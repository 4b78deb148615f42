"""Labelled pictures in memory and what the finder's training makes of them: squares and targets. BGR uint8."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch.utils.data import IterableDataset

from bench.train.dice_nets import FIND_CHANNELS, STRIDE_PX
from bench.train.dice_others import thing
from bench.train.dice_scenes import photographed
from bench.train.dice_tables import CLUTTER, DESK, clutter, table

SIDE_PX = 192
PASTED = 0.3
"""How often a photographed die is laid on another picture."""
SCENES = ("rendered", "rooms")
"""Sources that are scenes: drawn (`bench.train.dice_bank`) or path-traced (`bench.train.dice_rooms`)."""
DRAWN = (*SCENES, "cards", "clutter")
"""Sources that are no photographs of dice."""
ON_DESKS = 0.15
"""Share of the plainly drawn things on tables without dice that are keys or plugs."""
LIT = 0.6
"""Share of the tables without dice whose things are drawn with light and relief (`bench.train.dice_others`)."""
HEAT_SPREAD, HEAT_REACH = 0.06, 0.08
"""Of a die's side: cells of the finder's grid nearer than the second to a die's middle are warm in full, all alike, for
no picture tells the middle of a large die to a cell; then the heat falls with the first as its spread."""
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


def row_of(box: Sequence[float], value: int | None, seen: float) -> tuple[float, ...]:
    """A row of `Sample.dice` of a die whose box is (left, top, right, bottom)."""
    x0, y0, x1, y1 = box
    return (x0 + x1) / 2, (y0 + y1) / 2, x1 - x0, y1 - y0, value or 0, seen


def load(folder: Path, long_side_px: int = 1000) -> list[Sample]:
    """The pictures of a folder with labels.jsonl, larger ones shrunk. Pictures without a licence are left out."""
    found = []
    for text in (folder / "labels.jsonl").read_text(encoding="utf-8").splitlines():
        line = json.loads(text)
        if line.get("license", "own") in ("", "none stated"):
            continue
        jpeg = (folder / line["image"]).read_bytes()
        rows = [row_of(d["box"], d["value"], d.get("seen", 1.0)) for d in line["dice"]]
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
        is_lit = rng.random() < LIT
        for _ in range(rng.integers(2, 9)):
            at = (int(rng.uniform(30, 330)), int(rng.uniform(30, 330)))
            if is_lit:
                thing(rng, picture, at, size)
            else:
                clutter(rng, picture, at, size, DESK if rng.random() < ON_DESKS else CLUTTER)
        jpeg = cv2.imencode(".jpg", photographed(rng, picture), [cv2.IMWRITE_JPEG_QUALITY, 92])[1].tobytes()
        found.append(Sample(jpeg, np.zeros((0, 6), np.float32), True, "clutter"))
    return found


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


def as_input(picture: Bytes) -> torch.Tensor:
    """(3, H, W), RGB, -0.5 to 0.5: what the networks eat."""
    return torch.from_numpy(np.ascontiguousarray(picture[..., ::-1].transpose(2, 0, 1))).float() / 255 - 0.5


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
    if others and sample.source in DRAWN and rng.random() < PASTED:
        for _ in range(rng.integers(1, 6)):
            _lay(rng, square, rows, others)
    return as_input(recolour(rng, square, strong)), torch.from_numpy(targets(rows))


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
    mask = oval(side, 0.59 * row[2] * scale, 0.59 * row[3] * scale, warp[:, :2] / scale)
    x0, y0 = (round(v - side / 2) for v in spot)
    a, b = max(0, -x0), max(0, -y0)
    c, d = min(side, SIDE_PX - x0), min(side, SIDE_PX - y0)
    window = square[y0 + b : y0 + d, x0 + a : x0 + c]
    mask = mask[b:d, a:c, None]
    window[:] = (window * (1 - mask) + patch[b:d, a:c] * mask).astype(np.uint8)
    warp = np.column_stack([warp[:, :2], warp[:, 2] + (x0, y0)])
    rows.append(_moved(row, warp, scale))


def oval(side: int, half_w: float, half_h: float, turn: NDArray) -> NDArray[np.float32]:
    """A soft-edged, slightly square oval in the middle of a square; `turn`: the 2x2 turn of its axes."""
    grid = np.mgrid[:side, :side].astype(np.float32) - (side - 1) / 2
    u = (turn[0, 0] * grid[1] + turn[1, 0] * grid[0]) / half_w
    v = (turn[0, 1] * grid[1] + turn[1, 1] * grid[0]) / half_h
    return np.clip((1.0 - (np.abs(u) ** 2.6 + np.abs(v) ** 2.6)) * 4, 0, 1).astype(np.float32)


def targets(rows: list[tuple[float, ...]]) -> NDArray[np.float32]:
    """What the finder should say of a square with these dice: see `find_sample`. Warm cells of a die weigh 1 in all."""
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
        # of a die that the square's edge cuts off the part that is seen, as labels give it at a picture's edge
        x0, x1, y0, y1 = np.clip((px - bw / 2, px + bw / 2, py - bh / 2, py + bh / 2), 0, SIDE_PX)
        px, py, bw, bh = (x0 + x1) / 2, (y0 + y1) / 2, x1 - x0, y1 - y0
        size = np.sqrt(bw * bh)
        gx, gy = px / STRIDE_PX - 0.5, py / STRIDE_PX - 0.5
        if inside < 0.5 or seen < 0.3 or size < 9 or size > 190:
            out[7][(np.abs(x - gx) * STRIDE_PX < bw * 0.6) & (np.abs(y - gy) * STRIDE_PX < bh * 0.6)] = 0
            continue
        sigma, reach = (max(0.7, share * size / STRIDE_PX) for share in (HEAT_SPREAD, HEAT_REACH))
        heat = np.exp(-(np.maximum(np.hypot(x - gx, y - gy) - reach, 0) ** 2) / (2 * sigma**2))
        heat[int(np.clip(round(gy), 0, grid - 1)), int(np.clip(round(gx), 0, grid - 1))] = 1
        near = (heat > 0.4) & (heat > out[0])
        out[7][heat == 1] = 1 / (heat == 1).sum()
        out[0] = np.maximum(out[0], heat)
        out[1][near], out[2][near] = (gx - x)[near], (gy - y)[near]
        out[3][near], out[4][near] = np.log(bw / 32), np.log(bh / 32)
        out[5][near] = value if inside > 0.98 else (0 if inside < 0.6 else -1)
        out[6][near] = 1
    return out


class Squares(IterableDataset):
    """Endless training squares for the finder: groups of pictures, each drawn with its share."""

    def __init__(self, groups: list[tuple[float, list[Sample]]], seed: int) -> None:
        super().__init__()
        self.seed = seed
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
        while True:
            samples = self.groups[rng.choice(len(shares), p=shares / shares.sum())][1]
            sample = samples[rng.integers(len(samples))]
            strong = bool(sample.source not in SCENES or rng.random() < 0.3)
            yield find_sample(rng, sample, strong, others)


assert FIND_CHANNELS == 12
