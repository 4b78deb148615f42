"""The API as OpenAPI 3.1. A test compares it with the routes."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import msgspec

from companion.event.facts import Result
from companion.event.settings import Points, Settings

TEXT: dict[str, Any] = {"type": "string"}
WHOLE: dict[str, Any] = {"type": "integer"}
YES_NO: dict[str, Any] = {"type": "boolean"}
TEXTS: dict[str, Any] = {"type": "array", "items": TEXT}


def _object(**fields: Any) -> dict[str, Any]:
    return {"type": "object", "required": list(fields), "properties": fields}


def _list(of: Any) -> dict[str, Any]:
    return {"type": "array", "items": of}


def _maybe(of: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [of, {"type": "null"}]}


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


EVENT = _object(
    id=TEXT, name=TEXT, game=TEXT, format=TEXT, seed=TEXT, seq=WHOLE, round=WHOLE, rounds=_maybe(WHOLE),
    entrants=WHOLE, is_over=YES_NO,
)  # fmt: skip
TABLE = _object(
    table=WHOLE, entrants=TEXTS, names=TEXTS, result=_maybe(_ref("Result")), says=_maybe(TEXT),
    why={"type": "object", "additionalProperties": TEXTS}, box=_maybe(TEXT), is_called=YES_NO, form=_ref("Form"),
)  # fmt: skip
SUM = _object(value=TEXT, terms=_list(_object(says=TEXT, value=TEXT, counts=YES_NO)))
ROW = _object(place=WHOLE, entrant=TEXT, name=TEXT, is_shared=YES_NO, is_away=YES_NO, sums=_list(SUM))
ANSWERS: dict[str, Any] = {
    "Events": _object(events=_list(_ref("Event"))),
    "Event": EVENT,
    "EventAndSettings": {"allOf": [_ref("Event"), _object(settings=_ref("Settings"))]},
    "Entrants": _object(
        entrants=_list(_object(id=TEXT, name=TEXT, rating=WHOLE, members=TEXTS, is_here=YES_NO)),
    ),
    "Round": _object(
        round=WHOLE, is_over=YES_NO, tables=_list(TABLE), idle=_list(_object(entrant=TEXT, why=TEXTS)), seq=WHOLE
    ),
    "Form": _object(
        choices=_list(_object(key=TEXT, says=TEXT)),
        numbers=_list(_object(key=TEXT, seat=WHOLE, says=TEXT, least=WHOLE, most=WHOLE)),
    ),
    "Standings": _object(
        after=WHOLE, is_final=YES_NO, columns=_list(_object(key=TEXT, says=TEXT)), rows=_list(ROW), seq=WHOLE
    ),
    "Entries": _object(
        entries=_list(_object(seq=WHOLE, by=TEXT, at_s={"type": "number"}, fact={"type": "object"}, says=TEXT))
    ),
    "Paired": _object(round=WHOLE),
    "Entered": _object(seq=WHOLE),
    "GivenResult": {
        "type": "object",
        "description": "A result; or an answer to the table's form: `end`, or each number by its key.",
        "anyOf": [{"required": ["result"]}, {"required": ["answer"]}],
        "properties": {
            "result": _maybe(_ref("Result")),
            "answer": {"type": "object", "additionalProperties": {"anyOf": [TEXT, WHOLE]}},
            "reason": TEXT,
        },
        "additionalProperties": False,
    },
    "Error": _object(error=_object(code=TEXT, message=TEXT)),
}

EVENT_ID = {"name": "event_id", "in": "path", "required": True, "schema": TEXT}
ROUND = {"name": "round_", "in": "path", "required": True, "schema": WHOLE}
TABLE_NO = {"name": "table", "in": "path", "required": True, "schema": WHOLE}
AFTER = {"name": "after", "in": "query", "required": False, "schema": WHOLE}
KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "schema": TEXT,
    "description": "Sent again with the same key, nothing is entered again.",
}


def _does(
    says: str, answers: str, *params: dict[str, Any], takes: str | None = None, status: int = 200, staff: bool = False
) -> dict[str, Any]:
    told: dict[str, Any] = {
        "summary": says,
        "parameters": list(params),
        "responses": {
            str(status): {"description": says, "content": {"application/json": {"schema": _ref(answers)}}},
            "default": {"description": "Refused", "content": {"application/json": {"schema": _ref("Error")}}},
        },
    }
    if takes is not None:
        told["requestBody"] = {"required": True, "content": {"application/json": {"schema": _ref(takes)}}}
    if staff:
        told["security"] = [{"device": []}]
    return told


PATHS: dict[str, dict[str, Any]] = {
    "/api/v1/events": {"get": _does("All events, the newest first", "Events")},
    "/api/v1/events/{event_id}": {"get": _does("One event and its settings", "EventAndSettings", EVENT_ID)},
    "/api/v1/events/{event_id}/entrants": {"get": _does("Who plays", "Entrants", EVENT_ID)},
    "/api/v1/events/{event_id}/entries": {
        "get": _does("Everything that was said", "Entries", EVENT_ID, AFTER, staff=True)
    },
    "/api/v1/events/{event_id}/rounds": {
        "post": _does("Pair the next round", "Paired", EVENT_ID, KEY, status=201, staff=True)
    },
    "/api/v1/events/{event_id}/rounds/{round_}": {
        "get": _does("A round: its tables, byes and why", "Round", EVENT_ID, ROUND)
    },
    "/api/v1/events/{event_id}/rounds/{round_}/tables/{table}": {
        "put": _does(
            "A table's result; with a reason another one",
            "Entered",
            EVENT_ID,
            ROUND,
            TABLE_NO,
            KEY,
            takes="GivenResult",
            staff=True,
        )
    },
    "/api/v1/events/{event_id}/standings": {"get": _does("The standings with their sums", "Standings", EVENT_ID)},
}


def _of_structs() -> dict[str, Any]:
    """The schemas of a result and of settings, from the very types that are read and written.

    A fraction is a whole number or a text such as ``"7/2"``; the schema generator lacks this type.
    """
    number = int | str
    told = {Fraction: number, tuple[Fraction, ...]: tuple[number, ...]}

    def as_told(kind: Any) -> Any:
        fields = [(field.name, told.get(field.type, field.type)) for field in msgspec.structs.fields(kind)]
        told[kind] = msgspec.defstruct(kind.__name__, fields)
        return told[kind]

    as_told(Points)
    _, found = msgspec.json.schema_components((Result, as_told(Settings)), ref_template="#/components/schemas/{name}")
    return found


def document(version: str, url: str) -> dict[str, Any]:
    """The whole document."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Companion hub",
            "version": version,
            "description": "Events: entrants, rounds, standings with their sums. Reading needs nothing; what changes "
            "something needs a device's token, which an organiser makes on the page of devices.",
        },
        "servers": [{"url": url.rstrip("/")}],
        "paths": PATHS,
        "components": {
            "schemas": {**ANSWERS, **_of_structs()},
            "securitySchemes": {"device": {"type": "http", "scheme": "bearer"}},
        },
    }
