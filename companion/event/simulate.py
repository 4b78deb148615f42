"""Random events through the very code: to train organisers, to test, to load a hub. The same seed, the same event."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from companion.event import facts as told
from companion.event.fold import after, fold
from companion.event.formats import is_over, next_round
from companion.event.refused import EventRefused
from companion.event.scorecards import scorecards
from companion.event.settings import CLOSED, Format, Pairing, Settings
from companion.event.state import Event, Round, RoundTable
from companion.event.swiss import meetings

MOST_ROUNDS = 60
"""A simulated event that is not over by then has a fault."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chances:
    """Rates of simulated incidents, from 0 to 1."""

    late: float = 0.05
    """The share of all entrants who come after round 1 was paired."""
    withdraws: float = 0.02
    """Each entrant, each round."""
    returns: float = 0.3
    asks_out: float = 0.02
    forfeits: float = 0.02
    draws: float = 0.1
    corrects: float = 0.3
    """Each round, one result of this or the two rounds before."""
    undoes: float = 0.1
    fixes: float = 0.1
    """Each round, one pairing by the organiser."""


CALM = Chances(late=0, withdraws=0, returns=0, asks_out=0, forfeits=0, corrects=0, undoes=0, fixes=0)


class Simulation:
    """An event as it grows; `refused` counts facts that the rules of the event did not allow then."""

    def __init__(self, settings: Settings, players: int, seed: int, chances: Chances | None = None) -> None:
        self.settings, self.players, self.seed = settings, players, seed
        self.chances = Chances() if chances is None else chances
        self.entries: list[told.EventEntry] = []
        self.refused = 0
        self._random = random.Random(f"{settings.format} {players} {seed}")
        self._event: Event | None = None
        self._late: list[told.Entered] = []

    @property
    def event(self) -> Event:
        assert self._event is not None
        return self._event

    def run(self) -> Iterator[Event]:
        """Plays to the end; yields the event before each pairing."""
        self._begin()
        while len(self.event.rounds) < MOST_ROUNDS:
            self._between()
            self._fix()
            yield self.event
            try:
                paired = next_round(self.event)
            except EventRefused:
                is_fide = self.settings.pairing is Pairing.FIDE  # its absolute criteria may leave no round
                assert is_over(self.event) or not self.event.rounds or is_fide
                return
            self._enter(paired)
            self._play()
        raise AssertionError(f"not over after {MOST_ROUNDS} rounds: seed {self.seed}")

    def _begin(self) -> None:
        self._enter(told.EventBegan(f"simulated {self.seed}", self.settings))
        people = [
            told.Entered(f"p{n}", f"Player {n}", rating=self._random.randrange(800, 2200, 10))
            for n in range(1, self.players + 1)
        ]
        can_be_late = self.settings.format not in CLOSED
        self._late = [each for each in people if can_be_late and self._happens(self.chances.late)]
        for each in people:
            if each not in self._late:
                self._enter(each)

    def _between(self) -> None:
        if self.event.rounds and self._late and self._happens(0.5):
            self._try(self._late.pop())
        for who, each in self.event.entrants.items():
            gone = bool(each.away) and each.away[-1][1] is None
            if gone and self._happens(self.chances.returns):
                self._try(told.Returned(who))
            elif not gone and self.event.rounds and self._happens(self.chances.withdraws):
                self._try(told.Withdrew(who))
            elif not gone and self._happens(self.chances.asks_out):
                self._try(told.AskedOut(who, self.event.next_number))
        if self.event.rounds and self._happens(self.chances.corrects):
            self._correct()

    def _correct(self) -> None:
        number = self._random.randint(max(1, len(self.event.rounds) - 2), len(self.event.rounds))
        table = self._random.randint(1, len(self.event.rounds[number - 1].tables))
        result = self._result(self.event.table(number, table))
        self._try(told.Corrected(number, table, result, "the slip was read wrongly"))

    def _fix(self) -> None:
        free = self.event.free(self.event.next_number)
        if self._happens(self.chances.fixes) and len(free) > 4:
            together = self._random.sample(free, self.settings.fewest_seats)
            self._try(told.Fixed(self.event.next_number, tuple(together), "they came together"))

    def _play(self) -> None:
        number = len(self.event.rounds)
        for table in range(1, len(self.event.rounds[-1].tables) + 1):
            while self.event.table(number, table).result is None:
                self._enter(told.Reported(number, table, self._result(self.event.table(number, table))))
        if self._happens(self.chances.undoes):
            last = self.entries[-1]
            self._enter(told.EntryRetracted(last.seq, "reported for the wrong table"))
            self._enter(last.fact)

    def _result(self, table: RoundTable) -> told.Result:
        of = len(table.seats)
        counts_games = self.settings.format in (Format.LIMIT, Format.GOAL)
        if self._happens(self.chances.forfeits) and not counts_games:
            return told.forfeited(*self._random.sample(range(of), self._random.choice((1, 1, 1, of))), of=of)
        strength = [self.event.entrants[who].rating / 400 + self._random.gauss(0, 1) for who in table.seats]
        order = sorted(range(of), key=lambda at: -strength[at])
        if counts_games:
            return self._scores(order)
        if self._happens(self.chances.draws):
            return self._random.choice((told.drawn(of), told.LOSS_DRAW)) if of == 2 else told.drawn(of)
        if of == 2:
            return told.won(order[0])
        return told.Result(places=tuple(1 + order.index(at) for at in range(of)))

    def _scores(self, order: Sequence[int]) -> told.Result:
        """Suspend: notches left, none for the winner. Rummy: the winner's points and a round won."""
        of = len(order)
        if self.settings.format is Format.LIMIT:
            left = [0 if at == order[0] else self._random.randint(3, 15) for at in range(of)]
            return told.scored(*left, fewer_wins=True)
        won_by = [self._random.choices(order, range(of, 0, -1))[0] for _ in range(self._random.randint(1, 3))]
        points = [sum(self._random.randint(10, 60) for each in won_by if each == at) for at in range(of)]
        return told.scored(*points, rounds_won=tuple(won_by.count(at) for at in range(of)))

    def _happens(self, chance: float) -> bool:
        return self._random.random() < chance

    def _enter(self, fact: told.Fact) -> None:
        entry = told.EventEntry(seq=len(self.entries) + 1, by="simulation", fact=fact)
        if isinstance(fact, told.EntryRetracted):
            self._event = fold([*self.entries, entry])
        else:
            self._event = after(self._event, fact)
        self.entries.append(entry)

    def _try(self, fact: told.Fact) -> None:
        """Enters a fact that may be refused, like an organiser's attempt."""
        try:
            self._enter(fact)
        except EventRefused:
            self.refused += 1


def statistics(simulation: Simulation) -> dict[str, object]:
    """Counted from the event alone. `rematches`: tables that repeated opponents, the organiser's own included.
    `points_apart`: differences in points between the players of a table, at the time of pairing."""
    event, entries = simulation.event, simulation.entries
    lines = scorecards(event)
    again = sum(count - 1 for mine in lines.values() for count in meetings(mine).values())
    apart = sum(
        (abs(a - b) for played in event.rounds for table in played.tables for a, b in pairwise(_points(played, table))),
        Fraction(0),
    )
    kinds = [type(entry.fact) for entry in entries]
    return {
        "seed": simulation.seed,
        "format": str(event.settings.format),
        "players": len(event.entrants),
        "rounds": len(event.rounds),
        "tables": sum(len(played.tables) for played in event.rounds),
        "entries": len(entries),
        "refused": simulation.refused,
        "late": sum(each.first_round > 1 for each in event.entrants.values()),
        "withdrawn": kinds.count(told.Withdrew),
        "corrected": kinds.count(told.Corrected),
        "fixed": kinds.count(told.Fixed),
        "rematches": again // 2,
        "second_byes": second_byes(event),
        "points_apart": str(apart),
    }


def _points(played: Round, table: RoundTable) -> list[Fraction]:
    return sorted(played.points_then[who] for who in table.seats)


def second_byes(event: Event) -> int:
    """Byes from the engine to somebody with more earlier byes than a player whom the engine seated in that round."""
    had: dict[str, int] = dict.fromkeys(event.entrants, 0)
    count = 0
    for played in event.rounds:
        own = tuple(table.seats for table in played.tables if not table.reason)
        engine = (*own, *((who,) for who in played.byes)) if played.engine is None else played.engine
        seated = [had[who] for seats in engine if len(seats) > 1 for who in seats]
        byes = {seats[0] for seats in engine if len(seats) == 1}.intersection(played.byes)
        count += sum(had[who] > min(seated, default=had[who]) for who in byes)
        for who in played.byes:
            had[who] += 1
    return count
