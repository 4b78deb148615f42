"""A hand that its owner gave to his own phone: checked, kept while the round goes on, shown to nobody else.

The cards drawn since are not in it until the owner tells them; what he laid leaves it by itself.
"""

from collections import Counter
from dataclasses import replace
from functools import lru_cache

from companion.game.cards import in_hand
from companion.game.errors import NotationError
from companion.game.says import Says
from companion.game.values import Illegal
from companion.games.manipulation_rummy.house import House, cards_says, rule
from companion.games.manipulation_rummy.melds import Table, meanings
from companion.games.manipulation_rummy.notation import cards_of_text
from companion.games.manipulation_rummy.rules import apply
from companion.games.manipulation_rummy.solver import solve
from companion.games.manipulation_rummy.state import Action, Counted, Hand, Phase, RummyState, Shown, clean_hand

Cards = tuple[str, ...]
OPEN = (Phase.DRAW, Phase.PLAY, Phase.END)
MELD_MS = 100.0
"""Time to prove that nothing can be melded, ms. Without a proof melding stays open."""


def hand_of(state: RummyState, seat: str, text: str) -> Cards:
    """The hand that a seat's words such as ``5C 10H JK`` mean. Raises: NotationError; Illegal: it cannot be that."""
    if seat not in state.seats:
        raise NotationError(f"unknown seat {seat!r}, expected one of {', '.join(state.seats)}", "seat")
    if state.phase not in (*OPEN, Phase.SHOW):
        raise Illegal(Says("the round is over: a hand can no longer be entered"), rule("Setup"))
    cards = clean_hand(tuple(map(in_hand, cards_of_text(text))))
    if len(cards) > state.hand(seat).size:
        values = {"hand": cards_says(state.hand(seat).size), "shown": len(cards)}
        raise Illegal(Says("you hold {hand}, not {shown}", values), rule("Setup"))
    whole = replace(state.with_hand(seat, Hand(size=len(cards))), phase=Phase.DRAW)
    apply(whole, Shown(seat, cards))  # raises if a card is already elsewhere
    return cards


def kept(cards: Cards, seat: str, before: RummyState, after: RummyState) -> Cards | None:
    """The rest of a hand after a step, forward or back; None once it is no longer secret, or no longer known."""
    is_shown = after.hand(seat).is_known and after.phase is not Phase.SHOW  # a knock may be taken back until the count
    if before.round != after.round or after.phase not in (*OPEN, Phase.SHOW) or is_shown:
        return None
    was, now = (Counter(in_hand(card) for meld in state.table for card in meld) for state in (before, after))
    change = after.hand(seat).size - before.hand(seat).size
    if change < 0 and (now - was).total() == -change:
        return clean_hand(tuple((Counter(cards) - (now - was)).elements()))
    if change > 0 and (was - now).total() == change:
        return clean_hand((*cards, *(was - now).elements()))
    return cards if len(cards) <= after.hand(seat).size else None


def known_to(state: RummyState, seat: str, cards: Cards) -> RummyState:
    """The state as the seat knows it that holds these cards."""
    hand = state.hand(seat)
    if state.phase not in (*OPEN, Phase.SHOW) or hand.is_known or len(cards) > hand.size:
        return state
    return state.with_hand(seat, Hand(size=hand.size, cards=cards))


def check(state: RummyState, seat: str, cards: Cards, move: str, action: Action | None) -> None:
    """Checks an action of the seat that holds these cards. Raises: Illegal.

    A shown hand is judged by itself: it may differ from the hand that the phone knows. A hand counts once all its cards
    are known.
    """
    if move == f"{seat} melds ..." and action is None:
        check_melding(state, seat, cards)
    action = Shown(seat, cards) if move == f"{seat} shows ..." else action
    if isinstance(action, Shown):
        if len(action.cards) == state.hand(seat).size:
            apply(state, action)
    elif action is not None and not isinstance(action, Counted):
        apply(known_to(state, seat, cards), action)


def check_melding(state: RummyState, seat: str, cards: Cards) -> None:
    """Checks that the seat that holds these cards can lay one. Raises: Illegal."""
    known = known_to(state, seat, cards).hand(seat)
    if known.is_known and not _can_meld(state.table, known.cards, state.house):
        raise Illegal(Says("nothing in your hand can be melded now"), rule("Melds"))


@lru_cache(maxsize=8)
def _can_meld(table: Table, cards: Cards, house: House) -> bool:
    plays = (solve(meant, cards, house, MELD_MS) for meant in meanings(table, house))
    return any(best.laid or not best.is_proven for best in plays)
