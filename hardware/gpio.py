"""The Pi's pins by gpiozero, opened late and quietly; on a machine without pins, one sentence. Buzzer and lamp."""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from companion.game.errors import PinsError
from companion.game.says import Says
from hardware.pins import RGB, LampPins


def open_factory(runtime: Path | None = None) -> Any:
    """gpiozero's pin factory for this machine. Raises: PinsError.

    Args:
        runtime: a folder for what lgpio drops at its import (a FIFO, else left in the current folder); None: the
            user's own runtime folder.
    """
    os.environ.setdefault("LG_WD", str(runtime or os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()))
    with told(Says("the pins cannot be opened")), warnings.catch_warnings():
        # on a laptop gpiozero warns of each of four libraries that is not there, and then raises
        warnings.simplefilter("ignore")
        from gpiozero import Device

        Device.ensure_pin_factory()
        return Device.pin_factory


@contextmanager
def told(what: Says) -> Iterator[None]:
    """Turns errors of gpiozero and of the libraries below it into a PinsError that begins with `what`."""
    try:
        yield
    except ImportError as error:  # gpiozero's BadPinFactory is one as well
        words = (
            "{what}: this machine has no GPIO that gpiozero can use ({error}): run on a Raspberry Pi with python3-lgpio"
            ", or end throws from a phone"
        )
        raise PinsError(Says(words, {"what": what, "error": _words(error)})) from error
    except Exception as error:
        if not _is_of_pins(error):
            raise
        words = (
            "{what} ({error}): close other programs that use the pins, run on a Raspberry Pi with python3-lgpio, or end"
            " throws from a phone"
        )
        raise PinsError(Says(words, {"what": what, "error": _words(error)})) from error


def _is_of_pins(error: Exception) -> bool:
    from gpiozero import GPIOZeroError

    lgpio = sys.modules.get("lgpio")  # its `error` is not derived from anything of gpiozero's
    return isinstance(error, GPIOZeroError | OSError) or (lgpio is not None and isinstance(error, lgpio.error))


def _words(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


# The buzzer: short for *taken*, twice for *a question*, three times for *not now*, long for *blind*.
# An active one, that sounds when it is on.


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

    def __init__(self, pin: int, *, factory: Any = None) -> None:
        from gpiozero import Buzzer as Device

        self._sounding = threading.Lock()
        factory = factory or open_factory()
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


class Shows(StrEnum):
    """The lamp's signals."""

    OFF = "off"
    SEES = "sees"
    ASKS = "asks"
    BLIND = "blind"


@dataclass(frozen=True, slots=True)
class Pattern:
    """A colour (red, green, blue, 0 to 1) and how it blinks: seconds on and off; None: steady."""

    color: tuple[float, float, float]
    blink_s: tuple[float, float] | None = None


PATTERNS = {
    Shows.OFF: Pattern((0.0, 0.0, 0.0)),
    Shows.SEES: Pattern((0.0, 1.0, 0.0)),
    Shows.ASKS: Pattern((1.0, 0.6, 0.0), (0.9, 0.3)),
    Shows.BLIND: Pattern((1.0, 0.0, 0.0), (0.2, 0.2)),
}
"""Steady, slow and fast: readable without colours."""


class Lamp:
    """A lamp of three colours, or three lamps. Raises: PinsError: no GPIO, or a pin that another program holds."""

    def __init__(self, pins: LampPins, *, factory: Any = None) -> None:
        from gpiozero import LED, RGBLED

        factory = factory or open_factory()
        self._showing: Shows | None = None
        self._rgb: Any = None
        self._three: dict[str, Any] = {}
        where = ", ".join(f"{name} {pin}" for name, pin in pins.pins.items())
        try:
            with told(Says("the lamp on pins {pins} cannot be used", {"pins": where})):
                if pins.is_rgb:
                    colors = [pins.pins[color] for color in RGB]
                    self._rgb = RGBLED(*colors, active_high=pins.active_high, pin_factory=factory)
                else:
                    for name, pin in pins.pins.items():
                        self._three[name] = LED(pin, active_high=pins.active_high, pin_factory=factory)
        except BaseException:
            self.close()
            raise

    def show(self, what: Shows) -> None:
        """Shows it from now on; the same again does nothing."""
        if what is self._showing:
            return
        self._showing = what
        pattern = PATTERNS[what]
        if self._rgb is not None:
            self._rgb.color = pattern.color
            if pattern.blink_s is not None:
                self._rgb.blink(*pattern.blink_s, on_color=pattern.color, background=True)
            return
        for name, led in self._three.items():
            led.off()
            if name == what.value:
                led.on()
                if pattern.blink_s is not None:
                    led.blink(*pattern.blink_s, background=True)

    def close(self) -> None:
        """Dark, and the pins let go."""
        for device in (*self._three.values(), *([] if self._rgb is None else [self._rgb])):
            device.close()
