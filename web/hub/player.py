"""A player's phone: my table, my standing with reasons, my matches; my table's result; the call for the referee."""

from typing import Any

from flask import Blueprint, Response, redirect, request

from companion.event.hub.desk import Person
from companion.event.hub.facts import CheckedIn, HallCalled, HallCallWithdrawn
from companion.event.hub.results import result_of
from companion.event.refused import EventRefused
from companion.game.names import cleaned
from companion.game.says import Says
from companion.game.whole import whole_of
from web.hub.newsroom import Readership, my_json
from web.hub.site import at_table, given, page, site
from web.hub.who import person_at
from web.site import languages
from web.site.refusals import Refusal

WORDS_MAX = 200

player = Blueprint("hub_player", __name__)


def _me(event_id: str) -> Person:
    person = person_at(site().people, request, event_id)
    if person.entrant is None:
        raise Refusal(403, "not_a_player", Says("This phone has not joined yet: scan the event's code first."))
    return person


@player.get("/e/<event_id>/me")
def me(event_id: str) -> Response:
    """The page of this phone's entrant."""
    here = site()
    shown = here.shown(event_id)
    if person_at(here.people, request, event_id).entrant is None:
        return redirect(f"/e/{event_id}/join")  # type: ignore[return-value]
    person = _me(event_id)
    return page("me.html", shown.log, shown_view=shown, who=person.entrant)


@player.get("/e/<event_id>/me.json")
def me_json(event_id: str) -> Response:
    return _shows(event_id, _me(event_id))


def _shows(event_id: str, person: Person) -> Response:
    assert person.entrant is not None
    here, lang = site(), languages.asked()
    mine = my_json(here.shown(event_id), person.entrant, lang)
    here.places.answered(Readership(event_id, person.entrant, lang))
    return Response(mine, mimetype="application/json")


def _given() -> dict[str, str]:
    return {key: str(value) for key, value in given(dict[str, Any]).items()}


@player.post("/e/<event_id>/claim")
def claim(event_id: str) -> Response:
    """Enters my table's result, as I saw it."""
    here, person, told = site(), _me(event_id), _given()
    event = here.desk.log(event_id).tournament
    round_, table = at_table(told)
    if round_ != len(event.rounds):
        raise EventRefused("round {round} is over: ask the referee", round=round_)
    here.desk.claim(event_id, round_, table, result_of(event, event.table(round_, table).seats, told), person)
    return _shows(event_id, person)


@player.post("/e/<event_id>/here")
def here(event_id: str) -> Response:
    """Checks this phone's entrant in for the next round."""
    person = _me(event_id)
    number = site().desk.log(event_id).tournament.next_number
    site().desk.say(event_id, CheckedIn(number, person.entrant or ""), person)
    return _shows(event_id, person)


@player.post("/e/<event_id>/call")
def call(event_id: str) -> Response:
    here, person, told = site(), _me(event_id), _given()
    log = here.desk.log(event_id)
    round_, table = at_table(told)
    words = cleaned(told.get("words", ""))[:WORDS_MAX]
    if not log.has_call((round_, table)):
        here.desk.say(event_id, HallCalled(round_, table, words), person)
    return _shows(event_id, person)


@player.post("/e/<event_id>/call_off")
def call_off(event_id: str) -> Response:
    here, person, told = site(), _me(event_id), _given()
    here.desk.say(event_id, HallCallWithdrawn(whole_of(told.get("entry", "")) or 0), person)
    return _shows(event_id, person)
