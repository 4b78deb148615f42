"""The whole way: thrown on the virtual table, seen by its camera, ruled, shown on phones, killed and found again."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.web.player import Player

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ROOT = Path(__file__).resolve().parent.parent.parent
STILL_S = 1.5
"""By the table's own clock."""
PATIENCE_TRIES = 1200
"""Of a tenth of a second each: a busy machine draws and reads slowly."""
OUT_MM = (850.0, 420.0)
RIM_MM = 746.5
"""Where a blue empire die, square on, only touches its territory: 622.5 + 110 + 14."""
TRIES_MM = (0.0, 0.35, -0.35, 0.7, 1.05, -0.7, 1.4)
"""A hand pushes the die about the rim until the table cannot tell: how wide that band is, is the reader's affair."""


class Demo:
    """`companion demo` in a folder of its own, as a process that can be killed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = 0
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-m", "companion", "demo", "--game", "eyes_of_the_emperor"]
        command += ["--button", "--port", str(self.port), "--data", str(self.folder)]
        with (self.folder / "demo.log").open("a") as log:
            self.process = subprocess.Popen(
                [*command, "--seed", "1"], cwd=ROOT, stdout=subprocess.PIPE, stderr=log, text=True
            )
        assert self.process.stdout is not None
        for line in self.process.stdout:
            found = re.search(r" is at (http://[^\s/]+:(\d+)/)", line)
            if found:
                self.url, self.port = found[1], int(found[2])
                return
        pytest.fail("the demo did not say its address: " + (self.folder / "demo.log").read_text())

    def kill(self) -> None:
        """As a power cut does: no time for a last word."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(10)
        self.process.stdout.close()


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[Demo]:
    made = Demo(tmp_path)
    yield made
    made.kill()


class Hands:
    """A person at the virtual table."""

    def __init__(self, browser: Browser, url: str) -> None:
        self.context = browser.new_context(viewport={"width": 1600, "height": 1000}, locale="en-GB")
        self.page: Page = self.context.new_page()
        self.page.goto(url)
        expect(self.page.locator("[data-piece]")).not_to_have_count(0)

    def throws_ninja(self, seat: str, at: tuple[float, float]) -> None:
        """Drags a ninja from the emperor's end; `at` is a part of the valley's width and height."""
        before = self.looked_s()
        ninjas = self.page.locator("[data-piece^=ninja]").count()
        supply = self.page.locator(f"[data-supply=ninja][data-seat={seat}]").bounding_box()
        valley = self.page.locator(".v-felt").bounding_box()
        self.page.mouse.move(supply["x"] + supply["width"] / 2, supply["y"] + supply["height"] / 3)
        self.page.mouse.down()
        x, y = valley["x"] + at[0] * valley["width"], valley["y"] + at[1] * valley["height"]
        self.page.mouse.move(x, y, steps=8)
        self.page.mouse.up()
        expect(self.page.locator("[data-piece^=ninja]")).to_have_count(ninjas + 1)
        self.waits_until_seen(before)

    def lays(self, **places_mm: tuple[float, float]) -> None:
        """Takes pieces elsewhere, to the tenth of a millimetre."""
        before = self.looked_s()
        for piece, (x_mm, y_mm) in places_mm.items():
            self.asks("/table/do", {"do": "move", "id": piece, "x_mm": x_mm, "y_mm": y_mm})
            if piece.startswith("empire_die"):
                self.asks("/table/do", {"do": "eye_up", "id": piece})  # so that nobody asks whose it is
        self.waits_until_seen(before)

    def ends_throw(self) -> None:
        """Presses the box's own button; what the camera saw is judged when this returns."""
        with self.page.expect_response("**/table/do") as answer:
            self.page.get_by_role("button", name="End throw").click()
        assert answer.value.ok, answer.value.text()
        self.waits("return (await get('/state')).waiting === null;")

    def looked_s(self) -> float:
        """Since when the table sees what it sees now."""
        since_s: float = self.asks("/state")["sight"]["since_s"]
        return since_s

    def waits_until_seen(self, before_s: float) -> None:
        """As people do: until nothing moves and the table has seen so for a moment."""
        self.waits(
            "const seen = await get('/state'), table = await get('/table/state'), { state, since_s } = seen.sight;"
            f"return !table.is_moving && state === 'sees' && since_s > {before_s} && seen.now_s - since_s > {STILL_S};"
        )

    def waits(self, script: str) -> None:
        """Asks again and again until a script says true."""
        self.page.evaluate(
            "async () => { const get = async (path) => (await fetch(path)).json();"
            f"const is_so = async () => {{ {script} }};"
            f"for (let tries = {PATIENCE_TRIES}; !(await is_so()); tries -= 1) {{"
            "if (tries === 0) throw new Error('waited in vain');"
            "await new Promise((done) => setTimeout(done, 100)); } }"
        )

    def asks(self, path: str, deed: dict[str, Any] | None = None) -> dict[str, Any]:
        """What the table answers."""
        send = "{method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(deed)}"
        script = f"async ([path, deed]) => (await fetch(path, deed ? {send} : {{}})).json()"
        answer: dict[str, Any] = self.page.evaluate(script, [path, deed])
        assert "error" not in answer, answer
        return answer


def rulings(one: Player) -> list[str]:
    """The rulings of the last throw as a phone shows them."""
    return one.page.locator("#rulings h2, #rulings summary").all_inner_texts()


def push_to_the_rim_until_asked(hands: Hands) -> None:
    for number, off_mm in enumerate(TRIES_MM):
        hands.asks(
            "/table/do", {"do": "place", "kind": "ninja", "color": "black", "x_mm": 450 + 40 * number, "y_mm": 90}
        )
        hands.lays(empire_die_blue_1=(RIM_MM + off_mm, 350))
        hands.ends_throw()
        question = hands.asks("/state")["question"]
        if question is not None:
            return
    pytest.fail("the table called every place of the die at the rim")


def test_a_throw_on_the_virtual_table_reaches_two_phones_and_outlives_a_kill(demo: Demo, browser: Browser) -> None:
    hands = Hands(browser, demo.url)
    ann, ben = Player(browser, demo.url, "red", "Ann"), Player(browser, demo.url, "blue", "Ben")
    assert ann.sees("The table sees")

    # the same ruling on two phones
    hands.lays(
        empire_die_blue_2=OUT_MM,
        empire_die_red_2=(330, 330),
        empire_die_red_1=(400, 370),
        empire_die_blue_1=(622.5, 350),
    )
    hands.throws_ninja("red", (0.2, 0.15))
    hands.ends_throw()
    for one in (ann, ben):
        assert one.sees("Throw 1")
        assert one.sees("blue empire die 2 is knocked out of its territory")
    assert rulings(ann) == rulings(ben)
    picture = ann.page.locator("#rulings .evidence img").first
    assert picture.evaluate("img => img.decode().then(() => img.naturalWidth)") > 0

    # what was seen wrongly is pointed at in the picture of that very throw
    ann.taps("More")
    ann.taps("Correct a fact")
    table = ann.page.get_by_role("img", name="The table from above: tap the piece")
    expect(table.locator("image")).to_have_count(2)  # the whole table, and sharper the die that was knocked out
    expect(table.locator(".outline")).to_have_count(4)
    for piece, called in (("blue.2", "Blue empire die 2"), ("red.1", "Red empire die 1")):
        outline = table.locator(f".outline[data-piece='{piece}']").bounding_box()
        ann.page.touchscreen.tap(outline["x"] + outline["width"] / 2, outline["y"] + outline["height"] / 2)
        assert ann.hears_in_sheet(f"Chosen: {called}")
        ann.taps("Whole table")
    ann.taps("Close")

    # too close: asked, answered, taken back, answered again
    push_to_the_rim_until_asked(hands)
    for one in (ann, ben):
        assert one.sees("Too close to call")
    ann.does("Apart or only touching: knocked out")
    ben.does("Agree")
    for one in (ann, ben):
        assert one.no_longer_sees("Too close to call")
        assert one.sees("throws a samurai")
    ann.taps("Undo")
    assert ann.sees("What Ann + Ben said")
    ann.does("Take it back")
    assert ben.sees("Too close to call")
    ben.does("Apart or only touching: knocked out")
    ann.does("Agree")
    assert ann.sees("throws a samurai")
    before = hands.asks("/state")
    hands.context.close()

    # killed, and found where it was
    demo.kill()
    for one in (ann, ben):
        assert one.sees("Not connected")
    demo.start()
    for one in (ann, ben):
        assert one.no_longer_sees("Not connected")
        assert one.sees("throws a samurai")
        assert one.can_tap("Undo")
    after = Hands(browser, demo.url).asks("/state")
    assert after["table"] == before["table"]
    assert after["history"][-len(before["history"]) :] == before["history"]
    ann.leaves()
    ben.leaves()
