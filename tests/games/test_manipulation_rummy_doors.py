"""Manipulation Rummy: hints, what the eyes say, notation that does not parse, positions that cannot be."""

from dataclasses import replace

import pytest

from companion.game.values import Doubt, Illegal, Proposal
from companion.games.manipulation_rummy import GAME
from companion.games.manipulation_rummy.state import Dealt, Drew, Ended, Hand, Knocked, Melded, Phase, RummyState, Shown
from tests.games.rummy_help import seen, turn

interpret = GAME.eyes.interpret


def told(state: RummyState, seat: str = "A") -> list[str]:
    return [str(hint.text) for hint in GAME.page.hints(state, seat, within_ms=60_000)]


def test_hints_tell_the_best_play_and_the_knock_after_it() -> None:
    state = turn("[5C 5D 5H]", "5S 2D 9D")
    assert told(state) == [
        "lay 5S, 5 points; then left in your hand: 11 points",
        "after it you may not knock: 11 points",
        "or draw a second card",
    ]
    assert "after it you may knock with 2 points" in told(turn("[5C 5D 5H]", "5S 2D"))
    assert told(turn("[5C 5D 5H]", "5S"))[0] == "lay 5S and go out: that was your last card"
    why = [str(step) for step in GAME.page.hints(turn("[5C 5D 5H]", "5S 2D"), "A", within_ms=60_000)[0].why]
    assert why == ["lay ready from your hand: 5S", "add 5S to get [5C 5D 5H 5S]", "proven: no play leaves fewer points"]


def test_the_eyes_tell_a_meld_and_nothing_where_nothing_changed() -> None:
    state = turn("[5C 5D 5H] [7C 8C JK=9C]", "5S JK 3D", 2)
    assert interpret(state, seen("5D 5C 5H", "JK 7C 8C")) is None
    found = interpret(state, seen("5C 5D 5H 5S", "7C 8C JK"))
    assert found.actions == (Melded("A", (("5C", "5D", "5H", "5S"), ("7C", "8C", "JK=9C")), ("5S",)),)
    assert interpret(turn("", "5S"), seen()) is None


def test_gap_28_a_meld_is_entered_if_it_is_legal_for_one_card_of_an_open_joker() -> None:
    """Which of two suits a joker stood for was asked: seven of nineteen questions in three matches."""
    for row in ("5C 5S JK", "5C 5S 1X"):  # A holds no other five
        assert interpret(turn("", "5S 5C JK 3D", 2), seen(row)).actions[0].table == (("5C", "JK=5D/5H", "5S"),)
    state = turn("[5C 5S JK] [2D 3D 4D]", "5D 9C 9D 7D", 2)
    assert interpret(state, seen("5C 5S JK", "2D 3D 4D 5D")).actions[0].table[0] == ("5C", "JK=5D/5H", "5S")
    assert interpret(state, seen("5C 5S JK 5D", "2D 3D 4D")).actions[0].table[0] == ("5C", "5D", "JK=5H", "5S")
    used = seen("5C 5D 5S", "2D 3D 4D", "9C 9D JK")
    (laid,) = interpret(state, used).actions
    assert str(GAME.rules.apply(state, laid).rulings[-1].says) == "the joker stood for 5D"
    named = turn("[5C JK=5H 5S] [2D 3D 4D]", "5D 9C 9D 7D", 2)
    assert "the joker stays the 5H" in str(interpret(named, used).says)
    assert told(turn("[5C 5S JK]", "5D 9C", 2))[0].startswith("lay 5D, 5 points")  # whatever the joker is
    two = turn("[10C 10H JK] [10C 10D JK] [2C 2D 2H]", "2S 9C", 2)  # illegal only if both were 10S: it asked "in ?"
    assert interpret(two, seen("10C JK JK", "10C 10D 10H", "2C 2D 2H 2S")).actions[0].laid == ("2S",)


@pytest.mark.parametrize(
    ("row", "declared"), [("JK 6H 7H", "JK=5H 6H 7H"), ("7H 6H JK", "JK=5H 6H 7H"), ("JK QH KH", "JK=JH QH KH")]
)
def test_a_joker_at_an_end_of_a_sequence_stands_for_the_card_of_that_end(row: str, declared: str) -> None:
    """Which of two ends it stood for was asked in every twentieth turn."""
    assert interpret(turn("", f"{row} 2C", 2), seen(row)).actions[0].table == (tuple(declared.split()),)


def test_a_joker_in_an_untouched_meld_keeps_its_identity() -> None:
    """With the real card elsewhere on the table, the next player was asked again, and an answer renamed the joker."""
    state = turn("[6C 6D 6H] [JK=7C 7H 7S] [7C 8C 9C]", "6S 2D", 2)
    assert ("JK=7C", "7H", "7S") in interpret(state, seen("6C 6D 6H 6S", "JK 7H 7S", "7C 8C 9C")).actions[0].table


def test_cards_that_lay_there_are_known_though_their_corners_are_not_plain() -> None:
    state = turn("[5C 5D 5H] [7C 8C JK=9C]", "5S 3D", 2)
    assert interpret(state, seen("5C 5D 5H", "7C 8C JK", confidence=0.4)) is None
    assert interpret(state, seen("5C 5D 5H", "7C 8C 1X")) is None
    found = interpret(state, seen("5C 5D 5H 5S", "7C 8C JK", confidence=0.6))
    assert found.choices[0].actions == (Melded("A", (("5C", "5D", "5H", "5S"), ("7C", "8C", "JK=9C")), ("5S",)),)


def test_a_doubtful_card_is_settled_by_the_rules_and_else_asked_with_both_answers() -> None:
    """One corner alone leaves seven or eight of spades; only one of them goes on the row."""
    state = turn("[5S 6S 7S] [7C 7D 7H]", "7S 8S 3D", 2)
    table = seen("5S 6S 7S", "7C 7D 7H", "9D 9H 9C")
    rivals = {"8S": 0.6, "7S": 0.399, "": 0.0001}
    corner = replace(table.cards[-1], confidence=0.6, chances=rivals)
    for melds, asked in (
        (((0, 1, 2, 6), (3, 4, 5)), False),
        (((0, 1, 2), (3, 4, 5, 6)), False),
        (((0, 1, 2), (3, 4, 5), (6,)), True),
    ):
        found = interpret(state, replace(table, cards=(*table.cards[:6], corner), melds=melds))
        assert isinstance(found, Doubt if asked else Proposal), melds
    assert [str(choice.says) for choice in found.choices if choice.actions] == ["8S", "7S"]


@pytest.mark.parametrize("is_asked", [False, True])
def test_recorded_cards_that_are_misread_make_the_others_doubtful(is_asked: bool) -> None:
    """A camera that takes spades for clubs did so for many of them, and each was sure."""
    state = turn("[5S 6S 7S] [9S 10S JS QS KS]", "2C 2D 2S 2H", 2)
    table = seen("5S 6S 7S", "9S 10S JS QS KS", "2C 2D 2S")
    cards = [replace(c, confidence=0.9, chances={f"{c.rank}{c.suit}": 0.999}) for c in table.cards]
    for i in (4, 6, 7) if is_asked else ():
        rank = cards[i].rank
        cards[i] = replace(cards[i], suit="C", chances={f"{rank}C": 0.97, f"{rank}S": 0.03})
    cards[-1] = replace(cards[-1], chances={"2S": 0.999, "2H": 0.001})
    assert isinstance(interpret(state, replace(table, cards=tuple(cards))), Doubt if is_asked else Proposal)


def test_a_doubtful_card_of_a_recorded_meld_may_be_another_if_the_recorded_one_lies_elsewhere() -> None:
    """An ace of spades replaced the ace of clubs, which went to a sequence. It was read as a club again."""
    state = turn("[AC AD AH] [QC KC 10C JC]", "AC AS 2D", 2)
    table = seen("AD AH AC", "10C JC QC KC AC")
    ace = replace(table.cards[2], confidence=0.8, chances={"AC": 0.8, "AS": 0.2})
    found = interpret(state, replace(table, cards=(*table.cards[:2], ace, *table.cards[3:])))
    assert [str(choice.says) for choice in found.choices if choice.actions] == ["AC", "AS"]


def test_the_eyes_ask_whether_a_card_was_drawn_before_the_melding() -> None:
    state = replace(turn("[5C 5D 5H]", "5S 3D", 2), phase=Phase.DRAW, draws=0)
    found = interpret(state, seen("5C 5D 5H 5S"))
    assert [choice.key for choice in found.choices] == ["drew", "put_back"]
    for action in found.choices[0].actions:
        state = GAME.rules.apply(state, action).state
    assert state.table == (("5C", "5D", "5H", "5S"),)
    unfit = interpret(replace(state, phase=Phase.DRAW, draws=0), seen("5C 5D 3D"))
    assert [choice.key for choice in unfit.choices] == ["put_back"]


@pytest.mark.parametrize(("rest", "keys"), [(0.0002, ["look_again", "[6S 7S 8S]"]), (0.05, ["[6S 7S 8S]", "put_back"])])
def test_a_card_that_fits_nothing_is_refused_and_may_be_put_back_where_it_is_doubtful(
    rest: float, keys: list[str]
) -> None:
    """Six, seven, ten: people were asked for an eight that might lie there, and could not say that it is a ten."""
    table = seen("6S 7S 10S")
    odds = {"10S": 1 - rest, "8S": rest}
    ten = replace(table.cards[2], confidence=1 - rest, chances=odds)
    found = interpret(turn("", "6S 7S 8S 10S", 2), replace(table, cards=(*table.cards[:2], ten)))
    assert [choice.key for choice in found.choices][:2] == keys
    assert "10S" in str(found.says) + str(found.choices[1 - keys.index("[6S 7S 8S]")].says)


def test_the_eyes_refuse_what_the_rules_refuse() -> None:
    state = turn("[5C 5D 5H]", "5S 3D", 2)
    for reading in (seen("5C 5D 5H", "3D"), seen("5C 5D"), seen("5C 5D 3D")):
        assert interpret(state, reading).key == "illegal"
    assert interpret(replace(state, phase=Phase.END), seen("5C 5D 5H 5S")).key == "table"


START = GAME.rules.start(2)


def hands(*cards: str) -> tuple[Hand, ...]:
    return tuple(Hand(size=10, cards=tuple(told.split())) for told in cards)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"stock": 34}, "are 54 cards, expected 53"),
        ({"table": (("5C", "5D", "6H"),)}, "neither a group"),
        ({"hands": hands("5C", "5C")}, "there are 2 of the 5C"),
        ({"stock": 0}, "who drew the last one"),
        ({"hands": (Hand(size=0), Hand(size=10))}, "going out does not fit"),
        ({"hands": hands("KC", "9C 8C"), "knocked": "A"}, "knocked with 10 points"),
    ],
)
def test_positions_that_cannot_be(change: dict[str, object], said: str) -> None:
    faults = GAME.rules.status(replace(START, **change))
    assert any(said in str(fault.says) for fault in faults), [str(fault.says) for fault in faults]


@pytest.mark.parametrize(
    ("number", "phase", "totals", "rounds_won", "said"),
    [
        (1, "over", (149, 0), (1, 0), ["the match is over and no total is 150 or more"]),
        (2, "deal", (150, 0), (1, 1), ["A has a total of 150, and the match goes on: it ends at 150"]),
        (2, "draw", (99, 0), (0, 1), ["A has a total of 99 and won no round"]),
        (1, "deal", (0, 0), (1, 1), []),  # a tie of all: both have won it, and nobody scores (gap 18)
    ],
)
def test_scores_fit_the_rounds_that_were_played(
    number: int, phase: str, totals: tuple[int, int], rounds_won: tuple[int, int], said: list[str]
) -> None:
    """`legal` and `score` refused a match over without 150 where `status` had nothing to say."""
    state = replace(START, round=number, phase=Phase(phase), totals=totals, rounds_won=rounds_won)
    assert [str(fault.says) for fault in GAME.rules.status(state)] == said


@pytest.mark.parametrize(
    ("state", "action"),
    [
        (GAME.rules.start(2), Drew("A")),
        (GAME.rules.start(2), Knocked("B")),
        (replace(GAME.rules.start(2), phase=Phase.SHOW), Ended("B")),
        (replace(GAME.rules.start(2), phase=Phase.OVER, totals=(150, 0)), Dealt()),
        (GAME.rules.start(2), Shown("B", ("5C",) * 10)),
        (turn("", "5C 5D"), Melded("A", (("5C", "5D", "5H"),))),
        (turn("[5C 5D 5H]", ""), Melded("A", (("5C", "5D", "5H"), ("5C", "6C", "7C")))),
    ],
)
def test_actions_that_are_refused(state: RummyState, action: object) -> None:
    with pytest.raises(Illegal) as caught:
        GAME.rules.apply(state, action)
    assert caught.value.rule.startswith("Manipulation Rummy, ")


def test_words_for_all_hide_cards_of_hands() -> None:
    assert str(GAME.text.says(Drew("A", "5C"))) == "A draws a card"
    assert str(GAME.text.says(Shown("A", ("5C",)))) == "A shows one card to the referee"
    for action in (Melded("A", (("5C", "5D", "5H"),)), Knocked("A"), Ended("A"), Dealt()):
        assert str(GAME.text.says(action))
    state = turn("[5C 5D 5H]", "5S 2D")
    after = GAME.rules.apply(state, Melded("A", (("5C", "5D", "5H", "5S"),))).state
    assert "[5C 5D 5H]" in str(GAME.table.put_back(state, after)[0].says)
    assert "draw pile" in str(GAME.table.put_back(state, GAME.rules.apply(state, Drew("A")).state)[0].says)


def test_gap_23_a_tie_at_the_end_is_shared() -> None:
    state = replace(GAME.rules.start(2), phase=Phase.OVER, totals=(150, 150), rounds_won=(2, 2))
    over = GAME.rules.outcome(state)
    assert (over.winners, over.rule, over.points) == (("A", "B"), "Manipulation Rummy, gap 23", {"A": 0.5, "B": 0.5})


def test_more_jokers_than_the_packs_hold_are_refused_before_anybody_asks_what_they_stand_for() -> None:
    # eighteen bare jokers in six melds made more tables than fit in memory: the process was killed
    refused = GAME.rules.explain(
        turn("[5C 5D 5H]", "5S 9D", 2), GAME.text.action_of("A melds: [5C 5D 5H 5S] " + "[JK JK JK] " * 6)
    )
    assert (refused.is_legal, str(refused.says)) == (False, "there are 18 of the joker, and 2 packs")
    assert refused.rule == "Manipulation Rummy, Deck"
