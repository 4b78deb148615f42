"""Health of the machine: voltage, heat, disk, clock. It is read from the kernel's files, so a laptop answers too."""

import contextlib
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

from companion.game.findings import Finding, bad, good, unknown, warning
from companion.game.says import Says

HOT_C, TOO_HOT_C = 70.0, 80.0
"""From 80 degrees a Pi slows itself down."""
LEAST_FREE_BYTES, FEW_FREE_BYTES = 200e6, 1e9
OLDEST_YEAR = 2026
"""A clock before this year was never set: a Pi without a network begins at the date of its last shutdown, or in
1970."""
AHEAD_S = 120.0
BUSY_SHARE = 0.8
"""Share of a core; a program that uses this much has no time left."""
OVERLAYS, FLEETING = ("boot=overlay", "overlayroot="), ("overlay", "tmpfs")
"""Words of the kernel's command line for a read-only root, and file systems that forget."""
NOT_TOLD = Says("this machine does not report it")


class Effort:
    """Processor load since a moment. A camera that has little light waits; a slow processor does not.

    Args:
        clock, own, load: seconds; processor seconds of this program; programs of this machine that want to run.
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        own: Callable[[], float] = time.process_time,
        load: Callable[[], float] = lambda: os.getloadavg()[0],
    ) -> None:
        self._clock, self._own, self._load = clock, own, load
        self.begin()

    def begin(self) -> None:
        """Starts the measurement."""
        self._since = self._clock(), self._own()

    @property
    def is_busy(self) -> bool:
        """Whether this program used up a processor core, or all programs together used up all of them."""
        passed_s, own_s = self._clock() - self._since[0], self._own() - self._since[1]
        return own_s >= BUSY_SHARE * passed_s > 0 or self._load() >= (os.cpu_count() or 1)


def examine(data: Path) -> list[Finding]:
    """Voltage, heat, disk and clock."""
    return [voltage(), heat(), disk(data), clock(data, Path("/"), time.time())]


def voltage(root: Path = Path("/")) -> Finding:
    """Whether the supply voltage is stable: the Pi's own alarm."""
    for name in sorted((root / "sys/class/hwmon").glob("*/name")):
        if _text(name) != "rpi_volt":
            continue
        alarm = _text(name.with_name("in0_lcrit_alarm"))
        if alarm == "1":
            todo = Says("use the Pi's own power supply and a short cable: most strange faults come from a weak supply")
            return bad("voltage", Says("the power supply is too weak"), todo)
        return good("voltage", Says("the power supply is strong enough"))
    return unknown("voltage", NOT_TOLD)


def heat(root: Path = Path("/")) -> Finding:
    """The processor's temperature."""
    readings = [_text(path) for path in (root / "sys/class/thermal").glob("thermal_zone*/temp")]
    degrees = [int(text) / 1000 for text in readings if text is not None and text.lstrip("-").isdigit()]
    if not degrees:
        return unknown("temperature", NOT_TOLD)
    hottest = {"n": round(max(degrees))}
    if max(degrees) >= TOO_HOT_C:
        says = Says("{n} degrees, and the processor slows down", hottest)
        return bad("temperature", says, Says("give the box more air, or a cooler"))
    if max(degrees) >= HOT_C:
        return warning("temperature", Says("{n} degrees", hottest), Says("give the box more air"))
    return good("temperature", Says("{n} degrees", hottest))


def disk(data: Path, root: Path = Path("/")) -> Finding:
    """Free disk space for matches, and whether it outlives a power cut: the root may be read-only under an overlay."""
    if any(word in (_text(root / "proc/cmdline") or "") for word in OVERLAYS) and _kind_of(data, root) in FLEETING:
        todo = Says("give matches a partition of their own, see docs/appliance.md")
        return bad("disk", Says("matches are lost when the box is switched off: the card is read-only"), todo)
    there = next((folder for folder in (data, *data.parents) if folder.exists()), Path("/"))
    try:
        free = shutil.disk_usage(there).free
    except OSError as error:
        says = Says("{folder} cannot be asked ({why})", {"folder": str(there), "why": error.strerror})
        return bad("disk", says, Says("check the memory card"))
    says = Says("{gb} GB free", {"gb": f"{free / 1e9:.1f}"})
    if free < LEAST_FREE_BYTES:
        todo = Says("delete old matches, or use a larger card: nothing can be saved when it is full")
        return bad("disk", says, todo)
    if free < FEW_FREE_BYTES:
        return warning("disk", says, Says("delete old matches soon"))
    return good("disk", says)


def clock(data: Path, root: Path, now_s: float) -> Finding:
    """Whether the time of day can be right. Play uses another clock; records use the time of day."""
    shown = {"time": time.strftime("%Y-%m-%d %H:%M", time.gmtime(now_s)) + " UTC"}
    todo = Says("connect the box to the internet once, or set the time by `sudo date -s`")
    if time.gmtime(now_s).tm_year < OLDEST_YEAR:
        return bad("clock", Says("it says {time}, and was never set", shown), todo)
    newest_s = max((stamp for path in data.glob("*/*.db") if (stamp := _changed_s(path)) is not None), default=0.0)
    if newest_s > now_s + AHEAD_S:
        return bad("clock", Says("it says {time}, before the last match was played", shown), todo)
    if (root / "run/systemd/timesync/synchronized").exists():
        return good("clock", Says("{time}, set from the network", shown))
    says = Says("{time}, not checked against the network", shown)
    return warning("clock", says, Says("matches are dated by this clock"))


def _kind_of(folder: Path, root: Path) -> str:
    """The type of the file system of a folder."""
    mounts = [line.split()[1:3] for line in (_text(root / "proc/self/mounts") or "").splitlines()]
    return max(([at, kind] for at, kind in mounts if folder.is_relative_to(at)), key=lambda each: len(each[0]))[1]


def _changed_s(path: Path) -> float | None:
    with contextlib.suppress(OSError):
        return path.stat().st_mtime
    return None


def _text(path: Path) -> str | None:
    with contextlib.suppress(OSError, UnicodeDecodeError):
        return path.read_text(encoding="utf-8").strip()
    return None
