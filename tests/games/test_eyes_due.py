"""What is due before the next throw is told until it is seen done, and a throw before it is asked about."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from companion.game.readings import EyesReading, Hideout, Kind
from companion.game.values import Illegal, Proposal
from companion.games.eyes_of_the_emperor import GAME
from companion.games.eyes_of_the_emperor.notation import scene_of_text
from companion.games.eyes_of_the_emperor.state import Emperor, Phase, State, ThrowSettled
from companion.match.referee import Unpressed
from tests.companion.looks import LANDS, TextLook

RED = "E red.1 377.5,350; E red.2 330,350; "
OCCUPYING = "S red.s1 600,330; S red.s2 640,420; S red.s3 660,350; "
WAR = State(throw=7, red=Emperor(phase=Phase.III))
PUT_BACK = "put blue empire die 2 back: 3 cm inside the edge it crossed, its eye towards red"
TAKE_OUT = "take blue empire die 2 out of the valley: its eye is taken"
PICK_OUT = "stop throwing: pick all ninjas out of the valley"


def look(text: str) -> EyesReading:
    """A look to which nothing can be hidden."""
    return replace(TextLook(LANDS + RED + text).reading, hideouts=())


def after(text: str, state: State = WAR) -> State:
    now = GAME.rules.apply(state, ThrowSettled(scene=scene_of_text(LANDS + RED + text))).state
    assert now.open is None
    return now


def told(state: State) -> list[str]:
    return [str(says) for says in GAME.page.view(state, None)["refill"]]


def done(state: State, text: str) -> list[str]:
    return [str(says) for says in shown(state, text).done]


def shown(state: State, text: str, lain: Any = None) -> Any:
    return GAME.eyes.interpret(state, look(text), (), lain)


LEFT = OCCUPYING + "E blue.1 800,350; "
BACK = LEFT + "E blue.2 970,300; "


def test_gap_8_a_die_that_left_is_told_until_it_is_back_and_the_next_throw_waits_for_it() -> None:
    """Only the ruling said it, throws went on without the die, and nobody was told that it was missing."""
    state = after(LEFT)
    assert told(state) == [PUT_BACK]
    assert str(GAME.page.hints(state, "red")[0].text) == PUT_BACK
    assert done(state, LEFT) == []
    assert done(state, BACK) == [PUT_BACK]
    beyond = Hideout(kind=Kind.EMPIRE_DIE, x_mm=820.0, y_mm=360.0)
    assert not GAME.eyes.interpret(state, replace(look(LEFT), hideouts=(beyond,))).done  # it may only be hidden
    ninjas = "N n1 100,100; N n2 150,100"
    early = shown(state, LEFT + ninjas)
    assert (str(early.says), early.choices[0].actions) == (PUT_BACK, ())  # putting it right comes first
    assert isinstance(shown(state, BACK + ninjas), Proposal)
    lain = shown(state, BACK).actions[0]
    assert isinstance(shown(state, LEFT + ninjas, lain), Proposal)  # it left again in this throw
    tidied = after(OCCUPYING + "E blue.1 800,350 up")
    assert isinstance(shown(tidied, OCCUPYING + ninjas), Proposal)  # as hands took the eye out, unseen


@pytest.mark.parametrize(
    ("lay_at", "back_at", "is_asked"), [("985,300", "", False), ("15,300", "", True), ("15,300", "970,400", False)]
)
def test_gap_8_a_die_comes_back_inside_the_edge_that_it_crossed(lay_at: str, back_at: str, is_asked: bool) -> None:
    """Seed 9811: twelve questions were about dice that left, each at the other end of the valley."""
    state = after(LEFT)
    past = [ThrowSettled(scene=scene_of_text(LANDS + RED + left)) for left in (LEFT, f"{LEFT}E blue.2 {lay_at}")]
    lain = shown(state, f"{LEFT}E blue.2 {back_at}").actions[0] if back_at else None
    beyond = Hideout(kind=Kind.EMPIRE_DIE, x_mm=40.0, y_mm=300.0, area_mm2=60.0)
    found = GAME.eyes.interpret(state, replace(look(f"{LEFT}N n1 100,100"), hideouts=(beyond,)), past, lain)
    (action,) = found.actions if isinstance(found, Proposal) else found.choices[1].actions
    assert ("blue.2" in action.scene.unseen) is is_asked


def test_gap_8_a_wrong_die_put_back_is_named() -> None:
    """A red die counted as blue's. Another red one that had left the valley was said to be a throw."""
    left = "E red.1 377.5,350; " + OCCUPYING + "E blue.1 800,350"
    wrong = replace(TextLook(LANDS + left + "; E red.2 30,300").reading, hideouts=())
    state = GAME.rules.apply(WAR, ThrowSettled(scene=scene_of_text(LANDS + left))).state
    asked = GAME.eyes.interpret(state, wrong)
    assert (str(asked.says), asked.done) == ("red empire die 2 does not go back, blue empire die 2 does", ())
    with pytest.raises(Illegal, match="2 red empire dice are in the valley, expected 1"):
        GAME.eyes.interpret(replace(state, red=Emperor(phase=Phase.III, taken=("red.2",))), wrong)


def test_gap_8_a_die_without_a_visible_eye_does_not_pass_for_the_one_to_be_put_back() -> None:
    """The throw turned red's die so that its eye was hidden: it was asked whose that is, the throw counted, and nobody
    was told any more that blue's die is missing."""
    state = replace(after(LEFT), red=Emperor(phase=Phase.III, taken=("red.2",)))
    begun = GAME.eyes.interpret(state, replace(TextLook(LANDS + "E red.1 377.5,350; " + LEFT).reading, hideouts=()))
    hidden = TextLook(LANDS + "E die.1 300,420; " + LEFT + "N n1 100,100; N n2 150,100").reading
    asked = GAME.eyes.interpret(state, hidden, (), begun.actions[0])
    assert (str(asked.says), asked.choices[0].actions) == (PUT_BACK, ())
    assert told(GAME.rules.apply(state, asked.choices[1].action).state) == [PUT_BACK]  # judged as it is


def test_gap_20_an_undo_does_not_bring_back_an_eye_that_was_taken_before() -> None:
    """After the undo of a later throw, phones asked to put the taken eye back into the valley."""
    state = after(OCCUPYING + "E blue.1 800,350; E blue.2 700,500 up")
    assert told(state) == [TAKE_OUT]
    later = after(OCCUPYING + "E blue.1 800,350; N n1 100,100; N n2 150,100", state)
    back = [str(thing.says) for thing in GAME.table.put_back(state, later)]
    assert back == ["take a ninja out of the valley", "take a ninja out of the valley"]
    assert done(state, OCCUPYING + "E blue.1 800,350") == [TAKE_OUT]
    with pytest.raises(Illegal, match="take it out"):
        shown(state, OCCUPYING + "E blue.1 800,350; E blue.2 700,500 up")


def test_gap_20_who_takes_the_wrong_die_out_is_told_which_goes_back() -> None:
    """It was said as before that the taken die is still there, so nothing was new and no word came."""
    state = after(OCCUPYING + "E blue.1 800,350; E blue.2 700,500 up")
    both, wrong = OCCUPYING + "E blue.1 800,350; E blue.2 700,500 up", OCCUPYING + "E blue.2 700,500 up"
    with pytest.raises(Illegal, match="still in the valley"):
        shown(state, both)
    table = Unpressed(GAME, 0.3)
    table.judged(lambda: shown(state, both))
    assert not table.is_whole(lambda: shown(state, both))
    assert table.wrong is None  # the card says what is due
    assert not table.is_whole(lambda: shown(state, wrong))
    assert str(table.wrong).endswith("take it out, not blue empire die 1")


def test_rules_1_all_ninjas_are_picked_out_before_the_next_throw_and_stay_out_after_its_undo() -> None:
    """While the pile was picked up, the last two ninjas in the valley were entered as the next throw."""
    blue = "E blue.1 622.5,350; E blue.2 640,420; "
    state = after(blue + "; ".join(f"N n{i} {20 + 30 * i},60" for i in range(1, 31)), State(throw=15))
    assert told(state) == [PICK_OUT]
    assert len(GAME.page.view(state, None)["pick_out"]) == 30  # what the virtual table takes out with one press
    assert shown(state, blue).is_early  # a press counted it as a throw that changes nothing
    (begun,) = shown(state, blue).actions
    two = blue + "N n1 500,60; N n2 530,60"
    assert not shown(state, two).is_whole
    assert shown(state, two, begun).is_whole
    assert (done(state, two), done(state, blue)) == ([], [PICK_OUT])
    three = shown(state, two + "; N n3 600,60")
    assert (str(three.says), three.choices[0].actions) == (PICK_OUT, ())
    picked_out = shown(state, two + "; N n3 600,60", begun)  # they were out by then: a throw has one too many
    assert str(picked_out.says) == "ninja too many: take 1 out"
    assert len(GAME.table.put_back(state, after(two, state))) == 2
