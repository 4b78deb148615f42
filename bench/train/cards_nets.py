"""The two small networks: one finds corner indices in a picture, one reads an upright crop of an index."""

from __future__ import annotations

import torch
from torch import Tensor, nn

FIND_STRIDE_PX = 4
FIND_INDEX_PX = 18.0
"""The index height whose logarithm the finder calls 0."""
FIND_RANGE_PX = (9.0, 36.0)
"""Range of index heights for training the finder; others are left out of its loss."""
FIND_BACK_PX = 70.0
FIND_BACK_RANGE_PX = (42.0, 120.0)
"""Usual height and range of heights of a whole face-down card."""
READ_WIDTH_PX, READ_HEIGHT_PX = 40, 56
READ_SPAN = 1.45
"""Height of the crop in heights of the index."""
MADE_WITH = {
    "index_px": FIND_INDEX_PX,
    "back_px": FIND_BACK_PX,
    "find_multiple_px": 16,
    "crop_width_px": READ_WIDTH_PX,
    "crop_height_px": READ_HEIGHT_PX,
    "crop_heights": READ_SPAN,
}
"""What a reader must know of both networks."""


def _block(inputs: int, outputs: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(inplace=True)
    )


class IndexFinderNet(nn.Module):
    """Picture (N, 3, H, W) in 0..1, H and W multiples of 16 -> (N, 12, H/4, W/4).

    Channels: logit that the middle of an index is here; sine and cosine of the index's angle; log of its height over
    FIND_INDEX_PX; offset of its middle from the cell's middle, x and y, in cells. Six more channels for cards that lie
    face down: sine and cosine of twice the angle (a back has no upright), height over FIND_BACK_PX.
    """

    def __init__(self) -> None:
        super().__init__()
        self.down2 = _block(3, 16, 2)
        self.down4 = nn.Sequential(_block(16, 24, 2), _block(24, 24))
        self.down8 = nn.Sequential(_block(24, 48, 2), _block(48, 48), _block(48, 48))
        self.down16 = nn.Sequential(_block(48, 64, 2), _block(64, 64), _block(64, 64))
        self.wide = nn.Conv2d(64, 48, 1)
        self.mid = _block(48, 48)
        self.fine = nn.Conv2d(48, 24, 1)
        self.last = _block(24, 32)
        self.head = nn.Conv2d(32, 12, 1)
        nn.init.constant_(self.head.bias[0:1], -4.0)
        nn.init.constant_(self.head.bias[6:7], -4.0)
        self.up = nn.Upsample(scale_factor=2, mode="nearest")

    def forward(self, picture: Tensor) -> Tensor:
        at4 = self.down4(self.down2(picture))
        at8 = self.down8(at4)
        at8 = self.mid(at8 + self.up(self.wide(self.down16(at8))))
        return self.head(self.last(at4 + self.up(self.fine(at8))))


class IndexReaderNet(nn.Module):
    """Crop (N, 3, 56, 40) in 0..1 -> (N, 23): 14 ranks (the last: joker), 4 suits, 1 logit "an index", 4 corrections.

    Corrections of the crop's place: x and y in index heights, log of the height, angle in rad.
    """

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            _block(3, 24),
            _block(24, 32, 2),
            _block(32, 32),
            _block(32, 64, 2),
            _block(64, 64),
            _block(64, 96, 2),
            _block(96, 96),
        )
        self.drop = nn.Dropout(0.2)
        self.squeeze = nn.Conv2d(96, 32, 1)
        self.head = nn.Sequential(nn.Linear(32 * 35, 96), nn.ReLU(inplace=True), nn.Linear(96, 23))

    def forward(self, crop: Tensor) -> Tensor:
        return self.head(self.drop(torch.relu(self.squeeze(self.body(crop))).flatten(1)))
