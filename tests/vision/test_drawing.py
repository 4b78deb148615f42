"""What was read, drawn on its picture."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from companion.game.margin import Margin
from companion.game.readings import EyesReading, Kind, Overlap, Piece, RestsOn, TableFit
from tests.scenes import KIT, SMALL_LENS
from vision.drawing import Drawing
from vision.sim.render import overhead
from vision.tables.eyes import reader as eyes_drawn


class Recorded(Drawing):
    """Keeps what it was asked to draw."""

    last: Recorded

    def __init__(self, picture: Any) -> None:
        super().__init__(picture)
        Recorded.last = self
        self.said: list[list[str]] = []
        self.large: list[tuple[float, float, str]] = []

    def label(self, lines: Any, about_px: Any, ink: Any) -> None:
        self.said.append(list(lines))
        super().label(lines, about_px, ink)

    def magnify(self, at_px: Any, says: str, ink: Any) -> None:
        self.large.append((*np.round(at_px, 1).tolist(), says))
        super().magnify(at_px, says, ink)


def test_eyes_tell_names_faces_stacks_margins_and_doubts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(eyes_drawn, "Drawing", Recorded)

    def piece(id: str, kind: Kind, x_mm: float, y_mm: float, radius_mm: float, **more: Any) -> Piece:
        turns = np.linspace(0, 2 * np.pi, 180, endpoint=False)
        ring = np.column_stack([x_mm + radius_mm * np.cos(turns), y_mm + radius_mm * np.sin(turns)])
        at = {"x_mm": x_mm, "y_mm": y_mm, "angle_deg": 0.0, "tilt_deg": 0.0}
        return Piece(
            id=id, kind=kind, color=id.split("_")[1], footprint_mm=tuple(map(tuple, ring.tolist())), **at, **more
        )

    reading = EyesReading(
        table=TableFit(reprojection_px=0.2),
        pieces=(
            piece("territory_red", Kind.TERRITORY, 377.5, 350, 110),
            piece("samurai_blue_1", Kind.SAMURAI, 510.2, 350, 22.5),
            piece("samurai_blue_2", Kind.SAMURAI, 540, 350, 22.5, confidence=0.6),
            piece("ninja_1", Kind.NINJA, 800, 600, 8, reason="it leans on the rim of a disk and on a die beside it"),
            piece("ninja_2", Kind.NINJA, 700, 600, 8, value=5),
        ),
        overlaps=(
            Overlap.of("samurai_blue_1", "territory_red", Margin(-0.2, 0.15)),
            Overlap.of("samurai_blue_2", "territory_red", Margin(-30.0, 0.2)),
        ),
        rests_on=(RestsOn(piece="samurai_blue_2", on="samurai_blue_1", confidence=0.9),),
    )
    pose = overhead(SMALL_LENS, height_mm=1100)
    paper = np.full((SMALL_LENS.height_px, SMALL_LENS.width_px, 3), 128, np.uint8)
    eyes_drawn.draw_reading(paper, reading, pose, KIT)
    assert Recorded.last.said == [
        ["territory red"],
        ["samurai blue 1", "too close to territory red: -0.20 mm, σ 0.15"],
        ["samurai blue 2", "on samurai blue 1", "unsure, 0.60"],
        ["ninja 1: ?", "it leans on the rim of a disk", "and on a die beside it"],
        ["ninja 2: 5"],
    ]
    at = pose.to_pixels(np.array([(487.7, 350.0, KIT.rim_mm)]))[0]
    assert Recorded.last.large == [(*np.round(at, 1).tolist(), "samurai blue 1: -0.20 mm, σ 0.15")]
