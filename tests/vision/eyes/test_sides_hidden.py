"""An empire die's side that another piece stands before tells nothing of whose it is."""

from __future__ import annotations

import json

import numpy as np
import pytest

from companion.game.readings import Kind
from tests.scenes import KIT, SIDE_UP
from vision.sim.pieces import lying
from vision.sim.virtual import VirtualTable
from vision.tables.eyes import open_eye
from vision.tables.eyes.eye_owner import hidden_share

AT_MM = (206.26, 304.20)


def read_beside(other_mm: tuple[float, float]) -> tuple[str | None, str | None]:
    """The owner told, and why none is, of a red die whose eye looks away, with another red die there."""
    table = VirtualTable(KIT, is_grain_anew=False, clock=lambda: 0.0, wait=lambda _: None)
    kept = json.loads(table.saved())
    kept["pieces"] = [piece for piece in kept["pieces"] if piece["kind"] == "territory"]
    turns = ((*AT_MM, [0.70064, 0.0954, -0.70064, 0.0954]), (*other_mm, [-0.65861, 0.0, 0.0, 0.75249]))
    for i, (x_mm, y_mm, turn) in enumerate(turns, 1):
        die = lying(KIT, Kind.EMPIRE_DIE, "red", (x_mm, y_mm), id=f"empire_die_red_{i}", top=SIDE_UP)
        kept["pieces"].append(
            {"id": die.id, "kind": die.kind, "color": die.color, "at_mm": (x_mm, y_mm, 14.0), "turn": turn}
        )
    table.restore(json.dumps(kept))
    picture = table.frame()
    assert picture is not None
    dice = [piece for piece in open_eye(table.lens, KIT).read(picture).pieces if piece.kind is Kind.EMPIRE_DIE]
    die = min(dice, key=lambda piece: abs(piece.x_mm - AT_MM[0]) + abs(piece.y_mm - AT_MM[1]))
    return die.color, die.reason


@pytest.mark.nightly
@pytest.mark.parametrize("other_mm", [(233.46, 327.42), (234.0, 330.0), (300.0, 327.42)])
def test_the_end_of_another_die_before_a_side_is_no_eye_on_it(other_mm: tuple[float, float]) -> None:
    """A corner of red's other die, with its eye up, hid a part of the side: blue's eye was told there, and surely."""
    assert read_beside(other_mm) == (None, "its eye is on a face that the camera does not see")


@pytest.mark.nightly
def test_what_hides_a_face_is_told_by_the_larger_part() -> None:
    face = np.array([(0, 0), (10, 0), (10, 10), (0, 10)], np.float32)
    corner, edge = face + np.float32(8), face + np.array([9, 0], np.float32)
    assert hidden_share(face, [corner, edge]) == pytest.approx(0.1)
    assert hidden_share(face, []) == 0.0
