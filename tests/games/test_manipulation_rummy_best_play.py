"""Best plays against brute force, their legality by the rules, their steps by doing them."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.game.cards import PACK, RANKS, identity, in_hand, joker_as
from companion.games.manipulation_rummy import GAME
from companion.games.manipulation_rummy.hints import Play, best_play
from companion.games.manipulation_rummy.house import House
from companion.games.manipulation_rummy.melds import Table, flaw_of, in_order, table_text
from companion.games.manipulation_rummy.state import Melded, RummyState
from tests.games.rummy_help import brute_force, random_position
from tests.seeds import seeds

BATCHES = seeds(1, 20)
EACH = 20
CARDS = st.lists(st.sampled_from((*PACK, *map(joker_as, PACK))), min_size=1, max_size=6).map(tuple)


def position(rng: Random, cards: int, hand: int, jokers: int, **options: str) -> RummyState:
    table, held = random_position(rng, cards, hand, jokers)
    return GAME.shorthand.state_of_table(table_text(table), " ".join(held), 2, options)


def checked(state: RummyState) -> Play:
    """The best play of A, found legal by the rules and reached by its steps."""
    play = best_play(state, "A", within_ms=60_000)
    assert play.is_proven
    assert play.most == play.points
    if play.laid:
        assert GAME.rules.apply(state, Melded("A", play.table, play.laid)).state.table == play.table
        done_by_steps(state.table, play)
    else:
        assert play.points == 0
        assert play.table == state.table
    return play


def done_by_steps(before: Table, play: Play) -> None:
    """Does the steps with cards: all cards that leave melds and the hand are put down, and the table is as said."""
    lies: list[Counter[str] | None] = [Counter(meld) for meld in before]
    fresh: list[Counter[str]] = []
    up: Counter[str] = Counter()
    for step in play.steps:
        cards = Counter(step.cards)
        if step.becomes is None or (step.meld is not None and Counter(step.becomes) == cards):
            if step.meld is not None:  # taken from a meld
                bag = lies[step.meld]
                assert bag is not None
                assert not cards - bag, f"{step.says} is not there"
                bag -= cards
            up += Counter(map(in_hand, cards.elements()))
        if step.becomes is None:
            continue
        put = Counter(map(in_hand, cards.elements()))
        assert not put - up, f"{step.says}: not in the hands"
        up -= put
        if step.meld is not None and Counter(step.becomes) != cards:
            bag = lies[step.meld]
            assert bag is not None
            bag += cards
            assert bag == Counter(step.becomes), str(step.says)
        else:
            fresh.append(cards)
    assert not up
    made = [tuple(bag.elements()) for bag in [*lies, *fresh] if bag]
    assert Counter(map(in_order, made)) == Counter(play.table)


@pytest.mark.slow
@pytest.mark.parametrize("batch", BATCHES)
def test_melds_the_best_play_agrees_with_brute_force(batch: int) -> None:
    rng = Random(1000 + batch)
    for _ in range(EACH):
        state = position(rng, rng.choice((0, 4, 8, 12, 16, 24)), rng.randint(1, 5), rng.choice((0, 0, 1, 2)))
        assert checked(state).points == brute_force(state.table, state.hand("A").cards), GAME.text.state(state)


def obviously_legal(meld: tuple[str, ...]) -> bool:
    """The sheet's two forms, spelt out: every group of three or four suits, every window of the row A to A."""
    cards = Counter(identity(card) for card in meld)
    if len(meld) < 3:
        return False
    if len({(card or "")[:-1] for card in cards}) == 1:
        return max(cards.values()) == 1 and len(meld) <= 4
    row = [*RANKS, "A"]
    windows = [
        Counter(rank + suit for rank in row[low : low + len(meld)])
        for suit in "CDHS"
        for low in range(len(row) - len(meld) + 1)
    ]
    return cards in windows


@settings(max_examples=300, deadline=None)
@given(CARDS)
def test_melds_are_what_the_sheet_lists(meld: tuple[str, ...]) -> None:
    assert (flaw_of(meld, House()) is None) == obviously_legal(meld)
