"""The virtual table's page: what hands do reaches the table, what it shows is the table's, refusals are sentences."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

import web
from companion.game.errors import CompanionError
from tests.web.fake_door import FakeDoor
from tests.web.shown import match_view
from web.table.app import create_app
from web.table.pages import reached_at
from web.table.virtual import DEEDS, virtual_table

OWN = {"Origin": "http://localhost"}


class Full(CompanionError, ValueError):
    pass


class FakeTable:
    """Remembers what was done; `refuses` makes the next deed fail with that sentence."""

    def __init__(self) -> None:
        self.done: list[tuple[Any, ...]] = []
        self.refuses: str | None = None
        self.picture: bytes | None = b"\xff\xd8 picture"
        self.version, self.is_moving = 7, False

    def state(self) -> dict[str, Any]:
        return {"version": self.version, "is_moving": self.is_moving, "pieces": []}

    def live(self) -> bytes | None:
        return self.picture

    def __getattr__(self, name: str) -> Any:
        def deed(*args: Any) -> str | None:
            if self.refuses is not None:
                raise Full(self.refuses)
            self.done.append((name, *args))
            return "ninja_black_1" if name in ("throw", "place") else None

        return deed


@pytest.fixture
def table() -> FakeTable:
    return FakeTable()


@pytest.fixture
def client(table: FakeTable) -> FlaskClient:
    part = virtual_table(table, phone_urls=("/?seat=red&name=Ann", "/?seat=blue"))
    return create_app(FakeDoor(match_view()), join_url="http://localhost/", more=[part]).test_client()


def test_the_page_shows_two_phones_and_needs_nothing_from_elsewhere(client: FlaskClient) -> None:
    page = client.get("/table")
    assert page.status_code == 200
    text = page.get_data(as_text=True)
    assert re.findall(r'<iframe data-src="([^"]+)"', text) == ["/?seat=red&amp;name=Ann", "/?seat=blue"]
    assert not re.search(r"(src|href)=\"https?:", text)
    assert 'style="' not in text  # the page's policy forbids it
    for id in ("end_throw", "undo", "call_referee", "hand_red", "bump", "plug", "light", "set_up"):
        assert f'id="{id}"' in text
    for name in ("whole/virtual/eyes_of_the_emperor.js", "virtual.css"):
        found = re.search(rf'"(/static/\w+/{re.escape(name)})"', text)
        assert found is not None, name
        assert client.get(found[1], buffered=True).status_code == 200


def test_what_hands_do_reaches_the_table(client: FlaskClient, table: FakeTable) -> None:
    throw = {"seat": "red", "kind": "ninja", "from_mm": [-60, 350], "aim_mm": [600, 340], "power": 0.5}
    for sent, done in (
        ({"do": "throw", **throw}, ("throw", "red", "ninja", (-60.0, 350.0), (600.0, 340.0), 0.5)),
        ({"do": "move", "id": "samurai_red_1", "x_mm": 300, "y_mm": 20.5}, ("move", "samurai_red_1", 300.0, 20.5)),
        ({"do": "turn", "id": "territory_red", "angle_deg": -15}, ("turn", "territory_red", -15.0)),
        ({"do": "flip", "id": "empire_die_red_1"}, ("flip", "empire_die_red_1")),
        ({"do": "stack", "id": "a", "on_id": "b"}, ("stack", "a", "b", (0.0, 0.0))),
        ({"do": "roll"}, ("roll", None)),
        ({"do": "remove_all", "ids": ["a", "b"]}, ("remove_all", ("a", "b"))),
        (
            {"do": "lay_from", "seat": "A", "cards": ["5H"], "at_mm": [300, 200]},
            ("lay_from", "A", ("5H",), (300.0, 200.0)),
        ),
        ({"do": "take_up", "ids": ["card_5H_1"], "seat": "B"}, ("take_up", ("card_5H_1",), "B")),
        ({"do": "move_together", "ids": ["a"], "dx_mm": 30, "dy_mm": -4}, ("move_together", ("a",), 30.0, -4.0)),
        ({"do": "press", "button": "end_throw"}, ("press", "end_throw")),
        ({"do": "set_hand", "seat": "blue"}, ("set_hand", "blue")),
        ({"do": "set_light", "level": 0.1}, ("set_light", 0.1)),
        ({"do": "place", "kind": "ninja", "color": "black", "x_mm": 1, "y_mm": 2}, ("place", "ninja", "black", 1, 2)),
    ):
        answer = client.post("/table/do", json=sent, headers=OWN)
        assert answer.status_code == 200
        assert table.done.pop() == done
        assert answer.get_json()["version"] == 7
    assert answer.get_json()["id"] == "ninja_black_1"


def test_what_is_not_understood_is_refused_in_a_sentence(client: FlaskClient, table: FakeTable) -> None:
    for sent in (
        {"do": "burn"},
        {"do": "move", "id": "a", "x_mm": "left", "y_mm": 2},
        {"do": "move", "id": "a", "x_mm": 1e9, "y_mm": 2},
        {"do": "throw", "seat": "red", "kind": "ninja", "from_mm": [0, 0], "aim_mm": [1, 1], "power": 7},
        [1, 2],
    ):
        answer = client.post("/table/do", json=sent, headers=OWN)
        assert answer.status_code == 400
        assert answer.get_json()["error"]["message"].startswith("This is not something a page of this table sends: ")
    assert client.post("/table/do", data=b"\xff{", headers=OWN).get_json()["error"]["code"] == "not_understood"
    assert table.done == []


def test_a_page_of_another_game_learns_that_and_nothing_else(client: FlaskClient) -> None:
    """It drew the new game's pieces between the old one's zones and buttons."""
    of = client.get("/table/state").get_json()["of"]
    assert of == "eyes_of_the_emperor red blue http://localhost/"
    assert f'data-of="{of}"' in client.get("/table").get_data(as_text=True)
    assert client.get("/table/state", query_string={"of": of, "since": 7}).status_code == 204
    # an entry that a phone made is news too: the hint said "both have thrown" of the next throw
    assert client.get("/table/state", query_string={"of": of, "since": 7, "mark": "1"}).status_code == 200
    assert client.get("/table/state", query_string={"of": "center_point r g", "since": 7}).get_json() == {"of": of}


def test_an_open_page_learns_that_its_code_leads_nowhere_now(client: FlaskClient) -> None:
    """After a restart the box was open to its own computer only, and the open page still showed the code to scan."""
    of, newest = client.get("/table/state").get_json()["of"], client.get("/state").get_json()
    assert f'data-join="{newest["join_url"]}"' in client.get("/?choose").text
    assert f'data-join="{newest["join_url"]}"' in client.get("/board").text
    reached_at(client.application, "http://192.168.4.9:8000/")
    assert client.get("/table/state", query_string={"of": of}).get_json().keys() == {"of"}
    assert client.get("/state").get_json()["join_url"] == "http://192.168.4.9:8000/"


def test_what_the_table_cannot_do_is_told_in_its_own_words(client: FlaskClient, table: FakeTable) -> None:
    table.refuses = "every black ninja is in the valley: take one out first"
    answer = client.post("/table/do", json={"do": "bump"}, headers=OWN)
    assert answer.status_code == 409
    assert answer.get_json()["error"]["message"] == f"{table.refuses}."


def test_the_camera_s_picture_or_why_there_is_none(client: FlaskClient, table: FakeTable) -> None:
    picture = client.get("/table/camera.jpg")
    assert picture.mimetype == "image/jpeg"
    assert picture.headers["Cache-Control"] == "no-store"
    table.picture = None
    blind = client.get("/table/camera.jpg")
    assert blind.status_code == 503
    assert blind.get_json()["error"]["message"] == "The camera is unplugged."


def test_the_scripts_send_only_what_the_table_understands() -> None:
    """A deed that the script sends and the server does not know would fail only when a person tries it."""
    static = Path(web.__file__).parent / "static"
    sent = set(re.findall(r'do: "(\w+)"', (static / "virtual.js").read_text(encoding="utf-8")))
    assert sent - {"tell"} <= DEEDS.keys()  # that goes to the match
    assert {"throw", "move", "turn", "stack", "press", "bump", "set_hand", "set_light", "set_plugged", "set_up"} <= sent
