"""The engine under a race game: integers, tables made once, and no words.

A *place* is a small integer: a circle of the board, the same circle with a marker's hidden right, or HOME / DONE. A
circle is also one bit of a Python integer, so that "is anything of mine on this path" is one `&`. A move is a tuple
(colour, from, to, sent): `sent` has the bits of the circles whose markers go back to the beginning.

A game derives `Tables` (what never changes) and `Core` (a position that moves in place). The public state is a thin
wrapper over a `Core`; the referee, the hints and the benches all call the same `moves`, `make` and `after`.

Context: playouts want some 100,000 decisions a second from plain Python. Choice: one mutable object with lists of
integers and whole moves prepared in the tables. Price: the lists are read by position, so this file and the two
engines must be read together.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Generic, Self, TypeVar

from companion.game.board import PIECES_OF_A_COLOR, Board

Move = tuple[int, int, int, int]
SIX = 6
DIE = range(1, SIX + 1)
NOBODY = -1


def reached(start: Iterable[str], ahead: Callable[[str], Iterable[str]]) -> dict[str, int]:
    """The spots that steps lead to, each with the fewest steps."""
    found = dict.fromkeys(start, 0)
    edge = list(found)
    for spot in edge:
        for to in ahead(spot):
            if to not in found:
                found[to] = found[spot] + 1
                edge.append(to)
    return found


class Tables(ABC):
    """Constants of a match: places and their names, bits, the seats' colours and the sides that win.

    `names[place]` is the spot in notation, with a final ``!`` for a hidden right. `bit[place]` is its circle's bit, 0
    for HOME and DONE. `depth[place]` is its distance beyond the first space of arrival. `arrives[place]` is 1 where a
    marker counts towards winning: at DONE, and where the game says so. `colors_of_seat` lists the colours a seat moves,
    `sides` the colours that must all arrive. `most` markers of a colour may stand on a circle.
    """

    def __init__(self, board: Board, names: list[str], home_name: str, done_name: str, most: int = 1) -> None:
        self.board = board
        self.most = most
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
        self.arrives = bytearray(len(self.names))
        self.arrives[self.done] = 1
        self.colors_of_seat: tuple[tuple[int, ...], ...] = ()
        self.seat_color: tuple[int, ...] = ()
        self.sides: tuple[tuple[int, ...], ...] = ()
        self.in_play: tuple[int, ...] = ()

    def circle(self, place: int) -> str:
        """The spot of a place, without the mark of a hidden right."""
        return self.names[place].removesuffix("!")

    def may_stand(self, color: int, place: int) -> bool:
        """Whether a place is one that a colour's marker can have at all (a hidden right, another's refuge)."""
        return self.circle(place) in self.reach(color)

    @abstractmethod
    def reach(self, color: int) -> frozenset[str]:
        """The spots that a colour can come by."""

    @abstractmethod
    def ends_alone(self, color: int, place: int, die: int) -> list[int]:
        """The places a marker alone on the board may be moved to by a roll."""

    def set_seats(self, seat_color: tuple[int, ...], sides: tuple[tuple[int, ...], ...]) -> None:
        """Says who plays: each seat's own colour, and the colours of each side. A seat moves its own colour, unless the
        game sets `colors_of_seat` to more."""
        self.seat_color = seat_color
        self.colors_of_seat = tuple((color,) for color in seat_color)
        self.sides = sides
        self.in_play = tuple(sorted(color for side in sides for color in side))
        self.side_of_color = {color: i for i, side in enumerate(sides) for color in side}
        self.side_of_seat = tuple(self.side_of_color[color] for color in seat_color)


T = TypeVar("T", bound=Tables)


class Core(ABC, Generic[T]):
    """A position that moves in place.

    `on[c]` lists the places of colour c's markers on the board, `own[c]` their bits; `at_home[c]` and `arrived[c]`
    count the others; `all` has the bits of every marker. `turn` is an index of seats, `held` the sixes held, `count`
    a number of the game's own that stays from roll to roll.
    """

    __slots__ = ("all", "arrived", "at_home", "count", "held", "on", "own", "t", "turn")

    def __init__(self, tables: T) -> None:
        self.t = tables
        self.on: list[list[int]] = [[], [], [], []]
        self.at_home = [PIECES_OF_A_COLOR] * 4
        self.arrived = [0] * 4
        self.own = [0] * 4
        self.all = 0
        self.turn = 0
        self.held = 0
        self.count = 0

    def copy(self) -> Self:
        other = self.__class__.__new__(self.__class__)
        other.t = self.t
        other.on = [list(places) for places in self.on]
        other.at_home = list(self.at_home)
        other.arrived = list(self.arrived)
        other.own = list(self.own)
        other.all = self.all
        other.turn = self.turn
        other.held = self.held
        other.count = self.count
        return other

    @abstractmethod
    def moves(self, die: int) -> list[Move]:
        """Every legal move of the seat to move, for a roll."""

    @abstractmethod
    def after(self, move: Move, die: int) -> bool:
        """Ends the roll that `make` used up: True when the same seat rolls again, else the turn passes."""

    @abstractmethod
    def sit_out(self, die: int) -> bool:
        """Ends a roll that has no legal move: True when the same seat rolls again, else the turn passes."""

    def put(self, color: int, place: int) -> None:
        """Takes a marker from home to a place, when a position is set up."""
        self.at_home[color] -= 1
        self.arrived[color] += self.t.arrives[place]
        if place != self.t.done:
            self.on[color].append(place)
            self.own[color] |= self.t.bit[place]
            self.all |= self.t.bit[place]

    def make(self, move: Move) -> None:
        color, p, to, sent = move
        t = self.t
        bit = t.bit
        if sent:
            self._send_back(sent)
        on = self.on[color]
        if p == t.home:
            self.at_home[color] -= 1
            on.append(to)
        elif to == t.done:
            on.remove(p)
        else:
            on[on.index(p)] = to
        self.arrived[color] += t.arrives[to] - t.arrives[p]
        if t.most == 1:
            change = bit[p] ^ bit[to]
            self.own[color] ^= change
            self.all ^= change
        else:
            self._look_over(color)

    def _look_over(self, color: int) -> None:
        """Recomputes the bits of a colour: several markers may stand on one circle."""
        bits = 0
        for p in self.on[color]:
            bits |= self.t.bit[p]
        self.own[color] = bits
        self.all = self.own[0] | self.own[1] | self.own[2] | self.own[3]

    def _send_back(self, sent: int) -> None:
        self.all ^= sent
        bit = self.t.bit
        for x in self.t.in_play:
            hit = self.own[x] & sent
            if hit:
                self.own[x] ^= hit
                stay = [p for p in self.on[x] if not bit[p] & hit]
                self.at_home[x] += len(self.on[x]) - len(stay)
                self.on[x] = stay

    def pass_on(self) -> None:
        turn = self.turn + 1
        self.turn = 0 if turn == len(self.t.seat_color) else turn

    def winner(self) -> int:
        """The side with all its markers arrived, or `NOBODY`."""
        arrived = self.arrived
        for i, side in enumerate(self.t.sides):
            for color in side:
                if arrived[color] != PIECES_OF_A_COLOR:
                    break
            else:
                return i
        return NOBODY

    def marker_at(self, bit: int) -> tuple[int, int]:
        """The colour and place of the marker on a circle's bit. Raises: LookupError if there is none."""
        for color in range(4):
            if self.own[color] & bit:
                of = self.t.bit
                for place in self.on[color]:
                    if of[place] & bit:
                        return color, place
        raise LookupError("no marker stands on that circle")
