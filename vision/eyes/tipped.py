"""Ninjas that lean on the rim of a disk: their value does not count, and they lie elsewhere than they seem to stand.

Seen from above a leaning ninja shows its pips as one that stands does, so it is first taken to stand, up to three mm
from where it is and beside the rim or a little over it. Over the rim it must lean. Beside it both are possible: then
the wall that it turns up toward the disk tells, a strip of the picture where the ground would be if it stood. How it
leans follows from the rim and from where its top is seen.
"""

from __future__ import annotations

import cv2
import numpy as np

from vision.eyes import support
from vision.eyes.bodies import Outline, Place, Solid, View, apart_mm, depth_in_disk, silhouette
from vision.eyes.edges import profiles
from vision.eyes.leans import WAYS, Rest, under_of
from vision.eyes.pieces import Found, radius_mm
from vision.eyes.sight import Floats, Sight

OVER_MM, BESIDE_MM = 0.15, 1.2
"""What seems to reach so far over a rim leans on it, and what seems to stand further beside it does not. Of 122
labelled ninjas beside rims none that stood was seen over one by more than 0.01, and one that leaned further away."""
UPTURNED = 0.14
"""Between these the outline of a leaning one, where it lies further out, must be a clearer edge by this (of the root of
light) than the standing one's there: 7 of 9 that leaned and 1 of 9 that stood."""
OUT_PX = 1.5
"""The two outlines differ where one lies so far outside the other."""
LEAST_SAMPLES = 4
"""So many samples of each must do so to be compared."""
AROUND_MM = 25.0
"""Disks whose rims are nearer may carry it."""
START_MM = 1.5
"""A die that leans is first laid so far over the rim."""
STEEPEST = 0.6
"""A small die on a samurai leans by more than a large one."""
LEANING = "it leans on the rim of a disk"
ROUNDS, SAME_TOP_PX = 3, 1.0
"""The top is brought to where it is seen in so many rounds, and must come so near."""
INSIDE_PX, OUTSIDE_PX, MOST_STEP = (1.0, 2.0), (1.0, 2.0), 0.3
"""An edge is the step between means over these distances; it counts up to this."""


def tipped(sight: Sight, solid: Solid, flat: Place, disk: Found, disks: list[Found]) -> Place | None:
    """How a ninja that seems to stand at `flat` leans on a disk's rim; None where it stands. `disks`: all that lie."""
    middle, radius = disk.place.middle_mm[:2], radius_mm(disk)
    over_mm = depth_in_disk(solid, flat, middle, radius)
    if over_mm < -BESIDE_MM:
        return None
    standing = _Edge(sight, solid, flat)
    near = [each for each in disks if apart_mm(each.place, flat) < radius_mm(each) + AROUND_MM]
    rest = Rest(middle, radius, [support.support_of(each.solid, each.place) for each in near])
    leaning = [_Edge(sight, solid, place) for place in _leaning(sight.view, solid, flat, rest, over_mm)]
    if over_mm <= OVER_MM and max((_upturned(each, standing) for each in leaning), default=0.0) <= UPTURNED:
        return None
    return max(leaning, key=lambda edge: float(edge.steps.mean())).place if leaning else None


class _Edge:
    """The outline of a die at a place, and how much brighter it is just outside of it than inside (N,)."""

    def __init__(self, sight: Sight, solid: Solid, place: Place) -> None:
        self.place = place
        self.outline: Outline = silhouette(sight.view, solid, place, spacing_px=1.0)
        along, lights = profiles(sight.light, self.outline.pixels, self.outline.normals, OUTSIDE_PX[1])
        root = np.sqrt(lights)
        inside, outside = (
            root[:, (sign * along >= near) & (sign * along <= far)].mean(axis=1).max(axis=1)
            for sign, (near, far) in ((-1, INSIDE_PX), (1, OUTSIDE_PX))
        )
        self.steps: Floats = np.clip(outside - inside, -MOST_STEP, MOST_STEP)

    def beyond(self, other: _Edge, by_px: float) -> Floats:
        """The steps where this outline lies so far outside the other one, or inside where `by_px` is negative."""
        polygon = other.outline.pixels.astype(np.float32)
        far = np.array([-cv2.pointPolygonTest(polygon, at, True) for at in self.outline.pixels.tolist()])
        return np.asarray(self.steps[far > by_px] if by_px > 0 else self.steps[far < by_px])


def _upturned(leaning: _Edge, standing: _Edge) -> float:
    """How much clearer the outline of a leaning die is than that of a standing one, where it lies further out."""
    mine, others = leaning.beyond(standing, OUT_PX), standing.beyond(leaning, -OUT_PX)
    if min(len(mine), len(others)) < LEAST_SAMPLES:
        return 0.0
    return float(mine.mean() - others.mean())


def _leaning(view: View, solid: Solid, flat: Place, rest: Rest, over_mm: float) -> list[Place]:
    """The ways in which a die can lean on a rim so that its top's middle is seen where the standing one's is."""
    toward = rest.disk_middle - flat.middle_mm[:2]
    toward = toward / max(float(np.hypot(*toward)), 1e-9)
    start = Place(flat.middle_mm + np.append(toward * max(START_MM - over_mm, 0.0), 0.0), flat.axes)
    sought = _top_px(view, solid, flat)
    found = []
    for way in range(WAYS):
        place: Place | None = start
        for _ in range(ROUNDS):
            under = under_of(solid, place, way, rest, STEEPEST) if place is not None else None
            place = None if under is None or place is None else _shown_at(view, solid, place, under, sought)
        if place is not None and float(np.hypot(*(_top_px(view, solid, place) - sought))) < SAME_TOP_PX:
            found.append(place)
    return found


def _shown_at(view: View, solid: Solid, place: Place, under: support.Under, sought: Floats) -> Place:
    """A die laid on an underside and moved on the table until its top's middle is seen there."""
    laid = support.laid(place, solid, under)
    top = laid.middle_mm + support.up_of(laid) * solid.half_height_mm
    at, right, down = view.to_pixels(top + np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]))
    step = np.linalg.solve(np.column_stack([right - at, down - at]), sought - at)
    return Place(laid.middle_mm + np.append(step, 0.0), laid.axes)


def _top_px(view: View, solid: Solid, place: Place) -> Floats:
    """Where the middle of a die's top is seen."""
    return np.asarray(view.to_pixels((place.middle_mm + support.up_of(place) * solid.half_height_mm)[None])[0])
