"""The start layout of a game: each kind of piece at its place in the kit or on the board, otherwise outside."""

from collections.abc import Iterator, Sequence

import numpy as np

from companion.game.board import Board
from companion.game.kit import Kit, PieceKind
from companion.game.table import Placed
from vision.sim.pieces import colors_of, faces_of, lying, names_of
from vision.sim.rod_table import stand
from vision.sim.scene import Body, about
from vision.sim.sheet import PrintedBoard
from vision.sim.tumble import dice_area, tray_edge

BESIDE_MM = 30.0
"""Distance of waiting dice from the place where they are thrown."""
BY_HAND_MM = 0.9
"""Typical offset of a marker from its spot, in x and y: with equal offsets markers would look like print."""
SIDE_FACE = (0, 1)
"""The face of a marked die that is up at the start, so that its mark is on a side."""


def set_up(
    kit: Kit, sheet: PrintedBoard | None, layout: Sequence[Placed] = (), rng: np.random.Generator | None = None
) -> tuple[Body, ...]:
    """The pieces of a new game, and the fixed parts of the table.

    `layout`: the rules' start places of a board's markers, in the board's frame; empty: each colour at home. With `rng`
    each marker has a random offset, as if placed by hand.
    """
    bodies = [*tray_edge(kit.mat), *stand(kit)]
    for piece in kit.pieces:
        if piece.start_mm:
            _pile(kit, piece, bodies)
        elif sheet is not None and is_token(piece, sheet.board):
            laid = _laid(kit, piece, sheet, layout) if layout else _at_home(kit, piece, sheet)
            bodies += laid if rng is None else (_by_hand(body, rng) for body in laid)
        elif piece.shape == "cube":
            bodies += _beside(kit, piece)
    return tuple(bodies)


def is_token(piece: PieceKind, board: Board) -> bool:
    """Whether a kind of piece is the board's marker: it exists in each of the board's colours."""
    return piece.shape in ("disk", "pawn") and set(board.colors) <= set(piece.colors)


def _pile(kit: Kit, piece: PieceKind, bodies: list[Body]) -> None:
    """Stacks all pieces of each colour at its start; marks look across the table."""
    for color, (x, y) in piece.start_mm.items():
        facing_deg = 90.0 if x < kit.mat.width_mm / 2 else -90.0
        under = [body for body in bodies if body.at_mm[:2] == (x, y)]
        foot = max((body.highest_mm for body in under), default=0.0)
        for i, id in enumerate(names_of(piece, color)):
            body = lying(kit, piece.kind, color, (x, y), id=id)
            at_mm = (x, y, foot + i * 2 * body.solid.half_mm + body.solid.half_mm)
            is_marked = faces_of(piece) == "mark"
            bodies.append(body.moved(at_mm=at_mm, turn=about((0.0, 1.0, 0.0), facing_deg) if is_marked else None))


def _at_home(kit: Kit, piece: PieceKind, sheet: PrintedBoard) -> Iterator[Body]:
    for color in sheet.board.colors:
        for id, spot in zip(names_of(piece, color), sheet.board.roles[color]["home"], strict=False):
            yield lying(kit, piece.kind, color, sheet.places_mm[spot], id=id)


def _laid(kit: Kit, piece: PieceKind, sheet: PrintedBoard, layout: Sequence[Placed]) -> Iterator[Body]:
    for color in sheet.board.colors:
        own = [placed for placed in layout if placed.color == color]
        for id, placed in zip(names_of(piece, color), own, strict=False):
            yield lying(kit, piece.kind, color, sheet.on_table((placed.x_mm, placed.y_mm)), id=id)


def _by_hand(body: Body, rng: np.random.Generator) -> Body:
    x, y = np.add(body.at_mm[:2], np.clip(rng.normal(0, BY_HAND_MM, 2), -2 * BY_HAND_MM, 2 * BY_HAND_MM)).tolist()
    return body.moved(at_mm=(x, y, body.at_mm[2]))


def _beside(kit: Kit, piece: PieceKind) -> Iterator[Body]:
    all_of = [(color, id) for color in colors_of(piece) for id in names_of(piece, color)]
    for i, (color, id) in enumerate(all_of):
        at = beside(kit, i)
        if at is not None:
            yield lying(kit, piece.kind, color, at, id=id)


def beside(kit: Kit, i: int) -> tuple[float, float] | None:
    """The place of the `i`-th waiting die: above or below the place where dice are thrown, from its corners inward;
    None: the kit has no such place."""
    box = dice_area(kit.mat)
    if box is None:
        return None
    x0, y0, x1, y1 = box
    inward = 20.0 + BESIDE_MM * (i // 4)
    x = (x0 + inward, x1 - inward, x1 - inward, x0 + inward)[i % 4]
    return x, min(max(y0 - BESIDE_MM if i % 4 < 2 else y1 + BESIDE_MM, 15.0), kit.mat.height_mm - 15.0)
