"""House rules of Suspend: modes and switches with their defaults, the rods, and how paragraphs are cited."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from companion.game.errors import NotationError
from companion.game.options import chosen
from companion.game.says import Says
from companion.game.values import Option, RuleSheet, yes_no
from companion.game.whole import whole_of

TITLE = "Suspend"
COLORS: tuple[str, ...] = ("orange", "red", "yellow", "green", "blue", "black")
"""The rods' colors, longest first (gap 1; lengths in kit.toml)."""
COUNT_EACH = 4
"""Rods of each color (gap 2)."""
NOTCHES = "orange:7,red:6,yellow:5,green:5,blue:4,black:3"
SEATS: tuple[str, ...] = ("A", "B", "C", "D")
MOST_NOTCHES = 100
ELIMINATED_AT = 20
DRAW = "draw"
"""Name of the draw pile as a source of pieces."""


class Mode(StrEnum):
    """The sheet's games. The removal duel is not chosen: it follows a stop with equal standing (gap 18)."""

    BEGINNER = "beginner"
    INTERMEDIATE = "intermediate"
    EXPERT = "expert"
    SOLO = "solo"


HEADINGS = {
    Mode.BEGINNER: "Beginner Game",
    Mode.INTERMEDIATE: "Intermediate Game",
    Mode.EXPERT: "Expert Tournament",
    Mode.SOLO: "Solo Game",
}


rule = RuleSheet(TITLE)

OPTIONS: tuple[Option, ...] = (
    Option("mode", Mode.INTERMEDIATE, tuple(Mode), Says("Which of the sheet's games is played?"), rule("gap 4")),
    yes_no("beginner_strict", True, Says("Must a beginner play the longest color still in his pile?"), rule("gap 7")),
    yes_no("connector_in_play", False, Says("Is the wooden connector a hanging point?"), rule("gap 19")),
    Option("first_player", "A", SEATS, Says("Who is the youngest, and begins?"), rule("gap 6")),
    Option(
        "notches",
        NOTCHES,
        (NOTCHES, "yellow:6,red:6"),
        Says("How many notches has each color of this set?"),
        rule("gap 3"),
        is_counted=True,
    ),
)


def no_color(color: str) -> Says:
    values = {"color": color, "colors": ", ".join(COLORS)}
    return Says("{color} is not a color of the pieces, expected one of {colors}", values)


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """The mode and house rules of one match; the defaults are our reading of the sheet."""

    mode: Mode = Mode.INTERMEDIATE
    beginner_strict: bool = True
    connector_in_play: bool = False
    notches: str = NOTCHES

    def __post_init__(self) -> None:
        notch_table(self.notches)

    @property
    def has_die(self) -> bool:
        return self.mode in (Mode.INTERMEDIATE, Mode.EXPERT)


@lru_cache(maxsize=64)
def notch_table(notches: str) -> Mapping[str, int]:
    """Notches of each color, by the text of the option `notches`. Raises: NotationError."""
    table: dict[str, int] = {}
    for part in (*NOTCHES.split(","), *filter(None, notches.split(","))):
        color, _, number = part.strip().partition(":")
        count = whole_of(number, 1, MOST_NOTCHES)
        if color not in COLORS:
            words = "{given} names no color of the set, expected a color and its notches such as black:3"
            raise NotationError(Says(words, {"given": part}), "notches")
        if count is None:
            values = {"color": color, "most": MOST_NOTCHES, "given": number or "-"}
            raise NotationError(Says("notches of {color}: expected 1 to {most}, not {given}", values), "notches")
        table[color] = count
    return table


def house_of(options: Mapping[str, str]) -> House:
    """The house rules that options give. Raises: NotationError for a wrong key or value."""
    told = chosen(OPTIONS, options, TITLE, free=("first_player", "notches"))
    return House(
        mode=Mode(told["mode"]),
        beginner_strict=told["beginner_strict"] == "true",
        connector_in_play=told["connector_in_play"] == "true",
        notches=told["notches"],
    )
