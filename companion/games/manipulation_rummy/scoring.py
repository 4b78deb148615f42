"""Scores of a round and the final count, from points alone: no cards needed."""

from collections.abc import Mapping
from dataclasses import dataclass

from companion.game.errors import NotationError
from companion.game.says import Says, each_as, listed, points_says
from companion.game.values import Illegal
from companion.games.manipulation_rummy import house as sheet
from companion.games.manipulation_rummy.house import rule


@dataclass(frozen=True, slots=True)
class Count:
    """A round counted: who won it, what each seat scores, and why."""

    winners: tuple[str, ...]
    scores: dict[str, int]
    says: Says
    rule: str


def count_round(points: Mapping[str, int], knocked: str | None = None, out: str | None = None) -> Count:
    """The winners and scores of a round by the points left in each hand (sheet, Scoring; gaps 16, 18, 19, 21).

    Raises: NotationError for impossible points; Illegal for a knock with too many.

    >>> count_round({"A": 4, "B": 12, "C": 30}, knocked="A").scores
    {'A': 34, 'B': 0, 'C': 0}
    """
    out = out if out is not None else next((seat for seat, left in points.items() if left == 0), None)
    _check(points, knocked, out)
    low = min(points.values())
    lowest = tuple(seat for seat, left in points.items() if left == low)
    winners, bonus = lowest, 0
    if out is not None:
        winners, bonus = (out,), sheet.OUT_BONUS
        says, why = "{winners} played all cards: the other hands and a bonus of {bonus}", rule("Scoring")
    elif knocked is None:
        says, why = "nobody knocked, so the fewest points win: {winners} with {low}", rule("gap 16")
    elif lowest == (knocked,):
        says, why = "{winners} knocked and has the fewest points, {low}", rule("Scoring")
    else:
        winners, bonus = tuple(seat for seat in lowest if seat != knocked), sheet.UNDERCUT_BONUS
        if knocked not in lowest:
            why = rule("Scoring") if len(winners) == 1 else rule("gap 18")
            says = "{winners} undercut {knocked} with {low}: a bonus of {bonus} each"
        else:
            why = rule("Scoring") if len(winners) <= 2 else rule("gap 19")
            says = (
                "{knocked} knocked and ties with {winners} at {low}: the others win, with the undercut bonus of {bonus}"
            )
    differences = sum(left - low for left in points.values())
    scores = {seat: differences + bonus if seat in winners else 0 for seat in points}
    values = {"winners": listed(each_as("seat", winners)), "bonus": bonus, "low": points_says(low), "knocked": knocked}
    return Count(winners, scores, Says(says, values), why)


def _check(points: Mapping[str, int], knocked: str | None, out: str | None) -> None:
    _check_seats(len(points), "--points", "A=4 B=12")
    for seat in (knocked, out):
        if seat is not None and seat not in points:
            raise NotationError(f"{seat} has no points, expected one of {', '.join(points)}", "--points")
    if knocked is not None and out is not None:
        fault = f"{knocked} knocked and {out} went out, expected one of the two: each ends the round"
        raise NotationError(fault, "--knocked")
    for seat, left in points.items():
        if left < 0 or (left == 0) != (seat == out):
            expected = "0 for who went out" if seat == out else "1 or more, or 0 for one alone who went out"
            raise NotationError(f"{seat} has {left} points, expected {expected}", "--points")
    if knocked is not None and points[knocked] > sheet.KNOCK_POINTS:
        values = {"seat": knocked, "points": points_says(points[knocked]), "most": sheet.KNOCK_POINTS}
        says = Says("{seat} knocked with {points}, and may with {most} or fewer", values)
        raise Illegal(says, rule("End of a Round"))


def _check_seats(count: int, field: str, such_as: str) -> None:
    if not sheet.FEWEST_SEATS <= count <= sheet.MOST_SEATS:
        players = "one player" if count == 1 else f"{count} players"
        raise NotationError(f"{field} names {players}, expected two to five such as {such_as!r}", field)


def count_finals(
    totals: Mapping[str, tuple[int, int]], box_bonus_for_finishers: bool = False, goal: int = sheet.GOAL_POINTS
) -> dict[str, int]:
    """The final scores by total and rounds won (sheet, Winning; gap 22). Raises: NotationError, so before one has 150.

    >>> count_finals({"A": (152, 3), "B": (120, 5), "C": (90, 2)})
    {'A': 252, 'B': 245, 'C': 140}
    """
    _check_seats(len(totals), "--totals", "A=152/3 B=120/5")
    if not any(total >= goal for total, _ in totals.values()):
        raise NotationError(f"no total is {goal} or more, expected one: the game goes on", "--totals")
    finals = {}
    for seat, (total, rounds) in totals.items():
        if total < 0 or rounds < 0:
            raise NotationError(f"{seat} has {total}/{rounds}, expected 0 or more", "totals")
        is_finisher = total >= goal
        bonus = sheet.GOAL_BONUS if is_finisher else 0
        if not is_finisher or box_bonus_for_finishers:
            bonus += sheet.ROUND_BONUS * rounds
        finals[seat] = total + bonus
    return finals
