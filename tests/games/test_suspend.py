"""Suspend: the worked rulings and the sheet, paragraph by paragraph."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import pytest

from companion.game.brought import default_kit
from companion.game.errors import NotationError
from companion.game.values import Doubt, Illegal, Proposal
from companion.game.written import state_json, state_of_json, tapped
from companion.games.suspend import GAME
from companion.games.suspend.house import COLORS, COUNT_EACH, NOTCHES, notch_table
from companion.games.suspend.state import (
    ALL_PIECES,
    Event,
    Fell,
    Hung,
    Phase,
    Pile,
    Removed,
    Rested,
    Rolled,
    SuspendState,
)
from web.words.collect import english


def after(state: SuspendState, *events: str) -> SuspendState:
    for event in events:
        state = GAME.rules.apply(state, GAME.text.action_of(event)).state
    return state


def refused(state: SuspendState, event: str) -> Illegal:
    action = GAME.text.action_of(event)
    with pytest.raises(Illegal) as caught:
        GAME.rules.apply(state, action)
    assert GAME.rules.explain(state, action).rule == caught.value.rule
    return caught.value


def position(text: str) -> SuspendState:
    state = GAME.text.state_of(text)
    assert GAME.rules.status(state) == ()
    return state


NEARLY = "mode=intermediate; round 1 A; turn A roll; mover C; A red*2; B blue; C green*2; draw blue; hung {hung}"


def nearly(mode: str = "intermediate") -> SuspendState:
    hung = "orange*4 red*2 yellow*4 green*2 blue*2 black*4"
    return position(NEARLY.format(hung=hung).replace("mode=intermediate", f"mode={mode}"))


def test_the_kit_agrees_with_the_defaults() -> None:
    rod = default_kit("suspend").piece("rod")
    assert tuple(sorted(rod.lengths_mm, key=lambda color: -rod.lengths_mm[color])) == COLORS
    assert dict(rod.notches) == dict(notch_table(NOTCHES))
    assert rod.count_each == COUNT_EACH


@pytest.mark.parametrize(("seats", "each", "draw"), [(2, 12, 0), (3, 6, 6), (4, 6, 0)])
def test_su_01_setup_the_same_number_of_each_color(seats: int, each: int, draw: int) -> None:
    state = GAME.rules.start(seats)
    assert [pile.total for pile in state.piles] == [each] * seats
    assert state.draw_pile.total == draw
    assert all(len({pile.count(color) for color in COLORS}) == 1 for pile in state.piles)


def test_gap_4_players() -> None:
    assert GAME.rules.start(None, {"mode": "solo"}).piles[0].total == 24
    for seats, mode in ((1, "expert"), (5, "expert"), (2, "solo")):
        with pytest.raises(NotationError, match="takes"):
            GAME.rules.start(seats, {"mode": mode})
    for options in ({"mode": "x"}, {"first_player": "D"}, {"notch": "1"}, {"beginner_strict": "no"}, {"notches": "x"}):
        with pytest.raises(NotationError):
            GAME.rules.start(2, options)
    with pytest.raises(NotationError, match="no board"):
        GAME.rules.start(2, board="x")


def test_su_03_intermediate_another_pile_or_the_draw_pile() -> None:
    state = after(nearly(), "A rolls blue")
    assert [move.move for move in GAME.rules.legal(state)][:2] == ["A hangs blue from B", "A hangs blue from draw"]
    assert refused(state, "A hangs blue").rule == "Suspend, Intermediate Game"
    assert refused(state, "A hangs red").rule == "Suspend, Intermediate Game"
    hints = [hint.move for hint in GAME.page.hints(state, "A") if hint.move]
    assert hints == ["A hangs blue from draw", "A hangs blue from B"]  # the last piece of B comes last


def test_su_05_who_runs_out_wins_by_another_hand_too() -> None:
    state = after(nearly(), "A rolls blue", "A hangs blue from B", "A rests")
    over = GAME.rules.outcome(state)
    assert over is not None
    assert over.winners == ("B",)
    assert GAME.rules.to_move(state) == ()


def test_su_07_the_rules_fallen_pieces_are_picked_up() -> None:
    state = position(
        "mode=intermediate; round 1 A; turn A roll; mover C; A red; B blue; C green*2; draw blue; "
        "hung orange*4 red*3 yellow*4 green*2 blue*2 black*4"
    )
    state = after(state, "A rolls red", "A hangs red", "A fell red orange", "A rests")
    assert state.pile("A") == Pile(red=1, orange=1)
    assert (GAME.rules.outcome(state), state.turn) == (None, "B")


def test_su_09_the_rules_touching_the_table_repositions() -> None:
    rolled = after(nearly(), "A rolls red")
    state = after(rolled, "A hangs red", "A touches")
    assert (state.piles, state.hung, state.turn, state.phase) == (rolled.piles, rolled.hung, "A", Phase.HANG)
    assert after(rolled, "A touches") == rolled


def test_su_11_the_rules_sliding_to_an_occupied_spot_is_allowed() -> None:
    state = after(nearly(), "A rolls red")
    assert refused(state, "A hangs red on occupied").rule == "Suspend, The Rules"
    hung = after(state, "A hangs red")
    assert GAME.rules.explain(hung, GAME.text.action_of("A slides")).is_legal
    assert after(hung, "A slides") == hung


def test_su_13_expert_elimination_at_twenty() -> None:
    text = "mode=expert; round {n} A; turn A roll; mover B; A red; B {pile}; draw {draw}; hung {hung}; points A=0 "
    text += "B={points}"
    first = position(
        text.format(
            n=1, pile="black orange*2", draw="-", hung="orange*2 red*3 yellow*4 green*4 blue*4 black*3", points=0
        )
    )
    second = after(first, "A rolls red", "A hangs red", "A rests")
    assert second.points == (0, 17)
    assert (second.round, second.turn, second.phase) == (2, "B", Phase.ROLL)
    assert second.pile("A").total == 12
    last = position(
        text.format(n=2, pile="black", draw="-", hung="orange*4 red*3 yellow*4 green*4 blue*4 black*3", points=17)
    )
    done = after(last, "A rolls red", "A hangs red", "A rests")
    over = GAME.rules.outcome(done)
    assert over is not None
    assert (done.points, over.winners, done.players) == ((0, 20), ("A",), ("A",))


def test_su_15_expert_the_draw_pile_counts_for_nobody() -> None:
    state = position(
        "mode=expert; round 1 A; turn A roll; mover C; A red; B black; C blue; draw orange*2; "
        "hung orange*2 red*3 yellow*4 green*4 blue*3 black*3"
    )
    state = after(state, "A rolls red", "A hangs red", "A rests")
    assert state.points == (0, 3, 4)


def test_su_17_beginner_the_longest_first() -> None:
    text = "mode=beginner{more}; round 1 A; turn A hang; mover B; A orange black; B red; hung orange*3 red*3 {rest}"
    rest = "yellow*4 green*4 blue*4 black*3"
    refusal = refused(position(text.format(more="", rest=rest)), "A hangs black")
    assert refusal.rule == "Suspend, Beginner Game"
    assert "orange" in str(refusal)
    lenient = position(text.format(more=" beginner_strict=false", rest=rest))
    applied = GAME.rules.apply(lenient, Hung("A", "black"))
    assert [str(ruling.says) for ruling in applied.rulings][1] == "orange is longer and still in the pile of A"


def test_the_rules_the_other_hand_loses_the_turn() -> None:
    rolled = after(nearly(), "A rolls red")
    for state in (rolled, after(rolled, "A hangs red")):
        lost = after(state, "A other hand")
        assert (lost.turn, lost.phase, lost.piles) == ("B", Phase.ROLL, rolled.piles)


def test_gap_11_a_drop_before_the_hand_is_away() -> None:
    rolled = after(nearly(), "A rolls red")
    assert after(rolled, "A drops") == rolled
    state = after(rolled, "A fell black")
    assert (state.turn, state.pile("A")) == ("B", Pile(red=2, black=1))


def test_gap_12_later_falls_are_the_last_movers() -> None:
    state = nearly()
    assert after(state, "C fell black").pile("C") == Pile(green=2, black=1)
    assert refused(state, "A fell black").rule == "Suspend, gap 12"
    assert refused(after(state, "A rolls red"), "C fell black").rule == "Suspend, gap 12"


@pytest.mark.parametrize("how", ["A other hand", "A fell red"])
def test_gap_12_who_lost_the_turn_was_the_last_to_move(how: str) -> None:
    lost = after(nearly(), "A rolls red", how)
    assert (lost.turn, lost.phase) == ("B", Phase.ROLL)
    assert after(lost, "A fell black").pile("A").count("black") == 1
    assert refused(lost, "C fell black").rule == "Suspend, gap 12"
    assert GAME.text.state_of(GAME.text.state(lost)) == lost
    hung = after(lost, "B rolls green", "B hangs green from C", "B rests")
    assert after(hung, "B fell black").pile("B").count("black") == 1
    assert refused(hung, "A fell black").rule == "Suspend, gap 12"


def test_the_tie_begins_with_who_placed_last_not_with_who_lost_a_turn() -> None:
    lost = after(nearly(), "A rolls red", "A other hand")
    assert (lost.mover, after(lost, "stop").turn) == ("C", "B")


def test_gap_19_the_connector() -> None:
    state = after(nearly(), "A rolls red")
    assert refused(state, "A hangs red on connector").rule == "Suspend, gap 19"
    house = GAME.rules.start(2, {"connector_in_play": "true"})
    assert GAME.rules.explain(after(house, "A rolls red"), GAME.text.action_of("A hangs red on connector")).is_legal


def test_gap_20_nobody_has_the_color() -> None:
    state = after(nearly(), "A rolls black")
    assert (state.turn, state.phase) == ("B", Phase.ROLL)


def test_tie_the_removal_duel_goes_backward() -> None:
    state = after(nearly(), "stop")
    assert GAME.rules.outcome(state) is not None  # B has fewest pieces
    tied = position(
        "mode=intermediate; round 1 A; turn A roll; mover C; A red; B blue; C green; draw blue; "
        "hung orange*4 red*3 yellow*4 green*3 blue*2 black*4"
    )
    duel = after(tied, "stop")
    assert (duel.turn, duel.phase) == ("C", Phase.REMOVE)
    assert next(hint.move for hint in GAME.page.hints(duel, "C")) in (
        "C removes black",
        "C removes yellow",
        "C removes orange",
    )
    duel = after(duel, "C removes black", "B removes black", "A fell orange red")
    assert (duel.players, duel.turn) == (("B", "C"), "C")
    assert refused(duel, "B removes black").rule == "Suspend, Tie"
    done = after(duel, "C removes black", "B fell black")
    over = GAME.rules.outcome(done)
    assert over is not None
    assert (over.winners, over.rule) == (("C",), "Suspend, Tie")
    assert {seat: score.points for seat, score in GAME.rules.score(done).items()} == {"A": 0.0, "B": 1.0, "C": 2.0}


def test_gap_23_a_duel_until_nothing_hangs_may_be_shared() -> None:
    tied = position(
        "mode=beginner; round 1 A; turn A hang; mover B; A orange*2 red*2 yellow*2 green*2 blue*2 black; "
        "B orange*2 red*2 yellow*2 green*2 blue*2 black; hung black*2"
    )
    done = after(tied, "stop", "B removes black", "A removes black")
    over = GAME.rules.outcome(done)
    assert over is not None
    assert (over.winners, over.rule) == (("A", "B"), "Suspend, gap 23")
    assert over.points == {"A": 0.5, "B": 0.5}


def test_gap_22_a_stop_before_anything_hangs_is_shared() -> None:
    over = GAME.rules.outcome(after(GAME.rules.start(2), "stop"))
    assert over is not None
    assert over.winners == ("A", "B")


def test_solo_game_free_building() -> None:
    state = after(GAME.rules.start(1, {"mode": "solo"}), "A hangs black", "A rests", "A hangs orange", "A rests")
    state = after(state, "A removes black", "A hangs red", "A fell orange", "A rests")
    assert state.hung == Pile(red=1)
    done = after(state, "stop")
    over = GAME.rules.outcome(done)
    assert over is not None
    assert over.winners == ()
    assert refused(done, "A hangs red").rule == "Suspend, Solo Game"


@pytest.mark.parametrize("event", ["A touches", "A slides", "A other hand", "A drops"])
def test_solo_game_ignores_all_the_rules(event: str) -> None:
    # "Ignore all the rules above": solo once refused the connector and took the piece back after a touch
    hung = after(GAME.rules.start(1, {"mode": "solo"}), "A hangs black on occupied", "A hangs red on connector")
    assert hung.hung == Pile(red=1, black=1)
    assert after(hung, event) == hung
    assert GAME.rules.apply(hung, GAME.text.action_of(event)).rulings[0].rule == "Suspend, Solo Game"
    assert after(hung, "A removes black", "A hangs blue", "stop").hung == Pile(red=1, blue=1)
    assert [str(hint.text) for hint in GAME.page.hints(hung, "A")] == ["hang any piece, or remove one"]


def test_gap_11_which_of_two_fell_is_asked() -> None:
    rolled = after(nearly(), "A rolls red")
    fell = after(rolled, "A hangs red", "A fell red black")
    asked = GAME.people.question(fell)
    assert asked is not None
    assert str(asked.says) == "Which red fell?"
    for event in ("A touches", "A other hand"):
        assert refused(fell, event).rule == "Suspend, gap 11"
    just_hung, another = (GAME.rules.apply(fell, choice.action).state for choice in asked.choices if choice.action)
    assert refused(just_hung, "A touches").rule == "Suspend, gap 11"
    lost = after(just_hung, "A other hand")
    assert (lost.turn, lost.pile("A")) == ("B", Pile(red=2, black=1))
    again = after(another, "A touches")
    assert (again.phase, again.pile("A"), again.hung.red) == (Phase.HANG, Pile(red=3, black=1), 1)
    for state in (fell, just_hung, another):
        assert GAME.text.state_of(GAME.text.state(state)) == state
        assert state_of_json(GAME, state_json(GAME, state)) == state
        assert GAME.rules.status(state) == ()
    assert GAME.people.question(just_hung) is None
    assert refused(another, "A tells another").rule == "Suspend, Intermediate Game"
    assert after(fell, "A rests").turn == "B"


def test_gap_11_which_fell_is_not_asked_where_it_is_clear() -> None:
    state = after(nearly(), "A rolls red", "A hangs red")
    assert GAME.people.question(after(state, "A fell black")) is None
    all_red = after(state, "A fell red red red")
    assert GAME.people.question(all_red) is None
    assert refused(all_red, "A touches").rule == "Suspend, gap 11"


def test_solo_game_is_complete_when_all_hang() -> None:
    state = GAME.rules.start(1, {"mode": "solo"})
    for color in COLORS:
        for _ in range(4):
            state = after(state, f"A hangs {color}", "A rests")
    assert state.phase is Phase.OVER


def test_expert_hints_tell_points_at_risk() -> None:
    state = GAME.rules.start(3, {"mode": "expert"})
    told = [str(hint.text) for hint in GAME.page.hints(state, "B")]
    assert told[0] == "B: 6 pieces (orange, red, yellow, green, blue and black), 30 points at risk"
    assert any(
        "out with 30 if the round ended now, the limit is 20" in str(why) for why in GAME.page.hints(state, "B")[0].why
    )
    assert "roll the die: your own pile has every color" in str(GAME.page.hints(state, "A")[0].text)
    assert GAME.page.hints(state, "Z") == ()


@pytest.mark.parametrize(
    ("event", "rule"),
    [
        ("B rolls red", "Suspend, Intermediate Game"),
        ("Z rolls red", "Suspend, Setup"),
        ("A hangs red", "Suspend, Intermediate Game"),
        ("A rests", "Suspend, Intermediate Game"),
        ("C fell black black black black black", "Suspend, The Rules"),
    ],
)
def test_events_out_of_order_are_refused(event: str, rule: str) -> None:
    assert refused(nearly(), event).rule == rule


@pytest.mark.parametrize(
    "text",
    [
        "A juggles",
        "A rolls pink",
        "A hangs",
        "A hangs red on moon",
        "A fell",
        "A tells",
        "A fell pink",
        "A rests now",
    ],
)
def test_events_that_do_not_parse(text: str) -> None:
    with pytest.raises(NotationError):
        GAME.text.action_of(text)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("A red*2", "A red*3"), "there are 5 red"),
        (("turn A roll", "turn A rest"), "does not fit the phase"),
        (("turn A roll", "turn A hang red*2"), "no color of the pieces"),
        (("mode=intermediate", "mode=beginner"), "no die is rolled"),
        (("mover C", "mover D"), "who is no player"),
        (("A red*2; B blue", "A -; B blue red*2"), "A has run out"),
        (("; draw", "; won A; draw"), "the match goes on"),
        (("; draw", "; fallen untold; draw"), "not just hung"),
        (("; draw", "; points A=1 B=0 C=0; draw"), "in a tournament only"),
        (("turn A roll", "turn A remove"), "a duel needs"),
        (("turn A roll", "turn A over"), "without a winner"),
        (("; draw", "; players C A; draw"), "not the seats in their order"),
        (("hung orange*4", "hung orange*3; off orange"), "out of play without a duel"),
    ],
)
def test_positions_that_cannot_be(change: tuple[str, str], said: str) -> None:
    text = NEARLY.format(hung="orange*4 red*2 yellow*4 green*2 blue*2 black*4").replace(*change)
    faults = GAME.rules.status(GAME.text.state_of(text))
    assert any(said in str(fault.says) for fault in faults), [str(fault.says) for fault in faults]


def test_what_was_just_hung_hangs_or_is_told_to_have_fallen() -> None:
    """A state at rest after red, where only a blue hangs, was accepted."""
    dealt = GAME.rules.start(2, {"mode": "intermediate"})
    hung = GAME.rules.apply(GAME.rules.apply(dealt, Rolled("A", "blue")).state, Hung("A", "blue")).state
    assert GAME.rules.status(hung) == ()
    wrong = [str(fault.says) for fault in GAME.rules.status(replace(hung, color="red"))]
    assert wrong == ["no red hangs, and the one just hung has not fallen"]
    assert GAME.rules.status(GAME.rules.apply(hung, Fell("A", ("blue",))).state) == ()
    alone = GAME.rules.apply(GAME.rules.start(1), Hung("A", "blue")).state
    assert GAME.rules.status(GAME.rules.apply(alone, Fell("A", ("blue",))).state) == ()


@pytest.mark.parametrize(
    ("mode", "number", "points", "said"),
    [
        ("expert", -1, (0, 0, 0), ["the number of the round is -1, expected 1 or more"]),
        ("expert", 1, (7, 7, 7), ["points are recorded when a round is over, and the first goes on"]),
        ("expert", 1, (0, 7, 7), ["points are recorded when a round is over, and the first goes on"]),
        ("expert", 2, (7, 7, 7), ["one round was played, and nobody has run out of pieces in it: all have points"]),
        ("expert", 2, (0, 7, 7), []),
        ("expert", 3, (7, 7, 7), []),
        ("intermediate", 2, (0, 0, 0), ["there is one round, and this is round 2"]),
    ],
)
def test_points_fit_the_rounds_that_were_played(
    mode: str, number: int, points: tuple[int, ...], said: list[str]
) -> None:
    state = replace(GAME.rules.start(3, {"mode": mode}), round=number, points=points)
    assert [str(fault.says) for fault in GAME.rules.status(state)] == said


DIE_MM = (620.0, 60.0)


@dataclass(frozen=True)
class Die:
    color: str | None
    confidence: float = 1.0
    x_mm: float = DIE_MM[0]
    y_mm: float = DIE_MM[1]


@dataclass(frozen=True)
class Rod:
    color: str | None
    zone: str | None
    confidence: float = 1.0
    x_mm: float = 0.0
    y_mm: float = 0.0
    hangs: float = 0.0


@dataclass(frozen=True)
class Rods:
    die: Die | None
    rods: tuple[Rod, ...] = ()
    perhaps: tuple[Rod, ...] = ()


def seen(state: SuspendState, *, without: tuple[str, str] | None = None, fallen: tuple[str, ...] = ()) -> Rods:
    rods = [
        Rod(color, zone)
        for zone, pile in [*((str(at + 1), pile) for at, pile in enumerate(state.piles)), ("draw", state.draw_pile)]
        for color in pile.pieces
    ]
    if without is not None:
        rods.remove(Rod(*without))
    hanging = [Rod(color, "stand", 0.0, x_mm, y_mm, hangs=0.9) for color, x_mm, y_mm in state.hanging]
    if without is not None:
        hanging.append(Rod(without[0], "stand", 0.0, 400.0, 260.0, hangs=0.9))
    for color in fallen:
        where = next((i for i, rod in enumerate(hanging) if rod.color == color), None)
        hanging = [rod for i, rod in enumerate(hanging) if i != where]
    return Rods(None, (*rods, *(Rod(color, "stand") for color in fallen)), tuple(hanging))


def all_seen_to_hang(state: SuspendState) -> SuspendState:
    """The state after a look that saw every piece hang, at a place of its own."""
    places = tuple((color, 300.0 + 10 * i, 300.0) for i, color in enumerate(state.hung.pieces))
    return replace(state, hanging=places)


def test_the_eyes_tell_rolls_and_hangings() -> None:
    state = nearly()
    proposal = GAME.eyes.interpret(state, Rods(Die("blue")))
    assert isinstance(proposal, Proposal)
    assert proposal.actions == (Rolled("A", "blue", DIE_MM),)
    assert GAME.eyes.interpret(state, Rods(None)) is None
    doubt = GAME.eyes.interpret(state, Rods(Die(None)))
    assert isinstance(doubt, Doubt)
    assert len(doubt.choices) == 6
    assert doubt.places_mm == (("die", 620.0, 60.0),)
    rolled = all_seen_to_hang(after(state, "A rolls blue"))
    assert GAME.eyes.interpret(rolled, seen(rolled)) is None
    hung = GAME.eyes.interpret(rolled, seen(rolled, without=("blue", "2"), fallen=("black",)))
    assert isinstance(hung, Proposal)
    assert hung.actions[:2] == (Hung("A", "blue", "B"), Fell("A", ("black",)))
    assert isinstance(hung.actions[2], Rested)
    assert len(hung.actions[2].hanging) == rolled.hung.total
    lies_still = GAME.eyes.interpret(after(rolled, "A hangs blue from B"), seen(rolled))
    assert isinstance(lies_still, Doubt)
    assert lies_still.key == "added"


def test_the_eyes_tell_what_fell_after_a_tap_and_between_turns() -> None:
    hung = after(all_seen_to_hang(nearly()), "A rolls red", "A hangs red")
    rested = GAME.eyes.interpret(hung, seen(hung, fallen=("red", "black")))
    assert isinstance(rested, Proposal)
    assert rested.actions[0] == Fell("A", ("red", "black"))
    assert isinstance(rested.actions[1], Rested)
    state = all_seen_to_hang(nearly())
    later = GAME.eyes.interpret(state, seen(state, fallen=("black",)))
    assert isinstance(later, Proposal)
    assert later.actions == (Fell("C", ("black",)),)


def test_the_eyes_do_not_count_twice_what_fell_and_was_not_picked_up_yet() -> None:
    fell = after(nearly(), "A rolls red", "A hangs red", "A fell black", "A rests")
    at_stand = seen(fell, without=("black", "1"), fallen=("black",))
    assert GAME.eyes.interpret(fell, at_stand) is None
    rolled = after(fell, "B rolls blue")
    found = GAME.eyes.interpret(rolled, Rods(None, tuple(rod for rod in at_stand.rods if rod != Rod("blue", "2"))))
    assert isinstance(found, Proposal)
    assert found.actions == (Hung("B", "blue"), Rested("B"))


def test_what_may_have_fallen_as_it_was_hung_is_asked_though_another_pile_lacks_one_in_view() -> None:
    """B's orange fell as it was hung; one of A's lay hidden, so it was taken for A's, and B's for hung."""
    start = GAME.rules.start(2, {"mode": "expert"})
    rolled = after(start, "A rolls yellow", "A hangs yellow", "A rests", "B rolls orange")
    rods = list(seen(rolled, without=("orange", "1")).rods)
    rods.remove(Rod("orange", "2"))
    found = GAME.eyes.interpret(rolled, Rods(None, (*rods, Rod("orange", "stand", 0.94))))
    assert isinstance(found, Doubt)


def test_the_eyes_tell_a_solo_sculpture() -> None:
    state = all_seen_to_hang(after(GAME.rules.start(1), "A hangs red", "A rests"))
    assert GAME.eyes.interpret(state, seen(state)) is None
    built = seen(state, without=("orange", "1"))
    back = replace(built, rods=(*built.rods, Rod("red", "1")), perhaps=built.perhaps[1:])
    found = GAME.eyes.interpret(state, back)
    assert isinstance(found, Proposal)
    assert found.actions == (Removed("A", "red"), Hung("A", "orange"), Rested("A", (("orange", 400.0, 260.0),)))
    more = GAME.eyes.interpret(after(state, "A hangs blue"), seen(state, without=("green", "1"), fallen=("red",)))
    assert isinstance(more, Proposal)
    assert more.actions[:3] == (Removed("A", "blue"), Hung("A", "green"), Fell("A", ("red",)))


def test_who_builds_alone_tells_what_hangs_where_colors_are_unsure() -> None:
    """He was told to lay rods free again and again, and could not say what he had done."""
    solo = GAME.rules.start(1, {"mode": "solo"})
    rods = seen(solo, without=("red", "1")).rods
    unsure = tuple(replace(rod, confidence=0.5) if rod.color in ("red", "orange") else rod for rod in rods)
    doubt = GAME.eyes.interpret(solo, Rods(None, unsure))
    assert isinstance(doubt, Doubt)
    told = {choice.key: choice for choice in doubt.choices}
    assert {"hung:red:A", "look_again"} <= told.keys()
    assert told["hung:red:A"].action == Hung("A", "red", None)


def answers(found: object) -> list[tuple[str, tuple[Event, ...]]]:
    assert isinstance(found, Doubt)
    return [(choice.key, choice.actions) for choice in found.choices]


def test_the_eyes_doubt() -> None:
    rolled = after(nearly(), "A rolls blue")
    rods = seen(rolled).rods
    told = {
        "illegal": seen(rolled, without=("red", "1")),
        "several": Rods(None, tuple(r for r in rods if r.color != "blue")),
        "added": Rods(None, (*rods, Rod("black", "1"))),
        "astray": Rods(None, (*rods, Rod("black", None))),
    }
    for key, reading in told.items():
        found = GAME.eyes.interpret(rolled, reading)
        assert isinstance(found, Doubt)
        assert found.key == key
        assert {"hung:blue:B", "hung:blue:draw", "look_again"} <= dict(answers(found)).keys()
        assert GAME.eyes.interpret(rolled, reading) == found
        assert "it is put right now: look again" in [str(choice.says) for choice in found.choices]  # not "lie free"
    wrong = GAME.eyes.interpret(rolled, told["illegal"])
    assert isinstance(wrong, Doubt)
    assert wrong.rule == "Suspend, Intermediate Game"


def test_the_eyes_ask_only_where_an_unsure_color_may_mean_something() -> None:
    rolled = after(nearly(), "A rolls blue")
    rods = seen(rolled).rods
    assert GAME.eyes.interpret(rolled, Rods(None, (replace(rods[0], confidence=0.5), *rods[1:]))) is None
    unsure = (*(r for r in rods if r.zone != "2" and r.color != "green"), Rod(None, "3"))
    found = GAME.eyes.interpret(rolled, Rods(None, unsure))
    assert isinstance(found, Doubt)
    assert found.key == "unsure"
    half = tuple(replace(r, confidence=0.5) if r.zone == "2" else r for r in rods)
    assert ("hung:blue:B", (Hung("A", "blue", "B"), Rested("A"))) in answers(
        GAME.eyes.interpret(rolled, Rods(None, half))
    )


def test_the_eyes_ask_for_a_color_the_likeliest_first_and_for_a_die_that_may_not_have_been_rolled() -> None:
    likely = GAME.eyes.interpret(nearly(), Rods(Die("blue", 0.7)))
    assert answers(likely)[0] == ("blue", (Rolled("A", "blue", DIE_MM),))
    again = GAME.eyes.interpret(nearly(), Rods(Die("blue")), (Rolled("C", "blue"),))
    assert isinstance(again, Doubt)
    assert answers(again) == [("yes", (Rolled("A", "blue", DIE_MM),)), ("no", ())]
    assert isinstance(GAME.eyes.interpret(nearly(), Rods(Die("red")), (Rolled("C", "blue"),)), Proposal)


def test_a_die_that_lies_elsewhere_was_rolled_though_it_shows_the_same_color() -> None:
    """Every sixth roll was asked about: did she roll blue too?"""
    seen_there = Rolled("C", "blue", (DIE_MM[0] - 30.0, DIE_MM[1]))
    found = GAME.eyes.interpret(nearly(), Rods(Die("blue")), (seen_there,))
    assert isinstance(found, Proposal)
    assert found.actions == (Rolled("A", "blue", DIE_MM),)
    lies_still = Rolled("C", "blue", (DIE_MM[0] - 3.0, DIE_MM[1] + 3.0))
    assert isinstance(GAME.eyes.interpret(nearly(), Rods(Die("blue")), (lies_still,)), Doubt)
    mended = GAME.people.amended(seen_there, "rolled", "red")
    assert isinstance(mended, Rolled)
    assert (mended.color, mended.at_mm) == ("red", seen_there.at_mm)


def test_a_question_names_the_places_of_the_pieces_that_it_means() -> None:
    """Every piece was outlined, and one could not tell which were to be laid free."""
    rolled = after(nearly(), "A rolls blue")
    rods = [rod for rod in seen(rolled).rods if rod.zone != "2"]
    told = {
        "unsure": (Rod(None, "2", 1.0, 410.0, 90.0), Rod("blue", "2", 0.5, 440.0, 90.0)),
        "astray": (Rod("blue", "2"), Rod("black", None, 1.0, 320.0, 40.0)),
    }
    for key, more in told.items():
        asked = GAME.eyes.interpret(rolled, Rods(None, (*rods, *more)))
        assert isinstance(asked, Doubt)
        assert (asked.key, [place for _, *place in asked.places_mm]) == (
            key,
            [[rod.x_mm, rod.y_mm] for rod in more if rod.x_mm],
        )


def test_what_was_added_to_a_pile_is_shown_with_what_looks_like_it() -> None:
    """The whole table was shown, and one looked for the piece that was too many."""
    rolled = after(nearly(), "A rolls blue")
    blues = [Rod("blue", "2", 1.0, x_mm, 90.0) for x_mm in (410.0, 440.0)]
    rods = [rod for rod in seen(rolled).rods if rod.zone != "2"]
    asked = GAME.eyes.interpret(rolled, Rods(None, (*rods, *blues)))
    assert isinstance(asked, Doubt)
    assert (asked.key, asked.places_mm) == ("added", (("piece 1", 410.0, 90.0), ("piece 2", 440.0, 90.0)))


def test_where_several_are_gone_those_are_shown_that_hang_only_now() -> None:
    rolled = replace(after(nearly(), "A rolls blue"), hanging=(("blue", 300.0, 200.0),))
    rods = tuple(rod for rod in seen(rolled).rods if rod.color != "blue")
    hang = [Rod("blue", "stand", 0.2, x_mm, 200.0, hangs=0.9) for x_mm in (300.0, 330.0, 360.0)]
    other = Rod("green", "stand", 0.2, 400.0, 200.0, hangs=0.9)
    asked = GAME.eyes.interpret(rolled, Rods(None, (*rods, *hang, other)))
    assert isinstance(asked, Doubt)
    assert (asked.key, asked.places_mm) == ("several", (("piece 1", 330.0, 200.0), ("piece 2", 360.0, 200.0)))


def test_whether_it_fell_is_asked_with_the_likeliest_place() -> None:
    rolled = after(nearly(), "A rolls red")
    lying = (Rod("black", "stand", 0.8, 300.0, 200.0), Rod("black", "stand", 0.2, 350.0, 200.0, hangs=0.9))
    asked = GAME.eyes.interpret(rolled, Rods(None, (*seen(rolled, without=("red", "1")).rods, *lying)))
    assert isinstance(asked, Doubt)
    assert (asked.key, asked.places_mm) == ("fell", (("piece 1", 300.0, 200.0),))


def test_who_hung_may_say_so_even_where_the_eyes_have_miscounted() -> None:
    """The first hang from the demo's pile could not be answered: only to lay free what lies free was offered."""
    rolled = after(GAME.rules.start(2), "A rolls orange")
    rods = [rod for rod in seen(rolled, without=("orange", "1")).rods if rod != Rod("blue", "2")]
    doubted = tuple(replace(rod, color=None) if rod == Rod("green", "1") else rod for rod in rods)
    told = dict(answers(GAME.eyes.interpret(rolled, Rods(None, doubted[:-3]))))
    assert told["hung:orange:A"][0] == Hung("A", "orange")
    assert told["look_again"] == ()


def test_what_was_rolled_is_to_be_hung_and_does_not_hang_yet() -> None:
    """A roll was told as "A hangs orange from their own pile", before anything hung."""
    rolled = GAME.rules.apply(GAME.rules.start(2), Rolled("A", "orange"))
    assert [str(ruling.says) for ruling in rolled.rulings] == ["A is to hang orange from their own pile"]


def test_the_hint_to_roll_says_how_many_colors_the_own_pile_has() -> None:
    assert str(GAME.page.hints(GAME.rules.start(2), "A")[0].text) == "roll the die: your own pile has every color"
    assert str(GAME.page.hints(nearly(), "A")[0].text) == "roll the die: your own pile has one of the 6 colors"


def test_the_sentences_call_a_piece_what_the_sheet_calls_a_piece() -> None:
    """Rods and pieces stood side by side for the same thing; the sheet says rod in its list of contents alone."""
    said = next(said for owner, said in english().items() if owner.name == "suspend")
    assert not [sentence for sentence in said if re.search(r"\brods?\b", sentence, re.IGNORECASE)]


def test_put_back_says_what_goes_where() -> None:
    state = after(nearly(), "A rolls blue")
    done = after(state, "A hangs blue from B", "A fell black")
    told = [str(thing.says) for thing in GAME.table.put_back(state, done)]
    assert told == ["put blue back on the pile of B", "hang black again"]


def test_rolling_hints_name_what_one_lacks() -> None:
    state = nearly()
    why = [str(says) for says in GAME.page.hints(state, "A")[0].why]
    assert "blue: you have none, it comes from the pile of B or the draw pile" in why
    assert "black: nobody has one, the turn ends" in why
    assert any("one piece from winning" in str(says) for says in GAME.page.hints(state, "B")[0].why)
    resting = after(state, "A rolls red", "A hangs red")
    assert "hands off" in str(GAME.page.hints(resting, "A")[0].text)
    solo = GAME.rules.start(1, {"mode": "solo"})
    assert [str(hint.text) for hint in GAME.page.hints(solo, "A")] == ["hang any piece, or remove one"]
    assert "sources" in GAME.page.view(state, None)


@pytest.mark.parametrize(
    ("before", "event", "said"),
    [
        (("A rolls red",), "A rests", "must hang a piece now"),
        (("A rolls red", "A hangs red"), "A hangs red", "wait until all is at rest"),
        (("A rolls red",), "A hangs red from Z", "neither a player"),
        (("A rolls red",), "A hangs red from B", "comes from the pile of A"),
        (("A rolls red",), "stop", "must hang a piece now"),
        (("A rolls red", "A hangs red", "A rests"), "A rolls red", "it is the turn of B"),
    ],
)
def test_why_an_event_is_not_open(before: tuple[str, ...], event: str, said: str) -> None:
    assert said in str(refused(after(nearly(), *before), event))


def test_why_not_in_other_games() -> None:
    beginner = GAME.rules.start(2, {"mode": "beginner"})
    assert "no die is rolled" in str(refused(beginner, "A rolls red"))
    duel = after(after(beginner, "A hangs orange", "A rests", "B hangs orange", "B rests"), "stop")
    assert "must remove a piece" in str(refused(duel, "B hangs red"))
    assert "no red piece hangs" in str(refused(duel, "B removes red"))
    solo = after(GAME.rules.start(1, {"mode": "solo"}), *["A hangs red", "A rests"] * 4)
    assert "A has no red" in str(refused(solo, "A hangs red"))
    with pytest.raises(Illegal, match="no color of the pieces"):
        GAME.rules.apply(GAME.rules.start(2), Rolled("A", "pink"))
    with pytest.raises(Illegal, match="no piece was named"):
        GAME.rules.apply(after(nearly(), "A rolls red"), Fell("A", ()))


def test_a_hung_piece_that_fell_cannot_be_taken_back() -> None:
    state = position(
        "mode=intermediate; round 1 A; turn A roll; mover C; A red*4; B blue; C green*2; draw blue; "
        "hung orange*4 yellow*4 green*2 blue*2 black*4"
    )
    state = after(state, "A rolls red", "A hangs red", "A fell red")
    assert refused(state, "A touches").rule == "Suspend, gap 11"


@pytest.mark.parametrize(
    "text",
    [
        "round 1 A; turn A rest; A red; fallen x",
        "round x; turn A roll; A red",
        "round 1 A; turn A sing; A red",
        "round 1 A; turn A roll; tempo 3",
        "round 1 A; turn A roll; A red; A red",
        "round 1 A; turn A roll; A red; points A=x",
        "round 1 A; turn A roll; A pink",
    ],
)
def test_states_that_do_not_parse(text: str) -> None:
    with pytest.raises(NotationError):
        GAME.text.state_of(text)


def test_seats_and_piles_that_do_not_fit() -> None:
    state = GAME.rules.start(2)
    low = replace(state, piles=(replace(state.piles[0], red=-1), state.piles[1]))
    expert = GAME.rules.start(3, {"mode": "expert"})
    for wrong in (
        low,
        replace(state, seats=("A",)),
        replace(state, piles=state.piles[:1]),
        replace(expert, players=("A", "B")),
        replace(expert, points=(20, 0, 0)),
        replace(expert, points=(-1, 0, 0)),
        replace(expert, players=("A", "B"), turn="C"),
        replace(after(nearly(), "A rolls red", "A hangs red"), source=None),
        replace(after(nearly(), "A rolls red", "A hangs red"), mover="B"),
    ):
        assert GAME.rules.status(wrong)


def test_every_reason_is_listed_whatever_is_wrong_with_the_seats() -> None:
    """`status` once ended with the first list that did not fit the seats."""
    state = replace(
        GAME.rules.start(3),
        seats=("A", "C"),
        points=(0, 1),
        winners=("D",),
        hung=replace(ALL_PIECES, red=9),
        turn="B",
        players=("A", "B"),
    )
    where = {fault.where for fault in GAME.rules.status(state)}
    assert where >= {"seats", "piles", "points", "winners", "turn", "players", "red", "blue"}
    assert {
        fault.where for fault in GAME.rules.status(replace(GAME.rules.start(2), seats=(), piles=(), points=()))
    } >= {
        "seats",
        "starter",
        "black",
    }


def test_every_event_has_words() -> None:
    events = ("A rolls red", "A hangs red", "A hangs red from B", "A touches", "A slides", "A drops", "A other hand")
    for event in (*events, "A fell red", "A tells just hung", "A tells another", "A rests", "A removes red", "stop"):
        assert str(GAME.text.says(GAME.text.action_of(event)))
        assert GAME.text.action(GAME.text.action_of(event)) == event


def test_the_eyes_ask_what_lies_or_hangs_about_the_stand() -> None:
    """From above a hanging rod looks like one that fell: what is not told is asked, each way it may be."""
    rolled = after(nearly(), "A rolls red")
    lying = Rod("black", "stand", 0.8)
    hung = seen(rolled, without=("red", "1"))
    found = answers(GAME.eyes.interpret(rolled, Rods(None, (*hung.rods, lying))))
    state = nearly()
    asked = dict(found)
    assert asked["fell:black"] == (Hung("A", "red"), Fell("A", ("black",)), Rested("A"))
    assert asked["hangs"] == (Hung("A", "red"), Rested("A", (("black", 0.0, 0.0),)))
    assert asked["look_again"] == ()
    rolling = answers(GAME.eyes.interpret(state, Rods(Die("blue"), (*seen(state).rods, lying))))
    assert rolling == [
        ("fell:black", (Fell("C", ("black",)),)),
        ("hangs", (Rolled("A", "blue", DIE_MM),)),
        ("nothing", ()),
        ("look_again", ()),
    ]


def test_a_color_that_neither_hangs_nor_is_rolled_has_not_fallen() -> None:
    rolled = after(GAME.rules.start(2), "A rolls red")
    hung = seen(rolled, without=("red", "1"))
    found = GAME.eyes.interpret(rolled, Rods(None, (*hung.rods, Rod("yellow", "stand", 0.8))))
    assert isinstance(found, Proposal)
    assert found.actions == (Hung("A", "red"), Rested("A"))


def test_unsure_rods_are_believed_where_their_number_leaves_nothing_else() -> None:
    rolled = after(nearly(), "A rolls red")
    rods = seen(rolled, without=("red", "1")).rods
    likely = tuple(replace(rod, confidence=0.8) if rod.color == "green" else rod for rod in rods)
    found = GAME.eyes.interpret(rolled, Rods(None, likely))
    assert isinstance(found, Proposal)
    assert found.actions == (Hung("A", "red"), Rested("A"))
    other = tuple(replace(rod, confidence=0.8, color="blue") if rod.color == "green" else rod for rod in rods)
    assert isinstance(GAME.eyes.interpret(rolled, Rods(None, other)), Doubt)


def test_a_rod_that_may_still_lie_there_is_asked_about_and_another_that_shows_half_is_not_missed() -> None:
    rolled = after(nearly(), "A rolls red")
    rods = seen(rolled, without=("red", "1")).rods
    found = answers(GAME.eyes.interpret(rolled, Rods(None, rods, (Rod("red", "1", 0.4, 40.0),))))
    assert ("hung:red:A", (Hung("A", "red"), Rested("A"))) in found
    less = tuple(rod for rod in rods if rod != Rod("blue", "2"))
    assert isinstance(GAME.eyes.interpret(rolled, Rods(None, less)), Doubt)
    half = GAME.eyes.interpret(rolled, Rods(None, less, (Rod("blue", "2", 0.4),)))
    assert isinstance(half, Proposal)
    assert half.actions == (Hung("A", "red"), Rested("A", hidden=(("blue", "B"),)))


def test_what_was_found_to_hang_is_not_asked_about_again() -> None:
    """Each look at a hanging rod that looked like a fallen one asked the same, twice a turn."""
    lying = Rod("black", "stand", 0.8, 300.0, 200.0)
    rolled = after(nearly(), "A rolls red")
    asked = GAME.eyes.interpret(rolled, Rods(None, (*seen(rolled, without=("red", "1")).rods, lying)))
    hangs = next(actions for key, actions in answers(asked) if key == "hangs")
    state = rolled
    for event in hangs:
        state = GAME.rules.apply(state, event).state
    found = GAME.eyes.interpret(state, Rods(Die("blue"), (*seen(state).rods, lying)))
    assert isinstance(found, Proposal)
    assert found.actions == (Rolled("B", "blue", DIE_MM),)
    elsewhere = Rods(Die("blue"), (*seen(state).rods, replace(lying, x_mm=330.0)))
    assert isinstance(GAME.eyes.interpret(state, elsewhere), Doubt)


def hung_at(*hanging: tuple[str, float, float]) -> SuspendState:
    """A hangs red while these hang by the stand."""
    return replace(after(nearly(), "A rolls red"), hanging=hanging)


def asked_of(state: SuspendState, *perhaps: Rod) -> set[str]:
    """The keys of what is asked where red was hung and these show by the stand."""
    found = GAME.eyes.interpret(state, Rods(None, seen(state, without=("red", "1")).rods, (RED_HANGS, *perhaps)))
    return {key for key, _ in answers(found)} if isinstance(found, Doubt) else set()


RED_HANGS = Rod("red", "stand", 0.001, 380.0, 260.0, hangs=0.9)


def test_a_rod_that_shows_elsewhere_and_no_more_where_it_hung_may_have_fallen() -> None:
    """Of a blue rod that had fallen one tip showed, hardly likely a rod: it was taken to hang (seed 701)."""
    state = hung_at(("yellow", 450.0, 270.0))
    elsewhere = Rod("yellow", "stand", 0.116, 500.0, 308.0)
    hangs = Rod("yellow", "stand", 0.01, 500.0, 308.0, hangs=0.9)
    assert "fell:yellow" in asked_of(state, elsewhere)
    assert not asked_of(state, hangs)
    assert not asked_of(state, replace(elsewhere, x_mm=450.0, y_mm=270.0))
    assert not asked_of(state, replace(elsewhere, confidence=0.02), replace(hangs, x_mm=450.0, y_mm=270.0))


def test_one_that_hung_explains_one_that_shows_and_no_second_beside_it() -> None:
    """One orange fell so that its middle lay beside that of another, which hung: both were taken to hang (seed 720)."""
    state = hung_at(("yellow", 480.0, 276.0), ("yellow", 414.0, 265.0))
    hangs = Rod("yellow", "stand", 0.1, 480.0, 276.0, hangs=0.9)
    assert "fell:yellow" in asked_of(state, hangs, Rod("yellow", "stand", 0.94, 480.0, 274.0))
    assert not asked_of(state, hangs, Rod("yellow", "stand", 0.1, 414.0, 265.0))


def test_where_fewer_hang_than_hung_it_is_asked_what_fell() -> None:
    """A blue rod fell into the crowd about the stand and was not seen to lie there: only that it hung no more (seed
    722)."""
    state = hung_at(("yellow", 480.0, 276.0))
    assert "fell:yellow" in asked_of(state)
    assert not asked_of(state, Rod("yellow", "stand", 0.01, 420.0, 300.0, hangs=0.9))
    assert not asked_of(hung_at())


def test_one_that_seems_to_lie_where_it_hung_may_have_fallen_straight_down() -> None:
    """A red rod fell to where it had hung, and was told to lie there: it was taken to hang still (seed 917)."""
    state = hung_at(("yellow", 425.0, 264.0))
    lies = Rod("yellow", "stand", 0.94, 418.0, 262.0)
    assert "fell:yellow" in asked_of(state, lies)
    assert not asked_of(state, replace(lies, confidence=0.5))
    assert not asked_of(state, replace(lies, confidence=0.02, hangs=0.9))


def test_what_fell_is_told_by_taps_color_by_color() -> None:
    state = after(nearly(), "A rolls red", "A hangs red")
    offered = {move.move: move for move in GAME.rules.legal(state)}
    asks = offered["A fell ..."].asks
    assert {ask.key for ask in asks} == set(state.hung.colors)
    none = {ask.key: "0" for ask in asks}
    assert tapped(GAME, state, "A", "A fell ...", none | {"red": "1"}) == Fell("A", ("red",))
    with pytest.raises(NotationError, match="at least one"):
        tapped(GAME, state, "A", "A fell ...", none)


def test_between_turns_the_fall_of_either_may_be_told() -> None:
    beginner = after(GAME.rules.start(2, {"mode": "beginner"}), "A hangs orange", "A rests")
    assert {move.move for move in GAME.rules.legal(beginner) if move.asks} == {"A fell ...", "B fell ..."}


def test_a_roll_and_a_hanging_are_corrected() -> None:
    state = nearly()
    (color,) = GAME.people.corrections(state, state, Rolled("A", "blue"))
    assert (color.fact, color.value, len(color.choices)) == ("rolled", "blue", len(COLORS))
    assert GAME.people.amended(Rolled("A", "blue"), "rolled", "red") == Rolled("A", "red")
    rolled = after(state, "A rolls blue")
    (hung,) = GAME.people.corrections(rolled, rolled, Hung("A", "blue", "B"))
    assert [key for key, _ in hung.choices] == ["A hangs blue from B", "A hangs blue from draw"]
    assert GAME.people.amended(Hung("A", "blue", "B"), "hung", "A hangs blue from draw") == Hung("A", "blue", "draw")


def test_the_score_sheet_keeps_each_round() -> None:
    text = "mode=expert; round 1 A; turn A rest red A; mover A; A -; B black; C green; hung red; points A=0 B=0 C=0"
    state = after(GAME.text.state_of(text), "A rests")
    assert state.sheet == ((0, 3, 5),)
    assert GAME.page.view(state, None)["sheet"] == [[0, 3, 5]]


def interpreted(state: SuspendState, *perhaps: Rod) -> object:
    """What is said where red was hung and these may lie or hang by the stand."""
    return GAME.eyes.interpret(state, Rods(None, seen(state, without=("red", "1")).rods, perhaps))


def test_a_hung_piece_that_shows_faintly_at_its_place_has_not_fallen() -> None:
    """Pieces that others covered were asked about in every third turn: does this lie fallen?"""
    state = hung_at(("yellow", 450.0, 270.0))
    faint = Rod("yellow", "stand", 0.0, 452.0, 270.0, hangs=0.3)
    assert isinstance(interpreted(state, RED_HANGS), Doubt)
    assert isinstance(interpreted(state, RED_HANGS, faint), Proposal)
    assert isinstance(interpreted(state, RED_HANGS, replace(faint, x_mm=490.0)), Doubt)


def test_one_piece_seen_as_hanging_and_as_perhaps_lying_is_one() -> None:
    """What a hanging red was a rival of counted as a second red that may have fallen (seed 15)."""
    state = hung_at(("yellow", 450.0, 270.0))
    hangs = Rod("yellow", "stand", 0.01, 450.0, 270.0, hangs=0.9)
    twin = Rod("yellow", "stand", 0.16, 451.0, 270.0)
    assert isinstance(interpreted(state, RED_HANGS, hangs, twin), Proposal)
    assert isinstance(interpreted(state, RED_HANGS, hangs, replace(twin, x_mm=500.0)), Doubt)


def test_a_piece_that_the_last_look_did_not_show_is_not_missed_again() -> None:
    """A green one under others was asked about at every press of a solo match (seed 13)."""
    solo = GAME.rules.start(1)
    look = seen(solo, without=("red", "1"))
    rods = list(look.rods)
    rods.remove(Rod("green", "1"))
    covered = replace(look, rods=tuple(rods))
    assert isinstance(GAME.eyes.interpret(solo, covered), Doubt)
    found = GAME.eyes.interpret(replace(solo, hidden=(("green", "A"),)), covered)
    assert isinstance(found, Proposal)
    assert found.actions == (Hung("A", "red"), Rested("A", (("red", 400.0, 260.0),), (("green", "A"),)))


def test_what_fell_hangs_no_more_in_memory() -> None:
    """After all had fallen they were missed at each look, for an empty stand kept the old places."""
    state = hung_at(("black", 300.0, 200.0), ("yellow", 450.0, 270.0))
    assert after(state, "A hangs red", "A fell black", "A rests").hanging == (("yellow", 450.0, 270.0),)


def test_a_question_offers_three_answers_at_most_and_none_of_these() -> None:
    state = all_seen_to_hang(nearly())
    lying = tuple(Rod(color, "stand", 0.5, 350.0, 160.0 + 20 * i) for i, color in enumerate(COLORS))
    found = GAME.eyes.interpret(after(state, "A rolls red"), Rods(None, seen(state, without=("red", "1")).rods, lying))
    assert isinstance(found, Doubt)
    assert len(found.choices) <= 4
    assert str(found.choices[-1].says) == "none of these: lay the pieces apart, then look again"


def test_a_press_before_anything_was_done_waits_though_a_piece_is_unsure() -> None:
    rolled = after(nearly(), "A rolls blue")
    rods = seen(rolled).rods
    assert GAME.eyes.interpret(rolled, Rods(None, (replace(rods[0], confidence=0.9), *rods[1:]))) is None
