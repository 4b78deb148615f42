"""How dice lie: the shipped network against known dice, and who of several leans."""

from __future__ import annotations

import numpy as np
import pytest

from bench.drawn.dice import camera_of
from bench.drawn.die import Die, pose_of
from tests.vision.dice_scenes import die, photograph
from vision.photo.dice.face import PIP_INKS, Halved, crop_of, with_inks
from vision.photo.dice.find import DiceFinder, Floats, Found
from vision.photo.dice.limits import LIMITS
from vision.photo.dice.pose import DOWN, RIGHT, SIDE, TURN_COS, TURN_SIN, PoseReader, face_on, lies_level, likeness

WIDTH, HEIGHT = 480, 360


@pytest.mark.parametrize(("pitch_deg", "yaw_deg"), [(5, 10), (50, 75)])
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


def test_the_one_that_looks_another_way_leans_and_those_that_nobody_knows_say_nothing() -> None:
    ways = np.tile([0.0, 0.0, -1.0], (1, 5, 1))
    lean = np.radians(LIMITS.leaning_deg + 5)
    ways[0, 2] = [np.sin(lean), 0, -np.cos(lean)]
    ways[0, 4] = np.nan
    assert lies_level(ways) == [1.0, 1.0, -1.0, 1.0, 0.0]
    assert lies_level(ways[:, 4:]) == [0.0]
    assert lies_level(ways[:, :0]) == []


DIE_PX, BOX_PX = 40, 52
GREY, RED = (0.2, 0.2, 0.2), (0.08, 0.1, 0.62)
"""Blue, green, red: about as bright as one another."""
NOT_SURE = np.array([0.1, 0.14, 0.15, 0.16, 0.15, 0.14, 0.06, 0.1], np.float32)


def seen(one: Die, pitch_deg: float) -> tuple[Found, Floats]:
    """A die of `photograph` as the finder draws its box, and as a network that errs nowhere says that it lies."""
    camera = camera_of(np.random.default_rng(7), 480, 360, DIE_PX, np.radians(pitch_deg), 0.0)
    x, y = (float(v) for v in camera.project(one.at[None])[0])
    right, down, side_px, turn = pose_of(one, 1.0, camera.eye, camera.axes, camera.focal_px)
    pose = np.array([right, down, -2, np.log(side_px / BOX_PX), np.cos(4 * turn), np.sin(4 * turn)], np.float32)
    return Found(x=x, y=y, width=BOX_PX, height=BOX_PX, heat=0.9), pose


@pytest.mark.parametrize("value", range(1, 7))
@pytest.mark.parametrize(("yaw_deg", "pitch_deg"), [(17, 0), (71, 55)])
def test_a_face_is_most_alike_its_own_pips_however_aslant_it_is_seen(
    value: int, yaw_deg: float, pitch_deg: float
) -> None:
    one = die(value, yaw_deg=yaw_deg, body=GREY, pip=RED)
    found, pose = seen(one, pitch_deg)
    face = face_on(crop_of(Halved(photograph([one], die_px=DIE_PX, pitch_deg=pitch_deg)), found), pose)
    said = likeness(with_inks(face)[None, 3 : 3 + PIP_INKS])[0]
    assert 1 + int(said.argmax()) == value, said
    assert said.max() > 0.6


def test_where_the_networks_doubt_the_pips_decide() -> None:
    value = 5
    one = die(value, yaw_deg=12)
    found, pose = seen(one, 30)
    knowing = PoseReader(lambda crops: np.tile(pose, (len(crops), 1)))
    picture = photograph([one], die_px=DIE_PX, pitch_deg=30)
    chances, alike, poses = knowing.weigh(Halved(picture), [found], NOT_SURE[None])
    assert int(chances[0, 1:7].argmax()) + 1 == value == int(alike[0].argmax()) + 1
    np.testing.assert_allclose(poses[0], pose, atol=1e-6)
