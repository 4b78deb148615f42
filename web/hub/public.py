"""Pages for everybody: events, one event, reasons for a place in the standings, the big screen, links in."""

from flask import Blueprint, Response, redirect, request

from companion.event.hub.desk import NOBODY
from companion.event.hub.joining import network_of
from companion.event.hub.roles import Permission, Role
from companion.event.hub.store import HUB_ID
from companion.event.refused import EventRefused
from companion.event.why import difference, reasons
from companion.game.says import Says
from web.hub.newsroom import GONE, Readership
from web.hub.site import me, page, rendered, site
from web.hub.who import person_at, remember, tokens
from web.site import languages
from web.site.app import qr_svg
from web.site.post import STREAMING, Handed
from web.site.refusals import Refusal

public = Blueprint("hub", __name__)

HOME = {Role.PLAYER: "me", Role.SPECTATOR: "", Role.TABLE_REFEREE: "desk", Role.HEAD_REFEREE: "desk"}


@public.get("/")
def events() -> Response:
    return page("events.html", logs=site().desk.events(), organiser=site().people.person(tokens(request), HUB_ID))


@public.get("/e/<event_id>")
def event(event_id: str) -> str:
    """One event: tables, standings, and the way in for players."""
    here = site()
    shown = here.shown(event_id)
    person = here.people.person(tokens(request, event_id), event_id)
    qr = qr_svg(f"{here.join_url}e/{event_id}/join")
    return here.once(
        shown.log,
        f"event {person.role} {bool(person.entrant)} {_is_by_name()}",
        lambda: rendered("event.html", shown.log, shown_view=shown, me=person, qr=qr, is_by_name=_is_by_name()),
    )


def _is_by_name() -> bool:
    """Whether the pairings are wanted in the order of names, not of tables."""
    return request.args.get("by") == "name"


@public.get("/e/<event_id>/screen")
def screen(event_id: str) -> str:
    """The big screen: the newest round, then the standings, and the code to join; after the end the standings.

    Only a staff device shows the hall's own code: people who can see it are in the hall.
    """
    here = site()
    shown = here.shown(event_id)
    needed = None if shown.is_over else here.people.hall_code(shown.log)
    code = needed if me(shown.log).may(Permission.ENTER) else None
    url = f"{here.join_url}e/{event_id}" + ("" if shown.is_over else f"/join?code={code}" if code else "/join")
    return here.once(
        shown.log,
        f"screen {code} {_is_by_name()}",
        lambda: rendered(
            "screen.html",
            shown.log,
            shown_view=shown,
            qr=qr_svg(url),
            url=url,
            code=code,
            asks_code=needed is not None,
            is_by_name=_is_by_name(),
            wall=shown.bracket_of_wall,
        ),
    )


@public.get("/e/<event_id>/now")
def now(event_id: str) -> Response:
    """The hub's time, s: devices set their view of the round's clock by it."""
    site().shown(event_id)
    return Response(f"{site().desk.wall_s():.3f}", mimetype="text/plain")


@public.get("/e/<event_id>/round/<int:number>")
def round_(event_id: str, number: int) -> Response:
    """A round: its tables and the reasons for them."""
    shown = site().shown(event_id)
    told, unlike = site().computed(
        shown.log, f"round {number}", lambda: (reasons(shown.event, number), difference(shown.event, number))
    )
    return page("round.html", shown.log, shown_view=shown, number=number, reasons=told, difference=unlike)


@public.get("/e/<event_id>/standing/<entrant>")
def standing(event_id: str, entrant: str) -> Response:
    """The reasons for an entrant's place: each column with its sum."""
    shown = site().shown(event_id)
    if entrant not in shown.event.entrants:
        raise EventRefused("unknown entrant {entrant}", entrant=entrant)
    return page("standing.html", shown.log, shown_view=shown, who=entrant, row=shown.standings.row(entrant))


@public.get("/e/<event_id>/join")
def join(event_id: str) -> Response:
    """The form for a phone to say who it is."""
    shown = site().shown(event_id)
    hall = shown.log.hall
    code = request.args.get("code", "")
    return page("join.html", shown.log, shown_view=shown, taken=hall.followed(), way=hall.joining.way, code=code)


@public.post("/e/<event_id>/join")
def join_as(event_id: str) -> Response:
    """Gives an entrant to this phone and to no other."""
    here = site()
    log, address = here.desk.log(event_id), request.remote_addr or ""
    if not here.joins.may(network_of(address)):
        says = Says("Too many tries to join from here: wait ten minutes, or ask the desk for a personal card.")
        raise Refusal(429, "too_many", says, retry_after_s=int(here.joins.for_s))
    entrant, code = request.form.get("entrant", ""), request.form.get("code", "").strip()
    token = here.people.take_name(log, entrant, code=code, address=address, device=_device(event_id))
    return _in(event_id, token, "me")


def _device(event_id: str) -> str:
    token = request.cookies.get(f"hub_{event_id}", "")
    return site().people.person([token], event_id).device


def _in(event_id: str, token: str, to: str) -> Response:
    response: Response = redirect(f"/e/{event_id}/{to}" if event_id != HUB_ID else "/")  # type: ignore[assignment]
    remember(response, event_id, token)
    return response


@public.get("/in/<code>")
def invitation(code: str) -> Response:
    """A link that lets a device in. Only a tap uses it up, so that a link preview does not."""
    found = site().people.invitation(code)
    log = None if found.event == HUB_ID else site().desk.log(found.event)
    return page("invitation.html", log, found=found, code=code)


@public.post("/in/<code>")
def accept(code: str) -> Response:
    here = site()
    found = here.people.invitation(code)
    name = request.form.get("name", "").strip()
    if found.asks_name and not name:
        raise Refusal(409, "no_name", Says("Type your name: it is shown with what you enter."))
    token = here.people.accept(code, name, address=request.remote_addr or "", device=_device(found.event))
    return _in(found.event, token, HOME.get(found.role, "desk"))


POLL_AFTER_S = 5


@public.get("/e/<event_id>/news")
def stream(event_id: str) -> Response:
    """The stream of an event; with `?me` only the news of this phone's entrant."""
    here = site()
    here.desk.known(event_id)
    is_mine = "me" in request.args
    person = person_at(here.people, request, event_id) if is_mine else NOBODY
    if is_mine and person.entrant is None:  # its device was removed before it came, or while it had no network
        return _headed(Response(GONE, mimetype="text/event-stream"))
    reader = Readership(event_id, person.entrant, languages.asked()) if person.entrant else Readership(event_id)
    handed: Handed = request.environ[STREAMING]
    page = here.places.open(reader, person.device, request.remote_addr or "", handed.ring)
    if page is None:
        says = Says("Many pages are open: this one updates every few seconds.")
        raise Refusal(503, "full", says, retry_after_s=POLL_AFTER_S)
    return _headed(Response(handed.over(page), mimetype="text/event-stream"))


def _headed(response: Response) -> Response:
    response.headers["X-Accel-Buffering"] = "no"
    return response
