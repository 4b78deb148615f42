"""From the box to the first ruling, in a browser, on a virtual camera; then the camera is bumped."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from calibration.lens import CameraMode
from calibration.paper.boards import drill_places_mm
from companion.app.address import TableAddress
from companion.app.box import press
from companion.app.door import TableDoor
from companion.app.kept import Kept
from companion.app.real_table import RealTable
from companion.game.view import Sight
from hardware.camera import Camera, Frame
from tests.calibration.pictures import KIT, LENS, TILTS, board_picture
from vision.sim.virtual import VirtualTable
from web.site.server import Server
from web.table.app import create_app
from web.table.start import start_page

pytestmark = [pytest.mark.browser, pytest.mark.slow]
MODE = CameraMode(adapter="virtual", model="imx708", sensor_px=(960, 720), focus_dioptres=0.9)
EVERYWHERE = tuple((x, y) for y in (-110, 0, 110) for x in (-150, 0, 150))
MOST_STEPS = 12
PATIENT_MS = 120_000
"""How long the page may take, ms: a busy machine draws and reads slowly."""
FLAT = replace(LENS, distortion=(0.0,) * 5)


class VirtualCamera(Camera):
    """A camera before which a board is waved, until it is turned to the table."""

    def __init__(self, table: VirtualTable, shows: dict[str, Any]) -> None:
        self._table, self._shows, self._count = table, shows, 0

    @property
    def name(self) -> str:
        return "the virtual camera"

    @property
    def is_live(self) -> bool:
        return True

    def frame(self, timeout_s: float) -> Frame:
        boards = self._shows["boards"]
        self._count += 1
        if boards is None:
            picture = self._table.frame(timeout_s)
        else:
            time.sleep(0.05)
            shown = boards[min(len(self._shows["waving"]().kept), len(boards) - 1)]  # held still until it is taken
            picture = np.minimum(shown, 254) + self._count % 2  # no two frames of a sensor are alike
        assert picture is not None
        return Frame(np.asarray(picture, np.uint8), time.monotonic(), self._count, MODE)

    def close(self) -> None:
        pass


class Bench:
    """A table that stands, with its pages, and hands that do what the page says."""

    def __init__(self, folder: Path) -> None:
        self.table = VirtualTable(KIT, FLAT, seed=2)
        self.shows: dict[str, Any] = {"boards": None, "waving": lambda: self.real.setup._waving}
        self.kept = Kept(folder / "table")
        pins = folder / "pins.toml"
        pins.write_text("[buttons]\nend_throw = 5\nundo = 6\n")
        self.real = RealTable(self.kept, lambda: VirtualCamera(self.table, self.shows), pins=pins)
        self.door = TableDoor(folder / "matches", self.real.open_eyes)
        self.real.door = self.door
        more = (*self.real.pages(TableAddress("127.0.0.1", 0)), start_page(self.door))
        self.app = create_app(self.door, join_url="http://192.168.4.1:8000/", more=more)

    def wave(self) -> None:
        turns = [turn for turn, _ in TILTS]
        held = [(turns[i % len(turns)], (x, y, 400.0)) for i, (x, y) in enumerate(EVERYWHERE)] + list(TILTS)
        self.shows["boards"] = [board_picture(turn, place, lens=FLAT) for turn, place in held]

    def clear(self) -> None:
        for id in [piece["id"] for piece in self.table.state()["pieces"]]:
            if "territory" not in id:
                self.table.remove(id)

    def is_drawn(self) -> None:
        """Waits until the camera has seen what was just laid."""
        newest = self.real.camera.newest()
        for _ in range(3):
            newest = self.real.camera.newer(newest.sequence if newest else -1, 20.0)
        assert newest is not None

    def close(self) -> None:
        self.door.close()
        self.real.close()


def waits_until(is_so: Callable[[], object]) -> None:
    """Asks again and again, as long as a page is waited for."""
    deadline_s = time.monotonic() + PATIENT_MS / 1000
    while not is_so():
        assert time.monotonic() < deadline_s, "waited in vain"
        time.sleep(0.2)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    made.close()


@pytest.mark.journey
def test_from_the_box_to_the_first_ruling_in_twelve_steps_and_a_bump_ends_the_certificate(
    bench: Bench, browser: Browser
) -> None:
    with Server(bench.app, "127.0.0.1", 0).running() as server:
        context = browser.new_context(viewport={"width": 360, "height": 740})
        page = context.new_page()
        wrong: list[str] = []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        steps = 0

        def does(words: str, page: Page = page) -> None:
            nonlocal steps
            steps += 1
            page.get_by_role("button", name=words).or_(page.get_by_role("link", name=words)).first.click()

        page.goto(server.url)  # nothing is known of the camera: the pages begin with the set-up
        expect(page.get_by_role("heading", name="Aim")).to_be_visible()
        expect(page.locator("#step")).to_contain_text("Step 6 of 12")
        expect(page.locator("#say")).to_contain_text("Well aimed", timeout=PATIENT_MS)
        expect(page.locator("#focus-says")).to_contain_text("harp")
        does("Next")

        bench.wave()
        expect(page.locator("#finish_lens")).to_be_enabled(timeout=PATIENT_MS)
        expect(page.locator("#say")).to_contain_text("press Keep this lens", timeout=PATIENT_MS)
        does("Keep this lens")
        expect(page.locator("#told")).to_contain_text("The lens is calibrated")
        bench.shows["boards"] = None
        does("Next")

        places = {i: np.array(at) for i, at in KIT.mat.markers.items()}
        page.get_by_label("0 to 1, mm").fill(f"{np.linalg.norm(places[1] - places[0]):.1f}")
        page.get_by_label("0 to 2, mm").fill(f"{np.linalg.norm(places[2] - places[0]):.1f}")
        does("Place them")
        expect(page.locator("#told")).to_contain_text("The fiducials are placed", timeout=PATIENT_MS)
        does("Next")

        bench.clear()
        for i, (x, y) in enumerate(drill_places_mm(KIT)):
            bench.table.place("samurai", ("red", "blue")[i % 2], x, y)
        bench.is_drawn()
        expect(page.locator("#say")).to_contain_text("Well aimed", timeout=PATIENT_MS)
        does("Learn their colours")
        expect(page.locator("#told")).to_contain_text("colours can be distinguished", timeout=PATIENT_MS)
        does("Next")

        for name in ("end_throw", "undo"):
            bench.real.setup.press(name)
        expect(page.locator("#say")).to_contain_text("All buttons work")
        does("Next")

        does("Read the ten places")
        expect(page.locator("#told")).to_contain_text("Passed", timeout=PATIENT_MS)
        certificate = bench.kept.certificate()
        assert certificate.is_passed
        assert certificate.worst_mm < 1.0
        does("Play")

        page.locator("summary", has_text="Eyes of the Emperor").first.click()
        does("Play Eyes of the Emperor")
        assert steps <= MOST_STEPS
        match = bench.door.match
        waits_until(lambda: match.view().sight.state is Sight.SEES)
        phones = [browser.new_context().new_page() for _ in range(2)]
        for phone in phones:
            phone.goto(server.url + "?watch")
        bench.clear()
        bench.table.place("samurai", "red", 300.0, 350.0)
        waits_until(lambda: press(match, "end_throw") and (match.view().last or match.view().question))

        bench.table.bump(seed=5)
        for phone in phones:
            expect(phone.locator(".sight")).to_contain_text("certificate has expired", timeout=PATIENT_MS)
        again = bench.kept.certificate()
        assert again.expired is not None
        assert wrong == []
        for phone in phones:
            phone.context.close()
        context.close()
