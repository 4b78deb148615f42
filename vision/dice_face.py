"""What a die shows: two networks look at a crop of each die, again and other ways where it is not clear at once.

One eats the crop's colours; the other also the inks, the main directions of the die's own colours.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.dice_find import Floats, Found, Picture, model, softmax

CROP_PX = 64
REACH = 1.5
"""Side of a crop over the root of the die's box."""
COLOURS, INKS = 0, 1
"""The two networks."""
CHANNELS = (3, 6)
"""What each eats: red, green, blue, and for the second three inks."""
CLEAR = 0.9
"""Looks end here: a value this likely in both first looks is not looked at again."""
Look = tuple[int, bool, bool]
LOOKS: tuple[Look, ...] = (
    (COLOURS, False, False),
    (INKS, True, False),
    (COLOURS, False, True),
    (INKS, False, True),
)
"""(network, mirrored, by its second ink alone) of each look; the first two are always taken."""
FIRST_LOOKS = 2
LEAST_CONTRAST = 12.0
"""Grey levels: what differs less in its second ink is not stretched to full contrast."""
LEAST_SPREAD = 6.0
"""Grey levels: inks that differ less than this within a die are mostly noise and are not drawn out in full."""
INK_RANGE = 2.5
"""Inks are kept within so many spreads of the die's mean colour."""
WITHIN = np.hypot(*(np.mgrid[:CROP_PX, :CROP_PX] - (CROP_PX - 1) / 2)).ravel() < 0.27 * CROP_PX
"""The crop's pixels that are surely the die's."""
BATCH = 16


def crop_of(
    picture: Picture,
    found: Found,
    mirrored: bool = False,
    inked: bool = False,
) -> Picture:
    """The die in the middle of a square of CROP_PX, BGR; outside the picture its border is repeated."""
    side = REACH * found.side_px
    reach = side * 0.75
    h, w = picture.shape[:2]
    x0, y0 = int(np.clip(found.x - reach, 0, w - 1)), int(np.clip(found.y - reach, 0, h - 1))
    part = picture[y0 : int(found.y + reach) + 2, x0 : int(found.x + reach) + 2]
    scale = CROP_PX / side
    shrink = 1.0
    if scale < 0.7:  # first by areas: sampling alone would lose pips
        shrink = scale / 0.8
        part = cv2.resize(part, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
    warp = np.diag([-1.0 if mirrored else 1.0, 1.0]) * scale / shrink
    middle = (np.array([found.x - x0, found.y - y0]) + 0.5) * shrink - 0.5
    warp = np.column_stack([warp, (CROP_PX - 1) / 2 - warp @ middle])
    crop = cv2.warpAffine(part, warp, (CROP_PX, CROP_PX), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return second_ink(crop) if inked else np.asarray(crop, np.uint8)


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


def as_colours(crop: Picture) -> Floats:
    """(3, CROP_PX, CROP_PX): red, green, blue from -0.5 to 0.5."""
    return np.ascontiguousarray(crop[..., ::-1].transpose(2, 0, 1), np.float32) / np.float32(255) - np.float32(0.5)


def with_inks(crop: Picture) -> Floats:
    """(6, CROP_PX, CROP_PX): the colours and three inks of the die.

    The inks are all main directions of the colours in the crop's middle, drawn out to the same spread
    (source: see `second_ink`).
    """
    colours = crop.reshape(-1, 3).astype(np.float32)
    die = colours[WITHIN]
    mean = die.mean(0)
    die = die - mean
    spread2, axes = np.linalg.eigh(die.T @ die / len(die))
    axes = axes[:, ::-1] * np.where(axes.sum(0) < 0, -1, 1)[::-1]
    spread = np.sqrt(np.maximum(spread2[::-1], 0)) + LEAST_SPREAD
    inks = np.clip((colours - mean) @ (axes / spread), -INK_RANGE, INK_RANGE) / (2 * INK_RANGE)
    inks = inks.T.reshape(3, CROP_PX, CROP_PX).astype(np.float32)
    return np.concatenate([as_colours(crop), inks])


def joined(looks: NDArray[np.float32]) -> Floats:
    """Looks, shape (dice, looks, 8), to chances: their mean; all must say "no die" (a geometric mean)."""
    mean = looks.mean(1)
    no_die = np.exp(np.log(looks[:, :, 7] + 1e-6).mean(1))
    mean[:, :7] *= ((1 - no_die) / np.maximum(1 - mean[:, 7], 1e-6))[:, None]
    mean[:, 7] = no_die
    return np.asarray(mean, np.float32)


class FaceReader:
    """Chances of (cannot be told, 1, ..., 6, no die) for each die found."""

    def __init__(self, colours: cv2.dnn.Net | None = None, inks: cv2.dnn.Net | None = None) -> None:
        self._nets = (
            colours if colours is not None else model("dice_face.onnx"),
            inks if inks is not None else model("dice_inks.onnx"),
        )

    def read(self, picture: Picture, found: list[Found]) -> Floats:
        """Chances, shape (len(found), 8): the looks taken, joined."""
        if not found:
            return np.zeros((0, 8), np.float32)
        first = self._looked(picture, found, LOOKS[:FIRST_LOOKS])
        chances = joined(first)
        unclear = [k for k in range(len(found)) if first[k].min(0).max() < CLEAR]
        if unclear:
            again = self._looked(picture, [found[k] for k in unclear], LOOKS[FIRST_LOOKS:])
            chances[unclear] = joined(np.concatenate([first[unclear], again], 1))
        return chances

    def _looked(self, picture: Picture, found: list[Found], looks: tuple[Look, ...]) -> NDArray[np.float32]:
        """Chances, shape (dice, looks, 8)."""
        chances = np.zeros((len(found), len(looks), 8), np.float32)
        for which, net in enumerate(self._nets):
            mine = [k for k, look in enumerate(looks) if look[0] == which]
            eaten = [self._eaten(picture, one, looks[k]) for one in found for k in mine]
            rows = []
            for k in range(0, len(eaten), BATCH):
                net.setInput(np.stack(eaten[k : k + BATCH]))
                rows.append(softmax(net.forward().reshape(-1, 8)))
            chances[:, mine] = np.concatenate(rows).reshape(len(found), len(mine), 8)
        return chances

    @staticmethod
    def _eaten(picture: Picture, one: Found, look: Look) -> Floats:
        which, mirrored, inked = look
        crop = crop_of(picture, one, mirrored, inked)
        return with_inks(crop) if which == INKS else as_colours(crop)
