"""Trains the networks of `vision.dice`: writes vision/models/dice_find.onnx, dice_face.onnx and dice_inks.onnx.

    python -m bench.train.dice --photos DIR --bank DIR -o vision/models [--without SOURCE]

The face readers' second part learns from what the finder in `-o` wrongly takes for dice: train the finder first.
`--bank` is filled with rendered scenes first where it is empty. `--start DIR` keeps the networks trained on renderings
alone, so that variants (`--without`, one source of photographs never seen) need not repeat that part. Times:
see vision/models/DICE.md.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import click
import cv2
import torch
from torch import Tensor, nn
from torch.nn import functional

from bench.train.dice_bank import make_bank
from bench.train.dice_crops import Shares
from bench.train.dice_data import Sample, Squares, draw_clutter, load, load_empty
from bench.train.dice_faces import Batches, Lessons
from bench.train.dice_nets import FaceReader, Finder, count
from bench.train.nets import export, half_precision
from vision.dice_face import CHANNELS, COLOURS, CROP_PX, INKS
from vision.dice_find import DiceFinder
from vision.networks import Network

BATCH = {"find": 32, "face": 128, "inks": 128}
RATE = {"find": 2e-3, "face": 2e-3, "inks": 2e-3}
CLUTTER_PICTURES = 1500
"""Drawn tables without dice, so many for the finder and, other ones, for the face readers' lessons."""
LESSONS_SEED = 2_500_000
"""Of the second lot: the finder makes more of its mistakes on pictures that it has not learned."""
Groups = list[tuple[float, list[Sample]]]
CLUTTER = (0.1, 0.13)
"""Shares of the drawn tables in the finder's second part, taken once with each; the weights are averaged."""
LATER_VALUE_WEIGHT = 0.5
"""Of the value in the finder's loss once photographs come in: the face reader tells values better."""
MEAN_EVERY = 5
"""The running mean of the weights takes every so manieth step in."""


def find_loss(out: Tensor, want: Tensor, value_weight: float = 1.0) -> Tensor:
    """Penalty-reduced focal loss for the heat, L1 for offset and size, cross entropy for the value."""
    heat, truth, weight = out[:, 0], want[:, 0], want[:, 7]
    p = torch.sigmoid(heat).clamp(1e-4, 1 - 1e-4)
    middle = (truth > 0.999).float()
    gain = middle * (1 - p) ** 2 * torch.log(p) + (1 - middle) * (1 - truth) ** 4 * p**2 * torch.log(1 - p)
    total = -(gain * weight).sum() / (middle * weight).sum().clamp(min=1)
    mask = want[:, 6:7]
    share = mask.sum().clamp(min=1)
    total = total + ((out[:, 1:3] - want[:, 1:3]).abs() * mask).sum() / share * 0.5
    total = total + ((out[:, 3:5] - want[:, 3:5]).abs() * mask).sum() / share * 2
    return total + functional.cross_entropy(out[:, 5:], want[:, 5].long(), ignore_index=-1) * value_weight


def face_loss(out: Tensor, want: Tensor) -> Tensor:
    """Cross entropy, a little softened."""
    return functional.cross_entropy(out, want, label_smoothing=0.02)


def train(
    kind: str,
    net: nn.Module,
    data: Iterable[tuple[Tensor, Tensor]],
    steps: int,
    peak: float,
    value_weight: float = 1.0,
) -> nn.Module:
    """Trains `net` for `steps` batches with one cycle of the rate; returns the running mean of its weights."""
    torch.manual_seed(0)
    net = net.train().to(memory_format=torch.channels_last)
    mean = copy.deepcopy(net).eval()
    optimizer = torch.optim.AdamW(net.parameters(), lr=peak, weight_decay=0.02)
    cycle = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=peak, total_steps=steps, pct_start=0.15)
    slow, fast = ([t for t in n.state_dict().values() if t.dtype.is_floating_point] for n in (mean, net))
    began, shown = time.perf_counter(), 0.0
    for step, (x, want) in zip(range(steps), data, strict=False):
        with half_precision():
            out = net(x.to(memory_format=torch.channels_last))
        loss = find_loss(out.float(), want, value_weight) if kind == "find" else face_loss(out.float(), want)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimizer.step()
        cycle.step()
        shown = 0.98 * shown + 0.02 * float(loss.detach()) if step else float(loss.detach())
        if step % MEAN_EVERY == 0:
            keep = min(0.998, (1 + step) / (10 + step)) ** MEAN_EVERY
            with torch.no_grad():
                torch._foreach_lerp_(slow, fast, 1 - keep)
        if step % 100 == 0 or step == steps - 1:
            click.echo(f"{kind} step {step} of {steps}: loss {shown:.4f}, {time.perf_counter() - began:.0f} s")
    return mean


def mean_of(nets: list[nn.Module]) -> nn.Module:
    """A network with the mean of their weights: of runs from one start it reads better than each.

    Source: M. Wortsman et al., Model soups, International Conference on Machine Learning (2022).
    """
    mean = copy.deepcopy(nets[0])
    states = [net.state_dict() for net in nets]
    with torch.no_grad():
        for name, weights in mean.state_dict().items():
            if weights.dtype.is_floating_point:
                weights.copy_(torch.stack([state[name] for state in states]).mean(0))
    return mean


@click.command()
@click.option("--photos", type=click.Path(path_type=Path, exists=True), required=True, help="labels.jsonl + images/")
@click.option("--bank", type=click.Path(path_type=Path), required=True, help="Folder of rendered scenes.")
@click.option("--scenes", default=6000, help="How many scenes an empty bank gets.")
@click.option("--start", type=click.Path(path_type=Path), help="Folder to keep the nets of renderings in.")
@click.option("--without", multiple=True, help="A source of photographs to leave out.")
@click.option("--only", type=click.Choice(["find", "face", "inks"]), default=None)
@click.option(
    "--find-steps", default=(4800, 800), type=(int, int), help="Batches on renderings, then with photographs."
)
@click.option("--face-steps", default=(15500, 2900), type=(int, int))
@click.option("--inks-steps", default=(14000, 2900), type=(int, int))
@click.option("-o", "--out", type=click.Path(path_type=Path), default=Path("vision/models"))
def main(
    photos: Path,
    bank: Path,
    scenes: int,
    start: Path | None,
    without: tuple[str, ...],
    only: str | None,
    find_steps: tuple[int, int],
    face_steps: tuple[int, int],
    inks_steps: tuple[int, int],
    out: Path,
) -> None:
    """Trains on renderings, then on renderings and photographs; writes three ONNX files."""
    cv2.setNumThreads(1)  # before any fork: threads of OpenCV do not survive one
    if not (bank / "labels.jsonl").exists():
        make_bank(bank, scenes, photos)
    rendered, empty = load(bank), load_empty(photos)
    real = [s for s in load(photos) if s.source not in without]
    sources = sorted({s.source for s in real})
    dice = {name: sum(len(s.dice) for s in real if s.source == name) for name in sources}
    whole = sum(n**0.5 for n in dice.values())
    mixed = [(0.55 * dice[n] ** 0.5 / whole, [s for s in real if s.source == n]) for n in sources]
    click.echo(f"{len(rendered)} scenes, {len(real)} photographs of {', '.join(sources)}, {len(empty)} without dice")
    if only in (None, "find"):
        _train_finder(rendered, empty, mixed, find_steps, start, out)
    if only != "find":
        drawn, lessons = draw_clutter(CLUTTER_PICTURES, LESSONS_SEED), Lessons.of(rendered, empty)
        finder = DiceFinder(Network(out / "dice_find.onnx"))
        second = lessons.second(real, rendered, empty, drawn, finder) if max(face_steps[1], inks_steps[1]) else []
        click.echo(f"pieces of each lot: {[len(pieces) for _, pieces, _ in (second or [lessons.first()])[0]]}")
        for kind, which, steps in (("face", COLOURS, face_steps), ("inks", INKS, inks_steps)):
            if only in (None, kind):
                _train_faces(kind, which, lessons, second, steps, start, out)


def _first_part(kind: str, net: nn.Module, start: Path | None, make: Callable[[], nn.Module]) -> nn.Module:
    """The net of renderings alone: the one kept in `start`, or a new one, kept there."""
    click.echo(f"{kind}: {count(net)} weights")
    kept = start / f"{kind}.pt" if start else None
    if kept is not None and kept.exists():
        net.load_state_dict(torch.load(kept))
        return net
    net = make()
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        torch.save(net.state_dict(), kept)
    return net


def _train_finder(
    rendered: list[Sample],
    empty: list[Sample],
    real: Groups,
    steps: tuple[int, int],
    start: Path | None,
    out: Path,
) -> None:
    def squares(groups: Groups, seed: int) -> Iterable[tuple[Tensor, Tensor]]:
        stream = Squares(groups, seed)
        return torch.utils.data.DataLoader(stream, batch_size=BATCH["find"], num_workers=1, prefetch_factor=4)

    net = Finder()
    first = [(0.95, rendered), (0.05, empty)]
    net = _first_part("find", net, start, lambda: train("find", net, squares(first, steps[0]), steps[0], RATE["find"]))
    if steps[1]:
        drawn, ends = draw_clutter(CLUTTER_PICTURES), []
        for k, share in enumerate(CLUTTER):
            data = squares([(0.38, rendered), (0.05, empty), (share, drawn), *real], steps[1] + k)
            ends.append(train("find", copy.deepcopy(net), data, steps[1], RATE["find"] * 0.5, LATER_VALUE_WEIGHT))
        net = mean_of(ends)
    export(net, (3, 480, 640), out / "dice_find.onnx", of_any_size=True)


def _train_faces(
    kind: str, which: int, lessons: Lessons, second: list[Shares], steps: tuple[int, int], start: Path | None, out: Path
) -> None:
    def batches(lots: Shares, seed: int) -> Batches:
        return Batches(lots, which == INKS, seed, BATCH[kind])

    net = FaceReader(CHANNELS[which])
    net = _first_part(
        kind, net, start, lambda: train(kind, net, batches(lessons.first(), steps[0]), steps[0], RATE[kind])
    )
    if steps[1]:
        ends = [
            train(kind, copy.deepcopy(net), batches(lots, steps[1] + k), steps[1], RATE[kind] * 0.5)
            for k, lots in enumerate(second)
        ]
        net = mean_of(ends)
    export(net, (CHANNELS[which], CROP_PX, CROP_PX), out / f"dice_{kind}.onnx")


if __name__ == "__main__":
    main()
