"""`companion replay --rejudge` reads the kept pictures again: the same table is ruled the same, another is told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from companion.app.autoplay import Autoplay
from companion.app.playing import MatchChoice
from companion.app.read_again import ReadAgain
from companion.game.known import game_named
from companion.game.says import Says
from companion.match.present import shown_of
from companion.record.fold import fold
from companion.record.log import pictures_of, read_log
from tests.cli.conftest import Call


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some turns of rummy at the virtual table, one of them a meld that the camera read."""
    path = tmp_path_factory.mktemp("rummy") / "match.db"
    at = Autoplay(MatchChoice(game="manipulation_rummy", players=2), 1, path)
    at.play(2)
    return path


@pytest.mark.slow
def test_the_same_pictures_are_ruled_the_same(call: Call, log: Path) -> None:
    lines = call("replay", str(log), "--rejudge").lines
    melds = [line for line in lines if " melds " in line.get("action", "")]
    assert melds
    assert [line.get("read_again") for line in lines if "read_again" in line] == []


@pytest.mark.slow
def test_what_would_be_ruled_otherwise_is_told(log: Path) -> None:
    game = game_named("manipulation_rummy")
    folded = fold(game, read_log(log))
    step = next(step for step in folded.steps if shown_of(step.entry))
    with pictures_of(log) as pictures:
        again = ReadAgain(game, pictures)
        assert again.otherwise(folded, step, ()) == step.rulings
        nothing = ReadAgain(game, lambda sha256: None).otherwise(folded, step, step.rulings)
        assert isinstance(nothing, Says)
        assert "not kept" in str(nothing)
        untouched = replace(step, entry=replace(step.entry, body=msgspec.structs.replace(step.entry.body, shown=())))
        assert again.otherwise(folded, untouched, ()) is None
