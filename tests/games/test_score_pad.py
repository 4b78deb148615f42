"""The score pad: what is written adds up, a preset ends as it says, dice are worth what their line says, exactly."""

from typing import Any

import pytest

from companion.game.errors import NotationError
from companion.game.game import tapped
from companion.game.known import game_named
from companion.game.readings import BoardDie, BoardReading
from companion.game.values import Illegal, NotYet, Proposal
from companion.games.score_pad.rules import Changed, Closed, PadState, Rolled, Wrote

PAD = game_named("score_pad")


def played(players: int, options: dict[str, str], *actions: Any) -> PadState:
    state: PadState = PAD.rules.start(players, options)
    for action in actions:
        state = PAD.rules.apply(state, action).state
    return state


def totals(state: PadState) -> list[float]:
    return [score.points for score in PAD.rules.score(state).values()]


@pytest.mark.parametrize(
    ("players", "options", "written", "says"),
    [
        (2, {"goal": "50"}, "A50 B60", "B wins, total: 60"),
        (2, {"rounds": "2"}, "B5 A5 A-3 B-3", "A and B share the win, total: 2"),
        (4, {"teams": "2", "rounds": "1"}, "A7 B9", "B and D win, total: 9"),
        (2, {"preset": "victory"}, "A4 A4 B9 A2", "A wins, total: 10"),
        (2, {"preset": "darts"}, "A180 B180 A180 B180 A140 B140 A2 B0 A1", "A wins, total: 0"),
        (2, {"preset": "suspend"}, "A0 B12 A3 B8", "A wins, total: 3"),
        (3, {"preset": "race"}, "C1", "C wins, total: 1"),
    ],
)
def test_a_match_ends_as_its_preset_and_house_rules_say(
    players: int, options: dict[str, str], written: str, says: str
) -> None:
    state = PAD.rules.start(players, options)
    for word in written.split():
        assert PAD.rules.outcome(state) is None, word
        state = PAD.rules.apply(state, Wrote(word[0], int(word[1:]))).state
    over = PAD.rules.outcome(state)
    assert f"{over.says}, total: {PAD.rules.score(state)[over.winners[0]].points:g}" == says
    assert {seat for seat, share in over.points.items() if share} == set(over.winners)


def test_turns_go_round_from_who_was_drawn_and_lines_are_filled_once() -> None:
    state = PAD.rules.apply(
        played(3, {"lines": "Corn, Sheep"}), PAD.text.action_of('{"type":"begins","seat":"C"}')
    ).state
    assert PAD.rules.to_move(state) == ("C",)
    state = PAD.rules.apply(state, Wrote("C", 4, 1)).state
    assert PAD.rules.to_move(state) == ("A",)
    with pytest.raises(Illegal, match="turn of A"):
        PAD.rules.apply(state, Wrote("B", 4, 1))
    state = PAD.rules.apply(PAD.rules.apply(state, Wrote("A", 1, 0)).state, Wrote("B", 1, 0)).state
    with pytest.raises(Illegal, match="not free"):
        PAD.rules.apply(state, Wrote("C", 4, 1))
    with pytest.raises(Illegal, match="turn is over"):
        PAD.rules.apply(state, PAD.text.action_of('{"type":"begins","seat":"A"}'))


def test_a_number_is_changed_later_and_people_may_end_it() -> None:
    state = played(2, {}, Wrote("A", 30), Wrote("B", 10), Wrote("A", 5), Changed("A", 1, 3))
    assert totals(state) == [8, 10]
    with pytest.raises(Illegal, match="nothing is written there"):
        tapped(PAD, state, "B", "change", {"seat": "B", "row": "2", "points": "4"})
    assert PAD.rules.outcome(PAD.rules.apply(state, Closed()).state).winners == ("B",)
    assert next(move for move in PAD.rules.legal(state) if move.move == "close").needs_all


@pytest.mark.parametrize(
    ("options", "key"),
    [
        ({"preset": "chess"}, "preset"),
        ({"goal": "many"}, "goal"),
        ({"lines": "Corn = same9"}, "lines"),
        ({"rounds": "9" * 5000}, "rounds"),
    ],
)
def test_a_house_rule_that_does_not_fit_is_refused_by_its_key(options: dict[str, str], key: str) -> None:
    with pytest.raises(NotationError) as refused:
        PAD.rules.start(2, options)
    assert refused.value.field == key


def test_a_bonus_comes_with_the_points_of_the_first_lines() -> None:
    assert totals(played(1, {"preset": "five_dice"}, *(Wrote("A", 3 * n, n - 1) for n in range(1, 7)))) == [63 + 35]


def tray(*values: int | None, shift_mm: float = 0.0) -> BoardReading:
    seen = (
        BoardDie(value=n, in_tray=True, x_mm=150.0 + 20 * i + shift_mm, y_mm=150.0, box=(0, 0, 1, 1), confidence=0.99)
        for i, n in enumerate(values)
    )
    return BoardReading(spaces={}, between=(), dice=tuple(seen))


def test_the_camera_reads_the_tray_where_the_preset_has_dice() -> None:
    state = played(2, {"preset": "five_dice"})
    (rolled,) = PAD.eyes.interpret(state, tray(3, 3, 1, 3, 6), ()).actions
    assert rolled.dice == (1, 3, 3, 3, 6)
    state = PAD.rules.apply(state, rolled).state
    assert "line 2: 9" in [
        f"{m.move}: {m.action.points}" for m in PAD.rules.legal(state) if isinstance(m.action, Wrote)
    ]
    assert PAD.page.hints(state, "A")[0].why
    assert PAD.eyes.interpret(state, tray(3, 3, 1, 3, 6), (rolled,)) is None
    assert PAD.eyes.interpret(state, tray(3, 3, 1, 3), (rolled,)) is None  # one was only taken away
    assert isinstance(PAD.eyes.interpret(state, tray(3, 3, 1, 3, 5), (rolled,)), Proposal)
    assert isinstance(PAD.eyes.interpret(state, tray(3, 3, 1, 3, 6, shift_mm=9), (rolled,)), Proposal)
    assert PAD.eyes.interpret(state, tray(3, None, 1, 3, 6), (rolled,)).choices[4].action.dice == (1, 3, 3, 5, 6)
    with pytest.raises(NotYet):
        PAD.eyes.interpret(state, tray(3, None, None, 3, 6), ())
    assert PAD.page.view(state)["has_dice"]
    assert not PAD.page.view(played(2, {}))["has_dice"]
    assert PAD.eyes.interpret(played(2, {}), tray(3, 3), ()) is None
    for _ in range(2):
        state = PAD.rules.apply(state, Rolled((1, 1, 1, 1, 1))).state
    with pytest.raises(Illegal, match="last roll"):
        PAD.rules.apply(state, Rolled((1, 1, 1, 1, 1)))
