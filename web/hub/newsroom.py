"""The open pages of a hub. Pages hear that something is new; players' phones get the content. Newest wins.

One loop serves all pages of a hub. It looks once at each entrant with listening phones. Only changes are put into
words, once for all phones that show them. Only these phones are woken. With one check per phone, a thousand phones took
half a second to hear of one result.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from companion.event.hub.desk import Desk, HubLog
from companion.event.hub.views import HubViews, Views
from web.site.places import OF_AN_ADDRESS, OpenStreams
from web.site.post import BEAT
from web.words import encoded

RETRY_MS = 1000
HEARTBEAT_S = 8.0
GONE = b"event: gone\ndata: {}\n\n"


def my_json(shown: HubViews, entrant: str, lang: str) -> bytes:
    """An entrant's view as one JSON object without line breaks; made once for all phones that show it."""
    return shown.told(entrant, lang, encoded)


@dataclass(frozen=True, slots=True)
class Readership:
    """Recipients of the same news: the phones of an entrant in one language, or all pages that fetch their content."""

    event: str
    entrant: str | None = None
    lang: str = ""

    def told(self, shown: HubViews) -> bytes:
        if self.entrant is None:
            return b"event: news\ndata: %d\n\n" % shown.log.seq
        return b"id: %d\nevent: me\ndata: %b\n\n" % (shown.log.seq, my_json(shown, self.entrant, self.lang))

    def mark(self, shown: HubViews) -> object:
        """A value that changes when their event does, apart from the log's number."""
        return shown.log.seq if self.entrant is None else shown.mark(self.entrant)


@dataclass(slots=True)
class _Group:
    """The open pages of a reader, and the mark of the last news sent to them."""

    pages: set[PageStream] = field(default_factory=set)
    mark: object = None
    is_other: bool = False
    """Whether one of the pages got newer content since then, other than through its stream."""


class Newsroom:
    """The open pages of a hub's events, up to the server's limit. One loop of the desk sends them their news."""

    def __init__(self, desk: Desk, views: Views, cap: int, of_an_address: int = OF_AN_ADDRESS) -> None:
        self.cap = cap
        self.is_ended = False
        self._desk, self._views = desk, views
        self._groups: dict[Readership, _Group] = {}
        self._last: dict[str, HubViews] = {}
        self._streams = OpenStreams(of_an_address)
        self._lock = threading.Lock()
        self._telling = threading.Lock()
        desk.on_change(lambda log: self.tell(log.id))
        desk.on_end(self._end)

    def __len__(self) -> int:
        return self._streams.count

    def open(self, reader: Readership, device: str, address: str, on_news: Callable[..., None]) -> PageStream | None:
        """A page that listens from now on; None beyond the limit of all pages or of an address.

        `on_news` is called with the pages that may have news.
        """
        with self._lock:
            if self._streams.are_full(self.cap, address):
                return None
            self._streams.change(address, 1)
            page = PageStream(self, reader, device, address, on_news)
            self._groups.setdefault(reader, _Group()).pages.add(page)
        self._desk.follow(reader.event)
        return page

    def leave(self, page: PageStream) -> None:
        """Removes a page that no longer listens."""
        self._desk.leave(page.reader.event)
        with self._lock:
            self._streams.change(page.address, -1)
            pages = self._groups[page.reader].pages
            pages.discard(page)
            if not pages:
                del self._groups[page.reader]

    def now(self, page: PageStream) -> bytes:
        """The first event of a page that has just opened."""
        shown = self._views.of(self._desk.known(page.reader.event))
        group = self._groups[page.reader]
        if group.mark is None:
            group.mark = page.reader.mark(shown)
        return GONE if _is_out(shown.log, page) else page.reader.told(shown)

    def tell(self, event_id: str, *, is_whole: bool = False) -> None:
        """Sends an event's change to each reader concerned. A reader's pages can read it before the next reader gets
        theirs. `is_whole`: looks at every reader, whatever has changed."""
        with self._lock:
            readers = [reader for reader in self._groups if reader.event == event_id]
        if not readers:
            return
        shown, last = self._views.of(self._desk.known(event_id)), self._last.get(event_id)
        if not is_whole and (touched := shown.touched(last)) is not None:
            concerned = (one for one in readers if one.entrant is None or one.entrant in touched)
            readers = sorted(concerned, key=lambda one: one.entrant is not None)
        for reader in readers:
            if told := self._told(reader):
                _wake(told)
                time.sleep(0)
        last = self._last.get(event_id)
        if last is None or last.log.seq <= shown.log.seq:
            self._last[event_id] = shown

    def _told(self, reader: Readership) -> Collection[PageStream]:
        """Puts the present state to the pages of a reader; returns the pages with something new."""
        with self._telling:
            shown = self._views.of(self._desk.known(reader.event))
            with self._lock:
                group = self._groups.get(reader, _Group())
                pages = tuple(group.pages)
            out = [page for page in pages if _is_out(shown.log, page)]
            for page in out:
                page.put(GONE)
            mark = reader.mark(shown)
            if mark == group.mark and not group.is_other:
                return out
            group.mark, group.is_other, text = mark, False, reader.told(shown)
            for page in pages:
                if page not in out:
                    page.put(text)
            return pages

    def answered(self, reader: Readership) -> None:
        """Notes that a page got the current state in answer to a request. The next news is then sent even if the stream
        sent the same before. Otherwise a call that was made and finished between two checks would stay on that
        phone."""
        with self._telling, self._lock:
            group = self._groups.get(reader)
            if group is not None:
                group.is_other = True

    def end_all(self) -> None:
        self._desk.end_listening()

    def _end(self) -> None:
        self.is_ended = True
        with self._lock:
            pages = [page for group in self._groups.values() for page in group.pages]
        for page in pages:
            page.end()
        _wake(pages)


def _wake(pages: Collection[PageStream]) -> None:
    """Notifies each page server once, with its pages that have news."""
    for tell in {page.on_news for page in pages}:
        tell(*(page for page in pages if page.on_news == tell))


def _is_out(log: HubLog, page: PageStream) -> bool:
    device = log.hall.devices.get(page.device)
    return page.reader.entrant is not None and (device is None or device.is_revoked)


class PageStream:
    """One page's stream, as bytes. `close` is called however it ends."""

    beat = BEAT

    def __init__(
        self, room: Newsroom, reader: Readership, device: str, address: str, on_news: Callable[..., None]
    ) -> None:
        self.reader, self.device, self.address, self.on_news = reader, device, address, on_news
        self._room = room
        self._newest: deque[bytes] = deque(maxlen=1)
        self._is_first, self._is_ended, self._is_closed = True, room.is_ended, False

    def put(self, told: bytes) -> None:
        """Sets the next text to read; it replaces an older one that was not read yet."""
        self._newest.append(told)

    def end(self) -> None:
        self._is_ended = True

    def told(self) -> bytes | None:
        """The news that this page has not had yet; empty if there are none; None when the stream is over."""
        if self._is_ended:
            return None
        head = b""
        if self._is_first:
            self._is_first = False
            head, told = b"retry: %d\n\n" % RETRY_MS, self._room.now(self)
        else:
            told = self._newest.pop() if self._newest else b""
        self._is_ended |= told is GONE
        return head + told

    def close(self) -> None:
        """Closes the page or its finished stream; a second call is harmless."""
        self._is_ended = True
        if not self._is_closed:
            self._is_closed = True
            self._room.leave(self)
