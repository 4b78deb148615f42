"""Center Point as its sheet has it: options, seats, the effects of moves, and why a move is not legal.

Citations name the paragraphs of RULES.md in this folder: "Play 6", "Safety c", "Bypass a", or "gap 13" where the sheet
is silent.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any, ClassVar

from companion.game.board import PIECES_OF_A_COLOR
from companion.game.errors import NotationError
from companion.game.game import Fault, JsonObject, Option
from companion.game.says import Says, counted, each_as, listed
from companion.games._race import core as engine
from companion.games._race.core import SIX, Move
from companion.games._race.game import RaceGame
from companion.games._race.setup import Cites
from companion.games._race.state import (
    DieRolled,
    Moved,
    PositionSet,
    RaceState,
    RollCorrected,
    RollDeclined,
)
from companion.games.center_point import reasons, view
from companion.games.center_point.engine import HOME, CenterCore, CenterTables, tables_for
from companion.games.center_point.reasons import cite

SEATS = ("red", "yellow", "green", "blue")
BY_NUMBER: Mapping[int, str] = {2: "rg", 3: "ryg", 4: "rygb"}
"""Seats by the number of players, where only the number is given: two sit opposite each other."""

SETS_OF_COLORS = tuple("".join(of) for n in BY_NUMBER for of in combinations("rygb", n))


class MarkerMoved(Moved, frozen=True, tag="marker_moved"):
    """A marker went from spot to spot, or from ``home`` to the start."""


class CenterPoint(RaceGame):
    """The game object of Center Point, for two to four players."""

    name = "center_point"
    title = "Center Point"
    home = HOME
    home_words = (HOME, "hold")
    moved = MarkerMoved
    may_decline = True
    action_type: ClassVar[Any] = DieRolled | RollDeclined | RollCorrected | PositionSet | MarkerMoved
    options: ClassVar[tuple[Option, ...]] = (
        Option(
            "colors",
            "rygb",
            SETS_OF_COLORS,
            Says("Which colours play?"),
            cite("gap 3"),
        ),
        Option(
            "occupied_bypass",
            "capture_no_shortcut",
            ("capture_no_shortcut", "capture_shortcut"),
            Says("What if a foreign bypass is occupied?"),
            cite("gap 13"),
        ),
        Option(
            "exception_strict",
            "true",
            ("true", "false"),
            Says("Is an exception allowed only when no other move is left?"),
            cite("gap 20"),
        ),
    )
    cites = Cites(
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
    )

    def _plan(self, seats: int | None, options: dict[str, str], given: Mapping[str, str]) -> None:
        if seats is None:
            return
        if seats not in BY_NUMBER:
            raise NotationError(f"Center Point is for 2 to 4 players, not {seats}", "seats")
        if "colors" not in given:
            options["colors"] = BY_NUMBER[seats]
        elif len(options["colors"]) != seats:
            colors = listed(each_as("color", self._seats_of(options)))
            words = "{colors}: expected as many colours as there are players, {n}"
            raise NotationError(Says(words, {"colors": colors, "n": seats}), "colors")

    def _seats_of(self, options: Mapping[str, str]) -> tuple[str, ...]:
        return tuple(seat for seat in SEATS if seat[0] in options["colors"])

    def _board_name(self, options: Mapping[str, str]) -> str:
        return "CP-120"

    def _tables(self, text: str, options: Mapping[str, str], name: str) -> CenterTables:
        seats = tuple(i for i, seat in enumerate(SEATS) if seat[0] in options["colors"])
        return tables_for(text, seats, tuple(sorted(options.items())), name)

    def _new_core(self, tables: engine.Tables) -> CenterCore:
        assert isinstance(tables, CenterTables)
        return CenterCore(tables)

    def _first_pieces(self, tables: engine.Tables, color: int) -> tuple[str, ...]:
        return (self.home,) * PIECES_OF_A_COLOR

    def _effects(self, core: engine.Core, move: Move, die: int) -> tuple[Says, ...]:
        assert isinstance(core, CenterCore)
        return reasons.effects(core, move, die)

    def _rule(self, core: engine.Core, move: Move, die: int) -> str:
        assert isinstance(core, CenterCore)
        return reasons.rule_of(core, move, die)

    def _why_not(self, core: engine.Core, action: Moved, die: int) -> tuple[Says, str]:
        assert isinstance(core, CenterCore)
        return reasons.why_not(core, action, die)

    def _more_faults(self, core: engine.Core, state: RaceState) -> tuple[Fault, ...]:
        """A six is held only where no marker could move it (gap 20)."""
        held = core.held
        core.held = 0
        if held and state.turn is not None and core.moves(SIX):
            words = ("{seat} holds a six, but a six can be moved", "{seat} holds {count} sixes, but a six can be moved")
            return (Fault(counted(held, *words, {"seat": state.turn}), cite("gap 20"), "held"),)
        return ()

    def contest(self, state: RaceState) -> str:
        return str(len(state.seats))

    def view(self, state: RaceState, seat: str | None) -> JsonObject:
        return view.view(self, state)
