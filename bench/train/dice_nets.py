"""Four networks: one finds dice, one reads a die's face, one judges a detection by its surroundings, one gives its
pose."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

STRIDE_PX = 4
FIND_CHANNELS = 12
"""Per cell of the finder: heat, offset x, offset y, log width, log height, then seven values (0 = unreadable)."""
FACES = 8
"""Classes of the face reader: 0 = unreadable, 1 to 6, 7 = not a die."""
SMOOTHED = 0.02
"""Label smoothing: this share of an answer stays open, to prevent certainty."""


def conv(i: int, o: int, stride: int = 1, size: int = 3) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(i, o, size, stride, size // 2, bias=False), nn.BatchNorm2d(o), nn.ReLU(inplace=True))


class Residual(nn.Module):
    """Two 3x3 convolutions around which the input is carried."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = conv(width, width)
        self.second = nn.Sequential(nn.Conv2d(width, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width))

    def forward(self, x: Tensor) -> Tensor:
        """Same shape out as in."""
        return functional.relu(x + self.second(self.first(x)), inplace=True)


class DieFinderNet(nn.Module):
    """A picture (N, 3, H, W), sides multiples of 32, to a grid (N, FIND_CHANNELS, H / 4, W / 4)."""

    def __init__(self) -> None:
        super().__init__()
        self.s4 = nn.Sequential(conv(3, 16, 2), conv(16, 32, 2))
        self.s8 = nn.Sequential(conv(32, 64, 2), Residual(64))
        self.s16 = nn.Sequential(conv(64, 96, 2), Residual(96), Residual(96))
        self.s32 = nn.Sequential(conv(96, 96, 2), Residual(96))
        self.up16, self.up8, self.up4 = conv(96, 96, 1, 1), conv(96, 64, 1, 1), conv(64, 32, 1, 1)
        self.join8, self.join4 = conv(64, 64), conv(32, 32)
        self.head = nn.Conv2d(32, FIND_CHANNELS, 1)
        nn.init.constant_(self.head.bias[:1], -4.0)

    def forward(self, x: Tensor) -> Tensor:
        """Raw outputs: heat and values are logits."""
        x4 = self.s4(x)
        x8 = self.s8(x4)
        x16 = self.s16(x8)
        x16 = x16 + functional.interpolate(self.up16(self.s32(x16)), scale_factor=2, mode="nearest")
        x8 = self.join8(x8 + functional.interpolate(self.up8(x16), scale_factor=2, mode="nearest"))
        x4 = self.join4(x4 + functional.interpolate(self.up4(x8), scale_factor=2, mode="nearest"))
        return self.head(x4)


class FaceNet(nn.Module):
    """Crops (N, channels, 64, 64) to logits (N, FACES)."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            conv(channels, 32, 2),
            conv(32, 64, 2),
            Residual(64),
            conv(64, 96, 2),
            Residual(96),
            Residual(96),
        )
        self.squeeze = conv(96, 24, 1, 1)
        self.drop = nn.Dropout(0.2)
        self.head = nn.Linear(24 * 64, FACES)

    def forward(self, x: Tensor) -> Tensor:
        """Logits. The place of a feature in the crop counts, because the die in the middle is meant."""
        return self.head(self.drop(self.squeeze(self.body(x)).flatten(1)))


class Context(nn.Module):
    """Crops from near and from afar, (N, 6, 64, 64), to the log odds (N, 1) that the one in the middle is a die."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            conv(6, 24, 2), conv(24, 40, 2), Residual(40), conv(40, 72, 2), Residual(72), Residual(72), Residual(72)
        )
        self.squeeze = conv(72, 16, 1, 1)
        self.drop = nn.Dropout(0.2)
        self.head = nn.Linear(16 * 64, 1)

    def forward(self, x: Tensor) -> Tensor:
        """Log odds; the place of a feature counts, as in `FaceNet`."""
        return self.head(self.drop(self.squeeze(self.body(x)).flatten(1)))


class PoseNet(nn.Module):
    """From crops (N, 3, 64, 64) to the pose of the die in the middle, (N, 6): see `vision.photo.dice.pose`."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            conv(3, 24, 2), conv(24, 40, 2), Residual(40), conv(40, 56, 2), Residual(56), Residual(56)
        )
        self.squeeze = conv(56, 16, 1, 1)
        self.drop = nn.Dropout(0.1)
        self.head = nn.Linear(16 * 64, 6)

    def forward(self, x: Tensor) -> Tensor:
        """The place of a feature counts, as in `FaceNet`."""
        return self.head(self.drop(self.squeeze(self.body(x)).flatten(1)))


def find_loss(out: Tensor, want: Tensor, value_weight: float = 1.0) -> Tensor:
    """Penalty-reduced focal loss for the heat map, L1 for offset and size, cross entropy for the value."""
    heat, truth, weight = out[:, 0], want[:, 0], want[:, 7]
    p = torch.sigmoid(heat).clamp(1e-4, 1 - 1e-4)
    middle = (truth > 0.999).float()
    gain = middle * (1 - p) ** 2 * torch.log(p) + (1 - middle) * (1 - truth) ** 4 * p**2 * torch.log(1 - p)
    total = -(gain * weight).sum() / (middle * weight).sum().clamp(min=1)
    mask = want[:, 6:7]
    share = mask.sum().clamp(min=1)
    total = total + ((out[:, 1:3] - want[:, 1:3]).abs() * mask).sum() / share * 0.5
    total = total + ((out[:, 3:5] - want[:, 3:5]).abs() * mask).sum() / share * 2
    return total + functional.cross_entropy(out[:, 5:], want[:, 5].long(), ignore_index=-1) * value_weight


def pose_loss(out: Tensor, want: Tensor) -> Tensor:
    """Laplace loss for the normal, with the network's own spread, L1 for the size, L2 for the turn.

    `want` (N, 5): normal to the right and down, logarithm of the size, cosine and sine of four times the turn.
    """
    off = ((out[:, :2] - want[:, :2]) ** 2).sum(1).add(1e-6).sqrt()
    spread = out[:, 2].clamp(-4, 1)
    turn = ((out[:, 4:] - want[:, 3:]) ** 2).sum(1)
    return (off * torch.exp(-spread) + 2 * spread + 4 * (out[:, 3] - want[:, 2]).abs() + turn).mean()


def face_loss(out: Tensor, want: Tensor) -> Tensor:
    """Cross entropy, a little softened."""
    return functional.cross_entropy(out, want, label_smoothing=SMOOTHED)
