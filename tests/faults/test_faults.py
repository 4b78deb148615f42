"""The short form of `make soak`'s faults: a few of each kind, in processes of their own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from companion.game.known import GAMES
from tests.faults import undone
from tests.faults.disk import DAMAGES, can_mount

ROOT = Path(__file__).resolve().parents[2]


def faults(kind: str, count: int) -> dict[str, Any]:
    """What so many faults of a kind left."""
    command = [sys.executable, "-m", "tests.faults", kind, "--count", str(count), "--seed", "33"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_players_killed_at_any_moment_lose_nothing_that_was_acknowledged() -> None:
    found = faults("kills", 2 * len(GAMES))
    assert (found["killed"], found["lost"], found["doubled"]) == (2 * len(GAMES), 0, 0)
    assert found["acknowledged"] > 50


@pytest.mark.nightly
def test_a_table_killed_while_its_camera_is_looked_through_loses_nothing() -> None:
    found = faults("camera", 2)
    assert (found["killed"], found["lost"], found["doubled"]) == (2, 0, 0)
    assert found["acknowledged"] > 2


def test_an_event_whose_hub_is_killed_loses_nothing_that_was_acknowledged() -> None:
    found = faults("event", 4)
    assert (found["killed"], found["lost"]) == (4, 0)


def test_a_full_disk_refuses_and_the_match_goes_on_when_there_is_room() -> None:
    found = faults("full", 1)
    assert found["times"] == len(GAMES)
    assert found["refused"] >= 5 * len(GAMES)


@pytest.mark.nightly
def test_a_disk_that_may_not_be_written_to_is_said_and_costs_nothing() -> None:
    if not can_mount():
        pytest.skip("this system gives no mounts to processes of its own")
    assert faults("read_only", 1)["refused"] == len(GAMES)


@pytest.mark.nightly
def test_no_damage_of_a_log_is_passed_over_in_silence() -> None:
    found = faults("damaged", len(DAMAGES))
    assert found["silent"] == []
    assert found["damaged"] == len(DAMAGES) * len(GAMES)


@pytest.mark.nightly
def test_a_clock_that_jumps_changes_no_state() -> None:
    assert faults("clock", 1)["jumps"] > 0


@pytest.mark.nightly
def test_phones_that_vanish_stall_or_flood_cost_the_others_nothing() -> None:
    assert faults("phones", 2)["hostile"] >= 60


def test_each_fix_of_a_thing_that_was_found_is_there_and_has_its_test() -> None:
    for fix in undone.FIXES:
        assert fix.there in (ROOT / fix.file).read_text(encoding="utf-8"), f"{fix}: say in fixes.txt what fixes it"
        file, name = fix.test.split("::")
        assert f"def {name.partition('[')[0]}(" in (ROOT / "tests" / file).read_text(encoding="utf-8"), fix
