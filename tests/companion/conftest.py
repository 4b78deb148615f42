"""A match of Eyes of the Emperor in one folder, opened again and again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.game.game import Game
from companion.games.eyes_of_the_emperor import GAME
from companion.match.match import Match
from companion.match.referee import Thresholds
from companion.record.log import Log
from tests.clock import Clock
from tests.companion.looks import Opened


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def opened(tmp_path: Path, clock: Clock) -> Iterator[Opened]:
    """Opens the match; the one that was open is closed."""
    live: list[Match[Any, Any]] = []
    patient = Thresholds(answer_s=5.0)  # a busy machine takes its time

    def open_match(game: Game[Any, Any] = GAME) -> Match[Any, Any]:
        for match in live:
            match.close()
        live.append(Match(game, Log(tmp_path / "eyes.db"), wall_s=clock, monotonic_s=clock, thresholds=patient))
        return live[-1]

    yield open_match
    for match in live:
        match.close()
