"""Taps of people: POST `/do` with one input of `companion.match.inputs` as JSON.

Only our own page may send it, and only from the phone that holds the seat. If the match refuses the input, it says why
in one sentence, and the page shows that.
"""

from __future__ import annotations

import msgspec
from flask import Blueprint, Response, current_app, jsonify, request

from companion.game.names import Unfit, cleaned, flaw_of
from companion.game.says import Says
from companion.match.inputs import NEXT_HAS_BEGUN, Answer, CallReferee, Correct, Door, Input, LeaveSeat, TakeSeat
from web.site import phones
from web.site.refusals import Refusal
from web.table import invited
from web.table.stream import check_seat

NAME_MAX = 24

do = Blueprint("do", __name__)


@do.post("/do")
def do_it() -> Response:
    """Enters one tap and answers with the number of its entry, or refuses it in one sentence."""
    table = current_app.extensions["companion"]
    door: Door = table.door
    if not phones.is_same_origin(request):
        raise Refusal(
            403, "foreign_page", Says("This did not come from the table's own page: open the table's address.")
        )
    if request.mimetype != "application/json":
        says = Says("This came as '{kind}', expected application/json.", {"kind": request.mimetype[:40]})
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
        if invited.is_needed(request):
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
