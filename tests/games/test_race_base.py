"""The base of race games, by a game that is none of the product's: Ludo, where two pieces on a field are a block."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from companion.app.conformance import Conformance
from companion.game.errors import KitError
from companion.game.game import Game
from companion.game.known import REGISTRY, paragraphs
from companion.game.values import Illegal
from companion.games.race.state import DieRolled

LUDO = Path(__file__).parent.parent / "data" / "ludo"


@pytest.fixture
def ludo(home: Path) -> Game[Any, Any]:
    return REGISTRY.add(LUDO)


def at(ludo: Game[Any, Any], position: str, die: int, **told: Any) -> Any:
    state = ludo.shorthand.state_of_position(position, turn="r", options={"colors": "rg"}, **told)
    return ludo.rules.apply(state, DieRolled("red", die)).state


def moves(ludo: Game[Any, Any], state: Any) -> set[str]:
    return {move.move for move in ludo.rules.legal(state) if state.die is not None}


def test_a_whole_match_keeps_the_promises_of_every_game(ludo: Game[Any, Any]) -> None:
    found = Conformance(ludo, paragraphs("ludo-2"))
    found.plays(1)
    assert not found.faults
    assert found.ended == 1


def test_play_6_two_pieces_are_a_block_for_others_and_full_for_a_third(ludo: Game[Any, Any]) -> None:
    assert moves(ludo, at(ludo, "r: A3; g: A5*2", 2)) == set()
    assert moves(ludo, at(ludo, "r: A3; g: A5*2", 4)) == set()
    assert moves(ludo, at(ludo, "r: A3; g: A5", 2)) == {"A3-A5 x(g)"}
    assert moves(ludo, at(ludo, "r: A3 A5", 2)) == {"A3-A5", "A5-A7"}
    assert moves(ludo, at(ludo, "r: A3 A5*2", 2)) == {"A5-A7"}
    assert ludo.rules.status(ludo.shorthand.state_of_position("r: A5*2", turn="r", options={"colors": "rg"})) == ()
    three = ludo.shorthand.state_of_position("r: A5*3", turn="r", options={"colors": "rg"})
    assert [str(fault.says) for fault in ludo.rules.status(three)] == ["A5 has more than 2 of red"] * 2


def test_play_4_a_third_six_moves_nothing(ludo: Game[Any, Any]) -> None:
    state = at(ludo, "r: A3", 6)
    for _ in range(2):
        state = ludo.rules.apply(state, ludo.rules.legal(state)[0].action).state
        assert state.turn == "red"
        assert ludo.text.state_of(ludo.text.state(state)) == state
        applied = ludo.rules.apply(state, DieRolled("red", 6))
        state = applied.state
    assert (state.turn, state.die, state.count) == ("green", None, 0)
    ruling = applied.rulings[0]
    assert (str(ruling.says), ruling.rule) == ("the third six in a row: the turn passes to green", "Ludo, Play 4")


def test_a_move_that_is_not_legal_is_refused_with_the_sheet_s_paragraph(ludo: Game[Any, Any]) -> None:
    state = at(ludo, "r: A3", 2)
    with pytest.raises(Illegal, match="red cannot go from A3 to A6 with a 2") as refused:
        ludo.rules.apply(state, ludo.text.action_of("r A3-A6", state))
    assert refused.value.rule == "Ludo, Play 3"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('start = "A0"', 'start = "A0"\ngaol = "A3"', "red.gaol is not read by Ludo, expected one of home"),
        ("[red]", "[trees]\noak = 1\n\n[red]", r"\[trees\] is not read by Ludo"),
        ("circle_mm", "circles_mm = 1\ncircle_mm", "circles_mm is not a key of a board file"),
        ("LUDO.svg", "../kit.toml", "picture is '../kit.toml', expected the name of an SVG, PNG, JPG or WebP file"),
    ],
)
def test_every_key_of_a_board_file_is_checked(ludo: Game[Any, Any], old: str, new: str, said: str) -> None:
    text = (LUDO / "boards" / "LUDO.toml").read_text(encoding="utf-8")
    with pytest.raises(KitError, match=said):
        ludo.rules.start(board=text.replace(old, new, 1))
