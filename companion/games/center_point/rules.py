"""Center Point as its sheet has it: options, seats, the effects of moves, and why a move is not legal.

Citations name the paragraphs of RULES.md in this folder: "Play 6", "Safety c", "Bypass a", or "gap 13" where the sheet
is silent.
"""

from collections.abc import Mapping
from itertools import combinations
from pathlib import Path

from companion.game.errors import NotationError
from companion.game.says import Says, each_as, listed
from companion.game.values import Fault, Option, yes_no
from companion.games.center_point import reasons
from companion.games.center_point.engine import HOME, CenterCore, CenterTables, tables_for
from companion.games.center_point.reasons import cite
from companion.games.race.core import SIX
from companion.games.race.sheet import Cites, RaceSheet, Role
from companion.games.race.state import Moved, RaceState

SEATS = ("red", "yellow", "green", "blue")
BY_NUMBER: Mapping[int, str] = {2: "rg", 3: "ryg", 4: "rygb"}
"""Seats by the number of players, if only the number is given: two sit opposite each other."""

SETS_OF_COLORS = tuple("".join(of) for n in BY_NUMBER for of in combinations("rygb", n))


class MarkerMoved(Moved, frozen=True, tag="marker_moved"):
    """A marker went from spot to spot, or from ``home`` to the start."""


OPTIONS = (
    Option("colors", "rygb", SETS_OF_COLORS, Says("Which colours play?"), cite("gap 3")),
    Option(
        "occupied_bypass",
        "capture_no_shortcut",
        ("capture_no_shortcut", "capture_shortcut"),
        Says("What if a foreign bypass is occupied?"),
        cite("gap 13"),
    ),
    yes_no("exception_strict", True, Says("Is an exception allowed only when no other move is left?"), cite("gap 20")),
)


def plan(seats: int | None, options: dict[str, str], given: Mapping[str, str]) -> None:
    """Chooses the colours by the number of players. Raises: NotationError."""
    if seats is None:
        return
    if seats not in BY_NUMBER:
        raise NotationError(f"Center Point is for 2 to 4 players, not {seats}", "seats")
    if "colors" not in given:
        options["colors"] = BY_NUMBER[seats]
    elif len(options["colors"]) != seats:
        colors = listed(each_as("color", seats_of(options)))
        words = "{colors}: expected as many colours as there are players, {n}"
        raise NotationError(Says(words, {"colors": colors, "n": seats}), "colors")


def seats_of(options: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(seat for seat in SEATS if seat[0] in options["colors"])


def tables(text: str, options: Mapping[str, str], name: str) -> CenterTables:
    seats = tuple(i for i, seat in enumerate(SEATS) if seat[0] in options["colors"])
    return tables_for(text, seats, tuple(sorted(options.items())), name)


def needless_sixes(core: CenterCore, state: RaceState) -> tuple[Fault, ...]:
    """A six is held only if no marker could move it (gap 20)."""
    held = core.held
    core.held = 0
    if held and state.turn is not None and core.moves(SIX):
        says = Says("sixes held by {seat}: {count}, but a six can be moved", {"seat": state.turn, "count": held})
        return (Fault(says, cite("gap 20"), "held"),)
    return ()


SHEET = RaceSheet(
    name="center_point",
    title="Center Point",
    piece="marker",
    home=HOME,
    home_words=(HOME, "hold"),
    moved=MarkerMoved,
    may_decline=True,
    options=OPTIONS,
    cites=Cites(
        first=cite("Preparation"),
        tie=cite("gap 5"),
        roll=cite("Play 2"),
        turn=cite("Play 2"),
        must=cite("Play 3"),
        again=cite("Play 2"),
        no_move=cite("Play 2"),
        held=cite("gap 9"),
        count=cite("Equipment"),
        one_a_spot=cite("gap 6"),
        board=cite("gap 1"),
        win=cite("Play 8"),
    ),
    roles=(
        Role("home"),
        Role("start", Says("{color}'s start")),
        Role("safety", Says("{color}'s safety ({circle})")),
        Role("bypass", Says("{color}'s bypass ({circle})"), is_signed=False),
        Role("inner", Says("the inner circle")),
    ),
    sections=("routes",),
    plan=plan,
    seats_of=seats_of,
    board_name=lambda options: "CP-120",
    tables=tables,
    core=CenterCore,
    effects=reasons.effects,
    rule=reasons.rule_of,
    why_not=reasons.why_not,
    more_faults=needless_sixes,
    hints=Path(__file__).parent / "hints.toml",
)
