"""The bodies of a match log's entries: a struct for each kind. An entry's kind is its tag.

The log decodes a body once, and `companion.record.fold` decodes the game's actions in it once.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, get_args

import msgspec
from msgspec import Raw, Struct

from companion.game.margin import Margin
from companion.game.misfit import misfit
from companion.game.says import Says, says_json, says_of_json


class _Body(Struct, frozen=True, omit_defaults=True, tag_field="kind"):
    """A field without a default is needed. If another field does not fit, it is left out."""


def kind_of(body: Any) -> str | None:
    """The kind of a body, or of a type of bodies; None for those that are not stored."""
    return body.__struct_config__.tag  # type: ignore[no-any-return]


class Began(_Body, frozen=True, tag="began"):
    """A match begins. The game judges the other values, because another version may have written them."""

    game: str = ""
    options: Any = {}
    seats: Any = None
    board: Any = None


class Shown(Struct, frozen=True):
    """A piece of evidence that an entry names: of one piece, or (None) of the whole table."""

    piece: str | None
    picture: str
    about: str


class Acted(_Body, frozen=True, tag="action"):
    """An action; `note` is how it was inferred from a look, `reason` is a person's."""

    action: Raw
    """JSON as it is stored. In a fold it is the game's own value: see `action_of`."""
    shown: tuple[Shown, ...] = ()
    note: Says | None = None
    reason: str = ""


class Amended(_Body, frozen=True, tag="amended"):
    """A person answers or corrects a fact of the action of `entry`."""

    entry: int
    fact: str
    value: str
    reason: str


class Retracted(_Body, frozen=True, tag="retracted"):
    """Takes an entry back."""

    entry: int


class AskedChoice(Struct, frozen=True):
    """An answer of a question, with the actions that it enters."""

    key: str
    says: Says
    actions: tuple[Raw, ...] = ()
    likely: float | None = None
    needs_reason: bool = False


class Asked(_Body, frozen=True, tag="asked", omit_defaults=False):
    """A question about a look."""

    key: str
    says: Says
    choices: tuple[AskedChoice, ...]
    rule: str
    margin: Margin | None = None
    pieces: tuple[str, ...] = ()
    seats: tuple[str, ...] = ()
    places_mm: tuple[tuple[str, float, float], ...] = ()
    shown: tuple[Shown, ...] = ()


class Answered(_Body, frozen=True, tag="answered"):
    """An answer to the question of `entry`. The next entries, `enters` of them, are its actions."""

    entry: int
    choice: str
    reason: str
    enters: int = 0


class TookSeat(_Body, frozen=True, tag="took_seat"):
    """A phone takes a seat; `phone` is the SHA-256 of its secret. `is_stand_in`: it is drawn at the virtual table."""

    seat: str
    name: str
    phone: str
    is_stand_in: bool = False


class LeftSeat(_Body, frozen=True, tag="left_seat"):
    """A seat becomes free."""

    seat: str


class Called(_Body, frozen=True, tag="called"):
    """A call for the referee: in a person's own words, or in a sentence of the box. `entry`: what it is about."""

    words: str
    sentence: Says | None = None
    entry: int | None = None


class Came(_Body, frozen=True, tag="came"):
    """The call of `entry` is done with; `settled`: the players agreed without a referee."""

    entry: int
    settled: bool = False


class CalledOff(_Body, frozen=True, tag="called_off"):
    """The call of `entry` is taken back by who made it."""

    entry: int


class Sighted(_Body, frozen=True, tag="sight"):
    """Whether the table can be seen has changed."""

    says: str
    state: str = ""
    code: str | None = None
    sentence: Says | None = None


class GivenUp(_Body, frozen=True, tag="given_up"):
    """The match was ended early; `next` is the name of the one after it."""

    next: str | None = None


class Sealed(_Body, frozen=True, tag="sealed"):
    """A seat keeps a secret on its phone; `seal` is its salted hash."""

    seat: str
    seal: str


class Newer(Struct, frozen=True):
    """An entry of a kind that only a newer version knows."""


class Unread(Struct, frozen=True):
    """A body that this version cannot use, and why."""

    why: str


Body = (
    Began
    | Acted
    | Amended
    | Retracted
    | Asked
    | Answered
    | TookSeat
    | LeftSeat
    | Called
    | Came
    | CalledOff
    | Sighted
    | GivenUp
    | Sealed
    | Newer
    | Unread
)

BODIES: Mapping[str, type[Struct]] = {str(kind_of(body)): body for body in get_args(Body) if kind_of(body)}


def body_of(kind: str, text: str) -> Body:
    """The body of an entry from its stored JSON object.

    >>> body_of("retracted", '{"entry": 3}'), body_of("came", '{"entry": []}')
    (Retracted(entry=3), Unread(why='its entry is a list, expected a whole number'))
    >>> body_of("called", '{"words": "look", "entry": "of another version"}')
    Called(words='look', sentence=None, entry=None)
    """
    shape: Any = BODIES.get(kind)
    if shape is None:
        return Newer()
    try:
        return msgspec.json.decode(text, type=shape, dec_hook=_said)  # type: ignore[no-any-return]
    except msgspec.MsgspecError:
        told = json.loads(text)
    needed = [field.name for field in msgspec.structs.fields(shape) if field.required]
    told = {name: told[name] for name in needed if name in told}
    try:
        return msgspec.json.decode(json.dumps(told), type=shape, dec_hook=_said)  # type: ignore[no-any-return]
    except msgspec.MsgspecError as error:
        return Unread(misfit(told, shape, str(error))[0])


def plain(body: object) -> Any:
    """A body as JSON values, without its kind: the entry stores that itself."""
    told = msgspec.to_builtins(body, enc_hook=_stored)
    return {key: value for key, value in told.items() if key != "kind"}


def _stored(value: object) -> Any:
    return says_json(value) if isinstance(value, Says) else json.loads(bytes(value))  # type: ignore[call-overload]


def _said(kind: type, value: Any) -> Says:
    try:
        return says_of_json(value)
    except (LookupError, TypeError, AttributeError) as error:
        raise ValueError("expected a sentence") from error
