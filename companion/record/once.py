"""Equal frozen values are stored once: most pieces stay where they were, and a match keeps all its throws."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")

LONGEST, MOST = 400, 500
"""Maximum length of a shared part, in letters of its `repr`, and maximum number of them."""


class Once:
    """Remembers parts of values by type and text. 1, 1.0 and true are equal but not the same, and two games may both
    have a `Rolled`."""

    def __init__(self) -> None:
        self._known: dict[tuple[type, str], Any] = {}

    def kept(self, value: T) -> T:
        """The value, with its frozen parts replaced by equal earlier ones.

        >>> from companion.game.margin import Margin
        >>> once = Once()
        >>> first, second = (once.kept((Margin(1.5, 0.1), n)) for n in (1, 2))
        >>> first[0] is second[0], second
        (True, (Margin(margin_mm=1.5, sigma_mm=0.1), 2))
        """
        made: Any = value
        if type(value) is tuple:
            made = tuple(self.kept(part) for part in made)
        elif isinstance(value, msgspec.Struct):
            made = msgspec.structs.replace(value, **self._changed(value, value.__struct_fields__))
        elif dataclasses.is_dataclass(value) and not isinstance(value, type):
            changed = self._changed(value, [field.name for field in dataclasses.fields(value)])
            made = dataclasses.replace(value, **changed) if changed else value
        else:
            return value
        said = repr(made)
        if len(said) > LONGEST:
            return made  # type: ignore[no-any-return]
        if len(self._known) >= MOST:
            self._known.clear()
        return self._known.setdefault((type(made), said), made)  # type: ignore[no-any-return]

    def _changed(self, value: object, names: Iterable[str]) -> dict[str, Any]:
        """The parts that are replaced."""
        return {name: kept for name in names if (kept := self.kept(was := getattr(value, name))) is not was}
