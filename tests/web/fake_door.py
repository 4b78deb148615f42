"""A match without a table: it shows what a test tells it and remembers what it was given.

Seats are held by phones, only the newest view waits, and closing wakes, as `Door` promises.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec

from companion.game.says import Says
from companion.game.view import HintsView, HintView, HistoryLine, MatchView, Sight, SightView, StepView
from companion.match.inputs import BeginAnew, Input, LeaveSeat, Receipt, TakeSeat

NOW_S = 1_800_000_000.0


class FakeSubscription:
    def __init__(self, door: FakeDoor, seat: str | None, on_news: Callable[[], None]) -> None:
        self.door, self.seat, self.on_news = door, seat, on_news
        self.seen = -1
        self.hinted: HintsView | None = None
        self._is_closed = False

    def next(self, timeout_s: float) -> MatchView | HintsView | None:
        with self.door.changed:
            if not self._has_news():
                self.door.changed.wait_for(self._has_news, timeout_s)
            if self._is_closed:
                return None
            if self.seen != self.door.version:
                self.seen = self.door.version
                return self.door.view(self.seat)
            hints = None if self.seat is None else self.door.hints(self.seat)
            self.hinted, news = hints, hints if hints != self.hinted else None
            return news

    def _has_news(self) -> bool:
        is_hinted = self.seat is not None and self.door.hints(self.seat) != self.hinted
        return self._is_closed or self.seen != self.door.version or is_hinted

    @property
    def is_closed(self) -> bool:
        return self._is_closed

    def close(self) -> None:
        with self.door.changed:
            self._is_closed = True
            self.door.subscriptions = [s for s in self.door.subscriptions if s is not self]
            self.door.shows()
        self.on_news()


class FakeDoor:
    """`shows(...)` changes the view and pushes it; `given` is what the pages sent; `refuses` refuses the next input."""

    def __init__(self, view: MatchView) -> None:
        self.changed = threading.Condition(threading.RLock())
        self._view = view
        self.version = 0
        self.given: list[Input] = []
        self._hints: tuple[HintView, ...] = ()
        self.holders: dict[str, str] = {}
        self.secrets: dict[str, dict[str, Any]] = {}
        """What only a seat may see: seat to changes of its view."""
        self.pictures: dict[str, bytes] = {}
        self.last: tuple[MatchView, tuple[HistoryLine, ...]] | None = None
        """The match before this one."""
        self.frame: bytes | None = None
        self.subscriptions: list[FakeSubscription] = []

    # what pages ask

    def view(self, seat: str | None = None) -> MatchView:
        with self.changed:
            here = {s.seat for s in self.subscriptions}
            seats = tuple(replace(s, is_connected=s.seat in here, is_kept=s.seat in here) for s in self._view.seats)
            only = {} if seat is None else {k: v for k, v in self.secrets.get(seat, {}).items() if k != "hints"}
            return replace(self._view, seat=seat, seats=seats, **only)

    def history(self) -> tuple[HistoryLine, ...]:
        return self._view.history

    def steps(self) -> tuple[StepView, ...]:
        return ()

    def before(self) -> tuple[MatchView, tuple[HistoryLine, ...]] | None:
        return self.last

    def hints(self, seat: str) -> HintsView | None:
        with self.changed:
            hints = self.secrets.get(seat, {}).get("hints", self._hints)
            return (
                HintsView(match=self._view.match, judged=self._view.judged, seat=seat, hints=hints) if hints else None
            )

    def submit(self, given: Input, timeout_s: float = 5.0) -> Receipt:
        with self.changed:
            if not isinstance(given, BeginAnew):
                given = msgspec.structs.replace(given, match=None)
            match given:
                case TakeSeat(seat=seat, name=name, phone=phone):
                    self.holders[seat] = phone
                    self._name(seat, name)
                case LeaveSeat(seat=seat):
                    self.holders.pop(seat, None)
                    self._name(seat, None)
            self.given.append(given)
            self.shows(seq=self._view.seq + 1)
            return Receipt(self._view.seq)

    def subscribe(self, seat: str | None = None, on_news: Callable[[], None] = lambda: None) -> FakeSubscription:
        with self.changed:
            made = FakeSubscription(self, seat, on_news)
            self.subscriptions.append(made)
            self.shows()
            return made

    def seats_of(self, phone: str | None) -> tuple[str, ...]:
        with self.changed:
            return tuple(seat for seat, holder in self.holders.items() if holder == phone)

    def heard(self, seat: str) -> None:
        pass

    def picture(self, sha256: str) -> bytes | None:
        return self.pictures.get(sha256)

    def live(self) -> bytes | None:
        return self.frame

    # what tests do

    def shows(self, **changes: Any) -> None:
        """Changes the view and pushes it to every phone."""
        with self.changed:
            self._hints = changes.pop("hints", self._hints)
            self._view = replace(self._view, **changes)
            self.version += 1
            self.changed.notify_all()
            for wake in {subscription.on_news for subscription in self.subscriptions}:
                wake()

    def happens(self, **changes: Any) -> None:
        """Changes the view as an entry does: the log's number goes on."""
        with self.changed:
            self.shows(seq=self._view.seq + 1, **changes)

    def sight(self, state: Sight, says: str, code: str | None = None, since_s: float = NOW_S) -> None:
        """What the table can see now."""
        self.shows(sight=SightView(state=state, says=Says(says), since_s=since_s, code=code))

    def close(self) -> None:
        """The match is closing: all streams end."""
        for subscription in list(self.subscriptions):
            subscription.close()

    def _name(self, seat: str, name: str | None) -> None:
        seats = tuple(replace(s, name=name) if s.seat == seat else s for s in self._view.seats)
        self._view = replace(self._view, seats=seats)
