"""What an examination of the box found: green, or one line of what to do. `companion doctor` and its page show the
same."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


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
    says: str
    todo: str = ""

    @property
    def line(self) -> str:
        """One line for a terminal.

        >>> Finding(name="disk", level=Level.BAD, says="98 % full", todo="delete old matches").line
        'BAD      disk: 98 % full: delete old matches'
        """
        words = f"{self.says}: {self.todo}" if self.todo else self.says
        return f"{self.level.value.upper():<8} {self.name}: {words}"


def good(name: str, says: str) -> Finding:
    """A thing that is as it should be."""
    return Finding(name=name, level=Level.GOOD, says=says)


def warning(name: str, says: str, todo: str = "") -> Finding:
    """A thing that works and will hurt."""
    return Finding(name=name, level=Level.WARNING, says=says, todo=todo)


def bad(name: str, says: str, todo: str = "") -> Finding:
    """A thing that does not work."""
    return Finding(name=name, level=Level.BAD, says=says, todo=todo)


def unknown(name: str, says: str, todo: str = "") -> Finding:
    """A thing that this machine does not tell."""
    return Finding(name=name, level=Level.UNKNOWN, says=says, todo=todo)


def worst(findings: Iterable[Finding]) -> Level:
    """The worst level of all that tell something; good where there are none."""
    levels = {finding.level for finding in findings} - {Level.UNKNOWN}
    return next((level for level in ORDER if level in levels), Level.GOOD)
