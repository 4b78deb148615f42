"""Whole matches that play themselves at the virtual table: pieces are moved, drawn, read, judged, and compared.

Time is simulated, nothing waits. The rules and a seeded random generator decide what happens on the table, so the truth
is known. The match gets it only through picture, reader and referee. After every press the two are compared.

`run` plays a match; a module for each kind of game says how it is played at the table.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from companion.app.autoplay.eyes import EyesPlayer
from companion.app.autoplay.race import RacePlayer
from companion.app.autoplay.rods import RodPlayer
from companion.app.autoplay.rummy import RummyPlayer
from companion.app.autoplay.run import Autoplay, Played, Player
from companion.app.playing import Chosen
from companion.game.game import Game
from companion.game.known import game_named, names
from companion.game.parts import PlaysItself

PLAYERS: dict[str, Callable[[Autoplay], Player]] = {
    "eyes_of_the_emperor": EyesPlayer,
    "basic_manipulation": RacePlayer,
    "center_point": RacePlayer,
    "suspend": RodPlayer,
    "manipulation_rummy": RummyPlayer,
}


def player_of(game: Game[Any, Any]) -> Callable[[Autoplay], Player] | None:
    """The player of a game: the product's, else the game's own; None without either."""
    return PLAYERS.get(game.name) or (game.player if isinstance(game, PlaysItself) else None)


def played_by_itself() -> list[str]:
    """The games that can be played by themselves."""
    return [name for name in names() if player_of(game_named(name)) is not None]


def play(
    chosen: Chosen,
    matches: int,
    seed: int,
    folder: Path,
    *,
    disturbs: bool,
    elsewhere: bool = False,
    has_button: bool = True,
) -> Iterator[Played]:
    """Plays this many matches, each with its own seed and log. `elsewhere`: each also has its own camera and room."""
    player = player_of(game_named(chosen.game))
    assert player is not None
    for i in range(matches):
        log = folder / f"{chosen.game}-{time.time_ns()}.db"
        at = Autoplay(chosen, seed + i, log, player, disturbs=disturbs, elsewhere=elsewhere, has_button=has_button)
        yield at.play()
