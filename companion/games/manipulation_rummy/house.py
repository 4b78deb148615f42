"""House rules of Manipulation Rummy: the switches with their defaults, card values, and how paragraphs are cited."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from companion.game.cards import JOKER, RANKS, in_hand, rank_of
from companion.game.errors import NotationError
from companion.game.options import chosen
from companion.game.says import Says, counted
from companion.game.values import Option, RuleSheet, yes_no
from companion.game.whole import whole_of

TITLE = "Manipulation Rummy"
VALUES = "A:1,J:10,Q:10,K:10,JK:25"
ANY = "any"
SEATS: tuple[str, ...] = ("A", "B", "C", "D", "E")
FEWEST_SEATS, MOST_SEATS = 2, 5
MANY_SEATS = 3
"""From this many players on two packs are in play (sheet, Deck)."""
HAND_CARDS = 10
KNOCK_POINTS = 5
UNDERCUT_BONUS = 10
OUT_BONUS = 25
GOAL_POINTS = 150
GOALS = ("150", "100", "75", "50")
GOAL_BONUS = 100
ROUND_BONUS = 25
MOST_DRAWS = 3
MOST_GOAL = 1000
"""Maximum points of a match, and of one card."""
PACK_CARDS = 53
"""52 cards and a joker."""


rule = RuleSheet(TITLE)

OPTIONS: tuple[Option, ...] = (
    Option(
        "values",
        VALUES,
        (VALUES, "A:15,J:10,Q:10,K:10,JK:25"),
        Says("How many points do aces, court cards and jokers count?"),
        rule("gap 8"),
    ),
    yes_no("ace_both_ends", True, Says("May a sequence of fourteen use an ace at both ends?"), rule("gap 7")),
    Option("max_jokers_per_meld", ANY, (ANY, "1", "2"), Says("How many jokers may one meld hold?"), rule("gap 13")),
    yes_no(
        "box_bonus_for_finishers",
        False,
        Says("Do players who reach 150 also receive 25 points for each round they won?"),
        rule("gap 22"),
    ),
    Option("goal", str(GOAL_POINTS), GOALS, Says("How many points is the match played to?"), rule("gap 27")),
    Option("first_dealer", "A", SEATS, Says("Who was drawn by lot to deal first?"), rule("gap 26")),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """The house rules of one match; the defaults are our reading of the sheet."""

    values: str = VALUES
    ace_both_ends: bool = True
    max_jokers_per_meld: int | None = None
    box_bonus_for_finishers: bool = False
    goal: int = GOAL_POINTS

    def __post_init__(self) -> None:
        value_table(self.values)
        _number("goal", self.goal, MOST_GOAL)
        if self.max_jokers_per_meld is not None:
            _number("max_jokers_per_meld", self.max_jokers_per_meld, MOST_GOAL)


def _number(key: str, given: object, most: int) -> int:
    """The number that a house rule is. Raises: NotationError."""
    number = whole_of(str(given), 1, most)
    if number is None:
        values = {"field": key, "given": repr(given), "most": most}
        raise NotationError(Says("{field} is {given}, expected a number from 1 to {most}", values), key)
    return number


@lru_cache(maxsize=64)
def value_table(values: str) -> Mapping[str, int]:
    """Points of each rank and of the joker, by the text of the option `values`. Raises: NotationError."""
    table = {rank: int(rank) for rank in RANKS if rank.isdigit()}
    for part in (*VALUES.split(","), *filter(None, values.split(","))):
        rank, _, points = part.strip().partition(":")
        count = whole_of(points, 1, MOST_GOAL)
        if rank not in (*RANKS, JOKER) or count is None:
            words = "values has {given}, expected a rank and its points such as A:1 or JK:25"
            raise NotationError(Says(words, {"given": repr(part)}), "values")
        table[rank] = count
    return table


def points_of(cards: Iterable[str], house: House) -> int:
    """The points of cards held in a hand (sheet, End of a Round; gap 8)."""
    table = value_table(house.values)
    return sum(table[JOKER if in_hand(card) == JOKER else rank_of(card)] for card in cards)


def cards_says(cards: int) -> Says:
    return counted(cards, "one card", "{count} cards", none="no cards")


def packs_says(packs: int) -> Says:
    return counted(packs, "one pack", "{count} packs")


def too_often(card: str, count: int, packs: int) -> Says:
    """The fault if a card appears more often than the packs have it."""
    values = {"card": Says("joker") if card == JOKER else card, "count": count, "packs": packs_says(packs)}
    return Says("there are {count} of the {card}, and {packs}", values)


def house_of(options: Mapping[str, str]) -> House:
    """The house rules that options give. Raises: NotationError for a wrong key or value."""
    told = chosen(OPTIONS, options, TITLE, free=("values", "max_jokers_per_meld", "goal", "first_dealer"))
    jokers = told["max_jokers_per_meld"]
    return House(
        values=told["values"],
        ace_both_ends=told["ace_both_ends"] == "true",
        max_jokers_per_meld=None if jokers == ANY else _number("max_jokers_per_meld", jokers, MOST_GOAL),
        box_bonus_for_finishers=told["box_bonus_for_finishers"] == "true",
        goal=_number("goal", told["goal"], MOST_GOAL),
    )
