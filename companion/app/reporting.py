"""Reports a table to a hub, and begins the matches that the hub orders. Nothing waits for the hub."""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from companion.app.door import TableDoor
from companion.app.matches import Ended
from companion.event.hub.link import HubMessage, Orders, State
from companion.event.hub.mqtt import Credentials, LinkError, read_credentials, table_transport
from companion.event.hub.outbox import Begun, Outbox
from companion.event.hub.table_end import TableEnd
from companion.event.judged import result_of
from companion.game.errors import CompanionError, ReadingError
from companion.game.known import names
from companion.game.says import Says
from companion.game.view import MatchView
from companion.match.stage import MatchGoesOn

_LOGGER = logging.getLogger(__name__)

LOOK_S = 0.5
HUB = "the hub"


def given_by(path: Path) -> Credentials:
    """Credentials from a file, or from a picture of their QR code. Raises: LinkError."""
    if path.suffix.lower() not in (".png", ".jpg", ".jpeg"):
        return read_credentials(path)
    import cv2
    import msgspec

    from hardware.picture_file import decoded

    try:
        picture = decoded(path, is_calibrated=False, passes_on=True)
    except ReadingError as error:
        raise LinkError(str(error)) from error
    detectors = (cv2.QRCodeDetector(), cv2.QRCodeDetectorAruco())
    text = next((found for each in detectors if (found := each.detectAndDecode(picture)[0])), "")
    if not text:
        raise LinkError(f"{path}: no QR code of `companion hub enroll` is seen in it, expected one that fills it")
    try:
        return msgspec.json.decode(text, type=Credentials)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise LinkError(f"{path}: the QR code is none of `companion hub enroll`: {error}") from error


@contextmanager
def reporting(door: TableDoor, given: Credentials, folder: Path) -> "Iterator[Reporter]":
    reporter = Reporter(door, given.name, folder / "hub")
    reporter.begin(lambda end: table_transport(given, end.heard, end.opened))
    with closing(reporter):
        yield reporter


class Reporter:
    """Looks at a door and reports its state to the hub."""

    def __init__(self, door: TableDoor, box: str, folder: Path) -> None:
        self._door = door
        self._outbox = Outbox(folder)
        self.end = TableEnd(box, self._outbox)
        self._calls: set[str] = set()
        self._looked_back: tuple[str, str] = ("", "")
        """The match begun for the hub's orders and the present match, at the last search of the logs for a result."""
        self._is_ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="reporting", daemon=True)

    def begin(self, transport: Callable[[TableEnd], Any]) -> None:
        self.end.begin(transport(self.end))
        self._thread.start()

    def close(self) -> None:
        """Ends it; reports that the hub has not acknowledged are sent the next time."""
        self._is_ended.set()
        if self._thread.is_alive():
            self._thread.join(5.0)
        self.end.close()

    def _run(self) -> None:
        while not self._is_ended.wait(LOOK_S):
            try:
                self.look()
            except Exception:  # the thread's catch-all: an error here must not end the table
                _LOGGER.exception("the hub could not be told how the table stands")

    def look(self) -> None:
        """Reports what is new, begins the ordered match, and reports the table's state."""
        self._tell(self._view())
        orders = self.end.orders
        self._begin(orders)
        view, begun = self._view(), self._outbox.begun
        is_ordered = view is not None and bool(orders.id) and (begun.orders.id, begun.match) == (orders.id, view.match)
        self.end.stands(State() if view is None else _state(view, orders.id if is_ordered else ""))

    def _view(self) -> MatchView | None:
        return self._door.view() if self._door.playing is not None else None

    def _begin(self, orders: Orders) -> None:
        """Begins the ordered match. The plan is kept first: a box killed in between still knows its match."""
        begun = self._outbox.begun
        is_begun = begun.orders.id == orders.id and (bool(begun.match) or begun.is_refused)
        if not orders.id or is_begun or orders.game not in names():
            return
        if self._door.is_busy:
            if begun.orders.id == orders.id:
                self._outbox.begun = Begun(orders, self._door.view().match)
            return
        self._outbox.begun = Begun(orders)
        try:
            players = len(orders.seats)
            try:
                self._door.begin(orders.game, players, dict(orders.options), by=HUB)
            except CompanionError:  # teams: more players than entrants
                self._door.begin(orders.game, None, dict(orders.options), by=HUB)
        except MatchGoesOn:  # people have just begun a match: wait for its end
            self._outbox.begun = begun
            return
        except CompanionError as error:
            _LOGGER.warning("what the hub ordered cannot be begun: %s", error)
            self._outbox.begun = Begun(orders, is_refused=True)
            return
        self._outbox.begun = Begun(orders, self._door.view().match)

    def _tell(self, view: MatchView | None) -> None:
        """Reports the ordered match. It goes on after the result, for later corrections and calls."""
        begun = self._outbox.begun
        if view is not None:  # else the table is being opened, and its calls are unknown
            self._tell_calls(view, begun.orders.id if view.match == begun.match else "")
        if view is not None and view.match == begun.match:
            if view.over is not None and _result_id(begun, view.judged) != self._outbox.last:
                self._tell_result(begun, self._door.ended(begun.match))
        elif begun.match and self._looked_back != (looked := (begun.match, view.match if view is not None else "")):
            self._tell_result(begun, self._door.ended(begun.match))  # it ended, and the box was killed before this
            self._looked_back = looked

    def _tell_calls(self, view: MatchView, order: str) -> None:
        """Reports new and ended calls. They are kept on the disk, for calls that end while the box is down."""
        stand = {f"{order}:{view.match}:call:{call.entry}": call for call in view.calls} if order else {}
        known = self._outbox.calls
        for said in stand.keys() - self._calls:
            known[said] = order
            self._outbox.calls = known  # kept first, so that a reported call can always be taken back
            words = stand[said].words or stand[said].about or Says("called at the table")
            self.end.tells(HubMessage(said, order, words=str(words)))
            self._calls.add(said)
        for said in known.keys() - stand.keys():
            self.end.tells(HubMessage(f"{said}:done", known.pop(said), done=said))
            self._outbox.calls = known

    def _tell_result(self, begun: Begun, ended: Ended | None) -> None:
        entrants = len(begun.orders.seats)
        if ended is None or not entrants or len(ended.seats) % entrants:
            return
        seats = [ended.seats[at::entrants] for at in range(entrants)]
        result = result_of(ended.outcome, seats, ended.tally)
        told = HubMessage(_result_id(begun, ended.judged), begun.orders.id, result)
        if told.id != self._outbox.last:
            self.end.tells(told)
            self._outbox.last = told.id


def _result_id(begun: Begun, judged: int) -> str:
    return f"{begun.orders.id}:{begun.match}:{judged}"


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
