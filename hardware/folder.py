"""A folder of pictures as a camera: for benches, for a fault that was recorded, for a table without a camera."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path

from companion.game.errors import CameraError, ReadingError
from companion.game.says import Says
from hardware.camera import Camera, Clock, Frame, Picture, a_picture
from hardware.picture_file import decoded, readable

ENDINGS = (".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff")

_LOGGER = logging.getLogger(__name__)


class FolderCamera(Camera):
    """Gives the pictures of a folder in the order of their names, one every `period_s`.

    Args:
        again: start again after the last; else the camera ends there.
        wait: how to wait; a test gives its own. None: until the time is over or the camera is closed.
        told: reasons already given for refused pictures, not repeated; shared where a folder is opened again.
    Raises: CameraError: no such folder, or no picture in it.
    """

    def __init__(
        self,
        folder: Path,
        *,
        period_s: float = 0.2,
        again: bool = True,
        clock: Clock = time.monotonic,
        wait: Callable[[float], object] | None = None,
        told: set[str] | None = None,
    ) -> None:
        self._told = set() if told is None else told
        self._name = readable(str(folder))
        if not folder.is_dir():
            raise CameraError(Says("{camera} is not a folder, expected one with pictures", {"camera": self._name}))
        self._paths = sorted(p for p in folder.iterdir() if p.suffix.lower() in ENDINGS)
        if not self._paths:
            words = "{camera} holds no pictures, expected files such as {endings}"
            raise CameraError(Says(words, {"camera": self._name, "endings": ", ".join(ENDINGS[:3])}))
        self._period_s = period_s
        self._again = again
        self._clock = clock
        self._closed = threading.Event()
        self._wait = wait or self._closed.wait
        self._count = 0
        self._due_s = clock()

    @property
    def name(self) -> str:
        return self._name

    @property
    def is_live(self) -> bool:
        return False

    def frame(self, timeout_s: float) -> Frame:
        early_s = self._due_s - self._clock()
        if early_s > 0:
            self._wait(min(early_s, timeout_s))
        if self._closed.is_set():
            raise CameraError(Says("{camera} was closed", {"camera": self._name}))
        if early_s > timeout_s:
            raise CameraError(Says("{camera} sends no picture", {"camera": self._name}))
        if self._count >= len(self._paths) and not self._again:
            words = "{camera} has no more pictures after {n}"
            raise CameraError(Says(words, {"camera": self._name, "n": len(self._paths)}))
        path, picture = self._next_picture()
        frame = Frame(a_picture(picture, readable(str(path))), self._clock(), self._count)
        self._count += 1
        self._due_s = max(self._due_s + self._period_s, self._clock())
        return frame

    def close(self) -> None:
        self._closed.set()

    def _next_picture(self) -> tuple[Path, Picture]:
        """The next picture. A picture that `companion read` refuses is reported, skipped and forgotten."""
        while self._paths:
            path = self._paths[self._count % len(self._paths)]
            try:
                return path, decoded(path, is_calibrated=True, passes_on=True)
            except ReadingError as error:
                said = readable(str(error))
                if said not in self._told:
                    _LOGGER.warning("%s", said)
                self._told.add(said)
                self._paths.remove(path)
        words = "{camera} holds no picture that can be decoded, expected JPEG or PNG files"
        raise CameraError(Says(words, {"camera": self._name}))
