"""Events for tests, in a few words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from companion.event.facts import Entered, EventBegan, EventEntry, Fact, Paired, Reported, Result, decoded, drawn, won
from companion.event.fold import enter
from companion.event.formats import next_round
from companion.event.settings import Settings
from companion.event.state import Event


def numbered(facts: Iterable[Fact]) -> tuple[EventEntry, ...]:
    return tuple(EventEntry(seq=seq, by="organiser", fact=fact) for seq, fact in enumerate(facts, 1))


def entries_of(text: bytes | str) -> tuple[EventEntry, ...]:
    return tuple(decoded(text, list[EventEntry]))


class Desk:
    """An organiser's desk: says facts, keeps the entries."""

    def __init__(self, settings: Settings, names: Sequence[str] = ()) -> None:
        self.entries: tuple[EventEntry, ...] = ()
        self.says(EventBegan("test", settings))
        for at, name in enumerate(names):
            self.says(Entered(name, name.title(), rating=2000 - at))

    def says(self, fact: Fact) -> Event:
        self.entries, self.event = enter(self.entries, fact, "organiser")
        return self.event

    def pairs(self) -> Paired:
        paired = next_round(self.event)
        self.says(paired)
        return paired

    def plays(self, tables: str, byes: Sequence[str] = ()) -> Event:
        """Publishes a round by hand and reports it: ``a-b c=d f-e``: the first won, or they drew."""
        number = self.event.next_number
        games = [(game.replace("=", "-").split("-"), "=" in game) for game in tables.split()]
        self.says(Paired(number, tuple((a, b) for (a, b), _ in games), tuple(byes)))
        for table, (_, is_drawn) in enumerate(games, 1):
            self.says(Reported(number, table, drawn() if is_drawn else won(0)))
        return self.event

    def reports(self, *results: Result) -> Event:
        """The results of the last round, table by table."""
        number = len(self.event.rounds)
        for table, result in enumerate(results, 1):
            self.says(Reported(number, table, result))
        return self.event

    def first_wins(self) -> Event:
        """The last round: the first seat of each table wins."""
        return self.reports(*(won(0, of=len(table.seats)) for table in self.event.rounds[-1].tables))

    def better_wins(self) -> Event:
        """The last round: who is entered earlier wins."""
        order = list(self.event.entrants)
        return self.reports(
            *(
                won(min(range(len(table.seats)), key=lambda at: order.index(table.seats[at])), of=len(table.seats))
                for table in self.event.rounds[-1].tables
            )
        )
