"""What is told of a match that is over."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from companion.game.known import game_named
from companion.games.race.state import DieRolled
from companion.match.present import facts_of
from companion.record.entry import Writing
from companion.record.fold import action_body, fold
from companion.record.log import Log


@pytest.mark.parametrize(("ends_s", "told"), [(1900.0, ["played in 15 minutes"]), (400.0, [])])
def test_a_clock_that_was_set_back_has_measured_no_time(tmp_path: Path, ends_s: float, told: list[str]) -> None:
    """A box without a clock of its own, set by a phone in the middle of a match, told "played in -10 minutes"."""
    game = game_named("center_point")
    body = {"game": game.name, "options": {}, "seats": 2, "board": None}
    with contextlib.closing(Log(tmp_path / "one.db")) as log:
        log.append_all(1000.0, (Writing("began", "table", body),))
        log.append_all(ends_s, (Writing("action", "Ann", action_body(game, DieRolled("red", 3))),))
        said = [str(says) for says in facts_of(fold(game, tuple(log.entries())))]
    assert [words for words in said if words.startswith("played")] == told
    assert "one ruling" in said
