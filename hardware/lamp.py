"""The table's lamp: it sees, it asks, or it is blind. The states differ in blinking as well as in colour."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from companion.game.says import Says
from hardware.gpio import open_factory, told
from hardware.pins import RGB, LampPins


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

    def __init__(self, pins: LampPins, *, factory: Any = None, runtime: Path | None = None) -> None:
        from gpiozero import LED, RGBLED

        factory = factory or open_factory(runtime)
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
