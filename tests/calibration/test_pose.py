"""From the fiducials to the camera's pose: known millimetres in, the same millimetres out, with an honest error."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from calibration.pose import PoseWatch, find_pose, movement
from companion.game.errors import ReadingError, ReadingFault
from tests.calibration.pictures import KIT, LENS, assert_refused, camera, picture

ASLANT = camera(tilt=(-0.2, 0.0), y_mm=550.0, height_mm=1150.0)
GRID = np.array([(x, y, 0.0) for x in (0, 250, 500, 750, 1000) for y in (0, 350, 700)])


@pytest.fixture(scope="module")
def pose():
    return camera()


@pytest.fixture(scope="module")
def seen(pose):
    return picture(pose)


def test_the_pose_gives_back_the_millimetres(pose, seen):
    found = find_pose(seen, LENS, KIT)
    assert found.fiducials == 4
    assert found.reprojection_px < 0.15
    off = found.to_table(pose.to_pixels(GRID)) - GRID[:, :2]
    assert np.abs(off).max() < 0.1


def test_sigma_mm_is_honest(pose):
    """Over many noises the errors are as large as the standard errors say, and no larger."""
    squares = []
    for seed in range(6):
        found = find_pose(picture(pose, seed=seed, noise=4), LENS, KIT)
        off = found.to_table(pose.to_pixels(GRID)) - GRID[:, :2]
        spread = found.covariance_mm2(GRID)
        squares.append(np.einsum("ni,nij,nj->n", off, np.linalg.inv(spread), off))
        assert (found.sigma_mm(GRID) < 0.15).all()
    assert 0.1 < np.mean(squares) / 2 < 2.5
    assert np.max(squares) < 25


def test_three_fiducials_of_which_one_was_pushed_make_places_less_sure(pose):
    """One was covered and another pushed by 6 mm: the camera can hang so that the three are met, and margins were
    nearly a millimetre off with a stated error of a tenth. That the sheets' sizes differ a little gives it away."""
    found = find_pose(picture(pose, ids=(0, 1, 3), pushed=((1, 6.0),)), LENS, KIT)
    assert found.fiducials == 3
    territory, die = np.array([(622.0, 350, 1.5)]), np.array([(754.0, 350, 14.0)])
    seen = [found.to_table(pose.to_pixels(at), at[:, 2]) for at in (territory, die)]
    off = np.abs(seen[1] - seen[0] - (132.0, 0.0)).max()
    assert off > 0.6
    assert off < 3 * np.sqrt(found.covariance_between_mm2(territory, die)[0].trace())
    assert find_pose(picture(pose, ids=(0, 1, 3)), LENS, KIT).sigma_mm(GRID).max() < 0.1


def test_two_fiducials_refuse_and_say_which_are_seen(pose):
    for ids, said in (((1, 2), "only 1 and 2 of the fiducials"), ((), "none of the fiducials 0, 1, 2, 3")):
        assert_refused(picture(pose, ids=ids), said, ReadingFault.NO_FIDUCIALS)


def test_fiducials_that_another_mat_shows_too_are_said_to_be_seen_twice(pose, seen):
    """People were told to uncover fiducials that lay in plain view."""
    doubled = seen.copy()
    for marker, left in ((0, 200), (2, 500)):
        x, y = (int(v) for v in pose.to_pixels(np.array([(*KIT.mat.markers[marker], 0.0)]))[0])
        doubled[300:370, left : left + 70] = seen[y - 35 : y + 35, x - 35 : x + 35]
    said = "fiducials 0 and 2 of .* appear more than once, expected at least 3 once each"
    assert_refused(doubled, said, ReadingFault.NO_FIDUCIALS)


def test_a_mirrored_picture_is_named(seen):
    """`none of the fiducials is seen: uncover them` was said of fiducials that lay open on the table."""
    for mirrored in (seen[:, ::-1], seen[::-1]):
        assert_refused(mirrored, r"the picture is mirrored \(fiducials 0, 1, 2", ReadingFault.NOT_CALIBRATED)
    turned = find_pose(np.ascontiguousarray(seen[::-1, ::-1]), LENS, KIT)
    assert turned.fiducials == 4


def test_the_fiducials_of_another_mat_are_named(seen):
    mat = dataclasses.replace(KIT.mat, markers={i + 4: at for i, at in KIT.mat.markers.items()})
    said, other = "the fiducials 0, 1, 2, 3 are seen, expected 4, 5, 6, 7", dataclasses.replace(KIT, mat=mat)
    assert_refused(seen, said, ReadingFault.NOT_CALIBRATED, kit=other)


def test_a_picture_of_another_size_is_refused(seen):
    said = "480 x 360 pixels, the lens was calibrated for 960 x 720"
    assert_refused(seen[::2, ::2], said, ReadingFault.WRONG_LENS)


def test_fiducials_that_were_laid_by_hand_make_places_less_sure(pose):
    """Four sheets, each off by a little: the residuals say so, and the stated error grows with the true one."""
    laid = tuple(zip(range(4), (0.8, -0.8, -0.8, 0.8), strict=True))
    askew = find_pose(picture(pose, pushed=laid), LENS, KIT)
    assert askew.fiducials == 4
    off = np.linalg.norm(askew.to_table(pose.to_pixels(GRID)) - GRID[:, :2], axis=1)
    assert off.max() > 0.3
    assert (off < 3 * askew.sigma_mm(GRID)).all()
    in_place = find_pose(picture(pose), LENS, KIT)
    assert in_place.sigma_mm(GRID).max() < 0.1
    # what the sheets' places leave open is the same in every picture: it makes no movement
    shared = askew.covariance_mm2(GRID, between_pictures=True)
    assert np.trace(shared, axis1=1, axis2=2).max() < 0.1 * np.trace(askew.covariance_mm2(GRID), axis1=1, axis2=2).max()


def test_the_lens_file_of_another_camera_is_refused():
    """The same picture size, another focal length: seen aslant the fiducials cannot lie so."""
    wide = dataclasses.replace(LENS, fx_px=0.57 * LENS.fx_px, fy_px=0.57 * LENS.fy_px)
    shown = picture(ASLANT)
    assert find_pose(shown, LENS, KIT).fiducials == 4
    assert_refused(shown, "this camera's lens file", ReadingFault.NOT_CALIBRATED, lens=wide)


def test_noise_is_no_movement(pose):
    first = find_pose(picture(pose, seed=1), LENS, KIT)
    for seed in range(2, 6):
        slipped = movement(first, find_pose(picture(pose, seed=seed), LENS, KIT), KIT)
        assert not slipped.is_moved
        assert slipped.by_mm < 0.15


def test_a_bump_is_a_movement_and_is_followed(pose):
    bumped, watch = camera(x_mm=481.0, tilt=(0.052, -0.03)), PoseWatch(LENS, KIT)
    assert not watch.look(picture(pose))[1].is_moved
    _, slipped = watch.look(picture(bumped))
    assert slipped.is_moved
    assert slipped.by_mm == pytest.approx(movement(pose, bumped, KIT).by_mm, abs=0.1)
    assert not watch.look(picture(bumped, seed=3))[1].is_moved


def test_two_fiducials_elsewhere_refuse_as_a_moved_camera_and_in_their_places_as_no_fiducials(pose):
    watch = PoseWatch(LENS, KIT)
    watch.look(picture(pose))
    with pytest.raises(ReadingError) as refused:
        watch.look(picture(pose, ids=(0, 1)))
    assert refused.value.code == ReadingFault.NO_FIDUCIALS
    with pytest.raises(ReadingError, match=r"fiducial 0 is .* px from its place") as refused:
        watch.look(picture(camera(x_mm=500.0), ids=(0, 1)))
    assert refused.value.code == ReadingFault.CAMERA_MOVED
