"""Ludo with blocks of two pieces, in a folder of its own: a race game by its rule sheet, as docs/new_game.md says."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from companion.game.board import Board, board_of_text, spot_of_role, spots_of_role
from companion.game.errors import NotationError
from companion.game.says import Says
from companion.game.values import Option
from companion.games.race.core import SIX, Core, Move, Tables
from companion.games.race.game import race_game
from companion.games.race.sheet import Cites, RaceSheet, Role

SEATS = ("red", "yellow", "green", "blue")
COLORS = {2: "rg", 3: "ryg", 4: "rygb"}
MOST_SIXES = 3


class LudoTables(Tables):
    """Each colour's way: round the ring, up its lane, into the middle."""

    def __init__(self, board: Board, playing: str, name: str) -> None:
        ring = list(board.next)
        lanes = [spots_of_role(board, color, "lane", name) for color in board.colors]
        super().__init__(board, [*ring, *(spot for lane in lanes for spot in lane)], "home", "IN", most=2)
        seats = tuple(i for i, color in enumerate(board.colors) if color[0] in playing)
        self.set_seats(seats, tuple((seat,) for seat in seats))
        self.way: list[list[int]] = []
        for color, lane in zip(board.colors, lanes, strict=True):
            at = ring.index(spot_of_role(board, color, "start", name))
            lap = [*ring[at:], *ring[:at]][:-1]
            self.way.append([*(self.place[spot] for spot in (*lap, *lane)), self.done])
        self.index = [{place: i for i, place in enumerate(way)} | {self.home: -1} for way in self.way]

    def reach(self, color: int) -> frozenset[str]:
        return frozenset(self.names[place] for place in self.way[color][:-1])

    def ends_alone(self, color: int, place: int, die: int) -> list[int]:
        to = self.index[color].get(place, len(self.way[color])) + (die if place != self.home else 1)
        return self.way[color][to : to + 1] if place != self.home or die == SIX else []


class LudoCore(Core[LudoTables]):
    """A position; `count` has the sixes in a row."""

    __slots__ = ()

    def is_third_six(self, die: int) -> bool:
        return die == SIX and self.count == MOST_SIXES - 1

    def moves(self, die: int) -> list[Move]:
        if self.is_third_six(die):
            return []
        t, color = self.t, self.t.seat_color[self.turn]
        blocks = sum({t.bit[p] for x in t.in_play if x != color for p in self.on[x] if self.on[x].count(p) > 1})
        found: dict[Move, None] = {}
        for place in (*self.on[color], *[t.home] * bool(self.at_home[color])):
            for to in t.ends_alone(color, place, die):
                path = t.way[color][t.index[color][place] + 1 : t.index[color][to] + 1]
                is_full = to != t.done and self.on[color].count(to) == t.most
                if not is_full and not any(t.bit[p] & blocks for p in path):
                    found[color, place, to, t.bit[to] & self.all & ~self.own[color]] = None
        return list(found)

    def after(self, move: Move, die: int) -> bool:
        return self.sit_out(die)

    def sit_out(self, die: int) -> bool:
        self.count = (self.count + 1) % MOST_SIXES if die == SIX else 0
        if not self.count:
            self.pass_on()
        return self.count > 0


@lru_cache(maxsize=16)
def tables_for(text: str, playing: str, name: str) -> LudoTables:
    """The tables of a board file, made once."""
    return LudoTables(board_of_text(text, name), playing, name)


def plan(seats: int | None, options: dict[str, str], given: Mapping[str, str]) -> None:
    """Chooses the colours by the number of players."""
    if seats is not None and seats not in COLORS:
        raise NotationError(f"Ludo is for 2 to 4 players, not {seats}", "seats")
    if seats is not None and "colors" not in given:
        options["colors"] = COLORS[seats]


SHEET = RaceSheet(
    name="ludo-2",
    title="Ludo",
    piece="piece",
    options=(Option("colors", "rygb", tuple(COLORS.values()), Says("Which colours play?"), "Ludo, Play 1"),),
    cites=Cites(
        first="Ludo, Play 1",
        tie="Ludo, Play 1",
        roll="Ludo, Play 3",
        turn="Ludo, Play 3",
        must="Ludo, Play 3",
        again="Ludo, Play 4",
        no_move="Ludo, Play 3",
        held="Ludo, Play 4",
        count="Ludo, Play 1",
        one_a_spot="Ludo, Play 6",
        board="Ludo, Play 3",
        win="Ludo, Play 8",
    ),
    roles=(
        Role("home"),
        Role("start", Says("{color}'s start")),
        Role("lane", Says("{color}'s lane {number}"), is_lane=True),
        Role("inner", Says("the middle")),
    ),
    most_on_a_spot=2,
    plan=plan,
    seats_of=lambda options: tuple(seat for seat in SEATS if seat[0] in options["colors"]),
    board_name=lambda options: "LUDO",
    forfeits=lambda core, die: (Says("the third six in a row"), "Ludo, Play 4") if core.is_third_six(die) else None,
    tables=lambda text, options, name: tables_for(text, options["colors"], name),
    core=LudoCore,
)
GAME = race_game(SHEET)
