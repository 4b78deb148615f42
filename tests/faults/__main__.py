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
from tests.faults import disk, event, kills, odd


def run(kind: str, count: int, seed: int, folder: Path) -> dict[str, Any]:
    """Does one kind of fault so often; gives what was counted."""
    match kind:
        case "kills":
            return kills.run(count, seed, folder)
        case "damaged":
            return disk.damaged(folder, count, seed)
        case "event":
            return event.run(count, seed, folder)
        case "phones":
            return odd.phones(folder, seed, hostile=30 * count)
        case _:
            found: dict[str, int] = {}
            does = {"full": disk.full, "read_only": disk.read_only, "clock": odd.clock_jumps}[kind]
            for i, name in enumerate((*GAMES,) * count):
                (folder / str(i)).mkdir()
                counted = does(folder / str(i), name, seed + i)
                found = {key: found.get(key, 0) + value for key, value in {"times": 1, **counted}.items()}
            return found


def main() -> int:
    """Prints what was counted; a fault that was not survived ends it."""
    asked = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    asked.add_argument("kind", choices=["kills", "damaged", "full", "read_only", "clock", "phones", "event"])
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
