"""A bumped camera is noticed and followed; noise is not taken for a bump."""

from __future__ import annotations

import pytest

from calibration.pose import PoseWatch, find_pose, movement
from companion.game.errors import ReadingError, ReadingFault
from tests.calibration.pictures import KIT, LENS, camera, picture


@pytest.fixture(scope="module")
def still():
    return camera()


@pytest.fixture(scope="module")
def bumped():
    return camera(x_mm=481.0, tilt=(0.052, -0.03))


def test_noise_is_no_movement(still):
    first = find_pose(picture(still, seed=1), LENS, KIT)
    for seed in range(2, 6):
        slipped = movement(first, find_pose(picture(still, seed=seed), LENS, KIT), KIT)
        assert not slipped.is_moved
        assert slipped.by_mm < 0.15


def test_dimmed_light_is_no_movement(still):
    first = find_pose(picture(still), LENS, KIT)
    assert not movement(first, find_pose(picture(still, light=0.2), LENS, KIT), KIT).is_moved


def test_a_bump_is_a_movement_and_is_followed(still, bumped):
    watch = PoseWatch(LENS, KIT)
    assert not watch.look(picture(still)).movement.is_moved
    sighting = watch.look(picture(bumped))
    assert sighting.movement.is_moved
    assert sighting.movement.by_mm == pytest.approx(movement(still, bumped, KIT).by_mm, abs=0.1)
    again = watch.look(picture(bumped, seed=3))
    assert not again.movement.is_moved


def test_a_covered_fiducial_is_no_movement(still):
    watch = PoseWatch(LENS, KIT)
    watch.look(picture(still))
    assert not watch.look(picture(still, ids=(0, 1, 2))).movement.is_moved


def test_two_fiducials_in_their_places_refuse_as_no_fiducials(still):
    watch = PoseWatch(LENS, KIT)
    watch.look(picture(still))
    with pytest.raises(ReadingError) as refused:
        watch.look(picture(still, ids=(0, 1)))
    assert refused.value.code == ReadingFault.NO_FIDUCIALS


def test_two_fiducials_elsewhere_refuse_as_a_moved_camera(still):
    watch = PoseWatch(LENS, KIT)
    watch.look(picture(still))
    with pytest.raises(ReadingError, match=r"fiducial 0 is .* px from its place") as refused:
        watch.look(picture(camera(x_mm=500.0), ids=(0, 1)))
    assert refused.value.code == ReadingFault.CAMERA_MOVED
