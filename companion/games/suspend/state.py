"""The state of a match of Suspend, and the events that change it. They come from the camera, a button or a phone.

Everything is open: this game has no secrets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum

from companion.game.says import Says, counted, listed
from companion.games.suspend.house import COLORS, COUNT_EACH, DRAW, House, notch_table


class Phase(StrEnum):
    ROLL = "roll"
    """The color die is to be rolled."""
    HANG = "hang"
    """A piece is to be hung."""
    REST = "rest"
    """A piece hangs and the hand is away: any piece that falls before everything has stopped is the player's."""
    REMOVE = "remove"
    """The removal duel: a piece is to be taken off."""
    OVER = "over"


class Fallen(StrEnum):
    """Which of several pieces of one color fell."""

    UNTOLD = "untold"
    """The piece just hung or another of its color: nobody has said."""
    JUST_HUNG = "just_hung"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pile:
    """This many pieces of each color."""

    orange: int = 0
    red: int = 0
    yellow: int = 0
    green: int = 0
    blue: int = 0
    black: int = 0

    @classmethod
    def of(cls, colors: Iterable[str]) -> Pile:
        return cls(**Counter(colors))

    def count(self, color: str) -> int:
        found: int = getattr(self, color)
        return found

    def plus(self, other: Pile) -> Pile:
        return Pile(**{color: self.count(color) + other.count(color) for color in COLORS})

    def minus(self, other: Pile) -> Pile:
        """The pieces here that the other pile lacks, color by color."""
        return Pile(**{color: max(0, self.count(color) - other.count(color)) for color in COLORS})

    def holds(self, other: Pile) -> bool:
        return all(self.count(color) >= other.count(color) for color in COLORS)

    @property
    def total(self) -> int:
        return sum(self.count(color) for color in COLORS)

    @property
    def colors(self) -> tuple[str, ...]:
        """The colors in the pile, longest first."""
        return tuple(color for color in COLORS if self.count(color))

    def notches(self, house: House) -> int:
        """All notches of the pile: its points in the tournament."""
        table = notch_table(house.notches)
        return sum(self.count(color) * table[color] for color in COLORS)

    @property
    def pieces(self) -> tuple[str, ...]:
        """The pieces one by one, longest first."""
        return tuple(color for color in COLORS for _ in range(self.count(color)))

    @property
    def says(self) -> Says:
        """The pile in words: ``2 green and red``."""
        told = [counted(self.count(c), "{color}", "{count} {color}", {"color": c}) for c in self.colors]
        return listed(told) if told else Says("nothing")


def pieces_says(pieces: int) -> Says:
    return counted(pieces, "one piece", "{count} pieces", none="no pieces")


def pile_says(name: str) -> Says:
    """A source of pieces in words: a seat's pile, or the draw pile."""
    return Says("the draw pile") if name == DRAW else Says("the pile of {seat}", {"seat": name})


ALL_PIECES = Pile.of(COLORS * COUNT_EACH)


@dataclass(frozen=True, slots=True, kw_only=True)
class SuspendState:
    """A match. `piles` and `points` follow `seats`; `players` are those still in, clockwise."""

    seats: tuple[str, ...]
    house: House
    players: tuple[str, ...]
    round: int
    starter: str
    """The seat that began this round."""
    turn: str
    phase: Phase
    color: str | None = None
    """The color rolled, or of the piece just hung."""
    source: str | None = None
    """Owner of the pile (or the draw pile) that the piece just hung came from."""
    mover: str | None = None
    """The seat that last hung or removed a piece."""
    lost_turn: str | None = None
    """The seats that have lost a turn since then, with a piece in hand and none hung."""
    fallen: Fallen | None = None
    """Whether the piece just hung has fallen; None: it hangs."""
    piles: tuple[Pile, ...]
    draw_pile: Pile
    hung: Pile
    """The pieces of the structure."""
    off: Pile = Pile()
    """Pieces taken off, or fallen, in the removal duel."""
    points: tuple[int, ...]
    removed: tuple[int, ...] = ()
    """Pieces each seat removed in the duel; empty before."""
    winners: tuple[str, ...] = ()
    hanging: tuple[tuple[str, float, float], ...] = field(default=(), compare=False)
    """Tips seen at the last rest: place, mm, and the color, or ``""`` where the rod may not hang."""
    sheet: tuple[tuple[int | None, ...], ...] = field(default=(), compare=False)
    """Each seat's result in each round played, None if it was out: for the score sheet, not part of the position."""
    hidden: tuple[tuple[str, str], ...] = field(default=(), compare=False)
    """Color and pile of each piece that the last reading did not show, covered by others."""
    doubled: tuple[tuple[str, str], ...] = field(default=(), compare=False)
    """Color and pile of each piece that the last reading showed too many, such as one read as two."""

    @property
    def last_to_move(self) -> str | None:
        """The seat charged with falls between turns, until the next player rolls (gap 12)."""
        return self.lost_turn or self.mover

    def pile(self, name: str) -> Pile:
        return self.draw_pile if name == DRAW else self.piles[self.seats.index(name)]

    def with_pile(self, name: str, pile: Pile) -> SuspendState:
        """The state with another pile of a seat, or another draw pile."""
        if name == DRAW:
            return replace(self, draw_pile=pile)
        at = self.seats.index(name)
        return replace(self, piles=(*self.piles[:at], pile, *self.piles[at + 1 :]))

    def unhung(self, pieces: Pile) -> SuspendState:
        """The state after pieces left the structure. Which tips were theirs is unknown, so all of their colors go."""
        tips = tuple(tip for tip in self.hanging if tip[0] not in pieces.colors)
        return replace(self, hung=self.hung.minus(pieces), hanging=tips)
