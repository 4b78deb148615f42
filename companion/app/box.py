"""The box at the table: buttons put inputs on the match's queue, lamp and buzzer follow the phones' view."""

import contextlib
import logging
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click

from companion.game.errors import PinsError
from companion.game.names import BUTTON
from companion.game.says import Says
from companion.game.view import MatchView, Sight
from companion.match.inputs import CallReferee, EndThrow, Receipt
from companion.match.match import Match
from hardware.buttons import Buttons, Gesture
from hardware.pins import NAMED, Buzzer, Lamp, Pins, Shows, Sound, load_pins

VIEW_TIMEOUT_S = 1.0
T = TypeVar("T")

_LOGGER = logging.getLogger(__name__)


@contextlib.contextmanager
def box(
    match: Match[Any, Any],
    pins: Path | None,
    *,
    heard: Callable[[str], None] = lambda name: None,
    trouble: Callable[[str, str], None] = lambda name, what: None,
) -> "Iterator[Box | None]":
    """The box, for as long as the block lasts; None, and a sentence, on a machine without pins. `heard` gets each
    button pressed, `trouble` each that is stuck or chatters. Raises: PinsError for a named file."""
    try:
        wired = Box(match, load_pins(pins), heard=heard, trouble=trouble)
    except PinsError as error:
        if pins is not None:
            raise
        click.echo(f"companion: no buttons and no lamp: {error}", err=True)
        yield None
        return
    with contextlib.closing(wired):
        yield wired


class Box:
    """Buttons, lamp and buzzer of one match. Raises: PinsError."""

    def __init__(
        self,
        match: Match[Any, Any],
        pins: Pins,
        *,
        factory: Any = None,
        heard: Callable[[str], None] = lambda name: None,
        trouble: Callable[[str, str], None] = lambda name, what: None,
    ) -> None:
        self._match, self._heard, self._trouble = match, heard, trouble
        with contextlib.ExitStack() as opened:
            self.buttons = Buttons(pins, self._pressed, self._stuck, self._bounces, factory=factory)
            opened.callback(self.buttons.close)
            self.lamp = None if pins.lamp is None else _if_it_can(partial(Lamp, pins.lamp, factory=factory))
            if self.lamp is not None:
                opened.callback(self.lamp.close)
            self.buzzer = None if pins.buzzer is None else _if_it_can(partial(Buzzer, pins.buzzer, factory=factory))
            if self.buzzer is not None:
                opened.callback(self.buzzer.close)
            self._opened = opened.pop_all()
        self._views = match.subscribe()
        self._shown: Shows | None = None
        self._thread = threading.Thread(target=self._follow, name="box", daemon=True)
        self._thread.start()
        self.buttons.start()

    def close(self) -> None:
        # a press may still be under way and would start the buzzer after it was closed, so the buttons close first
        self.buttons.close()
        self._views.close()
        self._thread.join(2 * VIEW_TIMEOUT_S)
        if self.lamp is not None:
            self.lamp.show(Shows.OFF)
        self._opened.close()

    def _pressed(self, name: str) -> None:
        self._heard(name)
        receipt = press(self._match, name)
        if receipt.refused is not None:
            _LOGGER.info("%s: %s", name, receipt.refused)
        if self.buzzer is not None:
            self.buzzer.sound(Sound.TAKEN if receipt.refused is None else Sound.NOT_NOW)

    def _stuck(self, name: str) -> None:
        """A stuck button no longer acts: every phone shows a call for help."""
        self._trouble(name, Gesture.STUCK)
        words = "the button {name} stays pressed: free it, or take off whatever is on it"
        self._match.submit(CallReferee(by=BUTTON, sentence=Says(words, {"name": NAMED[name]})))

    def _bounces(self, name: str) -> None:
        self._trouble(name, Gesture.BOUNCED)

    def _follow(self) -> None:
        while not self._views.is_closed:
            try:
                news = self._views.next(VIEW_TIMEOUT_S)
                if isinstance(news, MatchView):
                    self.show(lamp_of(news))
            except Exception:  # the thread's catch-all: a lamp that fails must not end the following
                _LOGGER.exception("the lamp could not be set")

    def show(self, what: Shows) -> None:
        """Sets the lamp; the buzzer sounds when a question or a blindness begins."""
        was, self._shown = self._shown, what
        if what is was:
            return
        if self.lamp is not None:
            self.lamp.show(what)
        sounds = {Shows.ASKS: Sound.ASKS, Shows.BLIND: Sound.BLIND}
        if self.buzzer is not None and was is not None and what in sounds:
            self.buzzer.sound(sounds[what])


def _if_it_can(make: Callable[[], T]) -> T | None:
    """The lamp or buzzer, or None with a message if it cannot be used: the buttons work all the same."""
    try:
        return make()
    except PinsError as error:
        click.echo(f"companion: {error}; the buttons work without it", err=True)
        return None


def press(on: Match[Any, Any], name: str) -> Receipt:
    """Presses a button of the box, also for the virtual table."""
    match name:
        case "end_throw":
            return on.submit(EndThrow(by=BUTTON))
        case "undo":
            return on.undo_newest(BUTTON)
        case "call_referee":
            return on.submit(CallReferee(by=BUTTON))
        case _:
            return Receipt(None, Says("unknown button {name}", {"name": name}))


def lamp_of(view: MatchView) -> Shows:
    """The lamp's signal for a view. Blindness has priority over a question."""
    if view.sight.state in (Sight.BLIND, Sight.MOVED):
        return Shows.BLIND
    return Shows.ASKS if view.question is not None or view.calls else Shows.SEES
