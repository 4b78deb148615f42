"""`python -m bench --shared DIR [--only NAME ...]`: runs every module here that has `run(shared) -> int`."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path


def benches() -> list[str]:
    """Names of the modules here that have a `run`. None is imported: some change how all sockets work."""
    paths = Path(__file__).parent.glob("*.py")
    return sorted(path.stem for path in paths if "\ndef run(shared" in path.read_text(encoding="utf-8"))


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
    return max(import_module(f"bench.{name}").run(asked.shared) for name in (asked.only or known))


if __name__ == "__main__":
    sys.exit(main())
