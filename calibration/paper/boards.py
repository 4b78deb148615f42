"""Race boards from their files, and a kit's whole mat with its fiducials in place."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import segno

from calibration.charuco import board_of
from calibration.paper.codes import charuco, draw_fiducial, fiducials, quiet_mm
from calibration.paper.paper import BLACK, SOFT, WHITE, Box, Color, Pen, Printable
from calibration.paper.quick_start import ENGLISH, GERMAN, quick_start
from companion.game.board import Board, board_of_text
from companion.game.brought import board_of_kit, load_board
from companion.game.game import seats_of
from companion.game.kit import Kit
from companion.game.known import game_named

INKS: Mapping[str, Color] = {
    "red": (0.83, 0.16, 0.16),
    "yellow": (0.96, 0.78, 0.10),
    "green": (0.12, 0.56, 0.27),
    "blue": (0.12, 0.36, 0.74),
}
COMMON: Color = (0.86, 0.82, 0.92)
TINT = 0.6
"""Mix with white of a colour's own spots; its start is printed in full colour."""
RIM_MM, STEP_MM = 0.6, 0.8
PLACE_MM = 30.0
"""Half the length of a cross of the drill: its ends show around every piece."""


def race_board(board: Board) -> Printable:
    """A race board: circles, steps between them, each colour's own spots and start."""
    width, height = board.size_mm
    inks = {spot: _ink(*owner) for spot, owner in board.owners().items()}

    def draw(pen: Pen) -> None:
        for spot, to in board.next.items():
            for other in to:
                pen.line((board.spots[spot], board.spots[other]), STEP_MM, SOFT)
        for spot, at_mm in board.spots.items():
            pen.circle(at_mm, board.circle_mm, fill=inks.get(spot, WHITE), rim=BLACK, width_mm=RIM_MM)
        pen.outline((0.3, 0.3, width - 0.6, height - 0.6), 0.6, BLACK)
        for i, (color, roles) in enumerate(board.roles.items()):
            x, y = board.spots[roles["home"][0]]
            pen.text((x, y + board.circle_mm / 2 + 4), f"{i + 1} {color}", 3.0, align="middle")

    return Printable(f"Board {board.name}", width, height, draw)


def mat(kit: Kit) -> Printable:
    """A kit's play area with its fiducials, the outlines of all areas and the drill's ten places."""
    quiet = quiet_mm(kit) + kit.mat.marker_mm / 2
    xs = [x for x, _ in kit.mat.markers.values()]
    ys = [y for _, y in kit.mat.markers.values()]
    left, top = min(0.0, min(xs) - quiet), min(0.0, min(ys) - quiet)
    right, bottom = max(kit.mat.width_mm, max(xs) + quiet), max(kit.mat.height_mm, max(ys) + quiet)

    def draw(sheet: Pen) -> None:
        pen = sheet.moved(-left, -top)
        pen.outline((0, 0, kit.mat.width_mm, kit.mat.height_mm), 0.4, SOFT)
        for name, (x0, y0, x1, y1) in kit.mat.areas_mm.items():
            pen.outline((x0, y0, x1 - x0, y1 - y0), 0.3, SOFT, dashed=True)
            pen.text((x0 + 3, y0 + 6), _named(name), 4.0, color=SOFT)
        for piece in kit.pieces:
            for at_mm in piece.start_mm.values():
                if "diameter" in piece.sizes_mm:
                    pen.circle(at_mm, piece.size_mm("diameter"), rim=SOFT, width_mm=0.3)
        for number, (x, y) in enumerate(drill_places_mm(kit), 1):
            for u, v in ((PLACE_MM, 0), (0, PLACE_MM)):
                pen.line(((x - u, y - v), (x + u, y + v)), 0.2, SOFT)
            pen.text((x + PLACE_MM / 2, y - PLACE_MM / 2), str(number), 5, color=SOFT)
        for marker, at_mm in kit.mat.markers.items():
            draw_fiducial(pen, kit, marker, at_mm)

    return Printable(f"Mat of {kit.game}", right - left, bottom - top, draw)


def drill_places_mm(kit: Kit) -> list[tuple[float, float]]:
    """The ten marked places of a kit's play area: they are printed on its mat, and the drill asks for a piece on each.

    They reach from the middle to near the rim, because errors of the lens grow outwards.
    """
    width, height = kit.mat.width_mm, kit.mat.height_mm
    shares = ((0.08, 0.1), (0.36, 0.1), (0.64, 0.1), (0.92, 0.1), (0.22, 0.5), (0.78, 0.5),
              (0.08, 0.9), (0.36, 0.9), (0.64, 0.9), (0.92, 0.9))  # fmt: skip
    return [(round(width * x, 1), round(height * y, 1)) for x, y in shares]


def _named(area: str) -> str:
    words = area.removesuffix("_mm").split("_")
    return f"pile of seat {words[1]}" if words[0] == "pile" else " ".join(words)


def _ink(color: str | None, is_start: bool) -> Color:
    """The fill of a spot; a start is printed in full colour."""
    if color is None:
        return COMMON
    r, g, b = INKS.get(color, SOFT)
    return (r, g, b) if is_start else (r + (1 - r) * TINT, g + (1 - g) * TINT, b + (1 - b) * TINT)


CARD_MM = (90.0, 120.0)
QR_MM = 60.0
TOKEN_GAP_MM = 4.0


def qr_boxes(text: str, at_mm: tuple[float, float], side_mm: float) -> list[Box]:
    """A QR code's dark modules, without its quiet zone."""
    rows = [list(row) for row in segno.make(text, error="m", micro=False).matrix]
    cell = side_mm / len(rows)
    return [
        (at_mm[0] + x * cell, at_mm[1] + y * cell, cell, cell)
        for y, row in enumerate(rows)
        for x, is_dark in enumerate(row)
        if is_dark
    ]


def cards(table: str, url: str, seats: Sequence[str] = ()) -> Printable:
    """Cards for the table and each seat, with the QR code of its page."""
    width, height = CARD_MM
    given = [(table, url, "Scan to take a seat or to watch")]
    given += [(seat, f"{url}?seat={seat}", f"Scan to sit down as {seat}") for seat in seats]
    across = 2

    def draw(pen: Pen) -> None:
        for i, (name, leads_to, words) in enumerate(given):
            card = pen.moved((i % across) * width, (i // across) * height)
            card.outline((0, 0, width, height), 0.2, SOFT, dashed=True)
            card.text((width / 2, 18), name, 9, align="middle", bold=True)
            card.boxes(qr_boxes(leads_to, ((width - QR_MM) / 2, 28), QR_MM))
            card.text((width / 2, 98), words, 4, align="middle")
            card.text((width / 2, 106), leads_to.removeprefix("http://").removeprefix("https://"), 3.4, align="middle")

    rows = -(-len(given) // across)
    return Printable(f"Cards of {table}", min(len(given), across) * width, rows * height, draw)


def tokens(colors: Sequence[str], diameter_mm: float, each: int) -> Printable:
    """Disks to glue on markers, with the colour's letter for people who cannot tell the colours apart."""
    pitch = diameter_mm + TOKEN_GAP_MM

    def draw(pen: Pen) -> None:
        for row, color in enumerate(colors):
            ink = INKS.get(color, SOFT)
            is_dark = sum(ink) < 1.6
            for column in range(each):
                x, y = pitch * column + diameter_mm / 2, pitch * row + diameter_mm / 2
                pen.circle((x, y), diameter_mm, fill=ink, rim=None)
                size = diameter_mm * 0.6
                letter = color[0].upper()
                base = (x, y + 0.35 * size)
                pen.text(base, letter, size, color=WHITE if is_dark else BLACK, align="middle", bold=True)

    return Printable(f"Tokens of {diameter_mm:g} mm", each * pitch, len(colors) * pitch, draw)


CHARUCO = "charuco:7x5,30,22,DICT_5X5_100"
"""The board that the set-up expects; it fits on one A4 page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintRequest:
    """The inputs of a printable: the kit, a board's text or name, a calibration board, the table's address."""

    kit: Kit
    board: str | None = None
    charuco: str = CHARUCO
    url: str = "http://companion.local:8000/"
    table: str = "Table 1"
    players: int | None = None


def _board(wanted: PrintRequest) -> list[Printable]:
    """The race board; empty if the kit's game has no board. Raises: KitError."""
    if wanted.board is not None:
        return [race_board(board_of_text(wanted.board) if "\n" in wanted.board else load_board(wanted.board))]
    board = board_of_kit(wanted.kit)
    return [] if board is None else [race_board(board)]


def _cards(wanted: PrintRequest) -> list[Printable]:
    game = game_named(wanted.kit.game)
    return [cards(wanted.table, wanted.url, seats_of(game, game.rules.start(wanted.players)))]


def _tokens(wanted: PrintRequest) -> list[Printable]:
    kinds = [piece for piece in wanted.kit.pieces if "diameter" in piece.sizes_mm and piece.kind != "territory"]
    return [tokens(piece.colors, piece.size_mm("diameter"), piece.count_each) for piece in kinds]


PRINTABLES: Mapping[str, tuple[str, Callable[[PrintRequest], list[Printable]]]] = {
    "fiducials": ("The four corner markers of the mat.", lambda wanted: [fiducials(wanted.kit)]),
    "charuco": ("The board to calibrate a lens with.", lambda wanted: [charuco(board_of(wanted.charuco))]),
    "board": ("A race board: CP-120, BM-129, BM-133 or a board file.", _board),
    "mat": ("The whole play area with its markers in place.", lambda wanted: [mat(wanted.kit)]),
    "tokens": ("Letters to glue on markers whose colours look alike.", _tokens),
    "quickstart": (
        "From parts to the first ruling, in English and German.",
        lambda wanted: [quick_start(each) for each in (ENGLISH, GERMAN)],
    ),
    "cards": ("A card for the table and one for each seat, with QR codes.", _cards),
}
"""By name: the description and the drawings."""
