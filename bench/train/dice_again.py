"""Takes the networks of `vision.dice` up again: some hundred batches more, at a low rate, from those of a folder.

    python -m bench.train.dice_again --photos DIR --bank DIR [--bank DIR ...] --models vision/models -o DIR

Banks are folders of rendered scenes (`bench.train.dice_bank`, `bench.train.dice_rooms`). Batch normalisation was folded
into the convolutions and stays so. What is trained so has seen what the networks it began with have seen: it gives no
figures of unseen sources.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path

import click
import cv2
import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn

from bench.train.dice_crops import Crops, Shares
from bench.train.dice_data import Sample, Squares, draw_clutter, load, load_empty
from bench.train.dice_nets import SIZES, FaceReader, Finder, face_loss, find_loss
from bench.train.dice_pool import between, dice_of, leaning_of, mistaken
from bench.train.nets import export, trained
from vision.dice_face import CHANNELS, COLOURS, CROP_PX, INKS
from vision.dice_find import DiceFinder
from vision.networks import Network

RATES = {"find": 4e-4, "face": 4e-4, "inks": 4e-4}
BATCH = {"find": 16, "face": 96, "inks": 96}
BANK, LEANING, BETWEEN, TAKEN, REAL = 0.34, 0.06, 0.06, 0.24, 0.30
"""Shares of the face readers' crops. Much of what is no die is what the finder takes for one in tables without any:
with a third of it touching dice were found, and pips of cards were taken for them."""
CLUTTER, CLUTTER_SEED = 600, 2_700_000
ROOMS, DRAWN, EMPTY, PHOTOS = 0.5, 0.17, 0.05, 0.28
"""Shares of the finder's squares: path-traced and drawn scenes with dice, tables without, photographs. It is to miss no
die; what it takes for one is looked at again (`vision.dice_context`). Shown as many tables without dice as the face
readers are, it found no more touching dice than before."""
DRAWN_IN = 0.03
"""The finder's boxes are made smaller by so much at last, in logarithms: values are read best so."""


def of_file(path: Path, net: nn.Module, sample: Tensor) -> nn.Module:
    """`net` with the weights of an ONNX file that `bench.train.dice_nets.export` wrote; its norms do nothing."""
    graph = onnx.load(str(path)).graph
    stored = {w.name: numpy_helper.to_array(w).astype(np.float32) for w in graph.initializer}
    for node in graph.node:
        if node.op_type == "Cast" and node.input[0] in stored:
            stored[node.output[0]] = stored[node.input[0]]
        elif node.op_type == "Mul" and all(name in stored for name in node.input):  # whole numbers, and one's worth
            stored[node.output[0]] = stored[node.input[0]] * stored[node.input[1]]
        elif node.op_type == "DequantizeLinear" and node.input[0] in stored:  # the same, and what stands for nothing
            whole, worth, nothing = (stored[name] for name in node.input)
            shape = (-1,) + (1,) * (whole.ndim - 1)
            stored[node.output[0]] = (whole - nothing.reshape(shape)) * worth.reshape(shape)
    layers: list[nn.Module] = []
    hooks = [
        m.register_forward_hook(lambda module, *_: layers.append(module))
        for m in net.modules()
        if isinstance(m, (nn.Conv2d, nn.BatchNorm2d, nn.Linear))
    ]
    net.eval()(sample)
    for hook in hooks:
        hook.remove()
    nodes = [n for n in graph.node if n.op_type in ("Conv", "Gemm")]
    with torch.no_grad():
        for layer, after in zip(layers, [*layers[1:], None], strict=True):
            if isinstance(layer, nn.BatchNorm2d):
                continue
            _, weight, bias = (stored.get(name) for name in nodes.pop(0).input)
            layer.weight.copy_(torch.from_numpy(weight))
            if layer.bias is not None:
                layer.bias.copy_(torch.from_numpy(bias))
            elif isinstance(after, nn.BatchNorm2d):
                after.running_mean.zero_()
                after.running_var.fill_(1 - after.eps)
                after.bias.copy_(torch.from_numpy(bias))
    return net


def go_on(kind: str, net: nn.Module, data: Iterable[tuple[Tensor, Tensor]], steps: int) -> nn.Module:
    """Trains for `steps` batches, norms as they are."""
    torch.manual_seed(0)
    loss_of = partial(find_loss, value_weight=0.3) if kind == "find" else face_loss
    return trained(net.eval(), data, steps, loss_of, rate=RATES[kind], decay=0.01, name=kind)


def face_lots(bank: list[Sample], real: list[Sample], empty: list[Sample], finder: DiceFinder) -> Shares:
    """What the face readers learn from, each lot with its share; in `empty` lies no die."""
    lots: Shares = [
        (BANK, dice_of(bank), False),
        (LEANING, leaning_of(bank), False),
        (BETWEEN, between(bank, 5), False),
        (TAKEN, mistaken([*empty, *bank], finder), False),
    ]
    sources = sorted({s.source for s in real})
    dice = [dice_of([s for s in real if s.source == name]) for name in sources]
    whole = sum(len(d) ** 0.5 for d in dice)
    return lots + [(REAL * len(d) ** 0.5 / whole, d, True) for d in dice]


@click.command()
@click.option("--photos", type=click.Path(path_type=Path, exists=True), required=True)
@click.option("--bank", "banks", type=click.Path(path_type=Path, exists=True), multiple=True, required=True)
@click.option("--models", type=click.Path(path_type=Path, exists=True), default=Path("vision/models"))
@click.option("--without", multiple=True, help="A source of photographs to leave out.")
@click.option("--only", type=click.Choice(["find", "face", "inks"]), default=None)
@click.option("--find-steps", default=2200)
@click.option("--face-steps", default=500)
@click.option("-o", "--out", type=click.Path(path_type=Path), required=True)
def main(
    photos: Path,
    banks: tuple[Path, ...],
    models: Path,
    without: tuple[str, ...],
    only: str | None,
    find_steps: int,
    face_steps: int,
    out: Path,
) -> None:
    """Writes the three networks, further trained."""
    cv2.setNumThreads(1)
    bank = [s for folder in banks for s in load(folder)]
    real = [s for s in load(photos) if s.source not in without]
    empty = [*draw_clutter(CLUTTER, CLUTTER_SEED), *load_empty(photos)]
    click.echo(f"{len(bank)} scenes, {len(real)} photographs, {len(empty)} without dice")
    if face_steps and only != "find":
        lots = face_lots(bank, real, empty, DiceFinder(Network(models / "dice_find.onnx")))
        click.echo(f"pieces of each lot: {[len(pieces) for _, pieces, _ in lots]}")
        for kind, which in (("face", COLOURS), ("inks", INKS)):
            if only not in (None, kind):
                continue
            size = (CHANNELS[which], CROP_PX, CROP_PX)
            net = of_file(models / f"dice_{kind}.onnx", FaceReader(CHANNELS[which]), torch.zeros(1, *size))
            crops = Crops(lots, which == INKS, 17)
            net = go_on(kind, net, (crops.batch(BATCH[kind]) for _ in range(face_steps)), face_steps)
            export(net, size, out / f"dice_{kind}.onnx", bits=8)
    if find_steps and only in (None, "find"):
        net = of_file(models / "dice_find.onnx", Finder(), torch.zeros(1, 3, 64, 64))
        thrown = [s for s in bank if len(s.dice)]
        rooms, drawn = ([s for s in thrown if (s.source == "rooms") is is_room] for is_room in (True, False))
        stream = Squares([(ROOMS, rooms), (DRAWN, drawn), (EMPTY, empty), (PHOTOS, real)], 17)
        data = torch.utils.data.DataLoader(stream, batch_size=BATCH["find"], num_workers=0)
        found = go_on("find", net, data, find_steps)
        with torch.no_grad():
            found.head.bias[SIZES] -= DRAWN_IN
        export(found, (3, 480, 640), out / "dice_find.onnx", of_any_size=True)


if __name__ == "__main__":
    main()
