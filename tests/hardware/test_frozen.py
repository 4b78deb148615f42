"""A camera that repeats its last picture is blind, and none that sees is called frozen."""

from __future__ import annotations

import numpy as np
import pytest

from hardware.camera import FROZEN_S, Cause, DrawnCamera, Frame, Repeats
from hardware.supervised import BACKOFF_S, SupervisedCamera
from tests.clock import Clock
from tests.scenes import KIT, SMALL_LENS
from vision.sim.virtual import VirtualTable

PERIOD_S = 0.11


def noisy(seed):
    return np.random.default_rng(seed).integers(90, 140, (80, 120, 3), dtype=np.uint8)


class Bench:
    """A supervised live camera that sends the pictures of a list, ticked after each, and then fails."""

    def __init__(self, open_camera=None, period_s=PERIOD_S):
        self.period_s, self.told, self.drawn_s = period_s, lambda is_blind: None, []
        self.clock, self.waiting, self.blind, self.pictures, self.given = Clock(100.0), [], [], [], []
        self.camera = SupervisedCamera(
            open_camera or (lambda: DrawnCamera("the camera", self.draw, self.clock, is_live=True)),
            self.tells,
            clock=self.clock,
            spawn=lambda run, name: self.waiting.append(run),
        )

    def tells(self, is_blind, why):
        self.blind.append((is_blind, why))
        self.told(is_blind)

    def draw(self, timeout_s):
        self.clock.now_s += self.period_s
        self.drawn_s.append(self.clock())
        self.camera.tick()
        newest = self.camera.newest()
        self.given.append(newest and newest.sequence)
        return self.pictures.pop(0) if self.pictures else None

    def lives(self, *pictures):
        """The camera is opened again, sends these and ends."""
        self.pictures = list(pictures)
        self.clock.now_s += BACKOFF_S[-1]
        self.camera.tick()
        self.waiting.pop()()
        self.camera.tick()


def test_a_camera_that_repeats_its_last_picture_is_blind_and_opened_again_until_it_changes():
    """600 times the same frame were "the table is seen": lamp and phones stayed green over a picture of the past."""
    bench = Bench()
    bench.lives(noisy(0), noisy(1), *[noisy(2)] * 600)
    assert [blind for blind, _ in bench.blind] == [False, True]
    assert bench.camera.blindness.cause is Cause.FROZEN
    assert "the camera sends the same picture over and over: if that goes on" in str(bench.camera.blindness.why)
    assert len(bench.pictures) == pytest.approx(600 - FROZEN_S / PERIOD_S, abs=2)
    assert max(n for n in bench.given if n is not None) == 1  # a repeated picture is given to nobody
    assert bench.camera.newest() is None
    bench.lives(*[noisy(2)] * 600)
    assert bench.camera.blindness.cause is Cause.FROZEN
    assert [blind for blind, _ in bench.blind] == [False, True]  # it was never taken for one that sees
    bench.lives(noisy(3), noisy(4), noisy(5))
    assert [blind for blind, _ in bench.blind] == [False, True, False, True]
    assert bench.camera.blindness.cause is Cause.NO_PICTURE


@pytest.mark.parametrize("period_s", [1 / 30, 0.5])
def test_a_frozen_camera_is_told_within_two_seconds(period_s):
    """It took 3.6 s, and a throw was judged by the table of before."""
    bench, told_s = Bench(period_s=period_s), []
    bench.told = lambda is_blind: told_s.append(bench.clock()) if is_blind else None
    bench.lives(*[noisy(n) for n in range(10)], *[noisy(9)] * 200)
    repeats_from_s = bench.drawn_s[9]
    assert period_s < told_s[0] - repeats_from_s <= 2.0


def test_a_picture_sent_twice_now_and_then_is_passed_over_and_harms_nothing():
    repeats = Repeats("the camera")
    news = [repeats.is_news(Frame(noisy(i // 2), i * PERIOD_S, i)) for i in range(200)]
    assert news == [False, *(i % 2 == 0 for i in range(1, 200))]


@pytest.mark.parametrize("level", [0, 255])
def test_black_and_white_tell_nothing_and_are_left_to_the_eyes(level):
    repeats = Repeats("the camera")
    flat = np.full((80, 120, 3), level, np.uint8)
    assert all(repeats.is_news(Frame(flat, i * PERIOD_S, i)) for i in range(100))


def test_the_virtual_table_at_rest_is_never_frozen():
    clock = Clock(100.0)
    table = VirtualTable(KIT, SMALL_LENS, clock=clock, wait=clock.wait)
    repeats = Repeats("the virtual camera")
    news = [repeats.is_news(Frame(table.frame(), clock(), i)) for i in range(6)]
    assert all(news[1:])
