"""Which pins the bench is wired to: one TOML file, refused in one sentence where it cannot be used."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from companion.game.errors import PinsError
from companion.game.says import Says
from companion.game.text_file import text_of_file, why_unread

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
    """The lamp's pins by their names: red, green and blue of one lamp, or sees, asks and blind of three."""

    pins: Mapping[str, int]
    active_high: bool = True

    @property
    def is_rgb(self) -> bool:
        """One lamp of three colours; otherwise three lamps."""
        return set(self.pins) == set(RGB)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pins:
    """The bench's wiring by BCM numbers. `buttons` maps names of `BUTTONS` to pins; what is not wired is left out."""

    buttons: Mapping[str, int] = field(default_factory=dict)
    undo_hold_s: float = UNDO_HOLD_S
    lamp: LampPins | None = None
    buzzer: int | None = None


def default_pins() -> Pins:
    """The wiring that the house's own file describes."""
    return load_pins(Path(__file__).parent / "pins.toml")


def load_pins(path: Path | str) -> Pins:
    """The wiring in a TOML file. Raises: PinsError, in one sentence that names the file and the key."""
    path = Path(path)
    try:
        text = text_of_file(path)
    except (OSError, UnicodeDecodeError) as error:
        raise PinsError(f"{path}: cannot be read ({why_unread(error)}), expected a file of pins in TOML") from error
    return pins_of_text(text, name=path.name)


def pins_of_text(text: str, name: str = "pins.toml") -> Pins:
    """The wiring in a TOML text; `name` is what errors call it. Raises: PinsError.

    >>> pins_of_text("[buttons]\\nundo = 99")
    Traceback (most recent call last):
    companion.game.errors.PinsError: pins.toml: buttons.undo is 99, expected a BCM number from 0 to 27
    """
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise PinsError(f"{name}: is not TOML ({error}), expected a file of pins: mend that line") from error
    _no_strangers(data, ("buttons", "lamp", "buzzer"), name, "")
    buttons = _table(data, "buttons", name, (*BUTTONS, "undo_hold_s"))
    lamp = _table(data, "lamp", name, (*RGB, *THREE, "active_high"))
    buzzer = _table(data, "buzzer", name, ("pin",))
    pins = Pins(
        buttons={key: _pin(buttons[key], f"buttons.{key}", name) for key in BUTTONS if key in buttons},
        undo_hold_s=_hold_s(buttons.get("undo_hold_s", UNDO_HOLD_S), name),
        lamp=_lamp(lamp, name) if lamp else None,
        buzzer=_pin(buzzer.get("pin"), "buzzer.pin", name) if buzzer else None,
    )
    _each_once(pins, name)
    return pins


def _lamp(lamp: Mapping[str, Any], name: str) -> LampPins:
    named = [key for key in (*RGB, *THREE) if key in lamp]
    if set(named) not in (set(RGB), set(THREE)):
        raise PinsError(
            f"{name}: lamp names {', '.join(named) or 'no pins'}, expected red, green and blue, or sees, asks and blind"
        )
    active_high = lamp.get("active_high", True)
    if not isinstance(active_high, bool):
        raise PinsError(f"{name}: lamp.active_high is {active_high!r}, expected true or false")
    return LampPins(pins={key: _pin(lamp[key], f"lamp.{key}", name) for key in named}, active_high=active_high)


def _each_once(pins: Pins, name: str) -> None:
    wired = [(f"buttons.{key}", pin) for key, pin in pins.buttons.items()]
    wired += [(f"lamp.{key}", pin) for key, pin in (pins.lamp.pins if pins.lamp else {}).items()]
    wired += [("buzzer.pin", pins.buzzer)] if pins.buzzer is not None else []
    taken: dict[int, str] = {}
    for key, pin in wired:
        if pin in taken:
            raise PinsError(f"{name}: {taken[pin]} and {key} are both {pin}, expected a pin of its own for each")
        taken[pin] = key


def _pin(value: Any, at: str, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value not in PINS:
        raise PinsError(f"{name}: {at} is {value!r}, expected a BCM number from {PINS[0]} to {PINS[-1]}")
    return value


def _hold_s(value: Any, name: str) -> float:
    low, high = HOLD_RANGE_S
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise PinsError(f"{name}: buttons.undo_hold_s is {value!r}, expected {low:g} to {high:g} seconds")
    return float(value)


def _table(data: Mapping[str, Any], key: str, name: str, known: tuple[str, ...]) -> Mapping[str, Any]:
    value = data.get(key, {})
    if not isinstance(value, dict):
        raise PinsError(f"{name}: {key} is {value!r}, expected a table [{key}]")
    _no_strangers(value, known, name, f"{key}.")
    return value


def _no_strangers(data: Mapping[str, Any], known: tuple[str, ...], name: str, at: str) -> None:
    for key in data:
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"expected one of {', '.join(known)}"
            raise PinsError(f"{name}: {at}{key} is not a key of a file of pins: {hint}")
