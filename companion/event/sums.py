"""Points and tie-breaks as sums that a player can check by hand: every value holds its terms."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from companion.event.draw import lot
from companion.event.scorecards import ZERO, How, RoundLine, Scorecards
from companion.event.settings import TieBreak, Unplayed
from companion.event.state import Event
from companion.game.says import Says

_SIGNS = {Fraction(1, 2): "½", Fraction(1, 3): "⅓", Fraction(2, 3): "⅔", Fraction(1, 4): "¼", Fraction(3, 4): "¾"}
_NO_GAME = {
    How.OPEN: "round {round}: still playing against {opponents}",
    How.BYE: "round {round}: bye",
    How.FORFEIT_WON: "round {round}: won, nobody else came",
    How.FORFEIT_LOST: "round {round}: did not come",
    How.RESTED: "round {round}: rested",
    How.SAT_OUT: "round {round}: sat out as asked",
    How.ABSENT: "round {round}: was missing",
    How.LATE: "round {round}: not entered yet",
    How.AWAY: "round {round}: withdrawn",
}
_WITHOUT_GAME = frozenset({How.BYE, How.FORFEIT_WON, How.FORFEIT_LOST, How.SAT_OUT, How.ABSENT, How.LATE, How.AWAY})


def shown(value: Fraction) -> str:
    """A number as people write it.

    >>> shown(Fraction(7, 2)), shown(Fraction(-1, 2)), shown(Fraction(4, 5)), shown(Fraction(11, 5))
    ('3½', '-½', '4/5', '2 1/5')
    """
    sign, value = ("-" if value < 0 else ""), abs(value)
    whole, part = divmod(value, 1)
    if not part:
        return f"{sign}{whole}"
    small = _SIGNS.get(part)
    return sign + (f"{whole or ''}{small}" if small else f"{whole} {part}" if whole else str(part))


@dataclass(frozen=True, slots=True)
class Term:
    """One part of a sum; `counts` is False for a part that is crossed out."""

    says: Says
    value: Fraction
    counts: bool = True


@dataclass(frozen=True, slots=True)
class Sum:
    """A value with the terms that make it."""

    value: Fraction
    terms: tuple[Term, ...] = ()

    @classmethod
    def of(cls, terms: Iterable[Term]) -> "Sum":
        """The sum of those that count.

        >>> Sum.of([Term(Says("a"), Fraction(2)), Term(Says("b"), Fraction(9), counts=False)]).value
        Fraction(2, 1)
        """
        kept = tuple(terms)
        return cls(sum((term.value for term in kept if term.counts), ZERO), kept)

    def __str__(self) -> str:
        if not self.terms:
            return shown(self.value)
        parts = [shown(t.value) if t.counts else f"({shown(t.value)})" for t in self.terms]
        return f"{shown(self.value)} = {' + '.join(parts)}"


@dataclass(frozen=True, slots=True)
class Count:
    """The data for all tie-breaks: the event, every line, and every entrant's points."""

    event: Event
    lines: Scorecards
    points: Mapping[str, Fraction]

    def names(self, who: Iterable[str]) -> str:
        return ", ".join(self.event.says(each) for each in who)

    def about(self, line: RoundLine) -> Says:
        values = {"round": line.round, "opponents": self.names(line.opponents)}
        if line.how is not How.PLAYED:
            return Says(_NO_GAME[line.how], values)
        if line.is_loss_draw:
            return Says("round {round}: loss-draw with {opponents}, half a loss", values)
        if len(line.opponents) > 1:
            values["share"] = shown((line.share or ZERO) * len(line.opponents))
            return Says("round {round}: beat {share} of {opponents}", values)
        if line.share == 1:
            return Says("round {round}: won against {opponents}", values)
        if line.share == 0:
            return Says("round {round}: lost to {opponents}", values)
        return Says("round {round}: drew with {opponents}", values)

    def worth(self, opponent: str) -> Fraction:
        """An opponent's points for others' tie-breaks, by the event's rule for rounds without a game."""
        if self.event.settings.unplayed is Unplayed.AS_SCORED:
            return self.points[opponent]
        draw = self.event.settings.points.draw
        return sum((draw if ln.how in _WITHOUT_GAME else ln.points for ln in self.lines[opponent]), ZERO)

    def stand_in(self, who: str, line: RoundLine) -> Fraction:
        """A virtual opponent's points, for a round without a game.

        Sum of: the entrant's own points before, the points that the entrant missed in this round, a draw for each later
        round.
        """
        points, rounds = self.event.settings.points, len(self.event.rounds)
        before = sum((ln.points for ln in self.lines[who] if ln.round < line.round), ZERO)
        return before + points.win - line.points + points.draw * (rounds - line.round)


def points(count: Count, who: str) -> Sum:
    return Sum.of(Term(count.about(line), line.points) for line in count.lines[who])


def opponents_points(count: Count, who: str) -> list[Term]:
    """For each opponent their points now; a round without a game counts 0, or the points of a virtual opponent."""
    terms = []
    for line in count.lines[who]:
        if line.how is How.PLAYED:
            for other in line.opponents:
                values = {"round": line.round, "name": count.event.says(other)}
                terms.append(Term(Says("round {round}: points of {name}", values), count.worth(other)))
        elif line.how in _WITHOUT_GAME:
            is_drawn = count.event.settings.unplayed is Unplayed.AS_DRAWN
            terms.append(Term(count.about(line), count.stand_in(who, line) if is_drawn else ZERO))
    return terms


def cut(terms: Sequence[Term], *, lowest: bool, highest: bool) -> list[Term]:
    """The terms with the lowest, the highest or both crossed out."""
    order = sorted(range(len(terms)), key=lambda at: terms[at].value)
    out = {*order[: int(lowest)], *(order[-1:] if highest else [])}
    return [replace(term, counts=at not in out) for at, term in enumerate(terms)]


def sonneborn_berger(count: Count, who: str) -> Sum:
    """The points of those who were beaten, half of those who drew."""
    terms = []
    for line in count.lines[who]:
        if line.how is How.PLAYED and line.share is not None:
            for other in line.opponents:
                share = line.share
                values = {"share": shown(share), "points": shown(count.worth(other)), "name": count.event.says(other)}
                says = Says("round {round}: {share} of {name}'s {points}", {"round": line.round, **values})
                terms.append(Term(says, share * count.worth(other)))
        elif line.how in _WITHOUT_GAME and count.event.settings.unplayed is Unplayed.AS_DRAWN:
            win = count.event.settings.points.win
            share = min(Fraction(1), line.points / win) if win > 0 else ZERO
            terms.append(Term(count.about(line), share * count.stand_in(who, line)))
    return Sum.of(terms)


def shares(count: Count, who: str) -> Sum:
    """The share of the opponents beaten at each table, a draw half."""
    return Sum.of(Term(count.about(line), line.share) for line in count.lines[who] if line.share is not None)


def points_scored(count: Count, who: str) -> Sum:
    lines = [line for line in count.lines[who] if line.how is How.PLAYED]
    return Sum.of(Term(count.about(line), Fraction(line.scored)) for line in lines)


def share_of_points(count: Count, who: str) -> Sum:
    """Sum over tables of the entrant's share of all points there; a table whose points add up to nothing counts 0."""
    terms = []
    for line in count.lines[who]:
        of = line.scored + line.against * len(line.opponents)
        if line.how is How.PLAYED:
            values = {"about": count.about(line), "scored": line.scored, "of": shown(of)}
            share = Fraction(line.scored) / of if of > 0 else ZERO
            terms.append(Term(Says("{about}: {scored} of {of}", values), share))
    return Sum.of(terms)


def progressive(count: Count, who: str) -> Sum:
    """The points after each round, added up: an early leader met stronger opponents."""
    total, terms = ZERO, []
    for line in count.lines[who]:
        total += line.points
        terms.append(Term(Says("points after round {round}", {"round": line.round}), total))
    return Sum.of(terms)


def difference(count: Count, who: str) -> Sum:
    """Points within the games, for and against."""
    terms = []
    for line in count.lines[who]:
        if line.how is How.PLAYED:
            values = {"about": count.about(line), "scored": line.scored, "against": shown(line.against)}
            better = line.against - line.scored if count.event.settings.fewer_wins else line.scored - line.against
            terms.append(Term(Says("{about}: {scored} to {against}", values), better))
    return Sum.of(terms)


def head_to_head(count: Count, group: Sequence[str]) -> dict[str, Sum]:
    """Points from the rounds that those tied played among each other, once each of them has met all the others."""
    tied = set(group)
    met = {who: {other for line in count.lines[who] for other in line.opponents} & tied for who in group}
    if any(len(met[who]) < len(tied) - 1 for who in group):
        return {who: Sum.of([Term(Says("not all of those tied have met"), ZERO)]) for who in group}
    return {
        who: Sum.of(
            Term(count.about(line), line.points)
            for line in count.lines[who]
            if line.how is How.PLAYED and tied & set(line.opponents)
        )
        for who in group
    }


def drawn_lot(count: Count, who: str) -> Sum:
    seed = count.event.settings.seed
    says = Says("the lot of {entrant} by seed {seed}", {"entrant": count.event.says(who), "seed": seed})
    rank = sum(lot(seed, each) <= lot(seed, who) for each in count.event.entrants)
    return Sum.of([Term(says, Fraction(rank))])


TIE_BREAKS: Mapping[TieBreak, tuple[Says, Callable[[Count, str], Sum]]] = {
    TieBreak.BUCHHOLZ: (Says("Buchholz"), lambda c, who: Sum.of(opponents_points(c, who))),
    TieBreak.BUCHHOLZ_CUT: (
        Says("Buchholz without the lowest"),
        lambda c, who: Sum.of(cut(opponents_points(c, who), lowest=True, highest=False)),
    ),
    TieBreak.MEDIAN_BUCHHOLZ: (
        Says("median Buchholz"),
        lambda c, who: Sum.of(cut(opponents_points(c, who), lowest=True, highest=True)),
    ),
    TieBreak.SONNEBORN_BERGER: (Says("Sonneborn-Berger"), sonneborn_berger),
    TieBreak.SHARE: (Says("share of opponents beaten"), shares),
    TieBreak.WINS: (
        Says("wins"),
        lambda c, who: Sum.of(Term(c.about(line), Fraction(1)) for line in c.lines[who] if line.is_won),
    ),
    TieBreak.LOSSES: (
        Says("losses"),
        lambda c, who: Sum.of(Term(c.about(line), line.losses) for line in c.lines[who] if line.losses),
    ),
    TieBreak.PROGRESSIVE: (Says("progressive"), progressive),
    TieBreak.SCORED: (Says("points scored"), points_scored),
    TieBreak.SHARE_OF_POINTS: (Says("share of the table's points"), share_of_points),
    TieBreak.DIFFERENCE: (Says("points difference"), difference),
    TieBreak.LOT: (Says("lot"), drawn_lot),
}
"""All but head to head, which depends on who is tied."""
OF_UNIT: Mapping[TieBreak, Callable[[str], Says]] = {
    TieBreak.SCORED: lambda unit: Says("{unit}, total", {"unit": unit}),
    TieBreak.SHARE_OF_POINTS: lambda unit: Says("{unit}, share of the table", {"unit": unit}),
    TieBreak.DIFFERENCE: lambda unit: Says("{unit}, difference", {"unit": unit}),
}
"""Tie-breaks that the game's own word for points names."""
