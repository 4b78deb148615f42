"""The same rounds paired by other programs, if they are installed: py4swiss, caissify, and bbpPairings on the path.

py4swiss follows the Dutch rules in force until January 2026; bbpPairings 6 and caissify follow the rules from February
2026.
"""

from __future__ import annotations

import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from companion.event.dutch import pairing_numbers
from companion.event.facts import Paired
from companion.event.state import Event
from companion.event.trf import trf

Round = frozenset[frozenset[int]]
"""Pairs of pairing numbers; a bye is alone. Empty: the program finds no round."""
BBP = "bbpPairings"


def peer_version() -> str | None:
    """The installed version of py4swiss; None if it is not installed."""
    try:
        return version("py4swiss")
    except PackageNotFoundError:
        return None


def numbered(event: Event, paired: Paired) -> Round:
    """Our round with the players' numbers of the files."""
    numbers = pairing_numbers(event)
    return frozenset(
        frozenset(numbers[who] for who in seats) for seats in (*paired.tables, *((b,) for b in paired.byes))
    )


def _round(pairs: list[tuple[int, int]]) -> Round:
    return frozenset(frozenset(each for each in pair if each) for pair in pairs)


def py4swiss(event: Event) -> tuple[Round, float] | None:
    """The round of py4swiss, and its processor time in ms without reading the file; None if it is not installed."""
    try:
        from py4swiss.engines import DutchEngine
        from py4swiss.engines.common.exceptions import PairingError
        from py4swiss.trf import TrfParser
    except ImportError:
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "event.trf"
        path.write_text(trf(event), encoding="utf-8", newline="")
        parsed = TrfParser.parse(path)
    began_s = time.process_time()
    try:
        pairs = DutchEngine.generate_pairings(parsed)
    except PairingError:
        pairs = []
    return _round([(each.white, each.black) for each in pairs]), 1000 * (time.process_time() - began_s)


def bbp(event: Event) -> tuple[Round, float] | None:
    """The round of bbpPairings, and the processor time of the whole program; None if it is not on the path."""
    program = shutil.which(BBP) or shutil.which(f"{BBP}.exe")
    if program is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        path, out = Path(folder) / "event.trf", Path(folder) / "pairs"
        path.write_text(trf(event), encoding="utf-8", newline="")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([program, "--dutch", path, "-p", out], capture_output=True, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        rows = out.read_text(encoding="utf-8").split("\n")[1:] if out.exists() else []
    pairs = [(int(a), int(b)) for a, b in (row.split() for row in rows if row.strip())]
    used_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return _round(pairs), 1000 * used_s


PEERS: dict[str, Callable[[Event], tuple[Round, float] | None]] = {"bbpPairings 6": bbp, "py4swiss": py4swiss}


def caissify(event: Event) -> tuple[int, int, float] | None:
    """A finished event checked by caissify: rounds, rounds that caissify pairs otherwise, and its time in ms."""
    try:
        from caissify_pairings.fpc import check_trf
    except ImportError:
        return None
    began_s = time.process_time()
    told = check_trf(trf(event))["summary"]
    used_ms = 1000 * (time.process_time() - began_s)
    return told["rounds_checked"], told["rounds_mismatched"], used_ms
