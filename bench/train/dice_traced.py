"""Lessons of traced scenes for `bench.train.dice_context`: pictures as telephones make them, and finds cut out of them.

All of it stays on one device: 64,000 scenes, 465,000 finds, took two minutes on an H200, 35 GB.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from bench.train import dice_rays
from bench.train.dice_blocks import scene
from bench.train.dice_context_lessons import PIECE_PX, REACHES
from bench.train.dice_prints import Prints, ground, prints
from bench.train.dice_rays import ROOMS, SIDE_PX
from bench.train.nets import Draws, soft
from vision.dice_face import CROP_PX

ROOM_PX = (128, 256)
GROUNDS, PRINTS, CHUNK, SAMPLES = 1600, 3200, 128, 96
SHRUNK = (1.6, 3.2)
"""Pixels of the picture to one of a piece, from which it is halved first, and from which halved twice."""
STRAY = 0.16
"""A pixel that differs more from its neighbours was struck by a stray ray."""


@dataclass(frozen=True, slots=True)
class Traced:
    """Finds as `bench.train.dice_context_lessons.Lesson` has them, red, green, blue, (N, PIECE_PX, PIECE_PX, 3)."""

    near: Tensor
    far: Tensor
    is_die: Tensor
    can_roll: Tensor


class Developed(Draws):
    """What telephones make of linear light, as `bench.train.dice_rooms.developed` does it, on the device."""

    def __call__(self, light: Tensor) -> Tensor:
        """(N, H, W, 3) -> (N, 3, H, W), 0 to 1."""
        shown = light.permute(0, 3, 1, 2)
        n = len(shown)
        levels = shown[:, :, ::4, ::4].reshape(n, -1)
        is_bright = self._uniform((n,)) < 0.6
        bright = torch.where(is_bright, levels.quantile(0.9, 1), levels.quantile(0.97, 1))[:, None, None, None] + 1e-6
        shown = shown / bright * self._uniform((n, 1, 1, 1), 0.45, 0.95) * (1 + 0.04 * self._normal((n, 3, 1, 1)))
        shown = shown.clamp(min=0)
        shown = (shown / (1 + 0.35 * shown) * 1.25).clamp(0, 1) ** (1 / self._uniform((n, 1, 1, 1), 1.9, 2.5))
        calm = median(shown)
        shown = torch.where((shown - calm).abs().amax(1, keepdim=True) > STRAY, calm, shown)
        for share, changed in ((0.6, smoothed), (0.5, self._blurred), (0.5, self._sharpened)):
            some = (self._uniform((n,)) < share).nonzero()[:, 0]
            if len(some):
                shown = shown.index_copy(0, some, changed(shown[some]))
        noise = torch.tensor([0.003, 0.01, 0.02], device=self.device)[(self._uniform((n,)) * 3).long()]
        return (shown + noise[:, None, None, None] * self._normal(shown.shape)).clamp(0, 1)

    def _blurred(self, shown: Tensor) -> Tensor:
        return soft(shown, float(self._uniform((), 0.4, 1.0)))

    def _sharpened(self, shown: Tensor) -> Tensor:
        return shown + float(self._uniform((), 0.3, 1.0)) * (shown - soft(shown, 1.2))


def _neighbours(shown: Tensor, reach: int) -> list[Tensor]:
    padded = functional.pad(shown, (reach,) * 4, "replicate")
    h, w = shown.shape[2:]
    side = 2 * reach + 1
    return [padded[:, :, y : y + h, x : x + w] for y in range(side) for x in range(side)]


def median(shown: Tensor) -> Tensor:
    """Of each pixel and its eight neighbours."""
    return torch.stack(_neighbours(shown, 1)).median(0)[0]


def smoothed(shown: Tensor, spread: float = 0.06) -> Tensor:
    """Without grain, edges kept: C. Tomasi, R. Manduchi, Bilateral Filtering for Gray and Color Images, 1998."""
    near = [(n, torch.exp(-((n - shown) ** 2).mean(1, keepdim=True) / (2 * spread**2))) for n in _neighbours(shown, 2)]
    total: Any = sum(share for _, share in near)
    return sum(n * share for n, share in near) / total


def pieces(pictures: Tensor, places: Tensor, reach: float) -> Tensor:
    """Squares `reach` sides broad at CROP_PX, PIECE_PX large, (N, PIECE_PX, PIECE_PX, 3) bytes.

    `places`, (N, 4): the number of the picture (of `pictures`, (M, 3, H, W)), x, y and side in pixels.
    """
    cut = torch.empty(len(places), PIECE_PX, PIECE_PX, 3, dtype=torch.uint8, device=pictures.device)
    step = reach * places[:, 3] / CROP_PX
    halved = [functional.avg_pool2d(pictures, 2**k) if k else pictures for k in range(len(SHRUNK) + 1)]
    level = sum((step > at).long() for at in SHRUNK)
    line = torch.arange(PIECE_PX, device=pictures.device) - (PIECE_PX - 1) / 2
    for k, shown in enumerate(halved):
        for some in (level == k).nonzero()[:, 0].split(256):
            x, y = ((places[some, j, None] + line * step[some, None] + 0.5) / SIDE_PX * 2 - 1 for j in (1, 2))
            grid = torch.stack([x[:, None, :].expand(-1, PIECE_PX, -1), y[:, :, None].expand(-1, -1, PIECE_PX)], -1)
            seen = functional.grid_sample(
                shown[places[some, 0].long()], grid, "bilinear", "border", align_corners=False
            )
            cut[some] = (seen * 255 + 0.5).to(torch.uint8).permute(0, 2, 3, 1)
    return cut


def rooms_of(folder: Path) -> dice_rays.Floats:
    """The light of ROOMS, (n, *ROOM_PX, 3), from equirectangular .exr files. Needs mitsuba (extra `train`)."""
    import mitsuba as mi

    mi.set_variant("scalar_rgb")
    kinds = (mi.Bitmap.PixelFormat.RGB, mi.Struct.Type.Float32)
    light = [np.array(mi.Bitmap(str(folder / f"{name}.exr")).convert(*kinds)) for name in ROOMS]
    return dice_rays.evened(np.stack([cv2.resize(one, ROOM_PX[::-1], interpolation=cv2.INTER_AREA) for one in light]))


def _ground(seed: int) -> np.ndarray:
    return ground(np.random.default_rng((seed, 11)))


def _scenes(shown: Prints, grounds: int, chunk: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scenes, things, and places: (number, x, y, side px, is a die, can be turned)."""
    rng = np.random.default_rng((seed, 13))
    made = [scene(rng, shown, grounds, len(ROOMS)) for _ in range(chunk)]
    places = [(k, *spot, can_roll) for k, (_, _, spots, can_roll) in enumerate(made) for spot in spots]
    return np.stack([m[0] for m in made]), np.stack([m[1] for m in made]), np.array(places, np.float32)


def traced(
    count: int, light: dice_rays.Floats, device: str, processes: int = 1, *, grounds: int = GROUNDS,
    printed: int = PRINTS, chunk: int = CHUNK, samples: int = SAMPLES,
) -> Traced:  # fmt: skip
    """The finds of so many scenes, in chunks; the same count gives the same scenes."""
    rows, columns = dice_rays.sums_of(light)
    shown, developed = prints(printed), Developed(0, device)

    def there(array: np.ndarray) -> Tensor:
        plain = array.view(np.float32).reshape(len(array), -1) if array.dtype.names else array
        return torch.from_numpy(np.ascontiguousarray(plain)).to(device)

    lots = []
    with ProcessPoolExecutor(processes) as pool:
        all_grounds = np.stack(list(pool.map(_ground, range(grounds), chunksize=8)))
        kept = [all_grounds, shown.pictures, light, rows, columns]
        world = dict(zip(("grounds", "prints", "rooms", "rows", "columns"), map(there, kept), strict=True))
        world["light"] = torch.zeros(chunk, SIDE_PX, SIDE_PX, 3, device=device)
        for some, things, places in pool.map(partial(_scenes, shown, grounds, chunk), range(count // chunk)):
            world["scenes"], world["things"] = there(some), there(things)
            addresses = {name: tensor.data_ptr() for name, tensor in world.items()}
            if device != "cpu":
                torch.cuda.synchronize()
            dice_rays.trace(chunk, addresses, light.shape[1:3], samples, on_gpu=device != "cpu")
            pictures, where = developed(world["light"].nan_to_num()), there(places)
            cut = [pieces(pictures, where[:, :4], reach) for reach in REACHES]
            lots.append((*cut, where[:, 4], where[:, 5] > 0))
    return Traced(*(torch.cat(one) for one in zip(*lots, strict=True)))
