"""Limits for one address or one phone, so that nobody shuts the others out.

A request that is not complete within `HEADER_S` is given up. Each address has a maximum number of connections. A
further one closes the one that has waited longest for a request. If all are being answered, the new one is closed
instead. A phone taps `TAPS_S` times a second in the long run. This machine's own addresses have unlimited connections:
the virtual table's page holds many phones, and programs on this machine could stop the server anyway.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

HEADER_S = 10.0
"""Maximum time for a whole request, s."""
IDLE_S = 60.0
"""Maximum time without a request, and for taking an answer, s. A phone opens another connection."""
CONNECTIONS = 60
"""Maximum for one address: a browser opens six to a host, and a family's phones may come through one router."""
TAPS, TAPS_S = 40, 4.0
"""Maximum taps of a phone at once, and its sustained rate per second."""
OWN = frozenset({"127.0.0.1", "::1", "::ffff:127.0.0.1"})
MOST_KNOWN = 4096


class Waiting(Protocol):
    """A connection that waits for a request."""

    who: str

    def cut(self) -> None:
        """Closes it soon."""


@dataclass(slots=True)
class _Bucket:
    left: float
    at_s: float


class Guard:
    """Counts connections and taps of each address. Only the server's own thread uses it."""

    def __init__(self, clock: Callable[[], float], of_an_address: int, *, limits_taps: bool) -> None:
        self._clock = clock
        self._limits_taps = limits_taps
        self._of_an_address = of_an_address
        self._open: Counter[str] = Counter()
        self._waiting: dict[Waiting, None] = {}
        self._buckets: dict[str, _Bucket] = {}

    def lets_in(self, who: str) -> bool:
        """Counts a new connection of an address. False: it has too many, and all of them are in use."""
        if self._open[who] >= self._of_an_address and who not in OWN:
            oldest = next((line for line in self._waiting if line.who == who), None)
            if oldest is None:
                return False
            self.is_asked(oldest)
            oldest.cut()
        self._open[who] += 1
        return True

    def has_gone(self, who: str) -> None:
        """Counts one connection fewer."""
        self._open[who] -= 1
        if not self._open[who]:
            del self._open[who]

    def waits(self, line: Waiting) -> None:
        """Notes that a request is due on a connection from now on."""
        self._waiting[line] = None

    def is_asked(self, line: Waiting) -> None:
        """Notes that a connection has its request, or ends."""
        self._waiting.pop(line, None)

    def may_tap(self, environ: Mapping[str, Any]) -> bool:
        """Whether a phone may tap now. Phones are counted by address, on this machine by cookie."""
        if not self._limits_taps:
            return True
        now_s = self._clock()
        who = str(environ.get("REMOTE_ADDR", ""))
        if who in OWN:
            who += str(environ.get("HTTP_COOKIE", ""))
        if len(self._buckets) > MOST_KNOWN:
            self._buckets = {k: b for k, b in self._buckets.items() if now_s - b.at_s < TAPS / TAPS_S}
        bucket = self._buckets.setdefault(who, _Bucket(TAPS, now_s))
        bucket.left = min(TAPS, bucket.left + TAPS_S * (now_s - bucket.at_s)) - 1
        bucket.at_s = now_s
        may = bucket.left >= 0
        bucket.left = max(bucket.left, -1.0)
        return may
