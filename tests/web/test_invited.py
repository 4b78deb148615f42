"""A stranger on the network does not sit down in somebody's seat."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from companion.app.playing import MatchChoice
from tests.web.table import FAR, NEAR, NUMBER, Table, code, taps
from web.site.post import STREAMING, Handed


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    made = Table(tmp_path)
    made.door.open(MatchChoice(game="eyes_of_the_emperor"))
    yield made
    made.door.close()


def sits(client: FlaskClient, seat: str, number: str = "") -> tuple[int, str | None]:
    return code(taps(client, do="take_seat", seat=seat, name=f"Ann {seat}", number=number))


def test_the_first_sits_freely_and_the_next_need_the_number_that_her_phone_shows(table: Table) -> None:
    ann, stranger = table.phone(NEAR), table.phone(FAR)
    assert sits(ann, "red") == (200, None)
    ann.get("/events?seat=red", environ_overrides={STREAMING: Handed(lambda: None)})  # her phone is connected
    ann.get("/state?seat=red")
    assert sits(stranger, "blue") == (403, "needs_number")
    assert NUMBER not in stranger.get("/join").text
    assert NUMBER in ann.get("/join").text
    assert f'data-asks-number="{NUMBER}"' in stranger.get(f"/?choose&number={NUMBER}").text
    assert sits(stranger, "blue", NUMBER) == (200, None)


def test_guesses_are_few(table: Table) -> None:
    table.sits("red")
    stranger = table.phone(FAR)
    assert {sits(stranger, "blue", f"00000{i}") for i in range(5)} == {(403, "needs_number")}
    assert sits(stranger, "blue", NUMBER) == (429, "guessed")
    assert sits(table.phone("192.168.4.67"), "blue", NUMBER) == (200, None)
