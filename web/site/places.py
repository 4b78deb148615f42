"""Counts open streams against limits of the table, an address and a phone."""

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from companion.game.says import Says
from companion.match.inputs import Subscription
from web.site.line import CONNECTIONS, OWN
from web.site.refusals import Refusal

WITHOUT_COOKIE = 8
"""Maximum streams of one address without a cookie; a browser has its cookie before it opens a stream."""
KEPT_FOR_SEATED = 8
"""Maximum number of places reserved for phones with a seat: at most one place in 25."""
OF_A_PHONE = 6
"""Maximum streams of a phone: a browser opens this many to one host over HTTP/1.1. More from one phone is a script."""
POLL_AFTER_S = 3
"""Interval at which a phone beyond the limit asks for `/state`, s."""


def streams_of(connections: int) -> int:
    """The maximum number of streams among an address's connections. Phones behind one router can still ask and tap when
    all of them have a stream.

    >>> streams_of(60)
    48
    """
    return connections - connections // 5


OF_AN_ADDRESS = streams_of(CONNECTIONS)


class OpenStreams:
    """Counts the open streams of a table or a hub against the limits of all and of an address. Callers hold a lock."""

    def __init__(self, of_an_address: int = OF_AN_ADDRESS) -> None:
        self._of_an_address = of_an_address
        self._at: Counter[str] = Counter()
        self.count = 0

    def are_full(self, cap: int, address: str, *, given_back: int = 0) -> bool:
        """Whether an address gets no more of `cap` places, after `given_back` of its own are closed."""
        at_address = self._at[address] - given_back
        return self.count - given_back >= cap or (address not in OWN and at_address >= self._of_an_address)

    def change(self, address: str, by: int) -> None:
        """Notes that an address has more streams, or fewer."""
        self.count += by
        self._at[address] += by
        if not self._at[address]:
            del self._at[address]


@dataclass(slots=True)
class _Place:
    who: str
    page: str
    address: str
    subscription: Subscription | None = None
    """None while it is being opened."""


class Places:
    """The open streams: counted against a limit, one for each page, all ended together when the server ends.

    A page has a random word of its own. When it reconnects it replaces its older stream, which may be half dead.
    """

    def __init__(self, cap: int) -> None:
        self.cap = cap
        self._streams = OpenStreams()
        self._lock = threading.Lock()
        self._taken: dict[int, _Place] = {}
        self._next = 0
        self._is_ending = False

    def __len__(self) -> int:
        return len(self._taken)

    def open(
        self,
        phone: str | None,
        page: str,
        subscribe: Callable[[], Subscription],
        *,
        address: str = "",
        is_seated: bool = False,
    ) -> tuple[int, Subscription]:
        """A numbered place and its subscription. Raises: Refusal (503) beyond a limit and while the server ends.

        For a phone without a cookie, `address` identifies it.
        """
        place = _Place(phone if phone is not None else f"at {address}", page, address)
        with self._lock:
            older = self._older(place)
            if self._is_ending or self._is_full(place, len(older), has_cookie=phone is not None, is_seated=is_seated):
                raise Refusal(
                    503,
                    "full",
                    Says(
                        "{n} phones are connected, as many as this table serves: this one updates every few seconds.",
                        {"n": len(self._taken)},
                    ),
                    retry_after_s=POLL_AFTER_S,
                )
            self._next += 1
            number = self._next
            self._taken[number] = place
            self._streams.change(address, 1)
        try:
            place.subscription = subscribe()
        except BaseException:
            self.close(number)
            raise
        for old in older:
            self.close(old)
        if self._is_ending:
            place.subscription.close()
        return number, place.subscription

    def _older(self, place: _Place) -> list[int]:
        """The earlier streams of the same page."""
        if not place.page:
            return []
        return [
            number
            for number, other in self._taken.items()
            if (other.who, other.page) == (place.who, place.page) and other.subscription is not None
        ]

    def _is_full(self, place: _Place, older: int, *, has_cookie: bool, is_seated: bool) -> bool:
        """Whether a limit leaves no place, after `older` places of the page are given back."""
        cap = self.cap if is_seated else self.cap - min(KEPT_FOR_SEATED, self.cap // 25)
        if self._streams.are_full(cap, place.address, given_back=older):
            return True
        mine = sum(other.who == place.who for other in self._taken.values()) - older
        if place.address in OWN:
            return has_cookie and mine >= OF_A_PHONE
        return mine >= (OF_A_PHONE if has_cookie else WITHOUT_COOKIE)

    def close(self, number: int) -> None:
        """Gives a place back; a second call is harmless."""
        with self._lock:
            place = self._taken.pop(number, None)
            if place is not None:
                self._streams.change(place.address, -1)
        if place is not None and place.subscription is not None:
            place.subscription.close()

    def end_all(self) -> None:
        """Ends every stream now and lets no new one in."""
        with self._lock:
            self._is_ending = True
            open_now = [place.subscription for place in self._taken.values()]
        for subscription in open_now:
            if subscription is not None:
                subscription.close()
