"""Pictures that are too dark, too bright or blurred are told apart, with and without fiducials."""

from __future__ import annotations

import dataclasses

import cv2
import numpy as np
import pytest

from calibration.light import judge
from calibration.pose import find_pose
from companion.game.errors import ReadingFault
from tests.calibration.pictures import INK, KIT, LENS, PAPER, assert_refused, camera, picture

LARGE = dataclasses.replace(LENS, width_px=1920, height_px=1440, fx_px=1560.0, fy_px=1560.8, cx_px=953, cy_px=726)


@pytest.fixture(scope="module")
def pose():
    return camera()


def test_paper_and_ink_are_measured(pose):
    seen = picture(pose, light=0.8)
    light = judge(seen, find_pose(seen, LENS, KIT), KIT)
    assert np.allclose(light.white_bgr, 0.8 * PAPER, rtol=0.05)
    assert np.allclose(light.black_bgr, 0.8 * INK, atol=0.02)
    assert np.allclose(light.white_bgr[1] / light.white_bgr, 1, atol=0.03)
    assert not light.is_clipped
    assert set(light.paper_bgr) == {0, 1, 2, 3}
    assert light.blur_px == pytest.approx(0.85, abs=0.2)  # the blur drawn, and that of the pixels themselves


@pytest.mark.parametrize(
    ("lens", "how", "code", "said"),
    [
        (LARGE, {"light": 0.012}, ReadingFault.TOO_DARK, "paper of the fiducials is at"),
        (LARGE, {"light": 8.0}, ReadingFault.TOO_BRIGHT, "ink of the fiducials is at"),
        (LENS, {"light": 0.0002}, ReadingFault.TOO_DARK, "brightest spots of the picture"),
        (LENS, {"light": 80.0}, ReadingFault.TOO_BRIGHT, "half of the picture"),
        (LENS, {"blur_px": 9.0}, ReadingFault.BLURRED, "sharpest edges of the picture"),
    ],
    ids=["dark", "bright", "night", "white out", "out of focus"],
)
def test_a_picture_that_cannot_be_read_says_what_is_wrong(lens, how, code, said):
    assert_refused(picture(camera(lens=lens), **how), said, code, lens)


def test_a_smeared_picture_is_blurred_though_the_edges_along_its_way_are_sharp():
    """Sharp level edges hid the upright ones: `uncover the fiducials` was said, or samurai were 4 mm off and sure."""
    seen = picture(camera(lens=LARGE))
    for by_px, said in ((9, "still .* edges of the fiducials are"), (25, "sharpest edges of the picture .* still")):
        assert_refused(np.asarray(cv2.blur(seen, (by_px, 1)), np.uint8), said, ReadingFault.BLURRED, LARGE)


@pytest.mark.parametrize(("veil", "is_refused"), [(0.04, False), (0.2, True)])
def test_a_smeared_lens_or_a_lamp_in_it_is_named(pose, veil, is_refused):
    """Light strewn over the picture hid black dice, and then samurai, without a word."""
    light = ((picture(pose, light=0.8) / 255.0) ** 2.2) * (1 - veil) + veil
    seen = np.round(255 * light ** (1 / 2.2)).astype(np.uint8)
    if is_refused:
        assert_refused(seen, "the picture is hazy, wipe the lens", ReadingFault.BLURRED)
    else:
        judge(seen, find_pose(seen, LENS, KIT), KIT)


def test_a_grey_picture_has_a_pose_as_well(pose):
    grey = cv2.cvtColor(picture(pose), cv2.COLOR_BGR2GRAY)
    assert find_pose(grey, LENS, KIT).fiducials == 4
    assert_refused(np.full_like(grey, 250), "half of the picture", ReadingFault.TOO_BRIGHT)


def test_a_picture_without_colours_is_refused(pose):
    """A grey camera's noise, in each channel its own, passed for colours: territories and samurai were not there."""
    seen = picture(pose, light=0.8)
    grey = cv2.cvtColor(cv2.cvtColor(seen, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    grey = np.clip(grey + np.random.default_rng(3).normal(0, 4.0, grey.shape), 0, 255).astype(np.uint8)
    assert_refused(grey, "grey, expected colours", ReadingFault.NOT_AN_IMAGE)
