"""A scene in plain JSON: as the page draws it, and as it truly is, for tests and autoplay."""

from __future__ import annotations

import math
from typing import Any

from companion.game.kit import Kit
from vision.sim.layout import is_token
from vision.sim.scene import Body, RoundBox, RoundCube, RoundPawn, Scene
from vision.sim.sheet import Sheet
from vision.sim.tray import LEAST_LEAN_DEG, dice_area
from vision.sim.truth import overlaps, stacks


def drawn(body: Body) -> dict[str, Any]:
    """A piece from above."""
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
    """``cube``, ``box``, ``pawn`` or ``disk``; a card is a box with a card's name."""
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


def board_drawn(sheet: Sheet) -> dict[str, Any]:
    """A printed board for the page: its spots where they lie, and the colour of those that are a colour's own."""
    owners = {
        spot: color
        for color, roles in sheet.board.roles.items()
        for value in roles.values()
        for spot in ([value] if isinstance(value, str) else value)
        if spot in sheet.board.spots
    }
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
    """The true state of the table, JSON-able.

    ``pieces``: every piece with its place. Tokens on a board also have the nearest ``spot``, their distance from it,
    and ``is_lying`` for a fallen one. ``spots``: the colour of the token on each spot. ``dice``: each die's ``value``
    (or ``face_color``), whether it is in the tray and whether it leans (``is_cocked``: then the value is only its most
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
