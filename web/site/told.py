"""Views and hints for the pages: JSON with sentences in words, made once for all recipients of the same view."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from companion.game.says import Says, Slot
from companion.game.view import HintsView, MatchView
from web.words import ENGLISH, Said, encoded

SAME_MOMENT_S = 0.05
"""Maximum age of a shared view, s: its clock is still accurate enough for a page."""


def said_in(view: MatchView) -> Said:
    """How a match shows its own values: a lettered seat by its player's name, a circle by its name in the rules."""
    names = {seat.seat: seat.name for seat in view.seats if seat.name and len(seat.seat) == 1}
    places: Mapping[str, Says] = view.table.get("places", {})
    return lambda slot, value: (names if slot is Slot.SEAT else places).get(value)


class Told:
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

    def json(self, view: MatchView, holds: tuple[str, ...], lang: str = ENGLISH) -> bytes:
        """One JSON object without line breaks."""
        newest = self._newest.get((view.seat, lang))
        if newest is None or newest[0] is not view:
            self._said = said_in(view)
            self._newest[view.seat, lang] = newest = (view, encoded(view, lang, self._said))
        own = msgspec.json.encode({"now_s": self._clock(), "holds": holds})
        return own[:-1] + b"," + newest[1][1:]

    def event(self, view: MatchView, holds: tuple[str, ...], lang: str = ENGLISH) -> bytes:
        """A view as an event of a stream: the same bytes for all recipients of that view at the same moment."""
        now_s, audience = self._clock(), (view.seat, lang, holds)
        told = self._events.get(audience)
        if told is None or told[0] is not view or now_s - told[1] > SAME_MOMENT_S:
            event = b"id: %d\nevent: view\ndata: %b\n\n" % (view.seq, self.json(view, holds, lang))
            self._events[audience] = told = (view, now_s, event)
        return told[2]
