"""Reads the value of a die from a crop: two networks, with further views if the first are not clear.

One network gets the crop's colours. The other also gets the inks: the main directions of the die's own colours.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.measure.networks import MODELS, Network, Run
from vision.photo.dice.find import Floats, Found, Picture
from vision.photo.dice.limits import LIMITS
from vision.photo.nets import as_colours, asked, cut, made_with, sigmoid, softmax

_MADE_WITH = made_with("dice")
CROP_PX: int = _MADE_WITH["crop_px"]
REACH: float = _MADE_WITH["crop_sides"]
"""Side of a crop relative to the die's side (square root of its box's area)."""
FAR_REACH: float = _MADE_WITH["far_crop_sides"]
INK_FLOOR: float = _MADE_WITH["ink_floor_levels"]
"""Grey levels added to an ink's spread: weak inks are mostly noise."""
MAX_INK_SPREADS: float = _MADE_WITH["max_ink_spreads"]
"""Inks are clipped at this many spreads from the die's mean colour."""
NO_DIE = -1
"""The networks' last class; the others are the unreadable face (0) and the six values."""
COLOURS, INKS = 0, 1
"""The two networks."""


class FaceView(NamedTuple):
    """One view of a die: the network, mirrored or not, only the second ink or all colours, and the crop's relative
    size."""

    network: int
    mirrored: bool = False
    inked: bool = False
    size: float = 1.0


LOOKS = (
    FaceView(COLOURS),
    FaceView(INKS, mirrored=True),
    FaceView(COLOURS, inked=True),
    FaceView(INKS, inked=True),
    FaceView(COLOURS, mirrored=True),
    FaceView(INKS),
)
"""The first two views are taken of every possible die, the others of unclear dice."""
FIRST_LOOKS = 2
_WITHIN_PX: float = _MADE_WITH["inks_within"] * CROP_PX
DIE_AT = np.flatnonzero(np.hypot(*(np.mgrid[:CROP_PX, :CROP_PX] - (CROP_PX - 1) / 2)) < _WITHIN_PX)
"""The pixels of a crop that certainly show the die."""
PIP_INKS = 2
"""Number of inks in which pips are searched: the third ink is mostly noise."""


def crop_of(pyramid: list[Picture], found: Found, look: FaceView = LOOKS[0]) -> Picture:
    """The die in the middle of a square of CROP_PX, BGR, from a picture's `halvings`. Training uses the same crops."""
    times = REACH * found.side_px * look.size / CROP_PX
    crop = cut(pyramid, (found.x, found.y), times, (CROP_PX, CROP_PX), is_mirrored=look.mirrored)
    return second_ink(crop) if look.inked else crop


def second_ink(crop: Picture) -> Picture:
    """The crop's second main direction of colour as a grey picture with stretched contrast.

    It shows pips as bright as their die (red on dark grey, for example), and pips among mirrored lamps.
    Source: principal components of colours, Y. Ohta, T. Kanade, T. Sakai, Color information for region
    segmentation, Computer Graphics and Image Processing 13 (1980).
    """
    grey = (with_inks(crop)[4] + 0.5) * 255
    return np.repeat(grey.astype(np.uint8)[..., None], 3, 2)


def with_inks(crop: Picture) -> Floats:
    """(6, CROP_PX, CROP_PX): the colours and three inks of the die.

    The inks are the main directions of the colours in the crop's middle, scaled to the same spread (source: see
    `second_ink`).
    """
    colours = crop.astype(np.float32)
    die = colours.reshape(-1, 3).take(DIE_AT, axis=0)
    mean = die.mean(0)
    die -= mean
    spread2, axes = np.linalg.eigh(die.T @ die / len(die))
    axes = axes[:, ::-1] * np.where(axes.sum(0) < 0, -1, 1)[::-1]
    spread = np.sqrt(np.maximum(spread2[::-1], 0)) + INK_FLOOR
    across = (axes / spread).T
    inks = cv2.transform(colours, np.column_stack([across, -across @ mean]))
    eaten = np.empty((6, CROP_PX, CROP_PX), np.float32)
    eaten[:3] = as_colours(crop)
    inks = np.clip(inks / np.float32(2 * MAX_INK_SPREADS), -0.5, 0.5)
    eaten[3:] = inks.transpose(2, 0, 1)
    return eaten


def joined(looks: NDArray[np.float32]) -> Floats:
    """Joins the answers for several views, (dice, views, 8), to probabilities: their mean. For "no die" it is the
    geometric mean, because all views must agree on that."""
    mean = looks.mean(1)
    no_die = np.exp(np.log(looks[:, :, NO_DIE] + 1e-6).mean(1))
    mean[:, :NO_DIE] *= ((1 - no_die) / np.maximum(1 - mean[:, NO_DIE], 1e-6))[:, None]
    mean[:, NO_DIE] = no_die
    return np.asarray(mean, np.float32)


def hope_of(found: list[Found], chances: Floats) -> Floats:
    """Probability of a die for each detection, from the finder and the face readers, (len(found),)."""
    return np.asarray(np.sqrt(np.array([one.heat for one in found]) * (1 - chances[:, NO_DIE]).clip(0)), np.float32)


class FaceReader:
    """Probabilities of (unreadable, 1, ..., 6, no die) for each detection."""

    def __init__(self, colours: Run | None = None, inks: Run | None = None) -> None:
        self._nets = (
            colours if colours is not None else Network(MODELS / "dice_face.onnx"),
            inks if inks is not None else Network(MODELS / "dice_inks.onnx"),
        )

    def look(self, pyramid: list[Picture], found: list[Found], first_looks: int = FIRST_LOOKS) -> Floats:
        """Probabilities, (len(found), 8), by the networks alone, from all views joined. A clear detection gets only
        `first_looks` views."""
        if not found:
            return np.zeros((0, 8), np.float32)
        first = self._looked(pyramid, found, LOOKS[:1])
        chances = joined(first)
        hopeful = np.nonzero(hope_of(found, chances) >= LIMITS.likely)[0]
        first = self._looked_again(pyramid, found, hopeful, LOOKS[1:first_looks], first[hopeful], chances)
        clearest = first[:, :, :NO_DIE].min(1).max(1)
        is_unclear = (clearest < LIMITS.likely) & (hope_of(found, chances) >= LIMITS.likely)[hopeful]
        self._looked_again(pyramid, found, hopeful[is_unclear], LOOKS[first_looks:], first[is_unclear], chances)
        return chances

    def _said(self, which: int, crops: Sequence[Picture]) -> Floats:
        """One network's probabilities, (len(crops), 8)."""
        return np.asarray(softmax(asked(self._nets[which], crops, with_inks if which == INKS else as_colours)))

    def _looked_again(
        self,
        pyramid: list[Picture],
        found: list[Found],
        which: NDArray[np.intp],
        looks: tuple[FaceView, ...],
        before: Floats,
        chances: Floats,
    ) -> Floats:
        """All views of the detections `which`, from those in `before`; joins their result into `chances`."""
        if not len(which):
            return np.zeros((0, before.shape[1] + len(looks), 8), np.float32)
        new = self._looked(pyramid, [found[k] for k in which], looks)
        every = np.concatenate([before, new], 1)
        chances[which] = joined(every)
        return np.asarray(every, np.float32)

    def _looked(self, pyramid: list[Picture], found: list[Found], looks: tuple[FaceView, ...]) -> NDArray[np.float32]:
        """Probabilities, (dice, views, 8)."""
        chances = np.zeros((len(found), len(looks), 8), np.float32)
        for which in (COLOURS, INKS):
            mine = [k for k, look in enumerate(looks) if look.network == which]
            if mine:
                crops = [crop_of(pyramid, one, looks[k]) for one in found for k in mine]
                chances[:, mine] = self._said(which, crops).reshape(len(found), len(mine), 8)
        return chances


# The surroundings of a detection: a network that sees each detection near and far gives the probability of a die. A
# face alone is not enough: half a domino shows a die's pips, and a white die that touches others has no visible edges.
# The surroundings settle both.


NEAR, FAR = FaceView(0), FaceView(0, size=FAR_REACH / REACH)
"""Two crops: the face reader's, and one of the surroundings."""


def crops_of(pyramid: list[Picture], found: Found) -> Floats:
    """(6, CROP_PX, CROP_PX): red, green and blue of the near crop, then of the far crop."""
    return np.concatenate([as_colours(crop_of(pyramid, found, look)) for look in (NEAR, FAR)])


class ContextReader:
    """Gives each detection a probability of being a die, from its surroundings."""

    def __init__(self, net: Run | None = None) -> None:
        self._net = net if net is not None else Network(MODELS / "dice_context.onnx")

    def look(self, pyramid: list[Picture], found: Sequence[Found]) -> list[Found]:
        """The detections with `by_context` filled in."""
        if not found:
            return []
        odds = asked(self._net, found, lambda one: crops_of(pyramid, one))[:, 0]
        told = sigmoid(odds.astype(np.float64)).tolist()
        return [replace(one, by_context=chance) for one, chance in zip(found, told, strict=True)]
