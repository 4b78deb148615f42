"""The lights over a table, by the shadows of its empire dice, and their mirror images in the dice's tops.

A dome over the table is divided into cells that give level ground equal light under an even sky. A die hides some cells
from each place around it, and their light is missing there. All places together give each cell's share of the light;
none is negative, and together they are 1. Cells that no die hides from any seen place share what is left.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from calibration.arrays import Floats, Floats32
from companion.game.readings import Kind
from vision.measure import bodies
from vision.measure.bodies import Place
from vision.measure.limits import LIMITS as SHARED
from vision.measure.prepared import PreparedImage
from vision.tables.eyes.limits import LIMITS
from vision.tables.eyes.pieces import Detection
from vision.tables.eyes.support import up_axis

DOME_STEP = 2 / SHARED.circle_points
"""Distance of two cells' horizontal parts; radius of the dome: 1."""


def _grid(reach: float, step: float) -> Floats:
    """Points (N, 2) of a square around 0."""
    along = np.arange(-reach, reach + step / 2, step)
    return np.stack(np.meshgrid(along, along), axis=-1).reshape(-1, 2)


class Lamps:
    """The lights of one picture."""

    def __init__(self, image: PreparedImage, pieces: Sequence[Detection]) -> None:
        self._image, self._pieces, self._camera_mm = image, pieces, image.pose.centre_mm
        level = _grid(1.0, DOME_STEP)
        level = level[np.square(level).sum(axis=1) < LIMITS.nearly_all]
        dome = np.column_stack([level, np.sqrt(1 - np.square(level).sum(axis=1))])
        mat = image.kit.mat
        self._cells_mm = (mat.width_mm / 2, mat.height_mm / 2, 0) + 2 * self._camera_mm[2] * dome

    def may_hide_an_eye(self, place: Place) -> bool:
        """Whether a die's top may mirror so much light to the camera that ink on it looks white."""
        up = up_axis(place)
        toward = self._camera_mm - place.middle_mm
        mirrored = 2 * float(toward @ up) * up - toward
        if mirrored[2] <= 0:
            return False
        to = self._cells_mm - place.middle_mm
        apart2 = np.square(to[:, :2] / to[:, 2:] - mirrored[:2] / mirrored[2]).sum(axis=1)
        return float((self._shares / (apart2 + DOME_STEP**2 / 2)).sum()) > LIMITS.max_mirrored

    @cached_property
    def _shares(self) -> Floats32:
        """Each cell's share of the light on level ground (C,).

        Source: Daube-Witherspoon & Muehllehner, IEEE Transactions on Medical Imaging 5 (1986) 61.
        """
        count = len(self._cells_mm)
        missing, both = np.zeros(count, np.float32), np.zeros((count, count), np.float32)
        standing = [piece for piece in self._pieces if piece.kind is not Kind.TERRITORY]
        outlines = [bodies.silhouette(self._image.view, piece.solid, piece.place).pixels for piece in standing]
        image = replace(self._image, covers=tuple(outlines))
        for die in standing:
            for places, light in self._around(image, die) if die.kind is Kind.EMPIRE_DIE else ():
                hidden = self._hidden(places)
                missing += hidden.T @ (1 - light)
                both += hidden.T @ hidden
        shares = np.ones(count, np.float32)
        for _ in range(LIMITS.light_rounds):
            shares *= np.maximum(missing, 0) / np.maximum(both @ shares, LIMITS.tiny)
        is_unseen = both.diagonal() == 0
        shares[is_unseen] = max(1 - float(shares.sum()), 0) / max(int(is_unseen.sum()), 1)
        return shares

    def _around(self, image: PreparedImage, die: Detection) -> list[tuple[Floats, Floats32]]:
        """Bare places (N, 3) around a die and their light (N,), usually 1: of the mat and of each territory."""
        level = die.place.middle_mm[:2] + _grid(2 * 2 * die.solid.half_height_mm, LIMITS.same_mm)
        lands = [piece for piece in self._pieces if piece.kind is Kind.TERRITORY]
        beyond_mm = [np.hypot(*(level - land.place.middle_mm[:2]).T) - land.solid.radius_mm for land in lands]
        surfaces = [(np.min([np.full(len(level), np.inf), *beyond_mm], axis=0), 0.0)]
        surfaces += [(-mm, 2 * land.solid.half_height_mm) for mm, land in zip(beyond_mm, lands, strict=True)]
        found = []
        for inside_mm, height_mm in surfaces:
            places = np.column_stack([level, np.full(len(level), height_mm)])[inside_mm > LIMITS.same_mm]
            pixels = image.view.to_pixels(places)
            is_bare = ~image.is_covered(pixels, 2 * LIMITS.outline_px)
            if is_bare.any():
                light = image.nearest_px(pixels[is_bare]).sum(axis=1)
                found.append((places[is_bare], (light / np.median(light)).astype(np.float32)))
        return found

    def _hidden(self, places: Floats) -> Floats32:
        """Whether dice and ninjas hide each cell from each place (N, C): 0 or 1."""
        hidden = np.zeros((len(places), len(self._cells_mm)), bool)
        for piece in self._pieces:
            half_mm = piece.solid.half_height_mm
            at, to = (piece.place.axes.T @ (ends - piece.place.middle_mm).T for ends in (places, self._cells_mm))
            if piece.solid.is_round or np.linalg.norm(at, axis=0).min() > 2 * 2 * 2 * half_mm:
                continue
            first, last = np.zeros_like(hidden, np.float32), np.ones_like(hidden, np.float32)
            for start, end in zip(at.astype(np.float32), to.astype(np.float32), strict=True):
                way = end - start[:, None]
                way[way == 0] = LIMITS.tiny
                enter, leave = (-half_mm - start[:, None]) / way, (half_mm - start[:, None]) / way
                np.maximum(first, np.minimum(enter, leave), out=first)
                np.minimum(last, np.maximum(enter, leave), out=last)
            hidden |= first < last
        return hidden.astype(np.float32)
