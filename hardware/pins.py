"""Which pins the bench is wired to: one TOML file, refused in one sentence where it cannot be used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from companion.game.errors import PinsError
from companion.game.says import Says
from companion.game.toml_table import Kind, TomlTable, table_of_text, text_of

PINS_FILE = Kind(called="a file of pins", error=PinsError)
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
