"""The JSON API: each route is in the OpenAPI file, each answer is as it says, what changes something needs a device."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from companion.event.facts import drawn, won
from companion.event.hub.roles import Role
from companion.event.presets import settings_for
from companion.event.settings import Format
from tests.hub.hall import OWN, Hall, posts


def document(hall: Hall) -> dict[str, Any]:
    found: dict[str, Any] = hall.client().get("/api/openapi.json").get_json()
    return found


KINDS = {"string": str, "integer": int, "number": int | float, "boolean": bool, "array": list, "object": dict}


def fits(value: Any, schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> bool:
    """Whether a value is as a schema says: as much of JSON Schema as the document uses."""
    match schema:
        case {"$ref": name}:
            return fits(value, schemas[name.rsplit("/", 1)[1]], schemas)
        case {"anyOf": several}:
            return any(fits(value, each, schemas) for each in several)
        case {"allOf": several}:
            return all(fits(value, each, schemas) for each in several)
        case {"enum": known}:
            return value in known
        case {"type": "null"}:
            return value is None
    kind = schema.get("type")
    if kind and (not isinstance(value, KINDS[kind]) or (kind == "integer" and isinstance(value, bool))):
        return False
    if kind == "array":
        return all(fits(each, schema.get("items", {}), schemas) for each in value)
    if kind == "object":
        known, other = schema.get("properties", {}), schema.get("additionalProperties")
        inner = {key: known.get(key, other if isinstance(other, dict) else {}) for key in value}
        return {*schema.get("required", ())} <= {*value} and all(fits(value[key], inner[key], schemas) for key in value)
    return True


def test_each_route_is_in_the_document_and_no_other(hall: Hall) -> None:
    routes = {
        (rule.rule.replace("<int:", "<").replace("<", "{").replace(">", "}"), method.lower())
        for rule in hall.app.url_map.iter_rules()
        if rule.rule.startswith("/api/v1")
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    assert routes == {(path, method) for path, does in document(hall)["paths"].items() for method in does}


def test_each_answer_is_as_the_document_says(hall: Hall) -> None:
    for _ in range(2):
        hall.pairs()
        hall.reports(won(1), drawn())
    client, found = hall.client(Role.ORGANISER), document(hall)
    schemas = found["components"]["schemas"]
    for path, does in found["paths"].items():
        if "get" not in does:
            continue
        answer = client.get(path.format(event_id="cup", round_=1))
        assert answer.status_code == 200, path
        schema = does["get"]["responses"]["200"]["content"]["application/json"]["schema"]
        assert fits(answer.get_json(), schema, schemas), path


def test_a_program_pairs_and_enters_with_a_devices_token_once(hall: Hall) -> None:
    token = hall.people.let_in("cup", Role.ORGANISER, "a script", None)
    client, headers = hall.client(), {"Authorization": f"Bearer {token}", "Idempotency-Key": "round-1"}
    for _ in range(2):
        assert client.post("/api/v1/events/cup/rounds", headers=headers).status_code in (201, 409)
    assert len(hall.log.tournament.rounds) == 1
    path, given = "/api/v1/events/cup/rounds/1/tables/1", json.dumps({"result": {"places": [1, 2]}})
    headers["Idempotency-Key"] = "table-1"
    seqs = {client.put(path, data=given, headers=headers).get_json()["seq"] for _ in range(2)}
    assert len(seqs) == 1
    again = json.dumps({"result": {"places": [2, 1]}})
    refused = client.put(path, data=again, headers={"Authorization": headers["Authorization"]})
    assert refused.status_code == 409
    assert "correct it, with a reason" in refused.get_json()["error"]["message"]
    changed = json.dumps({"result": {"places": [2, 1]}, "reason": "wrong slip"})
    assert client.put(path, data=changed, headers={"Authorization": headers["Authorization"]}).status_code == 200
    assert hall.log.tournament.table(1, 1).result == won(1)
    assert hall.log.entries[-1].by == "a script"


def test_a_program_answers_each_form_of_each_game(hall: Hall) -> None:
    """A program's result could lack what the desk asks for: rounds won, or points."""
    organiser, program = hall.organiser(), hall.client()
    for game, format_ in (
        ("eyes_of_the_emperor", Format.SWISS),
        ("center_point", Format.PODS),
        ("suspend", Format.LIMIT),
        ("manipulation_rummy", Format.GOAL),
    ):
        given = {"name": "Cup", "game": game, "format": format_, "entrants": "Ann\nBen\nCora\nDan"}
        event = posts(organiser, "/new", **given).headers["Location"].split("/")[2]
        posts(organiser, f"/e/{event}/pair")
        headers = {"Authorization": f"Bearer {hall.people.let_in(event, Role.ORGANISER, 'a program', None)}"}
        form = program.get(f"/api/v1/events/{event}/rounds/1").get_json()["tables"][0]["form"]
        answer = {each["key"]: each["least"] + 1 + each["seat"] for each in form["numbers"]} or {"end": "won0"}
        path = f"/api/v1/events/{event}/rounds/1/tables/1"
        if form["numbers"]:
            lacking = json.dumps({"answer": dict(list(answer.items())[1:])})
            assert " is missing: " in program.put(path, data=lacking, headers=headers).get_json()["error"]["message"]
        assert program.put(path, data=json.dumps({"answer": answer}), headers=headers).status_code == 200
        assert hall.desk.log(event).tournament.table(1, 1).result is not None, (game, format_)


def test_a_program_s_result_tells_all_that_the_desk_asks(tmp_path: Path) -> None:
    hall = Hall(tmp_path / "hub.db", ["Ann", "Ben"], settings_for("manipulation_rummy", 3, "7"))
    hall.pairs()
    headers = {"Authorization": f"Bearer {hall.people.let_in('cup', Role.ORGANISER, 'a program', None)}"}
    given = json.dumps({"result": {"places": [1, 2], "scores": [150, 80]}})
    answer = hall.client().put("/api/v1/events/cup/rounds/1/tables/1", data=given, headers=headers)
    assert "Rounds won by" in answer.get_json()["error"]["message"]
    assert hall.log.tournament.table(1, 1).result is None
    hall.close()


def test_nothing_is_changed_or_told_without_a_device(hall: Hall) -> None:
    hall.pairs()
    for method, path in (("post", "rounds"), ("put", "rounds/1/tables/1"), ("get", "entries")):
        result = '{"result":{"places":[1,2]}}'
        answer = getattr(hall.client(), method)(f"/api/v1/events/cup/{path}", data=result, headers=OWN)
        assert answer.status_code == 403
        assert answer.get_json()["error"]["code"] == "not_allowed"


def test_what_is_not_there_is_said_as_json_and_another_site_may_read(hall: Hall) -> None:
    for path in ("events/none", "events/cup/rounds/9", "events/cup/rounds/x", "nothing"):
        answer = hall.client().get(f"/api/v1/{path}")
        assert answer.status_code in (404, 409)
        assert answer.get_json()["error"]["message"]
    assert hall.client().get("/api/v1/events").headers["Access-Control-Allow-Origin"] == "*"
