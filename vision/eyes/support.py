"""How a flat piece comes to rest on what lies under it: its plane sinks until its middle is as low as it can be.

A body at rest on supports has the least height of its middle that the supports allow (its potential energy), so the
plane of its underside is a linear programme in three unknowns. Where two rounded rims barely overlap, the upper one
rides on the round of the lower: the support is lower by what two touching circles give.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np

from vision.eyes.bodies import Place, Solid, turned
from vision.eyes.sight import Floats

STEEPEST = 0.6
"""The slope beyond which a piece would slide (31 degrees)."""
RIM_POINTS = 48


@dataclass(frozen=True, eq=False)
class Under:
    """A plane underside: its height at the middle and its slopes along x and y (mm a mm)."""

    height_mm: float
    slope_x: float
    slope_y: float

    @property
    def is_flat(self) -> bool:
        return abs(self.slope_x) + abs(self.slope_y) < 1e-3


@dataclass(frozen=True, eq=False)
class Support:
    """A lower body as a support: its outline (convex, mm), its top plane, the round of its rim."""

    outline_mm: Floats
    height_mm: float
    slope_x: float
    slope_y: float
    middle_mm: Floats
    round_mm: float

    def top_at(self, xy_mm: Floats) -> Floats:
        d = xy_mm - self.middle_mm
        return self.height_mm + d[:, 0] * self.slope_x + d[:, 1] * self.slope_y


def support_of(solid: Solid, place: Place, outline_mm: Floats) -> Support:
    """A resting body as a support for others."""
    normal = up_of(place)
    slopes = -normal[:2] / normal[2]
    top = place.middle_mm[2] + solid.half_height_mm / normal[2]
    return Support(outline_mm, float(top), float(slopes[0]), float(slopes[1]), place.middle_mm[:2], solid.round_mm)


def up_of(place: Place) -> Floats:
    """The body's most upward axis, pointing up."""
    i = int(np.argmax(np.abs(place.axes[2])))
    return place.axes[:, i] * np.sign(place.axes[2, i])


def rest(outline_mm: Floats, middle_mm: Floats, round_mm: float, supports: list[Support]) -> Under:
    """The underside of a body with this outline, lying on the table and on supports."""
    points, heights = [outline_mm], [np.zeros(len(outline_mm))]
    for support in supports:
        mine, its = outline_mm, support.outline_mm
        together = support.round_mm + round_mm
        for rim, other in ((its, mine), (mine, its)):
            depth = np.array(
                [cv2.pointPolygonTest(other.astype(np.float32), (float(x), float(y)), True) for x, y in rim]
            )
            inside = depth > 0
            if not inside.any():
                continue
            short = np.maximum(together - depth[inside], 0.0)
            sunk = together - np.sqrt(np.maximum(together**2 - short**2, 0.0))
            points.append(rim[inside])
            heights.append(support.top_at(rim[inside]) - sunk)
    return _lowest(np.vstack(points) - middle_mm, np.concatenate(heights))


def _lowest(points: Floats, heights: Floats) -> Under:
    """The plane over all (point, height) whose height at the origin is least: a search on a grid that narrows."""
    if heights.max() <= 0:
        return Under(0.0, 0.0, 0.0)
    middle = np.zeros(2)
    reach = STEEPEST
    for _ in range(6):
        steps = np.linspace(-reach, reach, 13)
        bx, by = np.meshgrid(middle[0] + steps, middle[1] + steps)
        over = heights[:, None] - points[:, :1] * bx.ravel() - points[:, 1:] * by.ravel()
        level = over.max(axis=0) + 1e-4 * np.hypot(bx.ravel(), by.ravel())
        best = int(level.argmin())
        middle = np.array([bx.ravel()[best], by.ravel()[best]])
        reach /= 4.5
    height = float((heights - points @ middle).max())
    return Under(height, float(middle[0]), float(middle[1]))


def laid(place: Place, solid: Solid, under: Under) -> Place:
    """The body at its (x, y) and angle, laid on that underside."""
    normal = np.array([-under.slope_x, -under.slope_y, 1.0])
    normal /= np.linalg.norm(normal)
    flat = _flat(place)
    axis = np.array([-normal[1], normal[0], 0.0])
    size = math.hypot(axis[0], axis[1])
    turn = turned(axis / size * math.asin(min(size, 1.0))) if size > 1e-9 else np.eye(3)
    middle = np.array([*place.middle_mm[:2], under.height_mm + solid.half_height_mm / normal[2]])
    return Place(middle, turn @ flat)


def _flat(place: Place) -> Floats:
    """The place's axes turned upright, its angle kept."""
    angle = math.radians(place.angle_deg)
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
