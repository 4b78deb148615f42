"""Why you play whom: a sentence or two for everybody, from the facts known when the round was paired."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from companion.event.refused import EventRefused
from companion.event.robin import group_rounds
from companion.event.scorecards import How, Scorecards, scorecards
from companion.event.settings import AT_TABLES, Format
from companion.event.state import Event, Round
from companion.event.sums import shown
from companion.event.swiss import meetings
from companion.game.says import Says, listed


def reasons(event: Event, number: int) -> dict[str, tuple[Says, ...]]:
    """The reasons for everybody, for a page or a printout of a round. Raises: EventRefused for a missing round."""
    if not 1 <= number <= len(event.rounds):
        raise EventRefused("round {round} is not paired", round=number)
    played = event.rounds[number - 1]
    before = _Before(replace(event, rounds=event.rounds[: number - 1]), played)
    found: dict[str, tuple[Says, ...]] = {}
    for table in played.tables:
        told = _set_by_organiser(played, table.seats, table.reason)
        for who in table.seats:
            others = [other for other in table.seats if other != who]
            found[who] = (*told, *before.table(who, others, is_set=bool(told)))
    for who in played.byes:
        found[who] = _set_by_organiser(played, (who,), "") or (before.bye(who),)
    found |= {who: (before.rest(who),) for who in played.rests}
    return {who: found.get(who) or (before.out(who),) for who in event.entrants}


def _set_by_organiser(played: Round, seats: tuple[str, ...], reason: str) -> tuple[Says, ...]:
    """The organiser's reason for a pair, and the engine's pairs of that round."""
    if reason:
        return (Says("The organiser set this table: {reason}.", {"reason": reason}),)
    if played.engine is None or frozenset(seats) in {frozenset(table) for table in played.engine}:
        return ()
    return (Says("The organiser changed the pairing of this round: {reason}.", {"reason": played.reason}),)


def difference(event: Event, number: int) -> tuple[Says, ...]:
    """The differences between a published round and the engine's, in words; empty if they are the same."""
    played = event.rounds[number - 1]
    if played.engine is None:
        return ()
    ours = {frozenset(seats): seats for seats in _all_tables(played)}
    theirs = {frozenset(seats): seats for seats in played.engine}
    published = [seats for key, seats in ours.items() if key not in theirs]
    instead = [seats for key, seats in theirs.items() if key not in ours]
    values = {"published": _named(event, published), "instead": _named(event, instead), "reason": played.reason}
    return (Says("Published: {published}. Calculated: {instead}. Reason: {reason}.", values),)


def _all_tables(played: Round) -> list[tuple[str, ...]]:
    return [*(table.seats for table in played.tables), *((who,) for who in (*played.byes, *played.rests))]


def _named(event: Event, tables: list[tuple[str, ...]]) -> Says:
    return listed(
        [
            Says("{names}", {"names": " - ".join(map(event.says, seats))})
            if len(seats) > 1
            else Says("no game for {name}", {"name": event.says(seats[0])})
            for seats in tables
        ]
        or [Says("nothing")]
    )


class _Before:
    """The event as it was when a round was paired, with the points known then: no later correction changes a reason."""

    def __init__(self, event: Event, paired: Round) -> None:
        self.event, self.paired = event, paired
        self.lines: Scorecards = scorecards(event)
        self.points: Mapping[str, Fraction] = paired.points_then
        self.here = [who for seats in _all_tables(paired) for who in seats]

    def name(self, who: str) -> str:
        return self.event.says(who)

    def table(self, who: str, others: list[str], *, is_set: bool) -> tuple[Says, ...]:
        """Why these sit at one table."""
        event, number = self.event, self.paired.number
        is_final = event.settings.format is Format.GROUPS and number > group_rounds(event)
        match event.settings.format:
            case Format.ROUND_ROBIN:
                return (Says("Everybody plays everybody; this is round {round}.", {"round": number}),)
            case Format.GROUPS if not is_final:
                return (Says("In your group everybody plays everybody; this is round {round}.", {"round": number}),)
            case Format.SINGLE | Format.GROUPS:
                return (self._bracket(who, others[0], is_final),)
            case Format.DOUBLE:
                return self._side(who, others[0])
            case Format.SWISS:
                return (*self._score(who, others[0], is_set), self._met(who, others))
            case _:
                return (self._pod(who, others), self._met(who, others))

    def _score(self, who: str, other: str, is_set: bool) -> tuple[Says, ...]:
        mine, theirs = self.points[who], self.points[other]
        if self.paired.number == 1 and not is_set:
            return (Says("In the first round the upper half of the seeding plays the lower half."),)
        values: dict[str, object] = {"points": shown(mine), "name": self.name(other), "theirs": shown(theirs)}
        if mine == theirs:
            return (Says("You and {name} have equal points: {points}.", values),)
        if is_set:
            return (Says("Points: you {points}, {name} {theirs}.", values),)
        return (Says("Points: you {points}, {name} {theirs}.", values), self._step(who, other))

    def _step(self, who: str, other: str) -> Says:
        """Why two with different points play: no new opponent left, an odd group, or others could not be paired."""
        upper, lower = sorted((who, other), key=lambda each: -self.points[each])
        for one in (upper, lower):
            rest = [each for each in self._group(one) if each != one]
            met, you = meetings(self.lines[one]), {"points": shown(self.points[one]), "name": self.name(one)}
            if not rest:
                own = "Nobody else has your number of points: {points}."
                theirs = "Nobody else has {name}'s number of points: {points}."
                return Says(own if one == who else theirs, you)
            if all(met[each] for each in rest):
                own = "You have met everybody else with your number of points: {points}."
                theirs = "{name} has met everybody else with the same number of points: {points}."
                return Says(own if one == who else theirs, you)
        for one in (upper, lower):
            values = {"points": shown(self.points[one]), "count": len(self._group(one))}
            if len(self._group(one)) % 2:
                words = (
                    "{count} players have the same points ({points}), an odd number: "
                    "one plays somebody higher or lower."
                )
                return Says(words, values)
        values = {"points": shown(self.points[upper])}
        return Says(
            "Pairing all who have the same points ({points}) needs a rematch, or makes no other pairing better.", values
        )

    def _group(self, who: str) -> list[str]:
        return [each for each in self.here if self.points[each] == self.points[who]]

    def _met(self, who: str, others: list[str]) -> Says:
        met = meetings(self.lines[who])
        again = [other for other in others if met[other]]
        if not again:
            return (
                Says("You have not played each other before.")
                if len(others) == 1
                else Says("You have met none of them.")
            )
        names = listed([Says("{name}", {"name": self.name(other)}) for other in again])
        if len(others) > 1:
            return Says("You meet {names} again: no seating with fewer repeated opponents was found.", {"names": names})
        if self.paired.engine is not None:
            return Says("You have played {names} before.", {"names": names})
        return Says("You play {names} again: this round cannot be paired without a rematch.", {"names": names})

    def _pod(self, who: str, others: list[str]) -> Says:
        points = sorted((self.points[each] for each in (who, *others)), reverse=True)
        if self.event.settings.format is Format.LIMIT:
            values = {"limit": self.event.settings.limit, "left": len(self.here), "points": shown(self.points[who])}
            return Says("{left} players are below {limit} points, you have {points}.", values)
        if points[0] == points[-1]:
            return Says("Everyone at this table has the same points: {points}.", {"points": shown(points[0])})
        values = {"most": shown(points[0]), "fewest": shown(points[-1])}
        return Says("The players at this table have {fewest} to {most} points.", values)

    def _bracket(self, who: str, other: str, is_final: bool) -> Says:
        first = group_rounds(self.event) + 1 if is_final else 1
        values = {"name": self.name(other), "round": self.paired.number - 1}
        if self.paired.number == first:
            return Says("The bracket by the groups' places puts you against {name}.", values) if is_final else Says(
                "The bracket by the seeding puts you against {name}.", values
            )  # fmt: skip
        return Says("You and {name} came through round {round} side by side in the bracket.", values)

    def _side(self, who: str, other: str) -> tuple[Says, ...]:
        lost = {each: sum((line.losses for line in self.lines[each]), Fraction(0)) for each in (who, other)}
        values = {"name": self.name(other), "mine": shown(lost[who]), "theirs": shown(lost[other])}
        if (lost[who] < 1) != (lost[other] < 1):
            return (Says("This is the final. Losses: you {mine}, {name} {theirs}.", values),)
        template = "You and {name} have not lost a game." if not lost[who] and not lost[other] else (
            "Losses: you {mine}, {name} {theirs}. After the second loss you are out."
        )  # fmt: skip
        return (Says(template, values), self._met(who, [other]))

    def bye(self, who: str) -> Says:
        """Why somebody has no opponent and gets points for it."""
        byes = Counter({each: sum(line.how is How.BYE for line in self.lines[each]) for each in self.here})
        values = {"points": shown(self.points[who]), "count": len(self.here), "byes": byes[who]}
        as_few = [each for each in self.here if byes[each] == byes[who]]
        if byes[who] > min(byes[each] for each in self.here):
            return Says("You have a bye.")
        if self.points[who] > min(self.points[each] for each in as_few):
            return Says("You have a bye: {count} play, and a bye for anybody lower would mean more rematches.", values)
        if byes[who]:
            words = "You have a bye: {count} play, all had one before, and nobody has fewer points than you ({points})."
            return Says(words, values)
        words = "You have a bye: {count} play, and nobody without an earlier bye has fewer points than you ({points})."
        return Says(words, values)

    def rest(self, who: str) -> Says:
        """Why somebody waits a round for nothing."""
        match self.event.settings.format:
            case Format.ROUND_ROBIN | Format.GROUPS:
                return Says("You rest this round: your opponent is absent, or the number of players is odd.")
            case Format.DOUBLE:
                return Says("You rest this round: nobody on your side of the field is left for you to play.")
            case _:
                return Says("You are through to the next round: your place in the bracket has no opponent.")

    def out(self, who: str) -> Says:
        """Why somebody is not in a round at all."""
        entrant, number = self.event.entrants[who], self.paired.number
        if number < entrant.first_round:
            return Says("You had not entered yet.")
        if not entrant.is_here(number):
            return Says("You had withdrawn.")
        if number in entrant.absent:
            return Says("You were missing when the round was paired.")
        if number in entrant.asked_out:
            return Says("You asked to sit this round out.")
        if self.event.settings.format in (*AT_TABLES, Format.SINGLE, Format.DOUBLE):
            return Says("You are out of the event.")
        return Says("You are not in the finals.")
