"""The network that sees rods."""

from __future__ import annotations

from torch import Tensor, nn

from vision.tables.rods.tips import CLASSES

WIDTHS = (24, 40, 64, 96)
"""Channels at a half, a quarter, an eighth and a sixteenth of the view."""


def _block(inputs: int, outputs: int, stride: int = 1, apart: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, stride, apart, apart, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(inplace=True),
    )


class Seer(nn.Module):
    """Roots of light (N, 3, H, W), H and W multiples of 16 -> (N, 13, H/2, W/2): logits of the classes and of
    "hangs", then where a wire leads (of twice the angle) and where a tip does, as cosine and sine."""

    def __init__(self) -> None:
        super().__init__()
        a, b, c, d = WIDTHS
        self.at2 = nn.Sequential(
            nn.Conv2d(3, 16, 4, 2, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU(inplace=True), _block(16, a)
        )
        self.at4 = nn.Sequential(_block(a, b, 2), _block(b, b))
        self.at8 = nn.Sequential(_block(b, c, 2), _block(c, c), _block(c, c))
        self.at16 = nn.Sequential(_block(c, d, 2), _block(d, d), _block(d, d, apart=2), _block(d, d))
        self.from16, self.mid8 = nn.Conv2d(d, c, 1), _block(c, c)
        self.from8, self.mid4 = nn.Conv2d(c, b, 1), _block(b, b)
        self.from4, self.last = nn.Conv2d(b, a, 1), _block(a, a)
        self.head = nn.Conv2d(a, len(CLASSES) + 5, 1)
        self.up = nn.Upsample(scale_factor=2, mode="nearest")

    def forward(self, light: Tensor) -> Tensor:
        """Half the size out."""
        at2 = self.at2(light)
        at4 = self.at4(at2)
        at8 = self.at8(at4)
        at8 = self.mid8(at8 + self.up(self.from16(self.at16(at8))))
        at4 = self.mid4(at4 + self.up(self.from8(at8)))
        return self.head(self.last(at2 + self.up(self.from4(at4))))
