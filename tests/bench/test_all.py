"""All benchmarks can be started. The one of a large hall crashed for weeks and nobody noticed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def told(says: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", says], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_a_list_of_benches_leaves_sockets_as_they_are() -> None:
    """`python -m bench` imported each module, and some replace sockets: all figures were of replaced ones."""
    listed = "import sys; from bench.__main__ import benches; print(len(benches()), 'gevent' in sys.modules)"
    count, is_loaded = told(listed)
    assert (int(count) > 10, is_loaded) == (True, "False")


def test_every_benchmark_fit_and_training_can_be_imported() -> None:
    imports = """
import importlib, pkgutil, bench
for found in pkgutil.walk_packages(bench.__path__, "bench."):
    if not found.name.endswith("__main__"):
        try:
            importlib.import_module(found.name)
        except ModuleNotFoundError as missing:
            assert missing.name in ("torch", "onnx", "gevent"), missing
        print(found.name)
"""
    assert len(told(imports)) > 50


def test_the_race_bench_finds_positions() -> None:
    told("from bench import race; race.POSITIONS = 1; [race.positions(game) for game in race.GAMES]")
