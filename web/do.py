"""What a person tapped: POST `/do` with one JSON object, ``{"do": "undo", "seat": "red", "entry": 12}``.

Only our own page may send it, only from the phone that holds the seat. Inputs name what they are about (the entry, the
question), so that a tap on an old page changes nothing: the match refuses it in one sentence, which the page shows.
"""

from __future__ import annotations

import unicodedata
from typing import Annotated

import msgspec
from flask import Blueprint, Response, current_app, jsonify, request
from msgspec import Meta, Struct

from companion.inputs import (
    Answer,
    BeginAnew,
    CallReferee,
    Correct,
    Door,
    EdgeCrossed,
    EndThrow,
    Input,
    LeaveSeat,
    RefereeCame,
    TakeSeat,
    Undo,
)
from companion.says import Says
from web import phones
from web.refusals import Refusal
from web.stream import check_seat

NAME_MAX = 24
WORDS_MAX = 200
KEY_MAX = 100

do = Blueprint("do", __name__)

Name = Annotated[str, Meta(max_length=200)]
Words = Annotated[str, Meta(max_length=WORDS_MAX)]
Key = Annotated[str, Meta(min_length=1, max_length=KEY_MAX)]


class Tap(Struct, frozen=True, tag_field="do", forbid_unknown_fields=True):
    """What all taps have: the seat for which the phone acts."""

    seat: Key


class TapTakeSeat(Tap, tag="take_seat"):
    name: Name
    holder: Name | None = None


class TapLeaveSeat(Tap, tag="leave_seat"):
    pass


class TapEndThrow(Tap, tag="end_throw"):
    pass


class TapAnswer(Tap, tag="answer"):
    question: Key
    choice: Key


class TapUndo(Tap, tag="undo"):
    entry: int


class TapCorrect(Tap, tag="correct"):
    entry: int
    fact: Key
    value: Key
    name: Name
    reason: Words


class TapCallReferee(Tap, tag="call_referee"):
    words: Words = ""


class TapRefereeCame(Tap, tag="referee_came"):
    entry: int


class TapEdgeCrossed(Tap, tag="edge_crossed"):
    thrower: Key


class TapBeginAnew(Tap, tag="begin_anew"):
    match: Key
    is_given_up: bool = False


AnyTap = (
    TapTakeSeat
    | TapLeaveSeat
    | TapEndThrow
    | TapAnswer
    | TapUndo
    | TapCorrect
    | TapCallReferee
    | TapRefereeCame
    | TapEdgeCrossed
    | TapBeginAnew
)


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
    check_seat(door, tap.seat)
    if not isinstance(tap, TapTakeSeat) and tap.seat not in door.seats_of(phone):
        says = Says("This phone does not have the seat {seat}: take the seat first.", {"seat": tap.seat})
        raise Refusal(403, "not_your_seat", says)
    if not isinstance(tap, TapTakeSeat):
        door.heard(tap.seat)
    receipt = door.submit(as_input(tap, phone, own_name(door, tap.seat)))
    if receipt.refused is not None:
        raise Refusal(409, "refused", ended(receipt.refused), of=door.view(None))
    return jsonify(entry=receipt.entry)


def parsed(body: bytes) -> AnyTap:
    """The tap in a request's body. Raises: Refusal (400)."""
    try:
        return msgspec.json.decode(body, type=AnyTap)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        says = Says("This is not something a page of this table sends: {why}.", {"why": str(error)})
        raise Refusal(400, "not_a_tap", says) from error


def own_name(door: Door, seat: str) -> str:
    """Who acts at a seat: the person's name, with the seat where another seat has the same name."""
    names = {s.seat: s.name or s.seat for s in door.view(None).seats}
    name = names[seat]
    return f"{name} ({seat})" if list(names.values()).count(name) > 1 else name


def as_input(tap: AnyTap, phone: str, by: str) -> Input:
    """The input of a tap. `by` is the seat's own name; a correction may be signed by another."""
    match tap:
        case TapTakeSeat(seat=seat, name=name, holder=holder):
            return TakeSeat(seat=seat, name=clean_name(name), phone=phone, holder=holder)
        case TapLeaveSeat(seat=seat):
            return LeaveSeat(seat=seat, phone=phone)
        case TapEndThrow():
            return EndThrow(by=by)
        case TapAnswer(seat=seat, question=question, choice=choice):
            return Answer(question=question, choice=choice, by=by, seat=seat)
        case TapUndo(entry=entry):
            return Undo(entry=entry, by=by)
        case TapCorrect(entry=entry, fact=fact, value=value, name=name, reason=reason):
            return Correct(
                entry=entry, fact=fact, value=value, by=signed(name, by, tap.seat), reason=clean_reason(reason)
            )
        case TapCallReferee(words=words):
            return CallReferee(by=by, words=clean(words))
        case TapRefereeCame(entry=entry):
            return RefereeCame(entry=entry, by=by)
        case TapBeginAnew(match=match, is_given_up=is_given_up):
            return BeginAnew(match=match, by=by, is_given_up=is_given_up)
        case TapEdgeCrossed(thrower=thrower):
            return EdgeCrossed(thrower=thrower, by=by)


def ended(words: str) -> str:
    """A sentence with one mark at its end.

    >>> ended("answer first: does it overlap?"), ended("the match is over")
    ('answer first: does it overlap?', 'the match is over.')
    """
    return words if words.endswith(("?", ".")) else f"{words}."


def clean(words: str) -> str:
    """Words without control and invisible characters, blanks made single.

    >>> clean(" An\\u202en  \\tLee\\n")
    'Ann Lee'
    """
    seen = "".join(" " if c.isspace() else c for c in words if c.isspace() or unicodedata.category(c)[0] != "C")
    return " ".join(seen.split())


def clean_name(name: str) -> str:
    """A person's name. Raises: Refusal (400) when nothing is left of it or it is too long."""
    cleaned = clean(name)
    if not cleaned:
        raise Refusal(400, "no_name", Says("The name is empty: type what the others call you."))
    if len(cleaned) > NAME_MAX:
        says = Says("The name has {n} letters, at most {most} fit: shorten it.", {"n": len(cleaned), "most": NAME_MAX})
        raise Refusal(400, "long_name", says)
    return cleaned


def clean_reason(reason: str) -> str:
    """Why somebody corrects. Raises: Refusal (400) when it is empty."""
    cleaned = clean(reason)
    if not cleaned:
        raise Refusal(400, "no_reason", Says("A correction needs its reason: say in a few words what was seen."))
    return cleaned


def signed(name: str, by: str, seat: str) -> str:
    """Who corrects, and at which seat's phone when it is not that phone's own player.

    >>> signed("Rita", "Ann", "red")
    'Rita (at red)'
    """
    cleaned = clean_name(name)
    return by if cleaned == by else f"{cleaned} (at {seat})"
