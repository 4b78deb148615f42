"""Lessons of the dice networks tell what the reader makes of their answers."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs the extra `train`")

from bench.train import dice_lessons as lessons
from bench.train.dice_lessons import NO_DIE, SIDE_PX, Sample, Spot, spots_of, targets, told
from tests.vision.dice_scenes import die, photograph
from vision.photo.dice.face import PIP_INKS, with_inks
from vision.photo.dice.find import Found, peaks
from vision.photo.dice.pose import face_on, likeness
from vision.sim.drawn.dice import Label, camera_of
from vision.sim.drawn.die import pose_of

DIE_PX, BOX_PX, PITCH_DEG = 40, 52, 35


def lying(value: int, can_roll: bool = True) -> Spot:
    one = die(value, yaw_deg=25)
    camera = camera_of(np.random.default_rng(7), 480, 360, DIE_PX, np.radians(PITCH_DEG), 0.0)
    x, y = camera.project(one.at[None])[0].tolist()
    picture = photograph([one], die_px=DIE_PX, pitch_deg=PITCH_DEG)
    pose = pose_of(one, 1.0, camera.eye, camera.axes, camera.focal_px)
    return Spot(Sample(picture, (), can_roll, "drawn"), x, y, BOX_PX, value, True, pose)


@pytest.mark.parametrize("value", range(1, 7))
def test_what_a_lesson_tells_shows_the_upper_face_straight_on(value: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lessons, "recolour", lambda _rng, crop, _strong: crop)
    monkeypatch.setattr(lessons, "COARSE", 0.0)
    monkeypatch.setattr(lessons, "SHIFT", 0.0)
    rng = np.random.default_rng(value)
    for _ in range(8):
        shown, (right, down, size, cos, sin) = lessons.pose(rng, lying(value))
        crop = ((shown[::-1].transpose(1, 2, 0) + 0.5) * 255).round().astype(np.uint8)
        upper = face_on(crop, np.array([right, down, 0, size, cos, sin], np.float32))
        assert 1 + int(likeness(with_inks(upper)[None, 3 : 3 + PIP_INKS])[0].argmax()) == value


def test_what_may_not_be_rolled_stays_nearly_upright() -> None:
    rng = np.random.default_rng(3)
    downs = [lessons.pose(rng, lying(4, can_roll=False))[1][1] for _ in range(20)]
    assert max(downs) < -0.3  # the upper face looks up the picture


def test_targets_are_read_as_the_dice_that_they_stand_for() -> None:
    dice = [(60.0, 70.0, 40.0, 36.0, 3, 1.0), (140.0, 120.0, 24.0, 24.0, 6, 1.0), (100.0, 30.0, 30.0, 30.0, 2, 0.1)]
    made = targets(dice)
    out = np.concatenate([np.where(made[:1] == 1, 9.0, -9.0), made[1:5]])
    found = {(round(f.x), round(f.y), round(f.width), round(f.height)) for f in peaks(out.astype(np.float32), 1, 1)}
    assert {(60, 70, 40, 36), (140, 120, 24, 24)} <= found
    assert all((x, y, w, h) in {(60, 70, 40, 36), (140, 120, 24, 24)} for x, y, w, h in found)
    assert made[7, 7, 25] == 0  # the hidden one counts neither as a die nor as none
    assert {made[5, 17, 14], made[5, 30, 34], made[5, 45, 45]} == {3, 6, -1}


def test_a_die_that_the_squares_edge_cuts_off_counts_by_its_visible_part() -> None:
    made = targets([(SIDE_PX - 5.0, 80.0, 40.0, 40.0, 4, 1.0)])
    row, column = np.unravel_index(int(made[0].argmax()), made[0].shape)
    assert np.exp(made[3, row, column]) * 32 == pytest.approx(25, abs=0.1)
    assert made[5, row, column] == -1


def test_photographs_without_a_licence_or_of_a_left_out_source_teach_nothing(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "a.png"), photograph([die(2)]))
    dice = [{"box": [10, 10, 60, 60], "value": 2}]
    lines = [
        {"image": "a.png", "source": source, "license": licence, "dice": dice}
        for source, licence in (("one", "MIT"), ("two", "none stated"), ("three", "MIT"), ("four", ""))
    ]
    lines.append({"image": "a.png", "source": "five", "dice": dice})
    (tmp_path / "labels.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
    assert [sample.source for sample in lessons.photographs(tmp_path, without=("three",))] == ["one"]


def test_a_find_is_the_die_that_it_shows_and_a_part_of_one_is_neither() -> None:
    sample = Sample(np.zeros((100, 100, 3), np.uint8), (Label((10, 10, 50, 50), 3),), True, "drawn")
    whole, pip, other = (told(sample, Found(x, 30, side, side, 0.9)) for x, side in ((30, 40), (20, 9), (80, 40)))
    assert [(s.is_die, s.face) for s in (whole, pip, other)] == [(True, 3), (None, None), (False, NO_DIE)]


def test_hidden_and_cut_off_dice_say_no_value() -> None:
    picture = np.zeros((100, 100, 3), np.uint8)
    boxes = ((10, 10, 50, 50), (0, 60, 30, 90), (60, 10, 90, 40), (60, 60, 90, 90))
    dice = tuple(Label(box, 5, seen) for box, seen in zip(boxes, (1.0, 1.0, 0.6, 0.1), strict=True))
    assert [spot.face for spot in spots_of(Sample(picture, dice, True, "drawn"))] == [5, None, None]
