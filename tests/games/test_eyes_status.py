"""Eyes of the Emperor: positions and throws that cannot be are refused, and what a throw turns on is sure or open."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from companion.game.errors import NotationError
from companion.game.game import action_json, action_of_json
from companion.game.readings import SURE, Kind
from companion.game.values import Illegal
from companion.games.eyes_of_the_emperor import GAME
from companion.games.eyes_of_the_emperor.facts import facts
from companion.games.eyes_of_the_emperor.notation import scene_of_text
from companion.games.eyes_of_the_emperor.scene import Lying, Scene
from companion.games.eyes_of_the_emperor.state import Emperor, Open, Phase, State, ThrowSettled
from tests.companion.looks import LANDS, retold

HOME = "E red.1 377.5,350 down; E red.2 420,350 down; E blue.1 622.5,350 down; E blue.2 580,350 down; "
OUT = "E red.1 100,100; E red.2 200,100; E blue.1 800,100; E blue.2 900,100; "
VALLEY = scene_of_text(LANDS + HOME + "S red.s1 200,600; N n1 50,50")


def _said(state: State) -> list[str]:
    return [str(fault.says) for fault in GAME.rules.status(state)]


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (State(winner="red"), "the winner is red, expected nobody"),
        (State(throw=9, red=Emperor(taken=("red.1", "red.2")), winner="red"), "the winner is red, expected blue"),
    ],
)
def test_the_winner_is_who_is_not_blind(state: State, said: str) -> None:
    """A state without an eye taken was accepted with a winner, and `score` said that blue was blind."""
    assert said in _said(state)


@pytest.mark.parametrize(
    ("piece", "changed", "said"),
    [
        ("n1", {"x_mm": 1e308}, "ninja 1 is at 1e+308 mm, which is off the table"),
        ("n1", {"value": 99}, "ninja 1 shows a 99, expected 1 to 6"),
        ("red.s1", {"color": "x"}, "red samurai 1 is of color x, expected red or blue"),
    ],
)
def test_what_no_piece_shows_is_refused_in_a_judged_and_in_an_open_throw(
    piece: str, changed: dict[str, Any], said: str
) -> None:
    scene = retold(VALLEY, lambda p: p.id == piece, **changed)
    assert said in _said(State(throw=1, scene=scene))
    assert said in _said(State(throw=1, scene=VALLEY, open=Open(scene=scene, answers={})))
    with pytest.raises(Illegal, match=said[:15]):
        GAME.rules.apply(State(), ThrowSettled(scene=scene))
    with pytest.raises(NotationError) as refused:
        action_of_json(GAME, action_json(ThrowSettled(scene=scene)))
    assert str(refused.value) == said


@pytest.mark.parametrize(
    ("scene", "red", "said"),
    [
        (OUT, Phase.I, ["both blue empire dice are out and red is in war phase I"]),
        (OUT, Phase.II, []),
        (HOME, Phase.III, ["red is in war phase III and none of their samurai occupies"]),
        (HOME + "S red.s1 622,420", Phase.III, []),  # the others were knocked out since (gap 13)
        (HOME + "S red.s1 622,420; S red.s2 622,280; S red.s3 560,350", Phase.II, []),  # one step a throw (gap 3)
    ],
)
def test_a_war_phase_fits_the_last_judged_throw(scene: str, red: Phase, said: list[str]) -> None:
    state = State(throw=7, red=Emperor(phase=red), blue=Emperor(phase=Phase.II), scene=scene_of_text(LANDS + scene))
    assert _said(state) == said


@pytest.mark.parametrize(
    ("scene", "said"),
    [
        (
            "S red.s1 600,350 on red.s2; S red.s2 610,350 on red.s3; S red.s3 605,350 on red.s1",
            "red samurai 1 cannot be on a piece that is on it",
        ),
        (
            "E blue.1 600,350; ~ blue.1/blue 1+-0; ~ blue.1/blue -1+-0",
            "the overlap of blue empire die 1 and blue territory is given twice",
        ),
    ],
)
def test_a_scene_that_contradicts_itself_is_refused(scene: str, said: str) -> None:
    with pytest.raises(NotationError) as refused:
        scene_of_text(LANDS + scene)
    assert str(refused.value) == said


COCKED_DEG = 20.0
UNSURE = SURE - 0.01


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
    fact = facts(retold(VALLEY, lambda p: p.id == "blue.1", **lies), {}, COCKED_DEG)["up:blue.1"]
    assert (fact.known, fact.rule) == (is_up, f"Eyes of the Emperor, {rule}")


def test_a_doubtful_find_may_be_a_piece_read_twice_so_it_is_asked_whether_it_is_one_more() -> None:
    # who saw a samurai within the outline said yes, and it counted twice
    sure = Lying(id="red.s1", kind=Kind.SAMURAI, color="red", x_mm=100, y_mm=600)
    again = replace(sure, id="red.s2", x_mm=108, confidence=UNSURE)
    asked = facts(Scene(pieces=(sure, again)), {}, COCKED_DEG)["is:red.s2"]
    assert str(asked.says) == "Is this one more samurai?"
