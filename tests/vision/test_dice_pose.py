"""How dice lie: the shipped network against known dice, and who of several leans."""

from __future__ import annotations

import numpy as np
import pytest

from bench.drawn.dice import camera_of
from bench.drawn.die import pose_of
from tests.vision.dice_scenes import die, photograph
from vision.photo.dice.face import Halved, crop_of
from vision.photo.dice.find import DiceFinder, Found
from vision.photo.dice.limits import LIMITS
from vision.photo.dice.pose import DOWN, RIGHT, SIDE, TURN_COS, TURN_SIN, PoseReader, from_ahead, lies_level, upward

WIDTH, HEIGHT = 480, 360


@pytest.mark.parametrize("pitch_deg", [5, 30, 50])
@pytest.mark.parametrize("yaw_deg", [10, 35, 75])
def test_the_network_tells_how_a_die_lies(pitch_deg: float, yaw_deg: float) -> None:
    one = die(5, yaw_deg=yaw_deg)
    picture = photograph([one], die_px=60, pitch_deg=pitch_deg)
    found = max(DiceFinder().find(picture), key=lambda one: one.heat)
    (said,) = PoseReader().look([crop_of(Halved(picture), found)])
    camera = camera_of(np.random.default_rng(7), WIDTH, HEIGHT, 60, np.radians(pitch_deg), 0.0)
    right, down, side_px, turn = pose_of(one, 1.0, camera.eye, camera.axes, camera.focal_px)
    assert said[[RIGHT, DOWN]] == pytest.approx([right, down], abs=0.2)
    assert np.exp(said[SIDE]) * found.side_px == pytest.approx(side_px, rel=0.15)
    off = (np.arctan2(said[TURN_SIN], said[TURN_COS]) - 4 * turn + np.pi) % (2 * np.pi) - np.pi
    assert abs(np.degrees(off / 4)) < 10


@pytest.mark.parametrize("focal", LIMITS.tried_focals)
def test_dice_that_lie_level_bear_each_other_out_wherever_they_are_seen(focal: float) -> None:
    up = np.array([0.1, -0.5, 0.0])
    up[2] = -np.sqrt(1 - up @ up)
    found = [Found(x, y, 20, 20, 0.9) for x, y in ((40, 50), (320, 240), (600, 430))]
    poses = np.zeros((3, 6), np.float32)
    for k, one in enumerate(found):
        ray = np.array([one.x - 320, one.y - 240, focal * 640])
        poses[k, [RIGHT, DOWN]] = (from_ahead(ray / np.linalg.norm(ray)).T @ up)[:2]
    ways = upward(found, poses, 640, 480)
    np.testing.assert_allclose(ways[LIMITS.tried_focals.index(focal)], np.tile(up, (3, 1)), atol=1e-6)
    assert lies_level(ways) == [1.0, 1.0, 1.0]


def test_the_one_that_looks_another_way_leans_and_those_that_nobody_knows_say_nothing() -> None:
    ways = np.tile([0.0, 0.0, -1.0], (1, 5, 1))
    lean = np.radians(LIMITS.leaning_deg + 5)
    ways[0, 2] = [np.sin(lean), 0, -np.cos(lean)]
    ways[0, 4] = np.nan
    assert lies_level(ways) == [1.0, 1.0, -1.0, 1.0, 0.0]
    assert lies_level(ways[:, 4:]) == [0.0]
    assert lies_level(ways[:, :0]) == []


def test_where_half_of_the_dice_look_another_way_nobody_knows_which_lie_level() -> None:
    flat, tipped = [0.0, 0.0, -1.0], [0.0, 0.6, -0.8]
    assert lies_level(np.array([[flat, tipped]])) == [-1.0, -1.0]
    for ways in ([flat, flat, tipped, tipped], [tipped, flat, flat, tipped]):
        assert max(lies_level(np.array([ways]))) == 0.0
