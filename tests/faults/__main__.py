"""`python -m tests.faults kills --count 300`: one kind of fault, one line of JSON; see `tests.faults`."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from companion.games import GAMES
from tests.faults import disk, kills


def run(kind: str, count: int, seed: int, folder: Path) -> dict[str, Any]:
    """Does one kind of fault so often; gives what was counted."""
    match kind:
        case "kills":
            return kills.run(count, seed, folder)
        case "damaged":
            return disk.damaged(folder, count, seed)
        case _:
            found = {"times": 0, "acknowledged": 0, "refused": 0}
            does = {"full": disk.full, "read_only": disk.read_only}[kind]
            for i, name in enumerate((*GAMES,) * count):
                (folder / str(i)).mkdir()
                counted = does(folder / str(i), name, seed + i)
                found = {key: found[key] + (1 if key == "times" else counted[key]) for key in found}
            return found


def main() -> int:
    """Prints what was counted; a fault that was not survived ends it."""
    asked = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    asked.add_argument("kind", choices=["kills", "damaged", "full", "read_only"])
    asked.add_argument("--count", type=int, default=10)
    asked.add_argument("--seed", type=int, default=1)
    given = asked.parse_args()
    began_s = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        found = run(given.kind, given.count, given.seed, Path(folder))
    print(json.dumps({**found, "s": round(time.monotonic() - began_s, 1)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
