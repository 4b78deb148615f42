"""The bench's buttons: end the throw, undo by holding, call the referee. One thread reports presses."""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Any

from companion.game.says import Says
from hardware.pins import NAMED, Pins, open_factory, told

SETTLE_S = 0.015
"""A contact counts as closed or open once it has been so for this long; contacts bounce for up to 10 ms."""
MOST_EDGES = 16
"""Number of bounces of a contact that is worn out or loose: good ones bounce five times."""
STUCK_S = 20.0
"""A button pressed for longer than this is stuck."""


class Gesture(StrEnum):
    """One physical press of a button."""

    PRESSED = "pressed"
    HELD = "held"
    RELEASED = "released"
    STUCK = "stuck"
    BOUNCED = "bounced"


class Debounce:
    """Gestures of one button. Call `edge` with each raw change of the contact, and `advance` at `due_s` or later.

    A button that is down from the start gives nothing until it was released: nobody pressed that button.

    >>> button = Debounce(hold_s=1.5)
    >>> button.edge(True, 10.000), button.edge(False, 10.002), button.edge(True, 10.004)
    ((), (), ())
    >>> button.advance(10.02), button.advance(11.52)
    ((<Gesture.PRESSED: 'pressed'>,), (<Gesture.HELD: 'held'>,))
    """

    def __init__(self, hold_s: float | None = None, *, is_down: bool = False, at_s: float = 0.0) -> None:
        self._hold_s = hold_s
        self._is_down = is_down
        self._contact, self._contact_s = is_down, at_s
        self._edges = 0
        self._is_armed = not is_down
        self._waiting: list[tuple[float, Gesture]] = [(at_s + STUCK_S, Gesture.STUCK)] if is_down else []

    @property
    def due_s(self) -> float | None:
        """When `advance` should be called next; None: not before the next edge."""
        settles = [] if self._contact is self._is_down else [self._contact_s + SETTLE_S]
        return min([*settles, *(at_s for at_s, _ in self._waiting)], default=None)

    def edge(self, is_down: bool, at_s: float) -> tuple[Gesture, ...]:
        """Takes a contact that closed or opened, at a monotonic time in seconds; returns the gestures that were due
        before."""
        gestures = self.advance(at_s)
        if is_down is not self._contact:
            self._edges = self._edges + 1 if at_s - self._contact_s < SETTLE_S else 1
            self._contact, self._contact_s = is_down, at_s
        return gestures

    def advance(self, at_s: float) -> tuple[Gesture, ...]:
        """Returns the gestures that have become certain by a monotonic time in seconds."""
        gestures: list[Gesture] = []
        while (due_s := self.due_s) is not None and due_s <= at_s:
            if self._contact is not self._is_down and due_s == self._contact_s + SETTLE_S:
                gestures += self._settled()
            else:
                gestures += self._grown_due(due_s)
        return tuple(gestures)

    def _settled(self) -> list[Gesture]:
        self._is_down = self._contact
        bounced = [Gesture.BOUNCED] if self._edges >= MOST_EDGES else []
        if not self._is_down:
            was_armed, self._is_armed = self._is_armed, True
            self._waiting = []
            return [Gesture.RELEASED, *bounced] if was_armed else bounced
        self._waiting = [(self._contact_s + STUCK_S, Gesture.STUCK)]
        if self._hold_s is not None:
            self._waiting.append((self._contact_s + self._hold_s, Gesture.HELD))
        return [Gesture.PRESSED, *bounced]

    def _grown_due(self, due_s: float) -> list[Gesture]:
        now = [gesture for at_s, gesture in self._waiting if at_s <= due_s]
        self._waiting = [(at_s, gesture) for at_s, gesture in self._waiting if at_s > due_s]
        return now


Clock = Callable[[], float]

_LOGGER = logging.getLogger(__name__)


class Buttons:
    """Buttons on pins, each to ground.

    Args:
        on_press: gets the name of a button (`hardware.pins.BUTTONS`) when it was pressed; undo when it was held.
        on_stuck: gets the name of a button that has been down for too long.
        on_bounce: gets the name of a button with a chattering contact.
        factory: a gpiozero pin factory; None: this machine's.
    Raises: PinsError: no GPIO, or a pin that another program holds.
    """

    def __init__(
        self,
        pins: Pins,
        on_press: Callable[[str], None],
        on_stuck: Callable[[str], None] = lambda name: None,
        on_bounce: Callable[[str], None] = lambda name: None,
        *,
        clock: Clock = time.monotonic,
        factory: Any = None,
        runtime: Path | None = None,
    ) -> None:
        self._on_press, self._on_stuck, self._on_bounce, self._clock = on_press, on_stuck, on_bounce, clock
        self._changed = threading.Condition()
        self._edges: deque[tuple[str, bool, float]] = deque()
        self._untold: deque[tuple[str, Gesture]] = deque()
        self._is_closing = False
        self._thread: threading.Thread | None = None
        self._devices: dict[str, Any] = {}
        self._gestures: dict[str, Debounce] = {}
        factory = factory or open_factory(runtime)
        try:
            for name, pin in pins.buttons.items():
                self._wire(name, pin, pins.undo_hold_s if name == "undo" else None, factory)
        except BaseException:
            self.close()
            raise

    def start(self) -> None:
        """Starts the thread that reports presses."""
        self._thread = threading.Thread(target=self._run, name="buttons", daemon=True)
        self._thread.start()

    def advance(self) -> None:
        """Reports what has become certain by now. The thread calls it at each edge and when a hold is over."""
        with self._changed:
            edges = list(self._edges)
            self._edges.clear()
        untold = self._untold
        for name, is_down, at_s in edges:
            untold.extend((name, gesture) for gesture in self._gestures[name].edge(is_down, at_s))
        now_s = self._clock()
        untold.extend((name, gesture) for name, button in self._gestures.items() for gesture in button.advance(now_s))
        while untold:
            name, gesture = untold.popleft()
            if gesture is Gesture.STUCK:
                _LOGGER.warning("the button %s is stuck", name)
                self._on_stuck(name)
            elif gesture is Gesture.BOUNCED:
                self._on_bounce(name)
            elif gesture is (Gesture.HELD if name == "undo" else Gesture.PRESSED):
                self._on_press(name)

    def close(self) -> None:
        """Releases the pins."""
        with self._changed:
            self._is_closing = True
            self._changed.notify_all()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(1.0)
        for device in self._devices.values():
            device.close()

    def _wire(self, name: str, pin: int, hold_s: float | None, factory: Any) -> None:
        from gpiozero import DigitalInputDevice

        with told(Says("the button {name} on pin {n} cannot be used", {"name": NAMED[name], "n": pin})):
            # not gpiozero's Button: its debouncing loses short presses, and its own thread waits out each hold
            device = DigitalInputDevice(pin, pull_up=True, bounce_time=None, pin_factory=factory)
        self._devices[name] = device
        self._gestures[name] = Debounce(hold_s, is_down=bool(device.is_active), at_s=self._clock())
        device.when_activated = lambda: self._edge(name, True)
        device.when_deactivated = lambda: self._edge(name, False)

    def _edge(self, name: str, is_down: bool) -> None:
        with self._changed:
            self._edges.append((name, is_down, self._clock()))
            self._changed.notify_all()

    def _run(self) -> None:
        while not self._is_closing:
            try:
                self.advance()
            except Exception:  # the thread's catch-all: a button must work again after its listener has failed
                _LOGGER.exception("a button's press could not be told")
            due = [button.due_s for button in self._gestures.values()]
            next_s = min((s for s in due if s is not None), default=None)
            with self._changed:
                if not self._edges and not self._untold and not self._is_closing:
                    self._changed.wait(None if next_s is None else max(next_s - self._clock(), 0.0))
