"""A short form of `make soak`: real processes of broker and hub are killed while tables report."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

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
