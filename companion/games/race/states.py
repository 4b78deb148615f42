"""The states of a race game: the start, a position in notation, the engine's form and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from companion.game.board import PIECES_OF_A_COLOR, board_of_text
from companion.game.brought import boards, load_board
from companion.game.errors import NotationError
from companion.game.options import chosen
from companion.games.race import core as engine
from companion.games.race import notation, status
from companion.games.race.sheet import RaceSheet, check_keys, tables_of
from companion.games.race.state import RaceState


def start(
    sheet: RaceSheet, seats: int | None = None, options: Mapping[str, str] | None = None, board: str | None = None
) -> RaceState:
    """The first state: every piece at the beginning, and all roll for the first turn."""
    state = blank(sheet, seats, options or {}, board)
    tables = tables_of(sheet, state)
    pieces = {tables.colors[c]: sheet.first_pieces(tables, c) for c in tables.in_play}
    return replace(state, pieces=pieces, rolling=state.seats)


def state_of_position(
    sheet: RaceSheet,
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
        if "mode" not in {option.key for option in sheet.options}:
            raise NotationError(f"{sheet.title} has no modes, expected no mode", "mode")
        given["mode"] = mode
    state = blank(sheet, None, given, board)
    if die is not None and die not in engine.DIE:
        raise NotationError(f"the die shows {die}, expected 1 to {engine.SIX}", "die")
    if any(value != engine.SIX for value in held):
        raise NotationError(f"held is {','.join(map(str, held))}, expected sixes only, as in 6,6", "held")
    pieces = pieces_of_position(sheet, position, state)
    return replace(state, pieces=pieces, turn=seat_named(sheet, turn, state), die=die, held=len(held))


def core_of(sheet: RaceSheet, state: RaceState) -> engine.Core[Any]:
    """The engine's form of a state. Raises: NotationError where the state cannot be."""
    faults = status.broken(sheet, state)
    if faults:
        raise NotationError(str(faults[0].says), faults[0].where)
    tables = tables_of(sheet, state)
    core = sheet.core(tables)
    for color, spots in state.pieces.items():
        c = tables.colors.index(color)
        for spot in spots:
            if spot != sheet.home:
                core.put(c, tables.place[spot])
    core.turn = state.seats.index(state.turn) if state.turn in state.seats else 0
    core.held, core.count = state.held, state.count
    return core


def state_after(sheet: RaceSheet, state: RaceState, core: engine.Core[Any], die: int | None = None) -> RaceState:
    """A state with the markers and the turn of a core."""
    tables = core.t
    pieces = {
        tables.colors[c]: (
            *[sheet.home] * core.at_home[c],
            *(tables.names[p] for p in sorted(core.on[c], key=lambda p: tables.bit[p])),
            *[tables.names[tables.done]] * (PIECES_OF_A_COLOR - core.at_home[c] - len(core.on[c])),
        )
        for c in tables.in_play
    }
    return replace(
        state, pieces=pieces, turn=state.seats[core.turn], die=die, held=core.held, count=core.count, again=False
    )


def blank(sheet: RaceSheet, seats: int | None, given: Mapping[str, str], board: str | None) -> RaceState:
    """A state of these options without pieces. Raises: NotationError, KitError."""
    options = chosen(sheet.options, given, sheet.title)
    sheet.plan(seats, options, given)
    name = sheet.board_name(options)
    if board is not None and board_of_text(board, "board") == load_board(name):
        board = None
    played_on = load_board(name) if board is None else board_of_text(board, "board")
    check_keys(sheet, played_on, name if board is None else "board")
    if board is not None:
        name = played_on.name
        sheet.tables(board, options, "board")
    return RaceState(board=name, seats=sheet.seats_of(options), options=options, pieces={}, board_file=board)


def pieces_of_position(sheet: RaceSheet, position: str, state: RaceState) -> dict[str, tuple[str, ...]]:
    """Each colour's spots in a position; those not listed are at the beginning."""
    tables = tables_of(sheet, state)
    words = {color[0]: color for color in tables.colors}
    pieces = {tables.colors[c]: (sheet.home,) * PIECES_OF_A_COLOR for c in tables.in_play}
    order = {name: tables.bit[p] for name, p in tables.place.items()}
    order[tables.names[tables.done]] = 1 << len(tables.names)
    for letter, spots in notation.spots_of_position(position).items():
        named = [sheet.home if spot in sheet.home_words else spot for spot in spots]
        named += [sheet.home] * (PIECES_OF_A_COLOR - len(named))
        pieces[words.get(letter, letter)] = tuple(sorted(named, key=lambda spot: order.get(spot, 0)))
    return pieces


def seat_named(sheet: RaceSheet, word: str, state: RaceState) -> str:
    """The seat that a word or letter means. Raises: NotationError."""
    tables = tables_of(sheet, state)
    for seat, own in zip(state.seats, tables.colors_of_seat, strict=True):
        if word == seat or word in [tables.letters[c] for c in own] or word in [tables.colors[c] for c in own]:
            return seat
    raise NotationError(f"turn is {word!r}, expected one of {', '.join(s[0] for s in state.seats)}", "turn")


def checked(sheet: RaceSheet, value: Any) -> Any:
    """A state from JSON, with every option. Raises: NotationError for seats or a board that the options do not make."""
    if not isinstance(value, RaceState):
        return value
    options = chosen(sheet.options, value.options, sheet.title)
    if value.seats != sheet.seats_of(options):
        expected = ", ".join(sheet.seats_of(options))
        raise NotationError(f"the seats are {', '.join(value.seats)}, expected {expected} by the options", "seats")
    if value.board_file is None and boards().get(value.board) != sheet.name:
        raise NotationError(f"there is no board {value.board!r} of {sheet.title}: give its file", "board")
    return replace(value, options=options)
