"""What a throw turns on, fact by fact: sure, answered by a person, or open."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from companion.game.errors import NotationError
from companion.game.game import action_json, action_of_json
from companion.game.margin import Call, Margin
from companion.game.readings import SURE, Kind
from companion.games.eyes_of_the_emperor import GAME
from companion.games.eyes_of_the_emperor.facts import called, facts, tally
from companion.games.eyes_of_the_emperor.notation import scene_of_text
from companion.games.eyes_of_the_emperor.scene import Lying, Rest, Scene
from companion.games.eyes_of_the_emperor.state import ThrowSettled
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


@pytest.mark.parametrize(("is_below", "count"), [(True, 2), (False, 1)])
def test_an_answer_about_a_samurai_below_confirms_the_one_above(is_below: bool, count: int) -> None:
    """The upper one was doubtful and was not counted: the fifth samurai in the valley was missed (seed 9133)."""
    scene = scene_of_text(LANDS + "S red.s3 772,362 c0.7; S red.s3b 772,362 c0.3")
    told = facts(scene, {"is:red.s3b": is_below}, COCKED_DEG)
    assert told["is:red.s3"].known
    assert tally(scene, told).samurai["red"] == count


def test_a_doubtful_find_may_be_a_piece_read_twice_so_it_is_asked_whether_it_is_one_more() -> None:
    # who saw a samurai within the outline said yes, and it counted twice
    sure = Lying(id="red.s1", kind=Kind.SAMURAI, color="red", x_mm=100, y_mm=600)
    again = replace(sure, id="red.s2", x_mm=108, confidence=UNSURE)
    asked = facts(Scene(pieces=(sure, again)), {}, COCKED_DEG)["is:red.s2"]
    assert str(asked.says) == "Is this one more samurai?"


@pytest.mark.parametrize(
    ("what", "field", "value", "is_fair"),
    [
        ("pieces", "tilt_deg", 90.5, False),
        ("pieces", "tilt_sigma_deg", -0.5, False),
        ("pieces", "confidence", 1.0, True),
        ("pieces", "confidence", 1.5, False),
        # with an error below nothing no margin would be too close to call
        ("depths", "sigma_mm", 0.0, True),
        ("depths", "sigma_mm", -0.5, False),
        ("rests_on", "confidence", 1.5, False),
    ],
)
def test_an_entry_with_an_error_or_a_chance_that_cannot_be_is_refused(
    what: str, field: str, value: float, is_fair: bool
) -> None:
    scene = replace(scene_of_text(HOME), rests_on=(Rest(piece="red.1", on="red"),))
    data = msgspec.to_builtins(action_json(ThrowSettled(scene=scene)))
    data["scene"][what][0][field] = value
    if is_fair:
        assert isinstance(action_of_json(GAME, data), ThrowSettled)
        return
    with pytest.raises(NotationError, match=field):
        action_of_json(GAME, data)


@pytest.mark.parametrize(("sigma_mm", "call"), [(0.332, True), (0.334, None)])
def test_a_margin_nearer_than_three_errors_is_open_on_either_side(sigma_mm: float, call: bool | None) -> None:
    assert called(Margin(1.0, sigma_mm)) is call
    assert called(Margin(-1.0, sigma_mm)) is (None if call is None else False)
    assert called(Margin(0.0, sigma_mm)) is None
    assert (called(Margin(0.0, 0.0)), called(None)) == (False, False)
    # and a margin of nothing is no touch that was measured without error
    assert [Margin(mm, 0.0).call() for mm in (0.0, 0.01, -0.01)] == [Call.TOO_CLOSE, Call.OVERLAPS, Call.CLEAR]
    assert Margin(3.0, 1.0).call() is Call.OVERLAPS
