"""The part of each entrant in each round, and its worth."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from companion.event.facts import Result
from companion.event.settings import AT_TABLES, HALF, Format, Settings
from companion.event.state import Event, Round, RoundTable

ZERO = Fraction(0)


class How(StrEnum):
    """An entrant's part in a round."""

    PLAYED = "played"
    OPEN = "open"
    BYE = "bye"
    FORFEIT_WON = "forfeit_won"
    FORFEIT_LOST = "forfeit_lost"
    RESTED = "rested"
    SAT_OUT = "sat_out"
    ABSENT = "absent"
    LATE = "late"
    AWAY = "away"


@dataclass(frozen=True, slots=True)
class RoundLine:
    """One round of one entrant. `share`: of the opponents beaten, a draw half; None without a game."""

    round: int
    how: How
    points: Fraction = ZERO
    opponents: tuple[str, ...] = ()
    """The opponents at the table, in seat order; empty if no game was played."""
    share: Fraction | None = None
    scored: int = 0
    against: Fraction = ZERO
    """The opponents' points within the game, on average."""
    rounds_won: int = 0
    is_first: bool = False
    is_loss_draw: bool = False

    @property
    def is_won(self) -> bool:
        """Whether the game was played and won."""
        return self.how is How.PLAYED and self.share == 1

    @property
    def losses(self) -> Fraction:
        """The share of a loss: half for a loss-draw."""
        if self.is_loss_draw:
            return HALF
        return Fraction(self.how is How.FORFEIT_LOST or (self.how is How.PLAYED and self.share == 0))


Scorecards = dict[str, tuple[RoundLine, ...]]


def scorecards(event: Event) -> Scorecards:
    """The lines of every entrant, one a round; out of an elimination there are no more."""
    found: dict[str, list[RoundLine]] = {who: [] for who in event.entrants}
    for played in event.rounds:
        lines = _lines(event, played)
        for who in event.entrants:
            line = lines.get(who) or _absent(event, who, played.number)
            if line is not None:
                found[who].append(line)
    return {who: tuple(lines) for who, lines in found.items()}


def updated(lines: Scorecards, event: Event, at: Iterable[tuple[int, int]]) -> Scorecards:
    """The lines after results at these tables, by round and number; all other lines are kept."""
    found = dict(lines)
    for number, table in at:
        seated = event.table(number, table)
        for seat, who in enumerate(seated.seats):
            line = _seat(event.settings, number, seated, seat)
            found[who] = tuple(line if each.round == number else each for each in found[who])
    return found


def totals(lines: Scorecards) -> dict[str, Fraction]:
    return {who: sum((line.points for line in mine), ZERO) for who, mine in lines.items()}


def points_now(event: Event) -> dict[str, Fraction]:
    """The points of every entrant by all results until now."""
    return totals(scorecards(event))


def _lines(event: Event, played: Round) -> dict[str, RoundLine]:
    points = event.settings.points
    counts_games = event.settings.format in (Format.LIMIT, Format.GOAL)
    lines = {who: RoundLine(played.number, How.BYE, ZERO if counts_games else points.bye) for who in played.byes}
    lines |= {who: RoundLine(played.number, How.RESTED) for who in played.rests}
    for table in played.tables:
        for at, who in enumerate(table.seats):
            lines[who] = _seat(event.settings, played.number, table, at)
    return lines


def _absent(event: Event, who: str, number: int) -> RoundLine | None:
    entrant, points = event.entrants[who], event.settings.points
    if number < entrant.first_round:
        return RoundLine(number, How.LATE, points.missed)
    if not entrant.is_here(number):
        return RoundLine(number, How.AWAY)
    if number not in entrant.asked_out:
        return None
    told, is_absent = entrant.asked_out[number], number in entrant.absent
    usual = points.missed if is_absent else points.sat_out
    return RoundLine(number, How.ABSENT if is_absent else How.SAT_OUT, usual if told is None else told)


def _seat(settings: Settings, number: int, table: RoundTable, at: int) -> RoundLine:
    opponents = tuple(who for other, who in enumerate(table.seats) if other != at)
    result, is_first = table.result, at == 0
    if result is None:
        return RoundLine(number, How.OPEN, opponents=opponents, is_first=is_first)
    there = [other for other in range(len(table.seats)) if other not in result.absent and other != at]
    own = Fraction(result.scores[at]) if settings.format in (Format.LIMIT, Format.GOAL) else None
    if at in result.absent:
        return RoundLine(number, How.FORFEIT_LOST, settings.points.forfeit_loss if own is None else own)
    if not there:
        return RoundLine(number, How.FORFEIT_WON, settings.points.forfeit_win if own is None else own)
    share = share_of(result, at, there)
    against = Fraction(sum(result.scores[other] for other in there), len(there)) if result.scores else ZERO
    return RoundLine(
        number,
        How.PLAYED,
        worth(settings, result, at, share) if own is None else own,
        tuple(table.seats[other] for other in there),
        share,
        result.scores[at] if result.scores else 0,
        against,
        result.rounds_won[at] if result.rounds_won else 0,
        is_first,
        result.loss_draw,
    )


def share_of(result: Result, at: int, there: list[int]) -> Fraction:
    """The share of its opponents that a seat beat; a draw counts half. Absent opponents do not count."""
    mine = result.places[at]
    twice = sum(2 * (mine < result.places[other]) + (mine == result.places[other]) for other in there)
    return Fraction(twice, 2 * len(there))


def worth(settings: Settings, result: Result, at: int, share: Fraction) -> Fraction:
    """The points of a seat for a played result. Equal places share the points of their places."""
    points = settings.points
    if result.loss_draw:
        return points.loss_draw
    if settings.format not in AT_TABLES or (len(result.places) == 2 and not points.places):
        return points.win if share == 1 else points.loss if share == 0 else points.draw
    if not points.places:
        return points.loss + (points.win - points.loss) * share
    first, tied = result.places[at] - 1, result.places.count(result.places[at])
    shared = [points.places[place] if place < len(points.places) else ZERO for place in range(first, first + tied)]
    return sum(shared, ZERO) / tied
