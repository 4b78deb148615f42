"""What the set-up tells of stacked dice, and when it no longer does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.game.says import Says
from companion.game.view import Sight
from companion.games.eyes_of_the_emperor import GAME
from companion.games.eyes_of_the_emperor.scene import Scene
from companion.games.eyes_of_the_emperor.state import ThrowSettled
from companion.match.inputs import EndThrow
from companion.match.match import Match
from companion.record.log import Log
from tests.companion.looks import LANDS, TextLook

STACKS = LANDS + "E die.1 374,348; E die.2 626,349"
"""The two upper dice as a camera sees them: a little beside where they stand, no eye in view."""


@pytest.fixture
def match(tmp_path: Path) -> Iterator[Match]:
    found = Match(GAME, Log(tmp_path / "eyes.db"), wall_s=lambda: 0.0, monotonic_s=lambda: 0.0)
    found.saw(Sight.SEES, Says("the table is seen"))
    yield found
    found.close()


def scene_of(match: Match, text: str) -> Scene:
    match.looked(TextLook(text))
    assert match.submit(EndThrow(by="red")).refused is None
    last = match._folded.last
    assert isinstance(last.action, ThrowSettled)
    return last.action.scene


def dice(scene: Scene) -> dict[str, str | None]:
    return {p.id: p.color for p in scene.pieces if p.id.startswith(("red.", "blue.", "die."))}


def test_a_stack_that_was_not_touched_is_still_two_dice_of_its_side(match: Match) -> None:
    match.looked(TextLook(STACKS))
    scene = scene_of(match, LANDS + "E die.1 374.2,348.1; E die.2 655,340; E die.3 560,500; N n1 500,100")
    assert dice(scene) == {"red.1": "red", "red.2": "red", "blue.1": "blue", "blue.2": "blue"}
    assert scene.unseen == ()
    assert scene.piece("red.2").marked_up is False
    assert [(r.piece, r.on) for r in scene.rests_on] == [("red.1", "red.2")]
    assert match.view().question is None


@pytest.mark.parametrize("x_mm", [371.2, 377.5])
def test_where_the_upper_die_is_seen_elsewhere_nothing_is_said_of_the_lower(match: Match, x_mm: float) -> None:
    match.looked(TextLook(STACKS))
    scene = scene_of(match, LANDS + f"E die.1 {x_mm},348; E die.2 626,349; N n1 500,100")
    assert scene.piece("red.2") is None
    assert "red.2" in scene.unseen


def test_what_was_thrown_before_anybody_looked_leaves_no_set_up(match: Match) -> None:
    assert dice(scene_of(match, STACKS + "; N n1 500,100")) == {"die.1": None, "die.2": None}


@pytest.mark.parametrize("below_camera_mm", [(374.0, 400.0), None])
def test_straight_below_the_camera_nothing_is_said_of_the_lower_die(
    match: Match, below_camera_mm: tuple[float, float] | None
) -> None:
    match.looked(TextLook(STACKS))
    match.looked(TextLook(STACKS + "; N n1 500,100", below_camera_mm=below_camera_mm))
    match.submit(EndThrow(by="red"))
    last = match._folded.last
    assert isinstance(last.action, ThrowSettled)
    assert "red.2" in last.action.scene.unseen
