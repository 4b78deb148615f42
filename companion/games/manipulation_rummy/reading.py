"""What the eyes say of a rummy table: melds as they lie, jokers as bare cards, hands and stock never.

Two copies of a card cannot be told apart, so tables are compared as collections of melds. What a joker stands for is
not to be seen: it is derived where its meld and the jokers declared before force it, else the people are asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from companion.cards import card_seen
from companion.errors import NotationError
from companion.game import Choice, Doubt, Illegal, Proposal
from companion.games.manipulation_rummy.house import rule
from companion.games.manipulation_rummy.melds import Table, same_table, table_text
from companion.games.manipulation_rummy.rules import judge_meld, possible_tables
from companion.games.manipulation_rummy.state import Action, Melded, Phase, RummyState
from companion.readings import SURE, CardSeen
from companion.says import Says

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


def interpret(state: RummyState, reading: MeldsSeen) -> Proposal[Action] | Doubt[Action] | None:
    """What a table at rest says happened, once the player says done; None while it lies as recorded."""
    unsure = [card for card in reading.cards if card.confidence < SURE or not card.rank]
    if unsure:
        values = {"count": len(unsure), "card": f"{unsure[0].rank}{unsure[0].suit or ''}"}
        says = Says("{count} cards cannot be read for sure, the first may be the {card}: lay them free", values)
        return Doubt("cards", says, (_LOOK_AGAIN,), rule("Melds"))
    try:
        table = _table(reading)
    except NotationError as error:
        return Doubt("cards", Says("{error}", {"error": str(error)}), (_LOOK_AGAIN,), rule("Deck"))
    choices = possible_tables(state, table)
    if any(same_table(choice, state.table) for choice in choices) or (not table and not state.table):
        return None
    if state.phase is not Phase.PLAY:
        says = Says("the table changed, and no melding is open: put it back as it was: {table}", _values(state.table))
        return Doubt("table", says, (_PUT_BACK,), rule("Gameplay"))
    return _judge(state, table, choices)


_LOOK_AGAIN: Choice[Action] = Choice("look_again", Says("the cards lie free now: look again"))
_PUT_BACK: Choice[Action] = Choice("put_back", Says("the table lies as it was"))


def _values(table: Table) -> dict[str, str]:
    return {"table": table_text(table) or "empty"}


def _table(reading: MeldsSeen) -> Table:
    cards = [card_seen(card.rank, card.suit) for card in reading.cards]
    melds = [tuple(cards[i] for i in meld) for meld in reading.melds]
    together = {i for meld in reading.melds for i in meld}
    return (*melds, *((card,) for i, card in enumerate(cards) if i not in together))


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
            Choice(str(at), Says("{table}", _values(action.table)), action)
            for at, action in enumerate(legal[:MOST_CHOICES])
        )
        says = Says("{seat}, which card does the joker stand for?", {"seat": state.turn})
        return Doubt("joker", says, answers, rule("Jokers"))
    says = Says("{why}: put the table back, take your cards, draw on", {"why": str(refused.says)})
    return Doubt("illegal", says, (_PUT_BACK,), refused.rule)
