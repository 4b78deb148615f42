"""From the settled frame to the phone: settle detection, reading, ruling, log, stream, on one core and on loopback."""

from __future__ import annotations

import http.client
import json
import queue
import tempfile
import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

import cv2

from calibration.lens import Lens
from companion.game.brought import default_kit
from companion.game.known import game_named
from companion.game.readings import Kind
from companion.game.says import Says
from companion.game.view import Sight
from companion.match.inputs import Answer, EndThrow
from companion.match.match import Match
from companion.record.log import Log
from docs.sections import as_table, write_section
from vision.frame.settle import Settle
from vision.frame.watch import Watch
from vision.readers import READERS, Picture
from vision.sim.pieces import lying
from vision.sim.render import Renderer, overhead
from vision.sim.scene import Scene, value_top
from web.site.server import Server
from web.table.app import create_app

GAME = "eyes_of_the_emperor"
THROWS = 30
TABLES = 5
FRAMES_EACH = 3
FRAME_S = 0.1
SETTLE_LIMIT_MS, WAY_LIMIT_MS = 5.0, 300.0
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


def run(shared: Path) -> int:
    """Prints the times and writes them to docs/accuracy.md; nothing of `shared` is needed. Status 1 over a limit."""
    cv2.setNumThreads(1)
    kit = default_kit(GAME)
    tables = _tables()
    settle_ms = _settle_ms([frame for table in tables for frame in table])
    with tempfile.TemporaryDirectory() as folder:
        match = Match(game_named(GAME), Log(Path(folder) / "way.db"), wall_s=time.time, monotonic_s=time.monotonic)
        watch = Watch(READERS["eyes"].open_table(LENS, kit), LENS, kit)
        server = Server(create_app(match, join_url="http://127.0.0.1/"), "127.0.0.1", 0)
        arrived: queue.Queue[tuple[int, float]] = queue.Queue()
        with server.running():
            threading.Thread(target=_phone, args=(server.port, arrived), daemon=True).start()
            taken_ms, way_ms = _throws(match, watch, tables, arrived)
        match.close()
    rows: list[list[object]] = [
        ["settle detection, a frame of 2304 x 1296", f"{median(settle_ms):.1f}", f"{_p95(settle_ms):.1f}"],
        ["settled frame read and judged", f"{median(taken_ms):.0f}", f"{_p95(taken_ms):.0f}"],
        ["settled frame to phone on loopback", f"{median(way_ms):.0f}", f"{_p95(way_ms):.0f}"],
    ]
    for what, middle, most in rows:
        print(f"{what}: median {middle} ms, p95 {most} ms")
    write_section(
        "way",
        f"""## From the settled frame to the phone

Recorded on {datetime.now(UTC).date()}: {THROWS} throws on drawn tables, one thread, server and phone on
this machine (limits: settle {SETTLE_LIMIT_MS:.0f} ms in the middle, to the phone {WAY_LIMIT_MS:.0f} ms in 95 of 100).

{as_table(["what", "median ms", "p95 ms"], rows)}""",
    )
    return int(median(settle_ms) > SETTLE_LIMIT_MS or _p95(way_ms) > WAY_LIMIT_MS)


def _tables() -> list[list[Picture]]:
    """Some frames each of a few tables that differ by a throw."""
    kit = default_kit(GAME)
    renderer = Renderer(kit, overhead(LENS, height_mm=1050.0, tilt_deg=4.0, toward_deg=120.0))
    start = kit.piece("territory").start_mm
    lands = [lying(kit, Kind.TERRITORY, c, start[c]) for c in ("red", "blue")]
    tables = []
    for i in range(TABLES):
        dice = [
            lying(
                kit,
                Kind.EMPIRE_DIE,
                c,
                (start[c][0] + 25 * s + 6 * i, 350 + 30 * s),
                id=f"{c}{s}",
                on_mm=3,
                angle_deg=20 * s + i,
            )
            for c in ("red", "blue")
            for s in (-1, 1)
        ]
        ninjas = [
            lying(
                kit,
                Kind.NINJA,
                "black",
                (100 + 45 * j, 100 + 20 * (j % 3)),
                id=f"n{j}",
                top=value_top(1 + j % 6),
                angle_deg=17 * j,
            )
            for j in range(6 + i)
        ]
        developed = renderer.develop(Scene(bodies=(*lands, *dice, *ninjas)))
        tables.append([renderer.expose(developed, seed) for seed in range(FRAMES_EACH)])
    return tables


def _settle_ms(frames: list[Picture]) -> list[float]:
    settle, times = Settle(), []
    for i in range(40):
        began = time.perf_counter()
        settle.take(frames[i % len(frames)], i * FRAME_S)
        times.append((time.perf_counter() - began) * 1000)
    return times


def _throws(
    match: Match, watch: Watch, tables: list[list[Picture]], arrived: queue.Queue[tuple[int, float]]
) -> tuple[list[float], list[float]]:
    taken_ms, way_ms = [], []
    for i in range(THROWS):
        frames = tables[i % TABLES]
        match.saw(Sight.MOVING, Says("something moves"))
        match.submit(EndThrow(by="bench"), timeout_s=0.01)
        at_s = time.monotonic() + 1.0  # frames come after the press; waiting for them is not measured
        for k in range(30):
            at_s += FRAME_S
            began = time.perf_counter()
            glance = watch.take(frames[k % FRAMES_EACH], at_s)
            if glance.look is None:
                continue
            taken_ms.append((time.perf_counter() - began) * 1000)
            match.looked(glance.look)
            match.saw(glance.sight, glance.says, glance.code)
            throw = match_throws(match, i + 1)
            while throw:
                shown, moment = arrived.get(timeout=10)
                if shown > i:
                    way_ms.append((moment - began) * 1000)
                    break
            break
    return taken_ms, way_ms


def match_throws(match: Match, count: int) -> bool:
    """Waits until `count` throws are in the log. Not timed: the phone's own moment counts."""
    for _ in range(500):
        view = match.view()
        if view.table["throw"] >= count:
            return True
        if view.question is not None:  # these tables are drawn by chance, and not as one throw leaves them
            match.submit(Answer(question=view.question.id, choice="record", by="bench"))
        time.sleep(0.005)
    raise RuntimeError(f"throw {count} was not judged: {match.view().sight}, {match.view().question}")


def _phone(port: int, arrived: queue.Queue[tuple[int, float]]) -> None:
    """A phone's stream: puts the number of throws that each view shows, and when it came."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", "/events")
    response = connection.getresponse()
    while line := response.readline():
        if line.startswith(b"data:"):
            moment = time.perf_counter()
            arrived.put((json.loads(line[5:])["table"]["throw"], moment))


def _p95(values: list[float]) -> float:
    return sorted(values)[min(len(values) - 1, int(0.95 * len(values)))]
