"""Frames of one camera through the watch into the match: the thread that looks at the table."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from companion.match import Match
from companion.says import Says
from companion.view import Sight
from vision.readers import Picture
from vision.watch import Glance, Watch, live_jpeg

NextFrame = Callable[[float], tuple[Picture, float] | None]
"""The next frame and its monotonic time, waiting at most so many seconds; None: none came."""

FRAME_TIMEOUT_S = 0.5
NO_PICTURE_S = 2.0
"""A camera that has sent nothing for this long is blind."""

_LOGGER = logging.getLogger(__name__)


class TableLoop:
    """Looks at the table as long as it runs. `live` gives the newest frame for the pages."""

    def __init__(self, next_frame: NextFrame, watch: Watch, clock: Callable[[], float]) -> None:
        self._next_frame = next_frame
        self._watch = watch
        self._clock = clock
        self._newest: tuple[Picture, float] | None = None
        self._told: Glance | None = None
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, match: Match[Any, Any]) -> None:
        """Begins to look, for a match."""
        self._thread = threading.Thread(target=self._run, args=(match,), name="table", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ends the thread."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(5.0)

    def live(self) -> bytes | None:
        """The newest frame as a small JPEG, None while the camera sends nothing."""
        newest = self._newest
        if newest is None or self._clock() - newest[1] > NO_PICTURE_S:
            return None
        return live_jpeg(newest[0])

    def _run(self, match: Match[Any, Any]) -> None:
        last_s = self._clock()
        while not self._stopping.is_set():
            try:
                frame = self._next_frame(FRAME_TIMEOUT_S)
                if frame is None:
                    silent_s = self._clock() - last_s
                    if silent_s > NO_PICTURE_S:
                        words = "the camera sends no picture: check its cable"
                        self._tell(match, Glance(Sight.BLIND, Says(words), "no_picture"))
                    continue
                last_s = frame[1]
                self._newest = frame
                self._tell(match, self._watch.take(*frame))
            except Exception:  # the thread's edge: a bad frame must not end the looking
                _LOGGER.exception("a frame could not be looked at")
                self._tell(match, Glance(Sight.BLIND, Says("a picture could not be read: see the log"), "internal"))
                self._stopping.wait(1.0)

    def _tell(self, match: Match[Any, Any], glance: Glance) -> None:
        told, self._told = self._told, glance
        if glance.look is not None:
            match.looked(glance.look)
        if told is None or (told.sight, told.says, told.code) != (glance.sight, glance.says, glance.code):
            match.saw(glance.sight, glance.says, glance.code)


def data_dir(given: Path | None) -> Path:
    """The folder of matches and settings: what was given, else the user's own data folder."""
    if given is not None:
        return given
    base = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(base) / "companion"
