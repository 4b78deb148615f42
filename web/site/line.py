"""A connection and its requests, on gevent's WSGI server.

A request is read whole, within its time, before the application sees it. Its answer is written here; a stream goes to
the post, with the socket.

`Guard` has the limits for one address or one phone, so that nobody shuts the others out. A request that is not complete
within `HEADER_S` is given up. Each address has a maximum number of connections. A further one closes the one that has
waited longest for a request. If all are being answered, the new one is closed instead. A phone has `TAPS` taps within
`TAPS_FOR_S`. This machine's own addresses have unlimited connections: the virtual table's page holds many phones, and
programs on this machine could stop the server anyway.
"""

import errno
import http.client
import io
import socket
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from tempfile import SpooledTemporaryFile
from typing import IO, Any

from flask import Flask
from gevent import Timeout, getcurrent, monkey
from gevent.pool import Pool
from gevent.pywsgi import Input, WSGIHandler, WSGIServer
from gevent.ssl import SSLContext
from gevent.threadpool import ThreadPool

from web.site.phones import Tries
from web.site.post import GONE_AFTER_S, STREAMING, Handed, Post

HEADER_S = 10.0
"""Maximum time for a whole request, s."""
IDLE_S = 60.0
"""Maximum time without a request, and for taking an answer, s. A phone opens another connection."""
CONNECTIONS = 60
"""Maximum for one address: a browser opens six to a host, and a family's phones may come through one router."""
TAPS, TAPS_FOR_S = 40, 10.0
"""Maximum taps of a phone within this time, s."""
OWN = frozenset({"127.0.0.1", "::1", "::ffff:127.0.0.1"})


class Guard:
    """Counts connections and taps of each address. Only the server's own thread uses it."""

    def __init__(self, clock: Callable[[], float], of_an_address: int, *, limits_taps: bool) -> None:
        self._limits_taps = limits_taps
        self._of_an_address = of_an_address
        self._open: Counter[str] = Counter()
        self._waiting: dict[PhoneConnection, None] = {}
        self._taps = Tries(clock, TAPS, TAPS_FOR_S)

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
        self._open[who] -= 1
        if not self._open[who]:
            del self._open[who]

    def waits(self, line: "PhoneConnection") -> None:
        """Notes that a request is due on a connection from now on."""
        self._waiting[line] = None

    def is_asked(self, line: "PhoneConnection") -> None:
        """Notes that a connection has its request, or ends."""
        self._waiting.pop(line, None)

    def may_tap(self, environ: Mapping[str, Any]) -> bool:
        """Whether a phone may tap now. Phones are counted by address, on this machine by cookie."""
        who = str(environ.get("REMOTE_ADDR", ""))
        if who in OWN:
            who += str(environ.get("HTTP_COOKIE", ""))
        return not self._limits_taps or self._taps.may(who)


HEAD_MAX_BYTES = 65_536
BODY_IN_MEMORY_BYTES = 65_536
"""A longer body is kept on the disk, so that many at once do not fill the memory."""
BROKEN_OFF = b"This request broke off: send it again."
TOO_MANY = b'{"error":{"code":"too_many","message":"Too many taps at once: wait a few seconds."}}'

Answer = tuple[str, list[tuple[str, str]], bytes]


class PhoneConnection(WSGIHandler):  # type: ignore[misc]
    ignored_socket_errors = (*WSGIHandler.ignored_socket_errors, errno.ETIMEDOUT)
    socket: Any
    is_left = False
    """Whether the post has the socket."""

    def __init__(self, connection: Any, address: tuple[str, int], server: "Entrance") -> None:
        super().__init__(connection, address, server)
        self.who = address[0]
        self._job = getcurrent()
        self._patience_s = HEADER_S
        self._limit = Timeout(HEADER_S)

    def cut(self) -> None:
        self._job.kill(block=False)

    def handle(self) -> None:
        """Answers requests until none comes in time."""
        try:
            super().handle()
        except Timeout as over:
            if over is not self._limit:
                raise
        finally:
            self._limit.close()
            self.server.guard.is_asked(self)

    def read_requestline(self) -> str:
        """Reads the first line of a request. Its first byte starts the time limit of the whole request."""
        self.server.guard.waits(self)
        self._within(self._patience_s)
        self.rfile.peek(1)
        self._within(HEADER_S)
        self._patience_s = IDLE_S
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
            headers = super().MessageClass(io.BytesIO(b"".join(head)), 0)
        except http.client.HTTPException as error:
            raise ValueError(str(error)) from error
        if len(headers.get_all("Content-Length", ())) > 1:
            raise ValueError("more than one Content-Length")
        return headers

    def run_application(self) -> None:
        """Reads the whole request, lets the application answer it, and writes the answer."""
        with SpooledTemporaryFile(BODY_IN_MEMORY_BYTES) as body:
            try:
                self._reads(body)
            except (OSError, Timeout):
                self._reads_no_more()
                self._answers(("400 Bad Request", [("Content-Type", "text/plain")], BROKEN_OFF))
            else:
                self.environ["wsgi.input"] = body
                self._is_answered()

    def _is_answered(self) -> None:
        self._limit.close()
        self.server.guard.is_asked(self)
        if self.command == "POST" and not self.server.guard.may_tap(self.environ):
            head = [("Content-Type", "application/json"), ("Retry-After", "3")]
            self._answers(("429 Too Many Requests", head, TOO_MANY))
            return
        handed = self.environ[STREAMING] = Handed(self.server.post.ring)
        try:
            answer = self.server.answer(self.environ)
            self._within(IDLE_S)
            self._answers(answer, is_stream=handed.stream is not None)
            if handed.stream is not None:
                self._leaves(handed)
        except Timeout:  # the phone does not take its answer
            self.close_connection = True
        finally:
            if handed.stream is not None:  # the stream was not left to the post, so its place is given back
                handed.stream.close()

    def _answers(self, answer: Answer, *, is_stream: bool = False) -> None:
        status, headers, body = answer
        self.start_response(status, [*headers, ("Connection", "close")] if is_stream else headers)
        self.result = iter(()) if is_stream else [body]  # without a length it is sent in chunks
        self.write(b"" if is_stream else body)

    def _leaves(self, handed: Handed) -> None:
        """Leaves the stream and the socket to the post."""
        self.rfile.close()
        stream, handed.stream = handed.stream, None
        assert stream is not None
        connection: Any = self.socket
        self.socket = None
        self.is_left = self.close_connection = True
        gone = partial(self.server.guard.has_gone, self.who)
        self.server.post.take(connection, stream, is_chunked=self.response_use_chunked, on_end=gone)

    def _reads(self, body: IO[bytes]) -> None:
        """Reads the body; nothing if it is too long. The application then refuses the request by its length."""
        length, most = self.content_length or 0, self.server.body_max_bytes
        while length <= most and (part := self.wsgi_input.read(BODY_IN_MEMORY_BYTES)):
            body.write(part)
            chunk = self.wsgi_input  # a chunk announces its length: a body that will be too long is refused early
            rest = chunk.chunk_length - chunk.position if chunk.chunked_input else 0
            length = max(length, body.tell() + rest)
        if length > most:
            self.environ["CONTENT_LENGTH"] = str(length)
            self._reads_no_more()
            body.truncate(0)
        body.seek(0)

    def _reads_no_more(self) -> None:
        self.wsgi_input = Input(self.rfile, 0)
        self.close_connection = True


def answer_of(app: Callable[..., Any], environ: dict[str, Any]) -> Answer:
    head: list[Any] = []
    parts = app(environ, lambda status, headers, _=None: head.extend((status, headers)))
    try:
        return head[0], head[1], b"".join(parts)
    finally:
        parts.close()


class Entrance(WSGIServer):  # type: ignore[misc]
    """One port of a server, by TLS if it is given. All ports of a server share their guard and post."""

    def __init__(
        self,
        listening: socket.socket,
        app: Flask,
        lines: Pool,
        guarding: Guard,
        post: Post,
        threads: ThreadPool,
        tls: SSLContext | None,
    ) -> None:
        self.guard, self.post, self._threads, self._tls = guarding, post, threads, tls
        self.body_max_bytes: int = app.extensions["companion"].request_max_bytes
        environ = {"SERVER_NAME": "companion", "wsgi.url_scheme": "http" if tls is None else "https"}
        # while all lines are taken, more connections wait to be accepted
        super().__init__(listening, app, log=None, spawn=lines, environ=environ, handler_class=PhoneConnection)

    def answer(self, environ: dict[str, Any]) -> Answer:
        """The application's answer, made in a thread of the server's if threads are real ones."""
        if monkey.is_module_patched("threading"):
            return answer_of(self.application, environ)
        found: Answer = self._threads.apply(answer_of, (self.application, environ))
        return found

    def do_close(self, *_: Any) -> None:
        """Nothing: `handle` closes a connection, unless the post has it."""

    def handle(self, connection: Any, address: tuple[str, int]) -> None:
        """Answers one connection, if its address may have it."""
        line = None
        if not self.guard.lets_in(address[0]):
            connection.close()
            return
        try:
            for option in gone_options():
                connection.setsockopt(*option)
            if self._tls is not None:
                connection = self._tls.wrap_socket(connection, server_side=True, do_handshake_on_connect=False)
                with Timeout(HEADER_S):
                    connection.do_handshake()
            line = PhoneConnection(connection, address, self)
            line.handle()
        except (OSError, Timeout):
            pass  # the phone left before its first request
        finally:
            if line is None or not line.is_left:
                connection.close()
                self.guard.has_gone(address[0])


def gone_options() -> list[tuple[int, int, int]]:
    """Socket options: send small parts at once, and detect a silent phone if the system can."""
    user_timeout = getattr(socket, "TCP_USER_TIMEOUT", None)  # Linux
    at_once = (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if user_timeout is None:
        return [at_once]
    return [at_once, (socket.IPPROTO_TCP, user_timeout, int(GONE_AFTER_S * 1000))]
