"""From a match that was judged at a table to its result in the event."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from companion.game import Outcome
from companion.tournament.facts import Result


def result_of(
    outcome: Outcome,
    seats: Sequence[Sequence[str]],
    scores: Mapping[str, float] | None = None,
    rounds_won: Mapping[str, int] | None = None,
) -> Result:
    """What a match's outcome is for each entrant of a table. A match that nobody won was lost by all: a loss-draw.

    Args:
        seats: for each entrant, in the table's order, the seats they played in the match: two for partners.
        scores: the game's own points by seat, where the event counts them; partners' are added.

    >>> from companion.says import Says
    >>> outcome = Outcome(("red", "green"), Says("won"), "14", {"red": 1, "green": 1, "yellow": 0, "blue": 0})
    >>> result_of(outcome, [("yellow", "blue"), ("red", "green")]).places
    (2, 1)
    """
    shares = [max(outcome.points.get(seat, float(seat in outcome.winners)) for seat in mine) for mine in seats]
    return Result(
        places=tuple(1 + sum(other > share for other in shares) for share in shares),
        scores=() if scores is None else tuple(round(sum(scores[seat] for seat in mine)) for mine in seats),
        rounds_won=() if rounds_won is None else tuple(sum(rounds_won[seat] for seat in mine) for mine in seats),
        loss_draw=not outcome.winners and len(set(shares)) == 1,
    )
