"""The race boards: what the files hold, how their circles lie, and which files are refused, with the reason."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import pytest

from companion.game.board import board_of_text
from companion.game.brought import board_text, boards, load_board
from companion.game.errors import KitError, NotationError
from companion.game.game import state_json, state_of_json
from companion.game.known import game_named
from companion.games.basic_manipulation import board as bm
from companion.games.center_point import board as cp
from companion.games.race.sheet import tables_of


def tables(name: str) -> Any:
    game: Any = game_named(boards()[name])
    return tables_of(game.shorthand.sheet, game.rules.start(None, {"diamond_steps": "8"} if name == "BM-133" else {}))


def test_cp_120_has_110_20_and_26_for_every_colour() -> None:
    t = tables("CP-120")
    for color in range(4):
        assert cp.travelled(t, color) == {"longest": 110, "shortest": 20, "without_last": 26}
    assert len(t.board.spots) == 152
    assert len(t.board.next) == 120


@pytest.mark.parametrize(("name", "spots"), [("BM-129", 129), ("BM-133", 133)])
def test_bm_129_has_48_52_and_12_for_every_colour(name: str, spots: int) -> None:
    t = tables(name)
    for color in range(4):
        assert bm.travelled(t, color) == {"entrance": 48, "refuge": 52, "world": 12}
    assert len(t.board.spots) == spots


@pytest.mark.parametrize(
    ("name", "closest_mm", "inside_mm"), [("CP-120", 21.5, 13.0), ("BM-129", 26.2, 7.0), ("BM-133", 22.0, 7.0)]
)
def test_circles_lie_apart_and_inside(name: str, closest_mm: float, inside_mm: float) -> None:
    board = load_board(name)
    places = list(board.spots.values())
    closest = min(math.dist(a, b) for i, a in enumerate(places) for b in places[:i])
    assert closest == pytest.approx(closest_mm, abs=0.1) or closest > closest_mm
    half = board.circle_mm / 2
    assert min(min(x, y, 500 - x, 500 - y) - half for x, y in places) >= inside_mm - 0.1


@pytest.mark.parametrize("name", boards())
def test_a_quarter_turn_maps_the_board_onto_itself(name: str) -> None:
    places = list(load_board(name).spots.values())
    for x, y in places:
        assert min(math.dist((500 - y, x), other) for other in places) < 0.01


def test_cp_120_follows_its_formulas() -> None:
    spots = load_board("CP-120").spots
    for ring, radius, first, count in (("A", 214, 180, 56), ("B", 153, 135, 40), ("C", 92, 90, 24)):
        for i in range(count):
            angle = math.radians(first + 360 * i / count)
            place = (250 + radius * math.cos(angle), 250 + radius * math.sin(angle))
            assert spots[f"{ring}{i}"] == pytest.approx(place, abs=0.001)
    assert spots["home.r4"] == (46, 46)
    assert spots["home.y1"] == (478, 22)


def test_bm_129_follows_its_formulas() -> None:
    spots = load_board("BM-129").spots
    assert spots["O3"] == (148, 46)
    assert spots["r.r2"] == pytest.approx((108.9, 108.9))
    assert spots["SB1"] == (420, 250)
    assert spots["D0.1"] == pytest.approx((274.286, 104.286), abs=0.001)
    assert spots["W0.4"] == (250, 216)


CP = board_text("CP-120")
BM = board_text("BM-129")

GAME_OF = {CP: "center_point", BM: "basic_manipulation"}
BAD: list[tuple[str, str, str]] = [
    (CP, "[spots]", "[next]\nA0 = 3\n[spots]|next.A0 is 3, expected the name of a spot"),
    (CP, "[spots]", '[next]\nA9 = "A11"\n[spots]|the longest route of red is 109, expected 110 as [routes] says'),
    (CP, "longest = 110", "longest = 109|the longest route of red is 110, expected 109"),
    (CP, '"home.r1" = [', 'A1 = [36.5, 240.0]\n"home.r1" = [|the circles of A0 and A1 overlap: their centres are'),
    (CP, '"home.r1" = [', "A0 = [3.0, 250.0]\n'home.r1' = [|the circle of A0 leaves the sheet"),
    (CP, "[spots]", "[spots]\nA0 = [36.0]|spots.A0 is [36.0], expected [x, y] in mm"),
    (CP, "[spots]", "[next]\nA9 = 'Z10'\n[spots]|next.A9 names 'Z10', which is no spot"),
    (CP, "[spots]", '[next]\nA9 = ["A10", "A11"]\n[spots]|next.A9 has 2 steps, expected one'),
    (CP, "[spots]", '[next]\nA9 = "A9"\n[spots]|goes round for ever by A9'),
    (CP, '"A0..A55 A0"', "'A0..A9', 'A10..A55 A0'|no step leads on from A9"),
    (CP, 'start = "A5"', "start = \"A38\"|A38 is both red's start and red's safety"),
    (CP, 'start = "A5"', "start = \"Q5\"|red.start is 'Q5', expected the name of a spot"),
    (CP, '"A38", "B27"', '"A3", "B27"|A3 is red\'s but not on its route from A5'),
    (CP, '"A38", "B27"', '"A54", "B27"|A54 and A0 of red are 2 steps apart, expected more than 6'),
    (CP, '"A38", "B27"', "7, \"B27\"|red.safety is [7, 'B27', 'C16'], expected a list of names"),
    (CP, 'A0 = "B5"', "A0 = \"Q\"|red.bypass.A0 leads to 'Q', expected a ring spot or IN"),
    (CP, "bypass = { A0", "bypass = { Q0|expected a table of ring spots and where each leads"),
    (CP, '"IN.r1", ', "|red.inner and red.home differ in number"),
    (CP, '"home.r1", ', "|red.home lists 3 spots, expected 4"),
    (CP, "[red]", "[yellowish]|the colours with a home are yellowish, yellow, green, blue"),
    (CP, "[spots]", "[spots]\nnowhere = [250, 250]|nowhere has neither a step in [next] nor a role"),
    (CP, "[spots]", "[next]\nB99 = \"B1\"\n[spots]|next.B99 names 'B99', which is no spot"),
    (CP, "circle_mm = 18", f"circle_mm = {10**400}|circle_mm is 1000"),
    (CP, "circle_mm = 18", "circle_mm = -1|circle_mm is -1, expected a length above 0 in mm"),
    (CP, "marker_mm = 16", "marker_mm = 19|marker_mm is 19, expected at most circle_mm 18"),
    (CP, 'game = "center_point"', "game = 1|game is 1, expected a text"),
    (CP, "circle_mm = 18", "circle_mm = 18\ncolour = 3|colour is not a key of a board file"),
    (CP, "[spots]", "[sports]|spots is missing, expected a table of spots"),
    (CP, "[spots]", "[spots|is not TOML"),
    (CP, '"A0..A55 A0"', "7|lanes is [7, 'B0..B39 B0', 'C0..C23 C0'], expected a list of texts"),
    (CP, '"A0..A55 A0"', "'A9..A0'|lanes has 'A9..A0', expected the numbers of a run to rise"),
    (CP, "first = [36.0, 250.0]", "first = [36.0]|spots.A0..A55.first is [36.0], expected [x, y] in mm"),
    (BM, "[46.0, 46.0], [454.0, 46.0]", "[46.0, 46.0]|expected the places of the first and the"),
    (CP, 'game = "center_point"', 'game = "ludo"|is a board of ludo, expected one of center_point'),
    (BM, "entrance = 48", "entrance = 47|the entrance route of red is 48, expected 47"),
    (BM, "[spots]", '[next]\nO3 = ["O5"]\n[spots]|O4 cannot be reached by any colour'),
    (BM, "[spots]", '[next]\n"D0.2" = ["SB1"]\n[spots]|D0.3 cannot be reached by any colour'),
    (BM, 'spot = "W"', "spot = \"V\"|world.spot is 'V', expected the name of a spot"),
    (BM, 'O6 = "SB0"', "O6 = \"V\"|expected each BEAST's spot and its STAR-BEAST's"),
    (BM, 'O6 = "SB0"', 'O0 = "SB0"|O0 is both a BEAST and red\'s start'),
    (BM, 'entrance = "r.hre"', "entrance = \"r.r1\"|red.entrance is 'r.r1', expected r.hre"),
    (BM, '"r.r1", ', "|red.refuge lists 3 spots, expected 4"),
    (BM, "[spots]", "[spots]\nnowhere = [10, 250]|leaves the sheet"),
    (BM, "[spots]", "[spots]\nnowhere = [250, 20]|nowhere has neither a step in [next]"),
    (BM, '    "r.hre O1",\n', "|no step leads on from r.hre"),
    (BM, "[spots]", '[next]\n"W0.4" = ["y.h1"]\n[spots]|no step leads on from y.h1, the next of W0.4'),
    (BM, 'game = "basic_manipulation"', 'game = "ludo"|is a board of ludo'),
]


@pytest.mark.parametrize(("text", "old", "new"), BAD, ids=[row[2].partition("|")[2][:50] for row in BAD])
def test_an_inconsistent_board_is_refused_with_the_reason(text: str, old: str, new: str) -> None:
    new, _, reason = new.partition("|")
    assert old in text
    with pytest.raises(KitError) as refused:
        game_named(GAME_OF[text]).rules.start(board=text.replace(old, new, 1))
    assert reason in str(refused.value)
    assert "\n" not in str(refused.value)


def test_another_board_of_the_same_kind_is_taken_and_kept_in_the_state() -> None:
    game: Any = game_named("basic_manipulation")
    text = BM.replace('board = "BM-129"', 'board = "mine"').replace("circle_mm = 22", "circle_mm = 20")
    state = game.rules.start(board=text)
    assert state.board == "mine"
    assert state_of_json(game, state_json(game, state)) == state
    assert game.text.state_of(game.text.state(state)) == state
    assert game.rules.start(board=BM).board_file is None
    hint = game.page.hints(
        game.shorthand.state_of_position("r: O0 O3 hold*2", turn="r", die=2, board=text), "red", playouts=4
    )
    assert {h.move for h in hint} == {"O3-O5", "O0-O2"}


def test_a_board_may_list_each_step_and_place_by_itself() -> None:
    """Boards were written like this before there were lanes, rows and rings: logs and home-made files have them."""
    board = load_board("CP-120")
    spots = "".join(f"{json.dumps(spot)} = {list(place)}\n" for spot, place in board.spots.items())
    steps = "".join(f"{json.dumps(spot)} = {json.dumps(list(to))}\n" for spot, to in board.next.items())
    text = re.sub(r"lanes = .*", "", CP).replace(CP[CP.index("[spots]") : CP.index("[red]")], "")
    text = text.replace("[red]", f"[spots]\n{spots}\n[next]\n{steps}\n[red]")
    assert board_of_text(text) == board
    assert game_named("center_point").rules.start(board=text).board_file is None  # it is the product's own board


def test_a_board_that_does_not_come_with_the_product_is_named() -> None:
    with pytest.raises(KitError, match="there is no board 'CP-121'"):
        load_board("CP-121")
    game = game_named("center_point")
    data = state_json(game, game.rules.start())
    with pytest.raises(NotationError, match="no board 'BM-129' of Center Point"):
        state_of_json(game, {**data, "board": "BM-129"})


def test_the_boards_text_is_read_once() -> None:
    assert board_of_text(CP, "CP-120.toml") is board_of_text(CP, "CP-120.toml")
