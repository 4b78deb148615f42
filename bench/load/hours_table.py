"""The table of `bench.load hours`: one process that serves phones while matches are played by camera in simulated time.

Each game is played for twelve minutes in turn, so all hours are alike. Pictures are drawn and then read, answers are
true, and one turn in eight is disturbed. Each simulated minute ends with a line on standard output. The next minute
begins with a line on standard input.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

import cv2

from companion.app.autoplay import Autoplay, Clock, played_by_itself
from companion.app.playing import MatchChoice
from companion.app.process import spare_memory
from companion.game.errors import CompanionError
from web.site.server import Server
from web.table.app import create_app

GAMES = tuple(played_by_itself())
PLAYED_S = 720.0
"""Duration of a game before the next game begins, s."""
THINKS_S = (30.0, 180.0)
"""Range of the pause between two turns, s; nothing moves in it."""
RESTING_S = 0.58
"""Interval of camera frames while nothing moves, s: short enough to count as seen, long enough to pass time fast."""
MINUTE_S = 60.0


class CurrentMatch:
    """Returns the current match, as `companion.app.door.TableDoor` does."""

    match: Any = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.match, name)


class Evening:
    """Plays one match after another on one clock."""

    def __init__(self, folder: Path, door: CurrentMatch, seed: int, hours: float) -> None:
        self.folder, self.door, self.random = folder, door, random.Random(seed)
        self.clock = Clock()
        self.began_s = self.told_s = self.clock()
        self.over_s = self.began_s + 3600 * hours
        self.matches = self.entries = self.questions = self.turns = 0

    def opens(self, name: str) -> Any:
        """Sets up a table for that game instead of the previous table."""
        log = self.folder / f"{name}-{self.matches:04d}.db"
        seed = self.random.randrange(2**31)
        at = Autoplay(MatchChoice(game=name), seed, log, disturbs=True, clock=self.clock)
        before, self.door.match = self.door.match, at.match
        if before is not None:
            before.close()
        self.matches += 1
        at.sees()
        return at

    def runs(self, at: Any) -> None:
        """Plays from an open table until the hours are over."""
        while self.clock() < self.over_s:
            turn = int((self.clock() - self.began_s) // PLAYED_S)
            if self.matches > 1 or at.match.view().seq > 1:
                at = self.opens(GAMES[turn % len(GAMES)])
            try:
                self.plays(at, min(self.over_s, self.began_s + (turn + 1) * PLAYED_S))
            except CompanionError as error:  # the pieces do not lie as the match expects
                print(f"{at.game.name}: {error}", file=sys.stderr, flush=True)
            self.entries += at.match.view().seq
            self.questions += at.played.questions

    def plays(self, at: Any, until_s: float) -> None:
        """Plays one match until it is over, or until `until_s`."""
        while self.clock() < until_s:
            self.turns += 1
            if not at.turn():
                break
            self.thinks(at)

    def thinks(self, at: Any) -> None:
        """Lets time pass while nothing moves."""
        until_s = min(self.over_s, self.clock() + self.random.uniform(*THINKS_S))
        while self.clock() < until_s:
            self.clock.wait(RESTING_S)
            at.look()
        while self.clock() - self.told_s >= MINUTE_S:
            self.told_s += MINUTE_S
            self.tells(at)

    def tells(self, at: Any) -> None:
        """Reports that a minute has passed, and waits until the phones have finished that minute."""
        told = {
            "minute": round((self.told_s - self.began_s) / MINUTE_S), "game": at.game.name, "match": self.matches,
            "turns": self.turns, "entries": self.entries + at.match.view().seq, "questions": self.questions,
        }  # fmt: skip
        print(json.dumps(told), flush=True)
        sys.stdin.readline()


def main() -> None:
    """`python -m bench.load.hours_table FOLDER HOURS SEED`."""
    folder, hours, seed = Path(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    spare_memory()
    cv2.setNumThreads(1)
    door = CurrentMatch()
    evening = Evening(folder, door, seed, hours)
    at = evening.opens(GAMES[0])
    app = create_app(door, join_url="http://192.168.4.1/", clock=evening.clock)
    with Server(app, "127.0.0.1", 0).running() as server:
        print(server.port, flush=True)
        sys.stdin.readline()
        evening.runs(at)
    door.match.close()


if __name__ == "__main__":
    main()
