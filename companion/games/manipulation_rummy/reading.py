"""The eyes' report on a rummy table: melds in their places, jokers as bare cards, never hands or stock.

`weighing` gives every table that a reading may show. The most probable one is entered if the chance of being wrong is
small enough; otherwise people choose. Two copies of a card look the same, so tables are collections of melds.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from companion.game.cards import in_hand, sorted_cards
from companion.game.readings import SURE, RummyReading
from companion.game.says import Says
from companion.game.values import LOOK_AGAIN, Choice, Doubt, Illegal, Proposal
from companion.games.manipulation_rummy.house import MOST_DRAWS, rule
from companion.games.manipulation_rummy.melds import (
    Table,
    any_of,
    cards_of,
    declarations,
    meanings,
    table_text,
    unnamed,
)
from companion.games.manipulation_rummy.rules import apply, judge_meld, possible_tables
from companion.games.manipulation_rummy.showing import hand_laid_out
from companion.games.manipulation_rummy.state import (
    Action,
    Counted,
    Drew,
    Ended,
    Melded,
    Phase,
    RummyState,
    Shown,
)
from companion.games.manipulation_rummy.weighing import (
    MOST_OFFERED,
    NO_CARD,
    OTHER,
    RISK,
    SLIP,
    Look,
    Way,
    arranged,
    as_laid,
    changed,
    lay,
    looks,
    places_of,
    ranked,
    which,
)

Found = Proposal[Action] | Doubt[Action] | None


@dataclass(frozen=True, slots=True)
class Weighed:
    """The interpretations that the rules allow, the most probable first; and the best one that they forbid: the reason,
    if known, and its chance. `look`: the most probable names of the cards, whatever the rules say."""

    ways: list[Way]
    refused: Illegal | None
    refused_likely: float
    look: Look


def interpret(
    state: RummyState, reading: RummyReading, past: Sequence[Action] = (), lain: Action | None = None
) -> Found:
    """The event that a settled table shows after the player's "done"; None if the table is as recorded.

    `lain`: the table at the end of the turn before this one, if it had cards too many. After a round, hands are laid
    out and cards gathered: melds are then ignored.
    """
    if state.phase in (Phase.DEAL, Phase.OVER):
        return None
    if state.phase is Phase.SHOW:
        return hand_laid_out(state, reading)
    found = _weighed(state, reading)
    best = found.ways[0] if found.ways else Way(None, ())
    is_open = state.phase is Phase.PLAY
    if best.action is None and best.likely >= (1 - RISK if is_open else 0.5):
        return None
    if not is_open:
        return _closed(state, reading, found)
    if others := _of_the_turn_before(state, found, past, lain):
        return _left_there(state, reading, found, others)
    if best.likely >= 1 - RISK:
        return Proposal((best.action,), _laid_says(best.action))
    return _asked(state, reading, found)


def begins(state: RummyState, action: Action | None) -> bool:
    """Whether a reading shows the table at the end of a turn: melding is closed, so there may be no new cards."""
    return state.phase is Phase.END and (action is None or isinstance(action, Melded))


def _weighed(state: RummyState, reading: RummyReading) -> Weighed:
    """Every table that the reading may show, and what was laid there."""
    ways: dict[Table, Way] = {}
    slip, least, refused = 0.0, 0.0, None
    first: Look | None = None
    for look in looks(state, reading):
        first = look if first is None or look.likely > first.likely else first
        legal, why = _legal(state, look)
        if not legal:
            most = max(Counter(name for name in look.names if name not in (NO_CARD, OTHER)).values(), default=0)
            likely = look.likely * (SLIP if most > state.packs else 1.0)  # too many copies are rarer than a slip
            slip += SLIP * likely
            if likely > least:
                refused, least = why, likely
        for way in legal:
            ways.setdefault(way.table, replace(way, likely=0.0)).likely += way.likely
    total = sum(way.likely for way in ways.values()) + slip
    found = ranked(_as_they_lie(reading, ways.values()), slip)
    return Weighed(found, refused, SLIP * least / total if total else 0.0, first or Look((), (), 1.0))


def _as_they_lie(reading: RummyReading, ways: Iterable[Way]) -> list[Way]:
    """Keeps one of several interpretations that group the same cards into other melds: the one with the closest cards.

    A wrong choice harms nobody: the next player may split and join melds anyway.
    """
    alike: dict[tuple[str, ...], list[Way]] = {}
    for way in ways:
        alike.setdefault(tuple(sorted(card for meld in way.table for card in meld)), []).append(way)
    found = []
    for group in alike.values():
        likely = sum(way.likely for way in group)
        most = max(way.likely for way in group)
        recorded = [way for way in group if way.action is None]
        near = recorded or [
            way for way in group if way.likely > most / 2
        ]  # laid in order: any other is far less likely
        best = near[0] if len(near) == 1 else min(near, key=lambda way: _spread_mm(reading, way))
        found.append(replace(best, likely=likely))
    return found


def _spread_mm(reading: RummyReading, way: Way) -> float:
    """How far the melds of a table stretch: the shortest lines that join the cards of each, together, in mm."""
    names, total = list(way.names), 0.0
    for meld in way.table:
        places = []
        for card in map(in_hand, meld):
            i = names.index(card)
            names[i] = ""
            places.append(reading.cards[i].middle_mm)
        joined, left = places[:1], places[1:]
        while left:
            away, at = min((math.dist(one, other), k) for k, one in enumerate(left) for other in joined)
            total += away
            joined.append(left.pop(at))
    return total


def _legal(state: RummyState, look: Look) -> tuple[list[Way], Illegal | None]:
    """The tables that the named cards may be, each with its likelihood; why there is none, if all have a name."""
    found, refused = [], None
    if OTHER in look.names:
        return [], None
    recorded = meanings(state.table, state.house)
    for table in arranged(look.melds, state.house):
        if unnamed(table) == unnamed(state.table):
            found.append(Way(None, look.names, tuple(sorted(state.table)), look.likely))
            continue
        declared, chance = as_laid(table, possible_tables(state, table), recorded)
        if not declared:
            continue
        try:
            told, laid = judge_meld(state, Melded(state.turn, any_of(declared)))
        except Illegal as error:
            refused = refused or error
        else:
            key, likely = tuple(sorted(told)), look.likely * chance
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


def _asked(state: RummyState, reading: RummyReading, found: Weighed) -> Doubt[Action]:
    """Asks for the cards laid if the reading leaves more than one answer, or shows something that the rules forbid."""
    if sum(way.likely for way in found.ways) < 0.5 and found.refused is not None:
        return _refused(state, reading, found, found.refused)
    offered = [way for way in found.ways if way.likely > RISK][:MOST_OFFERED]
    choices = tuple(_choice(state, way, offered) for way in offered)
    if found.refused is not None and found.refused_likely > RISK:
        told = Says("{why}: put the table back", {"why": found.refused.says})
        back = replace(_PUT_BACK, says=told, likely=round(found.refused_likely, 3))
        choices = tuple(sorted((*choices, back), key=lambda choice: -(choice.likely or 0.0)))
    words = "what did {seat} lay? Not every card is clear"
    if not offered:
        words = "a card cannot be read: uncover it"
    elif len(choices) == 1:
        words = "is this what {seat} laid? Not every card is clear"
    ring = _places(state, reading, offered)
    return Doubt("cards", Says(words, {"seat": state.turn}), (*choices, _NONE), rule("Melds"), places_mm=ring)


def _refused(state: RummyState, reading: RummyReading, found: Weighed, refused: Illegal) -> Doubt[Action]:
    """Tells why the rules forbid the most probable table. A card that is not seen may only be covered."""
    offered = [way for way in found.ways if way.action is not None and way.likely > RISK][:MOST_OFFERED]
    choices = tuple(_choice(state, way, (way,)) for way in offered)
    _, gone = changed(found.look, lay(state))
    if gone and OTHER not in found.look.names:
        asked = _not_seen(gone)
        choices = (*_covered(state, found.look, gone), *choices)
        ring = places_of(reading, _unrecorded(state, reading, found.look), found.look.names)
        return Doubt("illegal", asked, (*choices, _UNCOVERED), rule("gap 4"), places_mm=ring)
    says = Says("{why}: put it right, or take your cards back", {"why": refused.says})
    ring = places_of(reading, _wrong(state, reading, found.look), found.look.names)
    return Doubt("illegal", says, (_PUT_RIGHT, *choices), refused.rule, places_mm=ring, seen=refused.says)


def _not_seen(gone: Counter[str]) -> Says:
    return Says("{cards} cannot be seen: uncover, or put back", {"cards": _cards(gone)})


def _covered(state: RummyState, look: Look, gone: Counter[str]) -> tuple[Choice[Action], ...]:
    """The cards laid, if those that are not seen are only covered."""
    whole = Look(look.names, (*look.melds, *((card,) for card in gone.elements())), look.likely)
    legal, _ = _legal(state, whole)
    values = {"seat": state.turn, "cards": _cards(gone)}
    words = "{cards} is only covered: {seat} lays {laid}"
    return tuple(
        Choice("covered", Says(words, {**values, "laid": " ".join(way.action.laid)}), way.action)
        for way in [way for way in legal if way.action is not None][:1]
    )


def _unrecorded(state: RummyState, reading: RummyReading, look: Look) -> list[int]:
    """The cards of melds that the recorded table does not have in this form."""
    lies = Counter(tuple(sorted(map(in_hand, meld))) for meld in state.table)
    together = {i for meld in reading.melds for i in meld}
    found: list[int] = []
    for group in (*reading.melds, *((i,) for i in range(len(reading.cards)) if i not in together)):
        meld = tuple(sorted(look.names[i] for i in group))
        if lies[meld]:
            lies[meld] -= 1
        else:
            found += group
    return found


def _wrong(state: RummyState, reading: RummyReading, look: Look) -> list[int]:
    """The cards of illegal melds. If every meld is legal, the cards that were laid."""
    named = [(meld, tuple(filter(None, (look.names[i] for i in meld)))) for meld in reading.melds]
    wrong = [meld for meld, names in named if names and (OTHER in names or not declarations(names, state.house))]
    return [i for meld in wrong for i in meld] or which(look.names, changed(look, lay(state))[0])


def _choice(state: RummyState, way: Way, offered: Sequence[Way]) -> Choice[Action]:
    """An interpretation as an answer: only its differences from the others."""
    likely = round(way.likely, 3)
    if way.action is None:
        return Choice("nothing", Says("nothing has changed"), likely=likely)
    key, laid = table_text(way.action.table), " ".join(way.action.laid)
    if len(offered) == 1:
        lays = Says("{seat} lays {laid}", {"seat": state.turn, "laid": laid})
        return Choice(key, lays, way.action, likely=likely)
    names, melds, cards = Counter(way.names), Counter(way.table), cards_of(way.table)
    for other in offered:
        names &= Counter(other.names)
        melds, cards = melds & Counter(other.table), cards & cards_of(other.table)
    own = _cards(Counter(filter(None, way.names)) - names) or _cards(cards_of(way.table) - cards)
    told = own or table_text((Counter(way.table) - melds).elements())
    return Choice(key, Says("{table}", {"table": told}), way.action, likely=likely)


def _places(state: RummyState, reading: RummyReading, ways: Sequence[Way]) -> tuple[tuple[str, float, float], ...]:
    """Places of the cards that differ between these interpretations, else of the laid cards, else of doubtful cards."""
    if len(ways) == 1 and (laid := changed(Look(ways[0].names, (), 1.0), lay(state))[0]):
        return places_of(reading, which(ways[0].names, laid), ways[0].names)
    unlike = [i for i, names in enumerate(zip(*(way.names for way in ways), strict=True)) if len(set(names)) > 1]
    doubtful = unlike or [i for i, card in enumerate(reading.cards) if card.confidence < SURE]
    return places_of(reading, doubtful[:MOST_OFFERED])


def _closed(state: RummyState, reading: RummyReading, found: Weighed) -> Doubt[Action]:
    """The table changed while nobody may meld. A mat without cards tells nothing."""
    if not reading.cards:
        says = Says("the mat has no cards: lay the table out again, or go on by taps")
        return Doubt("table", says, (_BY_TAPS, _PUT_BACK), rule("Gameplay"))
    new, gone = changed(found.look, lay(state))
    says, cited = _why_closed(state, new, gone)
    shows = Melded(state.turn, found.look.melds, tuple(new.elements())) if new and not new[OTHER] else None
    ring = places_of(reading, which(found.look.names, new) or _unrecorded(state, reading, found.look))
    if state.phase is Phase.END:
        told = Says("nothing was laid: {seat} ends the turn", {"seat": state.turn})
        ends: Choice[Action] = Choice("ends", told, Ended(state.turn))
        return Doubt("table", says, (_BACK, ends), cited, places_mm=ring, shows=shows)
    answers: tuple[Choice[Action], ...] = ()
    drawn = Drew(state.turn)
    best = next(iter(_weighed(apply(state, drawn).state, reading).ways), None)
    if best is not None and best.action is not None and best.likely >= 0.5:
        told = Says("{seat} drew a card first, and {laid}", {"seat": state.turn, "laid": _laid_says(best.action)})
        answers = (Choice("drew", told, drawn, (best.action,)),)
    return Doubt("table", says, (*answers, _PUT_BACK), cited, places_mm=ring, shows=shows)


def _why_closed(state: RummyState, new: Counter[str], gone: Counter[str]) -> tuple[Says, str]:
    """The cards that are too many or missing on the table, and the rule."""
    values = {"cards": _cards(new), "seat": state.turn}
    if gone and not new:
        return _not_seen(gone), rule("gap 4")
    if not new or gone or new[OTHER]:
        words = "the table changed, but melding is closed: put it back as it was: {table}"
        return Says(words, _values(state.table)), rule("Gameplay")
    if state.phase is Phase.DRAW:
        return Says("take {cards} back: {seat} has not drawn yet", values), rule("gap 3")
    if state.draws == MOST_DRAWS:
        return Says("take {cards} back: {seat} may not meld in this turn", values), rule("Gameplay")
    return Says("take {cards} back: {seat} has melded already", values), rule("gap 2")


def _of_the_turn_before(state: RummyState, found: Weighed, past: Sequence[Action], lain: Action | None) -> Counter[str]:
    """The surplus cards that were on the table already when the turn before this one ended."""
    before = next((action for action in past if not isinstance(action, Drew | Shown | Counted)), None)
    if not isinstance(lain, Melded) or not isinstance(before, Ended) or before.seat != lain.seat:
        return Counter()
    return Counter(lain.laid or ()) & changed(found.look, lay(state))[0]


def _left_there(state: RummyState, reading: RummyReading, found: Weighed, others: Counter[str]) -> Doubt[Action]:
    """Cards of the earlier turn are still there. They go back, and never count for the next player without a
    question."""
    values = {"cards": _cards(others), "seat": state.turn}
    says = Says("take {cards} back: laid before the turn of {seat}, when it was not allowed", values)
    best = next((way for way in found.ways if way.action is not None and way.likely >= 0.5), None)
    own: tuple[Choice[Action], ...] = ()
    if best is not None:
        told = {"seat": state.turn, "laid": " ".join(best.action.laid)}
        says_own = Says("all of it is from the hand of {seat}: {laid}", told)
        own = (Choice("own", says_own, best.action),)
    ring = places_of(reading, which(found.look.names, others))
    return Doubt("left", says, (_BACK, *own), rule("gap 24"), places_mm=ring)


def _cards(cards: Counter[str]) -> str:
    return " ".join(sorted_cards(list(cards.elements())))


_NONE: Choice[Action] = Choice(LOOK_AGAIN, Says("none of these: look again"))
_UNCOVERED: Choice[Action] = Choice(LOOK_AGAIN, Says("it was covered: look again"))
_BACK: Choice[Action] = Choice(LOOK_AGAIN, Says("it is taken back: look again"))
_BY_TAPS: Choice[Action] = Choice("by_taps", Says("we play by taps"))
_PUT_RIGHT: Choice[Action] = Choice(LOOK_AGAIN, Says("it is put right: look again"))
_PUT_BACK: Choice[Action] = Choice("put_back", Says("the table is as it was"))


def _values(table: Table) -> dict[str, object]:
    return {"table": table_text(table) or Says("empty")}
