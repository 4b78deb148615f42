"""`companion read dice` on rendered pictures: values, silence, refusals, the words of the command line."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from companion.cli.read import command
from companion.game.readings import SURE, DieSeen
from tests.vision.dice_scenes import BLACK, RED, WHITE, die, photograph
from vision.measure.pictures import is_tag
from vision.photo.dice.face import FaceReader, Halved
from vision.photo.dice.find import Found
from vision.photo.dice.reader import (
    OVER_ANOTHER,
    TIPPED,
    DiceEye,
    _in_doubt_together,
    judged,
    open_eye,
)


@pytest.fixture(scope="module")
def eye() -> DiceEye:
    return open_eye()


def values(reading) -> list[int | None]:
    return sorted((d.value for d in reading.dice), key=lambda v: v or 0)


@pytest.mark.parametrize(
    ("body", "pip", "value"), [*((WHITE, BLACK, n) for n in range(1, 7)), (BLACK, WHITE, 3), (RED, WHITE, 5)]
)
def test_a_die_alone_shows_its_top_face(eye: DiceEye, body, pip, value: int) -> None:
    reading = eye.read(photograph([die(value, body=body, pip=pip)]))
    assert values(reading) == [value]


def test_an_oblique_view_gives_the_face_that_looks_up_not_the_nearest(eye: DiceEye) -> None:
    dice = [die(v, at=(4 * (k % 3) - 4, 4 * (k // 3) - 2), yaw_deg=31 * k) for k, v in enumerate((1, 2, 3, 4, 5, 6))]
    assert values(eye.read(photograph(dice, die_px=55, pitch_deg=42))) == [1, 2, 3, 4, 5, 6]


def test_dice_that_touch_are_read_one_by_one(eye: DiceEye) -> None:
    dice = [die(v, at=(2.3 * (k - 1.5), 0), yaw_deg=15) for k, v in enumerate((6, 3, 2, 5))]
    assert values(eye.read(photograph(dice, die_px=48))) == [2, 3, 5, 6]


def test_a_leaning_die_is_found_and_no_value_of_it_is_sure(eye: DiceEye) -> None:
    # a guess is often made (vision/models/DICE.md, limits): a person is asked then
    (seen,) = eye.read(photograph([die(4, lean_deg=44)], die_px=70, pitch_deg=5)).dice
    assert (seen.value is None and seen.reason) or seen.confidence < SURE


def test_a_die_cut_off_by_the_edge_is_not_guessed(eye: DiceEye) -> None:
    picture = photograph([die(5, yaw_deg=0)], die_px=100, pitch_deg=2)
    half = np.ascontiguousarray(picture[:, 245:])  # the die's middle is at x = 240
    assert all(d.value is None and d.reason for d in eye.read(half).dice)


class _CountingNet:
    """Says the same of every crop and counts the crops it was given."""

    def __init__(self, logits: list[float]) -> None:
        self.logits, self.crops = logits, 0

    def __call__(self, blob: np.ndarray) -> np.ndarray:
        self.crops += len(blob)
        return np.tile(np.array(self.logits, np.float32), (len(blob), 1))


def test_two_looks_that_see_no_die_are_not_clear_where_the_finder_is_warm() -> None:
    """They counted as a clear face, and nobody looked again."""
    nets = [_CountingNet([0, 0, 0, 0, 1.0, 0, 0, 3.0]) for _ in range(2)]
    chances = [
        FaceReader(*nets).look(Halved(photograph([die(4)])), [Found(x=40, y=30, width=30, height=30, heat=heat)])
        for heat in (0.9, 0.4)
    ]
    assert sum(net.crops for net in nets) == 4 + 1  # the colder one is not worth more looks
    assert [int(chance[0].argmax()) for chance in chances] == [7, 7]


def test_a_die_that_lies_otherwise_than_those_beside_it_is_never_sure() -> None:
    chances = np.array([0.01, 0.01, 0.01, 0.01, 0.94, 0.01, 0.01, 0.0], np.float32)
    finds = [
        Found(x=x, y=50, width=30, height=30, heat=0.95, heats=(0.95, 0.9), by_context=0.99) for x in (30, 80, 130)
    ]
    alike = np.tile(np.array([0.3, 0.3, 0.3, 0.9, 0.3, 0.3], np.float32), (3, 1))
    ways = np.array([[[0.0, -0.5, -0.866], [0.05, -0.5, -0.865], [0.0, 0.1, -0.995]]])
    sure = [v is not None and v.confidence >= SURE for v in judged(finds, np.tile(chances, (3, 1)), alike, ways)]
    assert sure == [True, True, False]
    reasons = [v.reason for v in judged(finds, np.tile(chances, (3, 1)), alike, ways) if v is not None]
    assert reasons == [None, None, TIPPED]
    assert judged(finds[:1], chances[None], alike[:1], ways[:, :1])[0].confidence >= SURE  # nobody lies beside it


def with_tag(picture: np.ndarray, at: tuple[int, int], side_px: int, turn_deg: float = 0) -> None:
    """Prints an AprilTag of the kits' family, with its white rim, into a picture."""
    tag = cv2.aruco.generateImageMarker(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36H11), 7, 80)
    tag = cv2.copyMakeBorder(tag, 12, 12, 12, 12, cv2.BORDER_CONSTANT, value=235)
    turn = cv2.getRotationMatrix2D((51.5, 51.5), turn_deg, side_px / 104)
    turn[:, 2] += np.array(at) - 51.5
    size = (picture.shape[1], picture.shape[0])
    shown = cv2.warpAffine(np.dstack([tag] * 3), turn, size, flags=cv2.INTER_AREA)
    there = cv2.warpAffine(np.full_like(tag, 255), turn, size)
    picture[there > 127] = shown[there > 127]


def test_a_tag_is_no_die_and_a_die_beside_it_is_read(eye: DiceEye) -> None:
    """An AprilTag was a sure six."""
    picture = photograph([die(3, (-3, 0))])
    with_tag(picture, (380, 180), 44, 8)
    assert is_tag(picture, 380, 180, 44)
    assert values(eye.read(picture)) == [3]
    (seen,) = eye.read(photograph([die(6)])).dice
    x0, y0, x1, y1 = seen.box
    assert not is_tag(photograph([die(6)]), (x0 + x1) / 2, (y0 + y1) / 2, x1 - x0)


def test_two_finds_that_share_more_than_half_are_never_both_sure() -> None:
    dice = [DieSeen(value=5, box=(x, 0.0, x + 40.0, 40.0), confidence=0.99) for x in (0.0, 18.0, 100.0)]
    told = _in_doubt_together(dice)
    assert [die.confidence >= SURE for die in told] == [False, False, True]
    assert [die.reason for die in told] == [OVER_ANOTHER, OVER_ANOTHER, None]


def test_the_command_prints_one_line_a_picture_and_draws(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "throw.png"), photograph([die(5)]))
    (tmp_path / "letter.png").write_text("no picture")
    names = [str(tmp_path / "throw.png"), str(tmp_path / "letter.png")]
    done = CliRunner().invoke(command, ["dice", *names, "--explain", str(tmp_path / "out")], standalone_mode=False)
    assert done.return_value == 1
    first, second = (json.loads(line) for line in done.stdout.splitlines())
    assert first["image"] == names[0]
    assert first["reader"] == "dice"
    assert [d["value"] for d in first["dice"]] == [5]
    assert set(first["dice"][0]) >= {"value", "reason", "box", "confidence"}
    assert second["error"]["code"] == "not_an_image"
    assert (tmp_path / "out" / "throw.jpg").exists()
