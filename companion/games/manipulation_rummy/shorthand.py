"""Short notations for the command line: a table and a hand, the points of a round, the totals of a match."""

from collections.abc import Mapping

from companion.game.errors import ImpossibleError
from companion.game.values import JsonObject
from companion.games.manipulation_rummy import hints as _hints
from companion.games.manipulation_rummy import positions, scoring
from companion.games.manipulation_rummy.house import house_of
from companion.games.manipulation_rummy.melds import table_text
from companion.games.manipulation_rummy.positions import state_of_table

__all__ = ["best_play", "final_scores", "round_scores", "state_of_table"]


def best_play(
    table: str, hand: str, packs: int | None, options: Mapping[str, str], *, within_ms: float = 300.0
) -> JsonObject:
    """The play that leaves the fewest points: ``points`` that leave the hand, cards ``laid``, the ``table`` after.

    The table after is text in the notation that `table` was given in. Raises: NotationError; ImpossibleError
    for a table and a hand that cannot be.
    """
    state = state_of_table(table, hand, packs, options)
    for fault in positions.faults(state):
        raise ImpossibleError(f"this position cannot be: {fault.says} [{fault.rule}]", fault.where)
    best, after = _hints.best_play(state, state.seats[0], within_ms)
    return {"points": best.points, "laid": list(best.laid), "table": table_text(after)}


def round_scores(
    points: Mapping[str, int], *, knocked: str | None, out: str | None, options: Mapping[str, str]
) -> dict[str, int]:
    """Each seat's score in a round. Raises: NotationError; Illegal for a knock with too many points."""
    house_of(options)  # no house rule changes a round's score, and a wrong one is still reported
    return scoring.count_round(points, knocked, out).scores


def final_scores(totals: Mapping[str, tuple[int, int]], *, options: Mapping[str, str]) -> dict[str, int]:
    """The final scores by total and rounds won of each seat. Raises: NotationError before anybody has 150."""
    return scoring.count_finals(totals, house_of(options).box_bonus_for_finishers)
