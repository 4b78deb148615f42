"""The thread that looks at the table, a step at a time: what the match is told of each frame, and of none."""

from __future__ import annotations

from typing import Any

from companion.cli.table import TableLoop
from companion.says import Says
from companion.view import Sight
from hardware.camera import Blindness, Cause, Frame
from tests.scenes import KIT, SMALL_LENS
from vision.watch import Watch


class Camera:
    """A supervised camera that has what a test gives it."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self.blindness: Blindness | None = Blindness(Cause.STARTING, "the camera is being opened")

    def newer(self, than: int, timeout_s: float) -> Frame | None:
        return self.frames.pop(0) if self.frames else None


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


def test_a_camera_that_is_being_opened_is_starting_and_has_no_cable_to_be_checked() -> None:
    """Every start said "Blind: no picture. Check its cable." until the first frame came."""
    camera, match = Camera(), Match()
    loop = TableLoop(camera, Watch(None, SMALL_LENS, KIT))  # type: ignore[arg-type]
    loop.advance(match)  # type: ignore[arg-type]
    camera.blindness = Blindness(Cause.NO_PICTURE, "there is no camera")
    loop.advance(match)  # type: ignore[arg-type]
    assert match.sights == [
        (Sight.BLIND, "starting", "the camera is being opened"),
        (Sight.BLIND, "no_picture", "there is no camera"),
    ]
