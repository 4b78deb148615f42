"""Matches that play themselves at the virtual table: what is entered is what truly lies there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from companion.app.autoplay import Autoplay
from companion.app.playing import MatchChoice
from companion.game.game import Game
from tests.seeds import first

TURNS, TURNS_NIGHTLY = 1, 12
GAMES = ["center_point", "basic_manipulation"]


def table(game: str, folder: Path, seed: int = 1) -> Autoplay:
    return Autoplay(MatchChoice(game=game, players=2), seed, folder / "match.db")


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
        trouble(at.state, ())
        at.look()
        assert at.is_same(at.match.state, at.state), trouble
    at.match.close()


@pytest.mark.slow
def test_a_game_that_is_a_folder_of_its_own_is_thrown_seen_and_judged(pig: Game[Any, Any], tmp_path: Path) -> None:
    played = table(pig.name, tmp_path).play(9)
    assert (played.wrong, played.stuck) == (0, None)
    assert played.entries >= 9
