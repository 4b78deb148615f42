"""The race games on two phones by taps alone: rolls, moves on the board, objection, correction, undo, an override."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from companion.game.known import REGISTRY, game_named
from companion.game.says import Says
from companion.game.values import ChoiceView
from companion.game.view import QuestionView, Sight
from companion.match.inputs import Act, EndThrow, RefereeCame
from companion.match.referee import Thresholds
from tests.companion.test_unpressed import _Seen, board, homes, on_board
from tests.web.access import assert_clean
from tests.web.fake_door import FakeDoor
from tests.web.player import Player
from tests.web.table import Table

pytestmark = pytest.mark.browser

OPTIONS = {"center_point": {"colors": "ry"}, "basic_manipulation": {"mode": "two"}}
ON_THE_BOARD = """(svg, [x, y]) => {
  const at = new DOMPoint(x, y).matrixTransform(svg.getScreenCTM()); return [at.x, at.y]; }"""

Come = Callable[..., Player]


def at_table(folder: Path, name: str, **thresholds: Any) -> Table:
    """A match of two by hand: its camera enters nothing."""
    return Table(folder, name, sees=True, options=OPTIONS[name], thresholds=Thresholds(**thresholds))


@pytest.fixture(params=[pytest.param("center_point", marks=pytest.mark.nightly), "basic_manipulation"])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Table]:
    with at_table(tmp_path, request.param) as made:
        yield made


def phone(browser: Browser, table: Table, seat: str, name: str) -> Player:
    return Player(browser, table.server.url, seat, name, viewport={"width": 360, "height": 740})


def two_phones(browser: Browser, table: Table) -> tuple[Player, Player]:
    """Ann plays red and Ben yellow."""
    return phone(browser, table, "red", "Ann"), phone(browser, table, "yellow", "Ben")


@pytest.fixture
def pair(table: Table, browser: Browser) -> Iterator[tuple[Player, Player]]:
    ann, ben = two_phones(browser, table)
    yield ann, ben
    ann.leaves()
    ben.leaves()


def all_heard(table: Table, *phones: Player) -> bool:
    """Waits until these phones show the match as it stands."""
    return all(one.has_heard(table.match.view().seq) for one in phones)


def rolls(one: Player, value: int) -> None:
    """Taps the value that the die shows."""
    with one.page.expect_response("**/do"):
        one.page.locator(".faces").get_by_role("button", name=str(value), exact=True).click()


def taps_board(one: Player, x_mm: float, y_mm: float) -> None:
    """Taps a place of the board."""
    svg = one.page.locator("#game .race-board")
    svg.evaluate("node => node.scrollIntoView({ block: 'center' })")  # the strip on top covers what is scrolled up
    x_px, y_px = svg.evaluate(ON_THE_BOARD, [x_mm, y_mm])
    one.page.touchscreen.tap(x_px, y_px)


def moves_by_board(one: Player, table: Table) -> dict[str, object]:
    """Makes the first move that is legal by two taps: the piece, then where it goes."""
    view = table.table
    step = view["may"][0]
    piece = next(p for p in view["pieces"] if (p["color"], p["spot"]) == (step["color"], step["origin"]))
    taps_board(one, piece["x_mm"], piece["y_mm"])
    expect(one.page.locator("#game .target").first).to_be_visible()
    with one.page.expect_response("**/do"):
        taps_board(one, *step["to_mm"])
    return dict(step)


def begins(ann: Player, ben: Player) -> None:
    """Both roll for the first turn, and Ann wins it."""
    rolls(ann, 5)
    assert ann.sees("Ben rolls for the first turn")
    rolls(ben, 2)
    assert ann.sees("You roll")


def test_a_first_roll_that_the_camera_would_take_for_another_is_not_called_ones_own(
    table: Table, pair: tuple[Player, Player]
) -> None:
    """Cleo pressed "I rolled" on her phone, and her five was entered for Ben: the camera takes them in turn."""
    ann, ben = pair
    end = {one: one.page.locator(".action[data-key=end]") for one in pair}
    assert ann.sees("Roll: who is first?")
    expect(end[ann]).to_contain_text("I rolled")
    assert ben.sees("Ann rolls for the first turn")
    expect(end[ben]).to_have_text("Rolled")
    for one, loud in ((ann, 1), (ben, 0)):
        expect(one.page.locator(".action.primary")).to_have_count(loud)
    expect(ben.page.locator(".race-dice > .faces")).to_have_count(0)
    rolls(ann, 5)
    expect(end[ben]).to_contain_text("I rolled")
    expect(end[ann]).to_have_text("Rolled")
    expect(ben.page.locator(".race-seats").get_by_role("img", name="Ann rolled a 5")).to_be_visible()


@pytest.mark.journey
def test_a_short_match_by_taps_alone(table: Table, pair: tuple[Player, Player]) -> None:
    ann, ben = pair
    begins(ann, ben)
    rolls(ann, 6)
    assert ben.sees("Ann moves 6")
    assert all_heard(table, ann)
    assert_clean(ann.page)
    step = moves_by_board(ann, table)
    assert ben.sees("Last move:")
    assert all_heard(table, ann)
    assert_clean(ben.page)
    assert any(p["color"] == step["color"] and p["spot"] == step["to"] for p in table.table["pieces"])

    # taken back: what goes back by hand is listed and drawn with an arrow
    ann.taps("Undo")
    ann.does("Take it back")
    for one in (ann, ben):
        assert one.sees("Taken back. Now put back:")
        expect(one.page.locator("#putback .race-board .way-back")).to_have_count(1)
    assert_clean(ben.page)
    assert table.table["die"] == 6
    with ann.page.expect_response("**/do"):
        ann.page.locator(".race-moves button").first.click()  # the list does the same as the board
    assert ben.no_longer_sees("Ann moves 6")


def test_a_wrong_value_is_corrected_in_three_taps(table: Table, pair: tuple[Player, Player]) -> None:
    ann, ben = pair
    begins(ann, ben)
    rolls(ann, 6)
    assert ann.sees("Move 6")
    ann.taps("Wrong? Correct it")
    ann.picks("A 3")
    ann.does("Correct it")
    expect(ben.page.locator("#history")).to_contain_text("3")
    assert table.table["last_roll"] == {"seat": "red", "value": 3}


@pytest.mark.journey
def test_turns_are_entered_by_the_camera_or_by_hand_and_one_way_is_offered_at_a_time(
    tmp_path: Path, browser: Browser
) -> None:
    table = at_table(tmp_path, "center_point", enters_itself=True, hint_s=0.0, answer_s=0.0)
    ann = phone(browser, table, "red", "Ann")
    faces = ann.page.locator("#game .faces")
    expect(ann.page.locator("#sight")).to_have_class("sight is-calm")  # one's name, and no word of the camera
    expect(faces).to_have_count(0)
    assert not ann.can_tap("I rolled")
    lies(table, on_board(table.match.state))
    lies(table, on_board(table.match.state), 6)
    assert ann.sees("Yellow rolls for the first turn")
    assert table.table["last_roll"] == {"seat": "red", "value": 6}
    lies(table, on_board(table.match.state), 2, 4)
    assert ann.sees("The tray has several dice")  # what it asks is asked once, after the tap
    assert ann.sees("All done? Tap “Rolled”.")
    assert ann.shown("what did red roll").count() == 0
    ben = phone(browser, table, "yellow", "Ben")
    assert ben.sees("All done? Tap “I rolled”.")
    assert ann.sees("Ben says when all is done.")  # both phones had the button
    assert not ann.can_tap("Rolled")
    ben.leaves()
    lies(table, on_board(table.match.state), 2, x_mm=620.0)
    assert ann.sees("You roll")
    ann.taps("By hand")
    rolls(ann, 5)
    assert table.table["last_roll"] == {"seat": "red", "value": 5}
    ann.taps("Let the camera look")
    expect(faces).to_have_count(0)
    assert_clean(ann.page)
    ann.leaves()
    table.ends()


def test_a_phone_asleep_for_five_minutes_has_its_seat_and_after_ten_it_says_who_has_it(
    tmp_path: Path, browser: Browser
) -> None:
    with at_table(tmp_path, "basic_manipulation") as table:
        ann, ben = (Player(browser, table.server.url, seat, name) for seat, name in (("red", "Ann"), ("yellow", "Ben")))
        begins(ann, ben)
        cem = Player(browser, table.server.url, None, "Cem", opens="?choose")

        def sleeps(minutes: int) -> None:
            ann.page.goto("about:blank")
            table.now_s += 60 * minutes
            cem.goes("?choose")

        sleeps(5)
        assert cem.sees("Red: Ann sits here")
        assert not cem.can_tap("Red: Ann sits here")
        ann.goes("")  # as a browser comes back to the page of the table
        assert all_heard(table, ann)
        assert ann.sees("You roll")
        rolls(ann, 6)
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
        ann.leaves()
        again = Player(browser, table.server.url, None, "Ann", opens="?choose")  # her private window was closed
        again.does("I am Ann")
        assert again.sees("One tap on that phone gives you the seat.")
        again.taps("Another seat")  # there was no way back
        again.does("I am Ann")
        assert ben.sees("Another phone says: “I am Ann”")
        assert_clean(ben.page)
        ben.does("Yes, it is Ann")
        expect(again.page.locator("#actions")).to_be_visible()
        for one in (again, ben, cem):
            one.leaves()


def test_who_need_not_roll_again_says_so_while_the_camera_looks_and_hints_come_on_asking(
    tmp_path: Path, browser: Browser
) -> None:
    """ "Roll again, or stop" had no way to stop. Chances stood there as soon as one move was plainly better."""
    with at_table(tmp_path, "center_point", enters_itself=True, hint_s=0.5) as table:
        ann = phone(browser, table, "red", "Ann")
        for turn in (
            "red: r d6", "yellow: y d5", "red: d6", "red: enter A5", "yellow: d3", "red: d6", "red: A5-A11",
        ):  # fmt: skip
            seat, _, move = turn.partition(": ")
            assert table.match.submit(Act(seat=seat, move=move, by="Ann")).refused is None
        assert ann.sees("Roll again, or stop")
        ann.taps("How do I stand?")
        expect(ann.page.locator(":is(#hints, #asides):not([hidden])")).to_have_count(1)
        assert not ann.can_tap("How do I stand?")
        assert_clean(ann.page)
        ann.does("Do not roll again")
        assert table.table["to_move"] == ["yellow"]
        ann.leaves()


def test_players_without_a_referee_settle_an_objection(tmp_path: Path, browser: Browser) -> None:
    table = at_table(tmp_path, "basic_manipulation", has_referee=False)
    ann, ben = two_phones(browser, table)
    begins(ann, ben)
    before = table.table
    rolls(ann, 6)
    assert all_heard(table, ben)
    bar, game = (ben.page.locator(part).bounding_box() for part in ("#objection", "#game"))
    assert bar["y"] + bar["height"] <= game["y"]  # it lay over the numbers of a ruling
    ben.does("Object")
    assert ann.sees("Ben objects")
    assert not ann.can_tap("The referee has come")
    assert ann.sees("What do you say?")
    assert ben.sees("Waiting for Ann.")
    assert not ben.can_tap("Take it back")  # beside "Withdraw the objection" it read as the same
    for one in (ann, ben):  # a wide button pressed the words into a column of two letters
        assert one.page.locator(".call p").first.bounding_box()["width"] > 200
    ann.does("Leave it")
    assert ann.sees("Ben says: Take it back")
    assert ben.sees("Ann says: Leave it")
    assert ben.sees("You do not agree: until you do, it stands as entered.")
    assert_clean(ann.page)
    ann.does("Agree: “Take it back”")
    assert ben.no_longer_sees("Ben objects")
    assert table.table["last_roll"] == before["last_roll"]
    ann.taps("More")
    assert not ann.can_tap("Call the referee")
    ann.leaves()
    ben.leaves()
    table.ends()


def test_an_objection_that_nobody_settled_becomes_a_line_with_the_next_turn(tmp_path: Path, browser: Browser) -> None:
    """It filled the top of both phones, and whose turn it was lay below the screen's edge."""
    with at_table(tmp_path, "basic_manipulation", has_referee=False) as table:
        ann, ben = two_phones(browser, table)
        begins(ann, ben)
        rolls(ann, 6)
        assert all_heard(table, ben)
        ben.does("Object")
        assert ann.sees("What do you say?")
        move = next(move.move for move in table.match.view("red").moves if move.is_tapped)
        assert table.match.submit(Act(seat="red", move=move, by="Ann")).refused is None
        assert all_heard(table, ann, ben)
        assert ann.no_longer_sees("What do you say?")
        for one in (ann, ben):
            assert one.page.locator("#calls").bounding_box()["height"] < 100
        ben.taps("Ben objects")
        ben.does("Withdraw the objection")
        assert ann.no_longer_sees("Ben objects")
        ann.leaves()
        ben.leaves()


def test_the_likeliest_answer_is_marked_and_an_override_has_a_reason(door: FakeDoor, player: Come) -> None:
    game = game_named("center_point")
    choices = (
        ChoiceView(key="record", says=Says("the record is right"), likely=0.7),
        ChoiceView(key="table", says=Says("the table is right"), likely=0.3, needs_reason=True),
    )
    asked = QuestionView(id="3:mistake", says=Says("red moved 5, the die showed 4"), choices=choices, rule="gap 3")
    door.shows(
        game=game.name, title=game.title, table=game.page.view(game.rules.start(), None),
        last=(), hints=(), corrections=(), history=(), undo=None, question=asked,
    )  # fmt: skip
    ann = player("red", "Ann")
    assert ann.sees("probably")
    expect(ann.page.locator("#question .answer", has_text="probably")).to_contain_text("The record is right")
    ann.taps("The table is right")
    ann.picks("We all agree")
    assert_clean(ann.page)
    ann.does("Confirm")
    answer = door.given[-1]
    assert (answer.choice, answer.reason) == ("table", "We all agree")  # type: ignore[union-attr]


def lies(table: Table, spaces: dict[str, str], *dice: int, x_mm: float = 600.0) -> None:
    """Something moves, and the board comes to rest with these markers and dice."""
    table.now_s += 2.0
    table.match.saw(Sight.MOVING, Says("something moves"))
    table.match.looked(_Seen(at_s=table.now_s, board=board(spaces, *dice, x_mm=x_mm)))
    table.match.saw(Sight.SEES, Says("the table is seen"))
    table.match.submit(RefereeCame(entry=0, by="Ann"))  # refused; by then all before it is done
    table.now_s += 1.0
    table.match.still(table.now_s)


def test_a_wrong_move_is_answered_by_one_of_three_taps_and_then_told_until_it_is_seen_right(
    tmp_path: Path, browser: Browser
) -> None:
    """Five long sentences were offered, one of them against the die that lay there; then nobody said what to do."""
    limits = Thresholds(enters_itself=True, hint_s=0.0, answer_s=0.0)
    with Table(tmp_path, "center_point", sees=True, thresholds=limits) as table:
        ann = phone(browser, table, "red", "Ann")
        lies(table, homes())
        for n, value in enumerate((6, 5, 5, 5, 6)):
            lies(table, on_board(table.match.state), value, x_mm=600.0 + 20 * n)
        move = next(m.action for m in table.match._game.rules.legal(table.match.state))
        right = on_board(table.match._game.rules.apply(table.match.state, move).state)
        wrong = {spot: color for spot, color in right.items() if spot != move.to} | {"B31": move.color}
        lies(table, wrong, 6, x_mm=680.0)
        assert ann.sees("Once it is right, it counts.")  # and nobody is invited to confirm it
        assert ann.can_tap("Look now")
        assert ann.shown("All done?").count() == 0
        expect(ann.page.locator(".action.primary")).to_have_count(0)
        table.match.submit(EndThrow(by="red"))
        table.match.submit(RefereeCame(entry=0, by="Ann"))
        table.now_s += 1.0
        table.match.still(table.now_s)
        answers = ann.page.locator("#question .answer")
        expect(answers).to_have_text(["Put it on red's start", "Put it back", "Leave it"])
        assert_clean(ann.page)
        answers.first.click()
        assert ann.sees("Now put it right:")
        expect(ann.page.locator("#putback .race-board .way-back")).to_have_count(1)
        lies(table, right, 6, x_mm=680.0)
        assert ann.no_longer_sees("Now put it right:")
        ann.leaves()


def test_a_board_is_drawn_on_the_picture_that_its_file_names(home: Path, tmp_path: Path, browser: Browser) -> None:
    name = REGISTRY.add(Path(__file__).parents[1] / "data" / "ludo").name
    with Table(tmp_path, name, sees=True) as table:
        ann = Player(browser, table.server.url, None, "Ann")
        picture = ann.page.locator("#game .race-board > image")
        answer = ann.page.request.get(picture.get_attribute("href") or "")
        assert (answer.status, answer.headers["content-type"].partition(";")[0]) == (200, "image/svg+xml")
        assert picture.bounding_box()["width"] > 300  # type: ignore[index]
        assert picture.evaluate("image => image === image.parentNode.firstElementChild")
        missing = [answer.url.replace("LUDO.svg", other) for other in ("LUDO.toml", "LUDO.png")]
        assert {ann.page.request.get(url).status for url in missing} == {404}
        ann.leaves()
