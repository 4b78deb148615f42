"""The state of a match of Manipulation Rummy, and the facts that change it.

Hands are hidden. The referee knows their sizes, and their cards only as far as their owners entered them (`Shown`,
`Drew` with the card). Known cards serve that seat's hints and the scoring. No other seat sees them before the round
ends.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from enum import StrEnum

import msgspec

from companion.game.cards import JOKER, in_hand, is_card, is_joker, sorted_cards
from companion.games.manipulation_rummy.house import House
from companion.games.manipulation_rummy.melds import Table


class Phase(StrEnum):
    DRAW = "draw"
    """The turn begins: the first card is always drawn."""
    PLAY = "play"
    """Melding is open; without it the next card is drawn."""
    END = "end"
    """The melding is done or skipped: knock or end the turn."""
    SHOW = "show"
    """The round is over: hands are shown and counted."""
    DEAL = "deal"
    """The round is scored: the next dealer deals."""
    OVER = "over"
    """Somebody reached 150."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hand:
    """A hand: its size, and the cards that its owner entered (never more than `size`)."""

    size: int
    cards: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for card in self.cards:
            if not is_card(card) or (is_joker(card) and card != JOKER):
                raise ValueError(f"{card!r} is not a card of a hand, expected one such as 5C, 10H or JK")

    @property
    def is_known(self) -> bool:
        return len(self.cards) == self.size


@dataclass(frozen=True, slots=True, kw_only=True)
class RummyState:
    """A match: the round on the table and the points of the rounds before. Tuples by seat follow `seats`."""

    seats: tuple[str, ...]
    house: House
    packs: int
    round: int
    dealer: str
    turn: str
    phase: Phase
    draws: int
    """Cards drawn in this turn."""
    stock: int
    """Cards left in the face-down draw pile."""
    table: Table
    hands: tuple[Hand, ...]
    exhausted_by: str | None = None
    """The seat that drew the last card of the stock."""
    last_turns: tuple[str, ...] = ()
    """The seats that still have their last turn, after the current one (gap 17)."""
    knocked: str | None = None
    out: str | None = None
    """The seat that played its last card."""
    totals: tuple[int, ...]
    rounds_won: tuple[int, ...]
    scored: tuple[int, ...] = ()
    """Each seat's score in the round counted last; empty before."""

    def __post_init__(self) -> None:
        for meld in self.table:
            for card in meld:
                if not is_card(card):
                    raise ValueError(f"{card!r} is not a card, expected one such as 5C, JK or JK=9C")

    def hand(self, seat: str) -> Hand:
        return self.hands[self.seats.index(seat)]

    def with_hand(self, seat: str, hand: Hand) -> RummyState:
        hands = (hand if name == seat else own for name, own in zip(self.seats, self.hands, strict=True))
        return replace(self, hands=tuple(hands))

    @property
    def is_last_turn(self) -> bool:
        """Whether the current turn is a last one, without drawing (gap 17)."""
        return self.exhausted_by is not None and self.draws == 0

    def seen(self) -> Counter[str]:
        """Number of each card on the table and in known hands, jokers as jokers."""
        return Counter(
            [in_hand(c) for meld in self.table for c in meld] + [c for hand in self.hands for c in hand.cards]
        )


class Fact(msgspec.Struct, frozen=True, tag_field="kind", forbid_unknown_fields=True):
    seat: str


class Drew(Fact, frozen=True, tag="drew"):
    """A seat took the top card of the stock; `card` only if its owner entered it."""

    card: str | None = None


class Melded(Fact, frozen=True, tag="melded"):
    """A seat laid cards and says done: `table` is the whole table after, `laid` what left the hand.

    Without `laid` (None) it is the difference of the tables.
    """

    table: Table
    laid: tuple[str, ...] | None = None


class Knocked(Fact, frozen=True, tag="knocked"):
    """A seat knocks at the end of its turn: the round is over."""


class Ended(Fact, frozen=True, tag="ended"):
    """A seat ends its turn without knocking."""


class Shown(Fact, frozen=True, tag="shown"):
    """A seat tells the referee its whole hand: for its own hints during a round, for the count after it."""

    cards: tuple[str, ...]


class Counted(Fact, frozen=True, tag="counted"):
    """A seat counted its hand: it holds `cards`, whatever was entered before."""

    cards: int


class Withdrew(Fact, frozen=True, tag="withdrew"):
    """A seat takes its knock back before its hand is counted: it holds too many points."""


class Dealt(msgspec.Struct, frozen=True, tag="dealt", tag_field="kind", forbid_unknown_fields=True):
    """The next round was shuffled and dealt."""


Action = Drew | Melded | Knocked | Ended | Shown | Counted | Withdrew | Dealt


def clean_hand(cards: tuple[str, ...]) -> tuple[str, ...]:
    return sorted_cards([in_hand(card) for card in cards])
