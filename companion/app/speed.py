"""Processor time of one look at each game's table, measured on this machine with pictures of the virtual table."""

import platform
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from companion.app.camera_loop import watch_of
from companion.game.brought import default_kit, load_board
from companion.game.known import GAMES, game_named
from vision.sim.filled import filled_table

LOOKS = 5
MODEL = Path("/proc/device-tree/model")


@dataclass(frozen=True, slots=True)
class Speed:
    """Median processor time of a look at a game's table, milliseconds, and the slowest one."""

    game: str
    median_ms: float
    slowest_ms: float


def machine() -> str:
    """The model of this machine, as a Pi names itself; else its processor."""
    try:
        return MODEL.read_text(encoding="utf-8").rstrip("\0\n")
    except OSError:
        return f"{platform.machine()} {platform.processor()}".strip()


def speeds() -> Iterator[Speed]:
    """Reads a filled table of each game several times. About a minute on a Pi."""
    for name in GAMES:
        game, kit = game_named(name), default_kit(name)
        table = filled_table(kit, seed=1)
        board = load_board(kit.board) if kit.board is not None else None
        eye = watch_of(game, table.lens, kit, board).eye
        frame = table.frame()
        assert frame is not None
        eye.read(frame)  # loads the networks
        spent_ms = []
        for _ in range(LOOKS):
            began_s = time.process_time()
            eye.read(frame)
            spent_ms.append((time.process_time() - began_s) * 1000)
        yield Speed(name, statistics.median(spent_ms), max(spent_ms))
