"""One button's gestures from the raw edges of its contact: pure, on timestamps, without a thread or a pin."""

from __future__ import annotations

from enum import StrEnum

SETTLE_S = 0.015
"""A contact counts as closed or open once it has been so for this long; contacts bounce for up to 10 ms."""
MOST_EDGES = 16
"""Number of bounces of a contact that is worn out or loose: good ones bounce five times."""
STUCK_S = 20.0
"""A button pressed for longer than this is stuck."""


class Gesture(StrEnum):
    """A press, as a finger made it."""

    PRESSED = "pressed"
    HELD = "held"
    RELEASED = "released"
    STUCK = "stuck"
    BOUNCED = "bounced"


class Debounce:
    """Gestures of one button. Call `edge` with each raw change of the contact, and `advance` at `due_s` or later.

    A button that is down from the start gives nothing until it was released once: nobody pressed it.

    >>> button = Debounce(hold_s=1.5)
    >>> button.edge(True, 10.000), button.edge(False, 10.002), button.edge(True, 10.004)
    ((), (), ())
    >>> button.advance(10.02), button.advance(11.52)
    ((<Gesture.PRESSED: 'pressed'>,), (<Gesture.HELD: 'held'>,))
    """

    def __init__(
        self,
        hold_s: float | None = None,
        *,
        is_down: bool = False,
        at_s: float = 0.0,
        settle_s: float = SETTLE_S,
        stuck_s: float = STUCK_S,
    ) -> None:
        self._hold_s, self._settle_s, self._stuck_s = hold_s, settle_s, stuck_s
        self._is_down = is_down
        self._contact, self._contact_s = is_down, at_s
        self._edges = 0
        self._is_armed = not is_down
        self._waiting: list[tuple[float, Gesture]] = [(at_s + stuck_s, Gesture.STUCK)] if is_down else []

    @property
    def due_s(self) -> float | None:
        """When `advance` should be called next; None: not before the next edge."""
        settles = [] if self._contact is self._is_down else [self._contact_s + self._settle_s]
        return min([*settles, *(at_s for at_s, _ in self._waiting)], default=None)

    def edge(self, is_down: bool, at_s: float) -> tuple[Gesture, ...]:
        """The contact closed or opened, at a monotonic time in seconds; gives what was due before."""
        gestures = self.advance(at_s)
        if is_down is not self._contact:
            self._edges = self._edges + 1 if at_s - self._contact_s < self._settle_s else 1
            self._contact, self._contact_s = is_down, at_s
        return gestures

    def advance(self, at_s: float) -> tuple[Gesture, ...]:
        """The events that have become certain by a monotonic time in seconds."""
        gestures: list[Gesture] = []
        while (due_s := self.due_s) is not None and due_s <= at_s:
            if self._contact is not self._is_down and due_s == self._contact_s + self._settle_s:
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
        self._waiting = [(self._contact_s + self._stuck_s, Gesture.STUCK)]
        if self._hold_s is not None:
            self._waiting.append((self._contact_s + self._hold_s, Gesture.HELD))
        return [Gesture.PRESSED, *bounced]

    def _grown_due(self, due_s: float) -> list[Gesture]:
        now = [gesture for at_s, gesture in self._waiting if at_s <= due_s]
        self._waiting = [(at_s, gesture) for at_s, gesture in self._waiting if at_s > due_s]
        return now
