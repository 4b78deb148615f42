"""A die that the camera gave to the wrong emperor: two dice change places, and what was said of them goes along."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.game.game import action_json, action_of_json
from companion.game.readings import EyesReading, Hideout, Kind
from companion.game.values import Illegal
from companion.games.eyes_of_the_emperor import GAME
from companion.games.eyes_of_the_emperor.notation import scene_of_text
from companion.games.eyes_of_the_emperor.reading import interpret
from companion.games.eyes_of_the_emperor.state import Emperor, Phase, State, ThrowSettled
from tests.companion.looks import LANDS, TextLook

OCCUPYING = "S red.s1 622.5,350; S red.s2 570,350; S red.s3 680,350; "
MISREAD = LANDS + OCCUPYING + "E red.1 377.5,350; E red.2 900,600 up; E blue.1 300,350 down; E blue.2 622.5,350; "
WAR = State(throw=5, red=Emperor(phase=Phase.III), blue=Emperor(phase=Phase.II))


def settled(state: State, text: str) -> ThrowSettled:
    return interpret(state, TextLook(text).reading).actions[0]


def owner_facts(state: State) -> dict[str, dict[str, str]]:
    return {
        c.fact: {choice.key: str(choice.says) for choice in c.choices}
        for c in GAME.people.corrections(state)
        if c.fact.startswith("owner:")
    }


def test_instructions_3_two_dice_change_places_and_the_throw_is_judged_anew() -> None:
    action = settled(WAR, MISREAD)
    assert GAME.rules.apply(WAR, action).state.blue.taken == ()  # what looks up was taken for red's own
    choices = owner_facts(GAME.rules.apply(WAR, action).state)["owner:red.2"]
    assert choices == {
        "red": "It is red's",
        "blue.1": "It is blue's, and blue empire die 1 is red's",
        "blue.2": "It is blue's, and blue empire die 2 is red's",
    }
    right = GAME.people.amended(action, "owner:red.2", "blue.1")
    assert GAME.eyes.place_mm(right, "blue.1") == (900.0, 600.0)
    assert GAME.eyes.place_mm(right, "red.2") == (300.0, 350.0)
    assert GAME.rules.apply(WAR, right).state.blue.taken == ("blue.1",)
    assert str(GAME.people.says_fact(right, "owner:red.2", "blue.1")) == (
        "Whose is red empire die 2? It is blue's, and blue empire die 1 is red's"
    )
    assert action_of_json(GAME, action_json(right)) == right
    assert GAME.text.action_of(GAME.text.action(right)) == right


def test_an_owner_that_was_only_seen_is_confirmed() -> None:
    # it stood on the list of choices, and whoever chose it read "no such dice are there"
    action = settled(WAR, MISREAD)
    before = GAME.rules.apply(WAR, action)
    assert "red" in owner_facts(before.state)["owner:red.2"]
    right = GAME.people.amended(action, "owner:red.2", "red")
    assert str(GAME.people.says_fact(right, "owner:red.2", "red")) == "Whose is red empire die 2? It is red's"
    assert right.answers == {**action.answers, "owner_red:red.2": True}
    now = GAME.rules.apply(WAR, right)
    assert now.rulings == before.rulings
    assert GAME.text.action_of(GAME.text.action(right)) == right
    swapped = MISREAD.replace("E red.2", "E blue.9").replace("E blue.1", "E red.2").replace("blue.9", "blue.1")
    again = settled(now.state, swapped)  # the camera errs afterwards, and is not believed
    assert GAME.eyes.place_mm(again, "red.2") == (900.0, 600.0)


def test_a_die_is_never_told_to_be_an_eye_that_was_taken() -> None:
    state = State(throw=7, red=Emperor(phase=Phase.III), blue=Emperor(phase=Phase.II, taken=("blue.1",)))
    text = LANDS + OCCUPYING + "E red.1 377.5,350; E red.2 900,600 up; "
    answered = ThrowSettled(scene=settled(state, text).scene, answers={"in:blue.2": False, "up:blue.2": False})
    assert list(owner_facts(GAME.rules.apply(state, answered).state)["owner:red.2"]) == ["red", "blue.2"]
    assert GAME.rules.apply(state, GAME.people.amended(answered, "owner:red.2", "blue.2")).state.winner == "red"


PEACE = State(throw=5)


def looks(text: str, *, times: int = 1, was: EyesReading | None = None) -> EyesReading:
    for _ in range(times):
        was = GAME.eyes.settled(TextLook(text).reading, was)
    assert was is not None
    return was


def owners(state: State, reading: EyesReading, before: ThrowSettled | None = None) -> dict[float, str | None]:
    """Whose each die is, by how far right it lies."""
    action = interpret(state, reading, before and before.scene).actions[0]
    return {die.x_mm: die.color for die in action.scene.of(Kind.EMPIRE_DIE)}


def judged(state: State, reading: EyesReading) -> tuple[State, ThrowSettled]:
    action = interpret(state, reading).actions[0]
    return GAME.rules.apply(state, action).state, action


def test_more_dice_than_an_emperor_has_are_asked_for_and_not_refused() -> None:
    # "remove the eye that was taken" was all that anybody was told, and nothing could be corrected before a throw
    three = LANDS + "E blue.1 377.5,350; E die.1 300,350; E blue.2 700,350; E blue.3 622.5,350"
    action = settled(PEACE, three)
    assert [die.color for die in action.scene.of(Kind.EMPIRE_DIE)] == [None, "red", None, None]
    assert GAME.people.question(GAME.rules.apply(PEACE, action).state).key.startswith("owner_red:")
    taken = State(throw=5, red=Emperor(phase=Phase.III), blue=Emperor(taken=("blue.1",)))
    two = LANDS + OCCUPYING + "E blue.1 377.5,350; E red.1 300,350; E blue.2 622.5,350"
    assert {die.color for die in settled(taken, two).scene.of(Kind.EMPIRE_DIE)} == {"red", None}
    with pytest.raises(Illegal, match="2 blue empire dice are in the valley, expected 1"):
        settled(taken, two + "; E red.2 100,100")  # one die too many for all together: it is the taken one


BESIDE = "E red.1 377.5,350 down; E red.2 400,300 down; E blue.1 622.5,350 down; E blue.2 640,400 down"


LAY = "E red.1 200,320; E red.2 200,420; E blue.1 850,350; E blue.2 800,600"
MOVED = "E die.1 212,328; E die.2 858,344; E red.2 200,420; E blue.2 800,600"


@pytest.mark.parametrize(
    ("before", "seen", "owners"),
    [
        (LAY, MOVED, {(212, 328): "red", (858, 344): "blue"}),
        # one left, and the two that are seen lie where red's lay
        (LAY, "E die.1 190,310; E die.2 206,428; E blue.2 800,600", {(190, 310): "red", (206, 428): "red"}),
        # either may have come from either place
        ("E red.1 500,320; E red.2 200,420; E blue.1 560,380; E blue.2 800,600", MOVED, {}),
        # far from where both lay: each may have been thrown there
        (LAY, "E die.1 500,100; E die.2 560,600; E red.2 200,420; E blue.2 800,600", {}),
        # whose they were was not known before
        (LAY.replace("red.1", "die.1").replace("blue.1", "die.2"), MOVED, {}),
    ],
)
def test_dice_that_a_throw_hardly_moved_stay_whose_they_are(
    before: str, seen: str, owners: dict[tuple[int, int], str]
) -> None:
    """Nine of 98 questions asked whose a die is that lay a centimetre from its place."""
    state = State(throw=4, scene=scene_of_text(LANDS + before))
    scene = interpret(state, TextLook(LANDS + seen).reading).actions[0].scene
    found = {(p.x_mm, p.y_mm): p.color for p in scene.of(Kind.EMPIRE_DIE)}
    for at in ((212, 328), (858, 344), (500, 100), (560, 600), (190, 310), (206, 428)):
        assert found.get(at) == owners.get(at)


def with_odds(text: str, *odds: float) -> EyesReading:
    """A look with the log odds of its dice without an owner, in their order, that the eye is red."""
    reading, told = TextLook(LANDS + text).reading, iter(odds)
    dice = [p.kind is Kind.EMPIRE_DIE and p.color is None for p in reading.pieces]
    pieces = (
        replace(p, red_odds=next(told)) if is_open else p for p, is_open in zip(reading.pieces, dice, strict=True)
    )
    return replace(reading, pieces=tuple(pieces))


def test_a_faint_eye_is_weighed_with_the_way_of_its_die() -> None:
    """A blue eye seen at nine degrees was read as red, with log odds of 2.7, and that counted as a fact."""
    state = State(throw=4, scene=scene_of_text(LANDS + BESIDE))
    near = with_odds(BESIDE.replace("E blue.2 640,400 down", "E die.1 655,390 down"), 2.7)
    assert owners(state, near)[655.0] == "blue"
    between = "E red.1 377.5,350 down; E die.1 490,350 down; E blue.1 622.5,350 down; E die.2 510,350 down"
    for odds, told in (((0.0, 0.0), None), ((2.7, 0.0), None), ((4.5, -4.5), "red"), ((-9.0, 9.0), "blue")):
        assert owners(state, with_odds(between, *odds))[490.0] == told


def test_a_die_does_not_vanish_from_the_middle_where_nothing_there_hides_it() -> None:
    """Seed 9704, throw 1: red's die beside its own stack might have been blue's, had red's vanished from the stack."""
    start = scene_of_text(
        LANDS + "E red.2 377.5,350; E red.1 377.5,350 on red.2; E blue.2 622.5,350; E blue.1 622.5,350 on blue.2"
    )
    reading = TextLook(LANDS + "E red.1 349,340 up; E die.1 408,375; E die.2 638,343").reading
    hideout = Hideout(kind=Kind.EMPIRE_DIE, x_mm=626.0, y_mm=347.0, behind=(reading.pieces[-1].id,), area_mm2=400.0)
    for hideouts, color in ((None, None), ((hideout,), "red")):
        found = interpret(State(), replace(reading, hideouts=hideouts), start).actions[0].scene
        assert {p.x_mm: p.color for p in found.of(Kind.EMPIRE_DIE)}[408.0] == color
