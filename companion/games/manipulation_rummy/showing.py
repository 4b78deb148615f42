"""After a round: hands are laid out face up, one after the other, and read."""

from collections import Counter
from dataclasses import replace

from companion.game.cards import sorted_cards
from companion.game.readings import RummyReading
from companion.game.says import Says, points_says
from companion.game.values import LOOK_AGAIN, Choice, Doubt, Proposal, tried
from companion.games.manipulation_rummy.house import KNOCK_POINTS, cards_says, points_of, rule
from companion.games.manipulation_rummy.melds import Table
from companion.games.manipulation_rummy.rules import apply, to_move
from companion.games.manipulation_rummy.state import Action, Counted, RummyState, Shown, Withdrew
from companion.games.manipulation_rummy.weighing import (
    MOST_OFFERED,
    OTHER,
    RISK,
    SLIP,
    Look,
    Way,
    changed,
    lay,
    looks,
    places_of,
    ranked,
    which,
)


def hand_laid_out(state: RummyState, reading: RummyReading) -> Proposal[Action] | Doubt[Action] | None:
    """The hand of the next seat that shows: the cards that came to the table since."""
    seat = to_move(state)[0]
    size, shown = state.hand(seat).size, tuple(hand.cards for hand in state.hands if hand.is_known)
    there = lay(state) + Counter(card for cards in shown for card in cards)
    ways: dict[Table, Way] = {}
    rest = 0.0
    first: Look | None = None
    for look in looks(replace(state, table=(*state.table, *shown)), reading):
        first = look if first is None or look.likely > first.likely else first
        new, _ = changed(look, there)
        cards = sorted_cards(list(new.elements())) if not new[OTHER] else ()
        action = Shown(seat, cards) if cards else None
        if not new or (action is not None and tried(apply, state, action).is_legal):
            ways.setdefault((cards,), Way(action, look.names, (cards,))).likely += look.likely
        else:
            rest += look.likely * (1.0 if new[OTHER] and new.total() == size else SLIP)
    found = ranked(ways.values(), rest)
    best = found[0] if found else Way(None, ())
    if best.likely >= 1 - RISK:
        return None if best.action is None else Proposal((best.action,), _says(state, best.action))
    offered = [way for way in found if way.action is not None and way.likely > RISK][:MOST_OFFERED]
    choices = tuple(Choice("_".join(way.action.cards), _says(state, way.action), way.action) for way in offered)
    return _asked(state, reading, choices, first, there)


def _asked(
    state: RummyState,
    reading: RummyReading,
    choices: tuple[Choice[Action], ...],
    look: Look | None,
    there: Counter[str],
) -> Doubt[Action]:
    """Says why the most probable hand is refused, and offers answers."""
    seat = to_move(state)[0]
    new = changed(look, there)[0] if look is not None else Counter()
    hand = Shown(seat, () if new[OTHER] else sorted_cards(list(new.elements())))
    held = Counted(seat, new.total())
    values = {"seat": seat, "hand": cards_says(state.hand(seat).size), "held": cards_says(held.cards)}
    is_answered = bool(choices)
    asked = Says("{seat}: a card of this hand cannot be read, lay it out so that every corner is seen", values)
    why, cited = tried(apply, state, hand), rule("End of a Round")
    if hand.cards and held.cards != state.hand(seat).size:
        asked = Says("{seat} should have {hand}. Counted here: {held}", values)
        if tried(apply, state, held).is_legal:
            after = apply(state, held).state
            then = (hand,) if tried(apply, after, hand).is_legal else ()
            words = "{seat} has {held}: {shown}" if then else "{seat} has {held}"
            says = Says(words, {**values, "shown": _says(state, hand)})
            choices = (*choices, Choice("count", says, held, then))
    elif hand.cards and not why.is_legal:
        asked, cited = why.says, why.rule
    if seat == state.knocked and hand.cards and not is_answered and points_of(hand.cards, state.house) > KNOCK_POINTS:
        says = Says("{seat} takes the knock back", {"seat": seat})
        choices = (*choices, Choice("withdraw", says, Withdrew(seat)))
    again: Choice[Action] = Choice(LOOK_AGAIN, Says("every corner is visible now: look again"))
    ring = places_of(reading, which(look.names, new)) if look is not None else ()
    return Doubt("hand", asked, (*choices, again), cited, places_mm=ring)


def _says(state: RummyState, hand: Shown) -> Says:
    values = {
        "seat": hand.seat,
        "cards": " ".join(hand.cards),
        "points": points_says(points_of(hand.cards, state.house)),
    }
    return Says("{seat} shows {cards}: {points}", values)
