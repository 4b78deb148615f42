"""Trains the network that finds wires and tips of rods: `python -m bench.train.rods --tables DIR -o vision/models/`.

`--tables` has path-traced pictures with exact labels (NAME.jpg, NAME.json); the virtual table's own are added. Each is
shown straight from above as the reader sees it. Every cell is labelled as mat, wire, or tip of a colour, with whether
that rod is loose or hangs. Mats are tinted at random in training, so that a rod's colour does not depend on the mat.
`--device cuda` trains on an accelerator; the random changes are made there too.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from bench.harness import labels_in
from bench.train.nets import Draws, by_minutes, export, soft, trained
from bench.train.rods_lessons import WAYS, Lesson, of_picture, of_virtual_table
from bench.train.rods_net import Seer
from companion.game.brought import default_kit
from vision.tables.board.limits import LIMITS as BOARD_LIMITS
from vision.tables.board.view import CELL_MM
from vision.tables.rods.limits import LIMITS
from vision.tables.rods.tips import CLASSES

CROP, AROUND, BATCH, SEED = 192, 272, 48, 1
"""Side of a crop, in cells; side of the larger cut-out that is turned before it is cropped."""
LEARN, DECAY, KEPT = 2e-3, 1e-2, 0.998
WEIGHTS = (0.3, 1.0, *[2.0] * 6)
"""Weight of a cell in the loss, by class."""
OF_COLORS, OF_HANGING, OF_WAYS = 1.0, 1.5, 0.5
"""Weights of tip colours, hanging rods and wire directions in the loss, relative to the classes."""
AT_A_ROD, BY_THE_STAND, STAND_MM, TURNED = 0.9, 0.4, 160.0, 0.5
"""Share of crops centred on a rod. Among these, share centred this near to the stand, where hanging and fallen rods are
hard to distinguish. Share of crops turned by any angle."""
GAIN, TINT, NOISE, DIM = 0.06, 0.5, 0.05, (0.6, 1.25)
MATS, GRAINED = 0.6, 0.3
"""The shares of crops whose mats are tinted, and that get a weave or spots."""
LIKE_A_TIP, ALIKE = 0.3, 0.15
"""Share of tinted mats with nearly a tip's color, and how nearly: orange tips on orange wood were missed."""
LACQUERED, MOST_SHINE = 0.3, 1.7
"""Share of crops with wires in their tips' color; limit (factor) of the light and dark that such a wire keeps."""
COARSE, COARSEST, BLURRED, SHARPENED = 0.35, 0.42, 0.3, 0.2
"""Share of crops at a farther camera's resolution, minimum scale, shares of blurred and of sharpened crops."""
SHADED, SHADE = 0.4, 0.25


class RodLessons:
    """All lessons on one device, to be cut out of."""

    def __init__(self, lessons: Sequence[Lesson], device: str) -> None:
        def all_of(name: str) -> Tensor:
            return torch.from_numpy(np.stack([getattr(one, name) for one in lessons])).to(device)

        self.light = all_of("light").permute(0, 3, 1, 2)
        self.maps = [all_of(name) for name in ("classes", "hangs", "ways", "owners")]
        self.places, self.device = [one.places for one in lessons], device
        stand_mm = np.array(default_kit("suspend").mat.areas_mm["stand_mm"]).reshape(2, 2).mean(axis=0)
        middle = (stand_mm[::-1] + BOARD_LIMITS.around_board_mm) / CELL_MM
        self.by_stand = [at[np.linalg.norm(at - middle, axis=1) * CELL_MM < STAND_MM] for at in self.places]

    def batch(self, rng: np.random.Generator, count: int) -> tuple[Tensor, ...]:
        """`count` crops, turned: light (N, 3, CROP, CROP); classes, hanging, ways (N, 2, ...) and owners at half of
        that."""
        light, maps = [], []
        rows, columns = self.light.shape[2:]
        for _ in range(count):
            k = int(rng.integers(len(self.places)))
            places = self.by_stand[k] if len(self.by_stand[k]) and rng.random() < BY_THE_STAND else self.places[k]
            at = places[int(rng.integers(len(places)))]
            if rng.random() > AT_A_ROD:
                at = rng.integers(0, (rows, columns))
            corner = at - AROUND // 2 + rng.integers(-CROP // 2, CROP // 2, 2)
            r, c = (
                int(v)
                for v in np.clip(corner, 0, (rows - AROUND - 1, columns - AROUND - 1))
                // LIMITS.cells_per_answer
                * LIMITS.cells_per_answer
            )
            light.append(self.light[k, :, r : r + AROUND, c : c + AROUND])
            half = (
                slice(r // LIMITS.cells_per_answer, (r + AROUND) // LIMITS.cells_per_answer),
                slice(c // LIMITS.cells_per_answer, (c + AROUND) // LIMITS.cells_per_answer),
            )
            maps.append(torch.stack([map_[k][half] for map_ in self.maps]))
        angle = np.pi / 2 * rng.integers(0, 4, count)
        angle = angle + (rng.random(count) < TURNED) * rng.uniform(-np.pi / 4, np.pi / 4, count)
        flip = np.where(rng.random(count) < 0.5, -1.0, 1.0)
        cos, sin = np.cos(angle), np.sin(angle)
        turns = np.stack([np.stack([cos * flip, -sin], 1), np.stack([sin * flip, cos], 1)], 1)
        return self._turned(torch.stack(light).float(), torch.stack(maps), torch.from_numpy(turns).float())

    def _turned(self, light: Tensor, maps: Tensor, turns: Tensor) -> tuple[Tensor, ...]:
        """Turned crops. `turns` (N, 2, 2) map places of the crop to places of the cut-out."""
        turns = turns.to(self.device)
        affine = torch.cat([turns * (CROP / AROUND), torch.zeros(len(turns), 2, 1, device=self.device)], 2)

        def through(shown: Tensor, size: int, mode: str) -> Tensor:
            grid = functional.affine_grid(affine, [len(shown), shown.shape[1], size, size], align_corners=False)
            return functional.grid_sample(shown, grid, mode, "border", align_corners=False)

        told = through(maps.float(), CROP // LIMITS.cells_per_answer, "nearest").round()
        name, hangs, ways, owners = told.unbind(1)
        angle = ways * (2 * np.pi / WAYS)
        way = torch.einsum("nij,njhw->nihw", turns.transpose(1, 2), torch.stack([angle.cos(), angle.sin()], 1))
        return through(light, CROP, "bilinear"), name.long(), hangs, way, owners.long()


class Varied(Draws):
    """Crops in other light, on other mats, of other wires, through other cameras."""

    def __call__(self, light: Tensor, name: Tensor, owners: Tensor) -> Tensor:
        """Light (N, 3, H, W), classes and owners (N, H/2, W/2) -> light."""
        light = self._lacquered(light, name, owners)
        light = self._on_other_mats(light, name)
        light = self._lit(light)
        light = self._through_another_camera(light)
        noise = NOISE * self._uniform((len(light), 1, 1, 1))
        return (light + noise * self._normal(light.shape)).clamp(0, LIMITS.max_light)

    def _some(self, count: int, share: float) -> Tensor:
        return self._uniform((count, 1, 1, 1)) < share

    def _lacquered(self, light: Tensor, name: Tensor, owners: Tensor) -> Tensor:
        """Gives some wires the color of their tips, if tips of that color are in the crop."""
        some, is_wire = (
            light[:, :, :: LIMITS.cells_per_answer, :: LIMITS.cells_per_answer],
            (name == CLASSES.index("wire"))[:, None],
        )
        usual = (some.mean(1, keepdim=True) * is_wire).sum((2, 3), keepdim=True)
        usual = usual / is_wire.sum((2, 3), keepdim=True).clamp(min=1) + 0.01
        power = self._uniform((len(light), 1, 1, 1), 0.3, 1.0)
        shine = (light.mean(1, keepdim=True) / usual).clamp(1 / MOST_SHINE, MOST_SHINE) ** power
        at = self._some(len(light), LACQUERED)
        for color in range(2, len(CLASSES)):
            is_tip = (name == color)[:, None]
            count = is_tip.sum((2, 3), keepdim=True)
            paint = (some * is_tip).sum((2, 3), keepdim=True) / count.clamp(min=1)
            paint = paint * self._uniform((len(light), 1, 1, 1), 0.8, 1.15)
            part = ((owners == color)[:, None] & is_wire & at & (count > 0)).float()
            mask = soft(functional.interpolate(part, scale_factor=LIMITS.cells_per_answer, mode="bilinear"), 0.7)
            light = light * (1 - mask) + mask * paint * shine
        return light

    def _on_other_mats(self, light: Tensor, name: Tensor) -> Tensor:
        n = len(light)
        is_mat = (name == 0)[:, None]
        mat = soft(functional.interpolate(is_mat.float(), scale_factor=LIMITS.cells_per_answer), 1.0)
        weak = torch.where(self._some(n, 0.5), 0.5, 1.0)
        tint = (self._normal((n, 3, 1, 1)) * TINT * weak + 0.3 * self._normal((n, 1, 1, 1))).exp()
        some = light[:, :, :: LIMITS.cells_per_answer, :: LIMITS.cells_per_answer]
        plain = (some * is_mat).sum((2, 3), keepdim=True) / is_mat.sum((2, 3), keepdim=True).clamp(min=1)
        which = torch.randint(2, len(CLASSES), (n, 1, 1, 1), generator=self.random, device=self.device)
        is_tip = name[:, None] == which
        count = is_tip.sum((2, 3), keepdim=True)
        tip = (some * is_tip).sum((2, 3), keepdim=True) / count.clamp(min=1)
        alike = (tip + 0.01) / (plain + 0.01) * (ALIKE * self._normal((n, 3, 1, 1))).exp()
        tint = torch.where(self._some(n, LIKE_A_TIP) & (count > 0), alike, tint)
        at = self._some(n, MATS)
        light = light * (1 + mat * at * (tint - 1))
        size = int(self._uniform((), 4, 60).item())
        grain = 0.12 * self._normal((n, 1, CROP // size + 2, CROP // size + 2))
        grain = functional.interpolate(grain, size=light.shape[2:], mode="bicubic")
        return light * (1 + mat * (at & self._some(n, GRAINED)) * grain)

    def _lit(self, light: Tensor) -> Tensor:
        n = len(light)
        shade = functional.interpolate(SHADE * self._normal((n, 1, 3, 3)), size=light.shape[2:], mode="bicubic")
        light = light * torch.where(self._some(n, SHADED), shade.exp(), 1.0)
        return light * self._uniform((n, 1, 1, 1), *DIM) * (1 + GAIN * self._normal((n, 3, 1, 1)))

    def _through_another_camera(self, light: Tensor) -> Tensor:
        n, size = len(light), light.shape[2:]
        share = float(self._uniform((), COARSEST, 0.9))
        small = functional.interpolate(light, scale_factor=share, mode="bilinear", antialias=True)
        coarse = functional.interpolate(small, size=size, mode="bicubic")
        kind = self._uniform((n, 1, 1, 1))
        blurred = soft(light, float(self._uniform((), 0.4, 1.3)))
        told = torch.where(kind < COARSE, coarse, torch.where(kind < COARSE + BLURRED, blurred, light))
        sharp = told + float(self._uniform((), 0.2, 0.8)) * (told - soft(told, 1.2))
        return torch.where(self._some(n, SHARPENED), sharp, told)


def loss_of(said: Tensor, name: Tensor, hang: Tensor, way: Tensor) -> Tensor:
    """The loss: how far the network's output is from the labels."""
    many = len(CLASSES)
    loss = functional.cross_entropy(said[:, :many], name, torch.tensor(WEIGHTS, device=said.device))
    at_tips, at_rods = name > 1, name > 0
    # a tip is one cell of 200: so its colour needs its own weight
    colors = said[:, 2:many].permute(0, 2, 3, 1)[at_tips]
    loss = loss + OF_COLORS * functional.cross_entropy(colors, name[at_tips] - 2)
    hung = functional.binary_cross_entropy_with_logits(said[:, many][at_rods], hang[at_rods])
    cos, sin = way[:, 0], way[:, 1]
    twice = torch.stack([cos * cos - sin * sin, 2 * cos * sin], 1)
    off_wire = (said[:, -4:-2] - twice).square().sum(1)[at_rods].mean()
    off_tip = (said[:, -2:] - way).square().sum(1)[at_tips].mean()
    return loss + OF_HANGING * hung + OF_WAYS * (off_wire + off_tip)


def train(
    lessons: Sequence[Lesson],
    minutes: float,
    device: str = "cpu",
    rate: float = LEARN,
    batch: int = BATCH,
    keep: Callable[[Seer], None] = lambda net: None,
    begun: Seer | None = None,
) -> Seer:
    """A network trained for `minutes`: the mean of its recent weights. `keep` gets it from time to time; `begun` is the
    network to start from."""
    torch.manual_seed(SEED)
    rng, all_lessons, varied = np.random.default_rng(SEED), RodLessons(lessons, device), Varied(SEED, device)

    def batches() -> Iterator[tuple[Tensor, tuple[Tensor, ...]]]:
        while True:
            light, name, hang, way, owners = all_lessons.batch(rng, batch)
            yield varied(light, name, owners), (name, hang, way)

    given = {"rate": rate, "decay": DECAY, "kept": KEPT, "device": device, "name": "rods", "keep": keep}
    return trained(begun or Seer(), batches(), by_minutes(minutes), lambda said, want: loss_of(said, *want), **given)


def main(argv: Sequence[str] | None = None) -> int:
    """Exit status 0; a wrong call ends with 2."""
    parser = argparse.ArgumentParser(prog="python -m bench.train.rods", description=__doc__)
    parser.add_argument("--tables", type=Path, required=True, nargs="+", help="path-traced pictures with labels")
    parser.add_argument("--virtual", type=int, default=48, help="so many tables of the virtual camera")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--begin", type=Path, help="weights (a .pt file) to go on from")
    parser.add_argument("--rate", type=float, default=LEARN, help="how fast it learns at most")
    parser.add_argument("--batch", type=int, default=BATCH)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--processes", type=int, default=1, help="that see the tables")
    parser.add_argument("-o", "--out", type=Path, required=True, help="folder of the models")
    asked = parser.parse_args(argv)
    cv2.setNumThreads(1)
    labels = {path: label for folder in asked.tables for path, label in labels_in(folder, "*.json").items()}
    with ProcessPoolExecutor(asked.processes) as pool:
        told = [
            *pool.map(of_picture, labels.keys(), labels.values()),
            *pool.map(of_virtual_table, range(asked.virtual)),
        ]
    lessons = [one for one in told if one is not None]
    print(f"{len(lessons)} tables", flush=True)
    begun = None
    if asked.begin:
        begun = Seer()
        begun.load_state_dict(torch.load(asked.begin, map_location=asked.device))

    def keep(net: Seer) -> None:
        torch.save(net.state_dict(), asked.out / "rods.pt")

    net = train(lessons, asked.minutes, asked.device, asked.rate, asked.batch, keep, begun)
    keep(net)
    export(net, (3, 64, 64), asked.out / "rods.onnx", of_any_size=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
