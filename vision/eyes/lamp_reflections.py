"""In which dice's tops a lamp is mirrored so brightly that an eye there would not be seen.

Even a white top that is too bright for the camera shows its eye, because ink sends back little light. So nearly all
tops that are white without a trace of ink are bare. Only a lamp mirrored in the varnish outshines the ink, and three
things tell:

- The lamp must lie where the camera is mirrored in the top; the dice show where the light comes from.
- No other die is too bright, except those that may mirror the lamp too.
- Or others are too bright, but this one more so: blurred and then cut off, its outline is seen further out than theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from vision.eyes.eye_owner import has_white_top
from vision.eyes.support import up_axis
from vision.measure.bodies import Place, Solid
from vision.measure.prepared import Floats, PreparedImage
from vision.measure.ridges import outline_growth_px, show_dice

LAMP_FURTHER = 1.4
"""A lamp is so much further from the vertical than what walls and edges show: the room's light hides some."""
NEAR = 0.45
"""A lamp may be mirrored where it is expected, as near as this (in slopes). Of 64 labelled tops in which one was
mirrored, within 0.17 of its middle, all were told within 0.41."""
WIDER_PX = 0.075
"""Tops that hide an eye are seen wider by more than this to each side. Of 31 tops of path-traced dice that were too
bright for the camera and near a lamp's mirror image, the three within 0.1 of its middle were wider by 0.10 to 0.15, the
others by 0.06 at most; pictures compressed again, softened and sharpened said the same."""
TOO_BRIGHT = 0.4
"""A die is too bright where this share of its edges is saturated."""


class LampReflections:
    """The tops of one picture's dice as mirrors of lamps."""

    def __init__(self, image: PreparedImage, solid: Solid, places: Sequence[Place]) -> None:
        self._image, self._solid, self._places = image, solid, places

    def may_hide_an_eye(self, place: Place) -> bool:
        """Whether a lamp may be mirrored in this die's saturated top so brightly that ink would not show."""
        if not self._is_near_lamp(place):
            return False
        swollen, saturated = self._edges
        is_exposed = any(
            bright > TOO_BRIGHT and not (self._is_near_lamp(other) and has_white_top(self._image, self._solid, other))
            for other, bright in zip(self._places, saturated.tolist(), strict=True)
            if other is not place
        )
        mine = next(i for i, each in enumerate(self._places) if each is place)
        return not is_exposed or not swollen[mine] <= WIDER_PX

    def _is_near_lamp(self, place: Place) -> bool:
        up = up_axis(place)
        toward = self._image.pose.centre_mm - place.middle_mm - up * self._solid.half_height_mm
        toward /= np.linalg.norm(toward)
        mirrored = 2 * float(toward @ up) * up - toward
        lamp = LAMP_FURTHER * np.array(self._image.room_light.direction)
        return bool(mirrored[2] > 0 and np.hypot(*(mirrored[:2] / mirrored[2] - lamp)) < NEAR)

    @cached_property
    def _edges(self) -> tuple[Floats, Floats]:
        return outline_growth_px(self._image, show_dice(self._image, self._solid, self._places))
