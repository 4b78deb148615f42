"""Reads and writes cards, tables and actions of Manipulation Rummy as one line of text; docs/notation.md shows them."""

import re

from companion.game.cards import card_of_text
from companion.game.errors import NotationError
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
_PLAIN: dict[str, type[Knocked] | type[Ended] | type[Withdrew]] = {
    "knocks": Knocked,
    "ends": Ended,
    "withdraws": Withdrew,
}
_ACTION = re.compile(
    rf"(?P<seat>[A-Za-z]+) +((?P<plain>{'|'.join(_PLAIN)})|draws( +(?P<drawn>\S+))?|holds +(?P<held>\d{{1,3}})"
    r"|shows +(?P<shown>.+)|melds\b(?P<laid>[^:]*):(?P<table>.*))"
)


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
    found = _ACTION.fullmatch(line)
    if found is None:
        raise NotationError(
            f"{text!r} is not an action, expected one such as 'A draws', 'A melds 5C: [5C 5D 5H]', 'A knocks', "
            "'A ends', 'A shows 4S 9D' or 'deal'",
            "action",
        )
    seat, laid = found["seat"], found["laid"]
    if found["plain"]:
        return _PLAIN[found["plain"]](seat)
    if found["held"]:
        return Counted(seat, int(found["held"]))
    if found["shown"]:
        return Shown(seat, cards_of_text(found["shown"]))
    if found["table"] is not None:
        return Melded(seat, table_of_text(found["table"]), cards_of_text(laid) if laid.strip() else None)
    return Drew(seat, card_of_text(found["drawn"]) if found["drawn"] else None)
