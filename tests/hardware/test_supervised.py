"""A camera that hangs, dies and comes back: the table is blind at once, nobody waits, and it sees again by itself."""

from __future__ import annotations

import numpy as np
import pytest

from companion.game.errors import CameraError
from hardware.camera import FROZEN_S, Cause, DrawnCamera, Frame, Repeats
from hardware.supervised import BACKOFF_S, MOST_HANGING, OPENING_S, PATIENCE_S, SupervisedCamera
from tests.clock import Clock

PICTURE = np.zeros((4, 6, 3), np.uint8)
AGAIN = "; the table keeps trying"
HUNG = "the camera sends no picture: check its cable; if it is a ribbon cable, switch the box off first"


class Bench:
    """A supervised camera, and what it sends in each of its lives before it fails: so many frames, or pictures.

    A life goes on only when a test says so: one that is never run hangs.
    """

    def __init__(self, *plan, period_s=0.0):
        self.clock, self.period_s, self.plan = Clock(100.0), period_s, list(plan)
        self.waiting, self.told, self.told_s, self.drawn_s, self.during, self.adapted = [], [], [], [], [], []
        self.stuck = self.closed = 0
        self.camera = SupervisedCamera(self.open, clock=self.clock, spawn=self.spawn, on_stuck=self.count_stuck)
        ticks = self.camera.tick
        self.camera.tick = lambda: (ticks(), self.look())

    def spawn(self, run, name):
        self.waiting.append(run)

    def count_stuck(self):
        self.stuck += 1

    def look(self):
        """Notes when the table goes blind or sees again."""
        blindness = self.camera.blindness
        is_blind = blindness is not None
        if (is_blind and blindness.cause is Cause.STARTING) or (self.told and self.told[-1][0] == is_blind):
            return
        self.told.append((is_blind, str(blindness.why) if is_blind else ""))
        self.told_s.append(self.clock())

    def open(self):
        sends = self.plan.pop(0)
        if isinstance(sends, Exception):
            raise sends
        bench, pictures = self, [PICTURE] * sends if isinstance(sends, int) else list(sends)

        class Failing(DrawnCamera):
            def adapt(self):
                bench.adapted.append(bench.camera.newest().sequence)

            def close(self):
                bench.closed += 1

        def draw(_):
            if not pictures:
                return None
            self.clock.now_s += self.period_s
            self.drawn_s.append(self.clock())
            for happens in self.during:
                happens()
            return pictures.pop(0)

        return Failing("the camera", draw, self.clock, is_live=True)

    def run(self):
        """Runs the worker that was started last, until its camera fails."""
        self.waiting.pop()()

    def after(self, s):
        self.clock.now_s += s
        self.camera.tick()

    def lives(self):
        """The camera is opened again, sends what it has and ends."""
        self.after(BACKOFF_S[-1])
        self.run()
        self.camera.tick()


def test_it_sees_with_the_first_frame_and_is_blind_when_the_camera_fails():
    bench = Bench(3)
    seen = []
    bench.during.append(lambda: (bench.camera.tick(), seen.append(bench.camera.newest())))
    bench.camera.tick()
    assert bench.camera.newest() is None
    assert str(bench.camera.blindness.why) == "the camera is starting: this takes up to 15 s"
    bench.run()
    assert [frame and frame.sequence for frame in seen] == [None, 0, 1]
    assert bench.told == [(False, "")]
    bench.camera.tick()
    assert bench.told[1:] == [(True, f"the camera sends no picture{AGAIN}")]
    assert bench.camera.newest() is None
    assert bench.closed == 1


def paused_s(bench):
    """How long it takes until the camera is started again."""
    pause_s = 0.0
    while not bench.waiting:
        pause_s += 0.5
        bench.after(0.5)
    return pause_s


def test_a_camera_that_does_not_open_is_tried_again_with_growing_pauses_up_to_five_seconds():
    """One that was plugged in again went unnoticed for up to half a minute."""
    bench = Bench(*[CameraError("there is no camera")] * 9)
    bench.camera.tick()
    pauses, said = [], []
    for _ in range(6):
        bench.run()
        bench.camera.tick()
        said.append(str(bench.camera.blindness.why))
        pauses.append(paused_s(bench))
    assert pauses == [0.5, 1.0, 2.0, 5.0, 5.0, 5.0]
    # a history told for good: the table tries again in 0.5 s
    assert set(said) == {f"there is no camera{AGAIN}"}
    assert bench.told == [(True, said[0])]


def test_the_camera_adapts_once_before_its_next_frame():
    bench = Bench(9)
    bench.camera.adapt()  # nothing is open: one that is opened adapts by itself

    def asks():
        newest = bench.camera.newest()
        if newest is not None and newest.sequence == 2:
            bench.camera.adapt()

    bench.during.append(asks)
    bench.camera.tick()
    bench.run()
    assert bench.adapted == [3]


def test_a_call_that_never_returns_is_abandoned_and_its_late_frame_is_not_taken():
    bench = Bench(1, 1)
    bench.camera.tick()
    stuck = bench.waiting.pop()
    bench.after(OPENING_S + 1)
    assert bench.told == [(True, f"{HUNG}{AGAIN}")]
    assert bench.camera.hanging == 1
    bench.after(BACKOFF_S[0])
    stuck()
    assert bench.camera.newest() is None
    bench.camera.tick()
    assert bench.camera.hanging == 0
    assert bench.closed == 1


def test_a_camera_that_falls_silent_is_blind_within_its_patience():
    bench = Bench(2)

    def falls_silent():
        if bench.camera.newest() is not None:
            assert bench.camera.blindness is None
            bench.after(PATIENCE_S + 0.5)
            assert bench.camera.newest() is None
            assert str(bench.camera.blindness.why) == f"{HUNG}{AGAIN}"

    bench.during.append(lambda: (bench.camera.tick(), falls_silent()))
    bench.camera.tick()
    bench.run()
    assert [blind for blind, _ in bench.told] == [False, True]


def test_a_camera_that_worked_and_then_hung_so_often_asks_once_for_a_new_process():
    """The table stayed blind until somebody switched the box off and on."""
    bench = Bench(3, *[0] * 9)
    bench.after(0)
    bench.run()
    bench.camera.tick()
    for hung in range(MOST_HANGING):
        assert (bench.camera.hanging, bench.stuck) == (hung, 0)
        bench.after(BACKOFF_S[-1])
        bench.waiting.pop()
        bench.after(OPENING_S + 1)
    assert (bench.camera.hanging, bench.stuck) == (MOST_HANGING, 1)
    bench.after(10 * BACKOFF_S[-1])
    assert bench.stuck == 1
    assert str(bench.camera.blindness.why) == "the camera hung 3 times: switch the box off and on"


def test_a_driver_that_raises_anything_is_survived_and_logged(caplog):
    bench = Bench(ZeroDivisionError("in the driver"), 1)
    bench.camera.tick()
    bench.run()
    bench.camera.tick()
    assert bench.told == [(True, f"the camera failed (ZeroDivisionError): see the log{AGAIN}")]
    assert "in the driver" in caplog.text


def test_with_real_threads_a_frame_arrives():
    camera = SupervisedCamera(lambda: DrawnCamera("the camera", lambda _: PICTURE))
    camera.start()
    try:
        frame = camera.newer(than=3, timeout_s=10)
        assert frame.sequence > 3
    finally:
        camera.close()


PERIOD_S = 0.11


def noisy(seed):
    return np.random.default_rng(seed).integers(90, 140, (80, 120, 3), dtype=np.uint8)


def test_a_camera_that_repeats_its_last_picture_is_blind_and_opened_again_until_it_changes():
    """600 times the same frame were "the table is seen": lamp and phones stayed green over a picture of the past."""
    same = [noisy(2)] * 600
    bench = Bench([noisy(0), noisy(1), *same], same, [noisy(3), noisy(4), noisy(5)], period_s=PERIOD_S)
    given = []
    bench.during.append(lambda: (bench.camera.tick(), given.append(bench.camera.newest())))
    bench.lives()
    assert [blind for blind, _ in bench.told] == [False, True]
    assert bench.camera.blindness.cause is Cause.FROZEN
    assert "the camera sends the same picture over and over: if that goes on" in str(bench.camera.blindness.why)
    assert len(given) == pytest.approx(2 + FROZEN_S / PERIOD_S, abs=2)
    assert max(frame.sequence for frame in given if frame) == 1  # a repeated picture is given to nobody
    assert bench.camera.newest() is None
    bench.lives()
    assert bench.camera.blindness.cause is Cause.FROZEN
    assert [blind for blind, _ in bench.told] == [False, True]  # it was never taken for one that sees
    bench.lives()
    assert [blind for blind, _ in bench.told] == [False, True, False, True]
    assert bench.camera.blindness.cause is Cause.NO_PICTURE


@pytest.mark.parametrize("period_s", [1 / 30, 0.5])
def test_a_frozen_camera_is_told_within_two_seconds(period_s):
    """It took 3.6 s, and a throw was judged by the table of before."""
    bench = Bench([noisy(min(n, 9)) for n in range(200)], period_s=period_s)
    bench.during.append(bench.camera.tick)
    bench.lives()
    assert bench.told[1][0]
    assert period_s < bench.told_s[1] - bench.drawn_s[9] <= 2.0


def test_a_picture_sent_twice_now_and_then_is_passed_over_and_harms_nothing():
    repeats = Repeats("the camera")
    news = [repeats.is_news(Frame(noisy(i // 2), i * PERIOD_S, i)) for i in range(200)]
    assert news == [False, *(i % 2 == 0 for i in range(1, 200))]


@pytest.mark.parametrize("level", [0, 255])
def test_black_and_white_tell_nothing_and_are_left_to_the_eyes(level):
    repeats = Repeats("the camera")
    flat = np.full((80, 120, 3), level, np.uint8)
    assert all(repeats.is_news(Frame(flat, i * PERIOD_S, i)) for i in range(100))
