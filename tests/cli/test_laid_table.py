"""From the virtual table's pictures to the cards: what is put back is ticked off, what is not set up is told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.game.brought import default_kit
from companion.game.values import InPlace
from companion.game.view import MatchView, PutBackView
from companion.games.eyes_of_the_emperor import GAME
from companion.match.inputs import EndThrow, Undo
from companion.match.match import Match
from companion.record.log import Log
from vision.frame.watch import Watch
from vision.readers import READERS
from vision.sim.virtual import FRAME_S, VIRTUAL_LENS, VirtualTable

REST_S = 0.4
MOST_FRAMES = 40


class Seen:
    """The virtual table under its camera, and the match that is played on it; the clock goes on with the frames."""

    def __init__(self, folder: Path) -> None:
        kit = default_kit(GAME.name)
        self.now_s = 0.0
        self.table = VirtualTable(kit, clock=lambda: self.now_s, wait=lambda _: None, seed=4)
        self.watch = Watch(READERS["eyes"].open_table(VIRTUAL_LENS, kit), VIRTUAL_LENS, kit, rest_s=REST_S)
        log = Log(folder / "eyes.db")
        self.match = Match(GAME, log, wall_s=lambda: self.now_s, monotonic_s=lambda: self.now_s, kit=kit)

    def looks(self) -> MatchView:
        """Frames go by until the table was read anew; gives what the phones show then."""
        for _ in range(MOST_FRAMES):
            self.now_s += FRAME_S
            picture = self.table.frame()
            assert picture is not None
            glance = self.watch.take(picture, self.now_s)
            self.match.saw(glance.sight, glance.says, glance.code)
            if glance.look is not None:
                self.match.looked(glance.look)
                self.now_s += 1.0  # a press comes later than the look, and a frame after it shows the same
                self.match.still(self.now_s)
                assert self.match.submit(Undo(entry=-1, by="nobody")).refused  # all before it has been taken
                return self.match.view()
        pytest.fail("the table was not read")

    def throw_is_over(self) -> None:
        self.match.still(self.now_s + 1.0)
        assert self.match.submit(EndThrow(by="Ann")).refused is None

    def takes_back(self) -> PutBackView:
        undo = self.match.view().undo
        assert self.match.submit(Undo(entry=undo.entry, by="Ann")).refused is None
        return put_back(self.match.view())


def put_back(view: MatchView) -> PutBackView:
    assert view.put_back is not None
    return view.put_back


@pytest.fixture
def seen(tmp_path: Path) -> Iterator[Seen]:
    made = Seen(tmp_path)
    yield made
    made.match.close()


def wrong(view: MatchView) -> list[tuple[InPlace, str]]:
    return [(line.laid, str(line.says)) for line in view.set_up.lines if line.laid is not InPlace.YES]


@pytest.mark.nightly
def test_the_set_up_of_the_virtual_table_is_seen_right_and_each_fault_of_it_is_told(seen: Seen) -> None:
    assert wrong(seen.looks()) == []
    seen.table.place("samurai", "blue", 180, 590)
    assert wrong(seen.looks()) == [(InPlace.NO, "a blue samurai is in the valley: at the start all are outside")]
    seen.table.set_up()
    seen.looks()
    seen.table.move("empire_die_red_2", 300, 560)
    assert wrong(seen.looks()) == [(InPlace.NO, "an empire die is next to the stacks")]
    seen.table.set_up()
    seen.table.remove("territory_red")
    assert wrong(seen.looks()) == [(InPlace.UNSEEN, "the red territory is not seen")]
