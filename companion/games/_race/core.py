"""The engine under both race games: integers, tables made once, and no words.

A *place* is a small integer: a circle of the board, the same circle with a marker's hidden right, or HOME / DONE. A
circle is also one bit of a Python integer, so that "is anything of mine on this path" is one `&`. A move is a tuple
(colour, from, to, sent): `sent` has the bits of the circles whose markers go back to the beginning.

A game derives `Tables` (what never changes) and `Core` (a position that moves in place). The public state is a thin
wrapper over a `Core`; the referee, the hints and the benches all call the same `moves`, `make` and `after`.

Context: playouts want some 100,000 decisions a second from plain Python. Choice: one mutable object with lists of
integers and whole moves prepared in the tables. Price: the lists are read by position, so this file and the two
engines must be read together.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Self

from companion.game.board import PIECES_OF_A_COLOR, Board

Move = tuple[int, int, int, int]
SIX = 6
DIE = range(1, SIX + 1)
NOBODY = -1


class Tables(ABC):
    """Constants of a match: places and their names, bits, the seats' colours and the sides that win.

    `names[place]` is the spot in notation, with a final ``!`` for a hidden right. `bit[place]` is its circle's bit, 0
    for HOME and DONE. `depth[place]` is its distance beyond the first space of arrival. `colors_of_seat` lists the
    colours a seat moves, `sides` the colours that must all arrive.
    """

    def __init__(self, board: Board, names: list[str], home_name: str, done_name: str) -> None:
        self.board = board
        self.colors = board.colors
        self.letters = tuple(color[0] for color in board.colors)
        self.names = [*names, home_name, done_name]
        self.home = len(names)
        self.done = len(names) + 1
        self.place = {name: i for i, name in enumerate(self.names)}
        circles = {name: i for i, name in enumerate(name for name in names if not name.endswith("!"))}
        self.bit = [1 << circles[name.removesuffix("!")] for name in names] + [0, 0]
        self.circle_of_bit = {1 << i: name for name, i in circles.items()}
        self.depth = bytearray(len(self.names))
        self.colors_of_seat: tuple[tuple[int, ...], ...] = ()
        self.seat_color: tuple[int, ...] = ()
        self.sides: tuple[tuple[int, ...], ...] = ()
        self.in_play: tuple[int, ...] = ()

    def circle(self, place: int) -> str:
        """The spot of a place, without the mark of a hidden right."""
        return self.names[place].removesuffix("!")

    @abstractmethod
    def may_stand(self, color: int, place: int) -> bool:
        """Whether a place is one that a colour's marker can have at all (a hidden right, another's refuge)."""

    @abstractmethod
    def reach(self, color: int) -> frozenset[str]:
        """The spots that a colour can come by."""

    @abstractmethod
    def ends_alone(self, color: int, place: int, die: int) -> list[int]:
        """The places a marker alone on the board may be moved to by a roll."""

    def has_arrived(self, place: int) -> bool:
        """Whether a marker there counts towards winning."""
        return place == self.done

    def set_seats(self, seat_color: tuple[int, ...], sides: tuple[tuple[int, ...], ...]) -> None:
        """Says who plays: each seat's own colour, and the colours of each side."""
        self.seat_color = seat_color
        self.sides = sides
        self.in_play = tuple(sorted(color for side in sides for color in side))
        self.side_of_color = {color: i for i, side in enumerate(sides) for color in side}
        self.side_of_seat = tuple(self.side_of_color[color] for color in seat_color)


class Core(ABC):
    """A position that moves in place.

    `on[c]` lists the places of colour c's markers on the board, `own[c]` their bits; `at_home[c]` and `arrived[c]`
    count the others; `all` has the bits of every marker. `turn` is an index of seats, `held` the sixes held.
    """

    __slots__ = ("all", "arrived", "at_home", "held", "on", "own", "turn")

    def __init__(self) -> None:
        self.on: list[list[int]] = [[], [], [], []]
        self.at_home = [PIECES_OF_A_COLOR] * 4
        self.arrived = [0] * 4
        self.own = [0] * 4
        self.all = 0
        self.turn = 0
        self.held = 0

    def copy_into(self, other: Self) -> None:
        """Makes `other` the same position."""
        other.on = [list(places) for places in self.on]
        other.at_home = list(self.at_home)
        other.arrived = list(self.arrived)
        other.own = list(self.own)
        other.all = self.all
        other.turn = self.turn
        other.held = self.held

    @property
    @abstractmethod
    def tables(self) -> Tables:
        """The constants of the match."""

    @abstractmethod
    def copy(self) -> Self:
        """The same position, free to move."""

    @abstractmethod
    def put(self, color: int, place: int) -> None:
        """Takes a marker from home to a place, when a position is set up."""

    @abstractmethod
    def moves(self, die: int) -> list[Move]:
        """Every legal move of the seat to move, for a roll."""

    @abstractmethod
    def make(self, move: Move) -> None:
        """Moves the markers; the turn does not pass."""

    @abstractmethod
    def after(self, move: Move, die: int) -> bool:
        """Ends the roll that `make` used up: True when the same seat rolls again, else the turn passes."""

    @abstractmethod
    def sit_out(self, die: int) -> bool:
        """Ends a roll that has no legal move: True when the same seat rolls again, else the turn passes."""

    def winner(self) -> int:
        """The side with all its markers arrived, or `NOBODY`."""
        arrived = self.arrived
        for i, side in enumerate(self.tables.sides):
            for color in side:
                if arrived[color] != PIECES_OF_A_COLOR:
                    break
            else:
                return i
        return NOBODY

    def marker_at(self, bit: int) -> tuple[int, int]:
        """The colour and place of the marker on a circle's bit. Raises: LookupError where there is none."""
        for color in range(4):
            if self.own[color] & bit:
                of = self.tables.bit
                for place in self.on[color]:
                    if of[place] & bit:
                        return color, place
        raise LookupError("no marker stands on that circle")


def play(core: Core, roll: Callable[[], int], choose: Callable[[Core, list[Move]], Move], limit: int) -> int:
    """Plays on until a side wins, and gives it; `NOBODY` after `limit` rolls. `roll` gives 1 to 6."""
    for _ in range(limit):
        die = roll()
        moves = core.moves(die)
        if not moves:
            core.sit_out(die)
            continue
        move = moves[0] if len(moves) == 1 else choose(core, moves)
        core.make(move)
        if core.arrived[move[0]] == PIECES_OF_A_COLOR:
            side = core.winner()
            if side != NOBODY:
                return side
        core.after(move, die)
    return NOBODY
