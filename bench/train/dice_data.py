"""Labelled pictures in memory, tables without dice, and changes of light and camera. BGR uint8."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray

from bench.train.dice_others import thing
from bench.train.dice_scenes import photographed
from bench.train.dice_tables import CLUTTER, DESK, clutter, table

ON_DESKS = 0.15
"""Share of the plainly drawn things on tables without dice that are keys or plugs."""
LIT = 0.6
"""Share of the tables without dice whose things are drawn with light and relief (`bench.train.dice_others`)."""
NOISE = np.random.default_rng(0).standard_normal((512, 512, 3), np.float32)
"""Noise to cut pieces from: drawing it each time would take longer than the rest together."""
Bytes = NDArray[np.uint8]


@dataclass(slots=True)
class Sample:
    """A labelled picture, still JPEG. `dice` rows: centre x, y, width, height, value, seen."""

    jpeg: bytes
    dice: NDArray[np.float32]
    can_roll: bool
    source: str
    name: str = field(default="")

    def picture(self) -> Bytes:
        """Decoded."""
        return np.asarray(cv2.imdecode(np.frombuffer(self.jpeg, np.uint8), cv2.IMREAD_COLOR), np.uint8)


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


def draw_clutter(count: int, first_seed: int = 2_000_000) -> list[Sample]:
    """Drawn tables full of other things than dice."""
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
    """(3, H, W), RGB, -0.5 to 0.5: the networks' input."""
    return torch.from_numpy(np.ascontiguousarray(picture[..., ::-1].transpose(2, 0, 1))).float() / 255 - 0.5


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
