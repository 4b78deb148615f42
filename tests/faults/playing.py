"""Plays a match of any game at random by the doors that phones and the camera use; answers, corrects, takes back."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from companion.app.matches import opened_match
from companion.game.errors import CompanionError
from companion.game.game import seats_of, state_json
from companion.game.known import game_named
from companion.game.says import Says
from companion.game.view import Sight
from companion.match.inputs import (
    Act,
    Answer,
    BeginAnew,
    CallReferee,
    Correct,
    EndThrow,
    Input,
    LeaveSeat,
    RefereeCame,
    TakeSeat,
    Undo,
)
from companion.match.match import Match
from companion.match.referee import Thresholds
from companion.record.entry import Entry
from companion.record.log import Log
from tests.companion.looks import LANDS, TextLook

AT_ONCE = Thresholds(answer_s=5.0, objection_s=0.0, hint_s=0.0)
EDGE_MM = 746.4
"""A blue die here lies so near to the edge of red's valley that it is too close to call."""
Say = Callable[[str], None]


def digest(game: Any, state: Any) -> str:
    """What tells one state from another."""
    return hashlib.sha256(json.dumps(state_json(game, state), sort_keys=True).encode()).hexdigest()[:16]


def acknowledging(say: Say) -> None:
    """From now on whatever a log has written durably is said: ``in STEM SEQ HASH``. For a process of its own."""
    written = Log.append_all

    def append_all(self: Log, at_s: float, writings: Sequence[Any]) -> tuple[Entry, ...]:
        entries = written(self, at_s, writings)
        for entry in entries:
            say(f"in {self.path.stem} {entry.seq} {entry.hash}")
        return entries

    Log.append_all = append_all  # type: ignore[method-assign]


class Player:
    """Plays one match at random; `say` is told what it is about to do and how it stood."""

    def __init__(self, match: Match[Any, Any], name: str, seed: int, say: Say = lambda line: None) -> None:
        self.match, self.game, self.say = match, game_named(name), say
        self.random = random.Random(seed)
        self.throws = name == "eyes_of_the_emperor"

    def turn(self) -> None:
        """Does one thing, whether or not it is allowed."""
        view = self.match.view()
        if view.over is not None:
            self.does("anew", BeginAnew(match=view.match, by="Ann"))
            return
        rather = self.random.random()
        if view.question is not None and rather < 0.8:
            choice = self.random.choice(view.question.choices)
            seat = self.random.choice([None, *(seat.seat for seat in view.seats)])
            self.does("answer", Answer(question=view.question.id, choice=choice.key, by="Ann", seat=seat, reason="so"))
        elif view.corrections and rather < 0.3:
            one = self.random.choice(view.corrections)
            value = self.random.choice(one.choices).key
            self.does("correct", Correct(entry=one.entry, fact=one.fact, value=value, by="Rita", reason="seen"))
        elif rather < 0.36 and view.undo is not None:
            self.does("undo", Undo(entry=view.undo.entry, by="Ben"))
        elif rather < 0.42:
            seat = self.random.choice(view.seats)
            self.does(
                "seat", TakeSeat(seat=seat.seat, name=f"P{self.random.randint(1, 9)}", phone="p", holder=seat.name)
            )
        elif rather < 0.44:
            self.does("seat", LeaveSeat(seat=self.random.choice(view.seats).seat, phone="p"))
        elif rather < 0.48:
            self.does("call", CallReferee(by="Ann", words="look"))
        elif rather < 0.52 and view.calls:
            self.does("call", RefereeCame(entry=view.calls[0].entry, by="Rita"))
        elif self.throws:
            self._throws()
        else:
            self._acts()

    def does(self, what: str, given: Input) -> int | None:
        """Submits; how it stood is said once it is entered."""
        self.say(f"busy {what}")
        receipt = self.match.submit(given)
        view = self.match.view()
        self.say(f"state {view.match} {view.seq} {digest(self.game, self.match.state)}")
        return receipt.entry

    def _acts(self) -> None:
        """One of the moves that are open, by whoever may."""
        state = self.match.state
        moves = [move for move in self.game.rules.legal(state) if move.move]
        if not moves:
            return
        move = self.random.choice(moves)
        seat = self.random.choice(
            tuple(move.seats or self.game.rules.to_move(state)) or tuple(seats_of(self.game, state))
        )
        values = {
            asked.key: str(self.random.randint(*asked.span)) if asked.span else self.random.choice(asked.choices).key
            for asked in move.asks
            if asked.span or asked.choices
        }
        self.does("act", Act(seat=seat, move=move.move, values=values, by=seat))

    def _throws(self) -> None:
        """The valley as it lies after a throw; the die at the edge is too close to call now and then."""
        spread = self.random.uniform
        blue_mm = self.random.choice([EDGE_MM, spread(600, 640), spread(800, 900)])
        text = LANDS + (
            f"E red.1 377.5,350; E red.2 {spread(340, 400):.1f},350; E blue.1 {blue_mm:.1f},350; "
            f"E blue.2 {spread(800, 950):.1f},{spread(200, 500):.1f}; N n1 {spread(450, 550):.1f},{spread(50, 150):.1f}"
        )
        self.match.saw(Sight.MOVING, Says("something moves"))
        self.match.saw(Sight.SEES, Says("the table is seen"))
        self.match.looked(TextLook(text))
        self.does("throw", EndThrow(by=self.random.choice(["red", "blue", "button"])))


def opened(folder: Path, name: str) -> Match[Any, Any]:
    """The match of a folder, opened as `serve` does."""
    game = game_named(name)
    return opened_match(folder, game, has_eyes=name == "eyes_of_the_emperor", thresholds=AT_ONCE)


def play(folder: Path, name: str, seed: int, turns: int, say: Say = lambda line: None) -> Match[Any, Any]:
    """Opens the match of a folder and plays so many turns; whoever gets it closes it."""
    match = opened(folder, name)
    view = match.view()
    say(f"open {view.match} {view.seq} {digest(game_named(name), match.state)}")
    player = Player(match, name, seed, say)
    for _ in range(turns):
        try:
            player.turn()
        except CompanionError as error:
            say(f"refused {error}")
    return match
