"""A table that reports: it begins what the hub orders, says its result once, and judges on whatever the hub does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest
import segno

from companion.cli.house import House
from companion.cli.reporting import Reporter, given_by
from companion.hub.broker import enroll, set_up
from companion.hub.link import Orders
from companion.hub.mqtt import LinkError, written
from companion.says import Says
from companion.tournament.facts import LOSS_DRAW, won
from companion.view import CallView, MatchView, OverView
from tests.web import shown

ORDERS = Orders(
    id="cup/1/1/t1", event="cup", round=1, table=1, game="eyes_of_the_emperor", seats=("Ann", "Ben")
)  # fmt: skip


class OneMatch:
    """A house with a match that a test ends as it likes."""

    playing: str | None = None
    is_busy = False

    def __init__(self) -> None:
        self.seen = shown.match_view()
        self.match = SimpleNamespace(scores=lambda: {"red": 1.0, "blue": 0.0})
        self.begun: list[tuple[str, int | None]] = []

    def begin(self, game: str, players: int | None, options: dict[str, str], by: str) -> None:
        self.begun.append((game, players))
        self.playing = game

    def view(self) -> MatchView:
        return self.seen

    def ends(self, *winners: str) -> None:
        points = {seat: (1.0 if seat in winners else 0.0) for seat in ("red", "blue")}
        if not winners:
            points = {"red": 0.5, "blue": 0.5}
        self.seen = replace(self.seen, over=OverView(winners=winners, says=Says("over"), rule="14", points=points))


@pytest.fixture
def house() -> OneMatch:
    return OneMatch()


@pytest.fixture
def reporter(house: OneMatch, tmp_path: Path) -> Reporter:
    return Reporter(house, "t1", tmp_path)  # type: ignore[arg-type]


def ordered(reporter: Reporter) -> None:
    reporter.end.heard("companion/down/t1/orders", msgspec.json.encode(ORDERS))
    reporter.look()


def test_an_order_begins_its_match_once(reporter: Reporter, house: OneMatch) -> None:
    ordered(reporter)
    reporter.look()
    assert house.begun == [("eyes_of_the_emperor", 2)]


def test_a_match_that_is_going_on_is_never_ended_by_an_order(reporter: Reporter, house: OneMatch) -> None:
    house.is_busy = True
    house.playing = "suspend"
    ordered(reporter)
    assert house.begun == []
    house.is_busy = False
    reporter.look()
    assert house.begun == [("eyes_of_the_emperor", 2)]


@pytest.mark.parametrize(("winners", "result"), [(("red",), won(0)), (("blue",), won(1)), ((), LOSS_DRAW)])
def test_the_result_is_said_once(reporter: Reporter, house: OneMatch, winners: tuple[str, ...], result: object) -> None:
    ordered(reporter)
    house.ends(*winners)
    for _ in range(3):
        reporter.look()
    waiting = reporter._outbox.waiting()
    assert [told.result.places for told in waiting if told.result] == [result.places]  # type: ignore[attr-defined]
    assert waiting[0].order == ORDERS.id
    assert waiting[0].result is not None
    assert waiting[0].result.loss_draw is (not winners)


def test_a_result_is_not_said_again_after_a_start(reporter: Reporter, house: OneMatch, tmp_path: Path) -> None:
    ordered(reporter)
    house.ends("red")
    reporter.look()
    said = reporter._outbox.waiting()[0].id
    reporter._outbox.done(said)
    again = Reporter(house, "t1", tmp_path)  # type: ignore[arg-type]
    again.look()
    assert again.end.waiting == 0


def test_a_call_is_said_once_and_that_it_is_done_with_once(reporter: Reporter, house: OneMatch) -> None:
    """A call that was taken back at the table, or that the referee had come for, stood at the hub's desk for good."""
    ordered(reporter)
    call = CallView(entry=7, by="red", at_s=1.0, words="the die leans", about=None)
    for calls in ((call,), (call,), (), ()):
        house.seen = replace(house.seen, calls=calls)
        reporter.look()
    said = [(told.id, told.words, told.done) for told in reporter._outbox.waiting()]
    made = f"{house.seen.match}:call:7"
    assert said == [(made, "the die leans", ""), (f"{made}:done", "", made)]


def test_a_match_that_nobody_ordered_says_no_result(reporter: Reporter, house: OneMatch) -> None:
    house.playing = "suspend"
    house.ends("red")
    reporter.look()
    assert reporter.end.waiting == 0


@pytest.fixture
def by_hand(tmp_path: Path) -> Iterator[House]:
    made = House(tmp_path / "matches", lambda game, chosen: None)
    yield made
    made.close()


@pytest.mark.parametrize("game", ["eyes_of_the_emperor", "center_point", "manipulation_rummy"])
def test_a_real_house_begins_what_is_ordered(by_hand: House, tmp_path: Path, game: str) -> None:
    reporter = Reporter(by_hand, "t1", tmp_path / "t1")
    orders = msgspec.structs.replace(ORDERS, game=game)
    reporter.end.heard("companion/down/t1/orders", msgspec.json.encode(orders))
    reporter.look()
    assert by_hand.playing == game
    assert len(by_hand.view().seats) == 2
    assert reporter._outbox.begun == (ORDERS.id, by_hand.view().match)


def test_credentials_are_read_from_their_file_and_from_a_picture_of_their_code(tmp_path: Path) -> None:
    set_up(tmp_path / "broker", "127.0.0.1")
    given = enroll(tmp_path / "broker", "t1")
    file = tmp_path / "t1.json"
    file.write_bytes(written(given))
    segno.make(written(given), error="l", micro=False).save(str(tmp_path / "t1.png"), scale=6, border=4)
    assert given_by(file) == given
    assert given_by(tmp_path / "t1.png") == given


def test_a_file_that_is_none_of_enroll_is_said(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("{}")
    with pytest.raises(LinkError, match="no file of `companion hub enroll`"):
        given_by(tmp_path / "x.json")
    with pytest.raises(LinkError, match="cannot be read"):
        given_by(tmp_path / "none.json")
    with pytest.raises(LinkError, match="no QR code"):
        given_by(tmp_path / "none.png")
