"""Phones that have lost their seat: each says whose seat it had, and another phone at the table agrees.

A claim enters nothing. Without another phone its seat is given after `WAIT_S`, unless the old phone objects meanwhile.
"""

from dataclasses import dataclass

from companion.game.errors import Refused
from companion.game.says import Says
from companion.match.inputs import TakeSeat

WAIT_S = 30.0
"""Time after which a claim counts where nobody can be asked, s."""
LAPSES_S = 180.0
"""Time after which a claim is forgotten, s."""


@dataclass(frozen=True, slots=True)
class LostSeat:
    """A claim of a kept seat, by its number, and its monotonic moment."""

    number: int
    given: TakeSeat
    since_s: float


class LostSeats:
    """The open claims: one for each seat."""

    def __init__(self) -> None:
        self._of_seat: dict[str, LostSeat] = {}
        self._count = 0

    def open(self, now_s: float) -> tuple[LostSeat, ...]:
        """The claims that have not lapsed."""
        return tuple(claim for claim in self._of_seat.values() if claim.since_s > now_s - LAPSES_S)

    def made(self, given: TakeSeat, now_s: float) -> LostSeat:
        """The phone's claim, new or earlier. Raises: Refused if another phone claims the seat."""
        earlier = next((claim for claim in self.open(now_s) if claim.given.seat == given.seat), None)
        if earlier is None:
            self._count += 1
            earlier = self._of_seat[given.seat] = LostSeat(self._count, given, now_s)
        elif earlier.given.phone != given.phone:
            raise Refused(Says("another phone asks for this seat now: wait until that is settled"))
        return earlier

    def of(self, number: int, now_s: float) -> LostSeat:
        """The open claim with this number. Raises: Refused."""
        found = next((claim for claim in self.open(now_s) if claim.number == number), None)
        if found is None:
            raise Refused(Says("that is settled already"))
        return found

    def forget(self, seat: str) -> None:
        """Ends the claim of a seat."""
        self._of_seat.pop(seat, None)
