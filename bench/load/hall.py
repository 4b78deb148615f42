"""Processor time of a hub for a large hall, on one core: `python -m bench.load hall --tables 1000`.

The hub's own code pairs, orders, reports and shows each round, without waiting. Processor time depends little on other
programs. docs/tournament.md derives the number of processes for a hall from it.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from companion.event.facts import Entered, EventBegan, won
from companion.event.formats import next_round
from companion.event.hub.desk import HUB, Desk
from companion.event.hub.facts import Assigned, Enrolled, GameChosen
from companion.event.hub.link import HubLink, HubMessage, Orders
from companion.event.hub.store import HOUSE, Store
from companion.event.hub.views import BookViews, Views
from companion.event.settings import Settings
from web.words import encoded

RESULTS = 100
"""Results of each round that are measured one by one."""


class Tables:
    """A road whose tables remember their newest orders."""

    def __init__(self) -> None:
        self.orders: dict[str, Orders] = {}

    def open(self) -> None:
        pass

    def publish(self, topic: str, payload: bytes, *, is_retained: bool = False) -> bool:
        if topic.endswith("/orders"):
            self.orders[topic.split("/")[2]] = msgspec.json.decode(payload, type=Orders)
        return True

    def close(self) -> None:
        pass


def took_ms(does: Callable[[], Any]) -> float:
    """Processor time of this thread."""
    began_s = time.thread_time()
    does()
    return 1000 * (time.thread_time() - began_s)


def pages_ms(shown: BookViews) -> tuple[float, float]:
    """Time to check whether a page changed, and to make it again; means over all entrants."""
    entrants = list(shown.event.entrants)
    looks = took_ms(lambda: [shown.mark(who) for who in entrants])
    makes = took_ms(lambda: [shown.told(who, "en", encoded) for who in entrants])
    return looks / len(entrants), makes / len(entrants)


def main(argv: Sequence[str]) -> None:
    """Prints one JSON line a round."""
    options = argparse.ArgumentParser(prog="python -m bench.load hall", description=__doc__)
    options.add_argument("--tables", type=int, default=1000)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--database", help="postgresql://...; default: an SQLite file")
    given = options.parse_args(argv)
    store = Store(given.database or str(Path(tempfile.mkdtemp(prefix="hub-large-")) / "hub.db"))
    desk = Desk(store, time.time, time.monotonic)
    boxes = [f"t{n}" for n in range(1, given.tables + 1)]
    desk.say(HOUSE, tuple(map(Enrolled, boxes)), HUB)
    entered = [Entered(f"p{n}", f"Player {n}", rating=3000 - n) for n in range(2 * given.tables)]
    desk.begin(
        "hall", (EventBegan("Hall", Settings(rounds=9, seed="7")), GameChosen("eyes_of_the_emperor"), *entered), HUB
    )
    link, road, views = HubLink(desk, time.monotonic), Tables(), Views()
    link._road = road  # without its thread: every step is counted here
    link._following = {HOUSE, "hall"}
    for round_ in range(1, given.rounds + 1):
        paired: list[Any] = []
        cost = {"pairing_ms": took_ms(lambda: paired.append(next_round(desk.book("hall").tournament)))}  # noqa: B023
        facts = (paired[0], *(Assigned(round_, n, box) for n, box in enumerate(boxes, 1)))
        cost["saying_it_ms"] = took_ms(lambda facts=facts: desk.say("hall", facts, HUB))  # type: ignore[misc]
        cost["orders_to_all_tables_ms"] = took_ms(link.tell)
        shown = views.of(desk.book("hall"))
        cost["places_of_all_ms"] = took_ms(lambda shown=shown: shown.standings)  # type: ignore[misc]
        cost["look_of_a_page_ms"], cost["page_made_anew_ms"] = pages_ms(shown)

        def enters(n: int) -> None:
            order = road.orders[f"t{n}"].id
            told = msgspec.json.encode(HubMessage(f"{order}:m", order, won(n % 2)))
            link.heard(f"companion/up/t{n}/say", told)

        reports = range(1, min(RESULTS, given.tables) + 1)
        cost["result_ms"] = took_ms(lambda: [enters(n) for n in reports]) / len(reports)  # noqa: B023
        cost["orders_after_a_result_ms"] = took_ms(link.tell)
        after: list[BookViews] = []
        cost["tables_after_a_result_ms"] = took_ms(lambda: after.append(views.of(desk.book("hall"))) or after[0].lines)  # noqa: B023
        for n in range(len(reports) + 1, given.tables + 1):
            enters(n)
        print(json.dumps({"tables": given.tables, "round": round_, "entries": desk.book("hall").seq,
                          **{what: round(ms, 3) for what, ms in cost.items()}}), flush=True)  # fmt: skip
    link._road = None
    desk.close()
    store.close()
