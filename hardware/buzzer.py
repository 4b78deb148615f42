"""The buzzer: short for *taken*, twice for *a question*, three times for *not now*, long for *blind*.

An active one, that sounds when it is on.
"""

from __future__ import annotations

import threading
from enum import StrEnum
from pathlib import Path
from typing import Any

from companion.game.says import Says
from hardware.gpio import open_factory, told


class Sound(StrEnum):
    """The buzzer's signals."""

    TAKEN = "taken"
    ASKS = "asks"
    NOT_NOW = "not_now"
    BLIND = "blind"


BEEPS = {
    Sound.TAKEN: (0.06, 0.06, 1),
    Sound.ASKS: (0.12, 0.12, 2),
    Sound.NOT_NOW: (0.06, 0.06, 3),
    Sound.BLIND: (0.6, 0.2, 2),
}
"""Seconds on, seconds off, how often."""


class Buzzer:
    """A buzzer on a pin. Raises: PinsError: no GPIO, or a pin that another program holds."""

    def __init__(self, pin: int, *, factory: Any = None, runtime: Path | None = None) -> None:
        from gpiozero import Buzzer as Device

        self._sounding = threading.Lock()
        factory = factory or open_factory(runtime)
        with told(Says("the buzzer on pin {n} cannot be used", {"n": pin})):
            self._device: Any = Device(pin, pin_factory=factory)

    def sound(self, what: Sound) -> None:
        """Begins to sound and returns at once; what sounded before is broken off. Safe from any thread."""
        on_s, off_s, times = BEEPS[what]
        with self._sounding:  # gpiozero begins and ends the thread of a beep without a lock of its own
            self._device.on()
            self._device.beep(on_s, off_s, n=times, background=True)

    def close(self) -> None:
        """Silent, and the pin let go."""
        self._device.close()
