"""Labelled pictures of all sizes on one device. Squares of any size, turned and slanted, can be cut out."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from bench.train.compiled import compiled
from bench.train.dice_data import Sample
from vision.photo.dice.limits import LIMITS

SOURCE = Path(__file__).with_name("dice_cut.cu")
LEVELS = 4
ABSENT = -1.0
"""The value in unused rows of `Album.dice`."""
X, Y, WIDTH, HEIGHT, VALUE, SEEN = range(6)


@dataclass(slots=True)
class Album:
    """Pictures with the dice in them.

    pixels: (all pixels, 3) red, green, blue bytes of all pictures, whole, halved, ...; starts, sizes: where each
    picture's begin, (n, LEVELS), and its width and height there, (n, LEVELS, 2). dice: (n, most, 6): x, y, width,
    height, value, seen; see `ABSENT`. can_roll, source: (n,), whether it may be turned, and the number of its source.
    """

    pixels: Tensor
    starts: Tensor
    sizes: Tensor
    dice: Tensor
    can_roll: Tensor
    source: Tensor
    sources: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.starts)

    def of(self, *sources: str) -> Tensor:
        """The numbers of the pictures of these sources."""
        picked = [self.sources.index(name) for name in sources if name in self.sources]
        return torch.isin(self.source, torch.tensor(picked, device=self.source.device)).nonzero()[:, 0]

    def cut(self, which: Tensor, back: Tensor, side: int) -> Tensor:
        """Squares of pictures `which` (n,), (n, 3, side, side) 0 to 1; beyond a picture its border is repeated.

        `back` (n, 2, 3): brings a square's pixels to the picture's.
        """
        shown = torch.empty(len(which), 3, side, side, device=back.device)
        arrays = [a.contiguous() for a in (self.pixels, self.starts, self.sizes, which, back.float(), shown)]
        job = _Job(
            *(a.data_ptr() for a in arrays), len(which), side, LEVELS, (ctypes.c_float * 8)(*LIMITS.halving_steps)
        )
        error = _library(back.device.type != "cpu").cut(job) if len(which) else 0
        if error:
            raise RuntimeError(f"The GPU stopped cutting with CUDA's error {error}.")
        return shown


class _Job(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("pixels", "starts", "sizes", "which", "back", "out")),
        *((name, ctypes.c_int) for name in ("squares", "side", "levels")), ("shrunk", ctypes.c_float * 8),
    )  # fmt: skip


@cache
def _library(on_gpu: bool) -> ctypes.CDLL:
    found = compiled(SOURCE, on_gpu)
    found.cut.argtypes = [_Job]
    return found


def places(back: Tensor, side: int) -> tuple[Tensor, Tensor]:
    """x and y, each (n, side, side), of a square's pixels in their picture."""
    line = torch.arange(side, device=back.device, dtype=back.dtype)
    a = back[:, :, :, None, None]
    x, y = (a[:, k, 0] * line[None, None, :] + a[:, k, 1] * line[None, :, None] + a[:, k, 2] for k in (0, 1))
    return x, y


def inverted(warp: Tensor) -> Tensor:
    """The transforms (n, 2, 3) that undo these."""
    turned = torch.linalg.inv(warp[:, :, :2])
    return torch.cat([turned, -turned @ warp[:, :, 2:]], 2)


def seen_part(rows: Tensor, width: Tensor | float, height: Tensor | float) -> Tensor:
    """The visible parts of dice (..., 4 or more) that a picture's edge cuts off, as photographs' labels give them."""
    end = torch.stack([torch.as_tensor(length, device=rows.device) for length in (width, height)], -1).to(rows)
    middle, half = rows[..., :2], rows[..., [WIDTH, HEIGHT]] / 2
    low, high = (torch.minimum((middle + side * half).clamp(min=0), end) for side in (-1, 1))
    return torch.cat([(low + high) / 2, high - low, rows[..., 4:]], -1)


def inside_of(rows: Tensor, width: Tensor | float, height: Tensor | float) -> Tensor:
    """The share of each die's box, (n, k), inside a picture of this size."""
    sides = [WIDTH, HEIGHT]
    return (seen_part(rows, width, height)[..., sides] / rows[..., sides].clamp(min=1e-6)).prod(-1)


def album_of(pictures: Sequence[Tensor], dice: Sequence[Tensor], can_roll: Tensor, source: str) -> Album:
    """An album of pictures (height, width, 3) or stacks of them (n, height, width, 3), bytes; dice: (n, 6) for each
    picture."""
    pixels, starts, sizes, begin = [], [], [], 0
    for some in pictures:
        stack = (some if some.dim() == 4 else some[None]).permute(0, 3, 1, 2).float()
        level_starts, level_sizes = [], []
        for level in range(LEVELS):
            shown = functional.avg_pool2d(stack, 2**level, ceil_mode=True) if level else stack
            n, _, height, width = shown.shape
            pixels.append((shown + 0.5).to(torch.uint8).permute(0, 2, 3, 1).reshape(-1, 3))
            level_starts.append(begin + torch.arange(n) * (height * width))
            level_sizes.append(torch.tensor([width, height]).expand(n, 2))
            begin += n * height * width
        starts.append(torch.stack(level_starts, 1))
        sizes.append(torch.stack(level_sizes, 1))
    device = pixels[0].device
    most = max([1, *(len(rows) for rows in dice)])
    padded = torch.zeros(len(dice), most, 6)
    padded[:, :, VALUE] = ABSENT
    for row, some in zip(padded, dice, strict=True):
        row[: len(some)] = some
    return Album(
        torch.cat(pixels), torch.cat(starts).to(device), torch.cat(sizes).to(device), padded.to(device),
        can_roll.to(device), torch.zeros(len(dice), dtype=torch.long, device=device), (source,),
    )  # fmt: skip


def of_samples(samples: Sequence[Sample], device: str) -> Album:
    """An album of labelled pictures in memory, each under its own source."""
    albums = []
    for name in sorted({s.source for s in samples}):
        some = [s for s in samples if s.source == name]
        pictures = [torch.from_numpy(np.ascontiguousarray(s.picture()[..., ::-1])).to(device) for s in some]
        dice = [torch.from_numpy(np.asarray(s.dice, np.float32).reshape(-1, 6)) for s in some]
        albums.append(album_of(pictures, dice, torch.tensor([bool(s.can_roll) for s in some]), name))
    return joined(albums)


def joined(albums: Sequence[Album]) -> Album:
    """All of them in one."""
    names = tuple(dict.fromkeys(name for album in albums for name in album.sources))
    most = max(album.dice.shape[1] for album in albums)
    begin, starts, dice, sources = 0, [], [], []
    for album in albums:
        starts.append(album.starts + begin)
        begin += len(album.pixels)
        more = torch.zeros(len(album), most - album.dice.shape[1], 6, device=album.dice.device)
        more[:, :, VALUE] = ABSENT
        dice.append(torch.cat([album.dice, more], 1))
        numbers = torch.tensor([names.index(name) for name in album.sources], device=album.source.device)
        sources.append(numbers[album.source])
    return Album(
        torch.cat([a.pixels for a in albums]), torch.cat(starts), torch.cat([a.sizes for a in albums]),
        torch.cat(dice), torch.cat([a.can_roll for a in albums]), torch.cat(sources), names,
    )  # fmt: skip
