"""Race boards: drawn ones of any file, and rendered ones with exact labels (`tests/data/race`)."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from calibration.lens import load_lens
from calibration.light import judge
from calibration.pose import find_pose
from companion.game.board import Board, board_of_text
from companion.game.brought import board_text, default_kit, load_board
from companion.game.errors import KitError, ReadingError, ReadingFault
from companion.game.readings import SURE, BoardDie, BoardReading, SpotSeen
from tests.vision.race_table import LENS, PAINT, Die, Floats, Table, draw
from vision.photo.dice.face import FaceReader
from vision.photo.dice.find import Found
from vision.readers import READERS, Picture, any_board, height_mm
from vision.tables.board.dice import (
    LEANS,
    TOO_BRIGHT,
    TrayReader,
    _die,
    _Light,
    _outline,
    _Top,
)
from vision.tables.board.edges import plain_spots
from vision.tables.board.fuse import fused
from vision.tables.board.limits import LIMITS
from vision.tables.board.markers import rules, weigh_color
from vision.tables.board.reader import CROWDED, BoardEye
from vision.tables.board.signs import hue_windows
from vision.tables.board.tops import slopes_of
from vision.tables.board.view import view_of

DATA = Path(__file__).parents[1] / "data" / "race"
CP, BM = load_board("CP-120"), load_board("BM-129")
KIT_BM = default_kit(BM.game)


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
    for spot, chances in reading.maybe.items():
        assert math.isclose(sum(chances.values()), 1.0, abs_tol=1e-3), spot


def beside(board: Board, spot: str, off_mm: float) -> Floats:
    """A place so far from the middle of a spot, as far as possible from all other spots."""
    middle, others = np.array(board.spots[spot]), np.array([at for name, at in board.spots.items() if name != spot])
    turns = np.arange(0, 2 * np.pi, 0.1)
    places = middle + off_mm * np.column_stack([np.cos(turns), np.sin(turns)])
    apart = np.hypot(*(places[:, None] - others).transpose(2, 0, 1)).min(axis=1)
    return np.asarray(places[apart.argmax()])


@pytest.mark.parametrize("name", ["CP-120", "BM-129"])
@pytest.mark.parametrize("off_mm", [2.0, 4.0])
def test_a_spot_with_two_markers_side_by_side_is_never_sure_and_says_why(name: str, off_mm: float) -> None:
    """Two pawns were read as one, with confidence 1.0."""
    board = load_board(name)
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


@pytest.mark.parametrize("name", ["CP-120", "BM-129"])
def test_dice_are_told_with_their_values_and_those_beside_the_tray_as_beside_it(name: str) -> None:
    dice = sorted((die.x_mm, die.value, die.in_tray) for die in plain(name).dice)
    assert [(value, in_tray) for _, value, in_tray in dice] == [(5, True), (4, False), (2, True)]
    assert [x for x, _, _ in dice] == pytest.approx([560, 610, 620], abs=1.0)


class _Faces(FaceReader):
    """Says 3 of every die."""

    def look(self, picture: np.ndarray, found: list[Found], first_looks: int = 2) -> np.ndarray:
        return np.tile(np.array([0.05, 0.01, 0.01, 0.9, 0.01, 0.01, 0.01, 0.0], np.float32), (len(found), 1))


def test_a_value_that_one_of_two_readers_does_not_see_is_not_sure() -> None:
    kit = default_kit("center_point")
    picture = draw(Table(CP, {}, dice=(Die(3, 560, 210), Die(5, 620, 280, 55))), kit, 0)
    pose = find_pose(picture, LENS, kit)
    view = view_of(picture, pose, judge(picture, pose, kit), (520, 0, 680, 500), 16.0)
    dice = TrayReader(faces=_Faces()).read(picture, view, (520, 170, 680, 330), 16.0)
    assert [die.value for die in dice if die.confidence >= SURE] == [3]
    assert len(dice) == 2


def tray(*dice: Die) -> tuple[BoardDie, ...]:
    """What is read in a tray with these dice, sorted by x."""
    return tuple(sorted(read(Table(CP, {}, dice=dice)).dice, key=lambda die: die.x_mm))


def test_a_die_that_leans_on_the_trays_edge_has_no_value_and_one_that_lies_there_is_sure() -> None:
    lying, leaning = tray(Die(5, 532, 250, 0), Die(5, 669, 250, 0, lean_deg=27))
    assert lying.value == 5
    assert lying.confidence >= SURE
    assert (leaning.value, leaning.reason) == (None, LEANS)


def test_a_die_whose_pips_a_lamp_washes_out_is_said_to_be_in_too_much_light() -> None:
    table, kit = Table(CP, {}, dice=(Die(5, 600, 250, 20),)), default_kit(CP.game)
    picture = draw(table, kit, 0)
    (lit,) = BoardEye(LENS, kit, CP).read(picture).dice
    x0, y0, x1, y1 = (round(edge) for edge in lit.box)
    top = picture[y0 - 4 : y1 + 4, x0 - 4 : x1 + 4]
    is_die = cv2.morphologyEx(top, cv2.MORPH_CLOSE, np.ones((9, 9), np.uint8)).min(axis=2) > 150
    top[is_die] = 247 + np.random.default_rng(1).integers(-4, 5, (int(is_die.sum()), 3))
    (washed,) = BoardEye(LENS, kit, CP).read(picture).dice
    assert (lit.value, washed.value, washed.reason) == (5, None, TOO_BRIGHT)


def die_at(x_mm: float, dark: float, off_level_deg: float) -> BoardDie:
    """A one on plain ground whose pip is this dark."""
    kit, side_mm = default_kit(CP.game), 16.0
    tray_mm, picture = kit.mat.areas_mm["tray_mm"], draw(Table(CP, {}), kit, 0)
    pose = find_pose(picture, LENS, kit)
    view = view_of(picture, pose, judge(picture, pose, kit), tray_mm, side_mm)
    top = _Top(x_mm, 250.0, 0.0, 1, 0.9, 0.3, 0.95, is_square=True, is_agreed=True)
    grey, spots = (np.full(view.light.shape[:2], much, np.float32) for much in (0.3, 0.0))
    column, row = view.to_cells(np.array([(x_mm, 250.0)]))[0].round().astype(int)
    spots[row - 1 : row + 2, column - 1 : column + 2] = dark
    light, outline = _Light(view, grey, spots, slopes_of(grey)), _outline(view, top, side_mm)
    return _die(light, top, outline, [], tray_mm, side_mm, lambda _top, _side_mm: off_level_deg)


@pytest.mark.parametrize(("dark", "is_sure"), [(0.09, False), (0.3, True)])
def test_a_value_of_faint_pips_is_never_sure(dark: float, is_sure: bool) -> None:
    """Light had washed a small three out until its middle pip alone was left: it was surely a one."""
    die = die_at(600.0, dark, 0.0)
    assert die.value == 1
    assert (die.confidence >= SURE) is is_sure


@pytest.mark.parametrize(
    ("x_mm", "off_level_deg", "is_told"), [(670.0, 10.0, True), (670.0, 20.0, False), (673.0, 10.0, False)]
)
def test_a_die_at_the_edge_has_a_value_where_it_is_not_tilted_and_does_not_reach_over_it(
    x_mm: float, off_level_deg: float, is_told: bool
) -> None:
    die = die_at(x_mm, 0.3, off_level_deg)
    assert (die.value, die.reason) == ((1, None) if is_told else (None, LEANS))


@pytest.mark.parametrize("other", [Die(6, 597, 257, 40), Die(6, 596.4, 252.9, 10)])
def test_dice_that_touch_are_sure_also_face_to_face(other: Die) -> None:
    """What shows beyond a die's outline and is another die speaks against neither: their values were never sure."""
    seen = tray(Die(4, 580, 250, 10), other)
    assert [die.value for die in seen] == [4, 6]
    assert all(die.confidence >= SURE for die in seen)


def test_a_board_that_was_pushed_and_turned_is_found_by_its_circles() -> None:
    table = Table(CP, sixteen(CP, 3), shift_mm=(9.0, -6.0), turn_deg=3.0)
    reading = read(table)
    assert reading.table.shift_mm == pytest.approx((9.0, -6.0), abs=0.5)
    assert reading.table.turn_deg == pytest.approx(3.0, abs=0.2)
    assert told_colors(reading) == table.markers
    assert not reading.notices()


@pytest.mark.parametrize(("lies", "told"), [("BM-129", "CP-120"), ("BM-133", "BM-129"), ("CP-120", "BM-133")])
def test_another_board_than_was_told_is_refused_and_named(lies: str, told: str) -> None:
    """The wrong `--board` gave 13 to 57 doubtful spots and status 0. Boards of one game share 121 of 129 spots."""
    table = Table(load_board(lies), sixteen(load_board(lies)))
    with pytest.raises(ReadingError, match=f"this looks like board {lies}, expected {told}: lay {told}") as refused:
        read(table, told=load_board(told))
    assert refused.value.code is ReadingFault.BOARD_NOT_FOUND


@pytest.mark.nightly
def test_another_board_on_a_ground_full_of_edges_is_refused_and_named() -> None:
    """On wood no circle seemed to be missing: of 32 doubtful spots nothing was said."""
    path = DATA / "camR704_race_71303"
    eye = BoardEye(load_lens(DATA / "camR704.lens.json"), KIT_BM, load_board("BM-133"))
    with pytest.raises(ReadingError, match="this looks like board BM-129") as refused:
        eye.read(cv2.imread(str(path.with_suffix(".jpg"))))
    assert refused.value.code is ReadingFault.BOARD_NOT_FOUND


def over_the_board(picture: Picture, things: Iterable[tuple[Floats, tuple[int, int, int]]]) -> Picture:
    """The picture of CP with flat things laid over the board: outlines (N, 2) in mm of the table, and inks."""
    pose = find_pose(picture, LENS, default_kit(CP.game))
    for outline, ink in things:
        at = pose.to_pixels(np.column_stack([outline, np.ones(len(outline))]))
        cv2.fillPoly(picture, [(at * 16).round().astype(np.int32)], ink, cv2.LINE_AA, 4)
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.7), np.uint8)


@pytest.mark.nightly
def test_a_board_under_cards_is_refused() -> None:
    """Forty cards gave 19 doubtful spots: most circles were hidden, so the others' votes were taken for usual ones."""
    rng, kit = np.random.default_rng(5), default_kit(CP.game)
    x0, y0, x1, y1 = kit.mat.areas_mm["board_mm"]
    cards: list[tuple[Floats, tuple[int, int, int]]] = []
    for angle in rng.uniform(0, np.pi, 40):
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        middle = rng.uniform((x0 + 40, y0 + 40), (x1 - 40, y1 - 40))
        cards.append((np.array([(-31, -44), (31, -44), (31, 44), (-31, 44)]) @ turn.T + middle, (235, 235, 235)))
        for x, y in ((-12, -22), (12, -22), (-12, 0), (12, 0), (-12, 22), (12, 22)):
            pip = np.array([(x - 5, y), (x, y - 5), (x + 5, y), (x, y + 5)]) @ turn.T + middle
            cards.append((pip, (30, 30, 200)))
    with pytest.raises(ReadingError, match="of 152 circles of board CP-120 are visible: clear the board") as refused:
        BoardEye(LENS, kit, CP).read(over_the_board(draw(Table(CP, sixteen(CP)), kit), cards))
    assert refused.value.code is ReadingFault.BOARD_NOT_FOUND


def test_where_no_board_lies_none_is_named() -> None:
    kit = default_kit(CP.game)
    x0, y0, x1, y1 = kit.mat.areas_mm["board_mm"]
    cloth = [(np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)]), (105, 120, 95))]
    with pytest.raises(ReadingError, match="the circles of board CP-120 are not found: lay this board") as refused:
        BoardEye(LENS, kit, CP).read(over_the_board(draw(Table(CP, {}), kit), cloth))
    assert refused.value.code is ReadingFault.BOARD_NOT_FOUND


@pytest.mark.nightly
def test_a_home_made_board_needs_no_more_than_its_file() -> None:
    """Its spots lie elsewhere than on any board that comes with the product."""
    text = board_text("CP-120").replace('board = "CP-120"', 'board = "kitchen"')
    wider = text.replace("first = [250.0, 342.0]", f"first = [250.0, {250 + 92 * 1.18:.2f}]")  # the ring of C
    assert wider != text
    board = board_of_text(wider, "kitchen.toml")
    assert board.spots["C3"] != CP.spots["C3"]
    markers = sixteen(board, 5)
    assert told_colors(read(Table(board, markers))) == markers
    with pytest.raises(ReadingError, match="24 spots of the board are covered"):  # those that lie elsewhere
        read(Table(board, markers), told=CP)


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


@pytest.mark.nightly
def test_circles_that_strong_light_washes_out_are_empty_and_not_covered() -> None:
    # of a lamp that shone on thin print 23 spots were told to be covered, and the picture was refused as a hand
    markers = {spot: color for spot, color in sixteen(BM).items() if not spot.startswith(("D0", "D1", "W1"))}
    picture = draw(Table(BM, markers), KIT_BM, 0)
    x0, y0 = KIT_BM.mat.areas_mm["board_mm"][:2]
    places = np.array([(x0 + x, y0 + y, 0.0) for x, y in (BM.spots["W1.2"], BM.spots["W"])])
    middle, edge = find_pose(picture, LENS, KIT_BM).to_pixels(places)
    y_px, x_px = np.mgrid[: picture.shape[0], : picture.shape[1]]
    far = np.hypot(x_px - middle[0], y_px - middle[1]) / np.hypot(*(edge - middle))
    lamp = 1 - 0.98 / (1 + far**8)[..., None]
    bright = np.round(255 - (255.0 - picture) * lamp).astype(np.uint8)
    eye = BoardEye(LENS, KIT_BM, BM)
    seen = eye.look(bright, pose := find_pose(bright, LENS, KIT_BM), judge(bright, pose, KIT_BM))
    assert (seen.rims < LIMITS.min_rim).sum() > LIMITS.max_covered
    assert told_colors(eye.read(bright)) == markers


@pytest.mark.nightly
def test_markers_too_bright_for_their_color_to_be_told_are_not_surely_missing() -> None:
    """Yellow disks that a lamp washed out were paler than cream circles have to be, and three spots surely empty."""
    markers = sixteen(BM, 3)
    reading = read(Table(BM, markers, paint={"yellow": (186, 254, 255)}, circles=(168, 200, 212)))
    assert {spot: told_colors(reading).get(spot) for spot in markers} == markers


@cache
def looked(*, is_empty: bool) -> tuple[BoardEye, Any]:
    """An eye, and what it measures of a board with sixteen markers or none."""
    kit = default_kit(CP.game)
    eye, picture = BoardEye(LENS, kit, CP), draw(Table(CP, {} if is_empty else sixteen(CP)), kit)
    pose = find_pose(picture, LENS, kit)
    return eye, eye.look(picture, pose, judge(picture, pose, kit))


def test_an_empty_spot_with_a_markers_tint_is_not_surely_empty() -> None:
    """Of three green disks that light made almost white one looked as print does, and its spot was surely empty."""
    eye, seen = looked(is_empty=False)
    names = list(CP.spots)
    marked = [names.index(spot) for spot, color in sixteen(CP).items() if color == "green"]
    chances = {spot: {"green": 0.99, "": 0.01} for spot in marked}
    assert eye._tinted(seen, chances) == {}
    empty = next(spot for spot in plain_spots(CP) if spot in seen.plain)
    tints = seen.tints.copy()
    tints[empty] = np.median(tints[marked], axis=0)
    assert eye._tinted(replace(seen, tints=tints), chances) == {
        empty: {"green": LIMITS.perhaps_marker, "": 1 - LIMITS.perhaps_marker}
    }


@pytest.mark.nightly
def test_where_light_takes_all_color_away_no_spot_is_surely_empty_unless_its_print_shows() -> None:
    eye, seen = looked(is_empty=True)
    assert not seen.bleached
    bleached = replace(seen, bleached=frozenset({3, 4, 5}), plain=seen.plain - {3})
    told = eye._bleached(bleached, {5: {"red": 0.9, "": 0.1}})
    assert told.keys() == {3}
    assert 0.5 < told[3][""] < SURE
    assert sum(told[3].values()) == pytest.approx(1)


@pytest.mark.nightly
def test_what_is_much_paler_and_of_another_hue_is_no_marker_of_that_color() -> None:
    """Warm light from a wall on an empty spot, partly shaded by a die, was surely a yellow marker beside vivid ones."""
    signs = looked(is_empty=False)[1].signs["yellow"]
    vivid = signs[:3]
    pale = replace(vivid[0], spot=99, hue_deg=vivid[0].hue_deg - 17, strength=0.2 * vivid[0].strength, clipped=0.0)
    for rule in rules().values():
        of = weigh_color((*vivid, pale), rule)
        assert of.chances[3] < 0.5 < min(of.chances[:3])


@pytest.mark.nightly
@pytest.mark.parametrize("seed", [0, 2, 9])
def test_two_colors_that_the_light_makes_one_are_noticed_and_never_sure(seed: int) -> None:
    markers = sixteen(CP, seed)
    reading = read(Table(CP, markers, paint={"yellow": PAINT["red"]}))
    (notice,) = reading.notices()
    assert notice.code == "colors_alike"
    assert "look alike in this light: put a white lamp next to the table" in str(notice.says)
    alike = [spot for spot, color in markers.items() if color in ("red", "yellow")]
    assert all(reading.spaces[spot].confidence < SURE for spot in alike)  # none is left out: it would be surely empty


@pytest.mark.nightly
def test_markers_whose_hue_two_colors_share_do_not_hide_those_of_one() -> None:
    """Yellow disks looked orange and were counted as red's four too, so that red's own at home were left out: surely
    empty, they would have been. A marker is of one colour."""
    yellow = ("A18", "B6", "IN.b4", "home.y1")
    for board, at in ((CP, ("home.r1", "home.r2", "home.r3", "A5")), (BM, ("r.h1", "r.h2", "r.h3", "r.hre"))):
        rest = [spot for spot in yellow if spot in board.spots] or ["O7", "O28", "D2.6", "y.r3"]
        markers = dict.fromkeys(at, "red") | dict.fromkeys(rest, "yellow")
        orange = (30, 142, 204)
        told = told_colors(read(Table(board, markers, paint={"yellow": orange}, off_mm=2.4)))
        assert {spot: told.get(spot) for spot in markers} == markers


def test_a_reading_tells_marks_at_the_places_of_markers_and_dice() -> None:
    reading = plain("CP-120")
    marks = {mark.id: mark for mark in reading.marks()}
    assert set(sixteen(CP)) <= set(marks)
    for spot in sixteen(CP):
        x, y = CP.spots[spot]
        assert math.hypot(marks[spot].x_mm - x, marks[spot].y_mm - y) < 5
    assert [mark.kind for mark in reading.marks()].count("die") == 3


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


def test_a_spot_that_is_rather_empty_has_a_reason_and_no_color() -> None:
    doubt = SpotSeen(color=None, confidence=0.8, reason="it may be print of that colour or a marker")
    sure = plain("CP-120")
    reading = replace(sure, spaces={**sure.spaces, "A1": doubt}, maybe={"A1": {"red": 0.2, "": 0.8}})
    assert fused([reading, reading]).reading.spaces["A1"] == doubt
    assert "A1" not in {mark.id for mark in reading.marks()}


def test_colors_without_a_hue_are_refused() -> None:
    with pytest.raises(KitError, match="'black' is not told by its hue"):
        hue_windows(("red", "black", "green", "blue"))


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


def test_what_a_board_may_be_is_said() -> None:
    assert any_board("BM-129") is not None
    with pytest.raises(KitError, match=r"cannot be used .* expected one of BM-129, BM-133, CP-120 or a board file"):
        any_board("nowhere.toml")
    with pytest.raises(KitError, match="is no height of a piece"):
        height_mm("tall")
    assert height_mm("24.5") == 24.5
