"""Opens a camera, and gives its frames through the watch to the match: the thread that looks at the table."""

import contextlib
import logging
import math
import re
import threading
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from calibration.lens import UNTOLD, Lens
from companion.app.data import data_dir
from companion.game.board import Board
from companion.game.brought import board_of_kit
from companion.game.errors import CameraError, CompanionError, ReadingFault
from companion.game.game import Game
from companion.game.kit import Kit
from companion.game.says import Says
from companion.game.text_file import text_of_file
from companion.game.view import Sight
from companion.match.match import Match
from hardware.camera import Blindness, Camera, CameraSettings, Frame
from hardware.machine import Effort
from hardware.supervised import PATIENCE_S, SupervisedCamera
from vision.frame.watch import INTERNAL, UNLIT, Glance, Watch, live_jpeg
from vision.readers import reader_of

FRAME_TIMEOUT_S = 0.2
"""Maximum time before a blind camera is noticed, s."""
REST_S = 0.5
"""Time without movement after which a table counts as settled, s."""
PAUSE_AFTER_FAULT_S = 1.0
ILL_LIT_S = 5.0
"""Time too dark or too bright after which the lamps count as changed, s. The camera then adapts to the new light."""
ADAPT_AGAIN_S = 30.0
"""Minimum time between two requests to adapt, s: an adapting camera measures nothing."""

SLOW_S, SLOW_FRAMES = 0.6, 2
"""Maximum time between two pictures, s, and number of longer gaps in a row in which hands may go unseen."""
SLOW = "slow"
SLOW_WORDS = (
    "the camera sends only {rate} pictures a second, expected 2 or more: give it more light, or another USB socket"
)
BUSY_WORDS = (
    "only {rate} pictures a second arrive, expected 2 or more: the processor is busy, end other programs on this box"
)
UNNOTED = "lens_unnoted"
UNNOTED_WORDS = (
    "the table is seen; the lens file does not say how its camera was set, so more is too close to call: calibrate the "
    "lens on the set-up page"
)

CAMERA_DEFAULT = CameraSettings()
_NUMBERED = re.compile(r"(?P<kind>pi|usb)(?::(?P<number>[0-9]{1,3}))?")
_LOGGER = logging.getLogger(__name__)


class Frames(Protocol):
    """A source of frames; `hardware.supervised.SupervisedCamera` implements it."""

    @property
    def blindness(self) -> Blindness | None:
        """Why frames are missing, None while they come."""

    def newer(self, sequence: int, timeout_s: float) -> Frame | None:
        """The newest frame after that number, None if none came in time."""

    def newest(self) -> Frame | None:
        """The newest frame, None while blind."""

    def adapt(self) -> None:
        """Adapts to the light again."""


class CameraLoop:
    """Feeds frames of a supervised camera through the watch into the match, as long as it runs."""

    def __init__(
        self,
        camera: Frames,
        watch: Watch,
        checked: Callable[[Glance, Watch], Glance] | None = None,
        *,
        slow_s: float = SLOW_S,
        effort: Effort | None = None,
    ) -> None:
        self._camera = camera
        self._effort = effort or Effort()
        self._watch = watch
        self._checked = checked or (lambda glance, _: glance)
        self._told: Glance | None = None
        self._sequence = -1
        self._slow_s = slow_s
        self._frame_s: float | None = None
        self._late, self._is_slow = 0, False
        self._ill_lit_since_s: float | None = None
        self._adapted_s = -math.inf
        self._drawn: tuple[int, bytes] | None = None
        self._drawn_lock = threading.Lock()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def kit(self) -> Kit:
        return self._watch.kit

    def start(self, match: Match[Any, Any]) -> None:
        self._thread = threading.Thread(target=self._run, args=(match,), name="table", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ends the thread; whoever opened the camera closes it."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(5.0)

    def live(self) -> bytes | None:
        """The newest frame as a small JPEG, None while the camera sends nothing."""
        newest = self._camera.newest()
        if newest is None:
            return None
        with self._drawn_lock:  # once a frame, however many phones ask for it
            if self._drawn is None or self._drawn[0] != newest.sequence:
                self._drawn = (newest.sequence, live_jpeg(newest.picture))
            return self._drawn[1]

    def advance(self, match: Match[Any, Any]) -> None:
        """Looks at the next frame, or reports why there is none. The thread repeats this."""
        frame = self._camera.newer(self._sequence, FRAME_TIMEOUT_S)
        blindness = self._camera.blindness
        if frame is not None:
            period_s = self._period_s(frame)
            unlike = self._unlike(frame)
            if unlike is not None:
                lost = self._watch.lost(unlike, ReadingFault.WRONG_LENS.value)
                self._tell(match, self._checked(lost, self._watch))
                return
            if self._comes_slowly(period_s):
                words = BUSY_WORDS if self._effort.is_busy else SLOW_WORDS
                self._tell(match, self._watch.lost(Says(words, {"rate": f"{1 / period_s:.1f}"}), SLOW))
                return
            glance = self._watch.take(frame.picture, frame.at_s, lambda reading: self._tell(match, reading))
            self._tell(match, self._checked(self._unsure(glance), self._watch))
            if glance.sight is Sight.SEES:
                match.still(frame.at_s)
            self._adapt(glance, frame.at_s)
        elif blindness is not None:
            self._frame_s = None
            self._tell(match, self._watch.lost(blindness.why, blindness.cause.value))

    def _unlike(self, frame: Frame) -> Says | None:
        """Why a frame does not fit the lens file: another mode, another focus or another camera."""
        kept = self._watch.lens.mode
        why = None if kept is None or frame.mode is None else kept.unlike(frame.mode)
        words = "the camera does not match its lens file: {why}. Calibrate it again, or use this camera's lens file"
        return None if why is None else Says(words, {"why": why})

    def _unsure(self, glance: Glance) -> Glance:
        """The glance, with a warning if the lens file lacks the camera's settings: then they cannot be compared."""
        if self._watch.lens.mode != UNTOLD or glance.sight is not Sight.SEES or glance.code:
            return glance
        return replace(glance, says=Says(UNNOTED_WORDS), code=UNNOTED)

    def _period_s(self, frame: Frame) -> float:
        """The camera's time between two pictures, s. Skipped pictures count too."""
        before_s, passed = self._frame_s, frame.sequence - self._sequence
        self._frame_s, self._sequence = frame.at_s, frame.sequence
        return 0.0 if before_s is None else (frame.at_s - before_s) / passed

    def _comes_slowly(self, period_s: float) -> bool:
        if self._late == 0:
            self._effort.begin()
        self._late = min(self._late + 1, SLOW_FRAMES) if period_s > self._slow_s else max(self._late - 1, 0)
        self._is_slow = self._late == SLOW_FRAMES or (self._is_slow and self._late > 0)
        return self._is_slow

    def _adapt(self, glance: Glance, at_s: float) -> None:
        """Makes the camera adapt to changed light: its settings are from its start, perhaps at night."""
        if glance.code not in UNLIT:
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
            except Exception:  # the thread's catch-all: a bad frame must not end the loop
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


def is_read(game: Game[Any, Any], options: Mapping[str, str] | None = None) -> bool:
    """Whether a camera reads a match with these options; else people tap what happens."""
    key, values = game.eyes.only_with or ("", ("",))
    value = (options or {}).get(key, next((option.default for option in game.options if option.key == key), ""))
    return reader_of(game) is not None and value in values


def watch_of(
    game: Game[Any, Any], lens: Lens, kit: Kit, board: Board | None = None, *, rest_s: float = REST_S
) -> Watch:
    """The watch of a camera over the table of a game that `is_read`. `board` None: the kit's own."""
    reader = reader_of(game)
    assert reader is not None
    options: dict[str, Any] = {}
    if any(option.key == "board" for option in reader.options):
        options["board"] = board if board is not None else board_of_kit(kit)
    return Watch(reader.open_table(lens, kit, **options), lens, kit, rest_s=rest_s)


def supervised(
    open_camera: Callable[[], Camera], patience_s: float = PATIENCE_S, on_stuck: Callable[[], None] = lambda: None
) -> SupervisedCamera:
    """A camera under supervision, started. It counts as hanging when it sends nothing for `patience_s`."""
    camera = SupervisedCamera(open_camera, patience_s=patience_s, on_stuck=on_stuck)
    camera.start()
    return camera


class NoCameraNamed(CompanionError, ValueError):
    """`--camera` names no camera, folder or film."""

    status = 2


SETTINGS = Path("/etc/companion/companion.toml")
"""The settings of the table service on this machine, if it is installed."""


def of_the_box(key: str, otherwise: Any = None) -> Callable[[], Any]:
    """An option's default: the setting of the table service on this machine, if it has one."""

    def default() -> Any:
        with contextlib.suppress(OSError, ValueError):
            return tomllib.loads(text_of_file(SETTINGS)).get(key, otherwise)
        return otherwise

    return default


def box_dir(given: Path | None) -> Path:
    """The given folder, else the one of the table service on this machine, else the user's own."""
    named = of_the_box("data")()
    return data_dir(given or (Path(named) if isinstance(named, str) else None))


def opener(spec: str, size_px: tuple[int, int], settings: CameraSettings = CAMERA_DEFAULT) -> Callable[[], Camera]:
    """Opens the camera named by `spec`, again after every failure. Raises: NoCameraNamed."""
    if spec == "auto":
        return lambda: _any(size_px, settings)
    numbered = _NUMBERED.fullmatch(spec)
    if numbered:
        number = int(numbered["number"] or 0)
        open_it = _pi if numbered["kind"] == "pi" else _usb
        return lambda: open_it(number, size_px, settings)
    if is_hardware(spec):  # it may be plugged in later
        return lambda: _usb(spec, size_px, settings)
    path = Path(spec)
    if path.is_dir():
        told: set[str] = set()
        return lambda: _folder(path, told)
    if path.is_file():
        return lambda: _usb(str(path), size_px, settings)
    raise NoCameraNamed(
        f"{spec!r} is no camera: expected auto, pi, pi:1, usb:0, /dev/v4l/by-id/NAME, a folder of pictures or a film"
    )


def is_hardware(spec: str) -> bool:
    """Whether `--camera` names a camera, and not pictures or a film."""
    from hardware.video import is_device

    return spec == "auto" or _NUMBERED.fullmatch(spec) is not None or is_device(spec)


def _pi(number: int, size_px: tuple[int, int], settings: CameraSettings) -> Camera:
    from hardware.picamera import PiCamera

    return PiCamera(number, size_px, settings)


def _usb(source: int | str, size_px: tuple[int, int], settings: CameraSettings) -> Camera:
    from hardware.video import VideoCamera

    return VideoCamera(source, size_px, settings)


def _folder(path: Path, told: set[str]) -> Camera:
    from hardware.picture_file import FolderCamera

    return FolderCamera(path, told=told)


def _any(size_px: tuple[int, int], settings: CameraSettings) -> Camera:
    try:
        return _pi(0, size_px, settings)
    except CameraError as no_pi:
        try:
            return _usb(0, size_px, settings)
        except CameraError as no_usb:
            found = {"pi": no_pi.sentence, "usb": no_usb.sentence}
            raise CameraError(Says("no camera is found: {pi}; {usb}", found)) from no_usb
