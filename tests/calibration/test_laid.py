"""Fiducials laid by hand are found where they lie, by one picture and two distances."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.lens import PROFILES, CameraMode, start_lens
from calibration.markers import find_fiducials, laid_places, with_places_text
from calibration.pose import find_pose
from companion.app.steps import aimed
from companion.game.errors import LensError
from companion.game.kit import kit_of_text
from companion.game.known import folder_of
from tests.calibration.pictures import KIT, LENS, camera, picture

PUSHED = ((1, 6.0),)
TRUE = {i: np.add(at, (dict(PUSHED).get(i, 0.0), 0.0)) for i, at in KIT.mat.markers.items()}


def apart(a: int, b: int) -> float:
    return float(np.linalg.norm(TRUE[a] - TRUE[b]))


@pytest.fixture(scope="module")
def shown():
    return picture(camera(), pushed=PUSHED)


@pytest.fixture(scope="module")
def seen(shown):
    return find_fiducials(np.asarray(cv2.cvtColor(shown, cv2.COLOR_BGR2GRAY), np.uint8), LENS, KIT.mat)


def test_two_distances_and_a_picture_place_them_to_half_a_millimetre(shown, seen):
    found = laid_places(seen, LENS, KIT, {(0, 1): apart(0, 1), (0, 2): apart(0, 2)})
    for a in TRUE:
        for b in TRUE:
            assert np.linalg.norm(np.subtract(found[a], found[b])) == pytest.approx(apart(a, b), abs=0.5)
    mended = kit_of_text(with_places_text((folder_of(KIT.game) / "kit.toml").read_text(), found))
    assert dict(mended.mat.markers) == found
    before, after = (find_pose(shown, LENS, kit) for kit in (KIT, mended))
    assert (before.fiducials, after.fiducials) == (3, 4)  # the pushed one was left out, and is of use again
    assert after.reprojection_px < 0.1


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({(0, 1): 1000.0, (0, 2): 1253.0}, r"measured 1000 mm .* shows 108\d"),
        ({(0, 1): 108.6, (0, 2): 125.3}, "centimetres: type millimetres, 1086"),
    ],
)
def test_a_wrong_distance_is_refused(seen, wrong, said):
    with pytest.raises(LensError, match=said):
        laid_places(seen, LENS, KIT, wrong)


def test_a_fiducial_that_is_not_seen_is_asked_for(seen):
    with pytest.raises(LensError, match="uncover"):
        laid_places([f for f in seen if f.id != 2], LENS, KIT, {(0, 1): 1086.0, (0, 2): 1253.0})


def test_a_shipped_profile_says_how_unsure_it_is():
    for model in PROFILES:
        lens = start_lens((2304, 1296), CameraMode(adapter="picamera2", model=model))
        assert 0.02 < np.sqrt(lens.covariance[0][0]) / lens.fx_px < 0.07


def test_what_to_do_with_the_arm_is_said_in_words():
    good = aimed(picture(camera(x_mm=500.0, y_mm=350.0, tilt=(0.0, 0.0))), LENS, KIT)
    assert good.is_good
    assert "well aimed: 105 cm up" in str(good.says)
    low = aimed(picture(camera(x_mm=620.0, y_mm=350.0, tilt=(0.0, 0.0), height_mm=960.0)), LENS, KIT)
    assert not low.is_good
    assert "raise the camera" in str(low.says)
    tilted = aimed(picture(camera(tilt=(-0.32, 0.0), y_mm=750.0, height_mm=1150.0)), LENS, KIT)
    assert "tilted by" in str(tilted.says)
    assert "0 of 4 fiducials are seen" in str(aimed(np.full((720, 960, 3), 90, np.uint8), LENS, KIT).says)
