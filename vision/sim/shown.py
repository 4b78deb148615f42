"""A scene as plain JSON: for the page, and as the true state for tests and autoplay."""

import math
from dataclasses import dataclass
from typing import Any

from companion.game.kit import Kit
from companion.game.table import overlap_mm
from vision.sim.layout import is_token
from vision.sim.scene import Body, RoundBox, RoundCube, RoundDisk, RoundPawn, Scene
from vision.sim.sheet import PrintedBoard
from vision.sim.tumble import LEAST_LEAN_DEG, dice_area


@dataclass(frozen=True, slots=True)
class TrueOverlap:
    """Depth of a piece's overlap with a base (ids), mm, negative: the gap."""

    piece: str
    over: str
    margin_mm: float


def overlaps(scene: Scene) -> tuple[TrueOverlap, ...]:
    """The margin of every piece of a side (pipped dice have no side) against every base."""
    lands = [body for body in scene if body.is_base]
    return tuple(
        TrueOverlap(body.id, land.id, overlap_mm(body.footprint, land.footprint))
        for body in scene
        if not body.is_base and body.faces != "pips"
        for land in lands
    )


def upper_of(a: Body, b: Body) -> Body | None:
    """The upper of two pieces whose projections overlap; None: they do not overlap."""
    if overlap_mm(a.footprint, b.footprint) <= 0:
        return None
    return a if a.at_mm[2] > b.at_mm[2] else b


def stacks(scene: Scene) -> tuple[tuple[str, str], ...]:
    """Pairs (upper, lower) of small disks on each other."""
    disks = [body for body in scene if not body.is_base and isinstance(body.solid, RoundDisk)]
    pairs = []
    for i, a in enumerate(disks):
        for b in disks[:i]:
            upper = upper_of(a, b)
            if upper is not None:
                pairs.append((upper.id, (b if upper is a else a).id))
    return tuple(pairs)


def drawn(body: Body) -> dict[str, Any]:
    """Drawing of a piece for the page, from above."""
    rotation = body.rotation
    yaw_axis = rotation[:, 0] if abs(rotation[2, 0]) < 0.7 else rotation[:, 1]
    x, y, _ = body.at_mm
    shown: dict[str, Any] = {
        "id": body.id,
        "kind": body.kind,
        "shape": shape_of(body),
        "color": body.color,
        "x_mm": round(x, 2),
        "y_mm": round(y, 2),
        "height_mm": round(body.highest_mm, 1),
        "tilt_deg": round(body.tilt_deg, 1),
        "angle_deg": round(math.degrees(math.atan2(yaw_axis[1], yaw_axis[0])), 1),
        **_sizes(body),
    }
    if body.is_fixed:
        shown["is_fixed"] = True
    if body.value is not None:
        shown["value"] = body.value
    if body.face_color is not None:
        shown["face_color"] = body.face_color
    if body.marked_up is not None:
        shown["marked_up"] = body.marked_up
        shown["eye"] = [round(float(v), 3) for v in rotation[:, 2]]
    if body.card is not None:
        shown["card"] = body.card if rotation[2, 2] > 0 else None
    return shown


def shape_of(body: Body) -> str:
    """``cube``, ``box``, ``card``, ``pawn`` or ``disk``; a card is a box with a card's name."""
    if body.is_die:
        return "cube"
    if isinstance(body.solid, RoundBox):
        return "card" if body.card is not None else "box"
    return "pawn" if isinstance(body.solid, RoundPawn) else "disk"


def _sizes(body: Body) -> dict[str, float]:
    solid = body.solid
    if isinstance(solid, RoundCube):
        return {"size_mm": solid.side_mm}
    if isinstance(solid, RoundBox):
        return {
            "size_mm": 2 * max(solid.halves_mm),
            "wide_mm": 2 * solid.halves_mm[0],
            "long_mm": 2 * solid.halves_mm[1],
        }
    return {"size_mm": 2 * solid.radius_mm}


def board_drawn(sheet: PrintedBoard) -> dict[str, Any]:
    """A printed board for the page: its spots' table points, and whose each special spot is ("common": everyone's)."""
    owners = {spot: color or "common" for spot, (color, _) in sheet.board.owners().items()}
    steps = [[a, b] for a, to in sheet.board.next.items() for b in to]
    return {
        "name": sheet.board.name,
        "at_mm": list(sheet.at_mm),
        "angle_deg": sheet.angle_deg,
        "size_mm": list(sheet.board.size_mm),
        "circle_mm": sheet.board.circle_mm,
        "spots": {spot: [round(x, 2), round(y, 2)] for spot, (x, y) in sheet.places_mm.items()},
        "owners": owners,
        "steps": steps,
    }


def truth(scene: Scene, kit: Kit) -> dict[str, Any]:
    """The true state of the table, as JSON.

    ``pieces``: every piece with its place. Tokens on a board also have the nearest ``spot``, their distance from it,
    and ``is_lying`` for a fallen token. ``spots``: the colour of the token on each spot. ``dice``: each die's ``value``
    (or ``face_color``), whether it is in the tray, and whether it leans (``is_cocked``: the value is only its most
    upward face). ``overlaps``: (piece, base, margin in mm, negative for a gap). ``stacks``: (upper, lower) of small
    disks.
    """
    box = dice_area(kit.mat)
    pieces, dice, spots = [], [], {}
    for body in scene:
        if body.is_fixed:
            continue
        shown = drawn(body)
        if body.is_die:
            x, y, _ = body.at_mm
            shown["in_tray"] = box is not None and box[0] < x < box[2] and box[1] < y < box[3]
            shown["is_cocked"] = body.tilt_deg > LEAST_LEAN_DEG
            dice.append(shown)
        elif scene.sheet is not None and is_token(kit.piece(body.kind), scene.sheet.board):
            spot, off_mm = scene.sheet.nearest(body.at_mm[:2])
            shown |= {"spot": spot, "off_mm": round(off_mm, 2), "is_lying": body.tilt_deg > 45.0}
            if off_mm < scene.sheet.board.circle_mm / 2:
                spots[spot] = body.color
        pieces.append(shown)
    margins = [(one.piece, one.over, round(one.margin_mm, 3)) for one in overlaps(scene)]
    return {"pieces": pieces, "dice": dice, "spots": spots, "overlaps": margins, "stacks": list(stacks(scene))}
