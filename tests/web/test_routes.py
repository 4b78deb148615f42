"""Every address of the pages, asked rightly and wrongly."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from companion.game.known import REGISTRY
from companion.game.says import Says
from companion.game.view import HintView
from companion.match.inputs import (
    Act,
    Answer,
    CallOff,
    CallReferee,
    Correct,
    EndThrow,
    Input,
    IsBack,
    LeaveSeat,
    RefereeCame,
    Undo,
)
from tests.web import shown
from tests.web.fake_door import NOW_S, FakeDoor
from web.table.app import create_app

OWN = {"Origin": "http://localhost"}


@pytest.fixture
def phone(door: FakeDoor) -> Callable[[], FlaskClient]:
    """A new phone that has opened the page."""
    app = create_app(door, join_url="http://192.168.4.1:8080/", clock=lambda: NOW_S)

    def new() -> FlaskClient:
        client = app.test_client()
        assert client.get("/state").status_code == 200
        return client

    return new


@pytest.fixture
def ann(phone: Callable[[], FlaskClient]) -> FlaskClient:
    """Ann's phone, which holds red."""
    client = phone()
    assert tap(client, do="take_seat", seat="red", name="Ann").status_code == 200
    return client


def tap(client: FlaskClient, headers: dict[str, str] | None = None, **body: Any) -> TestResponse:
    return client.post("/do", json=body, headers=OWN if headers is None else headers)


def refusal(answer: TestResponse) -> tuple[int, str, str]:
    error = answer.get_json()["error"]
    return answer.status_code, error["code"], error["message"]


# ---- pages


def test_a_page_is_given_with_guarded_headers(phone: Callable[[], FlaskClient]) -> None:
    for path in ("/", "/?seat=red", "/?watch", "/board", "/join"):
        page = phone().get(path)
        assert page.status_code == 200
        assert "Eyes of the Emperor" in page.text
        assert "default-src 'self'" in page.headers["Content-Security-Policy"]
        assert page.headers["X-Content-Type-Options"] == "nosniff"
        own = page.text.replace("http://192.168.4.1:8080/", "").replace("http://www.w3.org/2000/svg", "")
        assert "http://" not in own


def test_an_unknown_seat_address_or_name_is_refused_in_a_sentence(phone: Callable[[], FlaskClient]) -> None:
    page = phone().get("/?seat=green")
    assert page.status_code == 404
    assert "This table has no seat &#39;green&#39;, only red and blue." in page.text
    german = phone().get("/?seat=green", headers={"Accept-Language": "de"})
    assert "keinen Platz „Grün“, nur Rot und Blau." in german.text  # only the wrong one was told in German
    assert refusal(phone().get("/state?seat=green"))[:2] == (404, "no_such_seat")
    assert "There is nothing at this address" in phone().get("/admin").text
    assert refusal(phone().get("/do"))[0] == 405
    answer = phone().get("/state", headers={"Host": "evil.example"})
    assert refusal(answer)[:2] == (400, "foreign_name")
    assert "192.168.4.1" in refusal(answer)[2]
    for host in ("192.168.4.1:8080", "table.local", "raspberrypi:8080", "[fe80::1]:80"):
        assert phone().get("/join", headers={"Host": host}).status_code == 200


# ---- the state


def test_a_phone_without_the_seat_sees_what_a_watcher_sees(
    door: FakeDoor, ann: FlaskClient, phone: Callable[[], FlaskClient]
) -> None:
    door.secrets["red"] = {"hints": (HintView(says=Says("hold your jokers")),)}
    assert "jokers" in ann.get("/state?seat=red").text
    stranger = phone().get("/state?seat=red")
    assert stranger.get_json()["seat"] is None
    assert "jokers" not in stranger.text
    assert "jokers" not in ann.get("/state").text


# ---- taps


@pytest.mark.parametrize(
    ("body", "given"),
    [
        ({"do": "end_throw"}, EndThrow(by="Ann")),
        ({"do": "undo", "entry": 31}, Undo(entry=31, by="Ann")),
        ({"do": "put_back", "entry": 31}, IsBack(entry=31, by="Ann")),
        (
            {"do": "answer", "question": "q-32", "choice": "yes"},
            Answer(question="q-32", choice="yes", by="Ann", seat="red"),
        ),
        ({"do": "call_referee", "words": " it\tfell "}, CallReferee(by="Ann", words="it fell")),
        ({"do": "referee_came", "entry": 33}, RefereeCame(entry=33, by="Ann")),
        ({"do": "call_off", "entry": 33}, CallOff(entry=33, by="Ann")),
        (
            {"do": "act", "move": "edge", "values": {"thrower": "blue"}},
            Act(seat="red", move="edge", values={"thrower": "blue"}, by="Ann"),
        ),
        (
            {"do": "correct", "entry": 31, "fact": "in:blue:A", "value": "out", "name": "Rita", "reason": "seen"},
            Correct(entry=31, fact="in:blue:A", value="out", by="Rita (at red)", reason="seen"),
        ),
    ],
)
def test_a_tap_becomes_an_input_in_the_name_of_the_seat(
    door: FakeDoor, ann: FlaskClient, body: dict[str, Any], given: Input
) -> None:
    door.shows(question=shown.question())
    answer = tap(ann, seat="red", **body)
    assert answer.status_code == 200
    assert door.given[-1] == msgspec.structs.replace(given, seat="red")
    assert answer.get_json() == {"entry": door.view().seq}


def test_whoever_leaves_a_seat_or_has_no_secret_does_not_tap_for_it(door: FakeDoor, ann: FlaskClient) -> None:
    assert tap(ann, do="leave_seat", seat="red").status_code == 200
    assert isinstance(door.given[-1], LeaveSeat)
    assert refusal(tap(ann, do="end_throw", seat="red"))[1] == "not_your_seat"
    stranger = create_app(door, join_url="http://192.168.4.1/").test_client()
    assert refusal(tap(stranger, do="take_seat", seat="red", name="Ann"))[:2] == (403, "no_phone")


def test_a_name_must_be_one_and_a_correction_needs_a_reason(ann: FlaskClient) -> None:
    for name, code in (
        ("", "no_name"),
        (" \u202e\u200b ", "no_name"),
        ("x" * 25, "long_name"),
        ("x" * 300, "not_a_tap"),
    ):
        assert refusal(tap(ann, do="take_seat", seat="red", name=name))[1] == code
    body = {"do": "correct", "seat": "red", "entry": 31, "fact": "f", "value": "v", "name": "Ann", "reason": "  "}
    assert refusal(tap(ann, **body))[:2] == (400, "no_reason")


def test_the_paragraphs_of_the_game_are_given_by_heading(door: FakeDoor, ann: FlaskClient) -> None:
    told = ann.get("/rules.json")
    assert told.get_json()["Instructions 11"].startswith("A samurai that only touches the territory does not occupy.")
    assert "gap 24" in told.get_json()
    assert ann.get("/rules.json", headers={"If-None-Match": told.headers["ETag"]}).status_code == 304
    german = ann.get("/rules.json", headers={"Accept-Language": "de", "If-None-Match": told.headers["ETag"]})
    assert german.get_json().keys() == told.get_json().keys()
    assert german.get_json()["Instructions 11"] != told.get_json()["Instructions 11"]
    door.shows(game="tiddlywinks")
    assert ann.get("/rules.json").get_json() == {}


# ---- pictures


def test_a_kept_picture_and_no_other_is_given_by_its_hash(door: FakeDoor, ann: FlaskClient) -> None:
    sha256, picture = next(iter(door.pictures.items()))
    answer = ann.get(f"/evidence/{sha256}.jpg")
    assert answer.data == picture
    assert answer.mimetype == "image/jpeg"
    assert "immutable" in answer.headers["Cache-Control"]
    again = ann.get(f"/evidence/{sha256}.jpg", headers={"If-None-Match": answer.headers["ETag"]})
    assert again.status_code == 304
    asked: list[str] = []
    door.picture = lambda sha256: asked.append(sha256)  # type: ignore[method-assign,assignment]
    for name in ("0" * 64, "0" * 63, "G" * 64, "..", "%00" * 4, "A" * 64, "x" * 5000):
        assert ann.get(f"/evidence/{name}.jpg").status_code == 404
    assert asked == ["0" * 64]


def test_of_a_game_only_its_script_is_given(door: FakeDoor, ann: FlaskClient) -> None:
    found = re.search(r'src="(/static/[0-9a-f]{12}/)whole/', ann.get("/board").text)
    assert found
    script = f"{found[1]}games/eyes_of_the_emperor/page.js"
    answer = ann.get(script, buffered=True)
    assert (answer.status_code, answer.mimetype) == (200, "text/javascript")
    assert "immutable" in answer.headers["Cache-Control"]
    for path in (
        "games/eyes_of_the_emperor/kit.toml",
        "games/race/core.py",
        "games/halma/page.js",
        "games/.//page.js",
    ):
        assert ann.get(script.replace("games/eyes_of_the_emperor/page.js", path)).status_code == 404


def test_a_game_brings_its_style_and_its_boards_picture_from_its_folder(
    home: Path, door: FakeDoor, ann: FlaskClient
) -> None:
    door.shows(game="basic_manipulation")
    styles = re.findall(r'href="(/static/[0-9a-f]{12}/(?:games/\w+/page|table)\.css)"', ann.get("/board").text)
    assert [path.split("/", 3)[3] for path in styles] == ["table.css", "games/race/page.css"]
    shared, its = (ann.get(path, buffered=True) for path in styles)
    assert (its.status_code, its.mimetype) == (200, "text/css")
    assert ".race-board {" in its.text
    assert ".race-board {" not in shared.text
    name = REGISTRY.add(Path(__file__).parents[1] / "data" / "ludo").name
    boards = f"{styles[0].rsplit('/', 1)[0]}/games/{name}/boards"
    answers = [ann.get(f"{boards}/LUDO.{ending}", buffered=True) for ending in ("svg", "toml", "png")]
    assert [(answer.status_code, answer.mimetype) for answer in answers[:1]] == [(200, "image/svg+xml")]
    assert [answer.status_code for answer in answers[1:]] == [404, 404]


def test_the_live_picture_is_there_only_while_the_table_sees(door: FakeDoor, ann: FlaskClient) -> None:
    assert refusal(ann.get("/live.jpg"))[:2] == (503, "blind")
    door.frame = b"jpeg"
    answer = ann.get("/live.jpg")
    assert answer.data == b"jpeg"
    assert answer.headers["Cache-Control"] == "no-store"


def test_a_phone_is_told_in_the_language_of_its_browser_or_the_one_chosen_on_it(ann: FlaskClient) -> None:
    german = {"Accept-Language": "de-AT,de;q=0.9,en;q=0.5"}
    page = ann.get("/?choose", headers=german).text
    assert '<html lang="de">' in page
    assert "Anzeigetafel" in page
    assert ann.get("/state", headers=german).get_json()["hints"] is None
    assert "Land von Blau" in ann.get("/state", headers=german).text
    assert '<html lang="en">' in ann.get("/?choose", headers={"Accept-Language": "fr"}).text
    chosen = ann.post("/language", data={"language": "en", "to": "/board"}, headers=OWN)
    assert chosen.headers["Location"] == "/board"
    assert '<html lang="en">' in ann.get("/?choose", headers=german).text
    assert ann.post("/language", data={"language": "de"}, headers=OWN).location == "/"
    assert ann.get("/nowhere").text.count("Unter dieser Adresse ist nichts") == 1


def test_a_table_that_only_this_machine_reaches_shows_no_code(door: FakeDoor) -> None:
    """The QR code led to 127.0.0.1: each phone that scanned it asked itself."""
    opened: list[str] = []

    def open_network() -> str:
        opened.append("http://192.168.4.9:8000/")
        return opened[-1]

    client = create_app(door, join_url="http://127.0.0.1:8000/", open_network=open_network).test_client()
    for path in ("/join", "/board"):
        assert "QR code" not in client.get(path).text
    assert "This computer only" in client.get("/join").text
    assert client.post("/network", headers=OWN).status_code == 302
    assert opened == ["http://192.168.4.9:8000/"]
    assert "192.168.4.9:8000" in client.get("/join").text
