"""Positions: every reason why one is impossible, and the state behind a table and a hand without a match."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise

from companion.game.cards import in_hand
from companion.game.errors import NotationError
from companion.game.says import Says, each_as, listed, points_says, wrong_length
from companion.game.values import Fault
from companion.games.manipulation_rummy import house as sheet
from companion.games.manipulation_rummy.house import House, cards_says, house_of, packs_says, points_of, rule, too_often
from companion.games.manipulation_rummy.melds import Meld, any_of, declarations, flaw_of, is_open
from companion.games.manipulation_rummy.notation import cards_of_text, table_of_text
from companion.games.manipulation_rummy.rules import start
from companion.games.manipulation_rummy.state import Hand, Phase, RummyState, clean_hand


def faults(state: RummyState) -> tuple[Fault, ...]:
    if found := tuple(_seat_faults(state)):
        return found  # the tuples by seat cannot be read
    parts = (_card_faults, _turn_faults, _end_faults, _score_faults)
    return tuple(fault for part in parts for fault in part(state))


def _seat_faults(state: RummyState) -> Iterator[Fault]:
    count = len(state.seats)
    if not sheet.FEWEST_SEATS <= count <= sheet.MOST_SEATS or state.seats != sheet.SEATS[:count]:
        values = {"seats": listed(each_as("seat", state.seats) or [Says("nobody")])}
        yield Fault(Says("the players are {seats}, expected A, B and on to E", values), rule("Players"), "seats")
    for name in ("hands", "totals", "rounds_won", "scored"):
        entries = len(getattr(state, name))
        if entries != count and not (name == "scored" and not entries):
            yield Fault(wrong_length(name, entries, count), rule("Players"), name)
    for name in ("dealer", "turn", "exhausted_by", "knocked", "out", "last_turns"):
        named = getattr(state, name)
        for seat in named if isinstance(named, tuple) else (named,):
            if seat is not None and seat not in state.seats:
                says = Says("{field} is {seat}, which is not a player", {"field": name, "seat": seat})
                yield Fault(says, rule("Players"), name)


def _card_faults(state: RummyState) -> Iterator[Fault]:
    for at, meld in enumerate(state.table):
        if (flaw := flaw_of(meld, state.house)) is not None:
            yield replace(flaw, where=f"table[{at}]")
    for card, count in sorted(state.seen().items()):
        if count > state.packs:
            yield Fault(too_often(card, count, state.packs), rule("Deck"), card)
    values: dict[str, object] = {"packs": state.packs, "n": len(state.seats), "stock": state.stock}
    right = 2 if len(state.seats) >= sheet.MANY_SEATS else 1
    if state.packs != right:
        says = Says("{n} players use {right}, not {packs}", {**values, "right": packs_says(right)})
        yield Fault(says, rule("Deck"), "packs")
    for seat, hand in zip(state.seats, state.hands, strict=True):
        if hand.size < 0 or len(hand.cards) > hand.size:
            told = {"seat": seat, "hand": cards_says(hand.size), "told": len(hand.cards)}
            yield Fault(Says("{seat} holds {hand} and said {told}", told), rule("Setup"), f"hands {seat}")
    if state.stock < 0:
        says = Says("the number of cards in the draw pile is {stock}, expected 0 or more", values)
        yield Fault(says, rule("Deck"), "stock")
    cards = state.stock + sum(map(len, state.table)) + sum(hand.size for hand in state.hands)
    # an exhausted pile cannot balance a new count
    if cards != state.packs * sheet.PACK_CARDS and state.exhausted_by is None:
        told = {"hand": cards_says(cards), "right": state.packs * sheet.PACK_CARDS}
        yield Fault(Says("draw pile, table and hands are {hand}, expected {right}", told), rule("Deck"), "stock")
    for name in ("totals", "rounds_won"):
        if min(getattr(state, name), default=0) < 0:
            yield Fault(Says("{field} is below zero", {"field": name}), rule("Scoring"), name)


def _turn_faults(state: RummyState) -> Iterator[Fault]:
    if not 0 <= state.draws <= sheet.MOST_DRAWS:
        says = Says("the cards drawn in one turn are {draws}, expected 0 to 3", {"draws": state.draws})
        yield Fault(says, rule("gap 1"), "draws")
    if state.phase is Phase.DRAW and (state.draws or state.stock <= 0):
        says = Says("a turn that begins with drawing needs a draw pile, and no card drawn yet")
        yield Fault(says, rule("gap 17"), "draws")
    if state.phase in (Phase.PLAY, Phase.END) and state.draws == 0 and state.exhausted_by is None:
        yield Fault(Says("a turn has begun without its first card"), rule("gap 3"), "draws")
    if (state.stock == 0) != (state.exhausted_by is not None):
        words = "the number of cards in the draw pile is {stock}: who drew the last one does not fit"
        yield Fault(Says(words, {"stock": state.stock}), rule("gap 17"), "exhausted_by")
    order = [state.seats.index(seat) for seat in state.last_turns]
    if state.exhausted_by is None and order:
        yield Fault(Says("there are last turns before the draw pile is exhausted"), rule("gap 17"), "last_turns")
    elif any((later - earlier) % len(state.seats) != 1 for earlier, later in pairwise(order)):
        yield Fault(Says("the last turns do not go clockwise"), rule("gap 17"), "last_turns")


def _end_faults(state: RummyState) -> Iterator[Fault]:
    is_round_over = state.phase in (Phase.SHOW, Phase.DEAL, Phase.OVER)
    if not is_round_over and (state.knocked or state.out):
        yield Fault(Says("the round goes on after a knock or a going out"), rule("End of a Round"), "phase")
    if state.knocked and state.out:
        yield Fault(Says("one round ends by a knock or by going out, not by both"), rule("gap 15"), "knocked")
    for seat, hand in zip(state.seats, state.hands, strict=True):
        if (hand.size == 0) != (seat == state.out):
            says = Says("{seat} holds {hand}: going out does not fit", {"seat": seat, "hand": cards_says(hand.size)})
            yield Fault(says, rule("Scoring"), "out")
        points = points_of(hand.cards, state.house)
        if seat == state.knocked and points > sheet.KNOCK_POINTS:
            says = Says("{seat} knocked with {points}", {"seat": seat, "points": points_says(points)})
            yield Fault(says, rule("End of a Round"), "knocked")


def _score_faults(state: RummyState) -> Iterator[Fault]:
    """Impossible scores of earlier rounds: only the winner of a round scores, and the match ends at its goal."""
    values: dict[str, object] = {"round": state.round, "goal": state.house.goal}
    if state.round < 1:
        yield Fault(Says("the number of the round is {round}, expected 1 or more", values), rule("Setup"), "round")
    is_over = state.phase is Phase.OVER
    if is_over and max(state.totals) < state.house.goal:
        yield Fault(Says("the match is over and no total is {goal} or more", values), rule("Winning"), "totals")
    played = max(state.round, 1) - (0 if state.phase in (Phase.DEAL, Phase.OVER) else 1)
    for seat, total, won in zip(state.seats, state.totals, state.rounds_won, strict=True):
        values = {**values, "seat": seat, "total": total, "played": played, "won": won}
        if not is_over and total >= state.house.goal:
            words = "{seat} has a total of {total}, and the match goes on: it ends at {goal}"
            yield Fault(Says(words, values), rule("Winning"), "totals")
        if won > played:
            yield Fault(Says("rounds played: {played}, won by {seat}: {won}", values), rule("Scoring"), "rounds_won")
        if total > 0 and won == 0:
            yield Fault(Says("{seat} has a total of {total} and won no round", values), rule("Scoring"), "totals")
    if sum(state.rounds_won) < played:
        says = Says("the number of rounds played is {played}, and not each has a winner", {"played": played})
        yield Fault(says, rule("Scoring"), "rounds_won")


def state_of_table(
    table: str, hand: str, packs: int | None = None, options: Mapping[str, str] | None = None
) -> RummyState:
    """A turn of player A with these cards, after one card was drawn. All other cards are in other hands and the stock.

    Bare jokers stand for every card that is possible. An empty `hand` is unknown. `packs` None: as few as needed.
    Raises: NotationError.
    """
    house = house_of(options or {})
    melds, cards = tuple(_declared(meld, house) for meld in table_of_text(table)), clean_hand(cards_of_text(hand))
    counts = Counter([in_hand(card) for meld in melds for card in meld] + list(cards))
    if packs is None:
        packs = 1 if max(counts.values(), default=0) <= 1 else 2
    if packs not in (1, 2):
        raise NotationError(f"{packs} packs, expected 1 (two players) or 2 (three to five)", "packs")
    seats = sheet.SEATS[: sheet.FEWEST_SEATS if packs == 1 else sheet.MANY_SEATS]
    rest = max(0, packs * sheet.PACK_CARDS - counts.total())
    others = len(seats) - 1
    mine = Hand(size=len(cards), cards=cards)
    if not cards:
        mine = Hand(size=min(sheet.HAND_CARDS + 1, max(1, rest // len(seats))))
        rest = max(0, rest - mine.size)
    size = min(sheet.HAND_CARDS, max(1, (rest - 1) // others))
    stock = rest - others * size
    is_exhausted = stock == 0  # then the card drawn was the last one: everybody has one more turn, A the last
    return replace(
        start(len(seats), options),
        dealer=seats[-1],
        turn=seats[0],
        phase=Phase.PLAY,
        draws=1,
        stock=stock,
        table=melds,
        hands=(mine, *(Hand(size=size),) * others),
        exhausted_by=seats[0] if is_exhausted else None,
        last_turns=(*seats[1:], seats[0]) if is_exhausted else (),
    )


def _declared(meld: Meld, house: House) -> Meld:
    """The meld with all that its open jokers may stand for; as given, for `faults` to name, if it is not legal."""
    choices = declarations(meld, house) if is_open(meld) else ()
    return any_of((choice,) for choice in choices)[0] if choices else meld
