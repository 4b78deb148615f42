"""The result of an examination of the box, for `companion doctor` and its page: green, or what to do."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from companion.game.says import Says


class Level(StrEnum):
    GOOD = "good"
    WARNING = "warning"
    BAD = "bad"
    UNKNOWN = "unknown"


ORDER = (Level.BAD, Level.WARNING, Level.UNKNOWN, Level.GOOD)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One examined thing: its name, its state in words, and what to do if it is not good."""

    name: str
    level: Level
    says: Says
    todo: Says | None = None

    @property
    def line(self) -> str:
        """The finding in one line for a terminal.

        >>> Finding(name="disk", level=Level.BAD, says=Says("98 % full"), todo=Says("delete old matches")).line
        'BAD      disk: 98 % full: delete old matches'
        """
        words = f"{self.says}: {self.todo}" if self.todo else str(self.says)
        return f"{self.level.value.upper():<8} {self.name}: {words}"


def plain(finding: Finding) -> dict[str, str]:
    """The finding as JSON values for a program."""
    todo = "" if finding.todo is None else str(finding.todo)
    return {"name": finding.name, "level": finding.level.value, "says": str(finding.says), "todo": todo}


def good(name: str, says: Says) -> Finding:
    return Finding(name=name, level=Level.GOOD, says=says)


def warning(name: str, says: Says, todo: Says | None = None) -> Finding:
    return Finding(name=name, level=Level.WARNING, says=says, todo=todo)


def bad(name: str, says: Says, todo: Says | None = None) -> Finding:
    return Finding(name=name, level=Level.BAD, says=says, todo=todo)


def unknown(name: str, says: Says, todo: Says | None = None) -> Finding:
    return Finding(name=name, level=Level.UNKNOWN, says=says, todo=todo)


def worst(findings: Iterable[Finding]) -> Level:
    """The worst level of all findings that have one; good without any."""
    levels = {finding.level for finding in findings} - {Level.UNKNOWN}
    return next((level for level in ORDER if level in levels), Level.GOOD)
