"""Chooses the reader."""

from __future__ import annotations

import sys
from importlib import import_module

import bench.fit

READERS = ("dice", "rods", "board")

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in READERS:
        sys.exit(f"{bench.fit.__doc__}\nChoose one of {', '.join(READERS)}.")
    sys.exit(import_module(f"bench.fit.{sys.argv[1]}").main(sys.argv[2:]))
