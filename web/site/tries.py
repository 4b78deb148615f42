"""Counts the tries of each address, so that nobody guesses a number or takes all names."""

import threading
from collections.abc import Callable

MOST_KNOWN = 4096


class Tries:
    """The tries of each address: at most `most` of them within `for_s`."""

    def __init__(self, clock: Callable[[], float], most: int, for_s: float) -> None:
        self.most, self.for_s = most, for_s
        self._clock = clock
        self._tried_s: dict[str, list[float]] = {}
        self._lock = threading.Lock()

    def may(self, address: str, *, counts: bool = True) -> bool:
        """Whether an address may try now. It then has one try less, unless it `counts` not."""
        now_s = self._clock()
        with self._lock:
            tried_s = [at_s for at_s in self._tried_s.get(address, ()) if now_s - at_s < self.for_s]
            if len(tried_s) >= self.most:
                return False
            if counts:
                if len(self._tried_s) >= MOST_KNOWN:
                    self._tried_s.clear()
                self._tried_s[address] = [*tried_s, now_s]
            return True

    def forget(self, address: str) -> None:
        """Gives an address all its tries back."""
        with self._lock:
            self._tried_s.pop(address, None)
