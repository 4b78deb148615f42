"""Chooses the scenario. Each is a module: some replace Python's sockets by gevent's when they are imported."""

from __future__ import annotations

import sys
from importlib import import_module

import bench.load

SCENARIOS = ("table", "hours", "hub", "soak")

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in SCENARIOS:
        sys.exit(f"{bench.load.__doc__}\nChoose one of {', '.join(SCENARIOS)}.")
    import_module(f"bench.load.{sys.argv[1]}").main(sys.argv[2:])
