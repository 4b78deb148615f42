"""Waitress in this process for requests, the post for streams; both end by themselves when they are asked to stop.

Choice: waitress and not an event-loop server. It needs least memory, is pure Python, does not fork, and leaves the
vision threads alone. It cannot hold hundreds of streams without a thread for each: `post` does that. Its loop is run
from here, a turn at a time, because waitress ends its own only by an exception in the main thread.
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import errno
import queue
import resource
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType

from flask import Flask
from waitress import create_server, wasyncore

from companion.game.errors import CompanionError
from web.site.app import Table
from web.site.guard import IDLE_S, Guard
from web.site.post import GONE_AFTER_S, Channel, Post

THREADS = 16
"""Threads for everything that is not a stream."""
BUFFER_BYTES = 262_144
"""Maximum bytes buffered for a phone that stopped reading, before its thread waits too (waitress: 16 MB)."""
BODY_MAX_BYTES = 16_000_000
"""Maximum size of a request: more than a photograph of a hand. Waitress would keep a gigabyte of each on the disk."""
SPARE_FILES = 300
"""Open files reserved for connections that are not streams, and for the log, the camera and the libraries."""
TURN_S = 1.0
SWEEP_S = 0.5
LAST_WORDS_S = 0.6
"""Time for streams to end, s; the rest are phones that stopped reading, and they are cut off."""


class PortBusy(CompanionError, OSError):
    """The address to serve on is taken, forbidden or not this machine's."""


class Server:
    """A bound server: `port` and `url` are known before `run` is called; `close` may come from any thread."""

    def __init__(self, app: Flask, host: str, port: int) -> None:
        """Binds. Raises: PortBusy in one sentence."""
        table: Table = app.extensions["companion"]
        self._places = table.places
        self._socket = bound(host, port)
        cap = table.places.cap
        allow_files(2 * cap + SPARE_FILES)
        self._channels: dict[int, object] = {}
        self.app = app
        self._guard = Guard(time.monotonic)
        self._waitress = create_server(
            self._guard.wraps(app),
            map=self._channels,
            sockets=[self._socket],
            threads=THREADS,
            connection_limit=cap + 100,
            asyncore_use_poll=True,
            outbuf_high_watermark=BUFFER_BYTES,
            channel_timeout=IDLE_S,
            max_request_body_size=BODY_MAX_BYTES,
            cleanup_interval=5,
            ident=None,
            clear_untrusted_proxy_headers=True,
            log_socket_errors=False,  # a phone that disconnects is not the server's fault
        )
        # https connections: decrypted there, but marked as https for the application
        self._handed: queue.SimpleQueue[tuple[socket.socket, tuple[str, int]]] = queue.SimpleQueue()
        self._secure = copy.copy(self._waitress.adj)
        self._secure.url_scheme = "https"
        self._sweep_s = 0.0
        self._post = self._waitress.post = Post(table.heartbeat_s)
        self._waitress.channel_class = Channel
        self._waitress.adj.socket_options = [*self._waitress.adj.socket_options, *gone_options()]
        self.host = host
        self.port: int = self._socket.getsockname()[1]
        if table.join_url.endswith(":0/"):  # any free port was asked for, and its number is known only now
            join_url = f"{table.join_url.removesuffix(':0/')}:{self.port}/"
            app.extensions["companion"] = dataclasses.replace(table, join_url=join_url)
        self._is_closing = False
        self._ended = threading.Event()

    @property
    def url(self) -> str:
        """The address of this server on this machine."""
        host = "127.0.0.1" if self.host in ("", "0.0.0.0", "::") else self.host
        return f"http://[{host}]:{self.port}/" if ":" in host else f"http://{host}:{self.port}/"

    def run(self) -> None:
        """Serves until `close`; returns when all streams have ended and the port is free."""
        self._post.start()
        try:
            while not self._is_closing:
                self._turn(TURN_S)
        finally:
            self._places.end_all()
            self._post.close(LAST_WORDS_S)
            self._waitress.task_dispatcher.shutdown(timeout=0.2)
            self._turn(0)
            self._waitress.close()
            wasyncore.close_all(self._channels, ignore_all=True)
            self._ended.set()

    def take(self, connection: socket.socket, phone: tuple[str, int]) -> None:
        """Takes a decrypted TLS connection, from a phone's address and port; from any thread."""
        connection.setblocking(False)
        self._handed.put((connection, phone))
        with contextlib.suppress(OSError):
            self._waitress.pull_trigger()

    def _turn(self, timeout_s: float) -> None:
        wasyncore.loop(timeout=timeout_s, use_poll=True, map=self._channels, count=1)
        while not self._handed.empty():
            connection, phone = self._handed.get()
            self._waitress.channel_class(self._waitress, connection, phone, self._secure, map=self._channels)
        if time.monotonic() >= self._sweep_s:
            self._sweep_s = time.monotonic() + SWEEP_S
            self._guard.sweep(list(self._channels.values()), self._places.addresses())

    def tell_to_end(self) -> None:
        """Asks `run` to end and does not wait; safe in a signal handler."""
        self._is_closing = True
        with contextlib.suppress(OSError):
            self._waitress.pull_trigger()

    def close(self, timeout_s: float = 5.0) -> None:
        """Asks `run` to end and waits until it has ended."""
        self.tell_to_end()
        self._ended.wait(timeout_s)

    @contextlib.contextmanager
    def running(self) -> Iterator[Server]:
        """Serves from a thread of its own as long as the block lasts."""
        thread = threading.Thread(target=self.run, name="web", daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self.close()
            thread.join(5.0)


def serve(app: Flask, host: str, port: int, *, on_ready: Callable[[Server], None] | None = None) -> None:
    """Serves from the main thread until SIGTERM or SIGINT, and returns within a second of it.

    `on_ready` is called once the port is ours. Raises: PortBusy.
    """
    server = Server(app, host, port)

    def stop(signum: int, frame: FrameType | None) -> None:
        server.tell_to_end()

    before = {which: signal.signal(which, stop) for which in (signal.SIGTERM, signal.SIGINT)}
    try:
        if on_ready is not None:
            on_ready(server)
        server.run()
    finally:
        for which, handler in before.items():
            signal.signal(which, handler)


def bound(host: str, port: int) -> socket.socket:
    """A socket bound to an address. Raises: PortBusy with what to do about it."""
    if not 0 <= port <= 65535:
        raise PortBusy(f"port {port} is not a port: expected 1 to 65535, or 0 for any free one")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
    except OSError as error:
        made.close()
        raise PortBusy(why_not(error, host, port)) from error
    return made


def allow_files(wanted: int) -> None:
    """Raises this process's limit of open files to `wanted`, or as far as the system allows: a shell and systemd begin
    with 1024."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        most = wanted if hard == resource.RLIM_INFINITY else min(hard, wanted)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def gone_options() -> list[tuple[int, int, int]]:
    """Socket options that detect a silent phone, if the system has them."""
    user_timeout = getattr(socket, "TCP_USER_TIMEOUT", None)  # Linux
    return [] if user_timeout is None else [(socket.IPPROTO_TCP, user_timeout, int(GONE_AFTER_S * 1000))]


def why_not(error: OSError, host: str, port: int) -> str:
    """The error of a failed bind: found, expected, what to do."""
    if error.errno == errno.EADDRINUSE:
        return (
            f"port {port} is in use by another program, expected a free one: "
            f"end that program (is companion running already?) or choose another with --port"
        )
    if error.errno in (errno.EACCES, errno.EPERM):
        return f"port {port} may not be opened by this user: choose one above 1023 with --port"
    if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
        return f"{host} is not an address of this machine: give one that is with --host, or 0.0.0.0 for all"
    return f"the address {host}:{port} cannot be opened ({error.strerror}): choose another with --host and --port"
