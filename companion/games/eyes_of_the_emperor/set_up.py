"""Facts about dice that the set-up implies and the camera cannot see: their owners, and each side's lower die.

At the start each emperor's dice are stacked on the middle of the own territory (Instructions 2). From above the upper
die hides the lower one, and both eyes look sideways. While the upper die is seen exactly in its place, the lower one is
there. If the upper one were gone, the lower one would be seen elsewhere, since its top is further from the camera.
Straight below the camera this does not show, and nothing is concluded there.
"""

from __future__ import annotations

import math
from dataclasses import replace

from companion.game.readings import EyesReading, Kind, TableFit
from companion.games.eyes_of_the_emperor.scene import SEATS, Depth, Lying, Rest, Scene, apart_mm, dice_names

MIDDLE_MM = 15.0
"""Maximum distance of a stack from its territory's middle, which is not marked. The upper die, nearer to the camera, is
seen up to 4 mm further out than it stands."""
UNTOUCHED_MM = 0.6
"""A die that is seen within this of where it was seen has not been touched."""
OBLIQUE_MM = 75.0
"""Minimum distance from the point below the camera, to notice that an upper die is gone. There a camera 1.2 m up sees a
lower die, its top 28 mm further down, 1.7 mm elsewhere."""
BELOW_SIGMA_MM = 3.0
"""Standard error of the lower die's place, which is not seen."""


def set_up_around(scene: Scene) -> Scene:
    """The valley at the start (Instructions 1 and 2), around the territories' places in a scene."""
    lands = scene.of(Kind.TERRITORY)
    dice = [
        Lying(id=name, kind=Kind.EMPIRE_DIE, color=land.color, x_mm=land.x_mm, y_mm=land.y_mm, marked_up=False)
        for land in lands
        for name in dice_names(land.color or "")
        if land.color in SEATS
    ]
    return Scene(pieces=(*lands, *dice))


def is_set_up(reading: EyesReading) -> bool:
    """Whether a table shows a match that has not begun: nothing thrown, and nothing but the stacks on the lands."""
    kinds = [piece.kind for piece in reading.pieces]
    dice = [p for p in reading.pieces if p.kind == Kind.EMPIRE_DIE]
    if Kind.SAMURAI in kinds or Kind.NINJA in kinds or len(dice) != len(SEATS):
        return False
    lands = {p.color: p for p in reading.pieces if p.kind == Kind.TERRITORY}
    return all(seat in lands and sum(apart_mm(d, lands[seat]) < MIDDLE_MM for d in dice) == 1 for seat in SEATS)


def is_start(scene: Scene) -> bool:
    """Whether a scene is the set-up: each side's dice stacked, and nothing thrown."""
    stacks = {(rest.piece, rest.on) for rest in scene.rests_on}
    return stacks == {dice_names(seat) for seat in SEATS} and not scene.of(Kind.SAMURAI) + scene.of(Kind.NINJA)


def stacked(reading: EyesReading) -> EyesReading:
    """A reading of the set-up in which the dice have their owners."""
    lands = [p for p in reading.pieces if p.kind == Kind.TERRITORY]
    pieces = []
    for piece in reading.pieces:
        if piece.kind == Kind.EMPIRE_DIE:
            mine = min(lands, key=lambda land: apart_mm(piece, land))
            piece = replace(piece, color=mine.color)
        pieces.append(piece)
    return replace(reading, pieces=tuple(pieces))


def with_lower_dice(scene: Scene) -> Scene:
    """The set-up's scene with the lower die of each stack added."""
    for seat in SEATS:
        upper, lower = dice_names(seat)
        scene = _with(scene, upper, lower)
    return scene


def still_below(scene: Scene, before: Scene, table: TableFit) -> Scene:
    """A scene with the dice that stood, unseen, below others that have not been touched since."""
    if table.below_camera_mm is None:
        return scene
    x_mm, y_mm = table.below_camera_mm
    here = {piece.id for piece in scene.pieces}
    for rest in before.rests_on:
        upper, lower = scene.piece(rest.piece), before.piece(rest.on)
        was = before.piece(rest.piece)
        if upper is None or lower is None or was is None or lower.kind != Kind.EMPIRE_DIE or lower.id in here:
            continue
        is_oblique = math.hypot(upper.x_mm - x_mm, upper.y_mm - y_mm) > OBLIQUE_MM
        is_untouched = apart_mm(upper, was) < UNTOUCHED_MM
        if upper.kind == Kind.EMPIRE_DIE and is_oblique and is_untouched:
            scene = _with(scene, upper.id, lower.id)
    return scene


def _with(scene: Scene, upper: str, lower: str) -> Scene:
    above = scene.piece(upper)
    if above is None:
        return scene
    below = Lying(
        id=lower,
        kind=above.kind,
        color=above.color,
        x_mm=above.x_mm,
        y_mm=above.y_mm,
        angle_deg=above.angle_deg,
        marked_up=False,  # both markings face the opponent (Instructions 2)
    )
    depths = tuple(
        Depth(piece=lower, over=d.over, margin_mm=d.margin_mm, sigma_mm=math.hypot(d.sigma_mm, BELOW_SIGMA_MM))
        for d in scene.depths
        if d.piece == upper
    )
    return replace(
        scene,
        pieces=(*scene.pieces, below),
        depths=(*scene.depths, *depths),
        rests_on=(*scene.rests_on, Rest(piece=upper, on=lower)),
    )
