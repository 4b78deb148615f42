"""Expensive answers: one thread computes them in turn, and each is kept until it is computed again.

Requests for the same answer share one computation. Only `MOST_WAITING` of them wait; the others get the last answer at
once. Expensive pages therefore leave most threads of the server to taps.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from companion.game.says import Says
from web.site.refusals import Refusal

T = TypeVar("T")

MOST_WAITING = 4
"""Maximum number of waiting requests; the server has 16 threads (`web.site.server.THREADS`)."""
MOST_KEPT = 8
"""Maximum number of kept answers; a printable may have a few MB."""


class Worker:
    """One thread for expensive answers. It starts with the first question."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="expensive")
        self._changed = threading.Condition()
        self._running: dict[str, Future[Any]] = {}
        self._last: OrderedDict[str, Any] = OrderedDict()
        self._waiting = 0

    def answer(self, name: str, compute: Callable[[], T], *, is_final: bool = False) -> T:
        """The answer with this name: computed now, or the last one while too many requests wait.

        Args:
            name: identifies one question.
            compute: runs outside of the request and reads nothing of it.
            is_final: the answer never changes, so the last one is always valid.
        Raises: Refusal (503): too many wait, without a last answer; also any error of `compute`.
        """
        with self._changed:
            is_full = self._waiting >= MOST_WAITING
            if name in self._last and (is_final or is_full):
                last: T = self._last[name]
                return last
            if is_full:
                says = Says("Too many requests for such pages right now: try again in a few seconds.")
                raise Refusal(503, "busy", says, retry_after_s=3)
            running = self._running.get(name)
            if running is None:
                running = self._running[name] = self._pool.submit(self._compute, name, compute)
            self._waiting += 1
            self._changed.notify_all()
        try:
            found: T = running.result()
            return found
        finally:
            with self._changed:
                self._waiting -= 1

    def _compute(self, name: str, compute: Callable[[], Any]) -> Any:
        try:
            found = compute()
            with self._changed:
                self._last[name] = found
                self._last.move_to_end(name)
                while len(self._last) > MOST_KEPT:
                    self._last.popitem(last=False)
            return found
        finally:
            with self._changed:
                del self._running[name]
