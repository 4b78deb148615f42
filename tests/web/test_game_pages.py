"""Each game's own part of the pages, drawn from what the game's rules really show."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from companion.game.game import seats_of
from companion.game.known import GAMES, game_named
from companion.game.view import SeatView
from tests.web.access import assert_clean
from tests.web.fake_door import FakeDoor
from tests.web.player import Player

pytestmark = pytest.mark.browser

SEEN = {
    "eyes_of_the_emperor": "throws a ninja",
    "manipulation_rummy": "cards in the draw pile",
}


@pytest.mark.journey
@pytest.mark.parametrize("name", sorted(GAMES))
@pytest.mark.parametrize("page", ["", pytest.param("board", marks=pytest.mark.nightly)])
def test_a_game_is_drawn_from_its_own_view(door: FakeDoor, player: Callable[..., Player], name: str, page: str) -> None:
    game = game_named(name)
    state = game.rules.start()
    seats = tuple(SeatView(seat=seat) for seat in seats_of(game, state))
    table = game.page.view(state, seats[0].seat)
    door.shows(game=name, title=game.title, table=table, seats=seats, last=(), hints=(), history=(), undo=None)
    if page:
        one = player(None, opens=page, viewport={"width": 1280, "height": 720})
    else:
        one = player(seats[0].seat, "Ann")
    race = " rolls for the first turn" if page else "Roll: who is first?"
    assert one.sees(race if name in ("center_point", "basic_manipulation") else SEEN.get(name, game.title))
    assert one.page.locator("#game").inner_text() != ""
    assert_clean(one.page)
