"""POST `/hand?seat=A`: a photograph of the hand from the seat's own phone; the answer lists its cards.

The picture is read and kept nowhere, and the cards go to that phone alone. Its owner checks them and enters them, or
does not.
"""

from collections.abc import Callable, Sequence

from flask import Blueprint, Response, current_app, jsonify, request

from companion.game.errors import CompanionError
from companion.game.says import Says
from companion.match.inputs import Door
from web.site import phones
from web.site.refusals import Refusal
from web.table.stream import asked_seat

MOST_BYTES = 12_000_000

ReadHand = Callable[[bytes], Sequence[str]]
"""The cards that a photograph (JPEG, PNG) shows, such as 5C, 10H or JK. Raises: CompanionError."""


def hand_reader(read: ReadHand) -> Blueprint:
    """The route; `read` reads photographs of cards."""
    hand = Blueprint("hand", __name__)

    @hand.post("/hand")
    def read_hand() -> Response:
        door: Door = current_app.extensions["companion"].door
        seat = asked_seat(door)
        if seat is None or seat not in door.seats_of(phones.phone_of(request)):
            says = Says("This phone does not have the seat {seat}: take the seat first.", {"seat": seat or "?"})
            raise Refusal(403, "not_your_seat", says)
        request.max_content_length = MOST_BYTES
        try:
            cards = read(request.get_data(cache=False))
        except CompanionError as error:
            raise Refusal(422, "unread", error.sentence) from error
        return jsonify(cards=list(cards))

    return hand
