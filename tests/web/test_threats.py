"""What docs/security.md says that nobody can do, tried: each threat of its table is a test here or is named there."""

from __future__ import annotations

import contextlib
import http.client
import re
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from companion.app.playing import MatchChoice
from companion.match.inputs import Act, TakeSeat
from tests.web.fake_door import FakeDoor
from tests.web.shown import match_view
from tests.web.table import FAR, HERE, NEAR, NUMBER, OWN, Table, code, taps
from web.site.post import STREAMING, Handed
from web.site.server import Server
from web.table.app import create_app

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    made = Table(tmp_path)
    made.door.open(MatchChoice(game="manipulation_rummy"))
    yield made
    made.door.close()


# a stranger who may only watch


def test_a_strangers_start_page_does_not_end_the_match(table: Table) -> None:
    """POST /start with the box ticked ended everybody's match. Two who had not begun yet could choose no other game."""
    table.sits("A")
    unplayed, ben = {"game": "suspend", "untouched": table.door.match.view().match}, table.sits("B", "Ben")
    ends, far = {"game": "suspend", "give_up": "yes"}, table.phone()
    for client, data in ((far, unplayed), (far, ends), (ben, ends), (table.phone(HERE), ends)):
        assert code(client.post("/start", data=data, headers=OWN)) == (403, "others_play")
    assert ben.post("/start", data=unplayed, headers=OWN).status_code == 302


def test_a_strangers_set_up_does_not_move_the_fiducials(table: Table) -> None:
    """POST /setup/do laid the fiducials elsewhere in the middle of a match, and every length after it was wrong."""
    ann = table.sits("A")
    moved = {"do": "lay", "across_mm": 500, "diagonal_mm": 700}
    assert code(table.phone().post("/setup/do", json=moved, headers=OWN)) == (403, "others_play")
    assert table.setup.asked == []
    ann.post("/setup/do", json={"do": "drill"}, headers=OWN)
    assert table.setup.asked == ["drill"]


def test_the_virtual_table_belongs_to_its_own_screen(table: Table) -> None:
    """`demo --host 0.0.0.0` let anyone move pieces and press the box's buttons; a Host header says nothing."""
    stranger = table.phone()
    for host in ("192.168.4.1", FAR, "127.0.0.1", "localhost"):
        headers = {"Host": host, "Origin": f"http://{host}", "X-Forwarded-For": "127.0.0.1"}
        for path in ("", "/state", "/camera.jpg"):
            refused = code(stranger.get(f"/table{path}", headers=headers))
            assert refused == (403, "not_here" if path else None)  # a person gets a page
        answer = stranger.post("/table/do", json={"do": "press", "button": "end_throw"}, headers=headers)
        assert code(answer) == (403, "not_here")
    assert table.hands.asked == []
    assert table.phone(HERE).get("/table/state").status_code == 200


def test_another_seats_actions_are_not_ones_own(table: Table) -> None:
    ann, ben = table.sits("A"), table.sits("B", "Ben")
    before = len(table.entries())
    for tap in (
        {"do": "act", "move": "deal", "values": {}},
        {"do": "end_throw"},
        {"do": "undo", "entry": 1},
        {"do": "tell", "text": "4S"},
        {"do": "call_referee"},
        {"do": "referee_came", "entry": 1},
        {"do": "call_off", "entry": 1},
        {"do": "begin_anew", "match": table.door.match.name, "is_given_up": True},
        {"do": "leave_seat"},
        {"do": "answer", "question": "q", "choice": "c"},
        {"do": "correct", "entry": 1, "fact": "f", "value": "v", "name": "Ann", "reason": "so"},
    ):
        for client in (ben, table.phone()):
            assert code(taps(client, seat="A", **tap)) == (403, "not_your_seat"), tap
    assert len(table.entries()) == before
    assert taps(ann, do="call_referee", seat="A").status_code == 200


def test_who_ends_the_match_needs_the_others(table: Table) -> None:
    ann, match = table.sits("A"), table.door.match.view().match
    ben = table.sits("B", "Ben")
    assert taps(ann, do="begin_anew", seat="A", match=match, is_given_up=True).get_json() == {"entry": None}
    assert table.door.match.view().match == match
    assert taps(ben, do="begin_anew", seat="B", match=match, is_given_up=True).status_code == 200
    assert table.door.match.view().match != match


def test_a_hand_that_was_told_is_shown_to_its_seat_alone(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    ann, ben = table.sits("A"), table.sits("B", "Ben")
    taps(ann, do="act", seat="A", move="deal", values={})
    hand = "4S 9D QH"
    assert taps(ann, do="tell", seat="A", text=hand).status_code == 200
    for card in hand.split():
        assert card in ann.get("/state?seat=A").text
        for other in (ben.get("/state?seat=B"), ben.get("/state?seat=A"), table.phone().get("/state?seat=A")):
            assert other.get_json()["seat"] != "A"
            assert f'"{card}"' not in other.text
        assert all(f'"{card}"' not in repr(entry.body) for entry in table.entries())
    # whoever takes the seat over does not inherit what was told
    for name in ("HEARD_S", "KEPT_S"):  # her phone is away
        monkeypatch.setattr(f"companion.match.audience.{name}", -1.0)
    assert taps(ben, do="take_seat", seat="A", name="Ben", holder="Ann").status_code == 200
    told = ben.get("/state?seat=A")
    assert told.get_json()["seat"] == "A"
    assert '"4S"' not in told.text


def test_a_photograph_of_a_hand_is_read_for_its_own_seat_only(table: Table) -> None:
    table.sits("A")
    assert code(table.phone().post("/hand?seat=A", data=b"photo", headers=OWN)) == (403, "not_your_seat")
    assert table.reader.asked == []


# forged, replayed, guessed


def asks_for(client: FlaskClient, seat: str, number: str = "") -> tuple[int, str | None]:
    return code(taps(client, do="take_seat", seat=seat, name=f"Ann {seat}", number=number))


def test_the_first_sits_freely_and_the_next_need_the_number_that_her_phone_shows(table: Table) -> None:
    ann, stranger = table.phone(NEAR), table.phone(FAR)
    assert asks_for(ann, "A") == (200, None)
    ann.get("/events?seat=A", environ_overrides={STREAMING: Handed(lambda: None)})  # her phone is connected
    ann.get("/state?seat=A")
    assert asks_for(stranger, "B") == (403, "needs_number")
    assert NUMBER not in stranger.get("/join").text
    assert NUMBER in ann.get("/join").text
    assert f'data-asks-number="{NUMBER}"' in stranger.get(f"/?choose&number={NUMBER}").text
    assert asks_for(stranger, "B", NUMBER) == (200, None)


def test_guesses_are_few(table: Table) -> None:
    table.sits("A")
    stranger = table.phone(FAR)
    assert {asks_for(stranger, "B", f"00000{i}") for i in range(5)} == {(403, "needs_number")}
    assert asks_for(stranger, "B", NUMBER) == (429, "guessed")
    assert asks_for(table.phone("192.168.4.67"), "B", NUMBER) == (200, None)


def test_a_request_of_another_page_does_nothing(table: Table) -> None:
    ann = table.sits("A")
    before = len(table.entries())
    evil = ("null", "http://", "http://evil.example", "http://localhost.evil.example", "http://localhost:9999")
    for path in ("/do", "/start", "/setup/do", "/hand?seat=A", "/network", "/table/do"):
        for headers in ({}, *({"Origin": origin} for origin in (*evil, "https://localhost"))):
            answer = ann.post(path, json={"do": "call_referee", "seat": "A"}, headers=headers)
            assert code(answer) == (403, "foreign_page"), (path, headers)
    assert len(table.entries()) == before


def test_a_tap_that_is_replayed_enters_nothing_more(table: Table) -> None:
    ann = table.sits("A")
    taps(ann, do="call_referee", seat="A", words="look")
    before = [entry.seq for entry in table.entries()]
    for _ in range(3):
        taps(ann, do="call_referee", seat="A", words="look")
        taps(ann, do="take_seat", seat="A", name="Ann")
        taps(ann, do="undo", seat="A", entry=1)
    assert [entry.seq for entry in table.entries()] == before


def test_a_phones_secret_cannot_be_learnt_or_made_up(table: Table) -> None:
    ann = table.sits("A")
    cookie = ann.get_cookie("companion_phone")
    assert (cookie.http_only, cookie.same_site) == (True, "Strict")
    assert len(cookie.value) >= 43  # 256 random bits
    everything = table.phone().get("/state?seat=A").text + repr([entry.body for entry in table.entries()])
    assert cookie.value not in everything
    held = next(entry.body.phone for entry in table.entries() if entry.kind == "took_seat")
    for guess in (held, held[:32], "x" * 43, ""):
        stranger = table.phone()
        stranger.set_cookie("companion_phone", guess)
        assert taps(stranger, do="call_referee", seat="A").status_code == 403


# what names and words may hold


def test_no_person_signs_as_the_camera_in_any_language(table: Table) -> None:
    """A correction signed "the camera" said "by the camera", one signed "der Kamera" said so in German."""
    names = ("camera", "the Camera", "der Kamera", "Kamera", "\u200bbox", "the button", "Ｔａｂｌｅ")
    stranger = table.phone()
    assert {code(taps(stranger, do="take_seat", seat="A", name=name)) for name in names} == {(409, "no_person")}
    ann = table.sits("A", "Jenson Button")
    taps(ann, do="act", seat="A", move="deal", values={})
    for name in names:
        answer = taps(ann, do="correct", seat="A", entry=1, fact="f", value="v", name=name, reason="so")
        assert code(answer) == (409, "no_person")


def test_no_script_of_ours_makes_markup_of_words() -> None:
    """All words come to a page as text: nothing is put in as HTML."""
    made = re.compile(r"\.(innerHTML|outerHTML)\s*\+?=|insertAdjacentHTML|document\.write|\beval\(|new Function\(")
    for script in (*(ROOT / "web" / "static").rglob("*.js"), *(ROOT / "companion" / "games").rglob("*.js")):
        assert not made.search(script.read_text(encoding="utf-8")), script.name
    for page in (ROOT / "web" / "templates").rglob("*.html"):
        assert not re.search(r"\son[a-z]+\s*=", page.read_text(encoding="utf-8")), page.name


def test_no_path_leads_out_of_the_folder(table: Table) -> None:
    for path in (
        "/static/../app.py",
        "/static/x/..%2f..%2fapp.py",
        "/evidence/..%2f..%2fetc%2fpasswd.jpg",
        "/static/x/games/../../rules.py/page.js",
        "/static/%2e%2e/%2e%2e/pyproject.toml",
        "/print/..%2f..%2fx.pdf",
        "//etc/passwd",
        "/static/x/whole/..%2f/eyes_of_the_emperor.js",
    ):
        answer = table.phone().get(path)
        assert answer.status_code in (301, 302, 308, 400, 404)
        assert "import" not in answer.text
        assert "root:" not in answer.text


# what one sends to the server itself


@pytest.fixture
def served() -> Iterator[Server]:
    app = create_app(FakeDoor(match_view()), join_url="http://x/", max_streams=20)
    with Server(app, "127.0.0.1", 0).running() as running:
        yield running


def raw(server: Server, sent: bytes, within_s: float = 30.0) -> bytes:
    """What comes back; a server that has heard enough may close while one still sends."""
    got = b""
    with (
        socket.create_connection(("127.0.0.1", server.port), timeout=within_s) as line,
        contextlib.suppress(ConnectionResetError, BrokenPipeError),
    ):
        line.sendall(sent)
        if b"\r\n\r\n" not in sent:
            line.shutdown(socket.SHUT_WR)
        while part := line.recv(65536):
            got += part
    return got


def test_header_tricks_are_refused_and_the_table_goes_on(served: Server, caplog: pytest.LogCaptureFixture) -> None:
    get, post, closes = b"GET / HTTP/1.1\r\n", b"POST /do HTTP/1.1\r\nHost: x\r\n", b"Connection: close\r\n"
    for sent in (
        get + b"Host: x\r\nX: " + b"a" * 300_000 + b"\r\n\r\n",
        b"GET /" + b"a" * 300_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        get + b"Host: x\r\n" + (b"X: " + b"a" * 4000 + b"\r\n") * 90 + b"\r\n",
        get + closes + b"Host: x\r\n" + b"X: a\r\n" * 500 + b"\r\n",
        post + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
        post + closes + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        post + b"Content-Length: -1\r\n\r\n",
        post + b"Origin: http://x\r\nContent-Type: application/json\r\nContent-Length: 9999999999\r\n\r\n",
        post + b"Transfer-Encoding: chunked\r\n\r\n5000000\r\n" + b"a" * 70_000,
        get + closes + b"Host: evil.example\r\n\r\n",
        get + closes + b"Host: a b\r\n\r\n",
        b"GET /\x00 HTTP/1.1\r\nHost: x\r\n" + closes + b"\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET /state?seat=%ff%fe HTTP/1.1\r\nHost: x\r\n" + closes + b"\r\n",
        get + closes + b"Host: x\r\nAccept-Language: " + b"de;q=1," * 5_000 + b"\r\n\r\n",
    ):
        answer = raw(served, sent, within_s=5.0)
        assert not answer or answer.startswith((b"HTTP/1.1 4", b"HTTP/1.0 4", b"HTTP/1.1 200")), sent[:80]
        assert b"Traceback" not in answer
    assert not [record for record in caplog.records if record.exc_info]
    asking = http.client.HTTPConnection("127.0.0.1", served.port, timeout=5)
    asking.request("GET", "/state")
    assert asking.getresponse().status == 200
    asking.close()


def test_a_request_of_two_lengths_is_refused_and_its_connection_closed_at_once(served: Server) -> None:
    """It was answered, and its connection stayed open for ten seconds."""
    sent = b"POST /do HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef"
    assert raw(served, sent, within_s=5.0).startswith(b"HTTP/1.1 400")


def test_an_answer_to_a_language_goes_nowhere_else(table: Table) -> None:
    """A redirect to another site, or a header smuggled in by a line break."""
    places = (
        "https://evil.example/",
        "//evil.example",
        "/\\evil.example",
        "/x\r\nSet-Cookie: a=b",
        "javascript:alert(1)",
    )
    for to in places:
        answer = table.phone().post("/language", data={"language": "de", "to": to}, headers=OWN)
        assert re.match(r"/(?![/\\])", answer.headers.get("Location", "/"))
        assert "Set-Cookie: a=b" not in str(answer.headers)


def test_a_body_made_to_break_the_reader_is_refused_in_a_sentence(
    table: Table, caplog: pytest.LogCaptureFixture
) -> None:
    ann = table.sits("A")
    for body in (
        b'{"x":' + b"[" * 2000 + b"]" * 2000 + b',"do":"undo","seat":"A","entry":1}',
        b"[" * 4000,
        b'{"do":"undo","seat":"A","entry":' + b"9" * 4000 + b"}",
        b'{"do":"undo","seat":"A","entry":1e999}',
        b'{"do":"act","seat":"A","move":"deal","values":{"\\ud800":"\\udfff"}}',
        b'{"do":"take_seat","seat":"A","name":"\\ud800"}',
        b'{"do":"call_referee","seat":"A","words":"\\u0000\\ud800"}',
    ):
        answer = ann.post("/do", data=body, content_type="application/json", headers=OWN)
        assert answer.status_code in (400, 409, 413), answer.text
        assert answer.get_json()["error"]["message"]
    assert not [record for record in caplog.records if record.exc_info]


def test_one_seats_calls_stay_few_whatever_they_are_about(table: Table) -> None:
    """A minute of one phone wrote 2,000 open calls: one about each entry is one too many as well."""
    ann = table.sits("A")
    table.sits("B", "Ben")
    for _ in range(3):
        table.door.match.submit(Act(seat="A", move="deal", values={}, by="Ann"))
    for entry in [entry.seq for entry in table.entries()]:
        taps(ann, do="call_referee", seat="A", words=f"about {entry}", entry=entry)
    assert len(table.door.match.view().calls) <= 2


def test_a_view_stays_small_however_long_a_match_is(table: Table) -> None:
    """After a minute of calls a view was 533 KB, pushed to every phone."""
    ann = table.sits("A")
    for i in range(250):
        given = TakeSeat(seat="B", name=f"Ben {i % 2} " + "x" * 18, phone="p", holder=None)
        assert table.door.match.submit(given).entry is not None
    assert len(ann.get("/state?seat=A").data) < 32_000
