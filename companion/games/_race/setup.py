"""The states of a race game: the start, a position in notation, JSON, the engine's form; and the methods of each
game."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from companion.game.board import PIECES_OF_A_COLOR, SHIPPED, Board, board_of_text, board_text, load_board
from companion.game.errors import NotationError
from companion.game.game import Fault, Game
from companion.game.options import chosen
from companion.game.parts import AsksPeople, ChecksTable, SeesTable
from companion.game.says import Says
from companion.games._race import core as engine
from companion.games._race import notation, status
from companion.games._race.state import Moved, RaceState

Action = Any
"""`DieRolled`, `RollDeclined`, or the game's own `Moved`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cites:
    """The paragraphs of the sheet for rules that both games share."""

    first: str
    tie: str
    roll: str
    turn: str
    must: str
    again: str
    no_move: str
    held: str
    count: str
    one_a_spot: str
    board: str
    win: str


class RaceSetup(
    Game[RaceState, Action], SeesTable[RaceState, Action], ChecksTable[RaceState], AsksPeople[RaceState, Action]
):
    """The states of a race game, and the methods that each of the two games provides for the shared parts."""

    piece: ClassVar[str]
    reader = "board"
    home: ClassVar[str]
    home_words: ClassVar[tuple[str, ...]]
    moved: ClassVar[type[Moved]]
    cites: ClassVar[Cites]
    may_decline: ClassVar[bool] = False
    """Whether a further roll is the player's choice."""
    state_type: ClassVar[Any] = RaceState

    # methods that each game provides

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
        """The effects of a legal move, in words."""

    @abstractmethod
    def _rule(self, core: engine.Core, move: engine.Move, die: int) -> str:
        """The paragraph that allows a legal move."""

    @abstractmethod
    def _why_not(self, core: engine.Core, action: Moved, die: int) -> tuple[Says, str]:
        """Why a move of the seat's own colour is not legal, and the paragraph."""

    @abstractmethod
    def _more_faults(self, core: engine.Core, state: RaceState) -> tuple[Fault, ...]:
        """Further faults of a position whose spots and numbers are all in order."""

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
        """A state from a position in notation; colours and markers not listed are at the beginning.

        The spots are not checked: `status` lists impossible ones. Raises: NotationError that names the field.
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

    def after(self, state: RaceState, core: engine.Core, die: int | None = None) -> RaceState:
        """A state with the markers and the turn of a core."""
        tables = core.tables
        pieces = {
            tables.colors[c]: (
                *[self.home] * core.at_home[c],
                *(tables.names[p] for p in sorted(core.on[c], key=lambda p: tables.bit[p])),
                *[tables.names[tables.done]] * (PIECES_OF_A_COLOR - core.at_home[c] - len(core.on[c])),
            )
            for c in tables.in_play
        }
        return replace(state, pieces=pieces, turn=state.seats[core.turn], die=die, held=core.held, again=False)

    def _blank(self, seats: int | None, given: Mapping[str, str], board: str | None) -> RaceState:
        options = chosen(self.options, given, self.title)
        self._plan(seats, options, given)
        name = self._board_name(options)
        if board is not None and board_of_text(board, "board") == load_board(name):
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

    def state_of_json(self, data: Any) -> RaceState:
        state: RaceState = super().state_of_json(data)
        options = chosen(self.options, state.options, self.title)
        if state.seats != self._seats_of(options):
            expected = ", ".join(self._seats_of(options))
            raise NotationError(f"the seats are {', '.join(state.seats)}, expected {expected} by the options", "seats")
        if state.board_file is None and SHIPPED.get(state.board) != self.name:
            raise NotationError(f"there is no board {state.board!r} of {self.title}: give its file", "board")
        return replace(state, options=options)

    def colors_to_move(self, core: engine.Core) -> tuple[int, ...]:
        """The colours that the seat to move may move now."""
        return core.tables.colors_of_seat[core.turn]
