"""The flow of both race games: first rolls, turns, rolls, moves, extra rolls, the end; and every form of their text.

What a game's sheet decides alone (moves, their effects, why not) is in its own folder; a `RaceGame` asks it through
the methods that begin with an underscore.
"""

from __future__ import annotations

import difflib
import json
from abc import abstractmethod
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

from companion.board import PIECES_OF_A_COLOR, SHIPPED, Board, board_of_text, board_text
from companion.errors import NotationError
from companion.game import Applied, Explanation, Fault, Game, Hint, Illegal, JsonObject, Move, Option, Outcome, Ruling
from companion.games._race import core as engine
from companion.games._race import hints, notation, status
from companion.games._race.guide import Guide
from companion.games._race.state import DieRolled, Moved, RaceState
from companion.games._race.weights import weights_for
from companion.says import Says

Action = Any
"""`DieRolled`, or the game's own `Moved`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cites:
    """Where the sheet says what both games have in common."""

    first: str
    tie: str
    roll: str
    turn: str
    must: str
    again: str
    no_move: str
    held: str
    sent_back: str
    bring_out: str
    count: str
    one_a_spot: str
    board: str
    win: str


class RaceGame(Game[RaceState, Action]):
    """A race game over the shared core."""

    piece: ClassVar[str]
    home: ClassVar[str]
    home_words: ClassVar[tuple[str, ...]]
    moved: ClassVar[type[Moved]]
    cites: ClassVar[Cites]
    state_type: ClassVar[Any] = RaceState

    def __init__(self) -> None:
        self._guides: WeakKeyDictionary[engine.Tables, Guide] = WeakKeyDictionary()

    # what each game tells

    @abstractmethod
    def _plan(self, seats: int | None, options: dict[str, str], given: Mapping[str, str]) -> None:
        """Settles options that follow from the number of seats. Raises: NotationError."""

    @abstractmethod
    def _seats_of(self, options: Mapping[str, str]) -> tuple[str, ...]:
        """The seats that the options make, clockwise."""

    @abstractmethod
    def _board_name(self, options: Mapping[str, str]) -> str:
        """The board that comes with the product and is played on."""

    @abstractmethod
    def _tables(self, text: str, options: Mapping[str, str], name: str) -> engine.Tables:
        """The tables of a board. Raises: KitError."""

    @abstractmethod
    def _new_core(self, tables: engine.Tables) -> engine.Core:
        """A core with every marker at the beginning."""

    @abstractmethod
    def _first_pieces(self, tables: engine.Tables, color: int) -> tuple[str, ...]:
        """A colour's spots when the game begins."""

    @abstractmethod
    def _effects(self, core: engine.Core, move: engine.Move, die: int) -> tuple[Says, ...]:
        """What a legal move brings, in words."""

    @abstractmethod
    def _rule(self, core: engine.Core, move: engine.Move, die: int) -> str:
        """The paragraph that allows a legal move."""

    @abstractmethod
    def _why_not(self, core: engine.Core, action: Moved, die: int) -> tuple[Says, str]:
        """Why a move of the seat's own colour is not legal, and the paragraph."""

    @abstractmethod
    def _more_faults(self, core: engine.Core, state: RaceState) -> tuple[Fault, ...]:
        """What else cannot be, once every spot and number is in order."""

    # states

    def start(
        self, seats: int | None = None, options: Mapping[str, str] | None = None, board: str | None = None
    ) -> RaceState:
        state = self._blank(seats, options or {}, board)
        tables = self.tables(state)
        pieces = {tables.colors[c]: self._first_pieces(tables, c) for c in tables.in_play}
        return replace(state, pieces=pieces, rolling=state.seats)

    def state_of_position(
        self,
        position: str,
        *,
        turn: str,
        die: int | None = None,
        held: tuple[int, ...] = (),
        mode: str | None = None,
        options: Mapping[str, str] | None = None,
        board: str | None = None,
    ) -> RaceState:
        """A state in the notation of a position; colours and markers not listed are at the beginning.

        The spots are taken as written: `status` lists what cannot be. Raises: NotationError that names the field.
        """
        given = dict(options or {})
        if mode is not None:
            if "mode" not in {option.key for option in self.options}:
                raise NotationError(f"{self.title} has no modes, expected no mode", "mode")
            given["mode"] = mode
        state = self._blank(None, given, board)
        if die is not None and die not in engine.DIE:
            raise NotationError(f"the die shows {die}, expected 1 to {engine.SIX}", "die")
        if any(value != engine.SIX for value in held):
            raise NotationError(f"held is {','.join(map(str, held))}, expected sixes only, as in 6,6", "held")
        pieces = self._pieces_of_position(position, state)
        return replace(state, pieces=pieces, turn=self._seat_named(turn, state), die=die, held=len(held))

    def tables(self, state: RaceState) -> engine.Tables:
        """The tables under a state. Raises: KitError for a board file that cannot be used."""
        text = state.board_file if state.board_file is not None else board_text(state.board)
        return self._tables(text, state.options, "board" if state.board_file is not None else f"{state.board}.toml")

    def board(self, state: RaceState) -> Board:
        """The board a state is played on."""
        return self.tables(state).board

    def core(self, state: RaceState) -> engine.Core:
        """The engine's form of a state. Raises: NotationError where the state cannot be."""
        faults = status.broken(self, state)
        if faults:
            raise NotationError(str(faults[0].says), faults[0].where)
        tables = self.tables(state)
        core = self._new_core(tables)
        for color, spots in state.pieces.items():
            c = tables.colors.index(color)
            for spot in spots:
                if spot != self.home:
                    core.put(c, tables.place[spot])
        core.turn = state.seats.index(state.turn) if state.turn in state.seats else 0
        core.held = state.held
        return core

    def _after(self, state: RaceState, core: engine.Core, die: int | None) -> RaceState:
        tables = core.tables
        pieces = {
            tables.colors[c]: (
                *[self.home] * core.at_home[c],
                *(tables.names[p] for p in sorted(core.on[c], key=lambda p: tables.bit[p])),
                *[tables.names[tables.done]] * (PIECES_OF_A_COLOR - core.at_home[c] - len(core.on[c])),
            )
            for c in tables.in_play
        }
        return replace(state, pieces=pieces, turn=state.seats[core.turn], die=die, held=core.held)

    def _blank(self, seats: int | None, given: Mapping[str, str], board: str | None) -> RaceState:
        options = {option.key: option.default for option in self.options}
        for key, value in given.items():
            options[key] = _checked_option(self.options, key, value, self.title)
        self._plan(seats, options, given)
        name = self._board_name(options)
        if board is not None and board.strip() == board_text(name).strip():
            board = None
        if board is not None:
            name = board_of_text(board, "board").name
            self._tables(board, options, "board")
        return RaceState(board=name, seats=self._seats_of(options), options=options, pieces={}, board_file=board)

    def _pieces_of_position(self, position: str, state: RaceState) -> dict[str, tuple[str, ...]]:
        tables = self.tables(state)
        words = {color[0]: color for color in tables.colors}
        pieces = {tables.colors[c]: (self.home,) * PIECES_OF_A_COLOR for c in tables.in_play}
        order = {name: tables.bit[p] for name, p in tables.place.items()}
        order[tables.names[tables.done]] = 1 << len(tables.names)
        for letter, spots in notation.spots_of_position(position).items():
            named = [self.home if spot in self.home_words else spot for spot in spots]
            named += [self.home] * (PIECES_OF_A_COLOR - len(named))
            pieces[words.get(letter, letter)] = tuple(sorted(named, key=lambda spot: order.get(spot, 0)))
        return pieces

    def _seat_named(self, word: str, state: RaceState) -> str:
        tables = self.tables(state)
        for seat, own in zip(state.seats, tables.colors_of_seat, strict=True):
            if word == seat or word in [tables.letters[c] for c in own] or word in [tables.colors[c] for c in own]:
                return seat
        raise NotationError(f"turn is {word!r}, expected one of {', '.join(s[0] for s in state.seats)}", "turn")

    # turns

    def seats(self, state: RaceState) -> tuple[str, ...]:
        return state.seats

    def to_move(self, state: RaceState) -> tuple[str, ...]:
        if self.outcome(state) is not None:
            return ()
        return state.rolling or ((state.turn,) if state.turn else ())

    def legal(self, state: RaceState) -> tuple[Move[Action], ...]:
        core = self.core(state)
        if self.outcome(state) is not None:
            return ()
        if state.die is None:
            rule = self.cites.first if state.rolling else self.cites.roll
            return tuple(
                Move(
                    DieRolled(seat, value),
                    f"{seat[0]} d{value}" if state.rolling else f"d{value}",
                    Says("{seat} rolls a {value}", {"seat": seat, "value": value}),
                    (),
                    rule,
                )
                for seat in self.to_move(state)
                for value in engine.DIE
            )
        return tuple(self.told(core, move, state.die) for move in core.moves(state.die))

    def told(self, core: engine.Core, move: engine.Move, die: int) -> Move[Action]:
        """A core's move with its words, effects and rule."""
        action = self.action_of_move(core, move)
        return Move(
            action,
            self.move_text(core, action),
            self._sentence(action),
            self._effects(core, move, die),
            self._rule(core, move, die),
        )

    def _sentence(self, action: Moved) -> Says:
        values = {"color": action.color, "origin": action.origin, "to": action.to, "piece": self.piece}
        if action.origin == self.home:
            return Says("bring out a {color} {piece} to {to}", values)
        return Says("{color} {piece} from {origin} to {to}", values)

    def action_of_move(self, core: engine.Core, move: engine.Move) -> Moved:
        """The fact that a core's move is: who goes where, and who is sent back (passed first, landed on last)."""
        tables = core.tables
        color, origin, to, sent = move
        landing = tables.bit[to]
        bits = [bit for bit in tables.circle_of_bit if bit & sent and not bit & landing] + (
            [landing] if sent & landing else []
        )
        return self.moved(
            color=tables.colors[color],
            origin=tables.circle(origin),
            to=tables.circle(to),
            sent_back=tuple(tables.colors[core.marker_at(bit)[0]] for bit in bits),
        )

    def _found(self, core: engine.Core, action: Moved, die: int) -> engine.Move | None:
        for move in core.moves(die):
            if self.action_of_move(core, move) == action:
                return move
        return None

    def apply(self, state: RaceState, action: Action) -> Applied[RaceState]:
        explained = self.explain(state, action)
        if not explained.is_legal:
            raise Illegal(explained.says, explained.rule)
        if isinstance(action, DieRolled):
            return self._first_roll(state, action) if state.rolling else self._rolled(state, action)
        return self._moved(state, action)

    def _first_roll(self, state: RaceState, action: DieRolled) -> Applied[RaceState]:
        rolls = {**state.first_rolls, action.seat: action.value}
        left = tuple(seat for seat in state.rolling if seat != action.seat)
        if left:
            return Applied(replace(state, first_rolls=rolls, rolling=left))
        best = max(rolls.values())
        first = tuple(seat for seat in state.seats if rolls.get(seat) == best)
        if len(first) > 1:
            says = Says("{seats} rolled a {value} each: they roll again", {"seats": " and ".join(first), "value": best})
            return Applied(replace(state, first_rolls={}, rolling=first), (Ruling(None, says, self.cites.tie),))
        says = Says("{seat} rolled highest and begins", {"seat": first[0]})
        now = replace(state, first_rolls={}, rolling=(), turn=first[0])
        return Applied(now, (Ruling(first[0], says, self.cites.first),))

    def _rolled(self, state: RaceState, action: DieRolled) -> Applied[RaceState]:
        core = self.core(state)
        if core.moves(action.value):
            return Applied(replace(state, die=action.value))
        again = core.sit_out(action.value)
        values = {"seat": action.seat, "value": action.value, "next": state.seats[core.turn], "piece": self.piece}
        if again:
            says = Says("{seat} has no {piece} to move a {value}: it is held, {seat} rolls again", values)
            ruling = Ruling(action.seat, says, self.cites.held)
        else:
            says = Says("{seat} has no {piece} to move a {value}: the turn passes to {next}", values)
            ruling = Ruling(action.seat, says, self.cites.no_move)
        return Applied(self._after(state, core, None), (ruling,))

    def _moved(self, state: RaceState, action: Moved) -> Applied[RaceState]:
        core = self.core(state)
        die = state.die
        assert die is not None
        assert state.turn is not None
        move = self._found(core, action, die)
        assert move is not None
        rulings = [
            Ruling(state.turn, says, self._rule(core, move, die), piece=action.to)
            for says in self._effects(core, move, die)
        ]
        core.make(move)
        if core.winner() != engine.NOBODY:
            now = replace(self._after(state, core, None), held=0)
            over = self.outcome(now)
            assert over is not None
            return Applied(now, (*rulings, Ruling(state.turn, over.says, over.rule)))
        if core.after(move, die):
            says = Says("{seat} rolled a {value}: {seat} rolls again", {"seat": state.turn, "value": die})
            rulings.append(Ruling(state.turn, says, self.cites.again))
        now = self._after(state, core, None)
        return Applied(now, tuple(rulings))

    # why not

    def explain(self, state: RaceState, action: Action) -> Explanation:
        core = self.core(state)
        says, rule = self._phase_forbids(state, action) or (None, "")
        if says is None and isinstance(action, Moved):
            assert state.die is not None
            move = self._found(core, action, state.die)
            if move is not None:
                told = self.told(core, move, state.die)
                return Explanation(True, told.text, told.rule)
            says, rule = self._seat_forbids(core, state, action) or self._why_not(core, action, state.die)
        if says is not None:
            return Explanation(False, says, rule)
        says = Says("{seat} rolls a {value}", {"seat": action.seat, "value": action.value})
        return Explanation(True, says, self.cites.first if state.rolling else self.cites.roll)

    def _phase_forbids(self, state: RaceState, action: Action) -> tuple[Says, str] | None:
        over = self.outcome(state)
        if over is not None:
            return Says("the game is over: {how}", {"how": str(over.says)}), over.rule
        if isinstance(action, Moved):
            if state.rolling:
                values = {"seats": ", ".join(state.rolling)}
                return Says("the first turn is not settled: {seats} still to roll", values), self.cites.first
            if state.die is None:
                return Says("{seat} has not rolled yet", {"seat": state.turn}), self.cites.roll
            return None
        if action.value not in engine.DIE:
            return Says("the die shows {value}, expected 1 to 6", {"value": action.value}), self.cites.roll
        if state.rolling:
            if action.seat in state.rolling:
                return None
            values = {"seat": action.seat, "seats": ", ".join(state.rolling)}
            return Says("it is not {seat} who rolls for the first turn, but {seats}", values), self.cites.first
        if state.die is not None:
            waits = {"seat": state.turn, "value": state.die}
            return Says("{seat} has rolled a {value} and moves before anybody rolls", waits), self.cites.must
        if action.seat != state.turn:
            return Says(
                "it is {turn} who rolls, not {seat}", {"turn": state.turn, "seat": action.seat}
            ), self.cites.turn
        return None

    def _seat_forbids(self, core: engine.Core, state: RaceState, action: Moved) -> tuple[Says, str] | None:
        tables = core.tables
        values = {"turn": state.turn, "color": action.color, "spot": action.origin, "piece": self.piece}
        mine = [tables.colors[c] for c in self.colors_to_move(core)]
        if action.color not in mine:
            values["mine"] = " or ".join(mine)
            return Says("{turn} moves {mine} now, not {color}", values), self.cites.turn
        if action.origin not in [spot.removesuffix("!") for spot in state.pieces[action.color]]:
            return Says("no {color} {piece} is on {spot}", values), self.cites.turn
        if action.to not in tables.board.spots and action.to != tables.names[tables.done]:
            return Says("there is no spot {spot} on the board", {"spot": action.to}), self.cites.board
        return None

    def colors_to_move(self, core: engine.Core) -> tuple[int, ...]:
        """The colours that the seat to move may move now."""
        return core.tables.colors_of_seat[core.turn]

    def status(self, state: RaceState) -> tuple[Fault, ...]:
        faults = status.broken(self, state)
        return faults or status.unreached(self, state) + self._more_faults(self.core(state), state)

    # the end

    def score(self, state: RaceState) -> Mapping[str, float]:
        core = self.core(state)
        tables = core.tables
        return {
            seat: float(sum(core.arrived[c] for c in own))
            for seat, own in zip(state.seats, tables.colors_of_seat, strict=True)
        }

    def outcome(self, state: RaceState) -> Outcome | None:
        tables = self.tables(state)
        for side, colors in enumerate(tables.sides):
            if all(self._has_arrived(tables, state.pieces.get(tables.colors[c], ())) for c in colors):
                own = tuple(s for s, of in zip(state.seats, tables.side_of_seat, strict=True) if of == side)
                points = {seat: float(seat in own) for seat in state.seats}
                values = {"seats": " and ".join(own), "piece": self.piece}
                return Outcome(
                    own, Says("{seats}: every {piece} has arrived, the game is won", values), self.cites.win, points
                )
        return None

    def _has_arrived(self, tables: engine.Tables, spots: tuple[str, ...]) -> bool:
        return len(spots) == PIECES_OF_A_COLOR and all(spot == tables.names[tables.done] for spot in spots)

    # text

    def state_of_json(self, data: Any) -> RaceState:
        state: RaceState = super().state_of_json(data)
        options = {option.key: option.default for option in self.options}
        for key, value in state.options.items():
            options[key] = _checked_option(self.options, key, value, self.title)
        if state.seats != self._seats_of(options):
            expected = ", ".join(self._seats_of(options))
            raise NotationError(f"the seats are {', '.join(state.seats)}, expected {expected} by the options", "seats")
        if state.board_file is None and SHIPPED.get(state.board) != self.name:
            raise NotationError(f"there is no board {state.board!r} of {self.title}: give its file", "board")
        return replace(state, options=options)

    def move_text(self, core: engine.Core, action: Moved) -> str:
        """The move as the command line writes it: the colour before it only where the seat moves two."""
        with_color = len(core.tables.colors_of_seat[core.turn]) > 1
        return self._written(action, with_color=with_color)

    def _written(self, action: Moved, *, with_color: bool) -> str:
        verb = self._verb(action)
        parts = notation.MoveText(
            action.color[0] if with_color else None,
            verb,
            None if verb else action.origin,
            action.to,
            tuple(color[0] for color in action.sent_back),
        )
        return notation.move_text(parts)

    def _verb(self, action: Moved) -> str | None:
        return "enter" if action.origin == self.home else None

    def action_text(self, action: Action) -> str:
        if isinstance(action, DieRolled):
            return f"{action.seat[0]} d{action.value}"
        return self._written(action, with_color=True)

    def action_of_text(self, text: str, state: RaceState | None = None) -> Action:
        words = {color[0]: color for color in (self.tables(state).colors if state else self._default_colors())}
        roll = notation.parse_roll(text)
        if roll:
            letter, value = roll
            seat = words.get(letter, letter) if letter else (state.turn if state else None)
            if seat is None:
                raise NotationError(f"the roll {text!r} does not say whose, expected the seat's letter first", "seat")
            return DieRolled(seat, value)
        move = notation.parse_move(text)
        if move is None:
            raise NotationError(
                f"the action is {text!r}, expected a roll such as 'r d4' or a move such as 'r A8-A12'", "action"
            )
        if move.color is None and state is not None:
            return self._only_color(text, move, words, state)
        if move.color is None:
            raise NotationError(f"the move {text!r} does not say whose, expected the colour's letter first", "color")
        return self._action_of_parts(move, words.get(move.color, move.color), words)

    def _only_color(self, text: str, move: notation.MoveText, words: Mapping[str, str], state: RaceState) -> Moved:
        core = self.core(state)
        colors = [core.tables.colors[c] for c in self.colors_to_move(core)]
        origin = self.home if move.verb else move.origin
        there = [c for c in colors if origin in [spot.removesuffix("!") for spot in state.pieces[c]]] or colors
        if len(there) > 1:
            raise NotationError(
                f"the move {text!r} may be {' or '.join(there)}, expected the colour's letter first", "color"
            )
        return self._action_of_parts(move, there[0], words)

    def _action_of_parts(self, move: notation.MoveText, color: str, words: Mapping[str, str]) -> Moved:
        origin = self.home if move.verb else (move.origin or "")
        return self.moved(color, origin, move.to, tuple(words.get(letter, letter) for letter in move.sent))

    def _default_colors(self) -> tuple[str, ...]:
        return board_of_text(board_text(next(n for n, game in SHIPPED.items() if game == self.name))).colors

    def state_text(self, state: RaceState) -> str:
        parts = [notation.position_of_spots(state.pieces)]
        if state.rolling:
            parts.append("rolling " + " ".join(seat[0] for seat in state.rolling))
        if state.first_rolls:
            parts.append("first " + " ".join(f"{seat[0]}{value}" for seat, value in state.first_rolls.items()))
        if state.turn:
            parts.append(f"turn {state.turn[0]}")
        if state.die is not None:
            parts.append(f"die {state.die}")
        if state.held:
            parts.append("held " + ",".join([str(engine.SIX)] * state.held))
        parts += [f"{o.key}={state.options[o.key]}" for o in self.options if state.options[o.key] != o.default]
        if state.board_file is not None:
            parts.append("board " + json.dumps(state.board_file))
        return " | ".join(parts)

    def state_of_text(self, text: str) -> RaceState:
        text, _, board = text.partition(" | board ")
        position, *rest = (part.strip() for part in text.split("|"))
        told: dict[str, str] = {}
        given: dict[str, str] = {}
        for part in rest:
            key, gap, value = part.partition(" ")
            option, equals, choice = part.partition("=")
            if equals:
                given[option] = choice
            elif gap and key in ("rolling", "first", "turn", "die", "held") and key not in told:
                told[key] = value
            else:
                raise NotationError(f"the state has {part!r}, expected a part such as 'turn r' or 'die 4'", key)
        blank = self._blank(None, given, _board_json(board))
        state = replace(blank, pieces=self._pieces_of_position(position, blank))
        return replace(state, **self._told_parts(told, state))

    def _told_parts(self, told: Mapping[str, str], state: RaceState) -> dict[str, Any]:
        parts: dict[str, Any] = {}
        if "rolling" in told:
            parts["rolling"] = tuple(self._seat_named(word, state) for word in told["rolling"].split())
        if "first" in told:
            rolls = told["first"].split()
            parts["first_rolls"] = {self._seat_named(word[0], state): _digit(word[1:], "first") for word in rolls}
        if "turn" in told:
            parts["turn"] = self._seat_named(told["turn"], state)
        if "die" in told:
            parts["die"] = _digit(told["die"], "die")
        if "held" in told:
            held = [_digit(word, "held") for word in told["held"].split(",")]
            if any(value != engine.SIX for value in held):
                raise NotationError(f"held is {told['held']}, expected sixes only, as in 6,6", "held")
            parts["held"] = len(held)
        return parts

    # the match around it

    def says(self, action: Action) -> Says:
        """The action in words."""
        if isinstance(action, DieRolled):
            return Says("{seat} rolls a {value}", {"seat": action.seat, "value": action.value})
        return self._sentence(action)

    def put_back(self, before: RaceState, after: RaceState) -> tuple[Says, ...]:
        """Which markers to move by hand so that the table of `after` is that of `before` again."""
        found = []
        for color, spots in before.pieces.items():
            was, now = (Counter(spot.removesuffix("!") for spot in of) for of in (spots, after.pieces[color]))
            for here, there in zip((now - was).elements(), (was - now).elements(), strict=True):
                values = {"color": color, "piece": self.piece, "here": here, "there": there}
                found.append(Says("{color} {piece} from {here} back to {there}", values))
        return tuple(found)

    # help

    @abstractmethod
    def view(self, state: RaceState, seat: str | None) -> JsonObject: ...

    @abstractmethod
    def contest(self, state: RaceState) -> str:
        """Which of the fitted contests of `hints.toml` a state belongs to."""

    def guide(self, state: RaceState) -> Guide:
        """The player and judge behind the hints, made once for a board and its seats."""
        tables = self.tables(state)
        found = self._guides.get(tables)
        if found is None:
            board = state.board if state.board_file is None else ""
            found = self._guides[tables] = Guide(tables, weights_for(self.name, board, self.contest(state)))
        return found

    def hints(
        self, state: RaceState, seat: str, *, within_ms: float = 300.0, seed: int = 0, playouts: int | None = None
    ) -> tuple[Hint[Action], ...]:
        return hints.hints(self, state, seat, within_ms=within_ms, seed=seed, playouts=playouts)


def _checked_option(options: tuple[Option, ...], key: str, value: str, title: str) -> str:
    for option in options:
        if option.key == key:
            if value not in option.choices:
                raise NotationError(f"option {key} is {value!r}, expected one of {', '.join(option.choices)}", key)
            return value
    keys = [option.key for option in options]
    near = difflib.get_close_matches(key, keys, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"expected one of {', '.join(keys)}"
    raise NotationError(f"{title} has no option {key!r}: {hint}", key)


def _digit(word: str, key: str) -> int:
    if not (len(word) == 1 and word.isdigit()):
        raise NotationError(f"{key} has {word!r}, expected a number of the die", key)
    return int(word)


def _board_json(text: str) -> str | None:
    if not text:
        return None
    try:
        board = json.loads(text)
    except json.JSONDecodeError as error:
        raise NotationError(f"the board is not a quoted board file ({error})", "board") from error
    if not isinstance(board, str):
        raise NotationError("the board is not a quoted board file", "board")
    return board
