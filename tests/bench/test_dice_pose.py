"""Lessons of how dice lie: a die is seen straight on by what its lesson tells, however the crop was turned."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs the extra `train`")

import torch

from bench.train import dice_pose
from bench.train.dice_nets import Pose, pose_loss
from bench.train.dice_pose import BATCH, Lying, batches, lesson, load, taught
from bench.train.dice_scenes import camera_of
from bench.train.dice_solid import pose_of
from tests.vision.dice_scenes import die, photograph
from vision.photo.dice.face import CROP_PX, PIP_INKS, with_inks
from vision.photo.dice.pips import likeness
from vision.photo.dice.pose import face_on

DIE_PX, BOX_PX, PITCH_DEG = 40, 52, 35


def lying(value: int, can_roll: bool = True) -> Lying:
    one = die(value, yaw_deg=25)
    camera = camera_of(np.random.default_rng(7), 480, 360, DIE_PX, np.radians(PITCH_DEG), 0.0)
    x, y = camera.project(one.at[None])[0].tolist()
    picture = photograph([one], die_px=DIE_PX, pitch_deg=PITCH_DEG)
    return Lying(picture, x, y, BOX_PX, pose_of(one, 1.0, camera.eye, camera.axes, camera.focal_px), can_roll)


@pytest.mark.parametrize("value", range(1, 7))
def test_what_a_lesson_tells_shows_the_upper_face_straight_on(value: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dice_pose, "recolour", lambda _rng, crop, _strong: crop)
    monkeypatch.setattr(dice_pose, "COARSE", 0.0)
    monkeypatch.setattr(dice_pose, "SHIFT", 0.0)
    rng = np.random.default_rng(value)
    for _ in range(8):
        shown, (right, down, size, cos, sin) = lesson(rng, lying(value))
        crop = ((shown.numpy()[::-1].transpose(1, 2, 0) + 0.5) * 255).round().astype(np.uint8)
        face = face_on(crop, np.array([right, down, 0, size, cos, sin], np.float32))
        assert 1 + int(likeness(with_inks(face)[None, 3 : 3 + PIP_INKS])[0].argmax()) == value


def test_what_may_not_be_rolled_stays_nearly_upright() -> None:
    rng = np.random.default_rng(3)
    downs = [lesson(rng, lying(4, can_roll=False))[1][1] for _ in range(20)]
    assert max(downs) < -0.3  # the upper face looks up the picture


def test_a_bank_gives_its_whole_dice_and_says_which_lean(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    cv2.imwrite(str(tmp_path / "images" / "a.png"), photograph([die(2)]))
    level, leans = [200, 150, 260, 210], [20, 30, 80, 90]
    dice = [
        {"box": box, "value": value, "seen": seen, "pose": [0.1, -0.2, 40.0, 0.3]}
        for box, value, seen in (
            (level, 2, 1.0),
            (leans, 0, 1.0),
            ([0, 30, 40, 90], 2, 1.0),  # cut off
            ([100, 100, 110, 110], 2, 1.0),  # tiny
            (level, 2, 0.5),  # hidden
        )
    ]
    lines = [{"image": name, "can_roll": True, "dice": d} for name, d in (("images/a.png", dice), ("none.png", []))]
    (tmp_path / "labels.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    every, leaning = load(tmp_path)
    assert [(one.x, one.y) for one in every] == [(230, 180), (50, 60)]
    assert [one.x for one in leaning] == [50]


def test_some_batches_teach_how_one_die_lies() -> None:
    torch.set_num_threads(1)
    bank = ([lying(5, can_roll=False)], [])
    crops, want = batches(np.random.default_rng(1), [bank])
    assert crops.shape == (BATCH, 3, CROP_PX, CROP_PX)
    net = taught(Pose(), [bank], 12).eval()
    with torch.no_grad():
        assert float(pose_loss(net(crops), want)) < float(pose_loss(Pose().eval()(crops), want))
