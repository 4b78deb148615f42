"""A camera that may hang, die and come back, without anyone waiting for it. Gives the newest frame only, and reports
when it is blind.

Two threads run next to the caller's: a worker opens the camera and takes frames, and a supervisor watches the clock. A
worker that gives no frame for too long is abandoned, because a driver's call that never returns cannot be stopped. A
new worker is started after a pause. The number of hanging workers is limited: each holds memory and perhaps the device.
"""

import logging
import math
import threading
import time
from collections.abc import Callable
from dataclasses import replace

from companion.game.errors import CameraError
from companion.game.says import Says
from hardware.camera import Blindness, Camera, CameraFrozen, Cause, Clock, Frame, Repeats

PATIENCE_S = 2.0
"""Maximum time without a frame before the table is blind."""
OPENING_S = 15.0
"""Maximum time to open a camera and get its first frame; then it counts as hanging."""
BACKOFF_S = (0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
"""Pauses before the first, second, ... attempt to start the camera again; the last pause repeats."""
MOST_BACKOFF_S = 5.0
"""Maximum pause after a camera that ended by itself, without a hanging call: one plugged in again is soon seen."""
MOST_HANGING = 3
"""Maximum number of abandoned workers that hang. No more are started until one of them comes back."""
STEADY_S = 10.0
"""A camera that lived for this long is steady: its next failure begins with the shortest pause again."""
TICK_S = 0.1
CLOSING_S = 2.0
"""Maximum wait for a frame under way when the camera is closed."""

Spawn = Callable[[Callable[[], None], str], None]

_LOGGER = logging.getLogger(__name__)


def _thread(run: Callable[[], None], name: str) -> None:
    threading.Thread(target=run, name=name, daemon=True).start()


class SupervisedCamera:
    """The newest frame of a camera, or None while blind. Safe from any thread.

    Args:
        open_camera: opens the camera; may raise CameraError, may hang.
        on_stuck: called once when `MOST_HANGING` workers hang and the camera had sent frames: a new process may help. A
            camera that never sent any hung in a new process already.
        clock, spawn: of seconds and of threads; a test gives its own.
    """

    def __init__(
        self,
        open_camera: Callable[[], Camera],
        *,
        clock: Clock = time.monotonic,
        spawn: Spawn = _thread,
        on_stuck: Callable[[], None] = lambda: None,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._open_camera = open_camera
        self._clock = clock
        self._spawn = spawn
        self._on_stuck = on_stuck
        self._is_stuck = False
        self._patience_s = patience_s
        self._arrived = threading.Condition()
        self._woken = threading.Event()
        self._stopping = False
        self._newest: Frame | None = None
        self._count = 0
        self._worker: _Worker | None = None
        self._hanging: list[_Worker] = []
        self._failures = 0
        self._next_start_s = clock()
        self._is_blind: bool | None = None
        starts = Says("the camera is starting: this takes up to {n} s", {"n": round(OPENING_S)})
        self._blindness = Blindness(Cause.STARTING, starts)

    @property
    def blindness(self) -> Blindness | None:
        """Why the camera sees nothing; None while it sees. Until the first failure the reason is that it is
        starting."""
        with self._arrived:
            return None if self._is_blind is False else self._blindness

    @property
    def hanging(self) -> int:
        """Number of abandoned calls into the camera that have not come back."""
        with self._arrived:
            return len(self._hanging)

    def newest(self) -> Frame | None:
        """The newest frame, without waiting; None while blind."""
        with self._arrived:
            if self._newest is None or self._clock() - self._newest.at_s > self._patience_s:
                return None
            return self._newest

    def newer(self, than: int, timeout_s: float) -> Frame | None:
        """The newest frame with a `sequence` above `than`, waiting at most `timeout_s`; None: no such frame came.

        Frames in between are lost. Sequence numbers continue after a restart.
        """
        with self._arrived:
            self._arrived.wait_for(
                lambda: self._stopping or (self._newest is not None and self._newest.sequence > than), timeout_s
            )
            frame = self._newest
            return frame if frame is not None and frame.sequence > than else None

    def adapt(self) -> None:
        """Makes the camera adapt to the light before its next frame, or when it opens if it is closed."""
        with self._arrived:
            if self._worker is not None:
                self._worker.is_to_adapt = True

    def start(self) -> None:
        self._spawn(self._supervise, "camera supervisor")

    def close(self, patience_s: float | None = None) -> None:
        """Ends the threads; a hanging camera's thread ends with the process.

        If the interpreter ended while a worker is inside a driver's C++ code, the process would abort. So this waits
        for the worker, by default `CLOSING_S`; before the first picture, until the worker counts as hanging.
        """
        with self._arrived:
            self._stopping = True
            worker, self._worker = self._worker, None
            self._arrived.notify_all()
        self._woken.set()
        if worker is not None:
            worker.abandon()
            first_s = 0.0 if worker.has_sent else worker.began_s + worker.patience_s - self._clock()
            worker.over.wait(max(CLOSING_S, first_s) if patience_s is None else patience_s)

    def tick(self) -> None:
        """One check of the clock, every tenth of a second."""
        now_s = self._clock()
        with self._arrived:
            was_blind = self._is_blind
            self._judge(now_s)
            worker = self._next_worker(now_s)
            is_blind, why = self._is_blind, self._blindness.why
            was_stuck, self._is_stuck = self._is_stuck, len(self._hanging) >= MOST_HANGING and self._count > 0
        if is_blind is not None and is_blind is not was_blind:
            _LOGGER.info("camera: %s", why if is_blind else "sees")
        # call back and start threads only outside the lock: the callback may ask for a frame
        if self._is_stuck and not was_stuck:
            self._on_stuck()
        if worker is not None:
            self._spawn(worker.run, "camera")

    def _judge(self, now_s: float) -> None:
        self._hanging = [worker for worker in self._hanging if not worker.is_over]
        worker = self._worker
        if worker is None:
            return
        silent_s = now_s - worker.alive_s
        if worker.is_over:
            stopped = Blindness(Cause.NO_PICTURE, Says("the camera stopped"))
            self._lose(worker.blindness or stopped, now_s, MOST_BACKOFF_S)
        elif silent_s > worker.patience_s:
            worker.abandon()
            self._hanging.append(worker)
            why = Says(
                "the camera sends no picture: check its cable; if it is a ribbon cable, switch the box off first"
            )
            self._lose(Blindness(Cause.NO_PICTURE, why), now_s)
        elif worker.has_sent:
            self._is_blind = False
            if now_s - worker.began_s > STEADY_S:
                self._failures = 0

    def _lose(self, blindness: Blindness, now_s: float, most_s: float = math.inf) -> None:
        self._worker = None
        self._newest = None
        pause_s = min(BACKOFF_S[min(self._failures, len(BACKOFF_S) - 1)], most_s)
        self._next_start_s = now_s + pause_s
        self._failures += 1
        why = Says("{why}; the table keeps trying", {"why": blindness.why})
        self._is_blind, self._blindness = True, replace(blindness, why=why)

    def _next_worker(self, now_s: float) -> "_Worker | None":
        if self._worker is not None or self._stopping or now_s < self._next_start_s:
            return None
        if len(self._hanging) >= MOST_HANGING:
            why = Says("the camera hung {n} times: switch the box off and on", {"n": len(self._hanging)})
            self._blindness = Blindness(Cause.NO_PICTURE, why)
            return None
        self._worker = _Worker(self, now_s)
        return self._worker

    def _supervise(self) -> None:
        while not self._stopping:
            try:
                self.tick()
            except Exception:  # the thread's catch-all: a failing callback must not end the supervisor
                _LOGGER.exception("the supervisor of the camera stumbled")
            self._woken.wait(TICK_S)
            self._woken.clear()

    def _deliver(self, worker: "_Worker", frame: Frame, is_news: bool) -> bool:
        """Takes a frame, and publishes it if it is new; False if this worker was abandoned."""
        with self._arrived:
            if worker is not self._worker:
                return False
            worker.alive_s = self._clock()
            if not is_news:
                return True
            is_first, worker.has_sent = not worker.has_sent, True
            self._newest = replace(frame, sequence=self._count)
            self._count += 1
            self._arrived.notify_all()
        if is_first:
            self._woken.set()
        return True


class _Worker:
    """One life of a camera: open, frames, close. Its thread may be stuck in the camera for ever."""

    def __init__(self, owner: SupervisedCamera, now_s: float) -> None:
        self._owner = owner
        self._is_abandoned = False
        self.began_s = self.alive_s = now_s
        self.has_sent = False
        self.is_to_adapt = False
        self.over = threading.Event()
        self.blindness: Blindness | None = None

    @property
    def patience_s(self) -> float:
        return self._owner._patience_s if self.has_sent else OPENING_S

    @property
    def is_over(self) -> bool:
        return self.over.is_set()

    def abandon(self) -> None:
        self._is_abandoned = True

    def run(self) -> None:
        try:
            camera = self._owner._open_camera()
            try:
                self._follow(camera)
            finally:
                camera.close()
        except CameraError as error:
            cause = Cause.FROZEN if isinstance(error, CameraFrozen) else Cause.NO_PICTURE
            self.blindness = Blindness(cause, error.sentence)
        except Exception as error:  # the thread's catch-all: a driver may raise anything
            _LOGGER.exception("the camera failed")
            why = Says("the camera failed ({error}): see the log", {"error": type(error).__name__})
            self.blindness = Blindness(Cause.NO_PICTURE, why)
        finally:
            self.over.set()
            self._owner._woken.set()

    def _follow(self, camera: Camera) -> None:
        # a repeated picture of a live camera is not published: no throw may be judged on it
        repeats = Repeats(camera.name) if camera.is_live else None
        is_wanted = True
        while is_wanted and not self._is_abandoned:
            if self.is_to_adapt:  # here, and not in the caller's thread: a camera is for one thread
                self.is_to_adapt = False
                camera.adapt()
            frame = camera.frame(self._owner._patience_s)
            is_wanted = self._owner._deliver(self, frame, repeats is None or repeats.is_news(frame))
