"""Which pins the bench uses: one TOML file, refused with one sentence if it is unusable.

Buttons, buzzer and lamp use them. gpiozero is loaded when pins are opened; without pins an error says so.
"""

import os
import sys
import tempfile
import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from companion.game.errors import PinsError, first_line
from companion.game.says import Says
from companion.game.toml_table import FileKind, TomlTable, table_of_text, text_of

PINS_FILE = FileKind(called="a file of pins", error=PinsError)
BUTTONS = ("end_throw", "undo", "call_referee")
NAMED = {"end_throw": Says("end throw"), "undo": Says("undo"), "call_referee": Says("call referee")}
"""Their names for people."""
UNDO_HOLD_S = 1.5
HOLD_RANGE_S = (0.3, 10.0)
PINS = range(28)
"""BCM numbers of the Pi's 40-pin header."""
RGB = ("red", "green", "blue")
THREE = ("sees", "asks", "blind")


@dataclass(frozen=True, slots=True, kw_only=True)
class LampPins:
    """The lamp's pins by name: red, green and blue of one lamp, or sees, asks and blind of three lamps."""

    pins: Mapping[str, int]
    active_high: bool = True

    @property
    def is_rgb(self) -> bool:
        """Whether it is one lamp of three colours; otherwise three lamps."""
        return set(self.pins) == set(RGB)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pins:
    """The bench's wiring by BCM numbers. `buttons` maps names of `BUTTONS` to pins; parts without wires are left
    out."""

    buttons: Mapping[str, int] = field(default_factory=dict)
    undo_hold_s: float = UNDO_HOLD_S
    lamp: LampPins | None = None
    buzzer: int | None = None


def load_pins(path: Path | str | None = None) -> Pins:
    """The wiring in a TOML file; None: the project's own. Raises: PinsError that names the file and the key."""
    path = Path(path or Path(__file__).parent / "pins.toml")
    return pins_of_text(text_of(path, PINS_FILE), name=path.name)


def pins_of_text(text: str, name: str = "pins.toml") -> Pins:
    """The wiring in a TOML text; `name` is what errors call it. Raises: PinsError.

    >>> pins_of_text("[buttons]\\nundo = 99")
    Traceback (most recent call last):
    companion.game.errors.PinsError: pins.toml: buttons.undo is 99, expected a BCM number from 0 to 27
    """
    data = table_of_text(text, name, PINS_FILE)
    data.only(("buttons", "lamp", "buzzer"))
    buttons, lamp, buzzer = (data.table_or_none(key) for key in ("buttons", "lamp", "buzzer"))
    buttons.only((*BUTTONS, "undo_hold_s"))
    lamp.only((*RGB, *THREE, "active_high"))
    buzzer.only(("pin",))
    pins = Pins(
        buttons={key: _pin(buttons, key) for key in BUTTONS if key in buttons},
        undo_hold_s=_hold_s(buttons),
        lamp=_lamp(lamp) if lamp.values else None,
        buzzer=_pin(buzzer, "pin") if buzzer.values else None,
    )
    _each_once(pins, name)
    return pins


def _lamp(lamp: TomlTable) -> LampPins:
    named = [key for key in (*RGB, *THREE) if key in lamp]
    if set(named) not in (set(RGB), set(THREE)):
        expected = "red, green and blue, or sees, asks and blind"
        raise lamp.error(f"lamp names {', '.join(named) or 'no pins'}, expected {expected}")
    active_high = lamp.values.get("active_high", True)
    if not isinstance(active_high, bool):
        lamp.refuse("active_high", "true or false")
    return LampPins(pins={key: _pin(lamp, key) for key in named}, active_high=active_high)


def _each_once(pins: Pins, name: str) -> None:
    wired = [(f"buttons.{key}", pin) for key, pin in pins.buttons.items()]
    wired += [(f"lamp.{key}", pin) for key, pin in (pins.lamp.pins if pins.lamp else {}).items()]
    wired += [("buzzer.pin", pins.buzzer)] if pins.buzzer is not None else []
    taken: dict[int, str] = {}
    for key, pin in wired:
        if pin in taken:
            raise PinsError(f"{name}: {taken[pin]} and {key} are both {pin}, expected a pin of its own for each")
        taken[pin] = key


def _pin(data: TomlTable, key: str) -> int:
    return data.whole(key, PINS[0], PINS[-1], "a BCM number")


def _hold_s(buttons: TomlTable) -> float:
    low, high = HOLD_RANGE_S
    value = buttons.values.get("undo_hold_s", UNDO_HOLD_S)
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        buttons.refuse("undo_hold_s", f"{low:g} to {high:g} seconds")
    return float(value)


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
        raise PinsError(Says(words, {"what": what, "error": first_line(error)})) from error
    except Exception as error:
        if not _is_of_pins(error):
            raise
        words = (
            "{what} ({error}): close other programs that use the pins, run on a Raspberry Pi with python3-lgpio, or end"
            " throws from a phone"
        )
        raise PinsError(Says(words, {"what": what, "error": first_line(error)})) from error


def _is_of_pins(error: Exception) -> bool:
    from gpiozero import GPIOZeroError

    lgpio = sys.modules.get("lgpio")  # its `error` is not derived from anything of gpiozero's
    return isinstance(error, GPIOZeroError | OSError) or (lgpio is not None and isinstance(error, lgpio.error))


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
        """Begins the signal and returns at once; a signal that still sounds is cut off. Safe from any thread."""
        on_s, off_s, times = BEEPS[what]
        with self._sounding:  # gpiozero begins and ends the thread of a beep without its own lock
            self._device.on()
            self._device.beep(on_s, off_s, n=times, background=True)

    def close(self) -> None:
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
    """A lamp of three colours, or three lamps. Raises: PinsError: no GPIO, or another program holds a pin."""

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
        """Shows this signal from now on; no effect if it is already shown."""
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
        for device in (*self._three.values(), *([] if self._rgb is None else [self._rgb])):
            device.close()
