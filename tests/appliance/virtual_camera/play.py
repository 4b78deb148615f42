"""A match ruled on frames of the real picamera2: `python play.py FRAMES FOLDER`, inside the root of `run.sh`.

Draws a table that is set up, and one after a throw. libcamera's virtual camera sends the first, then the second. It
loads its pictures when it is opened, so the table is stopped and started again in between. Then ends the throw and
compares the phones' view with the drawing.
"""

import http.client
import json
import math
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2

from calibration.lens import CameraMode, Lens, save_lens
from companion.game.brought import default_kit
from vision.sim.pieces import lying
from vision.sim.render import Renderer, overhead
from vision.sim.scene import Body, Scene

KIT = default_kit("eyes_of_the_emperor")
MODE = CameraMode(adapter="picamera2", model="rendered table")
LENS = Lens(
    width_px=1280,
    height_px=720,
    fx_px=973.0,
    fy_px=973.6,
    cx_px=636.0,
    cy_px=363.0,
    distortion=(-0.03, 0.012, -0.0005, 0.0003, 0.0),
    rms_px=0.1,
    mode=MODE,
)
LANDS_MM = {"red": (377.5, 350.0), "blue": (622.5, 350.0)}
IN_MM, OUT_MM, OUT_BY_MM = (738.0, 350.0), (622.5, 476.5), 2.5
"""Blue's dice after the throw: one 8.5 mm deep in its valley, the other that far outside."""
NOISY = 6
PATIENCE_S = 90.0


def bodies(blue_1: tuple[float, float], blue_2: tuple[float, float]) -> tuple[Body, ...]:
    """Both valleys, red's dice in its own, blue's where told."""
    lands = [lying(KIT, "territory", color, at) for color, at in LANDS_MM.items()]
    (x, y), land = LANDS_MM["red"], KIT.piece("territory")

    def die(color: str, at: tuple[float, float]) -> Body:
        far_mm = math.dist(at, LANDS_MM[color])
        on_mm = land.size_mm("height") if far_mm < land.size_mm("diameter") / 2 else 0.0
        return lying(KIT, "empire_die", color, at, id=f"{color} at {at}", on_mm=on_mm, top=(2, 1))

    return (*lands, die("red", (x - 30, y)), die("red", (x + 30, y)), die("blue", blue_1), die("blue", blue_2))


def draw(folder: Path, shown: tuple[Body, ...]) -> None:
    """Noisy pictures of a table, numbered as the virtual camera wants them."""
    folder.mkdir(parents=True, exist_ok=True)
    renderer = Renderer(KIT, overhead(LENS))
    developed = renderer.develop(Scene(bodies=shown))
    for i in range(NOISY):
        cv2.imwrite(str(folder / f"{i}.jpg"), renderer.expose(developed, i), [cv2.IMWRITE_JPEG_QUALITY, 95])


class Table:
    """`companion serve` on the virtual camera, and one phone."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, str(Path(__file__).with_name("stand_in.py")), "serve", "--camera", "pi"]
        command += ["--game", "eyes_of_the_emperor", "--lens", str(folder / "lens.json"), "--data", str(folder)]
        self._log = (folder / "serve.log").open("a")
        self._process = subprocess.Popen(
            [*command, "--host", "127.0.0.1", "--port", "0"], stdout=subprocess.PIPE, stderr=self._log, text=True
        )
        found = None
        while found is None:
            line = self._process.stdout.readline()
            assert line, f"the table did not start: {(folder / 'serve.log').read_text()}"
            found = re.search(r" is at http://[^\s/]+:(\d+)/", line)
        self._port, self.cookie = int(found[1]), ""

    def asks(self, path: str, body: object = None) -> Any:
        """One request of the phone."""
        line = http.client.HTTPConnection("127.0.0.1", self._port, timeout=30)
        origin = {"Origin": f"http://127.0.0.1:{self._port}", "Content-Type": "application/json", "Cookie": self.cookie}
        line.request("GET" if body is None else "POST", path, None if body is None else json.dumps(body), origin)
        answer = line.getresponse()
        self.cookie = (answer.getheader("Set-Cookie") or self.cookie).split(";")[0]
        text = answer.read()
        return json.loads(text) if text[:1] == b"{" else None

    def until(self, holds: Callable[[Any], bool], says: str) -> Any:
        """Waits for a view."""
        until_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < until_s:
            view = self.asks("/state")
            if holds(view):
                return view
            time.sleep(0.2)
        raise SystemExit(f"{says}: {json.dumps(view['sight'])}")

    def ends(self) -> int:
        """As systemd ends it."""
        self._process.send_signal(signal.SIGTERM)
        status = self._process.wait(20)
        self._log.close()
        return status


def main(frames: Path, folder: Path) -> None:
    """Prints what was seen and ruled; an assertion that fails ends it with status 1."""
    cv2.setNumThreads(1)
    folder.mkdir(parents=True, exist_ok=True)
    save_lens(LENS, folder / "lens.json")
    draw(frames, bodies((600.0, 350.0), (650.0, 350.0)))
    table = Table(folder)
    view = table.until(sees, "the table as set up is not seen")
    print(f"set up: {view['sight']['says']}")
    assert table.ends() == 0
    draw(frames, bodies(IN_MM, OUT_MM))
    table = Table(folder)
    table.until(sees, "the table after the throw is not seen")
    table.asks("/?choose")  # the phone's cookie
    table.asks("/do", {"do": "take_seat", "seat": "blue", "name": "Ann"})
    table.asks("/do", {"do": "end_throw", "seat": "blue"})
    view = table.until(lambda view: view["last"] or view["question"], "nothing is ruled")
    (ruling,) = view["last"]
    print(f"ruled: {ruling['says']} ({ruling['rule']}), by {ruling['by'] or 'the camera'}")
    print(f"margin {ruling['margin_mm']} mm, one standard error {ruling['sigma_mm']}; drawn {-OUT_BY_MM} mm")
    assert (ruling["piece"], ruling["by"], view["question"]) == ("blue.2", None, None)
    assert abs(ruling["margin_mm"] + OUT_BY_MM) < 3 * ruling["sigma_mm"]
    assert table.ends() == 0


def sees(view: Any) -> bool:
    """Whether phones report that the table is seen."""
    return bool(view["sight"]["state"] == "sees")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
