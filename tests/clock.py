"""A clock that a test sets: nothing sleeps."""

from __future__ import annotations


class Clock:
    """Time that passes only when it is told to, or waited for."""

    def __init__(self, now_s: float = 1000.0) -> None:
        self.now_s = now_s

    def __call__(self) -> float:
        return self.now_s

    def wait(self, s: float) -> None:
        self.now_s += s
