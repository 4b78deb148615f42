"""The states of a race game: the start, a position in notation, the engine's form and back.

Also tells why an observed position cannot be, before any rule is asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from companion.game.board import PIECES_OF_A_COLOR, board_of_text
from companion.game.brought import boards, load_board
from companion.game.errors import NotationError
from companion.game.options import chosen
from companion.game.says import Says, counted, each_as, either
from companion.game.values import Fault
from companion.games.race import core as engine
from companion.games.race import notation
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
    faults = broken(sheet, state)
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


def broken(sheet: RaceSheet, state: RaceState) -> tuple[Fault, ...]:
    """Faults that leave no position to judge: colours, spots, numbers, two on a spot, turn and die."""
    tables = tables_of(sheet, state)
    faults = list(_turn_faults(sheet, state))
    playing = [tables.colors[c] for c in tables.in_play]
    for color in playing:
        if color not in state.pieces:
            faults.append(
                Fault(
                    Says("{color} plays and has no piece", {"color": color, "piece": sheet.piece}),
                    sheet.cites.count,
                    color,
                )
            )
    standing: dict[str, str] = {}
    for color, spots in state.pieces.items():
        if color not in playing:
            says = Says(
                "{color} does not play, expected {colors}",
                {"color": color, "colors": either(each_as("color", playing))},
            )
            faults.append(Fault(says, sheet.cites.count, color))
            continue
        if len(spots) != PIECES_OF_A_COLOR:
            values = {"color": color, "piece": sheet.piece}
            words = ("{color} has one piece, expected 4", "{color} has {count} pieces, expected 4")
            says = counted(len(spots), *words, values, none="{color} has no piece, expected 4")
            faults.append(Fault(says, sheet.cites.count, color))
        for spot in spots:
            faults += _spot_faults(sheet, tables, state, color, spot, standing)
    return tuple(faults)


def _spot_faults(
    sheet: RaceSheet, tables: engine.Tables, state: RaceState, color: str, spot: str, standing: dict[str, str]
) -> list[Fault]:
    done = tables.names[tables.done]
    if spot in (sheet.home, done) and spot:
        return []
    circle = spot.removesuffix("!")
    if not circle or circle not in tables.place:  # a game may leave the name of its DONE place empty
        says = Says("{color}: the board has no spot {spot}", {"color": color, "spot": spot or "''"})
        return [Fault(says, sheet.cites.board, spot)]
    c = tables.colors.index(color)
    if spot not in tables.place or not tables.may_stand(c, tables.place[spot]):
        says = Says("{color} cannot stand on {spot}", {"color": color, "spot": spot})
        if spot != circle and tables.may_stand(c, tables.place[circle]):
            words = "the ! on {spot} marks a right that {color} cannot have there: leave it out"
            says = Says(words, {"color": color, "spot": circle})
        return [Fault(says, sheet.cites.board, spot)]
    if standing.get(circle) == color and state.pieces[color].count(spot) <= sheet.most_on_a_spot:
        return []
    if circle in standing:
        says = Says("two on {spot}: {first} and {color}", {"spot": circle, "first": standing[circle], "color": color})
        return [Fault(says, sheet.cites.one_a_spot, circle)]
    standing[circle] = color
    return []


def _turn_faults(sheet: RaceSheet, state: RaceState) -> list[Fault]:
    faults = []
    seats = ", ".join(state.seats)
    if not state.rolling and state.turn is None:
        says = Says("nobody has the turn and nobody rolls for it, expected one of {seats}", {"seats": seats})
        faults.append(Fault(says, sheet.cites.turn, "turn"))
    elif not state.rolling and state.turn not in state.seats:
        says = Says("it is the turn of {turn}, expected one of {seats}", {"turn": state.turn, "seats": seats})
        faults.append(Fault(says, sheet.cites.turn, "turn"))
    if any(seat not in state.seats for seat in (*state.rolling, *state.first_rolls)):
        faults.append(
            Fault(Says("a seat that does not play rolls for the first turn", {}), sheet.cites.first, "rolling")
        )
    for seat in dict.fromkeys(state.rolling):
        if state.rolling.count(seat) > 1:
            says = Says("{seat} is listed more than once among those who roll for the first turn", {"seat": seat})
            faults.append(Fault(says, sheet.cites.first, "rolling"))
        if seat in state.first_rolls:
            says = Says("{seat} has rolled for the first turn and is still to roll", {"seat": seat})
            faults.append(Fault(says, sheet.cites.first, "first_rolls"))
    for seat, value in state.first_rolls.items():
        if value not in engine.DIE:
            says = Says("{seat} rolled a {value} for the first turn, expected 1 to 6", {"seat": seat, "value": value})
            faults.append(Fault(says, sheet.cites.first, "first_rolls"))
    if state.rolling and (state.die is not None or state.turn is not None or state.held):
        faults.append(
            Fault(
                Says("a turn has begun while the players still roll for the first turn", {}),
                sheet.cites.first,
                "rolling",
            )
        )
    if state.die is not None and state.die not in engine.DIE:
        faults.append(
            Fault(Says("the die shows {value}, expected 1 to 6", {"value": state.die}), sheet.cites.roll, "die")
        )
    if state.again and (state.die is not None or state.rolling or not sheet.may_decline):
        faults.append(Fault(Says("an extra roll is offered where none is due", {}), sheet.cites.again, "again"))
    if state.held < 0:
        says = Says("the number of sixes held is {held}, expected 0 or more", {"held": state.held})
        faults.append(Fault(says, sheet.cites.held, "held"))
    return faults


def unreached(sheet: RaceSheet, state: RaceState, core: engine.Core[Any]) -> tuple[Fault, ...]:
    """Faults of a position that could be set up but never come about: spots off a colour's way, two winners."""
    tables = tables_of(sheet, state)
    faults = []
    for color, spots in state.pieces.items():
        reach = tables.reach(tables.colors.index(color))
        for spot in spots:
            if spot != sheet.home and spot != tables.names[tables.done] and spot.removesuffix("!") not in reach:
                says = Says("{spot} is on no path of {color}", {"color": color, "spot": spot})
                faults.append(Fault(says, sheet.cites.board, spot))
    ended = [side for side in tables.sides if all(core.arrived[c] == PIECES_OF_A_COLOR for c in side)]
    if len(ended) > 1:
        faults.append(Fault(Says("more than one has won", {}), sheet.cites.win, None))
    if ended and (state.die is not None or state.rolling):
        faults.append(Fault(Says("a roll is pending though the game is won", {}), sheet.cites.win, "die"))
    return tuple(faults)
