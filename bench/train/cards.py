"""Makes the models that read cards: `python -m bench.train.cards --art DIR --bank DIR -o vision/models/`.

Steps: scenes are rendered into the bank; the finder is trained; then the reader, also on the finder's output with its
false alarms. Both are written as ONNX. `python -m bench.fit cards` fits the confidence afterwards. No photograph is
used. vision/models/CARDS.md lists the sources of the art. Minutes are of processor time on one core.
"""

from __future__ import annotations

import argparse
import json
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from bench.train.cards_art import load_fonts
from bench.train.cards_bank import packs_of, render_shard
from bench.train.cards_corners import kept_corners
from bench.train.cards_find import train_finder
from bench.train.cards_mine import mined
from bench.train.cards_nets import MADE_WITH, READ_HEIGHT_PX, READ_WIDTH_PX
from bench.train.cards_read import gather, train_reader

SEED = 1


def main() -> int:
    """Exit status 0; a wrong call ends with 2."""
    parser = argparse.ArgumentParser(prog="python -m bench.train.cards", description=__doc__)
    parser.add_argument("--art", type=Path, required=True, help="unpacked card art and fonts")
    parser.add_argument("--bank", type=Path, required=True, help="folder for rendered scenes, kept between runs")
    parser.add_argument("-o", "--out", type=Path, required=True, help="folder of the models")
    parser.add_argument("--shards", type=int, default=48)
    parser.add_argument("--find-minutes", type=float, default=40)
    parser.add_argument("--read-minutes", type=float, default=45)
    parser.add_argument("--packs", type=int, default=1000, help="packs whose corners are drawn for the reader")
    parser.add_argument("--mine-scenes", type=int, default=1500, help="scenes from which the finder's alarms are taken")
    parser.add_argument("--only", choices=("find", "read"), help="this step alone")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    for folder in (asked.bank, asked.out):
        folder.mkdir(parents=True, exist_ok=True)
    (asked.out / "cards_nets.json").write_text(json.dumps(MADE_WITH) + "\n", encoding="utf-8")
    packs_of(asked.art, asked.bank / "packs.pkl")
    with ProcessPoolExecutor(2) as pool:
        numbers = range(asked.shards)
        shards = list(pool.map(render_shard, *zip(*[(asked.art, asked.bank, k, SEED) for k in numbers], strict=True)))
    held = max(1, asked.shards // 6)
    taught, apart = shards[:-held], shards[-held:]
    if asked.only in (None, "find"):
        finder = train_finder(taught, asked.find_minutes, SEED)
        torch.save(finder.state_dict(), asked.bank / "cards_find.pt")
        write(finder, torch.zeros(1, 3, 256, 256), asked.out / "cards_find.onnx", {2: "h", 3: "w"})
    if asked.only in (None, "read"):
        crops, labels = gather(taught, SEED)
        packs = packs_of(asked.art, asked.bank / "packs.pkl")
        drawn = kept_corners(packs, load_fonts(asked.art), asked.packs, SEED, asked.bank / "corners.npz")
        offered = mined(asked.out / "cards_find.onnx", apart, asked.mine_scenes)
        crops = np.concatenate([crops, drawn[0], drawn[0], offered[0]])
        labels = np.concatenate([labels, drawn[1], drawn[1], offered[1]])
        reader = train_reader(crops, labels, asked.read_minutes, SEED)
        torch.save(reader.state_dict(), asked.bank / "cards_read.pt")
        write(reader, torch.zeros(2, 3, READ_HEIGHT_PX, READ_WIDTH_PX), asked.out / "cards_read.onnx", {0: "n"})
    return 0


def write(net: nn.Module, example: Tensor, path: Path, free: dict[int, str]) -> None:
    """The network as ONNX, its free axes named."""
    torch.onnx.export(
        net.to(memory_format=torch.contiguous_format).eval(),
        (example,),
        str(path),
        dynamo=False,
        opset_version=17,
        input_names=["picture"],
        output_names=["said"],
        dynamic_axes={"picture": free, "said": free},
    )


if __name__ == "__main__":
    sys.exit(main())
