"""Random matches of Manipulation Rummy and Suspend keep what must be kept."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from companion.game.cards import JOKER, PACK, in_hand, sorted_cards
from companion.game.game import seats_of, state_json, state_of_json
from companion.game.values import Illegal
from companion.games.manipulation_rummy import GAME as RUMMY
from companion.games.manipulation_rummy.melds import flaw_of
from companion.games.manipulation_rummy.state import Hand, RummyState
from companion.games.suspend import GAME as SUSPEND
from companion.games.suspend.state import ALL_PIECES, Pile, SuspendState
from tests.games.random_matches import rummy_match, suspend_match

pytestmark = pytest.mark.slow

MATCHES = int(os.environ.get("RANDOM_MATCHES", "40"))
"""Random matches of each game, divided among its contests; `make nightly` plays more."""
WHOLE = MATCHES // 40
"""Rummy matches of each contest that go on to 150. The others are a round and the next deal."""
LOOK_AT_EVERY = 197
"""Every so many steps the costlier questions are asked."""
MOST_STEPS = 6000

RUMMY_CONTESTS: list[tuple[int, dict[str, str]]] = [
    (2, {}),
    (5, {"max_jokers_per_meld": "1", "first_dealer": "B"}),
]
SUSPEND_CONTESTS: list[tuple[int, dict[str, str]]] = [
    (2, {"mode": "beginner"}),
    (3, {"connector_in_play": "true", "first_player": "B"}),
    (2, {"mode": "expert", "notches": "yellow:6,red:6"}),
    (1, {"mode": "solo"}),
]


def looked_at(game: Any, state: Any) -> None:
    """The costlier questions: possible, JSON and text both ways, what is listed may be done."""
    assert game.rules.status(state) == (), game.text.state(state)
    assert state_of_json(game, json.loads(json.dumps(state_json(game, state)))) == state
    assert game.text.state_of(game.text.state(state)) == state
    for move in game.rules.legal(state):
        if move.action is not None:
            assert game.rules.explain(state, move.action).is_legal
            assert game.text.action_of(move.move, state) == move.action
    for seat in seats_of(game, state):
        json.dumps(game.page.view(state, seat))


@pytest.mark.parametrize(("seats", "options"), RUMMY_CONTESTS)
def test_random_rummy_matches(seats: int, options: dict[str, str]) -> None:
    rng = Random(seats)
    step = 0
    for match in range(max(1, MATCHES // len(RUMMY_CONTESTS))):
        last: RummyState | None = None
        for n, (state, action, applied) in enumerate(
            rummy_match(rng, seats, options, rounds=40 if match < WHOLE else 1)
        ):
            step += 1
            last = applied.state
            cards = last.stock + sum(map(len, last.table)) + sum(hand.size for hand in last.hands)
            assert cards == last.packs * 53
            assert n < MOST_STEPS
            if step % LOOK_AT_EVERY == 0:
                looked_at(RUMMY, state)
                assert RUMMY.text.action_of(RUMMY.text.action(action), state) == action
                assert all(flaw_of(meld, last.house) is None for meld in last.table)
                assert max(last.seen().values(), default=0) <= last.packs
        over = RUMMY.rules.outcome(last)
        assert (over is None) == (max(last.totals) < 150)
        assert over is not None or match >= WHOLE
        if over is not None:
            points = {seat: score.points for seat, score in RUMMY.rules.score(last).items()}
            best = max(points.values())
            assert set(over.winners) == {seat for seat, own in points.items() if own == best}


@pytest.mark.parametrize(("seats", "options"), SUSPEND_CONTESTS)
def test_random_suspend_matches(seats: int, options: dict[str, str]) -> None:
    rng = Random(seats)
    step = 0
    for _ in range(max(1, MATCHES // len(SUSPEND_CONTESTS))):
        last: SuspendState | None = None
        for n, (state, action, applied) in enumerate(suspend_match(rng, seats, options)):
            step += 1
            last = applied.state
            pieces = Pile()
            for pile in (*last.piles, last.draw_pile, last.hung, last.off):
                pieces = pieces.plus(pile)
            assert pieces == ALL_PIECES
            assert n < MOST_STEPS
            if step % LOOK_AT_EVERY == 0:
                looked_at(SUSPEND, state)
                assert SUSPEND.text.action_of(SUSPEND.text.action(action), state) == action
        over = SUSPEND.rules.outcome(last)
        assert len(over.winners) >= (0 if last.house.mode == "solo" else 1)
        assert set(over.winners) <= set(last.players)
        with pytest.raises(Illegal):
            SUSPEND.rules.apply(last, action)


@pytest.mark.parametrize("matches", [1, pytest.param(6, marks=pytest.mark.nightly)])
def test_other_seats_secrets_are_neither_shown_nor_used(matches: int) -> None:
    """Other hands are exchanged for other cards: views and hints of the seat stay as they were."""
    rng = Random(7)
    looked = 0
    for _ in range(matches):
        for n, (state, _, _) in enumerate(rummy_match(rng, 3, {}, rounds=1)):
            if n % 9 or state.phase in ("deal", "over", "show"):
                continue
            for seat in state.seats:
                other = _with_other_secrets(rng, state, seat)
                assert RUMMY.page.view(other, seat) == RUMMY.page.view(state, seat)
                assert RUMMY.page.hints(other, seat, within_ms=60_000) == RUMMY.page.hints(
                    state, seat, within_ms=60_000
                )
                assert RUMMY.page.view(other, None) == RUMMY.page.view(state, None)
                looked += 1
    assert looked > 10 * matches


def _with_other_secrets(rng: Random, state: RummyState, seat: str) -> RummyState:
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
