"""Makes the network that sees wires and tips of rods: `python -m bench.train.rods --tables DIR -o vision/models/`.

`--tables` has path-traced pictures with exact labels (NAME.jpg, NAME.json); to these the virtual table's own are added.
Each is seen straight from above as the reader sees it, and every cell is told as mat, wire, or tip of a colour, and
whether that rod lies or hangs. Mats are tinted at random while training, so that a rod's colour is told from any mat.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
import torch.optim.swa_utils
from numpy.typing import NDArray
from torch import Tensor, nn

from bench.rummy_tables import lens_of
from bench.train.dice_again import of_file
from calibration.light import judge
from calibration.pose import Pose, find_pose
from companion.kit import Kit, default_kit
from vision.sim.rod_table import MAT
from vision.sim.scene import Surface
from vision.sim.virtual import VirtualTable
from vision.tables.board_view import BoardView, view_of
from vision.tables.rods_net import CLASSES, FINE, seen_light

Floats = NDArray[np.float64]

CROP, BATCH, SEED = 128, 8, 1
LEARN, LEARN_ON, DECAY, EVERY = 2e-3, 4e-4, 1e-4, 100
"""How fast it learns from nothing, and from a network that has learnt."""
TIP_BREADTH = 1.8
WEIGHTS = (0.3, 1.0, *[2.0] * 6)
"""How much a cell of each class counts."""
OF_COLORS, OF_HANGING, OF_WAYS = 1.0, 1.5, 0.5
"""How much the colours of tips, what hangs, and where rods lead count beside the classes."""
GAIN, TINT, NOISE, DIM = 0.06, 0.5, 0.05, (0.6, 1.25)
LIKE_A_TIP, ALIKE = 0.3, 0.15
"""How many of the mats that are tinted are given the color of a tip, and about how nearly: orange tips on a mat of
orange wood were not seen."""
LACQUERED, MOST_SHINE = 0.3, 1.7
"""The share of crops whose wires get their tips' color; a wire's own light and dark stays, up to so much."""
COARSE, COARSEST = 0.3, 0.45
"""The share of crops that are seen as coarsely as by a camera farther off, and by how much at most."""
WAYS = 256
KINDS = (np.float32, np.int64, np.float32, np.float32)
AT_A_ROD = 0.85
"""The share of crops about a point of a rod."""


@dataclass(frozen=True, eq=False)
class Lesson:
    """A table from above (rows, columns, 3), roots of light; at every second cell its class, and whether it hangs."""

    light: NDArray[np.float16]
    classes: NDArray[np.uint8]
    hangs: NDArray[np.uint8]
    ways: NDArray[np.uint8]
    """Where the rod leads from its nearer end, in `WAYS`ths of a turn from x towards y."""
    owners: NDArray[np.uint8]
    """Of which color's rod each cell is, as a class; 0: of none."""
    places: NDArray[np.int32]
    """Cells (row, column) along rods."""


def lesson(view: BoardView, kit: Kit, rods: Sequence[tuple[str, Floats, bool]]) -> Lesson:
    """What a view shows, where rods (colour, path (N, 3) in mm, whether it lies) are known."""
    rod = kit.piece("rod")
    light = seen_light(view)
    rows, columns = light.shape[:2]
    classes, hangs, ways, owners = (np.zeros((rows, columns), np.uint8) for _ in range(4))
    pieces: list[tuple[float, Floats, int, float, tuple[int, int, int]]] = []
    for color, path, is_loose in rods:
        s = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1))])
        fine = np.arange(0.0, s[-1], 1.0)
        points = np.column_stack([np.interp(fine, s, path[:, i]) for i in range(3)])
        cells = np.array([view.to_cells(view.lift(p[None, :2], p[2]))[0] for p in points])
        is_tip = (fine < rod.size_mm("tip")) | (fine > s[-1] - rod.size_mm("tip"))
        cells_a_mm = float(np.linalg.norm(np.diff(cells, axis=0), axis=1).mean())
        for k in range(len(cells) - 1):
            broad = rod.size_mm("wire") * (TIP_BREADTH if is_tip[k] else 1.0) * cells_a_mm
            name = CLASSES.index(color) if is_tip[k] else CLASSES.index("wire")
            x, y = (cells[k + 1] - cells[k]) * (1 if k < len(cells) / 2 else -1)
            way = round(float(np.arctan2(y, x)) / (2 * np.pi) * WAYS) % WAYS
            more = (0 if is_loose else 1, way, CLASSES.index(color))
            pieces.append((float(points[k, 2]), cells[k : k + 2], name, broad, more))
    for _, ends, name, broad, more in sorted(pieces, key=lambda piece: piece[0]):
        a, b = (tuple(int(v) for v in np.rint(end * 16)) for end in ends)
        for map_, value in zip((classes, hangs, ways, owners), (name, *more), strict=True):
            cv2.line(map_, a, b, value, max(1, round(broad)), cv2.LINE_8, 4)
    places = np.array([piece[1][0][::-1] for piece in pieces]).round().astype(np.int32)
    return Lesson(light.astype(np.float16), *(map_[::FINE, ::FINE] for map_ in (classes, hangs, ways, owners)), places)


def of_pictures(folder: Path, cameras: Sequence[str] | None = None) -> Iterator[Lesson]:
    """The lessons of path-traced tables; `cameras`: of these alone."""
    kit = default_kit("suspend")
    for path in sorted(folder.glob("*.json")):
        label = json.loads(path.read_text(encoding="utf-8"))
        if cameras is not None and label["camera_id"] not in cameras:
            continue
        picture = np.asarray(cv2.imread(str(path.with_suffix(".jpg"))), np.uint8)
        pose = find_pose(picture, lens_of(label), kit)
        rods = [(rod["colour"], np.array(rod["path_mm"]), bool(rod["loose"])) for rod in label["rods"]]
        yield lesson(_view(picture, pose, kit), kit, rods)


def of_virtual_tables(count: int, seed: int) -> Iterator[Lesson]:
    """The lessons of the virtual table: some rods hang, some lie about the stand, on mats of many colours."""
    kit, rng = default_kit("suspend"), np.random.default_rng(seed)
    for n in range(count):
        now = [0.0]
        color = MAT if n % 3 == 0 else tuple(int(v) for v in rng.integers(40, 220, 3))
        over = VirtualTable(
            kit,
            seats="ABCD"[: int(rng.integers(2, 5))],
            seed=int(rng.integers(1 << 30)),
            surface=Surface(color=(color[0], color[1], color[2])),
            clock=lambda now=now: now[0],  # type: ignore[misc]
            wait=lambda s, now=now: now.__setitem__(0, now[0] + s),  # type: ignore[misc]
        )
        ids = [str(rod["id"]) for rod in over.truth()["rods"]]
        for id in rng.permutation(ids)[: int(rng.integers(0, 9))]:
            over.hang(str(id))
        for id in rng.permutation(ids)[: int(rng.integers(0, 3))]:
            over.lay(str(id), "stand")
        over.roll(value=int(rng.integers(1, 7)), is_cocked=False)
        now[0] += 20.0
        picture = over.frame()
        assert picture is not None
        rods = [(r["color"], np.array(r["path_mm"]), not r["is_hung"]) for r in json.loads(over.saved())["rods"]]
        yield lesson(_view(picture, find_pose(picture, over.lens, kit), kit), kit, rods)


def _view(picture: NDArray[np.uint8], pose: Pose, kit: Kit) -> BoardView:
    box = (0.0, 0.0, kit.mat.width_mm, kit.mat.height_mm)
    return view_of(picture, pose, judge(picture, pose, kit), box, kit.piece("rod").size_mm("wire") * 0.85)


def _block(inputs: int, outputs: int, stride: int = 1, apart: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, stride, apart, apart, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(inplace=True),
    )


class Seer(nn.Module):
    """Roots of light (N, 3, H, W), H and W multiples of 8 -> (N, 13, H/2, W/2): logits of the classes and of
    "hangs", then where a wire leads (of twice the angle) and where a tip does, as cosine and sine."""

    def __init__(self) -> None:
        super().__init__()
        self.at2 = nn.Sequential(
            nn.Conv2d(3, 16, 4, 2, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU(inplace=True), _block(16, 16)
        )
        self.at4 = nn.Sequential(_block(16, 32, 2), _block(32, 32))
        self.at8 = nn.Sequential(_block(32, 48, 2), _block(48, 48), _block(48, 48, apart=2), _block(48, 48, apart=3))
        self.wide, self.mid = nn.Conv2d(48, 32, 1), _block(32, 32)
        self.fine, self.last = nn.Conv2d(32, 16, 1), _block(16, 24)
        self.head = nn.Conv2d(24, len(CLASSES) + 5, 1)
        self.up = nn.Upsample(scale_factor=2, mode="nearest")

    def forward(self, light: Tensor) -> Tensor:
        at2 = self.at2(light)
        at4 = self.at4(at2)
        at4 = self.mid(at4 + self.up(self.wide(self.at8(at4))))
        return self.head(self.last(at2 + self.up(self.fine(at4))))


def crops(lessons: Sequence[Lesson], rng: np.random.Generator) -> tuple[Tensor, ...]:
    """A batch of crops: roots of light, classes, what hangs, and where rods lead (cosine, sine)."""
    batch: list[tuple[NDArray[Any], ...]] = []
    for _ in range(BATCH):
        one = lessons[int(rng.integers(len(lessons)))]
        rows, columns = one.light.shape[:2]
        at = (
            one.places[int(rng.integers(len(one.places)))]
            if rng.random() < AT_A_ROD
            else rng.integers(0, (rows, columns))
        )
        corner = np.clip(at - rng.integers(0, CROP, 2), 0, (rows - CROP - 1, columns - CROP - 1)) // FINE * FINE
        r, c = int(corner[0]), int(corner[1])
        light = np.asarray(one.light[r : r + CROP, c : c + CROP], np.float32)
        half = (slice(r // FINE, (r + CROP) // FINE), slice(c // FINE, (c + CROP) // FINE))
        name, hang = one.classes[half], one.hangs[half]
        if rng.random() < LACQUERED:
            light = _lacquered(light, name, one.owners[half], rng)
        light = _varied(light, name, rng)
        turn, is_flipped = int(rng.integers(4)), rng.random() < 0.5
        maps = [np.rot90(map_, turn) for map_ in (light, name, hang, one.ways[half])]
        maps = [map_[:, ::-1] if is_flipped else map_ for map_ in maps]
        angle = maps[3] * (2 * np.pi / WAYS) - turn * np.pi / 2
        way = np.stack([np.cos(angle) * (-1 if is_flipped else 1), np.sin(angle)])
        batch.append((maps[0].transpose(2, 0, 1), maps[1].astype(np.int64), maps[2].astype(np.float32), way))
    return tuple(
        torch.from_numpy(np.stack(part).astype(kind))
        for part, kind in zip(zip(*batch, strict=True), KINDS, strict=True)
    )


def _lacquered(
    light: NDArray[np.float32], name: NDArray[np.uint8], owners: NDArray[np.uint8], rng: np.random.Generator
) -> NDArray[np.float32]:
    """A crop whose wires have the color of their tips, as far as it shows tips of that color."""
    some, is_wire = light[::FINE, ::FINE], name == CLASSES.index("wire")
    if not is_wire.any():
        return light
    gray = light.mean(axis=2, keepdims=True)
    usual = float(gray[::FINE, ::FINE][is_wire].mean()) + 0.01
    shine = np.clip(gray / usual, 1 / MOST_SHINE, MOST_SHINE) ** float(rng.uniform(0.3, 1.0))
    for color in np.unique(owners[is_wire]):
        is_tip = name == color
        if not is_tip.any():
            continue
        part = ((owners == color) & is_wire).astype(np.float32)
        mask = cv2.GaussianBlur(cv2.resize(part, light.shape[1::-1], interpolation=cv2.INTER_LINEAR), (0, 0), 0.7)
        paint = some[is_tip].mean(axis=0) * np.float32(rng.uniform(0.8, 1.15))
        light = light * (1 - mask[..., None]) + mask[..., None] * paint * shine
    return light.astype(np.float32)


def _varied(light: NDArray[np.float32], name: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.float32]:
    """A crop in other light, on a mat of another colour, through another camera."""
    if rng.random() < 0.6:
        mat = np.asarray(
            cv2.resize((name == 0).astype(np.float32), light.shape[1::-1], interpolation=cv2.INTER_NEAREST)
        )
        mat = cv2.GaussianBlur(mat, (0, 0), 1.0)[..., None]
        tint = np.exp(rng.normal(0, TINT, 3) * (0.5 if rng.random() < 0.5 else 1.0) + rng.normal(0, 0.3))
        some, is_tip = light[::FINE, ::FINE], name > 1
        if rng.random() < LIKE_A_TIP and is_tip.any() and (name == 0).any():
            tip, plain = some[name == rng.choice(name[is_tip])].mean(axis=0), some[name == 0].mean(axis=0)
            tint = (tip + 0.01) / (plain + 0.01) * np.exp(rng.normal(0, ALIKE, 3))
        light = light * (1 + mat * (tint.astype(np.float32) - 1))
        if rng.random() < 0.3:  # a weave or spots
            size = int(rng.integers(4, 60))
            grain = rng.normal(0, 0.12, (light.shape[0] // size + 2, light.shape[1] // size + 2)).astype(np.float32)
            light = light * (1 + mat * cv2.resize(grain, light.shape[1::-1], interpolation=cv2.INTER_CUBIC)[..., None])
    light = light * (rng.uniform(*DIM) * (1 + rng.normal(0, GAIN, 3))).astype(np.float32)
    if rng.random() < COARSE:
        share = rng.uniform(COARSEST, 0.9)
        small = cv2.resize(light, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
        light = cv2.resize(small, light.shape[1::-1], interpolation=cv2.INTER_CUBIC)
    elif rng.random() < 0.4:
        light = cv2.GaussianBlur(light, (0, 0), rng.uniform(0.4, 1.3))
    light = light + rng.normal(0, rng.uniform(0, NOISE), light.shape).astype(np.float32)
    return np.clip(light, 0, 1.2).astype(np.float32)


def train(
    lessons: Sequence[Lesson],
    minutes: float,
    seed: int = SEED,
    keep: Callable[[Seer], None] = lambda net: None,
    begun: Seer | None = None,
) -> Seer:
    """A network taught for so many minutes of processor time: the mean of its weights of late. `keep` is given it now
    and then; with `begun` it goes on from there."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    net = (begun or Seer()).train().to(memory_format=torch.channels_last)
    if begun is not None:  # what an ONNX file has of norms does nothing
        for module in net.modules():
            if isinstance(module, nn.BatchNorm2d):
                module.eval()
    highest = LEARN if begun is None else LEARN_ON
    mean_net = torch.optim.swa_utils.AveragedModel(
        net, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.99), use_buffers=True
    )
    optimizer = torch.optim.AdamW(net.parameters(), lr=LEARN, weight_decay=DECAY)
    weights = torch.tensor(WEIGHTS)
    began_s, step, mean = time.process_time(), 0, 0.0
    while (share := (time.process_time() - began_s) / (60 * minutes)) < 1:
        for group in optimizer.param_groups:
            group["lr"] = highest * min(1.0, step / 50) * (0.5 * (1 + np.cos(np.pi * share)) + 0.02)
        light, name, hang, way = crops(lessons, rng)
        said = net(light.to(memory_format=torch.channels_last))
        loss = nn.functional.cross_entropy(said[:, : len(CLASSES)], name, weights)
        at_tips, at_rods = name > 1, name > 0
        if bool(at_tips.any()):  # a tip is one cell of 200: by itself its colour is hardly heard
            colors = said[:, 2 : len(CLASSES)].permute(0, 2, 3, 1)[at_tips]
            loss = loss + OF_COLORS * nn.functional.cross_entropy(colors, name[at_tips] - 2)
            hung = nn.functional.binary_cross_entropy_with_logits(said[:, len(CLASSES)][at_rods], hang[at_rods])
            cos, sin = way[:, 0], way[:, 1]
            twice = torch.stack([cos * cos - sin * sin, 2 * cos * sin], 1)
            off_wire = (said[:, -4:-2] - twice).square().sum(1)[at_rods].mean()
            off_tip = (said[:, -2:] - way).square().sum(1)[at_tips].mean()
            loss = loss + OF_HANGING * hung + OF_WAYS * (off_wire + off_tip)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        mean_net.update_parameters(net)
        mean += (loss.item() - mean) * (0.02 if step else 1.0)
        step += 1
        if step % EVERY == 0:
            print(f"step {step}  share {share:.2f}  loss {mean:.4f}", flush=True)
            keep(mean_net.module.eval())
    return mean_net.module.eval()


def main(argv: Sequence[str] | None = None) -> int:
    """Exit status 0; a wrong call ends with 2."""
    parser = argparse.ArgumentParser(prog="python -m bench.train.rods", description=__doc__)
    parser.add_argument("--tables", type=Path, required=True, help="path-traced pictures with labels")
    parser.add_argument("--cameras", help="of these cameras alone, with commas")
    parser.add_argument("--virtual", type=int, default=24, help="so many tables of the virtual camera")
    parser.add_argument("--minutes", type=float, default=18)
    parser.add_argument("--begin", type=Path, help="a network to go on from")
    parser.add_argument("-o", "--out", type=Path, required=True, help="folder of the models")
    asked = parser.parse_args(argv)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    lessons = list(of_pictures(asked.tables, asked.cameras and asked.cameras.split(",")))
    lessons += of_virtual_tables(asked.virtual, SEED)
    print(f"{len(lessons)} tables", flush=True)
    out = asked.out / "rods.onnx"
    begun = asked.begin and of_file(asked.begin, Seer(), torch.zeros(1, 3, 64, 64))
    net = train(lessons, asked.minutes, begun=begun, keep=lambda net: write(net, out))
    write(net, out)
    return 0


def write(net: Seer, path: Path) -> None:
    """The network as ONNX, of any size."""
    free: dict[int, Any] = {2: "h", 3: "w"}
    torch.onnx.export(
        net.to(memory_format=torch.contiguous_format),
        (torch.zeros(1, 3, 64, 64),),
        str(path),
        dynamo=False,
        opset_version=17,
        input_names=["light"],
        output_names=["said"],
        dynamic_axes={"light": free, "said": free},
    )


if __name__ == "__main__":
    sys.exit(main())
