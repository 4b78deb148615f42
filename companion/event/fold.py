"""From entries to an event: each fact is checked against the event, and refused if it is impossible."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

import msgspec

from companion.event import facts as told
from companion.event.formats import check_bracket, check_correction, field_of, is_decided
from companion.event.refused import EventRefused
from companion.event.scorecards import points_now
from companion.event.settings import AT_TABLES, CLOSED, KNOCKOUTS, Format, check
from companion.event.state import Entrant, Event, Round, RoundTable, known


def fold(entries: Iterable[told.EventEntry]) -> Event:
    """The event of all its entries. Raises: EventRefused for the first impossible one, with its number."""
    event: Event | None = None
    for entry in told.standing(tuple(entries)):
        try:
            event = after(event, entry.fact)
        except EventRefused as refused:
            raise EventRefused("entry {entry}: {why}", entry=entry.seq, why=refused.says) from refused
    if event is None:
        raise EventRefused("no entry begins an event")
    return event


def enter(entries: Sequence[told.EventEntry], fact: told.Fact, by: str) -> tuple[tuple[told.EventEntry, ...], Event]:
    """The entries with one more, and the event of them. Raises: EventRefused, and nothing is entered."""
    seq = entries[-1].seq + 1 if entries else 1
    more = (*entries, told.EventEntry(seq=seq, by=by, fact=fact))
    return more, fold(more)


def after(event: Event | None, fact: told.Fact) -> Event:
    """The event after one more fact; a retraction needs all entries: `fold`. Raises: EventRefused."""
    if isinstance(fact, told.EventBegan):
        if event is not None:
            raise EventRefused("the event {name} has begun already", name=event.name)
        check(fact.settings)
        return Event(fact.name, fact.settings)
    if event is None:
        raise EventRefused("the first entry begins the event, expected its name and settings")
    match fact:
        case told.Entered():
            return _entered(event, fact)
        case told.Edited():
            who = known(event, fact.entrant)
            if not fact.name:
                raise EventRefused("an entrant needs an id and a name")
            return _with(event, replace(who, name=fact.name, rating=fact.rating, club=fact.club))
        case told.Apart():
            if len({known(event, who).id for who in fact.entrants}) < 2:
                raise EventRefused("choose two or more who must not meet")
            return replace(event, apart=(*event.apart, fact))
        case told.Withdrew() | told.Returned():
            return _came_or_went(event, fact)
        case told.AskedOut():
            return _asked_out(event, fact)
        case told.Fixed():
            return _fixed(event, fact)
        case told.Paired():
            return _paired(event, fact)
        case told.Reported() | told.Corrected():
            return _told(event, fact)
        case told.Reordered(tie_breaks=order):
            return _with_settings(event, tie_breaks=order)
        case told.RoundsChanged(rounds=rounds):
            if rounds < len(event.rounds):
                raise EventRefused("round {round} is paired already", round=len(event.rounds))
            return _with_settings(event, rounds=rounds)
        case told.Named(name=name):
            if not name:
                raise EventRefused("an event needs a name")
            return replace(event, name=name, is_archived=fact.is_archived)
        case told.EntryRetracted() | told.RoundRetracted():
            raise EventRefused("taking an entry back needs the whole list of entries")


def _with_settings(event: Event, **changed: object) -> Event:
    settings = msgspec.structs.replace(event.settings, **changed)
    check(settings)
    return replace(event, settings=settings)


def _entered(event: Event, fact: told.Entered) -> Event:
    if fact.entrant in event.entrants:
        raise EventRefused("{name} is entered already", name=event.says(fact.entrant))
    if not fact.entrant or not fact.name:
        raise EventRefused("an entrant needs an id and a name")
    if event.rounds and event.settings.format in CLOSED:
        raise EventRefused(
            "{name} comes too late: round 1 is paired, and this format takes no new players", name=fact.name
        )
    entrant = Entrant(fact.entrant, fact.name, fact.rating, fact.members, first_round=event.next_number, club=fact.club)
    return replace(event, entrants={**event.entrants, fact.entrant: entrant})


def _came_or_went(event: Event, fact: told.Withdrew | told.Returned) -> Event:
    who, number = known(event, fact.entrant), event.next_number
    is_gone = bool(who.away) and who.away[-1][1] is None
    match fact:
        case told.Withdrew():
            if is_gone:
                raise EventRefused("{name} has withdrawn already", name=who.name)
            changed = replace(who, away=(*who.away, (number, None)))
        case told.Returned():
            if not is_gone:
                raise EventRefused("{name} has not withdrawn", name=who.name)
            since = who.away[-1][0]
            if number > since and event.settings.format in CLOSED:
                raise EventRefused("{name} cannot come back: this format has gone on without them", name=who.name)
            changed = replace(who, away=(*who.away[:-1], *(((since, number),) if number > since else ())))
    return _with(event, changed)


def _asked_out(event: Event, fact: told.AskedOut) -> Event:
    who = known(event, fact.entrant)
    if fact.round < event.next_number:
        raise EventRefused("round {round} is paired already", round=fact.round)
    if event.settings.format in KNOCKOUTS:
        raise EventRefused("nobody can sit out a round of an elimination")
    absent = who.absent | {fact.round} if fact.is_absent else who.absent - {fact.round}
    return _with(event, replace(who, asked_out={**who.asked_out, fact.round: fact.points}, absent=absent))


def _with(event: Event, entrant: Entrant) -> Event:
    return replace(event, entrants={**event.entrants, entrant.id: entrant})


def _fixed(event: Event, fact: told.Fixed) -> Event:
    if fact.round != event.next_number:
        raise EventRefused("round {next} is paired next, not {round}", next=event.next_number, round=fact.round)
    if event.settings.format not in (Format.SWISS, *AT_TABLES):
        raise EventRefused("the format decides who plays whom: publish another pairing with a reason instead")
    taken, field = {who for fixed in event.fixed for who in fixed.entrants}, field_of(event)
    for who in fact.entrants:
        if known(event, who).id not in field:
            raise EventRefused("{name} does not play round {round}", name=event.says(who), round=fact.round)
        if who in taken:
            raise EventRefused("{name} is set already", name=event.says(who))
        taken.add(who)
    fewest, most = event.settings.fewest_seats, event.settings.most_seats
    if len(fact.entrants) != 1 and not fewest <= len(fact.entrants) <= most:
        raise EventRefused("this event has no table of {n}", n=len(fact.entrants))
    return replace(event, fixed=(*event.fixed, fact))


def _paired(event: Event, fact: told.Paired) -> Event:
    if fact.round != event.next_number:
        raise EventRefused("round {next} is paired next, not {round}", next=event.next_number, round=fact.round)
    for table in event.rounds[-1].tables if event.rounds else ():
        if table.result is None:
            names = " - ".join(event.says(who) for who in table.seats)
            raise EventRefused("{names} of round {round} has no result yet", names=names, round=fact.round - 1)
    if not fact.tables:
        raise EventRefused("no table: the event is over, or nobody is left to play")
    seated = [who for table in fact.tables for who in table] + [*fact.byes, *fact.rests]
    field = field_of(event)
    times, expected = Counter(seated), set(field)
    for who in seated:
        if who not in expected:
            raise EventRefused("{name} does not play round {round}", name=known(event, who).name, round=fact.round)
        if times[who] > 1:
            raise EventRefused("{name} is paired twice", name=event.says(who))
    for who in field:
        if who not in times:
            raise EventRefused("{name} is not paired", name=event.says(who))
    for seats in fact.tables:
        if not event.settings.fewest_seats <= len(seats) <= event.settings.most_seats:
            raise EventRefused("this event has no table of {n}", n=len(seats))
    check_bracket(event, fact)
    reasons = {tuple(sorted(fixed.entrants)): fixed.reason for fixed in event.fixed}
    tables = tuple(RoundTable(seats, reason=reasons.get(tuple(sorted(seats)), "")) for seats in fact.tables)
    new = Round(fact.round, tables, fact.byes, fact.rests, fact.engine, fact.reason, points_now(event))
    return replace(event, rounds=(*event.rounds, new), fixed=())


def _told(event: Event, fact: told.Reported | told.Corrected) -> Event:
    table = event.table(fact.round, fact.table)
    _check_result(event, table, fact.result)
    now = _with_table(event, fact, replace(table, result=fact.result))
    is_end = is_decided(now, fact.round, fact.result)
    match fact:
        case told.Reported() if table.result is not None:
            raise EventRefused("table {table} has a result: correct it, with a reason", table=fact.table)
        case told.Reported() if not is_end:
            return event  # they play again
        case told.Corrected() if table.result is None:
            raise EventRefused("table {table} has no result yet: report it", table=fact.table)
        case told.Corrected() if not is_end:
            raise EventRefused("somebody must win here: the table would have to play again")
        case told.Corrected():
            check_correction(event, now, fact.round)
    return now


def _with_table(event: Event, fact: told.Reported | told.Corrected, table: RoundTable) -> Event:
    played = event.rounds[fact.round - 1]
    tables = (*played.tables[: fact.table - 1], table, *played.tables[fact.table :])
    rounds = (*event.rounds[: fact.round - 1], replace(played, tables=tables), *event.rounds[fact.round :])
    return replace(event, rounds=rounds)


def _check_result(event: Event, table: RoundTable, result: told.Result) -> None:
    """Raises: EventRefused for a result that this table cannot have."""
    size = len(table.seats)
    if len(result.places) != size or any(list_ and len(list_) != size for list_ in (result.scores, result.rounds_won)):
        raise EventRefused("a result for {n} seats, expected {size}", n=len(result.places), size=size)
    better = tuple(1 + sum(other < place for other in result.places) for place in result.places)
    if result.places != better:
        raise EventRefused(
            "places {places}, expected each to be the number of better players plus one", places=str(result.places)
        )
    if any(not 0 <= at < size for at in result.absent) or len(set(result.absent)) != len(result.absent):
        raise EventRefused(
            "absent seats {seats}, expected numbers from 0 to {last}", seats=str(result.absent), last=size - 1
        )
    if result.loss_draw and (set(result.places) != {1} or result.absent):
        raise EventRefused("in a loss-draw everyone shares first place, and nobody is absent")
    present = [place for at, place in enumerate(result.places) if at not in result.absent]
    if present and any(result.places[at] <= max(present) for at in result.absent):
        raise EventRefused("players who did not come have the last place")
    needs_scores = event.settings.format in (Format.LIMIT, Format.GOAL)
    if needs_scores and not result.scores:
        raise EventRefused("this format counts the game's own points: expected one for each seat")
    if needs_scores and any(n < 0 for n in (*result.scores, *result.rounds_won)):
        raise EventRefused("points and rounds won must be 0 or more")
