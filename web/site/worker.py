"""Expensive answers: they are computed in turn, and each is kept until it is computed again.

Requests for the same answer share one computation. Only `MOST_WAITING` of them wait; the others get the last answer at
once. Expensive pages therefore leave most threads of the server to taps.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, TypeVar

from companion.game.says import Says
from web.site.refusals import Refusal

T = TypeVar("T")

MOST_WAITING = 4
"""Maximum number of waiting requests; the server has 16 threads (`web.site.server.THREADS`)."""
MOST_KEPT = 8
"""Maximum number of kept answers; a printable may have a few MB."""


class Worker:
    """Computes one expensive answer at a time, in the thread of the request that is due."""

    def __init__(self) -> None:
        self._turn, self._changed = threading.Lock(), threading.Condition()
        self._last: OrderedDict[str, tuple[Any]] = OrderedDict()
        self._waiting = 0

    def answer(self, name: str, compute: Callable[[], T], *, is_final: bool = False) -> T:
        """The answer with this name: computed now, or the last one while too many requests wait.

        Args:
            name: identifies one question.
            is_final: the answer never changes, so the last one is always valid.
        Raises: Refusal (503): too many wait, without a last answer; also any error of `compute`.
        """
        with self._changed:
            last: tuple[T] | None = self._last.get(name)
            is_full = self._waiting >= MOST_WAITING
            if last is not None and (is_final or is_full):
                return last[0]
            if is_full:
                says = Says("Too many requests for such pages right now: try again in a few seconds.")
                raise Refusal(503, "busy", says, retry_after_s=3)
            self._waiting += 1
            self._changed.notify_all()
        try:
            with self._turn:
                newest: tuple[T] | None = self._last.get(name)
                if newest is None or newest is last:  # else it was computed while this request waited
                    newest = self._last[name] = (compute(),)
                    self._last.move_to_end(name)
                    while len(self._last) > MOST_KEPT:
                        self._last.popitem(last=False)
                return newest[0]
        finally:
            with self._changed:
                self._waiting -= 1
