"""A die that the camera gave to the wrong emperor: two dice change places, and what was said of them goes along."""

from __future__ import annotations

import pytest

from companion.errors import NotationError
from companion.games.eyes_of_the_emperor import GAME
from companion.games.eyes_of_the_emperor.reading import interpret
from companion.games.eyes_of_the_emperor.state import Emperor, Phase, State, ThrowSettled
from tests.companion.looks import LANDS, TextLook

OCCUPYING = "S red.s1 622.5,350; S red.s2 570,350; S red.s3 680,350; "
MISREAD = LANDS + OCCUPYING + "E red.1 377.5,350; E red.2 900,600 up; E blue.1 300,350 down; E blue.2 622.5,350; "
WAR = State(throw=5, red=Emperor(phase=Phase.III), blue=Emperor(phase=Phase.II))


def settled(state: State, text: str) -> ThrowSettled:
    return interpret(state, TextLook(text).reading).actions[0]


def owner_facts(state: State) -> dict[str, dict[str, str]]:
    return {c.fact: {v: str(w) for v, w in c.choices} for c in GAME.corrections(state) if c.fact.startswith("owner:")}


def test_instructions_3_two_dice_change_places_and_the_throw_is_judged_anew() -> None:
    action = settled(WAR, MISREAD)
    assert GAME.apply(WAR, action).state.blue.taken == ()  # what looks up was taken for red's own
    choices = owner_facts(GAME.apply(WAR, action).state)["owner:red.2"]
    assert choices == {
        "red": "It is red's",
        "blue.1": "It is blue's, and blue empire die 1 is red's",
        "blue.2": "It is blue's, and blue empire die 2 is red's",
    }
    right = GAME.amended(action, "owner:red.2", "blue.1")
    assert GAME.place_mm(right, "blue.1") == (900.0, 600.0)
    assert GAME.place_mm(right, "red.2") == (300.0, 350.0)
    now = GAME.apply(WAR, right).state
    assert now.blue.taken == ("blue.1",)
    assert str(GAME.says_fact(right, "owner:red.2", "blue.1")) == (
        "Whose is red empire die 2? It is blue's, and blue empire die 1 is red's"
    )
    assert GAME.action_of_json(GAME.action_json(right)) == right
    assert GAME.action_of_text(GAME.action_text(right)) == right


def test_the_camera_that_errs_again_is_not_believed_while_the_dice_lie_still() -> None:
    quiet = MISREAD.replace(" up", " down")
    right = GAME.amended(settled(WAR, quiet), "owner:red.2", "blue.1")
    state = GAME.apply(WAR, right).state
    again = settled(state, quiet + "N n1 100,100")
    assert GAME.place_mm(again, "blue.1") == (900.0, 600.0)
    assert GAME.place_mm(again, "red.2") == (300.0, 350.0)
    state = GAME.apply(state, again).state
    assert GAME.place_mm(settled(state, quiet + "N n2 150,100"), "blue.1") == (900.0, 600.0)
    moved = settled(state, quiet.replace("900,600", "910,600").replace("300,350", "310,350"))
    assert GAME.place_mm(moved, "red.2") == (910.0, 600.0)  # what lies elsewhere is read anew


def test_what_people_said_of_a_die_goes_with_it() -> None:
    action = settled(WAR, MISREAD)
    told = ThrowSettled(scene=action.scene, answers={"up:red.2": False, "in:red.s1": True})
    right = GAME.amended(told, "owner:red.2", "blue.1")
    assert right.answers == {"up:blue.1": False, "in:red.s1": True, "owner_red:blue.1": False, "owner_red:red.2": True}
    assert GAME.apply(WAR, right).state.blue.taken == ()


def test_where_one_of_the_others_is_not_seen_the_die_is_that_one_and_its_own_is_missed() -> None:
    text = MISREAD.replace("E blue.1 300,350 down; ", "")
    action = settled(WAR, text)
    assert action.scene.unseen == ("blue.2",)
    held = GAME.apply(WAR, action).state
    assert GAME.question(held).key == "up:blue.2"  # type: ignore[union-attr]
    answered = ThrowSettled(scene=action.scene, answers={"in:blue.2": False, "up:blue.2": False})
    assert owner_facts(GAME.apply(WAR, answered).state)["owner:red.2"] == {
        "red": "It is red's",
        "blue.1": "It is blue's, and blue empire die 1 is red's",
        "blue.2": "It is blue's",
    }
    right = GAME.amended(answered, "owner:red.2", "blue.2")
    assert str(GAME.says_fact(right, "owner:red.2", "blue.2")) == "Whose is red empire die 2? It is blue's"
    assert right.scene.unseen == ("red.2",)
    assert GAME.place_mm(right, "blue.2") == (900.0, 600.0)
    assert GAME.apply(WAR, right).state.blue.taken == ("blue.2",)


def test_a_die_that_people_named_may_be_told_otherwise() -> None:
    text = LANDS + OCCUPYING + "E red.1 377.5,350; E blue.1 622.5,350; E die.1 900,600 up; E die.2 300,350 down; "
    action = ThrowSettled(scene=settled(WAR, text).scene, answers={"owner_red:die.1": True})
    now = GAME.apply(WAR, action).state
    assert now.blue.taken == ()
    right = GAME.amended(action, "owner:red.2", "blue.2")
    assert GAME.apply(WAR, right).state.blue.taken == ("blue.2",)


@pytest.mark.parametrize(
    ("fact", "value"),
    [
        ("owner:red.2", "yes"),
        ("owner:red.2", "red.1"),
        ("owner:red.s1", "blue.1"),
        ("owner:red.9", "blue"),
        ("owner:red.2", "blue"),
    ],
)
def test_what_cannot_be_told_of_an_owner_is_refused(fact: str, value: str) -> None:
    with pytest.raises(NotationError, match="no such dice lie there"):
        GAME.amended(settled(WAR, MISREAD), fact, value)


def test_a_die_is_never_told_to_be_an_eye_that_was_taken() -> None:
    state = State(throw=7, red=Emperor(phase=Phase.III), blue=Emperor(phase=Phase.II, taken=("blue.1",)))
    text = LANDS + OCCUPYING + "E red.1 377.5,350; E red.2 900,600 up; "
    answered = ThrowSettled(scene=settled(state, text).scene, answers={"in:blue.2": False, "up:blue.2": False})
    assert list(owner_facts(GAME.apply(state, answered).state)["owner:red.2"]) == ["red", "blue.2"]
    assert GAME.apply(state, GAME.amended(answered, "owner:red.2", "blue.2")).state.winner == "red"
