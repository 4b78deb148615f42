"""The states of a race game: the start, a position in notation, the engine's form and back.

Also the notation of positions and actions, and the reasons against an observed position.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from companion.game.board import PIECES_OF_A_COLOR, board_of_text
from companion.game.brought import boards, load_board
from companion.game.errors import NotationError
from companion.game.options import chosen
from companion.game.says import Says, each_as, either
from companion.game.values import Fault
from companion.games.race import core as engine
from companion.games.race.sheet import RaceSheet, check_keys, tables_of
from companion.games.race.state import Action, DieRolled, Moved, PositionSet, RaceState, RollCorrected, RollDeclined

DECLINE = "decline"
_SPOTS = re.compile(r"(?P<spot>[^*]+)(\*(?P<count>[1-9]\d?))?")
_ROLL = re.compile(r"((?P<seat>[a-z]) )?(?P<was>was )?d(?P<value>[0-9]{1,3})")
_MOVE = re.compile(
    r"((?P<color>[a-z]) )?((?P<verb>enter|retake) |(?P<origin>[^\s-]+)-)(?P<to>\S+)(?P<sent>( x\([a-z]\))*)"
)


def spots_of_position(text: str) -> dict[str, tuple[str, ...]]:
    """The spots listed for each letter. Raises: NotationError for text that is not a position."""
    found: dict[str, tuple[str, ...]] = {}
    for part in filter(None, (part.strip() for part in text.split(";"))):
        letter, colon, rest = part.partition(":")
        letter = letter.strip()
        if not colon or not re.fullmatch(r"[a-z]", letter):
            raise NotationError(
                f"the position has {part!r}, expected a colour and its spots, as in 'r: A5 home*3'", "position"
            )
        if letter in found:
            raise NotationError(f"the position lists {letter} twice, expected each colour once", "position")
        spots: list[str] = []
        for word in rest.split():
            listed = _SPOTS.fullmatch(word)
            if listed is None:
                words = f"the position has {word[:20]!r}, expected a spot and a number from 1 to 99, as in 'home*3'"
                raise NotationError(words, "position")
            spots += [listed["spot"]] * int(listed["count"] or 1)
        found[letter] = tuple(spots)
    return found


def position_of_spots(pieces: Mapping[str, Iterable[str]]) -> str:
    """The position of the colours' spots; equal spots are counted.

    >>> position_of_spots({"red": ("home", "home", "A5", "A8!")})
    'r: home*2 A5 A8!'
    """
    parts = []
    for color, spots in pieces.items():
        words = (spot if n == 1 else f"{spot}*{n}" for spot, n in Counter(spots).items())
        parts.append(" ".join([f"{color[0]}:", *words]))
    return "; ".join(parts)


def start(
    sheet: RaceSheet, seats: int | None = None, options: Mapping[str, str] | None = None, board: str | None = None
) -> RaceState:
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
    pieces = pieces_of_position(sheet, position, state)
    return replace(state, pieces=pieces, turn=seat_named(sheet, turn, state), die=die, held=len(held))


def core_of(sheet: RaceSheet, state: RaceState) -> engine.Core[Any]:
    """The engine's form of a state. Raises: NotationError if the state is impossible."""
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


def state_after(sheet: RaceSheet, state: RaceState, core: engine.Core[Any], *, again: bool = False) -> RaceState:
    """A state with the markers and the turn of a core; `again`: the seat rolls again."""
    tables = core.t
    pieces = {
        tables.colors[c]: (
            *[sheet.home] * core.at_home[c],
            *(tables.names[p] for p in sorted(core.on[c], key=lambda p: tables.bit[p])),
            *[tables.names[tables.done]] * (PIECES_OF_A_COLOR - core.at_home[c] - len(core.on[c])),
        )
        for c in tables.in_play
    }
    turn, again = state.seats[core.turn], again and sheet.may_decline
    return replace(state, pieces=pieces, turn=turn, die=None, held=core.held, count=core.count, again=again)


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
    for letter, spots in spots_of_position(position).items():
        named = [sheet.home if spot in sheet.home_words else spot for spot in spots]
        named += [sheet.home] * (PIECES_OF_A_COLOR - len(named))
        pieces[words.get(letter, letter)] = tuple(sorted(named, key=lambda spot: order.get(spot, 0)))
    return pieces


def seat_named(sheet: RaceSheet, word: str, state: RaceState) -> str:
    """The seat that a word or letter means. Raises: NotationError."""
    tables = tables_of(sheet, state)
    for seat, own in zip(state.seats, tables.colors_of_seat, strict=True):
        if any(word in (tables.colors[c], tables.letters[c]) for c in own):
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
    return (*_turn_faults(sheet, state), *_piece_faults(sheet, state))


def _piece_faults(sheet: RaceSheet, state: RaceState) -> Iterator[Fault]:
    tables = tables_of(sheet, state)
    playing = [tables.colors[c] for c in tables.in_play]
    for color in playing:
        if color not in state.pieces:
            says = Says("{color} plays and has no piece", {"color": color, "piece": sheet.piece})
            yield Fault(says, sheet.cites.count, color)
    standing: dict[str, str] = {}
    for color, spots in state.pieces.items():
        if color not in playing:
            colors = either(each_as("color", playing))
            says = Says("{color} does not play, expected {colors}", {"color": color, "colors": colors})
            yield Fault(says, sheet.cites.count, color)
            continue
        if len(spots) != PIECES_OF_A_COLOR:
            says = Says("{color} pieces: {count}, expected 4", {"color": color, "count": len(spots)})
            yield Fault(says, sheet.cites.count, color)
        for spot in spots:
            yield from _spot_faults(sheet, tables, state, color, spot, standing)


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
        values = {"spot": circle, "first": standing[circle], "color": color, "most": sheet.most_on_a_spot}
        if standing[circle] == color and sheet.most_on_a_spot > 1:
            says = Says("{spot} has more than {most} of {color}", values)
        else:
            says = Says("two on {spot}: {first} and {color}", values)
        return [Fault(says, sheet.cites.one_a_spot, circle)]
    standing[circle] = color
    return []


def _turn_faults(sheet: RaceSheet, state: RaceState) -> Iterator[Fault]:
    cites = sheet.cites
    if not state.rolling and state.turn not in state.seats:
        values = {"turn": state.turn or Says("nobody"), "seats": ", ".join(state.seats)}
        yield Fault(Says("it is the turn of {turn}, expected one of {seats}", values), cites.turn, "turn")
    first = (*state.rolling, *state.first_rolls)
    if len(set(first)) < len(first) or not set(first) <= set(state.seats):
        yield Fault(Says("those who roll for the first turn are not each a player once"), cites.first, "rolling")
    for value in (*state.first_rolls.values(), *(() if state.die is None else (state.die,))):
        if value not in engine.DIE:
            yield Fault(Says("the die shows {value}, expected 1 to 6", {"value": value}), cites.roll, "die")
    if state.rolling and (state.die is not None or state.turn is not None or state.held):
        yield Fault(Says("a turn has begun while the players still roll for the first turn"), cites.first, "rolling")
    if state.again and (state.die is not None or state.rolling or not sheet.may_decline):
        yield Fault(Says("an extra roll is offered where none is due"), cites.again, "again")
    if state.held < 0:
        says = Says("the number of sixes held is {held}, expected 0 or more", {"held": state.held})
        yield Fault(says, cites.held, "held")


def unreached(sheet: RaceSheet, state: RaceState, core: engine.Core[Any]) -> tuple[Fault, ...]:
    """Faults of a position that play cannot reach: spots off a colour's route, two winners."""
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


def move_text(sheet: RaceSheet, core: engine.Core[Any], action: Moved) -> str:
    """The move as the command line writes it: with the colour before it only if the seat moves two."""
    with_color = len(core.t.colors_of_seat[core.turn]) > 1
    return _written(sheet, action, with_color=with_color)


def _written(sheet: RaceSheet, action: Moved, *, with_color: bool) -> str:
    color = f"{action.color[0]} " if with_color else ""
    way = f"{action.origin}-" if action.origin != sheet.home else f"{sheet.verb(action) or 'enter'} "
    return color + way + action.to + "".join(f" x({sent[0]})" for sent in action.sent_back)


def action_text(sheet: RaceSheet, action: Action) -> str:
    match action:
        case DieRolled(seat, value):
            return f"{seat[0]} d{value}"
        case RollCorrected(seat, value):
            return f"{seat[0]} was d{value}"
        case RollDeclined(seat):
            return f"{seat[0]} {DECLINE}"
        case PositionSet(pieces):
            return f"set {position_of_spots(pieces)}"
    return _written(sheet, action, with_color=True)


def action_of_text(sheet: RaceSheet, text: str, state: RaceState | None = None) -> Action:
    """The action in a line. Raises: NotationError."""
    usual = {option.key: option.default for option in sheet.options}
    board = tables_of(sheet, state).board if state else load_board(sheet.board_name(usual))
    words = {color[0]: color for color in board.colors}
    line = " ".join(text.split())
    if line.startswith("set "):
        return PositionSet({words.get(at, at): of for at, of in spots_of_position(line.removeprefix("set ")).items()})
    if roll := _ROLL.fullmatch(line):
        seat = words.get(roll["seat"], roll["seat"]) or (state.turn if state else None)
        if seat is None:
            raise NotationError(f"the roll {text!r} does not say whose, expected the seat's letter first", "seat")
        return (RollCorrected if roll["was"] else DieRolled)(seat, int(roll["value"]))
    letter, _, rest = line.partition(" ")
    if sheet.may_decline and rest == DECLINE:
        return RollDeclined(words.get(letter, letter))
    move = _MOVE.fullmatch(line)
    if move is None:
        other = f", 'r {DECLINE}'" if sheet.may_decline else ""
        raise NotationError(
            f"the action is {text!r}, expected a roll such as 'r d4'{other} or a move such as 'r A8-A12'", "action"
        )
    origin, to = (move["origin"] or sheet.home).removesuffix("!"), move["to"].removesuffix("!")
    color = words.get(move["color"], move["color"]) or _only_color(sheet, text, origin, state)
    sent = tuple(words.get(letter, letter) for letter in re.findall(r"x\((.)\)", move["sent"]))
    return sheet.moved(color, origin, to, sent)


def _only_color(sheet: RaceSheet, text: str, origin: str, state: RaceState | None) -> str:
    """The only colour that a move without one may be of. Raises: NotationError."""
    if state is None:
        raise NotationError(f"the move {text!r} does not say whose, expected the colour's letter first", "color")
    core = core_of(sheet, state)
    colors: list[str] = [core.t.colors[c] for c in sheet.colors_to_move(core)]
    there = [c for c in colors if origin in [spot.removesuffix("!") for spot in state.pieces[c]]] or colors
    if len(there) > 1:
        may = " or ".join(there)
        raise NotationError(f"the move {text!r} may be {may}, expected the colour's letter first", "color")
    return there[0]


def sentence(sheet: RaceSheet, action: Moved) -> Says:
    values = {"color": action.color, "origin": action.origin, "to": action.to, "piece": sheet.piece}
    if action.origin == sheet.home:
        return Says("{color} piece out to {to}", values)
    return Says("{color} piece from {origin} to {to}", values)


def says(sheet: RaceSheet, action: Action) -> Says:
    match action:
        case DieRolled(seat, value):
            return Says("{seat} rolls a {value}", {"seat": seat, "value": value})
        case RollCorrected(seat, value):
            return Says("the roll of {seat} was a {value}", {"seat": seat, "value": value})
        case RollDeclined(seat):
            return Says("{seat} does not roll again", {"seat": seat})
        case PositionSet():
            return Says("the table is taken as it is")
    return sentence(sheet, action)
