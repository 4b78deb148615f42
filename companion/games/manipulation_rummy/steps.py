"""The steps from one table to another, for a person with the cards."""

from collections import Counter
from dataclasses import dataclass

from companion.game.cards import OR, card_order, identity, in_hand, is_joker, may_be, sorted_cards
from companion.game.says import Says
from companion.games.manipulation_rummy.arrange import origins
from companion.games.manipulation_rummy.melds import Meld, Table, meld_text


@dataclass(slots=True)
class _Move:
    """The cards of a new meld: the card, its origin (a meld's index, None: the hand), and its role."""

    meld: Meld
    origin: int | None
    wants: Counter[str]
    gets: list[tuple[str, int | None, str]]


def steps(before: Table, after: Table, laid: tuple[str, ...]) -> tuple[Says, ...]:
    """The steps from one table to another in words: cards to take, and cards to put down; none without cards laid.

    Melds on the way need not be legal: only the table at the end is judged.
    """
    if not laid:
        return ()
    left = [Counter(meld) for meld in before]
    moves = []
    for meld, origin in zip(after, origins(before, after), strict=True):
        wants = Counter(meld)
        if origin is not None:
            _taken(wants, left[origin])
        moves.append(_Move(meld, origin, wants, []))
    _supply(moves, left)
    told = [Says("lay ready from your hand: {cards}", {"cards": " ".join(laid)})]
    for move in moves:
        told += _takes(move, before)
    for move in moves:
        told += _puts(move)
    return tuple(told)


def _supply(moves: list[_Move], left: list[Counter[str]]) -> None:
    """Finds each wanted card: the same card or an unchanged joker elsewhere, else a released joker, else the hand."""
    for move in moves:
        for at, bag in enumerate(left):
            move.gets += [(card, at, was) for card, was in _taken(move.wants, bag)]
    for move in moves:
        for card in sorted(move.wants.elements(), key=card_order):
            source, was = None, in_hand(card)
            if is_joker(card):
                for at, bag in enumerate(left):
                    free = next((joker for joker in sorted(bag) if is_joker(joker) and bag[joker]), None)
                    if free is not None:
                        bag[free] -= 1
                        source, was = at, free
                        break
            move.gets.append((card, source, was))


def _taken(wants: Counter[str], bag: Counter[str]) -> list[tuple[str, str]]:
    """Takes the wanted cards out of a bag: each with its name there, under which a joker may still be open."""
    taken = []
    for card in sorted(wants.elements()):
        was = card if bag[card] else next((was for was in sorted(+bag) if _is_same(card, was)), None)
        if was is not None:
            wants[card] -= 1
            bag[was] -= 1
            taken.append((card, was))
    return taken


def _is_same(card: str, was: str) -> bool:
    """Whether a card keeps its identity: an open joker may have been any card that it may stand for."""
    return card == was or (is_joker(card) and is_joker(was) and identity(card) in may_be(was))


def _is_part(move: _Move) -> bool:
    """Whether all cards of a new meld come unchanged from one earlier meld."""
    sources = {source for _, source, _ in move.gets}
    unchanged = all(_is_same(card, was) for card, _, was in move.gets)
    return move.origin is None and len(sources) == 1 and None not in sources and unchanged


def _takes(move: _Move, before: Table) -> list[Says]:
    told = []
    for at, meld in enumerate(before):
        moved = sorted_cards([was for card, source, was in move.gets if source == at and _is_same(card, was)])
        values = {"cards": " ".join(moved), "meld": meld_text(meld)}
        if moved and _is_part(move):
            told.append(Says("part {meld}: {part} stands by itself", {**values, "part": meld_text(move.meld)}))
        elif moved:
            told.append(Says("take {cards} from {meld}", values))
        for card, source, was in move.gets:
            if source == at and not _is_same(card, was):
                freed = {"was": OR.join(may_be(was)), "card": identity(card), "meld": meld_text(meld)}
                words = "take the joker from {meld}, where the {was} replaces it: it now stands for {card}"
                told.append(Says(words, freed))
    return told


def _puts(move: _Move) -> list[Says]:
    if not move.gets or _is_part(move):
        return []
    cards = sorted_cards([card for card, _, _ in move.gets])
    values = {"cards": " ".join(cards), "meld": meld_text(move.meld)}
    words = "put {cards} together: {meld}" if move.origin is None else "add {cards} to get {meld}"
    return [Says(words, values)]
