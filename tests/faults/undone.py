"""Faults that were found, the fix of each, and the test that fails without the fix: taken out one by one, in a copy.

Each test is one of `make test`. A test that still passes without its fix proves nothing: then the tool fails.
A test that hangs counts as failed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HANGS_S = 60.0
"""A test that takes longer hangs, s. With its fix the longest takes ten."""
MOST_BYTES = 6 * 1024**3
"""Memory of a test: one that reads on for ever fails at that."""
LEFT_OUT = shutil.ignore_patterns(".git", ".venv*", "__pycache__", ".*_cache", "build", "dist", "*.egg-info")


@dataclass(frozen=True, slots=True)
class Fix:
    """One fix: in `file` the text `there` is what fixes `found`; with `gone` in its place it is taken out.

    `test` is a node of pytest below tests/, without its parameters.
    """

    found: str
    file: str
    there: str
    gone: str
    test: str


def listed(text: str) -> tuple[Fix, ...]:
    """The fixes of `fixes.txt`: what was found, `@` the file, `-` what is there, `+` what goes in, `>` the test."""
    fixes = []
    for part in (part for part in text.strip().split("\n\n") if not part.startswith("#")):
        found, *marked = part.split("\n")
        file, there, gone, test = ("\n".join(line[2:] for line in marked if line[0] == mark) for mark in "@-+>")
        fixes.append(Fix(found, file, there, gone, test))
    return tuple(fixes)


FIXES = listed(Path(__file__).with_name("fixes.txt").read_text(encoding="utf-8"))


Came = list[tuple[Fix, str]]
"""Mends that were taken out, and what the test of each then did."""


def run(folder: Path, fixes: Sequence[Fix] = FIXES, keep: Callable[[Came], object] = lambda came: None) -> Came:
    """Takes out fixes one by one, in a copy; no test may pass then. `keep` is given the results after each."""
    copy = folder / "copy"
    shutil.copytree(ROOT, copy, ignore=LEFT_OUT, symlinks=True)
    assert tested(copy, [fix.test for fix in fixes], is_told=True) == "passes", "a test fails with its fix"
    came: Came = []
    for fix in fixes:
        file = copy / fix.file
        text = file.read_text(encoding="utf-8")
        assert fix.there in text, f"{fix.file}: {fix.there!r} is not there: say in tests/faults/fixes.txt what fixes it"
        file.write_text(text.replace(fix.there, fix.gone), encoding="utf-8")
        does = tested(copy, [fix.test], is_told=False)
        file.write_text(text, encoding="utf-8")
        came.append((fix, does))
        keep(came)
        print(f"{does} without: {fix.found}", file=sys.stderr, flush=True)
    idle = [fix for fix, does in came if does == "passes"]
    assert not idle, f"these pass without what fixes them: {', '.join(fix.test for fix in idle)}"
    return came


def tested(copy: Path, tests: list[str], *, is_told: bool) -> str:
    """What tests do in a copy of the sources: `passes`, `fails` or `hangs`. `is_told`: a failure is printed."""
    asked = ["-q", "-x", "-n", "0", "-m", "not nightly", "-p", "no:cacheprovider", *(f"tests/{test}" for test in tests)]
    command = ["prlimit", f"--as={MOST_BYTES}", "--", sys.executable, "-m", "pytest", *asked]
    given = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        limit_s = HANGS_S * len(tests)
        done = subprocess.run(
            command, cwd=copy, env=given, capture_output=True, text=True, timeout=limit_s, check=False
        )
    except subprocess.TimeoutExpired:
        return "hangs"
    assert done.returncode in (0, 1), f"{tests} did not run in `make test`: {done.stdout[-2000:]}{done.stderr[-2000:]}"
    if done.returncode and is_told:
        print(done.stdout[-4000:], file=sys.stderr)
    return "fails" if done.returncode else "passes"


def table(came: Came, stood: str = "") -> str:
    """The fixes as rows; one that was not tried this time keeps the row that stood there."""
    rows = ["| fault: its fix | test | without the fix the test |", "| --- | --- | --- |"]
    told = {fix: does for fix, does in came}
    for fix in FIXES:
        file, name = fix.test.split("::")
        begins = f"| {fix.found} | `{file}`: {name.removeprefix('test_').replace('_', ' ')} | "
        if fix in told:
            rows.append(f"{begins}{told[fix]} |")
        else:
            rows += [row for row in stood.splitlines() if row.startswith(begins)]
    return "\n".join(rows)
