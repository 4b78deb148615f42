"""What docs/security.md says that nobody can do, tried: each threat of its table is a test here or is named there."""

from __future__ import annotations

import contextlib
import html
import http.client
import json
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.app.door import TableDoor
from companion.game.known import game_named
from companion.match.inputs import Act, TakeSeat
from companion.match.match import Match
from companion.record.log import Log, read_log
from web.site.server import Server
from web.table.app import create_app
from web.table.hand import hand_reader
from web.table.setup import setup_pages
from web.table.start import start_page
from web.table.virtual import virtual_table

OWN = {"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"}
NEAR, FAR = "192.168.4.20", "192.168.4.66"
SCRIPT = "<img src=x onerror=alert(1)>"
ROOT = Path(__file__).resolve().parents[2]


class NoSetUp:
    """A set-up that says what was asked of it."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __getattr__(self, name: str) -> Any:
        def does(*_: Any) -> str:
            self.asked.append(name)
            return name

        return does


class Hands:
    """A virtual table that remembers whether somebody laid a hand on it."""

    touched = False

    def state(self) -> dict[str, Any]:
        return {"version": 1, "is_moving": False, "pieces": []}

    def __getattr__(self, name: str) -> Any:
        def deed(*_: Any, **__: Any) -> None:
            self.touched = True

        return deed


class Table:
    """A door with a match by hand, and phones at their addresses."""

    def __init__(self, folder: Path, game: str = "manipulation_rummy") -> None:
        from companion.app.playing import MatchChoice

        self.folder = folder
        self.door = TableDoor(folder, lambda game, chosen: None)
        self.door.open(MatchChoice(game=game))
        self.setup, self.hands = NoSetUp(), Hands()
        self.read: list[bytes] = []
        more = (
            start_page(self.door),
            setup_pages(self.setup, lambda what, paper: b""),
            virtual_table(self.hands),  # type: ignore[arg-type]
            hand_reader(lambda photo: self.read.append(photo) or ["5C"]),  # type: ignore[func-returns-value]
        )
        self.app: Flask = create_app(self.door, join_url="http://192.168.4.1/", more=more, number="314159")

    def phone(self, at: str = FAR) -> FlaskClient:
        client = self.app.test_client()
        client.environ_base["REMOTE_ADDR"] = at
        client.get("/state")
        return client

    def sits(self, seat: str, name: str = "Ann", number: str = "314159") -> FlaskClient:
        client = self.phone(NEAR)
        assert taps(client, do="take_seat", seat=seat, name=name, number=number).status_code == 200
        client.get(f"/state?seat={seat}")  # it is connected
        return client

    def entries(self) -> list[Any]:
        return read_log(next(self.folder.glob("*.db")))


def taps(client: FlaskClient, headers: dict[str, str] | None = None, **tap: Any) -> Any:
    return client.post("/do", json=tap, headers=headers or OWN)


def code(answer: Any) -> str | None:
    found: str | None = (answer.get_json() or {}).get("error", {}).get("code")
    return found


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    made = Table(tmp_path)
    yield made
    made.door.close()


# a stranger who may only watch


def test_a_strangers_start_page_does_not_end_the_match(table: Table) -> None:
    """POST /start with the box ticked ended everybody's match, from the table's own screen too."""
    table.sits("A")
    before = table.door.match.view().match
    for client in (table.phone(), table.sits("B", "Ben"), table.phone("127.0.0.1")):
        answer = client.post("/start", data={"game": "suspend", "give_up": "yes"}, headers=OWN)
        assert (answer.status_code, code(answer)) == (403, "others_play")
    assert table.door.match.view().match == before


def test_a_strangers_set_up_does_not_move_the_fiducials(table: Table) -> None:
    """POST /setup/do laid the fiducials elsewhere in the middle of a match, and every length after it was wrong."""
    ann = table.sits("A")
    moved = {"do": "lay", "across_mm": 500, "diagonal_mm": 700}
    answer = table.phone().post("/setup/do", json=moved, headers=OWN)
    assert (answer.status_code, code(answer), table.setup.asked) == (403, "others_play", [])
    ann.post("/setup/do", json={"do": "drill"}, headers=OWN)
    assert table.setup.asked == ["drill"]


@pytest.mark.parametrize("host", ["192.168.4.1", FAR, "127.0.0.1", "localhost"])
@pytest.mark.parametrize("path", ["", "/state", "/camera.jpg"])
def test_the_virtual_table_belongs_to_its_own_screen(table: Table, host: str, path: str) -> None:
    """`demo --host 0.0.0.0` let anyone move pieces and press the box's buttons; a Host header says nothing."""
    stranger = table.phone()
    headers = {"Host": host, "Origin": f"http://{host}", "X-Forwarded-For": "127.0.0.1"}
    answer = stranger.get(f"/table{path}", headers=headers)
    assert (answer.status_code, code(answer)) == (403, "not_here" if path else None)  # a person gets a page
    answer = stranger.post("/table/do", json={"do": "press", "button": "end_throw"}, headers=headers)
    assert (answer.status_code, code(answer), table.hands.touched) == (403, "not_here", False)
    assert table.phone("127.0.0.1").get("/table/state").status_code == 200


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
            answer = taps(client, seat="A", **tap)
            assert (answer.status_code, code(answer)) == (403, "not_your_seat"), tap
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
    answer = table.phone().post("/hand?seat=A", data=b"photo", headers=OWN)
    assert (answer.status_code, code(answer), table.read) == (403, "not_your_seat", [])


# forged, replayed, guessed


@pytest.mark.parametrize("path", ["/do", "/start", "/setup/do", "/hand?seat=A", "/network", "/table/do"])
@pytest.mark.parametrize(
    "origin",
    [
        None,
        "null",
        "http://",
        "http://evil.example",
        "http://localhost.evil.example",
        "http://localhost:9999",
        "https://localhost",
    ],
)
def test_a_request_of_another_page_does_nothing(table: Table, path: str, origin: str | None) -> None:
    ann = table.sits("A")
    before = len(table.entries())
    headers = {} if origin is None else {"Origin": origin}
    tap = json.dumps({"do": "call_referee", "seat": "A"})
    answer = ann.post(path, data=tap, content_type="application/json", headers=headers)
    assert (answer.status_code, code(answer)) == (403, "foreign_page")
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


@pytest.mark.parametrize(
    "name", ["camera", "the Camera", "der Kamera", "Kamera", "\u200bbox", "the button", "Ｔａｂｌｅ"]
)
def test_no_person_signs_as_the_camera_in_any_language(table: Table, name: str) -> None:
    """A correction signed "the camera" said "by the camera", one signed "der Kamera" said so in German."""
    answer = taps(table.phone(), do="take_seat", seat="A", name=name)
    assert (answer.status_code, code(answer)) == (409, "no_person")
    ann = table.sits("A", "Jenson Button")
    taps(ann, do="act", seat="A", move="deal", values={})
    answer = taps(ann, do="correct", seat="A", entry=1, fact="f", value="v", name=name, reason="so")
    assert (answer.status_code, code(answer)) == (409, "no_person")


@pytest.mark.parametrize("path", ["/", "/?seat=A", "/board", "/join", "/start", "/?choose&number=%22%3E%3Cscript%3E"])
def test_script_in_a_name_is_a_name(table: Table, path: str) -> None:
    ann = table.sits("A", SCRIPT[:24])
    taps(ann, do="call_referee", seat="A", words=SCRIPT)
    answer = ann.get(path)
    assert SCRIPT[:24] not in answer.text
    assert "<script>" not in html.unescape(re.sub(r"<script[^>]*>.*?</script>", "", answer.text, flags=re.S))
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "unsafe-inline" not in policy
    assert ann.get("/state?seat=A").mimetype == "application/json"


def test_no_script_of_ours_makes_markup_of_words() -> None:
    """All words come to a page as text: nothing is put in as HTML."""
    made = re.compile(r"\.(innerHTML|outerHTML)\s*\+?=|insertAdjacentHTML|document\.write|\beval\(|new Function\(")
    for script in (*(ROOT / "web" / "static").rglob("*.js"), *(ROOT / "companion" / "games").rglob("*.js")):
        assert not made.search(script.read_text(encoding="utf-8")), script.name
    for page in (ROOT / "web" / "templates").rglob("*.html"):
        assert not re.search(r"\son[a-z]+\s*=", page.read_text(encoding="utf-8")), page.name


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/x/..%2f..%2fapp.py",
        "/evidence/..%2f..%2fetc%2fpasswd.jpg",
        "/static/x/games/../../rules.py/page.js",
        "/static/%2e%2e/%2e%2e/pyproject.toml",
        "/print/..%2f..%2fx.pdf",
        "//etc/passwd",
        "/static/x/whole/..%2f/eyes_of_the_emperor.js",
    ],
)
def test_no_path_leads_out_of_the_folder(table: Table, path: str) -> None:
    answer = table.phone().get(path)
    assert answer.status_code in (301, 302, 308, 400, 404)
    assert "import" not in answer.text
    assert "root:" not in answer.text


# what one sends to the server itself


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Server]:
    match = Match(
        game_named("suspend"), Log(tmp_path / "m.db"), wall_s=lambda: 1.0, monotonic_s=lambda: 0.0, has_eyes=False
    )
    with Server(create_app(match, join_url="http://x/", max_streams=20), "127.0.0.1", 0).running() as running:
        yield running
    match.close()


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


@pytest.mark.parametrize(
    "sent",
    [
        b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 300_000 + b"\r\n\r\n",
        b"GET /" + b"a" * 300_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\n" + (b"X: " + b"a" * 4000 + b"\r\n") * 90 + b"\r\n",
        b"GET / HTTP/1.1\r\nConnection: close\r\nHost: x\r\n" + b"X: a\r\n" * 500 + b"\r\n",
        b"POST /do HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"POST /do HTTP/1.1\r\nConnection: close\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n"
        b"\r\n0\r\n\r\n",
        b"POST /do HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"GET / HTTP/1.1\r\nConnection: close\r\nHost: evil.example\r\n\r\n",
        b"GET / HTTP/1.1\r\nConnection: close\r\nHost: a b\r\n\r\n",
        b"GET /\x00 HTTP/1.1\r\nConnection: close\r\nHost: x\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET /state?seat=%ff%fe HTTP/1.1\r\nConnection: close\r\nHost: x\r\n\r\n",
        b"GET /language HTTP/1.1\r\nConnection: close\r\nHost: x\r\nAccept-Language: "
        + b"de;q=1," * 5_000
        + b"\r\n\r\n",
    ],
)
def test_header_tricks_are_refused_and_the_table_goes_on(
    served: Server, sent: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    answer = raw(served, sent)
    assert not answer or answer.startswith((b"HTTP/1.1 4", b"HTTP/1.0 4", b"HTTP/1.1 200"))
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


def test_a_chunk_that_will_be_too_long_is_not_waited_for(served: Server) -> None:
    """5 MB of 80 kept a connection for ten seconds."""
    sent = b"POST /do HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5000000\r\n" + b"a" * 70_000
    assert raw(served, sent, within_s=5.0).startswith((b"HTTP/1.1 413", b"HTTP/1.1 4"))


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


def test_a_huge_body_is_refused_before_it_is_read(served: Server) -> None:
    headers = b"Host: x\r\nOrigin: http://x\r\nContent-Type: application/json\r\nContent-Length: 9999999999\r\n\r\n"
    answer = raw(served, b"POST /do HTTP/1.1\r\n" + headers)
    assert answer.startswith((b"HTTP/1.1 413", b"HTTP/1.1 400", b"HTTP/1.0 413"))


@pytest.mark.parametrize(
    "body",
    [
        b'{"x":' + b"[" * 2000 + b"]" * 2000 + b',"do":"undo","seat":"A","entry":1}',
        b"[" * 4000,
        b'{"do":"undo","seat":"A","entry":' + b"9" * 4000 + b"}",
        b'{"do":"undo","seat":"A","entry":1e999}',
        b'{"do":"act","seat":"A","move":"deal","values":{"\\ud800":"\\udfff"}}',
        b'{"do":"take_seat","seat":"A","name":"\\ud800"}',
        b'{"do":"call_referee","seat":"A","words":"\\u0000\\ud800"}',
    ],
)
def test_a_body_made_to_break_the_reader_is_refused_in_a_sentence(
    table: Table, body: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    ann = table.sits("A")
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
    for i in range(600):
        given = TakeSeat(seat="B", name=f"Ben {i % 2} " + "x" * 18, phone="p", holder=None)
        assert table.door.match.submit(given).entry is not None
    assert len(ann.get("/state?seat=A").data) < 64_000
