"""Words that people read: an English template, which is the catalogue's key, and its values."""

from __future__ import annotations

from collections.abc import Mapping
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
