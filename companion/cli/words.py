"""Parsers for the words of a command line: files, numbers, pairs, scores.

They raise NotationError, which names the word.
"""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from companion.game.errors import NotationError
from companion.game.plain_json import json_of_text
from companion.game.text_file import MOST_TEXT_BYTES, text_of_file, why_unread
from companion.game.whole import whole_of

MOST_QUOTED = 40
"""Characters of a word that an error repeats."""


def text_of(where: str, what: str) -> str:
    """The text of a file, or of standard input for ``-``. Raises: NotationError."""
    try:
        if where != "-":
            return text_of_file(Path(where))
        if sys.stdin is None:
            raise NotationError("standard input is closed, expected JSON there: give a file, or leave it open", what)
        text = sys.stdin.read(MOST_TEXT_BYTES + 1)
        if len(text) > MOST_TEXT_BYTES:
            raise NotationError(
                f"standard input holds more than {MOST_TEXT_BYTES // 1_000_000} MB, expected JSON", what
            )
        return text.removeprefix("\ufeff")
    except (OSError, UnicodeDecodeError) as error:
        raise NotationError(f"{where} cannot be read ({why_unread(error)}), expected a JSON file or -", what) from error


def json_of(text: str, where: str, what: str) -> Any:
    """The values in a JSON text; `where` is its name in errors. Raises: NotationError, also for a key given twice."""
    try:
        return json_of_text(text)
    except (ValueError, RecursionError) as error:
        raise NotationError(
            f"{where} is not JSON ({why_unread(error)}), expected what `companion rules` prints", what
        ) from error


def board_of(path: Path | None) -> str | None:
    """The text of a board file; None if none was given. Raises: NotationError."""
    if path is None:
        return None
    try:
        return text_of_file(path)
    except (OSError, UnicodeDecodeError) as error:
        raise NotationError(f"{path} cannot be read ({why_unread(error)}), expected a board file", "--board") from error


def pairs_of(given: Iterable[str]) -> dict[str, str]:
    """House rules, each ``KEY=VALUE``. Raises: NotationError, also for a key given twice."""
    pairs = {}
    for pair in given:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise NotationError(f"{pair!r} is no option, expected KEY=VALUE", "--option")
        if key in pairs:
            raise NotationError(f"{short(key)} is given twice, expected each option once", "--option")
        pairs[key] = value
    return pairs


def held_of(text: str | None) -> tuple[int, ...]:
    """Sixes held, such as ``6,6``."""
    parts = [p for p in (text or "").replace(" ", "").split(",") if p]
    if any(p != "6" for p in parts):
        raise NotationError(f"--held is {text!r}, expected sixes such as 6,6", "--held")
    return tuple(6 for _ in parts)


def counts_of(text: str) -> dict[str, int]:
    told = _by_seat(text, "--points", "SEAT=POINTS such as A=4", numbers=1)
    return {seat: points for seat, (points,) in told.items()}


def totals_of(text: str) -> dict[str, tuple[int, int]]:
    told = _by_seat(text, "--totals", "SEAT=TOTAL/ROUNDS such as A=152/3", numbers=2)
    return {seat: (total, rounds) for seat, (total, rounds) in told.items()}


def _by_seat(text: str, option: str, expected: str, *, numbers: int) -> dict[str, list[int]]:
    """The numbers of each seat. Raises: NotationError."""
    found: dict[str, list[int]] = {}
    for part in text.split():
        seat, _, value = part.partition("=")
        told = [number for each in value.split("/") if (number := whole_of(each)) is not None]
        if not seat or len(told) != numbers or value.count("/") != numbers - 1:
            raise NotationError(f"{short(part)} does not parse, expected {expected}", option)
        if seat in found:
            raise NotationError(f"{option} names {short(seat)} twice, expected each player once", option)
        found[seat] = told
    return found


def short(text: str) -> str:
    """The given text in quotes, at most `MOST_QUOTED` characters of it.

    >>> short("A=4²"), len(short("9" * 5000))
    ("'A=4²'", 45)
    """
    return repr(text if len(text) <= MOST_QUOTED else f"{text[:MOST_QUOTED]}...")
