"""Lessons of the dice networks tell what the reader makes of their answers."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs the extra `train`")

from bench.train import dice_lessons as lessons
from bench.train.dice_lessons import targets
from tests.vision.dice_scenes import die, photograph
from vision.photo.dice.find import peaks


def test_targets_are_read_as_the_dice_that_they_stand_for() -> None:
    dice = [(60.0, 70.0, 40.0, 36.0, 3, 1.0), (140.0, 120.0, 24.0, 24.0, 6, 1.0), (100.0, 30.0, 30.0, 30.0, 2, 0.1)]
    made = targets(dice)
    out = np.concatenate([np.where(made[:1] == 1, 9.0, -9.0), made[1:5]])
    found = {(round(f.x), round(f.y), round(f.width), round(f.height)) for f in peaks(out.astype(np.float32), 1, 1)}
    assert {(60, 70, 40, 36), (140, 120, 24, 24)} <= found
    assert all((x, y, w, h) in {(60, 70, 40, 36), (140, 120, 24, 24)} for x, y, w, h in found)
    assert made[7, 7, 25] == 0  # the hidden one counts neither as a die nor as none
    assert {made[5, 17, 14], made[5, 30, 34], made[5, 45, 45]} == {3, 6, -1}


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
