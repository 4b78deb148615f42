"""The same rounds paired by py4swiss (a FIDE Dutch engine in C++), where it is installed: `make bench` sees to it."""

from __future__ import annotations

import tempfile
import time
from fractions import Fraction
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from companion.event.record import How, RoundLine, points_now, records
from companion.event.state import Event
from companion.event.swiss import ranked, seeding

CODES = {How.BYE: "U", How.FORFEIT_WON: "+", How.FORFEIT_LOST: "-", How.SAT_OUT: "Z", How.LATE: "Z", How.AWAY: "Z"}


def peer_version() -> str | None:
    """The installed version; None: not installed."""
    try:
        return version("py4swiss")
    except PackageNotFoundError:
        return None


def peer_ms(event: Event) -> float | None:
    """The processor time that py4swiss takes to pair the next round, its file read beforehand; None: not installed."""
    try:
        from py4swiss.engines import DutchEngine
        from py4swiss.trf import TrfParser
    except ImportError:
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "event.trf"
        path.write_text(trf(event), encoding="utf-8")
        parsed = TrfParser.parse(path)
    began_s = time.process_time()
    DutchEngine.generate_pairings(parsed)
    return 1000 * (time.process_time() - began_s)


def trf(event: Event) -> str:
    """The event as FIDE's TRF(x): the first seat has the white pieces.

    Source: FIDE, Tournament Report File 2016, and JaVaFo's advanced user manual (XXR, XXC).
    """
    lines, points = records(event), points_now(event)
    seeds = {who: number for number, who in enumerate(seeding(event, event.entrants), 1)}
    places = {who: place for place, who in enumerate(ranked(event, event.entrants, points), 1)}
    rows = [f"XXR {event.settings.rounds}", "XXC white1"]
    for who, number in seeds.items():
        rating = event.entrants[who].rating
        head = f"001 {number:4d}      {event.says(who)[:33]:33s} {rating:4d}" + " " * 28
        score = f"{float(points[who]):4.1f} {places[who]:4d}"
        rows.append(head[:80].ljust(80) + score + "".join(f"  {_cell(line, seeds)}" for line in lines[who]))
    return "\n".join(rows) + "\n"


def _cell(line: RoundLine, seeds: dict[str, int]) -> str:
    if line.how is not How.PLAYED or line.share is None:
        return f"0000 - {CODES[line.how]}"
    result = {Fraction(1): "1", Fraction(0): "0"}.get(line.share, "=")
    return f"{seeds[line.opponents[0]]:4d} {'w' if line.is_first else 'b'} {result}"
