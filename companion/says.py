"""Words that people read: an English template, which is the catalogue's key, and its values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True, slots=True)
class Says:
    """A sentence as data; only `web` and `cli` translate it.

    >>> str(Says("{seat} throws a samurai", {"seat": "red"}))
    'red throws a samurai'
    """

    template: str
    values: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.template.format_map(self.values)


def says_json(says: Says) -> dict[str, Any]:
    """A sentence as JSON values, sentences within it too.

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
    """A sentence by a number of things, `{count}` in it: for one, for several, and for none where that has its own.

    >>> [str(counted(n, "one piece", "{count} pieces", none="nothing")) for n in (0, 1, 2)]
    ['nothing', 'one piece', '2 pieces']
    """
    template = none if none is not None and not count else one if count == 1 else many
    return Says(template, {**values, "count": count})


def listed(words: Sequence[Says | str]) -> Says:
    """Things one after the other; at least one.

    >>> str(listed([Says("red"), Says("blue"), "black"]))
    'red, blue and black'
    """
    return Says("{several} and {one}", _parted(words)) if len(words) > 1 else _said(words[0])


def either(words: Sequence[Says | str]) -> Says:
    """Things of which one is meant; at least one.

    >>> str(either(["A", "B", Says("the draw pile")]))
    'A, B or the draw pile'
    """
    return Says("{several} or {one}", _parted(words)) if len(words) > 1 else _said(words[0])


def _parted(words: Sequence[Says | str]) -> dict[str, Says | str]:
    said = _said(words[0])
    for each in words[1:-1]:
        said = Says("{several}, {one}", {"several": said, "one": each})
    return {"several": said, "one": words[-1]}


def _said(words: Says | str) -> Says:
    return words if isinstance(words, Says) else Says("{one}", {"one": words})


def joined(sentences: Sequence[Says]) -> Says:
    """Sentences one after the other; at least one.

    >>> str(joined([Says("red rolls"), Says("red moves")]))
    'red rolls; red moves'
    """
    said = sentences[0]
    for each in sentences[1:]:
        said = Says("{first}; {then}", {"first": said, "then": each})
    return said


def wrong_length(field: str, entries: int, seats: int) -> Says:
    """What is wrong with a list by seat that is shorter or longer than the seats.

    >>> str(wrong_length("points", 1, 3))
    'points has one entry for 3 players'
    """
    players = counted(seats, "one player", "{count} players", none="no players")
    words = ("{field} has one entry for {players}", "{field} has {count} entries for {players}")
    return counted(entries, *words, {"field": field, "players": players}, none="{field} is empty for {players}")
