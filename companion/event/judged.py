"""From a match that was judged at a table to its result in the event."""

from collections.abc import Mapping, Sequence

from companion.event.facts import Result
from companion.game.values import Outcome, Tally


def result_of(outcome: Outcome, seats: Sequence[Sequence[str]], tally: Mapping[str, Tally] | None = None) -> Result:
    """The result of a table from its match's outcome. A match that nobody won was lost by all: a loss-draw.

    Args:
        seats: for each entrant, in the table's order, the seats they played in the match: two for partners.
        tally: the counts for the event by seat; partners' numbers are added.

    >>> from companion.game.says import Says
    >>> outcome = Outcome(("red", "green"), Says("won"), "14", {"red": 1, "green": 1, "yellow": 0, "blue": 0})
    >>> result_of(outcome, [("yellow", "blue"), ("red", "green")]).places
    (2, 1)
    """
    shares = [max(outcome.points.get(seat, float(seat in outcome.winners)) for seat in mine) for mine in seats]
    told = [[tally[seat] for seat in mine] for mine in seats] if tally is not None else []
    rounds = [[each.rounds_won for each in mine if each.rounds_won is not None] for mine in told]
    return Result(
        places=tuple(1 + sum(other > share for other in shares) for share in shares),
        scores=tuple(round(sum(each.points for each in mine)) for mine in told),
        rounds_won=tuple(map(sum, rounds)) if all(rounds) else (),
        loss_draw=not outcome.winners and len(set(shares)) == 1,
    )
