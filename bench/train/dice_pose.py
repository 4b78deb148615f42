"""Trains the pose network of dice: `python -m bench.train.dice_pose --bank DIR [--bank DIR ...] -o
vision/models/dice_pose.onnx`.

Banks are folders of rendered scenes with the pose of each die in the labels (`bench.train.dice_bank`,
`bench.train.dice_rooms`), some made with a larger `LEANING` of `bench.train.dice_scenes`. Photographs do not have such
labels, so none are used here.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import click
import cv2
import numpy as np
import torch
from torch import Tensor, nn

from bench.train.dice_data import Bytes, as_input, recolour, warped
from bench.train.dice_nets import Pose, pose_loss
from bench.train.nets import export, trained
from vision.photo.dice.face import CROP_PX, REACH
from vision.photo.dice.find import Floats

LEAST_PX, LEAST_SEEN = 13.0, 0.75
"""Minimum side and visible share. Smaller and more covered dice, and those cut by the picture's edge, are left out."""
SHIFT, SIZE_SPREAD, ROLL = 0.05, 0.1, 0.15
"""Spreads of a crop's place, in sides of the box, of the logarithm of its size, and of its turn in radians where the
picture may not be rolled any way."""
COARSE, COARSEST = 0.4, 0.3
"""How often a crop is as if taken from afar, and at which share of its pixels at least."""
STRONG = 0.5
"""How often colours are changed a lot."""
LEANING = 0.12
"""Share of leaning dice in a batch, in addition to random ones."""
BATCH, RATE, DECAY = 96, 2e-3, 0.02


@dataclass(frozen=True, slots=True)
class Lying:
    """A die of a picture, in pixels, and its pose: see `bench.train.dice_solid.pose_of`."""

    picture: Bytes
    x: float
    y: float
    box_px: float
    pose: tuple[float, float, float, float]
    can_roll: bool


Bank = tuple[list[Lying], list[Lying]]
"""All dice of a folder, and its leaning dice."""


def load(folder: Path) -> Bank:
    """The dice of a folder."""
    every: list[Lying] = []
    leaning: list[Lying] = []
    for text in (folder / "labels.jsonl").read_text(encoding="utf-8").splitlines():
        line = json.loads(text)
        if not line["dice"]:
            continue
        picture = np.asarray(cv2.imread(str(folder / line["image"])), np.uint8)
        height, width = picture.shape[:2]
        for die in line["dice"]:
            x0, y0, x1, y1 = die["box"]
            box_px = float(np.sqrt((x1 - x0) * (y1 - y0)))
            is_cut = x0 <= 0 or y0 <= 0 or x1 >= width or y1 >= height
            if box_px < LEAST_PX or die["seen"] < LEAST_SEEN or is_cut:
                continue
            one = Lying(picture, (x0 + x1) / 2, (y0 + y1) / 2, box_px, tuple(die["pose"]), line["can_roll"])
            every.append(one)
            if not die["value"]:
                leaning.append(one)
    return every, leaning


def lesson(rng: np.random.Generator, die: Lying) -> tuple[Tensor, Floats]:
    """A crop as the finder might cut it, turned, mirrored and recoloured, and its target, (5,)."""
    g = rng.standard_normal(4)
    middle = np.array([die.x, die.y]) + SHIFT * die.box_px * g[:2]
    box_px = die.box_px * float(np.exp(SIZE_SPREAD * g[2]))
    roll = rng.uniform(0, 2 * np.pi) if die.can_roll else ROLL * g[3]
    turn = np.array([[np.cos(roll), -np.sin(roll)], [np.sin(roll), np.cos(roll)]])
    turn = turn @ np.diag([1.0 if rng.random() < 0.5 else -1.0, 1.0])
    normal_x, normal_y, side_px, turned = die.pose
    edge = turn @ (np.cos(turned), np.sin(turned))
    fourfold = 4 * np.arctan2(edge[1], edge[0])
    want = (*(turn @ (normal_x, normal_y)), np.log(side_px / box_px), np.cos(fourfold), np.sin(fourfold))
    warp = turn * CROP_PX / (REACH * box_px)
    warp = np.column_stack([warp, (CROP_PX - 1) / 2 - warp @ middle])
    crop = warped(die.picture, warp, CROP_PX, cv2.BORDER_REPLICATE)
    if rng.random() < COARSE:
        side = int(CROP_PX * rng.uniform(COARSEST, 1))
        crop = cv2.resize(cv2.resize(crop, (side, side), interpolation=cv2.INTER_AREA), (CROP_PX, CROP_PX))
    return as_input(recolour(rng, crop, rng.random() < STRONG)), np.array(want, np.float32)


def batches(rng: np.random.Generator, banks: list[Bank]) -> tuple[Tensor, Tensor]:
    """A batch with equal parts of each bank: crops (BATCH, 3, CROP_PX, CROP_PX) and targets (BATCH, 5)."""
    lessons = []
    for _ in range(BATCH):
        every, leaning = banks[int(rng.integers(len(banks)))]
        lot = leaning if leaning and rng.random() < LEANING else every
        lessons.append(lesson(rng, lot[int(rng.integers(len(lot)))]))
    crops, wants = zip(*lessons, strict=True)
    return torch.stack(crops), torch.from_numpy(np.stack(wants))


def taught(net: nn.Module, banks: list[Bank], steps: int) -> nn.Module:
    """The network after `steps` batches."""
    torch.manual_seed(0)
    rng = np.random.default_rng(5)
    every = (batches(rng, banks) for _ in range(steps))
    return trained(net.train(), every, steps, pose_loss, rate=RATE, decay=DECAY, name="pose")


@click.command()
@click.option("--bank", "folders", type=click.Path(path_type=Path, exists=True), multiple=True, required=True)
@click.option("--steps", default=10_000)
@click.option("-o", "--out", type=click.Path(path_type=Path), required=True)
def main(folders: tuple[Path, ...], steps: int, out: Path) -> None:
    """Writes the network."""
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    banks = [load(folder) for folder in folders]
    click.echo(f"dice of each bank, and those that lean: {[(len(every), len(leaning)) for every, leaning in banks]}")
    export(taught(Pose(), banks, steps), (3, CROP_PX, CROP_PX), out, bits=8)


if __name__ == "__main__":
    main()
