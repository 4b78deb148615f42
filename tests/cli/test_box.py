"""What the box answers to its buttons: a sound for what was taken, another for what was not, words for a stuck one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.app import box as boxes
from companion.app.matches import opened_match
from companion.game.known import game_named
from companion.game.says import Says
from companion.game.view import Sight
from companion.match.match import Match
from hardware.pins import Pins, Sound

Told = Callable[[str], None]


class Buttons:
    """Buttons that a test presses."""

    def __init__(self, pins: Pins, on_press: Told, on_stuck: Told, on_bounce: Told, *, factory: Any = None) -> None:
        self.press, self.stick, self.bounce = on_press, on_stuck, on_bounce

    def start(self) -> None:
        pass

    def close(self) -> None:
        pass


class Buzzer:
    """A buzzer that remembers."""

    def __init__(self, pin: int, *, factory: Any = None) -> None:
        self.sounds: list[Sound] = []

    def sound(self, what: Sound) -> None:
        self.sounds.append(what)

    def close(self) -> None:
        pass


@pytest.fixture
def match(tmp_path: Path) -> Iterator[Match[Any, Any]]:
    opened = opened_match(tmp_path, game_named("eyes_of_the_emperor"))
    yield opened
    opened.close()


@pytest.fixture
def box(match: Match[Any, Any], monkeypatch: pytest.MonkeyPatch) -> Iterator[boxes.Box]:
    monkeypatch.setattr(boxes, "Buttons", Buttons)
    monkeypatch.setattr(boxes, "Buzzer", Buzzer)
    opened = boxes.Box(match, Pins(buzzer=26))
    yield opened
    opened.close()


def test_a_refused_button_sounds_and_the_phones_say_why(box: Any, match: Match[Any, Any]) -> None:
    """An ended throw while blind, and an undo of nothing, were answered by silence everywhere."""
    match.saw(Sight.BLIND, Says("it is too dark"), "too_dark")
    box.buttons.press("end_throw")
    assert box.buzzer.sounds == [Sound.NOT_NOW]
    assert str(match.view().refused) == "no ruling: it is too dark"
    box.buttons.press("undo")
    assert box.buzzer.sounds == [Sound.NOT_NOW, Sound.NOT_NOW]


def test_a_stuck_button_calls_somebody_and_says_which_one(box: Any, match: Match[Any, Any]) -> None:
    """It was a line in the log of the box, which nobody at the table reads."""
    box.buttons.stick("end_throw")
    (call,) = match.view().calls
    assert str(call.words) == "the button end throw stays pressed: free it, or take off whatever is on it"
    assert call.by == "button"
