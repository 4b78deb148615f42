"""Missing entrants before a round is paired, and the pairing without them."""

from collections.abc import Mapping
from enum import StrEnum
from functools import reduce

from companion.event.facts import AskedOut, Paired, Withdrew
from companion.event.fold import after
from companion.event.formats import field_of, next_round
from companion.event.hub.desk import HubLog
from companion.event.hub.facts import CheckedIn, Fact, HallFact
from companion.event.settings import KNOCKOUTS, Format
from companion.event.state import Event


class Missing(StrEnum):
    """The choices for an entrant who is missing."""

    OUT = "out"
    """Not in this round; it is worth what a missed round is."""
    GONE = "gone"
    """Withdrawn for good."""
    PLAYS = "plays"


def no_shows(log: HubLog) -> tuple[str, ...]:
    """Entrants that did not come to their table of the newest round, and have no entry since."""
    event, number = log.tournament, log.tournament.next_number
    newest = event.rounds[-1].tables if event.rounds else ()
    absent = [table.seats[at] for table in newest if table.result is not None for at in table.result.absent]
    here = {who for round_, who in log.hall.here if round_ == number}
    return tuple(who for who in absent if event.entrants[who].is_free(number) and who not in here)


def is_open(log: HubLog) -> bool:
    """Whether players check in for the next round."""
    return log.hall.check_in == log.tournament.next_number


def missing(log: HubLog) -> tuple[str, ...]:
    """Entrants of the next round who have not checked in; without a check-in, who missed their last table."""
    event, number = log.tournament, log.tournament.next_number
    if not is_open(log):
        absent = no_shows(log)
        return tuple(who for who in field_of(event) if who in absent) if absent else ()
    return tuple(who for who in field_of(event) if (number, who) not in log.hall.here)


def choices(event: Event) -> tuple[Missing, ...]:
    """The choices for the missing, the usual first. Nobody can sit out a round of a bracket or of groups."""
    is_set = event.settings.format in (*KNOCKOUTS, Format.GROUPS)
    return (Missing.PLAYS, Missing.GONE) if is_set else (Missing.OUT, Missing.GONE, Missing.PLAYS)


def paired(log: HubLog, chosen: Mapping[str, str]) -> tuple[Paired, tuple[Fact, ...]]:
    """The next round, and what is entered before it for those who are missing. Raises: EventRefused."""
    event, number = log.tournament, log.tournament.next_number
    offered = choices(event)
    facts: list[Fact] = []
    for who in missing(log):
        match next((each for each in offered if each == chosen.get(who)), offered[0]):
            case Missing.OUT:
                facts.append(AskedOut(who, number, is_absent=True))
            case Missing.GONE:
                facts.append(Withdrew(who))
            case Missing.PLAYS:
                facts.append(CheckedIn(number, who))
    told = [fact for fact in facts if not isinstance(fact, HallFact)]
    return next_round(reduce(after, told, event)), tuple(facts)
