"""Reads and writes states and actions of Manipulation Rummy as one line of text; docs/notation.md shows them."""

import re
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from companion.game.cards import card_of_text
from companion.game.errors import NotationError
from companion.game.whole import whole_of
from companion.games.manipulation_rummy.house import ANY, SEATS, House, house_of
from companion.games.manipulation_rummy.melds import Meld, Table, table_text
from companion.games.manipulation_rummy.state import (
    Action,
    Counted,
    Dealt,
    Drew,
    Ended,
    Hand,
    Knocked,
    Melded,
    Phase,
    RummyState,
    Shown,
    Withdrew,
    clean_hand,
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


def house_text(house: House) -> str:
    """The house rules that differ from the defaults, as ``key=value`` with spaces; empty when none does."""
    default = House()
    words = []
    for field in fields(House):
        value = getattr(house, field.name)
        if value != getattr(default, field.name):
            words.append(f"{field.name}={str(value).lower() if isinstance(value, bool) else value}")
    return " ".join(words)


def state_text(state: RummyState) -> str:
    """The state as one line."""
    parts = [
        f"round {state.round}",
        f"dealer {state.dealer}",
        f"turn {state.turn} {state.phase} {state.draws}",
        f"packs {state.packs}",
        f"stock {state.stock}",
        f"table {table_text(state.table) or NO_CARDS}",
    ]
    for seat, hand in zip(state.seats, state.hands, strict=True):
        parts.append(f"{seat} {hand.size}" + (f": {' '.join(hand.cards)}" if hand.cards else ""))
    won = zip(state.seats, state.totals, state.rounds_won, strict=True)
    parts.append("totals " + " ".join(f"{seat}={total}/{rounds}" for seat, total, rounds in won))
    if state.scored:
        parts.append("scored " + " ".join(f"{s}={p}" for s, p in zip(state.seats, state.scored, strict=True)))
    if state.exhausted_by:
        parts.append(" ".join(("exhausted", state.exhausted_by, *state.last_turns)))
    if state.knocked:
        parts.append(f"knocked {state.knocked}")
    if state.out:
        parts.append(f"out {state.out}")
    if house_text(state.house):
        parts.append(f"house {house_text(state.house)}")
    return "; ".join(parts)


def state_of_text(text: str) -> RummyState:
    """The state that a line means. Raises: NotationError that names the part."""
    parts: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in text.split(";"))):
        key, _, rest = part.partition(" ")
        if key in parts:
            raise NotationError(f"the state has {key!r} twice, expected it once", key)
        parts[key] = rest.strip()
    seats = tuple(seat for seat in SEATS if seat in parts)
    known = {"round", "dealer", "turn", "packs", "stock", "table", "totals", "scored", "exhausted", "knocked", "out"}
    for key in parts:
        if key not in known | {"house"} and key not in seats:
            raise NotationError(f"the state has {key!r}, expected one of {', '.join(sorted(known))} or a seat", key)
    turn = _words(parts, "turn", 3)
    if turn[1] not in tuple(Phase):
        raise NotationError(f"turn has {turn[1]!r}, expected one of {', '.join(Phase)}", "turn")
    totals = _by_seat(parts, "totals", seats)
    exhausted = parts.get("exhausted", "").split()
    return RummyState(
        seats=seats,
        house=_house(parts.get("house", "")),
        packs=_whole(_words(parts, "packs", 1)[0], "packs"),
        round=_whole(_words(parts, "round", 1)[0], "round"),
        dealer=_words(parts, "dealer", 1)[0],
        turn=turn[0],
        phase=Phase(turn[1]),
        draws=_whole(turn[2], "turn"),
        stock=_whole(_words(parts, "stock", 1)[0], "stock"),
        table=table_of_text(parts.get("table", "")),
        hands=tuple(_hand(parts[seat], seat) for seat in seats),
        exhausted_by=exhausted[0] if exhausted else None,
        last_turns=tuple(exhausted[1:]),
        knocked=parts.get("knocked"),
        out=parts.get("out"),
        totals=tuple(_whole(value.partition("/")[0], "totals") for value in totals),
        rounds_won=tuple(_whole(value.partition("/")[2], "totals") for value in totals),
        scored=tuple(_whole(value, "scored") for value in _by_seat(parts, "scored", seats))
        if "scored" in parts
        else (),
    )


def _words(parts: dict[str, str], key: str, count: int) -> list[str]:
    words = parts.get(key, "").split()
    if len(words) != count:
        raise NotationError(f"{key} has {' '.join(words)!r}, expected {count} words after it", key)
    return words


def _whole(text: str, key: str) -> int:
    number = whole_of(text)
    if number is None:
        raise NotationError(f"{key} has {text!r}, expected a whole number", key)
    return number


def _by_seat(parts: dict[str, str], key: str, seats: tuple[str, ...]) -> tuple[str, ...]:
    pairs = dict(word.partition("=")[::2] for word in parts.get(key, "").split())
    if tuple(pairs) != seats:
        raise NotationError(f"{key} has {parts.get(key, '')!r}, expected seat=number for {', '.join(seats)}", key)
    return tuple(pairs.values())


def _hand(text: str, seat: str) -> Hand:
    size, _, cards = text.partition(":")
    hand = Hand(size=_whole(size.strip(), seat), cards=clean_hand(cards_of_text(cards)))
    if len(hand.cards) > hand.size:
        raise NotationError(f"{seat} has {len(hand.cards)} cards told of {hand.size}, expected no more", seat)
    return hand


def _house(text: str) -> House:
    pairs = dict(word.partition("=")[::2] for word in text.split())
    known = [field.name for field in fields(House)]
    for key in pairs:
        if key not in known:
            raise NotationError(f"there is no house rule {key!r}, expected one of {', '.join(known)}", key)
    return house_of({"max_jokers_per_meld": ANY, **pairs})


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
        return Counted(seat, _whole(rest, "holds"))
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
