"""Writes the networks of `bench.train.dice_teach` as ONNX files: `python -m bench.train.dice_write DIR -o
vision/models`.

`--after _without_SOURCE` writes the networks that never saw that source; `--after ""` those trained on scenes alone.
"""

from __future__ import annotations

from pathlib import Path

import click
import torch

from bench.train.dice_nets import Context, FaceReader, Finder
from bench.train.nets import export
from vision.photo.dice.face import CHANNELS, COLOURS, CROP_PX, INKS


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, exists=True))
@click.option("--after", default="_all", help="What their names end with.")
@click.option("-o", "--out", type=click.Path(path_type=Path), required=True)
def main(folder: Path, after: str, out: Path) -> None:
    """Writes the four networks."""
    nets = {
        "find": (Finder(), (3, 480, 640)),
        "face": (FaceReader(CHANNELS[COLOURS]), (CHANNELS[COLOURS], CROP_PX, CROP_PX)),
        "inks": (FaceReader(CHANNELS[INKS]), (CHANNELS[INKS], CROP_PX, CROP_PX)),
        "context": (Context(), (6, CROP_PX, CROP_PX)),
    }
    for kind, (net, sample) in nets.items():
        weights = folder / f"{kind}{after}.pt"
        if not weights.exists():
            click.echo(f"There is no {weights}; dice_{kind}.onnx stays as it is.")
            continue
        net.load_state_dict(torch.load(weights, map_location="cpu"))
        bits = 16 if kind == "find" else 8
        export(net, sample, out / f"dice_{kind}.onnx", of_any_size=kind == "find", bits=bits)


if __name__ == "__main__":
    main()
