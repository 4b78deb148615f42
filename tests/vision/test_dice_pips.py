"""Where pips lie tells a face without having learned it, and guides chances that are in doubt."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.vision.dice_scenes import BLACK, WHITE, die, photograph
from vision.dice_face import CROP_PX, PIP_INKS, REACH, FaceReader, crop_of, with_inks
from vision.dice_find import Found, Picture
from vision.dice_pips import HAZY, guided, is_hazy, likeness

DIE_PX, NEARER = 40, 1.08
"""A die's side where it stands, and how much larger its top is seen."""
GREY, RED = (0.2, 0.2, 0.2), (0.08, 0.1, 0.62)
"""Blue, green, red: about as bright as one another."""
NOT_SURE = np.array([0.1, 0.14, 0.15, 0.16, 0.15, 0.14, 0.06, 0.1], np.float32)


def seen(picture: Picture, side_px: float) -> Found:
    """A die in the middle of a picture, its box as the finder would draw it."""
    h, w = picture.shape[:2]
    return Found(x=w / 2, y=h / 2, width=side_px, height=side_px, heat=0.9)


def alike(picture: Picture, side_px: float) -> np.ndarray:
    return likeness(with_inks(crop_of(picture, seen(picture, side_px)))[None, 3 : 3 + PIP_INKS], REACH)[0]


def from_above(value: int, yaw_deg: float, body=WHITE, pip=BLACK) -> Picture:
    return photograph([die(value, yaw_deg=yaw_deg, body=body, pip=pip)], die_px=DIE_PX, pitch_deg=0)


def box_px(yaw_deg: float) -> float:
    yaw = np.radians(yaw_deg)
    return float(DIE_PX * NEARER * (abs(np.cos(yaw)) + abs(np.sin(yaw))) ** 0.75)


@pytest.mark.parametrize("value", range(1, 7))
@pytest.mark.parametrize("yaw_deg", [0, 17, 45, 71])
@pytest.mark.parametrize(("body", "pip"), [(WHITE, BLACK), (BLACK, WHITE), (GREY, RED)])
def test_a_face_is_most_alike_its_own_pips(value: int, yaw_deg: float, body, pip) -> None:
    said = alike(from_above(value, yaw_deg, body, pip), box_px(yaw_deg))
    assert 1 + int(said.argmax()) == value, said
    assert said.max() > 0.6


def test_a_mirrored_lamp_does_not_hide_pips_of_another_ink() -> None:
    picture = from_above(6, 20, GREY, RED)
    h, w = picture.shape[:2]
    cv2.ellipse(picture, (w // 2, h // 2), (11, 7), 30, 0, 250, (235, 240, 240), 2, cv2.LINE_AA)
    said = alike(picture, box_px(20))
    assert 1 + int(said.argmax()) == 6, said


def test_likeness_is_told_of_many_dice_at_once_and_is_a_correlation() -> None:
    rng = np.random.default_rng(1)
    inks = rng.normal(0, 0.2, (3, 2, CROP_PX, CROP_PX)).astype(np.float32)
    together = likeness(inks, REACH)
    assert together.shape == (3, 6)
    assert ((together >= 0) & (together <= 1)).all()
    np.testing.assert_allclose(together[1], likeness(inks[1:2], REACH)[0], atol=1e-5)
    np.testing.assert_allclose(likeness(-3 * inks, REACH), together, atol=1e-4)
    assert likeness(np.zeros_like(inks), REACH).max() < 0.05


def test_guided_chances_share_only_what_the_values_have_and_make_none_sure() -> None:
    shape = np.array([0.3, 0.3, 0.3, 0.3, 0.9, 0.3], np.float32)
    out = guided(NOT_SURE, shape)
    assert int(out.argmax()) == 5
    assert out[[0, 7]].tolist() == NOT_SURE[[0, 7]].tolist()
    assert out.sum() == pytest.approx(NOT_SURE.sum(), abs=1e-5)
    assert out[5] <= HAZY * out[:7].sum() + 1e-6
    np.testing.assert_allclose(guided(NOT_SURE, np.full(6, 0.5)), NOT_SURE, atol=1e-6)


def test_nothing_is_guided_where_no_face_is_alike() -> None:
    alike = np.array([0.1, 0.4, 0.2, 0.1, 0.1, 0.1], np.float32)
    assert (guided(NOT_SURE, alike) == NOT_SURE).all()
    assert (guided(NOT_SURE, alike + 0.2) != NOT_SURE).any()


def test_what_is_clear_is_not_guided() -> None:
    clear = np.array([0.05, 0.02, 0.02, 0.8, 0.02, 0.02, 0.02, 0.05], np.float32)
    assert not is_hazy(clear)
    assert (guided(clear, np.array([0.9, 0.1, 0.1, 0.1, 0.1, 0.1])) == clear).all()


def _doubting(crops: np.ndarray) -> np.ndarray:
    """A network that is in doubt about every crop."""
    return np.tile(np.log(NOT_SURE), (len(crops), 1))


@pytest.mark.parametrize("value", range(1, 7))
def test_where_the_networks_doubt_the_pips_decide(value: int) -> None:
    found, picture = seen(from_above(value, 12), box_px(12)), from_above(value, 12)
    doubting = FaceReader(_doubting, _doubting)
    assert int(doubting.read(picture, [found])[0, 1:7].argmax()) + 1 == value
    np.testing.assert_allclose(doubting.look(picture, [found])[0], NOT_SURE, atol=1e-5)
    assert doubting.read(picture, []).shape == (0, 8)
