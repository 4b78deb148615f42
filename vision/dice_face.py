"""What a die shows: a second network looks at a crop of each die, several ways where it is not clear at once."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.dice_find import Floats, Found, Picture, model, softmax

CROP_PX = 64
REACH = 1.5
"""Side of a crop over the root of the die's box."""
CLEAR = 0.9
"""Looks end here: a value this likely in both first looks is not looked at again."""
LOOKS: tuple[tuple[float, float, bool, bool], ...] = (
    (1.0, 0.0, False, False),
    (1.0, 0.0, True, False),
    (1.0, 0.0, False, True),
    (1.0, 0.0, True, True),
)
"""(size, turn in degrees, mirrored, by its second ink) of each look; the first two are always taken."""
FIRST_LOOKS = 2
LEAST_CONTRAST = 12.0
"""Grey levels: what differs less in its second ink is not stretched to full contrast."""
FIRST_LOOKS = 2
BATCH = 16


def crop_of(
    picture: Picture,
    found: Found,
    size: float = 1.0,
    turn_deg: float = 0.0,
    mirrored: bool = False,
    inked: bool = False,
) -> Picture:
    """The die in the middle of a square of CROP_PX, BGR; outside the picture its border is repeated."""
    side = REACH * found.side_px * size
    reach = side * 0.75
    h, w = picture.shape[:2]
    x0, y0 = int(np.clip(found.x - reach, 0, w - 1)), int(np.clip(found.y - reach, 0, h - 1))
    part = picture[y0 : int(found.y + reach) + 2, x0 : int(found.x + reach) + 2]
    scale = CROP_PX / side
    shrink = 1.0
    if scale < 0.7:  # first by areas: sampling alone would lose pips
        shrink = scale / 0.8
        part = cv2.resize(part, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
    c, s = np.cos(np.radians(turn_deg)) * scale / shrink, np.sin(np.radians(turn_deg)) * scale / shrink
    warp = np.array([[c, -s], [s, c]])
    if mirrored:
        warp[0] *= -1
    middle = (np.array([found.x - x0, found.y - y0]) + 0.5) * shrink - 0.5
    warp = np.column_stack([warp, (CROP_PX - 1) / 2 - warp @ middle])
    crop = cv2.warpAffine(part, warp, (CROP_PX, CROP_PX), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return second_ink(crop) if inked else crop


def second_ink(crop: Picture) -> Picture:
    """A grey picture of the crop's second main direction of colour, contrast stretched.

    Pips as bright as their die, red on dark grey say, and lost among mirrored lamps, stand out there.
    Source: principal components of colours, Y. Ohta, T. Kanade, T. Sakai, Color information for region
    segmentation, Computer Graphics and Image Processing 13 (1980).
    """
    middle = slice(CROP_PX // 5, -(CROP_PX // 5))
    inks = crop.astype(np.float32)
    die = inks[middle, middle].reshape(-1, 3)
    _, axes = np.linalg.eigh(np.cov(die.T))
    along = (inks - die.mean(0)) @ axes[:, 1].astype(np.float32)
    low, high = np.percentile(along[CROP_PX // 4 : -CROP_PX // 4, CROP_PX // 4 : -CROP_PX // 4], (3, 97))
    grey = np.clip((along - low) / max(float(high - low), LEAST_CONTRAST) * 220 + 18, 0, 255)
    return np.repeat(grey.astype(np.uint8)[..., None], 3, 2)


class FaceReader:
    """Chances of (cannot be told, 1, ..., 6, no die) for each die found."""

    def __init__(self, net: cv2.dnn.Net | None = None) -> None:
        self._net = net if net is not None else model("dice_face.onnx")

    def read(self, picture: Picture, found: list[Found]) -> Floats:
        """Chances, shape (len(found), 8): the mean over the looks taken."""
        if not found:
            return np.zeros((0, 8), np.float32)
        first = self._looked(picture, found, LOOKS[:FIRST_LOOKS])
        mean = np.asarray(first.mean(1))
        unclear = [k for k in range(len(found)) if first[k].min(0).max() < CLEAR]
        if unclear:
            again = self._looked(picture, [found[k] for k in unclear], LOOKS[FIRST_LOOKS:])
            mean[unclear] = np.concatenate([first[unclear], again], 1).mean(1)
        return mean

    def _looked(
        self, picture: Picture, found: list[Found], looks: tuple[tuple[float, float, bool, bool], ...]
    ) -> NDArray[np.float32]:
        """Chances, shape (dice, looks, 8)."""
        crops = [crop_of(picture, one, *look) for one in found for look in looks]
        rows = []
        for k in range(0, len(crops), BATCH):
            blob = cv2.dnn.blobFromImages(crops[k : k + BATCH], 1 / 255, mean=(127.5, 127.5, 127.5), swapRB=True)
            self._net.setInput(blob)
            rows.append(softmax(self._net.forward().reshape(-1, 8)))
        return np.concatenate(rows).reshape(len(found), len(looks), 8)
