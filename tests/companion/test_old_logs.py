"""A log of any released version is judged as it was judged then: same state, same rulings, same hints."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from companion.game.known import GAMES
from companion.record.check import verify
from tests.companion.old_logs import LOGS, told

KEPT = sorted(LOGS.glob("*/*.db"))


def test_each_release_left_the_logs_of_its_games() -> None:
    assert {path.parent.name for path in KEPT} >= {"0.1.0", "unreleased"}
    assert {path.stem for path in KEPT if path.parent.name != "0.1.0"} == set(GAMES)


@pytest.mark.parametrize("log", KEPT, ids=lambda path: f"{path.parent.name} {path.stem}")
def test_a_released_log_is_whole_and_judged_as_it_was(log: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copy2(log, tmp_path))  # reading may write beside it
    assert verify(copy).faults == ()
    assert holds(json.loads(log.with_suffix(".json").read_text(encoding="utf-8")), json.loads(json.dumps(told(copy))))


def holds(expected: Any, now: Any) -> bool:
    """Whether a value is as it was; a state may have new fields."""
    if isinstance(expected, dict) and isinstance(now, dict):
        return all(key in now and holds(value, now[key]) for key, value in expected.items())
    if isinstance(expected, list) and isinstance(now, list):
        return len(expected) == len(now) and all(map(holds, expected, now))
    return bool(expected == now)
