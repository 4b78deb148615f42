"""A table that reports to a hub: how it stands, its result, calls from its phones; and the matches that it is given.

Nothing waits for the hub: the table judges, and this looks at it twice a second.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from companion import __version__
from companion.cli.house import House
from companion.errors import CompanionError
from companion.game import Outcome
from companion.games import GAMES
from companion.hub.link import Health, Orders, State, Told
from companion.hub.mqtt import Credentials, LinkError, read_credentials, table_road
from companion.hub.outbox import Outbox
from companion.hub.table_end import TableEnd
from companion.says import Says
from companion.tournament.judged import result_of
from companion.view import MatchView

_LOGGER = logging.getLogger(__name__)

LOOK_S = 0.5
HUB = "the hub"


def given_by(path: Path) -> Credentials:
    """Credentials from a file, or from a picture of their QR code. Raises: LinkError."""
    if path.suffix.lower() not in (".png", ".jpg", ".jpeg"):
        return read_credentials(path)
    import cv2
    import msgspec

    picture, text = cv2.imread(str(path)), ""
    if picture is not None:
        detectors = (cv2.QRCodeDetector(), cv2.QRCodeDetectorAruco())
        text = next((found for each in detectors if (found := each.detectAndDecode(picture)[0])), "")
    if not text:
        raise LinkError(f"{path}: no QR code of `companion hub enroll` is seen in it, expected one that fills it")
    try:
        return msgspec.json.decode(text, type=Credentials)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise LinkError(f"{path}: the QR code is none of `companion hub enroll`: {error}") from error


@contextmanager
def reporting(house: House, given: Credentials, folder: Path) -> Iterator[Reporter]:
    """Reports for as long as the block lasts."""
    reporter = Reporter(house, given.name, folder / "hub")
    reporter.begin(lambda end: table_road(given, end.heard, end.opened))
    try:
        yield reporter
    finally:
        reporter.close()


class Reporter:
    """Looks at a house, and says to the hub what it sees there."""

    def __init__(self, house: House, box: str, folder: Path) -> None:
        self._house = house
        self._outbox = Outbox(folder)
        self._since_s = time.monotonic()
        self.end = TableEnd(box, self._outbox, time.time, health=self._health)
        self._told: State | None = None
        self._calls: set[str] = set()
        """The calls that the hub was told of and that stand."""
        self._is_ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="reporting", daemon=True)

    def begin(self, road: Callable[[TableEnd], Any]) -> None:
        """Sets out on a road."""
        self.end.begin(road(self.end))
        self._thread.start()

    def close(self) -> None:
        """Ends it; what the hub has not acknowledged is said the next time."""
        self._is_ended.set()
        if self._thread.is_alive():
            self._thread.join(5.0)
        self.end.close()

    def _run(self) -> None:
        while not self._is_ended.wait(LOOK_S):
            try:
                self.look()
            except Exception:  # the thread's edge: what goes wrong here must not end the table
                _LOGGER.exception("the hub could not be told how the table stands")

    def look(self) -> None:
        """Begins what was ordered, and says what is new."""
        orders = self.end.orders
        self._begin(orders)
        view = self._house.view() if self._house.playing is not None else None
        is_ordered = view is not None and self._outbox.begun == (orders.id, view.match) and bool(orders.id)
        state = State() if view is None else _state(view, orders.id if is_ordered else "")
        if state != self._told:
            self._told = state
            self.end.stands(state)
        if view is not None and is_ordered:
            self._tell(view, orders)

    def _begin(self, orders: Orders) -> None:
        if not orders.id or self._outbox.begun[0] == orders.id or self._house.is_busy or orders.game not in GAMES:
            return
        try:
            players = len(orders.seats)
            try:
                self._house.begin(orders.game, players, dict(orders.options), by=HUB)
            except CompanionError:  # teams: the game is played by more than there are entrants
                self._house.begin(orders.game, None, dict(orders.options), by=HUB)
        except CompanionError as error:
            _LOGGER.warning("what the hub ordered cannot be begun: %s", error)
            self._outbox.keep_begun(orders.id, "")
            return
        self._outbox.keep_begun(orders.id, self._house.view().match)

    def _tell(self, view: MatchView, orders: Orders) -> None:
        calls = {f"{view.match}:call:{call.entry}": call for call in view.calls}
        for said in calls.keys() - self._calls:
            words = calls[said].words or calls[said].about or Says("called at the table")
            self.end.tells(Told(said, orders.id, words=str(words)))
        for said in self._calls - calls.keys():
            self.end.tells(Told(f"{said}:done", orders.id, done=said))
        self._calls = set(calls)
        if view.over is None:
            return
        seats = [seat.seat for seat in view.seats]
        entrants = len(orders.seats)
        if not entrants or len(seats) % entrants:
            return
        outcome = Outcome(view.over.winners, view.over.says, view.over.rule, view.over.points)
        scores: Mapping[str, float] | None = self._house.match.scores()
        result = result_of(outcome, [seats[at::entrants] for at in range(entrants)], scores)
        told = Told(f"{orders.id}:{view.match}:{view.judged}", orders.id, result)
        if told.id != self._outbox.last:
            self.end.tells(told)
            self._outbox.keep_last(told.id)

    def _health(self) -> Health:
        sight = "" if self._house.playing is None else str(self._house.view().sight.state)
        return Health(version=__version__, sight=sight, up_s=time.monotonic() - self._since_s)


def _state(view: MatchView, order: str) -> State:
    return State(
        order=order,
        phase="playing" if view.over is None else "over",
        game=view.game,
        match=view.match,
        seq=view.seq,
        says=str(view.last[0].says) if view.last else "",
        sight=str(view.sight.state),
        asks="" if view.question is None else str(view.question.says),
    )
