"""Several readings of one settled throw made into one: agreement keeps the confidence, disagreement lowers it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from companion.readings import HIGHEST_IN_DOUBT, DiceReading, DieSeen

SAME_PLACE = 0.5
"""Dice of two readings nearer than this share of their side are one die."""


@dataclass(slots=True)
class _Seat:
    box: tuple[float, float, float, float]
    seen: dict[int, DieSeen] = field(default_factory=dict)


def fused(readings: Sequence[DiceReading]) -> DiceReading:
    """One reading of a table that lay still. A die seen in less than half of the pictures is left out.

    The value is the one with most confidence behind it; its confidence is the mean over the pictures, counting a
    picture with another value, with none or without the die as no support. Two values with equal support: no value.

    >>> die = DieSeen(value=4, box=(0, 0, 10, 10), confidence=0.99)
    >>> other = DieSeen(value=6, box=(1, 0, 11, 10), confidence=0.6)
    >>> fused([DiceReading(dice=(die,)), DiceReading(dice=(die,)), DiceReading(dice=(other,))]).dice[0].confidence
    0.66
    """
    seats: list[_Seat] = []
    for index, reading in enumerate(readings):
        free = [s for s in seats if index not in s.seen]
        for die in reading.dice:
            near = min(free, key=lambda s: _apart(s.box, die.box), default=None)
            if near is not None and _apart(near.box, die.box) < SAME_PLACE:
                near.seen[index] = die
                free.remove(near)
            else:
                seats.append(_Seat(die.box, {index: die}))
    return DiceReading(dice=tuple(_one(s, len(readings)) for s in seats if 2 * len(s.seen) >= len(readings)))


def _apart(a: tuple[float, float, float, float], b: tuple[float, float, float, float]) -> float:
    """Distance of two boxes' middles in sides of the smaller."""
    side = min(max(a[2] - a[0], a[3] - a[1]), max(b[2] - b[0], b[3] - b[1]), key=abs)
    across, down = (a[0] + a[2] - b[0] - b[2]) / 2, (a[1] + a[3] - b[1] - b[3]) / 2
    return float((across**2 + down**2) ** 0.5 / max(side, 1e-6))


def _one(seat: _Seat, pictures: int) -> DieSeen:
    support: dict[int | None, float] = {}
    for die in seat.seen.values():
        support[die.value] = support.get(die.value, 0.0) + die.confidence
    told = {value: weight for value, weight in support.items() if value is not None}
    best = max(told.values(), default=0.0)
    winners = [value for value, weight in told.items() if weight == best]
    if len(winners) != 1 or support.get(None, 0.0) > best:
        reason = "the pictures do not agree" if told else next(iter(seat.seen.values())).reason
        mean = sum(d.confidence for d in seat.seen.values()) / pictures
        return DieSeen(value=None, box=seat.box, confidence=round(mean, 4), reason=reason)
    confidence = best / pictures
    if len(told) > 1:
        confidence = min(confidence, HIGHEST_IN_DOUBT)
    return DieSeen(value=winners[0], box=seat.box, confidence=round(confidence, 4))
