"""The surroundings of a find: a network that sees each find near and far gives the chance that it is a die.

A face alone does not suffice: half a domino shows a die's pips, and a white die that touches others shows no edges of
its own. The surroundings make both clear.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vision.measure.networks import MODELS, Network, Run
from vision.photo.dice.face import Halved, Look, as_colours, crop_of
from vision.photo.dice.find import Floats, Found
from vision.photo.dice.limits import LIMITS

NEAR, FAR = Look(0), Look(0, size=3.0)
"""The face reader's crop, 1.5 sides of the find broad, and one 4.5 sides broad."""
BATCH = 16


def crops_of(picture: Halved, found: Found) -> Floats:
    """(6, CROP_PX, CROP_PX): red, green, blue from near, and from afar."""
    return np.concatenate([as_colours(crop_of(picture, found, look)) for look in (NEAR, FAR)])


class ContextReader:
    """Gives each find its chance to be a die by its surroundings. Unclear finds are looked at mirrored too."""

    def __init__(self, net: Run | None = None) -> None:
        self._net = net if net is not None else Network(MODELS / "dice_context.onnx")

    def look(self, picture: Halved, found: Sequence[Found]) -> list[Found]:
        """The finds, each with `by_context`."""
        if not found:
            return []
        told: list[float] = []
        for k in range(0, len(found), BATCH):
            crops = np.stack([crops_of(picture, one) for one in found[k : k + BATCH]])
            odds = self._net(crops)[:, 0].astype(np.float64)
            is_open = np.abs(odds) < LIMITS.open_log_odds
            if is_open.any():
                odds[is_open] += self._net(np.ascontiguousarray(crops[is_open, ..., ::-1]))[:, 0]
                odds[is_open] /= 2
            told += (1 / (1 + np.exp(-odds))).tolist()
        return [replace(one, by_context=chance) for one, chance in zip(found, told, strict=True)]
