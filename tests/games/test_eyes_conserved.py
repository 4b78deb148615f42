"""Pieces are conserved: what was thrown is seen, hidden, or has left the valley."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.games.eyes_of_the_emperor import GAME
from companion.games.eyes_of_the_emperor.reading import interpret
from companion.games.eyes_of_the_emperor.state import Emperor, Phase, State, ThrowSettled
from companion.readings import ANOTHER_BELOW, EyesReading
from tests.companion.looks import LANDS, TextLook

DICE = "E red.1 180,400; E red.2 240,600; E blue.1 640,350; E blue.2 600,400; "
WAR = State(throw=9, blue=Emperor(phase=Phase.II))
"""Red throws ninjas and blue samurai."""
NINE = [f"S blue.s{i} {60 + 50 * i},60" for i in range(1, 10)]


def look(*samurai: str, tilts: dict[int, float] | None = None) -> EyesReading:
    """A valley with these samurai; `tilts` in degrees, by the samurai's number in the list."""
    reading = TextLook(LANDS + DICE + "; ".join(samurai)).reading
    first = len(reading.pieces) - len(samurai)
    leaning = {reading.pieces[first + i].id: tilt for i, tilt in (tilts or {}).items()}
    pieces = (replace(p, tilt_deg=leaning.get(p.id, 0.0)) for p in reading.pieces)
    return replace(reading, pieces=tuple(pieces))


def thrown(state: State, reading: EyesReading, **answers: bool) -> State:
    action = interpret(state, reading).actions[0]
    return GAME.apply(state, ThrowSettled(scene=action.scene, answers={**action.answers, **answers})).state


def lying(count: int) -> State:
    """The war with so many blue samurai in the valley."""
    return replace(thrown(WAR, look(*NINE[:count])), throw=10)


def test_rules_2_a_thrown_samurai_that_came_to_rest_exactly_on_another_is_asked_about() -> None:
    """Seed 3, throw 19: nine were seen, ten lay there, and no refill was entered."""
    state = lying(9)
    # the ninth lies where it lay, and leans otherwise since another one slid under it
    held = thrown(state, look(*NINE, tilts={8: 12.0}))
    asked = GAME.question(held)
    assert asked is not None
    assert asked.key == "there:blue.s10"
    assert held.open is not None
    for lies_there, refill in ((True, ("samurai",)), (False, ())):
        told = GAME.apply(state, ThrowSettled(scene=held.open.scene, answers={"there:blue.s10": lies_there})).state
        assert (told.open, told.refill) == (None, refill)


def test_a_thrown_samurai_has_left_where_nothing_that_lies_there_was_touched() -> None:
    state = lying(9)
    now = thrown(state, look(*NINE))
    assert now.open is None
    assert now.scene is not None
    assert now.scene.unseen == ()


def test_instructions_11_a_hidden_samurai_may_be_the_third_that_occupies() -> None:
    on_red = ["S blue.s1 377,350", "S blue.s2 330,350"]
    state = replace(thrown(WAR, look(*on_red)), throw=10)
    held = thrown(state, look("S blue.s1 380,352", on_red[1]))
    asked = GAME.question(held)
    assert asked is not None
    assert asked.key == "there:blue.s3"
    assert held.open is not None
    for occupies, phase in ((True, Phase.III), (False, Phase.II)):
        answers = {"there:blue.s3": True, "in:blue.s3": occupies}
        told = GAME.apply(state, ThrowSettled(scene=held.open.scene, answers=answers)).state
        assert (told.open, told.blue.phase) == (None, phase)
    # far from the territory nothing depends on it
    apart = replace(thrown(WAR, look("S blue.s1 100,60", "S blue.s2 150,60")), throw=10)
    assert thrown(apart, look("S blue.s1 104,60", "S blue.s2 150,60")).open is None


def test_an_answer_about_a_hidden_samurai_holds_until_something_there_moves() -> None:
    state = lying(9)
    told = thrown(state, look(*NINE, tilts={8: 12.0}), **{"there:blue.s10": True})
    assert told.refill == ("samurai",)
    still = replace(told, refill=())
    again = interpret(still, look(*NINE, tilts={8: 12.0})).actions[0]
    assert again.answers == {"there:blue.s10": True}
    moved = interpret(still, look("S blue.s1 118,60", *NINE[1:], tilts={8: 12.0})).actions[0]
    assert moved.scene.unseen == ("blue.s10",)
    assert moved.answers == {}
    gone = thrown(state, look(*NINE, tilts={8: 12.0}), **{"there:blue.s10": False})
    later = interpret(replace(gone, blue=Emperor()), look(*NINE, tilts={8: 1.0})).actions[0]
    assert later.scene.unseen == ()


@pytest.mark.parametrize(("seen", "may_be_more"), [(5, False), (4, True)])
def test_nobody_is_asked_what_lies_under_a_samurai_where_all_are_seen(seen: int, may_be_more: bool) -> None:
    """Nine of 98 questions were about owners, and one about a doubled samurai that all others disproved."""
    state = lying(4)
    reading = look(*NINE[:seen], tilts={0: 12.0})
    doubted = next(p.id for p in reading.pieces if p.kind == "samurai")
    pieces = (replace(p, reason=ANOTHER_BELOW if p.id == doubted else None) for p in reading.pieces)
    scene = interpret(state, replace(reading, pieces=tuple(pieces))).actions[0].scene
    assert any(piece.id.endswith("b") for piece in scene.pieces) is may_be_more
    assert scene.unseen == ()
