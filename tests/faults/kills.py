"""SIGKILL at random moments of matches of every game, half of them while a throw, answer or correction is entered.

The players are forked from this one process, so that a kill costs no start; each goes on where the last was killed.
"""

from __future__ import annotations

import os
import random
import select
import signal
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from companion.game.known import GAMES, game_named
from companion.record.check import verify
from companion.record.fold import fold
from companion.record.log import read_log, witnessed
from tests.faults.playing import acknowledging, digest, play

MOMENTS = ("busy throw", "busy answer", "busy correct", "busy act")
"""While these are entered every second kill comes."""
SOON_S, LATER_S = 0.006, 0.12
TURNS = 100_000
LIMIT_S = 120.0


@dataclass
class Told:
    """What a player said before it was killed: entries by match, how it stood, and what it was about."""

    entries: dict[str, dict[int, str]] = field(default_factory=dict)
    states: dict[tuple[str, int], str] = field(default_factory=dict)
    doing: str = "open"

    def hear(self, line: str) -> None:
        """One line of a player."""
        match line.split():
            case ["in", stem, seq, hash_]:
                at = self.entries.setdefault(stem, {})
                assert at.setdefault(int(seq), hash_) == hash_, f"entry {seq} of {stem} was acknowledged twice"
            case ["state" | "open", stem, seq, state]:
                self.states[stem, int(seq)] = state
            case ["busy", what]:
                self.doing = what

    def through(self, plays: Callable[[Callable[[str], None]], None], counted: str) -> int:
        """Lets a player play until it says that it is done; gives the sum of what it counted under that word."""
        player, lines = Forked(plays), []
        while not lines or not lines[-1].startswith(("done", "died")):
            lines += player.lines(60.0)
        lines += player.kill()
        for line in lines:
            assert not line.startswith("died"), line
            self.hear(line)
        return sum(int(line.split()[1]) for line in lines if line.startswith(f"{counted} "))


class Forked:
    """A player in a process of its own, and what it says."""

    def __init__(self, plays: Callable[[Callable[[str], None]], None]) -> None:
        reading, writing = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(reading)
            try:
                plays(lambda line: os.write(writing, f"{line}\n".encode()) and None)
            except BaseException as error:
                os.write(writing, f"died {type(error).__name__}: {error}\n".encode())
            finally:
                os._exit(1)
        os.close(writing)
        self._reading, self._rest = reading, b""

    def lines(self, wait_s: float) -> list[str]:
        """What it said by then; it is waited for only until it says something."""
        if not select.select([self._reading], [], [], wait_s)[0]:
            return []
        self._rest += os.read(self._reading, 1 << 20)
        *whole, self._rest = self._rest.split(b"\n")
        return [line.decode() for line in whole]

    def kill(self) -> list[str]:
        """Kills it; gives what it had said and nobody had heard."""
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        left = self._rest
        while got := os.read(self._reading, 1 << 20):
            left += got
        os.close(self._reading)
        return [line.decode() for line in left.split(b"\n")[:-1]]

    def killed(self, is_time: Callable[[list[str], list[str]], bool], pause_s: float) -> list[str]:
        """Listens until it is time, by all lines and the new ones; waits a moment, kills it, and gives all lines."""
        began_s, lines = time.monotonic(), list[str]()
        while time.monotonic() - began_s < LIMIT_S:
            new = self.lines(1.0)
            lines += new
            if is_time(lines, new):
                break
        time.sleep(pause_s)
        lines += self.kill()
        died = [line for line in lines if line.startswith("died")]
        assert not died, died
        return lines


def checked(folder: Path, name: str, told: Told) -> int:
    """Holds the logs of a folder against what was told of them; gives how many acknowledged entries were found."""
    game = game_named(name)
    for stem, acknowledged in told.entries.items():
        path = folder / f"{stem}.db"
        entries = read_log(path)
        assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1)), f"{path}: numbers"
        by_seq = {entry.seq: entry.hash for entry in entries}
        lost = [seq for seq, hash_ in acknowledged.items() if by_seq.get(seq) != hash_]
        assert not lost, f"{path}: acknowledged and not there: {lost}"
        found = verify(path)
        assert (found.faults, found.lost) == ((), 0), f"{path}: {found.faults}"
        seen = witnessed(path)
        assert seen is not None, f"{path}: no witness"
        assert by_seq[seen.seq] == seen.hash
        told_seqs = sorted(seq for at, seq in told.states if at == stem)
        for seq in {*told_seqs[-2:], *told_seqs[:1]}:
            state = fold(game, tuple(entries[:seq])).state
            assert digest(game, state) == told.states[stem, seq], f"{path}: the state at {seq} is not what it folds to"
    assert not list(folder.glob("*.damaged*")), f"{folder}: a whole log was put aside"
    return sum(len(acknowledged) for acknowledged in told.entries.values())


def killed(folder: Path, name: str, rng: random.Random, told: Told, *, is_busy: bool) -> str:
    """Lets a player play in a folder and kills it; gives what it was about."""
    seed, wanted = rng.randrange(2**31), rng.choice(MOMENTS) if is_busy else ""
    after = rng.randint(1, 12)

    def plays(say: Callable[[str], None]) -> None:
        acknowledging(say)
        play(folder, name, seed, TURNS, say)

    def is_time(lines: list[str], new: list[str]) -> bool:
        heard = sum(line.startswith("busy") for line in lines)
        return heard >= after and (not is_busy or heard > 60 or any(line.startswith(wanted) for line in new))

    for line in Forked(plays).killed(is_time, rng.uniform(0, SOON_S if is_busy else LATER_S)):
        told.hear(line)
    return told.doing


def run(count: int, seed: int, folder: Path, games: tuple[str, ...] = tuple(GAMES)) -> dict[str, object]:
    """Kills so often, game by game in turn, and checks after each."""
    rng, told = random.Random(seed), {name: Told() for name in games}
    doing: Counter[str] = Counter()
    for i in range(count):
        name = games[i % len(games)]
        (folder / name).mkdir(parents=True, exist_ok=True)
        doing[killed(folder / name, name, rng, told[name], is_busy=i % 2 == 1)] += 1
        checked(folder / name, name, told[name])
    kept = sum(checked(folder / name, name, told[name]) for name in games)
    for name in games:  # and it goes on
        match = play(folder / name, name, seed, 10)
        before = match.view().seq
        match.close()
        assert before >= 1
    return {"killed": count, "games": len(games), "acknowledged": kept, "lost": 0, "doubled": 0, "while": dict(doing)}
