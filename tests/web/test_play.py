"""Games played on two phones: Eyes of the Emperor by dragging, a race, Suspend and Manipulation Rummy by taps."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from companion.game.known import game_named
from companion.game.says import Says
from companion.game.view import Sight
from companion.match.inputs import EndThrow, RefereeCame
from companion.match.match import Match
from companion.match.referee import Thresholds
from companion.record.log import Log
from tests.companion.looks import TextLook
from tests.companion.test_unpressed import _Seen, board, on_board
from tests.web.access import assert_clean
from tests.web.player import Player
from web.site.server import Server
from web.table.app import create_app
from web.table.hand import hand_reader

pytestmark = pytest.mark.browser

Come = Callable[..., Player]
EYES = "eyes_of_the_emperor"
AT_ONCE = {"hint_s": 0.0, "answer_s": 0.0}


class Table:
    """A match whose clock stands still, and the server of its pages."""

    now_s = 1000.0

    def __init__(self, folder: Path, player: Come, name: str, *, thresholds: dict[str, Any], **of_match: Any) -> None:
        def clock() -> float:
            return self.now_s

        self._player = player
        self.match: Match[Any, Any] = Match(
            game_named(name),
            Log(folder / f"{name}.db"),
            wall_s=clock,
            monotonic_s=clock,
            thresholds=Thresholds(**thresholds),
            **of_match,
        )
        app = create_app(
            self.match, join_url="http://x/", max_streams=8, clock=clock, more=[hand_reader(lambda photo: ANN)]
        )
        self.server = Server(app, "127.0.0.1", 0)

    @property
    def table(self) -> dict[str, Any]:
        """The game's part of what everybody sees."""
        return dict(self.match.view(None).table)

    def phone(self, seat: str | None, name: str, **more: Any) -> Player:
        return self._player(seat, name, at=self.server.url, viewport={"width": 360, "height": 740}, **more)

    def heard_by(self, *phones: Player) -> bool:
        """Waits until these phones show the match as it stands."""
        return all(one.has_heard(self.match.view().seq) for one in phones)

    def lies(self, spaces: dict[str, str], *dice: int, x_mm: float = 600.0) -> None:
        """Something moves, and the board comes to rest with these markers and dice."""
        self.now_s += 2.0
        self.match.saw(Sight.MOVING, Says("something moves"))
        self.match.looked(_Seen(at_s=self.now_s, board=board(spaces, *dice, x_mm=x_mm)))
        self.match.saw(Sight.SEES, Says("the table is seen"))
        self.match.submit(RefereeCame(entry=0, by="Ann"))  # refused; by then all before it is done
        self.now_s += 1.0
        self.match.still(self.now_s)


@pytest.fixture
def begun(tmp_path: Path, player: Come) -> Iterator[Callable[..., Table]]:
    """Makes a match of a game, which a camera sees unless it has no eyes, with thresholds and the match's options."""
    made: list[tuple[Table, Any]] = []

    def begins(name: str, thresholds: dict[str, Any] | None = None, **of_match: Any) -> Table:
        table = Table(tmp_path, player, name, thresholds=thresholds or {}, **of_match)
        if of_match.get("has_eyes", True):
            table.match.saw(Sight.SEES, Says("all four markers"))
        running = table.server.running()
        running.__enter__()
        made.append((table, running))
        return table

    yield begins
    for table, running in made:
        running.__exit__(None, None, None)
        table.match.close()


def answers(one: Player, press: Callable[[], object]) -> None:
    """Presses what tells the table something, and waits until it has answered."""
    with one.page.expect_response("**/do") as answer:
        press()
    assert answer.value.ok, answer.value.text()


# ---- Eyes of the Emperor


def drags(one: Player, piece: str, x_mm: float, y_mm: float) -> None:
    """Drags a piece of the drawn valley to a place, once its sheet has risen."""
    one.page.evaluate("Promise.all(document.querySelector('dialog').getAnimations().map((one) => one.finished))")
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
    answers(one, lambda: one.taps("Rule this throw"))
    one.has_left_the_sheet()


@pytest.mark.journey
def test_eyes_of_the_emperor_is_played_to_the_end_by_dragging(begun: Callable[..., Table]) -> None:
    table = begun(EYES, {**AT_ONCE, "objection_s": 0.0}, has_eyes=False)
    ann, ben = table.phone("red", "Ann"), table.phone("blue", "Ben")
    assert ann.sees("By hand")
    # war phase I: Ann knocks both blue dice out of their territory
    ann.taps("Both have thrown")
    drags(ann, "blue.1", 880, 350)  # the upper one of the stack
    expect(ann.page.locator(".hand-told")).to_contain_text("does not touch the blue territory")
    drags(ann, "blue.2", 820, 560)
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


def test_a_match_whose_camera_fails_goes_on_by_hand(begun: Callable[..., Table]) -> None:
    table = begun(EYES, {**AT_ONCE, "objection_s": 0.0})
    match = table.match
    ann, ben = table.phone("red", "Ann"), table.phone("blue", "Ben")
    # the camera judges the first throw: one blue die is out
    thrown = (
        "T red 377.5,350; T blue 622.5,350; E red.1 377.5,350; E red.2 377.5,350; "
        "E blue.1 622.5,350; E blue.2 800,350; N n1 500,100"
    )
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
    assert [entry.by for entry in match.view().history if "throw" in str(entry.says).lower()][:1] == ["Ben"]


# ---- a race game


def rolls(one: Player, face: object) -> None:
    """Taps what the die shows: a number, or a color."""
    answers(one, one.page.locator(".race-dice").get_by_role("button", name=str(face), exact=True).click)


def taps_board(one: Player, x_mm: float, y_mm: float) -> None:
    """Taps a place of the board."""
    svg = one.page.locator("#game .race-board")
    svg.evaluate("node => node.scrollIntoView({ block: 'center' })")  # the strip on top covers what is scrolled up
    at_px = svg.evaluate(
        """(svg, [x, y]) => {
          const at = new DOMPoint(x, y).matrixTransform(svg.getScreenCTM()); return [at.x, at.y]; }""",
        [x_mm, y_mm],
    )
    one.page.touchscreen.tap(*at_px)


def race(begun: Callable[..., Table], **thresholds: Any) -> tuple[Table, Player, Player]:
    """Ann plays red and Ben yellow; both have rolled for the first turn, and Ann won it."""
    table = begun("basic_manipulation", thresholds, options={"mode": "two"})
    ann, ben = table.phone("red", "Ann"), table.phone("yellow", "Ben")
    rolls(ann, 5)
    assert ann.sees("Ben rolls for the first turn")
    rolls(ben, 2)
    assert ann.sees("You roll")
    return table, ann, ben


@pytest.mark.journey
def test_a_race_is_moved_on_the_board_and_taken_back_by_taps_alone(begun: Callable[..., Table]) -> None:
    table, ann, ben = race(begun)
    rolls(ann, 6)
    assert ben.sees("Ann moves 6")
    assert table.heard_by(ann)
    assert_clean(ann.page)
    step = table.table["may"][0]
    piece = next(p for p in table.table["pieces"] if (p["color"], p["spot"]) == (step["color"], step["origin"]))
    taps_board(ann, piece["x_mm"], piece["y_mm"])
    expect(ann.page.locator("#game .target").first).to_be_visible()
    answers(ann, lambda: taps_board(ann, *step["to_mm"]))
    assert ben.sees("Last move:")
    assert table.heard_by(ann)
    assert_clean(ben.page)
    assert any(p["color"] == step["color"] and p["spot"] == step["to"] for p in table.table["pieces"])

    # taken back: what goes back by hand is listed and drawn with an arrow
    ann.taps("Undo")
    ann.does("Take it back")
    for one in (ann, ben):
        assert one.sees("Now put back:")
        expect(one.page.locator("#putback .race-board .way-back")).to_have_count(1)
    assert_clean(ben.page)
    ann.taps("Put back")
    assert ben.no_longer_sees("Now put back:")
    assert table.table["die"] == 6
    answers(ann, ann.page.locator(".race-moves button").first.click)  # the list does the same as the board
    assert ben.no_longer_sees("Ann moves 6")


@pytest.mark.journey
def test_turns_are_entered_by_the_camera_or_by_hand_and_one_way_is_offered_at_a_time(
    begun: Callable[..., Table],
) -> None:
    table = begun("center_point", {**AT_ONCE, "enters_itself": True}, options={"colors": "ry"})
    ann = table.phone("red", "Ann")
    faces = ann.page.locator("#game .faces")
    expect(ann.page.locator("#sight")).to_have_class("sight is-calm")  # one's name, and no word of the camera
    expect(faces).to_have_count(0)
    assert not ann.can_tap("I rolled")
    table.lies(on_board(table.match.state))
    table.lies(on_board(table.match.state), 6)
    assert ann.sees("Yellow rolls for the first turn")
    assert table.table["last_roll"] == {"seat": "red", "value": 6}
    table.lies(on_board(table.match.state), 2, 4)
    assert ann.sees("The tray has several dice")  # what it asks is asked once, after the tap
    assert ann.sees("All done? Tap “Rolled”.")
    ben = table.phone("yellow", "Ben")
    assert ben.sees("All done? Tap “I rolled”.")
    assert ann.sees("Ben says when all is done.")  # both phones had the button
    assert not ann.can_tap("Rolled")
    ben.context.close()
    table.lies(on_board(table.match.state), 2, x_mm=620.0)
    assert ann.sees("You roll")
    ann.taps("By hand")
    rolls(ann, 5)
    assert table.table["last_roll"] == {"seat": "red", "value": 5}
    ann.taps("Let the camera look")
    expect(faces).to_have_count(0)
    assert_clean(ann.page)


def test_a_phone_asleep_for_five_minutes_has_its_seat_and_after_ten_it_says_who_has_it(
    begun: Callable[..., Table],
) -> None:
    table, ann, ben = race(begun)
    cem = table.phone(None, "Cem", opens="?choose")

    def sleeps(minutes: int) -> None:
        ann.page.goto("about:blank")
        table.now_s += 60 * minutes
        cem.goes("?choose")

    sleeps(5)
    assert cem.sees("Red: Ann sits here")
    assert not cem.can_tap("Red: Ann sits here")
    ann.goes("")  # as a browser comes back to the page of the table
    assert table.heard_by(ann)
    assert ann.sees("You roll")
    sleeps(11)
    cem.taps("Another name or seat")
    cem.types("Your name", "Cem")
    cem.does("Take over Red from Ann")
    expect(cem.page.locator("#actions")).to_be_visible()
    ann.goes("")
    ann.types("Your name", "Ann")
    ann.taps("Cem sits here now. This is my seat")
    expect(ann.page.locator("#actions")).to_be_visible()
    assert cem.sees("Ann sits here now. This is my seat")
    ann.context.close()
    again = table.phone(None, "Ann", opens="?choose")  # her private window was closed
    again.does("I am Ann")
    assert again.sees("One tap on that phone gives you the seat.")
    assert ben.sees("Another phone says: “I am Ann”")
    ben.does("Yes, it is Ann")
    expect(again.page.locator("#actions")).to_be_visible()


def test_players_without_a_referee_settle_an_objection(begun: Callable[..., Table]) -> None:
    table, ann, ben = race(begun, has_referee=False)
    before = table.table
    rolls(ann, 6)
    assert table.heard_by(ben)
    ben.does("Object")
    assert ann.sees("Ben objects")
    assert not ann.can_tap("The referee has come")
    assert ann.sees("What do you say?")
    assert ben.sees("Waiting for Ann.")
    assert not ben.can_tap("Take it back")  # beside "Withdraw the objection" it read as the same
    ann.does("Leave it")
    assert ben.sees("Ann says: Leave it")
    assert ben.sees("You do not agree: until you do, it stands as entered.")
    assert_clean(ann.page)
    ann.does("Agree: “Take it back”")
    assert ben.no_longer_sees("Ben objects")
    assert table.table["last_roll"] == before["last_roll"]
    ann.taps("More")
    assert not ann.can_tap("Call the referee")


# ---- Suspend


def suspend(begun: Callable[..., Table]) -> tuple[Table, Player, Player]:
    table = begun("suspend", players=2, options={"mode": "intermediate"})
    return table, table.phone("A", "Ann"), table.phone("B", "Ben")


def hangs(one: Player, color: str) -> None:
    """Taps a rod of a pile."""
    answers(one, one.page.get_by_role("button", name=re.compile(rf"{color}\s*Hang")).first.click)
    expect(one.page.get_by_role("button", name="It holds")).to_be_visible()


@pytest.mark.journey
def test_rods_hang_touch_and_fall_by_taps_alone(begun: Callable[..., Table]) -> None:
    table, ann, ben = suspend(begun)
    assert ben.sees("Ann rolls")
    rolls(ann, "green")
    assert ben.sees("Ann hangs a piece")
    assert_clean(ann.page)
    hangs(ann, "green")
    ann.does("It holds")
    assert ben.sees("You roll")
    rolls(ben, "red")
    hangs(ben, "red")
    ben.does("It touches the table")  # repositioned: the same rod once more
    hangs(ben, "red")
    ben.taps("Pieces fell …")  # a tap for each color, for a fallen piece took nine
    dialog = ben.page.get_by_role("dialog")
    dialog.locator("fieldset").filter(has_text="Green").get_by_text("1", exact=True).click()
    answers(ben, dialog.get_by_role("button", name="Confirm").click)
    expect(dialog).to_have_count(0)
    assert_clean(ben.page)
    ben.does("It holds")
    assert ann.sees("You roll")
    state = table.match.state
    assert (state.pile("A").total, state.pile("B").total, state.hung.total) == (11, 12, 1)


# ---- Manipulation Rummy

ANN = ["4S", "4D", "JK", "9C", "9D", "9H", "KC", "KD", "KS", "AH"]
BOB = ["3C", "5C", "6C", "8C", "10C", "JC", "QC", "3D", "5D", "8D"]


def picks(page: Page, opens: str, cards: list[str]) -> None:
    """Opens a sheet of cards, picks these, and closes it."""
    page.locator(f"[data-key={opens}]").click()
    if page.locator("dialog .pick[aria-pressed=true]").count() != len(cards):
        for card in cards:
            page.locator(f"dialog [data-key='{card}']").click()
    page.locator("dialog [data-key=done]").click()
    expect(page.locator("dialog")).to_have_count(0)


def lays_three_melds(page: Page) -> None:
    """The first nine cards of Ann's hand."""
    page.locator("[data-key=lay]").click()
    suits = {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"}
    for at in range(0, 9, 3):
        for card in ANN[at : at + 3]:
            called = "Joker" if card == "JK" else f"{card[:-1]} {suits[card[-1]]}"
            page.locator(f"dialog .playing[aria-label='{called}']").click()
        page.locator("dialog [data-key=new]").click()
    page.locator("dialog [data-key=done]").click()
    expect(page.locator("dialog")).to_have_count(0)


@pytest.mark.journey
def test_two_phones_play_a_round_of_rummy(begun: Callable[..., Table], tmp_path: Path) -> None:
    table = begun("manipulation_rummy", has_eyes=False, players=2, options={"first_dealer": "B"})
    ann, bob = table.phone("A", "Ann"), table.phone("B", "Bob")
    page = ann.page
    photograph = tmp_path / "hand.jpg"
    photograph.write_bytes(b"\xff\xd8 a picture of ten cards")
    page.locator("[data-key=tell]").click()
    page.locator("#hand-photo").set_input_files(photograph)
    expect(page.locator("dialog .pick[aria-pressed=true]")).to_have_count(10)
    page.locator("dialog [data-key=done]").click()
    expect(page.locator("#game .own-hand .playing")).to_have_count(10)
    page.locator("[data-key=cover]").click()
    expect(page.locator("#game .playing.is-back")).to_have_count(10)
    assert "K" not in page.locator("#game .own-hand .fan").inner_text()
    page.locator("[data-key=cover]").click()
    page.locator("#actions [data-key=end]").click()  # the big button draws: nothing else comes next
    expect(page.locator("#hints")).to_contain_text("Tell the referee your 11 cards")
    picks(page, "tell", ["2C"])
    expect(page.locator("#hints")).to_contain_text("lay")  # the best play, step by step
    lays_three_melds(page)
    expect(bob.page.locator(".melds li")).to_have_count(3)
    expect(bob.page.locator("[aria-label*='Joker as 4 clubs or 4 hearts']")).to_have_count(1)
    assert "your hand" in bob.page.locator("#game").inner_text().lower()
    expect(bob.page.locator("#game .own-hand .fan")).to_have_count(0)  # neither his, nor Ann's
    page.locator("[data-key='move A knocks']").click()
    expect(page.locator(".race-turn")).to_contain_text("Lay your hand face up")
    expect(bob.page.locator("[data-key=show]")).to_have_count(0)  # one after the other
    picks(page, "show", ["AH", "2C"])
    picks(bob.page, "show", BOB)
    expect(page.locator(".rummy-scores")).to_contain_text("65 of 150")
    assert_clean(page)
