"""The JSON API for streams, sites and programs, and its description as OpenAPI 3.1.

Each answer is a struct, and the description is made from it.
"""

import functools
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import msgspec
from flask import Blueprint, Response, request
from msgspec import Struct

from companion import __version__
from companion.event.facts import Corrected, Reported, Result
from companion.event.hub import check_in
from companion.event.hub.audit import words_of
from companion.event.hub.facts import key_of, plain
from companion.event.hub.results import Form, form_of, result_of
from companion.event.hub.roles import Permission
from companion.event.refused import EventRefused
from companion.event.settings import Points, Settings
from companion.event.standings import Column
from companion.event.sums import Sum, shown
from companion.event.why import reasons
from companion.game.says import Says
from companion.game.whole import whole_of
from web.hub.site import given, me, say, site
from web.hub.staff import to_boxes
from web.hub.who import need

api = Blueprint("hub_api", __name__)
BASE = "/api/v1"


def _bare(kind: Any, told: Mapping[Any, Any]) -> Any:
    """A struct without its defaults: a schema cannot hold a fraction as a default. `told`: replacements for types."""
    return msgspec.defstruct(
        kind.__name__, [(each.name, told.get(each.type, each.type)) for each in msgspec.structs.fields(kind)]
    )


SETTINGS: Any = _bare(Settings, {Points: _bare(Points, {})})


class EventAnswer(Struct, frozen=True):
    """An event: how far it is."""

    id: str
    name: str
    game: str
    format: str
    seed: str
    seq: int
    round: int
    rounds: int | None
    entrants: int
    is_over: bool
    settings: SETTINGS | msgspec.UnsetType = msgspec.UNSET
    """Only in the answer about one event."""


class EventsAnswer(Struct, frozen=True):
    """All events, the newest first."""

    events: list[EventAnswer]


class EntrantAnswer(Struct, frozen=True):
    """One who plays."""

    id: str
    name: str
    rating: int
    members: tuple[str, ...]
    is_here: bool


class EntrantsAnswer(Struct, frozen=True):
    """The players."""

    entrants: list[EntrantAnswer]


class TableAnswer(Struct, frozen=True):
    """A table of a round; `why` has the reasons for each one's pairing."""

    table: int
    entrants: tuple[str, ...]
    names: tuple[str, ...]
    result: Result | None
    says: Says | None
    why: dict[str, tuple[Says, ...]]
    box: str | None
    is_called: bool
    form: Form


class IdleAnswer(Struct, frozen=True):
    """One without a table, and why."""

    entrant: str
    why: tuple[Says, ...]


class RoundAnswer(Struct, frozen=True):
    """A round."""

    round: int
    is_over: bool
    tables: list[TableAnswer]
    idle: list[IdleAnswer]
    seq: int


class RowAnswer(Struct, frozen=True):
    """A row of the standings; a sum has the terms that make it."""

    place: int
    entrant: str
    name: str
    is_shared: bool
    is_away: bool
    sums: tuple[Sum, ...]


class StandingsAnswer(Struct, frozen=True):
    """The standings: each row has a sum for each column."""

    after: int
    is_final: bool
    columns: tuple[Column, ...]
    rows: list[RowAnswer]
    seq: int


class EntryAnswer(Struct, frozen=True):
    """One entry of the event's log."""

    seq: int
    by: str
    at_s: float
    fact: dict[str, Any]
    says: Says


class EntriesAnswer(Struct, frozen=True):
    """The entries, in order."""

    entries: list[EntryAnswer]


class PairedAnswer(Struct, frozen=True):
    """The round that was paired."""

    round: int


class EnteredAnswer(Struct, frozen=True):
    """The number of the newest entry."""

    seq: int


class RefusalWords(Struct, frozen=True):
    """Why something was refused."""

    code: str
    message: str


class RefusalAnswer(Struct, frozen=True):
    """A refusal."""

    error: RefusalWords


class GivenResult(Struct, frozen=True, forbid_unknown_fields=True):
    """A result; or an answer to the table's form: `end`, or each number by its key. With a reason if it changes a
    result."""

    result: Result | None = None
    answer: dict[str, str | int] = {}
    reason: str = ""

    def __post_init__(self) -> None:
        if self.result is None and not self.answer:
            raise ValueError("expected a result, or an answer to the table's form")


def encoded(value: Any) -> bytes:
    """An answer as JSON bytes. Sentences are put into words; a fraction is a text such as ``"3½"``."""
    return msgspec.json.encode(value, enc_hook=lambda each: say(each) if isinstance(each, Says) else shown(each))


def answer(value: Any, status: int = 200) -> Response:
    """An answer that other sites may read."""
    response = Response(encoded(value), status, mimetype="application/json")
    if request.method == "GET" and "Authorization" not in request.headers:
        response.headers["Access-Control-Allow-Origin"] = "*"
        response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response


TEXT, WHOLE = {"type": "string"}, {"type": "integer"}
AFTER = {"name": "after", "in": "query", "required": False, "schema": WHOLE}
KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "schema": TEXT,
    "description": "Sent again with the same key, nothing is entered again.",
}
PATHS: dict[str, dict[str, Any]] = {}
"""The routes, described."""


def _schemas(*types: Any) -> tuple[tuple[dict[str, Any], ...], dict[str, Any]]:
    """The schemas of types. A fraction is a whole number or a text such as ``"7/2"``, a sentence is a text."""
    of: dict[type, dict[str, Any]] = {Fraction: {"anyOf": [WHOLE, TEXT]}, Says: TEXT}
    return msgspec.json.schema_components(types, schema_hook=of.__getitem__, ref_template="#/components/schemas/{name}")


def serves(
    method: str, path: str, answers: Any, *params: dict[str, Any], status: int = 200, takes: Any = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Makes a function a route, and describes it: its docstring is the summary, it returns `answers`."""

    def described(does: Callable[..., Any]) -> Callable[..., Any]:
        @api.route(f"{BASE}{path}", methods=[method])
        @functools.wraps(does)
        def route(**given: Any) -> Response:
            return answer(does(**given), status)

        in_path = [
            {"name": name, "in": "path", "required": True, "schema": WHOLE if is_whole else TEXT}
            for is_whole, name in re.findall(r"<(int:)?(\w+)>", path)
        ]
        content = [{"application/json": {"schema": each}} for each in _schemas(answers, RefusalAnswer, takes)[0]]
        told: dict[str, Any] = {
            "summary": does.__doc__,
            "parameters": [*in_path, *params],
            "responses": {
                str(status): {"description": answers.__doc__, "content": content[0]},
                "default": {"description": "Refused", "content": content[1]},
            },
        }
        if takes is not None:
            told["requestBody"] = {"required": True, "content": content[2]}
        if method != "GET" or AFTER in params:
            told["security"] = [{"device": []}]
        known = PATHS.setdefault(re.sub(r"<(?:int:)?(\w+)>", r"{\1}", f"{BASE}{path}"), {})
        known[method.lower()] = told
        return route

    return described


@serves("GET", "/events", EventsAnswer)
def events() -> EventsAnswer:
    """All events, the newest first."""
    return EventsAnswer([_event(log.id) for log in site().desk.events()])


def _event(event_id: str) -> EventAnswer:
    shown_view = site().shown(event_id)
    event = shown_view.event
    return EventAnswer(
        id=event_id,
        name=event.name,
        game=shown_view.log.hall.played.game,
        format=str(event.settings.format),
        seed=event.settings.seed,
        seq=shown_view.log.seq,
        round=len(event.rounds),
        rounds=event.settings.rounds,
        entrants=len(event.entrants),
        is_over=shown_view.is_over,
    )


@serves("GET", "/events/<event_id>", EventAnswer)
def event(event_id: str) -> EventAnswer:
    """One event and its settings."""
    settings: Any = plain(site().shown(event_id).event.settings)  # its fractions are exact
    return msgspec.structs.replace(_event(event_id), settings=settings)


@serves("GET", "/events/<event_id>/entrants", EntrantsAnswer)
def entrants(event_id: str) -> EntrantsAnswer:
    """The entrants."""
    found = site().shown(event_id).event
    return EntrantsAnswer(
        [
            EntrantAnswer(each.id, each.name, each.rating, each.members, each.is_here(found.next_number))
            for each in found.entrants.values()
        ]
    )


@serves("GET", "/events/<event_id>/rounds/<int:round_>", RoundAnswer)
def round_(event_id: str, round_: int) -> RoundAnswer:
    """A round: its tables, byes and the reasons."""
    shown_view = site().shown(event_id)
    told = reasons(shown_view.event, round_)
    played = shown_view.event.rounds[round_ - 1]
    tables = [
        TableAnswer(
            table=view.table,
            entrants=view.entrants,
            names=view.names,
            result=table.result,
            says=view.result,
            why={who: told[who] for who in view.entrants},
            box=view.box,
            is_called=view.is_called,
            form=form_of(shown_view.event, view.entrants),
        )
        for view, table in zip(shown_view.tables(round_), played.tables, strict=True)
    ]
    idle = [IdleAnswer(who, told[who]) for who in (*played.byes, *played.rests)]
    return RoundAnswer(round_, played.is_over, tables, idle, shown_view.log.seq)


@serves("GET", "/events/<event_id>/standings", StandingsAnswer)
def standings(event_id: str) -> StandingsAnswer:
    """The standings: places, and each column with its sum."""
    shown_view = site().shown(event_id)
    table, says = shown_view.standings, shown_view.event.says
    rows = [
        RowAnswer(row.place, row.entrant, says(row.entrant), row.is_shared, row.is_away, row.sums) for row in table.rows
    ]
    return StandingsAnswer(table.after, shown_view.is_over, table.columns, rows, shown_view.log.seq)


@serves("GET", "/events/<event_id>/entries", EntriesAnswer, AFTER)
def entries(event_id: str) -> EntriesAnswer:
    """All entries, for those who may see them; `?after=SEQ` only the later ones."""
    log = site().desk.log(event_id)
    need(me(log), Permission.AUDIT)
    since = whole_of(request.args.get("after", "")) or 0
    later = (entry for entry in log.entries if entry.seq > since)
    return EntriesAnswer([EntryAnswer(e.seq, e.by, e.at_s, plain(e.fact), words_of(log, e)) for e in later])


@serves("POST", "/events/<event_id>/rounds", PairedAnswer, KEY, status=201)
def pair(event_id: str) -> PairedAnswer:
    """Pairs the next round."""
    here = site()
    log = here.desk.log(event_id)
    person = me(log)
    need(person, Permission.PAIR)
    paired, facts = check_in.paired(log, {})
    told = (*facts, paired, *to_boxes(log, paired))
    here.desk.say(event_id, told, person, key=request.headers.get("Idempotency-Key"))
    return PairedAnswer(paired.round)


@serves("PUT", "/events/<event_id>/rounds/<int:round_>/tables/<int:table>", EnteredAnswer, KEY, takes=GivenResult)
def result(event_id: str, round_: int, table: int) -> EnteredAnswer:
    """Enters a table's result, or with a reason another one. The same `Idempotency-Key` is entered once."""
    here = site()
    log = here.desk.log(event_id)
    person = me(log)
    need(person, Permission.ENTER)
    told = given(GivenResult)
    key = request.headers.get("Idempotency-Key")
    event = log.tournament
    seated = event.table(round_, table)
    if seated.result is not None and not told.reason and not (key and any(e.key == key_of(key) for e in log.entries)):
        raise EventRefused("table {table} has a result: correct it, with a reason", table=table)
    answers = {each: str(value) for each, value in told.answer.items()}
    found = told.result or result_of(event, seated.seats, answers)
    fact = Corrected(round_, table, found, told.reason) if told.reason else Reported(round_, table, found)
    return EnteredAnswer(here.desk.say(event_id, fact, person, key=key).seq)


@functools.cache
def document(url: str) -> dict[str, Any]:
    """This API as OpenAPI 3.1, for a hub at an address."""
    answers = (EventsAnswer, EntrantsAnswer, RoundAnswer, StandingsAnswer, EntriesAnswer, PairedAnswer, EnteredAnswer)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Companion hub",
            "version": __version__,
            "description": "Events: entrants, rounds, standings with their sums. Reading needs nothing; what changes "
            "something needs a device's token, which an organiser makes on the page of devices.",
        },
        "servers": [{"url": url.rstrip("/")}],
        "paths": PATHS,
        "components": {
            "schemas": _schemas(*answers, GivenResult, RefusalAnswer)[1],
            "securitySchemes": {"device": {"type": "http", "scheme": "bearer"}},
        },
    }


@api.get("/api/openapi.json")
def openapi() -> Response:
    """This API as OpenAPI 3.1."""
    return answer(document(site().join_url))
