"""The race boards: what the files hold, how their circles lie, and which files are refused, with the reason."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from companion.game.board import board_of_text
from companion.game.brought import board_text, boards, load_board
from companion.game.errors import KitError
from companion.game.game import state_json, state_of_json
from companion.game.known import game_named
from companion.games.race.sheet import tables_of


def tables(name: str) -> Any:
    game: Any = game_named(boards()[name])
    return tables_of(game.shorthand.sheet, game.rules.start(None, {"diamond_steps": "8"} if name == "BM-133" else {}))


def test_cp_120_has_110_20_and_26_for_every_colour() -> None:
    t = tables("CP-120")
    for color in range(4):
        assert t.travelled(color) == {"longest": 110, "shortest": 20, "without_last": 26}
    assert len(t.board.spots) == 152
    assert len(t.board.next) == 120


@pytest.mark.parametrize(("name", "spots"), [("BM-129", 129), ("BM-133", 133)])
def test_bm_129_has_48_52_and_12_for_every_colour(name: str, spots: int) -> None:
    t = tables(name)
    for color in range(4):
        assert t.travelled(color) == {"entrance": 48, "refuge": 52, "world": 12}
    assert len(t.board.spots) == spots


CP = board_text("CP-120")
BM = board_text("BM-129")

GAME_OF = {CP: "center_point", BM: "basic_manipulation"}
BAD: list[tuple[str, str, str]] = [
    (CP, "[spots]", '[next]\nA9 = "A11"\n[spots]|A10 cannot be reached by any colour'),
    (CP, '"home.r1..', 'A1 = [36.5, 240.0]\n"home.r1..|the circles of A0 and A1 overlap: their centres are'),
    (CP, "[spots]", '[next]\nA9 = ["A10", "A11"]\n[spots]|next.A9 has 2 steps, expected one'),
    (CP, "[spots]", '[next]\nA9 = "A9"\n[spots]|goes round for ever by A9'),
    (CP, '"A0..A55 A0"', "'A0..A9', 'A10..A55 A0'|no step leads on from A9"),
    (CP, 'start = "A5"', "start = \"A38\"|A38 is both red's start and red's safety"),
    (CP, '"A38", "B27"', '"A3", "B27"|A3 is red\'s but not on its route from A5'),
    (CP, '"A38", "B27"', '"A54", "B27"|A54 and A0 of red are 2 steps apart, expected more than 6'),
    (CP, '"home.r1", ', "|red.home lists 3 spots, expected 4"),
    (CP, "[red]", "[yellowish]|the colours with a home are yellowish, yellow, green, blue"),
    (CP, "circle_mm = 18", f"circle_mm = {10**400}|circle_mm is 1000"),
    (CP, "marker_mm = 16", "marker_mm = 19|marker_mm is 19, expected at most circle_mm 18"),
    (CP, "circle_mm = 18", "circle_mm = 18\ncolour = 3|colour is not a key of a board file"),
    (CP, "[spots]", "[spots|is not TOML"),
    (CP, 'game = "center_point"', 'game = "ludo"|is a board of ludo, expected one of center_point'),
    (BM, "[spots]", '[next]\nO3 = ["O5"]\n[spots]|O4 cannot be reached by any colour'),
    (BM, 'O6 = "SB0"', 'O0 = "SB0"|O0 is both a BEAST and red\'s start'),
    (BM, 'entrance = "r.hre"', "entrance = \"r.r1\"|red.entrance is 'r.r1', expected r.hre"),
    (BM, '"r.r1", ', "|red.refuge lists 3 spots, expected 4"),
    (BM, '    "r.hre O1",\n', "|no step leads on from r.hre"),
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
