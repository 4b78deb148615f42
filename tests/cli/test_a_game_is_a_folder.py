"""A game outside of the product, its folder only: thrown on the virtual table, seen, judged, played on two phones."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.app import matches
from companion.app.autoplay import Clock, DrawnFrames
from companion.app.camera_loop import CameraLoop, watch_of
from companion.app.door import TableDoor
from companion.app.playing import MatchChoice
from companion.game.brought import default_kit
from companion.game.game import Game
from companion.match.inputs import RefereeCame
from tests.scenes import SMALL_LENS
from vision.sim.virtual import VirtualTable
from web.table.app import create_app

NAME = "pig-2"
OWN = {"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"}


class Eyes:
    """The virtual table of any game, looked at frame by frame: nothing sleeps."""

    def __init__(self, game: Game[Any, Any]) -> None:
        self.clock = Clock()
        self.kit = default_kit(game.name)
        self.table = VirtualTable(self.kit, SMALL_LENS, clock=self.clock, wait=self.clock.wait, seed=4)
        frames = DrawnFrames(self.table, self.clock)
        self.loop = CameraLoop(frames, watch_of(game, self.table.lens, self.kit, rest_s=0.4))

    def start(self, match: Any) -> None:
        self.match = match

    def stop(self) -> None:
        """No thread was started."""

    def live(self) -> bytes | None:
        return None

    def looks(self, frames: int = 12) -> None:
        for _ in range(frames):
            self.loop.advance(self.match)
            self.match.submit(RefereeCame(entry=0, by="test"))


@pytest.fixture
def eyes(pig: Game[Any, Any]) -> Eyes:
    return Eyes(pig)


@pytest.fixture
def door(eyes: Eyes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TableDoor]:
    monkeypatch.setattr(matches, "time", SimpleNamespace(time=eyes.clock, monotonic=eyes.clock))
    made = TableDoor(tmp_path, lambda game, chosen: eyes)
    made.open(MatchChoice(game=NAME, players=2))
    yield made
    made.close()


def phone(app: Flask, seat: str) -> FlaskClient:
    client = app.test_client()
    client.get(f"/state?seat={seat}")
    assert tap(client, seat, do="take_seat", name=f"Player {seat}").status_code == 200
    return client


def tap(client: FlaskClient, seat: str, **what: Any) -> Any:
    data = json.dumps({"seat": seat, **what})
    return client.post("/do", data=data, content_type="application/json", headers=OWN)


def press(client: FlaskClient, seat: str, eyes: Eyes) -> None:
    """Ends a throw: the phone waits for its answer while the camera goes on looking."""
    pressed = threading.Thread(target=tap, args=(client, seat), kwargs={"do": "end_throw"})
    pressed.start()
    while pressed.is_alive():
        eyes.looks(1)
    pressed.join()
    while client.get(f"/state?seat={seat}").get_json()["waiting"]:  # on a busy machine it is answered before the look
        eyes.looks(1)


def test_it_is_thrown_seen_judged_and_played_on_two_phones(door: TableDoor, eyes: Eyes) -> None:
    app = create_app(door, join_url="http://localhost/")
    phones = {seat: phone(app, seat) for seat in ("A", "B")}
    eyes.looks(20)
    chance = random.Random(7)
    turns = set()
    for _ in range(9):
        view = phones["A"].get("/state?seat=A").get_json()
        table = view["table"]
        seat, points = table["turn"], table["sum"]
        turns.add(seat)
        if points >= 8:
            moves = {move["move"] for move in phones[seat].get(f"/state?seat={seat}").get_json()["moves"]}
            assert "bank" in moves
            assert tap(phones[seat], seat, do="act", move="bank").status_code == 200
            continue
        rolled = chance.randint(1, 6)
        eyes.table.roll(value=rolled, is_cocked=False)
        eyes.clock.wait(3.0)
        press(phones[seat], seat, eyes)
        after = phones["B"].get("/state?seat=B").get_json()
        assert after["seq"] > view["seq"], (after["refused"], after["sight"])
        if after["question"] is not None:  # the die lies near the tray's edge, say: people tell what it shows
            answer = {"question": after["question"]["id"], "choice": str(rolled)}
            assert tap(phones[seat], seat, do="answer", **answer).status_code == 200
            after = phones["B"].get("/state?seat=B").get_json()
        told = after["table"]
        assert (told["turn"], told["sum"]) == ((seat, points + rolled) if rolled > 1 else ("BA"["AB".index(seat)], 0))
    assert turns == {"A", "B"}
    assert any(phones["A"].get("/state?seat=A").get_json()["table"]["scores"].values())
