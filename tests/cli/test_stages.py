"""A real table takes every transition of `companion.match.stage`, and no other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.app.door import TableDoor
from companion.app.playing import MatchChoice
from companion.game.errors import KitError
from companion.game.game import Game
from companion.match.inputs import Act, BeginAnew, Input, TakeSeat, Undo
from companion.match.stage import TRANSITIONS, Stage, StageEvent, after
from companion.record.log import read_log

pytestmark = pytest.mark.usefixtures("home")
NAME = "pig-2"
WINS = (*("d6",) * 5, "bank")


class Table:
    """A door whose eyes note the stage in which they are opened, and refuse if they are told to."""

    def __init__(self, folder: Path) -> None:
        self.refuses = False
        self.opened_at: list[Stage] = []
        self.walked: dict[tuple[Stage, StageEvent], Stage] = {}
        self.door = TableDoor(folder, self._open_eyes)

    def _open_eyes(self, game: Game[Any, Any], chosen: MatchChoice) -> None:
        self.opened_at.append(self.door.stage)
        if self.refuses:
            raise KitError("the kit is another game's")

    def takes(self, turn: StageEvent, does: Callable[[], object]) -> None:
        """Does something that is one turn."""
        was = self.door.stage
        does()
        self.walked[was, turn] = self.door.stage

    def begins(self, turn: StageEvent, *, fails: bool = False) -> None:
        """Chooses a match: two turns, because the table is prepared in between."""
        door, self.refuses = self.door, fails
        was, instead_of = door.stage, door.match.name if turn is StageEvent.CHOSEN_INSTEAD else None
        try:
            door.begin(NAME, 2, {}, "the start page", instead_of)
        except KitError:
            assert fails
            assert door.stage is was
        self.walked[was, turn] = self.opened_at[-1]
        self.walked[self.opened_at[-1], StageEvent.FAILED if fails else StageEvent.STANDS] = door.stage

    def enters(self, given: Input) -> int | None:
        return self.door.submit(given).entry

    def plays(self, *moves: str) -> None:
        for move in moves:
            seat = str(self.door.view().table["turn"])
            assert self.enters(Act(seat=seat, move=move, by="Ann"))


@pytest.fixture
def table(pig: Game[Any, Any], tmp_path: Path) -> Iterator[Table]:
    made = Table(tmp_path)
    yield made
    made.door.close()


def test_a_table_takes_every_transition(table: Table, tmp_path: Path) -> None:
    door = table.door

    def next_match(*, is_given_up: bool) -> int | None:
        return table.enters(BeginAnew(match=door.match.name, by="Ann", is_given_up=is_given_up))

    def take_back() -> int | None:
        undo = door.view().undo
        return table.enters(Undo(entry=undo.entry, by="Ann"))

    table.begins(StageEvent.CHOSEN, fails=True)
    table.begins(StageEvent.CHOSEN)
    table.begins(StageEvent.CHOSEN_INSTEAD)
    table.takes(StageEvent.NEXT, lambda: next_match(is_given_up=True))
    table.takes(StageEvent.DECIDED, lambda: table.plays(*WINS))
    table.takes(StageEvent.TAKEN_BACK, take_back)
    table.takes(StageEvent.DECIDED, lambda: table.plays("bank"))
    table.takes(StageEvent.NEXT, lambda: next_match(is_given_up=False))
    table.plays(*WINS)
    table.begins(StageEvent.CHOSEN)
    before = Table(tmp_path)
    table.takes(StageEvent.CLOSED, door.close)
    assert before.door.stage is Stage.LOOKING_BACK
    before.begins(StageEvent.CHOSEN)
    before.plays(*WINS)
    before.takes(StageEvent.CLOSED, before.door.close)
    walked = table.walked | before.walked
    assert walked.keys() == TRANSITIONS.keys()
    closed_after_an_end = Stage.LOOKING_BACK  # the sheet of the match that ended can still be saved
    for (was, turn), stage in walked.items():
        if turn is StageEvent.CLOSED:
            assert stage is closed_after_an_end
        elif turn is not StageEvent.FAILED:
            assert stage is after(was, turn)


def test_a_tap_for_an_earlier_match_never_reaches_the_next_one(table: Table, tmp_path: Path) -> None:
    """A tap that was sent while the table changed to another match was entered there."""
    door = table.door
    door.begin(NAME, 2, {}, "the start page")
    shown = door.match.name
    door.begin(NAME, 2, {}, "the start page", shown)
    refused = door.submit(Act(seat="A", move="d3", by="Ann", match=shown)).refused
    assert str(refused) == "the next match has begun already: look at the page again"
    present = door.match.name
    assert door.submit(Act(seat="A", move="d3", by="Ann", match=present)).entry
    assert door.submit(BeginAnew(match=present, by="Ann", is_given_up=True)).entry
    late = door.submit(TakeSeat(seat="A", name="Ann", phone="p", match=present)).refused
    assert str(late) == "the next match has begun already: look at the page again"
    assert [len(read_log(tmp_path / f"{name}.db")) for name in (shown, present)] == [2, 3]
