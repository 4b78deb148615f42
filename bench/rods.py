"""Suspend tables by camera: path-traced pictures with exact labels, each read with its camera's own lens.

`python -m bench --shared DIR --only rods` reads `DIR/rods/`. Each picture has a label as a JSON file: `camera_id`,
`camera`, `rods` (`colour`, `zone`, `loose`) and `die` (`colour`). The reader gets only the lens of it.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from bench import harness
from bench.drawn.labels import lens_of
from bench.harness import Line
from companion.game.brought import default_kit
from companion.game.readings import SURE, RodsReading
from docs.sections import as_table
from vision.tables.rods.reader import RodsEye

Count = Counter[tuple[str | None, str | None]]
SHARES = {
    "rods found": ("found", "rods"),
    "counts right": ("counts right", "counts"),
    "counts sure": ("counts sure", "counts"),
    "tables with all counts right": ("tables right", "pictures"),
    "piles right": ("piles right", "piles"),
    "die right": ("die right", "pictures"),
}
NUMBERS = {
    "told, not there": "not there",
    "rods wrong and sure": "sure but wrong",
    "counts wrong and sure": "counts sure but wrong",
    "die wrong and sure": "die sure but wrong",
}


def run(shared: Path) -> int:
    """Reads and scores the pictures of ``rods/``. Exit status: 0; also where there are none."""
    labels = harness.tables_in(shared, "rods")
    if not labels:
        return 0
    kit = default_kit("suspend")
    colors = kit.piece("rod").colors
    by_camera: dict[str, Counter[str]] = {}
    lines: list[Line] = []
    said: list[tuple[float, bool]] = []
    for path, label in labels.items():
        line, reading = harness.read(RodsEye(lens_of(label), kit).read, path.name, harness.picture_at(path))
        lines.append(line)
        said += rods_said(label, line)
        reading = reading or RodsReading(die=None, rods=(), hidden=colors)
        compare(label, reading, colors, by_camera.setdefault(label["camera_id"], Counter()))
    total = sum(by_camera.values(), Counter())
    rows = [row(name, figures) for name, figures in (("all", total), *sorted(by_camera.items()))]
    harness.record(
        "rods",
        "## Suspend tables",
        f"{harness.today()}. Path-traced pictures with exact labels, each read with its camera's own lens. A count is "
        "the number of a color's loose rods; it is sure where every rod of it is, and nothing may lie there unseen. A "
        f"pile is right where all colors in it are. Processor time of a frame: {harness.took(lines)}.",
        as_table(["camera", "pictures", "rods", *SHARES, *NUMBERS], rows),
        harness.reliability(said, "rods"),
    )
    return 0


def rods_said(label: Line, line: Line) -> list[tuple[float, bool]]:
    """The stated chance of each rod of a known color that it is loose, and whether it is."""
    rods = [rod for rod in (*line.get("rods", ()), *line.get("perhaps", ())) if rod["color"] is not None]
    there = [(rod["colour"], rod["zone"]) for rod in label["rods"] if rod["loose"]]
    return harness.borne_out(((rod["confidence"], (rod["color"], rod["zone"])) for rod in rods), there)


def row(name: str, figures: Counter[str]) -> list[object]:
    """A line of the table."""
    shares = [f"{figures[of] / max(figures[all_], 1):.3f}" for of, all_ in SHARES.values()]
    return [name, figures["pictures"], figures["rods"], *shares, *(figures[of] for of in NUMBERS.values())]


def compare(label: dict[str, Any], reading: RodsReading, colors: tuple[str, ...], total: Counter[str]) -> None:
    """Adds a reading's correct and wrong values to the totals."""
    truth: Count = Counter((rod["colour"], rod["zone"]) for rod in label["rods"] if rod["loose"])
    got: Count = Counter((rod.color, rod.zone) for rod in reading.rods)
    sure: Count = Counter((rod.color, rod.zone) for rod in reading.rods if rod.confidence >= SURE)
    total["pictures"] += 1
    total["rods"] += truth.total()
    total["found"] += (truth & got).total()
    total["not there"] += (got - truth).total()
    total["sure"] += sure.total()
    total["sure but wrong"] += (sure - truth).total()
    total["tables right"] += all(_of(truth, color=c).total() == _of(got, color=c).total() for c in colors)
    zones = {zone for _, zone in truth | got}
    total["piles"] += len(zones)
    total["piles right"] += sum(_of(truth, zone=zone) == _of(got, zone=zone) for zone in zones)
    for color in colors:
        told = _of(got, color=color)
        is_right = _of(truth, color=color).total() == told.total()
        is_sure = told == _of(sure, color=color) and color not in reading.hidden
        total["counts"] += 1
        total["counts right"] += is_right
        total["counts sure"] += is_sure
        total["counts sure but wrong"] += is_sure and not is_right
    die = reading.die
    is_die_right = die is not None and die.color == label["die"]["colour"]
    total["die right"] += is_die_right
    total["die sure but wrong"] += (
        die is not None and die.confidence >= SURE and die.color is not None and not is_die_right
    )


def _of(count: Count, *, color: str | None = None, zone: str | None = None) -> Count:
    return Counter(
        {key: n for key, n in count.items() if n and (color or key[0]) == key[0] and (zone or key[1]) == key[1]}
    )
