"""Standings: columns of sums, the most important first, and the places that follow from them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from companion.event.knockout import LIVES, bracket, losses, went_out
from companion.event.robin import alone, group_rounds, groups_of
from companion.event.scorecards import scorecards, totals
from companion.event.settings import Format, TieBreak
from companion.event.state import Event
from companion.event.sums import OF_UNIT, TIE_BREAKS, Count, Sum, Term, head_to_head, points
from companion.game.says import Says


@dataclass(frozen=True, slots=True)
class Column:
    key: str
    says: Says
    fewer_wins: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One entrant: place from 1, the sum of each column, and whether others share the place."""

    place: int
    entrant: str
    sums: tuple[Sum, ...]
    is_shared: bool = False
    is_away: bool = False


@dataclass(frozen=True, slots=True)
class Standings:
    after: int
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]

    def row(self, entrant: str) -> Row:
        return next(row for row in self.rows if row.entrant == entrant)


PROGRESS = Column("progress", Says("rounds survived"))
Counter = Callable[[Sequence[str]], dict[str, Sum]]
Counted = tuple[Column, Counter]


def standings(event: Event) -> Standings:
    lines = scorecards(event)
    count = Count(event, lines, totals(lines))
    columns = [*_heads(count), *(_tie_break(count, each) for each in event.settings.tie_breaks)]
    found: dict[str, list[Sum]] = {who: [] for who in event.entrants}
    blocks = _split(sorted(event.entrants), columns, found)
    rows, place = [], 1
    for block in blocks:
        for who in block:
            is_away = not event.entrants[who].is_here(event.next_number)
            rows.append(Row(place, who, tuple(found[who]), len(block) > 1, is_away))
        place += len(block)
    return Standings(len(event.rounds), tuple(column for column, _ in columns), tuple(rows))


def _split(group: list[str], columns: Sequence[Counted], found: dict[str, list[Sum]]) -> list[list[str]]:
    """Blocks of equal entrants, the best first; every sum is also written to `found`."""
    if not columns:
        return [group]
    (column, counter), *rest = columns
    sums = counter(group)
    by_value: dict[Fraction, list[str]] = {}
    for who in group:
        found[who].append(sums[who])
        by_value.setdefault(sums[who].value, []).append(who)
    order = sorted(by_value, reverse=not column.fewer_wins)
    return [block for value in order for block in _split(by_value[value], rest, found)]


def _each(one: Callable[[Count, str], Sum], count: Count) -> Counter:
    return lambda group: {who: one(count, who) for who in group}


def _tie_break(count: Count, key: TieBreak) -> Counted:
    if key is TieBreak.HEAD_TO_HEAD:
        return Column(key, Says("head to head")), lambda group: head_to_head(count, group)
    settings = count.event.settings
    says, one = TIE_BREAKS[key]
    if settings.unit and key in OF_UNIT:
        says = OF_UNIT[key](settings.unit)
    is_own = settings.fewer_wins and key in (TieBreak.SCORED, TieBreak.SHARE_OF_POINTS)
    return Column(key, says, fewer_wins=key is TieBreak.LOSSES or is_own), _each(one, count)


def _heads(count: Count) -> list[Counted]:
    counted = (Column("points", Says("points")), _each(points, count))
    match count.event.settings.format:
        case Format.SINGLE | Format.DOUBLE:
            return [_progress(count, _still_in(count))]
        case Format.LIMIT:
            fewer = (Column("points", Says("points"), fewer_wins=True), _each(points, count))
            return [_progress(count, _still_in(count)), fewer]
        case Format.GOAL:
            return [(Column("points", Says("points")), _each(_with_bonuses, count))]
        case Format.GROUPS:
            return [*_group_heads(count), counted]
        case _:
            return [counted]


def _still_in(count: Count) -> set[str]:
    event = count.event
    if event.settings.format is Format.LIMIT:
        return {who for who in event.entrants if count.points[who] < event.settings.limit}
    most = 1 if event.settings.format is Format.SINGLE else LIVES
    lost = losses(count.lines)
    return {who for who in event.entrants if lost[who] < most}


def _progress(count: Count, still_in: set[str]) -> Counted:
    """Each entrant's progress: the round of elimination, plus one for those still in."""
    event = count.event
    last = went_out(event.entrants, event.rounds)

    return PROGRESS, lambda group: {who: _came(event, who, last[who], who in still_in) for who in group}


def _came(event: Event, who: str, last: int, is_in: bool) -> Sum:
    number = len(event.rounds)
    if is_in and event.entrants[who].is_here(event.next_number):
        return Sum.of([Term(Says("still in after round {round}", {"round": number}), Fraction(number + 1))])
    return Sum.of([Term(Says("in until round {round}", {"round": last}), Fraction(last))])


def _with_bonuses(count: Count, who: str) -> Sum:
    """Points of all sittings; once somebody has reached the goal, with the bonuses of the game's end."""
    settings, total = count.event.settings, count.points[who]
    terms = list(points(count, who).terms)
    if max(count.points.values()) < settings.goal:
        return Sum.of(terms)
    is_finisher = total >= settings.goal
    if is_finisher:
        terms.append(Term(Says("bonus for {goal} points", {"goal": settings.goal}), Fraction(settings.goal_bonus)))
    if not is_finisher or settings.both_bonuses:
        rounds = sum(line.rounds_won for line in count.lines[who])
        values = {"rounds": rounds, "bonus": settings.round_bonus}
        terms.append(Term(Says("{rounds} rounds won, {bonus} each", values), Fraction(settings.round_bonus * rounds)))
    return Sum.of(terms)


def group_standings(event: Event) -> list[Standings]:
    return [standings(alone(event, group)) for group in groups_of(event)]


def _group_heads(count: Count) -> list[Counted]:
    event = count.event
    first = group_rounds(event)
    finals = event.rounds[first:]
    places = {row.entrant: row.place for table in group_standings(event) for row in table.rows}
    last = went_out(event.entrants, finals)
    beaten = losses({who: tuple(ln for ln in lines if ln.round > first) for who, lines in count.lines.items()})

    def progress(who: str) -> Sum:
        if not last[who]:
            return Sum.of([Term(Says("not in the finals"), Fraction(0))])
        return _came(event, who, last[who], not beaten[who])

    def place(who: str) -> Sum:
        return Sum.of([Term(Says("place {place} in the group", {"place": places[who]}), Fraction(places[who]))])

    in_group = Column("group", Says("place in the group"), fewer_wins=True)
    return [
        (PROGRESS, lambda group: {who: progress(who) for who in group}),
        (in_group, lambda group: {who: place(who) for who in group}),
    ]


def finalists(event: Event) -> list[str]:
    """The finalists as seeds, by places. Later places are turned so that nobody meets their own group at once."""
    number = group_rounds(event) + 1
    tables = [
        [row.entrant for row in table.rows if event.entrants[row.entrant].is_here(number)]
        for table in group_standings(event)
    ]
    group = {who: at for at, table in enumerate(tables) for who in table}
    tiers = [[table[place] for table in tables if place < len(table)] for place in range(event.settings.advance)]
    seeds = list(tiers[0])
    for tier in tiers[1:]:
        turned = [tier[by:] + tier[:by] for by in range(len(tier))]
        seeds = min((seeds + each for each in turned), key=lambda each: _own_group(each, group), default=seeds)
    return seeds


def _own_group(seeds: Sequence[str], group: dict[str, int]) -> int:
    slots = bracket(seeds)
    couples = zip(slots[::2], slots[1::2], strict=True) if len(slots) > 1 else ()
    return sum(a is not None and b is not None and group[a] == group[b] for a, b in couples)
