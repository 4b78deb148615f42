"""Basic Manipulation in integers: the paths of a board as tables, and a position that moves in place.

See `race.core` for places, bits and moves.
"""

from collections.abc import Mapping
from functools import lru_cache, partial

from companion.game.board import PIECES_OF_A_COLOR, Board, board_of_text
from companion.game.errors import KitError
from companion.games.basic_manipulation.board import roles_of
from companion.games.race.core import DIE, SIX, Core, Move, Tables, reached
from companion.games.race.sheet import check_ways

HOLD = "hold"
NO_MATE = -1

ORDINARY, SAFETY, ENTRANCE = range(3)
"""Kind of a path's last space: ordinary, a BEAST or STAR-BEAST, or the entrance at another colour's corner."""

Entry = tuple[int, int, int, Move, int, tuple["Entry", ...]]
"""A prepared move. In order: own bits that forbid it, kind of its end, bit landed on, the move if nobody is there,
place after an attack. Last: the entries one space beyond an occupied safety."""


class ManipulationTables(Tables):
    """A board's routes for Basic Manipulation, for one mode and set of house rules.

    `entries[c][die][p]` lists the moves prepared for a roll; `mate[c]` is the colour of the same side, or `NO_MATE`.
    A place ``x.hre!`` is, for colour x itself, the entrance reached by THE WORLD (`refuge_exact_from_world`), and for
    another colour the entrance of x just attacked (`retake` at the next turn only).
    """

    def __init__(self, board: Board, options: Mapping[str, str], name: str) -> None:
        self.options = options
        self.starts, self.entrances, self.refuges, self.beasts, self.world = roles_of(board, name)
        lane = [spot for spot in board.next if spot != self.world]
        refuge = [spot for own in self.refuges for spot in own]
        super().__init__(board, [*lane, *refuge, *(f"{spot}!" for spot in self.entrances)], HOLD, "")
        self._seat(options["mode"])
        self.is_exact = options["refuge_exact_from_world"] == "true"
        self.is_next_turn = options["retake"] == "next_turn"
        self.has_exit = options["diamond_exit"] == "true"
        self.six_again = options["six_rolls_again"] == "true"
        self.six_enter_again = self.six_again and options["six_enter_rolls_again"] == "true"
        self.safeties = frozenset((*self.beasts, *self.beasts.values()))
        self.star_of = {star: beast for beast, star in self.beasts.items()}
        place = self.place
        self.entrance = [place[spot] for spot in self.entrances]
        self.right = [place[f"{spot}!"] for spot in self.entrances]
        self.start = [place[spot] for spot in self.starts]
        self.refuge = [[place[spot] for spot in own] for own in self.refuges]
        for own in self.refuge:
            for n, p in enumerate(own):
                self.arrives[p] = 1
                self.depth[p] = n
        self.enter: list[Move] = [(c, self.home, self.start[c], 0) for c in range(len(self.colors))]
        self._check(name)
        self.entries = [[self._entries(c, die) for die in (0, *DIE)] for c in range(len(self.colors))]
        self.has_twins = [[any(map(_are_twins, row)) for row in of_color] for of_color in self.entries]

    def _seat(self, mode: str) -> None:
        self.is_partners = mode == "partners"
        self.is_two = mode == "two"
        if mode == "four":
            self.set_seats((0, 1, 2, 3), ((0,), (1,), (2,), (3,)))
            self.colors_of_seat = self.sides
            self.mate = [NO_MATE] * 4
            return
        self.set_seats((0, 1) if self.is_two else (0, 1, 2, 3), ((0, 2), (1, 3)))
        self.colors_of_seat = self.sides if self.is_two else ((0,), (1,), (2,), (3,))
        self.mate = [2, 3, 0, 1]

    def _check(self, name: str) -> None:
        """Refuses a board that the rules cannot be played on. Raises: KitError with the reason."""
        for spot, to in self.board.next.items():
            for other in to:
                if other not in self.board.next and other != self.world:
                    raise KitError(f"{name}: no step leads on from {other}, the next of {spot}, expected one in [next]")
        check_ways(self, "basic_manipulation", name, self.travelled, [self.world], "refuge")

    def travelled(self, color: int) -> dict[str, int]:
        """Spaces from the start round to the entrance, on to the last of the refuge, and the shortest route to THE
        WORLD."""
        spot, lap = self.starts[color], 0
        while spot != self.entrances[color] and lap <= len(self.board.spots):
            spot = self.steps(color, spot, rested=False)[0]
            lap += 1
        ways = reached([self.starts[color]], partial(self.steps, color, rested=True))
        return {"entrance": lap, "refuge": lap + len(self.refuges[color]), "world": ways.get(self.world, 0)}

    def steps(self, color: int, spot: str, *, rested: bool) -> list[str]:
        """The spots one step ahead of a colour's token; only one that `rested` on a BEAST may turn in."""
        if spot in self.refuges[color]:
            return list(self.refuges[color][self.refuges[color].index(spot) + 1 :][:1])
        if spot == self.entrances[color]:
            return [self.refuges[color][0]]
        if spot == self.world:
            return []
        ahead = [self.entrances[color] if to == self.starts[color] else to for to in self.board.next[spot]]
        if rested and spot in self.beasts:
            ahead.append(self.beasts[spot])
        if self.has_exit and spot in self.star_of:
            ahead.append(self.star_of[spot])
        return ahead

    def ways(self, color: int, spot: str, die: int) -> list[list[str]]:
        """Every path of exactly `die` steps from a spot: the spots passed and, last, the one reached."""
        found: list[list[str]] = [[]]
        for n in range(die):
            found = [[*way, to] for way in found for to in self.steps(color, way[-1] if way else spot, rested=n == 0)]
        return found

    def owner_of_start(self, spot: str) -> int | None:
        return self.starts.index(spot) if spot in self.starts else None

    def passing_bits(self, spots: list[str]) -> int:
        """The bits of spots passed; at another colour's corner both its circles count."""
        bits = 0
        for spot in spots:
            bits |= self.bit[self.place[spot]]
            owner = self.owner_of_start(spot)
            if owner is not None:
                bits |= self.bit[self.entrance[owner]]
        return bits

    def ends_alone(self, color: int, place: int, die: int) -> list[int]:
        if place == self.home:
            return [self.start[color]] if die in (1, SIX) else []
        if place == self.right[color] and self.is_exact:
            return [self.refuge[color][-1]] if die == len(self.refuge[color]) else []
        return [entry[3][2] for entry in self.entries[color][die][place] if entry[1] != ENTRANCE]

    def may_stand(self, color: int, place: int) -> bool:
        name = self.names[place]
        if name.endswith("!"):
            return self.is_exact if self.right[color] == place else self.is_next_turn
        return all(name not in own for c, own in enumerate(self.refuges) if c != color)

    def reach(self, color: int) -> frozenset[str]:
        barred = self.mate[color] if self.is_two else NO_MATE
        doors = (spot for c, spot in enumerate(self.entrances) if c not in (color, barred))
        return frozenset(reached((self.starts[color], *doors), partial(self.steps, color, rested=True)))

    def _entries(self, color: int, die: int) -> list[tuple[Entry, ...]]:
        if not die:
            return []
        found: list[tuple[Entry, ...]] = []
        for p in range(self.home):
            spot = self.circle(p)
            is_mine = all(spot not in own for c, own in enumerate(self.refuges) if c != color)
            if not is_mine or (p == self.right[color] and self.is_exact):
                found.append(())
                continue
            entries = [e for way in self.ways(color, spot, die) for e in self._endings(color, p, way, way[:-1])]
            found.append(tuple(dict.fromkeys(entries)))
        return found

    def _endings(self, color: int, origin: int, way: list[str], passed: list[str]) -> list[Entry]:
        """The entries of one way: one, or two at another colour's corner."""
        spot = way[-1]
        before = self.passing_bits(passed)
        if spot == self.world:
            home = self.entrance[color]
            bit = self.bit[home]
            to = self.right[color] if self.is_exact else home
            return [(before | bit, ORDINARY, bit, (color, origin, to, 0), to, ())]
        to = self.place[spot]
        bit = self.bit[to]
        move: Move = (color, origin, to, 0)
        if spot in self.safeties:
            beyond = [
                entry
                for further in self.steps(color, spot, rested=False)
                for entry in self._endings(color, origin, [*way, further], [])
            ]
            return [(before | bit, SAFETY, bit, move, to, tuple(beyond))]
        found: list[Entry] = [(before | bit, ORDINARY, bit, move, to, ())]
        owner = self.owner_of_start(spot)
        if owner is not None:
            door = self.entrance[owner]
            hit = self.right[owner] if self.is_next_turn else door
            found.append((before, ENTRANCE, self.bit[door], (color, origin, door, 0), hit, ()))
        return found


class ManipulationCore(Core[ManipulationTables]):
    """A position of Basic Manipulation; `arrived` counts the tokens in the refuges."""

    __slots__ = ()

    def movers(self) -> tuple[int, ...]:
        """The colours that the seat to move may move: its own, or a partner's once its own have all arrived."""
        t = self.t
        own = t.colors_of_seat[self.turn]
        if t.is_partners and self.arrived[own[0]] == PIECES_OF_A_COLOR:
            return (t.mate[own[0]],)
        return own

    def friends(self, color: int) -> int:
        mate = self.t.mate[color]
        return self.own[mate] if mate != NO_MATE else 0

    def moves(self, die: int) -> list[Move]:
        t = self.t
        found: list[Move] = []
        set_backs: list[Move] = []
        for color in self.movers():
            entries = t.entries[color][die]
            own = self.own[color]
            others = self.all ^ own
            for p in self.on[color]:
                for entry in entries[p]:
                    if entry[0] & own:
                        continue
                    if entry[1] == ORDINARY and not entry[2] & others:
                        found.append(entry[3])
                    else:
                        self._met(color, entry, found, set_backs)
                if p == t.right[color]:
                    self._from_the_world(color, p, die, found)
            if (die == SIX or die == 1) and self.at_home[color]:
                self._bring_out(color, die, found, set_backs)
            if t.has_twins[color][die] and len(found) > 1:
                found = self._without_twins(found)
        return found or set_backs

    def _without_twins(self, found: list[Move]) -> list[Move]:
        """Keeps one of two paths between the same spots: around the lane, not through THE WORLD."""
        bit = self.t.bit
        first: dict[tuple[int, int, int, int], Move] = {}
        for move in found:
            first.setdefault((move[0], move[1], bit[move[2]], move[3]), move)
        return list(first.values())

    def _met(self, color: int, entry: Entry, found: list[Move], set_backs: list[Move]) -> None:
        """A path that ends on a safety, at an entrance, or where another's token stands."""
        _, ending, bit, move, hit, beyond = entry
        t = self.t
        own = self.own[color]
        mate = t.mate[color]
        friends = self.friends(color)
        if ending == ENTRANCE:
            owner = t.entrance.index(move[2])
            if bit & self.own[owner] and owner != mate:
                found.append((color, move[1], hit, bit))
            elif t.is_partners and owner == mate and not bit & self.all:
                found.append(move)
        elif not bit & self.all:
            found.append(move)
        elif t.is_two and bit & friends:
            return
        elif ending == SAFETY:
            for entry in beyond:
                if not entry[0] & own:
                    self._met(color, entry, found, set_backs)
        elif bit & friends:
            set_backs.append((color, move[1], hit, bit))
        else:
            found.append((color, move[1], hit, bit))

    def _bring_out(self, color: int, die: int, found: list[Move], set_backs: list[Move]) -> None:
        t = self.t
        own = self.own[color]
        friends = self.friends(color)
        bit = t.bit[t.start[color]]
        if not bit & self.all:
            found.append(t.enter[color])
        elif not bit & (own | friends):
            found.append((color, t.home, t.start[color], bit))
        elif bit & friends and not t.is_two:
            set_backs.append((color, t.home, t.start[color], bit))
        door = t.bit[t.entrance[color]] & self.all & ~own & ~friends
        if die == 1 and door and (not t.is_next_turn or self._is_fresh(color, door)):
            found.append((color, t.home, t.entrance[color], door))

    def _is_fresh(self, color: int, door: int) -> bool:
        return self.marker_at(door)[1] == self.t.right[color]

    def _from_the_world(self, color: int, place: int, die: int, found: list[Move]) -> None:
        """`refuge_exact_from_world`: the number of free spaces in line, no less."""
        free = self.free_in_line(color)
        if free == die:
            found.append((color, place, self.t.refuge[color][free - 1], 0))

    def free_in_line(self, color: int) -> int:
        """The free refuge spaces from the entrance on up to the first token there."""
        t = self.t
        for n, p in enumerate(t.refuge[color]):
            if t.bit[p] & self.own[color]:
                return n
        return len(t.refuge[color])

    def after(self, move: Move, die: int) -> bool:
        t = self.t
        if die == SIX and (t.six_again if move[1] != t.home else t.six_enter_again):
            return True
        self._pass()
        return False

    def sit_out(self, die: int) -> bool:
        self._pass()
        return False

    def _pass(self) -> None:
        t = self.t
        if t.is_next_turn:
            for color in {*t.colors_of_seat[self.turn], *self.movers()}:
                right = t.right[color]
                for x in range(4):
                    if x != color and right in self.on[x]:
                        self.on[x][self.on[x].index(right)] = t.entrance[color]
        self.pass_on()


def _are_twins(entries: tuple[Entry, ...]) -> bool:
    """Whether two entries of a token end on the same circle."""
    ends = [end for entry in entries for end in _ends(entry)]
    return len(ends) > len(set(ends))


def _ends(entry: Entry) -> list[int]:
    return [entry[2], *(end for beyond in entry[5] for end in _ends(beyond))]


@lru_cache(maxsize=64)
def tables_for(text: str, options: tuple[tuple[str, str], ...], name: str) -> ManipulationTables:
    """The tables of a board file's text under a mode and house rules, made once. Raises: KitError."""
    return ManipulationTables(board_of_text(text, name), dict(options), name)
