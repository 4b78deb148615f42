"""How far a marker is from the end, in turns of a player who has nothing else to do."""

from __future__ import annotations

from companion.games.race.core import DIE, SIX, Tables

SWEEPS = 60
"""Sweeps of the value iteration; after 40 no turn count of the shipped boards moves by a hundredth."""


def solo_turns(tables: Tables, color: int) -> list[float]:
    """Expected turns that a lone marker needs from each place, choosing well where it may; a six rolls again.

    Value iteration on T(p) = 1 + sum over the die of T(best end) / 6, less the turn that a six saves.
    """
    places = range(len(tables.names))
    arrived = tables.arrives
    ahead = [[] if arrived[p] else [tables.ends_alone(color, p, die) for die in DIE] for p in places]
    turns = [0.0 if arrived[p] else 1.0 for p in places]
    for _ in range(SWEEPS):
        for p in reversed(places):
            if arrived[p]:
                continue
            total = 0.0
            for die, to in zip(DIE, ahead[p], strict=True):
                best = min([turns[q] for q in to], default=turns[p])
                total += best - (die == SIX and best >= 1.0 and p != tables.home)
            turns[p] = 1.0 + total / SIX
    return turns
