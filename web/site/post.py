"""The post: one thread that writes every open stream, however many phones there are.

Choice: waitress answers requests, and hands over the socket of a stream with the head of its answer; from then on the
stream is written here. A thread for each phone cost five hundred wake-ups, locks and interpreter switches for each
change, while the camera's thread needed the interpreter too. Nothing here waits for a phone. Bytes that a socket does
not take are kept; until they are sent the phone gets nothing newer, and then it gets the newest. The price is a
dependency on waitress's own classes (`Task`, `Channel`), which are not part of its promised API.
"""

from __future__ import annotations

import contextlib
import logging
import selectors
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, Protocol

from waitress.channel import ClientDisconnected, HTTPChannel
from waitress.task import WSGITask

STREAMING = "companion.streaming"
"""Key in a request's environment: the task that can hand an answer's stream to the post."""
GONE_AFTER_S = 15.0
"""Time after which a phone that takes nothing (flat battery, lost network) is cut off; Linux waits a quarter hour."""
END = b"0\r\n\r\n"

_LOGGER = logging.getLogger(__name__)


@lru_cache(maxsize=16)
def chunk(told: bytes) -> bytes:
    """One chunk of HTTP/1.1, made once for all phones that get the same bytes.

    >>> chunk(b"data: {}")
    b'8\\r\\ndata: {}\\r\\n'
    """
    return b"%x\r\n%b\r\n" % (len(told), told)


class Told(Protocol):
    """A stream as bytes."""

    @property
    def beat(self) -> bytes:
        """Sent while nothing is new."""

    def told(self, timeout_s: float) -> bytes | None:
        """The news not sent yet; empty if none came in that time; None when the stream is over."""

    def close(self) -> None:
        """Closes the stream, for a lost phone or at its end; a second call is harmless."""


@dataclass(slots=True, eq=False)
class _Line:
    """A phone's socket, and the bytes it has not taken yet."""

    socket: socket.socket
    events: Told
    is_chunked: bool
    rest: memoryview
    since_s: float
    """When it took something last, or had nothing to take."""
    is_late: bool = False
    """Whether the selector watches for it to take more."""
    is_over: bool = False


class Post:
    """Takes streams from any thread and writes them from its own. `ring` announces that there may be news."""

    def __init__(self, heartbeat_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._heartbeat_s = heartbeat_s
        self._clock = clock
        self._selector = selectors.DefaultSelector()
        self._ear, self._bell = socket.socketpair()
        self._ear.setblocking(False)
        self._bell.setblocking(False)
        self._selector.register(self._ear, selectors.EVENT_READ, None)
        self._is_rung = False
        self._end_s: float | None = None
        self._has_ended = False
        self._coming: deque[_Line] = deque()
        self._lines: set[_Line] = set()
        self._thread = threading.Thread(target=self._run, name="post", daemon=True)

    def start(self) -> None:
        """Begins to write."""
        self._thread.start()

    def ring(self) -> None:
        """Announces that there may be news, for anybody. From any thread; costs nothing while the last ring was not
        heard yet."""
        if not self._is_rung:
            self._is_rung = True
            with contextlib.suppress(OSError):  # full: it will be heard; closed: nobody needs to hear it
                self._bell.send(b"!")

    def take(self, line: socket.socket, head: bytes, events: Told, *, is_chunked: bool) -> None:
        """Writes `head` and then the stream to a socket, which belongs to the post from here on."""
        line.setblocking(False)
        self._coming.append(_Line(line, events, is_chunked, memoryview(head), self._clock()))
        self.ring()
        if self._has_ended:
            self._drop_what_comes()

    def close(self, timeout_s: float) -> None:
        """Ends the post: finished streams are written to their end, the rest is cut off after a while."""
        self._end_s = self._clock() + timeout_s
        self.ring()
        self._thread.join(timeout_s + 5.0)

    def _run(self) -> None:
        beat_s = self._clock() + self._heartbeat_s
        while self._end_s is None or ((self._lines or self._coming) and self._clock() < self._end_s):
            until_s = beat_s if self._end_s is None else min(beat_s, self._end_s)
            ready = self._selector.select(max(0.0, until_s - self._clock()))
            if any(key.data is None for key, _ in ready):
                with contextlib.suppress(BlockingIOError):
                    self._ear.recv(64)
            self._is_rung, is_rung = False, self._is_rung  # after the bell was reset, and before its news is looked for
            for key, events in ready:
                if key.data is not None:
                    self._attempt(key.data, partial(self._heard, events=events))
            while self._coming:
                self._attempt(self._coming.popleft(), self._begin)
            is_beat = self._clock() >= beat_s
            if is_beat:
                beat_s = self._clock() + self._heartbeat_s
            if is_rung or is_beat:
                for line in list(self._lines):
                    self._attempt(line, partial(self._tell, is_beat=is_beat))
        for line in list(self._lines):
            self._drop(line)
        self._has_ended = True
        self._drop_what_comes()
        self._selector.close()
        self._ear.close()
        self._bell.close()

    def _attempt(self, line: _Line, do: Callable[[_Line], None]) -> None:
        """Does something with one phone's line. An error ends this line and no other."""
        try:
            do(line)
        except Exception:  # the thread's edge
            _LOGGER.exception("a stream was ended")
            self._drop(line)

    def _drop_what_comes(self) -> None:
        """Closes lines that come after the end; called from the post's own thread and from any thread that passes a
        stream."""
        with contextlib.suppress(IndexError):
            while True:
                self._drop(self._coming.popleft())

    def _begin(self, line: _Line) -> None:
        self._lines.add(line)
        self._selector.register(line.socket, selectors.EVENT_READ, line)
        self._write(line)
        self._tell(line)

    def _heard(self, line: _Line, events: int) -> None:
        """Handles a phone that went (or sends something on its stream), or takes more."""
        if events & selectors.EVENT_READ:
            self._drop(line)
        else:
            self._write(line)
            self._tell(line)

    def _tell(self, line: _Line, *, is_beat: bool = False) -> None:
        """Sends the news to a phone that has taken everything before. Without news it sends a beat if `is_beat`."""
        if line not in self._lines:
            return
        if line.rest:
            if self._clock() - line.since_s > GONE_AFTER_S:
                self._drop(line)
            return
        parts, is_over = self._news(line)
        if is_beat and not parts:
            parts = [line.events.beat]
        if line.is_chunked:
            parts = [*map(chunk, parts), *([END] if is_over else [])]
        line.rest, line.since_s, line.is_over = memoryview(b"".join(parts)), self._clock(), is_over
        self._write(line)

    def _news(self, line: _Line) -> tuple[list[bytes], bool]:
        """The news that a phone has not had yet, and whether its stream is over."""
        parts: list[bytes] = []
        try:
            while told := line.events.told(0.0):
                parts.append(told)
        except Exception:  # the thread's edge: one phone's view could not be made, the others go on
            _LOGGER.exception("a stream was ended")
            return parts, True
        return parts, told is None

    def _write(self, line: _Line) -> None:
        """Writes as much as the socket takes. A line with a finished stream is closed after its last bytes."""
        if line.rest:
            try:
                sent = line.socket.send(line.rest)
            except BlockingIOError:
                sent = 0
            except OSError:
                self._drop(line)
                return
            if sent:
                line.rest, line.since_s = line.rest[sent:], self._clock()
            if line.is_late != bool(line.rest):
                line.is_late = not line.is_late
                wants = selectors.EVENT_READ | (selectors.EVENT_WRITE if line.is_late else 0)
                self._selector.modify(line.socket, wants, line)
        if line.is_over and not line.rest:
            self._drop(line)

    def _drop(self, line: _Line) -> None:
        """Closes a line and gives its place back."""
        if line in self._lines:
            self._lines.remove(line)
            with contextlib.suppress(KeyError, ValueError):  # it was never registered
                self._selector.unregister(line.socket)
        line.socket.close()
        try:
            line.events.close()
        except Exception:  # the thread's edge: closing reports to the match that a phone is gone, which may raise
            _LOGGER.exception("a stream's place could not be given back")


class Task(WSGITask):  # type: ignore[misc]
    """Answers a request; the stream of an answer goes to the post, with the socket."""

    _events: Told | None = None

    def get_environment(self) -> dict[str, Any]:
        environ: dict[str, Any] = super().get_environment()
        environ[STREAMING] = self
        return environ

    @property
    def post(self) -> Post:
        """The post of this server."""
        post: Post = self.channel.server.post
        return post

    def hand_over(self, events: Told) -> Iterator[bytes]:
        """Leaves the answer's stream to the post; returns an empty body for the answer."""
        self._events = events
        return iter(())  # a body of unknown length

    def service(self) -> None:
        try:
            super().service()
        finally:
            if self._events is not None:  # the stream was not handed over, so its place is given back
                self._events.close()

    def finish(self) -> None:
        if self._events is None:
            super().finish()
            return
        head = self.build_response_header()  # also says that the connection closes: waitress closes its copy
        line = self.channel.socket
        if line is None or self.channel.total_outbufs_len:
            raise ClientDisconnected
        self.post.take(line.dup(), head, self._events, is_chunked=self.chunked_response)
        self._events = None


class Channel(HTTPChannel):  # type: ignore[misc]
    """A connection with streams that the post writes."""

    task_class = Task
