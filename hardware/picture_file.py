"""Reads picture files: each is checked and decoded, or refused with a sentence that says what is wrong.

All pictures from outside are decoded here, so one place decides which way up they are (`pixels_of`).
OpenCV gets bytes: its own `imread` dies of a name that is not UTF-8.
"""

import io
import logging
import os
import struct
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile
from threading import Lock

import cv2
import numpy as np
from PIL import Image

from calibration.arrays import Picture
from companion.game.errors import CameraError, ReadingError, ReadingFault
from companion.game.says import Says
from hardware.camera import Camera, Clock, Frame, a_picture

MOST_PX = 120_000_000
MOST_BYTES = 100_000_000
TOO_LARGE = "is a picture too large to be decoded: give a smaller one"
PICTURE_STARTS = (b"\xff\xd8", b"\x89PNG")
DAMAGED = (b"premature end of data segment", b"bad Huffman code", b"bad arithmetic code", b"instead of RST")
"""Message of libjpeg about a damaged picture. It also complains about extra bytes, although nothing is lost then."""
_ASIDE = Lock()
"""Held by the thread that has turned standard error aside: a second would take the first's file for standard error."""


def readable(name: str) -> str:
    """Held by the thread that has redirected standard error: a second thread would take the first thread's file for it.

    >>> readable("caf\\udce9.jpg") == "caf\\ufffd.jpg"
    True
    """
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def pixels_of(raw: bytes, *, is_calibrated: bool) -> Picture | None:
    """An encoded picture as BGR, shape (H, W, 3); None: it cannot be decoded.

    A lens belongs to the sensor's pixels, so the orientation in the header of a calibrated camera's picture is ignored:
    a phone held flat changes it between two pictures. Any other photograph is turned the way people see it.

    Raises: cv2.error: more pixels than OpenCV takes, or than there is memory for.
    """
    way = cv2.IMREAD_COLOR | (cv2.IMREAD_IGNORE_ORIENTATION if is_calibrated else 0)
    picture = cv2.imdecode(np.frombuffer(raw, np.uint8), way) if raw else None
    return None if picture is None else np.asarray(picture, np.uint8)


def decoded(path: Path, *, is_calibrated: bool, passes_on: bool = False) -> Picture:
    """A picture file as BGR, shape (H, W, 3). Raises: ReadingError(not_an_image).

    `is_calibrated`: the picture measures a lens, or is read with a lens (see `pixels_of`).
    `passes_on`: whether to pass on other lines that were written to standard error meanwhile. Another thread of the
    process may have written them.
    """
    raw = _file(path)
    said: list[bytes] = []
    try:
        with _kept_off_standard_error(said, passes_on=passes_on):
            picture = pixels_of(raw, is_calibrated=is_calibrated)
    except cv2.error as error:
        raise ReadingError(ReadingFault.NOT_AN_IMAGE, f"{path} {TOO_LARGE}") from error
    if picture is None:
        raise ReadingError(ReadingFault.NOT_AN_IMAGE, f"{path} {_why_undecoded(raw)}")
    if any(map(_tells_of_damage, said)):
        raise ReadingError(
            ReadingFault.NOT_AN_IMAGE, f"{path} is a damaged JPEG, part of its picture is lost: copy or take it again"
        )
    return picture


def _why_undecoded(raw: bytes) -> str:
    """Why a file is not a picture, and what to do about it.

    >>> _why_undecoded(b""), _why_undecoded(b"%PDF")
    ('is empty: copy or take it again', 'is not a picture that can be decoded: give a JPEG or PNG file')
    """
    if not raw:
        return "is empty: copy or take it again"
    if raw.startswith(PICTURE_STARTS):
        return "begins as a picture does and cannot be decoded, it is damaged or cut off: copy or take it again"
    return "is not a picture that can be decoded: give a JPEG or PNG file"


def _file(path: Path) -> bytes:
    """The bytes of a picture file, whose header is checked first. Raises: ReadingError(not_an_image)."""
    try:
        if path.exists() and not path.is_file():
            kind = "a folder" if path.is_dir() else "a device or a pipe"
            raise ReadingError(ReadingFault.NOT_AN_IMAGE, f"{path} is {kind}, expected a picture: give a picture file")
        if path.stat().st_size > MOST_BYTES:
            raise ReadingError(ReadingFault.NOT_AN_IMAGE, f"{path} {TOO_LARGE}")
        raw = path.read_bytes()
    except OSError as error:
        why = error.strerror or "no reason given"
        raise ReadingError(
            ReadingFault.NOT_AN_IMAGE, f"{path} cannot be opened ({why}): give a picture file"
        ) from error
    must_be_small(raw, str(path))
    return raw


def must_be_small(raw: bytes, name: str) -> None:
    """Checks a picture's header before decoding. Raises: ReadingError(not_an_image): too many pixels."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(raw)) as header:
                width_px, height_px = header.size
    except (Image.DecompressionBombError, MemoryError) as error:
        raise ReadingError(ReadingFault.NOT_AN_IMAGE, f"{name} {TOO_LARGE}") from error
    except (OSError, ValueError, SyntaxError, struct.error):
        return  # what Pillow does not know OpenCV may, or says that it does not
    if width_px * height_px > MOST_PX:
        raise ReadingError(ReadingFault.NOT_AN_IMAGE, f"{name} {TOO_LARGE}")


def _tells_of_damage(line: bytes) -> bool:
    return any(words in line for words in DAMAGED)


@contextmanager
def _kept_off_standard_error(said: list[bytes], *, passes_on: bool) -> Iterator[None]:
    """Appends to `said` what libpng, libjpeg and OpenCV write to standard error, for one thread at a time."""
    with _ASIDE:
        try:
            before, aside = os.dup(2), TemporaryFile()  # noqa: SIM115 - closed below
        except OSError:  # standard error is closed or cannot be duplicated: the libraries write to its usual place
            yield
            return
        if sys.stderr is not None:
            sys.stderr.flush()
        os.dup2(aside.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(before, 2)
            os.close(before)
            aside.seek(0)
            said += aside.read().splitlines(keepends=True)
            aside.close()
            others = b"".join(line for line in said if not _tells_of_damage(line))
            if passes_on and others:
                with suppress(OSError):
                    os.write(2, others)


ENDINGS = (".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff")

_LOGGER = logging.getLogger(__name__)


class FolderCamera(Camera):
    """Gives the pictures of a folder in the order of their names, with a pause of `period_s`.

    Args:
        again: start again after the last picture; otherwise the camera ends there.
        wait: how to wait; a test gives another function. None: until the time is over or the camera is closed.
        told: reasons for refused pictures that were already reported, so they are not repeated; shared between openings
            of a folder.
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
        self.name: Says | str = readable(str(folder))
        self.is_live = False
        if not folder.is_dir():
            raise CameraError(Says("{camera} is not a folder, expected one with pictures", {"camera": self.name}))
        self._paths = sorted(p for p in folder.iterdir() if p.suffix.lower() in ENDINGS)
        if not self._paths:
            words = "{camera} holds no pictures, expected files such as {endings}"
            raise CameraError(Says(words, {"camera": self.name, "endings": ", ".join(ENDINGS[:3])}))
        self._period_s = period_s
        self._again = again
        self._clock = clock
        self._closed = threading.Event()
        self._wait = wait or self._closed.wait
        self._count = 0
        self._due_s = clock()

    def frame(self, timeout_s: float) -> Frame:
        early_s = self._due_s - self._clock()
        if early_s > 0:
            self._wait(min(early_s, timeout_s))
        if self._closed.is_set():
            raise CameraError(Says("{camera} was closed", {"camera": self.name}))
        if early_s > timeout_s:
            raise CameraError(Says("{camera} sends no picture", {"camera": self.name}))
        if self._count >= len(self._paths) and not self._again:
            words = "{camera} has no more pictures after {n}"
            raise CameraError(Says(words, {"camera": self.name, "n": len(self._paths)}))
        path, picture = self._next_picture()
        frame = Frame(a_picture(picture, readable(str(path))), self._clock(), self._count)
        self._count += 1
        self._due_s = max(self._due_s + self._period_s, self._clock())
        return frame

    def close(self) -> None:
        self._closed.set()

    def _next_picture(self) -> tuple[Path, Picture]:
        """The next picture. A picture that cannot be decoded is reported, skipped and forgotten."""
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
        raise CameraError(Says(words, {"camera": self.name}))
