"""The result of an examination of the box: green, or one line of what to do. `companion doctor` and its page show the
same findings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from companion.game.says import Says


class Level(StrEnum):
    """How a thing is."""

    GOOD = "good"
    WARNING = "warning"
    BAD = "bad"
    UNKNOWN = "unknown"


ORDER = (Level.BAD, Level.WARNING, Level.UNKNOWN, Level.GOOD)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was looked at: what it is, how it is in words, and what to do where that is something."""

    name: str
    level: Level
    says: Says
    todo: Says | None = None

    @property
    def line(self) -> str:
        """One line for a terminal.

        >>> Finding(name="disk", level=Level.BAD, says=Says("98 % full"), todo=Says("delete old matches")).line
        'BAD      disk: 98 % full: delete old matches'
        """
        words = f"{self.says}: {self.todo}" if self.todo else str(self.says)
        return f"{self.level.value.upper():<8} {self.name}: {words}"


def plain(finding: Finding) -> dict[str, str]:
    """It as words for a program."""
    todo = "" if finding.todo is None else str(finding.todo)
    return {"name": finding.name, "level": finding.level.value, "says": str(finding.says), "todo": todo}


def good(name: str, says: Says) -> Finding:
    """A thing that is as it should be."""
    return Finding(name=name, level=Level.GOOD, says=says)


def warning(name: str, says: Says, todo: Says | None = None) -> Finding:
    """A thing that works and will hurt."""
    return Finding(name=name, level=Level.WARNING, says=says, todo=todo)


def bad(name: str, says: Says, todo: Says | None = None) -> Finding:
    """A thing that does not work."""
    return Finding(name=name, level=Level.BAD, says=says, todo=todo)


def unknown(name: str, says: Says, todo: Says | None = None) -> Finding:
    """A thing that this machine does not tell."""
    return Finding(name=name, level=Level.UNKNOWN, says=says, todo=todo)


def worst(findings: Iterable[Finding]) -> Level:
    """The worst level of all that tell something; good where there are none."""
    levels = {finding.level for finding in findings} - {Level.UNKNOWN}
    return next((level for level in ORDER if level in levels), Level.GOOD)
