"""Trains the index reader of calibrated tables.

`python -m bench.train.rummy_read --tables DIR --own CORNERS.npz --cameras R1,R2 -o vision/models/rummy_read.onnx`

`--tables` is a folder of rendered card tables with labels. `--own` has corners of our own packs
(`cards_corners.kept_corners`).
The first four convolutions stay as in `cards_read.onnx`. The result is between the weights before and after training:
the trained network alone was sure of an ace of a pack that it had never seen.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import numpy_helper
from torch import Tensor, nn

from bench.train.cards_read import loss_of
from bench.train.nets import by_steps, trained
from bench.train.rummy_crops import crops_of
from vision.photo.cards.reader import MODELS

STRIDES, KEPT = (1, 2, 1, 2, 1, 2, 1), 4
"""The strides of the convolutions of `cards_nets.Reader`, and how many of them stay fixed."""
ROUNDS, BATCH, RATE, DROPPED = 5, 192, 1.2e-3, 0.2
TAUGHT_SHARE = 0.7
"""Share of the way from the weights before training to those after."""


class FoldedReader(nn.Module):
    """`cards_nets.Reader` as it is shipped, with each norm folded into its convolution. Weights come from an ONNX
    file."""

    def __init__(self, model: onnx.ModelProto) -> None:
        super().__init__()
        weights = {one.name: torch.tensor(numpy_helper.to_array(one)) for one in model.graph.initializer}
        nodes = [node for node in model.graph.node if node.op_type in ("Conv", "Gemm")]
        self.names = [name for node in nodes for name in list(node.input)[1:]]
        self.weights = nn.ParameterList([weights[name].float() for name in self.names])
        for weight in list(self.weights)[: 2 * KEPT]:
            weight.requires_grad = False

    def low(self, crop: Tensor) -> Tensor:
        """The output of the kept convolutions for crops (N, 3, 56, 40) in 0..1."""
        return self._convolved(crop, 0, KEPT)

    def forward(self, seen: Tensor) -> Tensor:
        """The output of the other layers: (N, 23), as in `cards_nets.Reader`."""
        body = self._convolved(seen, KEPT, len(STRIDES))
        squeezed = torch.relu(nn.functional.conv2d(body, *self._pair(len(STRIDES)))).flatten(1)
        kept = nn.functional.dropout(squeezed, DROPPED, self.training)
        hidden = torch.relu(nn.functional.linear(kept, *self._pair(len(STRIDES) + 1)))
        return nn.functional.linear(hidden, *self._pair(len(STRIDES) + 2))

    def _convolved(self, seen: Tensor, first: int, end: int) -> Tensor:
        for k in range(first, end):
            seen = torch.relu(nn.functional.conv2d(seen, *self._pair(k), stride=STRIDES[k], padding=1))
        return seen

    def _pair(self, k: int) -> tuple[Tensor, Tensor]:
        return self.weights[2 * k], self.weights[2 * k + 1]


def teach(net: FoldedReader, crops: NDArray[np.uint8], labels: NDArray[np.float32], seed: int) -> None:
    """ROUNDS of crops, each seen in one light of many."""
    rng = np.random.default_rng(seed)
    seen = []
    with torch.no_grad():
        for at in range(0, len(crops), BATCH):
            some = crops[at : at + BATCH] * rng.uniform(0.75, 1.25, (1, 1, 1, 3)) + rng.uniform(-25, 25)
            seen.append(net.low(torch.from_numpy(np.clip(some, 0, 255)).permute(0, 3, 1, 2).float() / 255).half())
    features, truth = torch.cat(seen), torch.from_numpy(labels)

    def batches() -> Iterator[tuple[Tensor, Tensor]]:
        for order in (rng.permutation(len(features)) for _ in range(ROUNDS)):
            for at in range(0, len(order) - BATCH + 1, BATCH):
                yield features[order[at : at + BATCH]].float(), truth[order[at : at + BATCH]]

    steps = by_steps(ROUNDS * (len(features) // BATCH))
    trained(net, batches(), steps, loss_of, rate=RATE, decay=1e-3, name="rummy_read")


def main() -> int:
    """Exit status 0; a wrong call ends with 2."""
    parser = argparse.ArgumentParser(prog="python -m bench.train.rummy_read", description=__doc__)
    parser.add_argument("--tables", type=Path, required=True, help="pictures of card tables with labels")
    parser.add_argument("--own", type=Path, required=True, help="crops and labels of packs of our own")
    parser.add_argument("--cameras", required=True, help="the cameras whose pictures may be learned from")
    parser.add_argument("-o", "--out", type=Path, required=True)
    asked = parser.parse_args()
    torch.manual_seed(0)
    lessons = [crops_of(asked.tables, frozenset(asked.cameras.split(",")), np.random.default_rng(5))]
    with np.load(asked.own) as own:
        lessons.append((own["crops"], own["labels"]))
    model = onnx.load(str(MODELS / "cards_read.onnx"))
    net = FoldedReader(model)
    before = [one.detach().clone() for one in net.weights]
    teach(net, np.concatenate([one[0] for one in lessons]), np.concatenate([one[1] for one in lessons]), 0)
    after = {name: one.detach() for name, one in zip(net.names, net.weights, strict=True)}
    between = {
        name: ((1 - TAUGHT_SHARE) * old + TAUGHT_SHARE * after[name]).numpy()
        for name, old in zip(net.names, before, strict=True)
    }
    for one in model.graph.initializer:
        if one.name in between:
            one.CopyFrom(numpy_helper.from_array(between[one.name].astype(np.float32), one.name))
    onnx.save(model, str(asked.out))
    return 0


if __name__ == "__main__":
    sys.exit(main())
