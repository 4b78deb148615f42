"""The pages by HTTP: who sees which, an event from set-up to its end, a correction that is shown before it counts."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from flask import url_for
from flask.testing import FlaskClient

from companion.event.facts import Corrected, EntryRetracted, Reported, Withdrew, drawn, forfeited, won
from companion.event.hub.desk import HUB
from companion.event.hub.facts import Enrolled, HallCalled, JoinBy
from companion.event.hub.link import HubLink
from companion.event.hub.roles import Role
from companion.event.hub.store import HUB_ID
from companion.event.settings import Points, Settings
from tests.hub.hall import OWN, Hall, posts, text_of
from web.site.post import STREAMING, Handed
from web.words import catalogue, translate

STAFF_PAGES = ("desk", "entrants", "rounds", "devices", "audit", "result/1/1", "print/slips", "export/event.json")
OPEN_PAGES = ("", "screen", "round/1", "standing/p1", "join", "print/pairings", "export/standings.csv")


def sends(client: FlaskClient, path: str, given: object) -> Any:
    """What a page's script sends."""
    return client.post(path, data=json.dumps(given), headers={**OWN, "Accept": "application/json"})


def test_everybody_sees_some_pages_and_referees_and_organisers_all(hall: Hall) -> None:
    hall.pairs()
    organiser = hall.client(Role.ORGANISER)
    for path in OPEN_PAGES:
        assert hall.client().get(f"/e/cup/{path}".rstrip("/")).status_code == 200
    for path in STAFF_PAGES:
        assert organiser.get(f"/e/cup/{path}").status_code == 200
        for role in (None, Role.SPECTATOR):
            refused = hall.client(role).get(f"/e/cup/{path}")
            assert refused.status_code == 403
            assert "referees and organisers" in text_of(refused)


def test_a_set_up_that_cannot_be_is_said_keeps_what_was_typed_and_begins_nothing(hall: Hall) -> None:
    client, before = hall.organiser(), hall.store.events()
    for given, says in (
        ({"name": ""}, "an event needs a name"),
        ({"game": "chess"}, "unknown game chess"),
        ({"rounds": "many"}, "many is not a whole number"),
        ({"entrants": "Ann\nBen\nann"}, "line 3: ann is entered already"),
        ({"entrants": "Ann,high"}, "line 1: high is not a rating"),
        ({"points_win": "1/0"}, "1/0 is not a number of points"),
    ):
        answer = posts(client, "/new", **{"name": "Cup", "game": "suspend", "rounds": "", "seed": "seven", **given})
        assert answer.status_code == 409
        assert says in text_of(answer)
        assert re.search(r'name="seed"[^>]* value="seven"', answer.text)
    assert hall.store.events() == before


def test_standings_in_another_order_say_which_result_was_corrected_until_it_is_taken_back(hall: Hall) -> None:
    """A player who went from place 1 to 2 overnight found nothing that told why."""
    hall.pairs()
    hall.reports()
    names = [hall.log.tournament.says(who) for who in hall.log.tournament.table(1, 1).seats]
    says = f"Corrected in round 1, {names[0]} - {names[1]}: {names[1]} won"
    phone = hall.client(Role.PLAYER, entrant="p1")
    everybody = ("/e/cup", "/e/cup/screen", "/e/cup/desk")
    assert all(says not in text_of(hall.organiser().get(path)) for path in everybody)
    head = hall.person(Role.HEAD_REFEREE)
    corrected = hall.desk.say("cup", Corrected(1, 1, won(1), "swapped"), head).seq
    assert all(says in text_of(hall.organiser().get(path)) for path in everybody)
    assert phone.get("/e/cup/me.json").get_json()["corrected"] == [says]
    hall.desk.say("cup", Withdrew("p2"), head)
    printed = text_of(phone.get("/e/cup/print/standings"))
    assert says in printed
    assert "Ben (withdrawn)" in re.sub(r"\s+", " ", printed)
    hall.desk.say("cup", EntryRetracted(corrected, "it was right"), head)
    assert all(says not in text_of(hall.organiser().get(path)) for path in everybody)
    assert phone.get("/e/cup/me.json").get_json()["corrected"] == []


def test_a_table_with_a_camera_that_has_ended_is_given_the_next_match(hall: Hall) -> None:
    """There was a way to say so, and no button; and of two matches it took the higher number, not the later word."""
    hall.desk.say(HUB_ID, (Enrolled("north"), Enrolled("south")), HUB)
    link = HubLink(hall.desk)
    hall.app.extensions["companion"].boxes = link.shown
    client = hall.organiser()
    assert posts(client, "/e/cup/pair").status_code == 303
    assert hall.log.hall.at_box == {"north": (1, 1), "south": (1, 2)}
    page = text_of(client.get("/e/cup/desk"))
    assert "Play it here" not in page
    assert ("it keeps judging" in page, page.count("Has not reported yet: start it")) == (False, 2)
    link.heard("companion/up/north/online", b'{"is_online":false}')  # its last will
    assert "Not reporting: it keeps judging and catches up later" in text_of(client.get("/e/cup/desk"))
    hall.desk.say("cup", Reported(1, 1, won(0)), HUB)
    assert text_of(client.get("/e/cup/desk")).count("Play it here") == 1
    for table in ("4", "3"):
        assert posts(client, "/e/cup/assign", round="1", table=table, box="north").status_code == 303
    assert hall.log.hall.at_box["north"] == (1, 3)


def test_a_personal_link_makes_nobody_else_of_the_phone(hall: Hall) -> None:
    """Ann's own link took the name that the form sent: she entered claims as Ben and called as the organiser."""
    hall.pairs()
    ann, ben = hall.log.tournament.table(1, 1).seats
    code = hall.people.invite("cup", Role.PLAYER, hall.log.tournament.says(ann), ann)
    phone, other = hall.client(), hall.client()
    posts(phone, f"/in/{code}", name=hall.log.tournament.says(ben), entrant=ben, role="organiser")
    posts(other, f"/in/{hall.people.invite('cup', Role.PLAYER, hall.log.tournament.says(ben), ben)}")
    sends(phone, "/e/cup/call", {"round": 1, "table": 1, "name": "Olga", "by": "Olga", "entrant": ben})
    assert hall.log.entries[-1].by == hall.log.tournament.says(ann)
    call = hall.log.calls[0].seq
    assert sends(other, "/e/cup/call_off", {"entry": call}).status_code == 409
    assert sends(phone, "/e/cup/call_off", {"entry": call}).status_code == 200


def test_only_the_entrant_who_called_takes_a_call_back_whatever_the_names(hall: Hall) -> None:
    """Calls were compared by name: a referee named as a player could lose a call to that player."""
    hall.pairs()
    ann = hall.log.tournament.table(1, 1).seats[0]
    referee = hall.person(Role.TABLE_REFEREE, hall.log.tournament.says(ann))
    call = hall.desk.say("cup", HallCalled(1, 1), referee).seq
    phone = hall.client(Role.PLAYER, entrant=ann)
    assert phone.get("/e/cup/me.json").get_json()["at"]["own_call"] is None
    assert sends(phone, "/e/cup/call_off", {"entry": call}).status_code == 409


def test_a_link_for_a_named_referee_keeps_that_name(hall: Hall) -> None:
    page = text_of(posts(hall.organiser(), "/e/cup/devices", do="invite", role="head_referee", name="Rita"))
    path = re.search(r"http://localhost(/in/\S+)", page)
    phone = hall.client()
    asked = phone.get(path[1])
    assert "You are Rita. You become: head referee." in text_of(asked)
    assert b'name="name"' not in asked.data
    posts(phone, path[1], name="Olga")
    assert [each.joined.name for each in hall.log.hall.devices.values()] == ["Rita"]


def test_a_player_calls_the_referee_about_an_entered_result_also_after_the_last_round(hall: Hall) -> None:
    """Once there was a result, nobody could say that it was wrong."""
    for _ in range(3):
        hall.pairs()
        hall.reports()
    who = hall.log.tournament.table(3, 2).seats[0]
    phone = hall.client(Role.PLAYER, entrant=who)
    for _ in range(2):  # a second tap enters nothing
        told = sends(phone, "/e/cup/call", {"round": 3, "table": 2}).get_json()["at"]
        assert (told["is_called"], told["own_call"]) == (True, hall.log.calls[0].seq)
    assert [call.at for call in hall.log.calls] == [(3, 2)]
    assert "Round 3, table 2: the result is disputed" in text_of(hall.organiser().get("/e/cup/desk"))


def test_no_page_of_the_hub_itself_fails(hall: Hall) -> None:
    """Devices and players of the hub's own log, which is no event, answered 500."""
    hall.app.testing = False  # as served: an exception is an answer
    values = {"event_id": HUB_ID, "round_": 1, "number": 1, "table": 1, "entrant": "p1", "what": "standings"}
    found, organiser = {}, hall.organiser()
    with hall.app.test_request_context():
        for rule in hall.app.url_map.iter_rules():
            if "event_id" in rule.arguments:
                path = url_for(rule.endpoint, **{name: values[name] for name in rule.arguments})
                for method in (rule.methods or set()) & {"GET", "POST", "PUT"}:
                    served = {STREAMING: Handed(lambda *pages: None)}
                    answer = organiser.open(path, method=method, headers=OWN, environ_overrides=served)
                    found[method, path] = answer.status_code
                    answer.close()
    assert {called for called, status in found.items() if status >= 500} == set()
    assert {path for (_, path), status in found.items() if status == 200} == {
        "/e/house/devices", "/e/house/audit", "/e/house/news", "/api/v1/events/house/entries"
    }  # fmt: skip


def test_an_organisers_device_is_let_go_but_for_the_last_one(hall: Hall) -> None:
    """There was no page for it: a lost laptop stayed the organiser of every event."""
    olga, lost = hall.organiser(), hall.organiser()
    assert '<a class="button" href="/e/house/devices">' in olga.get("/").get_data(as_text=True)
    first, second = hall.desk.log(HUB_ID).hall.devices
    assert posts(olga, "/e/house/devices", do="revoke", device=second).status_code == 303
    assert lost.get("/e/cup/desk").status_code == 403
    assert olga.get("/e/cup/desk").status_code == 200
    refused = posts(olga, "/e/house/devices", do="revoke", device=first)
    assert "let another one in first" in text_of(refused)
    assert olga.get("/e/cup/desk").status_code == 200
    assert "is signed out" in text_of(olga.get("/e/house/audit"))


EVIL = ("=1+1", "+1+1", "-1+1", "@SUM(A1)", "＝1+1", "Ann;=1+1", 'Ann",=1+1')


def test_a_sheet_takes_no_name_for_a_formula_and_each_number_for_one(tmp_path: Path) -> None:
    """A name was computed, and 12¾ was no number."""
    points = Points(draw=Fraction(3, 4), loss=Fraction(-1, 3))
    hall = Hall(tmp_path / "hub.db", EVIL, Settings(rounds=3, points=points))
    hall.pairs()
    hall.reports(drawn(), won(0), forfeited(0))
    client = hall.client()
    text = client.get("/e/cup/export/standings.csv").get_data(as_text=True)
    heads, *rows = csv.reader(io.StringIO(text))
    assert {row[heads.index("name")] for row in rows} == {
        "'=1+1", "'+1+1", "'-1+1", "'@SUM(A1)", "'＝1+1", "Ann;=1+1", 'Ann",=1+1'
    }  # fmt: skip
    assert {float(row[heads.index("points")]) for row in rows} == {0.75, 1.0, -0.333333, 0.0}
    assert '"Ann;=1+1"' in text  # a sheet that splits at semicolons keeps the quoted cell whole
    heads, *rows = csv.reader(io.StringIO(client.get("/e/cup/export/pairings.csv").get_data(as_text=True)))
    assert [row[-1] for row in rows] == ["0.5 - 0.5"] * 2 + ["1 - 0"] * 2 + ["'- / +"] * 2 + ["bye"]
    hall.close()


def joins(hall: Hall, entrant: str, address: str, client: FlaskClient | None = None, **more: str) -> FlaskClient:
    """A phone that takes a name at the event's own page."""
    phone = client or hall.client()
    phone.environ_base["REMOTE_ADDR"] = address
    posts(phone, "/e/cup/join", entrant=entrant, **more)
    return phone


def test_two_windows_of_one_device_do_not_agree(hall: Hall) -> None:
    """One phone took both names of a table and agreed with itself."""
    hall.pairs()
    seats = hall.log.tournament.table(1, 1).seats
    for who in seats:
        told = sends(joins(hall, who, "10.0.0.7"), "/e/cup/claim", {"round": 1, "table": 1, "end": "won0"}).get_json()
    assert hall.log.tournament.table(1, 1).result is None
    assert told["at"]["is_called"]
    assert "they may be one phone" in told["at"]["called_because"]
    desk = text_of(hall.organiser().get("/e/cup/desk"))
    assert "maybe from one device" in desk
    assert "Phones that joined by personal card need no referee." in desk
    form = hall.organiser().get("/e/cup/result/1/1").text
    assert re.findall(r'value="(\w+)" required checked', form) == ["won0"]
    other = hall.client()  # who scans the own card says it again, and it counts: by card and from elsewhere
    other.environ_base["REMOTE_ADDR"] = "10.0.0.8"
    posts(other, f"/in/{hall.people.invite('cup', Role.PLAYER, 'x', seats[1])}")
    sends(other, "/e/cup/claim", {"round": 1, "table": 1, "end": "won0"})
    assert hall.log.tournament.table(1, 1).result == won(0)
    assert hall.log.calls == ()


def test_a_device_that_takes_a_second_name_releases_the_first(hall: Hall) -> None:
    """It held both: nobody else could be the first, and it spoke for two."""
    phone = joins(hall, "p1", "10.0.0.7")
    first = phone.get_cookie("hub_cup")
    joins(hall, "p2", "10.0.0.7", phone)
    assert (hall.log.hall.device_of("p1"), len(hall.log.hall.device_of("p2"))) == ((), 1)
    assert phone.get("/e/cup/me.json").get_json()["entrant"] == "p2"
    old = hall.client()
    old.set_cookie("hub_cup", first.value)
    assert old.get("/e/cup/me.json").status_code == 403
    joins(hall, "p1", "10.0.0.8")
    assert len(hall.log.hall.device_of("p1")) == 1
    posts(phone, f"/in/{hall.people.invite('cup', Role.PLAYER, 'x', 'p3')}")
    assert hall.log.hall.device_of("p2") == ()
    joins(hall, "p1", "10.0.0.7", phone)  # another's name: it stays who it is
    assert phone.get("/e/cup/me.json").get_json()["entrant"] == "p3"


def test_one_address_takes_few_names(hall: Hall) -> None:
    """One address took 198 names in 77 s."""
    for n in range(1, 9):
        joins(hall, f"p{n}", "10.0.0.7")
    assert hall.log.hall.followed() == {f"p{n}" for n in range(1, 7)}
    joins(hall, "p7", "10.0.0.8")
    assert "p7" in hall.log.hall.followed()
    posts(hall.client(), f"/in/{hall.people.invite('cup', Role.PLAYER, 'x', 'p8')}")  # a card is not counted
    assert "p8" in hall.log.hall.followed()


@pytest.mark.parametrize("way", JoinBy)
def test_the_organiser_chooses_how_phones_join(hall: Hall, way: JoinBy) -> None:
    organiser = hall.organiser()
    assert posts(organiser, "/e/cup/devices", do="joining", way=way).status_code == 303
    code = hall.people.hall_code(hall.log)
    assert (code is not None) is (way is JoinBy.CODE)
    shown = {path: text_of(organiser.get(f"/e/cup/{path}")) for path in ("desk", "screen")}
    assert code is None or all(code in page for page in shown.values())
    everybody = [hall.client().get(f"/e/cup/{path}").get_data(as_text=True) for path in ("screen", "join")]
    assert code is None or all(code not in page for page in everybody)
    assert code is None or "<button disabled hidden>" in everybody[1]  # Enter in the code's field chooses nobody
    assert ("This screen shows them once it is let in" in everybody[0]) is (code is not None)
    joins(hall, "p1", "10.0.0.7")
    joins(hall, "p2", "10.0.0.8", code="000000" if code != "000000" else "111111")
    joins(hall, "p3", "10.0.0.9", code=code or "")
    joined = {JoinBy.CARD: set(), JoinBy.CODE: {"p3"}, JoinBy.OPEN: {"p1", "p2", "p3"}}[way]
    assert hall.log.hall.followed() == joined
    assert posts(organiser, "/e/cup/devices", do="joining", way="x").status_code == 409


@pytest.mark.parametrize("origin", [{}, {"Origin": "http://evil.example"}])
def test_nothing_is_entered_from_elsewheres_page_nor_by_a_foreign_name(hall: Hall, origin: dict[str, str]) -> None:
    client = hall.client(Role.ORGANISER)
    assert client.post("/e/cup/pair", headers=origin).status_code == 403
    assert hall.log.tournament.rounds == ()
    answer = hall.client().get("/", headers={"Host": "evil.example"})
    assert answer.status_code == 400
    assert "http://localhost/" in text_of(answer)


def test_an_event_is_exported_and_imported_whole(hall: Hall) -> None:
    hall.pairs()
    hall.reports(won(1), drawn())
    hall.client(Role.TABLE_REFEREE)
    organiser = hall.organiser()
    file = organiser.get("/e/cup/export/event.json").data
    answer = organiser.post("/import", data={"file": (io.BytesIO(file), "cup.json")}, headers=OWN)
    copy = answer.headers["Location"].split("/")[2]
    log = hall.desk.log(copy)
    assert log.tournament == replace(hall.log.tournament, name="Cup (copy)")
    assert [e.by for e in log.of_tournament[:-1]] == [e.by for e in hall.log.of_tournament]
    assert log.hall.devices == {}
    wrong = organiser.post("/import", data={"file": (io.BytesIO(b"[1]"), "x")}, headers=OWN)
    assert wrong.status_code == 409


def test_each_printout_names_every_player_or_every_table(hall: Hall) -> None:
    hall.pairs()
    hall.reports()
    client = hall.client(Role.ORGANISER)
    names = {each.name for each in hall.log.tournament.entrants.values()}
    for what in ("pairings", "names", "standings", "slips", "player-cards"):
        page = text_of(client.get(f"/e/cup/print/{what}"))
        assert all(name in page for name in names), what
    cards = client.get("/e/cup/print/table-cards").text
    assert cards.count("<svg") == len(hall.log.tournament.rounds[0].tables)
    assert client.get("/e/cup/print/nothing").status_code == 409
    assert client.get("/e/cup/print/slips?round=9").status_code == 409


def test_entrants_are_added_changed_withdraw_and_come_back(hall: Hall) -> None:
    client = hall.client(Role.HEAD_REFEREE)
    posts(client, "/e/cup/entrants", do="enter", lines="Ida, 1200\nJan & Kim,,Jan + Kim")
    assert hall.log.tournament.entrants["p10"].members == ("Jan", "Kim")
    sheet = "Club;Rating;Name\nKöln;1700;Käthe".encode("cp1252")
    posts(client, "/e/cup/entrants", do="enter", file=(io.BytesIO(sheet), "list.csv"))
    new = hall.log.tournament.entrants["p11"]
    assert (new.name, new.rating, new.club) == ("Käthe", 1700, "Köln")
    assert "looks like Ann" in text_of(posts(client, "/e/cup/entrants", do="edit", entrant="p9", name="ANN"))
    posts(client, "/e/cup/entrants", do="withdraw", entrant="p9")
    assert not hall.log.tournament.entrants["p9"].is_here(1)
    posts(client, "/e/cup/entrants", do="return", entrant="p9")
    posts(client, "/e/cup/entrants", do="sit_out", entrant="p9")
    assert hall.log.tournament.entrants["p9"].asked_out == {1: None}
    client = hall.client(Role.ORGANISER)
    posts(client, "/e/cup/entrants", do="edit", entrant="p1", name="Anna", rating="1800", club="Mainz")
    posts(client, "/e/cup/entrants", do="sit_out", entrant="p2", half="1", round="2")
    late = posts(client, "/e/cup/entrants", do="sit_out", entrant="p2", half="1", round="99")
    assert "the event has 3 rounds: round 99 is too high" in text_of(late)
    entrants = hall.log.tournament.entrants
    assert (entrants["p1"].name, entrants["p1"].rating, entrants["p1"].club) == ("Anna", 1800, "Mainz")
    assert entrants["p2"].asked_out == {2: Fraction(1, 2)}
    assert "Changed: Anna, rating 1800, club Mainz" in text_of(client.get("/e/cup/audit"))


def test_an_event_gets_another_round_or_one_less(hall: Hall) -> None:
    client = hall.client(Role.ORGANISER)
    hall.pairs()
    assert "a change needs a reason" in text_of(posts(client, "/e/cup/rounds", rounds="1"))
    posts(client, "/e/cup/rounds", rounds="1", reason="the hall closes")
    hall.reports()
    assert "The event is over" in text_of(client.get("/e/cup/desk"))
    posts(client, "/e/cup/rounds", rounds="2", reason="it does not")
    posts(client, "/e/cup/pair")
    assert len(hall.log.tournament.rounds) == 2
    assert "round 2 is paired already" in text_of(posts(client, "/e/cup/rounds", rounds="1", reason="late"))
    assert "The event now has 2 rounds. Reason: it does not" in text_of(client.get("/e/cup/audit"))


def test_an_event_is_renamed_archived_and_its_tie_breaks_get_another_order(hall: Hall) -> None:
    client = hall.organiser()
    posts(client, "/e/cup/name", name="Chess club", do="archive")
    assert "Archived events Chess club" in text_of(client.get("/"))
    no_reason = posts(client, "/e/cup/reorder", tie_break=["lot", "wins"], reason=" ")
    assert "a change needs a reason" in text_of(no_reason)
    posts(client, "/e/cup/reorder", tie_break=["lot", "wins"], reason="said before round 1")
    assert hall.log.tournament.settings.tie_breaks == ("lot", "wins")
    audit = text_of(client.get("/e/cup/audit"))
    assert "Chess club is archived" in audit
    assert "said before round 1" in audit


def test_a_chess_event_is_set_up_exported_and_imported_as_a_fide_report(hall: Hall) -> None:
    client = hall.organiser()
    names = "Ann,1500,,Mainz\nBen,1400\nCora\nDan"
    given = {"name": "Open", "game": "eyes_of_the_emperor", "entrants": names, "rounds": "3", "pairing": "fide_dutch"}
    given |= {"points_sat_out": "1/2", "clubs_apart": "1", "is_accelerated": "on"}
    event_id = posts(client, "/new", **given).headers["Location"].split("/")[2]
    settings = hall.desk.log(event_id).tournament.settings
    assert (settings.pairing, settings.points.sat_out, settings.clubs_apart) == ("fide_dutch", Fraction(1, 2), 1)
    assert settings.is_accelerated
    posts(client, f"/e/{event_id}/pair")
    for what in ("event.trf", "event-26.trf"):
        file = client.get(f"/e/{event_id}/export/{what}").data
        answer = client.post("/import", data={"file": (io.BytesIO(file), "open.trf")}, headers=OWN)
        copy = hall.desk.log(answer.headers["Location"].split("/")[2]).tournament
        named = [[copy.says(who) for who in table.seats] for table in copy.rounds[0].tables]
        known = hall.desk.log(event_id).tournament
        assert named == [[known.says(who) for who in table.seats] for table in known.rounds[0].tables]


def test_a_table_that_the_organiser_sets_says_so(hall: Hall) -> None:
    client = hall.client(Role.ORGANISER)
    posts(client, "/e/cup/fix", entrant=["p1", "p8"], reason="they share a car")
    posts(client, "/e/cup/pair")
    assert any(set(t.seats) == {"p1", "p8"} for t in hall.log.tournament.rounds[0].tables)
    assert "they share a car" in text_of(client.get("/e/cup/round/1"))


def test_a_program_gets_a_token_of_its_own(hall: Hall) -> None:
    page = posts(hall.client(Role.ORGANISER), "/e/cup/devices", do="program", role="organiser").get_data(as_text=True)
    token = re.search(r"<code>([^<]+)</code>", page)
    assert hall.people.person([token[1]], "cup").role is Role.ORGANISER
    assert "a program" in text_of(hall.client(Role.ORGANISER).get("/e/cup/devices"))


GERMAN = {"Accept-Language": "de"}


def test_who_asks_for_german_reads_no_english_sentence(hall: Hall) -> None:
    hall.pairs()
    organiser = hall.client(Role.ORGANISER)
    english = [
        words for words, said in catalogue("de").items() if "{" not in words and words != said and len(words) > 4
    ]
    for path in (*OPEN_PAGES[:5], *STAFF_PAGES[:6]):
        page = text_of(organiser.get(f"/e/cup/{path}".rstrip("/"), headers=GERMAN))
        there = [words for words in english if words in page]
        assert [words for words in there if re.search(rf"(?<![\w-]){re.escape(words)}(?![\w-])", page)] == [], path
    assert translate("This could not be done. Load the page again.", "de") in organiser.get("/", headers=GERMAN).text


@pytest.mark.parametrize("path", ["export/standings.csv", "round/1"])
def test_what_anyone_may_ask_for_is_computed_once_by_one_worker(hall: Hall, path: str) -> None:
    """A spectator could keep every thread of the hub busy with printouts."""
    hall.pairs()
    client = hall.client()
    computed = client.application.extensions["companion"].worker._last
    first = client.get(f"/e/cup/{path}").data
    (kept,) = computed.values()
    assert client.get(f"/e/cup/{path}").data == first
    assert next(iter(computed.values())) is kept
