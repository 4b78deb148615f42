"""In which dice's tops a lamp is mirrored so brightly that an eye there would not be seen.

A white top that is too bright for the camera shows an eye all the same, for ink sends back little of what falls on it:
nearly all tops that are white without a trace of ink are bare. Only a lamp that is mirrored in the varnish outshines
the ink. Three things tell that. The lamp must lie where the camera is mirrored in the top, and a table's dice show
where the light comes from. Where no other die is too bright, but for such as may mirror the lamp too, this one is for
that lamp. And where others are, it is more so, and brims over: blurred, then cut off at the camera's end, its outline
is seen further out than theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from vision.eyes.bodies import Place, Solid
from vision.eyes.inks import has_white_top
from vision.eyes.ridges import shown_of, swollen_px
from vision.eyes.sight import Floats, Sight
from vision.eyes.support import up_of

LAMP_SLANT = 1.4
"""A lamp is so much further from the vertical than the slant that walls and edges show: the room's light hides some."""
NEAR = 0.45
"""A lamp may be mirrored where it is expected, as near as this (in slopes). Of 64 labelled tops in which one was
mirrored, within 0.17 of its middle, all were told within 0.41."""
BRIMS_PX = 0.075
"""Tops that hide an eye are seen wider by more than this to each side. Of 31 tops of path-traced dice that were too
bright for the camera and near a lamp's mirror image, the three within 0.1 of its middle were wider by 0.10 to 0.15, the
others by 0.06 at most; pictures compressed again, softened and sharpened said the same."""
TOO_BRIGHT = 0.4
"""A die is too bright for the camera that is so at this part of its edges."""


class Mirrors:
    """The dice's tops of one picture as mirrors."""

    def __init__(self, sight: Sight, solid: Solid, places: Sequence[Place]) -> None:
        self._sight, self._solid, self._places = sight, solid, places

    def may_hide_an_eye(self, place: Place) -> bool:
        """Whether a lamp may be mirrored in the top of the die at this place, too bright for the camera as it is, so
        brightly that ink is not seen."""
        if not self._is_near_lamp(place):
            return False
        swollen, flooded = self._edges
        is_exposed = any(
            bright > TOO_BRIGHT and not (self._is_near_lamp(other) and has_white_top(self._sight, self._solid, other))
            for other, bright in zip(self._places, flooded.tolist(), strict=True)
            if other is not place
        )
        mine = next(i for i, each in enumerate(self._places) if each is place)
        return not is_exposed or not swollen[mine] <= BRIMS_PX

    def _is_near_lamp(self, place: Place) -> bool:
        up = up_of(place)
        toward = self._sight.pose.centre_mm - place.middle_mm - up * self._solid.half_height_mm
        toward /= np.linalg.norm(toward)
        mirrored = 2 * float(toward @ up) * up - toward
        lamp = LAMP_SLANT * np.array(self._sight.glow.slant)
        return bool(mirrored[2] > 0 and np.hypot(*(mirrored[:2] / mirrored[2] - lamp)) < NEAR)

    @cached_property
    def _edges(self) -> tuple[Floats, Floats]:
        return swollen_px(self._sight, shown_of(self._sight, self._solid, self._places))
