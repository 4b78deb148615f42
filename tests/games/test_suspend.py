"""Suspend: the worked rulings and the sheet, paragraph by paragraph."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.game.errors import NotationError
from companion.game.game import begun, state_json, state_of_json
from companion.game.values import Illegal
from companion.games.suspend import GAME
from companion.games.suspend.events import Hung
from companion.games.suspend.house import COLORS, SEATS
from companion.games.suspend.state import Phase, Pile, SuspendState


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


def pile(words: list[str]) -> Pile:
    """A pile of such words as ``orange*2 black``."""
    counts = (word.partition("*")[::2] for word in words if word != "-")
    return Pile(**{color: int(count or 1) for color, count in counts})


def told(text: str) -> SuspendState:
    """A state of such parts as in `NEARLY`: the options first, then a word and what belongs to it."""
    options, *rest = text.split(";")
    parts = {part.split()[0]: part.split()[1:] for part in rest}
    seats = [seat for seat in SEATS if seat in parts]
    start = GAME.rules.start(len(seats), dict(word.split("=") for word in options.split()))
    turn, phase, *color = parts["turn"]
    return replace(
        start,
        round=int(parts["round"][0]),
        turn=turn,
        phase=Phase(phase),
        color=color[0] if color else None,
        mover=parts["mover"][0],
        piles=tuple(pile(parts[seat]) for seat in seats),
        draw_pile=pile(parts.get("draw", [])),
        hung=pile(parts["hung"]),
        points=tuple(int(word[2:]) for word in parts.get("points", [])) or start.points,
    )


def position(text: str) -> SuspendState:
    state = told(text)
    assert GAME.rules.status(state) == ()
    return state


NEARLY = "mode=intermediate; round 1 A; turn A roll; mover C; A red*2; B blue; C green*2; draw blue; hung {hung}"


def nearly(mode: str = "intermediate") -> SuspendState:
    hung = "orange*4 red*2 yellow*4 green*2 blue*2 black*4"
    return position(NEARLY.format(hung=hung).replace("mode=intermediate", f"mode={mode}"))


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
        begun(GAME, 2, board="x")


def test_su_03_intermediate_another_pile_or_the_draw_pile() -> None:
    state = after(nearly(), "A rolls blue")
    assert [move.move for move in GAME.rules.legal(state)][:2] == ["A hangs blue from B", "A hangs blue from draw"]
    assert refused(state, "A hangs blue").rule == "Suspend, Intermediate Game"
    assert refused(state, "A hangs red").rule == "Suspend, Intermediate Game"
    hints = [hint.move for hint in GAME.page.hints(state, "A") if hint.move]
    assert hints == ["A hangs blue from draw", "A hangs blue from B"]  # the last piece of B comes last


def test_su_05_who_runs_out_wins_by_another_hand_too() -> None:
    state = after(nearly(), "A rolls blue", "A hangs blue from B", "A rests")
    assert GAME.rules.outcome(state).winners == ("B",)
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
    assert (done.points, GAME.rules.outcome(done).winners, done.players) == ((0, 20), ("A",), ("A",))


def test_su_15_expert_the_draw_pile_counts_for_nobody() -> None:
    state = position(
        "mode=expert; round 1 A; turn A roll; mover C; A red; B black; C blue; draw orange*2; "
        "hung orange*2 red*3 yellow*4 green*4 blue*3 black*3"
    )
    assert after(state, "A rolls red", "A hangs red", "A rests").points == (0, 3, 4)


def test_su_17_beginner_the_longest_first() -> None:
    text = "mode=beginner{more}; round 1 A; turn A hang; mover B; A orange black; B red; hung orange*3 red*3 {rest}"
    rest = "yellow*4 green*4 blue*4 black*3"
    refusal = refused(position(text.format(more="", rest=rest)), "A hangs black")
    assert refusal.rule == "Suspend, Beginner Game"
    assert str(refusal.says) == "A still has orange, which is longer than black"  # ": put the piece back" follows
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


def test_gap_19_the_connector() -> None:
    assert refused(after(nearly(), "A rolls red"), "A hangs red on connector").rule == "Suspend, gap 19"
    house = GAME.rules.start(2, {"connector_in_play": "true"})
    assert GAME.rules.explain(after(house, "A rolls red"), GAME.text.action_of("A hangs red on connector")).is_legal


def test_gap_20_nobody_has_the_color() -> None:
    state = after(nearly(), "A rolls black")
    assert (state.turn, state.phase) == ("B", Phase.ROLL)


def test_tie_the_removal_duel_goes_backward() -> None:
    assert GAME.rules.outcome(after(nearly(), "stop")) is not None  # B has fewest pieces
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
    assert (over.winners, over.rule) == (("C",), "Suspend, Tie")
    assert {seat: score.points for seat, score in GAME.rules.score(done).items()} == {"A": 0.0, "B": 1.0, "C": 2.0}


def test_gap_23_a_duel_until_nothing_hangs_may_be_shared() -> None:
    tied = position(
        "mode=beginner; round 1 A; turn A hang; mover B; A orange*2 red*2 yellow*2 green*2 blue*2 black; "
        "B orange*2 red*2 yellow*2 green*2 blue*2 black; hung black*2"
    )
    over = GAME.rules.outcome(after(tied, "stop", "B removes black", "A removes black"))
    assert (over.winners, over.rule) == (("A", "B"), "Suspend, gap 23")
    assert over.points == {"A": 0.5, "B": 0.5}


def test_gap_22_a_stop_before_anything_hangs_is_shared() -> None:
    assert GAME.rules.outcome(after(GAME.rules.start(2), "stop")).winners == ("A", "B")


def test_solo_game_free_building() -> None:
    state = after(GAME.rules.start(1, {"mode": "solo"}), "A hangs black", "A rests", "A hangs orange", "A rests")
    state = after(state, "A removes black", "A hangs red", "A fell orange", "A rests")
    assert state.hung == Pile(red=1)
    done = after(state, "stop")
    assert GAME.rules.outcome(done).winners == ()
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
    fell = after(after(nearly(), "A rolls red"), "A hangs red", "A fell red black")
    asked = GAME.people.question(fell)
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


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("A red*2", "A red*3"), "pieces in red: 5"),
        (("mode=intermediate", "mode=beginner"), "no die is rolled"),
        (("A red*2; B blue", "A -; B blue red*2"), "A has run out"),
        (("; draw", "; points A=1 B=0 C=0; draw"), "in a tournament only"),
        (("turn A roll", "turn A remove"), "a duel needs"),
    ],
)
def test_positions_that_cannot_be(change: tuple[str, str], said: str) -> None:
    text = NEARLY.format(hung="orange*4 red*2 yellow*4 green*2 blue*2 black*4").replace(*change)
    faults = GAME.rules.status(told(text))
    assert any(said in str(fault.says) for fault in faults), [str(fault.says) for fault in faults]


def test_put_back_says_what_goes_where() -> None:
    state = after(nearly(), "A rolls blue")
    done = after(state, "A hangs blue from B", "A fell black")
    told = [str(thing.says) for thing in GAME.table.put_back(state, done)]
    assert told == ["put blue back on the pile of B", "hang black again"]
