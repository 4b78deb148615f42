"""A short form of `make soak`: real processes of broker and hub are killed while tables report."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_every_result_arrives_once_while_broker_and_hub_are_killed(kind: str, new_postgres: Callable[[], str]) -> None:
    more = ["--database", new_postgres(), "--hubs", "2"] if kind == "postgresql" else []
    command = [sys.executable, "-m", "bench.load", "soak", "--tables", "6", "--rounds", "4", *more]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=400, check=False)
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    told = json.loads(done.stdout)
    assert (told["said"], told["arrived"], told["twice"], told["standings_equal"]) == (24, 24, 0, True)
