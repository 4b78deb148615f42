"""Reads and writes cards, tables and actions of Manipulation Rummy as one line of text; docs/notation.md shows them."""

import re
from collections.abc import Callable
from typing import Any

from companion.game.cards import card_of_text
from companion.game.errors import NotationError
from companion.game.whole import whole_of
from companion.games.manipulation_rummy.melds import Meld, Table, table_text
from companion.games.manipulation_rummy.state import (
    Action,
    Counted,
    Dealt,
    Drew,
    Ended,
    Knocked,
    Melded,
    RummyState,
    Shown,
    Withdrew,
)

NO_CARDS = "-"
_MELD = re.compile(r"\[([^\[\]]*)\]")
_ACTION = re.compile(r"^([A-Za-z]+) +(draws|melds|knocks|ends|shows|holds|withdraws)\b *(.*)$")


def cards_of_text(text: str) -> tuple[str, ...]:
    """Cards with spaces or commas between; ``-`` for none. Raises: NotationError."""
    words = text.replace(",", " ").split()
    return () if words == [NO_CARDS] else tuple(card_of_text(word) for word in words)


def table_of_text(text: str) -> Table:
    """A table in brackets, as `table_text` writes it; ``-`` or nothing for an empty one. Raises: NotationError.

    >>> table_of_text("[5C 5D 5H] [7C 8C JK=9C]")
    (('5C', '5D', '5H'), ('7C', '8C', 'JK=9C'))
    """
    rest = _MELD.sub("", text).replace(",", " ").strip()
    if rest not in ("", NO_CARDS):
        raise NotationError(f"the table has {rest!r} outside brackets, expected melds such as [5C 5D 5H]", "table")
    melds: list[Meld] = []
    for inside in _MELD.findall(text):
        meld = cards_of_text(inside)
        if not meld:
            raise NotationError("the table has an empty meld [], expected cards in it", "table")
        melds.append(meld)
    return tuple(melds)


def action_text(action: Action) -> str:
    """The action as one line."""
    match action:
        case Drew(seat, card):
            return f"{seat} draws" + (f" {card}" if card else "")
        case Melded(seat, table, laid):
            cards = f" {' '.join(laid) or NO_CARDS}" if laid is not None else ""
            return f"{seat} melds{cards}: {table_text(table) or NO_CARDS}"
        case Knocked(seat):
            return f"{seat} knocks"
        case Ended(seat):
            return f"{seat} ends"
        case Shown(seat, cards):
            return f"{seat} shows {' '.join(cards) or NO_CARDS}"
        case Counted(seat, cards):
            return f"{seat} holds {cards}"
        case Withdrew(seat):
            return f"{seat} withdraws"
        case Dealt():
            return "deal"


def action_of_text(text: str, state: RummyState | None = None) -> Action:
    """The action that a line means. Raises: NotationError."""
    line = text.strip()
    if line == "deal":
        return Dealt()
    found = _ACTION.match(line)
    if not found:
        raise NotationError(
            f"{text!r} is not an action, expected one such as 'A draws', 'A melds 5C: [5C 5D 5H]', 'A knocks', "
            "'A ends', 'A shows 4S 9D' or 'deal'",
            "action",
        )
    seat, verb, rest = found.groups()
    plain: dict[str, Callable[[str], Any]] = {"knocks": Knocked, "ends": Ended, "withdraws": Withdrew}
    if verb in plain:
        if rest:
            raise NotationError(f"{line!r} goes on after {verb!r}, expected nothing there", "action")
        return plain[verb](seat)  # type: ignore[no-any-return]
    if verb == "holds":
        held = whole_of(rest)
        if held is None:
            raise NotationError(f"holds has {rest!r}, expected a whole number", "holds")
        return Counted(seat, held)
    if verb == "draws":
        cards = cards_of_text(rest)
        if len(cards) > 1:
            raise NotationError(f"{line!r} draws {len(cards)} cards, expected one at a time", "action")
        return Drew(seat, cards[0] if cards else None)
    if verb == "shows":
        if not rest:
            raise NotationError(f"{line!r} shows nothing, expected cards, or {NO_CARDS} for an empty hand", "action")
        return Shown(seat, cards_of_text(rest))
    laid, colon, table = rest.partition(":")
    if not colon:
        raise NotationError(f"{line!r} has no table, expected the whole table after a colon", "action")
    return Melded(seat, table_of_text(table), cards_of_text(laid) if laid.strip() else None)
