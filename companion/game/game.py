"""The contract: a game is a value, made of parts. States, actions and matches print to text and JSON, both ways."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic

import msgspec

from companion.game.board import Board
from companion.game.errors import NotationError
from companion.game.misfit import misfit, spoken
from companion.game.plain_json import json_of_text, named
from companion.game.says import Says
from companion.game.table import Placed
from companion.game.values import (
    A,
    Applied,
    Checked,
    Correctable,
    Doubt,
    Explanation,
    Fault,
    Hint,
    Illegal,
    JsonObject,
    Move,
    Option,
    Outcome,
    Proposal,
    PutBack,
    S,
    Score,
    SeenSetUp,
    tried,
)


def converted(data: Any, kind: Any, what: str) -> Any:
    """The value of a kind in JSON values. Raises: NotationError that names the field."""
    try:
        return msgspec.convert(data, kind, strict=True, str_keys=True)
    except (msgspec.ValidationError, ValueError, TypeError) as error:
        why, where = misfit(data, kind, str(error))
        raise NotationError(f"the {what} does not parse: {why}", where) from error


def as_json(value: object) -> str:
    """A state or an action as one line of JSON, for games without a notation of their own."""
    return msgspec.json.encode(value).decode()


def of_json(kind: Any) -> Callable[..., Any]:
    """Parses such lines. Raises: NotationError."""

    def parsed(text: str, state: object = None) -> Any:
        try:
            return converted(json_of_text(text), kind, "text")
        except (ValueError, RecursionError) as error:
            raise NotationError(f"the text is no JSON ({error}), expected an object", "$") from error

    return parsed


def _none(*given: Any, **more: Any) -> None:
    """The neutral answer: there is none."""


def _nothing(*given: Any, **more: Any) -> tuple[Any, ...]:
    return ()


def _left_out(*given: Any) -> Any:
    """Placeholder for a function that the part derives from its other functions."""


def _given(value: Any, *others: Any) -> Any:
    """The neutral answer: the value as it was given."""
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules(Generic[S, A]):
    """The judge: pure functions over frozen states."""

    start: Callable[..., S]
    """The first state, of a number of players (None: the usual one), options, and the text of a board file for a game
    with a board. A state may have a `title`: people's name for this match. Raises: NotationError for a wrong number,
    key or value."""
    to_move: Callable[[S], tuple[str, ...]]
    """The seats that may act now; empty when the match is over."""
    legal: Callable[[S], tuple[Move[A], ...]]
    """Every legal action, or the kinds of action possible now if they cannot be listed."""
    apply: Callable[[S, A], Applied[S]]
    """The state after an action. Raises: Illegal with the rule."""
    outcome: Callable[[S], Outcome | None]
    """The result, or None while the match goes on."""
    score: Callable[[S], Mapping[str, Score]]
    """Each seat's standing now; the seats clockwise."""
    status: Callable[[S], tuple[Fault, ...]] = _nothing
    """Every reason why this position is impossible; empty if it is possible."""
    explain: Callable[[S, A], Explanation] = _left_out
    """Whether and why an action is legal; left out, `apply` is tried."""

    def __post_init__(self) -> None:
        if self.explain is _left_out:
            object.__setattr__(self, "explain", partial(tried, self.apply))


@dataclass(frozen=True, slots=True, kw_only=True)
class Text(Generic[S, A]):
    """States and actions as short lines, both ways; lines of JSON for a game that leaves these functions out."""

    state_type: Any
    action_type: Any
    state: Callable[[S], str] = as_json
    state_of: Callable[[str], S] = _left_out
    """The state in a line. Raises: NotationError."""
    action: Callable[[A], str] = as_json
    action_of: Callable[..., A] = _left_out
    """The action in a line; a state, if given, helps short forms. Raises: NotationError."""
    says: Callable[[A], Says] = lambda action: Says("{action}", {"action": str(action)})
    """The action in words, for the history."""
    checked: Callable[[Any], Any] = _given
    """A state or an action from JSON, put in order. Raises: NotationError if no match can have it."""

    def __post_init__(self) -> None:
        for name, kind in (("state_of", self.state_type), ("action_of", self.action_type)):
            if getattr(self, name) is _left_out:
                object.__setattr__(self, name, of_json(kind))


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Generic[S, A]):
    view: Callable[..., JsonObject]
    """A state as a seat (None: a watcher) may see it. `past`: the standing actions, oldest first."""
    hints: Callable[..., tuple[Hint[Any], ...]] = _nothing
    """Ranks hints for a state and a seat from its own knowledge. Given too: `within_ms`, or `seed` and the number of
    `playouts`. The same seed and number give the same hints."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Eyes(Generic[S, A]):
    """A game under a camera: it interprets a settled table."""

    reader: str | None = None
    """A reader of the product, a key of `vision.readers.READERS`; or with a dot before it, as ``.reader``, a module in
    the game's folder with its `open_eye`. None: no camera is needed."""
    only_with: tuple[str, tuple[str, ...]] | None = None
    """An option and its values for a camera; with other values people tap. None: the camera always looks."""
    interpret: Callable[..., Proposal[A] | Doubt[A] | None] = _none
    """The action that a reading of the settled table shows, or a question about it; None if nothing happened.

    Given are the state, the reading and the actions before, newest first: they tell how pieces lay and what they were
    called. A game with `begins` also gets the newest reading before this turn, and asks what hands moved up to then.
    Raises: Illegal if the table cannot be judged.
    """
    tells_whole_turns: bool = False
    """Whether proposals may be whole turns (`Proposal.is_whole`), which are entered without a press."""
    settled: Callable[[Any, Any | None], Any] = _given
    """A reading of the settled table, merged with the settled one before it for pieces that have not moved."""
    has_moved: Callable[[A, A], bool] = lambda before, after: before != after
    """Whether the table of the second action differs from that of the first; if not, nobody has done anything."""
    begins: Callable[[S, A | None], bool] | None = None
    """Whether a reading shows the table before the next turn; the newest such reading is kept for `interpret`."""
    place_mm: Callable[[A, str], tuple[float, float] | None] = _none
    """The place of an action's piece on the table, to cut out its picture; None if it has no place."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The table of a state: its board, if any, and the places of its pieces when the state was judged."""

    board: Board | None = None
    pieces: tuple[Placed, ...] = ()
    unused: tuple[str, ...] = ()
    """The kinds of piece and the areas of the kit that this form of the game does without."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table(Generic[S, A]):
    """The things on the table: where they lie, which go back by hand, and whether they are seen there."""

    layout: Callable[[S], Layout] = lambda state: Layout()
    put_back: Callable[[S, S], tuple[PutBack, ...]] = _nothing
    """The things to do by hand on the table when the step from the first state to the second is taken back."""
    as_left: Callable[[S, A, Callable[[], S]], S | None] = lambda state, action, entered: entered()
    """A state with the table as a retracted action left it; None: it moves no piece. Given: the match with it. Raises:
    Illegal."""
    seen_back: Callable[..., tuple[Checked, ...]] = _nothing
    """Whether each thing of `put_back`, for the same two states, is seen done, in its order; then other misplaced
    things (NO). Given too: the reading (None: the table cannot be seen), and the previous result."""
    seen_set_up: Callable[..., SeenSetUp | None] = _none
    """How much of the set-up of a state is seen by a reading and a kit; None if play has begun. `was_right`: it was
    seen complete before."""


def _no_fact(action: Any, fact: str, value: str) -> Any:
    raise NotationError(f"{fact} is no fact of this entry: nothing to amend", fact)


@dataclass(frozen=True, slots=True, kw_only=True)
class People(Generic[S, A]):
    """The facts of actions that people answer, or correct afterwards."""

    amendable: tuple[type, ...] = ()
    """The types of actions with such facts."""
    question: Callable[[S], Doubt[A] | None] = _none
    """The question that a person has to answer before the match goes on; it follows from the state."""
    amended: Callable[[A, str, str], A] = _no_fact
    """The action with one fact changed by a person. Raises: NotationError if it has no such fact."""
    corrections: Callable[[S, S, A], tuple[Correctable, ...]] = _nothing
    """The facts that a person may correct in the last action that has any: the state now, the one before it, and it."""
    says_fact: Callable[[A, str, str], Says] = lambda action, fact, value: Says(
        "{fact} = {value}", {"fact": fact, "value": value}
    )
    """A person's answer or correction of one fact of an action, in words."""
    camera_alone: Callable[[A], A] = _given
    """The action as the table showed it, without people's answers, earlier ones about its pieces included."""


def _no_secret(state: Any, seat: str, text: str) -> Any:
    raise NotationError("this game has no secrets to tell", "secret")


@dataclass(frozen=True, slots=True, kw_only=True)
class Secrets(Generic[S, A]):
    """A seat's secret for its own phone: a hand of cards."""

    secret_of: Callable[[S, str, str], Any] = _no_secret
    """The secret in a seat's words. Raises: Illegal; NotationError: it cannot be one now."""
    kept: Callable[[Any, str, S, S], Any | None] = _none
    """A seat's secret after the match went from one state to another; None: it is to be forgotten."""
    known_to: Callable[[S, str, Any], S] = _given
    """The state as known to the seat with this secret."""
    check: Callable[[S, str, Any, str, A | None], None] = _none
    """Checks a move of the seat with this secret, without an action if it needs more values first. Raises: Illegal."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Game(Generic[S, A]):
    """A game. Seats are words: colours, or A, B, C ... at a card table.

    `player` plays it at the virtual table: a class in a module of the game's folder, as ``player:PigPlayer``.
    `shorthand` has its short notations for the command line: a race's `state_of_position`, or a rummy's
    `state_of_table`, `best_play`, `round_scores` and `final_scores`.
    """

    name: str
    title: str
    rules: Rules[S, A]
    text: Text[S, A]
    page: Page[S, A]
    options: tuple[Option, ...] = ()
    eyes: Eyes[S, A] = field(default_factory=Eyes)
    table: Table[S, A] = field(default_factory=Table)
    people: People[S, A] = field(default_factory=People)
    secrets: Secrets[S, A] = field(default_factory=Secrets)
    player: str | None = None
    shorthand: Any = None
    event: Mapping[str, object] = field(default_factory=dict)
    """Settings that an event of this game begins with; empty: by the number of players."""


def begun(
    game: Game[S, Any], seats: int | None = None, options: Mapping[str, str] | None = None, board: str | None = None
) -> S:
    """The first state of a match; `board` is a board file's text. Raises: NotationError, KitError."""
    if board is None:
        return game.rules.start(seats, options)
    if game.table.layout(game.rules.start()).board is None:
        raise NotationError(f"a board file was given, and {game.title} has no board: leave it out", "board")
    return game.rules.start(seats, options, board)


def seats_of(game: Game[S, Any], state: S) -> tuple[str, ...]:
    return tuple(game.rules.score(state))


def state_json(game: Game[S, Any], state: S) -> JsonObject:
    """The state as JSON values, with the game's name in it."""
    return {"game": game.name, **msgspec.to_builtins(state, str_keys=True)}


def state_of_json(game: Game[S, Any], data: Any) -> S:
    """The state in JSON values. Raises: NotationError that names the field."""
    if not isinstance(data, dict):
        raise NotationError(f"the state is {named(data)}, expected a JSON object", "$")
    name = data.get("game", game.name)
    if name != game.name:
        raise NotationError(f"the state belongs to {name}, expected one of {game.name}", "game")
    told = {k: v for k, v in data.items() if k not in ("game", "rulings")}
    state = converted(told, game.text.state_type, "state")
    _check_read(told, msgspec.to_builtins(state, str_keys=True), "$")
    checked: S = game.text.checked(state)
    return checked


def action_json(action: object) -> Any:
    return msgspec.to_builtins(action, str_keys=True)


def action_of_json(game: Game[Any, A], data: Any) -> A:
    """The action in JSON values (an object, or its short text). Raises: NotationError that names the field."""
    if isinstance(data, str):
        return game.text.action_of(data, None)
    checked: A = game.text.checked(converted(data, game.text.action_type, "action"))
    return checked


def tapped(game: Game[S, A], state: S, seat: str, move: str, values: Mapping[str, str]) -> A:
    """The action of a listed move that a person at `seat` tapped, with its values. Raises: Illegal, NotationError."""
    rules = game.rules
    found = next((m for m in rules.legal(state) if m.move == move and seat in (m.seats or rules.to_move(state))), None)
    if found is None:
        words = "{move} is not open to {seat} now: choose one of the moves shown"
        raise Illegal(Says(words, {"move": move, "seat": seat}), "")
    for asked in found.asks:
        given = values.get(asked.key)
        if not asked.allows(given):
            raise NotationError(f"{asked.key} is {given!r}, expected {asked.expected}", asked.key)
    action = found.action if found.made is None else found.made(values)
    if action is None:
        raise Illegal(Says("{move} is done on the table, not by tapping", {"move": found.text}), found.rule)
    return action


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
