"""A hub for tests: a desk on a clock that is told the time, people who speak, and pages by test clients."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from flask.testing import FlaskClient

from companion.event.facts import Entered, EventBegan, Reported, Result, won
from companion.event.formats import next_round
from companion.event.hub.desk import HUB, Desk, HubLog, Person
from companion.event.hub.facts import GameChosen
from companion.event.hub.people import Admissions
from companion.event.hub.roles import Role
from companion.event.hub.store import HUB_ID, Store
from companion.event.settings import Settings
from web.hub.app import create_hub_app

OWN = {"Origin": "http://localhost"}
URL = "http://localhost/"


class Hall:
    """One hub with an event ``cup``."""

    def __init__(self, url: str | Path, names: Sequence[str] = (), settings: Settings | None = None) -> None:
        self.store_url = url
        self.seconds = itertools.count(1_800_000_000.0)
        self.store = Store(url)
        self.desk = Desk(self.store, lambda: next(self.seconds), lambda: 0.0)
        self.people = Admissions(self.desk)
        self.app = create_hub_app(self.desk, join_url=URL, people=self.people)
        if names:
            self.begins(names, settings or Settings(rounds=3, seed="7"))

    def begins(self, names: Sequence[str], settings: Settings) -> None:
        """The event."""
        entered = [Entered(f"p{n}", name, rating=2000 - n) for n, name in enumerate(names, 1)]
        self.desk.begin("cup", (EventBegan("Cup", settings), GameChosen("eyes_of_the_emperor"), *entered), HUB)

    @property
    def log(self) -> HubLog:
        return self.desk.log("cup")

    def person(self, role: Role, name: str = "Rita") -> Person:
        """Somebody with a device that was let in."""
        return self.people.person([self.people.let_in("cup", role, name, None)], "cup")

    def player(self, entrant: str) -> Person:
        """The phone of an entrant."""
        return self.people.person([self.people.take_name(self.log, entrant, address=f"10.0.0.{entrant[1:]}")], "cup")

    def pairs(self) -> None:
        self.desk.say("cup", next_round(self.log.tournament), HUB)

    def reports(self, *results: Result) -> None:
        """Results of the newest round's open tables; the first seat wins where none is given."""
        event = self.log.tournament
        for number, table in enumerate(event.rounds[-1].tables, 1):
            if table.result is None:
                result = results[number - 1] if number <= len(results) else won(0)
                self.desk.say("cup", Reported(len(event.rounds), number, result), HUB)

    def client(self, role: Role | None = None, event: str = "cup", entrant: str | None = None) -> FlaskClient:
        """A browser: with a device that was let in, or nobody's."""
        client = self.app.test_client()
        if role is not None:
            token = self.people.let_in(event, role, "Olga", entrant)
            client.set_cookie(f"hub_{event}", token)
        return client

    def organiser(self) -> FlaskClient:
        return self.client(Role.ORGANISER, HUB_ID)

    def close(self) -> None:
        self.desk.close()
        self.store.close()


def posts(client: FlaskClient, path: str, **given: Any) -> Any:
    """A form that is sent from the hub's own page."""
    return client.post(path, data=given, headers=OWN)


def text_of(answer: Any) -> str:
    """What a person reads on a page."""
    page = re.sub(r"(?s)<script.*?</script>", " ", answer.get_data(as_text=True))
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))
