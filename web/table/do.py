"""Taps of people: POST `/do` with one JSON object, ``{"do": "undo", "seat": "red", "entry": 12}``.

Only our own page may send it, only from the phone that holds the seat. Inputs name their match and their object (the
entry, the question), so that a tap on an old page changes nothing: the match refuses it in one sentence, which the
page shows.
"""

from __future__ import annotations

from typing import Annotated

import msgspec
from flask import Blueprint, Response, current_app, jsonify, request
from msgspec import Meta, Struct

from companion.game.names import Unfit, cleaned, flaw_of
from companion.game.says import Says
from companion.match.inputs import (
    NEXT_HAS_BEGUN,
    Act,
    Answer,
    BeginAnew,
    CallOff,
    CallReferee,
    Correct,
    Door,
    EndThrow,
    Input,
    LeaveSeat,
    RefereeCame,
    TakeSeat,
    Tell,
    Undo,
)
from web.site.refusals import Refusal
from web.site.stream import check_seat
from web.table import invited, phones

NAME_MAX = 24
WORDS_MAX = 200
KEY_MAX = 100

do = Blueprint("do", __name__)

Name = Annotated[str, Meta(max_length=200)]
Words = Annotated[str, Meta(max_length=WORDS_MAX)]
Value = Annotated[str, Meta(min_length=1, max_length=3500)]
Key = Annotated[str, Meta(min_length=1, max_length=KEY_MAX)]


class Tap(Struct, frozen=True, kw_only=True, tag_field="do", forbid_unknown_fields=True):
    """The common part of all taps: the seat for which the phone acts, and the match that its page shows."""

    seat: Key
    match: Key | None = None


class TapTakeSeat(Tap, frozen=True, tag="take_seat"):
    name: Name
    holder: Name | None = None
    number: Annotated[str, Meta(max_length=12)] = ""


class TapLeaveSeat(Tap, frozen=True, tag="leave_seat"):
    pass


class TapEndThrow(Tap, frozen=True, tag="end_throw"):
    pass


class TapAnswer(Tap, frozen=True, tag="answer"):
    question: Key
    choice: Key
    reason: Words = ""


class TapUndo(Tap, frozen=True, tag="undo"):
    entry: int
    back_to: Key | None = None


class TapCorrect(Tap, frozen=True, tag="correct"):
    entry: int
    fact: Key
    value: Key
    name: Name
    reason: Words


class TapCallReferee(Tap, frozen=True, tag="call_referee"):
    words: Words = ""
    entry: int | None = None


class TapRefereeCame(Tap, frozen=True, tag="referee_came"):
    entry: int


class TapCallOff(Tap, frozen=True, tag="call_off"):
    entry: int


class TapAct(Tap, frozen=True, tag="act"):
    move: Key
    values: dict[Key, Value] = {}


class TapTell(Tap, frozen=True, tag="tell"):
    text: Annotated[str, Meta(max_length=500)]


class TapBeginAnew(Tap, frozen=True, tag="begin_anew"):
    is_given_up: bool = False
    goes_on: bool = False


AnyTap = (
    TapTakeSeat
    | TapLeaveSeat
    | TapEndThrow
    | TapAnswer
    | TapUndo
    | TapCorrect
    | TapCallReferee
    | TapRefereeCame
    | TapCallOff
    | TapAct
    | TapTell
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
    if tap.match not in (None, door.view(None).match):  # the seat may not exist in the next match
        raise Refusal(409, "refused", NEXT_HAS_BEGUN, of=door.view(None))
    check_seat(door, tap.seat)
    if not isinstance(tap, TapTakeSeat) and tap.seat not in door.seats_of(phone):
        says = Says("This phone does not have the seat {seat}: take the seat first.", {"seat": tap.seat})
        raise Refusal(403, "not_your_seat", says)
    if isinstance(tap, TapTakeSeat) and invited.is_needed(request):
        table.number.check(tap.number, request.remote_addr or "")
    if not isinstance(tap, TapTakeSeat):
        door.heard(tap.seat)
    receipt = door.submit(as_input(tap, phone, own_name(door, tap.seat)), of=tap.match)
    if receipt.refused is not None:
        raise Refusal(409, "refused", receipt.refused, of=door.view(None))
    return jsonify(entry=receipt.entry)


def parsed(body: bytes) -> AnyTap:
    """The tap in a request's body. Raises: Refusal (400)."""
    try:
        tap: AnyTap = msgspec.json.decode(body, type=AnyTap)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        says = Says("This is not something a page of this table sends: {why}.", {"why": str(error)})
        raise Refusal(400, "not_a_tap", says) from error
    return tap


def own_name(door: Door, seat: str) -> str:
    """The author of an action at a seat: the person's name, with the seat if another seat has the same name."""
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
        case TapAct(seat=seat, move=move, values=values):
            return Act(seat=seat, move=move, values=values, by=by)
        case TapTell(seat=seat, text=text):
            return Tell(seat=seat, by=by, text=text)
        case TapAnswer(seat=seat, question=question, choice=choice, reason=reason):
            return Answer(question=question, choice=choice, by=by, seat=seat, reason=cleaned(reason))
        case TapUndo(entry=entry, back_to=back_to):
            return Undo(entry=entry, by=by, back_to=back_to)
        case TapCorrect(entry=entry, fact=fact, value=value, name=name, reason=reason):
            return Correct(
                entry=entry, fact=fact, value=value, by=signed(name, by, tap.seat), reason=clean_reason(reason)
            )
        case TapCallReferee(words=words, entry=entry):
            return CallReferee(by=by, words=cleaned(words), entry=entry)
        case TapRefereeCame(entry=entry):
            return RefereeCame(entry=entry, by=by)
        case TapCallOff(entry=entry):
            return CallOff(entry=entry, by=by)
        case TapBeginAnew(seat=seat, match=match, is_given_up=is_given_up, goes_on=goes_on):
            return BeginAnew(match=match or "", by=by, is_given_up=is_given_up, seat=seat, goes_on=goes_on)


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
        raise Refusal(400, "no_reason", Says("A correction needs its reason: say in a few words what was seen."))
    return given


def signed(name: str, by: str, seat: str) -> str:
    """The author of a correction, with the seat of the phone if it is not that phone's own player.

    >>> signed("Rita", "Ann", "red")
    'Rita (at red)'
    """
    given = clean_name(name)
    return by if given == by else f"{given} (at {seat})"
