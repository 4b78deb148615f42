"""A die that the camera gave to the wrong emperor: two dice change places, and what was said of them goes along."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.game.errors import NotationError
from companion.game.game import action_json, action_of_json
from companion.game.readings import EyesReading, Hideout, Kind
from companion.game.values import Illegal
from companion.games.eyes_of_the_emperor import GAME
from companion.games.eyes_of_the_emperor.facts import facts
from companion.games.eyes_of_the_emperor.notation import scene_of_text, scene_text
from companion.games.eyes_of_the_emperor.owners import corrections, untold
from companion.games.eyes_of_the_emperor.reading import interpret
from companion.games.eyes_of_the_emperor.scene import Hiding
from companion.games.eyes_of_the_emperor.settled import SILENT_A_TELLING
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


def test_the_camera_that_errs_again_is_not_believed_while_the_dice_lie_still() -> None:
    quiet = MISREAD.replace(" up", " down")
    right = GAME.people.amended(settled(WAR, quiet), "owner:red.2", "blue.1")
    state = GAME.rules.apply(WAR, right).state
    again = settled(state, quiet + "N n1 100,100")
    assert GAME.eyes.place_mm(again, "blue.1") == (900.0, 600.0)
    assert GAME.eyes.place_mm(again, "red.2") == (300.0, 350.0)
    state = GAME.rules.apply(state, again).state
    assert GAME.eyes.place_mm(settled(state, quiet + "N n2 150,100"), "blue.1") == (900.0, 600.0)
    moved = settled(state, quiet.replace("900,600", "910,600").replace("300,350", "310,350"))
    # what lies elsewhere is weighed anew: a camera that erred before is not believed alone
    assert {die.color for die in moved.scene.of(Kind.EMPIRE_DIE) if die.x_mm in (910.0, 310.0)} == {None}


def test_what_people_said_of_a_die_goes_with_it() -> None:
    action = settled(WAR, MISREAD)
    told = ThrowSettled(scene=action.scene, answers={"up:red.2": False, "in:red.s1": True})
    right = GAME.people.amended(told, "owner:red.2", "blue.1")
    assert right.answers == {"up:blue.1": False, "in:red.s1": True, "owner_red:blue.1": False, "owner_red:red.2": True}
    assert GAME.rules.apply(WAR, right).state.blue.taken == ()


def test_where_one_of_the_others_is_not_seen_the_die_is_that_one_and_its_own_is_missed() -> None:
    action = settled(WAR, MISREAD.replace("E blue.1 300,350 down; ", ""))
    assert action.scene.unseen == ("blue.2",)
    assert GAME.people.question(GAME.rules.apply(WAR, action).state).key == "there:blue.2"
    answered = ThrowSettled(scene=action.scene, answers={"in:blue.2": False, "up:blue.2": False})
    assert owner_facts(GAME.rules.apply(WAR, answered).state)["owner:red.2"] == {
        "red": "It is red's",
        "blue.1": "It is blue's, and blue empire die 1 is red's",
        "blue.2": "It is blue's",
    }
    right = GAME.people.amended(answered, "owner:red.2", "blue.2")
    assert str(GAME.people.says_fact(right, "owner:red.2", "blue.2")) == "Whose is red empire die 2? It is blue's"
    assert right.scene.unseen == ("red.2",)
    assert GAME.eyes.place_mm(right, "blue.2") == (900.0, 600.0)
    assert GAME.rules.apply(WAR, right).state.blue.taken == ("blue.2",)
    # once it was taken back or corrected it was told as if a die that nobody saw had been called red's
    for told_of in (action, GAME.people.amended(right, "owner:blue.2", "red.2")):
        assert str(GAME.people.says_fact(told_of, "owner:red.2", "blue.2")) == "Whose is red empire die 2? It is blue's"


def test_what_was_told_of_two_owners_is_told_alike_once_it_was_taken_back() -> None:
    text = LANDS + OCCUPYING + "E red.1 377.5,350; E blue.1 622.5,350; E die.1 900,600 up; E die.2 300,350 down; "
    named = ThrowSettled(scene=settled(WAR, text).scene, answers={"owner_red:die.1": True})
    right = GAME.people.amended(named, "owner:red.2", "blue.1")
    for told_of in (named, right):
        assert str(GAME.people.says_fact(told_of, "owner:red.2", "blue.1")) == (
            "Whose is red empire die 2? It is blue's, and blue empire die 1 is red's"
        )


def test_a_die_that_people_named_may_be_told_otherwise() -> None:
    text = LANDS + OCCUPYING + "E red.1 377.5,350; E blue.1 622.5,350; E die.1 900,600 up; E die.2 300,350 down; "
    action = ThrowSettled(scene=settled(WAR, text).scene, answers={"owner_red:die.1": True})
    assert GAME.rules.apply(WAR, action).state.blue.taken == ()
    assert GAME.rules.apply(WAR, GAME.people.amended(action, "owner:red.2", "blue.2")).state.blue.taken == ("blue.2",)


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
    with pytest.raises(NotationError, match="no such dice are there"):
        GAME.people.amended(settled(WAR, MISREAD), fact, value)


def test_a_die_is_never_told_to_be_an_eye_that_was_taken() -> None:
    state = State(throw=7, red=Emperor(phase=Phase.III), blue=Emperor(phase=Phase.II, taken=("blue.1",)))
    text = LANDS + OCCUPYING + "E red.1 377.5,350; E red.2 900,600 up; "
    answered = ThrowSettled(scene=settled(state, text).scene, answers={"in:blue.2": False, "up:blue.2": False})
    assert list(owner_facts(GAME.rules.apply(state, answered).state)["owner:red.2"]) == ["red", "blue.2"]
    assert GAME.rules.apply(state, GAME.people.amended(answered, "owner:red.2", "blue.2")).state.winner == "red"


def test_a_nameless_die_and_a_table_that_nobody_saw_have_no_owner_to_correct() -> None:
    nameless = settled(WAR, MISREAD.replace("E red.2", "E die.1").replace("E blue.1", "E die.2")).scene
    facts = {c.fact for c in corrections(State(scene=nameless))}
    assert facts == {"owner:red.1", "owner:blue.1"}
    assert list(corrections(State())) == []


def test_of_what_was_told_of_owners_only_that_of_named_dice_which_stay_is_kept() -> None:
    action = settled(WAR, MISREAD)
    answers = {"owner_red:red.1": True, "owner_red:red.2": True, "owner_red:die.1": True, "on:red.s1:red.s2": False}
    right = GAME.people.amended(ThrowSettled(scene=action.scene, answers=answers), "owner:red.2", "blue.1")
    assert right.answers == {
        "owner_red:red.1": True,
        "owner_red:red.2": True,
        "owner_red:blue.1": False,
        "on:red.s1:red.s2": False,
    }
    free = untold(right.scene, right.answers)
    # whose `red.1` is was seen
    assert {die.id for die in free.of(Kind.EMPIRE_DIE)} == {"red.1", "blue.2", "die.1", "die.2"}


def test_of_two_others_that_are_not_seen_the_first_is_offered() -> None:
    text = MISREAD.replace("E blue.1 300,350 down; E blue.2 622.5,350; ", "")
    told = {f"{what}:blue.{i}": False for what in ("in", "up") for i in (1, 2)}
    state = GAME.rules.apply(WAR, ThrowSettled(scene=settled(WAR, text).scene, answers=told)).state
    assert list(owner_facts(state)["owner:red.2"]) == ["red", "blue.1"]


PEACE = State(throw=5)
ALL_TOLD = LANDS + "E red.1 377.5,350; E red.2 300,350; E blue.1 700,350; E blue.2 622.5,350; "
"""The eyes take `blue.1`, which is red's, for blue's, and of `red.2` at 300,350 they see no eye in what follows."""
COUNTED = ALL_TOLD.replace("E red.2 300,350", "E die.1 300,350")


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


def test_an_owner_that_no_later_look_tells_is_asked_for_and_what_was_counted_from_it_too() -> None:
    # once told wrongly a die was the other emperor's in every later throw, and the die counted from it this one's
    seen_once = looks(COUNTED)
    state, first = judged(PEACE, seen_once)
    assert owners(state, seen_once, first) == {377.5: "red", 300.0: "red", 700.0: "blue", 622.5: "blue"}
    untold = COUNTED.replace("E blue.1", "E die.2")
    a_few = looks(untold, times=SILENT_A_TELLING, was=seen_once)
    assert owners(state, a_few, first)[700.0] == "blue"
    many = looks(untold, times=1, was=a_few)
    assert owners(state, many, first) == {377.5: "red", 300.0: None, 700.0: None, 622.5: "blue"}
    assert interpret(state, many, first.scene).actions[0].scene.unseen == ()


def test_a_die_in_doubt_is_the_one_that_is_missed_where_the_others_were_seen() -> None:
    seen_once = looks(ALL_TOLD)
    state, first = judged(PEACE, seen_once)
    many = looks(ALL_TOLD.replace("E blue.1", "E die.2"), times=SILENT_A_TELLING + 1, was=seen_once)
    assert owners(state, many, first)[700.0] == "blue"


def test_what_the_set_up_told_is_not_brought_into_doubt_by_shadows() -> None:
    start = interpret(State(), TextLook(LANDS + "E die.1 377.5,350; E die.2 622.5,350").reading).actions[0]
    hair = looks(LANDS + "E red.1 377.5,350; E die.2 622.5,350; N n1 100,100")
    silent = looks(LANDS + "E die.1 377.5,350; E die.2 622.5,350; N n1 100,100", times=9, was=hair)
    assert owners(State(), hair, start) == {377.5: "red", 622.5: "blue"}
    assert owners(State(), silent, start) == {377.5: "red", 622.5: "blue"}


@pytest.mark.parametrize("many", [1, SILENT_A_TELLING + 2])
def test_what_people_told_of_a_die_stays_whatever_looks_tell(many: int) -> None:
    state, first = judged(PEACE, looks(ALL_TOLD))
    state = GAME.rules.apply(PEACE, GAME.people.amended(first, "owner:blue.1", "red.2")).state
    told = {377.5: "red", 300.0: "blue", 700.0: "red", 622.5: "blue"}
    untold = ALL_TOLD.replace("E blue.1", "E die.2")
    for text in (ALL_TOLD, untold, untold.replace("die.2 700,350", "die.2 700,350 mark?")):
        reading = looks(text, times=many, was=looks(ALL_TOLD))
        for before in (first, None):  # the look that erred is remembered too
            assert owners(state, reading, before) == told
        assert owners(judged(state, reading)[0], looks(ALL_TOLD)) == told


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


def test_of_too_many_dice_those_that_people_told_are_not_doubted() -> None:
    state = GAME.rules.apply(PEACE, GAME.people.amended(settled(PEACE, ALL_TOLD), "owner:blue.1", "red.2")).state
    three = ALL_TOLD.replace("E red.1 377.5", "E blue.3 377.5").replace("E red.2 300", "E die.1 300")
    # a die that nobody touched keeps its owner
    assert owners(state, looks(three)) == {377.5: "red", 300.0: "blue", 700.0: "red", 622.5: "blue"}
    moved = three.replace("377.5,350; E die.1", "500,100; E die.1").replace("E blue.2 622.5,350", "E blue.2 500,600")
    assert owners(state, looks(moved)) == {500.0: None, 300.0: "blue", 700.0: "red"}


BESIDE = "E red.1 377.5,350 down; E red.2 400,300 down; E blue.1 622.5,350 down; E blue.2 640,400 down"


def test_a_die_without_an_eye_is_its_territorys_where_only_that_emperors_dice_were() -> None:
    state = GAME.rules.apply(State(), settled(State(), LANDS + BESIDE)).state
    moved = BESIDE.replace("E red.2 400,300 down", "E die.1 420,290 mark?")
    assert interpret(state, TextLook(LANDS + moved).reading).actions[0].scene.of(Kind.EMPIRE_DIE, "red")[1].x_mm == 420
    assert GAME.people.question(GAME.rules.apply(state, settled(state, LANDS + moved)).state) is None


def test_dice_between_the_territories_are_asked_for_with_the_likelier_owner_first() -> None:
    out = "E die.1 490,320 mark?; E die.2 560,550 mark?; E red.1 377.5,350 down; E blue.1 622.5,350 down"
    state = GAME.rules.apply(State(), settled(State(), LANDS + BESIDE)).state
    question = GAME.people.question(GAME.rules.apply(state, settled(state, LANDS + out)).state)
    assert question.key == "owner_red:die.1"
    assert [(choice.key, choice.likely) for choice in question.choices] == [("yes", 0.999), ("no", 0.001)]


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


@pytest.mark.parametrize(("throw", "is_known"), [(1, True), (30, False)])
def test_a_die_that_was_hidden_comes_from_where_it_was_hidden(throw: int, is_known: bool) -> None:
    """Seeds 704, 706 and 707: dice that the first throws had hidden lay beside those of both emperors."""
    scene = scene_of_text(LANDS + "E red.1 362,336; E blue.1 643,329")
    hidings = tuple(Hiding(x_mm=x, y_mm=y, behind=(id,)) for x, y, id in ((364, 337, "red.1"), (634, 335, "blue.1")))
    state = State(throw=throw, scene=replace(scene, unseen=("red.2", "blue.2"), hidings=hidings))
    seen = "E red.1 342,359; E die.1 413,341; E die.2 657,336; E blue.1 643,329"
    found = interpret(state, TextLook(LANDS + seen).reading).actions[0].scene
    colors = {p.x_mm: p.color for p in found.of(Kind.EMPIRE_DIE)}
    assert (colors[413], colors[657]) == (("red", "blue") if is_known else (None, None))


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


def test_a_question_about_an_owner_tells_what_its_eye_makes_likelier() -> None:
    state = State(throw=4, scene=scene_of_text(LANDS + BESIDE))
    between = "E red.1 377.5,350 down; E die.1 500,350 down; E blue.1 622.5,350 down; E die.2 500,400 down"
    action = interpret(state, with_odds(between, -4.0, 0.0)).actions[0]
    question = GAME.people.question(GAME.rules.apply(state, action).state)
    likely = {choice.key: choice.likely for choice in question.choices}
    assert question.key == "owner_red:die.1"
    assert likely["no"] > 0.8
    assert GAME.text.action_of(GAME.text.action(action)) == action
    assert action_of_json(GAME, action_json(action)) == action


FIRST = "E red.2 374.5,353.3; E blue.1 650,357.5 up; E red.1 344.9,358.1 up; unseen blue.2; " + "; ".join(
    f"hidden {at} behind {ids}"
    for at, ids in (("624.4,352.1", "blue.1"), ("649.9,358.3", "blue.1"), ("636.2,355", "blue.1"), ("376,353", "red.2"))
)
SECOND = "E red.2 338.5,357.4 up; E blue.1 638.4,363; E die.1 667.4,384.9"
THIRD = "E red.2 338.5,357.4 up; E die.1 650.1,362.6; E die.2 679.9,395.1"


def test_a_die_that_was_hidden_in_its_stack_is_no_stranger_there() -> None:
    """Two players were asked twice whose it is, with "red's, probably" for blue's own die on blue's territory."""
    state = State(throw=1, scene=scene_of_text(LANDS + FIRST))
    unsure = TextLook(LANDS + SECOND.replace("667.4,384.9", "726,440")).reading
    out = GAME.people.question(GAME.rules.apply(state, interpret(state, unsure).actions[0]).state)
    assert out is None or dict((c.key, c.likely) for c in out.choices)["no"] > 0.9
    action = interpret(state, TextLook(LANDS + SECOND).reading).actions[0]
    assert [die.color for die in action.scene.of(Kind.EMPIRE_DIE)] == ["red", "blue", "blue"]


def test_an_owner_that_people_named_is_known_at_the_next_throw() -> None:
    scene = scene_of_text(LANDS + SECOND + "; unseen red.1; unseen blue.2")
    named = ThrowSettled(scene=scene, answers={"owner_red:die.1": False})
    state = GAME.rules.apply(State(), named).state
    found = GAME.eyes.interpret(state, TextLook(LANDS + THIRD + "; N n1 100,100; N n2 900,100").reading, [named])
    assert [die.color for die in found.actions[0].scene.of(Kind.EMPIRE_DIE)] == ["red", "blue", "blue"]


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


def test_places_of_a_hidden_die_are_weighed_from_where_it_was_seen_last() -> None:
    """A die seen on red's territory was asked for under those on blue's."""
    reading = TextLook(LANDS + SECOND).reading
    ids = {die.x_mm: die.id for die in reading.pieces}
    hideouts = tuple(
        Hideout(kind=Kind.EMPIRE_DIE, x_mm=x, y_mm=y, behind=(ids[at],))
        for x, y, at in ((637.2, 364.4, 638.4), (335.5, 360.8, 338.5))
    )
    state = State(throw=1, scene=scene_of_text(LANDS + FIRST))
    scene = interpret(state, replace(reading, hideouts=hideouts)).actions[0].scene
    assert scene.unseen == ("red.2",)
    assert len(scene.hidings) == len(hideouts)
    told = facts(scene, {}, 10.0)["there:red.2"]
    assert str(told.says) == "red empire die 2 is not seen. Is it hidden by red empire die 1?"
    assert scene_of_text(scene_text(scene)).hidings == scene.hidings
