"""Properties of rummy's scoring and melds, for any points and any cards."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from companion.game.cards import PACK, RANKS, identity, joker_as
from companion.games.manipulation_rummy.house import House
from companion.games.manipulation_rummy.melds import declarations, flaw_of, in_order
from companion.games.manipulation_rummy.scoring import count_round

POINTS = st.lists(st.integers(1, 200), min_size=2, max_size=5).map(lambda left: dict(zip("ABCDE", left, strict=False)))
CARDS = st.lists(st.sampled_from((*PACK, *map(joker_as, PACK))), min_size=1, max_size=6).map(tuple)


@settings(max_examples=300, deadline=None)
@given(POINTS, st.booleans())
def test_scoring_somebody_wins_and_only_winners_score(points: dict[str, int], is_knocked: bool) -> None:
    knocker = min(points, key=lambda seat: points[seat])
    knocked = knocker if is_knocked and points[knocker] <= 5 else None
    count = count_round(points, knocked)
    low = min(points.values())
    assert count.winners
    assert all(points[seat] == low for seat in count.winners)
    assert all((score > 0) <= (seat in count.winners) for seat, score in count.scores.items())
    differences = sum(left - low for left in points.values())
    for seat in count.winners:
        undercut = 10 if knocked is not None and seat != knocked else 0
        assert count.scores[seat] == differences + undercut
    if knocked is not None and list(points.values()).count(low) > 1:
        assert knocked not in count.winners


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


@settings(max_examples=500, deadline=None)
@given(CARDS)
def test_melds_are_what_the_sheet_lists(meld: tuple[str, ...]) -> None:
    assert (flaw_of(meld, House()) is None) == obviously_legal(meld)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from("CDHS"), st.integers(0, 11), st.integers(3, 14), st.randoms(use_true_random=False))
def test_sequences_are_legal_in_any_order_and_put_in_order(suit: str, low: int, size: int, random: object) -> None:
    row = [*RANKS, "A"][low : low + size]
    if len(row) < 3 or (low == 1 and len(row) == len(RANKS)):
        return  # 2 to A are the same thirteen cards as A to K: the ace may stand at either end
    meld = [rank + suit for rank in row]
    shuffled = list(meld)
    random.shuffle(shuffled)
    assert flaw_of(tuple(shuffled), House()) is None
    assert in_order(tuple(shuffled)) == tuple(meld)
    inside = ["JK" if at == 1 else card for at, card in enumerate(meld)]
    assert (meld[0], joker_as(meld[1]), *meld[2:]) in declarations(tuple(inside), House())
