"""Quantises networks to whole numbers, which takes half to a third of the time:

    python -m bench.train.in_bytes --models DIR --dice DIR [--dice DIR ...] --rods DIR -o vision/models

The inputs of each network while it reads pictures of these folders give the range of its numbers.
"""

from __future__ import annotations

import logging
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import click
import cv2
import onnx
import onnxruntime
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

from bench.drawn.labels import lens_of
from bench.harness import label_lines, labels_in, picture_at
from calibration.arrays import Floats32
from companion.game.brought import default_kit
from companion.game.errors import ReadingError
from vision.measure.networks import Network
from vision.photo.dice.reader import DiceEye, open_eye
from vision.tables.rods.reader import RodsEye

NETS = ("dice_find", "dice_face", "dice_inks", "dice_context", "dice_pose", "rods")
"""Networks that are shipped quantised. Those of cards lost accuracy by it (`vision/models/CARDS.md`)."""
WHOLLY = ("rods",)
"""Networks that also get their first and last two layers quantised, which take half of the time there. In the others
these layers caused a third of the errors."""
OF_EACH = 60
"""Number of pictures read per folder."""


class _Batches(CalibrationDataReader):
    """Batches as the runtime wants them."""

    def __init__(self, name: str, batches: Iterable[Floats32]) -> None:
        self._left: Iterator[dict[str, Floats32]] = iter([{name: batch} for batch in batches])

    def get_next(self) -> dict[str, Floats32] | None:
        """The next one; None: no more."""
        return next(self._left, None)


@contextmanager
def asked() -> Iterator[dict[str, list[Floats32]]]:
    """The inputs of every network meanwhile, by its name."""
    batches: dict[str, list[Floats32]] = defaultdict(list)
    said = Network.__call__

    def noted(net: Network, batch: Floats32) -> Floats32:
        batches[net.name].append(batch)
        return said(net, batch)

    with mock.patch.object(Network, "__call__", noted):
        yield batches


def in_bytes(model: Path, batches: Iterable[Floats32], out: Path, *, wholly: bool = False) -> None:
    """Writes a network in whole numbers: weights of 7 bits, for each channel out, and bytes between the layers.

    Unless `wholly`, the first layer and the last two are not quantised. Seven bits, for processors without instructions
    made for this add two products in 16 bits and would cut them off.
    """
    with tempfile.TemporaryDirectory() as folder:
        unpacked = Path(folder) / "unpacked.onnx"
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        options.optimized_model_filepath = str(unpacked)
        session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        layers = [node.name for node in onnx.load(str(unpacked)).graph.node if node.op_type in ("Conv", "Gemm")]
        quantize_static(
            unpacked,
            out,
            _Batches(session.get_inputs()[0].name, batches),
            quant_format=QuantFormat.QDQ,
            per_channel=True,
            reduce_range=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            nodes_to_exclude=[] if wholly else layers[:1] + layers[-2:],
        )


def _some(lines: list[Any]) -> list[Any]:
    return lines[:: max(1, len(lines) // OF_EACH)]


def _read(eye: DiceEye | RodsEye, path: Path) -> None:
    try:
        eye.read(picture_at(path))
    except ReadingError as problem:
        click.echo(f"{path.name}: {problem}")


def _read_dice(folder: Path) -> None:
    """Reads some of a folder with labels.jsonl, none without a licence."""
    eye = open_eye()
    free = [label for label in label_lines(folder) if label.get("license", "own") not in ("", "none stated")]
    for label in _some(free):
        _read(eye, folder / label["image"])


def _read_rods(folder: Path) -> None:
    for path, label in _some([*labels_in(folder, "*_rods_*.json").items()]):
        _read(RodsEye(lens_of(label), default_kit("suspend")), path)


FOLDERS = click.Path(path_type=Path, exists=True)


@click.command()
@click.option("--models", type=FOLDERS, required=True, help="Networks as training wrote them.")
@click.option("--dice", "with_dice", type=FOLDERS, multiple=True)
@click.option("--rods", "with_rods", type=FOLDERS, multiple=True)
@click.option("-o", "--out", type=click.Path(path_type=Path), required=True)
def main(models: Path, with_dice: tuple[Path, ...], with_rods: tuple[Path, ...], out: Path) -> None:
    """Writes the networks of `models` that are used while these folders are read."""
    cv2.setNumThreads(1)
    logging.getLogger().setLevel(logging.ERROR)  # the runtime advises a step that `in_bytes` takes
    with asked() as batches:
        for folder in with_dice:
            _read_dice(folder)
        for folder in with_rods:
            _read_rods(folder)
    out.mkdir(parents=True, exist_ok=True)
    for name in NETS:
        if name in batches and (models / f"{name}.onnx").exists():
            in_bytes(models / f"{name}.onnx", batches[name], out / f"{name}.onnx", wholly=name in WHOLLY)
            size = (out / f"{name}.onnx").stat().st_size
            click.echo(f"{name}: {size} bytes, asked {sum(map(len, batches[name]))} times")


if __name__ == "__main__":
    main()
