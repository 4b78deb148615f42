"""Manipulation Rummy: hints, what the eyes say, notation that does not parse, positions that cannot be."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from companion.game.cards import RANKS, card_of_text, card_seen
from companion.game.errors import NotationError
from companion.game.game import begun, state_json, state_of_json
from companion.game.readings import CardSeen
from companion.game.values import Doubt, Illegal, Proposal
from companion.games.manipulation_rummy import GAME
from companion.games.manipulation_rummy.house import House
from companion.games.manipulation_rummy.scoring import count_round
from companion.games.manipulation_rummy.state import (
    Counted,
    Dealt,
    Drew,
    Ended,
    Hand,
    Knocked,
    Melded,
    Phase,
    RummyState,
    Shown,
)
from companion.match.inputs import Input
from tests.games.rummy_help import LikelyCard, Seen, placed, seen, turn

interpret = GAME.eyes.interpret


def told(state: RummyState, seat: str = "A") -> list[str]:
    return [str(hint.text) for hint in GAME.page.hints(state, seat, within_ms=60_000)]


def test_hints_tell_the_best_play_and_the_knock_after_it() -> None:
    state = turn("[5C 5D 5H]", "5S 2D 9D")
    assert told(state) == [
        "lay 5S: 5 points leave your hand, 11 stay",
        "after it you may not knock: 11 points",
        "or draw a second card",
    ]
    assert "after it you may knock with 2 points" in told(turn("[5C 5D 5H]", "5S 2D"))
    assert told(turn("[5C 5D 5H]", "5S"))[0] == "lay 5S and go out: that was your last card"
    steps = [str(why) for why in GAME.page.hints(turn("[5C 5D 5H]", "5S 2D"), "A", within_ms=60_000)[0].why]
    assert steps == [
        "lay ready from your hand: 5S",
        "put 5S to the group of 5: [5C 5D 5H 5S]",
        "proven: no play leaves fewer points",
    ]


def test_hints_when_nothing_can_be_melded_and_at_the_end() -> None:
    state = turn("[5C 5D 5H]", "2D 9D")
    assert told(state) == ["nothing can be melded", "or draw a second card"]
    assert told(replace(state, phase=Phase.END)) == ["end the turn", "you may not knock: 11 points, 5 at most"]
    assert told(replace(turn("", "2D"), phase=Phase.END))[0] == "you may knock with 2 points"
    last = replace(turn("", "2D"), exhausted_by="B", draws=0, stock=0)
    assert told(last) == ["nothing can be melded", "you may knock with 2 points", "end the turn"]


def test_hints_before_the_turn_and_for_a_hand_not_told() -> None:
    state = GAME.rules.start(2)
    assert told(state, "B") == [
        "draw a card: the first card is always drawn",
        "tell the referee your 10 cards to get plays",
    ]
    hand = ("2C", "2D", "2H", "4C", "6D", "8H", "10S", "QC", "KD", "JK")
    state = GAME.rules.apply(state, Shown("B", hand)).state
    assert told(state, "B")[1].startswith("you could lay")
    assert told(replace(GAME.rules.apply(state, Drew("B", "9S")).state, turn="A"), "B")[0].startswith("you could lay")
    show = replace(GAME.rules.start(2), phase=Phase.SHOW)
    assert told(show, "A") == ["show your hand: it is counted now"]
    assert told(replace(show, phase=Phase.DEAL), "A") == []


def test_a_hint_without_time_says_so() -> None:
    play = GAME.page.hints(turn("", "2C 2D 2H 3C 4C 5C 9D", 2), "A", within_ms=0.0)
    assert str(play[0].text) == "no play was found in the time given"
    assert str(play[0].why[0]) == "the best play found in time: no play can take more than 27 points out of the hand"


def test_the_eyes_tell_a_meld_and_nothing_where_nothing_changed() -> None:
    state = turn("[5C 5D 5H] [7C 8C JK=9C]", "5S JK 3D", 2)
    assert interpret(state, seen("5D 5C 5H", "JK 7C 8C")) is None
    found = interpret(state, seen("5C 5D 5H 5S", "7C 8C JK"))
    assert found.actions == (Melded("A", (("5C", "5D", "5H", "5S"), ("7C", "8C", "JK=9C")), ("5S",)),)
    assert interpret(turn("", "5S"), seen()) is None


def test_the_eyes_ask_for_a_joker_and_for_cards_they_cannot_read() -> None:
    state = turn("", "5S 5C JK 3D", 2)
    joker = interpret(state, seen("5C 5S JK"))
    assert joker.key == "joker"
    assert [choice.key for choice in joker.choices] == ["[5C JK=5D 5S]", "[5C JK=5H 5S]", "look_again"]
    assert [str(choice.says) for choice in joker.choices[:2]] == ["JK=5D", "JK=5H"]  # only how they differ
    unread = interpret(state, seen("5C 5S 1X"))
    assert [str(choice.says) for choice in unread.choices[:2]] == ["JK=5D", "JK=5H"]  # A holds no other five


@pytest.mark.parametrize(
    ("row", "declared"), [("JK 6H 7H", "JK=5H 6H 7H"), ("7H 6H JK", "JK=5H 6H 7H"), ("JK QH KH", "JK=JH QH KH")]
)
def test_a_joker_at_an_end_of_a_sequence_stands_for_the_card_of_that_end(row: str, declared: str) -> None:
    """Which of two ends it stood for was asked in every twentieth turn."""
    assert interpret(turn("", f"{row} 2C", 2), seen(row)).actions[0].table == (tuple(declared.split()),)


def _with_chances(table: Seen, **chances: dict[str, float]) -> Seen:
    """The table with these chances for the cards of these names."""
    cards = [
        LikelyCard(rank=c.rank, suit=c.suit, corners=c.corners, confidence=max(told.values()), chances=told)
        if (told := chances.get(f"{c.rank}{c.suit}"))
        else c
        for c in table.cards
    ]
    return replace(table, cards=tuple(cards))


def test_a_new_sequence_may_lie_out_of_its_order() -> None:
    """Ann laid 10 J 9 as she picked them, and was asked what she laid, though every card was clear."""
    table = _with_chances(seen("10C JC 9C"), **{"9C": {"9C": 0.999, "6C": 0.0005}})
    assert isinstance(interpret(turn("", "9C 10C JC 2C", 2), table), Proposal)


def test_a_question_about_one_table_names_the_cards_laid_and_marks_only_them() -> None:
    """The picture marked all 22 cards, or a seven as a joker, and said that it does not show them."""
    table = _with_chances(seen("10C JC 9C"), **{"9C": {"9C": 0.5}})
    found = interpret(turn("", "9C 10C JC 2C", 2), table)
    assert str(found.says) == "is this what A laid? Not every card is clear"
    assert [str(choice.says) for choice in found.choices] == ["A lays 9C 10C JC", "none of these: look again"]
    wide = placed(("3C 3D 3H", 0, 0), ("10C JC 9C", 0, 300))
    doubtful = tuple(replace(card, chances={"9C": 0.5}) if card.rank == "9" else card for card in wide.cards)
    asked = interpret(turn("[3C 3D 3H]", "9C 10C JC 2C", 2), replace(wide, cards=doubtful))
    assert {name for name, *_ in asked.places_mm} == {"9C", "10C", "JC"}


def test_a_refused_row_offers_each_other_reading_in_full() -> None:
    """Under "10 Q K is not in a row" stood two answers, "10" and "K": how two other readings differed."""
    state = turn("", "10C QC KC JC", 2)
    table = _with_chances(seen("10C QC KC"), KC={"KC": 0.999, "JC": 0.0003}, **{"10C": {"10C": 0.999, "JC": 0.0003}})
    found = interpret(state, table)
    assert found.key == "illegal"
    told = [str(choice.says) for choice in found.choices]
    assert told[0] == "it is put right: look again"
    assert len(told) > 1
    assert all(text.startswith("A lays ") and len(text.split()) == 5 for text in told[1:]), told


def test_an_answer_about_a_full_table_can_be_sent() -> None:
    """With 13 melds the right answer was no "str of length <= 100", and the question stayed."""
    melds = [f"{rank}C {rank}D {rank}H" for rank in RANKS]
    state = turn(" ".join(f"[{meld}]" for meld in melds), "5S 5D JK", 2)
    key = interpret(state, seen(*melds, "5S 5D JK")).choices[0].key
    assert len(key) > 100
    tap = {"do": "answer", "seat": "A", "question": "1", "choice": key}
    assert msgspec.json.decode(msgspec.json.encode(tap), type=Input).choice == key


def test_a_joker_in_an_untouched_meld_keeps_its_identity() -> None:
    """With the real card elsewhere on the table, the next player was asked again, and an answer renamed the joker."""
    state = turn("[6C 6D 6H] [JK=7C 7H 7S] [7C 8C 9C]", "6S 2D", 2)
    assert ("JK=7C", "7H", "7S") in interpret(state, seen("6C 6D 6H 6S", "JK 7H 7S", "7C 8C 9C")).actions[0].table


def test_a_second_joker_of_one_pack_is_no_answer() -> None:
    """A thing between two cards may be a joker: "There are 2 of the joker, and one pack" stood among the answers."""
    table = _with_chances(seen("3D 3S JK", "6H 7H 8H 9S"), **{"9S": {"JK": 0.5, "": 0.49}})
    found = interpret(turn("[6H 7H 8H]", "3D 3S JK 2C", 1), table)
    assert {str(choice.says) for choice in found.choices} == {"JK=3C", "JK=3H", "none of these: look again"}


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
    corner = LikelyCard(rank="8", suit="S", corners=table.cards[0].corners, confidence=0.6, chances=rivals)
    for melds, asked in (
        (((0, 1, 2, 6), (3, 4, 5)), False),
        (((0, 1, 2), (3, 4, 5, 6)), False),
        (((0, 1, 2), (3, 4, 5), (6,)), True),
    ):
        found = interpret(state, Seen((*table.cards[:6], corner), melds))
        assert isinstance(found, Doubt if asked else Proposal), melds
    assert [str(choice.says) for choice in found.choices if choice.actions] == ["8S", "7S"]


@pytest.mark.parametrize("is_asked", [False, True])
def test_recorded_cards_that_are_misread_make_the_others_doubtful(is_asked: bool) -> None:
    """A camera that takes spades for clubs did so for many of them, and each was sure."""
    state = turn("[5S 6S 7S] [9S 10S JS QS KS]", "2C 2D 2S 2H", 2)
    table = seen("5S 6S 7S", "9S 10S JS QS KS", "2C 2D 2S")
    cards = [
        LikelyCard(rank=c.rank, suit=c.suit, corners=c.corners, confidence=0.9, chances={f"{c.rank}{c.suit}": 0.999})
        for c in table.cards
    ]
    for i in (4, 6, 7) if is_asked else ():
        rank = cards[i].rank
        cards[i] = replace(cards[i], suit="C", chances={f"{rank}C": 0.97, f"{rank}S": 0.03})
    cards[-1] = replace(cards[-1], chances={"2S": 0.999, "2H": 0.001})
    assert isinstance(interpret(state, Seen(tuple(cards), table.melds)), Doubt if is_asked else Proposal)


def test_a_meld_that_is_seen_in_two_parts_is_one() -> None:
    """[6C JK] beside [8C] was refused: no card for the joker makes it legal."""
    assert interpret(turn("", "6C JK 8C 2D", 2), seen("6C JK", "8C")).actions[0].table == (("6C", "JK=7C", "8C"),)


def test_what_cannot_be_read_may_be_no_card() -> None:
    """Paper on the mat, or room between two cards, is told as a card that nobody can read."""
    state = turn("[5C 5D 5H]", "5S 3D", 2)
    unread = CardSeen(rank="", suit=None, corners=((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)), confidence=0.0)
    table = seen("5C 5D 5H")
    assert interpret(state, Seen((*table.cards, unread), table.melds)) is None
    table = seen("5C 5D 5H 3D")  # no table that the rules allow
    found = interpret(state, Seen((*table.cards, unread), table.melds))
    assert [choice.actions for choice in found.choices if choice.actions] == []


def test_the_eyes_ask_whether_a_card_was_drawn_before_the_melding() -> None:
    state = replace(turn("[5C 5D 5H]", "5S 3D", 2), phase=Phase.DRAW, draws=0)
    found = interpret(state, seen("5C 5D 5H 5S"))
    assert [choice.key for choice in found.choices] == ["drew", "put_back"]
    for action in found.choices[0].actions:
        state = GAME.rules.apply(state, action).state
    assert state.table == (("5C", "5D", "5H", "5S"),)
    unfit = interpret(replace(state, phase=Phase.DRAW, draws=0), seen("5C 5D 3D"))
    assert [choice.key for choice in unfit.choices] == ["put_back"]


def test_a_hand_is_no_answer_where_a_joker_of_the_table_is_told_twice_or_the_rules_refuse_it() -> None:
    """A joker between two cards of a hand was vouched for by that of the table, and the hand told with it."""
    state = replace(turn("[5C 5D JK=5H]", "2C AC", 2), phase=Phase.SHOW, knocked="A")
    state = replace(state, hands=tuple(Hand(size=2) for _ in state.seats))
    faint, rest = seen("JK", confidence=0.4), seen("5C 5D", "AC")
    doubted = seen("JK", "2C", confidence=0.4)
    cards = (*rest.cards[:2], *faint.cards, rest.cards[2], *doubted.cards)
    assert interpret(state, Seen(cards, ((0, 1, 2), (3, 4, 5)))).choices[0].actions == (Shown("A", ("AC", "2C")),)
    sure, other = seen("5C 5D JK", "KC KD"), seen("KS", confidence=0.4)
    found = interpret(state, Seen((*sure.cards, *other.cards), (*sure.melds, (5,))))
    assert [choice.key for choice in found.choices] == ["count", "withdraw", "look_again"]  # three kings, not two


def test_a_mat_without_cards_beside_a_recorded_table_may_be_of_people_who_play_by_taps() -> None:
    found = interpret(replace(turn("[5C 5D 5H]", "5S 3D", 2), phase=Phase.END), seen())
    assert str(found.says) == "the mat has no cards: lay the table out again, or go on by taps"
    assert [(choice.key, choice.actions) for choice in found.choices] == [("by_taps", ()), ("put_back", ())]


def test_the_eyes_say_nothing_of_hands_that_are_laid_out() -> None:
    state = replace(turn("[5C 5D 5H]", "5S 3D", 2), phase=Phase.SHOW, knocked="A")
    assert interpret(state, seen("5C 5D 5H", "5S 3D")) is None


@pytest.mark.parametrize(("too_many", "is_asked"), [("4S", True), ("1X", False)])
def test_a_doubtful_card_too_many_beside_a_hand_is_asked_about_and_an_unread_one_is_none(
    too_many: str, is_asked: bool
) -> None:
    """Two cards that overlap leave room for one between them: the size of the hand says that there is none."""
    state = replace(turn("[5C 5D 5H]", "2S 3D", 2), phase=Phase.SHOW, knocked="A")
    state = replace(state, hands=tuple(Hand(size=2) for _ in state.seats))
    sure, doubted = seen("5C 5D 5H", "2S 3D"), seen(too_many, confidence=0.4)
    found = interpret(state, Seen((*sure.cards, *doubted.cards), (*sure.melds, (5,))))
    hand = (Shown(GAME.rules.to_move(state)[0], ("2S", "3D")),)
    if is_asked:
        assert [choice.actions for choice in found.choices] == [hand, (Counted("A", 3),), ()]
    else:
        assert found.actions == hand


def test_a_shown_hand_may_have_a_wrong_suit_rather_than_wrong_points() -> None:
    state = replace(turn("", "2S 3D", 2), phase=Phase.SHOW, out="B")
    state = replace(state, hands=tuple(Hand(size=2) for _ in state.seats))
    table = seen("2S 3D")
    for rival, is_asked in (("2C", False), ("4S", True)):
        corner = LikelyCard(
            rank="2", suit="S", corners=table.cards[0].corners, confidence=0.97, chances={"2S": 0.97, rival: 0.03}
        )
        found = interpret(state, Seen((corner, table.cards[1]), table.melds))
        assert isinstance(found, Doubt if is_asked else Proposal), rival


def test_a_shown_hand_has_no_card_of_which_every_copy_is_seen() -> None:
    state = replace(turn("[4S 5S 6S] [4C 4D 4S]", "2S 3D", 2), phase=Phase.SHOW, out="B")
    state = replace(state, hands=tuple(Hand(size=2) for _ in state.seats))
    table = seen("4S 5S 6S", "4C 4D 4S", "2S 3D")
    corner = LikelyCard(
        rank="2", suit="S", corners=table.cards[6].corners, confidence=0.97, chances={"2S": 0.97, "4S": 0.03}
    )
    assert isinstance(interpret(state, Seen((*table.cards[:6], corner, table.cards[7]), table.melds)), Proposal)


@pytest.mark.parametrize(("rest", "keys"), [(0.0002, ["look_again", "[6S 7S 8S]"]), (0.05, ["[6S 7S 8S]", "put_back"])])
def test_a_card_that_fits_nothing_is_refused_and_may_be_put_back_where_it_is_doubtful(
    rest: float, keys: list[str]
) -> None:
    """Six, seven, ten: people were asked for an eight that might lie there, and could not say that it is a ten."""
    table = seen("6S 7S 10S")
    odds = {"10S": 1 - rest, "8S": rest}
    ten = LikelyCard(rank="10", suit="S", corners=table.cards[2].corners, confidence=1 - rest, chances=odds)
    found = interpret(turn("", "6S 7S 8S 10S", 2), Seen((*table.cards[:2], ten), table.melds))
    assert [choice.key for choice in found.choices][:2] == keys
    assert "10S" in str(found.says) + str(found.choices[1 - keys.index("[6S 7S 8S]")].says)


def test_the_eyes_refuse_what_the_rules_refuse() -> None:
    state = turn("[5C 5D 5H]", "5S 3D", 2)
    for reading in (seen("5C 5D 5H", "3D"), seen("5C 5D"), seen("5C 5D 3D")):
        assert interpret(state, reading).key == "illegal"
    assert interpret(replace(state, phase=Phase.END), seen("5C 5D 5H 5S")).key == "table"


@pytest.mark.parametrize(
    "text",
    [
        "A plays",
        "A knocks now",
        "A draws 5C 5D",
        "A draws 1X",
        "A shows",
        "A melds 5C",
        "A melds: 5C 5D",
        "A melds: []",
    ],
)
def test_actions_that_do_not_parse(text: str) -> None:
    with pytest.raises(NotationError):
        GAME.text.action_of(text)


START = "round 1; dealer A; turn B draw 0; packs 1; stock 33; table -; A 10; B 10; totals A=0/0 B=0/0"


@pytest.mark.parametrize(
    "change",
    [
        ("round 1", "round x"),
        ("round 1", "rounds 1"),
        ("round 1", "round 1; round 1"),
        ("turn B draw 0", "turn B"),
        ("turn B draw 0", "turn B sing 0"),
        ("A 10", "A 1: 5C 6C"),
        ("totals A=0/0 B=0/0", "totals A=0/0"),
        ("table -", "table - ; house tempo=3"),
    ],
)
def test_states_that_do_not_parse(change: tuple[str, str]) -> None:
    assert GAME.text.state(GAME.text.state_of(START)) == START
    with pytest.raises(NotationError):
        GAME.text.state_of(START.replace(*change))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("stock 33", "stock 34"), "are 54 cards, expected 53"),
        (("packs 1", "packs 2"), "2 players use one pack"),
        (("turn B", "turn C"), "which is not a player"),
        (("table -", "table [5C 5D 6H]"), "neither a group"),
        (("A 10; B 10", "A 10: 5C; B 10: 5C"), "there are 2 of the 5C"),
        (("A 10; B 10", "A 10: JK; B 10: JK"), "2 of the joker"),
        (("draw 0", "draw 4"), "expected 0 to 3"),
        (("draw 0", "play 0"), "without its first card"),
        (("stock 33", "stock 0"), "who drew the last one"),
        (("; totals", "; exhausted A B; totals"), "who drew the last one"),
        (("; totals", "; knocked A; totals"), "goes on after a knock"),
        (("; totals", "; knocked A; out B; totals"), "not by both"),
        (("A 10", "A 0"), "going out does not fit"),
        (("; totals", "; scored A=1 B=0; exhausted A C; totals"), "C has a last turn"),
        (("A 10; B 10", "A 10: KC; B 10: 9C 8C; knocked A"), "knocked with 10 points"),
    ],
)
def test_positions_that_cannot_be(change: tuple[str, str], said: str) -> None:
    faults = GAME.rules.status(GAME.text.state_of(START.replace(*change)))
    assert any(said in str(fault.says) for fault in faults), [str(fault.says) for fault in faults]


SCORED = START.replace("round 1", "round {}").replace("B draw 0", "B {}")


@pytest.mark.parametrize(
    ("number", "turn", "totals", "said"),
    [
        (1, "over 0", "A=149/1 B=0/0", ["the match is over and no total is 150 or more"]),
        (2, "draw 0", "A=200/1 B=0/0", ["A has a total of 200, and the match goes on: it ends at 150"]),
        (2, "deal 0", "A=150/1 B=0/1", ["A has a total of 150, and the match goes on: it ends at 150"]),
        (1, "draw 0", "A=0/99 B=0/0", ["the number of rounds played is 0, and A won 99 rounds"]),
        (3, "draw 0", "A=20/3 B=0/0", ["the number of rounds played is 2, and A won 3 rounds"]),
        (2, "draw 0", "A=99/0 B=0/1", ["A has a total of 99 and won no round"]),
        (3, "draw 0", "A=40/1 B=0/0", ["the number of rounds played is 2, and not each has a winner"]),
        (0, "draw 0", "A=0/0 B=0/0", ["the number of the round is 0, expected 1 or more"]),
        (1, "over 0", "A=152/1 B=0/0", []),
        (1, "deal 0", "A=0/1 B=0/1", []),  # a tie of all: both have won it, and nobody scores (gap 18)
        (3, "draw 0", "A=149/2 B=0/1", []),
        (1, "draw 0", "A=0/0 B=0/0", []),
    ],
)
def test_scores_fit_the_rounds_that_were_played(number: int, turn: str, totals: str, said: list[str]) -> None:
    """`legal` and `score` refused a match over without 150 where `status` had nothing to say."""
    state = GAME.text.state_of(SCORED.format(number, turn).replace("A=0/0 B=0/0", totals))
    assert [str(fault.says) for fault in GAME.rules.status(state)] == said


def test_rounds_are_counted_from_one() -> None:
    assert [fault.where for fault in GAME.rules.status(replace(GAME.rules.start(2), round=-1))] == ["round"]


def test_seats_and_tuples_that_do_not_fit() -> None:
    state = GAME.rules.start(2)
    for wrong in (
        replace(state, seats=("A",)),
        replace(state, hands=state.hands[:1]),
        replace(state, scored=(1,)),
        replace(state, totals=(-1, 0)),
        replace(state, hands=(Hand(size=-1), Hand(size=21))),
        replace(state, last_turns=("A", "A")),
        replace(state, exhausted_by="A", last_turns=("A", "A"), stock=0),
    ):
        assert GAME.rules.status(wrong)
    for field, value in (("hands", [{"size": 1, "cards": ["JK=5C"]}]), ("table", [["1X"]]), ("house", {"values": "x"})):
        with pytest.raises(NotationError):
            state_of_json(GAME, {**state_json(GAME, state), field: value})
    with pytest.raises(NotationError):
        GAME.shorthand.state_of_table("", "5C", 3, {})
    with pytest.raises(NotationError, match="cannot be"):
        GAME.shorthand.best_play("[5C 5D 6H]", "5S", None, {})
    with pytest.raises(NotationError, match="no board"):
        begun(GAME, 2, board="x")
    for options in (
        {"first_dealer": "E"},
        {"tempo": "3"},
        {"ace_both_ends": "no"},
        {"max_jokers_per_meld": "x"},
        {"max_jokers_per_meld": "0"},
    ):
        with pytest.raises(NotationError):
            GAME.rules.start(2, options)
    with pytest.raises(NotationError, match="expected any or 1 and more: no joker could be laid"):
        House(max_jokers_per_meld=0)
    assert card_of_text("td") == "10D"
    assert card_seen("JOKER", None) == "JK"


@pytest.mark.parametrize(
    ("state", "action"),
    [
        (GAME.rules.start(2), Drew("Z")),
        (GAME.rules.start(2), Drew("A")),
        (GAME.rules.start(2), Drew("B", "1X")),
        (GAME.rules.start(2), Knocked("B")),
        (replace(GAME.rules.start(2), phase=Phase.SHOW), Ended("B")),
        (replace(GAME.rules.start(2), phase=Phase.DEAL), Ended("B")),
        (replace(GAME.rules.start(2), phase=Phase.OVER, totals=(150, 0)), Dealt()),
        (GAME.rules.start(2), Shown("B", ("5C",))),
        (GAME.rules.start(2), Shown("B", ("5C",) * 10)),
        (GAME.rules.start(2), Shown("B", ("1X",))),
        (GAME.rules.start(2), Dealt()),
        (turn("", "5C 5D"), Melded("A", (("5C", "5D", "5H"),))),
        (turn("", "5C 5D 5H"), Melded("A", (("5C", "5D", "5H"),), ("5X",))),
        (turn("", "5C 5D 5H"), Melded("A", (("5C", "5D", "5H"),), ("5C",))),
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


def test_gap_17_a_table_and_a_hand_that_leave_no_draw_pile_are_judged() -> None:
    # `hint` refused them as a position that cannot be: "0 cards are in the draw pile: who drew the last one does not
    # fit". With as many cards as that on the table the pile is exhausted, and A drew its last card.
    every_rank_but_kings = " ".join(f"[{rank}C {rank}D {rank}H {rank}S]" for rank in RANKS if rank != "K")
    assert GAME.shorthand.best_play(every_rank_but_kings, "KC KD KH KS", 1, {})["points"] == 40
    state = turn(every_rank_but_kings, "KC KD KH KS", 1)
    assert (state.stock, state.exhausted_by, state.last_turns) == (0, "A", ("B", "A"))
    assert [move.move for move in GAME.rules.legal(state)][:1] == ["A melds ..."]


def test_a_draw_pile_below_zero_is_named() -> None:
    # it was told as "draw pile, table and hands are 53 cards, expected 53"
    faults = GAME.rules.status(replace(GAME.rules.start(2), stock=-1, hands=(Hand(size=44), Hand(size=10))))
    assert [str(fault.says) for fault in faults if fault.where == "stock"] == [
        "the number of cards in the draw pile is -1, expected 0 or more"
    ]


def test_more_jokers_than_the_packs_hold_are_refused_before_anybody_asks_what_they_stand_for() -> None:
    # eighteen bare jokers in six melds made more tables than fit in memory: the process was killed
    refused = GAME.rules.explain(
        turn("[5C 5D 5H]", "5S 9D", 2), GAME.text.action_of("A melds: [5C 5D 5H 5S] " + "[JK JK JK] " * 6)
    )
    assert (refused.is_legal, str(refused.says)) == (False, "there are 18 of the joker, and 2 packs")
    assert refused.rule == "Manipulation Rummy, Deck"


def test_a_counted_round_shows_the_sum_that_was_scored() -> None:
    hands = tuple(Hand(size=len(cards), cards=cards) for cards in (("2C",), ("KC", "8D"), ("QC", "QD", "8C")))
    points = {"A": 2, "B": 18, "C": 28}
    state = replace(GAME.rules.start(3), phase=Phase.DEAL, hands=hands, scored=(42, 0, 0), knocked="A")
    assert count_round(points, "A").scores["A"] == 42
    assert [player["parts"] for player in GAME.page.view(state, None)["players"]] == [[16, 26], [], []]
    undercut = count_round({"A": 4, "B": 3}, "A").scores["B"]
    hands = (Hand(size=1, cards=("4C",)), Hand(size=1, cards=("3C",)))
    state = replace(GAME.rules.start(2), phase=Phase.DEAL, hands=hands, scored=(0, undercut), knocked="A")
    assert GAME.page.view(state, None)["players"][1]["parts"] == [1, undercut - 1]  # then the bonus
