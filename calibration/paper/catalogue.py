"""All that can be printed, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from calibration.charuco import board_of
from calibration.paper.boards import cards, mat, race_board, tokens
from calibration.paper.codes import charuco, drill_sheet, fiducials
from calibration.paper.paper import Drawing
from companion.game.board import board_of_text
from companion.game.brought import board_of_kit, load_board
from companion.game.kit import Kit
from companion.game.known import game_named

CHARUCO = "charuco:7x5,30,22,DICT_5X5_100"
"""The board that the set-up looks for; on A4 it fits whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The inputs of a printable: the kit, a board's text or name, a calibration board, the table's address."""

    kit: Kit
    board: str | None = None
    charuco: str = CHARUCO
    url: str = "http://companion.local:8000/"
    table: str = "Table 1"
    players: int | None = None
    seats: Sequence[str] = field(default_factory=tuple)


def _board(wanted: Wanted) -> list[Drawing]:
    """None where the kit's game is played without a board. Raises: KitError."""
    if wanted.board is not None:
        return [race_board(board_of_text(wanted.board) if "\n" in wanted.board else load_board(wanted.board))]
    board = board_of_kit(wanted.kit)
    return [] if board is None else [race_board(board)]


def _cards(wanted: Wanted) -> list[Drawing]:
    game = game_named(wanted.kit.game)
    seats = wanted.seats or game.rules.seats(game.rules.start(wanted.players))
    return [cards(wanted.table, wanted.url, seats)]


def _tokens(wanted: Wanted) -> list[Drawing]:
    kinds = [piece for piece in wanted.kit.pieces if "diameter" in piece.sizes_mm and piece.kind != "territory"]
    return [tokens(piece.colors, piece.size_mm("diameter"), piece.count_each) for piece in kinds]


PRINTABLES: Mapping[str, tuple[str, Callable[[Wanted], list[Drawing]]]] = {
    "fiducials": ("The four corner markers of the mat.", lambda wanted: [fiducials(wanted.kit)]),
    "charuco": ("The board to calibrate a lens with.", lambda wanted: [charuco(board_of(wanted.charuco))]),
    "board": ("A race board: CP-120, BM-129, BM-133 or a board file.", _board),
    "mat": ("The whole play area with its markers in place.", lambda wanted: [mat(wanted.kit)]),
    "drill": ("The sheet of the drill, for the certificate.", lambda wanted: [drill_sheet()]),
    "tokens": ("Letters to glue on markers whose colours look alike.", _tokens),
    "cards": ("A card for the table and one for each seat, with QR codes.", _cards),
}
"""Name: what it is, and its drawings."""
