"""Positions: every reason why one cannot be, and the state behind a table and a hand without a match."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

from companion.game.cards import JOKER, in_hand
from companion.game.errors import NotationError
from companion.game.says import Says, each_as, listed, points_says, wrong_length
from companion.game.values import Fault
from companion.games.manipulation_rummy.house import (
    FEWEST_SEATS,
    HAND_CARDS,
    KNOCK_POINTS,
    MANY_SEATS,
    MOST_DRAWS,
    MOST_SEATS,
    PACK_CARDS,
    SEATS,
    House,
    cards_says,
    house_of,
    packs_says,
    points_of,
    rule,
    too_often,
)
from companion.games.manipulation_rummy.melds import Meld, declarations, flaw_of
from companion.games.manipulation_rummy.notation import cards_of_text, table_of_text
from companion.games.manipulation_rummy.rules import start
from companion.games.manipulation_rummy.state import Hand, Phase, RummyState, clean_hand


def faults(state: RummyState) -> tuple[Fault, ...]:
    """Every reason why this position cannot be; empty when it can."""
    found = list(_seat_faults(state))
    if found:
        return tuple(found)  # the tuples by seat cannot be read
    found += _table_faults(state)
    found += _count_faults(state)
    found += _turn_faults(state)
    found += _score_faults(state)
    return tuple(found)


def _seat_faults(state: RummyState) -> list[Fault]:
    found: list[Fault] = []
    count = len(state.seats)
    if not FEWEST_SEATS <= count <= MOST_SEATS or state.seats != SEATS[:count]:
        values: dict[str, object] = {"seats": listed(each_as("seat", state.seats) or [Says("nobody")])}
        found.append(
            Fault(Says("the players are {seats}, expected A, B and on to E", values), rule("Players"), "seats")
        )
    for name in ("hands", "totals", "rounds_won"):
        if len(getattr(state, name)) != count:
            found.append(Fault(wrong_length(name, len(getattr(state, name)), count), rule("Players"), name))
    if state.scored and len(state.scored) != count:
        found.append(Fault(Says("scored does not name every player"), rule("Scoring"), "scored"))
    for name in ("dealer", "turn", "exhausted_by", "knocked", "out"):
        seat = getattr(state, name)
        if seat is not None and seat not in state.seats:
            values = {"field": name, "seat": seat}
            found.append(Fault(Says("{field} is {seat}, which is not a player", values), rule("Players"), name))
    for seat in state.last_turns:
        if seat not in state.seats:
            found.append(
                Fault(Says("{seat} has a last turn but is not a player", {"seat": seat}), rule("gap 17"), "last_turns")
            )
    return found


def _table_faults(state: RummyState) -> list[Fault]:
    found: list[Fault] = []
    for at, meld in enumerate(state.table):
        flaw = flaw_of(meld, state.house)
        if flaw is not None:
            found.append(Fault(flaw.says, flaw.rule, f"table[{at}]"))
    for card, count in sorted(state.seen().items()):
        if count > state.copies(card):
            found.append(Fault(too_often(card, count, state.packs), rule("Deck"), card))
    return found


def _count_faults(state: RummyState) -> list[Fault]:
    found: list[Fault] = []
    right = 2 if len(state.seats) >= MANY_SEATS else 1
    if state.packs != right:
        values: dict[str, object] = {"packs": state.packs, "right": packs_says(right), "n": len(state.seats)}
        found.append(Fault(Says("{n} players use {right}, not {packs}", values), rule("Deck"), "packs"))
    for seat, hand in zip(state.seats, state.hands, strict=True):
        if hand.size < 0 or len(hand.cards) > hand.size:
            values = {"seat": seat, "hand": cards_says(hand.size), "told": len(hand.cards)}
            found.append(Fault(Says("{seat} holds {hand} and said {told}", values), rule("Setup"), f"hands {seat}"))
    on_table = sum(map(len, state.table))
    cards = state.stock + on_table + sum(hand.size for hand in state.hands)
    if state.stock < 0:
        says = Says("the number of cards in the draw pile is {stock}, expected 0 or more", {"stock": state.stock})
        found.append(Fault(says, rule("Deck"), "stock"))
    if cards != state.packs * PACK_CARDS and state.exhausted_by is None:  # after it, a new count has no pile to set off
        values = {"hand": cards_says(cards), "right": state.packs * PACK_CARDS}
        says = Says("draw pile, table and hands are {hand}, expected {right}", values)
        found.append(Fault(says, rule("Deck"), "stock"))
    for name in ("totals", "rounds_won"):
        if min(getattr(state, name), default=0) < 0:
            found.append(Fault(Says("{field} is below zero", {"field": name}), rule("Scoring"), name))
    return found


def _turn_faults(state: RummyState) -> list[Fault]:
    found: list[Fault] = []
    if not 0 <= state.draws <= MOST_DRAWS:
        says = Says("the cards drawn in one turn are {draws}, expected 0 to 3", {"draws": state.draws})
        found.append(Fault(says, rule("gap 1"), "draws"))
    if state.phase is Phase.DRAW and (state.draws or state.stock <= 0):
        found.append(
            Fault(
                Says("a turn that begins with drawing needs a draw pile, and no card drawn yet"),
                rule("gap 17"),
                "draws",
            )
        )
    if state.phase in (Phase.PLAY, Phase.END) and state.draws == 0 and state.exhausted_by is None:
        found.append(Fault(Says("a turn has begun without its first card"), rule("gap 3"), "draws"))
    if (state.stock == 0) != (state.exhausted_by is not None):
        says = Says(
            "the number of cards in the draw pile is {stock}: who drew the last one does not fit",
            {"stock": state.stock},
        )
        found.append(Fault(says, rule("gap 17"), "exhausted_by"))
    order = [state.seats.index(seat) for seat in state.last_turns]
    if state.exhausted_by is None and order:
        found.append(
            Fault(Says("there are last turns before the draw pile is exhausted"), rule("gap 17"), "last_turns")
        )
    elif any((later - earlier) % len(state.seats) != 1 for earlier, later in pairwise(order)):
        found.append(Fault(Says("the last turns do not go clockwise"), rule("gap 17"), "last_turns"))
    is_round_over = state.phase in (Phase.SHOW, Phase.DEAL, Phase.OVER)
    if not is_round_over and (state.knocked or state.out):
        found.append(Fault(Says("the round goes on after a knock or a going out"), rule("End of a Round"), "phase"))
    if state.knocked and state.out:
        found.append(Fault(Says("one round ends by a knock or by going out, not by both"), rule("gap 15"), "knocked"))
    for seat, hand in zip(state.seats, state.hands, strict=True):
        if (hand.size == 0) != (seat == state.out):
            values: dict[str, object] = {"seat": seat, "hand": cards_says(hand.size)}
            found.append(Fault(Says("{seat} holds {hand}: going out does not fit", values), rule("Scoring"), "out"))
    if state.knocked:
        points = points_of(state.hand(state.knocked).cards, state.house)
        if points > KNOCK_POINTS:
            values = {"seat": state.knocked, "points": points_says(points)}
            found.append(Fault(Says("{seat} knocked with {points}", values), rule("End of a Round"), "knocked"))
    return found


def _score_faults(state: RummyState) -> list[Fault]:
    """Impossible scores of earlier rounds: only the winner of a round scores, and the match ends at its goal."""
    found: list[Fault] = []
    if state.round < 1:
        says = Says("the number of the round is {round}, expected 1 or more", {"round": state.round})
        found.append(Fault(says, rule("Setup"), "round"))
    is_over = state.phase is Phase.OVER
    if is_over and max(state.totals) < state.house.goal:
        says = Says("the match is over and no total is {goal} or more", {"goal": state.house.goal})
        found.append(Fault(says, rule("Winning"), "totals"))
    played = max(state.round, 1) - (0 if state.phase in (Phase.DEAL, Phase.OVER) else 1)
    for seat, total, won in zip(state.seats, state.totals, state.rounds_won, strict=True):
        values: dict[str, object] = {"seat": seat, "total": total, "goal": state.house.goal, "played": played}
        if not is_over and total >= state.house.goal:
            says = Says("{seat} has a total of {total}, and the match goes on: it ends at {goal}", values)
            found.append(Fault(says, rule("Winning"), "totals"))
        if won > played:
            says = Says("rounds played: {played}, won by {seat}: {won}", {**values, "won": won})
            found.append(Fault(says, rule("Scoring"), "rounds_won"))
        if total > 0 and won == 0:
            says = Says("{seat} has a total of {total} and won no round", values)
            found.append(Fault(says, rule("Scoring"), "totals"))
    if sum(state.rounds_won) < played:
        says = Says("the number of rounds played is {played}, and not each has a winner", {"played": played})
        found.append(Fault(says, rule("Scoring"), "rounds_won"))
    return found


def state_of_table(
    table: str, hand: str, packs: int | None = None, options: Mapping[str, str] | None = None
) -> RummyState:
    """A turn of player A with these cards: one card drawn, melding open, the other cards with the others and the stock.

    Args:
        table: melds such as ``[5C 5D 5H]``; bare jokers are declared where forced, else left for `faults`.
        hand: cards such as ``4S 9D``; nothing: an unknown hand.
        packs: 1 (two players) or 2 (three players); None: as few as the cards need.
    Raises: NotationError.
    """
    house = house_of(options or {})
    melds, cards = tuple(_declared(meld, house) for meld in table_of_text(table)), clean_hand(cards_of_text(hand))
    counts = Counter([in_hand(card) for meld in melds for card in meld] + list(cards))
    if packs is None:
        packs = 1 if max(counts.values(), default=0) <= 1 else 2
    if packs not in (1, 2):
        raise NotationError(f"{packs} packs, expected 1 (two players) or 2 (three to five)", "packs")
    seats = SEATS[: FEWEST_SEATS if packs == 1 else MANY_SEATS]
    rest = max(0, packs * PACK_CARDS - counts.total())
    others = len(seats) - 1
    mine = Hand(size=len(cards), cards=cards)
    if not cards:
        mine = Hand(size=min(HAND_CARDS + 1, max(1, rest // len(seats))))
        rest = max(0, rest - mine.size)
    size = min(HAND_CARDS, max(1, (rest - 1) // others))
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
    """The meld with its bare jokers declared where only one way is legal; else as given, for `faults` to name."""
    choices = declarations(meld, house) if JOKER in meld else ()
    return choices[0] if len(choices) == 1 else meld
