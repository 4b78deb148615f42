"""From a board's reading to a roll, a move or a question."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from companion.game.known import game_named
from companion.game.readings import BetweenSeen, BoardDie, BoardReading, SpotSeen
from companion.game.values import Doubt, Illegal, InPlace, Proposal
from companion.games.race.reading import standing
from companion.games.race.state import DieRolled

CP: Any = game_named("center_point")
BM: Any = game_named("basic_manipulation")
cp_at, bm_at = CP.shorthand.state_of_position, BM.shorthand.state_of_position


def seen(spaces: dict[str, str], *dice: int | None, confidence: float = 1.0, in_tray: bool = True) -> BoardReading:
    spots = {spot: SpotSeen(color=color, confidence=confidence) for spot, color in spaces.items()}
    shown = tuple(
        BoardDie(value=v, in_tray=in_tray, x_mm=600, y_mm=250, box=(0, 0, 9, 9), confidence=confidence) for v in dice
    )
    return BoardReading(spaces=spots, between=(), dice=shown)


def test_a_die_in_the_tray_is_the_roll_of_the_seat_to_roll() -> None:
    state = cp_at("r: A5", turn="r")
    assert CP.text.action(CP.eyes.interpret(state, seen({"A5": "red"}, 4)).actions[0]) == "r d4"
    with pytest.raises(Illegal, match="the tray has no die"):
        CP.eyes.interpret(state, seen({"A5": "red"}, 4, in_tray=False))
    two = CP.eyes.interpret(state, seen({"A5": "red"}, 4, 5))
    assert "several dice" in str(two.says)


def test_a_die_that_cannot_be_read_or_may_lie_there_still_is_asked_about() -> None:
    state = cp_at("r: A5", turn="r")
    asked = CP.eyes.interpret(state, seen({"A5": "red"}, None))
    assert [choice.key for choice in asked.choices] == ["again", "1", "2", "3", "4", "5", "6"]
    before = DieRolled("blue", 4, (600.5, 250.0))
    again = CP.eyes.interpret(state, seen({"A5": "red"}, 4), (before,))
    assert [choice.key for choice in again.choices] == ["not_yet", "yes"]
    assert isinstance(CP.eyes.interpret(state, seen({"A5": "red"}, 5), (before,)), Proposal)
    elsewhere = (DieRolled("blue", 4, (620.0, 250.0)),)
    assert isinstance(CP.eyes.interpret(state, seen({"A5": "red"}, 4), elsewhere), Proposal)
    old = CP.eyes.interpret(state, seen({"A5": "red"}, 4, 5), (before, DieRolled("red", 5, (600.0, 250.0))))
    assert "several dice" in str(old.says)  # a press entered the die of the roll before the last
    unsure = CP.eyes.interpret(state, seen({"A5": "red"}, 4, confidence=0.7))
    assert [choice.key for choice in unsure.choices][:2] == ["4", "1"]


def test_a_marker_put_on_no_circle_is_not_told_to_stand_where_it_stood() -> None:
    """One from the beginning lay between the rings, and the table said that nothing had changed."""
    state = CP.rules.apply(cp_at("r: home*4", turn="r"), DieRolled("red", 1)).state
    home = CP.table.layout(state).board.roles["red"]["home"]
    all_wait = seen(dict.fromkeys(home, "red"))
    assert CP.eyes.interpret(state, all_wait) is None
    doubted = replace(all_wait, spaces=all_wait.spaces | {home[0]: SpotSeen(color="red", confidence=0.59)})
    for reading in (doubted, seen(dict.fromkeys(home[1:], "red"))):
        with pytest.raises(Illegal, match="put it in the middle of its circle"):
            CP.eyes.interpret(state, reading)
    assert CP.eyes.interpret(state, seen({})) is None  # the beginnings are not in view


def test_a_roll_and_its_move_may_be_shown_by_one_look() -> None:
    state = cp_at("r: A5 A12", turn="r")
    both = CP.eyes.interpret(state, seen({"A9": "red", "A12": "red"}, 4))
    assert [CP.text.action(action) for action in both.actions] == ["r d4", "r A5-A9"]
    asked = CP.eyes.interpret(state, seen({"A9": "red", "A12": "red"}))
    assert isinstance(asked, Doubt)
    assert "the tray has no die" in str(asked.says)


def test_a_table_that_one_legal_move_makes_is_that_move() -> None:
    state = cp_at("r: A5 A9; y: A8", turn="r", die=3)
    same = {"A5": "red", "A9": "red", "A8": "yellow", "home.r1": "red", "home.r2": "red"}
    assert CP.eyes.interpret(state, seen(same, 3)) is None
    moved = CP.eyes.interpret(state, seen({"A8": "red", "A9": "red"}, 3))
    assert CP.text.action(moved.actions[0]) == "r A5-A8 x(y)"
    assert moved.note is None


def test_a_spot_that_is_not_sure_is_settled_by_the_rules_and_said() -> None:
    state = cp_at("r: A5 A9", turn="r", die=3)
    spaces = {"A8": SpotSeen(color="red", confidence=0.6), "A9": SpotSeen(color="red", confidence=1.0)}
    moved = CP.eyes.interpret(state, BoardReading(spaces=spaces, between=(), dice=()))
    assert CP.text.action(moved.actions[0]) == "r A5-A8"
    assert "A8 could not be seen clearly" in str(moved.note)
    between = (BetweenSeen(color="red", x_mm=1, y_mm=1, spots=("A7", "A8")),)
    stands = BoardReading(spaces={"A9": spaces["A9"]}, between=between, dice=())
    assert isinstance(CP.eyes.interpret(state, stands), Proposal)


def test_two_moves_that_may_both_be_meant_are_asked_the_likelier_first() -> None:
    state = cp_at("r: A5 A25", turn="r", die=3)
    spaces = {"A8": SpotSeen(color="red", confidence=1.0)}
    maybe = {
        spot: {"red": share, "": 1 - share} for spot, share in (("A5", 0.5), ("A8", 0.6), ("A25", 0.5), ("A28", 0.4))
    }
    asked = CP.eyes.interpret(state, BoardReading(spaces=spaces, between=(), dice=(), maybe=maybe))
    likely = [(choice.key, choice.likely) for choice in asked.choices if choice.actions]
    assert [key for key, _ in likely] == ["r A5-A8", "r A25-A28"]
    assert sum(share for _, share in likely if share) < 1


def test_a_move_by_another_number_is_explained_and_settled_by_one_answer() -> None:
    state = bm_at("r: O5", turn="r", die=3)
    asked = BM.eyes.interpret(state, seen({"O9": "red"}, 3))
    assert str(asked.says) == "red moved 4, the die showed 3"
    assert [str(choice.says) for choice in asked.choices] == ["put it on O8", "put it back on O5", "leave it"]
    unseen = BM.eyes.interpret(state, seen({"O9": "red"}))  # the die was taken up: it may have been misread
    assert [str(choice.says) for choice in unseen.choices] == ["put it on O8", "the die showed 4", "leave it"]
    right, meant, lies = BM.eyes.interpret(state, seen({"O9": "red"}, 4)).choices
    assert (right.key, meant.key, lies.key) == ("table", "meant O5-O8", "as_it_lies")
    assert right.needs_reason
    for action in right.actions:
        state = BM.rules.apply(state, action).state
    assert (standing(BM.shorthand.sheet, state), state.turn) == ({"O9": "red"}, "yellow")


def test_a_marker_that_is_gone_is_told_and_the_table_may_be_played_on_with_as_it_lies() -> None:
    state = cp_at("r: A5 A9; y: A20 A22", turn="r", die=3)
    asked = CP.eyes.interpret(state, seen({"A8": "red", "A9": "red", "A22": "yellow"}, 3))
    assert str(asked.says) == "the table fits no move: no yellow on A20"
    lies = asked.choices[-1]
    assert not lies.needs_reason  # one tap, as the others
    assert lies.action is not None
    after = CP.rules.apply(state, lies.action).state
    assert standing(CP.shorthand.sheet, after) == {"A8": "red", "A9": "red", "A22": "yellow"}
    assert (after.turn, after.die) == ("yellow", None)
    assert CP.text.action_of(CP.text.action(lies.action)) == lies.action
    with pytest.raises(Illegal):
        CP.rules.apply(CP.rules.start(), lies.action)


def test_a_move_that_no_die_allows_is_told_why_the_rules_forbid_it() -> None:
    """A piece went over THE WORLD: "no yellow on W1.3 and yellow on W3.3" did not say what was wrong with that."""
    state = bm_at("y: W1.3; r: O0", turn="y", die=4)
    asked = BM.eyes.interpret(state, seen({"W3.3": "yellow", "O0": "red"}, 4))
    assert str(asked.says) == "no path of yellow leads from W1.3 to W3.3 with a 4"
    assert asked.rule == "Basic Manipulation, Moving the tokens"


def test_after_an_undo_each_marker_is_seen_back_or_not() -> None:
    before = cp_at("r: A5 A9; y: A8", turn="r", die=3)
    after = CP.rules.apply(before, CP.text.action_of("r A5-A8 x(y)")).state
    things = [str(thing.says) for thing in CP.table.put_back(before, after)]
    assert things == ["red piece from A8 to A5", "yellow piece from home to A8"]
    still = CP.table.seen_back(before, after, seen({"A8": "red", "A9": "red"}))
    assert [checked.laid for checked in still] == [InPlace.NO, InPlace.NO]
    back = CP.table.seen_back(before, after, seen({"A5": "red", "A8": "yellow", "A9": "red"}))
    assert [checked.laid for checked in back] == [InPlace.YES, InPlace.YES]
    more = CP.table.seen_back(before, after, seen({"A5": "red", "A8": "yellow", "A9": "red", "B7": "blue"}))
    assert (more[-1].laid, str(more[-1].says)) == (InPlace.NO, "blue on B7")
    assert {checked.laid for checked in CP.table.seen_back(before, after, None)} == {InPlace.UNSEEN}


def test_the_set_up_is_looked_at_before_the_first_roll() -> None:
    homes = {f"home.{color[0]}{i}": color for color in ("red", "yellow", "green", "blue") for i in (1, 2, 3, 4)}
    assert CP.table.seen_set_up(CP.rules.start(), seen(homes)).laid is InPlace.YES
    short = {spot: color for spot, color in homes.items() if spot != "home.g3"}
    missing = CP.table.seen_set_up(CP.rules.start(), seen({**short, "A9": "green"}))
    assert missing.laid is InPlace.NO
    assert [str(line.says) for line in missing.lines if line.laid is InPlace.NO] == [
        "green pieces at the beginning: 3 of 4",
        "green on A9",
    ]
    start = {"r.h": "O0", "y.h": "O12", "g.h": "O24", "b.h": "O36"}
    words = {"r": "red", "y": "yellow", "g": "green", "b": "blue"}
    waiting = {f"{word}{i}": words[word[0]] for word in start for i in (1, 2, 4)}  # any three of the four will do
    standing_there = {spot: words[word[0]] for word, spot in start.items()}
    assert BM.table.seen_set_up(BM.rules.start(4), seen(waiting | standing_there)).laid is InPlace.YES
    assert BM.table.seen_set_up(BM.rules.start(4), seen(waiting)).laid is InPlace.NO
    assert CP.table.seen_set_up(CP.rules.apply(CP.rules.start(), DieRolled("red", 3)).state, seen(homes)) is None
