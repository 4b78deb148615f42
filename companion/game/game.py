"""A game is one object of pure functions over plain frozen values.

`start` makes a state, `legal` lists the legal actions, `act` turns a tap into an action, `apply` makes the next state,
with the rulings. `outcome` and `score` end it. `view` is the state as a seat may see it. `hints` help that seat, only
from its own knowledge. A state, an action and a whole match print to text and parse back. `parts` has the optional
parts beyond the rules: eyes, a table to check, questions to people.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, Generic, Protocol, TypeVar, runtime_checkable

import msgspec

from companion.game.errors import CompanionError, NotationError
from companion.game.margin import Margin
from companion.game.misfit import misfit, spoken
from companion.game.plain_json import named
from companion.game.says import Says, counted
from companion.game.table import Placed

S = TypeVar("S")
A = TypeVar("A")
JsonObject = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Ruling:
    """One thing that the rules said about an action. `rule` cites document and paragraph; `seat` is the player it is
    about."""

    seat: str | None
    says: Says
    rule: str
    piece: str | None = None
    margin: Margin | None = None
    pieces: tuple[str, ...] = ()
    """The pieces, if the ruling is about several alike: then `piece` is None."""
    is_minor: bool = False
    """The ruling changes nothing: pages show it in small letters."""


@dataclass(frozen=True, slots=True)
class PutBack:
    """One thing to do by hand when a step is taken back, with the piece's place now and its place before. None: the
    piece has no place, or is or was not on the table."""

    says: Says
    lies: Placed | None = None
    lay: Placed | None = None
    away: Says | None = None
    """How far the step moved the piece: useful while its present place is not seen."""

    @property
    def whole(self) -> Says:
        """The sentence with how far away it is."""
        return self.says if self.away is None else Says("{what}, {away}", {"what": self.says, "away": self.away})


class Laid(StrEnum):
    """Whether a thing is seen in its right place. Covered, doubtful and unseen things are UNSEEN, never NO."""

    YES = "yes"
    NO = "no"
    UNSEEN = "unseen"


@dataclass(frozen=True, slots=True)
class Checked:
    """Whether one thing on the table is as it should be by the newest look, with more about it in words."""

    laid: Laid
    says: Says | None = None
    rule: str | None = None
    seen: Placed | None = None
    """Where it is seen instead (NO)."""


@dataclass(frozen=True, slots=True)
class SetUp:
    """The set-up by a look at the table before the first throw. `beyond` names the parts that no camera sees."""

    lines: tuple[Checked, ...]
    beyond: Says

    @property
    def laid(self) -> Laid:
        """NO if one line is NO, else UNSEEN if one is UNSEEN, else YES."""
        return next((laid for laid in (Laid.NO, Laid.UNSEEN) if laid in {line.laid for line in self.lines}), Laid.YES)


@dataclass(frozen=True, slots=True)
class Asks:
    """One thing that a move asks the person who makes it: its key, the words, and the answers it may have."""

    key: str
    says: Says
    choices: tuple[tuple[str, Says], ...]


@dataclass(frozen=True, slots=True)
class Move(Generic[A]):
    """One legal action. If actions cannot be listed, `action` is None and `effects` gives the constraints of this kind.

    `asks` are the values needed before it becomes an action (`Game.asked_action`). `seats` may make it; empty: the
    seats to move. `is_private`: its content is not for other seats. `needs_all`: the other players have to agree.
    """

    action: A | None
    move: str
    text: Says
    effects: tuple[Says, ...]
    rule: str
    asks: tuple[Asks, ...] = ()
    seats: tuple[str, ...] = ()
    is_private: bool = False
    needs_all: bool = False


@dataclass(frozen=True, slots=True)
class Applied(Generic[S]):
    """The state after an action, and the rulings made on the way."""

    state: S
    rulings: tuple[Ruling, ...] = ()


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why an action is legal or not, and the rule that decides."""

    is_legal: bool
    says: Says
    rule: str


@dataclass(frozen=True, slots=True)
class Fault:
    """One reason why an observed position is impossible."""

    says: Says
    rule: str
    where: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a match ended. `points` is each seat's share in tournament play (win 1, draw 1/2, loss 0)."""

    winners: tuple[str, ...]
    says: Says
    rule: str
    points: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Tally:
    """A seat's points without the bonuses of a match's end, and the rounds it won; None: the game has no rounds."""

    points: float
    rounds_won: int | None = None


@dataclass(frozen=True, slots=True)
class Hint(Generic[A]):
    """A recommended action, or a fact worth knowing (then `action` is None). In 95 of 100 hints the true chance of
    winning is within `error` of `chance`."""

    seat: str
    action: A | None
    move: str | None
    text: Says
    why: tuple[Says, ...] = ()
    rule: str | None = None
    chance: float | None = None
    error: float | None = None


@dataclass(frozen=True, slots=True)
class Option:
    """A house rule: its key, default, possible values, its effect, and the gap or paragraph it answers.

    `is_counted`: the value is a number of each thing, such as ``red:6,blue:4``; numbers outside of its choices are
    allowed.
    """

    key: str
    default: str
    choices: tuple[str, ...]
    says: Says
    rule: str
    is_counted: bool = False


LOOK_AGAIN = "look_again"
"""Key of the answer that the table is readable now: it is read and judged again at once."""


@dataclass(frozen=True, slots=True)
class Choice(Generic[A]):
    """One answer to a question: the action that it makes, if any, and the actions that follow from it.

    `likely` is its probability, 0 to 1, None if unknown; the most probable choice stands first. `needs_reason`: the
    answer goes against the rules or the record, so it needs a reason.
    """

    key: str
    says: Says
    action: A | None = None
    then: tuple[A, ...] = ()
    likely: float | None = None
    needs_reason: bool = False

    @property
    def actions(self) -> tuple[A, ...]:
        """All actions that are entered with this answer."""
        return () if self.action is None else (self.action, *self.then)


@dataclass(frozen=True, slots=True)
class Correctable:
    """A fact of the last entry that a person may correct: its value now and, with words, the values it may have.

    `piece` is the id of the piece that it is about, None where it is about no one piece.
    """

    fact: str
    says: Says
    value: str
    choices: tuple[tuple[str, Says], ...]
    piece: str | None = None


@dataclass(frozen=True, slots=True)
class Proposal(Generic[A]):
    """An inference of the referee that is certain enough to be entered; `note` is something people should know about
    it."""

    actions: tuple[A, ...]
    says: Says
    note: Says | None = None


@dataclass(frozen=True, slots=True)
class Doubt(Generic[A]):
    """A question to the people that the table cannot answer, with the margin and the pieces it is about."""

    key: str
    says: Says
    choices: tuple[Choice[A], ...]
    rule: str
    margin: Margin | None = None
    pieces: tuple[str, ...] = ()
    seats: tuple[str, ...] = ()
    """Who may answer; empty: any seat."""
    places_mm: tuple[tuple[str, float, float], ...] = ()
    """Where on the table to look: name, x and y, for the pictures that are shown with the question."""


class Illegal(CompanionError, ValueError):
    """An action that the rules do not allow, with the paragraph that forbids it."""

    def __init__(self, says: Says, rule: str) -> None:
        super().__init__(says)
        self.says = says
        self.rule = rule


class NotYet(Illegal):
    """Nobody has acted yet; the sentence says what to do."""


class Game(ABC, Generic[S, A]):
    """The shape of every game. Seats are words: colours, or A, B, C ... at a card table."""

    name: ClassVar[str]
    title: ClassVar[str]
    state_type: ClassVar[Any]
    action_type: ClassVar[Any]
    options: ClassVar[tuple[Option, ...]] = ()

    @abstractmethod
    def start(self, seats: int | None = None, options: Mapping[str, str] | None = None, board: str | None = None) -> S:
        """The first state. `board` is a board file's text. Raises: NotationError for a wrong number, key or value."""

    @abstractmethod
    def seats(self, state: S) -> tuple[str, ...]:
        """The seats of a match, clockwise."""

    @abstractmethod
    def to_move(self, state: S) -> tuple[str, ...]:
        """The seats that may act now; empty when the match is over."""

    @abstractmethod
    def legal(self, state: S) -> tuple[Move[A], ...]:
        """Every legal action, or the kinds of action possible now if they cannot be listed."""

    @abstractmethod
    def apply(self, state: S, action: A) -> Applied[S]:
        """The state after an action. Raises: Illegal with the rule."""

    @abstractmethod
    def explain(self, state: S, action: A) -> Explanation:
        """Whether and why an action is legal."""

    @abstractmethod
    def status(self, state: S) -> tuple[Fault, ...]:
        """Every reason why this position is impossible; empty if it is possible."""

    @abstractmethod
    def score(self, state: S) -> Mapping[str, float]:
        """Points of each seat now."""

    def tally(self, state: S) -> Mapping[str, Tally]:
        """Each seat's values that an event adds up over many sittings."""
        return {seat: Tally(points) for seat, points in self.score(state).items()}

    def standing(self, state: S) -> Mapping[str, Says]:
        """How each seat stands, in words: what its score counts."""
        words = ("one point", "{count} points")
        return {seat: counted(round(n), *words, none="no points") for seat, n in self.score(state).items()}

    @abstractmethod
    def outcome(self, state: S) -> Outcome | None:
        """How it ended, or None while it goes on."""

    @abstractmethod
    def view(self, state: S, seat: str | None) -> JsonObject:
        """The state as a seat (None: a watcher) may see it, JSON-able; never another seat's secrets."""

    def recent(self, actions: Sequence[A]) -> JsonObject:
        """More values for the view, from the standing actions, oldest first. Never something that a seat may not
        know."""
        return {}

    @abstractmethod
    def hints(
        self, state: S, seat: str, *, within_ms: float = 300.0, seed: int = 0, playouts: int | None = None
    ) -> tuple[Hint[A], ...]:
        """Ranked hints for a seat from its own knowledge; the same for the same seed and number of `playouts`."""

    def says(self, action: A) -> Says:
        """The action in words, for the history."""
        return Says("{action}", {"action": self.action_text(action)})

    def act(self, state: S, seat: str, move: str, values: Mapping[str, str]) -> A:
        """The action of a move that `legal` offers, as a person at `seat` tapped it, with the values that it asks for.

        Raises: Illegal if it is not offered to that seat, or only the table can show it; NotationError for values that
        it does not ask for.
        """
        found = next(
            (m for m in self.legal(state) if m.move == move and seat in (m.seats or self.to_move(state))), None
        )
        if found is None:
            values_ = {"move": move, "seat": seat}
            raise Illegal(Says("{move} is not open to {seat} now: choose one of the moves shown", values_), "")
        for asked in found.asks:
            given = values.get(asked.key)
            if given not in {key for key, _ in asked.choices}:
                expected = ", ".join(key for key, _ in asked.choices)
                raise NotationError(f"{asked.key} is {given!r}, expected one of {expected}", asked.key)
        action = self.asked_action(state, found, seat, values)
        if action is None:
            raise Illegal(
                Says("{move} is seen on the table, not tapped: do it there", {"move": found.text}), found.rule
            )
        return action

    def asked_action(self, state: S, move: Move[A], seat: str, values: Mapping[str, str]) -> A | None:
        """The action of an offered move with the values that it asks for; None if only the table can show it."""
        return move.action

    @abstractmethod
    def state_text(self, state: S) -> str:
        """The state as one short line."""

    @abstractmethod
    def state_of_text(self, text: str) -> S:
        """The state in a line. Raises: NotationError."""

    @abstractmethod
    def action_text(self, action: A) -> str:
        """The action as one short line."""

    @abstractmethod
    def action_of_text(self, text: str, state: S | None = None) -> A:
        """The action in a line; `state` helps short forms. Raises: NotationError."""

    def state_json(self, state: S) -> JsonObject:
        """The state as JSON values, with the game's name in it."""
        return {"game": self.name, **msgspec.to_builtins(state, str_keys=True)}

    def state_of_json(self, data: Any) -> S:
        """The state in JSON values. Raises: NotationError that names the field."""
        if not isinstance(data, dict):
            raise NotationError(f"the state is {named(data)}, expected a JSON object", "$")
        game = data.get("game", self.name)
        if game != self.name:
            raise NotationError(f"the state belongs to {game}, expected one of {self.name}", "game")
        told = {k: v for k, v in data.items() if k not in ("game", "rulings")}
        state = _convert(told, self.state_type, "state")
        _check_read(told, msgspec.to_builtins(state, str_keys=True), "$")
        return state  # type: ignore[no-any-return]

    def action_json(self, action: A) -> Any:
        """The action as JSON values."""
        return msgspec.to_builtins(action, str_keys=True)

    def action_of_json(self, data: Any) -> A:
        """The action in JSON values (an object, or its short text). Raises: NotationError that names the field."""
        if isinstance(data, str):
            return self.action_of_text(data)
        return _convert(data, self.action_type, "action")  # type: ignore[no-any-return]


@runtime_checkable
class TakesPosition(Protocol):
    """A race game: a short notation of a position gives a state."""

    def state_of_position(
        self,
        position: str,
        *,
        turn: str,
        die: int | None,
        held: tuple[int, ...],
        mode: str | None,
        options: Mapping[str, str],
        board: str | None,
    ) -> Any:
        """The state of a position such as ``r: A5 home*3; y: A52``. Raises: NotationError."""


@runtime_checkable
class TakesTable(Protocol):
    """A rummy: a short notation of table and hand gives a state; rounds are scored from points."""

    def state_of_table(self, table: str, hand: str, packs: int | None, options: Mapping[str, str]) -> Any:
        """The state of a table such as ``[5C 5D 5H] [7C 8C JK=9C]`` and a hand. Raises: NotationError."""

    def best_play(
        self, table: str, hand: str, packs: int | None, options: Mapping[str, str], *, within_ms: float = 300.0
    ) -> JsonObject:
        """The best play: the ``points`` that leave the hand, the cards ``laid``, and the ``table`` after."""

    def round_scores(
        self, points: Mapping[str, int], *, knocked: str | None, out: str | None, options: Mapping[str, str]
    ) -> Mapping[str, int]:
        """The scores of one round from the points left in the hands."""

    def final_scores(self, totals: Mapping[str, tuple[int, int]], *, options: Mapping[str, str]) -> Mapping[str, int]:
        """The scores at the end of the game from totals and rounds won."""


def _convert(data: Any, kind: Any, what: str) -> Any:
    try:
        return msgspec.convert(data, kind, strict=True, str_keys=True)
    except (msgspec.ValidationError, ValueError, TypeError) as error:
        why, where = misfit(data, kind, str(error))
        raise NotationError(f"the {what} does not parse: {why}", where) from error


def _check_read(told: Any, read: Any, where: str) -> None:
    """Raises: NotationError for an unknown word: a misspelt word would otherwise be ignored unnoticed."""
    if isinstance(told, dict) and isinstance(read, dict):
        for key, value in told.items():
            if key not in read:
                expected = ", ".join(map(str, read))
                why = f"{spoken(where)} has {key!r}, expected one of {expected}"
                raise NotationError(f"the state does not parse: {why}", where)
            _check_read(value, read[key], f"{where}.{key}")
    elif isinstance(told, list | tuple) and isinstance(read, list | tuple):
        for at, (value, was) in enumerate(zip(told, read, strict=False)):
            _check_read(value, was, f"{where}[{at}]")
