"""Teaches the last layers of the index reader on card tables: `python -m bench.train.rummy_head --scenes DIR --art DIR
--own CORNERS.npz -o vision/models/rummy_read.onnx`.

`--scenes` is the folder of the scene maker, whose cameras blur, clip and compress, `--art` the card art as its
`get_card_art.sh` leaves it, `--own` corners of packs of our own (`cards_corners.kept_corners`). All convolutions but
the last stay as `cards_read.onnx` has them. What is written is the mean of the weights before and after: taught alone,
the network was sure of an ace of a pack that it had never seen, and wrong.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from bench.train.rummy_sheets import sheet
from vision.cards import MODELS

Floats = NDArray[np.float32]
TRUNK = "/body/body.6/body.6.2/Relu_output_0"
HEAD = ("squeeze.weight", "squeeze.bias", "head.0.weight", "head.0.bias", "head.2.weight", "head.2.bias")
CHANNELS, PLACES, SQUEEZED = 96, 35, 32
SHEETS, ROUNDS, BATCH, RATE = 71, 8, 256, 1.5e-3
DROPPED = 0.2


def trunk_of(model: onnx.ModelProto) -> Any:
    """The network up to what the head is taught on."""
    cut = onnx.ModelProto()
    cut.CopyFrom(model)
    last = next(k for k, node in enumerate(cut.graph.node) if TRUNK in node.output)
    del cut.graph.node[last + 1 :]
    del cut.graph.output[:]
    cut.graph.output.append(helper.make_tensor_value_info(TRUNK, TensorProto.FLOAT, ["n", CHANNELS, 7, 5]))
    used = {name for node in cut.graph.node for name in node.input}
    kept = [one for one in cut.graph.initializer if one.name in used]
    del cut.graph.initializer[:]
    cut.graph.initializer.extend(kept)
    return cv2.dnn.readNetFromONNX(np.frombuffer(cut.SerializeToString(), np.uint8), cv2.dnn.ENGINE_NEW)


def features(trunk: Any, crops: NDArray[np.uint8]) -> NDArray[np.float16]:
    """What the trunk sees of crops, (N, CHANNELS, PLACES)."""
    seen = []
    for at in range(0, len(crops), BATCH):
        trunk.setInput(cv2.dnn.blobFromImages(list(crops[at : at + BATCH]), 1 / 255))
        seen.append(np.asarray(trunk.forward()).reshape(-1, CHANNELS, PLACES).astype(np.float16))
    return np.concatenate(seen)


def slopes(weights: list[Floats], seen: Floats, truth: Floats, rng: np.random.Generator) -> list[Floats]:
    """The loss's slopes by the head's weights, for a batch: that of `cards_read.loss_of`."""
    count = len(seen)
    squeezed = np.einsum("oc,ncp->nop", weights[0], seen, optimize=True) + weights[1][:, None]
    kept = (rng.random((count, SQUEEZED * PLACES), dtype=np.float32) > DROPPED) / (1 - DROPPED)
    flat = np.maximum(squeezed, 0).reshape(count, -1) * kept
    hidden = flat @ weights[2].T + weights[3]
    active = np.maximum(hidden, 0)
    said = active @ weights[4].T + weights[5]
    slope = np.zeros_like(said)
    for columns, label in ((slice(0, 14), truth[:, 0].astype(int)), (slice(14, 18), truth[:, 1].astype(int))):
        has = label >= 0
        chances = np.exp(said[has, columns] - said[has, columns].max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        chances[np.arange(len(chances)), label[has]] -= 1
        slope[has, columns] = chances * truth[has, 7:8] / max(1, has.sum())
    told = truth[:, 2] >= 0
    slope[told, 18] = (1 / (1 + np.exp(-said[told, 18])) - truth[told, 2]) / max(1, told.sum())
    placed = (truth[:, 0] >= 0) & (truth[:, 0] < 13)
    off = said[placed, 19:23] - truth[placed, 3:7]
    slope[placed, 19:23] = 2 * np.clip(off / 0.05, -1, 1) / max(1, 4 * placed.sum())
    by_hidden = (slope @ weights[4]) * (hidden > 0)
    by_flat = ((by_hidden @ weights[2]) * kept).reshape(squeezed.shape) * (squeezed > 0)
    return [
        np.einsum("nop,ncp->oc", by_flat, seen, optimize=True),
        by_flat.sum(axis=(0, 2)),
        by_hidden.T @ flat,
        by_hidden.sum(axis=0),
        slope.T @ active,
        slope.sum(axis=0),
    ]


def taught(start: list[Floats], seen: NDArray[np.float16], truth: Floats, rng: np.random.Generator) -> list[Floats]:
    """The head's weights after ROUNDS of AdamW."""
    weights = [one.copy() for one in start]
    mean, square = ([np.zeros_like(one) for one in weights] for _ in range(2))
    steps, of = 0, ROUNDS * (len(seen) // BATCH)
    for _ in range(ROUNDS):
        order = rng.permutation(len(seen))
        for at in range(0, len(seen) - BATCH + 1, BATCH):
            pick = order[at : at + BATCH]
            found = slopes(weights, seen[pick].astype(np.float32), truth[pick], rng)
            tame = min(1.0, 5 / float(np.sqrt(sum((one**2).sum() for one in found))))
            steps += 1
            rate = RATE * min(1, steps / 60) * (0.5 + 0.5 * np.cos(np.pi * steps / of)) + 1e-5
            for k, one in enumerate(found):
                mean[k] = 0.9 * mean[k] + 0.1 * tame * one
                square[k] = 0.999 * square[k] + 0.001 * (tame * one) ** 2
                step = mean[k] / (1 - 0.9**steps) / (np.sqrt(square[k] / (1 - 0.999**steps)) + 1e-8)
                weights[k] = (weights[k] - rate * (step + 1e-3 * weights[k])).astype(np.float32)
    return weights


def main() -> int:
    """Exit status 0; a wrong call ends with 2."""
    parser = argparse.ArgumentParser(prog="python -m bench.train.rummy_head", description=__doc__)
    parser.add_argument("--scenes", type=Path, required=True, help="folder of the scene maker")
    parser.add_argument("--art", type=Path, required=True, help="card art, a folder a design")
    parser.add_argument("--own", type=Path, required=True, help="crops and labels of packs of our own")
    parser.add_argument("-o", "--out", type=Path, required=True)
    asked = parser.parse_args()
    sys.path.insert(0, str(asked.scenes))
    rng = np.random.default_rng(0)
    drawn = [sheet(seed, asked.art) for seed in range(10, 10 + SHEETS)]
    with np.load(asked.own) as own:
        crops = np.concatenate([*(one[0] for one in drawn), own["crops"]])
        truth = np.concatenate([*(one[1] for one in drawn), own["labels"]]).astype(np.float32)
    model = onnx.load(str(MODELS / "cards_read.onnx"))
    before = {one.name: numpy_helper.to_array(one) for one in model.graph.initializer}
    start = [before[name].reshape(before[name].shape[:2]).astype(np.float32) for name in HEAD[::2]]
    start = [one for pair in zip(start, (before[name] for name in HEAD[1::2]), strict=True) for one in pair]
    after = taught(start, features(trunk_of(model), crops), truth, rng)
    for one in model.graph.initializer:
        if one.name in HEAD:
            k = HEAD.index(one.name)
            both = ((start[k] + after[k]) / 2).astype(np.float32).reshape(before[one.name].shape)
            one.CopyFrom(numpy_helper.from_array(both, one.name))
    onnx.save(model, str(asked.out))
    return 0


if __name__ == "__main__":
    sys.exit(main())
