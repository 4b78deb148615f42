"""The match: one writer. Camera, buttons and phones put inputs on one queue; one thread appends, folds, publishes.

What is entered is durable before anybody sees it, so a kill at any moment loses nothing that was answered. Views are
whole and newest wins; a phone that slept gets the next one and needs nothing in between.
"""

from __future__ import annotations

import contextlib
import logging
import math
import queue
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from companion.audience import Audience, Stream
from companion.entries import Writing, sha256_of
from companion.errors import CompanionError, LogError
from companion.fold import Folded, Holder, Kind, Step, action_body, began, extended, fold, house_rules
from companion.game import Game
from companion.inputs import (
    BUTTON,
    Answer,
    BeginAnew,
    CallReferee,
    Correct,
    EdgeCrossed,
    EndThrow,
    Input,
    LeaveSeat,
    Receipt,
    RefereeCame,
    TakeSeat,
    Undo,
)
from companion.kit import Kit
from companion.log import Log
from companion.looker import LaidNow, Looker
from companion.present import ASKED, Seen, asked_about, present, question_id
from companion.referee import Look, Thresholds, crops, judged_from
from companion.says import Says
from companion.view import CAMERA, MEASURED_ANEW, MatchView, Sight, SightView

S = TypeVar("S")
A = TypeVar("A")

_LOGGER = logging.getLogger(__name__)

TICK_S = 0.5
"""While a throw waits for the table to come to rest, it is seen to so often that it does not wait too long."""
_NAME_LIMIT = 40
_WORDS_LIMIT = 280


@dataclass(frozen=True, slots=True)
class _Saw:
    """The sight changed."""

    sight: Sight
    says: Says
    code: str | None


@dataclass(frozen=True, slots=True)
class _Still:
    """A frame of this moment still shows the table that was read."""

    at_s: float


@dataclass(frozen=True, slots=True)
class _Ticket:
    """Something on the queue, and where its receipt goes."""

    given: Input | Look | _Saw | _Still | None
    done: queue.SimpleQueue[Receipt]


class Match(Generic[S, A]):
    """One match of one game, written by one thread. Implements `companion.inputs.Door`.

    Raises: LogError where the log is another game's or cannot be read.
    """

    def __init__(
        self,
        game: Game[S, A],
        log: Log,
        *,
        wall_s: Callable[[], float],
        monotonic_s: Callable[[], float],
        options: dict[str, str] | None = None,
        seats: Mapping[str, Holder] | None = None,
        thresholds: Thresholds | None = None,
        live: Callable[[], bytes | None] | None = None,
        next_log: Callable[[], Log] | None = None,
        kit: Kit | None = None,
    ) -> None:
        self._game = game
        self._log = log
        self._next_log = next_log
        self._ended: Log | None = None
        """The match before this one: a page may still show its last ruling."""
        self._wall_s = wall_s
        self._monotonic_s = monotonic_s
        self._thresholds = thresholds or Thresholds()
        self._live = live
        self._queue: queue.SimpleQueue[_Ticket] = queue.SimpleQueue()
        self._closing = False
        self._look: Look | None = None
        self._looker = Looker(game, kit)
        self._waiting: _Ticket | None = None
        self._waiting_since_s = 0.0
        self._refused: Says | None = None
        self._still_s = -math.inf
        self._memory: A | None = None
        self._folded = self._resumed(log, options or {}, seats or {})
        if self._folded.last is not None:
            self._memory = self._folded.last.action
        self._look_over()
        blind = Says("the camera has not looked at the table yet")
        self._sight = SightView(state=Sight.BLIND, says=blind, since_s=monotonic_s(), code="starting")
        self._audience = Audience(self._snapshot, self._presented, monotonic_s)
        self._thread = threading.Thread(target=self._run, name="match", daemon=True)
        self._thread.start()

    def _resumed(self, log: Log, options: Mapping[str, str], seats: Mapping[str, Holder]) -> Folded[S, A]:
        """The match of a log. One without entries is begun, with the options and whoever sits there: all or nothing."""
        entries = tuple(log.entries())
        if not entries:
            body = {"game": self._game.name, "options": dict(options), "seats": None}
            entries = log.append_all(
                self._wall_s(),
                (
                    Writing(Kind.BEGAN, "table", body),
                    *(
                        Writing(Kind.TOOK_SEAT, holder.name, {"seat": seat, "name": holder.name, "phone": holder.phone})
                        for seat, holder in seats.items()
                    ),
                ),
            )
        first = began(entries)
        found = None if first is None else first.body.get("game")
        if found != self._game.name:
            raise LogError(f"{log.path}: is a log of {found}, expected {self._game.name}: give another --data")
        return fold(self._game, entries)

    # what the pages and the buttons may ask

    def submit(self, given: Input, timeout_s: float = 5.0) -> Receipt:
        """Puts an input on the queue and waits until it is durably entered or refused."""
        if self._closing:
            return Receipt(None, "the match is closing: nothing can be entered")
        ticket = _Ticket(given, queue.SimpleQueue())
        self._queue.put(ticket)
        ends_throw = isinstance(given, EndThrow)
        try:
            return ticket.done.get(timeout=min(timeout_s, self._thresholds.answer_s) if ends_throw else timeout_s)
        except queue.Empty:
            if ends_throw:
                return Receipt(None)
            return Receipt(None, "the table is busy and has not answered yet: look at the history before trying again")

    def view(self, seat: str | None = None) -> MatchView:
        """The newest whole view, for a seat or a watcher."""
        return self._audience.view(seat)

    def subscribe(self, seat: str | None = None, phone: str | None = None) -> Stream:
        """A stream of views; the first `next` gives the newest at once."""
        return self._audience.subscribe(seat)

    def seats_of(self, phone: str) -> tuple[str, ...]:
        """The seats that this phone holds now, from the log."""
        digest = sha256_of(phone.encode())
        return tuple(seat for seat, holder in self._folded.seats.items() if holder.phone == digest)

    def heard(self, seat: str) -> None:
        """The phone of `seat` asked or tapped just now: it is there, whether or not it has a stream."""
        self._audience.heard(seat)
        self._audience.notice_gone()

    def picture(self, sha256: str) -> bytes | None:
        """A kept picture, or None when it is unknown or was pruned."""
        logs = (self._log, self._ended)
        return next((picture for log in logs if log is not None and (picture := log.picture(sha256)) is not None), None)

    def live(self) -> bytes | None:
        """The newest frame as a small JPEG, or None while blind."""
        return self._live() if self._live is not None else None

    # what the eyes say

    def looked(self, look: Look) -> None:
        """The table is at rest and was read."""
        self._queue.put(_Ticket(look, queue.SimpleQueue()))

    def saw(self, sight: Sight, says: Says, code: str | None = None) -> None:
        """Whether the table can be seen has changed."""
        self._queue.put(_Ticket(_Saw(sight, says, code), queue.SimpleQueue()))

    def still(self, at_s: float) -> None:
        """A frame taken at `at_s` (monotonic) still shows the table at rest as it was read. Called every frame."""
        self._still_s = at_s
        if self._waiting is not None:
            self._queue.put(_Ticket(_Still(at_s), queue.SimpleQueue()))

    def close(self) -> None:
        """Ends the streams and the thread; the log is folded and closed. May be called twice."""
        if self._closing:
            return
        self._closing = True
        self._queue.put(_Ticket(None, queue.SimpleQueue()))
        self._thread.join()
        self._audience.close()
        for log in (self._log, self._ended):
            if log is not None:
                log.close()

    # the one thread that writes

    def _run(self) -> None:
        while True:
            try:
                ticket = self._queue.get(timeout=None if self._waiting is None else TICK_S)
            except queue.Empty:
                self._give_up_waiting()
                continue
            if ticket.given is None:
                return
            try:
                receipt = self._end_throw(ticket) if isinstance(ticket.given, EndThrow) else self._taken(ticket.given)
            except CompanionError as refused:
                receipt = Receipt(None, str(refused))
            except Exception:  # the thread's edge: one bad input must not end the match
                _LOGGER.exception("the input %r could not be taken", type(ticket.given).__name__)
                receipt = Receipt(None, "something went wrong inside: look at the history whether it was entered")
            self._audience.publish()
            if ticket is not self._waiting:
                ticket.done.put(receipt)

    def _taken(self, given: Input | Look | _Saw | _Still) -> Receipt:
        match given:
            case EndThrow():
                raise TypeError("an ended throw needs its ticket, expected `_end_throw`")
            case _Saw():
                return self._take_sight(given)
            case _Still():
                return self._judge_waiting()
            case Answer():
                return self._take_answer(given)
            case Correct():
                return self._take_correction(given)
            case Undo():
                return self._undo(given)
            case TakeSeat():
                return self._take_seat(given)
            case LeaveSeat(seat=seat, phone=phone):
                if seat not in self.seats_of(phone):
                    return Receipt(None, f"this phone does not hold the seat {seat}: nothing to leave")
                self._audience.forget(seat)
                return self._enter(Kind.LEFT_SEAT, seat, {"seat": seat})
            case CallReferee(by=by, words=words):
                words = words[:_WORDS_LIMIT]
                for call in self._folded.calls:  # a second press says nothing that the first did not
                    if call.by == by and words in ("", call.body.get("words", "")):
                        return Receipt(call.seq)
                return self._enter(Kind.CALLED, by, {"words": words})
            case RefereeCame(entry=entry, by=by):
                if entry not in {call.seq for call in self._folded.calls}:
                    return Receipt(None, "that call is done with already")
                return self._enter(Kind.CAME, by, {"entry": entry})
            case BeginAnew():
                return self._begin_anew(given)
            case EdgeCrossed(thrower=thrower, by=by):
                action = self._game.action_of_json({"type": "edge_crossed", "thrower": thrower})
                return self._act(action, by, None)
            case _:
                return self._take_look(given)

    def _enter(self, kind: Kind, by: str, body: dict[str, Any], evidence: tuple[bytes, ...] = ()) -> Receipt:
        entry = self._log.append(self._wall_s(), kind, by, body, evidence)
        self._folded = extended(self._game, self._folded, entry)
        if kind in (Kind.ACTION, Kind.RETRACTED):  # a table that no longer counts, or is set up anew, names no piece
            self._memory = self._folded.last.action if self._folded.last is not None else None
        self._refused = None
        self._look_over()
        return Receipt(entry.seq)

    def _act(self, action: A, by: str, look: Look | None) -> Receipt:
        """Enters an action with its evidence. Raises: Illegal."""
        applied = self._game.apply(self._folded.state, action)
        asked = self._game.question(applied.state)
        shown = []
        evidence: list[bytes] = []
        if look is not None:
            pieces = asked.pieces if asked is not None else ()
            for crop in crops(self._game, look, action, applied.rulings, pieces):
                evidence += [crop.picture, crop.about]
                about = sha256_of(crop.about)
                shown.append({"piece": crop.piece, "picture": sha256_of(crop.picture), "about": about})
        return self._enter(Kind.ACTION, by, action_body(self._game, action, shown=shown), tuple(evidence))

    # looking

    def _take_sight(self, saw: _Saw) -> Receipt:
        was = self._sight
        if saw.sight is not Sight.SEES:
            self._look, self._still_s = None, -math.inf
        if (was.state, was.code, was.says) == (saw.sight, saw.code, saw.says):
            return Receipt(None)
        since_s = was.since_s if (was.state, was.code) == (saw.sight, saw.code) else self._monotonic_s()
        self._sight = SightView(state=saw.sight, says=saw.says, since_s=since_s, code=saw.code)
        cannot = (Sight.BLIND, Sight.MOVED)
        if saw.sight in cannot:
            self._looker.saw(None)
            self._look_over()
        is_turn = (saw.sight in cannot) != (was.state in cannot) or (saw.sight in cannot and saw.sight != was.state)
        receipt = Receipt(None)
        if is_turn or saw.code == MEASURED_ANEW:
            body = {"state": saw.sight.value, "code": saw.code, "says": str(saw.says)}
            try:
                receipt = self._enter(Kind.SIGHT, CAMERA, body)
            except LogError as error:  # nobody reads the receipt, and what is seen counts all the same
                _LOGGER.warning("%s", error)
        if saw.sight in cannot:  # after the entry, which takes back what was refused before it
            self._forget_waiting(Receipt(None, f"no ruling: {saw.says}"))
        return receipt

    def _take_look(self, look: Look) -> Receipt:
        self._look = look
        self._looker.saw(look.reading)
        self._look_over()
        self._remember_start()
        return self._judge_waiting()

    def _look_over(self) -> None:
        """Compares how the table is seen to lie with how it should."""
        self._laid = (self._folded, self._looker.now(self._folded))

    def _remember_start(self) -> None:
        """The table as it was seen before the first throw tells what later looks may not: which piece is whose."""
        is_beginning = self._folded.last is None or self._laid[1].set_up is not None  # or a game is begun again
        if not is_beginning:
            return
        with contextlib.suppress(CompanionError):
            action = judged_from(self._game, self._folded.state, self._looker.reading, None)
            if self._game.is_start(action):
                self._memory = action

    def _end_throw(self, ticket: _Ticket) -> Receipt:
        why, whole = None, ""
        asked = self._game.question(self._folded.state)
        if self._sight.state in (Sight.BLIND, Sight.MOVED):
            why = f"no ruling: {self._sight.says}"
        elif self._game.outcome(self._folded.state) is not None:
            why = "the match is over: begin the next one"
        elif asked is not None:
            why, whole = "answer first, or take back what it asks about", f": {asked.says}"
        if why is not None:
            is_button = isinstance(ticket.given, EndThrow) and ticket.given.by == BUTTON
            # a phone reads its receipt; what a button is answered is on every phone, where the question itself stands
            self._refused = Says("{why}", {"why": why}) if is_button else None
            return Receipt(None, why + whole)
        self._forget_waiting(Receipt(None))
        self._refused = None
        self._waiting, self._waiting_since_s = ticket, self._monotonic_s()
        self._judge_waiting()
        return Receipt(None)

    def _judge_waiting(self) -> Receipt:
        """Judges for a throw that was ended, once a frame from after the press shows the table at rest.

        A look from before the press may be older than the throw itself: frames lag behind the table.
        """
        if self._waiting is None or self._look is None:
            return Receipt(None)
        if max(self._look.at_s, self._still_s) < self._waiting_since_s + self._thresholds.frame_lag_s:
            return Receipt(None)
        given = self._waiting.given
        if self._give_up_waiting() or not isinstance(given, EndThrow):
            return Receipt(None)
        try:
            receipt = self._judge(self._look, given.by)
        except CompanionError as refused:
            receipt = Receipt(None, str(refused))
        self._forget_waiting(receipt)
        return receipt

    def _give_up_waiting(self) -> bool:
        """Whether an ended throw has waited too long for the table to come to rest: then it is told so."""
        waited_s = self._monotonic_s() - self._waiting_since_s
        if self._waiting is None or waited_s <= self._thresholds.wait_for_rest_s:
            return False
        self._forget_waiting(Receipt(None, "the table has not come to rest: end the throw again once it lies still"))
        return True

    def _forget_waiting(self, receipt: Receipt) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            # whoever ended the throw may have been answered already that the table is being looked at
            self._refused = Says("{why}", {"why": receipt.refused}) if receipt.refused else self._refused
            self._audience.publish()
            waiting.done.put(receipt)

    def _judge(self, look: Look, by: str) -> Receipt:
        action = judged_from(self._game, self._folded.state, self._looker.reading, self._memory)
        self._memory = action
        last = self._folded.last
        if last is not None and not self._game.has_moved(last.action, action):
            return Receipt(
                None,
                "all lies as it did when the last throw was judged, so its ruling stands: throw on, even if what was "
                "thrown went outside",
            )
        return self._act(action, by, look)

    # people

    def _take_answer(self, given: Answer) -> Receipt:
        asked = self._game.question(self._folded.state)
        about = None if asked is None else asked_about(self._game, self._folded, asked)
        if asked is None or about is None or given.question != question_id(about.entry, asked.key):
            return Receipt(None, "that question has been answered or taken back already")
        if asked.seats and given.seat is not None and given.seat not in asked.seats:
            return Receipt(None, f"this is for {' or '.join(asked.seats)} to answer, not for {given.seat}")
        choice = next((c for c in asked.choices if c.key == given.choice), None)
        if choice is None:
            keys = ", ".join(c.key for c in asked.choices)
            return Receipt(None, f"{given.choice!r} is no answer to it, expected one of {keys}")
        if choice.action is not None:
            return self._act(choice.action, given.by, None)
        return self._amend(about, given.by, asked.key, choice.key, ASKED)

    def _take_correction(self, given: Correct) -> Receipt:
        asked = self._game.question(self._folded.state)
        if asked is not None:
            return Receipt(None, f"answer first: {asked.says}")
        last = self._folded.amendable(self._game)
        if last is None or given.entry != last.entry.seq:
            return Receipt(None, "only the last throw can be corrected: undo back to the one you mean")
        if not given.by.strip() or not given.reason.strip():
            return Receipt(None, "a correction needs your name and the reason: fill in both")
        facts = {c.fact: {value for value, _ in c.choices} for c in self._game.corrections(self._folded.state)}
        if given.value not in facts.get(given.fact, set()):
            return Receipt(None, f"{given.fact}={given.value} is no fact of the last throw: choose one of the list")
        reason = given.reason.strip()[:_WORDS_LIMIT]
        return self._amend(last, given.by.strip()[:_NAME_LIMIT], given.fact, given.value, reason)

    def _amend(self, step: Step[S, A], by: str, fact: str, value: str, reason: str) -> Receipt:
        """Enters what somebody said of a fact of an action. Raises: NotationError or Illegal, before it is entered."""
        self._game.apply(step.before, self._game.amended(step.action, fact, value))
        body = {"entry": step.entry.seq, "fact": fact, "value": value, "reason": reason}
        return self._enter(Kind.AMENDED, by, body)

    def _undo(self, given: Undo) -> Receipt:
        entry = self._folded.undoable()
        if entry is None:
            return Receipt(None, "there is nothing to take back")
        if entry.seq != given.entry:
            return Receipt(None, "the match has gone on since: look again at what would be taken back")
        return self._enter(Kind.RETRACTED, given.by, {"entry": entry.seq})

    def undo_newest(self, by: str) -> Receipt:
        """What the held undo button does: takes back the newest entry, whatever it is."""
        entry = self._folded.undoable()
        return (
            Receipt(None, "there is nothing to take back")
            if entry is None
            else self.submit(Undo(entry=entry.seq, by=by))
        )

    def _take_seat(self, given: TakeSeat) -> Receipt:
        if given.seat not in self._game.seats(self._folded.state):
            seats = ", ".join(self._game.seats(self._folded.state))
            return Receipt(None, f"there is no seat {given.seat!r}, expected one of {seats}")
        name = " ".join(given.name.split())[:_NAME_LIMIT]
        if not name:
            return Receipt(None, "a seat needs a name: type yours")
        holder = self._folded.seats.get(given.seat)
        phone = sha256_of(given.phone.encode())
        if holder is not None and holder.phone != phone:
            if given.holder != holder.name:  # the tap was meant for the seat as the page showed it
                return Receipt(None, f"{holder.name} has sat down there by now: choose another seat or watch")
            if given.seat in self._audience.connected():
                return Receipt(
                    None, f"{holder.name} sits there, and that phone is connected: choose another seat or watch"
                )
        self._audience.heard(given.seat)  # before it has its stream it loads its page
        if holder is not None and (holder.phone, holder.name) == (phone, name):
            return Receipt(self._folded.seq)
        return self._enter(Kind.TOOK_SEAT, name, {"seat": given.seat, "name": name, "phone": phone})

    def _begin_anew(self, given: BeginAnew) -> Receipt:
        """The next match in a log of its own, with the same options; who sat somewhere sits there still."""
        if given.match != self._log.path.stem:
            return Receipt(None, "the next match has begun already: look at the page again")
        is_over = self._game.outcome(self._folded.state) is not None
        if not is_over and not given.is_given_up:
            return Receipt(None, "the match is not over: play on, or undo what was wrong")
        if self._next_log is None:
            return Receipt(None, "this match is played in one log only: start companion again for the next one")
        opened = self._next_log()
        with contextlib.ExitStack() as on_failure:  # then the match that is over stands as it was
            on_failure.callback(opened.discard)
            begun = self._resumed(opened, house_rules(self._folded.entries), self._folded.seats)
            on_failure.pop_all()
        if not is_over:
            self._forget_waiting(Receipt(None, "the match was ended before this throw was judged"))
            try:
                self._log.append(self._wall_s(), Kind.GIVEN_UP, given.by, {"next": opened.path.stem})
            except LogError as error:  # the next match stands; that this one is not gone on with follows from it
                _LOGGER.warning("%s", error)
        if self._ended is not None:
            self._ended.close()
        self._ended = self._log
        self._ended.checkpoint()
        self._log, self._folded, self._memory, self._refused = opened, begun, None, None
        self._look_over()
        if self._look is not None:  # the table may lie set up since before, and nothing moves that would be looked at
            self._remember_start()
        _LOGGER.info("%s began %s after %s", given.by, opened.path.stem, given.match)
        return Receipt(begun.seq)

    # what the audience is shown

    def _presented(self, seen: Seen, seat: str | None) -> MatchView:
        return present(self._game, seen, self._log.picture, seat)

    def _snapshot(self, connected: frozenset[str]) -> Seen:
        waiting = None
        if self._waiting is not None:
            words = {Sight.HAND: "waiting for the hand to leave", Sight.MOVING: "waiting until all is at rest"}
            waiting = Says(words.get(self._sight.state, "looking at the table"))
        folded, (looked_over, laid) = self._folded, self._laid
        if looked_over is not folded:  # a phone's thread asks while the match goes on: it is told anew at once
            laid = LaidNow()
        return Seen(folded, self._sight, waiting, self._refused, connected, self._log.path.stem, laid)


__all__ = ["CAMERA", "Match", "question_id"]
