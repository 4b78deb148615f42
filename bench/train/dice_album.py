"""Labelled pictures of all sizes on one device, to be cut out of at any size, turned and slanted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from bench.train.dice_data import Sample

LEVELS = 4
SHRUNK = (1.6, 3.2, 6.4)
"""Pixels of the picture to one of what is cut out, from which it is cut out of the halved picture, and so on."""
ABSENT = -1.0
"""The value in rows of `Album.dice` where no die is."""
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
        level = sum((_step_of(back) > at).long() for at in SHRUNK)
        shrunk = (2.0**level)[:, None, None]
        x, y = ((at + 0.5) / shrunk - 0.5 for at in places(back, side))
        width, height = (self.sizes[which, level, k][:, None, None] for k in (0, 1))
        x, y = torch.minimum(x.clamp(min=0), width - 1), torch.minimum(y.clamp(min=0), height - 1)
        left, top = x.long(), y.long()
        across, down = x - left, y - top
        right, low = torch.minimum(left + 1, width - 1), torch.minimum(top + 1, height - 1)
        begin = self.starts[which, level][:, None, None]
        seen = torch.zeros(which.numel() * side * side, 3, device=back.device)
        for row, column, share in (
            (top, left, (1 - across) * (1 - down)),
            (top, right, across * (1 - down)),
            (low, left, (1 - across) * down),
            (low, right, across * down),
        ):
            at = (begin + row * width + column).flatten()
            seen += self.pixels.index_select(0, at) * share.flatten()[:, None]
        return seen.view(-1, side, side, 3).permute(0, 3, 1, 2) / 255


def _step_of(back: Tensor) -> Tensor:
    return (back[:, 0, 0] * back[:, 1, 1] - back[:, 0, 1] * back[:, 1, 0]).abs().sqrt()


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


def inside_of(rows: Tensor, width: Tensor | float, height: Tensor | float) -> Tensor:
    """Which share of each die's box, (n, k), lies inside a picture of this size."""
    shares = []
    for at, length, end in ((X, WIDTH, width), (Y, HEIGHT, height)):
        half = rows[..., length] / 2
        high = torch.minimum(rows[..., at] + half, torch.as_tensor(end, device=rows.device))
        shares.append((high - (rows[..., at] - half).clamp(min=0)).clamp(min=0) / rows[..., length].clamp(min=1e-6))
    return shares[0] * shares[1]


def album_of(pictures: Sequence[Tensor], dice: Sequence[Tensor], can_roll: Tensor, source: str) -> Album:
    """Of pictures (height, width, 3) or stacks of them (n, height, width, 3), bytes; dice: (n, 6) of each picture."""
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
    """Of labelled pictures in memory, each under its own source."""
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
