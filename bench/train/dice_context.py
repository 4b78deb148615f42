"""Makes the network that tells by what lies about a find whether it is a die.

    python -m bench.train.dice_context --photos DIR --bank DIR [--bank DIR ...] [--hard] [--begin FILE.pt] -o FILE.onnx

It learns from what the package's finder finds in banks of rendered scenes (`bench.train.dice_bank`,
`bench.train.dice_rooms`), in drawn tables without dice, in photographs of cards and, with `--with-photos`, of dice;
with `--hard` only from finds that face readers and finder leave open. `--begin`: weights (a .pt file that an earlier
run left beside its FILE.onnx) to go on from.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click
import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from bench.train.dice_data import Sample, draw_clutter, load, load_empty, recolour, warped
from bench.train.dice_nets import Context
from bench.train.nets import export
from vision.dice_face import CROP_PX, REACH, FaceReader
from vision.dice_find import DiceFinder, Found

Bytes = NDArray[np.uint8]

REACHES = (REACH, 3 * REACH)
"""Sides of the two crops in sides of the find, as `vision.dice_context` cuts them."""
BATCH, RATE, DECAY, SMOOTHED = 128, 1.5e-3, 0.02, 0.01
CLUTTER, CLUTTER_SEED = 1200, 2_800_000
SAME, SAME_SIZE = 0.3, (0.68, 1.45)
"""A find whose middle is no farther from a die's, in its sides, and so large in them is that die."""
NEAR, NEAR_SIZE = 0.5, (0.5, 1.9)
"""One that is nearer than this, and about as large, is neither a die nor none."""
LEAST_SEEN = 0.5
LEAST_HOPE, PLAIN_HEAT, PLAIN_FACE = 0.3, 0.9, 0.02
"""Hard finds: hopeful by finder and face readers together, and not plain by both."""
SIZE_SPREAD, SHIFT, SLANT = 0.10, 0.05, 0.05
COARSE, COARSEST = 0.4, 16 / 43
"""How often the near crop is as if taken from afar, and how coarse at most."""
RECOLOURED, STRONGLY = 0.6, 0.15
SHARES = {"dice": 0.44, "rendered": 0.30, "clutter": 0.18, "cards": 0.08}
"""Shares of crops of dice, and of what is none in rendered scenes, drawn tables and photographs of cards."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """A find of a picture and whether it is a die."""

    sample: Sample
    x: float
    y: float
    side_px: float
    is_die: bool


def lessons_of(sample: Sample, finder: DiceFinder, faces: FaceReader | None) -> Iterator[Lesson]:
    """The finds of a picture of which it is known what they are; with `faces` the hard ones only."""
    picture = sample.picture()
    found = finder.find(picture)
    if faces is not None and found:
        no_die = faces.look(picture, found)[:, 7]
        found = [one for one, none in zip(found, no_die, strict=True) if _is_hard(one, float(none))]
    for one in found:
        told = _is_die(one, sample)
        if told is not None:
            yield Lesson(sample, one.x, one.y, one.side_px, told)


def _is_hard(one: Found, no_die: float) -> bool:
    is_plain = one.heat > PLAIN_HEAT and no_die < PLAIN_FACE
    return (one.heat * (1 - no_die)) ** 0.5 > LEAST_HOPE and not is_plain


def _is_die(one: Found, sample: Sample) -> bool | None:
    told: bool | None = False
    for x, y, width, height, _, seen in sample.dice.tolist():
        side = (width * height) ** 0.5
        away, size = float(np.hypot(x - one.x, y - one.y)) / side, one.side_px / side
        if away < SAME and SAME_SIZE[0] < size < SAME_SIZE[1]:
            return True if seen >= LEAST_SEEN else None
        if away < NEAR and NEAR_SIZE[0] < size < NEAR_SIZE[1]:
            told = None
    return told


def crops_of(rng: np.random.Generator, lesson: Lesson) -> Bytes:
    """Both crops side by side, (CROP_PX, 2 CROP_PX, 3) BGR, turned, shifted, and as other cameras see them."""
    side = lesson.side_px * float(np.exp(rng.normal(0, SIZE_SPREAD)))
    at = np.array([lesson.x, lesson.y]) + rng.normal(0, SHIFT, 2) * side - 0.5
    can_roll = lesson.sample.can_roll and rng.random() < 0.8
    angle = rng.uniform(0, 2 * np.pi) if can_roll else rng.normal(0, 0.1)
    flip = -1.0 if rng.random() < 0.5 else 1.0
    slant = np.eye(2) + (SLANT * rng.normal(size=(2, 2)) if rng.random() < 0.5 else 0)
    turn = slant @ np.array([[np.cos(angle) * flip, -np.sin(angle)], [np.sin(angle) * flip, np.cos(angle)]])
    crops = []
    for reach in REACHES:
        warp = turn * CROP_PX / (reach * side)
        moved = np.column_stack([warp, CROP_PX / 2 - 0.5 - warp @ at])
        crops.append(warped(lesson.sample.picture(), moved, CROP_PX, cv2.BORDER_REPLICATE))
    if rng.random() < COARSE:
        small = max(16, int(CROP_PX * np.exp(rng.uniform(np.log(COARSEST), 0))))
        coarse = cv2.resize(crops[0], (small, small), interpolation=cv2.INTER_AREA)
        crops[0] = np.asarray(cv2.resize(coarse, (CROP_PX, CROP_PX)), np.uint8)
    both = np.hstack(crops)
    return recolour(rng, both, bool(rng.random() < STRONGLY)) if rng.random() < RECOLOURED else both


def as_batch(pairs: list[Bytes]) -> Tensor:
    """(n, 6, CROP_PX, CROP_PX), as `vision.dice_context.crops_of` makes it."""
    colours = np.stack(pairs)[..., ::-1].astype(np.float32) / 255 - 0.5
    both = np.concatenate([colours[:, :, :CROP_PX], colours[:, :, CROP_PX:]], axis=3)
    return torch.from_numpy(np.ascontiguousarray(both.transpose(0, 3, 1, 2)))


def lots_of(lessons: list[Lesson]) -> list[tuple[float, list[Lesson]]]:
    """The lessons by what they are, each lot with its share."""
    lots: dict[str, list[Lesson]] = {name: [] for name in SHARES}
    for lesson in lessons:
        name = "dice" if lesson.is_die else lesson.sample.source
        lots[name if name in lots else "rendered"].append(lesson)
    return [(SHARES[name], lot) for name, lot in lots.items() if lot]


def train(net: Context, lessons: list[Lesson], steps: int) -> nn.Module:
    """Trains with one cycle of the rate; returns the running mean of the weights."""
    torch.manual_seed(0)
    rng, lots = np.random.default_rng(5), lots_of(lessons)
    shares = np.array([share for share, _ in lots])
    net = net.train().to(memory_format=torch.channels_last)
    mean = copy.deepcopy(net).eval()
    optimizer = torch.optim.AdamW(net.parameters(), lr=RATE, weight_decay=DECAY)
    cycle = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=RATE, total_steps=steps, pct_start=0.15)
    slow, fast = ([t for t in n.state_dict().values() if t.dtype.is_floating_point] for n in (mean, net))
    for step in range(steps):
        which = rng.choice(len(lots), BATCH, p=shares / shares.sum())
        picked = [lots[k][1][rng.integers(len(lots[k][1]))] for k in which]
        x = as_batch([crops_of(rng, lesson) for lesson in picked])
        want = torch.tensor([SMOOTHED + (1 - 2 * SMOOTHED) * lesson.is_die for lesson in picked])
        loss = functional.binary_cross_entropy_with_logits(net(x.to(memory_format=torch.channels_last))[:, 0], want)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimizer.step()
        cycle.step()
        if step % 5 == 0:
            keep = min(0.998, (1 + step) / (10 + step)) ** 5
            with torch.no_grad():
                torch._foreach_lerp_(slow, fast, 1 - keep)
        if step % 200 == 0:
            click.echo(f"step {step} of {steps}: loss {float(loss.detach()):.4f}")
    return mean


@click.command()
@click.option("--photos", type=click.Path(path_type=Path, exists=True), required=True)
@click.option("--bank", "banks", type=click.Path(path_type=Path, exists=True), multiple=True, required=True)
@click.option("--with-photos", is_flag=True, help="Learn from the licensed photographs of dice too.")
@click.option("--hard", is_flag=True)
@click.option("--steps", default=6000)
@click.option("--begin", type=click.Path(path_type=Path, exists=True))
@click.option("-o", "--out", type=click.Path(path_type=Path), required=True)
def main(
    photos: Path, banks: tuple[Path, ...], with_photos: bool, hard: bool, steps: int, begin: Path | None, out: Path
) -> None:
    """Trains, and writes FILE.onnx with its weights beside it."""
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    samples = [s for folder in banks for s in load(folder)]
    samples += [*draw_clutter(CLUTTER, CLUTTER_SEED), *load_empty(photos), *(load(photos) if with_photos else [])]
    finder, faces = DiceFinder(), FaceReader() if hard else None
    lessons = [lesson for sample in samples for lesson in lessons_of(sample, finder, faces)]
    click.echo(f"{len(lessons)} finds, {sum(lesson.is_die for lesson in lessons)} of them dice")
    net = Context()
    if begin is not None:
        net.load_state_dict(torch.load(begin))
    trained = train(net, lessons, steps)
    torch.save(trained.state_dict(), out.with_suffix(".pt"))
    export(trained, (6, CROP_PX, CROP_PX), out)


if __name__ == "__main__":
    main()
