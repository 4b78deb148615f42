"""Old pictures of matches are removed when a table is opened; what was entered stays."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from companion.cli.matches import numbered
from companion.errors import LogError
from companion.log import Held, Log, Unwritten, is_prunable

KEEP_DAYS = 90
DAY_S = 86_400.0

_LOGGER = logging.getLogger(__name__)

keep_days: Callable[[Any], Any] = click.option(
    "--keep-days",
    default=KEEP_DAYS,
    show_default=True,
    type=click.IntRange(min=0),
    help="Remove pictures of entries older than this when the table is opened; 0: keep all.",
)
"""The option of the commands that open a table."""


def prune(folder: Path, days: int, *, wall_s: Callable[[], float] = time.time) -> None:
    """Removes from every match log of a folder the pictures that only entries older than `days` name; 0: none.

    Never raises: a log that another process writes is left to that one, and one that cannot be pruned is said.
    """
    if not days:
        return
    before_s = wall_s() - days * DAY_S
    gone = logs = 0
    for path in numbered(folder):
        try:
            pruned = _pruned(path, before_s) if is_prunable(path, before_s) else 0
        except (Held, Unwritten):
            continue
        except LogError as error:
            _LOGGER.warning("%s", error)
            continue
        gone, logs = gone + pruned, logs + (pruned > 0)
    if gone:
        what = "1 picture" if gone == 1 else f"{gone} pictures"
        of = "1 match" if logs == 1 else f"{logs} matches"
        click.echo(f"{what} older than {days} days removed from {of} in {folder}", err=True)


def _pruned(path: Path, before_s: float) -> int:
    log = Log(path)
    try:
        return log.prune(before_s)
    finally:
        log.close()
