"""What a throw turns on, fact by fact: sure, answered by a person, or open."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.game.readings import SURE, Kind
from companion.games.eyes_of_the_emperor.facts import facts
from companion.games.eyes_of_the_emperor.notation import scene_of_text
from companion.games.eyes_of_the_emperor.scene import Lying, Scene
from tests.companion.looks import LANDS, retold

COCKED_DEG = 20.0
HOME = LANDS + "E red.1 377.5,350; E red.2 300,350; E blue.1 622.5,350; E blue.2 700,350; "
UNSURE = SURE - 0.01


def with_piece(scene: Scene, id: str, **told: object) -> Scene:
    """The scene with something else told of one piece."""
    return retold(scene, lambda p: p.id == id, **told)


@pytest.mark.parametrize(
    ("lies", "is_up", "rule"),
    [
        ({"marked_up": True}, True, "Instructions 12"),
        ({"marked_up": False}, False, "Instructions 12"),
        ({"marked_up": True, "confidence": UNSURE}, None, "Instructions 12"),
        # a lean nearer to the limit than three of its errors is asked, on either side
        ({"marked_up": True, "tilt_deg": 16.9, "tilt_sigma_deg": 1.0}, True, "Instructions 12"),
        ({"marked_up": True, "tilt_deg": 22.9, "tilt_sigma_deg": 1.0}, None, "gap 15"),
        ({"marked_up": True, "tilt_deg": 23.1, "tilt_sigma_deg": 1.0}, False, "gap 15"),
        ({"marked_up": False, "tilt_deg": 20.0, "tilt_sigma_deg": 1.0}, False, "Instructions 12"),
        ({"marked_up": True, "confidence": UNSURE, "tilt_deg": 40.0}, None, "Instructions 12"),
    ],
)
def test_instructions_12_whether_an_eye_looks_up(lies: dict[str, object], is_up: bool | None, rule: str) -> None:
    fact = facts(with_piece(scene_of_text(HOME), "blue.1", **lies), {}, COCKED_DEG)["up:blue.1"]
    assert (fact.known, fact.rule) == (is_up, f"Eyes of the Emperor, {rule}")


def test_a_doubtful_find_may_be_a_piece_read_twice_so_it_is_asked_whether_it_is_one_more() -> None:
    # who saw a samurai within the outline said yes, and it counted twice
    sure = Lying(id="red.s1", kind=Kind.SAMURAI, color="red", x_mm=100, y_mm=600)
    again = replace(sure, id="red.s2", x_mm=108, confidence=UNSURE)
    asked = facts(Scene(pieces=(sure, again)), {}, COCKED_DEG)["is:red.s2"]
    assert str(asked.says) == "Is this one more samurai?"
