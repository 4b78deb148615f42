"""The stream of whole views: newest first, a beat in silence, a cap, and an end that leaves nobody waiting."""

from __future__ import annotations

import json
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.game.says import Says
from companion.game.view import HintView
from tests.web.fake_door import NOW_S, FakeDoor
from web.site.places import OF_A_PHONE
from web.site.post import STREAMING, Handed
from web.table.app import create_app


@pytest.fixture
def app(door: FakeDoor) -> Flask:
    return create_app(door, join_url="http://192.168.4.1/", max_streams=8, clock=lambda: NOW_S)


def phone_at(app: Flask, seat: str | None = None) -> FlaskClient:
    client = app.test_client()
    client.get("/state")
    if seat:
        body = {"do": "take_seat", "seat": seat, "name": seat}
        assert client.post("/do", json=body, headers={"Origin": "http://localhost"}).status_code == 200
    return client


class Listener:
    """Reads one stream, message by message."""

    def __init__(self, client: FlaskClient, query: str = "", **headers: str) -> None:
        self.handed = Handed(lambda: None)
        self.answer = client.get(f"/events{query}", headers=headers, environ_overrides={STREAMING: self.handed})

    def next(self) -> str:
        """What it is told; a beat where that is nothing."""
        told = self.handed.stream.told()
        assert told is not None
        return (told or self.handed.stream.beat).decode()

    def of(self, event: str) -> dict[str, Any]:
        lines = dict(line.split(": ", 1) for line in self.next().strip().split("\n"))
        assert lines["event"] == event
        told: dict[str, Any] = json.loads(lines["data"])
        assert event != "view" or int(lines["id"]) == told["seq"]
        return told

    def is_over(self) -> bool:
        return self.handed.stream is not None and self.handed.stream.told() is None

    def close(self) -> None:
        if self.handed.stream is not None:
            self.handed.stream.close()


def test_the_newest_whole_view_comes_first_with_its_number(app: Flask, door: FakeDoor) -> None:
    listener = Listener(phone_at(app))
    assert listener.answer.mimetype == "text/event-stream"
    assert listener.answer.headers["Cache-Control"] == "no-store"
    assert listener.next() == "retry: 500\n\n"
    assert listener.of("view")["seq"] == 31
    door.shows(seq=32)
    door.shows(seq=33)
    assert listener.of("view")["seq"] == 33
    listener.close()


def test_who_watches_leaves_places_for_who_plays(door: FakeDoor) -> None:
    """Watchers' streams took every place, and a player's phone that came back had none."""
    app = create_app(door, join_url="http://192.168.4.1/", max_streams=50, clock=lambda: NOW_S)
    player = phone_at(app, "red")
    watching = [Listener(phone_at(app)) for _ in range(49)]
    assert [watcher.answer.status_code for watcher in watching] == [200] * 48 + [503]
    assert Listener(player, "?seat=red").answer.status_code == 200


def test_a_page_that_reconnects_replaces_its_older_stream(app: Flask, door: FakeDoor) -> None:
    client = phone_at(app)
    older = Listener(client, "?page=abc")
    older.next(), older.next()
    newer = Listener(client, "?page=abc")
    other = Listener(client, "?page=xyz")
    assert older.is_over()
    assert newer.next()
    assert other.next()
    assert len(door.subscriptions) == 2


def test_a_stream_never_tells_a_seats_secrets_to_another_phone(app: Flask, door: FakeDoor) -> None:
    door.secrets["red"] = {"hints": (HintView(says=Says("hold your jokers")),)}
    red = Listener(phone_at(app, "red"), "?seat=red")
    red.next()
    assert "jokers" not in json.dumps(red.of("view"))
    assert red.of("hints")["hints"][0]["says"] == "hold your jokers"
    blue = Listener(phone_at(app, "blue"), "?seat=red")
    blue.next()
    assert "jokers" not in json.dumps(blue.of("view"))
    assert blue.next().startswith(": ")  # no hints, a beat


def test_a_phone_that_loses_its_seat_loses_its_stream(app: Flask, door: FakeDoor) -> None:
    red = Listener(phone_at(app, "red"), "?seat=red")
    red.next(), red.next()
    door.holders["red"] = "another phone"
    door.shows(seq=32)
    assert red.is_over()


def test_one_phone_cannot_take_all_places(app: Flask) -> None:
    client = phone_at(app)
    codes = [Listener(client, f"?page={n}").answer.status_code for n in range(OF_A_PHONE + 1)]
    assert codes == [200] * OF_A_PHONE + [503]
