"""Race boards: drawn ones of any file, and rendered ones with exact labels (`tests/data/race`)."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from calibration.arrays import Floats
from calibration.lens import load_lens
from calibration.pose import find_pose
from companion.game.board import Board
from companion.game.brought import default_kit, load_board
from companion.game.errors import ReadingError, ReadingFault
from companion.game.readings import SURE, BoardDie, BoardReading
from tests.vision.race_table import LENS, Die, Table, draw
from vision.photo.dice.face import FaceReader
from vision.readers import READERS
from vision.tables.board.dice import LEANS
from vision.tables.board.fuse import fused
from vision.tables.board.reader import CROWDED, BoardEye

DATA = Path(__file__).parents[1] / "data" / "race"
CP, BM = load_board("CP-120"), load_board("BM-129")


def sixteen(board: Board, seed: int = 0) -> dict[str, str]:
    """Four markers of each colour on spots anywhere."""
    spots = np.random.default_rng(seed).permutation(list(board.spots))[:16].tolist()
    return {spot: board.colors[i // 4] for i, spot in enumerate(spots)}


def read(table: Table, told: Board | None = None, seed: int = 0) -> BoardReading:
    kit = default_kit(table.board.game)
    return BoardEye(LENS, kit, told or table.board).read(draw(table, kit, seed))


@lru_cache(maxsize=4)
def plain(name: str) -> BoardReading:
    board = load_board(name)
    return read(Table(board, sixteen(board), dice=(Die(5, 560, 210), Die(2, 620, 280, 55), Die(4, 610, 80))))


def told_colors(reading: BoardReading) -> dict[str, str]:
    return {spot: seen.color for spot, seen in reading.spaces.items() if seen.color}


@pytest.mark.parametrize("name", ["CP-120", "BM-129"])
def test_the_color_on_each_spot_is_told(name: str) -> None:
    reading = plain(name)
    assert told_colors(reading) == sixteen(load_board(name))
    assert sum(seen.confidence >= SURE for seen in reading.spaces.values()) >= 14


def beside(board: Board, spot: str, off_mm: float) -> Floats:
    """A place so far from the middle of a spot, as far as possible from all other spots."""
    middle, others = np.array(board.spots[spot]), np.array([at for name, at in board.spots.items() if name != spot])
    turns = np.arange(0, 2 * np.pi, 0.1)
    places = middle + off_mm * np.column_stack([np.cos(turns), np.sin(turns)])
    apart = np.hypot(*(places[:, None] - others).transpose(2, 0, 1)).min(axis=1)
    return np.asarray(places[apart.argmax()])


@pytest.mark.parametrize(("board", "off_mm"), [(CP, 2.0), (BM, 4.0)])
def test_a_spot_with_two_markers_side_by_side_is_never_sure_and_says_why(board: Board, off_mm: float) -> None:
    """Two pawns were read as one, with confidence 1.0."""
    crowded, *alone = (list(board.spots)[4 + k :: 13][:4] for k in (0, 5, 9))
    pairs = []
    for spot, color in zip(crowded, board.colors, strict=True):
        second = beside(board, spot, board.marker_mm + 0.2 - off_mm)
        middle = np.array(board.spots[spot])
        first = middle - off_mm * (second - middle) / np.hypot(*(second - middle))
        pairs += [(color, *first.tolist()), (color, *second.tolist())]
    singles = {spot: color for spots in alone for spot, color in zip(spots, board.colors, strict=True)}
    reading = read(Table(board, singles, beside=tuple(pairs), off_mm=0.6))
    for spot in crowded:
        assert reading.spaces[spot].reason == CROWDED
        assert reading.spaces[spot].confidence < SURE
    assert {spot: reading.spaces[spot].reason for spot in singles} == dict.fromkeys(singles)
    assert sum(reading.spaces[spot].confidence >= SURE for spot in singles) >= len(singles) - 1


def test_dice_are_told_with_their_values_and_those_beside_the_tray_are_left_out() -> None:
    dice = sorted((die.x_mm, die.value, die.in_tray) for die in plain("CP-120").dice)
    assert [(value, in_tray) for _, value, in_tray in dice] == [(5, True), (2, True)]
    assert [x for x, _, _ in dice] == pytest.approx([560, 620], abs=1.0)


def tray(*dice: Die) -> tuple[BoardDie, ...]:
    """What is read in a tray with these dice, sorted by x."""
    return tuple(sorted(read(Table(CP, {}, dice=dice)).dice, key=lambda die: die.x_mm))


def test_what_is_more_probably_no_die_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tray's corner was a die that leans, and the tray had several dice in every tenth turn."""
    monkeypatch.setattr(FaceReader, "look", lambda _, halved, found, **looks: np.full((len(found), 8), 0.88))
    assert plain.__wrapped__("CP-120").dice == ()


def test_a_die_that_leans_on_the_trays_edge_has_no_value_and_one_that_lies_there_is_sure() -> None:
    lying, leaning = tray(Die(5, 532, 250, 0), Die(5, 669, 250, 0, lean_deg=27))
    assert lying.value == 5
    assert lying.confidence >= SURE
    assert (leaning.value, leaning.reason) == (None, LEANS)


def test_a_board_that_was_pushed_and_turned_is_found_by_its_circles() -> None:
    markers = sixteen(CP, 3)
    reading = read(Table(CP, markers, shift_mm=(9.0, -6.0), turn_deg=3.0))
    assert reading.table.shift_mm == pytest.approx((9.0, -6.0), abs=0.5)
    assert reading.table.turn_deg == pytest.approx(3.0, abs=0.2)
    assert told_colors(reading) == markers
    assert not reading.notices()


def test_another_board_than_was_told_is_refused_and_named() -> None:
    """The wrong `--board` gave 13 to 57 doubtful spots and status 0. Boards of one game share 121 of 129 spots."""
    other = load_board("BM-133")
    with pytest.raises(ReadingError, match="this looks like board BM-133, expected BM-129: lay BM-129") as refused:
        read(Table(other, sixteen(other)), told=BM)
    assert refused.value.code is ReadingFault.BOARD_NOT_FOUND


def test_where_no_board_lies_none_is_named() -> None:
    kit = default_kit(CP.game)
    x0, y0, x1, y1 = kit.mat.areas_mm["board_mm"]
    picture = draw(Table(CP, {}), kit)
    cloth = find_pose(picture, LENS, kit).to_pixels(
        np.array([(x, y, 1.0) for x, y in ((x0, y0), (x1, y0), (x1, y1), (x0, y1))])
    )
    cv2.fillPoly(picture, [cloth.round().astype(np.int32)], (105, 120, 95))
    with pytest.raises(ReadingError, match="the circles of board CP-120 are not found: lay this board") as refused:
        BoardEye(LENS, kit, CP).read(picture)
    assert refused.value.code is ReadingFault.BOARD_NOT_FOUND


def test_a_marker_between_two_spots_is_told_with_both() -> None:
    markers = sixteen(BM, 1)
    spot = next(spot for spot, color in markers.items() if color == "red")
    del markers[spot]
    markers = {s: c for s, c in markers.items() if s not in ("O20", "O21")}
    x, y = (np.array(BM.spots["O20"]) + BM.spots["O21"]) / 2
    reading = read(Table(BM, markers, beside=(("red", float(x), float(y)),)))
    assert told_colors(reading) == markers
    (between,) = reading.between
    assert (between.color, set(between.spots)) == ("red", {"O20", "O21"})
    assert math.hypot(between.x_mm - x, between.y_mm - y) < 3


def test_an_arm_over_the_board_is_refused_as_a_hand() -> None:
    with pytest.raises(ReadingError, match="spots of the board are covered") as refused:
        read(Table(CP, sixteen(CP), arm=((250.0, 560.0), (250.0, 250.0))))
    assert refused.value.code is ReadingFault.HAND_IN_VIEW


def test_pictures_that_agree_are_one_reading_and_others_are_doubted() -> None:
    reading = plain("CP-120")
    assert fused([reading, reading]).agree
    assert fused([reading, reading]).reading.spaces == reading.spaces
    spot = next(iter(told_colors(reading)))
    left_out = replace(reading, spaces={s: seen for s, seen in reading.spaces.items() if s != spot})
    both = fused([reading, left_out])
    assert not both.agree
    assert both.reading.spaces[spot].confidence < SURE
    assert set(both.reading.maybe[spot]) == {"", told_colors(reading)[spot]}
    other = replace(reading, dice=tuple(replace(die, value=6) for die in reading.dice))
    told = fused([reading, other])
    assert not told.agree
    assert {die.value for die in told.reading.dice} == {None}
    with pytest.raises(ValueError, match="no readings"):
        fused([])


@pytest.mark.parametrize("path", sorted(DATA.glob("*_race_*.json")), ids=lambda path: path.stem)
def test_rendered_tables_are_read(path: Path) -> None:
    label: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    board = load_board(label["board"])
    lens = load_lens(DATA / f"cam{label['camera_id']}.lens.json")
    eye = READERS["board"].open_table(lens, default_kit(board.game), board=board)
    picture = cv2.imread(str(path.with_suffix(".jpg")))
    reading: BoardReading = eye.read(picture)
    near = {spot for between in label["between"] for spot in between["spots"]}
    assert {s: c for s, c in told_colors(reading).items() if s not in near} == label["spaces"]
    assert [set(b.spots) for b in reading.between] == [set(b["spots"]) for b in label["between"]]
    for die in label["dice"]:
        x, y, _ = die["centre_mm"]
        seen = [one for one in reading.dice if math.hypot(one.x_mm - x, one.y_mm - y) < 6]
        if die["value"] is not None and die["in_tray"]:
            assert [one.value for one in seen] == [die["value"]]
        assert not [one for one in seen if one.value != die["value"] and one.in_tray and one.confidence >= SURE]
    assert eye.draw(picture, reading).shape == picture.shape
