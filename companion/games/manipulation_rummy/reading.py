"""The eyes' report on a rummy table: melds in their places, jokers as bare cards, never hands or stock.

`weighing` gives every table that a reading may show. The most probable one is entered if the chance of being wrong is
small enough; otherwise people choose. Two copies of a card look the same, so tables are collections of melds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from companion.game.cards import sorted_cards
from companion.game.readings import SURE
from companion.game.says import Says
from companion.game.values import LOOK_AGAIN, Choice, Doubt, Illegal, Proposal
from companion.games.manipulation_rummy.house import cards_says, points_of, points_says, rule
from companion.games.manipulation_rummy.melds import Table, cards_of, in_order, same_table, table_text
from companion.games.manipulation_rummy.rules import apply, judge_meld, possible_tables, to_move
from companion.games.manipulation_rummy.state import Action, Drew, Melded, Phase, RummyState, Shown
from companion.games.manipulation_rummy.weighing import OTHER, SLIP, Look, MeldsSeen, arranged, in_place, lay, looks

Found = Proposal[Action] | Doubt[Action] | None
RISK = 1 / 500
"""Accepted chance of a wrong entry: undo repairs it at once."""
WRONG_SUIT = 1 / 50
"""Weight of a wrong suit in a hand that is counted: it changes no points."""
MOST_OFFERED = 3


@dataclass(slots=True)
class Way:
    """One thing that may have happened: the entry (None: nothing), the names of the cards seen, and its chance."""

    action: Any
    names: tuple[str, ...]
    table: Table = ()
    likely: float = 0.0


@dataclass(frozen=True, slots=True)
class Weighed:
    """The interpretations that the rules allow, the most probable first; and the best one that they forbid: the reason,
    if known, and its chance."""

    ways: list[Way]
    refused: Illegal | None
    refused_likely: float


def interpret(state: RummyState, reading: MeldsSeen, past: Sequence[Action] = ()) -> Found:
    """The event that a settled table shows after the player's "done"; None if the table is as recorded.

    After a round, hands are laid out and cards gathered: melds are then ignored.
    """
    if state.phase in (Phase.DEAL, Phase.OVER):
        return None
    if state.phase is Phase.SHOW:
        return _hand_laid_out(state, reading)
    found = _weighed(state, reading)
    best = found.ways[0] if found.ways else Way(None, ())
    is_open = state.phase is Phase.PLAY
    if best.action is None and best.likely >= (1 - RISK if is_open else 0.5):
        return None
    if not is_open:
        return _too_early(state, reading)
    if best.likely >= 1 - RISK:
        return Proposal((best.action,), _laid_says(best.action))
    return _asked(state, reading, found)


def _weighed(state: RummyState, reading: MeldsSeen) -> Weighed:
    """Every table that the reading may show, and what was laid there."""
    ways: dict[Table, Way] = {}
    slip, least, refused = 0.0, 0.0, None
    for look in looks(state, reading):
        legal, why = _legal(state, look)
        if not legal:
            slip += SLIP * look.likely
            if look.likely > least:
                refused, least = why, look.likely
        for way in legal:
            ways.setdefault(way.table, replace(way, likely=0.0)).likely += way.likely
    total = sum(way.likely for way in ways.values()) + slip
    return Weighed(_ranked(ways.values(), slip), refused, SLIP * least / total if total else 0.0)


def _ranked(ways: Iterable[Way], slip: float) -> list[Way]:
    """The interpretations with their probabilities, the most probable first, given the likelihood of all others."""
    total = sum(way.likely for way in ways) + slip
    return sorted((replace(way, likely=way.likely / total) for way in ways), key=lambda way: -way.likely)


def _legal(state: RummyState, look: Look) -> tuple[list[Way], Illegal | None]:
    """The tables that the named cards may be, each with its likelihood; why there is none, if all have a name."""
    found, refused = [], None
    if OTHER in look.names:
        return [], None
    for table in arranged(look.melds, state.house):
        for declared in possible_tables(state, table):
            likely = look.likely * in_place(table, declared, state.table)
            key = tuple(sorted(map(in_order, declared)))
            if same_table(declared, state.table):
                found.append(Way(None, look.names, key, likely))
                continue
            try:
                told, laid = judge_meld(state, Melded(state.turn, declared))
            except Illegal as error:
                refused = refused or error
            else:
                found.append(Way(Melded(state.turn, told, laid), look.names, key, likely))
    if not found and refused is None:
        try:
            judge_meld(state, Melded(state.turn, look.melds))
        except Illegal as error:
            refused = error
    return found, refused


def _laid_says(melded: Melded) -> Says:
    values = {"seat": melded.seat, "laid": " ".join(melded.laid or ()), **_values(melded.table)}
    return Says("{seat} laid {laid}: {table}", values)


def _asked(state: RummyState, reading: MeldsSeen, found: Weighed) -> Doubt[Action]:
    """Asks for the cards laid if the reading leaves more than one answer, or shows something that the rules forbid."""
    offered = [way for way in found.ways if way.likely > RISK][:MOST_OFFERED]
    choices = tuple(_choice(state, way, offered) for way in offered)
    if sum(way.likely for way in found.ways) < 0.5 and found.refused is not None:
        says = Says("{why}: put the table back, take your cards, draw on", {"why": found.refused.says})
        return Doubt("illegal", says, (_PUT_BACK, *choices), found.refused.rule)
    if found.refused is not None and found.refused_likely > RISK:
        told = Says("{why}: put the table back", {"why": found.refused.says})
        back = replace(_PUT_BACK, says=told, likely=round(found.refused_likely, 3))
        choices = tuple(sorted((*choices, back), key=lambda choice: -(choice.likely or 0.0)))
    if len({way.names for way in offered}) == 1 and len(offered) > 1:
        says = Says("{seat}, which card does the joker stand for?", {"seat": state.turn})
        return Doubt("joker", says, (*choices, _NONE), rule("Jokers"))
    says = Says("what did {seat} lay? The picture does not show it", {"seat": state.turn})
    if not offered:
        says = Says("a card cannot be read: uncover it")
    return Doubt("cards", says, (*choices, _NONE), rule("Melds"), places_mm=_places(reading, offered))


def _choice(state: RummyState, way: Way, offered: Sequence[Way]) -> Choice[Action]:
    """An interpretation as an answer: only its differences from the others."""
    likely = round(way.likely, 3)
    if way.action is None:
        return Choice("nothing", Says("nothing has changed"), likely=likely)
    key, laid = table_text(way.action.table), " ".join(way.action.laid)
    if len(offered) == 1:
        return Choice(key, Says("{seat} lays {laid}", {"seat": state.turn, "laid": laid}), way.action, likely=likely)
    melds, cards = Counter(way.table), cards_of(way.table)
    for other in offered:
        melds, cards = melds & Counter(other.table), cards & cards_of(other.table)
    own = sorted_cards(list((cards_of(way.table) - cards).elements()))
    told = " ".join(own) or table_text((Counter(way.table) - melds).elements())
    return Choice(key, Says("{table}", {"table": told}), way.action, likely=likely)


def _places(reading: MeldsSeen, ways: Sequence[Way]) -> tuple[tuple[str, float, float], ...]:
    """Places of the cards that differ between these interpretations, else of the doubtful cards."""
    unlike = [i for i, names in enumerate(zip(*(way.names for way in ways), strict=True)) if len(set(names)) > 1]
    doubtful = unlike or [i for i, card in enumerate(reading.cards) if card.confidence < SURE]
    places = [place for i in doubtful if (place := getattr(reading.cards[i], "middle_mm", None))]
    return tuple((f"card {i}", *place) for i, place in enumerate(places[:MOST_OFFERED], 1))


def _hand_laid_out(state: RummyState, reading: MeldsSeen) -> Found:
    """After a round the hands are laid out face up, one after the other: what came to the table is the next one's."""
    seat = to_move(state)[0]
    size, shown = state.hand(seat).size, tuple(hand.cards for hand in state.hands if hand.is_known)
    there = lay(state) + Counter(card for cards in shown for card in cards)
    ways: dict[Table, Way] = {}
    rest, count = 0.0, None
    for look in looks(replace(state, table=(*state.table, *shown)), reading):
        new = Counter(filter(None, look.names)) - there
        count = new.total() if count is None else count
        cards = sorted_cards(list(new.elements())) if not new[OTHER] else ()
        action = Shown(seat, cards) if cards else None
        if not new or (action is not None and _is_allowed(state, action)):
            ways.setdefault((cards,), Way(action, look.names, (cards,))).likely += look.likely
        else:
            rest += look.likely * (1.0 if new[OTHER] and new.total() == size else SLIP)
    ranked = _ranked(ways.values(), rest)
    best = ranked[0] if ranked else Way(None, ())
    alike = sum(way.likely for way in ranked if way.action is not None and _points(state, way) == _points(state, best))
    if best.action is None and best.likely >= 1 - RISK:
        return None
    if best.action is not None and 1 - alike + WRONG_SUIT * (alike - best.likely) <= RISK:
        return Proposal((best.action,), _hand_says(state, best.action))
    offered = [way for way in ranked if way.action is not None and way.likely > RISK][:MOST_OFFERED]
    choices = tuple(Choice("_".join(way.action.cards), _hand_says(state, way.action), way.action) for way in offered)
    words = "{seat} holds {hand}, and {count} new ones are here: lay out this hand alone, its corners visible"
    asked = Says(words, {"seat": seat, "hand": cards_says(size), "count": count})
    return Doubt("cards", asked, (*choices, _NONE), rule("End of a Round"), places_mm=_places(reading, offered))


def _points(state: RummyState, way: Way) -> int | None:
    """The points of a shown hand."""
    return None if way.action is None else points_of(way.action.cards, state.house)


def _is_allowed(state: RummyState, action: Action) -> bool:
    """Whether the rules allow an action."""
    with suppress(Illegal):
        apply(state, action)
        return True
    return False


def _hand_says(state: RummyState, hand: Shown) -> Says:
    values = {
        "seat": hand.seat,
        "cards": " ".join(hand.cards),
        "points": points_says(points_of(hand.cards, state.house)),
    }
    return Says("{seat} shows {cards}: {points}", values)


def _too_early(state: RummyState, reading: MeldsSeen) -> Doubt[Action]:
    """Cards were laid before the first draw: perhaps a draw was not entered. A mat without cards tells nothing."""
    if not reading.cards:
        says = Says("the mat has no cards: lay the table out again, or go on by taps")
        return Doubt("table", says, (_BY_TAPS, _PUT_BACK), rule("Gameplay"))
    says = Says("the table changed, but melding is closed: put it back as it was: {table}", _values(state.table))
    answers: tuple[Choice[Action], ...] = ()
    if state.phase is Phase.DRAW:
        drawn = Drew(state.turn)
        best = next(iter(_weighed(apply(state, drawn).state, reading).ways), None)
        if best is not None and best.likely >= 0.5:
            told = Says("{seat} drew a card first, and {laid}", {"seat": state.turn, "laid": _laid_says(best.action)})
            answers = (Choice("drew", told, drawn, (best.action,)),)
    return Doubt("table", says, (*answers, _PUT_BACK), rule("Gameplay"))


_NONE: Choice[Action] = Choice(LOOK_AGAIN, Says("none of these: uncover the cards, then look again"))
_BY_TAPS: Choice[Action] = Choice("by_taps", Says("we play by taps"))
_PUT_BACK: Choice[Action] = Choice("put_back", Says("the table is as it was"))


def _values(table: Table) -> dict[str, object]:
    return {"table": table_text(table) or Says("empty")}
