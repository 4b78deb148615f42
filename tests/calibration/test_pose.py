"""From the fiducials to the camera's pose: known millimetres in, the same millimetres out, with an honest error."""

from __future__ import annotations

import dataclasses

import cv2
import numpy as np
import pytest

from calibration.markers import find_fiducials, marker_corners_mm
from calibration.pose import PAPER_MM, find_pose
from companion.game.errors import ReadingError, ReadingFault
from tests.calibration.pictures import KIT, LENS, camera, picture

ASLANT = camera(tilt=(-0.2, 0.0), y_mm=550.0, height_mm=1150.0)
GRID = np.array([(x, y, 0.0) for x in (0, 250, 500, 750, 1000) for y in (0, 350, 700)])


@pytest.fixture(scope="module")
def pose():
    return camera()


@pytest.fixture(scope="module")
def seen(pose):
    return picture(pose)


def corners_off_px(grey, pose):
    found = find_fiducials(grey, LENS, KIT.mat)
    assert [f.id for f in found] == [0, 1, 2, 3]
    off, outward = [], []
    for fiducial in found:
        corners = marker_corners_mm(KIT.mat, fiducial.id)
        true = pose.to_pixels(np.column_stack([corners, np.full(4, PAPER_MM)]))
        off.append(fiducial.corners_px - true)
        away = true - true.mean(axis=0)
        outward.append((off[-1] * away / np.linalg.norm(away, axis=1, keepdims=True)).sum(axis=1))
    return np.array(off), float(np.mean(outward))


@pytest.mark.parametrize("light", [0.3, 1.0, 2.5], ids=["dim", "well lit", "paper clipped"])
def test_corners_are_measured_without_being_drawn_in(pose, light):
    grey = cv2.cvtColor(picture(pose, light=light), cv2.COLOR_BGR2GRAY)
    off, outward = corners_off_px(grey, pose)
    assert np.sqrt((off**2).mean()) < 0.1
    assert abs(outward) < 0.03


def test_the_pose_gives_back_the_millimetres(pose, seen):
    found = find_pose(seen, LENS, KIT)
    assert found.fiducials == 4
    assert found.reprojection_px < 0.15
    off = found.to_table(pose.to_pixels(GRID)) - GRID[:, :2]
    assert np.abs(off).max() < 0.1


def test_to_table_undoes_to_pixels_at_any_height(pose):
    heights = np.linspace(0, 30, len(GRID))
    raised = np.column_stack([GRID[:, :2], heights])
    assert np.allclose(pose.to_table(pose.to_pixels(raised), heights), GRID[:, :2], atol=1e-6)


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


def test_a_lens_that_is_not_sure_makes_a_place_less_sure(seen):
    vague = np.diag([4.0, 4, 4, 4, 1e-4, 1e-4, 1e-7, 1e-7, 0])
    unsure = dataclasses.replace(LENS, covariance=tuple(map(tuple, vague.tolist())))
    known, vaguer = find_pose(seen, LENS, KIT), find_pose(seen, unsure, KIT)
    assert (vaguer.sigma_mm(GRID) > known.sigma_mm(GRID)).all()
    # a centre that is off by 2 pixels (3 mm on the table) is made good by the fiducials, all but a little
    assert vaguer.sigma_mm(GRID).max() < 2


def test_neighbours_share_their_error(seen):
    found = find_pose(seen, LENS, KIT)
    here, there = np.array([(500.0, 350, 0)]), np.array([(505.0, 350, 0)])
    apart = np.sqrt(np.trace(found.covariance_between_mm2(here, there)[0]))
    assert apart < 0.2 * found.sigma_mm(here)[0]


def test_small_fiducials_whose_white_glares_are_found_in_undone_light():
    """Three pixels a cell: half of black cells were taken for white, and two of four fiducials for none."""
    pose = camera(height_mm=1500)
    off, _ = corners_off_px(cv2.cvtColor(picture(pose, blur_px=0.9, noise=3), cv2.COLOR_BGR2GRAY), pose)
    assert np.sqrt((off**2).mean()) < 0.25


def test_three_fiducials_do(pose):
    found = find_pose(picture(pose, ids=(0, 1, 3)), LENS, KIT)
    assert found.fiducials == 3
    assert np.abs(found.to_table(pose.to_pixels(GRID)) - GRID[:, :2]).max() < 0.25
    assert found.sigma_mm(np.array([(1000.0, 700, 0)]))[0] > found.sigma_mm(np.array([(0.0, 0, 0)]))[0]


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


@pytest.mark.parametrize(
    ("ids", "said"),
    [
        ((1, 2), "only 1 and 2 of the fiducials"),
        ((3,), "only 3 of the fiducials"),
        ((), "none of the fiducials 0, 1, 2, 3"),
    ],
)
def test_two_fiducials_refuse_and_say_which_are_seen(pose, ids, said):
    with pytest.raises(ReadingError, match=said) as refused:
        find_pose(picture(pose, ids=ids), LENS, KIT)
    assert refused.value.code == ReadingFault.NO_FIDUCIALS


def test_fiducials_that_another_mat_shows_too_are_said_to_be_seen_twice(pose, seen):
    """People were told to uncover fiducials that lay in plain view."""
    doubled = seen.copy()
    for marker, left in ((0, 200), (2, 500)):
        x, y = (int(v) for v in pose.to_pixels(np.array([(*KIT.mat.markers[marker], 0.0)]))[0])
        doubled[300:370, left : left + 70] = seen[y - 35 : y + 35, x - 35 : x + 35]
    with pytest.raises(
        ReadingError, match=r"fiducials 0 and 2 of .* appear more than once, expected at least 3 once each"
    ) as refused:
        find_pose(doubled, LENS, KIT)
    assert refused.value.code == ReadingFault.NO_FIDUCIALS


def test_a_mirrored_picture_is_named(seen):
    """`none of the fiducials is seen: uncover them` was said of fiducials that lay open on the table."""
    for mirrored in (seen[:, ::-1], seen[::-1]):
        with pytest.raises(ReadingError, match=r"the picture is mirrored \(fiducials 0, 1, 2") as refused:
            find_pose(np.ascontiguousarray(mirrored), LENS, KIT)
        assert refused.value.code == ReadingFault.NOT_CALIBRATED
    turned = find_pose(np.ascontiguousarray(seen[::-1, ::-1]), LENS, KIT)
    assert turned.fiducials == 4


def test_fiducials_printed_mirrored_are_named(pose, seen):
    shown = seen.copy()
    for centre in KIT.mat.markers.values():
        x, y = np.rint(pose.to_pixels(np.array([(*centre, PAPER_MM)]))[0]).astype(int)
        sheet = np.s_[max(y - 24, 0) : y + 25, max(x - 24, 0) : x + 25]
        shown[sheet] = shown[sheet][:, ::-1].copy()
    with pytest.raises(ReadingError, match="printed mirrored: fiducials") as refused:
        find_pose(shown, LENS, KIT)
    assert refused.value.code == ReadingFault.NOT_CALIBRATED


def test_the_fiducials_of_another_mat_are_named(seen):
    mat = dataclasses.replace(KIT.mat, markers={i + 4: at for i, at in KIT.mat.markers.items()})
    with pytest.raises(ReadingError, match="the fiducials 0, 1, 2, 3 are seen, expected 4, 5, 6, 7") as refused:
        find_pose(seen, LENS, dataclasses.replace(KIT, mat=mat))
    assert refused.value.code == ReadingFault.NOT_CALIBRATED


def test_a_picture_of_another_size_is_refused(seen):
    with pytest.raises(ReadingError, match="480 x 360 pixels, the lens was calibrated for 960 x 720") as refused:
        find_pose(seen[::2, ::2], LENS, KIT)
    assert refused.value.code == ReadingFault.WRONG_LENS


def test_a_near_pose_saves_the_search_and_changes_nothing(pose, seen, monkeypatch):
    first = find_pose(seen, LENS, KIT)

    def no_search(*_):
        raise AssertionError("searched")

    monkeypatch.setattr("calibration.markers._searched", no_search)
    again = find_pose(seen, LENS, KIT, near=first)
    assert np.abs(again.to_pixels(GRID) - first.to_pixels(GRID)).max() < 0.02


def test_a_near_pose_that_is_far_off_is_searched_for(pose):
    first = find_pose(picture(pose), LENS, KIT)
    moved = camera(x_mm=500.0)
    found = find_pose(picture(moved), LENS, KIT, near=first)
    assert np.abs(found.to_table(moved.to_pixels(GRID)) - GRID[:, :2]).max() < 0.1


def test_a_fiducial_that_was_pushed_is_left_out(pose):
    found = find_pose(picture(pose, pushed=((2, 9.0),)), LENS, KIT)
    assert found.fiducials == 3
    assert 2 not in {f.id for f in found.seen}
    assert np.abs(found.to_table(pose.to_pixels(GRID)) - GRID[:, :2]).max() < 0.25


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
    with pytest.raises(ReadingError, match="this camera's lens file") as refused:
        find_pose(shown, wide, KIT)
    assert refused.value.code is ReadingFault.NOT_CALIBRATED


def test_a_lens_that_the_fiducials_contradict_is_believed_less():
    sure = tuple(map(tuple, np.diag([1.0, 1, 1, 1, 1e-5, 1e-5, 1e-8, 1e-8, 0]).tolist()))
    right = dataclasses.replace(LENS, covariance=sure)
    wrong = dataclasses.replace(right, fx_px=0.97 * LENS.fx_px, fy_px=0.97 * LENS.fy_px)
    shown, tops = picture(ASLANT), GRID + np.array((0.0, 0.0, 28.0))
    here, there = (find_pose(shown, lens, KIT).sigma_mm(tops).max() for lens in (right, wrong))
    assert there > 2 * here
