"""The interface of a camera: it gives frames, or says in one sentence why it cannot.

Sources: `picamera` (a Raspberry Pi's), `video` (USB, V4L2, a film), `FolderCamera` (a folder of pictures) and
`DrawnCamera` (anything that can be called). None is used bare: `supervised` times them out, starts them again and says
when the table is blind.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

import numpy as np

from calibration.arrays import Picture
from calibration.lens import CameraMode
from companion.game.errors import CameraError
from companion.game.says import Says

Clock = Callable[[], float]


class Cause(StrEnum):
    """Why a camera gives no usable picture: the codes of a blindness that the pages know."""

    STARTING = "starting"
    NO_PICTURE = "no_picture"
    FROZEN = "frozen"


@dataclass(frozen=True, slots=True)
class Blindness:
    """Why the camera sees nothing: a code, and a sentence."""

    cause: Cause
    why: Says


@dataclass(frozen=True, eq=False, slots=True)
class Frame:
    """One picture, BGR, shape (H, W, 3). `at_s`: when its exposure began if the camera reports it, else when the
    picture arrived (monotonic seconds). `sequence` counts from 0. `mode`: the camera's mode at that moment, None if the
    camera does not report it."""

    picture: Picture
    at_s: float
    sequence: int
    mode: CameraMode | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraSettings:
    """Settings of a camera.

    `mode`: the mode that a lens file was made with, which is requested again; None: the whole sensor. `focus_dioptres`:
    where to fix a motorised lens (1 / distance in m; other drivers use other numbers); None: from `mode`, else
    unchanged. Lamps flicker at twice `mains_hz`.
    """

    frames_per_s: float = 15.0
    focus_dioptres: float | None = None
    mains_hz: float = 50.0
    mode: CameraMode | None = None

    @property
    def focus(self) -> float | None:
        """The focus to set: the requested focus, else the lens file's."""
        if self.focus_dioptres is not None or self.mode is None:
            return self.focus_dioptres
        return self.mode.focus_dioptres


STEADY_FRAMES = 10
"""Number of almost equal frames after which exposure and white balance count as found."""
STEADY_SHARE = 0.02
MOST_SETTLING_FRAMES = 150
"""Maximum number of frames for a control loop to settle, as with a lamp that flickers; then its present figures are
kept."""


class Settling:
    """Decides whether a camera's exposure and white balance have settled, frame by frame."""

    def __init__(self) -> None:
        self._last: tuple[float, ...] | None = None
        self._steady = 0
        self._frames = 0

    def is_over(self, figures: tuple[float, ...], *, searches: bool = False) -> bool:
        """Takes one more frame's figures; `searches`: the camera itself reports that it is still adjusting."""
        last, self._last = self._last, figures
        self._frames += 1
        is_steady = (
            last is not None
            and len(last) == len(figures)
            and not searches
            and all(
                abs(now - before) <= STEADY_SHARE * max(abs(before), 1e-9)
                for now, before in zip(figures, last, strict=True)
            )
        )
        self._steady = self._steady + 1 if is_steady else 0
        return self._steady >= STEADY_FRAMES or self._frames >= MOST_SETTLING_FRAMES


class Camera(Protocol):
    """A source of frames. One thread at a time; `close` may come from another."""

    name: Says | str
    """Name for people: ``Pi camera 0``, ``/dev/video0``, a folder."""
    is_live: bool
    """Whether a sensor takes the pictures, no two alike; those of a folder, a film or a test may repeat."""

    def frame(self, timeout_s: float) -> Frame:
        """The next frame. Raises: CameraError: no frame came within `timeout_s`, or the camera is gone."""

    def adapt(self) -> None:
        """Lets exposure and white balance settle again and keeps them; no effect on a camera without such controls."""
        return None  # stated because a source without anything to adapt inherits this

    def close(self) -> None:
        """Closes the device. Calling it twice does no harm."""


class DrawnCamera(Camera):
    """A camera that calls a function for its pictures: the virtual table, a test.

    Args:
        draw: gives the next picture within about the given seconds, or None when there is none.
        is_live: no two pictures are alike: each has its own noise.
    """

    def __init__(
        self,
        name: str,
        draw: Callable[[float], Picture | None],
        clock: Clock = time.monotonic,
        *,
        is_live: bool = False,
    ) -> None:
        self.name: Says | str = name
        self.is_live, self._says = is_live, Says(name)
        self._draw = draw
        self._clock = clock
        self._count = 0

    def frame(self, timeout_s: float) -> Frame:
        picture = self._draw(timeout_s)
        if picture is None:
            raise CameraError(Says("{camera} sends no picture", {"camera": self._says}))
        frame = Frame(a_picture(picture, self._says), self._clock(), self._count)
        self._count += 1
        return frame

    def close(self) -> None:
        self._draw = lambda timeout_s: None


def a_picture(array: object, name: Says | str) -> Picture:
    """An array as a picture. Raises: CameraError if it is not of shape (H, W, 3) and bytes.

    >>> a_picture(np.zeros((4, 4)), "the camera")
    Traceback (most recent call last):
    companion.game.errors.CameraError: the camera sends arrays of shape (4, 4) and float64, expected (H, W, 3) and uint8
    """
    if not isinstance(array, np.ndarray):
        raise CameraError(Says("{camera} sends something other than pictures", {"camera": name}))
    if array.ndim != 3 or array.shape[2] != 3 or array.dtype != np.uint8 or not array.size:
        words = "{camera} sends arrays of shape {shape} and {kind}, expected (H, W, 3) and uint8"
        raise CameraError(Says(words, {"camera": name, "shape": str(array.shape), "kind": str(array.dtype)}))
    return array


# A camera that repeats its last picture counts as silent: the table may have changed long ago.
# A sensor's noise never repeats. So a picture equal to the previous picture, bit for bit, is not new.


FROZEN_S, FROZEN_FRAMES = 1.2, 3
"""A camera is frozen after this many seconds and this many repeats of the same picture."""
STEP_PX = 16
"""Pixels are compared with this stride both ways; noise is everywhere."""
FLAT_LEVELS = 16
"""A picture whose pixels span fewer of 255 levels proves nothing: under a lid or a lamp there may be no noise left."""


class CameraFrozen(CameraError):
    """A camera that sends the same picture again and again."""


class Repeats:
    """Detects repeated pictures of one live camera."""

    def __init__(self, name: Says | str) -> None:
        self._name = name
        self._sample: Picture | None = None
        self._since_s = 0.0
        self._repeats = 0

    def is_news(self, frame: Frame) -> bool:
        """Whether a frame's picture differs from the previous picture; False for the first frame, since that is
        unknown.

        Raises: CameraFrozen: the picture has stayed the same for too long.
        """
        sample = frame.picture[::STEP_PX, ::STEP_PX].copy()  # a driver may write the next picture into the same memory
        last, self._sample = self._sample, sample
        if int(sample.max()) - int(sample.min()) < FLAT_LEVELS:
            self._since_s, self._repeats = frame.at_s, 0
            return True
        if last is None or not np.array_equal(last, sample):
            self._since_s, self._repeats = frame.at_s, 0
            return last is not None
        self._repeats += 1
        repeated_s = frame.at_s - self._since_s
        if repeated_s >= FROZEN_S and self._repeats >= FROZEN_FRAMES:
            words = "{camera} sends the same picture over and over: if that goes on, switch the box off and on"
            raise CameraFrozen(Says(words, {"camera": self._name}))
        return False
