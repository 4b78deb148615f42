"""`python -m tests.faults kills --count 300`: one kind of fault, one line of JSON. `all` does every kind and writes
what was counted to docs/reliability.md. `fixes` takes out the fix
of each fault that was found, one by one, and writes fixes.md; `fixes hub/ web/` those with a test there."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from companion.game.known import GAMES
from tests.faults import camera, disk, event, kills, odd, undone

REPORT = Path(__file__).resolve().parents[2] / "docs" / "reliability.md"
BEGIN, END = "<!-- faults: begin -->", "<!-- faults: end -->"
FIXES = Path(__file__).with_name("fixes.md")
KINDS = {
    "kills": (1.0, "a table killed (SIGKILL), every second time while a throw, answer, correction or tap is entered"),
    "camera": (
        0.2,
        "a table killed while it is played by camera, every second time while a throw or answer is written",
    ),
    "event": (0.2, "a hub killed while it enters pairings, results and corrections"),
    "full": (0.02, "a file that may grow no further in the middle of a match, and later may again"),
    "read_only": (0.01, "a disk that may no longer be written to, and later may again"),
    "damaged": (0.1, "header, middle, tail, write-ahead file or witness flipped, cut, emptied or gone after a kill"),
    "clock": (0.02, "the box's clock jumps years to and fro"),
    "phones": (0.1, "phones that vanish, stall, flood or never finish a request, while two play"),
}
"""Each kind: how often it is done for one kill, and what was done."""


def run(kind: str, count: int, seed: int, folder: Path) -> dict[str, Any]:
    """Does one kind of fault so often; gives what was counted."""
    match kind:
        case "kills":
            return kills.run(count, seed, folder)
        case "camera":
            return camera.run(count, seed, folder)
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


def every_kind(count: int, seed: int) -> list[dict[str, Any]]:
    """Each kind in a process of its own. Ends at the first that was not survived."""
    lines = []
    for kind, (share, _) in KINDS.items():
        often = str(max(1, round(count * share)))
        command = [sys.executable, "-m", "tests.faults", kind, "--count", often, "--seed", str(seed)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        print(done.stdout, end="", flush=True)
        lines.append(json.loads(done.stdout))
    return lines


def written(lines: list[dict[str, Any]]) -> None:
    """Puts what was counted into docs/reliability.md; a kind that was not done this time keeps what stands there."""
    sums: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for line in lines:
        times = line.get("killed") or line.get("damaged") or line.get("hostile") or line.get("times") or 0
        counted = {"times": times, "acknowledged": line.get("acknowledged", 0), "lost": line.get("lost", 0)}
        counted["silent"] = len(line.get("silent", ()))
        for key, value in counted.items():
            sums[line["kind"]][key] += value
    text = REPORT.read_text(encoding="utf-8")
    section = text.split(BEGIN)[1].split(END)[0]
    stood = {row.split("|")[1].strip(): row for row in section.splitlines() if "|" in row}
    rows = [
        "| what was done | times | entries acknowledged | lost without a word |",
        "| --- | --- | --- | --- |",
        *filter(None, (_row(kind, sums[kind]) if kind in sums else stood.get(KINDS[kind][1]) for kind in KINDS)),
    ]
    told = "\n".join(rows)
    REPORT.write_text(text.replace(f"{BEGIN}{section}{END}", f"{BEGIN}\n{told}\n{END}"), encoding="utf-8")


def _write_fixes(table: str) -> None:
    above = FIXES.read_text(encoding="utf-8").split("| fault")[0]
    FIXES.write_text(f"{above}{table}\n", encoding="utf-8")


def _row(kind: str, one: dict[str, int]) -> str:
    return f"| {KINDS[kind][1]} | {one['times']} | {one['acknowledged'] or '-'} | {one['lost'] + one['silent']} |"


def main() -> int:
    """Prints what was counted; a fault that was not survived ends it."""
    asked = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    asked.add_argument("kind", choices=[*KINDS, "all", "fixes"])
    asked.add_argument("files", nargs="*", help="fixes: folders of tests")
    asked.add_argument("--count", type=int, default=10)
    asked.add_argument("--seed", type=int, default=1)
    given = asked.parse_args()
    if given.kind == "all":
        written(every_kind(given.count, given.seed))
        return 0
    began_s = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        if given.kind == "fixes":
            fixes = [fix for fix in undone.FIXES if fix.test.startswith(tuple(given.files) or "")]
            stood = FIXES.read_text(encoding="utf-8")
            undone.run(Path(folder), fixes, lambda came: _write_fixes(undone.table(came, stood)))
            return 0
        found = run(given.kind, given.count, given.seed, Path(folder))
    load = round(os.getloadavg()[0], 1)
    print(json.dumps({"kind": given.kind, **found, "s": round(time.monotonic() - began_s, 1), "load_average": load}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
