"""Lessons of the dice networks tell what the reader makes of their answers."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import pytest

pytest.importorskip("torch", reason="training needs the extra `train`")

from bench.train import dice_lessons as lessons
from tests.vision.dice_scenes import die, photograph


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
