"""Matches that play themselves at the virtual table: what is entered is what truly lies there."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from companion.app.autoplay import Autoplay
from companion.app.matches import as_before, opened_match
from companion.app.playing import MatchChoice
from companion.game.known import game_named
from tests.seeds import first

TURNS, TURNS_NIGHTLY = 1, 12
GAMES = ["center_point", "basic_manipulation"]


def table(game: str, folder: Path, seed: int = 1) -> Autoplay:
    return Autoplay(MatchChoice(game=game, players=2), seed, folder / "match.db")


@pytest.mark.nightly
@pytest.mark.parametrize("game", ["basic_manipulation", "eyes_of_the_emperor"])
def test_a_match_in_another_room_is_entered_as_it_was_played(game: str, tmp_path: Path) -> None:
    here, chosen = Autoplay(MatchChoice(game=game), 3, tmp_path / "here.db"), MatchChoice(game=game)
    here.match.close()
    at = Autoplay(chosen, 3, tmp_path / "match.db", elsewhere=True)
    assert at.table.lens != here.table.lens
    played = at.play(3)
    assert (played.wrong, played.stuck) == (0, None)
    assert played.entries >= 3


@pytest.mark.slow
@pytest.mark.parametrize("turns", first([TURNS, TURNS_NIGHTLY]))
@pytest.mark.parametrize(
    "game", first(["basic_manipulation", "center_point", "eyes_of_the_emperor", "manipulation_rummy"])
)
def test_a_match_is_entered_as_it_was_played(game: str, turns: int, tmp_path: Path) -> None:
    played = table(game, tmp_path).play(turns)
    assert (played.wrong, played.stuck) == (0, None)
    assert played.entries >= turns
    assert played.questions <= max(1, turns // 5)


@pytest.mark.nightly
@pytest.mark.parametrize("game", [*GAMES, "eyes_of_the_emperor"])
def test_every_disturbance_is_noticed_or_harmless(game: str, tmp_path: Path) -> None:
    at = table(game, tmp_path)
    assert at.sees()
    assert at.turn()
    for trouble in at.player.troubles:
        trouble(at, at.state, ())
        at.look()
        assert at.is_same(at.match.state, at.state), trouble
    at.match.close()


@pytest.mark.parametrize(
    ("game", "players", "laid"),
    [
        ("basic_manipulation", 2, {"O0": "red", "O12": "yellow", "O24": "green", "O36": "blue", "r.h1": "red"}),
        ("center_point", 2, {"home.r4": "red", "home.g1": "green"}),
    ],
)
def test_the_table_is_laid_as_the_game_begins(game: str, players: int, laid: dict[str, str], tmp_path: Path) -> None:
    at = Autoplay(MatchChoice(game=game, players=players), 1, tmp_path / "match.db")
    at.match.close()
    lying = at.table.truth()["spots"]
    assert laid.items() <= lying.items()
    assert Counter(lying.values()) == Counter(piece.color for piece in at.game.table.layout(at.state).pieces)


def test_a_match_that_goes_on_is_laid_and_read_as_it_was_begun(tmp_path: Path) -> None:
    game = game_named("basic_manipulation")
    begun = MatchChoice(game=game.name, players=4, options={"mode": "partners", "diamond_steps": "8"})
    opened_match(tmp_path, game, begun).close()
    goes_on, _ = as_before(tmp_path, game, MatchChoice(game=game.name))
    assert goes_on.start(game) == begun.start(game)
    board = goes_on.board_of(game)
    assert board.name == "BM-133"
