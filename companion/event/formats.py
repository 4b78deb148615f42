"""One interface to all formats: the field, the next round, whether the event is over, and allowed corrections."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from companion.event import dutch, pods, swiss
from companion.event.draw import lot
from companion.event.facts import Fixed, Paired, Result
from companion.event.knockout import BracketColumn, columns, double_columns, left_in, losses, pair_bracket, pair_double
from companion.event.refused import EventRefused
from companion.event.robin import circle, group_rounds, groups_of, pair_robin, without_absent
from companion.event.scorecards import Scorecards, points_now, scorecards, totals
from companion.event.settings import AT_TABLES, KNOCKOUTS, Format, Pairing
from companion.event.standings import finalists
from companion.event.state import Event
from companion.event.swiss import PairedRound, contenders, seeding


def next_round(event: Event) -> Paired:
    """The next round as the engine pairs it around the organiser's own tables. Raises: EventRefused."""
    if event.rounds and not event.rounds[-1].is_over:
        raise EventRefused("round {round} has open tables", round=len(event.rounds))
    if _is_at_end(event):
        raise EventRefused("the event is over")
    field = set(field_of(event))
    fixed = [each for each in event.fixed if field.issuperset(each.entrants)]  # the others left since
    drawn = _draw(event, fixed)
    if not drawn.tables:
        raise EventRefused("the event is over: nobody is left to play")
    own = None
    if fixed:
        free = _draw(event, ())
        own = None if _as_set(free) == _as_set(drawn) else as_tables(free)
    reason = "; ".join(dict.fromkeys(each.reason for each in fixed))
    return Paired(event.next_number, drawn.tables, drawn.byes, drawn.rests, own, reason if own is not None else "")


def as_tables(drawn: PairedRound) -> tuple[tuple[str, ...], ...]:
    """A round's tables, with byes and rests as tables of one."""
    return (*drawn.tables, *((who,) for who in (*drawn.byes, *drawn.rests)))


def _as_set(drawn: PairedRound) -> set[frozenset[str]]:
    return {frozenset(seats) for seats in as_tables(drawn)}


def field_of(event: Event) -> list[str]:
    """The entrants that play, get a bye or rest in the next round."""
    free = event.free(event.next_number)
    match event.settings.format:
        case Format.SINGLE | Format.GROUPS:
            drawn = _draw(event, ())
            return [who for seats in as_tables(drawn) for who in seats]
        case Format.DOUBLE:
            return left_in(event, scorecards(event))
        case Format.LIMIT:
            points = points_now(event)
            return [who for who in free if points[who] < event.settings.limit]
        case _:
            return free


def _draw(event: Event, fixed: Sequence[Fixed]) -> PairedRound:
    match event.settings.format:
        case Format.ROUND_ROBIN:
            return pair_robin(event)
        case Format.SINGLE:
            return pair_bracket(_seeds(event), event.rounds, set(event.here(event.next_number)))
        case Format.DOUBLE:
            return pair_double(event)
        case Format.GROUPS:
            return _pair_groups(event)
        case _:
            return _by_points(event, fixed)


def _seeds(event: Event) -> list[str]:
    return seeding(event, event.here(1))


def bracket_columns(event: Event) -> tuple[BracketColumn, ...]:
    """The bracket of an elimination or of the finals after groups, round by round; empty for other formats."""
    match event.settings.format:
        case Format.SINGLE if len(event.entrants) > 1:
            return columns(_seeds(event), event.rounds)
        case Format.DOUBLE:
            return double_columns(event)
        case Format.GROUPS if (began := group_rounds(event)) and len(event.rounds) >= began and _are_over(event, began):
            return columns(finalists(event), event.rounds[began:], began + 1)
        case _:
            return ()


def _are_over(event: Event, rounds: int) -> bool:
    return all(played.is_over for played in event.rounds[:rounds])


def _by_points(event: Event, fixed: Sequence[Fixed]) -> PairedRound:
    """Swiss and related formats at larger tables; the organiser's tables stay, the others are paired around them."""
    lines = scorecards(event)
    is_set = {who for each in fixed for who in each.entrants}
    others = [who for who in field_of(event) if who not in is_set]
    tables: list[tuple[str, ...]] = [each.entrants for each in fixed if len(each.entrants) > 1]
    byes = [who for each in fixed if len(each.entrants) == 1 for who in each.entrants]
    if event.settings.pairing is Pairing.FIDE:
        pairs, bye = dutch.pair_event(event, lines, others)
        return PairedRound((*tables, *pairs), (*byes, *([bye] if bye else [])))
    points = totals(lines)
    field = contenders(event, lines, points, others)
    if event.settings.format is Format.SWISS:
        pairs, bye = swiss.pair(field)
        tables += pairs
        byes += [bye] if bye is not None else []
    else:
        seated, without = pods.seat(field, event.settings.fewest_seats, event.settings.most_seats)
        tables += seated
        byes += without
    tables.sort(key=lambda seats: -max(points[who] for who in seats))
    return PairedRound(tuple(_seated(event, lines, seats) for seats in tables), tuple(byes))


def _seated(event: Event, lines: Scorecards, seats: Iterable[str]) -> tuple[str, ...]:
    """Sorts by the number of times seated first, the fewest first; then by how long ago, then by lot."""

    def order(who: str) -> tuple[int, int, int]:
        firsts = [line.round for line in lines[who] if line.is_first]
        return len(firsts), max(firsts, default=0), -lot(event.settings.seed, who)

    return tuple(sorted(seats, key=order))


def _pair_groups(event: Event) -> PairedRound:
    number, groups, here = event.next_number, groups_of(event), set(event.here(event.next_number))
    if number > group_rounds(event):
        return pair_bracket(finalists(event), event.rounds[group_rounds(event) :], here)
    drawn = PairedRound(())
    for group in groups:
        rounds = circle(group, event.settings.cycles)
        one = without_absent(rounds[number - 1], here) if number <= len(rounds) else PairedRound((), rests=tuple(group))
        drawn = PairedRound(
            (*drawn.tables, *one.tables), rests=(*drawn.rests, *(who for who in one.rests if who in here))
        )
    return drawn


def is_over(event: Event) -> bool:
    """Whether all rounds of the event are played."""
    if not event.rounds or not event.rounds[-1].is_over:
        return False
    if _is_at_end(event):
        return True
    if event.settings.format in (Format.SWISS, *AT_TABLES):
        return len(field_of(event)) < event.settings.fewest_seats
    return not _draw(event, ()).tables


def _is_at_end(event: Event) -> bool:
    settings = event.settings
    if settings.rounds is not None and len(event.rounds) >= settings.rounds:
        return True
    return settings.format is Format.GOAL and max(points_now(event).values(), default=0) >= settings.goal


def is_decided(now: Event, number: int, result: Result) -> bool:
    """Whether a result, entered in `now`, ends its table: in an elimination somebody must win, else they play again.
    A loss-draw ends it in double elimination, unless it would leave nobody in."""
    is_final = now.settings.format is Format.GROUPS and number > group_rounds(now)
    if now.settings.format not in KNOCKOUTS and not is_final:
        return True
    if result.winner is not None or len(result.absent) > 1:
        return True
    return now.settings.format is Format.DOUBLE and result.loss_draw and bool(left_in(now, scorecards(now)))


def check_correction(before: Event, now: Event, number: int) -> None:
    """Raises: EventRefused if a later round depends on who went on: that round must be retracted first."""
    if number == len(now.rounds) or now.settings.format not in (*KNOCKOUTS, Format.GROUPS, Format.LIMIT):
        return
    for later in range(number, len(now.rounds)):
        then, cut = (replace(event, rounds=event.rounds[:later]) for event in (before, now))
        if _who_goes_on(then) != _who_goes_on(cut):
            raise EventRefused(
                "this changes who plays on, and round {round} is paired: take that round back first", round=later + 1
            )


def _who_goes_on(event: Event) -> set[frozenset[str]]:
    """The part of the event that a correction must not change.

    Double elimination: each entrant's side. Limit: who is still in. Other formats: the tables of the next round.
    """
    match event.settings.format:
        case Format.DOUBLE:
            lost = losses(scorecards(event))
            return {frozenset({who, str(lost[who] >= 1)}) for who in field_of(event)}
        case Format.LIMIT:
            return {frozenset({who}) for who in field_of(event)}
        case _:
            return _as_set(_draw(event, ()))


def check_bracket(event: Event, fact: Paired) -> None:
    """Raises: EventRefused for another pairing than the bracket's."""
    is_bracket = event.settings.format in (Format.SINGLE, Format.GROUPS)
    if is_bracket and _as_set(_draw(event, ())) != _as_set(PairedRound(fact.tables, fact.byes, fact.rests)):
        raise EventRefused("the bracket and the groups decide who plays whom: no other pairing is possible")
