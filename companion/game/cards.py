"""Playing cards as short texts, shared by rules, readers and pages.

A card is its rank and suit, ``5C`` or ``10H``; ``JK`` is a joker that stands for nothing yet and ``JK=9C`` one that
was declared the nine of clubs. ``JK=9C/9D`` may be either nine: nobody said. The *identity* of a card is the card it is
or stands for, if that is known. Two copies of a card are the same text.

>>> card_of_text("10h"), identity("JK=9C"), identity("JK=9C/9D"), identity("JK")
('10H', '9C', None, None)
"""

import re
from functools import lru_cache

from companion.game.errors import NotationError
from companion.game.says import Says

RANKS: tuple[str, ...] = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SUITS: tuple[str, ...] = ("C", "D", "H", "S")
SIGNS = dict(zip(SUITS, "♣♦♥♠", strict=True))
JOKER = "JK"
DECLARED = "JK="
OR = "/"
"""Between the cards that an undecided joker may stand for."""
READ_AS_JOKER = "JOKER"
"""The rank that readers give a joker (contract: cards, rummy)."""
PACK: tuple[str, ...] = tuple(rank + suit for suit in SUITS for rank in RANKS)
"""The 52 cards of a pack, suit by suit, ace first; a card's index here is its number."""
NUMBER: dict[str, int] = {card: number for number, card in enumerate(PACK)}
_KNOWN: frozenset[str] = frozenset((*PACK, JOKER, *(DECLARED + card for card in PACK)))
_WRITTEN = re.compile(r"\b(10|[2-9AJQK])([CDHS])\b")
_DECLARED = re.compile(r"JK=(\S+[♣♦♥♠])")
_ORDER: dict[str | None, tuple[int, int]] = {card: (RANKS.index(card[:-1]), SUITS.index(card[-1])) for card in PACK}
_ORDER[None] = (len(RANKS), 0)


def shown(text: str) -> str:
    """A text with its cards as people read them.

    >>> shown("[4D JK=10H] JK=9C/9D JK")
    '[4♦ Joker (10♥)] Joker (9♣/9♦) Joker'
    """
    signed = _WRITTEN.sub(lambda card: card[1] + SIGNS[card[2]], text)
    return _DECLARED.sub(r"Joker (\1)", signed).replace(JOKER, "Joker")


@lru_cache(maxsize=1024)
def is_card(text: str) -> bool:
    """Whether a text is a card in its canonical spelling, including jokers, declared, undecided or neither."""
    if text in _KNOWN:
        return True
    numbers = [NUMBER.get(card, -1) for card in text.removeprefix(DECLARED).split(OR)]
    return text.startswith(DECLARED) and min(numbers) >= 0 and numbers == sorted(set(numbers))


def is_joker(card: str) -> bool:
    return card.startswith(JOKER)


def identity(card: str) -> str | None:
    """The identity of a card; None for a joker that stands for nothing yet, or for one of several cards."""
    return None if card == JOKER or OR in card else card.removeprefix(DECLARED)


def may_be(card: str) -> tuple[str, ...]:
    """Every card that a card is or may stand for."""
    return PACK if card == JOKER else tuple(card.removeprefix(DECLARED).split(OR))


def joker_as(*cards: str) -> str:
    """A joker that stands for one of these cards."""
    return DECLARED + OR.join(sorted(set(cards), key=NUMBER.__getitem__))


def in_hand(card: str) -> str:
    """The card as it is in a hand: a declared joker is a plain joker again."""
    return JOKER if is_joker(card) else card


def rank_of(card: str) -> str:
    """The rank of a card, or for a declared joker that of the card it stands for; empty for a bare joker."""
    return (identity(card) or "?")[:-1]


def suit_of(card: str) -> str:
    """The suit of a card, or for a declared joker that of the card it stands for; ? for a bare joker."""
    return (identity(card) or "?")[-1]


def card_order(card: str) -> tuple[int, int, bool]:
    """The order in which hands are written: by rank, then suit, a real card before a joker, bare jokers last."""
    return (*_ORDER[identity(card)], is_joker(card))


def sorted_cards(cards: tuple[str, ...] | list[str]) -> tuple[str, ...]:
    return tuple(sorted(cards, key=card_order))


def card_of_text(text: str) -> str:
    """The card in a text; small letters and ``T`` for ten are understood. Raises: NotationError."""
    card = text.strip().upper()
    head, equals, rest = card.partition("=")
    named = ["10" + one[1:] if one.startswith("T") else one for one in (rest if equals else head).split(OR)]
    card = f"{head}={OR.join(sorted(set(named), key=lambda one: NUMBER.get(one, -1)))}" if equals else OR.join(named)
    if not is_card(card):
        words = "{given} is not a card, expected rank and suit such as 5C or 10H, JK for a joker, JK=9C when declared"
        raise NotationError(Says(words, {"given": repr(text)}), text)
    return card


@lru_cache(maxsize=64)
def card_seen(rank: str, suit: str | None) -> str:
    """The card from a reader's rank and suit; a joker's suit is None. Raises: NotationError.

    >>> card_seen("10", "H"), card_seen("JOKER", None)
    ('10H', 'JK')
    """
    return JOKER if rank == READ_AS_JOKER else card_of_text(f"{rank}{suit or ''}")
