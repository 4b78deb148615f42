"""Permission to sit down: once somebody sits at the table, newcomers need its number, from a phone that sits there.

The seated phones show the number and its code to scan; it changes at each start. Guesses are slow: an address has a
few, then waits. This machine's own pages do not need it, nor does a phone that already has a seat. Without a connected
seated phone nobody could be asked, so the table is open again. Expensive pages follow the same rule.
"""

import secrets
from collections.abc import Callable

from flask import Request, current_app

from companion.game.errors import Refused
from companion.game.says import Says
from web.site import phones
from web.site.phones import Tries
from web.site.refusals import Refusal

DIGITS = 6
GUESSES, FOR_S = 5, 300.0


class TableNumber:
    """The table's number, and the guesses of each address."""

    def __init__(self, clock: Callable[[], float], digits: str | None = None) -> None:
        self.digits = digits or f"{secrets.randbelow(10**DIGITS):0{DIGITS}d}"
        self._guesses = Tries(clock, GUESSES, FOR_S)

    def check(self, given: str, address: str) -> None:
        """Raises: Refusal (403) for a wrong number or none, (429) if an address has guessed too often."""
        if not self._guesses.may(address, counts=bool(given)):
            says = Says("Too many wrong numbers: wait five minutes, or scan the code on a phone here.")
            raise Refusal(429, "guessed", says, retry_after_s=int(FOR_S))
        if not secrets.compare_digest(given.encode(), self.digits.encode()):
            says = Says(
                "This table needs its number: scan the code of a phone that sits here, or type the number under it."
            )
            raise Refusal(403, "needs_number", says)
        self._guesses.forget(address)


def is_needed(request: Request) -> bool:
    """Whether this phone needs the number to sit down."""
    try:
        seats = () if _is_trusted(request) else current_app.extensions["companion"].door.view(None).seats
    except Refused:  # nothing is played
        return False
    return any(seat.name and seat.is_connected and not seat.is_stand_in for seat in seats)


def must_belong(request: Request) -> None:
    """Only players and this machine's own pages may change the table or ask for expensive pages.

    Raises: Refusal (403).
    """
    if is_needed(request):
        says = Says("Others play here: take a seat with the table's number first, or ask one of them.")
        raise Refusal(403, "others_play", says)


def must_be_alone(request: Request) -> None:
    """Refuses an action that would end the match of others with a phone here: they agree on the phones.

    Raises: Refusal (403).
    """
    door = current_app.extensions["companion"].door
    mine = door.seats_of(phones.phone_of(request))
    seats = [seat for seat in door.view(None).seats if seat.is_connected and not seat.is_stand_in]
    others = [seat.name for seat in seats if seat.name and seat.seat not in mine]
    if others:
        says = Says(
            "Still playing: {names}. End the match on a phone, under More. They are asked.",
            {"names": ", ".join(others)},
        )
        raise Refusal(403, "others_play", says)


def shown_to(request: Request) -> str | None:
    """The number for a phone that has a seat and for this machine's own pages; None for all others."""
    return str(current_app.extensions["companion"].number.digits) if _is_trusted(request) else None


def _is_trusted(request: Request) -> bool:
    door = current_app.extensions["companion"].door
    return phones.is_here(request.remote_addr) or bool(door.seats_of(phones.phone_of(request)))
