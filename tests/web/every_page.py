"""`python -m tests.web.every_page OUTDIR [WORD ...]`: every page in every state as pictures, with measured faults.

Each state is shown at four sizes, by day and by night, with letters of 100 % and 200 %, in English and in German: 32
pictures. WORD selects a game, `house`, `setup` or `hub`. OUTDIR also gets `faults.txt`: elements that scroll sideways,
are cut off, are off screen or break a rule of axe-core. Status 1 if there are any faults.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from flask import Blueprint
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Page, expect, sync_playwright

from companion.app.door import TableDoor
from companion.app.playing import MatchChoice
from companion.event.settings import Settings
from companion.game.brought import default_kit
from companion.game.game import seats_of
from companion.game.known import GAMES, game_named
from companion.game.says import Says
from companion.game.values import InPlace
from companion.game.view import Sight, SightView
from companion.match.inputs import Act
from companion.match.match import Match
from companion.record.log import Log
from tests.book.evenings import play
from tests.conftest import CHROMIUM_FLAGS, chromium
from tests.games.playthrough import FOLDER, actions
from tests.hub.conftest import NAMES
from tests.hub.served_hub import ServedHub
from tests.scenes import SMALL_LENS
from tests.web import shown
from tests.web.access import AXE
from tests.web.fake_door import NOW_S, FakeDoor
from tests.web.test_setup import Bench
from vision.sim.virtual import BUTTONS, VirtualTable
from web.site.server import Server
from web.table.app import create_app
from web.table.setup import STEPS
from web.table.start import start_page
from web.table.virtual import virtual_table

SIZES_PX = ((360, 640), (412, 915), (1280, 800), (1920, 1080))
SCHEMES = ("light", "dark")
LETTERS_PX = (16, 32)
LOCALES = {"en": "en-GB", "de": "de-DE"}
JOIN_URL = "http://192.168.4.1:8080/"
PEOPLE = ("Annemarie", "Bartholomew", "Cem", "Dorothea", "Emil")
PLAYED = {
    "center_point": ("center_point-two", 60),
    "basic_manipulation": ("basic_manipulation-four", 120),
    "manipulation_rummy": ("manipulation_rummy-three-values", 60),
    "suspend": ("suspend-expert", 30),
    "score_pad": ("score_pad-tricks", 30),
}
"""The playthrough of a game, and the number of its actions after which the match is shown."""
WAIT_MS = 20_000
SPARED = ".board #history, .phone .score-sheet th"
"""Elements that show only as many whole lines or words as fit."""
STILL = ":is(.actions, .top) { position: relative !important; inset: 0 !important; } .news { display: none }"
"""In a picture of a whole page, fixed elements go to their place in the page; our policy forbids the style."""
FAULTS = """() => {
  const found = [], wide = innerWidth, root = document.documentElement;
  const name = (n) => `${n.localName}${n.id ? "#" + n.id : ""}${[...n.classList].map((c) => "." + c).join("")}`
    + ` "${(n.textContent || "").trim().replace(/\\s+/g, " ").slice(0, 50)}"`;
  if (root.scrollWidth > wide) found.push(`sideways: the page is ${root.scrollWidth - wide} px wider than the screen`);
  for (const n of document.body.querySelectorAll("*")) {
    if (!n.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    if (n.closest(".unseen, SPARED") || (n.closest("svg") && n.localName !== "svg")) continue;
    const style = getComputedStyle(n), box = n.getBoundingClientRect();
    if (!box.width || !box.height || style.clipPath !== "none") continue;
    const own = [...n.childNodes].some((c) => c.nodeType === 3 && c.data.trim());
    const across = n.scrollWidth - n.clientWidth, down = n.scrollHeight - n.clientHeight;
    const hides = ["hidden", "clip"].includes(style.overflowX);
    if (n.clientWidth && hides && across > 1 && n.textContent.trim()) found.push(`cut: ${name(n)} by ${across} px`);
    if (n.clientHeight && ["hidden", "clip"].includes(style.overflowY) && down > 2 && n.textContent.trim())
      found.push(`cut below: ${name(n)} by ${down} px`);
    if (n.localName === "button" && down > 1 && style.overflowY === "visible")
      found.push(`spills below: ${name(n)} by ${down} px`);
    if (n.clientWidth && own && style.overflowX === "visible" && across > 1 && style.display !== "inline")
      found.push(`spills: ${name(n)} by ${across} px`);
    let scrolls = false;
    for (let p = n.parentElement; p && p !== root; p = p.parentElement)
      scrolls ||= ["auto", "scroll", "hidden", "clip"].includes(getComputedStyle(p).overflowX);
    const isSeen = own || ["img", "svg", "button", "input"].includes(n.localName);
    if (!scrolls && isSeen && (box.left < -1 || box.right > wide + 1))
      found.push(`off screen: ${name(n)} from ${Math.round(box.left)} to ${Math.round(box.right)} px`);
  }
  return found;
}""".replace("SPARED", SPARED)


State = tuple[str, Callable[[Page], None]]
"""One page in one state: what it is called, and how a page gets there."""


class OpenDoor(FakeDoor):
    """A match in which every phone holds the seats it asks for."""

    def seats_of(self, phone: str | None) -> tuple[str, ...]:
        return tuple(seat.seat for seat in self._view.seats)


def served(stack: ExitStack, door: Any, *more: Blueprint) -> str:
    """The address of a match's pages."""
    app = create_app(door, join_url=JOIN_URL, more=more, max_streams=50, clock=lambda: NOW_S)
    return stack.enter_context(Server(app, "127.0.0.1", 0).running()).url


# ---- a match


def at(url: str, door: FakeDoor | None = None, changes: Mapping[str, Any] | None = None) -> Callable[[Page], None]:
    """Goes to a page of a match that is in a state."""

    def goes(page: Page) -> None:
        if door is not None and changes is not None:
            door.shows(**changes)
        page.goto(url)
        if door is not None:
            expect(page.locator("body")).to_have_attribute("data-link", re.compile("live|polling"))

    return goes


def taps(goes: Callable[[Page], None], *selectors: str) -> Callable[[Page], None]:
    """Goes there and taps one thing after the other."""

    def both(page: Page) -> None:
        goes(page)
        for selector in selectors:
            page.locator(selector).first.click()

    return both


def played(name: str, folder: Path, first: int | None) -> Match[Any, Any]:
    """A match after the `first` actions of a playthrough; None: all. A camera sees it."""
    text = (FOLDER / f"{PLAYED[name][0]}.txt").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.startswith("# ")]
    lines += [f"> {action}" for action in list(actions(text))[:first]]
    log = Log(play(Path(tempfile.mkdtemp(dir=folder)), "\n".join(lines), NOW_S - 4000.0, PEOPLE))
    match: Match[Any, Any] = Match(game_named(name), log, wall_s=lambda: NOW_S, monotonic_s=lambda: NOW_S)
    match.saw(Sight.SEES, Says("the table is seen"))
    return match


def door_of(match: Match[Any, Any]) -> OpenDoor:
    """A match as it stands, behind a door whose view can be changed."""
    view = match.view(None)
    seats = tuple(replace(seat, name=name) for seat, name in zip(view.seats, PEOPLE, strict=False))
    door = OpenDoor(replace(view, seats=seats))
    for seat in seats:
        mine = match.view(seat.seat)
        door.secrets[seat.seat] = {"table": mine.table, "moves": mine.moves, "question": mine.question}
    return door


def eyes_states() -> Iterator[tuple[str, OpenDoor, dict[str, Any]]]:
    """Eyes of the Emperor: what tests show too."""
    view = shown.match_view()
    names = tuple(replace(seat, name=name) for seat, name in zip(view.seats, PEOPLE, strict=False))
    door = OpenDoor(replace(view, seats=names))
    for over_px in (shown.RULED_PX, shown.ASKED_PX):
        door.pictures[shown.evidence(over_px).sha256] = shown.close_up(over_px)
    door.shows(hints=shown.hints())
    yield "ruling", door, {}
    yield "question", door, {"question": shown.question()}
    yield "put back", door, {"put_back": shown.put_back(), "last": (), "undo": None}
    seen = shown.seen_back(InPlace.YES, InPlace.NO, InPlace.UNSEEN, whole=InPlace.NO, says="1 of 3 in place")
    yield "seen back", door, {"put_back": seen, "last": (), "undo": None}
    yield "end", door, {"over": shown.over(), "table": shown.table(winner="red")}


def other_states(name: str, folder: Path) -> Iterator[tuple[str, OpenDoor, dict[str, Any]]]:
    """The other games: real matches, at the start, in their middle and at the end."""
    for state, count in (("start", 0), ("ruling", PLAYED[name][1]), ("end", None)):
        match = played(name, folder, count)
        yield state, door_of(match), {}
        match.close()


BLIND = {
    "sight": SightView(
        state=Sight.BLIND,
        says=Says("the picture is too dark: switch on a light"),
        since_s=NOW_S - 70,
        code="too_dark",
    ),
    "refused": Says("no ruling: {why}", {"why": Says("the camera has not looked at the table yet")}),
}


def match_states(name: str, stack: ExitStack, folder: Path) -> Iterator[State]:
    """A game's phone and wall in each state, and its virtual table."""
    told = eyes_states() if name == "eyes_of_the_emperor" else other_states(name, folder)
    url, last = "", None
    for state, door, changes in told:
        if door is not last:
            url, last = served(stack, door, *([virtual_of(name)] if state == "ruling" else [])), door
        seat = door.view().seats[0].seat
        kinds = {state: {}, "blind": BLIND} if state == "ruling" else {state: {}}
        for kind, more in kinds.items():
            now = {**changes, **more}
            before = {key: getattr(door.view(), key) for key in now}
            phone = at(f"{url}?seat={seat}", door, now)
            yield (f"{name} {kind} phone", phone)
            yield (f"{name} {kind} wall", at(f"{url}board", door, now))
            if kind == "ruling":
                yield (f"{name} more phone", taps(phone, "[data-key=more]"))
                yield (f"{name} choose phone", at(f"{url}?choose", door))
                yield (f"{name} watch phone", at(f"{url}?watch", door))
                yield (f"{name} table screen", at(f"{url}table"))
            door.shows(**before)


def virtual_of(name: str) -> Blueprint:
    """The virtual table of a game as it is set up."""
    game = game_named(name)
    chosen = MatchChoice(game=name)
    state = chosen.start(game)
    table = VirtualTable(
        default_kit(name), SMALL_LENS, board=chosen.board_of(game), layout=game.table.layout(state).pieces,
        seats=seats_of(game, state), seed=2, buttons={button: lambda: None for button in BUTTONS},
    )  # fmt: skip
    return virtual_table(table)


# ---- a door, its set-up, and an event


def table_states(stack: ExitStack, folder: Path) -> Iterator[State]:
    """The start page, the code to join, a refusal, and the set-up of a camera."""
    door = TableDoor(folder / "door", lambda game, chosen: None)
    stack.callback(door.close)
    url = served(stack, door, start_page(door, is_virtual=True))
    start = at(f"{url}start")
    yield ("start phone", start)
    door.begin("center_point", 2, {}, by="the start page")
    door.submit(Act(seat="red", move="r d3", by="Annemarie"))
    yield ("start busy phone", start)
    yield ("join phone", at(f"{url}join"))
    yield ("refusal phone", at(f"{url}nothing"))


def setup_states(stack: ExitStack, folder: Path) -> Iterator[State]:
    """The set-up of a table and its doctor, before a virtual camera."""
    bench = Bench(folder)
    stack.callback(bench.close)
    url = stack.enter_context(Server(bench.app, "127.0.0.1", 0).running()).url

    def looks(step: str) -> Callable[[Page], None]:
        def goes(page: Page) -> None:
            page.goto(f"{url}setup/{step}")
            expect(page.locator("#say")).not_to_contain_text("...", timeout=WAIT_MS)

        return goes

    for step in STEPS:
        yield (f"setup {step} phone", looks(step))
    yield ("doctor phone", at(f"{url}doctor"))


def hub_states(stack: ExitStack, folder: Path) -> Iterator[State]:
    """An event: its organiser, its referees, a player, a screen and everybody."""
    hub = ServedHub(folder)
    stack.callback(hub.close)
    stack.enter_context(hub.server.running())
    url, hall = hub.url, hub.hall
    yield ("hub invitation phone", lambda page: page.goto(hall.people.organiser_link(url)))

    def lets_in(page: Page) -> None:
        page.goto(hall.people.organiser_link(url))
        page.locator("#name").fill("Olga")
        page.locator("form .primary").click()
        page.goto(url)

    yield ("hub events phone", lets_in)
    yield ("hub new screen", at(f"{url}new"))
    hall.begins(NAMES, Settings(rounds=3, seed="7"))
    yield ("hub desk before screen", at(f"{url}e/cup/desk"))
    hall.pairs()
    yield ("hub join phone", at(f"{url}e/cup/join"))
    for path in ("desk", "entrants", "rounds", "devices", "audit", "result/1/1"):
        yield (f"hub {path.split('/')[0]} screen", at(f"{url}e/cup/{path}"))
    for path in ("", "round/1", "standing/p1", "screen"):
        yield (f"hub {path.split('/')[0] or 'event'} phone", at(f"{url}e/cup/{path}"))
    yield ("hub refusal phone", at(f"{url}e/none"))


def states(stack: ExitStack, folder: Path, words: Sequence[str]) -> Iterator[State]:
    """All, or those of the groups that a word names."""
    groups: dict[str, Callable[[ExitStack, Path], Iterator[State]]] = {
        name: partial(match_states, name) for name in GAMES
    }
    groups |= {"house": table_states, "setup": setup_states, "hub": hub_states}
    for name, group in groups.items():
        if not words or name in words:
            with ExitStack() as own:
                inner = folder / name
                inner.mkdir(parents=True)
                yield from group(own, inner)


# ---- pictures


def looks_of(page: Page) -> Iterator[tuple[tuple[int, int], str]]:
    """The page at each size, by day and by night."""
    for size_px in SIZES_PX:
        page.set_viewport_size({"width": size_px[0], "height": size_px[1]})
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
            page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            yield size_px, scheme


def faults_of(page: Page, size_px: tuple[int, int], scheme: str, letters_px: int) -> list[str]:
    """The faults of a page.

    Layout is measured by day only, since colours move nothing. axe runs at one letter size, since letters change
    nothing that it checks.
    """
    found: list[str] = page.evaluate(FAULTS) if scheme == "light" else []
    if letters_px == LETTERS_PX[0] and size_px in (SIZES_PX[0], SIZES_PX[-1]):
        told = page.evaluate("axe.run(document, {iframes: false, resultTypes: ['violations']})")
        for fault in told["violations"]:
            node = fault["nodes"][0]
            found.append(f"axe {fault['id']}: {node['html'][:160]} {node['failureSummary'].splitlines()[-1].strip()}")
    return found


Faults = dict[str, list[str]]


def pictured(pages: Mapping[int, Page], lang: str, folder: Path, out: Path, words: Sequence[str]) -> Faults:
    """Takes the pictures of one language, each page with letters of its size; gives each fault with where it is."""
    faults: Faults = defaultdict(list)
    with ExitStack() as stack:
        for name, goes in states(stack, folder, words):
            for letters_px, page in pages.items():
                try:
                    goes(page)
                except (PlaywrightError, AssertionError) as error:
                    faults[f"{name}: not reached: {str(error).splitlines()[0]}"].append(f"{lang} {letters_px}")
                    continue
                page.evaluate(AXE.read_text(encoding="utf-8"))
                for size_px, scheme in looks_of(page):
                    look = f"{lang} {size_px[0]} {scheme} {letters_px * 100 // 16}"
                    for fault in faults_of(page, size_px, scheme, letters_px):
                        faults[f"{name}: {fault}"].append(look)
                    file = f"{name} {look}.jpg".replace(" ", "-")
                    page.screenshot(path=out / file, full_page=True, type="jpeg", quality=80, style=STILL)
            print(f"{lang} {name}", flush=True)
    return faults


def main() -> int:
    """Exit status: 1 where a fault was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.web.every_page", description=__doc__)
    parser.add_argument("out", type=Path, help="folder for the pictures")
    parser.add_argument("words", nargs="*", metavar="WORD", help="shows these alone")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    faults: Faults = defaultdict(list)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browsers = {
            letters_px: playwright.chromium.launch(
                executable_path=chromium(),
                args=[*CHROMIUM_FLAGS, f"--blink-settings=defaultFontSize={letters_px}"],
            )
            for letters_px in LETTERS_PX
        }
        for lang in LOCALES:
            pages = {}
            for letters_px, browser in browsers.items():  # the style of pictures needs no policy
                context = browser.new_context(locale=LOCALES[lang], has_touch=True, bypass_csp=True)
                context.set_default_timeout(WAIT_MS)
                pages[letters_px] = page = context.new_page()
                page.on("pageerror", lambda error, lang=lang: faults[f"script: {error}"].append(lang))
            for fault, where in pictured(pages, lang, Path(folder) / lang, asked.out, asked.words).items():
                faults[fault] += where
    lines = [f"{fault}  [{len(where)}: {', '.join(where[:4])}]" for fault, where in sorted(faults.items())]
    (asked.out / "faults.txt").write_text("\n".join([*lines, ""]), encoding="utf-8")
    print("\n".join(lines))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
