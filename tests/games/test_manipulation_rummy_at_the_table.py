"""Manipulation Rummy as people play it: hands laid out, cards laid too late, covered cards, melds that lie apart."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from companion.game.cards import JOKER, PACK, in_hand, sorted_cards
from companion.game.errors import NotationError
from companion.game.values import Doubt, Illegal, Proposal
from companion.games.manipulation_rummy import GAME
from companion.games.manipulation_rummy.state import (
    Counted,
    Drew,
    Ended,
    Hand,
    Melded,
    Phase,
    RummyState,
    Shown,
    Withdrew,
)
from tests.games.playthrough import files
from tests.games.rummy_help import placed, turn
from tests.games.test_every_game import folded

interpret = GAME.eyes.interpret


def showing(hand: int, *, knocked: str | None = "B", at: str = "B") -> RummyState:
    """Two players lay their hands out: B knocked and holds so many cards, A holds two."""
    state = replace(turn("[5C 5D 5H]", "2S 3D", 1), phase=Phase.SHOW, knocked=knocked, turn=at)
    return replace(state, hands=(Hand(size=2), Hand(size=hand)))


def keys(found: Any) -> list[str]:
    assert isinstance(found, Doubt), found
    return [choice.key for choice in found.choices]


def test_who_knocked_shows_first_and_a_hand_with_too_many_points_is_refused_with_the_reason() -> None:
    """By taps it was told; the camera said "holds 4 cards, and 4 new ones are here" for ever."""
    state = showing(2)
    assert GAME.rules.to_move(state) == ("B", "A")
    found = interpret(state, placed(("5C 5D 5H", 0, 0), ("9C 3H", 0, 300)))
    assert keys(found) == ["withdraw", "look_again"]
    assert str(found.says) == "B holds 12 points and may knock with 5 or fewer"
    assert [name for name, *_ in found.places_mm] == ["card 1", "card 2"]  # the hand, not the melds
    assert found.places_mm[0][2] > 300
    back = GAME.rules.apply(state, found.choices[0].actions[0]).state
    assert (back.phase, back.knocked, back.turn) == (Phase.END, None, "B")
    assert interpret(state, placed(("5C 5D 5H", 0, 0), ("2C 3H", 0, 300))).actions == (Shown("B", ("2C", "3H")),)


def test_a_wrong_number_of_cards_is_corrected_at_any_time_by_its_own_seat() -> None:
    state = turn("[5C 5D 5H]", "2S 3D", 1)
    offered = {move.move: move for move in GAME.rules.legal(state)}
    assert offered["B holds ..."].seats == ("B",)
    action = offered["B holds ..."].made({"cards": "12"})
    after = GAME.rules.apply(state, action).state
    assert (after.hand("B").size, after.stock) == (12, state.stock + state.hand("B").size - 12)
    assert GAME.rules.status(after) == ()
    assert GAME.text.action_of(GAME.text.action(action)) == action == Counted("B", 12)
    assert after.hand("A") == state.hand("A")
    assert GAME.rules.apply(state, Counted("A", 5)).state.hand("A") == Hand(size=5, cards=("2S", "3D"))
    assert GAME.rules.apply(state, Counted("A", 1)).state.hand("A") == Hand(size=1)
    for wrong in (0, state.hand("B").size + state.stock):
        with pytest.raises(Illegal):
            GAME.rules.apply(state, Counted("B", wrong))
    known = replace(showing(2), hands=(Hand(size=2), Hand(size=2, cards=("2C", "3H"))))
    for refused in (Counted("B", 3), Withdrew("B")):
        with pytest.raises(Illegal, match="counted already"):
            GAME.rules.apply(known, refused)


@pytest.mark.parametrize(
    ("phase", "draws", "says"),
    [(Phase.END, 3, "take 9S back: A may not meld in this turn"), (Phase.END, 1, "take 9S back: A has melded already")],
)
def test_a_card_laid_while_melding_is_closed_is_told(phase: Phase, draws: int, says: str) -> None:
    """A card laid after the third draw was passed over in silence."""
    state = replace(turn("[6S 7S 8S]", "9S 3D", 1), phase=phase, draws=draws)
    found = interpret(state, placed(("6S 7S 8S 9S", 0, 0)))
    assert keys(found) == ["look_again", "ends"]
    assert found.is_of_mistake
    assert str(found.says) == says
    assert len(found.places_mm) == 1
    assert found.places_mm[0][1] > 75  # the fourth card of the fan
    assert str(interpret(state, placed(("6S 7S 8S", 0, 0), ("9S", 400, 0))).says) == says
    assert str(interpret(state, placed(("6S 8S", 0, 0))).says) == "7S cannot be seen: uncover, or put back"


def test_a_card_of_the_turn_before_never_counts_for_the_next_player() -> None:
    """B laid a nine after the third card and ended the turn. Then A added the ten, and both counted as A's."""
    closed = replace(turn("[6S 7S 8S]", "", 1), phase=Phase.END, draws=3)
    table = placed(("6S 7S 8S 9S", 0, 0))
    doubt = interpret(closed, table)
    assert GAME.eyes.begins is not None
    assert GAME.eyes.begins(closed, doubt.shows)
    assert GAME.eyes.begins(closed, None)  # it was taken back
    state = GAME.rules.apply(GAME.rules.apply(closed, Ended("A")).state, Drew("B")).state
    assert not GAME.eyes.begins(state, doubt.shows)
    past = (Drew("B"), Ended("A"))
    for melds in (table, placed(("6S 7S 8S 9S 10S", 0, 0))):
        found = interpret(state, melds, past, doubt.shows)
        assert keys(found) == ["look_again", "own"]
        assert "take 9S back: laid before the turn of B" in str(found.says)
        assert len(found.places_mm) == 1
    assert isinstance(interpret(state, melds, past), Proposal)  # it was not seen before
    other = placed(("6S 7S 8S", 0, 0), ("KC KD KH", 0, 300))
    assert isinstance(interpret(state, other, past, doubt.shows), Proposal)
    later = (Drew("B"), Ended("A"), Drew("A"), Ended("B"))
    assert isinstance(interpret(replace(state, turn="B"), other, later, doubt.shows), Proposal)


def test_melds_that_lie_apart_are_joined_as_they_lie_without_a_question() -> None:
    """Four and five lay apart from 6-7-8: "which card does the joker stand for?" was asked, with no joker there."""
    state = replace(turn("[6S 7S 8S]", "4S 9D", 2), table=(("AS", "2S", "3S"), ("5S", "6S", "7S", "8S")))
    for x_mm, table in (
        (150.0, {("AS", "2S", "3S", "4S", "5S"), ("6S", "7S", "8S")}),
        (480.0, {("AS", "2S", "3S"), ("4S", "5S", "6S", "7S", "8S")}),
    ):
        found = interpret(state, placed(("AS 2S 3S", 0, 0), ("4S 5S", x_mm, 0), ("6S 7S 8S", 600, 0)))
        assert isinstance(found, Proposal), found
        assert (set(found.actions[0].table), found.actions[0].laid) == (table, ("4S",))


def test_a_covered_card_is_asked_for_with_what_was_laid() -> None:
    """Told was: "7C left the table: no card may be taken into the hand", with two answers that meant the same."""
    state = turn("[7C 7H 7S] [2C 3C 4C]", "7D 9D", 2)
    found = interpret(state, placed(("7H 7S 7D", 0, 0), ("2C 3C 4C", 0, 300)))
    assert keys(found) == ["covered", "look_again"]
    assert str(found.says) == "7C cannot be seen: uncover, or put back"
    assert found.choices[0].actions == (Melded("A", found.choices[0].actions[0].table, ("7D",)),)
    assert sorted(map(len, found.choices[0].actions[0].table)) == [3, 4]
    assert len(found.places_mm) == 3


def test_a_joker_that_is_not_seen_between_unmoved_cards_is_still_there() -> None:
    """Its word is missed in one look of fifty, and people were asked to uncover it."""
    state, queens = turn("[3D 4D JK 6D] [QC QD QH QS]", "5C 5H 5S QD KD AD", 2), ("QC QD QH QS", 0, 300)
    before = placed(("3D 4D JK 6D", 0, 0), queens)
    for row, at, melds in (("5C 5H 5S", 77, ((0, 1, 2), (3, 4, 5, 6), (7, 8, 9))), ("5C 5H 5S", 52, ())):
        now = placed(("3D 4D", 2, 2), ("6D", at, 2), queens, (row, 600, 0))
        found = interpret(state, GAME.eyes.settled(replace(now, melds=melds or now.melds), before))
        assert found.actions[0].laid == ("5C", "5H", "5S") if melds else keys(found) == ["covered", "look_again"]
    moved = placed(("3D 4D JK 6D", 0, 0), ("QC", 0, 300), ("QH QS", 50, 300), ("QD KD AD", 600, 0))
    moved = replace(moved, melds=((0, 1, 2, 3), (4, 5, 6), (7, 8, 9)))
    asked = interpret(state, GAME.eyes.settled(moved, before))  # the queen may be another one, or have been missed
    assert [choice.action.laid for choice in asked.choices[:2]] == [("AD", "KD"), ("AD", "QD", "KD")]
    assert interpret(state, GAME.eyes.settled(placed(("3D 4D 1X 6D", 0, 0), queens), before)) is None


def test_gap_27_a_shorter_match_ends_at_its_own_goal() -> None:
    state = replace(GAME.rules.start(2, {"goal": "50"}), phase=Phase.SHOW, knocked="A", turn="A")
    state = replace(state, hands=(Hand(size=2), Hand(size=5)))
    state = GAME.rules.apply(state, Shown("A", ("2S", "3D"))).state
    over = GAME.rules.apply(state, Shown("B", ("KC", "KD", "KH", "QC", "QD", "9C")[:5])).state
    assert over.phase is Phase.DEAL  # 45 points
    state = replace(state, hands=(state.hands[0], Hand(size=6)))
    over = GAME.rules.apply(state, Shown("B", ("KC", "KD", "KH", "QC", "QD", "9C"))).state
    assert (over.phase, GAME.rules.outcome(over).winners) == (Phase.OVER, ("A",))
    assert GAME.rules.score(over)["A"].points == 54 + 100
    assert GAME.text.state_of(GAME.text.state(over)) == over
    assert "totals" not in {fault.where for fault in GAME.rules.status(over)}
    for wrong in ("0", "many"):
        with pytest.raises(NotationError):
            GAME.rules.start(2, {"goal": wrong})


def test_other_seats_secrets_are_neither_shown_nor_used() -> None:
    """Other hands are exchanged for other cards: views and hints of the seat stay as they were."""
    rng, looked = Random(7), 0
    text = next(path for path in files() if path.stem.startswith("manipulation_rummy-three")).read_text("utf-8")
    for state, _ in folded(text)[:60:4]:
        for seat in () if state.phase in ("deal", "over", "show") else state.seats:
            other = with_other_secrets(rng, state, seat)
            assert GAME.page.view(other, seat) == GAME.page.view(state, seat)
            assert GAME.page.hints(other, seat, within_ms=60_000) == GAME.page.hints(state, seat, within_ms=60_000)
            assert GAME.page.view(other, None) == GAME.page.view(state, None)
            looked += 1
    assert looked > 10


def with_other_secrets(rng: Random, state: RummyState, seat: str) -> RummyState:
    rest = [*PACK, JOKER] * state.packs
    for card in [*(in_hand(c) for meld in state.table for c in meld), *state.hand(seat).cards]:
        rest.remove(card)
    rng.shuffle(rest)
    hands = []
    for name, hand in zip(state.seats, state.hands, strict=True):
        if name != seat:
            told = hand.size if rng.random() < 0.7 else 0
            hand = Hand(size=hand.size, cards=sorted_cards([rest.pop() for _ in range(told)]))
        hands.append(hand)
    return replace(state, hands=tuple(hands))
