"""The reader of Eyes tables on path-traced tables with exact labels."""

import json
import math
from functools import lru_cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from calibration.lens import Lens
from companion.game.brought import default_kit
from companion.game.errors import ReadingError, ReadingFault
from companion.game.margin import Call
from companion.game.readings import EyesReading, Kind
from tests.scenes import KIT, SMALL_LENS, WIDE_LENS, empire_die, ninja, samurai, shared_renderer, territory
from vision.sim.scene import Lighting, Scene, Surface
from vision.tables.eyes import open_eye

DATA = Path(__file__).resolve().parents[2] / "data" / "eyes"
TABLES = ("camP_crowd_0203", "camQ_war2_0209", "camP_war2_0011")
MATCH_MM = 12.0


@lru_cache(maxsize=1)
def readings() -> dict[str, tuple[dict[str, Any], EyesReading]]:
    return {name: (labels(name), eye_of(name).read(picture(name))) for name in TABLES}


def labels(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
    return found


def eye_of(name: str) -> Any:
    lens = labels(name)["lens"]
    lens["distortion"] = tuple(lens["distortion"])
    return open_eye(Lens(**lens), default_kit("eyes_of_the_emperor"))


def picture(name: str) -> Any:
    return np.asarray(cv2.imread(str(DATA / f"{name}.jpg")), np.uint8)


def matched(truth: dict[str, Any], reading: EyesReading) -> dict[str, str]:
    pairs = []
    for true in truth["pieces"]:
        for said in reading.pieces:
            is_like = true["kind"] == said.kind and (
                said.kind in (Kind.NINJA, Kind.EMPIRE_DIE) or true["colour"] == said.color
            )
            apart = math.hypot(true["centre_mm"][0] - said.x_mm, true["centre_mm"][1] - said.y_mm)
            if is_like and apart < MATCH_MM:
                pairs.append((apart, true["id"], said.id))
    names: dict[str, str] = {}
    for _, true_id, said_id in sorted(pairs):
        if true_id not in names and said_id not in names.values():
            names[true_id] = said_id
    return names


@pytest.mark.parametrize("name", TABLES)
def test_every_piece_is_found_and_none_invented(name: str) -> None:
    truth, reading = readings()[name]
    names = matched(truth, reading)
    assert {piece["id"] for piece in truth["pieces"]} == set(names)
    assert len(reading.pieces) == len(truth["pieces"])


@pytest.mark.parametrize("name", TABLES)
def test_no_ruling_is_wrong_and_errors_stay_within_three_sigma(name: str) -> None:
    truth, reading = readings()[name]
    names = matched(truth, reading)
    said = {(pair.piece, pair.over): pair for pair in reading.overlaps}
    judged = 0
    for pair in truth["territory_pairs"]:
        if pair["margin_mm"] < -15:
            continue
        found = said[names[pair["piece"]], names[pair["territory"]]]
        error = abs(found.margin_mm - pair["margin_mm"])
        assert error < 4 * found.sigma_mm, pair
        if found.ruling is not Call.TOO_CLOSE and abs(pair["margin_mm"]) > 0.15:
            judged += 1
            assert (found.ruling is Call.OVERLAPS) is (pair["margin_mm"] > 0), pair
    assert judged > 0


def test_no_value_of_a_ninja_and_no_eye_is_wrong() -> None:
    right = 0
    for truth, reading in readings().values():
        names, by_id = matched(truth, reading), {piece.id: piece for piece in reading.pieces}
        for true in truth["pieces"]:
            said = by_id[names[true["id"]]]
            if true["kind"] == "ninja" and "value" in true:
                assert said.value in (None, true["value"])
                right += said.value == true["value"]
            if true["kind"] == "empire_die":
                assert said.marked_up in (None, true["marked_up"])
                assert said.color in (None, true["owner"])
    assert right >= 20


def test_what_is_not_told_has_a_reason() -> None:
    for _, reading in readings().values():
        for piece in reading.pieces:
            if piece.kind is Kind.NINJA and piece.value is None:
                assert piece.reason
            if piece.kind is Kind.EMPIRE_DIE and piece.marked_up is None:
                assert piece.reason
            if piece.kind is Kind.EMPIRE_DIE and piece.color is None:  # an owner in doubt has its odds
                assert piece.reason or piece.red_odds is not None


@pytest.mark.parametrize("name", TABLES)
def test_the_upper_samurai_of_a_stack_is_told(name: str) -> None:
    truth, reading = readings()[name]
    names = matched(truth, reading)
    said = {(pair.piece, pair.on) for pair in reading.rests_on}
    for upper, lower in truth["stacks"]:
        assert (names[upper], names[lower]) in said


def test_a_hand_over_the_table_is_reported() -> None:
    with pytest.raises(ReadingError, match="a hand, a sleeve or a deep shadow covers") as raised:
        eye_of("camP_hand_0011").read(picture("camP_hand_0011"))
    assert raised.value.code is ReadingFault.HAND_IN_VIEW


def test_a_towel_across_the_valley_is_reported() -> None:
    """What was broad enough was taken for the mat's own light, and the table was read without what it covered."""
    covered = picture("camP_war2_0011").copy()
    height = covered.shape[0]
    covered[int(0.4 * height) : int(0.65 * height)] = (0, 135, 0)
    with pytest.raises(ReadingError, match="a hand, a sleeve or a deep shadow") as raised:
        eye_of("camP_war2_0011").read(covered)
    assert raised.value.code is ReadingFault.HAND_IN_VIEW


def test_an_empty_table_reads_empty() -> None:
    reading = open_eye(SMALL_LENS, KIT).read(drawn(Scene()))
    assert (reading.pieces, reading.overlaps) == ((), ())


def test_the_reading_is_drawn_at_the_pictures_size() -> None:
    name = TABLES[0]
    shown = eye_of(name).draw(picture(name), readings()[name][1])
    assert shown.shape == picture(name).shape
    assert (shown != picture(name)).any()


PIECES = (
    territory("red"),
    territory("blue"),
    empire_die("red", (200, 200)),
    ninja(4, (500, 560)),
    samurai("blue", (800, 500)),
)


def drawn(scene: Scene, lens: Lens = SMALL_LENS) -> Any:
    return shared_renderer(lens, height_mm=1100).picture(scene)


@pytest.mark.parametrize(
    ("rgb", "said"),
    [
        ((50, 50, 50), "the mat reflects .* black dice"),
        ((235, 235, 235), "the mat reflects .* white dice"),
        ((150, 30, 35), "look red to the camera"),
        ((35, 45, 90), "the mat looks nearly as blue .* as the blue pieces"),
    ],
)
def test_a_mat_from_which_pieces_cannot_be_told_is_refused(rgb: tuple[int, int, int], said: str) -> None:
    """Thirty ninjas on a dark cloth were not there, and nothing said so."""
    with pytest.raises(ReadingError, match=said) as caught:
        open_eye(SMALL_LENS, KIT).read(drawn(Scene(bodies=PIECES, surface=Surface(weave="felt", color=rgb))))
    assert caught.value.code == ReadingFault.NOT_CALIBRATED


def test_a_picture_so_bright_that_the_mat_is_white_is_refused() -> None:
    """Samurai were lost one after the other, and the picture was read as if they were not there."""
    shown = drawn(Scene(bodies=PIECES, lighting=Lighting(level=7.0)), WIDE_LENS)
    with pytest.raises(ReadingError, match="brighter than the camera can measure") as caught:
        open_eye(WIDE_LENS, KIT).read(shown)
    assert caught.value.code == ReadingFault.TOO_BRIGHT


def test_a_picture_whose_red_and_blue_are_swapped_is_refused() -> None:
    """It was read with every piece the other emperor's, and surely."""
    shown = drawn(Scene(bodies=PIECES))
    with pytest.raises(ReadingError, match="red and blue seem swapped") as caught:
        open_eye(SMALL_LENS, KIT).read(np.ascontiguousarray(shown[..., ::-1]))
    assert caught.value.code == ReadingFault.NOT_CALIBRATED


def test_players_may_sit_the_other_way_round() -> None:
    lands = (territory("red", at=(622.5, 350)), territory("blue", at=(377.5, 350)))
    reading = open_eye(SMALL_LENS, KIT).read(drawn(Scene(bodies=(*lands, *PIECES[2:]))))
    at_x_mm = {piece.color: piece.x_mm for piece in reading.pieces if piece.kind is Kind.TERRITORY}
    assert at_x_mm == {"red": pytest.approx(622.5, abs=1), "blue": pytest.approx(377.5, abs=1)}
