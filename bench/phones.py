"""The virtual table in real time, with phones in a browser: from the table's rest to the phone, and words a screen."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from bench.harness import record, today
from companion.app.autoplay import Autoplay, played_by_itself
from companion.app.playing import MatchChoice
from companion.game.game import seats_of
from docs.sections import as_table
from web.site.server import Server
from web.table.app import create_app

SEED, TURNS = 11, 10
ENTERED_S = 4.0
"""Time after which a turn that the camera has not entered needs a press."""
LANGUAGES = ("en-GB", "de-DE")
HEARS = """() => {
  window.heard = [];
  const hears = () => heard.push([+document.body.dataset.seq, Date.now() / 1000]);
  new MutationObserver(hears).observe(document.body, { attributeFilter: ["data-seq"] });
}"""
WORDS = r"""() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let count = 0;
  while (texts.nextNode()) {
    const { parentElement: of, textContent: words } = texts.currentNode, range = document.createRange();
    range.selectNode(texts.currentNode);
    const { width, height, top, bottom } = range.getBoundingClientRect();
    const isSeen = width > 2 && height > 2 && bottom > 0 && top < innerHeight;
    if (isSeen && of.checkVisibility({ visibilityProperty: true }) && !of.closest("svg, .unseen"))
      count += (words.match(/[\p{L}\p{N}][\p{L}\p{N}'’.-]*/gu) ?? []).length;
  }
  return count;
}"""


class Seconds:
    """The real time. Where autoplay waits for a die, the bench measures."""

    at: Watched

    def __call__(self) -> float:
        return time.monotonic()

    def wait(self, seconds: float) -> None:
        if seconds < 1.0:
            time.sleep(seconds)
        else:
            self.at.rest()


class Watched(Autoplay):
    """A match in real time that phones watch."""

    phones: tuple[Page, ...] = ()

    def look(self) -> None:
        """The table's own thread looks."""
        time.sleep(0.05)

    def open(self, browser: Browser, url: str) -> None:
        """Opens a phone a language, all of them at the first seat."""
        self.rest_s, self.words, seat = [], {language: [] for language in LANGUAGES}, seats_of(self.game, self.state)[0]
        phone = browser.new_context()
        phone.request.get(url + "state")
        tap = {"do": "take_seat", "seat": seat, "name": "Ann", "holder": None, "number": ""}
        assert phone.request.post(url + "do", data=tap, headers={"Origin": url.rstrip("/")}).ok
        for language in LANGUAGES:
            size, kept = {"width": 360, "height": 740}, phone.storage_state()
            context = browser.new_context(viewport=size, locale=language, storage_state=kept)
            page = context.new_page()
            page.goto(f"{url}?seat={seat}")
            page.wait_for_selector("#actions:not([hidden])")
            page.evaluate(HEARS)
            self.phones = (*self.phones, page)

    def rest(self) -> None:
        """Waits until the camera has entered the table."""
        while self.table.state()["is_moving"]:
            time.sleep(0.01)
        began, before = time.time(), self.match.view().seq
        while self.match.view().seq == before and time.time() < began + ENTERED_S and not self.is_asked():
            self.phones[0].wait_for_timeout(50)
        self.phones[0].wait_for_timeout(300)
        heard = [at for seq, at in self.phones[0].evaluate("heard") if seq > before and at > began]
        self.rest_s += [heard[0] - began] if heard else []
        for language, page in zip(LANGUAGES, self.phones, strict=True):
            self.words[language].append(page.evaluate(WORDS))

    def is_asked(self) -> bool:
        return self.match.view().question is not None


def run(shared: Path) -> int:
    """Prints the figures and writes them to docs/accuracy.md; nothing of `shared` is needed. PHONES_GAMES: these
    only, and nothing is written. Status 0."""
    only = os.environ.get("PHONES_GAMES", "").split()
    rows: list[list[object]] = []
    for game in only or played_by_itself():
        at, view = _played(game)
        words = [f"{median(at.words[language]):.0f}" for language in LANGUAGES]
        rests = sorted(at.rest_s)
        rest = f"{median(rests):.2f}, {rests[int(0.95 * len(rests))]:.2f} of {len(rests)}" if rests else "none"
        rows.append([view.title, *words, rest, at.played.turns, at.played.presses, at.played.questions])
        print(rows[-1], at.words, [f"{s:.2f}" for s in rests], at.played.stuck or "", flush=True)
    if not only:
        heads = ["game", "words, English", "German", "rest to phone, s: median, p95", "turns", "presses", "questions"]
        record(
            "phones",
            "## Phones during play",
            f"""{today()}: matches that play themselves in real time at the virtual table. Words: median of
a phone's screen of 360 by 740 at each turn. Rest to phone: from the table's rest to the page.""",
            as_table(heads, rows),
        )
    return 0


def _played(game: str) -> tuple[Watched, Any]:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        clock: Any = Seconds()
        at = clock.at = Watched(MatchChoice(game=game), SEED, Path(folder) / "m.db", has_button=False, clock=clock)
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium-headless-shell"), args=["--no-sandbox"]
        )
        with Server(create_app(at.match, join_url="http://127.0.0.1/"), "127.0.0.1", 0).running() as server:
            at.loop.start(at.match)
            try:
                at.sees()
                at.open(browser, server.url)
                for _ in range(TURNS):
                    if not at.turn():
                        break
                return at, at.match.view()
            finally:
                browser.close()
                at.loop.stop()
                at.match.close()
