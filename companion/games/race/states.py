"""The states of a race game: the start, a position in notation, the engine's form and back.

Also the notation of positions and actions, and the reasons against an observed position.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from companion.game.board import PIECES_OF_A_COLOR, board_of_text
from companion.game.brought import board_text, boards, load_board
from companion.game.errors import NotationError
from companion.game.options import chosen
from companion.game.says import Says, counted, each_as, either
from companion.game.values import Fault
from companion.games.race import core as engine
from companion.games.race.sheet import RaceSheet, check_keys, tables_of
from companion.games.race.state import Action, DieRolled, Moved, PositionSet, RaceState, RollCorrected, RollDeclined

SetRight = RollCorrected | PositionSet
"""Corrections by people against the record: a misread roll, or a table to play on with as it is."""


def set_right_text(action: SetRight, position: str) -> str:
    """The action as one short line; `position` is that of its pieces."""
    return f"{action.seat[0]} was d{action.value}" if isinstance(action, RollCorrected) else f"set {position}"


def set_right_says(action: SetRight) -> Says:
    """The action in words."""
    if isinstance(action, RollCorrected):
        return Says("the roll of {seat} was a {value}", {"seat": action.seat, "value": action.value})
    return Says("the table is taken as it is")


def set_right_of(text: str, words: dict[str, str], pieces: dict[str, tuple[str, ...]] | None) -> SetRight | None:
    """The action that a line means, None for another line; `pieces` are those of its position, already parsed.

    Raises: NotationError.
    """
    if text.startswith("set "):
        if pieces is None:
            raise NotationError("the table to play on with names no position, expected one such as 'r: A5 home*3'")
        return PositionSet(pieces)
    letter, was, value = text.partition(" was d")
    if not was:
        return None
    if not value.isdecimal():
        raise NotationError(f"the roll {text!r} has no number, expected one such as 'r was d5'", "value")
    return RollCorrected(words.get(letter, letter), int(value))


_COUNTED = re.compile(r"^(?P<spot>[^*]+)\*(?P<count>[1-9]\d?)$")
_MANY = re.compile(r"^[^*]+\*[0-9]+$")
_MOVE = re.compile(
    r"^(?:(?P<color>[a-z]) )?"
    r"(?:(?P<verb>enter|retake) (?P<spot>\S+)|(?P<origin>[^\s-]+)-(?P<to>\S+))"
    r"(?P<sent>(?: x\([a-z]\))*)$"
)
DECLINE = "decline"
_DECLINE = re.compile(rf"^(?P<seat>[a-z]) {DECLINE}$")
_ROLL = re.compile(r"^(?:(?P<seat>[a-z]) )?d(?P<value>\d)$")


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
            counted = _COUNTED.match(word)
            if "*" in word and not counted:
                if _MANY.match(word):
                    spot, _, number = word.partition("*")
                    raise NotationError(
                        f"the position has {spot!r} {number[:20]} times, expected a number from 1 to 99", "position"
                    )
                raise NotationError(
                    f"the position has {word!r}, expected a spot and a number, as in 'home*3'", "position"
                )
            spots += [counted["spot"]] * int(counted["count"]) if counted else [word]
        found[letter] = tuple(spots)
    return found


def position_of_spots(pieces: Mapping[str, Iterable[str]]) -> str:
    """The position of the colours' spots; equal spots are counted.

    >>> position_of_spots({"red": ("home", "home", "A5", "A8!")})
    'r: home*2 A5 A8!'
    """
    parts = []
    for color, spots in pieces.items():
        counts: dict[str, int] = {}
        for spot in spots:
            counts[spot] = counts.get(spot, 0) + 1
        words = (spot if n == 1 else f"{spot}*{n}" for spot, n in counts.items())
        parts.append(" ".join([f"{color[0]}:", *words]))
    return "; ".join(parts)


@dataclass(frozen=True, slots=True)
class MoveText:
    """A move as written: letters for colours; `verb` is ``enter``, ``retake`` or None.

    >>> str(MoveText(None, "enter", None, "A5", ("y",)))
    'enter A5 x(y)'
    """

    color: str | None
    verb: str | None
    origin: str | None
    to: str
    sent: tuple[str, ...]

    def __str__(self) -> str:
        color = f"{self.color} " if self.color else ""
        way = f"{self.verb} {self.to}" if self.verb else f"{self.origin}-{self.to}"
        return color + way + "".join(f" x({letter})" for letter in self.sent)


def parse_move(text: str) -> MoveText | None:
    """The parts of a move's text; None for other text.

    >>> parse_move("g O22-g.r1")
    MoveText(color='g', verb=None, origin='O22', to='g.r1', sent=())
    >>> parse_move("A9-A15 x(y)").sent
    ('y',)
    """
    match = _MOVE.match(" ".join(text.split()))
    if not match:
        return None
    sent = tuple(re.findall(r"x\((.)\)", match["sent"] or ""))
    origin = match["origin"].removesuffix("!") if match["origin"] else None
    return MoveText(match["color"], match["verb"], origin, (match["to"] or match["spot"]).removesuffix("!"), sent)


def parse_decline(text: str) -> str | None:
    """The letter of the seat that declines a further roll; None for other text.

    >>> parse_decline("r decline"), parse_decline("r d4")
    ('r', None)
    """
    match = _DECLINE.match(" ".join(text.split()))
    return match["seat"] if match else None


def parse_roll(text: str) -> tuple[str | None, int] | None:
    """The seat's letter (None: the seat to roll) and the value of a roll; None for other text.

    >>> parse_roll("r d4"), parse_roll("d6"), parse_roll("A8-A12")
    (('r', 4), (None, 6), None)
    """
    match = _ROLL.match(" ".join(text.split()))
    return (match["seat"], int(match["value"])) if match else None


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
    for letter, spots in spots_of_position(position).items():
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
            values = {"color": color, "piece": sheet.piece}
            words = ("{color} has one piece, expected 4", "{color} has {count} pieces, expected 4")
            says = counted(len(spots), *words, values, none="{color} has no piece, expected 4")
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
    cites, seats = sheet.cites, ", ".join(state.seats)
    if not state.rolling and state.turn is None:
        says = Says("nobody has the turn and nobody rolls for it, expected one of {seats}", {"seats": seats})
        yield Fault(says, cites.turn, "turn")
    elif not state.rolling and state.turn not in state.seats:
        says = Says("it is the turn of {turn}, expected one of {seats}", {"turn": state.turn, "seats": seats})
        yield Fault(says, cites.turn, "turn")
    if any(seat not in state.seats for seat in (*state.rolling, *state.first_rolls)):
        yield Fault(Says("a seat that does not play rolls for the first turn"), cites.first, "rolling")
    for seat in dict.fromkeys(state.rolling):
        if state.rolling.count(seat) > 1:
            says = Says("{seat} is listed more than once among those who roll for the first turn", {"seat": seat})
            yield Fault(says, cites.first, "rolling")
        if seat in state.first_rolls:
            says = Says("{seat} has rolled for the first turn and is still to roll", {"seat": seat})
            yield Fault(says, cites.first, "first_rolls")
    for seat, value in state.first_rolls.items():
        if value not in engine.DIE:
            says = Says("{seat} rolled a {value} for the first turn, expected 1 to 6", {"seat": seat, "value": value})
            yield Fault(says, cites.first, "first_rolls")
    if state.rolling and (state.die is not None or state.turn is not None or state.held):
        yield Fault(Says("a turn has begun while the players still roll for the first turn"), cites.first, "rolling")
    if state.die is not None and state.die not in engine.DIE:
        yield Fault(Says("the die shows {value}, expected 1 to 6", {"value": state.die}), cites.roll, "die")
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
    """The move as the command line writes it: the colour before it only where the seat moves two."""
    with_color = len(core.t.colors_of_seat[core.turn]) > 1
    return _written(sheet, action, with_color=with_color)


def _written(sheet: RaceSheet, action: Moved, *, with_color: bool) -> str:
    verb = (sheet.verb(action) or "enter") if action.origin == sheet.home else None
    parts = MoveText(
        action.color[0] if with_color else None,
        verb,
        None if verb else action.origin,
        action.to,
        tuple(color[0] for color in action.sent_back),
    )
    return str(parts)


def action_text(sheet: RaceSheet, action: Action) -> str:
    """The action as one short line."""
    if isinstance(action, DieRolled):
        return f"{action.seat[0]} d{action.value}"
    if isinstance(action, RollCorrected | PositionSet):
        pieces = action.pieces if isinstance(action, PositionSet) else {}
        return set_right_text(action, position_of_spots(pieces))
    if isinstance(action, RollDeclined):
        return f"{action.seat[0]} {DECLINE}"
    return _written(sheet, action, with_color=True)


def action_of_text(sheet: RaceSheet, text: str, state: RaceState | None = None) -> Action:
    """The action in a line. Raises: NotationError."""
    words = {color[0]: color for color in (tables_of(sheet, state).colors if state else _default_colors(sheet))}
    told = text.removeprefix("set ") if text.startswith("set ") else ""
    spots = {words.get(letter, letter): of for letter, of in spots_of_position(told).items()}
    corrected = set_right_of(text, words, spots or None)
    if corrected is not None:
        return corrected
    roll = parse_roll(text)
    if roll:
        letter, value = roll
        seat = words.get(letter, letter) if letter else (state.turn if state else None)
        if seat is None:
            raise NotationError(f"the roll {text!r} does not say whose, expected the seat's letter first", "seat")
        return DieRolled(seat, value)
    declined = parse_decline(text) if sheet.may_decline else None
    if declined:
        return RollDeclined(words.get(declined, declined))
    move = parse_move(text)
    if move is None:
        other = f", 'r {DECLINE}'" if sheet.may_decline else ""
        raise NotationError(
            f"the action is {text!r}, expected a roll such as 'r d4'{other} or a move such as 'r A8-A12'", "action"
        )
    if move.color is None and state is not None:
        return _only_color(sheet, text, move, words, state)
    if move.color is None:
        raise NotationError(f"the move {text!r} does not say whose, expected the colour's letter first", "color")
    return _action_of_parts(sheet, move, words.get(move.color, move.color), words)


def _only_color(sheet: RaceSheet, text: str, move: MoveText, words: Mapping[str, str], state: RaceState) -> Moved:
    core = core_of(sheet, state)
    colors = [core.t.colors[c] for c in sheet.colors_to_move(core)]
    origin = sheet.home if move.verb else move.origin
    there = [c for c in colors if origin in [spot.removesuffix("!") for spot in state.pieces[c]]] or colors
    if len(there) > 1:
        raise NotationError(
            f"the move {text!r} may be {' or '.join(there)}, expected the colour's letter first", "color"
        )
    return _action_of_parts(sheet, move, there[0], words)


def _action_of_parts(sheet: RaceSheet, move: MoveText, color: str, words: Mapping[str, str]) -> Moved:
    origin = sheet.home if move.verb else (move.origin or "")
    return sheet.moved(color, origin, move.to, tuple(words.get(letter, letter) for letter in move.sent))


def _default_colors(sheet: RaceSheet) -> tuple[str, ...]:
    usual = {option.key: option.default for option in sheet.options}
    return board_of_text(board_text(sheet.board_name(usual))).colors


def sentence(sheet: RaceSheet, action: Moved) -> Says:
    """A move in words."""
    values = {"color": action.color, "origin": action.origin, "to": action.to, "piece": sheet.piece}
    if action.origin == sheet.home:
        return Says("{color} piece out to {to}", values)
    return Says("{color} piece from {origin} to {to}", values)


def says(sheet: RaceSheet, action: Action) -> Says:
    """The action in words."""
    if isinstance(action, RollCorrected | PositionSet):
        return set_right_says(action)
    if isinstance(action, DieRolled):
        return Says("{seat} rolls a {value}", {"seat": action.seat, "value": action.value})
    if isinstance(action, RollDeclined):
        return Says("{seat} does not roll again", {"seat": action.seat})
    return sentence(sheet, action)
