"""Each game to its end on two phones without a camera, and one match whose camera is taken away in its middle."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from companion.game.known import game_named
from companion.game.says import Says
from companion.game.view import Sight
from companion.match.inputs import Act, EndThrow
from companion.match.referee import Thresholds
from tests.companion.looks import TextLook
from tests.web.access import assert_clean
from tests.web.player import Player
from tests.web.table import Table
from tests.web.test_rummy_pages import BOB

pytestmark = pytest.mark.browser

SMALL = {"width": 360, "height": 740}
EYES = "eyes_of_the_emperor"
RISEN = "Promise.all(document.querySelector('dialog').getAnimations().map((one) => one.finished))"
"""A sheet has risen to its place."""
START = (
    "T red 377.5,350; T blue 622.5,350; E red.1 377.5,350; E red.2 377.5,350; E blue.1 622.5,350; E blue.2 622.5,350"
)


def unwatched(folder: Path, name: str, *, has_eyes: bool = False, **options: Any) -> Table:
    """A match that no camera looks at, whose players are not waited for."""
    at_once = Thresholds(objection_s=0.0, hint_s=0.0, answer_s=0.0)
    return Table(folder, name, has_eyes=has_eyes, thresholds=at_once, **options)


@pytest.fixture
def tables() -> Iterator[list[Table]]:
    made: list[Table] = []
    yield made
    for table in made:
        table.ends()


def phones(browser: Browser, table: Table, *seats: str) -> tuple[Player, Player]:
    ann, ben = (
        Player(browser, table.server.url, seat, name, viewport=SMALL)
        for seat, name in zip(seats, ("Ann", "Ben"), strict=True)
    )
    return ann, ben


def drags(one: Player, piece: str, x_mm: float, y_mm: float) -> None:
    """Drags a piece of the drawn valley to a place."""
    one.page.evaluate(RISEN)
    spots = one.page.locator("dialog .hand-valley").evaluate(
        """(svg, [id, x, y]) => {
          const lies = svg.querySelector(`[data-piece="${id}"]`).getAttribute("transform");
          const [, u, v] = lies.match(/([-\\d.]+) ([-\\d.]+)/);
          return [[+u, +v], [x, y]].map(([a, b]) => {
            const at = new DOMPoint(a, b).matrixTransform(svg.getScreenCTM()); return [at.x, at.y]; });
        }""",
        [piece, x_mm, y_mm],
    )
    one.page.mouse.move(*spots[0])
    one.page.mouse.down()
    one.page.mouse.move(*spots[1], steps=4)
    one.page.mouse.up()


def rules(one: Player) -> None:
    with one.page.expect_response("**/do") as answer:
        one.taps("Rule this throw")
    assert answer.value.ok, answer.value.text()
    one.has_left_the_sheet()


@pytest.mark.journey
def test_eyes_of_the_emperor_is_played_to_the_end_by_dragging(
    tmp_path: Path, tables: list[Table], browser: Browser
) -> None:
    tables.append(table := unwatched(tmp_path, EYES))
    ann, ben = phones(browser, table, "red", "blue")
    assert ann.sees("By hand")
    # war phase I: Ann knocks both blue dice out of their territory
    ann.taps("Both have thrown")
    drags(ann, "blue.2", 880, 350)  # the upper one of the stack
    expect(ann.page.locator(".hand-told")).to_contain_text("does not touch the blue territory")
    drags(ann, "blue.1", 820, 560)
    ann.taps("Done")
    ann.taps("Red's ninja")
    drags(ann, "n1", 840, 470)
    assert_clean(ann.page)
    rules(ann)
    for one in (ann, ben):
        assert one.sees("Both blue empire dice are out: red throws samurai")
    # war phase II: three samurai occupy, entered by Ben
    ben.taps("Both have thrown")
    for i, (x_mm, y_mm) in enumerate(((622, 280), (560, 390), (680, 400)), 1):
        ben.taps("Red's samurai")
        drags(ben, f"red.s{i}", x_mm, y_mm)
        expect(ben.page.locator(".hand-told")).to_contain_text("overlaps the blue territory")
        ben.taps("Done")
    rules(ben)
    assert ann.sees("3 samurai occupy: red goes to war phase III")
    # war phase III: a tap turns each eye up
    for die in ("blue.1", "blue.2"):
        ann.taps("Both have thrown")
        ann.page.locator(f"[data-piece='{die}']").focus()
        ann.page.keyboard.press("Enter")
        expect(ann.page.locator(".hand-told")).to_contain_text("eye up")
        rules(ann)
    assert ann.sees("You won")
    assert ben.sees("Ann won")
    assert_clean(ann.page)
    assert ben.page.locator("body").get_attribute("data-won") == "red"
    with ann.page.expect_download() as got:
        ann.page.get_by_role("link", name="Save as PDF").click()
    assert Path(got.value.path()).read_bytes().startswith(b"%PDF")
    ann.leaves()
    ben.leaves()


def test_a_match_whose_camera_fails_goes_on_by_hand(tmp_path: Path, tables: list[Table], browser: Browser) -> None:
    tables.append(table := unwatched(tmp_path, EYES, has_eyes=True))
    match = table.match
    match.saw(Sight.SEES, Says("all four markers"))
    ann, ben = phones(browser, table, "red", "blue")
    # the camera judges the first throw: one blue die is out
    thrown = START.replace("E blue.2 622.5,350", "E blue.2 800,350") + "; N n1 500,100"
    match.looked(TextLook(thrown, at_s=table.now_s + 1))
    match.submit(EndThrow(by="Ann"))
    assert ann.sees("Blue empire die 2 is knocked out of its territory")
    match.saw(Sight.BLIND, Says("the camera is unplugged"), "no_picture")
    for one in (ann, ben):
        assert one.sees("Blind: no picture")
    # and people the second, from the table as the camera saw it last
    ben.taps("by hand")
    drags(ben, "blue.1", 850, 480)
    rules(ben)
    assert ann.sees("Both blue empire dice are out: red throws samurai")
    assert ann.can_tap("Undo")
    assert [entry.by for entry in match.view().history if "throw" in str(entry.says).lower()][:1] == ["Ben"]
    ann.leaves()
    ben.leaves()


def test_a_die_that_the_camera_did_not_see_is_asked_for_by_hand_too_and_can_be_put_down(
    tmp_path: Path, tables: list[Table], browser: Browser
) -> None:
    """It was not drawn, could not be put anywhere, and so was ruled to have left the valley."""
    tables.append(table := unwatched(tmp_path, EYES, has_eyes=True))
    match = table.match
    match.saw(Sight.SEES, Says("all four markers"))
    ben = Player(browser, table.server.url, "blue", "Ben", viewport=SMALL)
    match.looked(TextLook(START.replace("; E blue.2 622.5,350", "") + "; N n1 500,100", at_s=table.now_s + 1))
    match.submit(EndThrow(by="Ben"))
    match.saw(Sight.BLIND, Says("the camera is unplugged"), "no_picture")
    ben.taps("by hand")
    expect(ben.page.locator(".hand-told")).to_contain_text("Blue empire die 2 was not seen")
    rules(ben)
    assert not any("left the valley" in str(ruling.says) for ruling in match.view().last)
    assert table.table["valley"]["unseen"] == ["blue.2"]
    ben.taps("by hand")
    ben.taps("Blue empire die 2")
    drags(ben, "blue.2", 650, 350)
    expect(ben.page.locator(".hand-told")).to_contain_text("overlaps the blue territory")
    assert_clean(ben.page)
    rules(ben)
    assert table.table["valley"]["unseen"] == []
    assert [piece["id"] for piece in table.table["valley"]["pieces"] if piece["kind"] == "empire_die"][-1] == "blue.2"
    ben.leaves()


def test_a_close_call_needs_both_sides(tmp_path: Path, tables: list[Table], browser: Browser) -> None:
    """One interested tap opened the last war phase at once."""
    tables.append(table := unwatched(tmp_path, EYES, has_eyes=True))
    match = table.match
    match.saw(Sight.SEES, Says("all four markers"))
    ann, ben = phones(browser, table, "red", "blue")
    close = START.replace("E blue.2 622.5,350", "E blue.2 800,350").replace("E blue.1 622.5,350", "E blue.1 746.5,350")
    match.looked(TextLook(close + "; ~ blue.1/blue 0.1+-0.3; N n1 500,100", at_s=table.now_s + 1))
    match.submit(EndThrow(by="Ann"))
    assert ben.sees("Too close to call")
    ann.does("Apart or only touching: knocked out")
    assert ann.sees("Waiting for the other side")
    assert ben.sees("Ann says: Apart or only touching: knocked out")
    assert_clean(ben.page)
    assert match.view().question is not None
    ben.does("Overlaps: still in")
    assert ann.sees("You do not agree")
    assert_clean(ann.page)
    ann.does("Change to “Overlaps: still in”")
    for one in (ann, ben):
        assert one.no_longer_sees("You do not agree")
    assert match.view().question is None
    assert any(line.by == "Ann + Ben" for line in match.view().history)
    ann.leaves()
    ben.leaves()


PLAYED = Path(__file__).resolve().parents[1] / "playthroughs"
TAPPED = 7
"""So many moves are tapped at the beginning and at the end; those between are entered as the same taps would."""


def open_move(game: Any, state: Any, text: str) -> tuple[Any, dict[str, str]]:
    """The open move that a playthrough's line means, and how many rods of each color fell with it."""
    legal = game.rules.legal(state)
    for move in legal:
        if move.action and game.text.action(move.action) == text:
            return move, {}
    who, _, *colors = text.split()
    move = next(m for m in legal if m.move == f"{who} fell ...")
    return move, {ask.key: str(colors.count(ask.key)) for ask in move.asks}


def knocks_at_once(table: Table) -> None:
    """A round of rummy in which who is first lays three melds and knocks, as its phones enter it."""
    match, game = table.match, game_named("manipulation_rummy")
    if match.state.phase == "deal":
        assert match.submit(Act(seat=game.rules.to_move(match.state)[0], move="deal", by="Ann")).entry
    first = game.rules.to_move(match.state)[0]
    last = "B" if first == "A" else "A"
    laid = "[4S 4D 4H] [9C 9D 9H] [KC KD KS]"
    for seat, move, values in (
        (first, "draws", {}), (first, "melds ...", {"table": laid}), (first, "knocks", {}),
        (first, "shows ...", {"cards": "AH 2C"}), (last, "shows ...", {"cards": " ".join(BOB)}),
    ):  # fmt: skip
        assert match.submit(Act(seat=seat, move=f"{seat} {move}", by="Ann", values=values)).entry


@pytest.mark.parametrize(
    ("name", "told", "options"),
    [
        ("center_point", "center_point-two", {"colors": "rg"}),
        ("basic_manipulation", "basic_manipulation-two", {"mode": "two"}),
        ("suspend", "suspend-beginner-lenient", {"mode": "beginner", "beginner_strict": "false"}),
    ],
)
def test_a_match_is_played_to_the_end_by_taps(
    tmp_path: Path, tables: list[Table], browser: Browser, name: str, told: str, options: dict[str, str]
) -> None:
    players = 2 if name == "suspend" else None  # the colors of a race say how many play
    tables.append(table := unwatched(tmp_path, name, options=options, players=players))
    moves = re.findall(r"^> (.+)$", (PLAYED / f"{told}.txt").read_text(encoding="utf-8"), re.MULTILINE)
    seats = [seat.seat for seat in table.match.view().seats]
    ann, ben = phones(browser, table, *seats)
    by_seat = dict(zip(seats, (ann, ben), strict=True))
    game = game_named(name)
    for number, text in enumerate(moves):
        if number in (TAPPED, len(moves) - TAPPED):  # phones look away in between, and find the match as it stands
            for mine, one in by_seat.items():
                if number == TAPPED:
                    one.page.goto("about:blank")
                else:
                    one.goes(f"?seat={mine}")
        move, fallen = open_move(game, table.match.state, text)
        seat = next(s for s in seats if s in (move.seats or game.rules.to_move(table.match.state)))
        seat = getattr(move.action, "seat", seat)
        if TAPPED <= number < len(moves) - TAPPED:
            assert table.match.submit(Act(seat=seat, move=move.move, by="Ann", values=fallen)).entry
            continue
        page = by_seat[seat].page
        assert by_seat[seat].has_heard(table.match.view().seq)
        with page.expect_response("**/do"):
            page.locator(f"[data-key='{move.move}'], [data-move='{move.move}']").first.click()
            for color, count in fallen.items():
                page.locator("dialog fieldset").filter(has_text=color.title()).get_by_text(count, exact=True).click()
            if fallen:
                page.get_by_role("dialog").get_by_role("button", name="Confirm").click()
    over = table.match.view().over
    for seat, one in by_seat.items():
        assert one.sees("You won" if seat in over.winners else "won")
        assert_clean(one.page)
        one.leaves()
