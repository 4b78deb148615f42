"""Ninjas that lean on the rim of a disk: their value does not count, and they lie elsewhere than they seem to stand.

From above a leaning ninja shows its pips like a standing one. So it is first taken to stand, up to three millimetres
from its place, beside the rim or a little over it. Over the rim it must lean. Beside it both are possible; then the
wall that it turns up toward the disk tells: a strip of the picture that would show the ground if the ninja stood. The
lean follows from the rim and from where the top is seen.
"""

from __future__ import annotations

import cv2
import numpy as np

from vision.eyes import support
from vision.eyes.leaning_die_fit import WAYS, Rest, underside_of
from vision.eyes.pieces import Detection, radius_mm
from vision.measure.bodies import Place, Solid, apart_mm, depth_in_disk
from vision.measure.edges import profiles
from vision.measure.prepared import Floats, PreparedImage
from vision.measure.views import Outline, View, silhouette

OVER_MM, BESIDE_MM = 0.15, 1.2
"""A ninja that seems to reach further over a rim than the first leans on it; one that seems to stand further beside it
than the second does not. Of 122 labelled ninjas beside rims none that stood was seen over one by more than 0.01, and
one that leaned was further away."""
UPTURNED = 0.14
"""Between these, a leaning outline must be a clearer edge than the standing one by this (root of light), where it lies
further out: it was for 7 of 9 that leaned and for 1 of 9 that stood."""
OUT_PX = 1.5
"""How far outside of the other one outline must lie to be compared."""
LEAST_SAMPLES = 4
"""The least number of such samples of each."""
AROUND_MM = 25.0
"""Disks whose rims are nearer may carry it."""
START_MM = 1.5
"""A leaning die starts so far over the rim."""
STEEPEST = 0.6
"""The steepest slope: a small die on a samurai leans more than a large one."""
LEANING = "it leans on the rim of a disk"
ROUNDS, SAME_TOP_PX = 3, 1.0
"""The rounds that bring the top to where it is seen, and how near it must come."""
INSIDE_PX, OUTSIDE_PX, MOST_STEP = (1.0, 2.0), (1.0, 2.0), 0.3
"""An edge is the step between means over these distances; it counts up to this."""


def lean_on_rim(
    image: PreparedImage, solid: Solid, flat: Place, disk: Detection, disks: list[Detection]
) -> Place | None:
    """How a ninja that seems to stand at `flat` leans on a disk's rim; None if it stands. `disks`: all lying ones."""
    middle, radius = disk.place.middle_mm[:2], radius_mm(disk)
    over_mm = depth_in_disk(solid, flat, middle, radius)
    if over_mm < -BESIDE_MM:
        return None
    standing = _Edge(image, solid, flat)
    near = [each for each in disks if apart_mm(each.place, flat) < radius_mm(each) + AROUND_MM]
    rest = Rest(middle, radius, [support.support_of(each.solid, each.place) for each in near])
    leaning = [_Edge(image, solid, place) for place in _leaning(image.view, solid, flat, rest, over_mm)]
    if over_mm <= OVER_MM and max((_upturned(each, standing) for each in leaning), default=0.0) <= UPTURNED:
        return None
    return max(leaning, key=lambda edge: float(edge.steps.mean())).place if leaning else None


class _Edge:
    """The outline of a die at a place, and how much brighter it is just outside of it than inside (N,)."""

    def __init__(self, image: PreparedImage, solid: Solid, place: Place) -> None:
        self.place = place
        self.outline: Outline = silhouette(image.view, solid, place, spacing_px=1.0)
        along, lights = profiles(image.light, self.outline.pixels, self.outline.normals, OUTSIDE_PX[1])
        root = np.sqrt(lights)
        inside, outside = (
            root[:, (sign * along >= near) & (sign * along <= far)].mean(axis=1).max(axis=1)
            for sign, (near, far) in ((-1, INSIDE_PX), (1, OUTSIDE_PX))
        )
        self.steps: Floats = np.clip(outside - inside, -MOST_STEP, MOST_STEP)

    def brighter_than(self, other: _Edge, by_px: float) -> Floats:
        """The steps where this outline lies so far outside the other one, or inside where `by_px` is negative."""
        polygon = other.outline.pixels.astype(np.float32)
        far = np.array([-cv2.pointPolygonTest(polygon, at, True) for at in self.outline.pixels.tolist()])
        return np.asarray(self.steps[far > by_px] if by_px > 0 else self.steps[far < by_px])


def _upturned(leaning: _Edge, standing: _Edge) -> float:
    """How much clearer a leaning die's outline is than a standing one's, where it lies further out."""
    mine, others = leaning.brighter_than(standing, OUT_PX), standing.brighter_than(leaning, -OUT_PX)
    if min(len(mine), len(others)) < LEAST_SAMPLES:
        return 0.0
    return float(mine.mean() - others.mean())


def _leaning(view: View, solid: Solid, flat: Place, rest: Rest, over_mm: float) -> list[Place]:
    """The ways to lean on a rim that show the top's middle where the standing one shows it."""
    toward = rest.disk_middle - flat.middle_mm[:2]
    toward = toward / max(float(np.hypot(*toward)), 1e-9)
    start = Place(flat.middle_mm + np.append(toward * max(START_MM - over_mm, 0.0), 0.0), flat.axes)
    sought = _top_px(view, solid, flat)
    found = []
    for way in range(WAYS):
        place: Place | None = start
        for _ in range(ROUNDS):
            under = underside_of(solid, place, way, rest, STEEPEST) if place is not None else None
            place = None if under is None or place is None else _shown_at(view, solid, place, under, sought)
        if place is not None and float(np.hypot(*(_top_px(view, solid, place) - sought))) < SAME_TOP_PX:
            found.append(place)
    return found


def _shown_at(view: View, solid: Solid, place: Place, under: support.Underside, sought: Floats) -> Place:
    """A die laid on an underside, moved on the table until its top's middle is seen there."""
    laid = support.place_on(place, solid, under)
    top = laid.middle_mm + support.up_axis(laid) * solid.half_height_mm
    at, right, down = view.to_pixels(top + np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]))
    step = np.linalg.solve(np.column_stack([right - at, down - at]), sought - at)
    return Place(laid.middle_mm + np.append(step, 0.0), laid.axes)


def _top_px(view: View, solid: Solid, place: Place) -> Floats:
    """Where the middle of a die's top is seen."""
    return np.asarray(view.to_pixels((place.middle_mm + support.up_axis(place) * solid.half_height_mm)[None])[0])
