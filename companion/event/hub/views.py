"""The content of a log's pages and streams: computed once for each number of the log, then shared by everybody."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from companion.event.facts import Corrected
from companion.event.formats import bracket_columns, is_over
from companion.event.hub.check_in import is_open, missing, no_shows
from companion.event.hub.desk import HubLog, differences
from companion.event.hub.hall import RoundClock, table_at
from companion.event.hub.results import Form, answer_of, form_of, said
from companion.event.knockout import BracketColumn, BracketMatch
from companion.event.presets import is_judged, title_of
from companion.event.scorecards import How, RoundLine, Scorecards, scorecards, updated
from companion.event.settings import First, Format
from companion.event.standings import Standings, standings
from companion.event.state import Event, RoundTable
from companion.event.sums import Count, shown
from companion.event.why import reasons
from companion.game.says import Says


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimView:
    name: str
    says: Says


@dataclass(frozen=True, slots=True, kw_only=True)
class AtTable:
    """A player's table of the newest round."""

    round: int
    table: int
    seats: tuple[str, ...]
    mine: int
    """My seat, from 0."""
    why: tuple[Says, ...]
    box: str | None
    result: Says | None
    form: Form
    answer: Mapping[str, str]
    """My own answer; empty: none yet."""
    claims: tuple[ClaimView, ...]
    sits: Says | None
    """Who sits first at a table of two, or my colour."""
    is_called: bool
    called_because: Says | None
    """Why the hub called the referee although all say the same."""
    own_call: int | None
    """The call that I made and may take back, by its number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LineView:
    round: int
    says: Says
    points: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MeView:
    """All that a player's phone shows."""

    seq: int
    event: str
    entrant: str
    name: str
    round: int
    rounds: int | None
    is_over: bool
    at: AtTable | None
    idle: tuple[Says, ...]
    """The reasons for having no table now."""
    place: int
    is_shared: bool
    of: int
    points: str
    corrected: tuple[Says, ...]
    lines: tuple[LineView, ...]
    clock: RoundClock | None
    is_here: bool | None
    """Whether I checked in for the next round; None without a check-in."""
    is_away: bool
    """Whether I am withdrawn from the next round on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableView:
    """A table as the referee, the screen and the API see it."""

    round: int
    table: int
    entrants: tuple[str, ...]
    names: tuple[str, ...]
    result: Says | None
    box: str | None
    is_called: bool
    claims: tuple[ClaimView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundSeat:
    """A player's place in a round, for a list by name."""

    entrant: str
    name: str
    table: int | None = None
    others: tuple[str, ...] = ()
    says: Says | None = None
    """The reason for having no table, or the result of the table."""


IDLE = {
    How.BYE: Says("bye"),
    How.RESTED: Says("rests"),
    How.SAT_OUT: Says("sits out"),
    How.ABSENT: Says("missing"),
    How.AWAY: Says("withdrawn"),
}
ONE_ADDRESS = Says(
    "These phones have one network address, so they may be one phone: a referee asks you. "
    "With personal cards a result counts at once."
)
FINALS = {1: Says("Final"), 2: Says("Semi-finals"), 4: Says("Quarter-finals")}
"""Names of a bracket's last rounds by their number of matches."""
WALL_MATCHES, WALL_ROUNDS = 8, 4
"""The largest part of a bracket that a big screen shows: matches in a column, and columns."""
MOST_CORRECTED = 3
LARGE = 100
"""Maximum number of entrants to count places before publishing the tables; in larger events places follow later."""
Rows = dict[str, tuple[int, bool, str]]
"""For each entrant the place, whether it is shared, and the first column."""


class HubViews:
    def __init__(self, log: HubLog, before: "HubViews | None" = None, is_large: bool = False) -> None:
        """`before`: the content of an older number. A large event shows its places until the new ones are counted."""
        self.log = log
        self._told: dict[tuple[str, str], bytes] = {}
        self._lines_of: dict[str, tuple[tuple[RoundLine, ...], tuple[LineView, ...]]] = {}
        self._old_rows: Rows | None = None
        if before is not None:
            self._lines_of = before._lines_of
            self._keep(before)
            rows = (before.__dict__.get("_rows") or before._old_rows) if is_large else None
            if rows is not None and log.tournament.entrants.keys() <= rows.keys():
                self._old_rows = rows

    def _keep(self, before: "HubViews") -> None:
        """Takes over values that `before` computed and that a table's result does not change."""
        since = differences(before.log, self.log)
        known = before.__dict__
        if since is None or before.log.seq > self.log.seq:
            return
        self.__dict__ |= {name: known[name] for name in ("corrected", "_reasons", "_seated") if name in known}
        if "lines" in known:
            there = [at for at in since.tables if table_at(self.event, at) is not None]
            self.__dict__["lines"] = updated(before.lines, self.event, there)

    def touched(self, before: "HubViews | None") -> frozenset[str] | None:
        """The entrants whose pages may differ from those of `before`; None: everybody's."""
        if before is None or self._old_rows is None or self._old_rows is not before._rows_now:
            return None
        since = differences(before.log, self.log)
        is_same = self.is_over == before.is_over and (self.clock is None) == (before.clock is None)
        return since.entrants if since is not None and is_same else None

    @property
    def game(self) -> str:
        """The title of the game; empty if none was said."""
        return title_of(self.log.hall.played.game)

    @property
    def is_judged(self) -> bool:
        """Whether tables with a camera can report its results."""
        return is_judged(self.log.hall.played.game, self.event.settings)

    @property
    def event(self) -> Event:
        return self.log.tournament

    @cached_property
    def lines(self) -> Scorecards:
        return scorecards(self.event)

    @cached_property
    def standings(self) -> Standings:
        return standings(self.event)

    @cached_property
    def is_over(self) -> bool:
        return is_over(self.event)

    @cached_property
    def has_results(self) -> bool:
        """Whether there are places: before the first result they would be lots."""
        tables = (table for played in self.event.rounds for table in played.tables)
        return self.is_over or any(table.result is not None for table in tables)

    @cached_property
    def corrected(self) -> tuple[Says, ...]:
        """The newest corrections, in words: a standing that is in another order says why."""
        found = {}
        for entry in self.log.entries:
            fact = entry.fact
            if not isinstance(fact, Corrected) or entry.seq in self.log.gone:
                continue
            table = table_at(self.event, (fact.round, fact.table))
            if table is not None and table.result == fact.result:  # not taken back since
                found[fact.round, fact.table] = self._corrected(fact)
        return tuple(reversed(found.values()))[:MOST_CORRECTED]

    def _corrected(self, fact: Corrected) -> Says:
        seats = self.event.table(fact.round, fact.table).seats
        return Says(
            "Corrected in round {round}, {names}: {result}",
            {
                "round": fact.round,
                "names": " - ".join(map(self.event.says, seats)),
                "result": said(self.event, seats, fact.result),
            },
        )

    @cached_property
    def count(self) -> Count:
        """The source of sentences about rounds."""
        return Count(self.event, self.lines, {})

    @cached_property
    def _reasons(self) -> Mapping[str, tuple[Says, ...]]:
        return reasons(self.event, len(self.event.rounds)) if self.event.rounds else {}

    @property
    def is_counted(self) -> bool:
        """Whether the places are those of this very number."""
        return self._old_rows is None

    @property
    def _rows_now(self) -> Rows:
        return self._rows if self._old_rows is None else self._old_rows

    def counted(self) -> Rows:
        """Counts the standings, and shows them from now on."""
        rows = self._rows
        self.takes(None)
        return rows

    def takes(self, rows: Rows | None) -> None:
        """Shows these places of an older log number from now on; None: its own places."""
        self._old_rows = rows
        self._told.clear()

    @cached_property
    def _rows(self) -> Rows:
        return {
            row.entrant: (row.place, row.is_shared, " ".join(shown(each.value) for each in row.sums[:1]))
            for row in self.standings.rows
        }

    @cached_property
    def _seated(self) -> dict[str, int]:
        if not self.event.rounds:
            return {}
        return {who: number for number, table in enumerate(self.event.rounds[-1].tables, 1) for who in table.seats}

    def tables(self, round_: int | None = None) -> tuple[TableView, ...]:
        """The tables of a round, of the newest by default."""
        number = len(self.event.rounds) if round_ is None else round_
        if not 1 <= number <= len(self.event.rounds):
            return ()
        return tuple(self._table(number, at, each) for at, each in enumerate(self.event.rounds[number - 1].tables, 1))

    def _table(self, round_: int, number: int, table: RoundTable) -> TableView:
        hall, at = self.log.hall, (round_, number)
        return TableView(
            round=round_,
            table=number,
            entrants=table.seats,
            names=tuple(map(self.event.says, table.seats)),
            result=None if table.result is None else said(self.event, table.seats, table.result),
            box=hall.assigned.get(at),
            is_called=self.log.is_called(at),
            claims=self._claims(round_, number, table),
        )

    def _claims(self, round_: int, number: int, table: RoundTable) -> tuple[ClaimView, ...]:
        claims = self.log.hall.claims.get((round_, number), {})
        return tuple(
            ClaimView(name=self.event.says(who), says=said(self.event, table.seats, claims[who].result))
            for who in table.seats
            if who in claims
        )

    def by_name(self, round_: int) -> tuple[RoundSeat, ...]:
        """The players of a round in the order of their names, with their tables; those without one say why."""
        seats = [
            RoundSeat(entrant=who, name=name, table=each.table, others=_without(each.names, at), says=each.result)
            for each in self.tables(round_)
            for at, (who, name) in enumerate(zip(each.entrants, each.names, strict=True))
        ]
        return tuple(sorted((*seats, *self.idle(round_)), key=lambda each: each.name.casefold()))

    def asked_out(self, who: str) -> Says | None:
        """The words for an entrant who sits the next round out; None for others."""
        number, asked = self.event.next_number, self.event.entrants[who].asked_out
        if number not in asked:
            return None
        worth = asked[number]
        return sits_out(self.event.settings.points.sat_out if worth is None else worth) or IDLE[How.SAT_OUT]

    def idle(self, round_: int) -> tuple[RoundSeat, ...]:
        """Entrants without a table in a round, with the reason, but for those eliminated or not yet entered."""
        if not 1 <= round_ <= len(self.event.rounds):
            return ()
        lines = ((who, line) for who, mine in self.lines.items() for line in mine if line.round == round_)
        return tuple(
            RoundSeat(entrant=who, name=self.event.says(who), says=_idle(line))
            for who, line in lines
            if line.how in IDLE
        )

    @cached_property
    def bracket(self) -> tuple[tuple[Says, BracketColumn], ...]:
        """The drawn bracket, each round with its name; empty for formats without one."""
        is_double = self.event.settings.format is Format.DOUBLE
        return tuple(
            (
                Says("Round {round}", {"round": column.round})
                if is_double or len(column.matches) not in FINALS
                else FINALS[len(column.matches)],
                column,
            )
            for column in bracket_columns(self.event)
        )

    @property
    def bracket_of_wall(self) -> tuple[tuple[Says, BracketColumn], ...]:
        """The rounds of the bracket from the newest one on, as many as fit on the big screen."""
        newest = len(self.event.rounds) - (2 if self.event.settings.format is Format.DOUBLE else 1)
        fits = [each for each in self.bracket if len(each[1].matches) + len(each[1].losers) <= WALL_MATCHES]
        shown = tuple(each for each in fits if each[1].round > newest or self.is_over)[-WALL_ROUNDS:]
        return shown if any(each[1].round <= len(self.event.rounds) for each in shown) else ()

    def match_says(self, match: BracketMatch) -> Says | None:
        table = match.table
        return None if table is None or table.result is None else said(self.event, table.seats, table.result)

    def mark(self, who: str) -> object:
        """A value that changes with everything an entrant's page depends on: much cheaper than the page."""
        number, hall, rounds = self._seated.get(who), self.log.hall, self.event.rounds
        at = (len(rounds), number or 0)
        table = None if number is None else rounds[-1].tables[number - 1]
        return (
            at,
            table,
            hall.claims.get(at) if number else None,
            hall.assigned.get(at) if number else None,
            self.log.has_call(at),
            self.log.call_of(who),
            self._rows_now.get(who),
            self.lines[who],
            self.is_over,
            self.corrected,
            self.event.name,
            self.clock,
            self._is_here(who),
            self._is_away(who),
        )

    def _is_here(self, who: str) -> bool | None:
        number, hall = self.event.next_number, self.log.hall
        if hall.check_in != number or not self.event.entrants[who].is_free(number) or self.is_over:
            return None
        return (number, who) in hall.here

    def _is_away(self, who: str) -> bool:
        entrant, number = self.event.entrants[who], self.event.next_number
        return not self.is_over and entrant.first_round <= number and not entrant.is_here(number)

    @cached_property
    def clock(self) -> RoundClock | None:
        """The clock of the newest round, while it is played."""
        found, rounds = self.log.hall.clock, self.event.rounds
        if found is None or found.round != len(rounds) or rounds[-1].is_over:
            return None
        return found

    @cached_property
    def no_shows(self) -> tuple[str, ...]:
        """The entrants who did not come to their table, until the desk has decided about them."""
        return no_shows(self.log) if not self.is_over else ()

    @cached_property
    def missing(self) -> tuple[str, ...]:
        """The entrants who have not checked in for the next round; empty without a check-in."""
        return missing(self.log) if is_open(self.log) else ()

    def told(self, who: str, lang: str, encoded: Callable[[MeView, str], bytes]) -> bytes:
        """An entrant's page for the phone, encoded once in each language."""
        if (known := self._told.get((who, lang))) is None:
            known = self._told[who, lang] = encoded(self.me(who), lang)
        return known

    def me(self, who: str) -> MeView:
        event = self.event
        place, is_shared, points = self._rows_now[who]
        at = self._at(who)
        return MeView(
            seq=self.log.seq,
            event=event.name,
            entrant=who,
            name=event.says(who),
            round=len(event.rounds),
            rounds=event.settings.rounds,
            is_over=self.is_over,
            at=at,
            idle=() if at is not None else self._reasons.get(who, ()),
            place=place,
            is_shared=is_shared,
            of=len(event.entrants),
            points=points,
            corrected=self.corrected,
            lines=self._lines(who),
            clock=self.clock,
            is_here=self._is_here(who),
            is_away=self._is_away(who),
        )

    def _lines(self, who: str) -> tuple[LineView, ...]:
        """The rounds of an entrant in words. The words are kept until the rounds change."""
        lines = tuple(line for line in reversed(self.lines[who]) if line.how is not How.OPEN)
        known = self._lines_of.get(who)
        if known is None or known[0] != lines:
            known = self._lines_of[who] = (lines, tuple(self._line(line) for line in lines))
        return known[1]

    def _line(self, line: RoundLine) -> LineView:
        return LineView(round=line.round, says=self.count.about(line), points=shown(line.points))

    def _sits(self, table: RoundTable, who: str) -> Says | None:
        if len(table.seats) != 2:
            return None
        has = self.event.settings.first_has
        if has is First.SEAT:
            return Says("{name} sits first", {"name": self.event.says(table.seats[0])})
        has_white = (table.seats[0] == who) == (has is First.WHITE)
        return Says("You have white") if has_white else Says("You have black")

    def _at(self, who: str) -> AtTable | None:
        number = self._seated.get(who)
        if number is None:
            return None
        round_ = len(self.event.rounds)
        table = self.event.table(round_, number)
        view = self._table(round_, number, table)
        claim = self.log.hall.claims.get((round_, number), {}).get(who)
        return AtTable(
            round=round_,
            table=number,
            seats=view.names,
            mine=table.seats.index(who),
            why=self._reasons.get(who, ()),
            box=view.box,
            result=view.result,
            form=form_of(self.event, table.seats, is_referee=False),
            answer={} if claim is None else answer_of(self.event, table.seats, claim.result),
            claims=view.claims,
            sits=self._sits(table, who),
            is_called=self.log.has_call((round_, number)),
            called_because=ONE_ADDRESS if self.log.is_doubted((round_, number)) else None,
            own_call=self.log.call_of(who),
        )


def sits_out(points: Fraction) -> Says | None:
    """The words for a round that an entrant asked to sit out for points; None if it is worth nothing."""
    return Says("half-point bye: {points}", {"points": shown(points)}) if points else None


def _idle(line: RoundLine) -> Says:
    return (sits_out(line.points) if line.how is How.SAT_OUT else None) or IDLE[line.how]


def _without(names: tuple[str, ...], at: int) -> tuple[str, ...]:
    return (*names[:at], *names[at + 1 :])


class Views:
    """The newest `HubViews` of each log."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._newest: dict[str, HubViews] = {}

    def of(self, log: HubLog) -> HubViews:
        with self._lock:
            found = self._newest.get(log.id)
            if found is None or found.log.seq != log.seq:
                is_large = log.event is not None and len(log.event.entrants) > LARGE
                found = self._newest[log.id] = HubViews(log, found, is_large)
            return found

    def counted(self, log: HubLog) -> bool:
        """Updates the places of a large event if they are of an older entry. True if there was something to update."""
        shown = self.of(log)
        if log.event is None or shown.is_counted:
            return False
        rows = shown.counted()
        with self._lock:
            newest = self._newest[log.id]
            if newest is not shown and not newest.is_counted and newest.event.entrants.keys() <= rows.keys():
                newest.takes(rows)  # a newer log number came while these were counted
        return True
