"""A match from looks and people: entries, questions, undo, correction, blindness, resume."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

import companion.match.match
from companion.app.matches import opened_match
from companion.app.playing import MatchChoice
from companion.game.says import Says
from companion.game.values import Outcome
from companion.game.view import HintsView, MatchView, Sight
from companion.games.eyes_of_the_emperor import GAME
from companion.games.eyes_of_the_emperor.state import State
from companion.games.suspend import GAME as SUSPEND
from companion.match.audience import HEARD_S, KEPT_S, ViewStream
from companion.match.inputs import (
    Act,
    Admit,
    Answer,
    BeginAnew,
    CallOff,
    CallReferee,
    Correct,
    EndThrow,
    LeaveSeat,
    Receipt,
    RefereeCame,
    SettleObjection,
    TakeSeat,
    Undo,
)
from companion.match.match import Match
from companion.match.people import WAIT_S
from companion.match.present import entry_words
from companion.match.referee import Thresholds
from companion.record.check import verify
from companion.record.log import Log, read_log
from tests.clock import Clock
from tests.companion.looks import LANDS, START, Opened, TextLook
from web.words import encoded

BLUE_OUT = LANDS + "E red.1 377.5,350; E red.2 377.5,350; E blue.1 800,350; E blue.2 850,350; N n1 500,100"
CLOSE = LANDS + "E red.1 377.5,350; E red.2 377.5,350; E blue.1 746.4,350; E blue.2 850,350; N n1 500,100"


def sees(match: Match, text: str, sigma_mm: float = 0.1) -> None:
    match.saw(Sight.SEES, Says("the table is seen"))
    match.looked(TextLook(text, sigma_mm))


def thrown(match: Match, text: str, sigma_mm: float = 0.1) -> Receipt:
    match.saw(Sight.MOVING, Says("something moves"))
    sees(match, text, sigma_mm)
    return match.submit(EndThrow(by="red"))


def phases(view: MatchView) -> tuple[str, str]:
    return view.table["emperors"]["red"]["phase"], view.table["emperors"]["blue"]["phase"]


def test_a_settled_throw_becomes_a_ruling_with_its_margin_and_picture(opened: Opened) -> None:
    match = opened()
    receipt = thrown(match, BLUE_OUT)
    view = match.view("red")
    assert receipt.entry == view.seq
    assert phases(view) == ("II", "I")
    card = next(c for c in view.last if c.evidence is not None and c.rule.endswith("Instructions 9"))
    assert match.picture(card.evidence.sha256) is not None
    assert match.picture("0" * 64) is None
    assert card.evidence.outlines[0].label in ("blue.1", "blue.2")
    assert encoded(view)


def test_a_press_before_the_table_is_at_rest_waits_and_is_judged_then(opened: Opened) -> None:
    match = opened()
    match.saw(Sight.HAND, Says("a hand is over the table"))
    assert match.submit(EndThrow(by="button"), timeout_s=0.05) == Receipt(None)
    assert match.submit(Undo(entry=-1, by="x")).refused  # on a busy machine the press was not yet taken
    assert str(match.view().waiting) == "waiting until nothing covers the table"
    sees(match, BLUE_OUT)
    match.submit(CallReferee(by="x"))
    assert phases(match.view()) == ("II", "I")
    assert match.view().waiting is None


def test_a_press_that_waits_too_long_is_told_so_though_the_table_never_comes_to_rest(
    opened: Opened, clock: Clock
) -> None:
    """Under a flickering lamp no look ever came, and phones said "waiting until all is at rest" for ever."""
    match = opened()
    match.saw(Sight.MOVING, Says("something moves"))
    match.submit(EndThrow(by="button"), timeout_s=0.05)
    match.submit(CallReferee(by="x"))  # after it, for the press may not have been taken yet
    stream = match.subscribe()
    assert stream.next(5.0).waiting is not None
    clock.now_s += 61
    view = stream.next(30.0)
    assert view.waiting is None
    assert "is still moving: end the throw again" in str(view.refused)


def test_no_ruling_while_blind_and_the_blindness_is_on_record(opened: Opened) -> None:
    match = opened()
    sees(match, BLUE_OUT)
    match.saw(Sight.BLIND, Says("no picture for 3 seconds"), "timeout")
    assert str(match.submit(EndThrow(by="button")).refused) == "no ruling: no picture for 3 seconds"
    assert match.view().sight.state is Sight.BLIND
    assert any("no picture for 3 seconds" in str(line.says) for line in match.view().history)


def test_the_same_table_is_judged_twice_only_where_people_press_again(opened: Opened) -> None:
    """Seed 9201: a die that was put back and what was thrown went outside, and each press was refused. Seed 9811: after
    the second press, which says just that, it was asked."""
    match = opened()
    for throws, is_refused in ((1, False), (1, True), (2, False), (2, True)):
        refused = str(thrown(match, BLUE_OUT).refused)
        assert ("If both threw and everything went outside, press again" in refused) is is_refused
        assert (match.view().table["throw"], match.view().question) == (throws, None)


def test_too_close_is_asked_and_the_answer_decides(opened: Opened) -> None:
    match = opened()
    thrown(match, CLOSE)
    view = match.view("blue")
    assert view.question.margin_mm == pytest.approx(0.1)
    assert view.question.evidence is not None
    assert phases(view) == ("I", "I")
    stale = match.submit(Answer(question="1:in:blue.1", choice="no", by="blue"))
    assert "answered or taken back already" in str(stale.refused)
    wrong = match.submit(Answer(question=view.question.id, choice="maybe", by="blue"))
    assert "expected one of yes, no" in str(wrong.refused)
    assert match.submit(Answer(question=view.question.id, choice="no", by="Ann")).entry
    assert phases(match.view()) == ("II", "I")
    assert match.view().last[0].by == "Ann"
    match.submit(Undo(entry=match.view().undo.entry, by="Ann"))
    assert match.view().question is not None
    match.submit(Undo(entry=match.view().undo.entry, by="Ann"))
    # of a throw and an answer that were both taken back the history said "in:blue.1 = no (asked)"
    told = [str(line.says) for line in match.view().history if line.is_retracted]
    assert "Does blue empire die 1 still overlap its territory? Apart or only touching: knocked out" in told


def test_what_to_put_back_stays_until_another_throw_is_judged(opened: Opened) -> None:
    match = opened()
    thrown(match, START)
    entry = thrown(match, BLUE_OUT).entry
    offered = match.view().undo
    assert str(offered.says) == "a throw (both blue empire dice are out: red throws samurai)"
    told = {str(says) for says in offered.put_back}
    undone = match.submit(Undo(entry=entry, by="red")).entry
    assert phases(match.view()) == ("I", "I")
    assert [(line.entry, str(line.says)) for line in match.view().history if line.is_retracted] == [(entry, "a throw")]
    assert "gone on" in str(match.submit(Undo(entry=entry, by="red")).refused)
    for view in (match.view("red"), match.view("blue"), match.view()):
        assert view.put_back.entry == undone
        assert view.put_back.evidence is not None
    things = {str(thing.says): thing for thing in view.put_back.things}
    die = next(thing for words, thing in things.items() if "blue empire die 1" in words)
    assert str(die.says) == "put blue empire die 1 back"  # which way, the camera tells
    assert "put blue empire die 1 back, on the blue territory" in told
    assert (die.lay.x_mm, die.lay.y_mm, die.lay.size_mm) == (622.5, 350, 28)
    ninja = things["take a ninja out of the valley"]
    assert ninja.lies is not None
    assert ninja.lay is None
    assert [piece.id for piece in view.put_back.stays] == ["red", "blue", "red.1", "red.2"]
    thrown(match, CLOSE)
    assert match.view().put_back is None


def test_a_die_that_a_hand_moved_before_a_throw_is_asked_about_once(opened: Opened) -> None:
    """A hand pushed a die out, a proper throw followed, and the die counted as knocked out."""
    match = opened()
    lay = LANDS + "E red.1 377.5,350; E red.2 400,300; E blue.1 622.5,350; E blue.2 850,350; N n1 100,100; N n2 150,100"
    thrown(match, START)
    assert thrown(match, lay).entry
    pushed = lay.replace("E blue.1 622.5,350", "E blue.1 800,500")
    sees(match, pushed)
    thrown(match, pushed + "; N n3 300,600; N n4 700,600")
    question = match.view().question
    assert str(question.says).startswith("blue empire die 1 has moved since")
    assert phases(match.view()) == ("I", "I")
    match.submit(Answer(question=question.id, choice="record", by="red", reason="it lay so"))
    assert match.view().question is None
    assert phases(match.view()) == ("II", "I")


def test_a_correction_needs_a_name_and_a_reason_and_is_on_record(opened: Opened) -> None:
    match = opened()
    first = thrown(match, START).entry
    entry = thrown(match, BLUE_OUT).entry
    fact = next(c for c in match.view().corrections if c.fact == "in:blue.1")
    assert (fact.entry, fact.value) == (entry, "no")
    nameless = Correct(entry=entry, fact="in:blue.1", value="yes", by="", reason="")
    assert "needs your name and a reason" in str(match.submit(nameless).refused)
    unknown = Correct(entry=entry, fact="in:green.1", value="yes", by="Ann", reason="x")
    assert "does not fit the last ruling" in str(match.submit(unknown).refused)
    before = Correct(entry=first, fact="in:blue.1", value="no", by="Ann", reason="x")
    assert "undo back" in str(match.submit(before).refused)
    right = Correct(entry=entry, fact="in:blue.1", value="yes", by="Ann", reason="measured with a card")
    assert match.submit(right).entry
    assert phases(match.view()) == ("I", "I")
    assert any("measured with a card" in str(line.says) for line in match.view().history)


def test_rules_3_nothing_is_corrected_before_the_opponent_has_chosen(opened: Opened) -> None:
    # a correction ended the match, and the opponent's choice whether to restart it was gone
    match = opened()
    entry = thrown(match, BLUE_OUT).entry
    right = Correct(entry=entry, fact="in:blue.1", value="yes", by="Ann", reason="measured with a card")
    match.submit(Act(seat="red", move="edge", values={"thrower": "red"}, by="Ben"))
    before = match.view()
    assert str(before.undo.says) == "red passed the edge while throwing"  # and not once more in brackets
    assert str(match.submit(right).refused) == "answer first: red passed the edge while throwing. Restart the game?"
    assert match.view() == before
    match.submit(Answer(question=before.question.id, choice="play_on", by="Ben", seat="blue"))
    assert match.submit(right).entry


def hints_of(match: Match, stream: ViewStream) -> HintsView:
    """The hints for the match as it stands, as soon as they come."""
    while True:
        news = stream.next(30.0)
        if isinstance(news, HintsView) and news.judged == match.view().judged:
            return news


def test_seats_are_held_by_phones_and_freed(opened: Opened, clock: Clock) -> None:
    match = opened()
    assert match.submit(TakeSeat(seat="red", name="  Ann  B ", phone="p1")).entry
    assert match.seats_of("p1") == ("red",)
    stream = match.subscribe("red")
    assert match.view().seats[0].name == "Ann B"
    assert match.view().seats[0].is_connected
    over = TakeSeat(seat="red", name="Eve", phone="p2", holder="Ann B")
    assert "is kept for Ann B" in str(match.submit(over).refused)
    stream.close()
    clock.now_s += KEPT_S
    assert match.submit(over).entry
    assert "does not hold" in str(match.submit(LeaveSeat(seat="red", phone="p1")).refused)
    assert match.submit(LeaveSeat(seat="red", phone="p2")).entry
    assert match.view().seats[0].name is None
    assert "unknown seat 'green'" in str(match.submit(TakeSeat(seat="green", name="x", phone="p")).refused)


@pytest.mark.parametrize("name", ["Eve", "Ann"], ids=["another name", "the same name"])
def test_handing_a_seat_over_is_an_entry_that_all_see(opened: Opened, clock: Clock, name: str) -> None:
    """Whoever sat down where a phone was away became that player, and the record said nothing."""
    match = opened()
    match.submit(TakeSeat(seat="red", name="Ann", phone="p1"))
    before = match.view().seq
    clock.now_s += KEPT_S  # her phone is away
    entry = match.submit(TakeSeat(seat="red", name=name, phone="p2", holder="Ann")).entry
    assert entry == match.view().seq == before + 1
    for seat in (None, "red", "blue"):
        assert str(match.view(seat).history[0].says) == f"{name} takes the seat red"
    assert (match.seats_of("p1"), match.seats_of("p2")) == ((), ("red",))
    assert match.submit(LeaveSeat(seat="red", phone="p2")).entry == before + 2


def test_a_seat_that_somebody_took_since_one_looked_is_not_taken_over(opened: Opened, clock: Clock) -> None:
    # two tapped "Sit down as Red" within a moment: the first was thrown out while its phone still loaded the page
    match = opened()
    assert match.submit(TakeSeat(seat="red", name="Ann", phone="p1")).entry
    for later_s in (0.0, HEARD_S):  # away or not
        clock.now_s += later_s
        for holder in (None, "Eve"):
            refused = match.submit(TakeSeat(seat="red", name="Ben", phone="p2", holder=holder)).refused
            assert str(refused) == "Ann has taken that seat by now: choose another seat or watch"
    assert match.seats_of("p1") == ("red",)
    match.submit(LeaveSeat(seat="red", phone="p1"))
    assert match.submit(TakeSeat(seat="red", name="Ben", phone="p2", holder="Ann")).entry  # it is free by now


def test_a_phone_that_only_asks_now_and_then_keeps_its_seat(opened: Opened, clock: Clock) -> None:
    match = opened()
    wall = match.subscribe(None)
    match.submit(TakeSeat(seat="red", name="Ann", phone="p1"))
    over = TakeSeat(seat="red", name="Ben", phone="p2", holder="Ann")
    for _ in range(10):
        clock.now_s += 3.0
        match.heard("red")
        assert match.view().seats[0].is_connected
        assert "is kept for Ann" in str(match.submit(over).refused)
    assert wall.next(0) is not None
    clock.now_s += HEARD_S
    away = wall.next(0)  # nothing else happened, and the others are told all the same
    assert not away.seats[0].is_connected
    assert "is kept for Ann" in str(match.submit(over).refused)
    clock.now_s += KEPT_S
    assert not wall.next(0).seats[0].is_kept
    assert match.submit(over).entry
    match.heard("red")
    back = TakeSeat(seat="red", name="Ann", phone="p1", holder="Ben")
    assert "is kept for Ben" in str(match.submit(msgspec.structs.replace(back, phone="p3")).refused)
    assert match.submit(back).entry  # it was hers


def test_a_phone_without_its_cookie_gets_its_seat_if_another_phone_agrees(opened: Opened, clock: Clock) -> None:
    """A private window was closed, and its player was locked out of the match for ten minutes."""
    match = opened()
    match.submit(TakeSeat(seat="red", name="Ann", phone="p1"))
    clock.now_s += HEARD_S + 1
    match.submit(TakeSeat(seat="blue", name="Ben", phone="p2"))
    lost = TakeSeat(seat="red", name="Eve", phone="p3", holder="Ann", is_lost=True)
    assert match.submit(lost) == Receipt(None)
    (claim,) = match.view("blue").claims
    assert (claim.seat, claim.name, claim.asks) == ("red", "Ann", ("blue",))
    clock.now_s += 2 * WAIT_S
    match.heard("blue")
    assert match.submit(lost) == Receipt(None)  # time alone gives nothing while somebody can be asked
    assert "another phone asks" in str(match.submit(msgspec.structs.replace(lost, phone="p4")).refused)
    assert match.submit(Admit(seat="red", claim=claim.claim, is_admitted=True)).refused
    match.submit(Admit(seat="blue", claim=claim.claim, is_admitted=False))
    assert match.view().claims == ()
    match.submit(lost)
    (claim,) = match.view().claims
    assert match.submit(Admit(seat="blue", claim=claim.claim, is_admitted=True)).entry == match.view().seq
    assert match.seats_of("p3") == ("red",)
    assert match.view().claims == ()
    assert "settled" in str(match.submit(Admit(seat="blue", claim=claim.claim, is_admitted=True)).refused)
    clock.now_s += KEPT_S
    assert "not kept" in str(match.submit(msgspec.structs.replace(lost, phone="p5")).refused)  # the number is asked


def test_without_another_phone_a_lost_seat_is_given_after_a_wait_unless_its_old_phone_is_there(
    opened: Opened, clock: Clock
) -> None:
    match = opened()
    match.submit(TakeSeat(seat="red", name="Ann", phone="p1"))
    lost = TakeSeat(seat="red", name="Ann", phone="p3", holder="Ann", is_lost=True)
    for is_back in (True, False):
        clock.now_s += HEARD_S + 1
        match.submit(lost)
        (claim,) = match.view().claims
        assert (claim.asks, claim.until_s) == ((), clock.now_s + WAIT_S)
        clock.now_s += WAIT_S
        if is_back:
            match.heard("red")
        assert (match.submit(lost).entry is None) == is_back
        if is_back:
            assert match.view().claims[0].asks == ("red",)
            match.submit(Admit(seat="red", claim=claim.claim, is_admitted=False))
    assert match.seats_of("p3") == ("red",)


def test_who_called_takes_the_call_back_and_nothing_else_changes(opened: Opened) -> None:
    """A call by mistake could not be withdrawn: it stood on every phone until somebody said that the referee came."""
    match = opened()
    entry = match.submit(CallReferee(by="red", words="look here")).entry
    assert "only the caller" in str(match.submit(CallOff(entry=entry, by="Bo")).refused)
    before = match.view()
    match.submit(CallOff(entry=entry, by="red"))
    now = match.view()
    assert (now.calls, now.judged, now.undo, now.put_back) == ((), before.judged, before.undo, before.put_back)
    assert [(str(line.says), line.is_retracted) for line in now.history[:2]] == [
        (f"red took entry {entry} back", False),
        ("calls the referee: look here", True),
    ]
    assert "settled already" in str(match.submit(CallOff(entry=entry, by="red")).refused)


def test_a_look_from_before_the_press_is_not_judged_before_a_newer_frame_shows_the_same(
    opened: Opened, clock: Clock
) -> None:
    # an early version ruled on a frame that was exposed before the throw, when the camera lagged behind the table
    match = opened()
    match.saw(Sight.SEES, Says("the table is seen"))
    match.looked(TextLook(BLUE_OUT, at_s=clock.now_s))
    assert match.submit(EndThrow(by="red"), timeout_s=0.05) == Receipt(None)
    assert match.view().table["throw"] == 0
    match.still(clock.now_s + 0.1)
    match.submit(CallReferee(by="x"))
    assert match.view().table["throw"] == 0
    match.still(clock.now_s + 0.5)
    match.submit(CallReferee(by="x"))
    assert match.view().table["throw"] == 1


def short(state: State) -> Outcome | None:
    """Over as soon as red is in phase II."""
    is_over = GAME.page.view(state, None)["emperors"]["red"]["phase"] == "II"
    return Outcome(("red",), Says("red was quick"), "a test") if is_over else GAME.rules.outcome(state)


SHORT_GAME = replace(GAME, rules=replace(GAME.rules, outcome=short))


def test_after_a_match_the_next_begins_in_a_log_of_its_own_and_seats_stay(tmp_path: Path) -> None:
    match = opened_match(tmp_path, SHORT_GAME)
    match.submit(TakeSeat(seat="red", name="Ann", phone="ann's phone"))
    name = match.view().match
    assert str(match.submit(BeginAnew(match=name, by="Ann")).refused) == (
        "the match is not over: play on, or undo what was wrong"
    )
    thrown(match, BLUE_OUT)
    view = match.view("red")
    assert view.over is not None
    kept = next(card.evidence for card in view.last if card.evidence is not None)
    assert str(match.submit(EndThrow(by="red")).refused) == "the match is over: begin the next one"
    assert match.submit(BeginAnew(match=name, by="Ann")).refused is None
    fresh = match.view("red")
    assert (fresh.over, fresh.last, fresh.undo) == (None, (), None)
    assert fresh.match != name
    assert match.seats_of("ann's phone") == ("red",)
    before = match.before()  # who taps first took the sheet away from all others
    assert (before[0].match, before[0].over, fresh.has_before) == (name, view.over, True)
    assert str(before[1][-1].says) == "the match begins"
    assert match.picture(kept.sha256) is not None
    assert str(match.submit(BeginAnew(match=name, by="Ann")).refused) == (
        "the next match has begun already: look at the page again"
    )
    match.close()
    assert not verify(tmp_path / f"{name}.db").faults
    resumed = opened_match(tmp_path, SHORT_GAME)
    assert resumed.view().match == fresh.match
    resumed.close()


def test_a_match_that_nobody_goes_on_with_is_ended_and_stays_on_record(tmp_path: Path) -> None:
    match = opened_match(tmp_path, GAME, MatchChoice(game=GAME.name, options={"both_out": "ever"}))
    match.submit(TakeSeat(seat="red", name="Ann", phone="p1"))
    thrown(match, BLUE_OUT)
    name = match.view().match
    assert match.submit(BeginAnew(match=name, by="Ann", is_given_up=True)).refused is None
    fresh = match.view("red")
    assert fresh.match != name
    assert phases(fresh) == ("I", "I")
    assert match.seats_of("p1") == ("red",)
    match.close()
    left = read_log(tmp_path / f"{name}.db")
    assert (left[-1].kind, left[-1].by) == ("given_up", "Ann")
    assert str(entry_words(left[-1])) == "Ann ended the match before it was over"
    assert not verify(tmp_path / f"{name}.db").faults
    # it is not gone on with, not even where the next one was lost
    (tmp_path / f"{fresh.match}.db").unlink()
    resumed = opened_match(tmp_path, GAME)
    assert resumed.view().table["throw"] == 0
    assert resumed.view().match != name
    resumed.close()


@pytest.mark.parametrize("name", ["camera", " button ", "Ｃａｍｅｒａ"])
def test_nobody_sits_down_or_signs_as_what_is_no_person(opened: Opened, name: str) -> None:
    """A correction so signed said "by the camera"."""
    match = opened()
    assert "is not allowed as a name here" in str(match.submit(TakeSeat(seat="red", name=name, phone="p")).refused)
    entry = thrown(match, BLUE_OUT).entry
    signed = Correct(entry=entry, fact="in:blue.1", value="yes", by=name, reason="seen")
    assert "is not allowed as a name here" in str(match.submit(signed).refused)


def test_the_names_at_one_table_look_different(opened: Opened) -> None:
    match = opened()
    assert match.submit(TakeSeat(seat="red", name="Ann\ufe00", phone="p")).refused is None
    assert match.view().seats[0].name == "Ann"
    refused = match.submit(TakeSeat(seat="blue", name="\u0410nn", phone="q")).refused
    assert "looks like Ann, who sits here already" in str(refused)
    assert match.submit(TakeSeat(seat="blue", name="Ann", phone="p")).refused is None  # one phone for both seats
    assert match.submit(TakeSeat(seat="red", name="\u0410nn", phone="p")).refused is None  # the same person anew


def test_one_seat_has_one_open_call(opened: Opened) -> None:
    """A minute of one phone wrote 2,000 open calls, and every view grew to half a megabyte."""
    match = opened()
    first = match.submit(CallReferee(by="Ann", words="look here")).entry
    for i in range(5):
        assert "already called" in str(match.submit(CallReferee(by="Ann", words=f"again {i}")).refused)
    assert len(match.view().calls) == 1
    match.submit(RefereeCame(entry=first, by="Rita"))
    assert match.submit(CallReferee(by="Ann", words="and here")).entry is not None


def test_what_cannot_be_shown_is_entered_and_the_match_goes_on(
    opened: Opened, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """An exception in `publish` ended the match's thread: every later tap waited 5 s and was told "busy"."""
    match = opened()

    def stumbles() -> None:
        raise ValueError("a view cannot be made")

    with monkeypatch.context() as patched:
        patched.setattr(match._audience, "publish", stumbles)
        receipt = match.submit(CallReferee(by="Ann"), timeout_s=60)
        assert (receipt.entry, receipt.refused) == (2, None)
    assert "the match could not be shown" in caplog.text
    assert match.submit(CallReferee(by="Bo"), timeout_s=60).entry == 3
    assert len(match.view().calls) == 2


def test_an_input_that_comes_while_the_match_closes_is_told_so(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was put on the queue of a thread that had ended: its phone waited 5 s and was told "busy"."""
    match = opened()

    class Late(companion.match.match._Ticket):
        def __init__(self, given: object, done: queue.SimpleQueue[Receipt]) -> None:
            if isinstance(given, CallReferee):
                match.close()
            super().__init__(given, done)

    monkeypatch.setattr(companion.match.match, "_Ticket", Late)
    assert "closing" in str(match.submit(CallReferee(by="Ann"), timeout_s=0.1).refused)


def test_a_throw_that_waits_is_answered_when_the_match_closes(tmp_path: Path, clock: Clock) -> None:
    """Who had ended the throw was left without an answer."""
    log = Log(tmp_path / "eyes.db")
    match = Match(GAME, log, wall_s=clock, monotonic_s=clock, thresholds=Thresholds(answer_s=600.0))
    match.saw(Sight.HAND, Says("a hand is over the table"))
    told: queue.SimpleQueue[Receipt] = queue.SimpleQueue()
    waits = threading.Thread(target=lambda: told.put(match.submit(EndThrow(by="red"), timeout_s=600)), daemon=True)
    stream = match.subscribe()
    waits.start()
    while not isinstance(view := stream.next(60), MatchView) or view.waiting is None:
        assert view is not None
    match.close()
    assert "closing" in str(told.get(timeout=60).refused)
    waits.join()


def test_hints_come_for_the_next_state_where_one_cannot_be_thought_about(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rule that stumbled over one state ended the thread: no hints for the rest of the match."""
    failed, is_well = threading.Event(), threading.Event()

    def to_move(state: State) -> tuple[str, ...]:
        if is_well.is_set() or threading.current_thread() is threading.main_thread():
            return GAME.rules.to_move(state)
        failed.set()
        raise ValueError("this state cannot be thought about")

    game = replace(GAME, rules=replace(GAME.rules, to_move=to_move))
    match = Match(game, Log(tmp_path / "eyes.db"), wall_s=clock, monotonic_s=clock)
    stream = match.subscribe("red")
    assert failed.wait(60)
    is_well.set()
    thrown(match, BLUE_OUT)
    assert hints_of(match, stream).seat == "red"
    match.close()


@pytest.fixture
def tournament(tmp_path: Path, clock: Clock) -> Iterator[Match]:
    """A tournament of Suspend by three, each at a phone of his own."""
    options = {"mode": "expert", "first_player": "A"}
    log = Log(tmp_path / "suspend.db")
    match = Match(SUSPEND, log, wall_s=clock, monotonic_s=clock, players=3, options=options, has_eyes=False)
    for seat, name in (("A", "Ann"), ("B", "Bo"), ("C", "Cy")):
        match.submit(TakeSeat(seat=seat, name=name, phone=name))
    yield match
    match.close()


def stops(match: Match, seat: str, by: str) -> Receipt:
    return match.submit(Act(seat=seat, move="stop", by=by))


@pytest.fixture
def at_phones(opened: Opened) -> Iterator[Match]:
    """Ann has red and Ben blue, each at a phone that listens."""
    match = opened()
    with contextlib.ExitStack() as open_pages:
        for seat, name in (("red", "Ann"), ("blue", "Ben")):
            open_pages.callback(match.subscribe(seat).close)
            match.submit(TakeSeat(seat=seat, name=name, phone=f"phone of {name}"))
        yield match


def test_an_objection_is_settled_by_the_players(at_phones: Match) -> None:
    match = at_phones
    judged = thrown(match, BLUE_OUT).entry
    for choice, is_back in (("stand", False), ("take_back", True)):
        call = match.submit(CallReferee(by="Ben", entry=judged)).entry
        assert match.submit(SettleObjection(seat="blue", by="Ben", entry=call, choice="take_back")).entry is None
        assert match.submit(SettleObjection(seat="red", by="Ann", entry=call, choice="stand")).entry is None
        said = {one.seat: one.choice for one in match.view().calls[0].said}
        assert said == {"blue": "take_back", "red": "stand"}
        for seat, name in (("red", "Ann"), ("blue", "Ben")):
            match.submit(SettleObjection(seat=seat, by=name, entry=call, choice=choice))
        assert match.view().calls == ()
        assert (match.view().last == ()) is is_back
    assert "settled already" in str(
        match.submit(SettleObjection(seat="red", by="Ann", entry=call, choice="stand")).refused
    )


def test_who_objects_need_not_agree_once_more(at_phones: Match) -> None:
    """The mover conceded "Take it back", and the objector was asked to agree to what he himself had wanted.
    Which of the throws it was about, no phone said: "a throw"."""
    match = at_phones
    judged = thrown(match, BLUE_OUT).entry
    ruling = "both blue empire dice are out: red throws samurai"
    assert ruling in str(match.view("red").objection.says)
    call = match.submit(CallReferee(by="Ben", entry=judged)).entry
    assert ruling in str(match.view().calls[0].about)
    assert match.submit(SettleObjection(seat="red", by="Ann", entry=call, choice="take_back")).entry is not None
    assert (match.view().calls, match.view().last) == ((), ())
    assert match.history()[0].by == "Ben + Ann"


def test_a_match_is_stopped_once_all_phones_agree(tournament: Match) -> None:
    """One tap on "Stop: time is up" ended everybody's tournament."""
    assert stops(tournament, "A", "Ann") == Receipt(None)
    view = tournament.view("B")
    assert view.over is None
    assert view.enders == ("A",)
    assert str(view.ending.says) == "the players stop"
    assert stops(tournament, "C", "Cy") == Receipt(None)  # though it is not his turn
    assert tournament.view().table["phase"] == "roll"
    assert stops(tournament, "B", "Bo").entry is not None
    assert tournament.view().table["phase"] != "roll"  # all are tied with no points, so they duel
    assert tournament.history()[0].by == "Ann + Cy + Bo"
    assert tournament.view().enders == ()


def test_who_plays_on_keeps_the_others_from_stopping(tournament: Match) -> None:
    stops(tournament, "A", "Ann")
    tournament.submit(BeginAnew(match=tournament.name, by="Bo", seat="B", goes_on=True))
    assert (tournament.view().enders, tournament.view().ending) == ((), None)
    assert "not open to B" in str(stops(tournament, "B", "Bo").refused)  # nobody has asked for it any more
