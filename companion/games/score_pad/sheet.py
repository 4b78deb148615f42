"""Presets of a pad, the house rules that change them, and the sheet that both make.

A preset is a TOML file in `presets/`: its keys are those of `KEYS`, its values are texts. A house rule of the same key
stands before the preset's value. `sheet_of` makes the sheet of both.
"""

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from companion.game.errors import NotationError
from companion.game.options import chosen
from companion.game.says import Says
from companion.game.values import Option, RuleSheet
from companion.games.score_pad.dice import is_known

TITLE = "Score pad"
rule = RuleSheet(TITLE)
SEATS = tuple("ABCDEFGHIJKL")
MOST_POINTS = 100_000
MOST_LINES, LONGEST_NAME = 40, 40
NUMBER = re.compile(r"-?\d{1,6}")
FOLDER = Path(__file__).parent / "presets"
AS_PRESET = ""
WAYS = ("rounds", "total", "turns", "lines", "bids", "winner")
"""Each in turn a number a round; numbers at any time; turn by turn; a number a line; bids and tricks; who won."""

NAMES: Mapping[str, Says] = {
    "ones": Says("Ones"),
    "twos": Says("Twos"),
    "threes": Says("Threes"),
    "fours": Says("Fours"),
    "fives": Says("Fives"),
    "sixes": Says("Sixes"),
    "three alike": Says("Three alike"),
    "four alike": Says("Four alike"),
    "full house": Says("Full house"),
    "small straight": Says("Small straight"),
    "large straight": Says("Large straight"),
    "five alike": Says("Five alike"),
    "chance": Says("Chance"),
}
"""The lines of the presets in words; a line that people name keeps its name."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the sheet: its name, and the rule that gives its points by the dice (`dice.points_of`)."""

    name: str
    rule: str = ""

    @property
    def says(self) -> Says:
        return NAMES.get(self.name, Says("{name}", {"name": self.name}))


@dataclass(frozen=True, slots=True, kw_only=True)
class PadSheet:
    """The rules for writing and counting points, and for the end of a match."""

    way: str = "rounds"
    called: str = ""
    is_lowest: bool = False
    begins: int = 0
    is_down: bool = False
    """Points are taken off what a side begins with; more than is left counts nothing."""
    goal: int | None = None
    is_at_once: bool = False
    """The goal ends the match at once, else once all have had as many turns."""
    rounds: int | None = None
    lines: tuple[Line, ...] = ()
    bonus: tuple[int, ...] = ()
    """Points, from how many points on, and of how many first lines."""
    hit: tuple[int, ...] = (0, 0)
    miss: tuple[int, ...] = (0, 0)
    """A bid kept: points, and more for each trick. Missed: points, and more for each trick off."""
    dice: int = 0
    combos: bool = False
    """The dice that score are worth points by themselves, as in press-your-luck games."""
    teams: int = 0
    timer: int = 0
    least: int = -9999
    most: int = 99999

    @property
    def is_lined(self) -> bool:
        return self.way == "lines"


def _number(key: str, text: str) -> int:
    if not NUMBER.fullmatch(text) or abs(int(text)) > MOST_POINTS:
        raise NotationError(f"{key} is {text!r}, expected a whole number up to {MOST_POINTS}", key)
    return int(text)


def _counted(least: int, most: int) -> Callable[[str, str], int]:
    def number(key: str, text: str) -> int:
        found = _number(key, text)
        if not least <= found <= most:
            raise NotationError(f"{key} is {found}, expected {least} to {most}", key)
        return found

    return number


def _numbers(key: str, text: str) -> tuple[int, ...]:
    return tuple(_number(key, each) for each in text.split())


def _one_of(*known: str) -> Callable[[str, str], str]:
    def one(key: str, text: str) -> str:
        if text not in known:
            raise NotationError(f"{key} is {text!r}, expected one of {', '.join(known)}", key)
        return text

    return one


def _is(word: str, other: str) -> Callable[[str, str], bool]:
    return lambda key, text: _one_of(word, other)(key, text) == word


def _name(key: str, text: str) -> str:
    if len(text) > LONGEST_NAME or not text.isprintable():
        raise NotationError(f"{key} is too long or not printable, expected at most {LONGEST_NAME} letters", key)
    return text


def _lines(key: str, text: str) -> tuple[Line, ...]:
    found = []
    for part in filter(None, (each.strip() for each in text.split(","))):
        name, _, worth = (each.strip() for each in part.partition("="))
        if not name or (worth and not is_known(worth)):
            raise NotationError(f"{key} has {part!r}, expected a name, or a name = a rule of the dice", key)
        found.append(Line(_name(key, name), worth))
    if not 0 < len(found) <= MOST_LINES or len({line.name for line in found}) < len(found):
        raise NotationError(f"{key} is {text!r}, expected 1 to {MOST_LINES} different names", key)
    return tuple(found)


KEYS: Mapping[str, tuple[str, Callable[[str, str], Any]]] = {
    "way": ("way", _one_of(*WAYS)),
    "called": ("called", _name),
    "wins": ("is_lowest", _is("lowest", "highest")),
    "begins": ("begins", _number),
    "counts": ("is_down", _is("down", "up")),
    "goal": ("goal", _number),
    "ends": ("is_at_once", _is("at_once", "after_the_round")),
    "rounds": ("rounds", _counted(1, 100)),
    "lines": ("lines", _lines),
    "bonus": ("bonus", _numbers),
    "hit": ("hit", _numbers),
    "miss": ("miss", _numbers),
    "dice": ("dice", _counted(1, 6)),
    "combos": ("combos", _is("yes", "no")),
    "teams": ("teams", _counted(2, 6)),
    "timer": ("timer", _counted(5, 3600)),
    "least": ("least", _number),
    "most": ("most", _number),
}
"""The keys of a preset: the sheet's field, and what makes its value of the text."""


@cache
def presets() -> Mapping[str, Mapping[str, str]]:
    """The presets of this folder by name, the usual one first."""
    files = sorted(FOLDER.glob("*.toml"), key=lambda path: (path.stem != "rounds", path.stem))
    return {path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in files}


def _free(key: str, says: Says, cited: str, *, is_asked: bool = False) -> Option:
    return Option(key, AS_PRESET, (AS_PRESET,), says, rule(cited), is_asked=is_asked)


OPTIONS: tuple[Option, ...] = (
    _free("called", Says("What is the game called?"), "Kinds", is_asked=True),
    Option(
        "preset",
        "rounds",
        tuple(presets()),
        Says("What kind of game is it?"),
        rule("Kinds"),
        is_asked=True,
        brings={name: {"wins": "highest", **preset} for name, preset in presets().items()},
    ),
    Option("wins", AS_PRESET, (AS_PRESET, "highest", "lowest"), Says("Who wins?"), rule("End 3"), is_asked=True),
    _free("goal", Says("How many points end it?"), "End 1"),
    _free("rounds", Says("How many rounds end it?"), "End 2"),
    _free("lines", Says("Which lines are there, with commas between?"), "Lines 1"),
    _free("teams", Says("How many teams?"), "Teams"),
    _free("timer", Says("How many seconds for each turn?"), "Timer"),
)


def checked_options(given: Mapping[str, str]) -> dict[str, str]:
    """The house rules that differ from the usual ones. Raises: NotationError."""
    free = [option.key for option in OPTIONS if len(option.choices) == 1]
    told = chosen(OPTIONS, given, TITLE, free=free)
    usual = {option.key: option.default for option in OPTIONS}
    found = {key: value.strip() for key, value in told.items() if value.strip() != usual[key]}
    sheet_of(tuple(sorted(found.items())))
    return found


@lru_cache(maxsize=64)
def sheet_of(options: tuple[tuple[str, str], ...]) -> PadSheet:
    """The sheet of sorted house rules. Raises: NotationError for a value that does not fit."""
    told = dict(options)
    texts = {**presets()[told.pop("preset", "rounds")], **told}
    if "lines" in told:
        texts["way"] = "lines"
    found = {KEYS[key][0]: KEYS[key][1](key, text) for key, text in texts.items()}
    sheet = PadSheet(**found)
    if sheet.is_lined and not sheet.lines:
        raise NotationError("lines is empty, expected names with commas between", "lines")
    return sheet
