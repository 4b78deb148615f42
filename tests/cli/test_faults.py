"""A camera's faults one by one, from the frames to the phones and the lamp: said in time, nothing ruled, then play."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from calibration.arrays import Picture
from companion.app.box import lamp_of, press
from companion.app.camera_loop import CameraLoop
from companion.app.kept import Kept
from companion.app.real_table import EXPIRED, TableChecks
from companion.app.steps import drilled
from companion.game.errors import CameraError
from companion.game.known import game_named
from companion.game.view import Sight
from companion.match.inputs import RefereeCame
from companion.match.match import Match
from companion.match.referee import Thresholds
from companion.record.log import Log
from hardware.camera import Blindness, Camera, Frame
from hardware.pins import Shows
from hardware.supervised import SupervisedCamera
from tests.cli.test_changed_camera import Laid
from tests.scenes import KIT, SMALL_LENS, samurai, territory
from vision.frame.watch import Watch
from vision.sim.render import Renderer, overhead
from vision.sim.scene import Scene
from vision.tables.eyes import open_eye

STEP_S = 0.1
SAID_WITHIN_S = 3.0
EXPIRES_WITHIN_S = FROZEN_SAID_WITHIN_S = 2.0
HOUR_S = 3600.0
LANDS = (territory("red"), territory("blue"))
Script = Generator[None, None, None]


class Prompt:
    """A match whose writer has taken what was said before the clock goes on: the test's clock waits for no thread."""

    def __init__(self, match: Match[Any, Any]) -> None:
        self._match = match

    def __getattr__(self, name: str) -> Callable[..., None]:
        def tells(*said: Any) -> None:
            getattr(self._match, name)(*said)
            if name != "still":
                self._match.submit(RefereeCame(entry=-1, by="nobody"), 60.0)  # refused, after its turn

        return tells


@pytest.fixture(scope="module")
def tables() -> dict[str, list[Picture]]:
    """Noisy frames of a table before and after a throw, and by a camera that was bumped, drawn once."""
    hung, bumped = overhead(SMALL_LENS), overhead(SMALL_LENS, aim_mm=(506.0, 352.0))
    thrown = (*LANDS, samurai("red", (300.0, 350.0)))
    drawn = {}
    for name, bodies, camera in (("bare", LANDS, hung), ("thrown", thrown, hung), ("bumped", LANDS, bumped)):
        renderer = Renderer(KIT, camera)
        developed = renderer.develop(Scene(bodies=bodies))
        drawn[name] = [renderer.expose(developed, seed) for seed in range(6)]
    return drawn


class Rig(Camera):
    """A table whose clock, camera and people are a script's: each frame that is asked for is one step of it."""

    def __init__(self, folder: Path, tables: dict[str, list[Picture]]) -> None:
        self.tables, self.shows = tables, "bare"
        self.now_s, self.wall_s, self.frames_per_s = 1000.0, 1.8e9, 10.0
        self.changes: Callable[[Picture], Picture | None] = lambda picture: picture
        """What the fault makes of a picture; None: none comes."""
        self.is_there = True
        self._count = 0
        self._workers: list[Callable[[], None]] = []
        self._script: Script | None = None
        self._is_over = False
        self._failed: BaseException | None = None
        self._camera = SupervisedCamera(
            self._open, clock=lambda: self.now_s, spawn=lambda run, _: self._workers.append(run)
        )
        self.kept = Kept(folder / "table")
        sha256, bare = self.kept.lens_sha256(), tables["bare"][0]
        passed = drilled(bare, Laid(), SMALL_LENS, KIT, lens_sha256=sha256, table="T", now_s=0.0)  # type: ignore[arg-type]
        self.kept.certify(passed.certificate)
        watch = Watch(open_eye(SMALL_LENS, KIT), SMALL_LENS, KIT)
        self._loop = CameraLoop(self, watch, TableChecks(self.kept))  # type: ignore[arg-type]
        self.match: Match[Any, Any] = Match(
            game_named("eyes_of_the_emperor"),
            Log(folder / "match.db"),
            wall_s=lambda: self.wall_s,
            monotonic_s=lambda: self.now_s,
            kit=KIT,
            thresholds=Thresholds(answer_s=0.2),
        )

    @property
    def blindness(self) -> Blindness | None:
        return self._camera.blindness

    def newer(self, sequence: int, timeout_s: float) -> Frame | None:
        return self._camera.newer(sequence, 0.0)

    def newest(self) -> Frame | None:
        return self._camera.newest()

    def adapt(self) -> None:
        pass

    @property
    def name(self) -> str:
        return "the camera"

    @property
    def is_live(self) -> bool:
        return True

    def _open(self) -> Camera:
        if not self.is_there:
            raise CameraError("there is no camera")
        return self

    def frame(self, timeout_s: float) -> Frame:
        self._step(1 / self.frames_per_s)
        frames = self.tables[self.shows]
        self._count += 1
        picture = self.changes(frames[self._count % len(frames)]) if self.is_there and not self._is_over else None
        if picture is None:
            raise CameraError("the camera gives no picture")
        return Frame(picture, self.now_s, self._count)

    def close(self) -> None:
        pass

    def plays(self, script: Script) -> None:
        """Goes on until the script is over; what it asserts is asserted in the middle of the table's life."""
        self._script = script
        while not self._is_over:
            if self._workers:
                self._workers.pop(0)()
            else:
                self._step(STEP_S)
        if self._failed is not None:
            raise self._failed

    def _step(self, s: float) -> None:
        self.now_s, self.wall_s = self.now_s + s, self.wall_s + s
        self._camera.tick()
        self._loop.advance(Prompt(self.match))  # type: ignore[arg-type]
        if self._is_over or self._script is None:
            return
        try:
            self._is_over = next(self._script, self) is self
        except BaseException as failed:  # a camera's thread survives what a driver raises, and a test's script is none
            self._is_over, self._failed = True, failed

    def passes(self, s: float) -> Script:
        until_s = self.now_s + s
        while self.now_s < until_s:
            yield

    def until(self, holds: Callable[[], bool], within_s: float, says: str) -> Script:
        until_s = self.now_s + within_s
        while not holds():
            assert self.now_s < until_s, f"{says}: {self.match.view().sight}"
            yield

    def sees(self) -> bool:
        return self.match.view().sight.state is Sight.SEES

    def is_said(self) -> bool:
        """What phones show; the lamp follows the same view."""
        view = self.match.view()
        return view.sight.state in (Sight.BLIND, Sight.MOVED) and lamp_of(view) is Shows.BLIND


@pytest.fixture
def rig(tmp_path: Path, tables: dict[str, list[Picture]]) -> Iterator[Rig]:
    made = Rig(tmp_path, tables)
    yield made
    made.match.close()


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["frozen", pytest.param("torn away", marks=pytest.mark.nightly)])
def test_a_fault_is_said_in_time_nothing_is_ruled_and_play_goes_on(rig: Rig, fault: str) -> None:
    is_frozen = fault == "frozen"

    def script() -> Script:
        yield from rig.until(rig.sees, 10.0, "it does not see at first")
        still = rig.tables[rig.shows][0]
        if is_frozen:
            rig.changes = lambda picture: still.copy()
        rig.is_there = is_frozen
        yield from rig.until(rig.is_said, FROZEN_SAID_WITHIN_S if is_frozen else SAID_WITHIN_S, fault)
        rig.shows = "thrown"  # somebody throws all the same
        yield from rig.passes(5.0)
        press(rig.match, "end_throw")
        assert rig.is_said()
        assert rig.match.view().last == ()
        yield from rig.passes(30.0 if is_frozen else 2 * HOUR_S)
        assert rig.is_said()
        rig.is_there, rig.changes = True, lambda picture: picture
        yield from rig.until(rig.sees, 60.0, "it does not see again")
        yield from rules(rig)

    rig.plays(script())


@pytest.mark.slow
@pytest.mark.parametrize("why", ["moved", pytest.param("light", marks=pytest.mark.nightly)])
def test_a_change_ends_the_certificate_within_two_seconds(rig: Rig, why: str) -> None:
    """By the table's own clock: what a busy machine takes to read a picture comes on top."""

    def is_expired() -> bool:
        again = rig.kept.certificate()
        return again is not None and again.expired is not None

    def script() -> Script:
        yield from rig.until(rig.sees, 10.0, "it does not see at first")
        assert not is_expired()
        if why == "moved":
            rig.shows = "bumped"
        else:
            rig.changes = lambda picture: np.asarray(picture * np.float32(0.7), np.uint8)  # half of the light
        yield from rig.until(is_expired, EXPIRES_WITHIN_S, "it holds still")
        yield from rig.until(lambda: rig.match.view().sight.code == EXPIRED, EXPIRES_WITHIN_S, "it is not said")
        again = rig.kept.certificate()
        assert why in str(again.expired)

    rig.plays(script())


def rules(rig: Rig) -> Script:
    """Somebody ends the throw as often as it takes, until it is ruled or asked about."""
    for _ in range(10):
        press(rig.match, "end_throw")
        yield from rig.passes(2.0)
        view = rig.match.view()
        if view.last or view.question is not None:
            return
    raise AssertionError(f"nothing is ruled after it: {rig.match.view()}")
