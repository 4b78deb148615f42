"""From entries to a state: pure, so a mended rule re-judges old matches and a restart finds the match as it was.

Entries say what happened. An answer or a correction amends an action, an undo retracts an entry; both are entries too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Generic, TypeVar

from companion.errors import NotationError
from companion.game import Game, Illegal, Ruling
from companion.log import Entry

S = TypeVar("S")
A = TypeVar("A")


class Kind(StrEnum):
    """Kinds of entries."""

    BEGAN = "began"
    ACTION = "action"
    AMENDED = "amended"
    RETRACTED = "retracted"
    TOOK_SEAT = "took_seat"
    LEFT_SEAT = "left_seat"
    CALLED = "called"
    CAME = "came"
    SIGHT = "sight"


@dataclass(frozen=True, slots=True)
class Step(Generic[S, A]):
    """One action that stands, with the states around it and what the rules said."""

    entry: Entry
    action: A
    before: S
    after: S
    rulings: tuple[Ruling, ...]
    amended_by: tuple[Entry, ...] = ()


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a seat: the name, and the SHA-256 of the phone's secret."""

    name: str
    phone: str


@dataclass(frozen=True, slots=True)
class Folded(Generic[S, A]):
    """All that follows from the entries."""

    state: S
    steps: tuple[Step[S, A], ...] = ()
    entries: tuple[Entry, ...] = ()
    retracted: frozenset[int] = frozenset()
    seats: Mapping[str, Holder] = field(default_factory=dict)
    calls: tuple[Entry, ...] = ()

    @property
    def seq(self) -> int:
        """The log's last number."""
        return self.entries[-1].seq if self.entries else 0

    @property
    def last(self) -> Step[S, A] | None:
        """The newest action that stands."""
        return self.steps[-1] if self.steps else None

    def amendable(self, game: Game[S, A]) -> Step[S, A] | None:
        """The newest action that stands and has facts: what an answer or a correction is about."""
        return next((step for step in reversed(self.steps) if game.is_amendable(step.action)), None)

    def undone(self) -> Entry | None:
        """The newest action that was taken back, while none that stands is newer: the table lies as it saw it."""
        newest = next((e for e in reversed(self.entries) if e.kind == Kind.ACTION), None)
        return newest if newest is not None and newest.seq in self.retracted else None

    def undoable(self) -> Entry | None:
        """The entry that an undo takes back now: the newest action, answer or correction that stands."""
        standing = {step.entry.seq for step in self.steps}
        for entry in reversed(self.entries):
            if entry.seq in self.retracted:
                continue
            if entry.kind == Kind.ACTION or (entry.kind == Kind.AMENDED and entry.body["entry"] in standing):
                return entry
        return None


def began(entries: Iterable[Entry]) -> Entry | None:
    """The entry that says which game this log is of."""
    return next((e for e in entries if e.kind == Kind.BEGAN), None)


def start_of(game: Game[S, A], entry: Entry) -> S:
    """The state that a `began` entry starts from."""
    return game.start(entry.body.get("seats"), entry.body.get("options") or {}, entry.body.get("board"))


def fold(game: Game[S, A], entries: Iterable[Entry], known: Folded[S, A] | None = None) -> Folded[S, A]:
    """The match after its entries. `known`, an earlier fold of the same log, saves judging the unchanged part again."""
    entries = tuple(entries)
    first = began(entries)
    if first is None:
        raise NotationError("the log does not say which game it is of: its first entry is missing", "began")
    retracted = frozenset(e.body["entry"] for e in entries if e.kind == Kind.RETRACTED)
    amendments: dict[int, list[Entry]] = {}
    for entry in entries:
        if entry.kind == Kind.AMENDED and entry.seq not in retracted:
            amendments.setdefault(entry.body["entry"], []).append(entry)
    state = start_of(game, first)
    old = known.steps if known is not None else ()
    steps: list[Step[S, A]] = []
    for entry in entries:
        if entry.kind != Kind.ACTION or entry.seq in retracted:
            continue
        amended_by = tuple(amendments.get(entry.seq, ()))
        i = len(steps)
        if (
            i < len(old)
            and old[i].entry.seq == entry.seq
            and old[i].amended_by == amended_by
            and old[i].before == state
        ):
            step = old[i]
        else:
            step = _step(game, state, entry, amended_by)
        steps.append(step)
        state = step.after
    return Folded(state, tuple(steps), entries, retracted, _seats(entries), _calls(entries))


def extended(game: Game[S, A], was: Folded[S, A], entry: Entry) -> Folded[S, A]:
    """The fold with one more entry."""
    if entry.kind in (Kind.ACTION, Kind.AMENDED, Kind.RETRACTED):
        return fold(game, (*was.entries, entry), was)
    entries = (*was.entries, entry)
    return replace(was, entries=entries, seats=_seats(entries), calls=_calls(entries))


def _step(game: Game[S, A], state: S, entry: Entry, amended_by: tuple[Entry, ...]) -> Step[S, A]:
    """Judges one entry. One that the rules now refuse changes nothing and says why: a past is never lost over it."""
    action = game.action_of_json(entry.body["action"])
    try:
        for amendment in amended_by:
            action = game.amended(action, amendment.body["fact"], amendment.body["value"])
        applied = game.apply(state, action)
    except Illegal as refused:
        return Step(entry, action, state, state, (Ruling(None, refused.says, refused.rule),), amended_by)
    return Step(entry, action, state, applied.state, applied.rulings, amended_by)


def _seats(entries: Iterable[Entry]) -> Mapping[str, Holder]:
    seats: dict[str, Holder] = {}
    for entry in entries:
        if entry.kind == Kind.TOOK_SEAT:
            seats[entry.body["seat"]] = Holder(entry.body["name"], entry.body["phone"])
        elif entry.kind == Kind.LEFT_SEAT:
            seats.pop(entry.body["seat"], None)
    return seats


def _calls(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    calls: dict[int, Entry] = {}
    for entry in entries:
        if entry.kind == Kind.CALLED:
            calls[entry.seq] = entry
        elif entry.kind == Kind.CAME:
            calls.pop(entry.body["entry"], None)
    return tuple(calls.values())


def action_body(game: Game[S, A], action: A, **more: Any) -> dict[str, Any]:
    """The body of an `action` entry."""
    return {"action": game.action_json(action), **more}
