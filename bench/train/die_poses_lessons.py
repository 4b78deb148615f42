"""Lessons for the network of die poses: dice at the rims of tables, each in the poses that are likely.

The tables are drawn here, or they are labelled pictures of a folder.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.drawn.eyes_tables import PiecePlacer
from bench.eyes_cameras import lens_of
from bench.harness import picture_at
from calibration.arrays import Floats, Floats32, Picture
from calibration.pose import Pose, find_pose
from companion.game.brought import default_kit
from companion.game.readings import Kind
from vision.measure.pictures import jpeg
from vision.sim.render import Renderer
from vision.sim.rooms import lighting, mount, rig, surface
from vision.sim.scene import Scene
from vision.tables.eyes.detect import find_dice
from vision.tables.eyes.die_poses import likely_ways
from vision.tables.eyes.limits import LIMITS
from vision.tables.eyes.pieces import Shapes, margin_mm
from vision.tables.eyes.pose_net import patch_of

KIT = default_kit("eyes_of_the_emperor")
_DIE = Kind.EMPIRE_DIE
TABLES, AT_A_RIM, FINE = 4, 9, 0.6
"""Tables that one camera sees; dice at each rim; share of cameras as fine as the samples'."""
OUTSIDE_MM = 10.5, 20.5
"""Distance of a die's middle from the rim: it leans on the rim or stands next to it."""
SAME_DIE_MM = 6.0
RIGHT_MM = 0.7
"""A die is left out if the corners of no pose are this near (RMS) to the true ones."""


@dataclass(frozen=True, eq=False)
class RimDie:
    """One die, with values for each of its K likely poses: the patch (K, 7, SIDE, SIDE), the cost of its edges and its
    footprint (K,), and how far it is off (K,), mm RMS."""

    patches: Floats32
    costs: NDArray[np.float64]
    off_mm: NDArray[np.float64]


def of_camera(seed: int) -> list[RimDie]:
    """The dice of some tables that one random camera sees."""
    cv2.setNumThreads(1)
    rng = np.random.default_rng((777, seed))
    is_fine = bool(rng.random() < FINE)
    camera = rig(seed % 26, rng, is_fine)
    pose, _ = mount(camera.lens, KIT, rng, is_fine)
    film = replace(camera.film, white_balance=(float(rng.normal(1, 0.05)), 1.0, float(rng.normal(1, 0.05))))
    renderer, shapes = Renderer(KIT, pose, film), Shapes.of(KIT)
    half_mm = CORNERS * shapes.empire_die.half_height_mm
    lessons: list[RimDie] = []
    for table in range(TABLES):
        scene = _scene(rng, TABLES * seed + table)
        shown = jpeg(renderer.picture(scene, table), int(rng.integers(86, 97)))
        picture = np.asarray(cv2.imdecode(np.frombuffer(shown, np.uint8), cv2.IMREAD_COLOR), np.uint8)
        corners = [body.at_mm + half_mm @ body.rotation.T for body in scene.bodies if body.kind is _DIE]
        lessons += _of_picture(picture, pose, shapes, corners)
    return lessons


def of_picture(path: Path) -> list[RimDie]:
    """The dice of a labelled picture whose label has the camera and the corners of each die."""
    cv2.setNumThreads(1)
    label = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    lens = lens_of(path.parent, label["camera_id"], label)
    picture = picture_at(path)
    corners = [np.array(piece["corners_mm"]) for piece in label["pieces"] if piece["kind"] == _DIE.value]
    return _of_picture(picture, find_pose(picture, lens, KIT), Shapes.of(KIT), corners)


def _of_picture(picture: Picture, pose: Pose, shapes: Shapes, corners: list[Floats]) -> list[RimDie]:
    """The dice at the rims in a picture, compared with the corners (8, 3) of each true die."""
    image, _, territories, dice = find_dice(picture, pose, KIT, shapes)
    lessons = []
    for die in dice:
        lands = [land for land in territories if margin_mm(die, land) > -LIMITS.same_mm]
        here = die.place.middle_mm[:2]
        true = next((one for one in corners if math.dist(one.mean(axis=0)[:2], here) < SAME_DIE_MM), None)
        ways = likely_ways(image, die, lands) if lands and true is not None else []
        if true is None or len(ways) < 2:
            continue
        places = [way.fit.place for way, _ in ways]
        off_mm = np.array([_off_mm(place.points(die.solid.half_height_mm * CORNERS), true) for place in places])
        if off_mm.min() < RIGHT_MM:
            patches = np.stack([patch_of(image, die.solid, place, lands) for place in places])
            lessons.append(RimDie(patches, np.array([cost for _, cost in ways]), off_mm))
    return lessons


CORNERS = np.array([(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])


def _off_mm(corners: NDArray[np.float64], right: NDArray[np.float64]) -> float:
    apart = np.linalg.norm(corners[:, None] - right[None], axis=2).min(axis=1)
    return float(np.sqrt(np.square(apart).mean()))


def _scene(rng: np.random.Generator, seed: int) -> Scene:
    """A table with dice around both rims, and some other pieces."""
    on = PiecePlacer(KIT, rng)
    for color in ("red", "blue"):
        land, first = on.land(color), rng.uniform(0, 2 * math.pi)
        for i in range(AT_A_RIM):
            angle = first + 2 * math.pi * i / AT_A_RIM + rng.uniform(-0.1, 0.1)
            out = land.solid.radius_mm + rng.uniform(*OUTSIDE_MM)
            at = (land.at_mm[0] + out * math.cos(angle), land.at_mm[1] + out * math.sin(angle))
            on.put(on.die(Kind.EMPIRE_DIE, color, f"empire_die_{color}_{i}", at))
    if rng.random() < 0.5:
        on.samurai(int(rng.integers(1, 4)))
    on.ninjas(int(rng.integers(0, 8)))
    middle = (KIT.mat.width_mm / 2, KIT.mat.height_mm / 2)
    return Scene(bodies=tuple(on.bodies), lighting=lighting(rng, middle), surface=surface(rng, seed))
