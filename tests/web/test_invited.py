"""A stranger on the network does not sit down in somebody's seat."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.game.known import game_named
from companion.match.match import Match
from companion.record.log import Log
from web.site.post import STREAMING, Handed
from web.table.app import create_app

OWN = {"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"}
NEAR, FAR = "192.168.4.20", "192.168.4.66"


@pytest.fixture
def app(tmp_path: Path) -> Any:
    clock = iter(range(10**6))
    match = Match(
        game_named("eyes_of_the_emperor"),
        Log(tmp_path / "m.db"),
        wall_s=lambda: float(next(clock)),
        monotonic_s=lambda: 0.0,
    )
    yield create_app(match, join_url="http://192.168.4.1/", clock=lambda: 0.0, number="314159")
    match.close()


def phone(app: Flask, at: str) -> FlaskClient:
    client = app.test_client()
    client.environ_base["REMOTE_ADDR"] = at
    client.get("/state")
    return client


def sits(client: FlaskClient, seat: str, number: str = "", holder: str | None = None) -> tuple[int, str | None]:
    tap = {"do": "take_seat", "seat": seat, "name": f"Ann {seat}", "number": number, "holder": holder}
    answer = client.post("/do", data=json.dumps(tap), content_type="application/json", headers=OWN)
    return answer.status_code, answer.get_json().get("error", {}).get("code")


def test_the_first_sits_freely_and_the_next_need_the_number_that_her_phone_shows(app: Flask) -> None:
    ann, stranger = phone(app, NEAR), phone(app, FAR)
    assert sits(ann, "red") == (200, None)
    ann.get("/events?seat=red", environ_overrides={STREAMING: Handed(lambda: None)})  # her phone is connected
    ann.get("/state?seat=red")
    assert sits(stranger, "blue") == (403, "needs_number")
    assert "314159" not in stranger.get("/join").text
    assert "314159" in ann.get("/join").text
    assert 'data-asks-number="314159"' in stranger.get("/?choose&number=314159").text
    assert sits(stranger, "blue", "314159") == (200, None)


def test_guesses_are_few(app: Flask) -> None:
    ann, stranger = phone(app, NEAR), phone(app, FAR)
    sits(ann, "red")
    ann.get("/state?seat=red")
    assert {sits(stranger, "blue", f"00000{i}") for i in range(5)} == {(403, "needs_number")}
    assert sits(stranger, "blue", "314159") == (429, "guessed")
    assert sits(phone(app, "192.168.4.67"), "blue", "314159") == (200, None)


def test_the_machines_own_pages_need_no_number(app: Flask) -> None:
    sits(phone(app, NEAR), "red")
    assert sits(phone(app, "127.0.0.1"), "blue") == (200, None)
