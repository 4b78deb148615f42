"""Another game is begun at a table where a match is going on: that one is lost in no case."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from companion.app.door import AnyMatch, TableDoor
from companion.app.playing import MatchChoice
from companion.game.brought import default_kit
from companion.game.errors import KitError, PinsError
from companion.game.game import Game
from companion.game.kit import Kit
from companion.game.view import Sight
from companion.match.inputs import Act, BeginAnew, CallReferee, TakeSeat, Tell
from companion.record.entry import Entry, Writing
from companion.record.log import Log, read_log

FIRST = "center_point-0001.db"


@dataclass
class FakeEyes:
    """Eyes that look when they are told to, and note what becomes of them."""

    kit: Kit
    done: list[str]
    match: AnyMatch | None = field(default=None)

    def start(self, match: AnyMatch) -> None:
        self.match = match
        self.done.append(f"{self.kit.game} start")

    def stop(self) -> None:
        self.done.append(f"{self.kit.game} stop")

    def live(self) -> bytes:
        return self.kit.game.encode()


class Table:
    """A door over a folder. `refuses` are games whose eyes cannot be opened."""

    def __init__(self, folder: Path) -> None:
        self.done: list[str] = []
        self.refuses: set[str] = set()
        self.eyes: list[FakeEyes] = []
        self.pins: Callable[[AnyMatch], AbstractContextManager[Any]] = lambda match: nullcontext()
        self.door = TableDoor(folder, self._opened, fit=lambda match: self.pins(match))

    def _opened(self, game: Game[Any, Any], chosen: MatchChoice) -> FakeEyes:
        if game.name in self.refuses:
            raise KitError(f"kit.toml: game is 'center_point', expected '{game.name}'")
        self.eyes.append(FakeEyes(default_kit(game.name), self.done))
        return self.eyes[-1]


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    made = Table(tmp_path)
    made.door.open(MatchChoice(game="center_point", players=2))
    yield made
    made.door.close()


def rolled(door: TableDoor, die: int) -> int | None:
    seat = door.view().seats[0].seat
    return door.submit(Act(seat=seat, move=f"{seat[0]} d{die}", by="Ann")).entry


def goes_on(table: Table, folder: Path) -> None:
    """The match of before stands, is looked at, takes what people enter, and is the only log."""
    assert table.door.match.name == Path(FIRST).stem
    assert table.door.live() == table.eyes[0].live()
    assert rolled(table.door, 3) == 2
    assert table.done == ["center_point start"]
    assert [path.name for path in folder.glob("*.db")] == [FIRST]
    assert [entry.kind for entry in read_log(folder / FIRST)] == ["began", "action"]


def test_a_kit_that_is_another_games_leaves_the_match_that_is_going_on(table: Table, tmp_path: Path) -> None:
    """`serve --kit my_center_point.toml`, then another game on the start page: no match, and a log given up."""
    table.refuses = {"basic_manipulation"}
    stream = table.door.subscribe()
    with pytest.raises(KitError):
        table.door.begin("basic_manipulation", None, {}, "the start page", Path(FIRST).stem)
    assert not stream.is_closed
    goes_on(table, tmp_path)


def test_every_entry_is_appended_by_the_thread_of_its_match(
    table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    appending = []
    append_all = Log.append_all

    def noted(log: Log, at_s: float, writings: Sequence[Writing]) -> tuple[Entry, ...]:
        if log.path.name == FIRST:
            appending.append(threading.current_thread().name)
        return append_all(log, at_s, writings)

    monkeypatch.setattr(Log, "append_all", noted)
    rolled(table.door, 3)
    table.door.begin("basic_manipulation", None, {}, "the start page", Path(FIRST).stem)
    assert appending == ["match", "match"]


def test_pins_that_another_program_took_are_said_and_the_next_match_is_played(table: Table) -> None:
    def taken(match: AnyMatch) -> AbstractContextManager[Any]:
        raise PinsError("pin 17 is in use by another program")

    table.pins = taken
    table.door.begin("basic_manipulation", None, {}, "the start page", Path(FIRST).stem)
    (call,) = table.door.view().calls
    assert "pin 17" in str(call.words)


@pytest.fixture
def rummy(tmp_path: Path) -> Iterator[Table]:
    made = Table(tmp_path)
    made.door.open(MatchChoice(game="manipulation_rummy", players=2))
    yield made
    made.door.close()


def test_another_lens_or_kit_leaves_the_match_and_what_phones_told_it(rummy: Table) -> None:
    """The match was closed and opened again: streams ended, and the hands on the phones were forgotten."""
    door = rummy.door
    door.submit(Act(seat="A", move="deal", by="Ann"))
    door.submit(TakeSeat(seat="A", name="Ann", phone="p1"))
    cards = "AC 2C 3C 4C 5C 6C 7C 8C 9C 10C"
    assert door.submit(Tell(seat="A", by="Ann", text=cards)).refused is None
    stream, match, told = door.subscribe(), door.match, door.view("A").table
    assert "10C" in str(told)
    match.saw(Sight.HAND, match.view().sight.says)
    door.look_anew()
    assert door.match is match
    assert not stream.is_closed
    assert rummy.done == ["manipulation_rummy start", "manipulation_rummy stop", "manipulation_rummy start"]
    assert rummy.eyes[-1].match is match
    assert door.submit(CallReferee(by="Ann")).entry  # after the other eyes on the queue
    assert door.view("A").sight.code == "starting"
    assert door.view("A").table == told


def test_a_tap_for_an_earlier_match_never_reaches_the_next_one(table: Table, tmp_path: Path) -> None:
    """A tap that was sent while the table changed to another match was entered there."""
    door, shown = table.door, table.door.match.name
    door.begin("center_point", 2, {}, "the start page", shown)
    refused = door.submit(Act(seat="red", move="r d3", by="Ann", match=shown)).refused
    assert str(refused) == "the next match has begun already: look at the page again"
    present = door.match.name
    assert rolled(door, 3)
    assert door.submit(BeginAnew(match=present, by="Ann", is_given_up=True)).entry
    late = door.submit(TakeSeat(seat="red", name="Ann", phone="p", match=present)).refused
    assert str(late) == "the next match has begun already: look at the page again"
    assert len(read_log(tmp_path / f"{present}.db")) == 3
