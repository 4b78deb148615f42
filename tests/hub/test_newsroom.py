"""A hub's one telling loop: who is woken, by what, and who no longer is."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.event.hub.desk import HUB
from companion.event.hub.facts import HallCallClosed, HallCalled
from companion.event.hub.roles import Role
from tests.hub.conftest import NAMES
from tests.hub.hall import OWN, Hall
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
    made = Newsroom(hall.desk, hall.app.extensions["companion"].views, 10)
    return made


def opened(room: Newsroom, hall: Hall, entrant: str | None = None, lang: str = "en") -> PageStream:
    page = room.open(Readership("cup", entrant, lang), hall.player(entrant).device if entrant else "", "", nothing)
    assert b"event: me" in (first := page.told() or b"") or (entrant is None and b"event: news" in first)
    return page


def test_a_call_wakes_the_phones_of_its_table_and_the_pages_that_look_anew(playing: Hall) -> None:
    room = at_hub(playing)
    seats = playing.log.tournament.table(1, 1).seats
    other = playing.log.tournament.table(1, 2).seats[0]
    mine, theirs, desk = opened(room, playing, seats[0]), opened(room, playing, other), opened(room, playing)
    room.tell("cup")  # phones that joined since
    for page in (mine, theirs, desk):
        page.told()
    playing.desk.say("cup", HallCalled(1, 1, "a die leans"), HUB)
    room.tell("cup")
    assert b'"is_called":true' in (mine.told() or b"")
    assert theirs.told() == b""
    assert desk.told() == b"event: news\ndata: %d\n\n" % playing.log.seq
    room.tell("cup")
    assert [page.told() for page in (mine, theirs, desk)] == [b""] * 3  # nothing is new


def test_a_call_that_is_done_with_before_the_loop_looks_again_does_not_stand_on_the_phone(playing: Hall) -> None:
    """The phone was shown the call as the answer to its tap. When the loop came, all was as it had told last."""
    room = playing.app.extensions["companion"].places = at_hub(playing)
    who = playing.log.tournament.table(1, 1).seats[0]
    phone = playing.client(Role.PLAYER, entrant=who)
    page = room.open(Readership("cup", who, "en"), playing.log.hall.device_of(who)[0], "", nothing)
    page.told()
    room.tell("cup")
    told = phone.post("/e/cup/call", json={"round": 1, "table": 1}, headers=OWN)
    assert told.json["at"]["is_called"]
    playing.desk.say("cup", HallCallClosed(playing.log.calls[0].seq), HUB)
    room.tell("cup")
    assert b'"is_called":false' in (page.told() or b"")


def test_a_phone_that_read_nothing_meanwhile_reads_the_newest_only(playing: Hall) -> None:
    room = at_hub(playing)
    desk = opened(room, playing)
    for words in ("one", "two", "three"):
        playing.desk.say("cup", HallCalled(1, 1, words), HUB)
        room.tell("cup")
    assert desk.told() == b"event: news\ndata: %d\n\n" % playing.log.seq
    assert desk.told() == b""


def test_phones_of_one_player_are_told_in_their_own_languages(playing: Hall) -> None:
    room = at_hub(playing)
    device = playing.player("p1").device
    pages = [room.open(Readership("cup", "p1", lang), device, "", nothing) for lang in ("en", "de", "en")]
    told = [page.told() for page in pages if page is not None]
    assert told[0] == told[2] != told[1]


def test_a_phone_that_is_let_go_hears_no_more(playing: Hall) -> None:
    room = at_hub(playing)
    page = opened(room, playing, "p1")
    playing.people.revoke(playing.log, page.device, HUB)
    room.tell("cup")
    assert [page.told(), page.told()] == [GONE, None]
    page.close()
    assert len(room) == 0


def test_past_the_cap_a_page_is_told_to_ask_every_few_seconds(playing: Hall) -> None:
    room = at_hub(playing)
    room.cap = 2
    pages = [room.open(Readership("cup"), "", "", nothing) for _ in range(3)]
    assert [page is None for page in pages] == [False, False, True]
    assert pages[0] is not None
    pages[0].close()
    assert room.open(Readership("cup"), "", "", nothing) is not None


def test_one_address_does_not_take_the_streams_of_all(playing: Hall) -> None:
    """A hub beside a table gave all its 600 to whoever asked first."""
    room = Newsroom(playing.desk, playing.app.extensions["companion"].views, 10, of_an_address=2)
    taken = [room.open(Readership("cup"), "", "192.0.2.1", nothing) for _ in range(3)]
    assert [page is None for page in taken] == [False, False, True]
    assert room.open(Readership("cup"), "", "192.0.2.2", nothing) is not None
    assert taken[0] is not None
    taken[0].close()
    assert room.open(Readership("cup"), "", "192.0.2.1", nothing) is not None


def test_every_server_that_has_a_page_hears_of_its_news(playing: Hall) -> None:
    """The server that opened a stream last was the only one to be told."""
    room, rung = at_hub(playing), []
    pages = [
        room.open(Readership("cup"), "", "", lambda *pages, at=at: rung.append((at, pages))) for at in ("http", "https")
    ]  # type: ignore[misc]
    for page in pages:
        page.told()
    playing.desk.say("cup", HallCalled(1, 1, "a die leans"), HUB)
    room.tell("cup")
    assert sorted(rung) == [("http", (pages[0],)), ("https", (pages[1],))]
