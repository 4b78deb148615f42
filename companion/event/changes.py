"""The effects of an entry before it is entered: on places, on points, on rounds that were paired on the old results."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from companion.event.facts import Corrected, EntryRetracted, EventEntry, Fact, Reported
from companion.event.fold import enter, fold
from companion.event.standings import standings
from companion.event.state import Event
from companion.event.sums import shown
from companion.game.says import Says


@dataclass(frozen=True, slots=True)
class Preview:
    """The effects of an entry. `moved`: entrants whose place or first column changes, in the order of the new
    standings. `stays`: rounds that were paired before it and stay as published."""

    moved: Mapping[str, Says]
    stays: tuple[Says, ...]


def preview(entries: Sequence[EventEntry], fact: Fact, by: str = "") -> Preview:
    """The effects of an entry, without entering it. Raises: Refused if it could not be entered."""
    before = fold(entries)
    _, now = enter(entries, fact, by)
    return Preview(_moved(before, now), _stays(before, entries, fact))


def _moved(before: Event, now: Event) -> dict[str, Says]:
    old = {row.entrant: row for row in standings(before).rows}
    table, found = standings(now), dict[str, Says]()
    for row in table.rows:
        was = old.get(row.entrant)
        if was is None or (was.place, was.sums[0].value) == (row.place, row.sums[0].value):
            continue
        values = {
            "name": now.says(row.entrant),
            "before": was.place,
            "place": row.place,
            "what": table.columns[0].says,
            "points_before": shown(was.sums[0].value),
            "points": shown(row.sums[0].value),
        }
        if was.place == row.place:
            words = "{name} stays at place {place}, {what}: {points} instead of {points_before}"
        elif was.sums[0].value == row.sums[0].value:
            words = "{name} goes from place {before} to {place}, {what}: still {points}"
        else:
            words = "{name} goes from place {before} to {place}, {what}: {points} instead of {points_before}"
        found[row.entrant] = Says(words, values)
    return found


def _stays(event: Event, entries: Sequence[EventEntry], fact: Fact) -> tuple[Says, ...]:
    if isinstance(fact, EntryRetracted):
        told = next((entry.fact for entry in entries if entry.seq == fact.entry), None)
        fact = told if told is not None else fact
    if not isinstance(fact, Corrected | Reported):
        return ()
    return tuple(
        Says("round {round} was paired before this and stays as it was published", {"round": played.number})
        for played in event.rounds[fact.round :]
    )
