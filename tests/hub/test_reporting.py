"""A table that reports: it begins what the hub orders, says its result once, and judges on whatever the hub does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
import segno

from companion.app.door import TableDoor
from companion.app.matches import Ended
from companion.app.reporting import Reporter, given_by
from companion.event.facts import won
from companion.event.hub.broker import enroll, set_up
from companion.event.hub.link import Orders
from companion.event.hub.mqtt import LinkError, written
from companion.event.hub.outbox import Begun
from companion.game.says import Says
from companion.game.values import Outcome, Tally
from companion.game.view import CallView, MatchView, OverView
from tests.companion.looks import LANDS
from tests.companion.test_match import thrown
from tests.web import shown

ORDERS = Orders(
    id="cup/1/1/t1/9", event="cup", round=1, table=1, game="eyes_of_the_emperor", seats=("Ann", "Ben")
)  # fmt: skip


class OneMatch:
    """A door with a match that a test ends as it likes."""

    playing: str | None = None
    is_busy = False

    def __init__(self) -> None:
        self.seen = shown.match_view()
        self.tally = {"red": Tally(1.0), "blue": Tally(0.0)}
        self.begun: list[tuple[str, int | None]] = []

    def begin(self, game: str, players: int | None, options: dict[str, str], by: str) -> None:
        self.begun.append((game, players))
        self.playing = game

    def view(self) -> MatchView:
        return self.seen

    def ended(self, match: str) -> Ended | None:
        over = self.seen.over
        if over is None or match != self.seen.match:
            return None
        outcome = Outcome(over.winners, over.says, over.rule, over.points)
        return Ended(outcome, ("red", "blue"), self.tally, self.seen.judged)

    def ends(self, *winners: str) -> None:
        points = {seat: (1.0 if seat in winners else 0.0) for seat in ("red", "blue")}
        if not winners:
            points = {"red": 0.5, "blue": 0.5}
        self.seen = replace(self.seen, over=OverView(winners=winners, says=Says("over"), rule="14", points=points))


@pytest.fixture
def door() -> OneMatch:
    return OneMatch()


@pytest.fixture
def reporter(door: OneMatch, tmp_path: Path) -> Reporter:
    return Reporter(door, "t1", tmp_path)  # type: ignore[arg-type]


def ordered(reporter: Reporter) -> None:
    reporter.end.heard("companion/down/t1/orders", msgspec.json.encode(ORDERS))
    reporter.look()


def test_an_order_begins_its_match_once_and_ends_none_that_is_going_on(reporter: Reporter, door: OneMatch) -> None:
    door.is_busy = True
    door.playing = "suspend"
    ordered(reporter)
    assert door.begun == []
    door.is_busy = False
    for _ in range(2):
        reporter.look()
    assert door.begun == [("eyes_of_the_emperor", 2)]


def test_a_call_is_said_once_and_that_it_is_done_with_once(reporter: Reporter, door: OneMatch) -> None:
    """A call that was taken back at the table, or that the referee had come for, stood at the hub's desk for good."""
    ordered(reporter)
    call = CallView(entry=7, by="red", at_s=1.0, words="the die leans", about=None)
    for calls in ((call,), (call,), (), ()):
        door.seen = replace(door.seen, calls=calls)
        reporter.look()
    said = [(told.id, told.words, told.done) for told in reporter._outbox.waiting()]
    made = f"{ORDERS.id}:{door.seen.match}:call:7"
    assert said == [(made, "the die leans", ""), (f"{made}:done", "", made)]


def test_the_hub_has_the_result_and_the_table_still_calls_and_rules_otherwise(
    reporter: Reporter, door: OneMatch
) -> None:
    """With its result entered a table had no orders, and nobody heard that the throw was taken back and ruled anew."""
    ordered(reporter)
    door.ends("red")
    reporter.look()
    reporter.end.heard("companion/down/t1/orders", msgspec.json.encode(Orders()))
    call = CallView(entry=8, by="blue", at_s=1.0, words="no!", about=None)
    door.seen = replace(door.seen, over=None, judged=9, calls=(call,))
    reporter.look()
    door.ends("blue")
    door.seen = replace(door.seen, judged=11)
    reporter.look()
    results = [told.result.places for told in reporter._outbox.waiting() if told.result]
    assert results == [won(0).places, won(1).places]
    assert [told.words for told in reporter._outbox.waiting() if told.words] == ["no!"]
    assert {told.order for told in reporter._outbox.waiting()} == {ORDERS.id}


@pytest.fixture
def by_hand(tmp_path: Path) -> Iterator[TableDoor]:
    made = TableDoor(tmp_path / "matches", lambda game, chosen: None)
    yield made
    made.close()


OUT = LANDS + "E red.1 800,350 up; E red.2 850,350 up; E blue.1 622.5,350; E blue.2 622.5,350; N n1 500,100; "


def blue_wins(door: TableDoor) -> None:
    """In four throws: a throw has one samurai of an emperor."""
    samurai = ("S blue.s1 347.5,320", "S blue.s2 407.5,320", "S blue.s3 377.5,395")
    for count in range(len(samurai) + 1):
        ninjas = (f"N n{2 + i} {500 + 50 * i},100" for i in range(1, count + 1))
        thrown(door.match, OUT + "; ".join((*samurai[:count], *ninjas)))
    assert door.match.is_over


def test_a_box_that_goes_down_as_an_ordered_match_begins_or_ends_tells_its_result(
    by_hand: TableDoor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That a match was the hub's was not written when it began, and one that is over is not opened again."""

    def goes_down(door: TableDoor) -> MatchView:
        raise OSError("down")

    monkeypatch.setattr(TableDoor, "view", goes_down)
    with pytest.raises(OSError, match="down"):
        ordered(Reporter(by_hand, "t1", tmp_path / "t1"))
    monkeypatch.undo()
    reporter = Reporter(by_hand, "t1", tmp_path / "t1")
    reporter.look()
    assert reporter._outbox.begun == Begun(ORDERS, "eyes_of_the_emperor-0001")
    blue_wins(by_hand)
    by_hand.close()  # before anybody looked
    back = TableDoor(tmp_path / "matches", lambda game, chosen: None)
    for _ in range(2):
        Reporter(back, "t1", tmp_path / "t1").look()
    (told,) = reporter._outbox.waiting()
    assert (told.order, told.result) == (ORDERS.id, msgspec.structs.replace(won(1), scores=(0, 1)))


def test_credentials_are_read_from_their_file_and_from_a_picture_of_their_code(tmp_path: Path) -> None:
    set_up(tmp_path / "broker", "127.0.0.1")
    given = enroll(tmp_path / "broker", "t1")
    file = tmp_path / "t1.json"
    file.write_bytes(written(given))
    segno.make(written(given), error="l", micro=False).save(str(tmp_path / "t1.png"), scale=6, border=4)
    assert given_by(file) == given
    assert given_by(tmp_path / "t1.png") == given
    (tmp_path / "x.json").write_text("{}")
    with pytest.raises(LinkError, match="no file of `companion hub enroll`"):
        given_by(tmp_path / "x.json")
    with pytest.raises(LinkError, match="cannot be read"):
        given_by(tmp_path / "none.json")
    with pytest.raises(LinkError, match="cannot be opened"):
        given_by(tmp_path / "none.png")
