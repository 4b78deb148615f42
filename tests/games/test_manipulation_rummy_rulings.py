"""Manipulation Rummy: the worked rulings, each with the paragraph that decides."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.game.cards import PACK
from companion.game.errors import NotationError
from companion.game.values import Illegal
from companion.games.manipulation_rummy import GAME
from companion.games.manipulation_rummy.state import Drew, Ended, Hand, Knocked, Melded, Phase, RummyState, Shown
from tests.games.rummy_help import turn


def best(table: str, hand: str, packs: int | None = None, **options: str) -> dict[str, object]:
    return GAME.shorthand.best_play(table, hand, packs, options, within_ms=5000)


def at_the_end(hand: str) -> RummyState:
    return replace(turn("", hand), phase=Phase.END)


def refused(state: RummyState, action: str) -> Illegal:
    with pytest.raises(Illegal) as caught:
        GAME.rules.apply(state, GAME.text.action_of(action))
    why = GAME.rules.explain(state, GAME.text.action_of(action))
    assert not why.is_legal
    assert why.rule == caught.value.rule
    return caught.value


@pytest.mark.parametrize(("seats", "packs", "stock"), [(2, 1, 33), (3, 2, 76), (4, 2, 66), (5, 2, 56)])
def test_mr_01_deck_and_setup(seats: int, packs: int, stock: int) -> None:
    state = GAME.rules.start(seats)
    assert (state.packs, state.stock, {hand.size for hand in state.hands}) == (packs, stock, {10})
    assert GAME.rules.to_move(state) == ("B",)  # left of the dealer


@pytest.mark.parametrize("seats", [0, 1, 6])
def test_players_two_to_five(seats: int) -> None:
    with pytest.raises(NotationError, match="Manipulation Rummy, Players"):
        GAME.rules.start(seats)


def test_mr_03_gap_2_melding_ends_the_drawing() -> None:
    state = GAME.rules.apply(turn("[5C 5D 5H]", "5S 9D"), Melded("A", (("5C", "5D", "5H", "5S"),))).state
    assert refused(state, "A draws").rule == "Manipulation Rummy, gap 2"
    assert refused(state, "A melds 9D: [5C 5D 5H 5S] [7D 8D 9D]").rule == "Manipulation Rummy, gap 2"
    assert GAME.rules.apply(state, Ended("A")).state.turn == "B"


def test_gameplay_a_third_card_forbids_melding() -> None:
    state = turn("[5C 5D 5H]", "5S 9D")
    for card in ("KC", "KD"):
        state = GAME.rules.apply(state, Drew("A", card)).state
    assert refused(state, "A melds 5S: [5C 5D 5H 5S]").rule == "Manipulation Rummy, Gameplay"
    assert [m.move for m in GAME.rules.legal(state)] == ["A ends", "A shows ...", "A holds ...", "B holds ..."]


def test_gap_1_and_3_one_draws_first_and_without_a_meld_draws_on() -> None:
    assert refused(GAME.rules.start(2), "B melds 5C: [5C 5D 5H]").rule == "Manipulation Rummy, gap 3"
    for action in ("A ends", "A knocks"):
        assert refused(turn("", "2C"), action).rule == "Manipulation Rummy, gap 1"


def test_mr_05_melds_manipulate_what_lies() -> None:
    play = {"points": 4, "laid": ["4S"], "table": "[5C 5D 5H] [4S 5S 6S 7S 8S]"}
    assert best("[5C 5D 5H 5S] [6S 7S 8S]", "4S 9D") == play


def test_mr_07_melds_no_turning_the_corner() -> None:
    assert best("[QS KS AS]", "2S")["points"] == 0
    refusal = refused(turn("[QS KS AS]", "2S"), "A melds 2S: [QS KS AS 2S]")
    assert ("turns the corner" in str(refusal), refusal.rule) == (True, "Manipulation Rummy, Melds")


def test_mr_09_melds_no_two_identical_cards() -> None:
    assert best("[8S 8H 8D]", "8S", 2)["points"] == 0
    refusal = refused(turn("[8S 8H 8D]", "8S", 2), "A melds 8S: [8S 8S 8H 8D]")
    assert ("two identical" in str(refusal), refusal.rule) == (True, "Manipulation Rummy, Melds")


def test_mr_11_jokers_keep_their_identity() -> None:
    assert best("[7C 8C JK=9C]", "9D 9H")["points"] == 0
    refusal = refused(turn("[7C 8C JK=9C] [7D 7H 7S]", "9D 9H"), "A melds 9D 9H: [7C 7D 7H 7S] [8C 9D 9H JK=9S]")
    assert refusal.rule == "Manipulation Rummy, Melds"
    refusal = refused(turn("[6C 7C 8C JK=9C]", "9D 9H"), "A melds 9D 9H: [6C 7C 8C] [9D 9H JK=9S]")
    assert ("until a real 9C replaces it" in str(refusal), refusal.rule) == (True, "Manipulation Rummy, Jokers")


def test_mr_13_jokers_a_released_joker_is_used_at_once() -> None:
    play = best("[7C 8C JK=9C]", "9C")
    assert (play["points"], play["table"]) in ((9, "[7C 8C 9C JK=10C]"), (9, "[JK=6C 7C 8C 9C]"))
    state = turn("[7C 8C JK=9C]", "9C")
    assert refused(state, "A melds 9C: [7C 8C 9C]").rule == "Manipulation Rummy, Jokers"  # the joker left the table
    for table in ("[7C 8C 9C JK=10C]", "[JK=6C 7C 8C 9C]"):
        assert GAME.rules.explain(state, GAME.text.action_of(f"A melds: {table}")).is_legal


def test_mr_15_melds_the_first_to_meld_lays_a_whole_meld() -> None:
    play = best("", "3D 4D JK QC")
    assert (play["points"], play["table"]) in ((32, "[3D 4D JK=5D]"), (32, "[JK=2D 3D 4D]"))
    assert "fewer than three" in str(refused(turn("", "3D 4D JK QC"), "A melds 3D 4D: [3D 4D]"))


def test_mr_17_gap_4_no_card_is_taken_from_the_table() -> None:
    state = turn("[5C 5D 5H 5S]", "5C", 2)
    for action in ("A melds -: [5C 5D 5H]", "A melds 5C: [5C 5D 5H 5S]"):
        refusal = refused(state, action)
        assert ("may be taken into the hand" in str(refusal), refusal.rule) == (True, "Manipulation Rummy, gap 4")
    assert "at least one card" in str(refused(state, "A melds -: [5C 5D 5H 5S]"))


@pytest.mark.parametrize(
    ("points", "knocked", "out", "scores"),
    [
        ({"A": 4, "B": 12, "C": 30}, "A", None, {"A": 34, "B": 0, "C": 0}),  # MR-19
        ({"A": 4, "B": 4, "C": 10}, "A", None, {"A": 0, "B": 16, "C": 0}),  # MR-21
        ({"A": 0, "B": 20, "C": 41}, None, "A", {"A": 86, "B": 0, "C": 0}),  # MR-23
        ({"A": 5, "B": 12}, "A", None, {"A": 7, "B": 0}),  # two players: the difference
        ({"A": 5, "B": 3}, "A", None, {"A": 0, "B": 12}),  # undercut
        ({"A": 5, "B": 5}, "A", None, {"A": 0, "B": 10}),  # a tie with the knocker
        ({"A": 4, "B": 4, "C": 4, "D": 9}, "A", None, {"A": 0, "B": 15, "C": 15, "D": 0}),  # three tie: both others
        ({"A": 4, "B": 4, "C": 4, "D": 4}, "A", None, {"A": 0, "B": 10, "C": 10, "D": 10}),  # gap 19
        ({"A": 5, "B": 3, "C": 3}, "A", None, {"A": 0, "B": 12, "C": 12}),  # gap 18, undercut
        ({"A": 7, "B": 3, "C": 3}, None, None, {"A": 0, "B": 4, "C": 4}),  # gap 16 and 18
        ({"A": 0, "B": 20}, None, None, {"A": 45, "B": 0}),  # an empty hand went out
    ],
)
def test_mr_19_21_23_scoring(
    points: dict[str, int], knocked: str | None, out: str | None, scores: dict[str, int]
) -> None:
    assert GAME.shorthand.round_scores(points, knocked=knocked, out=out, options={}) == scores


def test_mr_25_winning_the_bonuses() -> None:
    totals = {"A": (152, 3), "B": (120, 5), "C": (90, 2)}
    assert GAME.shorthand.final_scores(totals, options={}) == {"A": 252, "B": 245, "C": 140}
    assert GAME.shorthand.final_scores(totals, options={"box_bonus_for_finishers": "true"})["A"] == 327
    with pytest.raises(NotationError, match="the game goes on"):
        GAME.shorthand.final_scores({"A": (149, 3), "B": (120, 5)}, options={})
    with pytest.raises(Illegal, match="5 or fewer"):
        GAME.shorthand.round_scores({"A": 6, "B": 9}, knocked="A", out=None, options={})
    with pytest.raises(NotationError, match="0 or more"):
        GAME.shorthand.final_scores({"A": (150, -3), "B": (120, 5)}, options={})


@pytest.mark.parametrize(("hand", "may"), [("6S", False), ("5S", True), ("AS AD 3C", True), ("JK", False)])
def test_mr_27_end_of_a_round_knocking_with_five_or_fewer(hand: str, may: bool) -> None:
    packs_hand = at_the_end(hand)
    assert GAME.rules.explain(packs_hand, Knocked("A")).is_legal is may
    assert ("A knocks" in [move.move for move in GAME.rules.legal(packs_hand)]) is may
    if not may:
        assert refused(packs_hand, "A knocks").rule == "Manipulation Rummy, End of a Round"


def test_mr_29_all_three_cards_leave() -> None:
    play = {"points": 17, "laid": ["3C", "7D", "7H"], "table": "[3C 4C 5C 6C] [4D 4H 4S] [7C 7D 7H]"}
    assert best("[4C 5C 6C 7C] [4D 4H 4S]", "3C 7D 7H") == play


def test_gap_7_an_ace_at_both_ends() -> None:
    row = " ".join(card for card in PACK if card.endswith("S"))
    state = turn(f"[{row}] [KH KC KD]", "AS", 2)
    action = GAME.text.action_of(f"A melds: [{row} AS] [KC KD KH]")
    assert GAME.rules.explain(state, action).is_legal
    why = GAME.rules.explain(turn(f"[{row}] [KH KC KD]", "AS", 2, ace_both_ends="false"), action)
    assert (why.is_legal, why.rule) == (False, "Manipulation Rummy, gap 7")
    # the same cards in two melds are legal in any house
    assert best(f"[{row}] [KH KC KD]", "AS", 2, ace_both_ends="false")["points"] == 1


def test_gap_8_values() -> None:
    assert best("[QS KS JK=AS]", "AS", values="A:15")["points"] == 15
    with pytest.raises(NotationError, match="values has 'A:x'"):
        GAME.rules.start(2, {"values": "A:x"})


def test_gap_11_a_joker_counts_as_the_card_it_stands_for() -> None:
    state = turn("[8H 8D 8C]", "8S JK", 2)
    assert refused(state, "A melds: [8C 8D 8S JK=8S 8H]").rule == "Manipulation Rummy, gap 11"
    assert GAME.rules.explain(state, GAME.text.action_of("A melds JK: [8C 8D 8H JK]")).is_legal  # forced: the 8S


def test_gap_13_a_house_may_limit_jokers() -> None:
    assert best("", "5C JK JK 9D", 2)["points"] == 59
    assert best("", "5C JK JK 9D", 2, max_jokers_per_meld="1")["points"] == 0
    state = turn("", "5C JK JK 9D", 2, max_jokers_per_meld="1")
    assert refused(state, "A melds 5C JK JK: [5C JK=6C JK=7C]").rule == "Manipulation Rummy, gap 13"


def test_gap_14_one_card_replaces_one_joker_after_the_other() -> None:
    state = turn("[7C 8C JK=9C] [9D 9H JK=9C]", "9C", 2)
    assert GAME.rules.explain(state, GAME.text.action_of("A melds 9C: [7C 8C 9C] [9D 9H JK=9S JK=9C]")).is_legal
    assert GAME.rules.explain(state, GAME.text.action_of("A melds 9C: [JK=6C 7C 8C 9C] [9D 9H JK=9S]")).is_legal
    state = turn("[5C 5S JK=5D] [JK=5H 6H 7H]", "4D 6D 8H", 2)  # one joker may take the other's place
    assert GAME.rules.explain(state, GAME.text.action_of("A melds: [5C 5S JK] [6H 7H 8H] [4D JK 6D]")).is_legal


def test_gap_28_a_joker_that_nobody_named_keeps_what_the_melds_allow() -> None:
    state = turn("", "3D 4D JK QC")
    after = GAME.rules.apply(state, GAME.text.action_of("A melds: [3D 4D JK]")).state
    assert (after.table, GAME.rules.status(after)) == ((("3D", "4D", "JK=2D/5D"),), ())
    later = turn("[3D 4D JK=2D/5D]", "5D")
    assert refused(later, "A melds: [3D 4D JK=6D]").rule == "Manipulation Rummy, Melds"
    row = GAME.rules.apply(later, GAME.text.action_of("A melds: [3D 4D 5D JK]")).state.table
    assert row == (("3D", "4D", "5D", "JK=2D/6D"),)
    assert "no card that the joker may stand for" in str(refused(state, "A melds 3D QC JK: [3D QC JK]"))
    inside = turn("", "3D 5D JK QC")
    assert GAME.rules.apply(inside, GAME.text.action_of("A melds: [3D JK 5D]")).state.table == (("3D", "JK=4D", "5D"),)


def test_gap_17_the_draw_pile_exhausted_gives_everybody_one_more_turn() -> None:
    state = replace(GAME.rules.start(3), stock=1, hands=(Hand(size=35),) * 3)
    assert GAME.rules.status(state) == ()
    state = GAME.rules.apply(state, Drew("B")).state
    assert (state.exhausted_by, state.last_turns) == ("B", ("C", "A", "B"))
    assert refused(state, "B draws").rule == "Manipulation Rummy, gap 17"
    turns = []
    while state.phase is not Phase.SHOW:
        turns.append(state.turn)
        state = GAME.rules.apply(state, Ended(state.turn)).state
        if state.phase is Phase.PLAY:
            assert state.is_last_turn
            assert refused(state, f"{state.turn} draws").rule == "Manipulation Rummy, gap 17"
    assert turns == ["B", "C", "A", "B"]


def test_gap_25_a_knock_is_checked_when_the_hand_is_shown() -> None:
    state = replace(GAME.rules.start(2), phase=Phase.END, draws=3, stock=40, hands=(Hand(size=10), Hand(size=3)))
    state = GAME.rules.apply(state, Knocked("B")).state
    assert refused(state, "B shows 2C 2D 2H").rule == "Manipulation Rummy, End of a Round"
    state = GAME.rules.apply(state, Shown("B", ("AC", "AD", "AH"))).state
    state = GAME.rules.apply(state, Shown("A", ("AS", "JK", *PACK[1:8], "KC"))).state
    assert (state.phase, state.rounds_won) == (Phase.DEAL, (0, 1))
    assert state.scored == (0, 1 + 25 + sum(range(2, 9)) + 10 - 3)
    assert GAME.rules.to_move(state) == ("B",)
