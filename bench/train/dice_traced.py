"""Pictures of traced scenes as telephones make them, with the dice in them, on one device."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from bench.train import dice_rays
from bench.train.dice_album import SEEN, Album, album_of
from bench.train.dice_blocks import scene
from bench.train.dice_prints import Prints, ground, prints
from bench.train.dice_rays import MOST, ROOMS, SIDE_PX
from bench.train.nets import Draws, soft

ROOM_PX = (128, 256)
GROUNDS, PRINTS, CHUNK, SAMPLES = 1600, 3200, 128, 64
STRAY = 0.16
"""Maximum difference of a pixel from its neighbours; a larger one comes from a stray ray."""
BLEACHED = 0.15
"""Share of pictures exposed too long: white dice lose their edges."""


class Developed(Draws):
    """A telephone's picture of linear light, as in `bench.train.dice_rooms.developed`, on the device."""

    def __call__(self, light: Tensor) -> Tensor:
        """(N, H, W, 3) -> (N, 3, H, W), 0 to 1."""
        shown = light.permute(0, 3, 1, 2)
        n = len(shown)
        levels = shown[:, :, ::4, ::4].reshape(n, -1)
        is_bright = self._uniform((n,)) < 0.6
        bright = torch.where(is_bright, levels.quantile(0.9, 1), levels.quantile(0.97, 1)) + 1e-6
        gain = torch.where(
            self._uniform((n,)) < BLEACHED, self._uniform((n,), 0.95, 1.8), self._uniform((n,), 0.45, 0.95)
        )
        shown = shown * (gain / bright)[:, None, None, None] * (1 + 0.04 * self._normal((n, 3, 1, 1)))
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
    """The median of each pixel and its eight neighbours."""
    return torch.stack(_neighbours(shown, 1)).median(0)[0]


def smoothed(shown: Tensor, spread: float = 0.06) -> Tensor:
    """Without grain, edges kept: C. Tomasi, R. Manduchi, Bilateral Filtering for Gray and Color Images, 1998."""
    near = [(n, torch.exp(-((n - shown) ** 2).mean(1, keepdim=True) / (2 * spread**2))) for n in _neighbours(shown, 2)]
    total: Any = sum(share for _, share in near)
    return sum(n * share for n, share in near) / total


def rooms_of(folder: Path) -> dice_rays.Floats:
    """The light of ROOMS, (n, *ROOM_PX, 3): of a folder of equirectangular .exr files, which needs mitsuba (extra
    `train`), or of an .npz that holds these arrays."""
    if folder.suffix == ".npz":
        kept = np.load(folder)
        return dice_rays.evened(np.stack([kept[name].astype(np.float32) for name in ROOMS]))
    import mitsuba as mi

    mi.set_variant("scalar_rgb")
    kinds = (mi.Bitmap.PixelFormat.RGB, mi.Struct.Type.Float32)
    light = [np.array(mi.Bitmap(str(folder / f"{name}.exr")).convert(*kinds)) for name in ROOMS]
    return dice_rays.evened(np.stack([cv2.resize(one, ROOM_PX[::-1], interpolation=cv2.INTER_AREA) for one in light]))


def _ground(seed: int) -> np.ndarray:
    cv2.setNumThreads(1)
    return ground(np.random.default_rng((seed, 11)))


Scenes = tuple[np.ndarray, np.ndarray, list[np.ndarray], list[bool]]


def _scenes(shown: Prints, grounds: int, chunk: int, seed: int) -> Scenes:
    """Scenes, things, dice and whether each picture can be turned."""
    rng = np.random.default_rng((seed, 13))
    made = [scene(rng, shown, grounds, len(ROOMS)) for _ in range(chunk)]
    return np.stack([m[0] for m in made]), np.stack([m[1] for m in made]), [m[2] for m in made], [m[3] for m in made]


def _seen(dice: list[np.ndarray], first: Tensor, every: Tensor) -> list[Tensor]:
    """Rows of `Album.dice`, of dice told by `bench.train.dice_blocks.scene` and what each pixel shows."""
    shares = []
    for thing in range(MOST):
        whole = (every >> thing) & 1
        shares.append(((first == thing) * whole).sum((1, 2)) / whole.sum((1, 2)).clamp(min=1))
    seen = torch.stack(shares, 1).cpu()
    rows = [torch.from_numpy(some[:, 1:7].astype(np.float32)) for some in dice]
    for row, share, some in zip(rows, seen, dice, strict=True):
        row[:, SEEN] = share[some[:, 0].astype(int)]
    return rows


def traced(
    count: int, light: dice_rays.Floats, device: str, pool: Executor, *, grounds: int = GROUNDS, printed: int = PRINTS,
    chunk: int = CHUNK, samples: int = SAMPLES,
) -> Iterator[Album]:  # fmt: skip
    """Albums of `count` scenes in chunks, their source "traced"; the same count gives the same scenes."""
    laid_out = pool.map(_ground, range(grounds), chunksize=8)  # processes begin before the device is touched
    shown = prints(printed)
    bare = replace(shown, pictures=shown.pictures[:, :0, :0])
    made = pool.map(partial(_scenes, bare, grounds, chunk), range(count // chunk))
    all_grounds, developed = np.stack(list(laid_out)), Developed(0, device)

    def there(array: np.ndarray) -> Tensor:
        plain = array.view(np.float32).reshape(len(array), -1) if array.dtype.names else array
        return torch.from_numpy(np.ascontiguousarray(plain)).to(device)

    kept = [all_grounds, shown.pictures, light, *dice_rays.sums_of(light)]
    world = dict(zip(("grounds", "prints", "rooms", "rows", "columns"), map(there, kept), strict=True))
    world["light"] = torch.zeros(chunk, SIDE_PX, SIDE_PX, 3, device=device)
    world["first"] = torch.zeros(chunk, SIDE_PX, SIDE_PX, device=device, dtype=torch.uint8)
    world["all"] = torch.zeros(chunk, SIDE_PX, SIDE_PX, device=device, dtype=torch.int32)
    for scenes, things, dice, can_roll in made:
        world["scenes"], world["things"] = there(scenes), there(things)
        addresses = {name: tensor.data_ptr() for name, tensor in world.items()}
        if device != "cpu":
            torch.cuda.synchronize()
        dice_rays.trace(chunk, addresses, light.shape[1:3], samples, on_gpu=device != "cpu")
        pictures = (developed(world["light"].nan_to_num()) * 255 + 0.5).to(torch.uint8).permute(0, 2, 3, 1)
        rows = _seen(dice, world["first"], world["all"])
        yield album_of([pictures], rows, torch.tensor(can_roll), "traced")
