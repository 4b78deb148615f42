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

SIDE_PX = 192
CROP_PX = 64
CROP_REACH = 1.5
"""Side of a face crop over the die's box (root of its area)."""
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
        """Decoded; photographs, which are few, stay so."""
        if self.decoded is not None:
            return self.decoded
        picture = cv2.imdecode(np.frombuffer(self.jpeg, np.uint8), cv2.IMREAD_COLOR)
        if self.source != "rendered":
            self.decoded = picture
        return picture


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
    """Drawn tables full of things that are no dice; each thing is a row of the value 7 for the face reader."""
    found = []
    for seed in range(first_seed, first_seed + count):
        rng = np.random.default_rng(seed)
        picture, size = table(rng, 360, 360), float(rng.uniform(28, 100))
        rows = []
        for _ in range(rng.integers(3, 9)):
            at = (int(rng.uniform(30, 330)), int(rng.uniform(30, 330)))
            clutter(rng, picture, at, size)
            rows += [(*at, k * size, k * size, 7, 1.0) for k in (0.6, 1.0)]
        jpeg = cv2.imencode(".jpg", photographed(rng, picture), [cv2.IMWRITE_JPEG_QUALITY, 92])[1].tobytes()
        found.append(Sample(jpeg, np.asarray(rows, np.float32), True, "clutter"))
    return found


def recolour(rng: np.random.Generator, picture: Bytes, strong: bool) -> Bytes:
    """Another camera, lamp, dye: channels swapped, hue turned, inverted, curved, noisy, blurred, compressed."""
    x = picture.astype(np.float32) * np.float32(1 / 255)
    if strong:
        if rng.random() < 0.35:
            x = np.ascontiguousarray(x[..., rng.permutation(3)])
        if rng.random() < 0.15:
            x = 1 - x
        if rng.random() < 0.35:
            mix = np.eye(3) + rng.normal(0, 0.25, (3, 3))
            x = cv2.transform(x, (mix / mix.sum(0)).T.astype(np.float32))
    if rng.random() < 0.1:
        x = np.repeat(x.mean(2, keepdims=True), 3, 2)
    x = x * (rng.uniform(0.6, 1.3) * (1 + rng.normal(0, 0.07, 3))).astype(np.float32) + np.float32(rng.normal(0, 0.05))
    curve = (np.linspace(0, 1, 256) ** np.exp(rng.normal(0, 0.25))).astype(np.float32)
    x = curve[np.clip(x * 255, 0, 255).astype(np.uint8)]
    if rng.random() < 0.3:
        x = cv2.GaussianBlur(x, (0, 0), rng.uniform(0.3, 1.3))
    elif rng.random() < 0.1:
        x = x + rng.uniform(0.3, 1) * (x - cv2.GaussianBlur(x, (0, 0), 1.0))
    if rng.random() < 0.3:
        x = x + rng.standard_normal(x.shape, np.float32) * rng.uniform(0.005, 0.04)
    out = np.clip(x * 255, 0, 255).astype(np.uint8)
    if rng.random() < 0.15:
        out = cv2.imdecode(cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(30, 80))])[1], 1)
    return out


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


def find_sample(rng: np.random.Generator, sample: Sample, strong: bool) -> tuple[torch.Tensor, torch.Tensor]:
    """A training square for the finder and its targets (8, rows, columns): the last is the heat's weight.

    Target channels: heat, offset x, y (cells), log w, log h (of px / 32), value (-1: none), mask of boxes,
    weight of heat.
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
    if scale < 0.7:  # first by whole pixels' areas, so that nothing flickers
        shrink = scale / 0.8
        picture = cv2.resize(picture, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
        to_small = np.array([[1 / shrink, 0], [0, 1 / shrink]])
        small_warp = np.column_stack([warp[:, :2] @ to_small, warp[:, 2]])
    else:
        small_warp = warp
    fill = cv2.BORDER_CONSTANT if rng.random() < 0.5 else cv2.BORDER_REPLICATE
    square = cv2.warpAffine(
        picture,
        small_warp,
        (SIDE_PX, SIDE_PX),
        flags=cv2.INTER_LINEAR,
        borderMode=fill,
        borderValue=rng.integers(0, 255, 3).tolist(),
    )
    return as_input(recolour(rng, square, strong)), torch.from_numpy(_targets(dice, warp, scale))


def _targets(dice: NDArray[np.float32], warp: NDArray, scale: float) -> NDArray[np.float32]:
    grid = SIDE_PX // STRIDE_PX
    out = np.zeros((8, grid, grid), np.float32)
    out[5] = -1
    out[7] = 1
    y, x = np.mgrid[:grid, :grid].astype(np.float32)
    a = np.abs(warp[:, :2]) / scale
    for cx, cy, dw, dh, value, seen in dice:
        px, py = warp[:, :2] @ (cx, cy) + warp[:, 2]
        bw, bh = np.sqrt((a**2) @ np.array([dw**2, dh**2])) * scale  # the box of the ellipse in the old box
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
    rng: np.random.Generator, sample: Sample, strong: bool, most: int = 6
) -> list[tuple[torch.Tensor, int]]:
    """Crops of one picture for the face reader, with their class."""
    picture = sample.picture()
    h, w = picture.shape[:2]
    jobs: list[tuple[float, float, float, int]] = []
    usable = sample.dice[sample.dice[:, 5] >= 0.3]
    for k in rng.permutation(len(usable))[:most]:
        cx, cy, dw, dh, value, _ = usable[k]
        size = float(np.sqrt(dw * dh))
        jobs.append((cx + rng.normal(0, 0.05) * size, cy + rng.normal(0, 0.05) * size, size, int(value)))
    for _ in range(2):
        place = _between(rng, sample.dice, w, h)
        if place is not None:
            jobs.append((*place, 7))
    return [(as_input(crop_of(rng, picture, sample, job, strong)), job[3]) for job in jobs]


def crop_of(
    rng: np.random.Generator, picture: Bytes, sample: Sample, job: tuple[float, float, float, int], strong: bool
) -> Bytes:
    """A crop as the reader will cut it, but turned, shifted, of another size, sharpness and colour."""
    cx, cy, size, _ = job
    scale = CROP_PX / (CROP_REACH * size * float(np.exp(rng.normal(0, 0.1))))
    grow = 1.0
    if rng.random() < 0.35:  # as if taken from afar: cut small, then enlarged
        grow = float(rng.uniform(0.4, 1)) if scale < 1.5 else 1.0
    side = max(16, int(CROP_PX * grow))
    warp = _turned(rng, sample, scale * side / CROP_PX, (cx, cy), side)
    if scale * side / CROP_PX < 0.7:
        reach = 1.2 * CROP_REACH * size
        x0, y0 = max(0, int(cx - reach)), max(0, int(cy - reach))
        part = picture[y0 : int(cy + reach) + 1, x0 : int(cx + reach) + 1]
        if part.size:
            shrink = scale * side / CROP_PX / 0.8
            picture = cv2.resize(part, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
            a = warp[:, :2] / shrink
            warp = np.column_stack([a, warp[:, :2] @ (x0, y0) + warp[:, 2]])
    crop = cv2.warpAffine(picture, warp, (side, side), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    if side != CROP_PX:
        crop = cv2.resize(crop, (CROP_PX, CROP_PX), interpolation=cv2.INTER_LINEAR)
    return recolour(rng, crop, strong)


class Stream(IterableDataset):
    """Endless training samples: groups of pictures, each drawn with its share. `kind` is "find" or "face"."""

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
        pool: list[tuple[torch.Tensor, int]] = []
        while True:
            samples = self.groups[rng.choice(len(shares), p=shares / shares.sum())][1]
            sample = samples[rng.integers(len(samples))]
            strong = bool(sample.source != "rendered" or rng.random() < 0.3)
            if self.kind == "find":
                yield find_sample(rng, sample, strong)
                continue
            pool += face_samples(rng, sample, strong)
            while len(pool) > 64:  # mixed, so that a batch is not one picture
                k = int(rng.integers(len(pool)))
                pool[k], pool[-1] = pool[-1], pool[k]
                yield pool.pop()


assert FIND_CHANNELS == 12
