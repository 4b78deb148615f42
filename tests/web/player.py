"""A person with a phone: taps, types, sees, hears. Waits as a person does and never sleeps."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Browser, Locator, Page, expect

PHONE = {"viewport": {"width": 412, "height": 839}, "has_touch": True, "locale": "en-GB"}


class Player:
    """One phone at the table, a browser context of its own; who has no seat opens a page."""

    def __init__(
        self, browser: Browser, url: str, seat: str | None, name: str, *, opens: str = "?watch", **context: Any
    ) -> None:
        self.url, self.seat = url, seat
        self.context = browser.new_context(**{**PHONE, **context})
        self.page: Page = self.context.new_page()
        self.errors: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        if seat is None:
            self.goes(opens)
        else:
            self._sits_down(seat, name)
            self.goes(f"?seat={seat}")
            expect(self.page.get_by_role("navigation")).to_be_visible()

    def _sits_down(self, seat: str, name: str) -> None:
        """Takes the seat as its button does, without the page that has the button: a browser takes long to show it."""
        self.context.request.get(self.url + "state")
        tap = {"do": "take_seat", "seat": seat, "name": name, "holder": None, "number": ""}
        answer = self.context.request.post(self.url + "do", data=tap, headers={"Origin": self.url.rstrip("/")})
        assert answer.ok, answer.text()

    def goes(self, path: str) -> None:
        """Opens a page of the table."""
        self.page.goto(self.url + path)
        expect(self.page.locator("body")).to_have_attribute("data-link", re.compile("live|polling"))

    def taps(self, words: str) -> None:
        """Taps the button, link row or summary with these words."""
        self.button(words).click()

    def does(self, words: str) -> None:
        """Taps what tells the table something, and waits until it has answered."""
        with self.page.expect_response("**/do"):
            self.taps(words)

    def types(self, label: str, words: str) -> None:
        """Fills in a field."""
        self.page.get_by_label(label, exact=True).fill(words)

    def sees(self, words: str) -> bool:
        """Waits until these words are to be seen; fails when they do not come."""
        expect(self.shown(words).first).to_be_visible()
        return True

    def no_longer_sees(self, words: str) -> bool:
        """Waits until these words are gone."""
        expect(self.shown(words)).to_have_count(0)
        return True

    def has_heard(self, seq: int) -> bool:
        """Waits until this entry is on the page: whoever taps before that acts on what was."""
        expect(self.page.locator("body")).to_have_attribute("data-seq", str(seq))
        return True

    def has_left_the_sheet(self) -> bool:
        """Waits until the sheet that was answered has sunk: it does so a moment after the table's answer."""
        expect(self.page.locator("dialog[open]")).to_have_count(0)
        return True

    def hears(self, words: str) -> bool:
        """Waits until a screen reader is told these words."""
        expect(self.page.locator("#said, #alarmed").filter(has_text=words)).to_have_count(1)
        return True

    def can_tap(self, words: str) -> bool:
        """Whether the button with these words is there and works."""
        button = self.button(words)
        return button.count() > 0 and button.is_enabled()

    def shown(self, words: str) -> Locator:
        """Where these words are to be seen; what only a screen reader is told does not count."""
        return self.page.locator("body > :not(.unseen)").get_by_text(words).filter(visible=True)

    def button(self, words: str) -> Locator:
        """The button or link with these words, in the open sheet if there is one."""
        sheet = self.page.locator("dialog[open]").last
        place: Page | Locator = sheet if sheet.count() else self.page
        named = place.get_by_role("button", name=words).or_(place.get_by_role("link", name=words))
        named = named.or_(place.locator("summary").filter(has_text=words))
        return named.first

    def leaves(self) -> None:
        """Puts the phone away; a page that stumbled over itself is a failure."""
        self.context.close()
        assert self.errors == []
