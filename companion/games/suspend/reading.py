"""What the eyes say of a Suspend table: the color die, the loose rods by zone. What hangs is what is missing.

The overhead camera sees piles and what fell around the stand. The other hand, a touch of the table, and what is caught
before it lies are told by button or phone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from companion.game import Choice, Doubt, Illegal, Proposal
from companion.games.suspend.house import COLORS, DRAW, rule
from companion.games.suspend.rules import apply
from companion.games.suspend.state import Event, Fell, Hung, Phase, Pile, Rested, Rolled, SuspendState
from companion.readings import SURE
from companion.says import Says


class ColorDieSeen(Protocol):
    """The color die's upper face; None where it cannot be told."""

    @property
    def color(self) -> str | None:
        """One of the rods' colors."""

    @property
    def confidence(self) -> float:
        """0 to 1."""


class RodSeen(Protocol):
    """One loose rod; its zone is ``1`` to ``4`` (the seats' piles), ``draw``, ``stand``, or None elsewhere."""

    @property
    def color(self) -> str | None:
        """Its color."""

    @property
    def zone(self) -> str | None:
        """Where it lies."""

    @property
    def confidence(self) -> float:
        """0 to 1."""


class RodsSeen(Protocol):
    """A rods reading: hanging rods are not listed."""

    @property
    def die(self) -> ColorDieSeen | None:
        """The color die, where it lies in its place."""

    @property
    def rods(self) -> Sequence[RodSeen]:
        """The loose rods."""


_LOOK_AGAIN: Choice[Event] = Choice("look_again", Says("the rods lie free now: look again"))


def interpret(state: SuspendState, reading: RodsSeen) -> Proposal[Event] | Doubt[Event] | None:
    """What a table at rest says happened; None while nothing did."""
    if state.phase is Phase.ROLL:
        return _rolled(state, reading.die)
    if state.phase is not Phase.HANG:
        return None
    unsure = [rod for rod in reading.rods if rod.confidence < SURE or rod.color not in COLORS]
    if unsure:
        says = Says("{count} rods cannot be told by color: lay them free", {"count": len(unsure)})
        return Doubt("rods", says, (_LOOK_AGAIN,), rule("gap 3"))
    return _hung(state, reading.rods)


def _rolled(state: SuspendState, die: ColorDieSeen | None) -> Proposal[Event] | Doubt[Event] | None:
    if die is None:
        return None
    if die.color not in COLORS or die.confidence < SURE:
        choices: tuple[Choice[Event], ...] = tuple(
            Choice(color, Says("{color}", {"color": color}), Rolled(state.turn, color)) for color in COLORS
        )
        says = Says("which color did {seat} roll?", {"seat": state.turn})
        return Doubt("die", says, choices, rule("Intermediate Game"))
    says = Says("{seat} rolled {color}", {"seat": state.turn, "color": die.color})
    return Proposal((Rolled(state.turn, die.color),), says)


def _hung(state: SuspendState, rods: Sequence[RodSeen]) -> Proposal[Event] | Doubt[Event] | None:
    """One piece gone from a pile hangs; rods around the stand fell, the one just hung perhaps among them."""
    zones = {str(at + 1): seat for at, seat in enumerate(state.seats)}
    seen: dict[str, list[str]] = {seat: [] for seat in (*state.seats, DRAW)}
    fallen: list[str] = []
    for rod in rods:
        where = zones.get(rod.zone or "", rod.zone or "")
        seen.get(where, fallen).append(rod.color or "")
    gone: list[tuple[str, str]] = []
    for name, colors in seen.items():
        had, has = state.draw_pile if name == DRAW else state.pile(name), Pile.of(colors)
        if not had.holds(has):
            says = Says(
                "the pile of {pile} has pieces that were not there: put back what belongs elsewhere", {"pile": name}
            )
            return Doubt("rods", says, (_LOOK_AGAIN,), rule("Setup"))
        gone += [(color, name) for color in had.minus(has).pieces]
    if not gone and not fallen:
        return None
    events: list[Event] = []
    if len(gone) == 1:
        ((color, source),) = gone
        events.append(Hung(state.turn, color, None if source == state.turn else source))
    if fallen:
        events.append(Fell(state.turn, Pile.of(fallen).pieces))
    if len(gone) > 1:
        says = Says("{count} pieces are gone from the piles, expected one at a time", {"count": len(gone)})
        return Doubt("rods", says, (_LOOK_AGAIN,), rule("The Rules"))
    if gone:
        events.append(Rested(state.turn))
    return _proposed(state, tuple(events))


def _proposed(state: SuspendState, events: tuple[Event, ...]) -> Proposal[Event] | Doubt[Event]:
    after, said = state, []
    try:
        for event in events:
            applied = apply(after, event)
            after = applied.state
            said.append(str(applied.rulings[0].says))
    except Illegal as refused:
        says = Says("{why}: put the piece back", {"why": str(refused.says)})
        return Doubt("illegal", says, (_LOOK_AGAIN,), refused.rule)
    return Proposal(events, Says("{said}", {"said": "; ".join(said)}))
