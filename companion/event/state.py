"""An event in plain frozen values; `fold` makes it from the entries."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from companion.event.facts import Apart, Fixed, Result
from companion.event.refused import EventRefused
from companion.event.settings import Settings


@dataclass(frozen=True, slots=True)
class Entrant:
    """A player, or a team of partners that plays as one."""

    id: str
    name: str
    rating: int
    members: tuple[str, ...]
    first_round: int
    away: tuple[tuple[int, int | None], ...] = ()
    """Withdrawals: the first round missed, and the first round played again (None: still withdrawn)."""
    asked_out: Mapping[int, Fraction | None] = field(default_factory=dict)
    """The rounds that they asked to sit out, with what each is worth; None: as the settings say."""
    club: str = ""
    absent: frozenset[int] = frozenset()
    """Rounds in `asked_out` without a request: the entrant was missing when the round was paired."""

    def is_here(self, number: int) -> bool:
        """Whether they are entered and have not withdrawn for a round."""
        gone = any(since <= number and (until is None or number < until) for since, until in self.away)
        return number >= self.first_round and not gone

    def is_free(self, number: int) -> bool:
        return self.is_here(number) and number not in self.asked_out


@dataclass(frozen=True, slots=True)
class RoundTable:
    """One table of a round; `result` is None while it is open."""

    seats: tuple[str, ...]
    result: Result | None = None
    reason: str = ""
    """Why the organiser set this table; empty: the engine did."""


@dataclass(frozen=True, slots=True)
class Round:
    """A published round. `points_then`: each entrant's points when it was paired, for the reasons of that round."""

    number: int
    tables: tuple[RoundTable, ...]
    byes: tuple[str, ...]
    rests: tuple[str, ...]
    engine: tuple[tuple[str, ...], ...] | None
    reason: str
    points_then: Mapping[str, Fraction]

    @property
    def is_over(self) -> bool:
        """Whether every table has its result."""
        return all(table.result is not None for table in self.tables)


@dataclass(frozen=True, slots=True)
class Event:
    name: str
    settings: Settings
    entrants: Mapping[str, Entrant] = field(default_factory=dict)
    rounds: tuple[Round, ...] = ()
    fixed: tuple[Fixed, ...] = ()
    apart: tuple[Apart, ...] = ()
    is_archived: bool = False

    @property
    def next_number(self) -> int:
        return len(self.rounds) + 1

    def says(self, entrant: str) -> str:
        return self.entrants[entrant].name

    def here(self, number: int) -> list[str]:
        """The entrants who are entered for a round and have not withdrawn."""
        return [who for who, each in self.entrants.items() if each.is_here(number)]

    def free(self, number: int) -> list[str]:
        """Those of them who did not ask to sit it out."""
        return [who for who in self.here(number) if number not in self.entrants[who].asked_out]

    def kept_from(self, entrant: str) -> set[str]:
        """Forbidden opponents of each entrant in the next round."""
        number, club = self.next_number, self.entrants[entrant].club
        found = {
            who
            for each in self.apart
            if entrant in each.entrants and (each.until is None or number <= each.until)
            for who in each.entrants
        }
        if club and number <= self.settings.clubs_apart:
            found |= {who for who, each in self.entrants.items() if each.club == club}
        return found - {entrant}

    def table(self, number: int, table: int) -> RoundTable:
        """A table by its round and number, both from 1. Raises: EventRefused."""
        if not 1 <= number <= len(self.rounds) or not 1 <= table <= len(self.rounds[number - 1].tables):
            raise EventRefused("round {round} has no table {table}", round=number, table=table)
        return self.rounds[number - 1].tables[table - 1]


def known(event: Event, entrant: str) -> Entrant:
    """An entrant by id. Raises: EventRefused."""
    if entrant not in event.entrants:
        raise EventRefused("unknown entrant {entrant}", entrant=entrant)
    return event.entrants[entrant]
