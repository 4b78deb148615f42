"""Reads the value of a die from a crop: two networks, with further views if the first are not clear.

One network gets the crop's colours. The other also gets the inks: the main directions of the die's own colours.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Floats32, Picture
from vision.measure.networks import BATCH, MODELS, Network, Run, as_colours
from vision.photo.dice.find import Found
from vision.photo.dice.limits import LIMITS

CROP_PX, REACH = LIMITS.crop_px, LIMITS.crop_sides
NO_DIE = -1
"""The networks' last class; the others are the unreadable face (0) and the six values."""
COLOURS, INKS = 0, 1
"""The two networks."""


class FaceView(NamedTuple):
    """One view of a die: the network, mirrored or not, and the crop's relative size."""

    network: int
    mirrored: bool = False
    size: float = 1.0


LOOKS = (
    FaceView(COLOURS),
    FaceView(INKS, mirrored=True),
    FaceView(COLOURS, mirrored=True),
    FaceView(INKS),
)
"""The first two views are taken of every possible die, the others of unclear dice."""
FIRST_LOOKS = 2
DIE_AT = np.flatnonzero(np.hypot(*(np.mgrid[:CROP_PX, :CROP_PX] - (CROP_PX - 1) / 2)) < LIMITS.die_within * CROP_PX)
"""The pixels of a crop that certainly show the die."""
PIP_INKS = 2
"""Number of inks in which pips are searched: the third ink is mostly noise."""


class Halved:
    """A picture and its halvings, made when needed."""

    def __init__(self, picture: Picture) -> None:
        self._sizes = [picture]

    def times(self, halvings: int) -> Picture:
        """The picture after this many halvings; an odd side loses its last pixel."""
        while len(self._sizes) <= halvings:
            last = self._sizes[-1]
            h, w = (max(2, side // 2 * 2) for side in last.shape[:2])
            half = cv2.resize(last[:h, :w], (w // 2, h // 2), interpolation=cv2.INTER_AREA)
            self._sizes.append(np.asarray(half, np.uint8))
        return self._sizes[halvings]


def crop_of(picture: Halved, found: Found, look: FaceView = LOOKS[0]) -> Picture:
    """The die in the middle of a square of CROP_PX, BGR; outside the picture its border is repeated.

    Training uses the same crops.
    """
    side = REACH * found.side_px * look.size
    halvings = sum(side > LIMITS.halved_from * 2**k * CROP_PX for k in range(3))
    whole = picture.times(halvings)
    share = 0.5**halvings
    middle = (np.array([found.x, found.y]) + 0.5) * share - 0.5
    reach = side * share / 2 + 2
    h, w = whole.shape[:2]
    x0, y0 = np.clip(middle - reach, 0, (w - 1, h - 1)).astype(int)
    x1, y1 = (middle + reach).astype(int) + 2
    part = whole[y0 : max(y1, y0 + 1), x0 : max(x1, x0 + 1)]
    warp = np.diag([-1.0 if look.mirrored else 1.0, 1.0]) * CROP_PX / (side * share)
    warp = np.column_stack([warp, (CROP_PX - 1) / 2 - warp @ (middle - (x0, y0))])
    size = (CROP_PX, CROP_PX)
    warped = cv2.warpAffine(part, warp, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(warped, np.uint8)


def with_inks(crop: Picture) -> Floats32:
    """(6, CROP_PX, CROP_PX): the colours and three inks of the die.

    The inks are the main directions of the colours in the crop's middle, scaled to the same spread.
    Source: principal components of colours, Y. Ohta, T. Kanade, T. Sakai, Color information for region
    segmentation, Computer Graphics and Image Processing 13 (1980).
    """
    colours = crop.astype(np.float32)
    die = colours.reshape(-1, 3).take(DIE_AT, axis=0)
    mean = die.mean(0)
    die -= mean
    spread2, axes = np.linalg.eigh(die.T @ die / len(die))
    axes = axes[:, ::-1] * np.where(axes.sum(0) < 0, -1, 1)[::-1]
    spread = np.sqrt(np.maximum(spread2[::-1], 0)) + LIMITS.ink_spread_floor
    across = (axes / spread).T
    inks = cv2.transform(colours, np.column_stack([across, -across @ mean]))
    eaten = np.empty((6, CROP_PX, CROP_PX), np.float32)
    eaten[:3] = as_colours(crop)
    eaten[3:] = np.clip(inks, -LIMITS.max_ink_spreads, LIMITS.max_ink_spreads).transpose(2, 0, 1) / np.float32(
        2 * LIMITS.max_ink_spreads
    )
    return eaten


def softmax(logits: Floats32) -> Floats32:
    """Probabilities from logits, along the last axis."""
    e = np.exp(logits - logits.max(-1, keepdims=True))
    return np.asarray(e / e.sum(-1, keepdims=True), np.float32)


def joined(looks: NDArray[np.float32]) -> Floats32:
    """Joins the answers for several views, (dice, views, 8), to probabilities: their mean. For "no die" it is the
    geometric mean, because all views must agree on that."""
    mean = looks.mean(1)
    no_die = np.exp(np.log(looks[:, :, NO_DIE] + 1e-6).mean(1))
    mean[:, :NO_DIE] *= ((1 - no_die) / np.maximum(1 - mean[:, NO_DIE], 1e-6))[:, None]
    mean[:, NO_DIE] = no_die
    return np.asarray(mean, np.float32)


def hope_of(found: list[Found], chances: Floats32) -> Floats32:
    """Probability of a die for each detection (N,), by its heat and the views that were taken."""
    return np.asarray(np.sqrt(np.array([one.heat for one in found]) * (1 - chances[:, NO_DIE]).clip(0)), np.float32)


class FaceReader:
    """Probabilities of (unreadable, 1, ..., 6, no die) for each detection."""

    def __init__(self, colours: Run | None = None, inks: Run | None = None) -> None:
        self._nets = (
            colours if colours is not None else Network(MODELS / "dice_face.onnx"),
            inks if inks is not None else Network(MODELS / "dice_inks.onnx"),
        )

    def look(self, picture: Halved, found: list[Found], first_looks: int = FIRST_LOOKS) -> Floats32:
        """Probabilities, (len(found), 8), by the networks alone, from all views joined. A clear detection gets only
        `first_looks` views."""
        if not found:
            return np.zeros((0, 8), np.float32)
        first = self._looked(picture, found, LOOKS[:1])
        chances = joined(first)
        hopeful = np.nonzero(hope_of(found, chances) >= LIMITS.min_hope)[0]
        first = self._looked_again(picture, found, hopeful, LOOKS[1:first_looks], first[hopeful], chances)
        clearest = first[:, :, :NO_DIE].min(1).max(1)
        is_unclear = (clearest < LIMITS.clear_chance) & (hope_of(found, chances) >= LIMITS.min_hope)[hopeful]
        self._looked_again(picture, found, hopeful[is_unclear], LOOKS[first_looks:], first[is_unclear], chances)
        return chances

    def of_crops(self, crops: Sequence[Picture]) -> Floats32:
        """The mean of both networks' probabilities for crops of CROP_PX, (len(crops), 8)."""
        colours = [as_colours(crop) for crop in crops]
        inks = [with_inks(crop) for crop in crops]
        return np.asarray((self._said(COLOURS, colours) + self._said(INKS, inks)) / 2, np.float32)

    def _said(self, which: int, eaten: Sequence[Floats32]) -> Floats32:
        """One network's probabilities, (len(eaten), 8)."""
        batches = (np.stack(eaten[k : k + BATCH]) for k in range(0, len(eaten), BATCH))
        rows = [softmax(self._nets[which](batch).reshape(-1, 8)) for batch in batches]
        return np.concatenate(rows) if rows else np.zeros((0, 8), np.float32)

    def _looked_again(
        self,
        picture: Halved,
        found: list[Found],
        which: NDArray[np.intp],
        looks: tuple[FaceView, ...],
        before: Floats32,
        chances: Floats32,
    ) -> Floats32:
        """All views of the detections `which`, from those in `before`; joins their result into `chances`."""
        if not len(which):
            return np.zeros((0, before.shape[1] + len(looks), 8), np.float32)
        new = self._looked(picture, [found[k] for k in which], looks)
        every = np.concatenate([before, new], 1)
        chances[which] = joined(every)
        return np.asarray(every, np.float32)

    def _looked(self, picture: Halved, found: list[Found], looks: tuple[FaceView, ...]) -> NDArray[np.float32]:
        """Probabilities, (dice, views, 8)."""
        chances = np.zeros((len(found), len(looks), 8), np.float32)
        for which in (COLOURS, INKS):
            mine = [k for k, look in enumerate(looks) if look.network == which]
            if mine:
                eaten = [self._eaten(picture, one, looks[k]) for one in found for k in mine]
                chances[:, mine] = self._said(which, eaten).reshape(len(found), len(mine), 8)
        return chances

    @staticmethod
    def _eaten(picture: Halved, one: Found, look: FaceView) -> Floats32:
        crop = crop_of(picture, one, look)
        return with_inks(crop) if look.network == INKS else as_colours(crop)


# The surroundings of a detection: a network that sees each detection near and far gives the probability of a die. A
# face alone is not enough: half a domino shows a die's pips, and a white die that touches others has no visible edges.
# The surroundings settle both.


NEAR, FAR = FaceView(0), FaceView(0, size=LIMITS.far_crops)
"""Two crops: the face reader's, and one of the surroundings."""


def crops_of(picture: Halved, found: Found) -> Floats32:
    """(6, CROP_PX, CROP_PX): red, green and blue of the near crop, then of the far crop."""
    return np.concatenate([as_colours(crop_of(picture, found, look)) for look in (NEAR, FAR)])


class ContextReader:
    """Gives each detection a probability of being a die, from its surroundings."""

    def __init__(self, net: Run | None = None) -> None:
        self._net = net if net is not None else Network(MODELS / "dice_context.onnx")

    def look(self, picture: Halved, found: Sequence[Found]) -> list[Found]:
        """The detections with `by_context` filled in."""
        if not found:
            return []
        told: list[float] = []
        for k in range(0, len(found), BATCH):
            crops = np.stack([crops_of(picture, one) for one in found[k : k + BATCH]])
            odds = self._net(crops)[:, 0].astype(np.float64)
            told += (1 / (1 + np.exp(-odds))).tolist()
        return [replace(one, by_context=chance) for one, chance in zip(found, told, strict=True)]
