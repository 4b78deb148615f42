"""`companion read dice` on rendered pictures: values, silence, refusals, the words of the command line."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import islice
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from bench.drawn import die as drawn_die
from bench.drawn import leaning_dice, notdice
from companion.cli.read import command
from companion.game.readings import SURE, DieSeen
from tests.vision.dice_scenes import BLACK, RED, WHITE, die, photograph
from vision.measure.pictures import is_tag
from vision.photo.dice.face import FaceReader, Halved
from vision.photo.dice.find import DiceFinder, Found
from vision.photo.dice.pose import FACES, upward
from vision.photo.dice.reader import (
    OVER_ANOTHER,
    TIPPED,
    UNLIKE,
    VAGUE,
    DiceEye,
    _in_doubt_together,
    judged,
    open_eye,
    weighed,
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


@pytest.mark.parametrize("die_px", [26, 280])
def test_small_and_large_dice_are_found(eye: DiceEye, die_px: float) -> None:
    picture = photograph([die(5)], die_px=die_px, size=(640, 480))
    reading = eye.read(picture)
    assert values(reading) == [5]
    x0, y0, x1, y1 = reading.dice[0].box
    assert abs((x0 + x1) / 2 - 320) < 0.3 * die_px
    assert abs((y0 + y1) / 2 - 240) < 0.3 * die_px
    assert 0.7 * die_px < x1 - x0 < 1.7 * die_px


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


@pytest.mark.nightly
def test_values_of_leaning_dice_are_seldom_sure(eye: DiceEye) -> None:
    said = leaning_dice.said_of(eye.read, 20)  # the bench reads all sixty
    assert said["sure"] <= 1  # none is the aim (DICE.md, limits)
    assert said["missed"] <= 2


def test_a_die_cut_off_by_the_edge_is_not_guessed(eye: DiceEye) -> None:
    picture = photograph([die(5, yaw_deg=0)], die_px=100, pitch_deg=2)
    half = np.ascontiguousarray(picture[:, 245:])  # the die's middle is at x = 240
    assert all(d.value is None and d.reason for d in eye.read(half).dice)


@pytest.mark.nightly
def test_little_is_made_up_on_tables_without_dice_and_nothing_sure(eye: DiceEye) -> None:
    pictures = islice(notdice.pictures(), 2 * len(notdice.KINDS))  # the bench reads all fifty
    seen = {name: eye.read(picture).dice for name, picture in pictures}
    made_up = [(name, d.value, d.confidence) for name, dice in seen.items() for d in dice]
    assert len(made_up) <= 1
    assert not [d for d in made_up if d[1] is not None and d[2] >= SURE]


@pytest.mark.parametrize("shape", [(1, 1), (7, 900)])
def test_odd_pictures_are_read_without_dice(eye: DiceEye, shape: tuple[int, int]) -> None:
    assert eye.read(np.full((*shape, 3), 120, np.uint8)).dice == ()


def test_a_blurred_die_is_not_sure(eye: DiceEye) -> None:
    picture = photograph([die(6)], die_px=40)
    said = eye.read(cv2.GaussianBlur(picture, (0, 0), 2)).dice
    assert not [d for d in said if d.value not in (None, 6) and d.confidence >= SURE]


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
    assert sum(net.crops for net in nets) == 10 + 1  # the colder one is not worth more looks
    assert [int(chance[0].argmax()) for chance in chances] == [7, 7]


NOTHING_ALIKE = np.zeros(6, np.float32)


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


def test_what_face_readers_doubt_is_never_sure_however_the_pips_lie() -> None:
    doubted = np.array([0.01, 0.01, 0.01, 0.01, 0.65, 0.3, 0.01, 0.0], np.float32)
    one = Found(x=30, y=50, width=30, height=30, heat=0.97, heats=(0.97, 0.97), by_context=0.99)
    four = np.array([0.3, 0.3, 0.3, 0.95, 0.3, 0.3], np.float32)
    verdict = weighed(one, doubted, four, level=1.0)
    assert verdict.confidence < SURE
    assert verdict.reason == VAGUE


def test_a_value_that_is_not_sure_says_why() -> None:
    chances = np.array([0.01, 0.01, 0.01, 0.02, 0.92, 0.02, 0.01, 0.0], np.float32)
    one = Found(x=30, y=50, width=30, height=30, heat=0.5, heats=(0.5, 0.4), by_context=0.99)
    other = np.array([0.3, 0.9, 0.3, 0.3, 0.3, 0.3], np.float32)
    assert weighed(one, chances, other).reason == UNLIKE
    assert weighed(one, chances, NOTHING_ALIKE).reason == "it is not clear enough"
    assert "else than a die" in str(weighed(replace(one, by_context=0.05), chances, NOTHING_ALIKE).reason)


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


@pytest.mark.parametrize("pips", [7, 9])
def test_seven_to_nine_pips_are_never_a_sure_value(eye: DiceEye, monkeypatch: pytest.MonkeyPatch, pips: int) -> None:
    """They were read as a six, since no other face came nearer."""
    for value in range(1, 7):
        monkeypatch.setitem(drawn_die.PIPS, value, FACES[pips])
    dice = eye.read(photograph([die(6, yaw_deg=15)], die_px=60)).dice
    assert all(seen.value is None or seen.confidence < SURE for seen in dice)


def test_a_lone_find_with_clear_pips_stays_without_a_value() -> None:
    """Three clear dice inside a roll of tape gave an empty list."""
    one = Found(x=30, y=50, width=30, height=30, heat=0.4, heats=(0.4, 0.24, 0.0), by_context=0.84)
    chances = np.array([[0.0, 0, 0, 0, 0, 0.97, 0.02, 0.01]], np.float32)
    clear = np.array([[0.33, 0.46, 0.55, 0.53, 0.7, 0.39, 0.3, 0.3, 0.3]], np.float32)
    ways = upward([one], np.full((1, 6), np.nan, np.float32), 60, 100)
    (verdict,) = judged([one], chances, clear, ways)
    assert not verdict.is_said
    assert judged([one], chances, np.full((1, 9), 0.3, np.float32), ways) == [None]


def test_dice_that_a_first_look_misses_are_found_closely_and_never_sure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dice 26 px wide in a large picture gave an empty list."""
    finder = DiceFinder()
    monkeypatch.setattr(finder, "find", lambda picture: [])
    picture = np.full((1400, 1800, 3), photograph([die(5)])[0, 0], np.uint8)
    picture[500:860, 700:1180] = photograph([die(5, (0, 0)), die(3, (5, 2))], die_px=26)
    told = DiceEye(finder).read(picture)
    assert values(told) == [3, 5]
    assert all(seen.confidence < SURE and seen.reason for seen in told.dice)


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
