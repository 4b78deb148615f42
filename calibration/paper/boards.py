"""Race boards from their files, and a kit's whole mat with its fiducials in place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from calibration.paper.codes import draw_fiducial, quiet_mm
from calibration.paper.paper import BLACK, SOFT, WHITE, Color, Drawing, Pen
from companion.game.board import Board
from companion.game.kit import Kit

INKS: Mapping[str, Color] = {
    "red": (0.83, 0.16, 0.16),
    "yellow": (0.96, 0.78, 0.10),
    "green": (0.12, 0.56, 0.27),
    "blue": (0.12, 0.36, 0.74),
}
COMMON: Color = (0.86, 0.82, 0.92)
TINT = 0.6
"""How far a colour's own spots fade to white; its start is printed in full."""
RIM_MM, STEP_MM = 0.6, 0.8


def race_board(board: Board) -> Drawing:
    """A race board: circles, the steps between them, each colour's own spots and its start."""
    width, height = board.size_mm
    inks = _inks(board)

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

    return Drawing(f"Board {board.name}", width, height, draw)


def mat(kit: Kit) -> Drawing:
    """A kit's play area with its fiducials in place and everything that has a place of its own."""
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
        for marker, at_mm in kit.mat.markers.items():
            draw_fiducial(pen, kit, marker, at_mm)

    return Drawing(f"Mat of {kit.game}", right - left, bottom - top, draw)


def _named(area: str) -> str:
    words = area.removesuffix("_mm").split("_")
    return f"pile of seat {words[1]}" if words[0] == "pile" else " ".join(words)


def _inks(board: Board) -> dict[str, Color]:
    """The fill of each spot with a role; starts come last, because they are printed in full."""
    inks: dict[str, Color] = {}
    for table in board.sections.values():
        inks |= dict.fromkeys(_spots_in(table, board), COMMON)
    for color, roles in board.roles.items():
        full = INKS.get(color, SOFT)
        pale: Color = (_faded(full[0]), _faded(full[1]), _faded(full[2]))
        for role, value in roles.items():
            for spot in _spots_in({role: value}, board):
                if spot not in inks or role == "home":
                    inks[spot] = pale
        inks[roles["start"]] = full
    return inks


def _faded(part: float) -> float:
    return part + (1 - part) * TINT


def _spots_in(table: Mapping[str, Any], board: Board) -> Iterable[str]:
    for key, value in table.items():
        values = [key] if key in board.spots else [value] if isinstance(value, str) else value
        values = values if isinstance(values, list | dict) else []
        yield from (spot for spot in values if isinstance(spot, str) and spot in board.spots)
