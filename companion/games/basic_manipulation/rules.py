"""Basic Manipulation as its sheet has it: modes, options, seats, and the flow's citations.

Citations name the paragraphs of RULES.md in this folder: "Attack", "Set-back", or "gap 14" where the sheet is silent.
"""

from collections.abc import Mapping
from pathlib import Path

from companion.game.board import PIECES_OF_A_COLOR, Board
from companion.game.errors import NotationError
from companion.game.says import Says
from companion.game.values import Fault, Option, yes_no
from companion.games.basic_manipulation import reasons
from companion.games.basic_manipulation.engine import HOLD, ManipulationCore, ManipulationTables, tables_for
from companion.games.basic_manipulation.reasons import cite
from companion.games.race.sheet import Cites, Mark, RaceSheet, Role
from companion.games.race.state import Moved, RaceState

SEATS = ("red", "yellow", "green", "blue")
MODES = {"four": Says("each alone"), "partners": Says("two pairs"), "two": Says("two players, two colours each")}
BOARD_OF_DIAMOND: Mapping[str, str] = {"7": "BM-129", "8": "BM-133"}


class TokenMoved(Moved, frozen=True, tag="token_moved"):
    """A token went from spot to spot, or from ``hold`` to its start (or, retaking it, to its entrance)."""


OPTIONS = (
    Option(
        "mode",
        "four",
        ("four", "partners", "two"),
        Says("Who plays with whom?"),
        cite("Preparation"),
    ),
    yes_no("six_rolls_again", True, Says("Does a six roll again?"), cite("gap 2")),
    yes_no("six_enter_rolls_again", True, Says("Does a six that brings a piece out roll again too?"), cite("gap 2")),
    Option(
        "diamond_steps",
        "7",
        tuple(BOARD_OF_DIAMOND),
        Says("How many steps from STAR-BEAST to STAR-BEAST?"),
        cite("gap 6"),
    ),
    yes_no("diamond_exit", False, Says("Does a STAR-BEAST lead out to its BEAST too?"), cite("gap 9")),
    yes_no(
        "refuge_exact_from_world",
        False,
        Says("From THE WORLD into the refuge: only by the exact number?"),
        cite("gap 11"),
    ),
    Option(
        "retake",
        "while_there",
        ("while_there", "next_turn"),
        Says("How long may a one retake an attacked entrance?"),
        cite("gap 18"),
    ),
)


def plan(seats: int | None, options: dict[str, str], given: Mapping[str, str]) -> None:
    """Chooses the mode by the number of players. Raises: NotationError."""
    if seats is None:
        return
    if seats not in (2, 4):
        raise NotationError(f"Basic Manipulation is for 2 or 4 players, not {seats} (gap 22)", "seats")
    if "mode" not in given:
        options["mode"] = "two" if seats == 2 else "four"
    elif (options["mode"] == "two") is not (seats == 2):
        values = {"mode": MODES[options["mode"]], "needed": 6 - seats, "n": seats}
        raise NotationError(Says("{mode}: this takes {needed}, not {n}", values), "seats")


def tables(text: str, options: Mapping[str, str], name: str) -> ManipulationTables:
    return tables_for(text, tuple(sorted(options.items())), name)


def first_pieces(tables: ManipulationTables, color: int) -> tuple[str, ...]:
    return (*[HOLD] * (PIECES_OF_A_COLOR - 1), tables.starts[color])


def held_sixes(core: ManipulationCore, state: RaceState) -> tuple[Fault, ...]:
    """A fault if sixes are held: this game holds none."""
    return (Fault(Says("no six is held in this game", {}), cite("gap 3"), "held"),) if state.held else ()


def has_arrived(tables: ManipulationTables, spots: tuple[str, ...]) -> bool:
    places = [tables.place.get(spot, tables.home) for spot in spots]
    return len(set(spots)) == PIECES_OF_A_COLOR and all(tables.arrives[place] for place in places)


def marks(board: Board) -> Mapping[str, Mark]:
    beasts = board.sections.get("beasts", {})
    found = {spot: Mark("beast", "B") for spot in beasts} | {spot: Mark("star", "★") for spot in beasts.values()}
    world = board.sections.get("world", {}).get("spot")
    return found if world is None else found | {world: Mark("world", "W", Says("THE WORLD"))}


SHEET = RaceSheet(
    name="basic_manipulation",
    title="Basic Manipulation",
    piece="token",
    home=HOLD,
    home_words=(HOLD, "home"),
    moved=TokenMoved,
    options=OPTIONS,
    cites=Cites(
        first=cite("gap 1"),
        tie=cite("gap 1"),
        roll=cite("Moving the tokens"),
        turn=cite("Moving the tokens"),
        must=cite("Moving the tokens"),
        again=cite("gap 2"),
        no_move=cite("Sit-out"),
        held=cite("gap 3"),
        count=cite("Equipment"),
        one_a_spot=cite("gap 13"),
        board=cite("gap 4"),
        win=cite("Winning"),
    ),
    roles=(
        Role("home"),
        Role("start", Says("{color}'s start")),
        Role("entrance", Says("{color}'s refuge entrance")),
        Role("refuge", Says("{color}'s refuge {number}"), is_lane=True, lane_from="entrance"),
    ),
    marks=marks,
    sections=("beasts", "world", "routes"),
    plan=plan,
    seats_of=lambda options: SEATS[:2] if options["mode"] == "two" else SEATS,
    board_name=lambda options: BOARD_OF_DIAMOND[options["diamond_steps"]],
    tables=tables,
    core=ManipulationCore,
    first_pieces=first_pieces,
    colors_to_move=ManipulationCore.movers,
    effects=reasons.effects,
    rule=reasons.rule_of,
    why_not=reasons.why_not,
    more_faults=held_sixes,
    has_arrived=has_arrived,
    verb=lambda action: "retake" if action.to == f"{action.color[0]}.hre" else None,
    hints=Path(__file__).parent / "hints.toml",
    contest=lambda state: state.options["mode"],
)
