"""Limits for one address or one phone, so that nobody shuts the others out.

A connection that has not sent a whole request within `HEADER_S` is closed. One address has at most `CONNECTIONS` of
them, and a phone taps `TAPS_S` times a second in the long run. This machine's own addresses have unlimited connections:
the virtual table's page holds many phones, and programs on this machine could stop the server anyway.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from waitress.channel import HTTPChannel

HEADER_S = 10.0
"""Maximum time for a whole request, s."""
IDLE_S = 60
"""Time after which an idle connection is closed, s: a phone opens another."""
CONNECTIONS = 60
"""Maximum for one address: a browser opens six to a host, and a family's phones may come through one router."""
TAPS, TAPS_S = 40, 4.0
"""Maximum taps of a phone at once, and its sustained rate per second."""
OWN = frozenset({"127.0.0.1", "::1", "::ffff:127.0.0.1"})
MOST_KNOWN = 4096
TOO_MANY = b'{"error":{"code":"too_many","says":"Too many taps at once: wait a few seconds."}}'


@dataclass(slots=True)
class _Bucket:
    left: float
    at_s: float


class Guard:
    """Counts connections and taps. `sweep` runs in the server's own thread, `wraps` around the application in any."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._begun_s: dict[HTTPChannel, float] = {}
        self._buckets: dict[str, _Bucket] = {}
        self._lock = threading.Lock()

    def sweep(self, channels: Iterable[object], streams: Mapping[str, int]) -> None:
        """Closes connections that sent no whole request in time, and the youngest of an address with too many.

        `streams` is the number of streams of each address, in addition to `channels`.
        """
        now_s = self._clock()
        begun_s: dict[HTTPChannel, float] = {}
        of: dict[str, list[HTTPChannel]] = defaultdict(list)
        for channel in channels:
            if not isinstance(channel, HTTPChannel):
                continue
            has_sent = channel.last_activity > channel.creation_time
            if not channel.requests and (not has_sent or channel.request is not None):
                begun_s[channel] = self._begun_s.get(channel, now_s)
                if now_s - begun_s[channel] > HEADER_S:
                    channel.will_close = True
            of[str(channel.addr[0])].append(channel)
        self._begun_s = begun_s
        for address, mine in of.items():
            if address not in OWN:
                left = max(0, CONNECTIONS - streams.get(address, 0))
                for channel in sorted(mine, key=lambda c: float(c.creation_time))[left:]:
                    channel.will_close = True

    def wraps(self, app: WSGIApplication) -> WSGIApplication:
        """The application, with a check in front that refuses too many taps of one phone."""

        def guarded(environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
            if environ.get("REQUEST_METHOD") == "POST" and not self._may_tap(environ):
                start(
                    "429 Too Many Requests",
                    [
                        ("Content-Type", "application/json"),
                        ("Content-Length", str(len(TOO_MANY))),
                        ("Retry-After", "3"),
                    ],
                )
                return (TOO_MANY,)
            return app(environ, start)

        return guarded

    def _may_tap(self, environ: Mapping[str, Any]) -> bool:
        """Whether a phone may tap now. Phones are counted by cookie and address, so a new cookie at each tap does not
        help."""
        now_s = self._clock()
        who = str(environ.get("REMOTE_ADDR", ""))
        if who in OWN:
            who += str(environ.get("HTTP_COOKIE", ""))
        with self._lock:
            if len(self._buckets) > MOST_KNOWN:
                self._buckets = {k: b for k, b in self._buckets.items() if now_s - b.at_s < TAPS / TAPS_S}
            bucket = self._buckets.setdefault(who, _Bucket(TAPS, now_s))
            bucket.left = min(TAPS, bucket.left + TAPS_S * (now_s - bucket.at_s)) - 1
            bucket.at_s = now_s
            may = bucket.left >= 0
            bucket.left = max(bucket.left, -1.0)
            return may
