"""Groups: who plays in which, and each one's part of the event as an event of its own."""

from __future__ import annotations

from dataclasses import replace

import msgspec

from companion.event.settings import Format
from companion.event.state import Event, Round
from companion.event.swiss import seeding


def groups_of(event: Event) -> list[list[str]]:
    """The groups, filled back and forth from the best to the last entrant, so that all are equally strong."""
    began = seeding(event, (who for who, each in event.entrants.items() if each.is_here(1)))
    count = min(event.settings.groups, max(1, len(began) // 2))
    groups: list[list[str]] = [[] for _ in range(count)]
    for at, who in enumerate(began):
        row, place = divmod(at, count)
        groups[place if row % 2 == 0 else count - 1 - place].append(who)
    return groups


def group_rounds(event: Event) -> int:
    """How many rounds the groups take."""
    largest = max(map(len, groups_of(event)), default=0)
    return event.settings.cycles * (largest - 1 + largest % 2)


def alone(event: Event, group: list[str]) -> Event:
    """The event reduced to this group, without finals."""
    inside = set(group)

    def part(played: Round) -> Round:
        return replace(
            played,
            tables=tuple(table for table in played.tables if set(table.seats) <= inside),
            rests=tuple(who for who in played.rests if who in inside),
        )

    return replace(
        event,
        settings=msgspec.structs.replace(event.settings, format=Format.ROUND_ROBIN),
        entrants={who: event.entrants[who] for who in group},
        rounds=tuple(part(played) for played in event.rounds[: group_rounds(event)]),
    )
