"""Best plays against brute force, their legality by the rules."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.game.cards import PACK, RANKS, identity, joker_as
from companion.games.manipulation_rummy import GAME
from companion.games.manipulation_rummy.hints import Play, best_play
from companion.games.manipulation_rummy.house import House
from companion.games.manipulation_rummy.melds import flaw_of, table_text
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
    """The best play of A, found legal by the rules."""
    play = best_play(state, "A", within_ms=60_000)
    assert play.is_proven
    assert play.most == play.points
    if play.laid:
        assert GAME.rules.apply(state, Melded("A", play.table, play.laid)).state.table == play.table
    else:
        assert play.points == 0
        assert play.table == state.table
    return play


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
