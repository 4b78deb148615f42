"""Frames of one camera through the watch into the match: the thread that looks at the table."""

from __future__ import annotations

import logging
import math
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from companion.errors import ReadingFault
from companion.match import Match
from companion.says import Says
from companion.view import Sight
from hardware.camera import Camera
from hardware.supervised import PATIENCE_S, SupervisedCamera
from vision.watch import INTERNAL, Glance, Watch, live_jpeg

FRAME_TIMEOUT_S = 0.5
PAUSE_AFTER_FAULT_S = 1.0
ILL_LIT = (ReadingFault.TOO_DARK, ReadingFault.TOO_BRIGHT)
ILL_LIT_S = 5.0
"""Too dark or too bright for so long: the lamps were changed, and the camera is to adapt to them."""
ADAPT_AGAIN_S = 30.0
"""The camera is not asked more often: while it adapts it measures nothing, and at night it would never end."""

_LOGGER = logging.getLogger(__name__)


class TableLoop:
    """Looks at the table as long as it runs: frames of a supervised camera, through the watch, into the match."""

    def __init__(self, camera: SupervisedCamera, watch: Watch) -> None:
        self._camera = camera
        self._watch = watch
        self._told: Glance | None = None
        self._sequence = -1
        self._ill_lit_since_s: float | None = None
        self._adapted_s = -math.inf
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, match: Match[Any, Any]) -> None:
        """Begins to look, for a match."""
        self._thread = threading.Thread(target=self._run, args=(match,), name="table", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ends the thread and the camera."""
        self._stopping.set()
        self._camera.close()
        if self._thread is not None:
            self._thread.join(5.0)

    def live(self) -> bytes | None:
        """The newest frame as a small JPEG, None while the camera sends nothing."""
        newest = self._camera.newest()
        return None if newest is None else live_jpeg(newest.picture)

    def advance(self, match: Match[Any, Any]) -> None:
        """Looks at the next frame, or says why there is none: what the thread does over and over."""
        frame = self._camera.newer(self._sequence, FRAME_TIMEOUT_S)
        blindness = self._camera.blindness
        if frame is not None:
            self._sequence = frame.sequence
            glance = self._watch.take(frame.picture, frame.at_s)
            self._tell(match, glance)
            if glance.sight is Sight.SEES:
                match.still(frame.at_s)
            self._adapt(glance, frame.at_s)
        elif blindness is not None:
            self._tell(match, self._watch.lost(Says("{why}", {"why": blindness.why}), blindness.cause.value))

    def _adapt(self, glance: Glance, at_s: float) -> None:
        """Has the camera adapt to another light: it kept what it found at its start, and that may have been night."""
        if glance.code not in ILL_LIT:
            self._ill_lit_since_s = None
            return
        since_s = self._ill_lit_since_s = at_s if self._ill_lit_since_s is None else self._ill_lit_since_s
        if at_s - since_s >= ILL_LIT_S and at_s - self._adapted_s >= ADAPT_AGAIN_S:
            self._adapted_s = at_s
            _LOGGER.info("the camera adapts to the light: %s", glance.says)
            self._camera.adapt()
            self._watch.forget()

    def _run(self, match: Match[Any, Any]) -> None:
        while not self._stopping.is_set():
            try:
                self.advance(match)
            except Exception:  # the thread's edge: a bad frame must not end the looking
                _LOGGER.exception("a frame could not be looked at")
                says = Says("a picture could not be read: see the log of the box")
                self._tell(match, self._watch.lost(says, INTERNAL))
                self._stopping.wait(PAUSE_AFTER_FAULT_S)

    def _tell(self, match: Match[Any, Any], glance: Glance) -> None:
        told, self._told = self._told, glance
        if glance.look is not None:
            match.looked(glance.look)
        if told is None or (told.sight, told.says, told.code) != (glance.sight, glance.says, glance.code):
            match.saw(glance.sight, glance.says, glance.code)


def supervised(open_camera: Callable[[], Camera], patience_s: float = PATIENCE_S) -> SupervisedCamera:
    """A camera under supervision, started. It hangs when it sends nothing for `patience_s`."""
    camera = SupervisedCamera(open_camera, lambda is_blind, why: None, patience_s=patience_s)
    camera.start()
    return camera


def data_dir(given: Path | None) -> Path:
    """The folder of matches and settings: what was given, else the user's own data folder."""
    if given is not None:
        return given
    base = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(base) / "companion"
