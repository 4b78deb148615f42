"""A phone's stream as bytes: whole views, hints and beats, compressed if the phone can unpack them.

A stream is one gzip file without an end. Each event in it is deflated independently of those before it. Phones with the
same view therefore get the same bytes, whatever they got before.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import lru_cache

from companion.game.view import HintsView, MatchView
from companion.match.inputs import Subscription
from web.site.places import Places
from web.site.refusals import Refusal

RETRY_MS = 500
FIRST = b"retry: %d\n\n" % RETRY_MS
BEAT = b": still here\nevent: beat\ndata: {}\n\n"
GZIP_HEAD = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
LEVEL = 5
"""zlib's level: a view of 9 KB becomes 2 KB in a third of a millisecond, once for all phones."""


@lru_cache(maxsize=16)
def small(event: bytes) -> bytes:
    """An event deflated by itself.

    >>> zlib.decompressobj(wbits=31).decompress(GZIP_HEAD + small(FIRST) + small(BEAT)) == FIRST + BEAT
    True
    """
    deflate = zlib.compressobj(LEVEL, zlib.DEFLATED, -15)
    return deflate.compress(event) + deflate.flush(zlib.Z_FULL_FLUSH)


class Events:
    """One phone's stream. Its place is given back by `close`, which is called however it ends."""

    def __init__(
        self,
        places: Places,
        place: tuple[int, Subscription],
        event: Callable[[MatchView | HintsView], bytes],
        *,
        is_small: bool = False,
    ) -> None:
        self._places = places
        self._number, self._subscription = place
        self._event = event
        self._packed: Callable[[bytes], bytes] = small if is_small else bytes
        self._head = GZIP_HEAD if is_small else b""
        self._is_first = True
        self._is_closed = False

    @property
    def beat(self) -> bytes:
        """Sent while nothing is new."""
        return self._packed(BEAT)

    def told(self) -> bytes | None:
        """The news that this phone has not had yet; empty if there are none; None when the stream is over."""
        if self._is_closed:
            return None
        if self._is_first:
            self._is_first = False
            return self._head + self._packed(FIRST)
        news = self._subscription.next(0.0)
        if news is not None:
            try:
                return self._packed(self._event(news))
            except Refusal:
                return None
        return None if self._subscription.is_closed else b""

    def close(self) -> None:
        """Closes the stream: the phone is gone or the stream is over."""
        self._is_closed = True
        self._places.close(self._number)
