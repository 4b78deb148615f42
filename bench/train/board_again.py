"""Trains the network that judges doubtful spots again: `python -m bench.train.board_again --boards DIR ... -o
board_again.onnx`.

`--boards` has path-traced race boards with exact labels (NAME.jpg, NAME.json). For a spot and a color the network gets
three pictures: the spot, other spots with the same print, and a marker of that color elsewhere on the board. Training
swaps colors and varies light, place and sharpness. So the network learns to compare instead of memorising boards.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import click
import cv2
import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from bench.harness import labels_in
from bench.train.board_again_data import SpotCuts, of_picture
from bench.train.dice_nets import Residual, conv
from bench.train.nets import by_steps, export, trained

SIDE = 41
BATCH, RATE, DECAY, SMOOTHED, KEPT = 512, 2e-3, 0.05, 0.01, 0.998
MARKERS = 0.7
"""Share of markers among the examples; the rest are not markers."""
ALONE = 0.12
"""Share of examples without a known marker of the color elsewhere."""
SWAPPED, RAMPED, COARSE, COARSEST, GLARED = 0.5, 0.4, 0.35, 0.45, 0.15


class MarkerNet(nn.Module):
    """(N, 9, SIDE, SIDE) with values 0 to 1 -> log odds of a marker on the spot (N, 1)."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            conv(9, 24, 2), Residual(24), conv(24, 48, 2), Residual(48), conv(48, 80, 2), Residual(80)
        )
        self.squeeze, self.drop, self.head = nn.Conv2d(80, 48, 1), nn.Dropout(0.2), nn.Linear(48 * 36, 1)

    def forward(self, x: Tensor) -> Tensor:
        """The log odds of each spot."""
        return self.head(self.drop(functional.relu(self.squeeze(self.body(x))).flatten(1)))


class Pairs:
    """All pairs of spots and colors on one device."""

    def __init__(self, pictures: Sequence[SpotCuts], device: str) -> None:
        self.shown = torch.from_numpy(np.concatenate([one.shown for one in pictures])).to(device)
        self.alike = torch.from_numpy(np.concatenate([one.alike for one in pictures])).to(device)
        first = np.cumsum([0, *(len(one.shown) for one in pictures)])
        told = [
            (start + pair.spot, [start + k for k in one.markers[pair.color] if k != pair.spot], pair)
            for start, one in zip(first.tolist(), pictures, strict=False)
            for pair in one.pairs
        ]
        self.own = np.array([spot for spot, _, _ in told])
        self.like = [like for _, like, _ in told]
        self.is_marker = np.array([pair.is_marker for _, _, pair in told])
        weights = np.array([pair.weight for _, _, pair in told])
        weights[self.is_marker] *= MARKERS * weights[~self.is_marker].sum() / weights[self.is_marker].sum()
        self.often, self.device = np.cumsum(weights / weights.sum()), device

    def batch(self, rng: np.random.Generator) -> tuple[Tensor, Tensor]:
        """The pictures (BATCH, 3, 3, SIDE, SIDE): spot, print, marker; and whether each spot has the marker
        (BATCH,)."""
        some = np.searchsorted(self.often, rng.random(BATCH)).clip(max=len(self.own) - 1)
        like = [int(rng.choice(self.like[k])) if self.like[k] and rng.random() > ALONE else -1 for k in some.tolist()]
        own, of = torch.from_numpy(self.own[some]).to(self.device), torch.tensor(like, device=self.device)
        marker = self.shown[of.clamp(min=0)] * (of >= 0)[:, None, None, None]
        shown = torch.stack([self.shown[own], self.alike[own], marker], 1).permute(0, 1, 4, 2, 3)
        return shown.float() / 255, torch.from_numpy(self.is_marker[some]).float().to(self.device)


def varied(x: Tensor, rng: np.random.Generator) -> Tensor:
    """The pictures (N, 3, 3, SIDE, SIDE) in other colors and light, turned, moved, and through other cameras."""
    n, device = len(x), x.device

    def some(share: float) -> Tensor:
        return torch.rand(n, 1, 1, 1, 1, device=device) < share

    def spread(by: float, *of: int) -> Tensor:
        return by * torch.randn(n, *of, 1, 1, device=device)

    swaps = torch.stack([torch.randperm(3, device=device) for _ in range(n)])
    swaps = torch.where(torch.rand(n, 1, device=device) < SWAPPED, swaps, torch.arange(3, device=device)[None])
    x = torch.gather(x, 2, swaps[:, None, :, None, None].expand_as(x))
    x = torch.rot90(x, int(rng.integers(4)), (3, 4))
    x = torch.where(some(0.5), x.flip(4), x)
    turn, size, right, down = (by * torch.randn(n, device=device) for by in (0.03, 0.03, 0.03, 0.03))
    cos, sin = turn.cos() * (1 + size), turn.sin() * (1 + size)
    affine = torch.stack([torch.stack([cos, -sin, right], 1), torch.stack([sin, cos, down], 1)], 1)
    grid = functional.affine_grid(affine, [n, 3, SIDE, SIDE], align_corners=False)
    own = functional.grid_sample(x[:, 0], grid, "bilinear", "border", align_corners=False)
    own, alike, like = own[:, None], x[:, 1:2], x[:, 2:]
    x = torch.cat(
        [
            own * (1 + spread(0.05, 1, 1)) * (1 + spread(0.02, 1, 3)),
            alike,
            like * (1 + spread(0.06, 1, 1)) * (1 + spread(0.02, 1, 3)),
        ],
        1,
    )
    x = x * (1 + spread(0.08, 1, 3)) * (0.75 + 0.4 * torch.rand(n, 1, 1, 1, 1, device=device))
    line = torch.linspace(-1, 1, SIDE, device=device)
    ramp = 1 + spread(0.1, 3, 1) * line[:, None] + spread(0.1, 3, 1) * line
    x = torch.where(some(RAMPED), x * ramp, x)
    small = functional.interpolate(
        x.flatten(1, 2), scale_factor=rng.uniform(COARSEST, 0.95), mode="bilinear", antialias=True
    )
    coarse = functional.interpolate(small, size=(SIDE, SIDE), mode="bicubic").reshape(x.shape)
    x = torch.where(some(COARSE), coarse, x)
    x = x + 0.04 * torch.rand(n, 1, 1, 1, 1, device=device) * torch.randn_like(x)
    at = torch.rand(n, 2, 1, 1, device=device) * 2 - 1
    far = (line - at[:, 0]) ** 2 + (line[:, None] - at[:, 1]) ** 2
    glare = torch.exp(-far / (2 * (0.1 + 0.5 * torch.rand(n, 1, 1, device=device)) ** 2))
    glare = 0.7 * torch.rand(n, 1, 1, 1, device=device) * glare[:, None]
    own = torch.where(some(GLARED)[:, 0], x[:, 0] + glare, x[:, 0])
    return torch.cat([own[:, None], x[:, 1:]], 1).clamp(0, 1)


def train(pairs: Pairs, steps: int, seed: int = 9) -> MarkerNet:
    """The network taught with varied pairs: the running mean of its weights."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    batches = ((varied(x, rng).flatten(1, 2), is_marker) for x, is_marker in iter(lambda: pairs.batch(rng), None))

    def loss_of(said: Tensor, is_marker: Tensor) -> Tensor:
        want = SMOOTHED + (1 - 2 * SMOOTHED) * is_marker
        return functional.binary_cross_entropy_with_logits(said[:, 0], want)

    given = {"rate": RATE, "decay": DECAY, "kept": KEPT, "device": pairs.device, "name": "board_again"}
    return trained(MarkerNet(), batches, by_steps(steps), loss_of, **given)


@click.command()
@click.option("--boards", type=click.Path(path_type=Path, exists=True), required=True, multiple=True)
@click.option("--steps", default=7500)
@click.option("--device", default="cpu")
@click.option("--processes", default=1)
@click.option("-o", "--out", type=click.Path(path_type=Path), required=True)
def main(boards: tuple[Path, ...], steps: int, device: str, processes: int, out: Path) -> None:
    """Trains, and writes FILE.onnx."""
    cv2.setNumThreads(1)
    labels = {path: label for folder in boards for path, label in labels_in(folder, "*_race_*.json").items()}
    with ProcessPoolExecutor(processes) as pool:
        pictures = [one for one in pool.map(of_picture, labels.keys(), labels.values()) if one is not None]
    pairs = Pairs(pictures, device)
    click.echo(f"{len(pictures)} boards, {len(pairs.own)} pairs, {int(pairs.is_marker.sum())} of them markers")
    export(train(pairs, steps), (9, SIDE, SIDE), out)


if __name__ == "__main__":
    main()
