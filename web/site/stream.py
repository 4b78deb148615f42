"""`/state` gives the newest whole view once, `/events` keeps giving it: newest wins, nothing is replayed.

A view is whole, so a phone that slept or lost the server needs only the newest one; `Last-Event-ID` is accepted and not
needed. A script never sees a comment. Every few seconds there is therefore a comment and a ``beat`` event, so that the
page knows that the silence is real.
"""

from __future__ import annotations

import gzip

from flask import Blueprint, Response, abort, current_app, request

from companion.game.says import Says, each_as, listed
from companion.game.view import HintsView, MatchView
from companion.match.inputs import Door
from web.site import languages
from web.site.events import Events
from web.site.post import STREAMING, Handed
from web.site.refusals import Refusal
from web.site.told import Told
from web.table import phones

QUICK = 1
"""Compression level for one view, of 9. It is sent once, and shrinks to a fifth."""

stream = Blueprint("stream", __name__)


def asked_seat(door: Door) -> str | None:
    """The seat in the address, None for a watcher. Raises: Refusal (404) for a seat this table does not have."""
    seat = request.args.get("seat") or None
    if seat is not None:
        check_seat(door, seat)
    return seat


def check_seat(door: Door, seat: str) -> None:
    """Raises: Refusal (404) for a seat this table does not have."""
    seats = [s.seat for s in door.view(None).seats]
    if seat not in seats:
        known = {"seat": seat[:40], "seats": listed(each_as("seat", seats))}
        says = Says("This table has no seat '{seat}', only {seats}.", known)
        raise Refusal(404, "no_such_seat", says)


@stream.get("/state")
def state() -> Response:
    """The newest whole view; a new phone gets its secret here. A phone without the seat gets a watcher's view."""
    table = current_app.extensions["companion"]
    seat = asked_seat(table.door)
    phone = phones.phone_of(request)
    holds = table.door.seats_of(phone) if phone else ()
    if seat in holds:
        table.door.heard(seat)
    view = table.door.view(seat if seat in holds else None)
    hints = None if view.seat is None else table.door.hints(view.seat)
    lang = languages.asked()
    whole = table.told.json(view, holds, lang)[:-1] + b',"hints":' + table.told.hints(hints, lang) + b"}"
    response = Response(whole, mimetype="application/json")
    response.headers["Cache-Control"] = "no-store"
    response.vary.add("Accept-Encoding")
    if request.accept_encodings["gzip"]:
        response.set_data(gzip.compress(whole, QUICK))
        response.content_encoding = "gzip"
    if phone is None:
        phones.give_secret(response, table.new_secret)
    return response


@stream.get("/events")
def events() -> Response:
    """The stream of whole views. An event's id is the log's sequence number."""
    if request.method != "GET":  # a HEAD request has no stream, but would keep a place for it
        abort(405)
    table = current_app.extensions["companion"]
    door: Door = table.door
    put: Told = table.told
    phone = phones.phone_of(request)
    asked = asked_seat(door)
    holds = door.seats_of(phone) if phone else ()
    seat = asked if asked in holds else None
    lang = languages.asked()

    def event(news: MatchView | HintsView) -> bytes:
        now_holds = door.seats_of(phone) if phone else ()
        if seat is not None and seat not in now_holds:
            # somebody else took the seat: its secrets are no longer for this phone; the page reconnects as watcher
            raise Refusal(403, "seat_lost", Says("This phone no longer has the seat {seat}.", {"seat": seat}))
        if isinstance(news, HintsView):
            return b"event: hints\ndata: %b\n\n" % put.hints(news, lang)
        return put.event(news, now_holds, lang)

    handed: Handed = request.environ[STREAMING]
    place = table.places.open(
        phone,
        request.args.get("page", "")[:40],
        lambda: door.subscribe(seat, phone, handed.ring),
        address=request.remote_addr or "",
        is_seated=bool(holds),
    )
    is_small = request.accept_encodings["gzip"] > 0
    response = Response(
        handed.over(Events(table.places, place, event, is_small=is_small)), mimetype="text/event-stream"
    )
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"
    response.headers["Vary"] = "Accept-Encoding"
    if is_small:
        response.headers["Content-Encoding"] = "gzip"
    return response
