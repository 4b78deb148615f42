"""Entries in words: the fact, its author and its time."""

from typing import Any

import msgspec

from companion.event import facts as told
from companion.event.hub import facts as hall
from companion.event.hub.desk import HubLog
from companion.event.hub.facts import HubEntry
from companion.event.hub.hall import table_at
from companion.event.hub.joining import WORDS as WAYS
from companion.event.hub.results import said
from companion.event.presets import title_of
from companion.event.state import Event
from companion.event.sums import shown
from companion.game.says import Says

WORDS: dict[type, str] = {
    told.EventBegan: "The event {name} begins, with seed {seed}",
    told.Entered: "{name} is entered",
    told.Edited: "Changed: {name}, rating {rating}, club {club}",
    told.Apart: "Not paired with each other: {names}",
    told.Withdrew: "{name} withdraws",
    told.Returned: "{name} comes back",
    told.Fixed: "Set for round {round}: {names}, because {reason}",
    told.Paired: "Round {round} is paired: {n} tables",
    told.Reported: "Round {round}, table {table}: {result}",
    told.Corrected: "Round {round}, table {table} is changed to: {result}. Reason: {reason}",
    told.Reordered: "The tie-breaks are reordered: {order}. Reason: {reason}",
    told.RoundsChanged: "The event now has {rounds} rounds. Reason: {reason}",
    told.EntryRetracted: "Taken back: {what}. Reason: {reason}",
    told.RoundRetracted: "Round {round} is taken back with its results. Reason: {reason}",
    hall.GameChosen: "The game is {game}",
    hall.Joined: "{name} is let in as {role}",
    hall.Joining: "Players' phones join by: {way}",
    hall.Revoked: "Device {device} is signed out",
    hall.Claimed: "Round {round}, table {table}: {name} says {result}",
    hall.HallCalled: "Round {round}, table {table} calls the referee. {words}",
    hall.HallCallWithdrawn: "Call {entry} was taken back",
    hall.HallCallClosed: "Call {entry} is settled",
    hall.Enrolled: "Table {box} may report to this hub",
    hall.Removed: "Table {box} may no longer report",
    hall.Assigned: "Round {round}, table {table} is played at table {box}",
    hall.CheckInOpened: "Check-in for round {round} is open",
    hall.Late: "Round {round}, table {table}: the table judged {result}",
}
"""The sentence for each kind of fact; for some it depends on more than the kind."""


def words_of(log: HubLog, entry: HubEntry) -> Says:
    event, fact = log.event, entry.fact
    values: dict[str, Any] = {
        key: value for key, value in msgspec.structs.asdict(fact).items() if isinstance(value, str | int)
    }
    if event is not None:
        values = _of_event(event, fact) | values
    match fact:
        case told.EventBegan():
            values["seed"] = fact.settings.seed
        case told.AskedOut(points=points):
            words = "{name} is missing in round {round}" if fact.is_absent else "{name} sits out round {round}"
            if points is not None:
                words, values["points"] = "{name} sits out round {round} for {points} points", shown(points)
            return Says(words, values)
        case told.Edited():
            values["club"] = fact.club or "-"
        case told.Paired():
            values["n"] = len(fact.tables)
        case told.Reordered():
            values["order"] = ", ".join(fact.tie_breaks)
        case told.Named():
            return Says("The event {name} is archived" if fact.is_archived else "The event is called {name}", values)
        case told.EntryRetracted():
            target = next((each for each in log.entries if each.seq == fact.entry), None)
            values["what"] = Says("entry {n}", {"n": fact.entry}) if target is None else words_of(log, target)
        case hall.GameChosen(game=game):
            values["game"] = title_of(game)
        case hall.Joined(role=role):
            values["role"] = str(role).replace("_", " ")
        case hall.Joining(way=way):
            values["way"] = WAYS[way]
        case hall.HallCalled():
            values["words"] = fact.says
        case hall.Assigned():
            values["box"] = fact.box or "-"
        case hall.CheckedIn():
            words = "{name} is here for round {round}" if fact.is_here else "{name} is missing for round {round}"
            return Says(words, values)
        case hall.ClockSet():
            minutes, seconds = divmod(round(fact.left_s), 60)
            values["time"] = f"{minutes}:{seconds:02d}"
            words = "Round {round}: the clock is stopped, {time} left"
            return Says("Round {round}: the clock runs, {time} left" if fact.is_running else words, values)
    return Says(WORDS[type(fact)], values)


def _of_event(event: Event, fact: hall.Fact) -> dict[str, Any]:
    values: dict[str, Any] = {}
    if (entrant := getattr(fact, "entrant", None)) is not None:
        values["name"] = _name(event, entrant)
    if isinstance(fact, told.Apart | told.Fixed):
        mark = ", " if isinstance(fact, told.Apart) else " - "
        values["names"] = mark.join(_name(event, each) for each in fact.entrants)
    if isinstance(fact, told.Reported | told.Corrected | hall.Late | hall.Claimed):
        table = table_at(event, (fact.round, fact.table))
        values["result"] = "-" if table is None else said(event, table.seats, fact.result)
    return values


def _name(event: Event, who: str) -> str:
    return event.entrants[who].name if who in event.entrants else who
