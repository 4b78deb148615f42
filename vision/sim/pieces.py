"""From a kit to bodies: a kind of piece determines shape, marks on faces and material. No game's words are used here.

A ``disk`` larger than `BASE_MM` is cardboard, a smaller disk and a ``pawn`` are wood. A ``cube`` with `marked_faces` is
an ivory die with a mark in the piece's colour; with `faces` ``colors`` it has one colour per face; any other has pips.
Edges are rounded by `bevel_mm`, or by a typical radius.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from companion.game.cards import JOKER, PACK
from companion.game.kit import Kit, PieceKind
from vision.sim.scene import (
    BASE_MM,
    MARK_FACE,
    Body,
    RoundBox,
    RoundCube,
    RoundDisk,
    RoundPawn,
    Solid,
    about,
    face_up,
    times,
)

CUBE_BEVEL = 0.06
"""Rounding in sides of a cube, if the kit does not state it."""
DISK_BEVEL_MM, DISK_BEVEL = 0.6, 0.15
"""Maximum rounding, and its share of the height."""
PAWN_HEAD, PAWN_BEVEL = 0.42, 0.22
"""Head radius and rounding, in radii of a pawn's foot."""
CARD_BEVEL = 0.4
"""Rounding in thicknesses of a card."""


@dataclass(frozen=True, slots=True)
class Material:
    """Strength and roughness of reflections, friction on the table, and heights of a thrown piece's hops (mm)."""

    gloss: float
    roughness: float
    friction: float
    hops_mm: tuple[float, ...] = (4.0,)


MATERIALS = {
    "plastic": Material(0.6, 0.16, 0.28, (26.0, 9.0, 3.0)),
    "ivory": Material(0.5, 0.16, 0.36),
    "wood": Material(0.05, 0.3, 0.42, (7.0, 2.0)),
    "cardboard": Material(0.04, 0.35, 0.5),
    "paper": Material(0.08, 0.3, 0.5),
}


def solid_of(piece: PieceKind) -> Solid:
    """The solid of a kind of piece, in the kit's sizes."""
    bevel = piece.sizes_mm.get("bevel")
    if piece.shape == "cube":
        side = piece.size_mm("side")
        return RoundCube(side, side * CUBE_BEVEL if bevel is None else bevel)
    if piece.shape == "card":
        halves = (piece.size_mm("width") / 2, piece.size_mm("length") / 2, piece.sizes_mm.get("height", 0.3) / 2)
        return RoundBox(halves, halves[2] * 2 * CARD_BEVEL if bevel is None else bevel)
    radius, height = piece.size_mm("diameter") / 2, piece.size_mm("height")
    if piece.shape == "pawn":
        return RoundPawn(radius, height, radius * PAWN_BEVEL if bevel is None else bevel, radius * PAWN_HEAD)
    return RoundDisk(radius, height, min(DISK_BEVEL_MM, height * DISK_BEVEL) if bevel is None else bevel)


def faces_of(piece: PieceKind) -> str:
    """The marks on the faces of a kind of piece."""
    if piece.shape != "cube":
        return ""
    return piece.faces or ("mark" if piece.marked_faces else "pips")


def colors_of(piece: PieceKind) -> tuple[str, ...]:
    """The colours of a kind of piece. A die with one colour per face is one piece; cards are dealt without colours."""
    return ("mixed",) if faces_of(piece) == "colors" else piece.colors


def pack_of(piece: PieceKind, seats: int) -> tuple[str, ...]:
    """The cards for this number of seats: packs of 52 and a joker each, in the number that the kit states."""
    packs = piece.packs.get(seats) or min(piece.packs.values(), default=1)
    return (*PACK, JOKER) * packs


def names_of(piece: PieceKind, color: str) -> Iterator[str]:
    """The ids of all pieces of a kind and colour."""
    if piece.count_each == 1:
        yield f"{piece.kind}_{color}"
    else:
        yield from (f"{piece.kind}_{color}_{i + 1}" for i in range(piece.count_each))


def lying(
    kit: Kit,
    kind: str,
    color: str,
    at: tuple[float, float],
    *,
    id: str | None = None,
    on_mm: float = 0.0,
    top: tuple[int, int] = MARK_FACE,
    angle_deg: float = 0.0,
) -> Body:
    """A level piece with its underside at height `on_mm`, its face `top` up, turned by `angle_deg`."""
    piece = kit.piece(kind)
    solid, faces = solid_of(piece), faces_of(piece)
    turn = times(about((0.0, 0.0, 1.0), angle_deg), face_up(top))
    return Body(
        id=id or f"{kind}_{color}",
        kind=kind,
        color=color,
        solid=solid,
        at_mm=(float(at[0]), float(at[1]), on_mm + solid.half_mm),
        turn=turn,
        material=_material(piece, faces, solid),
        faces=faces,
        inks=piece.colors if faces == "colors" else (),
    )


def _material(piece: PieceKind, faces: str, solid: Solid) -> str:
    if piece.shape == "cube":
        # a die with painted faces is wood, because on plastic lamp reflections made a black face as bright as the mat
        return {"mark": "ivory", "colors": "wood"}.get(faces, "plastic")
    if piece.shape == "card":
        return "paper"
    return "cardboard" if isinstance(solid, RoundDisk) and solid.radius_mm > BASE_MM else "wood"
