"""The bench as one thing: what is wired of buttons, lamp and buzzer, and what they say of a match."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from companion.view import MatchView, Sight
from hardware.buttons import Buttons
from hardware.buzzer import Buzzer, Sound
from hardware.gpio import open_factory
from hardware.lamp import Lamp, Shows
from hardware.pins import Pins

ALOUD = {Shows.ASKS: Sound.ASKS, Shows.BLIND: Sound.BLIND}
"""What the buzzer adds when the lamp turns to it: nobody looks at a lamp all the time."""


def shows_of(view: MatchView) -> Shows:
    """What the lamp shows of a match: blind comes before a question, a question before all is well."""
    if view.sight.state in (Sight.BLIND, Sight.MOVED):
        return Shows.BLIND
    return Shows.ASKS if view.question is not None or view.calls else Shows.SEES


class Bench:
    """Buttons, lamp and buzzer, as far as they are wired. Raises: PinsError, when the pins cannot be used.

    Args: as of `hardware.buttons.Buttons`.
    """

    def __init__(
        self,
        pins: Pins,
        on_press: Callable[[str], None],
        on_stuck: Callable[[str], None] = lambda name: None,
        *,
        factory: Any = None,
        runtime: Path | None = None,
    ) -> None:
        factory = factory or open_factory(runtime)
        self._parts: list[Any] = []
        self._lamp: Lamp | None = None
        self._buzzer: Buzzer | None = None
        self._shows: Shows | None = None
        try:
            if pins.lamp is not None:
                self._lamp = Lamp(pins.lamp, factory=factory)
                self._parts.append(self._lamp)
            if pins.buzzer is not None:
                self._buzzer = Buzzer(pins.buzzer, factory=factory)
                self._parts.append(self._buzzer)
            self.buttons = Buttons(pins, on_press, on_stuck, factory=factory)
            self._parts.append(self.buttons)
        except BaseException:
            self.close()
            raise

    def start(self) -> None:
        """Begins to listen to the buttons."""
        self.buttons.start()

    def show(self, view: MatchView) -> None:
        """Lamp and buzzer follow the newest view of the match."""
        shows, was = shows_of(view), self._shows
        self._shows = shows
        if self._lamp is not None:
            self._lamp.show(shows)
        if self._buzzer is not None and shows is not was and was is not None and shows in ALOUD:
            self._buzzer.sound(ALOUD[shows])

    def taken(self) -> None:
        """A press was taken: a short sound, so that nobody presses twice."""
        if self._buzzer is not None:
            self._buzzer.sound(Sound.TAKEN)

    def close(self) -> None:
        """Dark, silent, and the pins let go."""
        for part in reversed(self._parts):
            part.close()
        self._parts = []
