"""Per-address limits of the hub's server: `web.site.guard` on gevent.

A request that is not complete within `HEADER_S` is closed, and so is a connection that asks for nothing more. Each
address has a maximum number of connections. A further connection closes the one that has waited longest for a request.
If all are being answered, the new one is closed instead. A stream ends when its socket closes, not at the next beat.
"""

from __future__ import annotations

import errno
import http.client
import io
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from gevent import Timeout, get_hub, getcurrent
from gevent.pool import Pool
from gevent.pywsgi import Input, WSGIHandler, WSGIServer

from web.hub.app import BODY_MAX_BYTES
from web.site import guard
from web.site.server import gone_options

HEAD_MAX_BYTES = 65_536
BROKEN_OFF = b"This request broke off: send it again."


class Line(WSGIHandler):  # type: ignore[misc]
    """One connection and its requests."""

    ignored_socket_errors = (*WSGIHandler.ignored_socket_errors, errno.ETIMEDOUT)
    waits_since_s: float | None = None
    """Moment since which a request is due, s; None while one is being answered."""

    def __init__(self, connection: Any, address: tuple[str, int], server: GuardedServer) -> None:
        super().__init__(connection, address, server)
        self.job = getcurrent()
        self._patience_s = guard.HEADER_S
        self._limit = Timeout(guard.HEADER_S)

    def handle(self) -> None:
        """Answers requests until the next one does not come in time."""
        try:
            super().handle()
        except Timeout as over:
            if over is not self._limit:
                raise
        finally:
            self._limit.close()

    def read_requestline(self) -> str:
        """The first line of a request. From its first letter on, the time for the whole request runs."""
        self.waits_since_s = time.monotonic()
        self._within(self._patience_s)
        self.rfile.peek(1)
        self._within(guard.HEADER_S)
        self._patience_s = guard.IDLE_S
        line: str = super().read_requestline()
        return line

    def _within(self, limit_s: float) -> None:
        self._limit.close()
        self._limit = Timeout.start_new(limit_s)

    def MessageClass(self, *given: Any) -> Any:
        """The headers, of bounded length."""
        head, left = [], HEAD_MAX_BYTES
        while (line := self.rfile.readline(left + 1)) not in (b"\r\n", b"\n", b""):
            head.append(line)
            left -= len(line)
            if left < 0:
                raise ValueError(f"headers of more than {HEAD_MAX_BYTES} bytes")
        try:
            return super().MessageClass(io.BytesIO(b"".join(head)), 0)
        except http.client.HTTPException as error:
            raise ValueError(str(error)) from error

    def run_application(self) -> None:
        """Reads the whole request before the application starts."""
        try:
            self.environ["wsgi.input"] = io.BytesIO(self._body())
        except (OSError, Timeout):
            self._reads_no_more()
            self.start_response("400 Bad Request", [("Content-Type", "text/plain")])
            self.write(BROKEN_OFF)
            return
        self._limit.close()
        self.waits_since_s = None
        super().run_application()

    def _body(self) -> bytes:
        """The body; empty if it is too long. The application then refuses the request by its length."""
        length = self.content_length or 0
        if length <= BODY_MAX_BYTES:
            body: bytes = self.wsgi_input.read(BODY_MAX_BYTES + 1)
            if len(body) <= BODY_MAX_BYTES:
                return body
            length = len(body)
        self.environ["CONTENT_LENGTH"] = str(length)
        self._reads_no_more()
        return b""

    def _reads_no_more(self) -> None:
        self.wsgi_input = Input(self.rfile, 0)
        self.close_connection = True

    def process_result(self) -> None:
        """Writes the answer. A stream goes on until its phone disconnects, or sends something on it."""
        if not any(name == b"Content-Type" and b"event-stream" in value for name, value in self.response_headers):
            super().process_result()
            return
        ear = get_hub().loop.io(self.socket.fileno(), 1)

        def heard() -> None:
            ear.stop()
            self.job.kill(block=False)

        ear.start(heard)
        try:
            super().process_result()
        finally:
            ear.stop()
            ear.close()


class GuardedServer(WSGIServer):  # type: ignore[misc]
    """The hub's server with at most `connections` in all, and `of_an_address` for each address."""

    handler_class = Line

    def __init__(self, listening: Any, app: Callable[..., Any], connections: int, of_an_address: int) -> None:
        self._of_an_address = of_an_address
        self._lines: defaultdict[str, set[Line]] = defaultdict(set)
        # more connections wait until a file is free for them
        super().__init__(listening, app, log=None, spawn=Pool(connections))

    def handle(self, connection: Any, address: tuple[str, int]) -> None:
        """Answers one connection, if its address may have it."""
        who, lines = address[0], self._lines[address[0]]
        if len(lines) >= self._of_an_address and who not in guard.OWN:
            waiting = {line: line.waits_since_s for line in lines if line.waits_since_s is not None}
            if not waiting:
                return
            oldest = min(waiting, key=waiting.__getitem__)
            lines.discard(oldest)
            oldest.job.kill(block=False)
        for option in gone_options():
            connection.setsockopt(*option)
        line = Line(connection, address, self)
        lines.add(line)
        try:
            line.handle()
        finally:
            lines.discard(line)
            if not lines:
                self._lines.pop(who, None)
