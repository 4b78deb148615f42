"""The thread that looks at the table, a step at a time: what the match is told of each frame, and of none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from companion.app.camera_loop import CameraLoop
from companion.game.says import Says
from companion.game.view import Sight
from hardware.camera import Blindness, Cause, Frame
from hardware.machine import Effort
from tests.scenes import KIT, SMALL_LENS
from vision.frame.watch import Glance, Watch


class Camera:
    """A supervised camera that has what a test gives it."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self.adapted = 0
        self.blindness: Blindness | None = Blindness(Cause.STARTING, Says("the camera is starting"))

    def newer(self, than: int, timeout_s: float) -> Frame | None:
        return self.frames.pop(0) if self.frames else None

    def adapt(self) -> None:
        self.adapted += 1


class Match:
    """Hears what is seen."""

    def __init__(self) -> None:
        self.sights: list[tuple[Sight, str | None, str]] = []

    def saw(self, sight: Sight, says: Says, code: str | None = None) -> None:
        self.sights.append((sight, code, str(says)))

    def looked(self, look: Any) -> None:
        pass

    def still(self, at_s: float) -> None:
        pass


class Eyes:
    """A watch that says what a test tells it to."""

    def __init__(self) -> None:
        self.code: str | None = None
        self.forgotten = 0
        self.lens = SMALL_LENS

    def take(self, picture: Any, at_s: float, tell: Any) -> Glance:
        return Glance(Sight.SEES if self.code is None else Sight.BLIND, Says("told to"), self.code)

    def forget(self) -> None:
        self.forgotten += 1

    def lost(self, says: Says, code: str) -> Glance:
        return Glance(Sight.BLIND, says, code)


def test_a_camera_adapts_to_a_light_that_stays_wrong_and_not_too_often() -> None:
    """A box that was switched on before the lamps kept the night's exposure and was blind for ever."""
    camera, eyes, at = Camera(), Eyes(), []
    eyes.code = "too_dark"
    loop = CameraLoop(camera, eyes)  # type: ignore[arg-type]
    for second in range(70):
        was = camera.adapted
        camera.frames = [Frame(np.zeros((2, 2, 3), np.uint8), 100.0 + second, 10 * second)]
        loop.advance(Match())  # type: ignore[arg-type]
        at += [second] if camera.adapted > was else []
    assert at == [5, 35, 65]
    assert eyes.forgotten == 3


def test_a_live_picture_is_encoded_once_a_frame_however_many_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each phone's request encoded it anew: under a flood of them the others waited 427 ms."""
    encoded: list[int] = []
    monkeypatch.setattr(
        "companion.app.camera_loop.live_jpeg", lambda picture: encoded.append(picture[0, 0, 0]) or b"jpeg"
    )
    camera = Camera()
    loop = CameraLoop(camera, Watch(None, SMALL_LENS, KIT))  # type: ignore[arg-type]
    for sequence in (1, 2):
        frame = Frame(np.full((2, 2, 3), sequence, np.uint8), 1.0, sequence)
        camera.newest = lambda frame=frame: frame  # type: ignore[attr-defined]
        assert {loop.live() for _ in range(20)} == {b"jpeg"}
    assert encoded == [1, 2]


@pytest.mark.parametrize(("own_s", "said"), [(0.9, "the processor is busy"), (0.1, "give it more light")])
def test_pictures_that_come_too_slowly_are_blamed_on_what_is_slow(own_s: float, said: str) -> None:
    """A processor without time was told as a camera that needs light and another cable."""
    now = {"s": 0.0, "own_s": 0.0}
    camera, match = Camera(), Match()
    camera.blindness = None
    effort = Effort(lambda: now["s"], lambda: now["own_s"], lambda: 0.0)
    loop = CameraLoop(camera, Watch(None, SMALL_LENS, KIT), effort=effort)  # type: ignore[arg-type]
    for n in range(5):
        now |= {"s": float(n), "own_s": n * own_s}
        camera.frames = [Frame(np.zeros((4, 6, 3), np.uint8), float(n), n)]
        loop.advance(match)  # type: ignore[arg-type]
    sight, code, says = match.sights[-1]
    assert (sight, code) == (Sight.BLIND, "slow")
    assert said in says
    assert "1.0 pictures a second" in says
