"""The post: it writes every open stream of a server, however many phones there are.

Choice: one greenlet writes them all, in turn. A thread or a greenlet for each phone cost memory and wake-ups with each
change. Nothing here waits for a phone. Bytes that a socket does not take are kept; until they are sent the phone gets
nothing newer, and then it gets the newest.
"""

import contextlib
import logging
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

import gevent
from gevent.event import Event

STREAMING = "companion.streaming"
"""Key in a request's environment: takes the stream of its answer (`Handed`)."""
GONE_AFTER_S = 15.0
"""Time after which a phone that takes nothing (flat battery, lost network) is cut off; Linux waits a quarter hour."""
AT_ONCE = 8
"""Streams that are written before answers to taps are sent in between."""
BEAT = b": still here\nevent: beat\ndata: {}\n\n"
"""Sent while nothing is new."""
END = b"0\r\n\r\n"
READ, WRITE = 1, 2

_LOGGER = logging.getLogger(__name__)


@lru_cache(maxsize=16)
def chunk(told: bytes) -> bytes:
    """One chunk of HTTP/1.1, made once for all phones that get the same bytes.

    >>> chunk(b"data: {}")
    b'8\\r\\ndata: {}\\r\\n'
    """
    return b"%x\r\n%b\r\n" % (len(told), told)


class Stream(Protocol):
    """A stream as bytes."""

    @property
    def beat(self) -> bytes:
        """Sent while nothing is new."""

    def told(self) -> bytes | None:
        """The news not sent yet, without waiting; empty if there are none; None when the stream is over."""

    def close(self) -> None:
        """Closes the stream, for a lost phone or at its end; a second call is harmless."""


class Handed:
    """Takes the stream of an answer from the application. `ring` announces that streams may have news (`Post.ring`)."""

    def __init__(self, ring: Callable[..., None]) -> None:
        self.ring = ring
        self.stream: Stream | None = None

    def over(self, stream: Stream) -> Iterator[bytes]:
        """Leaves a stream to the post; returns an empty body for the answer."""
        self.stream = stream
        return iter(())


@dataclass(slots=True, eq=False)
class _Reader:
    """A phone's socket, and the bytes it has not taken yet."""

    socket: Any
    stream: Stream
    is_chunked: bool
    on_end: Callable[[], None]
    ear: Any
    """Hears when the phone goes, or sends something on its stream."""
    gap: Any
    """Hears when a phone that is late can take more."""
    since_s: float
    """When it took something last, or had nothing to take."""
    rest: memoryview | bytes = b""
    is_over: bool = False


class Post:
    """Writes streams in the loop of the thread that made it. `ring` announces that there may be news."""

    def __init__(self, heartbeat_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._heartbeat_s = heartbeat_s
        self._clock = clock
        self._readers: dict[Stream, _Reader] = {}
        self._due: deque[Stream] = deque()
        self._are_all_due = False
        self._loop = gevent.get_hub().loop
        self._news, self._is_rung = Event(), False
        self._bell = self._loop.async_()
        self._bell.start(self._news.set)
        self._round, self._has_looked = self._loop.async_(), Event()
        self._round.start(self._has_looked.set)
        self._job = gevent.spawn(self._run)

    def ring(self, *streams: Stream) -> None:
        """Announces that these streams may have news; without any, all may have. From any thread; costs nothing while
        the last ring was not heard yet."""
        self._due.extend(streams)
        self._are_all_due |= not streams
        if not self._is_rung:
            self._is_rung = True
            with contextlib.suppress(ValueError):  # the loop has ended
                self._bell.send()

    def take(self, socket: Any, stream: Stream, *, is_chunked: bool, on_end: Callable[[], None]) -> None:
        """Writes a stream to a socket, which belongs to the post from here on."""
        socket.settimeout(0.0)
        ear, gap = self._loop.io(socket.fileno(), READ), self._loop.io(socket.fileno(), WRITE)
        reader = _Reader(socket, stream, is_chunked, on_end, ear, gap, self._clock())
        self._readers[stream] = reader
        ear.start(self._drop, reader)
        self._attempt(self._tell, reader)

    def close(self, timeout_s: float) -> None:
        """Ends the post: finished streams are written to their end, the rest is cut off after a while."""
        until_s = self._clock() + timeout_s
        self._news.set()
        while self._readers and self._clock() < until_s:
            gevent.sleep(0.01)
        self._job.kill()
        for reader in tuple(self._readers.values()):
            self._drop(reader)

    def _run(self) -> None:
        beat_s = self._clock() + self._heartbeat_s
        while True:
            self._news.wait(max(0.0, beat_s - self._clock()))
            self._news.clear()
            self._is_rung = False  # before news is looked for
            is_beat = self._clock() >= beat_s
            if is_beat:
                beat_s = self._clock() + self._heartbeat_s
            for number, reader in enumerate(self._who_is_due(is_beat), 1):
                self._attempt(self._tell, reader, is_beat)
                if number % AT_ONCE == 0:
                    self._lets_others()

    def _who_is_due(self, is_beat: bool) -> list[_Reader]:
        """The streams that may have news, or all of them at a beat."""
        are_all, self._are_all_due = self._are_all_due or is_beat, False
        due = dict.fromkeys(self._due.popleft() for _ in range(len(self._due)))
        return [
            self._readers[stream] for stream in (tuple(self._readers) if are_all else due) if stream in self._readers
        ]

    def _lets_others(self) -> None:
        """Lets the loop look after the other connections once; `gevent.sleep(0)` would take 5 ms."""
        self._has_looked.clear()
        self._round.send()
        self._has_looked.wait()

    def _attempt(self, do: Callable[..., None], reader: _Reader, *given: Any) -> None:
        """Does something for one phone. An error ends its stream and no other."""
        try:
            do(reader, *given)
        except Exception:  # the loop's catch-all
            _LOGGER.exception("a stream was ended")
            self._drop(reader)

    def _tell(self, reader: _Reader, is_beat: bool = False) -> None:
        """Sends the news to a phone that has taken everything before. Without news it sends a beat if `is_beat`."""
        if reader.stream not in self._readers:
            return
        if reader.rest:
            if self._clock() - reader.since_s > GONE_AFTER_S:
                self._drop(reader)
            return
        parts = []
        while told := reader.stream.told():
            parts.append(told)
        reader.is_over = told is None
        if is_beat and not parts:
            parts = [reader.stream.beat]
        if reader.is_chunked:
            parts = [*map(chunk, parts), *([END] if reader.is_over else [])]
        reader.rest, reader.since_s = memoryview(b"".join(parts)), self._clock()
        self._write(reader)

    def _goes_on(self, reader: _Reader) -> None:
        """Sends more to a phone that was late."""
        self._write(reader)
        self._tell(reader)

    def _write(self, reader: _Reader) -> None:
        """Writes as much as the socket takes. A finished stream is closed after its last bytes."""
        if reader.rest:
            try:
                sent = reader.socket.send(reader.rest)
            except BlockingIOError:
                sent = 0
            except OSError:
                self._drop(reader)
                return
            if sent:
                reader.rest, reader.since_s = reader.rest[sent:], self._clock()
            if not reader.rest:
                reader.gap.stop()
            elif not reader.gap.active:
                reader.gap.start(self._attempt, self._goes_on, reader)
        if reader.is_over and not reader.rest:
            self._drop(reader)

    def _drop(self, reader: _Reader) -> None:
        """Closes a stream and gives its place back."""
        if self._readers.pop(reader.stream, None) is None:
            return
        for watcher in (reader.ear, reader.gap):
            watcher.stop()
            watcher.close()
        reader.socket.close()
        reader.on_end()
        try:
            reader.stream.close()
        except Exception:  # the loop's catch-all: closing reports to the match that a phone is gone, which may raise
            _LOGGER.exception("a stream's place could not be given back")
