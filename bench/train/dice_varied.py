"""Pictures for training, (n, 3, H, W) red, green, blue 0 to 1, in other light, of other dyes, by other cameras."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from bench.train.nets import Draws, soft

GROUPS = 6
"""Number of groups in a batch with a common strength of blur, sharpening, shrinking or compression."""
BLURRED, SHARPENED, NOISY, NOISE = 0.28, 0.14, 0.35, 10 / 255
COMPRESSED, QUANTISED = 0.45, (0.004, 0.07)
"""How often a picture goes through JPEG, and how coarsely its brightness is kept, of the whole range."""
SWAPPED, INVERTED, MIXED, GREY = 0.3, 0.12, 0.4, 0.03
"""Shares of dyed pictures with swapped, inverted and mixed channels, and without colours."""
SHAKEN = 0.25
"""Share of blurred pictures that are shaken along a line."""
LUMA = (0.299, 0.587, 0.114)
"""Brightness, of red, green and blue."""


class Varied(Draws):
    """Changes of light, dye and camera; each call draws its own."""

    def of_some(self, shown: Tensor, share: float | Tensor, changed: Callable[[Tensor], Tensor]) -> Tensor:
        """A share of the pictures, or each with its own chance, are changed."""
        some = (self._uniform((len(shown),)) < share).nonzero()[:, 0]
        return shown.index_copy(0, some, changed(shown[some])) if len(some) else shown

    def grouped(self, changed: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
        """The change, with new random values for each of `GROUPS` groups."""
        return lambda shown: torch.cat([changed(some) for some in shown.chunk(GROUPS)])

    def lit(self, shown: Tensor) -> Tensor:
        """Another exposure, white balance and tone curve."""
        n = len(shown)
        gain = self._uniform((n, 1, 1, 1), 0.55, 1.35) * (1 + 0.07 * self._normal((n, 3, 1, 1)))
        level = (shown * gain + 0.05 * self._normal((n, 1, 1, 1))).clamp(1e-4, 1)
        return level ** (0.28 * self._normal((n, 1, 1, 1))).exp()

    def dyed(self, shown: Tensor) -> Tensor:
        """Channels swapped, inverted or mixed."""
        shown = self.of_some(shown, SWAPPED, self.grouped(lambda some: some[:, torch.randperm(3).tolist()]))
        return self.of_some(self.of_some(shown, INVERTED, lambda some: 1 - some), MIXED, self._mixed)

    def _mixed(self, shown: Tensor) -> Tensor:
        mix = torch.eye(3, device=self.device) + 0.25 * self._normal((len(shown), 3, 3))
        return torch.einsum("nij,njhw->nihw", mix / mix.sum(2, keepdim=True), shown).clamp(0, 1)

    def taken(self, shown: Tensor) -> Tensor:
        """Another camera: blurred, shaken or sharpened, noisy, compressed; now and then without colours."""
        shown = self.of_some(shown, GREY, lambda some: some.mean(1, keepdim=True).expand_as(some))
        shown = self.of_some(shown, BLURRED, self.grouped(self._blurred))
        shown = self.of_some(shown, SHARPENED, self.grouped(self._sharpened))
        shown = self.of_some(shown, NOISY, self._noisy)
        return self.of_some(shown, COMPRESSED, self.grouped(self._compressed))

    def coarse(self, shown: Tensor, least: float) -> Tensor:
        """As if taken from afar: shrunk to at least `least` of its size, and enlarged again."""
        side = max(8, round(shown.shape[2] * least ** float(self._uniform(()))))
        small = functional.interpolate(shown, size=(side, side), mode="bilinear", antialias=True)
        return functional.interpolate(small, size=shown.shape[2:], mode="bilinear")

    def _blurred(self, shown: Tensor) -> Tensor:
        if float(self._uniform(())) < SHAKEN:
            away, kernel = float(self._uniform((), 0, np.pi)), torch.zeros(7, 7, device=self.device)
            reach = torch.linspace(-3, 3, 13, device=self.device)
            kernel[(3 + reach * np.sin(away)).round().long(), (3 + reach * np.cos(away)).round().long()] = 1
            padded = functional.pad(shown, (3,) * 4, "replicate")
            return functional.conv2d(padded, (kernel / kernel.sum()).expand(3, 1, 7, 7), groups=3)
        return soft(shown, float(self._uniform((), 0.3, 1.4)))

    def _sharpened(self, shown: Tensor) -> Tensor:
        return (shown + float(self._uniform((), 0.3, 1.3)) * (shown - soft(shown, 1.0))).clamp(0, 1)

    def _noisy(self, shown: Tensor) -> Tensor:
        return (shown + NOISE * self._uniform((len(shown), 1, 1, 1)) * self._normal(shown.shape)).clamp(0, 1)

    def _compressed(self, shown: Tensor) -> Tensor:
        """JPEG quantisation of 8 x 8 blocks, coarser for finer waves; colours at half the resolution."""
        luma = grey_of(shown)
        chroma = functional.interpolate(functional.avg_pool2d(shown - luma, 2), scale_factor=2, mode="bilinear")
        step = QUANTISED[0] * (QUANTISED[1] / QUANTISED[0]) ** float(self._uniform(()))
        waves = functional.conv2d(luma - 0.5, _waves(self.device), stride=8)
        rise = (torch.arange(64, device=self.device) // 8 + torch.arange(64, device=self.device) % 8)[:, None, None]
        coarse = 8 * step * (1 + 0.5 * rise)
        kept = functional.conv_transpose2d((waves / coarse).round() * coarse, _waves(self.device), stride=8)
        return (kept + 0.5 + chroma).clamp(0, 1)


def grey_of(shown: Tensor) -> Tensor:
    """Brightness alone, (n, 1, H, W)."""
    return (shown * torch.tensor(LUMA, device=shown.device)[:, None, None]).sum(1, keepdim=True)


@cache
def _waves(device: str) -> Tensor:
    """The 64 cosines of 8 x 8 pixels, (64, 1, 8, 8), orthonormal."""
    line = torch.arange(8, device=device)
    one = torch.cos((2 * line[None] + 1) * line[:, None] * torch.pi / 16)
    one *= torch.where(line == 0, 0.5**0.5, 1.0)[:, None]
    return torch.einsum("ux,vy->uvyx", one / 2, one / 2).reshape(64, 1, 8, 8).transpose(2, 3).contiguous()


def main_axes(spread: Tensor) -> tuple[Tensor, Tensor]:
    """Eigenvalues (n, 3), largest first, and eigenvectors (n, 3, 3) in columns, of symmetric matrices (n, 3, 3).

    By Jacobi's turns, for libraries take such small ones one by one. Source: G. H. Golub, C. F. Van Loan, Matrix
    Computations (2013), 8.5.
    """
    axes = torch.eye(3, device=spread.device).expand_as(spread)
    for _ in range(5):
        for p, q in ((0, 1), (0, 2), (1, 2)):
            angle = 0.5 * torch.atan2(2 * spread[:, p, q], spread[:, q, q] - spread[:, p, p])
            turn = torch.eye(3, device=spread.device).repeat(len(spread), 1, 1)
            turn[:, p, p] = turn[:, q, q] = angle.cos()
            turn[:, p, q], turn[:, q, p] = angle.sin(), -angle.sin()
            spread, axes = turn.transpose(1, 2) @ spread @ turn, axes @ turn
    values, order = spread.diagonal(dim1=1, dim2=2).sort(1, descending=True)
    return values, axes.gather(2, order[:, None, :].expand_as(axes))
