"""Basic Manipulation as its sheet has it: modes, options, seats, and the flow's citations.

Citations name the paragraphs of RULES.md in this folder: "Attack", "Set-back", or "gap 14" where the sheet is silent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from companion.game.board import PIECES_OF_A_COLOR
from companion.game.errors import NotationError
from companion.game.game import Fault, JsonObject, Option
from companion.game.says import Says
from companion.games._race import core as engine
from companion.games._race.core import Move
from companion.games._race.game import RaceGame
from companion.games._race.setup import Cites
from companion.games._race.state import DieRolled, Moved, PositionSet, RaceState, RollCorrected
from companion.games.basic_manipulation import reasons, view
from companion.games.basic_manipulation.engine import HOLD, ManipulationCore, ManipulationTables, tables_for
from companion.games.basic_manipulation.reasons import cite

SEATS = ("red", "yellow", "green", "blue")
YES_NO = ("true", "false")
MODES = {"four": Says("each alone"), "partners": Says("two pairs"), "two": Says("two players, two colours each")}
BOARD_OF_DIAMOND: Mapping[str, str] = {"7": "BM-129", "8": "BM-133"}


class TokenMoved(Moved, frozen=True, tag="token_moved"):
    """A token went from spot to spot, or from ``hold`` to its start (or, retaking it, to its entrance)."""


class BasicManipulation(RaceGame):
    """The game object of Basic Manipulation: four players, partners, or two in tournament mode."""

    name = "basic_manipulation"
    title = "Basic Manipulation"
    home = HOLD
    home_words = (HOLD, "home")
    moved = TokenMoved
    action_type: ClassVar[Any] = DieRolled | RollCorrected | PositionSet | TokenMoved
    options: ClassVar[tuple[Option, ...]] = (
        Option(
            "mode",
            "four",
            ("four", "partners", "two"),
            Says("Who plays with whom?"),
            cite("Preparation"),
        ),
        Option("six_rolls_again", "true", YES_NO, Says("Does a six roll again?"), cite("gap 2")),
        Option(
            "six_enter_rolls_again",
            "true",
            YES_NO,
            Says("Does a six that brings a piece out roll again too?"),
            cite("gap 2"),
        ),
        Option(
            "diamond_steps",
            "7",
            tuple(BOARD_OF_DIAMOND),
            Says("How many steps from STAR-BEAST to STAR-BEAST?"),
            cite("gap 6"),
        ),
        Option(
            "diamond_exit",
            "false",
            YES_NO,
            Says("Does a STAR-BEAST lead out to its BEAST too?"),
            cite("gap 9"),
        ),
        Option(
            "refuge_exact_from_world",
            "false",
            YES_NO,
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
    cites = Cites(
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
    )

    def _plan(self, seats: int | None, options: dict[str, str], given: Mapping[str, str]) -> None:
        if seats is not None:
            if seats not in (2, 4):
                raise NotationError(f"Basic Manipulation is for 2 or 4 players, not {seats} (gap 22)", "seats")
            if "mode" not in given:
                options["mode"] = "two" if seats == 2 else "four"
            elif (options["mode"] == "two") is not (seats == 2):
                values = {"mode": MODES[options["mode"]], "needed": 6 - seats, "n": seats}
                raise NotationError(Says("{mode}: this takes {needed}, not {n}", values), "seats")

    def _seats_of(self, options: Mapping[str, str]) -> tuple[str, ...]:
        return SEATS[:2] if options["mode"] == "two" else SEATS

    def _board_name(self, options: Mapping[str, str]) -> str:
        return BOARD_OF_DIAMOND[options["diamond_steps"]]

    def _tables(self, text: str, options: Mapping[str, str], name: str) -> ManipulationTables:
        return tables_for(text, tuple(sorted(options.items())), name)

    def _new_core(self, tables: engine.Tables) -> ManipulationCore:
        assert isinstance(tables, ManipulationTables)
        return ManipulationCore(tables)

    def _first_pieces(self, tables: engine.Tables, color: int) -> tuple[str, ...]:
        assert isinstance(tables, ManipulationTables)
        return (*[self.home] * (PIECES_OF_A_COLOR - 1), tables.starts[color])

    def colors_to_move(self, core: engine.Core) -> tuple[int, ...]:
        assert isinstance(core, ManipulationCore)
        return core.movers()

    def _effects(self, core: engine.Core, move: Move, die: int) -> tuple[Says, ...]:
        assert isinstance(core, ManipulationCore)
        return reasons.effects(core, move, die)

    def _rule(self, core: engine.Core, move: Move, die: int) -> str:
        assert isinstance(core, ManipulationCore)
        return reasons.rule_of(core, move, die)

    def _why_not(self, core: engine.Core, action: Moved, die: int) -> tuple[Says, str]:
        assert isinstance(core, ManipulationCore)
        return reasons.why_not(core, action, die)

    def _more_faults(self, core: engine.Core, state: RaceState) -> tuple[Fault, ...]:
        if state.held:
            return (Fault(Says("no six is held in this game", {}), cite("gap 3"), "held"),)
        return ()

    def _has_arrived(self, tables: engine.Tables, spots: tuple[str, ...]) -> bool:
        assert isinstance(tables, ManipulationTables)
        places = [tables.place.get(spot, tables.home) for spot in spots]
        return len(set(spots)) == PIECES_OF_A_COLOR and all(tables.in_refuge[place] for place in places)

    def _verb(self, action: Moved) -> str | None:
        if action.origin != self.home:
            return None
        return "retake" if action.to == f"{action.color[0]}.hre" else "enter"

    def contest(self, state: RaceState) -> str:
        return state.options["mode"]

    def view(self, state: RaceState, seat: str | None) -> JsonObject:
        return view.view(self, state)
