"""The virtual table in a real browser: pulled, pressed and held as people would, the real table behind it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from secrets import token_urlsafe

import pytest
from playwright.sync_api import Browser, Page, expect

from companion.game.brought import default_kit
from companion.game.says import Says
from tests.scenes import KIT, SMALL_LENS
from tests.web import shown
from tests.web.access import assert_clean
from tests.web.fake_door import FakeDoor
from vision.sim.virtual import VirtualTable
from web.site.server import Server
from web.table.app import create_app
from web.table.virtual import virtual_table

pytestmark = pytest.mark.browser


@pytest.fixture
def pressed() -> list[str]:
    return []


@pytest.fixture
def table(pressed: list[str]) -> VirtualTable:
    buttons = {name: lambda name=name: pressed.append(name) for name in ("end_throw", "undo", "call_referee")}
    return VirtualTable(KIT, SMALL_LENS, buttons=buttons, seed=2)


@pytest.fixture
def page(door: FakeDoor, table: VirtualTable, browser: Browser) -> Iterator[Page]:
    with opened(door, table, browser) as page:
        expect(page.locator("[data-piece]")).to_have_count(6)
        yield page


@contextmanager
def opened(door: FakeDoor, table: VirtualTable, browser: Browser) -> Iterator[Page]:
    """The page of a table, in whose scripts nothing goes wrong."""
    more = [virtual_table(table, phone_urls=("/join", "/join"))]
    app = create_app(door, join_url="http://192.168.4.1:8080/", more=more)
    with Server(app, "127.0.0.1", 0).running() as server:
        context = browser.new_context(viewport={"width": 1440, "height": 900}, bypass_csp=False)
        page = context.new_page()
        wrong: list[str] = []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(server.url + "table")
        yield page
        context.close()
        assert wrong == []


@pytest.mark.parametrize("path", ["table?first", "table"])
def test_both_phones_beside_the_table_keep_their_seats(
    door: FakeDoor, table: VirtualTable, browser: Browser, path: str
) -> None:
    """Each asked for a secret of its own at once, the second overwrote the first, and red sat before a taken seat.
    By a tap, the second named somebody without a phone, and had no way to its seat."""
    given: list[str] = []

    def new_secret(length: int) -> str:
        given.append(token_urlsafe(length))
        return given[-1]

    app = create_app(door, join_url="http://192.168.4.1:8080/", more=[virtual_table(table)], new_secret=new_secret)
    with Server(app, "127.0.0.1", 0).running() as server:
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        page = context.new_page()
        page.goto(server.url + path)
        for seat in ("red", "blue"):
            phone = page.frame_locator(f"iframe[src*='seat={seat}']")
            if path == "table":
                phone.get_by_role("button", name="Sit down as").click()
            expect(phone.get_by_role("button", name="Both have thrown")).to_be_visible()
        context.close()
    assert len(given) == 1
    assert door.holders["red"] == door.holders["blue"]


def test_the_table_page_has_the_code_to_join_and_celebrates_the_win(page: Page, door: FakeDoor) -> None:
    expect(page.locator(".v-join .qr svg")).to_be_visible()
    expect(page.locator("#won")).to_be_hidden()
    door.happens(over=shown.over())
    expect(page.locator("#won")).to_contain_text("won")
    assert page.locator("body").get_attribute("data-won") in ("red", "blue")


@pytest.mark.journey
def test_a_phone_that_types_the_tables_address_chooses_a_seat(page: Page, browser: Browser) -> None:
    """It got a desktop's page, with phones inside the phone."""
    context = browser.new_context(viewport={"width": 360, "height": 740}, has_touch=True)
    phone = context.new_page()
    seats = page.url.removesuffix("table") + "?choose"
    phone.goto(page.url)
    phone.wait_for_url(seats)
    phone.goto(page.url, referer=seats)  # by the link there
    expect(phone.locator("[data-piece]").first).to_be_attached()
    context.close()


def test_a_piece_is_placed_where_one_lets_go(page: Page, table: VirtualTable) -> None:
    page.get_by_role("button", name="Place, not throw").click()
    expect(page.locator("#bar")).to_contain_text("it stays where you let go")
    x, y = middle(page, "[data-piece=territory_blue]")
    with page.expect_response("**/table/do"):
        pull(page, middle(page, "[data-supply=samurai][data-seat=red]"), (x + 4, y - 30))
    expect(page.locator("[data-piece=samurai_red_1]")).to_have_count(1)
    sx, sy = middle(page, "[data-piece=samurai_red_1]")
    assert abs(sx - x - 4) < 6
    assert abs(sy - y + 30) < 6
    with page.expect_response("**/table/do"):
        page.locator("[data-supply=ninja][data-seat=blue]").press("Enter")
    (ninja,) = (piece for piece in table.state()["pieces"] if piece["kind"] == "ninja")
    assert (ninja["x_mm"], ninja["y_mm"]) == pytest.approx((580, 595), abs=1)


def middle(page: Page, selector: str) -> tuple[float, float]:
    box = page.locator(selector).first.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def pull(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2, steps=3)
    page.mouse.move(*end, steps=3)
    page.mouse.up()


def test_a_ninja_pulled_from_an_end_is_thrown(page: Page) -> None:
    x, y = middle(page, "[data-piece=territory_blue]")
    pull(page, middle(page, "[data-supply=ninja][data-seat=red]"), (x - 150, y + 90))
    expect(page.locator("[data-piece^=ninja]")).to_have_count(1)
    expect(page.locator("[data-supply=ninja][data-seat=blue]")).to_contain_text("× 29")
    expect(page.locator("#bar")).to_contain_text("Nothing moves")


def test_the_hint_follows_what_is_entered_and_what_rolled_off(
    page: Page, door: FakeDoor, table: VirtualTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It went on asking for a throw that was entered, and a ninja that left the valley seemed never thrown."""
    monkeypatch.setattr(table, "throw", lambda *_: "ninja_black_9")
    door.shows(enters_itself=True)
    page.locator("[data-supply=ninja][data-seat=red]").press("Enter")
    bar = page.locator("#bar")
    expect(bar).to_contain_text(
        "Red: the ninja rolled off the table and is outside again. Throw for the other side too"
    )
    door.shows(is_unsure=True, seen=Says("no new piece is seen"))
    page.locator("[data-supply=ninja][data-seat=blue]").press("Enter")
    expect(bar).to_contain_text(
        "Red: the ninja rolled off the table and is outside again. "  # only the last of both was named
        "Blue: the ninja rolled off the table and is outside again. No new piece is seen. "
        "All done? Tap “Both have thrown”."  # it had another name than on the phones
    )
    door.happens(judged=9, is_unsure=False)
    expect(bar.locator("p")).to_have_text("The phones show what comes next.")  # nothing old stands before it
    door.shows(is_unsure=True, wrong=Says("what has red done?"))
    expect(bar).to_contain_text("What has red done? Once it is right")  # it ended in "?."
    expect(page.locator("#end_words")).to_have_text("Look now")  # "Both have thrown" contradicted it
    door.shows(is_unsure=False, wrong=None)
    for seat in ("red", "blue"):  # "the camera enters it", and it never did
        page.locator(f"[data-supply=ninja][data-seat={seat}]").press("Enter")
    expect(bar).to_contain_text("is outside again. Nothing changes: throw again.")
    page.set_viewport_size({"width": 1280, "height": 800})
    page.locator("[data-piece=empire_die_blue_2]").click()
    cut = (
        "(bar) => [...bar.children].some((c) => c.getBoundingClientRect().bottom > bar.getBoundingClientRect().bottom)"
    )
    expect(page.get_by_role("button", name="Take out")).to_be_visible()
    assert not bar.evaluate(cut)


def test_a_question_and_its_answer_end_no_throw(page: Page, door: FakeDoor) -> None:
    """Both had thrown. After an answer the table asked for the other's throw, and the phones whether all is done."""
    door.shows(enters_itself=True)
    bar = page.locator("#bar")
    for seat in ("red", "blue"):
        page.locator(f"[data-supply=samurai][data-seat={seat}]").press("Enter")
    expect(bar).to_contain_text("Wait: the camera enters it.")
    door.happens(question=shown.question())
    expect(bar).to_contain_text("answer there first")
    door.happens(question=None)
    expect(bar).to_contain_text("Wait: the camera enters it.")


def test_what_the_rules_pick_out_leaves_with_one_press(page: Page, door: FakeDoor, table: VirtualTable) -> None:
    """All 30 ninjas had to be dragged out one by one."""
    at = [(100.0, 600.0), (130.0, 600.0), (900.0, 100.0)]
    for x_mm, y_mm in at:
        table.place("ninja", "black", x_mm, y_mm)
    view = door.view(None)
    door.happens(table={**view.table, "pick_out": [["ninja", x_mm + 1, y_mm] for x_mm, y_mm in at]})
    page.get_by_role("button", name="Take out 3 pieces").click()
    expect(page.locator("[data-piece^=ninja]")).to_have_count(0)
    expect(page.get_by_role("button", name="Take out 3 pieces")).to_have_count(0)
    assert len(table.state()["pieces"]) == 6


def test_a_keyboard_throws_moves_turns_and_takes_out(page: Page, table: VirtualTable) -> None:
    page.locator("[data-supply=samurai][data-seat=blue]").press("Enter")
    samurai = page.locator("[data-piece=samurai_blue_1]")
    expect(samurai).to_have_count(1)
    expect(page.locator("#bar")).to_contain_text("Nothing moves")
    before = table._scene.body("samurai_blue_1").at_mm
    with page.expect_response("**/table/do"):
        samurai.press("Shift+ArrowDown")
    assert table._scene.body("samurai_blue_1").at_mm[1] == pytest.approx(before[1] + 25, abs=12)
    with page.expect_response("**/table/do"):
        samurai.press("Delete")
    expect(samurai).to_have_count(0)


ON_THE_ROD = """(path) => {
  const at = path.getPointAtLength(path.getTotalLength() / 2), matrix = path.getScreenCTM();
  return new DOMPoint(at.x, at.y).matrixTransform(matrix);
}"""
LIES_ON = """() => {
  const [a, b] = [1, 2].map((n) => document.querySelector(`[data-piece=samurai_red_${n}]`).getBoundingClientRect());
  return Math.hypot(a.x - b.x, a.y - b.y) < 4;
}"""


def test_a_piece_is_dragged_and_another_laid_on_it(page: Page, table: VirtualTable) -> None:
    for x in (200, 330):
        table.place("samurai", "red", x, 600)
    expect(page.locator("[data-piece^=samurai]")).to_have_count(2)
    page.locator("[data-piece=samurai_red_1]").click()
    page.get_by_role("button", name="Lay on").click()
    with page.expect_response("**/table/do"):
        page.locator("[data-piece=samurai_red_2]").click()
    assert table._scene.body("samurai_red_1").lowest_mm == pytest.approx(4)
    page.wait_for_function(LIES_ON)  # the page shows it there a moment after the table has answered
    x, y = middle(page, "[data-piece=samurai_red_1]")
    with page.expect_response("**/table/do"):
        pull(page, (x, y), (x + 120, y - 30))
    assert table._scene.body("samurai_red_1").lowest_mm == pytest.approx(0)


def test_undo_is_held_and_not_tapped(page: Page, pressed: list[str]) -> None:
    page.locator("#undo").click()
    with page.expect_response("**/table/do"):
        page.get_by_role("button", name="Both have thrown").click()
    assert pressed == ["end_throw"]
    with page.expect_response("**/table/do"):
        page.mouse.move(*middle(page, "#undo"))
        page.mouse.down()
    page.mouse.up()
    assert pressed == ["end_throw", "undo"]


def test_what_the_table_refuses_is_said(page: Page, table: VirtualTable) -> None:
    page.locator("[data-piece=empire_die_red_2]").click()
    with page.expect_event("requestfailed", lambda request: "/state?" in request.url):
        page.route("**/state?*", lambda route: route.abort())  # a page that hears too late what others did:
    table.remove("empire_die_red_2")  # it asks again only after an answer, so none is under way any more
    page.get_by_role("button", name="Roll over").click()
    expect(page.locator("#toast p")).to_contain_text("There is no piece")


def test_what_has_left_the_table_is_dragged_back(page: Page, table: VirtualTable) -> None:
    """A die that rolled off and a territory dropped over an end could never be put back."""
    x, y = middle(page, "[data-piece=territory_blue]")
    table.move("territory_red", -50, 350)
    expect(page.locator("[data-piece=territory_red]")).to_have_count(0)
    assert middle(page, "[data-piece=territory_blue]") == (
        x,
        y,
    )  # the table shrank under the hand
    with page.expect_response("**/table/do"):
        pull(page, middle(page, "[data-lost='territory red']"), (x - 200, y))
    expect(page.locator("[data-piece=territory_red]")).to_have_count(1)
    with page.expect_response("**/table/do"):
        page.locator("[data-lost='empire_die red']").press("Enter")
    expect(page.locator("[data-piece=empire_die_red_1]")).to_have_count(1)
    with page.expect_response("**/table/do"):
        page.locator("[data-lost='empire_die red']").press("Enter")
    expect(page.locator("[data-lost]")).to_have_count(0)


@pytest.mark.journey
def test_hands_are_dealt_and_a_whole_meld_is_dragged(door: FakeDoor, browser: Browser) -> None:
    table = VirtualTable(default_kit("manipulation_rummy"), SMALL_LENS, seats=("A", "B"), wait=lambda _: None, seed=1)
    door.shows(table={"dealt": {"round": 1, "held": {"A": 10, "B": 10}, "laid": 0, "turn": "B"}})
    with opened(door, table, browser) as page:
        expect(page.locator(".v-owners button")).to_have_count(2)
        expect(page.locator(".v-one")).to_have_count(0)  # face down
        page.locator("[data-key='hand B']").click()
        for at in (0, 1, 2):
            page.locator(f".v-one[data-at='{at}']").click()
        expect(page.locator(".v-one[aria-pressed=true]")).to_have_count(3)
        x, y = middle(page, ".v-felt")
        with page.expect_response("**/table/do"):
            pull(page, middle(page, ".v-one[data-at='1']"), (x - 150, y - 60))
        expect(page.locator("[data-meld]")).to_have_count(1)
        expect(page.locator(".v-one")).to_have_count(7)
        before = {piece["id"]: piece["x_mm"] for piece in table.state()["pieces"]}
        x, y = middle(page, "[data-meld]")
        with page.expect_response("**/table/do"):
            pull(page, (x, y), (x + 60, y + 20))
        moved = [piece["x_mm"] - before[piece["id"]] for piece in table.state()["pieces"]]
        assert len(moved) == 3
        assert min(moved) == pytest.approx(max(moved), abs=0.1)
        assert min(moved) > 40
        assert_clean(page)
        door.happens(table={"dealt": {"round": 1, "held": {"A": 10, "B": 7}, "laid": 3, "turn": "A"}})
        expect(page.locator(".v-one")).to_have_count(0)  # the turn is over: covered


@pytest.mark.journey
def test_a_rod_dragged_to_the_stand_hangs_and_falls_when_it_is_dragged_off(door: FakeDoor, browser: Browser) -> None:
    table = VirtualTable(default_kit("suspend"), SMALL_LENS, seats=("A", "B"), wait=lambda _: None, seed=1)
    with opened(door, table, browser) as page:
        rod = next(piece["id"] for piece in table.state()["pieces"] if piece["color"] == "green")
        grip = page.locator(f"[data-piece={rod}] .v-grip")
        stand = middle(page, ".v-foot")
        with page.expect_response("**/table/do"):  # by its tip: people took another rod so, and it lay across the foot
            pull(page, middle(page, f"[data-piece={rod}] .v-tip >> nth=0"), stand)
        expect(page.locator(f"[data-piece={rod}] .is-hung")).to_have_count(1)
        at = grip.evaluate(ON_THE_ROD)
        with page.expect_response("**/table/do"):
            pull(page, (at["x"], at["y"]), (stand[0], stand[1] + 150))
        expect(page.locator(f"[data-piece={rod}] .is-hung")).to_have_count(0)
        assert_clean(page)
