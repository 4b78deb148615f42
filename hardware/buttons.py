"""The bench's buttons: end the throw, undo by holding, call the referee. One thread reports presses."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

from companion.game.says import Says
from hardware.debounce import Debounce, Gesture
from hardware.gpio import open_factory, told
from hardware.pins import NAMED, Pins

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
        """Lets go of the pins."""
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
            # not gpiozero's Button: its debouncing loses short presses, and a thread of its own waits out each hold
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
            except Exception:  # the thread's edge: a button must work again after its listener has failed
                _LOGGER.exception("a button's press could not be told")
            due = [button.due_s for button in self._gestures.values()]
            next_s = min((s for s in due if s is not None), default=None)
            with self._changed:
                if not self._edges and not self._untold and not self._is_closing:
                    self._changed.wait(None if next_s is None else max(next_s - self._clock(), 0.0))
