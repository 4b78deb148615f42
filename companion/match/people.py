"""Inputs by people, as pure functions: each makes entries from the log, or is refused in a sentence."""

from __future__ import annotations

import hashlib
import secrets
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic

from companion.game.errors import Refused
from companion.game.game import Game, seats_of, tapped
from companion.game.names import cleaned, flaw_of, is_no_person, looks_like
from companion.game.says import Says
from companion.game.values import A, Doubt, S
from companion.match import inputs
from companion.match.referee import acted
from companion.record import entry as bodies
from companion.record.fold import Folded, Step

Held = Mapping[str, Any]
SALT_BYTES = 16
WAIT_S = 30.0
"""Time after which the claim of a seat counts if nobody can be asked, s."""
LAPSES_S = 180.0
"""Time after which a claim is forgotten, s."""


class MatchSecrets(Generic[S, A]):
    """The secrets that seats gave to their own phones: only in memory, as long as the rules do not show them."""

    def __init__(self, game: Game[S, A]) -> None:
        self._game = game
        self.held: Held = {}

    def told(self, folded: Folded[S, A], given: inputs.Tell) -> bodies.Writing:
        """Keeps a seat's secret. Returns the entry, which reveals nothing. Raises: Illegal, NotationError."""
        secret = self._game.secrets.secret_of(folded.state, given.seat, given.text)
        self.held = {**self.held, given.seat: secret}
        salt = secrets.token_hex(SALT_BYTES)  # never stored: without it the hash reveals nothing
        seal = hashlib.sha256(f"{salt} {given.text}".encode()).hexdigest()
        return bodies.written(given.by, bodies.Sealed(given.seat, seal))

    def followed(self, before: S, after: S) -> None:
        """Updates or drops the secrets after the match went on, or a step was taken back."""
        kept = {
            seat: self._game.secrets.kept(secret, seat, before, after)
            for seat, secret in self.held.items()
            if before != after
        }
        if kept:
            self.held = {seat: secret for seat, secret in kept.items() if secret is not None}

    def forget(self, seat: str | None = None) -> None:
        self.held = {other: secret for other, secret in self.held.items() if seat is not None and other != seat}


def known_to(game: Game[S, A], state: S, seat: str | None, held: Held) -> S:
    """The state as `seat` knows it by its own secret, without other seats' secrets."""
    if seat is None or seat not in held:
        return state
    known: S = game.secrets.known_to(state, seat, held[seat])
    return known


@dataclass(frozen=True, slots=True)
class Said:
    """Decisions that need more than one side: answers to a question, wishes to end the match (by the move `ending`, or
    by giving it up), votes on an objection. The log gets an entry only once all with a connected phone agree."""

    question: str | None = None
    answers: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    enders: Mapping[str, str] = field(default_factory=dict)
    ending: inputs.Act | None = None
    objection: int | None = None
    wishes: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """The votes on the entry that the call `objection` is about: each seat's choice, and the person's name."""
    back: int | None = None
    """The undo whose pieces are back, as one person said."""

    def wished(
        self, given: inputs.SettleObjection, seats: Collection[str], objector: Mapping[str, tuple[str, str]]
    ) -> Said:
        """These votes plus one wish about an objection; an objection is itself a vote. Other objections' votes go."""
        kept = self.wishes if self.objection == given.entry else objector
        wishes = {seat: wish for seat, wish in kept.items() if seat in seats}
        return replace(self, objection=given.entry, wishes={**wishes, given.seat: (given.choice, given.by)})

    def settled(self, seats: Collection[str]) -> tuple[str, str] | None:
        """The choice of these seats about the objection, with the names; None while they have not agreed.

        Two have to agree. Of more players all but one.

        >>> said = Said(objection=7, wishes={"red": ("stand", "Ann"), "blue": ("stand", "Ben")})
        >>> said.settled(("red", "blue")), said.settled(("red", "blue", "green", "yellow"))
        (('stand', 'Ann + Ben'), None)
        """
        choices = Counter(choice for choice, _ in self.wishes.values())
        for choice, count in choices.most_common(1):
            if count >= len(seats) - (len(seats) > 2):
                names = (name for one, name in self.wishes.values() if one == choice)
                return choice, " + ".join(dict.fromkeys(names))
        return None

    def answered(self, given: inputs.Answer, seats: Collection[str]) -> Said:
        """These votes plus one answer; answers to other questions are forgotten.

        >>> said = Said().answered(inputs.Answer(question="3:in", choice="yes", by="Ann", seat="red"), ("red", "blue"))
        >>> said.agreed(("red", "blue")), said.agreed(("red",))
        (None, 'Ann')
        """
        kept = self.answers if self.question == given.question else {}
        answers = {seat: answer for seat, answer in kept.items() if seat in seats}
        return replace(
            self, question=given.question, answers={**answers, given.seat or given.by: (given.choice, given.by)}
        )

    def agreed(self, seats: Collection[str]) -> str | None:
        """The names of those who gave the one answer of all these seats; None while the seats have not agreed."""
        choices = {choice for choice, _ in self.answers.values()}
        if len(choices) != 1 or not set(seats) <= self.answers.keys():
            return None
        return " + ".join(dict.fromkeys(name for _, name in self.answers.values()))

    def wants_end(self, seat: str, by: str, ending: inputs.Act | None = None) -> Said:
        """These votes plus one seat that wants to end the match; wishes to end it by another move are forgotten."""
        enders = self.enders if ending == self.ending else {}
        return replace(self, enders={**enders, seat: by}, ending=ending)

    def gone_on(self) -> Said:
        """The votes that stay valid when the match goes on: those that are not about the newest entry."""
        return Said(objection=self.objection, wishes=self.wishes, back=self.back)


NOTHING_SAID = Said()


TAKE_BACK = "take_back"
NAME_LIMIT = 40
WORDS_LIMIT = 280

Writings = tuple[bodies.Writing, ...]


def question_of(game: Game[S, A], folded: Folded[S, A]) -> tuple[str, Doubt[A], Step[S, A] | None] | None:
    """The open question: id, words, and the action that it is about (None: a reading). The rules' come first."""
    doubt = game.people.question(folded.state)
    about = None if doubt is None else _about(game, folded, doubt)
    if doubt is not None and about is not None:
        return question_id(about.entry.seq, doubt.key), doubt, about
    if folded.asked is None or folded.doubt is None:
        return None
    return question_id(folded.asked.seq, folded.doubt.key), folded.doubt, None


def _about(game: Game[S, A], folded: Folded[S, A], doubt: Doubt[A]) -> Step[S, A] | None:
    """The action that a question is about: the newest with facts, or the newest of all if the answer is an action."""
    if any(choice.actions for choice in doubt.choices):
        return folded.last
    facts = game.people.amendable
    return next((s for s in reversed(folded.steps) if isinstance(s.action, facts) and s.after != s.before), None)


def question_id(entry: int, key: str) -> str:
    """The id of a question: the entry that it is about or that asks it, and the question's key."""
    return f"{entry}:{key}"


def answered(game: Game[S, A], folded: Folded[S, A], given: inputs.Answer) -> Writings:
    asked = question_of(game, folded)
    if asked is None or given.question != asked[0]:
        raise Refused(Says("that question has been answered or taken back already"))
    _, doubt, about = asked
    if doubt.seats and given.seat is not None and given.seat not in doubt.seats:
        seats = " or ".join(doubt.seats)
        raise Refused(Says("only {seats} may answer this, not {seat}", {"seats": seats, "seat": given.seat}))
    choice = next((c for c in doubt.choices if c.key == given.choice), None)
    if choice is None:
        keys = ", ".join(c.key for c in doubt.choices)
        raise Refused(
            Says(
                "{choice} is not an answer to this, expected one of {keys}",
                {"choice": repr(given.choice), "keys": keys},
            )
        )
    reason = given.reason.strip()[:WORDS_LIMIT]
    if choice.needs_reason and not reason:
        raise Refused(Says("this answer contradicts the rules or the log: say why"))
    if about is not None and not choice.actions:
        return amended(game, about, given.by, doubt.key, choice.key, bodies.ASKED)
    actions = acted(game, folded.state, choice.actions, given.by, reason=reason)
    if about is not None:
        return actions
    assert folded.asked is not None
    body = bodies.Answered(folded.asked.seq, choice.key, reason, len(actions))
    return (bodies.written(given.by, body), *actions)


def corrected(game: Game[S, A], folded: Folded[S, A], given: inputs.Correct) -> Writings:
    last = folded.amendable(game)
    if last is None or given.entry != last.entry.seq:
        raise Refused(Says("only the last ruling can be corrected: undo back to the one you mean"))
    if not given.by.strip() or not given.reason.strip():
        raise Refused(Says("a correction needs your name and a reason: fill in both"))
    asked = question_of(game, folded)
    correctable = game.people.corrections(folded.state, last.before, last.action)
    if asked is not None and not correctable:
        raise Refused(Says("answer first: {question}", {"question": asked[1].says}))
    facts = {c.fact: {choice.key for choice in c.choices} for c in correctable}
    if given.value not in facts.get(given.fact, set()):
        values = {"fact": given.fact, "value": given.value}
        raise Refused(Says("{fact}={value} does not fit the last ruling: choose one of the list", values))
    if is_no_person(given.by):
        raise Refused(Says("{name} is not allowed as a name here: type another", {"name": given.by}))
    by, reason = given.by.strip()[:NAME_LIMIT], given.reason.strip()[:WORDS_LIMIT]
    return amended(game, last, by, given.fact, given.value, reason)


def amended(game: Game[S, A], step: Step[S, A], by: str, fact: str, value: str, reason: str) -> Writings:
    """The entry for a person's answer to one fact of an action. Raises: NotationError, Illegal."""
    game.rules.apply(step.before, game.people.amended(step.action, fact, value))
    return (bodies.written(by, bodies.Amended(step.entry.seq, fact, value, reason)),)


def made(game: Game[S, A], folded: Folded[S, A], given: inputs.Act, held: Held) -> Writings:
    """The entries for a move made by a tap, legal also by its own phone's secret. Raises: Illegal, NotationError."""
    action = tapped(game, folded.state, given.seat, given.move, given.values)
    if given.seat in held:
        game.secrets.check(folded.state, given.seat, held[given.seat], given.move, action)
    return acted(game, folded.state, (action,), given.by)


def taken_back(folded: Folded[S, A], given: inputs.Undo) -> Writings:
    """The entries that take back the newest thing entered, with all that went together with it."""
    entries = folded.undoable()
    if not entries:
        raise Refused(Says("there is nothing to take back"))
    if entries[0].seq != given.entry:
        raise Refused(Says("the match has gone on since: look again at what would be taken back"))
    return tuple(bodies.written(given.by, bodies.Retracted(entry.seq)) for entry in entries)


def sat_down(
    game: Game[S, A], folded: Folded[S, A], given: inputs.TakeSeat, is_kept: Callable[[str], bool]
) -> Writings:
    """The entry for a phone that takes a seat; empty if it has it. `is_kept`: whether a seat is kept for its phone."""
    seats = seats_of(game, folded.state)
    if given.seat not in seats:
        values = {"seat": repr(given.seat), "seats": ", ".join(seats)}
        raise Refused(Says("unknown seat {seat}, expected one of {seats}", values))
    name = cleaned(given.name)
    if flaw := flaw_of(name, NAME_LIMIT):
        raise Refused(flaw.says)
    holder = folded.seats.get(given.seat)
    phone = bodies.sha256_of(given.phone.encode())
    others = [
        other.name
        for seat, other in folded.seats.items()
        if seat != given.seat and other.phone != phone and not other.is_stand_in
    ]
    if other := looks_like(name, others):
        words = "{name} looks like {known}, who sits here already: take a name that looks different"
        raise Refused(Says(words, {"name": name, "known": other}))
    if holder is not None and holder.phone != phone:
        if given.holder != holder.name:  # the tap was meant for the seat as the page showed it
            words = "{name} has taken that seat by now: choose another seat or watch"
            raise Refused(Says(words, {"name": holder.name}))
        if is_kept(given.seat) and holder.has_phone and phone not in _held_before(folded, given.seat):
            words = "the seat is kept for {name}: choose another seat or watch"
            raise Refused(Says(words, {"name": holder.name}))
    if holder is not None and (holder.phone, holder.name) == (phone, name):
        return ()
    return (bodies.written(name, bodies.TookSeat(given.seat, name, phone, given.is_stand_in)),)


def _held_before(folded: Folded[S, A], seat: str) -> set[str]:
    phones: set[str] = set()
    for entry in folded.entries:
        match entry.body:
            case bodies.TookSeat(seat=taken, phone=phone) if taken == seat:
                phones.add(phone)
            case bodies.LeftSeat(seat=gone) if gone == seat:
                phones.clear()
    return phones


def left(folded: Folded[S, A], given: inputs.LeaveSeat) -> Writings:
    holder = folded.seats.get(given.seat)
    if holder is None or holder.phone != bodies.sha256_of(given.phone.encode()):
        words = "this phone does not hold the seat {seat}: nothing to leave"
        raise Refused(Says(words, {"seat": given.seat}))
    return (bodies.written(given.seat, bodies.LeftSeat(given.seat)),)


def called(folded: Folded[Any, Any], given: inputs.CallReferee) -> Writings:
    """The entry for a call for the referee; empty for a repeated call without anything new."""
    words = str(given.sentence or given.words)[:WORDS_LIMIT]
    standing = {step.entry.seq for step in folded.steps} | {entry.seq for entry in folded.undoable()}
    if given.entry is not None and given.entry not in standing:
        raise Refused(Says("that was taken back already: nothing is left to object to"))
    for call in folded.calls:
        if isinstance(call.body, bodies.Called) and call.by == given.by and call.body.entry == given.entry:
            if words in ("", call.body.words):
                return ()
            raise Refused(Says("you have already called: the referee is on the way"))
    return (bodies.written(given.by, bodies.Called(words, given.sentence, given.entry)),)


def objection_of(folded: Folded[Any, Any], call: int) -> tuple[int, Mapping[str, tuple[str, str]]]:
    """The entry that the open objection of entry `call` is about, and what its author wants. Raises: Refused."""
    for entry in folded.calls:
        if entry.seq == call and isinstance(entry.body, bodies.Called) and entry.body.entry is not None:
            by = entry.by
            seats = (s for s, holder in folded.seats.items() if by in (holder.name, f"{holder.name} ({s})"))
            return entry.body.entry, {seat: (TAKE_BACK, by) for seat in seats}
    raise Refused(Says("that is settled already"))


def settled(game: Game[S, A], folded: Folded[S, A], given: inputs.SettleObjection, choice: str, by: str) -> Writings:
    """The entries after the players agreed about an objection. Raises: Refused if the match has gone on since."""
    about, _ = objection_of(folded, given.entry)
    ended = bodies.written(by, bodies.CallClosed(given.entry, settled=True))
    if choice == "stand":
        return (ended,)
    newest = folded.undoable()
    if about not in {entry.seq for entry in newest}:
        raise Refused(Says("the match has gone on since: look again at what would be taken back"))
    return (*taken_back(folded, inputs.Undo(entry=newest[0].seq, by=by)), ended)


def call_ended(folded: Folded[Any, Any], given: inputs.RefereeCame | inputs.CallOff) -> Writings:
    """The entry for a call that the referee has answered, or that its caller takes back."""
    call = next((call for call in folded.calls if call.seq == given.entry), None)
    if call is None:
        raise Refused(Says("that is settled already"))
    if isinstance(given, inputs.CallOff) and call.by != given.by:
        raise Refused(Says("only the caller can take the call back"))
    if isinstance(given, inputs.CallOff):
        return (bodies.written(given.by, bodies.CallWithdrawn(given.entry)),)
    return (bodies.written(given.by, bodies.CallClosed(given.entry)),)


@dataclass(frozen=True, slots=True)
class LostSeat:
    """A claim of a kept seat, by its number, and its monotonic moment."""

    number: int
    given: inputs.TakeSeat
    since_s: float


class LostSeats:
    """The open claims of seats by phones that lost them. Another phone agrees; without one it counts after `WAIT_S`."""

    def __init__(self) -> None:
        self._of_seat: dict[str, LostSeat] = {}
        self._count = 0

    def open(self, now_s: float) -> tuple[LostSeat, ...]:
        """The claims that have not lapsed."""
        return tuple(claim for claim in self._of_seat.values() if claim.since_s > now_s - LAPSES_S)

    def made(self, given: inputs.TakeSeat, now_s: float) -> LostSeat:
        """The phone's claim, new or earlier. Raises: Refused if another phone claims the seat."""
        earlier = next((claim for claim in self.open(now_s) if claim.given.seat == given.seat), None)
        if earlier is None:
            self._count += 1
            earlier = self._of_seat[given.seat] = LostSeat(self._count, given, now_s)
        elif earlier.given.phone != given.phone:
            raise Refused(Says("another phone asks for this seat now: wait until that is settled"))
        return earlier

    def of(self, number: int, now_s: float) -> LostSeat:
        """The open claim with this number. Raises: Refused."""
        found = next((claim for claim in self.open(now_s) if claim.number == number), None)
        if found is None:
            raise Refused(Says("that is settled already"))
        return found

    def forget(self, seat: str) -> None:
        self._of_seat.pop(seat, None)
