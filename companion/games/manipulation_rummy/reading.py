"""The eyes' report on a rummy table: melds in their places, jokers as bare cards, never hands or stock.

Two copies of a card look the same, so tables are compared as collections of melds. A joker's card is not visible. It is
derived if its meld and the jokers declared before force it; otherwise the people are asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Protocol

from companion.game.cards import card_seen, in_hand, sorted_cards
from companion.game.errors import NotationError
from companion.game.readings import SURE, CardSeen
from companion.game.says import Says, counted
from companion.game.values import LOOK_AGAIN, Choice, Doubt, Illegal, Proposal
from companion.games.manipulation_rummy.house import House, cards_says, points_of, points_says, rule
from companion.games.manipulation_rummy.melds import (
    SMALLEST,
    Meld,
    Table,
    cards_of,
    declarations,
    same_table,
    table_text,
)
from companion.games.manipulation_rummy.rules import apply, judge_meld, possible_tables, to_move
from companion.games.manipulation_rummy.state import Action, Drew, Melded, Phase, RummyState, Shown

MOST_SHOWN = 3
"""Maximum number of doubtful cards cut out of the picture for a question."""
MOST_CHOICES = 6
"""More readings of a joker than this are not offered as answers: the player names the card."""


class MeldsSeen(Protocol):
    """A rummy reading: cards, and which of them (by index) lie together."""

    @property
    def cards(self) -> Sequence[CardSeen]:
        """The face-up cards."""

    @property
    def melds(self) -> Sequence[Sequence[int]]:
        """The melds, as indices into `cards`."""


def interpret(
    state: RummyState, reading: MeldsSeen, past: Sequence[Action] = ()
) -> Proposal[Action] | Doubt[Action] | None:
    """The event that a settled table shows, once the player says done; None if it is as recorded.

    After a round the hands are laid out and the cards gathered: then the melds mean nothing.
    """
    if state.phase in (Phase.DEAL, Phase.OVER):
        return None
    names = _names(state, reading)
    is_unsure = _unsure_of(state, reading, names)
    if state.phase is Phase.SHOW:
        return _hand_laid_out(state, reading, names, is_unsure)
    table = None if None in names else _table(state, reading, names)
    if table is None or any(is_unsure):
        return _unsure(state, reading, names, table, is_unsure)
    choices = possible_tables(state, table)
    if _is_as_recorded(state, table, choices):
        return None
    if state.phase is not Phase.PLAY:
        return _too_early(state, table)
    return _judge(state, table, choices)


def _is_as_recorded(state: RummyState, table: Table, choices: tuple[Table, ...]) -> bool:
    return any(same_table(choice, state.table) for choice in choices) or not (table or state.table)


def _names(state: RummyState, reading: MeldsSeen) -> list[str | None]:
    """The cards by name. Cards that cannot be read are the one that lay there before and is seen nowhere else."""
    names = [_card(card) for card in reading.cards]
    unread = names.count(None)
    missing = _lay(state) - Counter(name for name in names if name)
    if unread and len(missing) == 1 and missing.total() == unread:
        (lost,) = missing
        names = [
            lost if name is None and not card.rank else name for name, card in zip(names, reading.cards, strict=True)
        ]
    return names


def _unsure_of(state: RummyState, reading: MeldsSeen, names: Sequence[str | None]) -> list[bool]:
    """Cards that are not certain. The record vouches for those that were there before."""
    doubted = [card.confidence < SURE or name is None for card, name in zip(reading.cards, names, strict=True)]
    vouched = _lay(state) - Counter(name for name, doubt in zip(names, doubted, strict=True) if name and not doubt)
    for i, name in enumerate(names):
        if doubted[i] and name and vouched[name] > 0:
            vouched[name] -= 1
            doubted[i] = False
    return doubted


def _lay(state: RummyState) -> Counter[str]:
    """The cards of the recorded table, jokers as jokers."""
    return Counter(in_hand(card) for meld in state.table for card in meld)


def _hand_laid_out(
    state: RummyState, reading: MeldsSeen, names: Sequence[str | None], is_unsure: Sequence[bool]
) -> Proposal[Action] | Doubt[Action] | None:
    """After a round the hands are laid out face up, one after the other: what came to the table is the next one's.

    Where more lie than the player holds, and as many as that are sure, these may be the hand: it is asked.
    """
    shown = Counter(card for hand in state.hands if hand.is_known for card in hand.cards)
    new = Counter(name for name in names if name) - _lay(state) - shown
    unread = any(doubt for doubt, name in zip(is_unsure, names, strict=True) if name is None or new[name])
    if not new and not unread:
        return None
    seat = to_move(state)[0]
    size, count = state.hand(seat).size, new.total()
    told = Counter(name for name, doubt in zip(names, is_unsure, strict=True) if name and not doubt)
    sure = told - _lay(state) - shown
    cards = sorted_cards(list((sure if count > size == sure.total() else new).elements()))
    hand: Action = Shown(seat, cards)
    values = {"seat": seat, "cards": " ".join(cards), "points": points_says(points_of(cards, state.house))}
    says = Says("{seat} shows {cards}: {points}", values)
    if len(cards) == size and not unread:
        return Proposal((hand,), says)
    answers: tuple[Choice[Action], ...] = ()
    if len(cards) == size:
        with suppress(Illegal):  # nobody is offered what the rules refuse
            apply(state, hand)
            answers = (Choice("as_read", says, hand),)
    words = "{seat} holds {hand}, and {count} new ones are here: lay out this hand alone, its corners visible"
    asked = Says(words, {"seat": seat, "hand": cards_says(size), "count": count})
    return Doubt("cards", asked, (*answers, _LOOK_AGAIN), rule("End of a Round"))


def _unsure(
    state: RummyState,
    reading: MeldsSeen,
    names: Sequence[str | None],
    table: Table | None,
    is_unsure: Sequence[bool],
) -> Doubt[Action] | None:
    """Cards that cannot be read for sure: nothing is asked while they may be those that lay there."""
    sure = Counter(card for card, unsure in zip(names, is_unsure, strict=True) if card and not unsure)
    lay = cards_of(state.table)
    if len(reading.cards) == lay.total() and sure <= Counter(in_hand(card) for card in lay.elements()):
        return None
    answers: tuple[Choice[Action], ...] = ()
    if table is not None and state.phase is Phase.PLAY:
        found = _judge(state, table, possible_tables(state, table))
        if isinstance(found, Proposal):
            answers = (Choice("as_read", found.says, found.actions[0]),)
        elif found.key == "joker":
            answers = found.choices
    answers += _no_card(state, reading, names, is_unsure)
    wrong = [card for card, unsure in zip(reading.cards, is_unsure, strict=True) if unsure]
    values = {"card": f"{wrong[0].rank or ''}{wrong[0].suit or ''}"}
    words = (
        "one card cannot be read for sure, it may be {card}: uncover it",
        "{count} cards cannot be read for sure, the first may be {card}: uncover them",
    )
    says = counted(len(wrong), *words, values) if values["card"] else Says("a card cannot be read: uncover it")
    places = tuple((f"card {i + 1}", *place) for i, card in enumerate(wrong[:MOST_SHOWN]) if (place := _place(card)))
    return Doubt("cards", says, (*answers, _LOOK_AGAIN), rule("Melds"), places_mm=places)


def _no_card(
    state: RummyState, reading: MeldsSeen, names: Sequence[str | None], is_unsure: Sequence[bool]
) -> tuple[Choice[Action], ...]:
    """The answer that the unreadable thing is not a card, if all others are sure: paper, or room between cards."""
    if None not in names or any(unsure for unsure, name in zip(is_unsure, names, strict=True) if name):
        return ()
    table = _table(state, reading, names)
    choices = possible_tables(state, table)
    if _is_as_recorded(state, table, choices):
        return (Choice("no_card", Says("no card is there: nothing has changed")),)
    found = _judge(state, table, choices) if state.phase is Phase.PLAY else None
    if not isinstance(found, Proposal):
        return ()
    return (Choice("no_card", Says("no card is there: {laid}", {"laid": found.says}), found.actions[0]),)


def _place(card: CardSeen) -> tuple[float, float] | None:
    """Its place, as readers of measured tables report it."""
    place: tuple[float, float] | None = getattr(card, "middle_mm", None)
    return place


def _card(card: CardSeen) -> str | None:
    if not card.rank:
        return None
    try:
        return card_seen(card.rank, card.suit)
    except NotationError:
        return None


def _too_early(state: RummyState, table: Table) -> Doubt[Action]:
    """Cards were laid while melding is not open: before the first draw, a draw may not have been entered.

    A mat without any card belongs to people who play by taps, or the table was cleared.
    """
    if not table:
        says = Says("the mat has no cards: lay the table out again, or go on by taps")
        return Doubt("table", says, (_BY_TAPS, _PUT_BACK), rule("Gameplay"))
    says = Says("the table changed, but melding is closed: put it back as it was: {table}", _values(state.table))
    answers: tuple[Choice[Action], ...] = ()
    if state.phase is Phase.DRAW:
        drawn = Drew(state.turn)
        after = apply(state, drawn).state
        found = _judge(after, table, possible_tables(after, table))
        if isinstance(found, Proposal):
            told = Says("{seat} drew a card first, and {laid}", {"seat": state.turn, "laid": found.says})
            answers = (Choice("drew", told, drawn, found.actions),)
    return Doubt("table", says, (*answers, _PUT_BACK), rule("Gameplay"))


_LOOK_AGAIN: Choice[Action] = Choice(LOOK_AGAIN, Says("the cards are uncovered now: look again"))
_BY_TAPS: Choice[Action] = Choice("by_taps", Says("we play by taps"))
_PUT_BACK: Choice[Action] = Choice("put_back", Says("the table is as it was"))


def _values(table: Table) -> dict[str, object]:
    return {"table": table_text(table) or Says("empty")}


def _table(state: RummyState, reading: MeldsSeen, cards: Sequence[str | None]) -> Table:
    """The melds as bare cards, without unreadable ones. A row that is not a meld but splits into melds in one way is
    several melds side by side."""
    rows = [tuple(card for i in meld if (card := cards[i])) for meld in reading.melds]
    melds = [meld for row in rows if row for meld in _parted(row, state.house)]
    together = {i for meld in reading.melds for i in meld}
    return (*melds, *((card,) for i, card in enumerate(cards) if card and i not in together))


def _parted(row: Meld, house: House) -> tuple[Meld, ...]:
    if len(row) < 2 * SMALLEST or declarations(row, house):
        return (row,)
    ways = list(_ways(row, house))
    return ways[0] if len(ways) == 1 else (row,)


def _ways(row: Meld, house: House) -> Iterator[tuple[Meld, ...]]:
    """Every way to part a row into melds of its neighbours."""
    if not row:
        yield ()
    for end in range(SMALLEST, len(row) + 1):
        if declarations(row[:end], house):
            for rest in _ways(row[end:], house):
                yield (row[:end], *rest)


def _judge(state: RummyState, table: Table, choices: tuple[Table, ...]) -> Proposal[Action] | Doubt[Action]:
    legal: list[Melded] = []
    refused = Illegal(Says("the table cannot be read"), rule("Melds"))
    for choice in reversed(choices or (table,)):
        action = Melded(state.turn, choice)
        try:
            declared, laid = judge_meld(state, action)
        except Illegal as error:
            refused = error
        else:
            legal.insert(0, Melded(state.turn, declared, laid))
    if len(legal) == 1:
        melded = legal[0]
        values = {"seat": state.turn, "laid": " ".join(melded.laid or ()), **_values(melded.table)}
        return Proposal((melded,), Says("{seat} laid {laid}: {table}", values))
    if legal:
        answers: tuple[Choice[Action], ...] = tuple(
            Choice(table_text(action.table), Says("{table}", _values(action.table)), action)
            for action in legal[:MOST_CHOICES]
        )
        says = Says("{seat}, which card does the joker stand for?", {"seat": state.turn})
        return Doubt("joker", says, answers, rule("Jokers"))
    says = Says("{why}: put the table back, take your cards, draw on", {"why": refused.says})
    return Doubt("illegal", says, (_PUT_BACK,), refused.rule)
