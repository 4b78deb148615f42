"""Where pips lie tells a face without having learned it, and guides chances that are in doubt."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from bench.drawn.dice import camera_of
from bench.drawn.die import Die, pose_of
from tests.vision.dice_scenes import BLACK, WHITE, die, photograph
from vision.photo.dice.face import CROP_PX, PIP_INKS, Halved, crop_of, with_inks
from vision.photo.dice.find import Floats, Found, Picture
from vision.photo.dice.limits import LIMITS
from vision.photo.dice.pose import PoseReader, face_on, guided, likeness

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


def shown(value: int, yaw_deg: float, pitch_deg: float, body=WHITE, pip=BLACK) -> tuple[Picture, Floats]:
    """A die's upper face seen straight on, and the inks of that."""
    one = die(value, yaw_deg=yaw_deg, body=body, pip=pip)
    found, pose = seen(one, pitch_deg)
    face = face_on(crop_of(Halved(photograph([one], die_px=DIE_PX, pitch_deg=pitch_deg)), found), pose)
    return face, with_inks(face)[None, 3 : 3 + PIP_INKS]


@pytest.mark.parametrize("value", range(1, 7))
@pytest.mark.parametrize("yaw_deg", [0, 17, 45, 71])
@pytest.mark.parametrize("pitch_deg", [0, 30, 55])
@pytest.mark.parametrize(("body", "pip"), [(WHITE, BLACK), (BLACK, WHITE), (GREY, RED)])
def test_a_face_is_most_alike_its_own_pips_however_aslant_it_is_seen(
    value: int, yaw_deg: float, pitch_deg: float, body, pip
) -> None:
    said = likeness(shown(value, yaw_deg, pitch_deg, body, pip)[1])[0]
    assert 1 + int(said.argmax()) == value, said
    assert said.max() > 0.6


def test_a_mirrored_lamp_does_not_hide_pips_of_another_ink() -> None:
    face, _ = shown(6, 20, 0, GREY, RED)
    cv2.ellipse(face, (CROP_PX // 2, CROP_PX // 2), (17, 11), 30, 0, 250, (235, 240, 240), 3, cv2.LINE_AA)
    said = likeness(with_inks(face)[None, 3 : 3 + PIP_INKS])[0]
    assert 1 + int(said.argmax()) == 6, said


def test_guided_chances_share_only_what_the_values_have_and_make_none_sure() -> None:
    shape = np.array([0.3, 0.3, 0.3, 0.3, 0.9, 0.3], np.float32)
    out = guided(NOT_SURE, shape)
    assert int(out.argmax()) == 5
    assert out[[0, 7]].tolist() == NOT_SURE[[0, 7]].tolist()
    assert out.sum() == pytest.approx(NOT_SURE.sum(), abs=1e-5)
    assert out[5] <= LIMITS.max_guided_chance * out[:7].sum() + 1e-6
    np.testing.assert_allclose(guided(NOT_SURE, np.full(6, 0.5)), NOT_SURE, atol=1e-6)


@pytest.mark.parametrize("value", range(1, 7))
def test_where_the_networks_doubt_the_pips_decide(value: int) -> None:
    one = die(value, yaw_deg=12)
    found, pose = seen(one, 30)
    knowing = PoseReader(lambda crops: np.tile(pose, (len(crops), 1)))
    picture = photograph([one], die_px=DIE_PX, pitch_deg=30)
    chances, alike, poses = knowing.weigh(Halved(picture), [found], NOT_SURE[None])
    assert int(chances[0, 1:7].argmax()) + 1 == value == int(alike[0].argmax()) + 1
    np.testing.assert_allclose(poses[0], pose, atol=1e-6)
