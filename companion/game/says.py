"""Sentences for people: an English template, which is the catalogue's key, and its values."""

import re
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final


class Slot(StrEnum):
    """The type of a value. The name of its slot in the template decides it, never the value's letters."""

    SEAT = "seat"
    """A seat: shown as the person's name, or as its color."""
    WORD = "word"
    """Words of our own, such as a color, a kind of piece or what a reader could not see: translated."""
    CARDS = "cards"
    """Cards as they are typed: shown with suit symbols."""
    SPOT = "spot"
    """A circle of a board: shown by its name in the rules."""
    NUMBER = "number"
    """A decimal number: shown with the language's own comma."""
    TEXT = "text"
    """A name, a reason or another text: shown as it is."""


_NAMES = {
    Slot.SEAT: "seat other turn next thrower winner loser dealer knocked player target",
    Slot.WORD: "why sentence place color mate owner whose first kind role piece format land over source must longer",
    Slot.CARDS: "card cards meld melds part laid table was beside",
    Slot.SPOT: "spot to origin at start entrance safety beast star here there",
    Slot.NUMBER: "mm other_mm most_mm sigma_mm short_mm cm px most_px deg share most_share sigma rate rms most_rms gb"
    " area level low least most worst wanted kept now x y count value chance points points_before theirs mine fewest"
    " scored against total seen",
}
SLOTS: Mapping[str, Slot] = MappingProxyType({name: slot for slot, names in _NAMES.items() for name in names.split()})
"""The type of each slot's values, by the slot's name. Any other slot holds texts.

The slot's name fixes the type, so that sentences saved by an older version are still shown correctly.
"""


class Says:
    """A sentence as data; only `web` and `cli` translate it. A value is a `Says` too, or what `SLOTS` says.

    msgspec asks its caller how to encode one (`enc_hook`): pages put it into words, a log keeps `says_json`.

    >>> str(Says("{seat} throws a samurai", {"seat": "red"}))
    'red throws a samurai'
    >>> from pickle import dumps, loads
    >>> loads(dumps(Says("throw on")))
    Says(template='throw on', values={})
    """

    __slots__ = ("template", "values")

    def __init__(self, template: str, values: Mapping[str, Any] | None = None) -> None:
        self.template: Final = template
        self.values: Final = {} if values is None else values

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Says) and (self.template, self.values) == (other.template, other.values)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Says(template={self.template!r}, values={self.values!r})"

    def __str__(self) -> str:
        return with_articles(without_context(self.template), self.values)


_ARTICLE = re.compile(r"\b([Aa]) \{(\w+)\}")
_VOWEL = re.compile(r"[aei]|o(?!ne\b)|u(?![ns])|8|1[18]\b", re.IGNORECASE)


def with_articles(template: str, values: Mapping[str, Any]) -> str:
    """An English template with its values filled in, "a" before a vowel as "an".

    >>> with_articles("a {color} piece and a {n}", {"color": "orange", "n": 6})
    'an orange piece and a 6'
    """

    def fitting(found: re.Match[str]) -> str:
        is_an = _VOWEL.match(str(values.get(found[2], ""))) is not None
        return f"{found[1]}{'n' if is_an else ''} {{{found[2]}}}"

    return _ARTICLE.sub(fitting, template).format_map(values)


def without_context(template: str) -> str:
    """A template as people read it. One English word may need two translations: then each has a context after ``|``.

    >>> without_context("out|player"), without_context("out")
    ('out', 'out')
    """
    return template.partition("|")[0]


def says_json(says: Says) -> dict[str, Any]:
    """A sentence as JSON values, including the sentences within it.

    >>> says = Says("{who} throws", {"who": Says("red")})
    >>> says_of_json(says_json(says)) == says
    True
    """
    values = {key: says_json(value) if isinstance(value, Says) else value for key, value in says.values.items()}
    return {"template": says.template, "values": values}


def says_of_json(data: Mapping[str, Any]) -> Says:
    """The sentence in JSON values. Raises: KeyError, TypeError for other values."""
    values = {
        key: says_of_json(value) if isinstance(value, Mapping) and "template" in value else value
        for key, value in data["values"].items()
    }
    return Says(data["template"], values)


def counted(
    count: int, one: str, many: str, values: Mapping[str, Any] = MappingProxyType({}), *, none: str | None = None
) -> Says:
    """A sentence with `{count}` for a number of things: one template for one, one for several, and optionally one for
    none.

    >>> [str(counted(n, "one piece", "{count} pieces", none="nothing")) for n in (0, 1, 2)]
    ['nothing', 'one piece', '2 pieces']
    """
    template = none if none is not None and not count else one if count == 1 else many
    return Says(template, {**values, "count": count})


def points_says(points: int) -> Says:
    return counted(points, "one point", "{count} points", none="no points")


def each_as(slot: str, values: Iterable[object]) -> list[Says]:
    """Values of one slot as sentences, for a list of them.

    >>> each_as("seat", ["A", "B"])[1]
    Says(template='{seat}', values={'seat': 'B'})
    """
    return [Says(f"{{{slot}}}", {slot: value}) for value in values]


def listed(words: Sequence[Says]) -> Says:
    """A list of things with "and"; at least one.

    >>> str(listed([Says("red"), Says("blue"), Says("black")]))
    'red, blue and black'
    """
    return Says("{several} and {one}", _parted(words)) if len(words) > 1 else words[0]


def either(words: Sequence[Says]) -> Says:
    """A list of alternatives with "or"; at least one.

    >>> str(either([*each_as("seat", "AB"), Says("the draw pile")]))
    'A, B or the draw pile'
    """
    return Says("{several} or {one}", _parted(words)) if len(words) > 1 else words[0]


def _parted(words: Sequence[Says]) -> dict[str, Says]:
    said = words[0]
    for each in words[1:-1]:
        said = Says("{several}, {one}", {"several": said, "one": each})
    return {"several": said, "one": words[-1]}


def joined(sentences: Sequence[Says]) -> Says:
    """Sentences in a row; at least one.

    >>> str(joined([Says("red rolls"), Says("red moves")]))
    'red rolls; red moves'
    """
    said = sentences[0]
    for each in sentences[1:]:
        said = Says("{first}; {then}", {"first": said, "then": each})
    return said


def wrong_length(field: str, entries: int, seats: int) -> Says:
    """The error of a list by seat that is shorter or longer than the number of seats.

    >>> str(wrong_length("points", 1, 3))
    'points has one entry for 3 players'
    """
    players = counted(seats, "one player", "{count} players", none="no players")
    words = ("{field} has one entry for {players}", "{field} has {count} entries for {players}")
    return counted(entries, *words, {"field": field, "players": players}, none="{field} is empty for {players}")
