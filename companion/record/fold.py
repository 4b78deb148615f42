"""From entries to a state. The fold is pure, so a corrected rule re-judges old matches, and a restart restores the
match.

Entries record what happened. An answer or a correction amends an action, and an undo retracts an entry; both are
entries too. If this version cannot use an entry of an undamaged log, the entry changes nothing and is reported: the
match is never lost over it. An entry that was changed after it was entered is refused, because its content is unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Generic, TypeVar

from companion.game.errors import CompanionError, LogError
from companion.game.game import Game
from companion.game.margin import Margin
from companion.game.says import Says, says_json, says_of_json
from companion.game.values import Choice, Doubt, Illegal, Ruling
from companion.game.written import action_json, action_of_json
from companion.record.entry import KEEP, Entry, is_as_entered
from companion.record.once import Once

S = TypeVar("S")
A = TypeVar("A")

_UNUSABLE = (CompanionError, ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""Errors that a game raises for JSON that it did not write, or that an older version of it wrote."""
_ONCE = Once()
_SHOWN = 80
"""Maximum length of an unexpected value in a sentence, in characters."""


class Kind(StrEnum):
    """Kinds of entries."""

    BEGAN = "began"
    ACTION = "action"
    AMENDED = "amended"
    RETRACTED = "retracted"
    ASKED = "asked"
    ANSWERED = "answered"
    TOOK_SEAT = "took_seat"
    LEFT_SEAT = "left_seat"
    CALLED = "called"
    CAME = "came"
    CALLED_OFF = "called_off"
    SIGHT = "sight"
    GIVEN_UP = "given_up"
    SEALED = "sealed"


_NUMBER, _TEXT = (int, "a number"), (str, "text")
_SHAPES: Mapping[str, Mapping[str, tuple[type, str]]] = {
    Kind.ACTION: {"action": (object, "an action")},
    Kind.AMENDED: {"entry": _NUMBER, "fact": _TEXT, "value": _TEXT, "reason": _TEXT},
    Kind.RETRACTED: {"entry": _NUMBER},
    Kind.ASKED: {"key": _TEXT, "says": (dict, "a sentence"), "choices": (list, "a list of answers"), "rule": _TEXT},
    Kind.ANSWERED: {"entry": _NUMBER, "choice": _TEXT, "reason": _TEXT},
    Kind.TOOK_SEAT: {"seat": _TEXT, "name": _TEXT, "phone": _TEXT},
    Kind.LEFT_SEAT: {"seat": _TEXT},
    Kind.CALLED: {"words": _TEXT},
    Kind.CAME: {"entry": _NUMBER},
    Kind.CALLED_OFF: {"entry": _NUMBER},
    Kind.SIGHT: {"says": _TEXT},
    Kind.SEALED: {"seat": _TEXT, "seal": _TEXT},
}
"""The fields that the body of an entry needs, with their types."""


@dataclass(frozen=True, slots=True)
class Step(Generic[S, A]):
    """One standing action, with the states around it and its rulings."""

    entry: Entry
    action: A
    before: S
    after: S
    rulings: tuple[Ruling, ...]
    amended_by: tuple[Entry, ...] = ()


@dataclass(frozen=True, slots=True)
class Holder:
    """The holder of a seat: the name, and the SHA-256 of the phone's secret."""

    name: str
    phone: str


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
    """The open question about a look. An answer, another question or a new entry closes it."""
    misfits: Mapping[int, Says] = field(default_factory=dict)
    """Entries, by number, that could not be used and changed nothing, with the reason."""

    @property
    def seq(self) -> int:
        """The log's last number."""
        return self.entries[-1].seq if self.entries else 0

    @property
    def judged(self) -> int:
        """The number of the newest entry that may have changed the state."""
        kinds = (Kind.BEGAN, Kind.ACTION, Kind.AMENDED, Kind.RETRACTED)
        return next((entry.seq for entry in reversed(self.entries) if entry.kind in kinds), 0)

    @property
    def last(self) -> Step[S, A] | None:
        """The newest standing action."""
        return self.steps[-1] if self.steps else None

    def amendable(self, game: Game[S, A]) -> Step[S, A] | None:
        """The newest standing action with facts: answers and corrections are about it."""
        return next((step for step in reversed(self.steps) if isinstance(step.action, game.people.amendable)), None)

    def undoable(self) -> tuple[Entry, ...]:
        """The entries that an undo takes back now, the newest first. It is the newest standing action, answer,
        correction or open question. An answer about a look goes with everything it entered."""
        standing = {step.entry.seq for step in self.steps}
        for entry in reversed(self.entries):
            if entry.seq in self.retracted:
                continue
            if entry.kind == Kind.ACTION and entry.seq in standing:
                together = self._entered_with(entry)
                return tuple(step.entry for step in reversed(self.steps) if step.entry.seq in together)
            if self.asked is not None and entry.seq == self.asked.seq:
                return (entry,)
            if entry.kind == Kind.AMENDED and entry.seq not in self.misfits and entry.body["entry"] in standing:
                return (entry,)
        return ()

    def _entered_with(self, action: Entry) -> range:
        """The numbers of the actions that one answer entered, up to this one; for any other action its own number."""
        before = next((e for e in reversed(self.entries) if e.seq < action.seq and e.kind != Kind.ACTION), None)
        entered = before.body.get("enters") if before is not None and before.kind == Kind.ANSWERED else None
        is_of_answer = before is not None and isinstance(entered, int) and action.seq <= before.seq + entered
        return range(before.seq + 1 if before is not None and is_of_answer else action.seq, action.seq + 1)


def began(entries: Iterable[Entry]) -> Entry | None:
    """The entry that says which game this log is of."""
    return next((e for e in entries if e.kind == Kind.BEGAN), None)


def house_rules(entries: Iterable[Entry]) -> Mapping[str, str]:
    """The options that a match was begun with; empty if the entries hold none."""
    first = began(entries)
    given = None if first is None else first.body.get("options")
    return given if isinstance(given, dict) else {}


def start_body(game: Game[Any, Any], entries: Iterable[Entry]) -> dict[str, Any]:
    """The start of a match that follows this one: the same game, options, number of players and board."""
    entries = tuple(entries)
    first = began(entries)
    told = {} if first is None else first.body
    options = dict(house_rules(entries))
    return {"game": game.name, "options": options, "seats": told.get("seats"), "board": told.get("board")}


def holders(entries: Iterable[Entry]) -> Mapping[str, Holder]:
    """The holders of the seats after these entries. Raises: LogError if a changed entry cannot be used."""
    entries = tuple(entries)
    misfits = _misshapen(entries)
    return _seats(e for e in entries if e.seq not in misfits)


def start_of(game: Game[S, A], entry: Entry) -> S:
    """The state that a `began` entry starts from."""
    return game.rules.start(entry.body.get("seats"), entry.body.get("options") or {}, entry.body.get("board"))


def fold(game: Game[S, A], entries: Iterable[Entry], known: Folded[S, A] | None = None) -> Folded[S, A]:
    """The match after its entries. `known`, an earlier fold of the same log, saves judging the unchanged part again.

    Raises: LogError if a changed entry cannot be used, or none begins the match.
    """
    entries = tuple(entries)
    misfits = _misshapen(entries)
    fitting = tuple(e for e in entries if e.seq not in misfits)
    retracted = frozenset(e.body["entry"] for e in fitting if e.kind == Kind.RETRACTED)
    amendments: dict[int, list[Entry]] = {}
    for entry in fitting:
        if entry.kind == Kind.AMENDED and entry.seq not in retracted:
            amendments.setdefault(entry.body["entry"], []).append(entry)
    state, strange = _started(game, began(entries))
    misfits |= strange
    old = known.steps if known is not None else ()
    was = known.misfits if known is not None else {}
    steps: list[Step[S, A]] = []
    for entry in fitting:
        if entry.kind != Kind.ACTION or entry.seq in retracted:
            continue
        given = tuple(amendments.get(entry.seq, ()))
        i = len(steps)
        step: Step[S, A] | None
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
        if step is not None:
            steps.append(step)
            state = step.after
    asked = _asked(fitting, retracted)
    return Folded(state, tuple(steps), entries, retracted, _seats(fitting), _calls(fitting), asked, misfits)


def extended(game: Game[S, A], was: Folded[S, A], new: Iterable[Entry]) -> Folded[S, A]:
    """The fold with more entries."""
    new = tuple(new)
    entries = (*was.entries, *new)
    if any(entry.kind in (Kind.ACTION, Kind.AMENDED, Kind.RETRACTED) for entry in new):
        return fold(game, entries, was)
    misfits = {**was.misfits, **_misshapen(new)}
    fitting = tuple(e for e in entries if e.seq not in misfits)
    asked = _asked(fitting, was.retracted)
    return replace(was, entries=entries, seats=_seats(fitting), calls=_calls(fitting), asked=asked, misfits=misfits)


def _started(game: Game[S, A], first: Entry | None) -> tuple[S, dict[int, Says]]:
    """The state that the match begins with. Options that the game does not have (any more) are left out and
    reported."""
    if first is None:
        raise LogError(f"no entry says which game it is of, expected one of the kind {Kind.BEGAN}; {KEEP}")
    try:
        return start_of(game, first), {}
    except _UNUSABLE as error:
        misfit = {first.seq: _misfit(first, error, "the match begins without the options that do not fit: {why}")}
        why = error
    told = first.body.get("options")
    options = {
        option.key: told[option.key]
        for option in game.options
        if isinstance(told, Mapping) and told.get(option.key) in option.choices
    }
    try:
        return game.rules.start(first.body.get("seats"), options, first.body.get("board")), misfit
    except _UNUSABLE:
        raise LogError(f"entry {first.seq} begins a match that cannot be played: {_reason(why)}; {KEEP}") from why


def _step(
    game: Game[S, A], state: S, entry: Entry, given: tuple[Entry, ...]
) -> tuple[Step[S, A] | None, dict[int, Says]]:
    """Judges one entry with the amendments `given`. Also returns the misfits: sentences by entry number.

    If the rules now refuse the action, it changes nothing and its ruling says why. The step is None if the action is
    unknown.
    """
    misfits: dict[int, Says] = {}
    try:
        action = _ONCE.kept(action_of_json(game, entry.body["action"]))
    except _UNUSABLE as error:
        return None, {entry.seq: _misfit(entry, error)}
    amended_by: tuple[Entry, ...] = ()
    for amendment in given:
        try:
            action = game.people.amended(action, amendment.body["fact"], amendment.body["value"])
            amended_by = (*amended_by, amendment)
        except _UNUSABLE as error:
            misfits[amendment.seq] = _misfit(amendment, error)
    try:
        applied = game.rules.apply(state, action)
    except Illegal as refused:
        return Step(entry, action, state, state, (Ruling(None, refused.says, refused.rule),), amended_by), misfits
    except _UNUSABLE as error:
        if not amended_by:
            misfits[entry.seq] = _misfit(entry, error)
            return Step(entry, action, state, state, ()), misfits
        misfits[amended_by[-1].seq] = _misfit(amended_by[-1], error)
        step, others = _step(game, state, entry, amended_by[:-1])
        return step, misfits | others
    return Step(entry, action, state, applied.state, applied.rulings, amended_by), misfits


def by_camera_alone(game: Game[S, A], step: Step[S, A]) -> tuple[Ruling, ...]:
    """The rulings of a step by the camera alone: without answers or corrections to this step, but with those to earlier
    steps."""
    try:
        action = game.people.camera_alone(action_of_json(game, step.entry.body["action"]))
        return game.rules.apply(step.before, action).rulings
    except Illegal as refused:
        return (Ruling(None, refused.says, refused.rule),)
    except _UNUSABLE:  # an action that nobody can judge keeps its rulings
        return step.rulings


def authors_of(game: Game[S, A], step: Step[S, A]) -> tuple[Entry | None, ...]:
    """For each ruling of a step, the last answer or correction that it depends on: with the opposite value the ruling
    would not be made.

    None if it depends on none: the look decides it, even if it waited for an answer.
    """
    given = [(entry.body["fact"], entry.body["value"]) for entry in step.amended_by]
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
        action = action_of_json(game, step.entry.body["action"])
        for fact, value in given:
            action = game.people.amended(action, fact, value)
        return game.rules.apply(step.before, action).rulings
    except (Illegal, *_UNUSABLE):
        return ()


def _misshapen(entries: Iterable[Entry]) -> dict[int, Says]:
    """The entries with bodies that lack the fields of their kind, and why."""
    found = {}
    for entry in entries:
        for name, (kind, expected) in _SHAPES.get(entry.kind, {}).items():
            if name not in entry.body or not (kind is object or _is_a(kind, entry.body[name])):
                value = f"{entry.body[name]!r}"[:_SHOWN] if name in entry.body else "missing"
                why = LogError(f"its {name} is {value}, expected {expected}")
                found[entry.seq] = _misfit(entry, why)
                break
    return found


def _is_a(kind: type, value: object) -> bool:
    """Whether a JSON value is of a type. True and false are not numbers here, though Python counts them."""
    return isinstance(value, kind) and not (kind is int and isinstance(value, bool))


def _misfit(entry: Entry, error: Exception, words: str = "does not fit and changes nothing: {why}") -> Says:
    """The sentence for an entry that cannot be used. Raises: LogError if it was changed after it was entered."""
    if not is_as_entered(entry):
        raise LogError(
            f"entry {entry.seq} ({entry.kind}) was changed after it was entered and cannot be used: {_reason(error)}; "
            f"{KEEP}"
        ) from error
    return Says(words, {"why": _reason(error)})


def _reason(error: Exception) -> str:
    return (
        str(error)
        if isinstance(error, CompanionError)
        else f"the rules stumble over it ({type(error).__name__}: {error})"
    )


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
        elif entry.kind in (Kind.CAME, Kind.CALLED_OFF):
            calls.pop(entry.body["entry"], None)
    return tuple(calls.values())


def _asked(entries: tuple[Entry, ...], retracted: frozenset[int]) -> Entry | None:
    for entry in reversed(entries):
        if entry.seq in retracted:
            continue
        if entry.kind in (Kind.ACTION, Kind.ANSWERED):
            return None
        if entry.kind == Kind.ASKED:
            return entry
    return None


def asked_body(game: Game[S, A], doubt: Doubt[A], **more: Any) -> dict[str, Any]:
    """The body of an `asked` entry."""
    margin = doubt.margin
    return {
        "key": doubt.key,
        "says": says_json(doubt.says),
        "rule": doubt.rule,
        "choices": [
            {
                "key": choice.key,
                "says": says_json(choice.says),
                "actions": [action_json(action) for action in choice.actions],
                "likely": choice.likely,
                "needs_reason": choice.needs_reason,
            }
            for choice in doubt.choices
        ],
        "margin": None if margin is None else {"margin_mm": margin.margin_mm, "sigma_mm": margin.sigma_mm},
        "pieces": list(doubt.pieces),
        "seats": list(doubt.seats),
        "places_mm": [list(place) for place in doubt.places_mm],
        **more,
    }


def asked_of(game: Game[S, A], entry: Entry) -> Doubt[A] | None:
    """The question of an `asked` entry; None for another version's."""
    body = entry.body
    try:
        choices = []
        for told in body["choices"]:
            actions = tuple(action_of_json(game, action) for action in told["actions"])
            choices.append(
                Choice(
                    told["key"],
                    says_of_json(told["says"]),
                    actions[0] if actions else None,
                    actions[1:],
                    told["likely"],
                    told["needs_reason"],
                )
            )
        margin = None if body["margin"] is None else Margin(**body["margin"])
        pieces, seats = tuple(body["pieces"]), tuple(body["seats"])
        says, places = says_of_json(body["says"]), tuple((name, x, y) for name, x, y in body["places_mm"])
        return Doubt(body["key"], says, tuple(choices), body["rule"], margin, pieces, seats, places)
    except _UNUSABLE:
        return None


def action_body(game: Game[S, A], action: A, **more: Any) -> dict[str, Any]:
    """The body of an `action` entry."""
    return {"action": action_json(action), **more}
