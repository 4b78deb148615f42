"""Words that people read: an English template, which is the catalogue's key, and its values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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


def listed(words: Sequence[Says]) -> Says:
    """Things one after the other; at least one.

    >>> str(listed([Says("red"), Says("blue"), Says("black")]))
    'red, blue and black'
    """
    said = words[0]
    for each in words[1:-1]:
        said = Says("{several}, {one}", {"several": said, "one": each})
    return Says("{several} and {one}", {"several": said, "one": words[-1]}) if len(words) > 1 else said
