"""A short form of `make soak`: real processes of broker and hub are killed while tables report."""

# ruff: noqa: F811
from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from bench.load.soak import HallProcesses, facts
from bench.servers import Mosquitto
from companion.event.facts import won
from companion.event.formats import next_round
from companion.event.hub.desk import HUB
from companion.event.hub.facts import Assigned
from companion.event.hub.link import HubMessage
from companion.event.hub.people import Admissions
from companion.event.hub.roles import Role
from companion.event.hub.store import HUB_ID
from tests.hub.test_browser import DESKTOP, opens  # noqa: F401

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.parametrize("more", [(), ("--postgresql", "--hubs", "2")])
def test_every_result_arrives_once_while_broker_hub_database_and_boxes_are_killed(more: Sequence[str]) -> None:
    command = [sys.executable, "-m", "bench.load", "soak", "--tables", "6", "--rounds", "5", *more]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=400, check=False)
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    told = json.loads(done.stdout)
    assert (told["said"], told["arrived"], told["twice"], told["standings_equal"]) == (30, 30, 0, True)
    assert told["boxes_killed"] == 4


@pytest.mark.browser
def test_an_open_desk_shows_each_result_once_after_broker_hub_and_a_table_lost_their_power(
    opens: Callable[..., Page], tmp_path: Path
) -> None:
    hall = HallProcesses(tmp_path, 2, str(tmp_path / "hub.db"), 1, Mosquitto(tmp_path / "broker"))
    try:
        log = hall.desk.begin("hall", facts(4, 1), HUB)
        hall.desk.say("hall", (next_round(log.tournament), Assigned(1, 1, "t1"), Assigned(1, 2, "t2")), HUB)
        told = {box: HubMessage(f"{box}:m", each.id, won(0)) for box, each in hall.orders_of(1).items()}
        desk, url = opens(DESKTOP), f"http://127.0.0.1:{hall.ports[0]}/"
        token = Admissions(hall.desk).let_in(HUB_ID, Role.ORGANISER, "Olga", None)
        desk.context.add_cookies([{"name": f"hub_{HUB_ID}", "value": token, "url": url}])
        desk.goto(f"{url}e/hall/desk")
        expect(desk.locator("#tables").get_by_role("link", name="Enter")).to_have_count(2)
        hall.brokers.kill()
        hall.kill_hub(0)
        hall.ends["t1"].tells(told["t1"])
        hall.kill_box(told["t2"], "t2")
        hall.brokers.start()
        hall.start_hub(0)
        expect(desk.get_by_role("heading", name="Final standings")).to_be_visible(timeout=60_000)
        desk.get_by_role("link", name="History").click()
        for table in (1, 2):
            expect(desk.get_by_text(f"Round 1, table {table}: ")).to_have_count(1)
    finally:
        hall.close()
