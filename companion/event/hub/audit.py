"""Entries in words: the fact, its author and its time."""

from companion.event import facts as told
from companion.event.hub import facts as hall
from companion.event.hub.desk import HubLog
from companion.event.hub.facts import HubEntry
from companion.event.hub.joining import WORDS
from companion.event.hub.results import said
from companion.event.presets import title_of
from companion.event.state import Event
from companion.event.sums import shown
from companion.game.says import Says


def words_of(log: HubLog, entry: HubEntry) -> Says:
    event, fact = log.event, entry.fact
    if event is None or isinstance(fact, hall.HallFact):
        return _of_hall(event, fact)
    match fact:
        case told.EventBegan(name=name):
            return Says("The event {name} begins, with seed {seed}", {"name": name, "seed": fact.settings.seed})
        case told.Entered(name=name):
            return Says("{name} is entered", {"name": name})
        case told.Edited():
            values = {"name": fact.name, "rating": fact.rating, "club": fact.club or "-"}
            return Says("Changed: {name}, rating {rating}, club {club}", values)
        case told.Apart(entrants=who):
            return Says("Not paired with each other: {names}", {"names": ", ".join(_name(event, each) for each in who)})
        case told.Withdrew(entrant=who):
            return Says("{name} withdraws", {"name": _name(event, who)})
        case told.Returned(entrant=who):
            return Says("{name} comes back", {"name": _name(event, who)})
        case told.AskedOut(entrant=who):
            words = "{name} is missing in round {round}" if fact.is_absent else "{name} sits out round {round}"
            if fact.points is not None:
                words = "{name} sits out round {round} for {points} points"
            points = "-" if fact.points is None else shown(fact.points)
            return Says(words, {"name": _name(event, who), "round": fact.round, "points": points})
        case told.Fixed(entrants=who):
            names = " - ".join(_name(event, each) for each in who)
            return Says("Set for round {round}: {names}, because {reason}", _with(fact, names=names))
        case told.Paired():
            return Says("Round {round} is paired: {n} tables", {"round": fact.round, "n": len(fact.tables)})
        case told.Reported():
            return Says("Round {round}, table {table}: {result}", _at(event, fact))
        case told.Corrected():
            return Says(
                "Round {round}, table {table} is changed to: {result}. Reason: {reason}",
                {**_at(event, fact), "reason": fact.reason},
            )
        case told.Reordered():
            return Says("The tie-breaks are reordered: {order}. Reason: {reason}", _with(fact, order=_order(fact)))
        case told.RoundsChanged():
            values = {"rounds": fact.rounds, "reason": fact.reason}
            return Says("The event now has {rounds} rounds. Reason: {reason}", values)
        case told.Named(name=name):
            return Says(
                "The event {name} is archived" if fact.is_archived else "The event is called {name}", {"name": name}
            )
        case told.EntryRetracted():
            target = next((each for each in log.entries if each.seq == fact.entry), None)
            what = Says("entry {n}", {"n": fact.entry}) if target is None else words_of(log, target)
            return Says("Taken back: {what}. Reason: {reason}", {"what": what, "reason": fact.reason})
        case told.RoundRetracted():
            return Says("Round {round} is taken back with its results. Reason: {reason}", _with(fact))
    raise AssertionError(fact)


def _of_hall(event: Event | None, fact: hall.Fact) -> Says:
    match fact:
        case hall.GameChosen(game=game):
            return Says("The game is {game}", {"game": title_of(game)})
        case hall.Joined(name=name, role=role):
            return Says("{name} is let in as {role}", {"name": name, "role": str(role).replace("_", " ")})
        case hall.Joining(way=way):
            return Says("Players' phones join by: {way}", {"way": WORDS[way]})
        case hall.Revoked(device=device):
            return Says("Device {device} is signed out", {"device": device})
        case hall.Claimed() if event is not None:
            return Says("Round {round}, table {table}: {name} says {result}", _claim(event, fact))
        case hall.HallCalled():
            values = {"round": fact.round, "table": fact.table, "words": fact.says}
            return Says("Round {round}, table {table} calls the referee. {words}", values)
        case hall.HallCallWithdrawn(entry=entry):
            return Says("Call {entry} was taken back", {"entry": entry})
        case hall.HallCallClosed(entry=entry):
            return Says("Call {entry} is settled", {"entry": entry})
        case hall.Enrolled(box=box):
            return Says("Table {box} may report to this hub", {"box": box})
        case hall.Removed(box=box):
            return Says("Table {box} may no longer report", {"box": box})
        case hall.Assigned():
            values = {"round": fact.round, "table": fact.table, "box": fact.box or "-"}
            return Says("Round {round}, table {table} is played at table {box}", values)
        case hall.CheckInOpened():
            return Says("Check-in for round {round} is open", {"round": fact.round})
        case hall.CheckedIn() if event is not None:
            values = {"name": _name(event, fact.entrant), "round": fact.round}
            words = "{name} is here for round {round}" if fact.is_here else "{name} is missing for round {round}"
            return Says(words, values)
        case hall.ClockSet():
            minutes, seconds = divmod(round(fact.left_s), 60)
            values = {"round": fact.round, "time": f"{minutes}:{seconds:02d}"}
            words = "Round {round}: the clock stands, {time} left"
            return Says("Round {round}: the clock runs, {time} left" if fact.is_running else words, values)
        case hall.Late() if event is not None:
            return Says("Round {round}, table {table}: the table judged {result}", _at(event, fact))
    return Says("{kind}", {"kind": type(fact).__name__})


def _at(event: Event, fact: told.Reported | told.Corrected | hall.Late) -> dict[str, object]:
    rounds = event.rounds
    result: object = "-"
    if 1 <= fact.round <= len(rounds) and 1 <= fact.table <= len(rounds[fact.round - 1].tables):
        result = said(event, rounds[fact.round - 1].tables[fact.table - 1].seats, fact.result)
    return {"round": fact.round, "table": fact.table, "result": result}


def _claim(event: Event, fact: hall.Claimed) -> dict[str, object]:
    at = told.Reported(fact.round, fact.table, fact.result)
    return {**_at(event, at), "name": _name(event, fact.entrant)}


def _with(fact: told.Fixed | told.Reordered | told.RoundRetracted, **more: object) -> dict[str, object]:
    return {"reason": fact.reason, "round": getattr(fact, "round", 0), **more}


def _order(fact: told.Reordered) -> str:
    return ", ".join(fact.tie_breaks)


def _name(event: Event, who: str) -> str:
    return event.entrants[who].name if who in event.entrants else who
