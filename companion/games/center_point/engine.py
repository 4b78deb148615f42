"""Center Point in integers: the routes of a board as tables, and a position that moves in place (see `race.core`)."""

from collections.abc import Mapping
from functools import lru_cache, partial
from itertools import pairwise

from companion.game.board import Board, board_of_text
from companion.game.errors import KitError
from companion.games.center_point.board import INNER, roles_of
from companion.games.race.core import DIE, SIX, Core, Move, Tables, reached
from companion.games.race.sheet import check_ways

HOME = "home"

Entry = tuple[int, int, int, Move, int]
"""(bits of the way, bit landed on, bits of own specials passed, the move when nobody is met, place after a capture)."""


class CenterTables(Tables):
    """A board's routes for Center Point.

    `routes[c][p]` lists the circles from p to the inner circle on colour c's normal way; `entries[c][die][p]` the
    moves prepared for a roll; `special[c]` the bits of its safeties and bypasses; `jumps[c][p]` the own specials
    ahead as (distance, bits of the way, place), for the exception to a blocked path.
    """

    def __init__(self, board: Board, seats: tuple[int, ...], options: Mapping[str, str], name: str) -> None:
        ring = list(board.next)
        self.bypass, self.safeties, self.starts = roles_of(board, name)
        foreign = sorted({spot for own in self.bypass for spot in own}, key=ring.index)
        super().__init__(board, [*ring, *(f"{spot}!" for spot in foreign)], HOME, INNER)
        place = self.place
        self.set_seats(seats, tuple((seat,) for seat in seats))
        self.colors_of_seat = tuple((seat,) for seat in seats)
        self.is_strict = options["exception_strict"] == "true"
        self.hit_gives_right = options["occupied_bypass"] == "capture_shortcut"
        self.start = [place[spot] for spot in self.starts]
        self.special = [
            sum(self.bit[place[spot]] for spot in (*self.bypass[c], *self.safeties[c])) for c in range(len(self.colors))
        ]
        self.routes = [[self._route(c, spot, name) for spot in ring] for c in range(len(self.colors))]
        self.inward = {place[spot]: own[spot] for own in self.bypass for spot in own}
        self.entries = [[self._entries(c, die) for die in (0, *DIE)] for c in range(len(self.colors))]
        self.jumps = [[self._jumps(c, p) for p in range(self.home)] for c in range(len(self.colors))]
        self.enter: list[Move] = [(c, self.home, self.start[c], 0) for c in range(len(self.colors))]
        self._check(name)

    def travelled(self, color: int) -> dict[str, int]:
        """Positions from the start to the inner circle: the longest route, the shortest, and without the short cut
        from a foreign bypass into the inner circle."""
        start = self.starts[color]
        return {
            "longest": len(self.routes[color][self.place[start]]),
            "shortest": reached([start], partial(self.ahead, color))[INNER],
            "without_last": reached([start], partial(self.ahead, color, through_last=False))[INNER],
        }

    def _check(self, name: str) -> None:
        """Refuses a board that the rules cannot be played on. Raises: KitError with the reason."""
        for spot, to in self.board.next.items():
            if len(to) != 1:
                raise KitError(
                    f"{name}: next.{spot} has {len(to)} steps, expected one: short cuts are told by the bypasses"
                )
        check_ways(self, "center_point", name, self.travelled, (), "inner")
        for c, color in enumerate(self.colors):
            way = self.routes[c][self.place[self.starts[c]]]
            own = [spot for spot in way if spot in self.bypass[c] or spot in self.safeties[c]]
            missing = ({*self.bypass[c], *self.safeties[c]}) - set(own)
            if missing:
                raise KitError(f"{name}: {sorted(missing)[0]} is {color}'s but not on its route from {self.starts[c]}")
            for a, b in pairwise(own):
                apart = way.index(b) - way.index(a)
                if apart <= SIX:
                    raise KitError(f"{name}: {a} and {b} of {color} are {apart} steps apart, expected more than {SIX}")

    def way(self, color: int, place: int, *, inward: bool) -> list[str]:
        """The spots ahead of a marker up to the inner circle; `inward` takes the short cut it has a right to."""
        if not inward:
            return self.routes[color][self.place[self.circle(place)]]
        entry = self.inward[self.place[self.circle(place)]]
        return [entry] if entry == INNER else [entry, *self.routes[color][self.place[entry]]]

    def ends(self, color: int, place: int, die: int) -> list[list[str]]:
        """The paths of a marker for a roll, each as the spots passed and the spot reached (Play 2, 7; Short Cut)."""
        ways = [self.way(color, place, inward=False)]
        if self.names[place].endswith("!"):
            ways.append(self.way(color, place, inward=True))
        return [end for end in (way[:die] if len(way) >= die else way[:-1] for way in ways) if end]

    def ends_alone(self, color: int, place: int, die: int) -> list[int]:
        if place == self.home:
            return [self.start[color]] if die in (1, SIX) else []
        return [entry[3][2] for entry in self.entries[color][die][place]]

    def may_stand(self, color: int, place: int) -> bool:
        return not self.names[place].endswith("!") or self.circle(place) not in self.bypass[color]

    def reach(self, color: int) -> frozenset[str]:
        return frozenset(reached([self.starts[color]], partial(self.ahead, color))) - {INNER}

    def ahead(self, color: int, spot: str, *, through_last: bool = True) -> list[str]:
        """The next spots of a marker; `through_last`: also by a short cut into the inner circle."""
        if spot == INNER:
            return []
        p = self.place[spot]
        is_open = p in self.inward and (through_last or self.inward[p] != INNER or spot in self.bypass[color])
        return [self.way(color, p, inward=inward)[0] for inward in (False, *[True] * is_open)]

    def _route(self, color: int, spot: str, name: str) -> list[str]:
        way: list[str] = []
        seen = {spot}
        while spot != INNER:
            spot = self.bypass[color].get(spot, self.board.next[spot][0])
            if spot in seen:
                raise KitError(f"{name}: {self.colors[color]} goes round for ever by {spot}, expected a way to {INNER}")
            if spot != INNER and spot not in self.board.next:
                raise KitError(f"{name}: no step leads on from {spot}, expected one in [next]")
            seen.add(spot)
            way.append(spot)
        return way

    def _bits(self, spots: list[str]) -> int:
        return sum(self.bit[self.place[spot]] for spot in spots)

    def _entries(self, color: int, die: int) -> list[tuple[Entry, ...]]:
        if not die:
            return []
        return [tuple(self._entry(color, p, end) for end in self.ends(color, p, die)) for p in range(self.home)]

    def _entry(self, color: int, place: int, end: list[str]) -> Entry:
        spot = end[-1]
        is_foreign_bypass = any(spot in own for c, own in enumerate(self.bypass) if c != color)
        free = self.place[f"{spot}!" if is_foreign_bypass else spot]
        hit = free if self.hit_gives_right else self.place[spot]
        passed = self._bits(end[:-1]) & self.special[color]
        return self._bits(end), self.bit[free], passed, (color, place, free, 0), hit

    def _jumps(self, color: int, place: int) -> tuple[tuple[int, int, int], ...]:
        way = self.way(color, place, inward=False)
        own = {*self.bypass[color], *self.safeties[color]}
        return tuple((n, self._bits(way[:n]), self.place[spot]) for n, spot in enumerate(way, 1) if spot in own)


class CenterCore(Core[CenterTables]):
    """A position of Center Point. `settled` has the bits of markers on their own safety or bypass: they block."""

    __slots__ = ("settled",)

    def __init__(self, tables: CenterTables) -> None:
        super().__init__(tables)
        self.settled = 0

    def copy(self) -> "CenterCore":
        other = super().copy()
        other.settled = self.settled
        return other

    def put(self, color: int, place: int) -> None:
        super().put(color, place)
        self.settled |= self.t.bit[place] & self.t.special[color]

    def make(self, move: Move) -> None:
        super().make(move)
        bit = self.t.bit
        self.settled ^= (bit[move[1]] ^ bit[move[2]]) & self.t.special[move[0]]

    def moves(self, die: int) -> list[Move]:
        t = self.t
        color = t.seat_color[self.turn]
        entries = t.entries[color][die]
        own = self.own[color]
        stop = own | self.settled
        others = self.all ^ own
        found: list[Move] = []
        for p in self.on[color]:
            for way, landing, passed, move, after_hit in entries[p]:
                if way & stop:
                    continue
                if not (landing | passed) & others:
                    found.append(move)
                    continue
                hit = landing & others
                to = after_hit if hit else move[2]
                found.append((color, p, to, hit))
                passed &= others
                if passed:
                    found.append((color, p, to, hit | passed))
        if (die == SIX or die == 1) and self.at_home[color]:
            landing = t.bit[t.start[color]]
            if not landing & stop:
                hit = landing & others
                found.append((color, t.home, t.start[color], hit) if hit else t.enter[color])
        if not found or (self.held and not t.is_strict):
            self._exceptions(color, die, found)
        return found

    def _exceptions(self, color: int, die: int, found: list[Move]) -> None:
        """Safety c: onto an own safety or bypass at the exact distance, past markers that block."""
        t = self.t
        own = self.own[color]
        others = self.all ^ own
        total = die + SIX * self.held
        has_other = bool(found)
        for p in self.on[color]:
            for distance, way, to in t.jumps[color][p]:
                is_exact = distance == total or (distance == die and not has_other)
                if is_exact and not way & own and way & self.settled:
                    found.append((color, p, to, t.bit[to] & others))

    def after(self, move: Move, die: int) -> bool:
        self.held = 0
        if die == SIX and move[1] != self.t.home:
            return True
        self.pass_on()
        return False

    def sit_out(self, die: int) -> bool:
        if die == SIX:
            self.held += 1
            return True
        self.held = 0
        self.pass_on()
        return False


@lru_cache(maxsize=64)
def tables_for(text: str, seats: tuple[int, ...], options: tuple[tuple[str, str], ...], name: str) -> CenterTables:
    """The tables of a board file's text, of the colours that play and of the house rules, made once.

    Raises: KitError.
    """
    return CenterTables(board_of_text(text, name), seats, dict(options), name)
