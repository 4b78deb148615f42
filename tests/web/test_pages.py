"""Players with phones: what they see, hear and can do. Driven by a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import cv2
import numpy as np
import pytest
from playwright.sync_api import Browser, FloatRect, Locator, Route, expect

from companion.game.says import Says
from companion.game.view import READING, HintView, Sight
from companion.match.inputs import BeginAnew, CallOff, CallReferee, Correct, EndThrow
from tests.seeds import first
from tests.web import shown
from tests.web.access import axe
from tests.web.fake_door import NOW_S, FakeDoor
from tests.web.player import Player
from web.site.server import Server
from web.table.app import create_app

pytestmark = pytest.mark.browser

Come = Callable[..., Player]
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
TOUCH_PX = 48
LEAST_BADGE_PX = 18


# ---- sitting down


@pytest.mark.journey
def test_one_chooses_a_seat_with_a_name(door: FakeDoor, player: Come) -> None:
    ann = player(None, opens="")
    ann.sees("Choose a seat")
    ann.taps("Sit down as Blue")
    assert ann.sees("Type your name first.")
    ann.taps("OK")
    ann.types("Your name", "Ann")
    ann.taps("Sit down as Blue")
    assert ann.sees("Both have thrown")
    assert door.view().seats[1].name == "Ann"


def test_a_phone_that_comes_back_has_its_seat(player: Come) -> None:
    ann = player("red", "Ann")
    ann.goes("")
    assert ann.sees("Both have thrown")
    ann.goes("?choose")
    ann.taps("Back to Ann")
    assert ann.sees("Both have thrown")


def test_a_phone_whose_seat_is_taken_by_another_asks_again(door: FakeDoor, player: Come) -> None:
    ann = player("red", "Ann")
    door.holders["red"] = "another phone"
    door.happens()
    assert ann.sees("Sit down as Red")
    assert not ann.can_tap("Undo")


# ---- rulings and questions


def test_two_phones_and_the_scoreboard_see_the_same_ruling(door: FakeDoor, player: Come) -> None:
    door.shows(last=())
    ann, ben, wall = player("red", "Ann"), player("blue", "Ben"), player(None, opens="board")
    door.happens(last=(shown.ruling(),))
    for one in (ann, ben, wall):
        assert one.sees("Blue die A is still in: it overlaps the blue territory")
        assert one.sees("1.2 mm inside")
        assert one.sees("± 0.2 mm")
        assert one.sees("§ Instructions 9")
        assert one.page.locator(".evidence img").evaluate("img => img.decode().then(() => img.naturalWidth)") == 480
        expect(one.page.locator(".evidence .crop polygon.pen")).to_have_count(2)
    assert ann.hears("Ruling: Blue die A is still in")


def test_a_german_phone_reads_numbers_with_a_comma(door: FakeDoor, player: Come) -> None:
    near = Says("near miss: {piece} is {mm} mm short", {"piece": "red samurai 3", "mm": 2.4})
    door.shows(hints=(HintView(says=near),))
    ann = player("red")
    ann.taps("Deutsch")
    assert ann.sees("1,2 mm")
    assert ann.sees("§ Anleitung 9")
    assert ann.sees("± 0,2 mm")
    assert ann.sees("2,4 mm")


def test_the_picture_is_magnified_by_a_tap(player: Come) -> None:
    ann = player("red")
    ann.taps("Magnify the picture")
    crop = ann.page.locator("dialog.zoom .crop")
    before = crop.bounding_box()
    ann.taps("Bigger")
    after = crop.bounding_box()
    assert after["width"] == pytest.approx(2 * before["width"], rel=0.01)
    assert before["width"] > 412
    ann.taps("Close")
    expect(crop).to_have_count(0)


@pytest.mark.parametrize("is_silent", [False, True])
def test_a_picture_that_did_not_come_is_asked_for_again(door: FakeDoor, player: Come, is_silent: bool) -> None:
    # the network was away for a moment, and the phone said for good that the picture was no longer kept; or it took the
    # question whether it is kept, never answered, and the phone asked no more
    ann = player("red", "Ann")
    door.happens(last=())
    expect(ann.page.locator("#rulings img")).to_have_count(0)  # else a phone may be told of the next view only

    failed: list[str] = []

    def answer(route: Route) -> None:
        kind = route.request.resource_type
        if kind == "image" and "image" in failed:
            route.continue_()
        elif kind == "image" or not is_silent:
            failed.append(kind)
            route.abort()

    ann.page.route("**/evidence/**", answer)
    door.happens(last=(shown.ruling(),))
    # the next view may draw the picture anew
    ann.page.wait_for_function("() => document.querySelector('#rulings img')?.naturalWidth > 0")
    expect(ann.shown("The picture is no longer kept.")).to_have_count(0)


def test_only_the_asked_seat_may_answer(door: FakeDoor, player: Come) -> None:
    ann, ben = player("red", "Ann"), player("blue", "Ben")
    door.happens(question=shown.question_for("blue"))
    assert ann.sees("Blue answers this.")
    assert not ann.can_tap("It occupies")
    assert ben.can_tap("It occupies")


@pytest.mark.parametrize("by", first([None, "the camera"]))
def test_what_the_camera_saw_has_a_mark_that_no_name_brings(door: FakeDoor, player: Come, by: str | None) -> None:
    """Who spoke was told by a name, so that a person could be the camera."""
    ann = player("red", "Ann")
    door.happens(last=(shown.ruling_of(by=by),))
    expect(ann.page.locator("#rulings .cite .soft").first).to_contain_text("by the camera")
    ann.page.wait_for_function(  # asked again until it answers: a line drawn anew in between has no style for a moment
        """is_camera => {
            const line = document.querySelector("#rulings .cite .soft");
            const mark = line && getComputedStyle(line, "::before").backgroundImage;
            return mark && mark.includes("eye.svg") === is_camera;
        }""",
        arg=by is None,
    )


def test_a_tap_on_the_cited_paragraph_shows_its_words(door: FakeDoor, player: Come) -> None:
    ann, wall = player("red", "Ann"), player(None, opens="board")
    for one in (ann, wall):
        one.taps("Read Instructions 9")
        assert one.sees("A die that only touches the territory, or is apart from it, is out.")
        assert axe(one.page) == []
        one.taps("Close")
        assert one.has_left_the_sheet()
    door.shows(last=(shown.ruling_of(rule="Eyes of the Emperor, gap 24"),))
    assert ann.sees("unwritten rule")
    ann.taps("Read unwritten rule")
    assert ann.sees("unwritten rule 24")
    assert ann.sees("The rule sheet says nothing here: this is how the table reads it.")


# ---- sight and connection


STATES = (
    (Sight.MOVING, "something moves", None),
    (
        Sight.HAND,
        "a hand or a sleeve covers about 132 cm2 of the play area: take it away and read again",
        "hand_in_view",
    ),
    (Sight.BLIND, "none of the fiducials 0, 1, 2, 3 of DICT_4X4_50 is seen: uncover them", "no_fiducials"),
    (Sight.BLIND, "the paper of the fiducials is at 3 of 255, expected at least 40: switch on a light", "too_dark"),
    (Sight.BLIND, "the play area at (1000, 0) mm is 155 px outside the picture", "out_of_picture"),
    (Sight.BLIND, "a picture could not be read: see the log of the box", "internal"),
    (Sight.MOVED, "fiducial 3 is 14 px from its place, and too few others are visible", "camera_moved"),
    (Sight.SEES, "the table is seen", None),
)


@pytest.mark.parametrize("size_px", [(360, 740), (412, 915)])
def test_nothing_moves_when_a_hand_comes_and_goes(door: FakeDoor, player: Come, size_px: tuple[int, int]) -> None:
    """The strip grew with what it said, and the ruling that one was reading jumped away."""
    ann = player("red", "Ann", viewport={"width": size_px[0], "height": size_px[1]})
    ann.page.locator(".evidence img").evaluate("img => img.decode()")
    ann.page.evaluate(
        "() => { window.moved = []; new PerformanceObserver((list) => window.moved.push(...list.getEntries()"
        ".map((e) => e.value))).observe({ type: 'layout-shift' }); }"
    )
    was = [box_of(ann.page.locator(place)) for place in ("header.top", "#hints", "#rulings .ruling", "#actions")]
    for sight, says, code in STATES:
        door.sight(sight, says, code)
        waiting = Says("waiting until nothing covers the table") if sight is Sight.HAND else None
        door.shows(waiting=waiting)
        expect(ann.page.locator("#sight")).to_have_attribute("data-state", sight.value)
        if waiting:
            assert ann.sees("waiting until nothing covers the table")
        now = [box_of(ann.page.locator(place)) for place in ("header.top", "#hints", "#rulings .ruling", "#actions")]
        assert now == was, f"{sight} {code}"
        for line in ann.page.locator(".sight :is(.head, .advice)").all():
            assert line.evaluate("node => node.scrollWidth <= node.clientWidth"), f"{line.inner_text()} is cut off"
    ann.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert ann.page.evaluate("window.moved") == []


def test_what_passes_with_every_throw_is_not_said_aloud(door: FakeDoor, player: Come) -> None:
    ann = player("red", "Ann")
    ann.page.clock.install()
    ann.page.evaluate(
        "() => { window.heard = []; for (const ear of document.querySelectorAll('#said, #alarmed'))"
        "new MutationObserver(() => window.heard.push(ear.textContent))"
        ".observe(ear, { childList: true, characterData: true, subtree: true }); }"
    )
    for covered_cm2 in range(100, 110):
        door.sight(Sight.MOVING, "something moves")
        door.sight(Sight.HAND, f"a hand covers about {covered_cm2} cm2", "hand_in_view")
        expect(ann.page.locator("#sight")).to_have_attribute("data-state", "hand")
    ann.page.clock.run_for(1400)
    assert ann.page.evaluate("window.heard.filter(Boolean)") == []
    ann.page.clock.run_for(200)
    door.sight(Sight.HAND, "a hand covers about 120 cm2", "hand_in_view")
    ann.page.clock.run_for(3000)
    assert ann.page.evaluate("window.heard.filter(Boolean)") == ["Something covers the table"]


@pytest.mark.nightly
@pytest.mark.parametrize(("state", "head"), [(Sight.BLIND, "Blind"), (Sight.MOVED, "Camera moved")])
def test_blindness_is_loud(door: FakeDoor, player: Come, state: Sight, head: str) -> None:
    ann, wall = player("red"), player(None, opens="board")
    door.sight(state, "the picture is too dark: switch on a light", "too_dark")
    assert ann.sees("No ruling. Switch on a light.")
    assert wall.sees("The picture is too dark: switch on a light")
    for one in (ann, wall):
        assert one.sees(head)
        expect(one.page.locator("#alarmed")).to_contain_text(f"{head}: the picture is too dark")


@pytest.mark.journey
def test_a_phone_that_lost_the_server_says_so_and_finds_it_again(door: FakeDoor, browser: Browser) -> None:
    app = create_app(door, join_url="http://192.168.4.1/", max_streams=20, clock=lambda: NOW_S)
    with Server(app, "127.0.0.1", 0).running() as first:
        ann = Player(browser, first.url, "red", "Ann")
        door.sight(Sight.MOVING, "the table is being read", READING)
        assert ann.sees("Reading the table")
    assert ann.sees("The table does not answer")
    assert ann.no_longer_sees("Reading the table")  # it went on asking to keep hands away, of a table that was off
    assert ann.hears("Not connected: this view is out of date.")
    assert not ann.can_tap("Both have thrown")
    door.sight(Sight.SEES, "the table is seen")
    door.happens(last=(shown.ruling_of(says="Red samurai 2 occupies"),))
    again = create_app(door, join_url="http://192.168.4.1/", max_streams=20, clock=lambda: NOW_S)
    with Server(again, "127.0.0.1", first.port).running():
        assert ann.sees("Red samurai 2 occupies")
        assert ann.no_longer_sees("The table does not answer")
        ann.does("Both have thrown")
        assert door.given[-1] == EndThrow(seat="red", by="Ann", judged=door.view().judged)
        ann.leaves()


def test_a_phone_that_wakes_on_a_dead_network_shows_nothing_old_as_present(door: FakeDoor, player: Come) -> None:
    # for six seconds it said "Live" over what the table had seen before the phone slept, and its buttons worked
    ann = player("red", "Ann")
    ann.page.route(re.compile("/(state|events)"), lambda route: None)  # no answer, as when a network is gone
    ann.page.clock.install()
    ann.page.clock.set_system_time(datetime.now(UTC) + timedelta(hours=1))  # asleep: the steady clock stood still
    ann.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    # a busy machine may look only after the second and a half in which it tries
    expect(ann.page.locator("#sight")).to_have_attribute("data-state", re.compile("^(waking|lost)$"))
    assert ann.no_longer_sees("The table sees")
    assert ann.sees("This view is out of date.")
    assert not ann.can_tap("Both have thrown")
    ann.page.clock.run_for(1600)
    assert ann.sees("The table does not answer")
    assert ann.hears("Not connected: this view is out of date.")
    ann.page.unroute_all()
    ann.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    assert ann.sees("The table sees")
    assert ann.can_tap("Both have thrown")


@pytest.mark.nightly
def test_past_the_cap_a_phone_polls_and_misses_nothing(door: FakeDoor, browser: Browser) -> None:
    app = create_app(door, join_url="http://192.168.4.1/", max_streams=1, clock=lambda: NOW_S)
    with Server(app, "127.0.0.1", 0).running() as server:
        first, second = Player(browser, server.url, None, ""), Player(browser, server.url, None, "")
        assert second.sees("Every few seconds")
        door.happens(last=(shown.ruling_of(says="Red samurai 2 occupies"),))
        assert first.sees("Red samurai 2 occupies")
        assert second.sees("Red samurai 2 occupies")
        first.leaves()
        second.leaves()


# ---- doing


def test_what_to_put_back_is_on_every_phone_until_it_is_done(door: FakeDoor, player: Come) -> None:
    ann, ben = player("red", "Ann"), player("blue", "Ben")
    door.happens(put_back=shown.put_back())
    for one in (ann, ben):
        assert one.sees("Taken back. Now put back:")
        one.picks("2 Put blue empire die 1 back, 13 cm from where the throw left it")
    ann.taps("Put back")
    assert ann.no_longer_sees("Taken back. Now put back:")
    ann.goes("?seat=red")
    ann.sees("Both have thrown")
    assert ann.no_longer_sees("Taken back. Now put back:")
    ben.goes("?seat=blue")
    assert ben.sees("Taken back. Now put back:")
    door.happens(put_back=None)
    assert ben.no_longer_sees("Taken back. Now put back:")


def test_a_refusal_outlives_the_news_that_it_was_for(door: FakeDoor, player: Come) -> None:
    ann = player("red", "Ann")
    door.happens(question=shown.question())
    ann.sees("Too close to call")
    stood = door.view()
    refusal = {"message": "Answered already.", "match": stood.match, "seq": stood.seq + 1}
    ann.page.route("**/do", lambda route: route.fulfill(status=409, json={"error": refusal}))
    ann.taps("It occupies")
    assert ann.sees("Answered already.")
    door.happens(question=None)  # the other phone's answer, which came first
    assert ann.no_longer_sees("Too close to call")
    assert ann.sees("Answered already.")
    door.happens(waiting=Says("looking at the table"))
    assert ann.no_longer_sees("Answered already.")


@pytest.mark.parametrize("mine", ["red", "blue"])
def test_the_pieces_to_put_back_are_drawn_from_one_s_own_side(door: FakeDoor, player: Come, mine: str) -> None:
    ann = player(mine, "Ann")
    door.happens(put_back=shown.put_back())
    ann.taps("The table as it was before")
    assert axe(ann.page) == []
    drawing = ann.page.get_by_role("img", name="The table from above: each numbered piece")
    assert drawing.locator(".badge").all_text_contents() == ["1", "2", "3"]
    land, other = (box_of(drawing.locator(f".stays .of-{c}.v-disk").first) for c in ordered(mine))
    assert land["y"] > other["y"] + other["height"] / 2
    whole = box_of(drawing)
    for badge in drawing.locator(".badge").all():
        box = box_of(badge)
        assert whole["x"] <= box["x"]
        assert box["x"] + box["width"] <= whole["x"] + whole["width"]
        assert whole["y"] <= box["y"]
        assert box["y"] + box["height"] <= whole["y"] + whole["height"]
        assert box["width"] >= LEAST_BADGE_PX


def ordered(mine: str) -> tuple[str, str]:
    """One's own seat and the other."""
    return (mine, "blue" if mine == "red" else "red")


def box_of(place: Locator) -> FloatRect:
    """Where something is on the screen."""
    box = place.bounding_box()
    assert box is not None
    return box


def corrects(ann: Player) -> Locator:
    """Opens the correction; gives the table to point at."""
    ann.taps("More")
    ann.taps("Correct a fact")
    return ann.page.get_by_role("img", name="The table from above: tap the piece")


def points_at(ann: Player, table: Locator, piece: str, off_px: tuple[float, float] = (0.0, 0.0)) -> None:
    """Taps beside the middle of an outlined piece, in pixels of the screen."""
    box = box_of(table.locator(f".outline[data-piece='{piece}']"))
    ann.page.touchscreen.tap(box["x"] + box["width"] / 2 + off_px[0], box["y"] + box["height"] / 2 + off_px[1])


def chosen(ann: Player) -> str:
    """The piece that the sheet says is chosen."""
    return ann.page.get_by_label("Tap the piece, or choose it").locator("option:checked").inner_text()


@pytest.mark.journey
@pytest.mark.parametrize("is_kept", first([True, False]))
def test_a_fact_is_corrected_by_pointing_at_the_piece(door: FakeDoor, player: Come, is_kept: bool) -> None:
    door.shows(pointing=shown.pointing(is_kept=is_kept))
    ann = player("red", "Ann", viewport={"width": 360, "height": 740})
    table = corrects(ann)
    expect(table.locator("image")).to_have_count(2 if is_kept else 0)
    assert axe(ann.page) == []
    points_at(ann, table, "blue:A")
    assert chosen(ann) == "Blue die A"
    assert ann.hears_in_sheet("Chosen: Blue die A")
    assert ann.page.locator("fieldset legend").all_inner_texts() == [
        "Does blue die A overlap its territory?",
        "Does the marking of blue die A face up?",
    ]
    assert ann.sees("Now it counts as: overlaps")
    ann.picks("Faces up")
    ann.types("Your name", "Rita")
    ann.types("Why", "seen from above")
    assert axe(ann.page) == []
    assert not any(isinstance(given, Correct) for given in door.given)
    ann.taps("Correct it")
    assert ann.has_left_the_sheet()
    assert door.given[-1] == Correct(
        seat="red", entry=31, fact="up:blue:A", value="up", by="Rita (at red)", reason="seen from above"
    )


def test_several_facts_of_a_piece_are_corrected_at_once(door: FakeDoor, player: Come) -> None:
    """Whoever answered the second lost the first in silence: both were of one group."""
    ann = player("red", "Ann")
    points_at(ann, corrects(ann), "blue:A")
    for legend in ann.page.locator("fieldset .values").all():
        legend.locator("input").first.check()
    expect(ann.page.locator("fieldset input:checked")).to_have_count(2)
    ann.types("Why", "seen from above")
    ann.taps("Correct it")
    assert ann.has_left_the_sheet()
    told = [given for given in door.given if isinstance(given, Correct)]
    assert {one.fact for one in told} == {"in:blue:A", "up:blue:A"}


def test_a_fact_is_corrected_by_the_keyboard_alone(door: FakeDoor, player: Come) -> None:
    ann = player("red", "Ann")
    corrects(ann)
    pieces = ann.page.get_by_label("Tap the piece, or choose it")
    assert pieces.locator("option:not([disabled])").all_inner_texts() == [
        "Blue die A",
        "Red samurai 4",
        "Red samurai 5",
        "Something else",
    ]
    pieces.focus()
    ann.page.keyboard.press("End")
    assert chosen(ann) == "Something else"
    for key in ("Tab", "Space", "Tab", "Tab"):
        ann.page.keyboard.press(key)
    ann.page.keyboard.type("I heard it")
    ann.page.keyboard.press("Enter")
    assert ann.has_left_the_sheet()
    assert door.given[-1] == Correct(seat="red", entry=31, fact="haji", value="out", by="Ann", reason="I heard it")


def test_a_doubt_that_does_not_matter_is_answered_where_it_stands_by_who_can_tell(door: FakeDoor, player: Come) -> None:
    """It asked "Is it still in the valley?" and offered no answer, and nobody knew whether something was to be done."""
    says = Says("not clear, but it does not matter: Does red samurai 4 overlap the blue territory?")
    card = replace(shown.ruling(), says=says, piece="red:4", margin_mm=None, evidence=None, is_minor=True)
    open_ = tuple(replace(c, value="unknown") if c.piece != "blue:A" else c for c in shown.corrections())
    door.shows(corrections=open_, last=(card, replace(card, piece=None, pieces=("red:4", "red:5"))))
    ann, eve = player("red", "Ann"), player(None)
    assert eve.sees("Not clear")
    assert not eve.can_tap("Overlaps")
    assert ann.sees("You need not do anything.")
    ann.taps("red samurai 4 overlap")  # a second one, of two pieces: its sheet asks which
    ann.taps("Say it")
    assert chosen(ann) == "No piece yet"
    ann.taps("Close")
    ann.has_left_the_sheet()
    ann.does("Apart")
    assert door.given[-1] == Correct(seat="red", entry=31, fact="in:red:4", value="out", by="Ann", reason="Seen by eye")


def test_the_referee_is_called_on_every_phone(door: FakeDoor, player: Come) -> None:
    ann, ben = player("red", "Ann"), player("blue", "Ben")
    ann.taps("More")
    ann.taps("Call the referee")
    ann.types("Subject (optional)", "a ninja fell off")
    ann.taps("Call now")
    ann.no_longer_sees("Call now")
    assert door.given[-1] == CallReferee(seat="red", by="Ann", words="a ninja fell off")
    door.shows(calls=(shown.call(),))
    for one in (ann, ben):
        assert one.sees("Ben called the referee")
        assert one.can_tap("The referee has come")
    assert not ann.can_tap("Take the call back")
    ben.does("Take the call back")
    assert door.given[-1] == CallOff(seat="blue", entry=33, by="Ben")


def test_all_rules_of_the_game_can_be_read_on_a_phone(player: Come) -> None:
    """Only the paragraph that a ruling cites could be."""
    ann = player("red", "Ann")
    ann.taps("More")
    ann.taps("The rules")
    headings = ann.page.locator("dialog h3")
    expect(headings.first).to_have_text("Eyes of the Emperor")
    assert headings.all_inner_texts()[1:13] == [f"§ Instructions {n}" for n in range(1, 13)]
    ann.taps("Where the sheet is silent")
    assert ann.sees("Unwritten rule 1")
    assert axe(ann.page) == []


def test_a_player_begins_the_next_match_and_a_watcher_cannot(door: FakeDoor, player: Come) -> None:
    ann, eve = player("red", "Ann"), player(None)
    eve.page.goto(eve.url + "?watch")
    door.happens(over=shown.over())
    assert eve.sees("The match is over")
    assert not eve.page.get_by_role("button", name="Next match").is_visible()
    ann.taps("Next match")
    assert ann.sees("Everybody keeps their seat")
    assert axe(ann.page) == []
    ann.taps("Begin")
    assert ann.no_longer_sees("Everybody keeps their seat")
    assert door.given[-1] == BeginAnew(match=door.view().match, by="Ann", seat="red")
    assert door.of == door.view().match


def test_a_player_ends_a_match_that_nobody_goes_on_with(door: FakeDoor, player: Come) -> None:
    ann = player("red", "Ann")
    ann.taps("More")
    ann.taps("End this match")
    assert ann.sees("The match is not over. It stays saved, but you cannot play on later.")
    assert axe(ann.page) == []
    ann.taps("Play on")
    assert ann.no_longer_sees("you cannot play on later")
    assert not any(isinstance(given, BeginAnew) for given in door.given)
    ann.taps("More")
    ann.taps("End this match")
    ann.taps("End it and begin another")
    assert ann.no_longer_sees("you cannot play on later")
    assert door.given[-1] == BeginAnew(match=door.view().match, by="Ann", is_given_up=True, seat="red")


def test_a_match_that_was_ended_early_shows_how_it_stood(door: FakeDoor, player: Come) -> None:
    """The next match stood there at once: nobody saw how far everybody had come, and there was no card to send."""
    door.shows(standing={"red": Says("one eye left"), "blue": Says("two eyes left")})
    ann = player("red", "Ann")
    door.shows(seq=2, match="the-next", over=None)
    assert ann.sees("The match was ended early")
    assert ann.sees("Two eyes left")
    assert ann.can_tap("Send a card")
    assert axe(ann.page) == []
    ann.taps("Start again")
    assert ann.has_left_the_sheet()


@pytest.mark.parametrize("is_over", [True, False])
def test_a_sheet_that_begins_a_match_closes_when_another_phone_has_begun_it(
    door: FakeDoor, player: Come, is_over: bool
) -> None:
    ann = player("red", "Ann")
    door.happens(over=shown.over() if is_over else None)
    if not is_over:
        ann.taps("More")
    ann.taps("Next match" if is_over else "End this match")
    ann.sees("Everybody keeps their seat")
    door.shows(seq=2, match="the-next", over=None)
    assert ann.has_left_the_sheet()
    assert ann.sees("Another phone has begun the next match.")


def is_in_sight(one: Player, selector: str) -> bool:
    """Whether all of it lies between the strip above and the buttons below, nothing scrolled."""
    box = box_of(one.page.locator(selector).first)
    above, below = box_of(one.page.locator(".top")), box_of(one.page.get_by_role("navigation"))
    return box["y"] >= above["y"] + above["height"] and box["y"] + box["height"] <= below["y"]


NEAR = HintView(says=Says("near miss: {piece} is in by only {mm} mm", {"piece": "blue empire die 1", "mm": 5.8}))
STOP = HintView(says=Says("stop throwing: pick all ninjas out of the valley"), rule="Eyes of the Emperor, Rules 1")
NOTHING = replace(
    shown.ruling(),
    says=Says("throw {n} changes nothing", {"n": 13}),
    piece=None,
    margin_mm=None,
    sigma_mm=None,
    evidence=replace(shown.evidence(), width_px=1280, height_px=720),
    is_minor=True,
)
BOTH_LONG = tuple(
    replace(shown.question().choices[0], key=key, says=Says(says))
    for key, says in (("yes", "overlaps: still in"), ("no", "apart or only touching: it does not occupy"))
)
ASKED = ("#question h2", "#question .crop", "#question .margin-words", "#question .answers")
RULED = ("#hints h2", "#rulings h2", "#rulings .margin-words")


@pytest.mark.parametrize(
    ("size_px", "happens", "selectors"),
    [
        (
            (412, 839),
            {"hints": shown.hints()[:1], "last": (NOTHING,)},
            [f".emperor.of-{color} {part}" for color in ("red", "blue") for part in ("header", ".phases", ".throws")],
        ),
        (  # rulings that changed nothing pushed the phases below the fold
            (360, 740),
            {"hints": shown.hints()[:1], "last": (NOTHING, replace(shown.ruling(), is_minor=True))},
            [f".emperor.of-{color} {part}" for color in ("red", "blue") for part in ("header", ".phases", ".throws")],
        ),
        ((320, 568), {"question": replace(shown.question(), choices=BOTH_LONG)}, ASKED),
        ((360, 640), {"question": shown.question()}, ASKED),
        ((360, 640), {"hints": (*shown.hints(), NEAR)}, RULED),
        ((360, 640), {"hints": (STOP, shown.hints()[0], NEAR)}, RULED),
    ],
    ids=[
        "nothing changed",
        "nothing changed on a small phone",
        "question on the smallest phone",
        "question",
        "two hints",
        "a stop",
    ],
)
def test_what_matters_is_in_sight(
    door: FakeDoor, player: Come, size_px: tuple[int, int], happens: dict[str, Any], selectors: Sequence[str]
) -> None:
    # with two hints the margin lay below the fold: how near the last throw was stands below its ruling now
    ann = player("red", "Ann", viewport={"width": size_px[0], "height": size_px[1]})
    door.happens(**happens)
    assert ann.has_heard(door.view().seq)
    # the picture is fitted when it has come
    ann.page.wait_for_function("() => [...document.querySelectorAll('.crop img')].every((i) => i.naturalWidth > 0)")
    for selector in selectors:
        assert is_in_sight(ann, selector), selector
    if "question" in happens:
        picture, answers = (box_of(ann.page.locator(f"#question {part}")) for part in (".crop", ".answers"))
        assert picture["y"] + picture["height"] <= answers["y"]
        for button in visible(ann, "#question .answer"):
            assert box_of(button)["height"] >= TOUCH_PX


def test_a_throw_that_changed_nothing_moves_no_page(door: FakeDoor, player: Come) -> None:
    """The page went down to "Throw 16 changes nothing", and what to throw and "Object" were out of sight."""
    ann = player("red", "Ann", viewport={"width": 360, "height": 740})
    ann.page.emulate_media(reduced_motion="reduce")
    door.happens(hints=shown.hints()[:1], last=(NOTHING,))
    assert ann.has_heard(door.view().seq)
    below = box_of(ann.page.locator("#rulings"))
    ann.page.set_viewport_size({"width": 360, "height": round(below["y"]) + 100})
    door.happens(last=(replace(NOTHING, says=Says("throw {n} changes nothing", {"n": 14})),))
    assert ann.has_heard(door.view().seq)
    assert ann.sees("Throw 14 changes nothing")
    assert ann.page.evaluate("scrollY") == 0


def test_a_name_half_typed_stays_when_somebody_else_sits_down(server: Server, browser: Browser, player: Come) -> None:
    # the card is drawn anew when a seat is taken, and who was typing had to begin again
    page = browser.new_page()
    page.goto(server.url + "?choose")
    page.get_by_label("Your name").press_sequentially("Be")
    player("red", "Ann")
    expect(page.get_by_role("button", name="Red: Ann sits here")).to_be_visible()
    page.keyboard.type("n")
    expect(page.get_by_label("Your name")).to_have_value("Ben")
    page.close()


def test_a_push_does_not_take_the_keyboard_away(door: FakeDoor, player: Come) -> None:
    ann = player("red", "Ann")
    door.happens(question=shown.question())
    ann.button("It occupies").focus()
    door.happens(question=shown.question_for("red"))
    ann.hears("Question")
    expect(ann.button("It occupies")).to_be_focused()


@pytest.mark.journey
def test_a_game_without_a_drawing_is_shown_in_words(door: FakeDoor, player: Come) -> None:
    door.shows(game="tiddlywinks", table={"winks_potted": 3, "is_squopped": False, "order": ["red", "blue"]})
    ann = player("red", "Ann")
    assert ann.sees("winks potted")
    assert ann.can_tap("The turn is over")


def test_the_opponents_dice_are_told_as_the_phase_looks_at_them(door: FakeDoor, player: Come) -> None:
    # a die that lay in its territory with its eye up was once told as "eye up" in phase I, and nobody knew it was in
    ann = player("red", "Ann")
    for phase, dice, words in (
        ("I", [{"in": True, "too_close": True}, {"in": False}], ["too close", "out"]),
        ("I", [{"in": True, "up": True}, {"in": False}], ["in", "out"]),
        ("III", [{"in": True, "up": True}, {"taken": True}], ["eye up", "taken"]),
        ("III", [{"in": True, "up_open": True}, {"in": True}], ["unknown", "eye hidden"]),
        ("I", [{"in": True, "too_close": True, "unseen": True}, {"in": False}], ["not seen", "out"]),
    ):
        mine, theirs = (shown.emperor(p, "ninja", Says("something"), "in in") for p in (phase, "I"))
        for die, told in zip(theirs["dice"], dice, strict=True):
            die |= {"taken": False, "in": False, "up": False, "up_open": False, **told}
        door.shows(table=shown.table(emperors={"red": mine, "blue": theirs}))
        expect(ann.page.locator(".emperor.of-red .die small")).to_have_text(words)
        is_open = words[0] in ("too close", "unknown", "not seen")
        expect(ann.page.locator(".emperor.of-red .die.open svg text")).to_have_text(["?"] if is_open else [])


# ---- for everybody


def put(door: FakeDoor, state: str) -> None:
    match state:
        case "question":
            door.shows(question=shown.question(), calls=(shown.call(),), last=(shown.ruling(),) * 3)
        case "blind":
            door.sight(Sight.BLIND, "the picture is too dark: switch on a light", "too_dark")
        case "over":
            door.shows(over=shown.over(), waiting=Says("waiting until nothing moves"))


@pytest.mark.journey
@pytest.mark.parametrize("state", first(["question", "ruling", "blind", "over"]))
def test_axe_finds_nothing_wrong(door: FakeDoor, player: Come, state: str) -> None:
    ann, wall = player("red", "Ann"), player(None, opens="board")
    put(door, state)
    for one in (ann, wall):
        one.sees(
            {"over": "The match is over", "blind": "Blind: too dark", "question": "Too close"}.get(state, "still in")
        )
        assert axe_by_day_and_night(one) == []


@pytest.mark.parametrize("sheet", ["Undo", "Call the referee", "Someone leaned over the edge", "Magnify"])
def test_axe_finds_nothing_wrong_with_a_sheet(player: Come, sheet: str) -> None:
    ann = player("red", "Ann")
    if sheet not in ("Undo", "Magnify"):
        ann.taps("More")
        assert axe(ann.page) == []
    ann.taps(sheet)
    assert axe(ann.page) == []


def axe_by_day_and_night(one: Player) -> list[str]:
    """What axe-core finds wrong in light and in dark colours; nothing moves."""
    found = []
    for scheme in SCHEMES:
        one.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        found += [f"{scheme}: {fault}" for fault in axe(one.page)]
    return found


@pytest.mark.parametrize("width_px", [320, 412])
def test_every_target_is_large_enough_and_nothing_is_cut_off(door: FakeDoor, player: Come, width_px: int) -> None:
    ann = player("red", "Ann", viewport={"width": width_px, "height": 700})
    put(door, "question")
    ann.sees("Too close to call")
    for target in visible(ann, "button, a, summary, select"):
        box = target.bounding_box()
        assert box["height"] >= TOUCH_PX, target.evaluate("node => node.outerHTML")
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width_px, target.evaluate("node => node.outerHTML")
    assert ann.page.evaluate("document.documentElement.scrollWidth") <= width_px


def visible(one: Player, selector: str) -> list[Locator]:
    return [target for target in one.page.locator(selector).all() if target.is_visible()]


def test_nothing_moves_for_those_who_ask_for_less(door: FakeDoor, player: Come) -> None:
    ann = player("red", "Ann", reduced_motion="reduce")
    door.shows(waiting=Says("waiting until nothing moves"))
    put(door, "blind")
    ann.sees("Blind")
    assert ann.page.evaluate("document.getAnimations().length") == 0


@pytest.mark.journey
def test_the_code_on_the_wall_leads_to_the_table(player: Come) -> None:
    wall = player(None, viewport={"width": 1280, "height": 720})
    for path in ("board", "join"):
        wall.page.goto(wall.url + path)
        seen = wall.page.locator(".qr").screenshot()
        picture = cv2.imdecode(np.frombuffer(seen, np.uint8), cv2.IMREAD_COLOR)
        # OpenCV fails at one code in a hundred at any one size, so it gets three
        sizes = [cv2.resize(picture, None, fx=k, fy=k, interpolation=cv2.INTER_CUBIC) for k in (1.0, 1.6, 2.3)]
        address = next(filter(None, (cv2.QRCodeDetector().detectAndDecode(size)[0] for size in sizes)), "")
        # the table's number is in the code: without it a newcomer could not sit down beside others
        assert re.fullmatch(r"http://192\.168\.4\.1:8080/\?choose&number=\d{6}", address), address


LONG = (
    "Red samurai 4 lies on blue samurai 3, which lies across the rim of the blue territory and on red samurai 7, so "
    "that its projection overlaps the territory: it occupies, and with red samurai 2 and 9 there are three, so red "
    "goes on to war phase III and takes the eye that already looks up"
)
OVERLONG: dict[str, dict[str, Any]] = {
    "ruling": {"last": (shown.ruling_of(says=LONG),)},
    "rulings": {"last": (shown.ruling_of(says=LONG), *(shown.ruling_of(says=f"{LONG} {i}") for i in range(4)))},
    "ruling and call": {
        "last": (shown.ruling_of(says=LONG),),
        "calls": (replace(shown.call(), words="a ninja fell off the table, " * 9),),
    },
    "ruling and not judged": {"last": (shown.ruling_of(says=LONG),), "refused": Says(LONG)},
    "question and call": {"question": replace(shown.question(), says=Says(LONG)), "calls": (shown.call(),)},
    "ruling and lines": {"last": (shown.ruling(), *(shown.ruling_of(says=f"Ninja {i} lies still") for i in range(3)))},
}


@pytest.mark.parametrize(("width_px", "height_px"), [(1280, 720), (1920, 1080)])
def test_an_overlong_card_leaves_the_wall_its_margin_and_paragraph(
    door: FakeDoor, player: Come, width_px: int, height_px: int
) -> None:
    # a sentence for screen readers alone lay below the screen, and the page grew by 200 px; the margin was cut off
    wall = player(None, viewport={"width": width_px, "height": height_px})
    before = {name: getattr(door.view(), name) for shows in OVERLONG.values() for name in shows}
    for state, shows in OVERLONG.items():
        door.happens(**before | shows)
        wall.goes("board")
        card = wall.page.locator("#question:visible, #rulings .ruling")
        expect(card.locator("h2")).to_have_text(re.compile("^Blue die A" if "lines" in state else "^Red samurai 4"))
        expect(wall.page.locator(".ruling-line:visible")).to_have_count(2 if "lines" in state else 0)
        assert wall.page.evaluate("document.documentElement.scrollHeight") <= height_px, state
        whole = box_of(card)
        assert whole["y"] + whole["height"] <= height_px, state
        for part in (".crop", ".margin-words", ".gauge", ".cite .rule"):
            box = box_of(card.locator(part).first)
            assert box["height"] > 12, (state, part)
            assert box["y"] + box["height"] <= whole["y"] + whole["height"], (state, part)
        for call in visible(wall, ".call p, #refused p"):
            box = box_of(call)
            assert box["y"] + box["height"] <= height_px, state
        assert axe(wall.page) == [], state
