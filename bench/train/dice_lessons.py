"""Lessons for the dice networks: samples, and the squares and crops cut out of them. Pictures are BGR uint8."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.drawn.dice import Label, close, photographed, scene
from bench.drawn.tables import CLUTTER, DESK, clutter, table
from bench.harness import label_lines, picture_at
from bench.train.dice_nets import STRIDE_PX
from calibration.arrays import Floats32
from vision.measure.networks import as_colours
from vision.photo.dice.face import CROP_PX, FAR, NEAR, REACH, with_inks
from vision.photo.dice.find import DiceFinder, Found
from vision.photo.dice.limits import LIMITS

Bytes = NDArray[np.uint8]
Lesson = tuple[Floats32, Floats32]
"""A network's input and its target."""

SIDE_PX = 192
CLOSE, ON_DESKS = 0.4, 0.15
"""Shares of drawn scenes seen from near, and of things on bare tables that are keys or plugs."""
DIE_PX, SCALES = (11.0, 125.0), (0.4, 2.2)
"""Sizes of dice in the finder's squares; how much a picture is shrunk or enlarged there."""
HEAT_SPREAD, HEAT_REACH = 0.06, 0.08
"""Spread and reach of the heat around a die's middle, in its sides. Cells within the reach have full heat."""
SEEN, INSIDE = 0.4, 0.35
"""Minimum share of a die that is visible, and inside the picture. Other dice count neither as dice nor as none."""
WHOLE = 0.85
"""Minimum share inside and visible for a die with a readable value; below it the class is "unreadable"."""
SHIFT, SIZE_SPREAD, ROLL = 0.05, 0.1, 0.15
"""Spreads of a crop's place, in sides of the box, of the logarithm of its size, and of its turn in radians where the
picture may not be rolled any way."""
COARSE, COARSEST = 0.4, 0.3
"""Share of crops that are reduced as if taken from afar, and the minimum share of their pixels."""
STRONG = 0.5
"""Share of crops with strongly changed colours."""
NO_DIE = 7
"""The face readers' class for other things than dice."""
ALIKE = 1.6
"""Maximum ratio of sides between a detection and the die that it shows."""
NOISE = np.random.default_rng(0).standard_normal((512, 512, 3), np.float32)
"""Noise to cut pieces from: drawing it each time would take longer than the rest together."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A picture and its dice. `can_roll`: turning the picture keeps it natural."""

    picture: Bytes
    dice: tuple[Label, ...]
    can_roll: bool
    source: str
    has_poses: bool = True


@dataclass(frozen=True, slots=True)
class DieSpot:
    """A place in a sample. `face`: class of the face readers; None: not for them. `is_die`: None counts as neither."""

    sample: Sample
    x: float
    y: float
    side_px: float
    face: int | None
    is_die: bool | None
    pose: tuple[float, float, float, float] | None = None


def drawn(seed: int) -> Sample:
    """A drawn scene."""
    rng = np.random.default_rng((seed, 3))
    one = close(rng) if rng.random() < CLOSE else scene(rng)
    return Sample(one.picture, one.labels, one.can_roll, "drawn")


def bare(seed: int) -> Sample:
    """A drawn table full of other things than dice."""
    rng = np.random.default_rng((seed, 4))
    picture, size = table(rng, 360, 360), float(rng.uniform(28, 110))
    for _ in range(rng.integers(2, 9)):
        at = (int(rng.uniform(30, 330)), int(rng.uniform(30, 330)))
        clutter(rng, picture, at, size, DESK if rng.random() < ON_DESKS else CLUTTER)
    return Sample(photographed(rng, picture), (), True, "bare")


def photographs(folder: Path, without: Sequence[str] = (), long_side_px: int = 1000) -> list[Sample]:
    """The pictures of a folder with labels.jsonl, larger ones shrunk. None without a stated licence."""
    found = []
    for line in label_lines(folder):
        if line.get("license", "none stated") in ("", "none stated") or line["source"] in without:
            continue
        picture = picture_at(folder / line["image"])
        shrink = min(1.0, long_side_px / max(picture.shape[:2]))
        small = cv2.resize(picture, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
        boxes = [(tuple(shrink * v for v in die["box"]), die["value"] or 0) for die in line["dice"]]
        dice = tuple(Label(box, value) for box, value in boxes)
        found.append(Sample(np.asarray(small, np.uint8), dice, line.get("view") == "top", line["source"], False))
    return found


# places


def spots_of(sample: Sample) -> list[DieSpot]:
    """The dice of a sample."""
    height, width = sample.picture.shape[:2]
    spots = []
    for die in sample.dice:
        x0, y0, x1, y1 = die.box
        side_px = float(np.sqrt((x1 - x0) * (y1 - y0)))
        is_cut = x0 <= 0 or y0 <= 0 or x1 >= width or y1 >= height
        if side_px > 8 and die.seen >= SEEN:
            is_clear = die.seen >= WHOLE and not is_cut
            face = die.value if is_clear or not die.value else None
            pose = die.pose if is_clear and sample.has_poses else None
            spots.append(DieSpot(sample, (x0 + x1) / 2, (y0 + y1) / 2, side_px, face, True, pose))
    return spots


def found_in(sample: Sample, finder: DiceFinder, scales: Sequence[float] = (1.0, 0.5)) -> list[DieSpot]:
    """The finder's detections in a sample, with the truth."""
    return [
        told(sample, one) for scale in scales for one in finder.look(sample.picture, scale * min(1.0, _shrunk(sample)))
    ]


def _shrunk(sample: Sample) -> float:
    return 640 / max(sample.picture.shape[:2])


def told(sample: Sample, one: Found) -> DieSpot:
    """A detection with the truth: the die that it shows, none, or neither where it touches a die of another size."""
    dice = [die for die in sample.dice if die.box[0] <= one.x <= die.box[2] and die.box[1] <= one.y <= die.box[3]]
    sides = [float(np.sqrt((d.box[2] - d.box[0]) * (d.box[3] - d.box[1]))) for d in dice]
    shows = [die for die, side in zip(dice, sides, strict=True) if 1 / ALIKE < one.side_px / max(side, 1) < ALIKE]
    is_die = True if shows else None if dice else False
    face = (shows[0].value if shows[0].seen >= WHOLE else None) if shows else None if dice else NO_DIE
    return DieSpot(sample, one.x, one.y, one.side_px, face, is_die)


# lessons


def square(rng: np.random.Generator, sample: Sample) -> Lesson:
    """A square for the finder, (3, SIDE_PX, SIDE_PX), and its targets."""
    spots = spots_of(sample)
    h, w = sample.picture.shape[:2]
    middle = rng.uniform(0, 1, 2) * (w, h)
    scale = float(np.exp(rng.uniform(*np.log(SCALES))))
    if spots and rng.random() < 0.9:
        one = spots[int(rng.integers(len(spots)))]
        scale = float(np.clip(np.exp(rng.uniform(*np.log(DIE_PX))) / one.side_px, *SCALES))
        middle = np.array([one.x, one.y]) + rng.uniform(-0.45, 0.45, 2) * SIDE_PX / scale
    warp = _warp(_turn(rng, sample.can_roll) * scale, middle, SIDE_PX)
    shown = warped(sample.picture, warp, SIDE_PX, cv2.BORDER_REPLICATE)
    dice = [(*_moved(die.box, warp, scale), die.value, die.seen) for die in sample.dice]
    return as_colours(recolour(rng, shown, sample.source != "drawn" or rng.random() < STRONG)), targets(dice)


def targets(dice: Sequence[tuple[float, float, float, float, int, float]]) -> Floats32:
    """The finder's targets for dice in its square: middle, width and height in pixels, value and visible share.

    (8, rows, columns): heat, offset x, y (cells), log w, log h, value (-1: none), mask of boxes, weight of heat. The
    warmest cells of a die weigh 1 in all. A die cut off by the edge counts by its visible part.
    """
    grid = SIDE_PX // STRIDE_PX
    down, across = np.mgrid[:grid, :grid].astype(np.float32)
    out = np.zeros((8, grid, grid), np.float32)
    out[5], out[7] = -1, 1
    for x, y, width, height, value, seen in dice:
        low = np.clip((x - width / 2, y - height / 2), 0, SIDE_PX)
        high = np.clip((x + width / 2, y + height / 2), 0, SIDE_PX)
        part = np.maximum(high - low, 0)
        inside = float(part.prod()) / max(width * height, 1e-6)
        middle = (low + high) / 2
        gx, gy = middle / STRIDE_PX - 0.5
        side = float(np.sqrt(part.prod())) / STRIDE_PX
        if inside <= 0:
            continue
        if inside < INSIDE or seen < SEEN or not 2 < side < 48:
            is_open = (abs(across - gx) < 0.6 * part[0] / STRIDE_PX) & (abs(down - gy) < 0.6 * part[1] / STRIDE_PX)
            out[7][is_open & (out[0] < 1)] = 0
            continue
        far = np.maximum(np.hypot(across - gx, down - gy) - HEAT_REACH * side, 0)
        heat = np.exp(-(far**2) / (2 * max(HEAT_SPREAD * side, 0.7) ** 2))
        heat[round(np.clip(gy, 0, grid - 1)), round(np.clip(gx, 0, grid - 1))] = 1
        mine = heat > out[0]
        near, full = mine & (heat > 0.4), mine & (heat == 1)
        out[0][mine] = heat[mine]
        for k, plane in enumerate((gx - across, gy - down, *np.log(np.maximum(part, 1) / LIMITS.unit_px))):
            out[1 + k][near] = np.broadcast_to(plane, heat.shape)[near]
        out[5][near] = value if inside > 0.98 else 0 if inside < 0.6 else -1
        out[6][near] = 1
        out[7][full] = 1 / max(int(full.sum()), 1)
    return out


def face(rng: np.random.Generator, spot: DieSpot, has_inks: bool) -> Lesson:
    """A crop for a face reader, and its class."""
    crop = _crop(rng, spot, NEAR.size)[0]
    return (with_inks if has_inks else as_colours)(crop), np.array(spot.face, np.int64)


def context(rng: np.random.Generator, spot: DieSpot) -> Lesson:
    """The surroundings of a detection from near and from afar, and whether it is a die."""
    state = rng.bit_generator.state
    crops = []
    for look in (NEAR, FAR):  # both in the same light
        rng.bit_generator.state = state
        crops.append(as_colours(_crop(rng, spot, look.size)[0]))
    return np.concatenate(crops), np.array([spot.is_die], np.float32)


def pose(rng: np.random.Generator, spot: DieSpot) -> Lesson:
    """A crop and its die's pose, (5,): normal to the right and down, log of the size, cosine and sine of four times
    the turn."""
    assert spot.pose is not None
    crop, turn, box_px = _crop(rng, spot, NEAR.size)
    right, down, side_px, turned = spot.pose
    edge = turn @ (np.cos(turned), np.sin(turned))
    fourfold = 4 * np.arctan2(edge[1], edge[0])
    want = (*(turn @ (right, down)), np.log(side_px / box_px), np.cos(fourfold), np.sin(fourfold))
    return as_colours(crop), np.array(want, np.float32)


def _crop(rng: np.random.Generator, spot: DieSpot, size: float) -> tuple[Bytes, Floats32, float]:
    """A crop as the finder might cut it, turned, mirrored and recoloured; the turn, and the box's side."""
    g = rng.standard_normal(3)
    middle = np.array([spot.x, spot.y]) + SHIFT * spot.side_px * g[:2]
    box_px = spot.side_px * float(np.exp(SIZE_SPREAD * g[2]))
    turn = _turn(rng, spot.sample.can_roll)
    warp = _warp(turn * CROP_PX / (REACH * box_px * size), middle, CROP_PX)
    crop = warped(spot.sample.picture, warp, CROP_PX, cv2.BORDER_REPLICATE)
    if rng.random() < COARSE:
        side = int(CROP_PX * rng.uniform(COARSEST, 1))
        crop = cv2.resize(cv2.resize(crop, (side, side), interpolation=cv2.INTER_AREA), (CROP_PX, CROP_PX))
    return recolour(rng, crop, rng.random() < STRONG), turn, box_px


def _turn(rng: np.random.Generator, can_roll: bool) -> Floats32:
    roll = rng.uniform(0, 2 * np.pi) if can_roll else ROLL * rng.standard_normal()
    turn = np.array([[np.cos(roll), -np.sin(roll)], [np.sin(roll), np.cos(roll)]])
    return np.asarray(turn @ np.diag([1.0 if rng.random() < 0.5 else -1.0, 1.0]))


def _warp(turn: Floats32, middle: Floats32, side: int) -> Floats32:
    return np.column_stack([turn, (side - 1) / 2 - turn @ middle])


def _moved(box: tuple[float, float, float, float], warp: Floats32, scale: float) -> tuple[float, float, float, float]:
    """Middle, width and height of a box in the square: the box of the ellipse in the old box."""
    x0, y0, x1, y1 = box
    x, y = warp[:, :2] @ ((x0 + x1) / 2, (y0 + y1) / 2) + warp[:, 2]
    width, height = np.sqrt((warp[:, :2] / scale) ** 2 @ ((x1 - x0) ** 2, (y1 - y0) ** 2)) * scale
    return float(x), float(y), float(width), float(height)


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
