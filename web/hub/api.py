"""The JSON API for streams, sites and programs. `openapi` describes it, and a test compares the two."""

from __future__ import annotations

from typing import Any

import msgspec
from flask import Blueprint, Response, request

from companion import __version__
from companion.event.facts import Corrected, Reported, Result
from companion.event.hub import check_in
from companion.event.hub.audit import words_of
from companion.event.hub.desk import HubLog
from companion.event.hub.facts import key_of, plain
from companion.event.hub.results import Form, form_of, result_of
from companion.event.hub.roles import Permission
from companion.event.refused import EventRefused
from companion.event.standings import Row
from companion.event.sums import shown as number
from companion.event.why import reasons
from companion.game.says import Says
from web.hub.openapi import document
from web.hub.site import answered, me, say, site
from web.hub.staff import to_boxes
from web.hub.who import need
from web.site.refusals import Refusal

api = Blueprint("hub_api", __name__)
BASE = "/api/v1"


def encoded(value: Any) -> bytes:
    """JSON values as bytes; sentences are put into words."""
    return msgspec.json.encode(value)


def answer(value: Any, status: int = 200) -> Response:
    """JSON values as an answer that other sites may read."""
    response = answered("", status)
    response.set_data(encoded(value))
    response.mimetype = "application/json"
    if request.method == "GET" and "Authorization" not in request.headers:
        response.headers["Access-Control-Allow-Origin"] = "*"
        response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response


def _words(says: tuple[Says, ...]) -> list[str]:
    return [say(each) for each in says]


@api.get(f"{BASE}/events")
def events() -> Response:
    """All events, the newest first."""
    return answer({"events": [_event(log.id) for log in site().desk.events()]})


def _event(event_id: str) -> dict[str, Any]:
    shown = site().shown(event_id)
    event = shown.event
    return {
        "id": event_id,
        "name": event.name,
        "game": shown.log.hall.played.game,
        "format": str(event.settings.format),
        "seed": event.settings.seed,
        "seq": shown.log.seq,
        "round": len(event.rounds),
        "rounds": event.settings.rounds,
        "entrants": len(event.entrants),
        "is_over": shown.is_over,
    }


@api.get(f"{BASE}/events/<event_id>")
def event(event_id: str) -> Response:
    """One event and its settings."""
    return answer({**_event(event_id), "settings": plain(site().shown(event_id).event.settings)})


@api.get(f"{BASE}/events/<event_id>/entrants")
def entrants(event_id: str) -> Response:
    """The entrants."""
    found = site().shown(event_id).event
    return answer(
        {
            "entrants": [
                {
                    "id": each.id,
                    "name": each.name,
                    "rating": each.rating,
                    "members": list(each.members),
                    "is_here": each.is_here(found.next_number),
                }
                for each in found.entrants.values()
            ]
        }
    )


@api.get(f"{BASE}/events/<event_id>/rounds/<int:round_>")
def round_(event_id: str, round_: int) -> Response:
    """A round: its tables, byes and the reasons."""
    shown = site().shown(event_id)
    told = reasons(shown.event, round_)
    played = shown.event.rounds[round_ - 1]
    tables = [
        {
            "table": view.table,
            "entrants": list(view.entrants),
            "names": list(view.names),
            "result": None if table.result is None else plain(table.result),
            "says": None if view.result is None else say(view.result),
            "why": {who: _words(told[who]) for who in view.entrants},
            "box": view.box,
            "is_called": view.is_called,
            "form": _form(form_of(shown.event, view.entrants)),
        }
        for view, table in zip(shown.tables(round_), played.tables, strict=True)
    ]
    idle = [{"entrant": who, "why": _words(told[who])} for who in (*played.byes, *played.rests)]
    return answer({"round": round_, "is_over": played.is_over, "tables": tables, "idle": idle, "seq": shown.log.seq})


def _form(form: Form) -> dict[str, Any]:
    """The form for the result of a table."""
    return {
        "choices": [{"key": each.key, "says": say(each.says)} for each in form.choices],
        "numbers": [
            {"key": each.key, "seat": each.seat, "says": say(each.says), "least": each.least, "most": each.most}
            for each in form.numbers
        ],
    }


@api.get(f"{BASE}/events/<event_id>/standings")
def standings(event_id: str) -> Response:
    """The standings: places, and each column with its sum."""
    shown = site().shown(event_id)
    table = shown.standings
    return answer(
        {
            "after": table.after,
            "is_final": shown.is_over,
            "columns": [{"key": each.key, "says": say(each.says)} for each in table.columns],
            "rows": [_row(shown.event.says(row.entrant), row) for row in table.rows],
            "seq": shown.log.seq,
        }
    )


def _row(name: str, row: Row) -> dict[str, Any]:
    return {
        "place": row.place,
        "entrant": row.entrant,
        "name": name,
        "is_shared": row.is_shared,
        "is_away": row.is_away,
        "sums": [
            {
                "value": number(each.value),
                "terms": [{"says": say(t.says), "value": number(t.value), "counts": t.counts} for t in each.terms],
            }
            for each in row.sums
        ],
    }


@api.get(f"{BASE}/events/<event_id>/entries")
def entries(event_id: str) -> Response:
    """All entries, for those who may see them; `?after=SEQ` only the later ones."""
    log = site().desk.log(event_id)
    need(me(log), Permission.AUDIT)
    after = request.args.get("after", "0")
    since = int(after) if after.isdecimal() and len(after) < 12 else 0
    return answer(
        {
            "entries": [
                {"seq": e.seq, "by": e.by, "at_s": e.at_s, "fact": plain(e.fact), "says": say(words_of(log, e))}
                for e in log.entries
                if e.seq > since
            ]
        }
    )


@api.post(f"{BASE}/events/<event_id>/rounds")
def pair(event_id: str) -> Response:
    """Pairs the next round."""
    here = site()
    log = here.desk.log(event_id)
    person = me(log)
    need(person, Permission.PAIR)
    paired, facts = check_in.paired(log, {})
    told = (*facts, paired, *to_boxes(log, paired))
    here.desk.say(event_id, told, person, key=request.headers.get("Idempotency-Key"))
    return answer({"round": paired.round}, 201)


class _Given(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A result, or an answer to the table's form; with a reason if it changes a result."""

    result: Result | None = None
    answer: dict[str, str | int] = {}
    reason: str = ""

    def __post_init__(self) -> None:
        if self.result is None and not self.answer:
            raise ValueError("expected a result, or an answer to the table's form")


def _answered(log: HubLog, round_: int, table: int, answer: dict[str, str | int]) -> Result:
    event = log.tournament
    return result_of(event, event.table(round_, table).seats, {key: str(told) for key, told in answer.items()})


@api.put(f"{BASE}/events/<event_id>/rounds/<int:round_>/tables/<int:table>")
def result(event_id: str, round_: int, table: int) -> Response:
    """Enters a table's result, or with a reason another one. The same `Idempotency-Key` is entered once."""
    here = site()
    log = here.desk.log(event_id)
    person = me(log)
    need(person, Permission.ENTER)
    try:
        given = msgspec.json.decode(request.get_data(), type=_Given)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise Refusal(400, "not_json", Says("This JSON is not as expected: {error}", {"error": str(error)})) from error
    key = request.headers.get("Idempotency-Key")
    was = log.tournament.table(round_, table).result
    if was is not None and not given.reason and not (key and any(e.key == key_of(key) for e in log.entries)):
        raise EventRefused("table {table} has a result: correct it, with a reason", table=table)
    told = given.result or _answered(log, round_, table, given.answer)
    fact = Corrected(round_, table, told, given.reason) if given.reason else Reported(round_, table, told)
    seq = here.desk.say(event_id, fact, person, key=key).seq
    return answer({"seq": seq}, 200)


@api.get("/api/openapi.json")
def openapi() -> Response:
    """This API as OpenAPI 3.1."""
    return answer(document(__version__, site().join_url))
