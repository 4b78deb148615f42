"""A mapping for values that are kept while they grow: each new one shares the older part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")
LEAST_SHARED = 64


class Layered(Mapping[K, V], Generic[K, V]):
    """A mapping in the order of the last change. A change copies about the square root of all items.

    >>> one = Layered().with_("a", 1)
    >>> dict(one.with_("b", 2).with_("a", 3)), dict(one), dict(one.without("a"))
    ({'b': 2, 'a': 3}, {'a': 1}, {})
    """

    __slots__ = ("_count", "_newer", "_older")

    def __init__(self) -> None:
        self._older: dict[K, V] = {}
        self._newer: dict[K, V | None] = {}  # None: gone
        self._count = 0

    def with_(self, key: K, value: V) -> Layered[K, V]:
        """The mapping with one more item, or another value that is then the last."""
        return self._changed(key, value, self._count + (key not in self))

    def without(self, key: K) -> Layered[K, V]:
        """The mapping without a key, which may be missing."""
        return self._changed(key, None, self._count - 1) if key in self else self

    def _changed(self, key: K, value: V | None, count: int) -> Layered[K, V]:
        more: Layered[K, V] = Layered()
        newer = {each: kept for each, kept in self._newer.items() if each != key}
        newer[key] = value
        more._older, more._newer, more._count = self._older, newer, count
        if len(newer) ** 2 > len(self._older) + LEAST_SHARED:
            more._older, more._newer = dict(more.items()), {}
        return more

    def __getitem__(self, key: K) -> V:
        found = self._newer[key] if key in self._newer else self._older[key]
        if found is None:
            raise KeyError(key)
        return found

    def __iter__(self) -> Iterator[K]:
        yield from (key for key in self._older if key not in self._newer)
        yield from (key for key, value in self._newer.items() if value is not None)

    def __len__(self) -> int:
        return self._count
