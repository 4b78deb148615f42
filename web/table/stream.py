"""`/state` gives the newest whole view once, `/events` keeps giving it: newest wins, nothing is replayed.

A view is whole, so a phone that slept or lost the server needs only the newest one; `Last-Event-ID` is accepted and not
needed. A script never sees a comment. Every few seconds there is therefore a comment and a ``beat`` event, so that the
page knows that the silence is real.

POST `/do` takes one input of `companion.match.inputs` as JSON, from our own page on the phone that holds the seat. If
the match refuses the input, it says why in one sentence, and the page shows that.
"""

import gzip
import zlib
from collections.abc import Callable
from functools import lru_cache

import msgspec
from flask import Blueprint, Response, abort, current_app, jsonify, request

from companion.game.names import Unfit, cleaned, flaw_of
from companion.game.says import Says, each_as, listed
from companion.game.view import HintsView, MatchView
from companion.match.inputs import (
    NEXT_HAS_BEGUN,
    Answer,
    CallReferee,
    Correct,
    Door,
    Input,
    LeaveSeat,
    Subscription,
    TakeSeat,
)
from web.site import languages, phones
from web.site.places import Places
from web.site.post import BEAT, STREAMING, Handed
from web.site.refusals import Refusal
from web.table import invited
from web.words import ENGLISH, Said, encoded, said_in

RETRY_MS = 500
FIRST = b"retry: %d\n\n" % RETRY_MS
GZIP_HEAD = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
LEVEL = 5
"""zlib's level: a view of 9 KB becomes 2 KB in a third of a millisecond, once for all phones."""


@lru_cache(maxsize=16)
def small(event: bytes) -> bytes:
    """An event deflated by itself.

    >>> zlib.decompressobj(wbits=31).decompress(GZIP_HEAD + small(FIRST) + small(BEAT)) == FIRST + BEAT
    True
    """
    deflate = zlib.compressobj(LEVEL, zlib.DEFLATED, -15)
    return deflate.compress(event) + deflate.flush(zlib.Z_FULL_FLUSH)


class Events:
    """One phone's stream as bytes, compressed if the phone can unpack them: whole views, hints and beats.

    A stream is one gzip file without an end. Each event in it is deflated independently of those before it. Phones with
    the same view therefore get the same bytes, whatever they got before. `close` gives the stream's place back, and is
    called however it ends.
    """

    def __init__(
        self,
        places: Places,
        place: tuple[int, Subscription],
        event: Callable[[MatchView | HintsView], bytes],
        *,
        is_small: bool = False,
    ) -> None:
        self._places = places
        self._number, self._subscription = place
        self._event = event
        self._packed: Callable[[bytes], bytes] = small if is_small else bytes
        self._head = GZIP_HEAD if is_small else b""
        self._is_first = True
        self._is_closed = False

    @property
    def beat(self) -> bytes:
        """Sent while nothing is new."""
        return self._packed(BEAT)

    def told(self) -> bytes | None:
        """The news that this phone has not had yet; empty if there are none; None when the stream is over."""
        if self._is_closed:
            return None
        if self._is_first:
            self._is_first = False
            return self._head + self._packed(FIRST)
        news = self._subscription.next(0.0)
        if news is not None:
            try:
                return self._packed(self._event(news))
            except Refusal:
                return None
        return None if self._subscription.is_closed else b""

    def close(self) -> None:
        """Closes the stream: the phone is gone or the stream is over."""
        self._is_closed = True
        self._places.close(self._number)


SAME_MOMENT_S = 0.05
"""Maximum age of a shared view, s: its clock is still accurate enough for a page."""


class ViewWriter:
    """Views as the pages get them, as JSON: sentences in words, the seats that the phone holds, the table's own clock.

    A match gives all phones of a seat (and all watchers) the same view, so it is put into words once for all of them.
    Without this, two hundred phones cost a fifth of a second for every change.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._newest: dict[tuple[str | None, str], tuple[MatchView, bytes]] = {}
        self._events: dict[tuple[str | None, str, tuple[str, ...]], tuple[MatchView, float, bytes]] = {}
        self._said: Said | None = None

    def hints(self, hints: HintsView | None, lang: str = ENGLISH) -> bytes:
        """A seat's hints as one JSON object, or null."""
        return encoded(hints, lang, self._said)

    def words(self, view: MatchView, lang: str = ENGLISH) -> bytes:
        """A view as one JSON object without line breaks."""
        newest = self._newest.get((view.seat, lang))
        if newest is None or newest[0] is not view:
            self._said = said_in(view)
            self._newest[view.seat, lang] = newest = (view, encoded(view, lang, self._said))
        return newest[1]

    def json(self, view: MatchView, holds: tuple[str, ...], lang: str = ENGLISH, join_url: str = "") -> bytes:
        """A view with what is a phone's own. A page that shows another address to join than `join_url` is old."""
        own = msgspec.json.encode({"now_s": self._clock(), "holds": holds, "join_url": join_url})
        return own[:-1] + b"," + self.words(view, lang)[1:]

    def event(self, view: MatchView, holds: tuple[str, ...], lang: str = ENGLISH, join_url: str = "") -> bytes:
        """A view as an event of a stream: the same bytes for all recipients of that view at the same moment."""
        now_s, audience = self._clock(), (view.seat, lang, holds)
        told = self._events.get(audience)
        if told is None or told[0] is not view or now_s - told[1] > SAME_MOMENT_S:
            event = b"id: %d\nevent: view\ndata: %b\n\n" % (view.seq, self.json(view, holds, lang, join_url))
            self._events[audience] = told = (view, now_s, event)
        return told[2]


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
    holds = table.door.seats_of(phone)
    if seat in holds:
        table.door.heard(seat)
    view = table.door.view(seat if seat in holds else None)
    hints = None if view.seat is None else table.door.hints(view.seat)
    lang = languages.asked()
    told = table.told.json(view, holds, lang, table.join_url)
    whole = told[:-1] + b',"hints":' + table.told.hints(hints, lang) + b"}"
    response = Response(whole, mimetype="application/json")
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
    shared = current_app.extensions
    table = shared["companion"]
    door: Door = table.door
    put: ViewWriter = table.told
    phone = phones.phone_of(request)
    asked = asked_seat(door)
    holds = door.seats_of(phone)
    seat = asked if asked in holds else None
    lang = languages.asked()

    def event(news: MatchView | HintsView) -> bytes:
        now_holds = door.seats_of(phone)
        if seat is not None and seat not in now_holds:
            # somebody else took the seat: its secrets are no longer for this phone; the page reconnects as watcher
            raise Refusal(
                403, "seat_lost", Says("This phone does not have the seat {seat}: take the seat first.", {"seat": seat})
            )
        if isinstance(news, HintsView):
            return b"event: hints\ndata: %b\n\n" % put.hints(news, lang)
        return put.event(news, now_holds, lang, shared["companion"].join_url)

    handed: Handed = request.environ[STREAMING]
    place = table.places.open(
        phone,
        request.args.get("page", "")[:40],
        lambda: door.subscribe(seat, handed.ring),
        address=request.remote_addr or "",
        is_seated=bool(holds),
    )
    is_small = request.accept_encodings["gzip"] > 0
    response = Response(
        handed.over(Events(table.places, place, event, is_small=is_small)), mimetype="text/event-stream"
    )
    response.headers["X-Accel-Buffering"] = "no"
    response.headers["Vary"] = "Accept-Encoding"
    if is_small:
        response.headers["Content-Encoding"] = "gzip"
    return response


NAME_MAX = 24

do = Blueprint("do", __name__)


@do.post("/do")
def do_it() -> Response:
    """Enters one tap and answers with the number of its entry, or refuses it in one sentence."""
    table = current_app.extensions["companion"]
    door: Door = table.door
    if request.mimetype != "application/json":
        says = Says("This is not something a page of this table sends: {why}.", {"why": request.mimetype[:40]})
        raise Refusal(415, "not_json", says)
    tap = parsed(request.get_data())
    phone = phones.phone_of(request)
    if phone is None:
        raise Refusal(403, "no_phone", Says("This phone is not known here: load the page again and allow its cookie."))
    if tap.match not in (None, door.view(None).match):  # the seat may not exist in the next match
        raise Refusal(409, "refused", NEXT_HAS_BEGUN, of=door.view(None))
    seat = tap.seat or ""
    check_seat(door, seat)
    if isinstance(tap, TakeSeat):
        if not tap.is_lost and invited.is_needed(request):  # else the others are asked
            table.number.check(tap.number, request.remote_addr or "")
    elif seat not in door.seats_of(phone):
        says = Says("This phone does not have the seat {seat}: take the seat first.", {"seat": seat})
        raise Refusal(403, "not_your_seat", says)
    else:
        door.heard(seat)
    receipt = door.submit(sent(tap, phone, own_name(door, seat)))
    if receipt.refused is not None:
        raise Refusal(409, "refused", receipt.refused, of=door.view(None))
    return jsonify(entry=receipt.entry)


def parsed(body: bytes) -> Input:
    """The input in a request's body. Raises: Refusal (400)."""
    try:
        tap: Input = msgspec.json.decode(body, type=Input)
        if tap.seat is None:
            raise msgspec.ValidationError("it has no seat")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        says = Says("This is not something a page of this table sends: {why}.", {"why": str(error)})
        raise Refusal(400, "not_a_tap", says) from error
    return tap


def own_name(door: Door, seat: str) -> str:
    """The author of an action at a seat: the person's name, with the seat if another seat has the same name."""
    names = {s.seat: s.name or s.seat for s in door.view(None).seats}
    name = names[seat]
    return f"{name} ({seat})" if list(names.values()).count(name) > 1 else name


def sent(tap: Input, phone: str, by: str) -> Input:
    """A tap with its sender: `by` is the name of the seat's person. Somebody else may sign a correction."""
    match tap:
        case TakeSeat(name=name):
            return msgspec.structs.replace(tap, name=clean_name(name), phone=phone)
        case LeaveSeat():
            return msgspec.structs.replace(tap, phone=phone)
        case Answer(reason=reason):
            return msgspec.structs.replace(tap, by=by, reason=cleaned(reason))
        case Correct(name=name, reason=reason):
            who = signed(name, by, tap.seat or "")
            return msgspec.structs.replace(tap, name="", by=who, reason=clean_reason(reason))
        case CallReferee(words=words):
            return msgspec.structs.replace(tap, by=by, words=cleaned(words))
        case _:
            return msgspec.structs.replace(tap, by=by)


def clean_name(name: str) -> str:
    """A person's name. Raises: Refusal (400) if nothing is left of it or it does not fit, (409) if it is not for a
    person."""
    given = cleaned(name)
    flaw = flaw_of(given, NAME_MAX)
    if flaw is not None:
        raise Refusal(409 if flaw.code is Unfit.NO_PERSON else 400, flaw.code, flaw.says)
    return given


def clean_reason(reason: str) -> str:
    """The reason for a correction. Raises: Refusal (400) if it is empty."""
    given = cleaned(reason)
    if not given:
        raise Refusal(400, "no_reason", Says("A correction needs a reason: say in a few words what was seen."))
    return given


def signed(name: str, by: str, seat: str) -> str:
    """The author of a correction, with the seat of the phone if it is not that phone's own player.

    >>> signed("Rita", "Ann", "red")
    'Rita (at red)'
    """
    given = clean_name(name)
    return by if given == by else f"{given} (at {seat})"
