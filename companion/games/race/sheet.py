"""The rule sheet of a race game: its words, citations, options, and the functions of its engine. It is all that makes a
game of this package; `race_game` makes the game of it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.game.board import PIECES_OF_A_COLOR, Board
from companion.game.brought import board_text
from companion.game.errors import KitError
from companion.game.says import Says
from companion.game.values import Fault, Option
from companion.games.race.core import Core, Move, Tables
from companion.games.race.state import Moved, PieceMoved, RaceState

MakeTables = Callable[[str, Mapping[str, str], str], Any]


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


@dataclass(frozen=True, slots=True)
class Role:
    """Names and appearance of the circles under `key` in a colour's table of the board file.

    `says` may name {color}, {circle} and {number}; None: they keep their own names. `is_signed`: they bear the colour's
    shape. `is_lane`: a marker goes from one to the next, from the circle under the key `lane_from`, if given.
    """

    key: str
    says: Says | None = None
    is_signed: bool = True
    is_lane: bool = False
    lane_from: str | None = None


@dataclass(frozen=True, slots=True)
class Mark:
    """A circle that no colour owns, with a letter on it: its role, the letter, its name in words."""

    role: str
    letter: str
    says: Says | None = None


def _sent_back(core: Core[Any], move: Move, die: int) -> tuple[Says, ...]:
    t = core.t
    effects = [
        Says("sends {color} back from {spot}", {"color": t.colors[core.marker_at(bit)[0]], "spot": spot})
        for bit, spot in t.circle_of_bit.items()
        if bit & move[3]
    ]
    return (*effects, Says("arrives")) if t.arrives[move[2]] else tuple(effects)


def _all_done(tables: Tables, spots: tuple[str, ...]) -> bool:
    return len(spots) == PIECES_OF_A_COLOR and all(
        tables.arrives[tables.place[spot.removesuffix("!")]] for spot in spots
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RaceSheet:
    name: str
    title: str
    cites: Cites
    seats_of: Callable[[Mapping[str, str]], tuple[str, ...]]
    """The seats that the options make, clockwise. A seat is called by a colour of the board."""
    board_name: Callable[[Mapping[str, str]], str]
    """The board of the game's folder that the options play on: `boards/NAME.toml`."""
    tables: MakeTables
    """The tables of a board file's text under these options; the third value is its name. Raises: KitError."""
    core: Callable[[Any], Core[Any]]
    """A position with every marker at the beginning; most games give the class."""
    rule: Callable[[Any, Move, int], str] | None = None
    """The paragraph that allows a legal move of a position by a roll; None: `Cites.must`."""
    why_not: Callable[[Any, Moved, int], tuple[Says, str]] | None = None
    """Why a move of the seat's own colour is not legal, and the paragraph; None: it is not, by `Cites.must`."""
    forfeits: Callable[[Any, int], tuple[Says, str] | None] = lambda core, die: None
    """Why a position forfeits a roll, as the third six in a row, and the paragraph; None: no piece can move."""
    effects: Callable[[Any, Move, int], tuple[Says, ...]] = _sent_back
    """The effects of a legal move, in words."""

    options: tuple[Option, ...] = ()
    plan: Callable[[int | None, dict[str, str], Mapping[str, str]], None] = lambda seats, options, given: None
    """Settles options that follow from the number of players, among all options and those given.
    Raises: NotationError."""
    piece: str = "marker"
    home: str = "home"
    """The word for the beginning, in notation."""
    home_words: tuple[str, ...] = ("home",)
    moved: type[Moved] = PieceMoved
    may_decline: bool = False
    """Whether a further roll is the player's choice."""
    most_on_a_spot: int = 1
    """Maximum number of markers of one colour on a circle."""
    roles: tuple[Role, ...] = (Role("home"), Role("start"), Role("inner"))
    marks: Callable[[Board], Mapping[str, Mark]] = lambda board: {}
    sections: tuple[str, ...] = ()
    """Further tables of the board file that the game reads (`Board.sections`)."""
    verb: Callable[[Moved], str | None] = lambda action: None
    """A word of its own for bringing a marker out; None: ``enter``."""
    first_pieces: Callable[[Any, int], tuple[str, ...]] = lambda tables, color: (
        (tables.names[tables.home],) * PIECES_OF_A_COLOR
    )
    """A colour's spots when the game begins."""
    has_arrived: Callable[[Any, tuple[str, ...]], bool] = _all_done
    """Whether a colour with these spots has won."""
    colors_to_move: Callable[[Any], tuple[int, ...]] = lambda core: core.t.colors_of_seat[core.turn]
    """The colours that the seat to move may move now."""
    more_faults: Callable[[Any, RaceState], tuple[Fault, ...]] = lambda core, state: ()
    """Further faults of a position whose spots and numbers are all in order."""
    hints: Path | None = None
    """The file of fitted weights; None: hints are ranked by the turns that are left."""
    contest: Callable[[RaceState], str] = lambda state: str(len(state.seats))
    """The contest of the weights' file that a state belongs to."""


def tables_of(sheet: RaceSheet, state: RaceState) -> Tables:
    """The tables under a state. Raises: KitError for a board file that cannot be used."""
    text = state.board_file if state.board_file is not None else board_text(state.board)
    name = "board" if state.board_file is not None else f"{state.board}.toml"
    tables: Tables = sheet.tables(text, state.options, name)
    return tables


def check_keys(sheet: RaceSheet, board: Board, name: str) -> None:
    """Refuses keys of a board file that the game does not read. Raises: KitError."""
    known = [role.key for role in sheet.roles]
    found = [(f"{color}.{key}", key, known) for color in board.colors for key in board.roles[color]]
    found += [(f"[{key}]", key, list(sheet.sections)) for key in board.sections]
    for where, key, expected in found:
        if key not in expected:
            raise KitError(
                f"{name}: {where} is not read by {sheet.title}, expected one of {', '.join(expected) or '-'}"
            )


def check_ways(
    t: Tables, game: str, name: str, travelled: Callable[[int], Mapping[str, int]], goals: Iterable[str], arrival: str
) -> None:
    """Refuses a board with spots that no way leads to, or with unequal ways. Raises: KitError.

    `travelled`: the lengths of a colour's ways; `goals`: spots on the way that no step leads on from; `arrival`: the
    key of the spots where pieces arrive.
    """
    board = t.board
    if board.game != game:
        raise KitError(f"{name}: is a board of {board.game}, expected one of {game}")
    on_the_way = (*board.next, *goals)
    beside = [spot for color in t.colors for key in ("home", arrival) for spot in board.roles[color][key]]
    for spot in board.spots.keys() - {*on_the_way, *beside}:
        raise KitError(f"{name}: {spot} has neither a step in [next] nor a role, expected one: it is unreachable")
    reach = frozenset[str]().union(*(t.reach(c) for c in range(len(t.colors))))
    for spot in on_the_way:
        if spot not in reach:
            raise KitError(f"{name}: {spot} cannot be reached by any colour from its start, expected every spot to be")
    told = board.sections.get("routes", {})
    expected = {**travelled(0), **told}
    for c, color in enumerate(t.colors):
        for key, count in travelled(c).items():
            if count != expected[key]:
                said = "as [routes] says" if key in told else f"as for {t.colors[0]}"
                raise KitError(f"{name}: the {key} route of {color} is {count}, expected {expected[key]} {said}")
