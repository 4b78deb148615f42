"""A hub's one telling loop: who is woken, by what, and who no longer is."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.event.hub.desk import HUB
from tests.hub.conftest import NAMES
from tests.hub.hall import Hall
from web.hub.newsroom import GONE, Newsroom, PageStream, Readership


@pytest.fixture
def playing(tmp_path: Path) -> Hall:
    """A round that is being played; the tests tell."""
    hall = Hall(tmp_path / "hub.db", NAMES)
    hall.desk.close()  # its pulse
    hall.pairs()
    return hall


def nothing(*_: PageStream) -> None:
    """Nobody is woken."""


def at_hub(hall: Hall) -> Newsroom:
    return Newsroom(hall.desk, hall.app.extensions["companion"].views, 10)


def opened(room: Newsroom, hall: Hall, entrant: str | None = None, lang: str = "en") -> PageStream:
    page = room.open(Readership("cup", entrant, lang), hall.player(entrant).device if entrant else "", "", nothing)
    assert b"event: me" in (first := page.told() or b"") or (entrant is None and b"event: news" in first)
    return page


def test_a_phone_that_is_let_go_hears_no_more(playing: Hall) -> None:
    room = at_hub(playing)
    page = opened(room, playing, "p1")
    playing.people.revoke(playing.log, page.device, HUB)
    room.tell("cup")
    assert [page.told(), page.told()] == [GONE, None]
    page.close()
    assert len(room) == 0


def test_past_the_cap_of_all_or_of_one_address_a_page_is_told_to_ask_every_few_seconds(playing: Hall) -> None:
    """A hub beside a table gave all its 600 to whoever asked first."""
    room = Newsroom(playing.desk, playing.app.extensions["companion"].views, 3, of_an_address=2)
    at = [f"192.0.2.{n}" for n in (1, 1, 1, 2, 3)]
    pages = [room.open(Readership("cup"), "", address, nothing) for address in at]
    assert [page is None for page in pages] == [False, False, True, False, True]
    assert pages[0] is not None
    pages[0].close()
    assert room.open(Readership("cup"), "", at[0], nothing) is not None
