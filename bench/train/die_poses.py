"""Trains the network that compares a die's possible poses with the picture: `python -m bench.train.die_poses -o
vision/models/die_poses.onnx`.

Its lessons are dice at the rims of drawn tables, and of the labelled pictures of a folder. For each die the network
gives every likely pose a log likelihood. With the costs of edges and footprint it learns to be the highest for the true
pose. Training varies light, color, glare, sharpness, noise and the drawing's place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import click
import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from bench.train.dice_nets import Residual, conv
from bench.train.die_poses_lessons import RimDie, of_camera, of_picture
from bench.train.nets import Draws, by_steps, export, soft, trained
from vision.tables.eyes.pose_net import SIDE

BATCH, RATE, DECAY, KEPT, SMOOTHED = 24, 2e-3, 0.05, 0.995, 0.01
OFTEN = 2
"""A labelled picture teaches this often, a drawn table once."""
ALIKE_MM = 0.4
"""Two poses whose corners are off by this are about equally right."""
GAIN, TINT, GAMMA, SLOPE = 0.35, 0.08, 0.25, 0.1
"""Standard deviations of changes of the light, logarithms; and of its fall across a patch."""
GLARED, BLURRED, SHARPENED, MOVED = 0.5, 0.5, 0.15, 0.7
"""Shares of dice with saturated light, with a blurred or a sharpened picture, and with a drawing that is moved."""
MOST_BLUR_PX, MOVED_PX, MOST_NOISE = 1.8, 0.25, 0.03


class RimPoseNet(nn.Module):
    """(N, 7, SIDE, SIDE) -> the log likelihood of each pose (N, 1)."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            conv(7, 20, 2), Residual(20), conv(20, 36, 2), Residual(36), conv(36, 56, 2), Residual(56)
        )
        self.squeeze, self.drop, self.head = nn.Conv2d(56, 32, 1), nn.Dropout(0.2), nn.Linear(32 * (SIDE // 8) ** 2, 1)

    def forward(self, x: Tensor) -> Tensor:
        """The log likelihood of each pose, up to a constant for each die."""
        return self.head(self.drop(functional.relu(self.squeeze(self.body(x))).flatten(1)))


class PatchChanges(Draws):
    """Random changes of one die's patches, the same in all its poses."""

    def of(self, patches: Tensor) -> Tensor:
        """The patches (K, 7, SIDE, SIDE), changed."""
        if self._is(0.5):
            patches = patches.flip(2)
        light, drawn = patches[:, :3], patches[:, 3:]
        light = light[:, torch.randperm(3, generator=self.random)]
        light = light * torch.exp(GAIN * self._normal((1,)) + TINT * self._normal((3,)))[:, None, None]
        brightest = light.quantile(0.98).clamp(min=0.05)
        light = brightest * (light / brightest).clamp(0, 4) ** float(torch.exp(GAMMA * self._normal((1,))))
        if self._is(GLARED):
            light = light.clamp(max=float(light.quantile(float(self._uniform((1,), 0.65, 1.0)))))
        across = torch.linspace(-1, 1, SIDE)
        fall = SLOPE * self._normal((2,))
        light = light * (1 + fall[0] * across[:, None] + fall[1] * across)
        if self._is(BLURRED):
            light = soft(light, float(self._uniform((1,), 0.3, MOST_BLUR_PX)))
        elif self._is(SHARPENED / (1 - BLURRED)):
            light = light + float(self._uniform((1,), 0.2, 0.7)) * (light - soft(light, 0.7))
        light = light + float(self._uniform((1,), 0, MOST_NOISE)) * self._normal(light.shape)
        if self._is(MOVED):
            turn = torch.eye(2, 3).repeat(len(drawn), 1, 1)
            turn[:, :, 2] = MOVED_PX * self._normal((2,)) * 2 / SIDE
            grid = functional.affine_grid(turn, list(drawn.shape), align_corners=False)
            drawn = functional.grid_sample(drawn, grid, padding_mode="border", align_corners=False)
        paper = torch.stack([_paper(one, top) for one, top in zip(light, drawn[:, 0], strict=True)])
        return torch.cat([light / paper.clamp(min=0.05)[:, :, None, None], drawn], dim=1)

    def _is(self, share: float) -> bool:
        return float(self._uniform((1,))) < share


def _paper(light: Tensor, top: Tensor) -> Tensor:
    """The median (3,) of a top's light."""
    seen = light[:, top > 0.9]
    return seen.median(dim=1).values if seen.numel() else light.amax(dim=(1, 2))


Batch = tuple[Tensor, list[tuple[Tensor, Tensor]]]


def batches(lessons: Sequence[RimDie], rng: np.random.Generator) -> Iterator[Batch]:
    """Endless batches: the patches of all poses; for each die the costs of its poses (K,) and how right each is (K,),
    sum 1."""
    changes = PatchChanges(int(rng.integers(2**31)), "cpu")
    while True:
        mine = [lessons[i] for i in rng.integers(0, len(lessons), BATCH)]
        right = [torch.softmax(torch.from_numpy(-np.square(one.off_mm / ALIKE_MM)).float(), 0) for one in mine]
        shown = [changes.of(torch.from_numpy(one.patches)) for one in mine]
        costs = [torch.from_numpy(one.costs).float() for one in mine]
        smooth = [(1 - SMOOTHED) * share + SMOOTHED / len(share) for share in right]
        yield torch.cat(shown), list(zip(costs, smooth, strict=True))


def loss_of(said: Tensor, dice: list[tuple[Tensor, Tensor]]) -> Tensor:
    """The mean cross entropy of the dice."""
    told = said[:, 0].split([len(right) for _, right in dice])
    pairs = zip(told, dice, strict=True)
    return -torch.stack(
        [(right * functional.log_softmax(mine - costs, 0)).sum() for mine, (costs, right) in pairs]
    ).mean()


@click.command(help=__doc__)
@click.option("--pictures", type=click.Path(path_type=Path), help="A folder of labelled pictures.")
@click.option("--cameras", default=130, show_default=True, help="Drawn cameras; each sees four tables.")
@click.option("--steps", default=3000, show_default=True)
@click.option("--seed", default=1, show_default=True)
@click.option("-o", "--out", type=click.Path(path_type=Path), required=True)
def main(pictures: Path | None, cameras: int, steps: int, seed: int, out: Path) -> None:
    """Draws, trains and writes."""
    labelled = sorted(pictures.glob("*.jpg")) if pictures else []
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as drawers:
        taught_by = [*drawers.map(of_camera, range(cameras)), *drawers.map(of_picture, labelled * OFTEN)]
    lessons = [lesson for mine in taught_by for lesson in mine]
    click.echo(f"{len(lessons)} dice")
    net = taught(lessons, steps, seed)
    export(net, (7, SIDE, SIDE), out)


def taught(lessons: Sequence[RimDie], steps: int, seed: int) -> RimPoseNet:
    """The network after `steps` batches."""
    torch.manual_seed(seed)
    given = batches(lessons, np.random.default_rng(seed))
    return trained(RimPoseNet(), given, by_steps(steps), loss_of, rate=RATE, decay=DECAY, name="die poses", kept=KEPT)


if __name__ == "__main__":
    main()
