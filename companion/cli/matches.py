"""Where matches live: one log a match, numbered; the newest that is not over is gone on with."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from companion.errors import CompanionError, LogError
from companion.fold import fold
from companion.game import Game
from companion.log import Log, Unwritten, read_log
from companion.match import Match

_NUMBERED = re.compile(r"(?P<game>[a-z_]+)-(?P<number>\d{4,})\.db")


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
        if not _is_over(game, path):
            return path
    return folder / f"{game.name}-{newest + 1:04d}.db"


def _is_over(game: Game[Any, Any], path: Path) -> bool:
    """Whether the match of a log has ended; one that was never begun has not. Raises: LogError."""
    try:
        entries = read_log(path)
    except Unwritten:
        return False
    try:
        return bool(entries) and game.outcome(fold(game, entries).state) is not None
    except LogError as error:
        raise LogError(f"{path}: {error}") from error


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
