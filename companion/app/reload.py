"""Restarts the program when a file of a folder changes, for authors of games."""

from __future__ import annotations

import logging
import os
import sys
import threading
from pathlib import Path

_LOGGER = logging.getLogger(__name__)
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
        except Exception as error:  # the thread's edge: what cannot be read now may be readable later
            _LOGGER.warning("%s is not loaded again: %s", folder, error)


def _seen(folder: Path) -> dict[str, int]:
    """The files of a folder, and when each was changed."""
    files = (path for path in folder.rglob("*") if "__pycache__" not in path.parts and path.is_file())
    return {str(path): path.stat().st_mtime_ns for path in files}
