"""Removes old pictures of matches before each match; the entries stay. A nearly full disk loses pictures earlier.

A picture's age is counted in days of play after it. The clock of a box without a battery may begin in 1970 or far
ahead: by such a clock, yesterday's pictures could have any age.
"""

from __future__ import annotations

import logging
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click

from companion.app.matches import numbered
from companion.game.errors import LogError
from companion.record.file import Held, Unwritten
from companion.record.log import Log, is_prunable, moments
from hardware.machine import FEW_FREE_BYTES

KEEP_DAYS = 90
DAY_S = 86_400.0

_LOGGER = logging.getLogger(__name__)

keep_days: Callable[[Any], Any] = click.option(
    "--keep-days",
    default=KEEP_DAYS,
    show_default=True,
    type=click.IntRange(min=0),
    help="Keep pictures of so many days of play, the newest; older ones go before each match; 0: keep all.",
)
"""The option of the commands that open a table."""


def prune(folder: Path, days: int) -> None:
    """Removes the pictures before the newest `days` of play from every match log of a folder; 0: none.

    While the disk has few free bytes (the limit of `companion doctor`), the days are halved, down to the newest one.
    Never raises: a log that another process writes is left alone, and a log that cannot be pruned is reported.
    """
    while days:
        _prune(folder, days)
        if days == 1 or not folder.exists() or shutil.disk_usage(folder).free >= FEW_FREE_BYTES:
            return
        days //= 2


def _prune(folder: Path, days: int) -> None:
    gone = logs = 0
    played: defaultdict[str, set[int]] = defaultdict(set)
    for path in reversed(numbered(folder)):
        try:
            kept_from = _kept_from(moments(path), played[path.stem.rpartition("-")[0]], days)
            pruned = _pruned(path, kept_from) if is_prunable(path, kept_from) else 0
        except (Held, Unwritten):
            continue
        except LogError as error:
            _LOGGER.warning("%s", error)
            continue
        gone, logs = gone + pruned, logs + (pruned > 0)
    if gone:
        what = "1 picture" if gone == 1 else f"{gone} pictures"
        of = "1 match" if logs == 1 else f"{logs} matches"
        said = "day" if days == 1 else f"{days} days"
        click.echo(f"{what} from before the newest {said} of play removed from {of} in {folder}", err=True)


def _kept_from(entries: Iterable[tuple[int, float]], played: set[int], days: int) -> int:
    """The number of the first entry whose pictures are kept.

    Args:
        entries: number and time (wall seconds) of a log's entries, in order.
        played: the days of the logs after this one; those of this log are added. A wrong clock adds a day or two.
    """
    for seq, at_s in reversed(list(entries)):
        played.add(int(at_s // DAY_S))
        if len(played) > days:
            return seq + 1
    return 0


def _pruned(path: Path, kept_from: int) -> int:
    log = Log(path)
    try:
        return log.prune(kept_from)
    finally:
        log.close()
