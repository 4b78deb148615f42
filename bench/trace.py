"""The path of one throw and one tap: our files and calls, from the frame or the tap to the phone.

`python -m bench.trace` prints both; `--top 20` also prints the functions with the most calls. The first throws and taps
are not counted, because they fill caches. Counted are calls of Python functions in this repository, in any thread.
"""

from __future__ import annotations

import http.client
import json
import queue
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import click
import cv2

from calibration.arrays import Picture
from calibration.lens import Lens
from companion.game.brought import default_kit
from companion.game.game import seats_of
from companion.game.kit import Kit
from companion.game.known import game_named
from companion.game.readings import Kind
from companion.game.says import Says
from companion.game.view import Sight
from companion.match.inputs import Answer, EndThrow
from companion.match.match import Match
from companion.record.log import Log
from vision.frame.watch import Watch
from vision.readers import READERS
from vision.sim.pieces import lying
from vision.sim.render import Renderer, overhead
from vision.sim.scene import Scene
from web.site.server import Server
from web.table.app import create_app

ROOT = Path(__file__).parents[1]
OURS = tuple(str(ROOT / name) for name in ("companion", "vision", "calibration", "hardware", "web"))
WARM = 3
"""Number of throws and taps before the counted throw or tap."""
QUIET_S = 2.0
"""Time without news, s, after which everything has been sent."""
GAME, TAPPED = "eyes_of_the_emperor", "basic_manipulation"
"""The games of the throw and of the tap."""
FRAME_S = 0.1
LENS = Lens(
    width_px=2304,
    height_px=1296,
    fx_px=1751.6,
    fy_px=1752.3,
    cx_px=1143.8,
    cy_px=652.4,
    distortion=(-0.024, 0.012, -0.0005, 0.0002, 0.0),
    rms_px=0.05,
)


class Tracer:
    """Counts calls of our functions in all threads that start after it."""

    def __init__(self) -> None:
        self.calls: Counter[tuple[str, str]] = Counter()
        self.is_on = False

    def _event(self, frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and self.is_on and frame.f_code.co_filename.startswith(OURS):
            self.calls[frame.f_code.co_filename, frame.f_code.co_qualname] += 1

    @contextmanager
    def following(self) -> Iterator[None]:
        """Traces this thread and the threads that it starts."""
        threading.setprofile(self._event)
        sys.setprofile(self._event)
        try:
            yield
        finally:
            sys.setprofile(None)
            threading.setprofile(None)  # type: ignore[arg-type]

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Counts the calls of this block only."""
        self.calls.clear()
        self.is_on = True
        try:
            yield
        finally:
            self.is_on = False

    def says(self, what: str, top: int) -> str:
        """The figures as text."""
        lines = [f"{what}: {len({file for file, _ in self.calls})} files, {self.calls.total()} calls"]
        files: dict[str, set[str]] = {}
        calls: Counter[str] = Counter()
        for (file, _), count in self.calls.items():
            package = str(Path(file).relative_to(ROOT).parent)
            files.setdefault(package, set()).add(file)
            calls[package] += count
        lines += [
            f"  {count:6} in {len(files[package]):2} files of {package}" for package, count in calls.most_common()
        ]
        for (file, name), count in self.calls.most_common(top):
            lines.append(f"  {count:6} {Path(file).relative_to(ROOT)} {name}")
        return "\n".join(lines)


@click.command()
@click.option("--top", default=0, help="Number of functions to list.")
def main(top: int = 0) -> None:
    """Prints the files and calls of a throw and of a tap."""
    cv2.setNumThreads(1)
    for what, trace in (("one throw, from frame to phone", throw), ("one tap, from phone to phone", tap)):
        tracer = Tracer()
        with tempfile.TemporaryDirectory() as folder, tracer.following():
            trace(tracer, Path(folder))
        print(tracer.says(what, top))


def frames_of(kit: Kit) -> list[Picture]:
    """A frame of the table after each throw: two territories, two dice of each player, and one more ninja each time."""
    renderer = Renderer(kit, overhead(LENS, height_mm=1050.0, tilt_deg=4.0, toward_deg=120.0))
    start = kit.piece("territory").start_mm
    lands = [lying(kit, Kind.TERRITORY, color, start[color]) for color in ("red", "blue")]
    dice = [
        lying(kit, Kind.EMPIRE_DIE, color, (start[color][0] + 25 * side, 350 + 30 * side), id=f"{color}{side}", on_mm=3)
        for color in ("red", "blue")
        for side in (-1, 1)
    ]
    ninjas = [lying(kit, Kind.NINJA, "black", (100 + 45 * n, 100), id=f"n{n}") for n in range(7 + WARM)]
    scenes = [Scene(bodies=(*lands, *dice, *ninjas[: 7 + i])) for i in range(WARM + 1)]
    return [renderer.expose(renderer.develop(scene), i) for i, scene in enumerate(scenes)]


def throw(tracer: Tracer, folder: Path) -> None:
    """Traces a throw: a frame without motion is read and judged, and a seated phone gets the view."""
    kit = default_kit(GAME)
    frames = frames_of(kit)
    match = Match(game_named(GAME), Log(folder / "trace.db"), wall_s=time.time, monotonic_s=time.monotonic)
    watch = Watch(READERS["eyes"].open_table(LENS, kit), LENS, kit)
    with _phone(match, "red") as phone:
        for i in range(WARM + 1):
            match.saw(Sight.MOVING, Says("something moves"))
            match.submit(EndThrow(by="bench"), timeout_s=0.01)
            frame, at_s = frames[i], time.monotonic() + 1.0
            look = None
            while look is None:
                at_s += FRAME_S
                with tracer.counting():  # starts again with each frame: only the one that gives the look counts
                    glance = watch.take(frame, at_s)
                    look = glance.look
                    if look is not None:
                        match.looked(look)
                        match.saw(glance.sight, glance.says, glance.code)
                        phone.waits_until_quiet()
            if i < WARM:
                _settled(match)


def _settled(match: Match[Any, Any]) -> None:
    """Answers the questions of a throw, so that the next throw can be judged."""
    while (question := match.view().question) is not None:
        match.submit(Answer(question=question.id, choice=question.choices[0].key, by="bench", reason="drawn so"))


def tap(tracer: Tracer, folder: Path) -> None:
    """Traces a tap: a phone makes its move, and gets the new view."""
    match = Match(game_named(TAPPED), Log(folder / "tap.db"), wall_s=time.time, monotonic_s=time.monotonic)
    with _phone(match, *seats_of(match._game, match.state)) as phone:
        for _ in range(WARM + 1):
            seat = match._game.rules.to_move(match.state)[0]
            move = next(move for move in match.view(seat).moves if move.is_tapped)
            values = {ask.key: ask.choices[0].key for ask in move.asks}
            made = {"do": "act", "seat": seat, "move": move.move, "values": values}
            with tracer.counting():
                phone.sends(made)
                phone.waits_until_quiet()


class TracePhone:
    """A phone on loopback that holds seats and follows its stream."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._cookie = ""
        self._news: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()

    def asks(self, method: str, path: str, body: bytes | None = None) -> http.client.HTTPResponse:
        """Makes one request with the phone's cookie."""
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=20)
        headers = {"Origin": f"http://127.0.0.1:{self._port}", "Content-Type": "application/json"}
        connection.request(method, path, body, headers | {"Cookie": self._cookie})
        return connection.getresponse()

    def sits_down(self, *seats: str) -> None:
        """Takes these seats and opens the stream of the first seat."""
        cookie = self.asks("GET", "/state").getheader("Set-Cookie") or ""
        self._cookie = cookie.split(";")[0]
        for i, seat in enumerate(seats):
            self.sends({"do": "take_seat", "seat": seat, "name": f"Player {i}"})
        stream = self.asks("GET", f"/events?seat={seats[0]}")
        threading.Thread(target=self._follows, args=(stream,), daemon=True).start()
        self.waits_until_quiet()

    def _follows(self, stream: http.client.HTTPResponse) -> None:
        while line := stream.readline():
            if line.startswith(b"data:") and len(line) > len(b"data: {}\n"):
                self._news.put(json.loads(line[5:]))

    def sends(self, tap: dict[str, Any]) -> None:
        """Sends a tap, which the match must accept."""
        answer = self.asks("POST", "/do", json.dumps(tap).encode())
        told = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{tap} was refused: {told.decode()}")

    def waits_until_quiet(self) -> None:
        """Waits for news, and then until no more news comes."""
        wait_s = 20.0
        while True:
            try:
                self._news.get(timeout=wait_s)
            except queue.Empty:
                break
            wait_s = QUIET_S


@contextmanager
def _phone(match: Match[Any, Any], *seats: str) -> Iterator[TracePhone]:
    """A phone that holds these seats, at a server of the match."""
    server = Server(create_app(match, join_url="http://127.0.0.1/"), "127.0.0.1", 0)
    with server.running():
        phone = TracePhone(server.port)
        phone.sits_down(*seats)
        yield phone
    match.close()


if __name__ == "__main__":
    main()
