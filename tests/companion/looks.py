"""Looks at the valley made from a scene in text: what the eyes would have read, without a picture."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from companion.game.evidence import Crop, CropAbout, CropOutline
from companion.game.margin import Margin
from companion.game.readings import EyesReading, Overlap, Piece, RestsOn, TableFit
from companion.games.eyes_of_the_emperor.notation import scene_of_text
from companion.match.match import Match

Opened = Callable[..., Match[Any, Any]]
LANDS = "T red 377.5,350; T blue 622.5,350; "
START = LANDS + "E red.1 377.5,350; E red.2 377.5,350; E blue.1 622.5,350; E blue.2 622.5,350"


def retold(lies: Any, which: Callable[[Any], bool], **told: object) -> Any:
    """A reading or a scene in which something else is told of some pieces."""
    return replace(lies, pieces=tuple(replace(p, **told) if which(p) else p for p in lies.pieces))


@dataclass(frozen=True)
class TextLook:
    """A look that pretends to have read `text`; ids are the eyes' own, so names must be found again."""

    text: str
    sigma_mm: float = 0.1
    at_s: float = math.inf
    """A look of no moment: newer than any press."""
    below_camera_mm: tuple[float, float] | None = (500.0, 350.0)
    camera_height_mm: float | None = 1200.0

    @property
    def reading(self) -> EyesReading:
        scene = scene_of_text(self.text)
        ids = {p.id: f"piece{i}" for i, p in enumerate(scene.pieces)}
        return EyesReading(
            table=TableFit(
                reprojection_px=0.1, below_camera_mm=self.below_camera_mm, camera_height_mm=self.camera_height_mm
            ),
            pieces=tuple(
                Piece(
                    id=ids[p.id],
                    kind=p.kind,
                    color=p.color,
                    x_mm=p.x_mm,
                    y_mm=p.y_mm,
                    angle_deg=p.angle_deg,
                    footprint_mm=(),
                    marked_up=p.marked_up,
                    value=p.value,
                )
                for p in scene.pieces
            ),
            overlaps=tuple(
                Overlap.of(ids[d.piece], ids[d.over], Margin(d.margin_mm, self.sigma_mm)) for d in scene.depths
            ),
            rests_on=tuple(RestsOn(piece=ids[r.piece], on=ids[r.on], confidence=1.0) for r in scene.rests_on),
        )

    def crop(self, x_mm: float, y_mm: float, piece: str) -> Crop:
        outline = CropOutline(role="piece", label=piece, points_px=((1.0, 1.0), (9.0, 1.0), (9.0, 9.0)))
        about = CropAbout(width_px=10, height_px=10, outlines=(outline,))
        told = {**json.loads(msgspec.json.encode(about)), "at_mm": [x_mm, y_mm]}
        return Crop(
            picture=f"picture of {piece} at {x_mm},{y_mm}".encode(), about=json.dumps(told).encode(), piece=piece
        )

    def close_up(self, places_mm: Mapping[str, tuple[float, float]]) -> Crop:
        name, (x_mm, y_mm) = next(iter(places_mm.items()))
        return self.crop(x_mm, y_mm, name)

    def overview(self) -> Crop:
        return replace(self.crop(0, 0, "all"), piece=None)
