"""What a network can send: taps at a table, and every call of the hub's API as its own OpenAPI file lists them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.event.hub.roles import Role
from companion.game.known import GAMES, game_named
from companion.match.match import Match
from companion.record.log import Log
from tests.fuzz.odd import FUZZED, VALUES, changed
from tests.hub.hall import Hall
from web.table.app import create_app

OWN = {"Origin": "http://localhost"}
TAPS = [
    {"do": "take_seat", "seat": "A", "name": "Ann", "holder": None, "number": "1"},
    {"do": "act", "seat": "A", "move": "roll", "values": {"color": "red"}},
    {"do": "tell", "seat": "A", "text": "4S 9D"},
    {"do": "answer", "seat": "A", "question": "1:x", "choice": "yes", "reason": "so"},
    {"do": "undo", "seat": "A", "entry": 2},
    {"do": "correct", "seat": "A", "entry": 2, "fact": "f", "value": "v", "name": "Ann", "reason": "so"},
    {"do": "call_referee", "seat": "A", "words": "look", "entry": None},
    {"do": "begin_anew", "seat": "A", "match": "m", "is_given_up": False, "goes_on": False},
]


@pytest.mark.parametrize("name", GAMES)
def test_no_tap_breaks_a_table(name: str, tmp_path: Path) -> None:
    match: Match[Any, Any] = Match(
        game_named(name), Log(tmp_path / "m.db"), wall_s=lambda: 1.0, monotonic_s=lambda: 0.0, has_eyes=False
    )
    client = create_app(match, join_url="http://localhost/").test_client()
    client.get("/state")
    seat = match.view().seats[0].seat
    client.post("/do", json={**TAPS[0], "seat": seat}, headers=OWN)

    @FUZZED
    @given(st.data())
    def tried(data: st.DataObject) -> None:
        tap = data.draw(changed({**data.draw(st.sampled_from(TAPS)), "seat": seat}))
        body = json.dumps(tap).encode("utf-8", "replace")
        answer = client.post("/do", data=body, content_type="application/json", headers=OWN)
        assert answer.status_code in (200, 400, 403, 404, 409, 413, 429), answer.text
        assert answer.status_code == 200 or answer.get_json()["error"]["message"]

    tried()
    match.close()


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    made = Hall(tmp_path / "hub.db", ("Ann", "Ben", "Cora", "Dan"))
    made.pairs()
    yield made
    made.desk.close()
    made.store.close()


@pytest.mark.parametrize("role", [None, Role.PLAYER, Role.ORGANISER])
def test_no_call_of_the_api_breaks_the_hub(hall: Hall, role: Role | None) -> None:
    client = hall.client()
    calls = client.get("/api/openapi.json").get_json()["paths"]
    listed = [(path, method) for path, does in calls.items() for method in does]
    token = None if role is None else hall.people.let_in("cup", role, "Olga", "p1" if role is Role.PLAYER else None)
    known = st.sampled_from(["cup", "1", "2", "p1"])
    bodies = [{"result": {"places": [1, 2]}, "reason": "so"}, {"fact": {"kind": "withdrew", "id": "p1"}}, {}]

    @FUZZED
    @given(st.data())
    def tried(data: st.DataObject) -> None:
        path, method = data.draw(st.sampled_from(listed))
        for part in [part[1:-1] for part in path.split("/") if part.startswith("{")]:
            odd = st.text(st.characters(codec="utf-8", exclude_characters="/?#"), min_size=1, max_size=8)
            path = path.replace(f"{{{part}}}", data.draw(st.one_of(known, st.integers().map(str), odd)))
        told = data.draw(st.one_of(changed(data.draw(st.sampled_from(bodies))), VALUES))
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        key = data.draw(st.one_of(st.none(), st.text(st.characters(codec="ascii", categories=["L"]), max_size=9)))
        answer = client.open(
            path,
            method=method.upper(),
            data=json.dumps(told).encode("utf-8", "replace"),
            headers={**headers, **({} if key is None else {"Idempotency-Key": key})},
        )
        assert answer.status_code < 500, (path, method, told, answer.text)
        if answer.status_code >= 400:
            assert answer.get_json()["error"]["message"]

    tried()
