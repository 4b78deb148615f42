"""Whole matches that play themselves at the virtual table: pieces are moved, drawn, read, judged, and compared.

Time is simulated, nothing waits. The rules and a seeded random generator decide what happens on the table, so the truth
is known. The match gets it only through picture, reader and referee. After every press the two are compared.

`run` plays a match; how a game is played at the table is in its own folder (`Game.player`).
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from companion.app.autoplay.run import Autoplay, PlayedMatch, player_of
from companion.app.playing import MatchChoice
from companion.game.known import game_named, names


def played_by_itself() -> list[str]:
    """The games that can be played by themselves."""
    return [name for name in names() if player_of(game_named(name)) is not None]


def play(
    chosen: MatchChoice,
    matches: int,
    seed: int,
    folder: Path,
    *,
    disturbs: bool,
    elsewhere: bool = False,
    has_button: bool = True,
) -> Iterator[PlayedMatch]:
    """Plays this many matches, each with its own seed and log. `elsewhere`: each also has its own camera and room."""
    for i in range(matches):
        log = folder / f"{chosen.game}-{time.time_ns()}.db"
        at = Autoplay(chosen, seed + i, log, disturbs=disturbs, elsewhere=elsewhere, has_button=has_button)
        yield at.play()
