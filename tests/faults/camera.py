"""SIGKILL while matches are played by camera: the virtual table is drawn, read and judged, and what is read is entered.

Every second kill comes while a throw or an answer is being written. Each match stands at a table of its own and is
killed once; what it acknowledged is held against its log. Then the table still lies as it lay, and is looked at anew:
the match goes on by camera.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import cv2

from companion.app.autoplay import Autoplay, Clock, played_by_itself
from companion.app.playing import MatchChoice
from companion.game.errors import CompanionError
from companion.match.inputs import Act, Answer, Correct, EndThrow, Input, Receipt, Undo
from companion.match.match import Match
from companion.record.entry import Entry
from companion.record.log import Log
from tests.faults.kills import LATER_S, LIMIT_S, SOON_S, Forked, Told, checked
from tests.faults.playing import acknowledging, digest, play

GAMES = tuple(played_by_itself())
DEEDS: dict[type, str] = {EndThrow: "throw", Answer: "answer", Correct: "correct", Undo: "undo", Act: "act"}
MOMENTS = ("throw", "answer")
"""While these are written every second kill comes, in turn."""
TURNS = 40
MOST_ENTRIES = 12
"""A match that did not come to the moment in so many entries is killed while it writes the next one."""
GOES_ON_TURNS = 20


class Seen:
    """People at a table that is looked at; something goes wrong now and then, and they answer, correct and take back
    at random."""

    def __init__(self, at: Autoplay, say: Callable[[str], None] = lambda line: None, troubled: float = 0.5) -> None:
        self._at, self._say, self._troubled = at, say, troubled

    def turn(self) -> None:
        """Does on the table what is to be done next, ends the throw, and answers what is asked."""
        at, rng = self._at, self._at.random
        at.sees()
        state = at.match.state
        actions = at.player.next(state)
        if rng.random() < self._troubled:
            rng.choice(at.player.troubles)(state, actions)
        for i, action in enumerate(actions):
            state = at.game.rules.apply(state, actions[i - 1]).state if i else state
            at.player.perform(state, action)
        self.ends()

    def ends(self) -> None:
        """Ends the throw as the table lies, answers, and now and then corrects or takes back."""
        at, rng = self._at, self._at.random
        self._say(f"table {at.table.saved()}")
        at.sees()
        view = at.press()
        if (question := view.question) is not None:
            choice = rng.choice(question.choices).key
            for seat in view.seats:
                at.match.submit(
                    Answer(question=question.id, choice=choice, by=seat.seat, seat=seat.seat, reason="so it was")
                )
        view = at.match.view()
        if view.corrections and rng.random() < 0.3:
            one = rng.choice(view.corrections)
            value = rng.choice(one.choices).key
            at.match.submit(Correct(entry=one.entry, fact=one.fact, value=value, by="Rita", reason="seen"))
        if (undo := at.match.view().undo) is not None and rng.random() < 0.1:
            at.match.submit(Undo(entry=undo.entry, by="Ben"))


def telling(say: Callable[[str], None]) -> None:
    """From now on it is said what a match is given, that it is being written, and how the match then stands.

    For a process of its own.
    """
    acknowledging(say)
    cv2.setNumThreads(1)
    writing, submitting = Log.append_all, Match.submit
    told: dict[str, int] = {}

    def append_all(self: Log, at_s: float, writings: Sequence[Any]) -> tuple[Entry, ...]:
        say("writing")
        return writing(self, at_s, writings)

    def submit(self: Match[Any, Any], given: Input, timeout_s: float = LIMIT_S) -> Receipt:
        if type(given) in DEEDS:
            say(f"busy {DEEDS[type(given)]}")
        receipt = submitting(self, given, timeout_s)
        view = self.view()
        if told.get(view.match) != view.seq:
            told[view.match] = view.seq
            say(f"state {view.match} {view.seq} {digest(self._game, self.state)}")
        return receipt

    Log.append_all = append_all  # type: ignore[method-assign]
    Match.submit = submit  # type: ignore[method-assign]


def at_table(name: str, seed: int, log: Path, *, disturbs: bool = False, clock: Clock | None = None) -> Autoplay:
    """A match at a virtual table, by its log."""
    return Autoplay(MatchChoice(game=name), seed, log, disturbs=disturbs, clock=clock)


def plays(folder: Path, name: str, seed: int, say: Callable[[str], None]) -> None:
    """Plays match after match by camera until it is killed."""
    telling(say)
    for number in range(1, 1000):
        at = at_table(name, seed + number, folder / f"{name}-{number:04d}.db")
        people = Seen(at, say)
        try:
            for _ in range(TURNS):
                people.turn()
        except (CompanionError, LookupError, ValueError) as error:  # the table does not lie as the match stands
            say(f"another {type(error).__name__} {error}")
        at.match.close()


def goes_on(log: Path, name: str, seed: int, table: str, say: Callable[[str], None]) -> None:
    """Looks at the table as it lay when the match was killed, and plays until the next entry."""
    telling(say)
    at = at_table(name, seed, log)
    people, seq = Seen(at, say), at.match.view().seq
    if table:
        at.table.restore(table)
    assert at.sees(), at.match.view().sight
    people.ends()
    for _ in range(GOES_ON_TURNS):
        if at.match.view().seq > seq:
            break
        try:
            people.turn()
        except (CompanionError, LookupError, ValueError):  # the table does not lie as the match stands
            people.ends()
    assert at.match.view().seq > seq, f"no entry after {seq}: {at.match.view().sight}, {at.match.view().refused}"
    at.match.close()
    say("done")


def killed(folder: Path, name: str, rng: random.Random, told: Told, moment: str | None) -> tuple[str, str, bool]:
    """Lets them play and kills them, at a moment or at any; gives how the table lay, what they were about, and whether
    it was being written."""
    seed, after = rng.randrange(2**31), rng.randint(2, 6)

    def is_time(lines: list[str], new: list[str]) -> bool:
        entries = sum(line.startswith("in ") for line in lines)
        doing = next((line for line in reversed(lines) if line.startswith("busy ")), "")
        is_there = new[-1:] == ["writing"] and (doing == f"busy {moment}" or entries > MOST_ENTRIES)
        return entries >= after and (moment is None or is_there)

    player = Forked(lambda say: plays(folder, name, seed, say))
    lines = player.killed(is_time, rng.uniform(0, SOON_S if moment else 10 * LATER_S))
    for line in lines:
        told.hear(line)
    tables = [line.removeprefix("table ") for line in lines if line.startswith("table ")]
    return (tables or [""])[-1], told.doing, lines[-1:] == ["writing"]


def run(count: int, seed: int, folder: Path) -> dict[str, object]:
    """Kills so often, game by game in turn; each match is held against what it said, and goes on."""
    rng, doing, kept, amid = random.Random(seed), Counter[str](), 0, 0
    for i in range(count):
        name, told, at = GAMES[i % len(GAMES)], Told(), folder / str(i)
        at.mkdir()
        moment = MOMENTS[i // 2 % len(MOMENTS)] if i % 2 else None
        table, was, is_amid = killed(at, name, rng, told, moment)
        doing[was] += 1
        amid += is_amid
        kept += checked(at, name, told)
        log = max(at.glob(f"{name}-*.db"))
        told.through(lambda say, log=log, name=name, i=i, table=table: goes_on(log, name, seed + i, table, say), "done")  # type: ignore[misc]
        checked(at, name, told)
        play(at, name, seed, 3).close()  # by hand, too
        checked(at, name, told)
    found = {"killed": count, "games": len(GAMES), "acknowledged": kept, "lost": 0, "doubled": 0}
    return found | {"while": dict(doing), "amid": amid}
