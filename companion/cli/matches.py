"""Where matches live: one log a match, numbered; the newest that is not over is gone on with."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from companion.errors import CompanionError, LogError
from companion.fold import Holder, Kind, fold, holders, house_rules
from companion.game import Game
from companion.kit import Kit
from companion.log import Log, read_log
from companion.log_file import Unwritten
from companion.match import Match

_NUMBERED = re.compile(r"(?P<game>[a-z_]+)-(?P<number>\d{4,})\.db")


def log_path(folder: Path, game: Game[Any, Any], *, is_new: bool = False) -> Path:
    """The log to write: the newest of this game that is not over, else the next number. Raises: LogError.

    A log in which nothing was entered (the disk was full, the box was killed) does not hide the match before it.
    """
    numbers = _numbers(folder, game)
    following = _path(folder, game, numbers[-1] + 1 if numbers else 1)
    if is_new:
        return following
    unwritten = None
    for number in reversed(numbers):
        path = _path(folder, game, number)
        is_over = _is_over(game, path)
        if is_over is False:
            return path
        if is_over:
            break
        unwritten = unwritten or path
    return unwritten or following


def numbered(folder: Path) -> list[Path]:
    """The logs of all matches of a folder, of every game, in the order of their numbers."""
    found = [(path, match) for path in folder.glob("*.db") if (match := _NUMBERED.fullmatch(path.name))]
    return [path for path, match in sorted(found, key=lambda f: (f[1]["game"], int(f[1]["number"])))]


def _numbers(folder: Path, game: Game[Any, Any]) -> list[int]:
    return sorted(
        int(found["number"])
        for path in numbered(folder)
        if (found := _NUMBERED.fullmatch(path.name)) and found["game"] == game.name
    )


def _path(folder: Path, game: Game[Any, Any], number: int) -> Path:
    return folder / f"{game.name}-{number:04d}.db"


def _before(folder: Path, game: Game[Any, Any]) -> tuple[dict[str, str], Mapping[str, Holder]]:
    """The options of the newest match that was begun and who sat there, whatever became of it since; none where there
    is none.
    """
    for number in reversed(_numbers(folder, game)):
        with contextlib.suppress(LogError):
            if entries := read_log(_path(folder, game, number)):
                return dict(house_rules(entries)), holders(entries)
    return {}, {}


def _is_over(game: Game[Any, Any], path: Path) -> bool | None:
    """Whether the match of a log has ended, or was given up; None where none was begun in it. Raises: LogError."""
    try:
        entries = read_log(path)
        if not entries:
            return None
    except Unwritten:
        return None
    try:
        is_given_up = any(entry.kind == Kind.GIVEN_UP for entry in entries)
        return is_given_up or game.outcome(fold(game, entries).state) is not None
    except LogError as error:
        raise LogError(f"{path}: {error}") from error


def opened_match(
    folder: Path,
    game: Game[Any, Any],
    *,
    options: dict[str, str] | None = None,
    is_new: bool = False,
    live: Callable[[], bytes | None] | None = None,
    kit: Kit | None = None,
) -> Match[Any, Any]:
    """The match of a data folder, resumed where it was or begun; `kit` is the set on its table. Raises: LogError.

    One that follows a match keeps who sat there, and its house rules where no `options` are given: the box may have
    been killed while the next match was begun. One that `is_new` has the `options` only.
    """
    path = log_path(folder, game, is_new=is_new)
    rules, seats = ({}, {}) if is_new else _before(folder, game)
    log = Log(path)
    try:
        return Match(
            game,
            log,
            wall_s=time.time,
            monotonic_s=time.monotonic,
            options=rules if options is None else options,
            seats=seats,
            live=live,
            next_log=lambda: Log(log_path(folder, game, is_new=True)),
            kit=kit,
        )
    except CompanionError:
        log.discard()
        raise
