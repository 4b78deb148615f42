"""Where matches live: one log a match, numbered; the newest that is not over is gone on with."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from companion.errors import CompanionError
from companion.fold import began, fold
from companion.game import Game
from companion.log import Log, read_log
from companion.match import Match

_NUMBERED = re.compile(r"(?P<game>[a-z_]+)-(?P<number>\d{4})\.db")


def log_path(folder: Path, game: Game[Any, Any], *, is_new: bool = False) -> Path:
    """The log to write: the newest of this game that is not over, else the next number. Raises: LogError."""
    numbers = [
        int(found["number"])
        for path in folder.glob("*.db")
        if (found := _NUMBERED.fullmatch(path.name)) and found["game"] == game.name
    ]
    newest = max(numbers, default=0)
    if newest and not is_new:
        path = folder / f"{game.name}-{newest:04d}.db"
        entries = read_log(path)
        if began(entries) is None or game.outcome(fold(game, entries).state) is None:
            return path
    return folder / f"{game.name}-{newest + 1:04d}.db"


def opened_match(
    folder: Path,
    game: Game[Any, Any],
    *,
    options: dict[str, str] | None = None,
    is_new: bool = False,
    live: Callable[[], bytes | None] | None = None,
) -> Match[Any, Any]:
    """The match of a data folder, resumed where it was or begun. Raises: LogError."""
    path = log_path(folder, game, is_new=is_new)
    log = Log(path)
    try:
        return Match(
            game,
            log,
            wall_s=time.time,
            monotonic_s=time.monotonic,
            options=options,
            live=live,
            next_log=lambda: Log(log_path(folder, game, is_new=True)),
        )
    except CompanionError:
        log.close()
        raise
