"""One server for table and hub: pages, streams, TLS and limits.

Choice: gevent's WSGI server. uvicorn with a2wsgi took 1.6 times the processor for a push to 200 phones, and granian
cannot limit what one address opens. At a table it has a thread of its own, and the application has `THREADS` others:
the camera, the writer and the store keep ordinary threads. A hub's process patches the standard library instead, and
everything in it takes turns. With threads, its news was late by twice as much on a busy machine.
"""

import contextlib
import dataclasses
import errno
import resource
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import gevent
from flask import Flask
from gevent import monkey
from gevent.event import Event
from gevent.pool import Pool
from gevent.threadpool import ThreadPool

from companion.game.errors import CompanionError
from web.site.https import context_of
from web.site.line import CONNECTIONS, Entrance, Guard
from web.site.post import Post

THREADS = 16
"""Threads for everything that is not a stream."""
ASKING, LEAST_ASKING = 4, 100
"""Connections reserved for plain requests: a share (one in 4), and a minimum. Pages need answers too."""
SPARE_FILES = 300
"""Open files reserved for the log, the camera and the libraries."""
BACKLOG = 1024
LAST_WORDS_S = 0.6
"""Time for streams to end, s; the rest are phones that stopped reading, and they are cut off."""


class PortBusy(CompanionError, OSError):
    """The address to serve on is taken, forbidden or not this machine's: a wrong call."""

    status = 2


Secure = tuple[int, Path]
"""A second port, by TLS, and the file with its certificate and key."""


class Server:
    """A bound server: `port` and `url` are known before `run` is called; `close` may come from any thread."""

    def __init__(
        self, app: Flask, host: str, port: int, *, secure: Secure | None = None, of_an_address: int = CONNECTIONS
    ) -> None:
        """Binds. Raises: PortBusy in one sentence, CertificateError."""
        self.app, self.host = app, host
        site = app.extensions["companion"]
        self._places, self._heartbeat_s = site.places, site.heartbeat_s
        self._connections = site.places.cap + max(site.places.cap // (ASKING - 1), LEAST_ASKING)
        self._guard = Guard(time.monotonic, of_an_address, limits_taps=site.limits_taps)
        allow_files(self._connections + SPARE_FILES)
        self._tls = None if secure is None else context_of(secure[1])
        self._sockets = [bound(host, port)]
        self.port: int = self._sockets[0].getsockname()[1]
        self.secure_port: int | None = None
        if secure is not None:
            self._sockets.append(bound(host, secure[0]))
            self.secure_port = self._sockets[1].getsockname()[1]
        for each in self._sockets:
            each.listen(BACKLOG)
            each.setblocking(False)
        if site.join_url.endswith(":0/"):  # any free port was asked for, and its number is known only now
            join_url = f"{site.join_url.removesuffix(':0/')}:{self.port}/"
            app.extensions["companion"] = dataclasses.replace(site, join_url=join_url)
        self._is_closing = False
        self._bell = None
        self._ended = threading.Event()

    @property
    def url(self) -> str:
        """The address of this server on this machine."""
        host = "127.0.0.1" if self.host in ("", "0.0.0.0", "::") else self.host
        return f"http://[{host}]:{self.port}/" if ":" in host else f"http://{host}:{self.port}/"

    def run(self) -> None:
        """Serves until `close`; returns when all streams have ended and the port is free."""
        hub, told = gevent.get_hub(), Event()
        try:
            bell = self._bell = hub.loop.async_()
            bell.start(told.set)
            self._serve(told)
        finally:
            if not monkey.is_module_patched("threading"):
                hub.destroy(destroy_loop=True)
            for each in self._sockets:
                each.close()
            self._ended.set()

    def _serve(self, told: Event) -> None:
        lines, threads, post = Pool(self._connections), ThreadPool(THREADS), Post(self._heartbeat_s)
        entrances = [
            Entrance(each, self.app, lines, self._guard, post, threads, tls)
            for each, tls in zip(self._sockets, (None, self._tls), strict=False)
        ]
        for entrance in entrances:
            entrance.start()
        while not self._is_closing:
            told.wait()
        for entrance in entrances:
            entrance.close()
        self._places.end_all()
        post.close(LAST_WORDS_S)
        lines.kill(timeout=LAST_WORDS_S)
        with gevent.Timeout(LAST_WORDS_S, False):  # the last answers are not waited for longer
            threads.kill()

    def tell_to_end(self) -> None:
        """Asks `run` to end and does not wait; safe in a signal handler."""
        self._is_closing = True
        if self._bell is not None:
            with contextlib.suppress(ValueError):  # it has ended
                self._bell.send()

    def wait(self) -> None:
        self._ended.wait()

    def close(self, timeout_s: float = 5.0) -> None:
        """Asks `run` to end and waits until it has ended."""
        self.tell_to_end()
        self._ended.wait(timeout_s)

    @contextlib.contextmanager
    def running(self) -> "Iterator[Server]":
        """Serves from a thread of its own as long as the block lasts."""
        thread = threading.Thread(target=self.run, name="web", daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self.close()
            thread.join(5.0)


def serve(
    app: Flask,
    host: str,
    port: int,
    *,
    secure: Secure | None = None,
    of_an_address: int = CONNECTIONS,
    on_ready: Callable[[Server], None] | None = None,
) -> int | None:
    """Serves until SIGTERM or SIGINT, and returns that signal within a second of it.

    `on_ready` is called once the port is ours. Raises: PortBusy, CertificateError.
    """
    server = Server(app, host, port, secure=secure, of_an_address=of_an_address)
    told: list[int] = []

    def stop(signum: int, frame: FrameType | None) -> None:
        told.append(signum)
        server.tell_to_end()

    before = {which: signal.signal(which, stop) for which in (signal.SIGTERM, signal.SIGINT)}
    try:
        with server.running():
            if on_ready is not None:
                on_ready(server)
            server.wait()
    finally:
        for which, handler in before.items():
            signal.signal(which, handler)
    return told[0] if told else None


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
