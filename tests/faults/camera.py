"""SIGKILL while matches are played by camera: the virtual table is drawn, read and judged, and what is read is entered.

Every second kill comes while an entry is being written. Each match stands at a table of its own and is killed once;
what it acknowledged is held against its log, and then it goes on by hand.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2

from companion.cli.autoplay import PLAYERS
from companion.cli.autoplay.run import Autoplay
from companion.cli.playing import Chosen
from companion.errors import CompanionError
from companion.inputs import Answer, Correct, Undo
from companion.log import Log
from companion.view import MatchView
from tests.faults.kills import LATER_S, LIMIT_S, SOON_S, Forked, Told, checked
from tests.faults.playing import acknowledging, digest, play

EYES = "eyes_of_the_emperor"
GAMES = (EYES, *PLAYERS)
THROWS = {"red": ((377.5, 350.0), (622.5, 300.0)), "blue": ((622.5, 350.0), (377.5, 300.0))}


class Throwing:
    """Eyes at the virtual table: both throw a ninja from their own land at the other's."""

    troubles = ()

    def __init__(self, at: Autoplay) -> None:
        self._at = at

    def next(self, state: Any) -> tuple[str, ...]:
        """Who throws."""
        return ("red", "blue")

    def perform(self, state: Any, seat: str) -> None:
        """Throws; where none is left to throw, all are picked up first."""
        for piece in self._at.table.state()["pieces"]:
            if piece["kind"] == "ninja" and seat == "red":
                self._at.table.remove(piece["id"])
        from_mm, aim_mm = THROWS[seat]
        self._at.table.throw(seat, "ninja", from_mm, aim_mm, self._at.random.uniform(0.2, 0.6))
        self._at.clock.wait(3.0)


class Seen:
    """Two people at a table that is looked at; they answer, correct and take back at random."""

    def __init__(self, at: Autoplay, say: Callable[[str], None]) -> None:
        self._at, self._say = at, say

    def turn(self) -> None:
        """Does on the table what is to be done next, ends the throw, and answers what is asked."""
        at, rng = self._at, self._at.random
        for action in at.player.next(at.match.state):
            at.player.perform(at.match.state, action)
        self._does("throw", lambda: at.press())
        if (question := at.match.view().question) is not None:
            choice = rng.choice(question.choices).key
            for seat in at.match.view().seats:
                answer = Answer(question=question.id, choice=choice, by=seat.seat, seat=seat.seat, reason="so it was")
                self._does("answer", lambda answer=answer: at.match.submit(answer))  # type: ignore[misc]
        view = at.match.view()
        if view.corrections and rng.random() < 0.5:
            one = rng.choice(view.corrections)
            value = rng.choice(one.choices).key
            correction = Correct(entry=one.entry, fact=one.fact, value=value, by="Rita", reason="seen")
            self._does("correct", lambda: at.match.submit(correction))
        if (undo := at.match.view().undo) is not None and rng.random() < 0.2:
            self._does("undo", lambda: at.match.submit(Undo(entry=undo.entry, by="Ben")))

    def _does(self, what: str, deed: Callable[[], object]) -> None:
        self._say(f"busy {what}")
        deed()
        view: MatchView = self._at.match.view()
        self._say(f"state {view.match} {view.seq} {digest(self._at.game, self._at.match.state)}")


def plays(folder: Path, name: str, seed: int, say: Callable[[str], None]) -> None:
    """Plays match after match by camera until it is killed."""
    acknowledging(say)
    entering = Log.append_all

    def told_before(self: Log, *given: Any) -> Any:
        say("busy entering")
        return entering(self, *given)

    Log.append_all = told_before  # type: ignore[method-assign]
    cv2.setNumThreads(1)
    for number in range(seed, seed + 1000):
        player = PLAYERS.get(name, Throwing)
        at = Autoplay(Chosen(game=name), number, folder / f"{name}-{number - seed + 1:04d}.db", player)
        while at.match.view().sight.code == "starting":
            at.look()
        people = Seen(at, say)
        try:
            for _ in range(40):
                people.turn()
        except (CompanionError, LookupError, ValueError) as error:  # the table does not lie as the match stands
            say(f"another {error}")
        at.match.close()


def killed(folder: Path, name: str, rng: random.Random, told: Told, *, is_busy: bool) -> str:
    """Lets them play and kills them; gives what they were about."""
    seed, after = rng.randrange(2**31), rng.randint(1, 6)
    player = Forked(lambda say: plays(folder, name, seed, say))
    began_s, heard, was = time.monotonic(), 0, "start"
    while time.monotonic() - began_s < LIMIT_S:
        lines = player.lines(1.0)
        for line in lines:
            assert not line.startswith("died"), f"{name}: {line}"
            told.hear(line)
            heard += line.startswith("in ")
            was = told.doing if told.doing != "entering" else was
        if heard >= after and (not is_busy or "busy entering" in lines):
            break
    time.sleep(rng.uniform(0, SOON_S if is_busy else 10 * LATER_S))
    for line in player.kill():
        told.hear(line)
    return was


def run(count: int, seed: int, folder: Path) -> dict[str, object]:
    """Kills so often, game by game in turn; each match is held against what it said, and goes on."""
    rng, doing, kept = random.Random(seed), Counter[str](), 0
    for i in range(count):
        name, told, at = GAMES[i % len(GAMES)], Told(), folder / str(i)
        at.mkdir()
        doing[killed(at, name, rng, told, is_busy=i % 2 == 1)] += 1
        kept += checked(at, name, told)
        play(at, name, seed, 3).close()  # and it goes on
        checked(at, name, told)
    return {"killed": count, "games": len(GAMES), "acknowledged": kept, "lost": 0, "doubled": 0, "while": dict(doing)}
