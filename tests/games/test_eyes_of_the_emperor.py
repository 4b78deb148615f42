"""Eyes of the Emperor by the sheet's paragraphs: worked rulings in mm, without pictures."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from companion.game.errors import NotationError
from companion.game.game import action_json, action_of_json, state_json, state_of_json
from companion.game.values import Applied, Illegal
from companion.games.eyes_of_the_emperor import GAME
from companion.games.eyes_of_the_emperor.house import Options
from companion.games.eyes_of_the_emperor.notation import scene_of_text
from companion.games.eyes_of_the_emperor.scene import SEATS, Depth, Scene
from companion.games.eyes_of_the_emperor.state import EdgeCrossed, Emperor, OpponentChose, Phase, State, ThrowSettled
from tests.companion.looks import LANDS, retold

HOME_RED = "E red.1 377.5,350; E red.2 377.5,350; "
HOME_BLUE = "E blue.1 622.5,350; E blue.2 622.5,350; "


def throw(state: State, scene: str | Scene, **answers: bool) -> Applied[State]:
    lies = scene_of_text(LANDS + scene) if isinstance(scene, str) else scene
    return GAME.rules.apply(state, ThrowSettled(scene=lies, answers=answers))


def told_by(applied: Applied[State]) -> list[str]:
    return [str(ruling.says) for ruling in applied.rulings]


def emperor(state: State, seat: str) -> dict[str, Any]:
    """What a page shows of an emperor."""
    found: dict[str, Any] = GAME.page.view(state, None)["emperors"][seat]
    return found


def rules_of(applied: Applied[State]) -> list[str]:
    return [ruling.rule.removeprefix("Eyes of the Emperor, ") for ruling in applied.rulings]


def in_phase(red: Phase = Phase.I, blue: Phase = Phase.I, **more: object) -> State:
    return replace(State(throw=5, red=Emperor(phase=red), blue=Emperor(phase=blue)), **more)


OCCUPYING = {  # three samurai of a colour on the other's territory
    "red": "S red.s1 622.5,350; S red.s2 570,350; S red.s3 680,350; ",
    "blue": "S blue.s1 377.5,350; S blue.s2 330,350; S blue.s3 430,350; ",
}


@pytest.mark.parametrize(("x_mm", "is_out"), [(746.5, True), (746.4, False), (747.0, True)])
def test_instructions_9_ee_01_a_die_that_only_touches_is_out(x_mm: float, is_out: bool) -> None:
    applied = throw(State(), HOME_RED + f"E blue.1 {x_mm},350; E blue.2 622.5,350")
    assert (2 - emperor(applied.state, "blue")["dice_in"] == 1) is is_out
    assert any("is knocked out" in str(ruling.says) for ruling in applied.rulings) is is_out
    assert "Instructions 9" in rules_of(applied)  # also of a near miss


@pytest.mark.parametrize(("apart_mm", "occupying"), [(132.5, 0), (132.0, 1)])
def test_instructions_11_ee_05_a_samurai_that_only_touches_does_not_occupy(apart_mm: float, occupying: int) -> None:
    applied = throw(in_phase(red=Phase.II), f"S red.s1 {622.5 + apart_mm},350; " + HOME_RED + HOME_BLUE)
    assert emperor(applied.state, "red")["occupying"] == occupying


def test_instructions_10_ee_07_lying_partly_under_one_that_occupies_is_not_occupying() -> None:
    scene = "S red.s1 742.5,350 on red.s2; S red.s2 772.5,350; " + HOME_RED + HOME_BLUE
    assert GAME.page.view(throw(in_phase(red=Phase.II), scene).state, None)["emperors"]["red"]["occupying"] == 1


def test_instructions_10_c_chains_of_samurai_occupy() -> None:
    scene = "S red.s1 742.5,350; S red.s2 772.5,350 on red.s1; S red.s3 800,350 on red.s2; " + HOME_RED + HOME_BLUE
    applied = throw(in_phase(red=Phase.II), scene)
    assert applied.state.red.phase is Phase.III
    assert rules_of(applied).count("Instructions 11") == 1


def test_instructions_10_c_an_own_samurai_on_an_enemy_one_does_not_chain() -> None:
    scene = "S blue.s1 720,400; S red.s1 750,420 on blue.s1; " + HOME_RED + HOME_BLUE
    assert GAME.page.view(throw(in_phase(red=Phase.II), scene).state, None)["emperors"]["red"]["occupying"] == 0


@pytest.mark.parametrize(("faces", "rolls"), [(1, 6), (2, 3)])
def test_gap_1_marked_faces_change_how_often_an_eye_looks_up(faces: int, rolls: int) -> None:
    state = replace(in_phase(red=Phase.III), options=Options(marked_faces=faces))
    why = [str(says) for hint in GAME.page.hints(state, "red") for says in hint.why]
    assert f"a rolled empire die shows its eye once in {rolls} rolls" in why
    assert not any("rolled" in str(says) for hint in GAME.page.hints(state, "blue") for says in hint.why)


def test_gap_11_what_lies_on_a_samurai_overlaps_it() -> None:
    # said to lie on one 500 mm away, a samurai once occupied
    for at, is_refused in (("122.5,350", True), ("677.5,350", True), ("677.6,350", False)):
        action = GAME.text.action_of(f"throw {LANDS}S red.s1 722.5,350; S red.s2 {at} on red.s1; {HOME_RED}{HOME_BLUE}")
        why = GAME.rules.explain(in_phase(red=Phase.II), action)
        assert why.is_legal is not is_refused, at
        assert why.rule == "Eyes of the Emperor, gap 11" or not is_refused
        assert "cannot be on" in str(why.says) or not is_refused


def test_instructions_8_and_10_both_dice_out_open_phase_ii() -> None:
    applied = throw(State(), HOME_RED + "E blue.1 800,350; E blue.2 800,400")
    assert applied.state.red.phase is Phase.II
    assert applied.state.blue.phase is Phase.I
    assert "Instructions 10" in rules_of(applied)


def test_gap_4_a_die_knocked_back_in_counts_as_in() -> None:
    one_out = throw(State(), HOME_RED + "E blue.1 800,350; E blue.2 622.5,350").state
    assert throw(one_out, HOME_RED + "E blue.1 622.5,350; E blue.2 800,350").state.red.phase is Phase.I
    ever = State(options=Options(both_out="ever"))
    one_out = throw(ever, HOME_RED + "E blue.1 800,350; E blue.2 622.5,350").state
    assert throw(one_out, HOME_RED + "E blue.1 622.5,350; E blue.2 800,350").state.red.phase is Phase.II


def test_gap_9_a_die_in_the_other_territory_is_out_of_its_own() -> None:
    assert throw(State(), HOME_RED + "E blue.1 377.5,400; E blue.2 800,350").state.red.phase is Phase.II


def test_instructions_12_ee_09_three_occupy_and_both_eyes_up_win_in_this_throw() -> None:
    applied = throw(in_phase(red=Phase.II), OCCUPYING["red"] + HOME_RED + "E blue.1 800,350 up; E blue.2 800,400 up")
    assert applied.state.winner == "red"
    assert applied.state.blue.taken == ("blue.1", "blue.2")
    assert rules_of(applied)[-1] == "Instructions 14"
    assert GAME.rules.outcome(applied.state).points == {"red": 1.0, "blue": 0.0}


def test_instructions_12_one_eye_up_is_taken_and_leaves_the_valley() -> None:
    state = throw(in_phase(red=Phase.III), OCCUPYING["red"] + HOME_RED + "E blue.1 800,350 up; E blue.2 800,400").state
    assert state.blue.taken == ("blue.1",)
    with pytest.raises(Illegal, match="blue\\.1 was taken but is in the valley"):
        throw(state, OCCUPYING["red"] + HOME_RED + "E blue.1 800,350; E blue.2 800,400")


def test_instructions_13_in_phase_ii_no_eyes_are_taken() -> None:
    assert throw(in_phase(red=Phase.II), HOME_RED + "E blue.1 800,350 up; E blue.2 800,400 up").state.blue.taken == ()


def test_instructions_13_ee_11_phase_iii_is_lost_only_when_none_occupies() -> None:
    one = throw(
        in_phase(red=Phase.III), "S red.s1 622.5,350; S red.s2 800,600; S red.s3 800,100; " + HOME_RED + HOME_BLUE
    )
    assert one.state.red.phase is Phase.III
    none = throw(one.state, "S red.s1 900,650; S red.s2 800,600; S red.s3 800,100; " + HOME_RED + HOME_BLUE)
    assert none.state.red.phase is Phase.II
    assert "Instructions 13" in rules_of(none)
    two = throw(none.state, "S red.s1 622.5,350; S red.s2 660,350; S red.s3 800,100; " + HOME_RED + HOME_BLUE)
    assert two.state.red.phase is Phase.II


def test_rules_4_ee_13_both_blind_in_one_throw_is_a_loss_draw() -> None:
    state = in_phase(Phase.III, Phase.III)
    state = replace(state, red=replace(state.red, taken=("red.1",)), blue=replace(state.blue, taken=("blue.2",)))
    scene = OCCUPYING["red"] + OCCUPYING["blue"] + "E red.2 100,100 up; E blue.1 800,400 up"
    applied = throw(state, scene)
    assert applied.state.winner == "loss_draw"
    assert GAME.rules.outcome(applied.state).points == {"red": 0.5, "blue": 0.5}
    assert rules_of(applied)[-1] == "Rules 4"


@pytest.mark.parametrize(
    ("ninjas", "red", "blue", "refill", "rule"),
    [
        (30, Phase.I, Phase.II, ("ninjas",), "Rules 1"),
        (29, Phase.I, Phase.II, (), None),
        (29, Phase.I, Phase.I, ("ninjas",), "gap 22"),
        (30, Phase.II, Phase.II, (), None),
    ],
)
def test_rules_1_ee_15_ninjas_are_refilled(
    ninjas: int, red: Phase, blue: Phase, refill: tuple[str, ...], rule: str | None
) -> None:
    applied = throw(in_phase(red, blue), HOME_RED + HOME_BLUE + f"ninjas {ninjas}")
    assert applied.state.refill == refill
    assert rule is None or rule in rules_of(applied)


def test_rules_2_ee_17_all_samurai_in_the_valley_are_refilled() -> None:
    red = "".join(f"S red.s{i} {50 + 45 * i},100; " for i in range(3, 11)) + "S red.s1 622.5,350; S red.s2 670,350; "
    blue = "S blue.s1 377.5,350; S blue.s2 900,100; S blue.s3 900,200; "
    applied = throw(in_phase(Phase.II, Phase.II), red + blue + HOME_RED + HOME_BLUE)
    assert applied.state.refill == ("samurai",)
    said = next(r for r in applied.rulings if r.rule.endswith("Rules 2"))
    assert str(said.says) == "stop throwing: pick all samurai that do not occupy out of the valley"


def test_instructions_7_ee_19_different_phases_throw_together() -> None:
    state = in_phase(red=Phase.II)
    throws = {seat: GAME.page.view(state, None)["emperors"][seat]["throws"] for seat in SEATS}
    assert throws == {"red": "samurai", "blue": "ninja"}
    assert throw(state, "S red.s1 100,100; N n1 200,200; " + HOME_RED + HOME_BLUE).state.throw == 6


def test_gap_7_ee_21_own_goals_count() -> None:
    assert throw(State(), "E red.1 200,350; E red.2 200,400; " + HOME_BLUE).state.blue.phase is Phase.II


def test_gap_8_a_die_that_left_the_valley_is_out_and_put_back_for_phase_iii() -> None:
    applied = throw(in_phase(red=Phase.III), OCCUPYING["red"] + HOME_RED + "E blue.1 622.5,350")
    assert rules_of(applied).count("gap 8") == 2
    assert "3 cm inside" in str(applied.rulings[-1].says)


def test_gap_3_one_step_a_throw() -> None:
    applied = throw(State(), OCCUPYING["red"] + HOME_RED + "E blue.1 800,350 up; E blue.2 800,400 up")
    assert applied.state.red.phase is Phase.II
    assert applied.state.blue.taken == ()


@pytest.mark.parametrize(("tilt_deg", "is_taken"), [(19.9, True), (20.0, True), (20.1, False)])
def test_gap_15_a_cocked_die_does_not_face_up(tilt_deg: float, is_taken: bool) -> None:
    scene = OCCUPYING["red"] + HOME_RED + f"E blue.1 800,350 up tilt {tilt_deg}; E blue.2 800,400"
    assert (throw(in_phase(red=Phase.III), scene).state.blue.taken == ("blue.1",)) is is_taken


def test_rules_3_the_opponent_chooses_and_a_restart_sets_everything_back() -> None:
    crossed = GAME.rules.apply(in_phase(Phase.II, Phase.I), EdgeCrossed(thrower="red"))
    assert GAME.rules.to_move(crossed.state) == ("blue",)
    with pytest.raises(Illegal, match="blue has to choose first"):
        throw(crossed.state, HOME_RED + HOME_BLUE)
    # who had passed the edge was told to throw, and so was who had to choose
    told = {seat: [str(hint.text) for hint in GAME.page.hints(crossed.state, seat)] for seat in ("red", "blue")}
    assert told == {
        "red": ["blue has to choose first: restart or play on"],
        "blue": ["choose first: restart the game, or play on"],
    }
    on = GAME.rules.apply(crossed.state, OpponentChose(restart=False)).state
    assert (on.red.phase, on.edge) == (Phase.II, None)
    anew = GAME.rules.apply(crossed.state, OpponentChose(restart=True)).state
    assert (anew.restarts, anew.throw, anew.red.phase) == (1, 0, Phase.I)
    with pytest.raises(Illegal, match="nobody passed the edge"):
        GAME.rules.apply(anew, OpponentChose(restart=True))


def close_call(margin_mm: float, sigma_mm: float) -> Scene:
    scene = scene_of_text(LANDS + HOME_RED + "E blue.1 746.4,350; E blue.2 800,350")
    depth = Depth(piece="blue.1", over="blue", margin_mm=margin_mm, sigma_mm=sigma_mm)
    return replace(scene, depths=(*(d for d in scene.depths if d.piece != "blue.1"), depth))


def test_gap_24_a_close_call_that_decides_is_asked_and_nothing_is_ruled_before() -> None:
    action = ThrowSettled(scene=close_call(0.1, 0.1))
    held = GAME.rules.apply(State(), action)
    assert held.state.throw == 0
    assert held.state.red.phase is Phase.I
    question = GAME.people.question(held.state)
    assert question.key == "in:blue.1"
    assert question.margin.margin_mm == 0.1
    for answer, phase in (("no", Phase.II), ("yes", Phase.I)):
        settled = GAME.rules.apply(held.state, GAME.people.amended(action, question.key, answer))
        assert settled.state.red.phase is phase
        assert GAME.people.question(settled.state) is None


def test_gap_24_a_close_call_that_decides_nothing_is_said_but_not_asked() -> None:
    scene = retold(close_call(0.1, 0.1), lambda p: p.id == "blue.2", x_mm=622.5)
    inside = Depth(piece="blue.2", over="blue", margin_mm=110.0, sigma_mm=0.1)
    applied = GAME.rules.apply(State(), ThrowSettled(scene=replace(scene, depths=(*scene.depths, inside))))
    assert applied.state.throw == 1
    assert any("changes nothing" in str(r.says) for r in applied.rulings)
    blue = emperor(applied.state, "blue")
    assert blue["dice_in"] == 2  # nobody has said that it is out
    assert [(die["in"], die["too_close"]) for die in blue["dice"]] == [(True, True), (True, False)]
    again = throw(applied.state, HOME_RED + HOME_BLUE + "N n1 20,690; N n2 50,690")
    assert told_by(again) == ["throw 2 changes nothing"]
    one = throw(applied.state, HOME_RED + "E blue.1 622.5,350; E blue.2 800,350; N n1 20,690")
    assert str(GAME.page.hints(one.state, "red")[0].why[0]) == "knock the other blue empire die out"


def test_a_die_that_is_not_seen_is_asked_about_and_never_taken_for_out() -> None:
    scene = replace(scene_of_text(LANDS + HOME_RED + "E blue.1 800,350"), unseen=("blue.2",))
    held = throw(State(), scene).state
    assert GAME.people.question(held).key == "there:blue.2"
    left = throw(held, scene, **{"there:blue.2": False})
    assert left.state.red.phase is Phase.II
    assert "blue empire die 2 has left the valley: it is out" in told_by(left)
    held = throw(State(), scene, **{"there:blue.2": True}).state
    assert GAME.people.question(held).key == "in:blue.2"
    for is_in, phase in ((False, Phase.II), (True, Phase.I)):
        answers = {"there:blue.2": True, "in:blue.2": is_in}
        told = throw(held, scene, **answers)
        assert told.state.red.phase is phase
        assert not any("has left" in str(r.says) for r in told.rulings)


def test_a_die_hidden_in_the_valley_has_not_left_it_whatever_is_said_of_its_marking() -> None:
    scene = replace(scene_of_text(LANDS + HOME_RED + "E blue.1 800,350; S red.s1 622.5,300"), unseen=("blue.2",))
    war = State(throw=5, red=Emperor(phase=Phase.III))
    assert GAME.people.question(throw(war, scene).state).key == "there:blue.2"
    hidden = {"there:blue.2": True}
    assert GAME.people.question(throw(war, scene, **hidden).state).key == "up:blue.2"
    told = throw(war, scene, **{**hidden, "up:blue.2": False})
    assert GAME.people.question(told.state) is None
    assert not any("left" in str(r.says) for r in told.rulings)
    # and the next throw asks about it again, for it may have been rolled over
    assert GAME.people.question(throw(told.state, scene).state).key == "there:blue.2"
    # one that has left is put back at once, not a throw later
    said = told_by(throw(war, scene, **{"there:blue.2": False}))
    assert "blue empire die 2 has left the valley: it is out" in said
    assert any("put blue empire die" in line for line in said)


TEN = "; ".join(f"S red.s{i} {50 + 40 * i},60" for i in range(3, 11))
HOME = HOME_RED + "E blue.1 800,350; E blue.2 850,350; "


def test_a_die_without_a_visible_eye_is_asked_for_its_owner() -> None:
    scene = scene_of_text(LANDS + "E red.1 377.5,350; E blue.1 622.5,350; E die.1 500,100")
    held = throw(State(), scene).state
    question = GAME.people.question(held)
    assert question.key == "owner_red:die.1"
    assert throw(held, scene, **{question.key: True}).state.scene.piece("red.2") is not None


@pytest.mark.parametrize(
    ("scene", "said"),
    [
        ("ninjas 31", "31 ninjas"),
        ("".join(f"S red.s{i} {20 * i},20; " for i in range(1, 12)), "11 red samurai"),
        ("T red 100,100", "2 red territories"),
        ("E red.3 1,1", "red.3 is not a red empire die"),
    ],
)
def test_status_says_why_a_scene_cannot_be(scene: str, said: str) -> None:
    state = replace(State(throw=1), scene=scene_of_text(LANDS + scene))
    assert any(said in str(fault.says) for fault in GAME.rules.status(state))
    assert GAME.rules.status(State()) == ()


def test_texts_and_json_round_trip_with_measured_depths_and_open_throws() -> None:
    action = ThrowSettled(scene=close_call(0.1, 0.1), answers={"up:blue.1": False})
    assert GAME.text.action_of(GAME.text.action(action)) == action
    held = GAME.rules.apply(in_phase(red=Phase.I, options=Options(cocked_deg=15.0)), action).state
    assert held.open is not None
    assert GAME.text.state_of(GAME.text.state(held)) == held
    assert state_of_json(GAME, state_json(GAME, held)) == held
    assert action_of_json(GAME, action_json(action)) == action


def test_what_to_put_back_comes_in_the_order_in_which_the_pieces_lie() -> None:
    before = scene_of_text(LANDS + HOME_RED + "S red.s2 640,360 on red.s1; S red.s1 622.5,350; E blue.1 700,300 up")
    after = scene_of_text(LANDS + HOME_RED + "S red.s2 740,360; E blue.1 702,300 down; N n1 100,100 v5")
    told = GAME.table.put_back(replace(State(), scene=before), replace(State(), scene=after))
    assert [str(thing.whole) for thing in told] == [
        "take a ninja out of the valley, next to the red territory",
        "put red samurai 1 back into the valley, on the blue territory",
        "put red samurai 2 back, on red samurai 1",
        "turn blue empire die 1 so that its eye looks up",
    ]
    assert [piece.id for piece in GAME.table.layout(replace(State(), scene=before)).pieces][-3:] == [
        "red.s1",
        "red.s2",
        "blue.1",
    ]


def test_gap_24_another_throw_waits_for_the_answer_to_the_last() -> None:
    held = throw(State(), close_call(0.1, 0.1)).state
    later = scene_of_text(LANDS + HOME_RED + HOME_BLUE + "N n1 20,690; N n2 50,690")
    with pytest.raises(Illegal, match="answer first"):
        throw(held, later)
    assert [str(hint.text) for hint in GAME.page.hints(held, "red")] == ["answer the question first"]


def test_gap_20_an_eye_taken_is_to_be_taken_out() -> None:
    taken = throw(
        in_phase(red=Phase.III), OCCUPYING["red"] + HOME_RED + "E blue.1 100,100 up; E blue.2 622.5,350"
    ).state
    words = [str(hint.text) for hint in GAME.page.hints(taken, "red")]
    assert words[0] == "take blue empire die 1 out of the valley: its eye is taken"
    assert str(GAME.page.hints(taken, "red")[1].why[0]).startswith("roll the last blue empire die over")
    assert GAME.page.view(taken, None)["refill"][0].template.startswith("take {die} out of the valley")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("E blue.1 1200,350", "leave out what left the valley"),
        ("E blue.1 1e999,350", "expected a number"),
        ("E blue.1 600,350 up down", "does not parse"),
        ("ninjas 30000000", "a whole number"),
        ("E blue.1 622.5,350; unseen blue.1", "more than once"),
        ("N n1 1,1; N n1 2,2", "ninja 1 is listed more than once"),
        ("E blue.1 622.5,350 c5", "expected 0 to 1"),
    ],
)
def test_a_scene_that_cannot_lie_so_is_refused_in_a_sentence(text: str, said: str) -> None:
    with pytest.raises(NotationError, match=said):
        scene_of_text(LANDS + text)


@pytest.mark.parametrize(
    ("pieces", "asked", "refill"),
    [
        ("ninjas 29; N n30 500,20 c0.5", "is:n30", "ninjas"),
        ("ninjas 28; N n30 500,20 c0.5", "is:n30", "ninjas"),
        ("ninjas 28; N n30 500,20 c0.83", "is:n30", "ninjas"),
        ("S red.s1 500,20 c0.5; S red.s2 500,60; " + TEN, "is:red.s1", "samurai"),
    ],
)
def test_whether_a_shadow_is_a_piece_is_asked_where_pieces_run_out(pieces: str, asked: str, refill: str) -> None:
    war = State(throw=1, red=Emperor(phase=Phase.II if refill == "samurai" else Phase.I))
    scene = scene_of_text(LANDS + HOME_RED + "E blue.1 622.5,350; E blue.2 622.5,350; " + pieces)
    held = throw(war, scene).state
    question = GAME.people.question(held)
    if "ninjas 29" in pieces:  # 29 leave one outside and two are needed, shadow or not
        assert question is None
        assert held.refill == (refill,)
        return
    assert question.key == asked
    for is_one in (True, False):
        told = throw(war, scene, **{asked: is_one})
        assert told.state.refill == ((refill,) if is_one else ())
        assert GAME.people.question(told.state) is None
