"""The process of a table: messages to systemd, memory, a new start when a game's file changes.

Source: sd_notify(3): a datagram to the socket that NOTIFY_SOCKET names; `@` begins an abstract one."""

import contextlib
import ctypes
import logging
import os
import socket
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

_LOGGER = logging.getLogger(__name__)
BEATS = 3
"""Heartbeats in each watchdog period, after which systemd restarts a silent service."""


def notify(words: str, env: Mapping[str, str] = os.environ) -> bool:
    """Sends words to systemd, e.g. ``READY=1``; False: nobody listens."""
    where = env.get("NOTIFY_SOCKET", "")
    if not where:
        return False
    address = "\0" + where[1:] if where.startswith("@") else where
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.sendto(words.encode(), address)
    except OSError:  # also too many open files: the next heartbeat may get through
        return False
    return True


def watchdog_s(env: Mapping[str, str] = os.environ) -> float | None:
    """Silence after which systemd restarts the service, s; None: it does not.

    >>> watchdog_s({"WATCHDOG_USEC": "30000000"}), watchdog_s({})
    (30.0, None)
    """
    text = env.get("WATCHDOG_USEC", "")
    return int(text) / 1e6 if text.isdigit() and int(text) else None


def start_anew(env: Mapping[str, str] = os.environ) -> None:
    """Ends the process if systemd will restart it, and closes nothing: threads may hang in a driver."""
    if env.get("NOTIFY_SOCKET"):
        _LOGGER.error("the camera hung too often: the table starts anew")
        notify("STATUS=the camera hung too often", env)
        os._exit(os.EX_TEMPFAIL)


class Heartbeat:
    """Sends heartbeats to systemd, as long as `is_alive` says so."""

    def __init__(self, is_alive: Callable[[], bool], env: Mapping[str, str] = os.environ) -> None:
        self._is_alive, self._env = is_alive, env
        self._ended = threading.Event()

    def start(self) -> None:
        """Says READY, and starts the heartbeat in its own thread if systemd asked for it."""
        notify("READY=1\nSTATUS=the pages are open", self._env)
        period_s = watchdog_s(self._env)
        if period_s is not None:
            threading.Thread(target=self._beat, args=(period_s / BEATS,), name="heartbeat", daemon=True).start()

    def close(self) -> None:
        self._ended.set()
        notify("STOPPING=1", self._env)

    def _beat(self, every_s: float) -> None:
        while not self._ended.wait(every_s):
            alive = False
            with contextlib.suppress(Exception):  # the thread's catch-all: a service that cannot answer is not alive
                alive = self._is_alive()
            if alive:
                notify("WATCHDOG=1", self._env)


def answers(port: int, timeout_s: float = 5.0) -> bool:
    """Whether the pages on this machine still answer."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout_s) as asked:
            asked.sendall(b"HEAD /join HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n")
            return asked.recv(12).startswith(b"HTTP/1.")
    except OSError:
        return False


M_MMAP_THRESHOLD = -3
"""`mallopt` parameter from malloc.h. Setting it turns off glibc's growing threshold."""
LARGE_BYTES = 1024 * 1024
"""Blocks of at least this size, such as pictures, go back to the system once freed; below it page faults cost more."""


def spare_memory() -> None:
    """Returns the memory of freed pictures to the system: else glibc keeps 200 MB in a demo."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").mallopt(M_MMAP_THRESHOLD, LARGE_BYTES)


EVERY_S = 0.5


def reload_on_change(folder: Path) -> None:
    """Watches a folder in a thread. The next start resumes the match, as after a kill."""
    threading.Thread(target=_watch, args=(folder,), name="reload", daemon=True).start()


def _watch(folder: Path) -> None:
    stop, before = threading.Event(), _seen(folder)
    while not stop.wait(EVERY_S):
        try:
            now = _seen(folder)
            if now != before:
                before = now
                for path in folder.rglob("*.py"):  # an unfinished file does not start
                    compile(path.read_bytes(), path, "exec")
                os.execv(sys.executable, sys.orig_argv)  # noqa: S606  (the same program again)
                return
        except Exception as error:  # the thread's catch-all: what cannot be read now may be readable later
            _LOGGER.warning("%s is not loaded again: %s", folder, error)


def _seen(folder: Path) -> dict[str, int]:
    files = (path for path in folder.rglob("*") if "__pycache__" not in path.parts and path.is_file())
    return {str(path): path.stat().st_mtime_ns for path in files}
