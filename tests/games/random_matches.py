"""Random matches of Manipulation Rummy and Suspend, action by action; used by random tests and to tell playthroughs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from random import Random
from typing import Any

from companion.game.cards import JOKER, PACK
from companion.game.values import Applied
from companion.games.manipulation_rummy import GAME as RUMMY
from companion.games.manipulation_rummy.house import House
from companion.games.manipulation_rummy.melds import declarations
from companion.games.manipulation_rummy.state import Dealt, Drew, Ended, Knocked, Melded, Phase, RummyState, Shown
from companion.games.suspend import GAME as SUSPEND
from companion.games.suspend.state import Fell, Hung, OtherHand, Removed, Rested, Rolled, Stopped, SuspendState
from companion.games.suspend.state import Phase as Turn

Step = tuple[Any, Any, Applied[Any]]


def rummy_match(rng: Random, seats: int, options: dict[str, str], rounds: int = 40) -> Iterator[Step]:
    """(state, action, applied) of a whole match with real packs: hands told at the deal, cards as they are drawn."""
    state = RUMMY.rules.start(seats, options)
    stock: list[str] = []
    while RUMMY.rules.outcome(state) is None and state.round <= rounds:
        if state.phase is Phase.DRAW and not stock:
            stock = [*PACK, JOKER] * state.packs
            rng.shuffle(stock)
            for seat in state.seats:
                held, stock = tuple(stock[:10]), stock[10:]
                state = yield from _do(RUMMY, state, Shown(seat, held))
        if state.phase is Phase.DEAL:
            stock = []
        state = yield from _do(RUMMY, state, _rummy_action(rng, state, stock))


def _do(game: Any, state: Any, action: Any) -> Any:
    applied = game.rules.apply(state, action)
    yield state, action, applied
    return applied.state


def _rummy_action(rng: Random, state: RummyState, stock: list[str]) -> Any:
    seat = state.turn
    if state.phase is Phase.DEAL:
        return Dealt()
    if state.phase is Phase.DRAW:
        return Drew(seat, stock.pop())
    if state.phase is Phase.PLAY:
        play = simple_play(state)
        if play is not None and rng.random() < 0.9:
            return play
        if state.exhausted_by is None:
            return Drew(seat, stock.pop())
    knock = Knocked(seat)
    return knock if RUMMY.rules.explain(state, knock).is_legal and rng.random() < 0.8 else Ended(seat)


def simple_play(state: RummyState) -> Melded | None:
    """All that a plain player sees: whole melds in the hand, then single cards laid to melds; no rearranging."""
    hand, table = list(state.hand(state.turn).cards), list(state.table)
    while (meld := _whole_meld(hand, state.house)) is not None:
        table.append(meld)
        for card in meld:
            hand.remove(JOKER if card.startswith(JOKER) else card)
    for card in list(hand):
        for at, meld in enumerate(table):
            if card != JOKER and not _may_fit(card, meld):
                continue
            made = declarations((*meld, card), state.house)
            if made:
                table[at] = made[0]
                hand.remove(card)
                break
    return Melded(state.turn, tuple(table)) if tuple(table) != state.table else None


@lru_cache(maxsize=100_000)
def _may_fit(card: str, meld: tuple[str, ...]) -> bool:
    """Whether the card has a rank that all of the meld have, or its suit: the rules say the rest."""
    cards = [one.removeprefix("JK=") for one in meld]
    is_group = len({one[:-1] for one in cards}) == 1
    return all(one[:-1] == card[:-1] if is_group else one[-1] == card[-1] for one in cards)


def _whole_meld(hand: list[str], house: House) -> tuple[str, ...] | None:
    cards = set(hand)
    for card in hand:
        if card == JOKER:
            continue
        rank, suit = card[:-1], card[-1]
        row = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
        at = row.index(rank)
        after = [name + suit for name in row[at + 1 : at + 3]]
        group = [rank + other for other in "CDHS" if rank + other in cards]
        tries = [[card, *[c for c in after if c in cards]], group]
        for found in tries:
            missing = 3 - len(found)
            if missing == 1 and JOKER in cards:
                found = [*found, JOKER]
            if len(found) >= 3 and (made := declarations(tuple(found), house)):
                return made[0]
    return None


def suspend_match(rng: Random, seats: int, options: dict[str, str], falls: float = 0.15) -> Iterator[Step]:
    """(state, action, applied) of a whole match; with `falls` a piece hung brings some down."""
    state: SuspendState = SUSPEND.rules.start(seats, options)
    steps = 0
    while SUSPEND.rules.outcome(state) is None:
        steps += 1
        action = Stopped() if steps > 400 and Stopped in _kinds(state) else _suspend_action(rng, state, falls)
        state = yield from _do(SUSPEND, state, action)


def _kinds(state: SuspendState) -> set[type]:
    return {type(move.action) for move in SUSPEND.rules.legal(state)}


def _suspend_action(rng: Random, state: SuspendState, falls: float) -> Any:
    chance = rng.random()
    if state.phase is not Turn.ROLL and chance < falls and state.hung.total:
        pieces = state.hung.pieces
        return Fell(state.turn, tuple(rng.sample(pieces, rng.randint(1, min(3, len(pieces))))))
    asked = SUSPEND.people.question(state)
    if asked is not None and chance > 0.5:
        return rng.choice(asked.choices).action
    if state.phase is Turn.REST:
        return Rested(state.turn)
    if state.phase is Turn.HANG and chance > 0.97:
        return OtherHand(state.turn)
    listed = [move.action for move in SUSPEND.rules.legal(state) if isinstance(move.action, Rolled | Hung)]
    if state.phase is Turn.REMOVE:
        listed = [move.action for move in SUSPEND.rules.legal(state) if isinstance(move.action, Removed)]
    return rng.choice(listed)
