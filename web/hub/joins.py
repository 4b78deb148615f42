"""Limits tries to join from one address, so that nobody takes all names or guesses the hall's code."""

from __future__ import annotations

import threading
from collections.abc import Callable

from companion.event.hub.joining import network_of
from companion.game.says import Says
from web.site.refusals import Refusal

FOR_S = 600.0
MOST_KNOWN = 4096
CONNECTIONS_A_JOIN = 10
"""Allowed connections of an address for each try to join within `FOR_S`."""


class Joins:
    """Counts the tries of each address; personal cards are not counted."""

    def __init__(self, clock: Callable[[], float], connections: int) -> None:
        self.most = max(1, connections // CONNECTIONS_A_JOIN)
        self._clock = clock
        self._tried_s: dict[str, list[float]] = {}
        self._lock = threading.Lock()

    def count(self, address: str) -> None:
        """Counts one try. Raises: Refusal (429) if an address has tried too often."""
        network, now_s = network_of(address), self._clock()
        with self._lock:
            tried_s = [at_s for at_s in self._tried_s.get(network, ()) if now_s - at_s < FOR_S]
            if len(tried_s) >= self.most:
                says = Says("Too many tries to join from here: wait ten minutes, or ask the desk for a personal card.")
                raise Refusal(429, "too_many", says, retry_after_s=int(FOR_S))
            if len(self._tried_s) >= MOST_KNOWN:
                self._tried_s.clear()
            self._tried_s[network] = [*tried_s, now_s]
