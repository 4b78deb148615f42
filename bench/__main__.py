"""`python -m bench --shared DIR [--only NAME ...]`: runs every module here that has `run(shared) -> int`."""

from __future__ import annotations

import argparse
import pkgutil
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import bench

OF_TRAINING = ("mitsuba", "torch")
"""Packages of the extra `train`: a module that needs one renders or trains and is no bench."""


def benches() -> dict[str, Callable[[Path], int]]:
    """The benches by module name; a module without `run` is none."""
    found = {}
    for info in pkgutil.iter_modules(bench.__path__):
        if info.ispkg or info.name == "__main__":
            continue
        try:
            run = getattr(import_module(f"bench.{info.name}"), "run", None)
        except ModuleNotFoundError as error:
            if error.name not in OF_TRAINING:
                raise
            continue
        if run is not None:
            found[info.name] = run
    return found


def main() -> int:
    """Exit status: the worst of the benches'."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--shared", type=Path, required=True, help="folder with photos/ and score.py")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="this bench only; may be repeated")
    asked = parser.parse_args()
    known = benches()
    unknown = [name for name in asked.only if name not in known]
    if unknown:
        parser.error(f"there is no bench {unknown[0]!r}: take one of {', '.join(known)}")
    if not asked.shared.is_dir():
        parser.error(f"{asked.shared} is no folder: give the folder that holds photos/ and score.py")
    return max([known[name](asked.shared) for name in (asked.only or known)], default=0)


if __name__ == "__main__":
    sys.exit(main())
