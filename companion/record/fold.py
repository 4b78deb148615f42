"""From entries to a state. The fold is pure: a corrected rule judges old matches again, and a restart restores one.

An entry that this version cannot use changes nothing and is reported. One that was changed afterwards is refused."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic

import msgspec
from msgspec import Raw

from companion.game.errors import CompanionError, LogError
from companion.game.game import Game, action_json, action_of_json, begun
from companion.game.says import Says
from companion.game.values import A, Choice, Doubt, Illegal, Ruling, S
from companion.record.entry import (
    KEEP,
    Acted,
    Amended,
    Answered,
    Asked,
    AskedChoice,
    CallClosed,
    Called,
    CallWithdrawn,
    Entry,
    Exhibit,
    LeftSeat,
    MatchBegan,
    Retracted,
    TookSeat,
    Unread,
    canonical,
    kind_of,
)

_UNUSABLE = (CompanionError, ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""Errors that a game raises for JSON that it did not write, or that an older version of it wrote."""
JUDGED = (Acted, Amended, Retracted)
"""Bodies that may change the state of a match that has begun."""


@dataclass(frozen=True, slots=True)
class Step(Generic[S, A]):
    """One standing action, with the states around it and its rulings. `action` includes people's amendments."""

    entry: Entry
    action: A
    before: S
    after: S
    rulings: tuple[Ruling, ...]
    amended_by: tuple[Entry, ...] = ()


@dataclass(frozen=True, slots=True)
class Holder:
    """The holder of a seat: the name, and the SHA-256 of the phone's secret; empty: no phone holds it."""

    name: str
    phone: str
    is_stand_in: bool = False

    @property
    def has_phone(self) -> bool:
        """Whether a person's phone holds the seat: it is then kept for that phone."""
        return bool(self.phone) and not self.is_stand_in


@dataclass(frozen=True, slots=True)
class Folded(Generic[S, A]):
    """Everything that follows from the entries."""

    state: S
    steps: tuple[Step[S, A], ...] = ()
    entries: tuple[Entry, ...] = ()
    retracted: frozenset[int] = frozenset()
    seats: Mapping[str, Holder] = field(default_factory=dict)
    calls: tuple[Entry, ...] = ()
    asked: Entry | None = None
    """The open question about a reading. An answer, another question or a new entry closes it."""
    doubt: Doubt[A] | None = None
    """That question; None also for another version's."""
    misfits: Mapping[int, Says] = field(default_factory=dict)
    """Entries, by number, that could not be used and changed nothing, with the reason."""

    @property
    def seq(self) -> int:
        return self.entries[-1].seq if self.entries else 0

    @property
    def judged(self) -> int:
        """The number of the newest entry that may have changed the state."""
        return next((entry.seq for entry in reversed(self.entries) if isinstance(entry.body, (MatchBegan, *JUDGED))), 0)

    @property
    def last(self) -> Step[S, A] | None:
        return self.steps[-1] if self.steps else None

    def amendable(self, game: Game[S, A]) -> Step[S, A] | None:
        """The newest standing action with facts: answers and corrections are about it."""
        return next((step for step in reversed(self.steps) if isinstance(step.action, game.people.amendable)), None)

    def undoable(self) -> tuple[Entry, ...]:
        """The entries that an undo takes back now, the newest first: the newest thing entered, with what went
        together."""
        standing = {step.entry.seq for step in self.steps}
        for entry in reversed(self.entries):
            if entry.seq in self.retracted:
                continue
            match entry.body:
                case Acted() if entry.seq in standing:
                    return tuple(step.entry for step in reversed(self.together(entry)))
                case Asked() if self.asked is not None and entry.seq == self.asked.seq:
                    return (entry,)
                case Amended(entry=about) if entry.seq not in self.misfits and about in standing:
                    return (entry,)
        return ()

    def together(self, action: Entry) -> tuple[Step[S, A], ...]:
        """The standing actions that one reading or one answer entered, up to this one."""
        first = action
        for entry in reversed(self.entries):
            if entry.seq >= first.seq:
                continue
            if not (isinstance(first.body, Acted) and first.body.follows):
                break
            first = entry
        answer = self.answer_of(action)
        numbers = range(min(first.seq, action.seq if answer is None else answer.seq + 1), action.seq + 1)
        return tuple(step for step in self.steps if step.entry.seq in numbers)

    def answer_of(self, action: Entry) -> Entry | None:
        """The answer that entered an action."""
        answers = ((e, e.body.enters) for e in self.entries if isinstance(e.body, Answered))
        return next((e for e, enters in answers if e.seq < action.seq <= e.seq + enters), None)


def began(entries: Iterable[Entry]) -> MatchBegan | None:
    """The beginning of a match: the game that this log is of."""
    return next((e.body for e in entries if isinstance(e.body, MatchBegan)), None)


def house_rules(entries: Iterable[Entry]) -> Mapping[str, str]:
    """The options that a match was begun with; empty if the entries hold none."""
    first = began(entries)
    return first.options if first is not None and isinstance(first.options, dict) else {}


def start_body(game: Game[Any, Any], entries: Iterable[Entry]) -> MatchBegan:
    """The start of a match that follows this one: the same game, options, number of players and board."""
    entries = tuple(entries)
    first = began(entries) or MatchBegan()
    return msgspec.structs.replace(first, game=game.name, options=dict(house_rules(entries)))


def holders(entries: Iterable[Entry]) -> Mapping[str, Holder]:
    """The holders of the seats after these entries. Raises: LogError if a changed entry cannot be used."""
    entries = tuple(entries)
    _misfits(entries)
    return _seats(entries)


def fold(game: Game[S, A], entries: Iterable[Entry], known: Folded[S, A] | None = None) -> Folded[S, A]:
    """The match after its entries. `known`: an earlier fold, which saves work. Raises: LogError."""
    entries = tuple(_read(game, entry) for entry in entries)
    misfits = _misfits(entries)
    retracted = frozenset(e.body.entry for e in entries if isinstance(e.body, Retracted))
    amendments: dict[int, list[Entry]] = {}
    for entry in entries:
        if isinstance(entry.body, Amended) and entry.seq not in retracted:
            amendments.setdefault(entry.body.entry, []).append(entry)
    old = known.steps if known is not None else ()
    was = known.misfits if known is not None else {}
    first = next((e for e in entries if isinstance(e.body, MatchBegan)), None)
    if old and first is not None:
        state, strange = old[0].before, {first.seq: was[first.seq]} if first.seq in was else {}
    else:
        state, strange = _started(game, first)
    misfits |= strange
    steps: list[Step[S, A]] = []
    for entry in entries:
        if not isinstance(entry.body, Acted) or entry.seq in retracted:
            continue
        given = tuple(amendments.get(entry.seq, ()))
        i = len(steps)
        if (
            i < len(old)
            and old[i].entry.seq == entry.seq
            and old[i].amended_by == tuple(a for a in given if a.seq not in was)
            and old[i].before == state
        ):
            step, strange = old[i], {e.seq: was[e.seq] for e in (entry, *given) if e.seq in was}
        else:
            step, strange = _step(game, state, entry, given)
        misfits |= strange
        steps.append(step)
        state = step.after
    asked = _asked(entries, retracted)
    doubt = _doubt(game, asked, known)
    return Folded(state, tuple(steps), entries, retracted, _seats(entries), _calls(entries), asked, doubt, misfits)


def _read(game: Game[S, A], entry: Entry) -> Entry:
    """The entry with its action as the game's own value. If the game cannot read the action, the body is `Unread`."""
    body = entry.body
    if not isinstance(body, Acted) or not isinstance(body.action, Raw):
        return entry
    read: Any
    try:
        action, *lain = (action_of_json(game, msgspec.json.decode(told)) for told in (body.action, *body.lain))
        read = msgspec.structs.replace(body, action=action, lain=tuple(lain))
    except _UNUSABLE as error:
        read = Unread(_reason(error))
    return replace(entry, body=read)


def action_of(entry: Entry | None) -> Any | None:
    return entry.body.action if entry is not None and isinstance(entry.body, Acted) else None


def lain_of(entry: Entry) -> Any | None:
    """The table before the next turn that an entry of a fold remembers."""
    return next(iter(entry.body.lain), None) if isinstance(entry.body, Acted) else None


def with_lain(game: Game[S, A], body: Acted, lain: A) -> Acted:
    """The body of an action entry that remembers the table before the next turn."""
    return msgspec.structs.replace(body, lain=(_raw(game, lain),))


def _started(game: Game[S, A], first: Entry | None) -> tuple[S, dict[int, Says]]:
    """The state that the match begins with. Options that the game does not have are left out and reported."""
    if first is None:
        raise LogError(f"no entry says which game it is of, expected one of the kind {kind_of(MatchBegan)}; {KEEP}")
    assert isinstance(first.body, MatchBegan)
    seats, told, board = first.body.seats, first.body.options, first.body.board
    try:
        return begun(game, seats, told or {}, board), {}
    except _UNUSABLE as error:
        misfit = _misfit(first, _reason(error), "the match begins without the options that do not fit: {why}")
        why = error
    options = {
        option.key: told[option.key]
        for option in game.options
        if isinstance(told, Mapping) and told.get(option.key) in option.choices
    }
    try:
        return begun(game, seats, options, board), {first.seq: misfit}
    except _UNUSABLE:
        raise LogError(f"entry {first.seq} begins a match that cannot be played: {_reason(why)}; {KEEP}") from why


def _step(game: Game[S, A], state: S, entry: Entry, given: tuple[Entry, ...]) -> tuple[Step[S, A], dict[int, Says]]:
    """Judges one entry with its amendments; a refused action changes nothing. Also returns misfits by entry number."""
    misfits: dict[int, Says] = {}
    action: Any = action_of(entry)
    amended_by: tuple[Entry, ...] = ()
    for amendment in given:
        assert isinstance(amendment.body, Amended)
        try:
            action = game.people.amended(action, amendment.body.fact, amendment.body.value)
            amended_by = (*amended_by, amendment)
        except _UNUSABLE as error:
            misfits[amendment.seq] = _misfit(amendment, _reason(error))
    try:
        applied = game.rules.apply(state, action)
    except Illegal as refused:
        return Step(entry, action, state, state, (Ruling(None, refused.says, refused.rule),), amended_by), misfits
    except _UNUSABLE as error:
        if not amended_by:
            misfits[entry.seq] = _misfit(entry, _reason(error))
            return Step(entry, action, state, state, ()), misfits
        misfits[amended_by[-1].seq] = _misfit(amended_by[-1], _reason(error))
        step, others = _step(game, state, entry, amended_by[:-1])
        return step, misfits | others
    return Step(entry, action, state, applied.state, applied.rulings, amended_by), misfits


def by_camera_alone(game: Game[S, A], step: Step[S, A]) -> tuple[Ruling, ...]:
    """The rulings of a step by the camera alone: without answers and corrections to this step."""
    try:
        action: Any = action_of(step.entry)
        return game.rules.apply(step.before, game.people.camera_alone(action)).rulings
    except Illegal as refused:
        return (Ruling(None, refused.says, refused.rule),)
    except _UNUSABLE:  # an action that nobody can judge keeps its rulings
        return step.rulings


def authors_of(game: Game[S, A], step: Step[S, A]) -> tuple[Entry | None, ...]:
    """The last answer or correction that each ruling of a step depends on; None: the reading decides it."""
    given = [(e.body.fact, e.body.value) for e in step.amended_by if isinstance(e.body, Amended)]
    otherwise = []
    for k, (fact, value) in enumerate(given):
        opposite = [(fact, _OPPOSITE[value])] if value in _OPPOSITE else []
        otherwise.append(_rulings_by(game, step, [*given[:k], *opposite, *given[k + 1 :]]))
    latest_first = list(zip(step.amended_by, otherwise, strict=True))[::-1]
    return tuple(next((entry for entry, said in latest_first if ruling not in said), None) for ruling in step.rulings)


_OPPOSITE = {"yes": "no", "no": "yes"}


def _rulings_by(game: Game[S, A], step: Step[S, A], given: Iterable[tuple[str, str]]) -> tuple[Ruling, ...]:
    """The rulings of a step if people had given these facts; empty if the facts are impossible."""
    try:
        action: Any = action_of(step.entry)
        for fact, value in given:
            action = game.people.amended(action, fact, value)
        return game.rules.apply(step.before, action).rulings
    except (Illegal, *_UNUSABLE):
        return ()


def _misfits(entries: Iterable[Entry]) -> dict[int, Says]:
    return {e.seq: _misfit(e, e.body.why) for e in entries if isinstance(e.body, Unread)}


def _misfit(entry: Entry, why: str, words: str = "does not fit and changes nothing: {why}") -> Says:
    """The sentence for an entry that cannot be used. Raises: LogError if it was changed after it was entered."""
    if not entry.is_whole:
        raise LogError(
            f"entry {entry.seq} ({entry.kind}) was changed after it was entered and cannot be used: {why}; {KEEP}"
        )
    return Says(words, {"why": why})


def _reason(error: Exception) -> str:
    return (
        str(error)
        if isinstance(error, CompanionError)
        else f"the rules stumble over it ({type(error).__name__}: {error})"
    )


def _seats(entries: Iterable[Entry]) -> Mapping[str, Holder]:
    seats: dict[str, Holder] = {}
    for entry in entries:
        match entry.body:
            case TookSeat(seat=seat, name=name, phone=phone, is_stand_in=is_stand_in):
                seats[seat] = Holder(name, phone, is_stand_in)
            case LeftSeat(seat=seat):
                seats.pop(seat, None)
    return seats


def _calls(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    calls: dict[int, Entry] = {}
    for entry in entries:
        match entry.body:
            case Called():
                calls[entry.seq] = entry
            case CallClosed(entry=about) | CallWithdrawn(entry=about):
                calls.pop(about, None)
    return tuple(calls.values())


def _asked(entries: tuple[Entry, ...], retracted: frozenset[int]) -> Entry | None:
    for entry in reversed(entries):
        if entry.seq in retracted:
            continue
        if isinstance(entry.body, Acted | Answered):
            return None
        if isinstance(entry.body, Asked):
            return entry
    return None


def asked_body(game: Game[S, A], doubt: Doubt[A], shown: tuple[Exhibit, ...] = ()) -> Asked:
    choices = tuple(
        AskedChoice(c.key, c.says, tuple(_raw(game, action) for action in c.actions), c.likely, c.needs_reason)
        for c in doubt.choices
    )
    return Asked(
        doubt.key, doubt.says, choices, doubt.rule, doubt.margin, doubt.pieces, doubt.seats, doubt.places_mm, shown
    )


def _doubt(game: Game[S, A], asked: Entry | None, known: Folded[S, A] | None) -> Doubt[A] | None:
    """The question of an `asked` entry; None for another version's."""
    if asked is None or not isinstance(asked.body, Asked):
        return None
    if known is not None and known.asked is not None and known.asked.seq == asked.seq:
        return known.doubt
    body, choices = asked.body, []
    try:
        for told in body.choices:
            actions = [action_of_json(game, msgspec.json.decode(action)) for action in told.actions]
            first, then = (actions[0], tuple(actions[1:])) if actions else (None, ())
            choices.append(Choice(told.key, told.says, first, then, told.likely, told.needs_reason))
    except _UNUSABLE:
        return None
    return Doubt(body.key, body.says, tuple(choices), body.rule, body.margin, body.pieces, body.seats, body.places_mm)


def action_body(
    game: Game[S, A],
    action: A,
    shown: tuple[Exhibit, ...] = (),
    note: Says | None = None,
    reason: str = "",
    *,
    follows: bool = False,
) -> Acted:
    return Acted(_raw(game, action), shown, note, reason, follows)


def _raw(game: Game[S, A], action: A) -> Raw:
    return Raw(canonical(action_json(action)).encode())
