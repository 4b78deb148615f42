"""The rules of Manipulation Rummy: what may happen now, and the state after.

A turn: the first card is drawn; then one meld (one rearrangement of the table, with at least one card from the hand) or
the next card; a third card ends the melding. At its end the turn may be closed by a knock. See RULES.md.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from itertools import product

from companion.game.cards import JOKER, OR, PACK, in_hand, is_card, is_joker, sorted_cards
from companion.game.errors import NotationError
from companion.game.says import Says, each_as, listed, points_says
from companion.game.values import Applied, Illegal, Ruling
from companion.games.manipulation_rummy import house as sheet
from companion.games.manipulation_rummy.house import (
    House,
    cards_says,
    house_of,
    points_of,
    rule,
    too_often,
    value_table,
)
from companion.games.manipulation_rummy.melds import (
    Table,
    any_of,
    declarations,
    flaw_of,
    in_order,
    meanings,
    named,
    renamed_joker,
)
from companion.games.manipulation_rummy.scoring import count_round
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

DEFAULT_SEATS = 4


def start(seats: int | None = None, options: Mapping[str, str] | None = None) -> RummyState:
    """The first round, dealt: ten unknown cards each."""
    count = DEFAULT_SEATS if seats is None else seats
    if not sheet.FEWEST_SEATS <= count <= sheet.MOST_SEATS:
        raise NotationError(
            f"{count} players, expected {sheet.FEWEST_SEATS} to {sheet.MOST_SEATS} ({rule('Players')})", "seats"
        )
    given = dict(options or {})
    house = house_of(given)
    names = sheet.SEATS[:count]
    dealer = given.get("first_dealer", names[0])
    if dealer not in names:
        values = {"seat": dealer, "seats": listed(each_as("seat", names))}
        raise NotationError(Says("{seat} cannot deal first: {seats} play", values), "first_dealer")
    zeros = (0,) * count
    return deal(names, house, 1, dealer, zeros, zeros, ())


def deal(
    seats: tuple[str, ...],
    house: House,
    number: int,
    dealer: str,
    totals: tuple[int, ...],
    rounds_won: tuple[int, ...],
    scored: tuple[int, ...],
) -> RummyState:
    """Round `number` as it begins (sheet, Deck and Setup): the player to the dealer's left has the first turn."""
    packs = 2 if len(seats) >= sheet.MANY_SEATS else 1
    return RummyState(
        seats=seats,
        house=house,
        packs=packs,
        round=number,
        dealer=dealer,
        turn=left_of(seats, dealer),
        phase=Phase.DRAW,
        draws=0,
        stock=packs * sheet.PACK_CARDS - len(seats) * sheet.HAND_CARDS,
        table=(),
        hands=(Hand(size=sheet.HAND_CARDS),) * len(seats),
        totals=totals,
        rounds_won=rounds_won,
        scored=scored,
    )


def left_of(seats: tuple[str, ...], seat: str) -> str:
    return seats[(seats.index(seat) + 1) % len(seats)]


def to_move(state: RummyState) -> tuple[str, ...]:
    """Seats that may act now: the turn's seat, those whose hand is still to be shown, the next dealer.

    Hands are shown in turn. The player who ended the round begins: a knock with too many points is taken
    back before others show.
    """
    match state.phase:
        case Phase.OVER:
            return ()
        case Phase.SHOW:
            at = state.seats.index(state.turn)
            return tuple(s for s in (*state.seats[at:], *state.seats[:at]) if not state.hand(s).is_known)
        case Phase.DEAL:
            return (left_of(state.seats, state.dealer),)
        case _:
            return (state.turn,)


def open_kinds(state: RummyState) -> tuple[type, ...]:
    """The kinds of action that the phase leaves open, whoever may do them."""
    can_draw = state.stock > 0 and state.draws < sheet.MOST_DRAWS and state.exhausted_by is None
    match state.phase:
        case Phase.DRAW:
            return (Drew, Shown, Counted)
        case Phase.PLAY:
            return (Melded, *((Drew,) if can_draw else (Knocked, Ended)), Shown, Counted)
        case Phase.END:
            return (Knocked, Ended, Shown, Counted)
        case Phase.SHOW:
            return (Shown, Counted, Withdrew) if state.knocked else (Shown, Counted)
        case Phase.DEAL:
            return (Dealt,)
        case Phase.OVER:
            return ()


def apply(state: RummyState, action: Action) -> Applied[RummyState]:
    """The state after, with the rulings. Raises: Illegal with the paragraph."""
    _check_open(state, action)
    match action:
        case Drew():
            return _draw(state, action)
        case Melded():
            return _meld(state, action)
        case Knocked(seat):
            _check_knock(state, seat)
            ruling = Ruling(seat, Says("{seat} knocks: the round is over", {"seat": seat}), rule("End of a Round"))
            return _settle(replace(state, phase=Phase.SHOW, knocked=seat), (ruling,))
        case Ended(seat):
            return _next_turn(state, seat)
        case Shown():
            return _show(state, action)
        case Counted():
            return _count(state, action)
        case Withdrew(seat):
            return _withdraw(state, seat)
        case Dealt():
            return _deal_on(state)


def _check_open(state: RummyState, action: Action) -> None:
    kind = type(action)
    if state.phase is Phase.OVER:
        raise Illegal(Says("the match is over"), rule("Winning"))
    seat = getattr(action, "seat", None)
    if seat is not None and seat not in state.seats:
        raise Illegal(
            Says(
                "unknown seat {seat}, expected one of {seats}",
                {"seat": seat, "seats": listed(each_as("seat", state.seats))},
            ),
            rule("Players"),
        )
    if kind not in open_kinds(state):
        raise Illegal(*_why_closed(state, kind))
    if seat is not None and kind not in (Shown, Counted) and seat != state.turn:
        says = Says("it is the turn of {turn}, not of {seat}", {"turn": state.turn, "seat": seat})
        raise Illegal(says, rule("Gameplay"))


def _why_closed(state: RummyState, kind: type) -> tuple[Says, str]:
    who = {"seat": state.turn}
    match state.phase:
        case Phase.DRAW:
            return Says("{seat} must draw a card first", who), rule("gap 3")
        case Phase.PLAY if kind is Drew:
            if state.is_last_turn:
                return Says("the draw pile is exhausted: {seat} has one last turn without drawing", who), rule("gap 17")
            return Says("the draw pile is exhausted: {seat} melds or ends the turn", who), rule("gap 17")
        case Phase.PLAY if kind in (Knocked, Ended):
            return Says("{seat} has not melded yet: meld, or draw the next card", who), rule("gap 1")
        case Phase.END if kind is Drew or kind is Melded:
            if state.draws == sheet.MOST_DRAWS and kind is Melded:
                return Says("{seat} drew a third card and may not meld in this turn", who), rule("Gameplay")
            return Says("{seat} has had this turn's melding or third card: knock or end the turn", who), rule("gap 2")
        case Phase.SHOW:
            return Says("the round is over: the hands are shown and counted"), rule("End of a Round")
        case Phase.DEAL:
            return Says("the round is scored: the next dealer deals"), rule("gap 20")
        case _:
            return Says("the round goes on: it is the turn of {seat}", who), rule("Gameplay")


def _check_copies(state: RummyState, cards: tuple[str, ...], hand: Hand) -> None:
    """Checks that no card is known more often than the packs hold it, without the cards known of `hand` before."""
    seen = state.seen() - Counter(hand.cards) + Counter(cards)
    for card in cards:
        if seen[card] > state.packs:
            raise Illegal(too_often(card, seen[card], state.packs), rule("Deck"))


def _draw(state: RummyState, action: Drew) -> Applied[RummyState]:
    seat, hand = action.seat, state.hand(action.seat)
    cards = hand.cards
    if action.card is not None:
        if action.card not in PACK and action.card != JOKER:
            raise Illegal(Says("{card} is not a card of a hand", {"card": action.card}), rule("Deck"))
        cards = sorted_cards([*cards, action.card])
        _check_copies(state, cards, hand)
    draws, stock = state.draws + 1, state.stock - 1
    after = state.with_hand(seat, Hand(size=hand.size + 1, cards=cards))
    after = replace(after, draws=draws, stock=stock, phase=Phase.END if draws == sheet.MOST_DRAWS else Phase.PLAY)
    nth = {1: Says("first"), 2: Says("second"), 3: Says("third")}[draws]
    says = Says("{seat} draws a card, the {nth} of this turn", {"seat": seat, "nth": nth})
    rulings = [Ruling(seat, says, rule("Gameplay"))]
    if draws == sheet.MOST_DRAWS:
        rulings.append(Ruling(seat, Says("{seat} may not meld in this turn", {"seat": seat}), rule("Gameplay")))
    if stock == 0:
        at = state.seats.index(seat) + 1
        after = replace(after, exhausted_by=seat, last_turns=(*state.seats[at:], *state.seats[:at]))
        says = Says("the draw pile is exhausted: after this turn everybody has one more turn, without drawing")
        rulings.append(Ruling(None, says, rule("End of a Round")))
    return Applied(after, tuple(rulings))


def judge_meld(state: RummyState, action: Melded) -> tuple[Table, tuple[str, ...]]:
    """The table after a meld, with all that its jokers may stand for, and the cards laid. Raises: Illegal.

    It is legal if it is so in one meaning of the recorded table: `depends_on` tells which.
    """
    table = action.table
    if _jokers(table) > state.packs:
        raise Illegal(too_often(JOKER, _jokers(table), state.packs), rule("Deck"))
    for meld in table:
        flaw = flaw_of(meld, state.house)
        if flaw is not None:
            raise Illegal(flaw.says, flaw.rule)
    table = tuple(map(in_order, table))
    before, after = (Counter(in_hand(c) for meld in t for c in meld) for t in (state.table, table))
    laid = after - before
    if action.laid is not None:
        if not all(is_card(card) for card in action.laid):
            raise Illegal(Says("{laid} are not all cards", {"laid": " ".join(action.laid)}), rule("Melds"))
        laid = Counter(clean_hand(action.laid))
    for card in before + laid - after:
        says = Says("{card} left the table: no card may be taken into the hand", {"card": card})
        raise Illegal(says, rule("Jokers") if is_joker(card) else rule("gap 4"))
    for card in after - before - laid:
        raise Illegal(Says("{card} came to the table and was not laid", {"card": card}), rule("Melds"))
    if not laid:
        raise Illegal(Says("at least one card must be laid from the hand"), rule("Melds"))
    _check_laid(state, action.seat, laid)
    if found := possible_tables(state, table):
        return any_of(found), clean_hand(tuple(laid.elements()))
    tables = product(meanings(state.table, state.house), meanings(table, state.house))
    stays = sorted({renamed_joker(was, after) or "" for was, after in tables})
    says = Says("the joker stays the {card} until a real {card} replaces it", {"card": OR.join(stays)})
    raise Illegal(says, rule("Jokers"))


def _check_laid(state: RummyState, seat: str, laid: Counter[str]) -> None:
    hand = state.hand(seat)
    unknown = hand.size - len(hand.cards)
    missing = laid - Counter(hand.cards)
    if missing.total() > unknown:
        values = {"seat": seat, "cards": " ".join(sorted_cards(list(missing.elements())))}
        raise Illegal(Says("{seat} does not hold {cards}", values), rule("Melds"))
    seen = state.seen() + missing
    for card in laid:
        if seen[card] > state.packs:
            raise Illegal(too_often(card, seen[card], state.packs), rule("Deck"))


def _jokers(table: Table) -> int:
    return sum(is_joker(card) for meld in table for card in meld)


def possible_tables(state: RummyState, table: Table) -> tuple[Table, ...]:
    """The legal tables that melds with open jokers may mean, after any meaning of the recorded table.

    None with more jokers than the packs hold: what they might stand for multiplies with each.
    """
    if _jokers(table) > state.packs:
        return ()
    every = meanings(state.table, state.house)
    return tuple(dict.fromkeys(after for was in every for after in _possible_after(was, table, state.house)))


def _possible_after(was: Table, table: Table, house: House) -> list[Table]:
    """The legal meanings of a table after a table without open jokers.

    A joker in a recorded meld keeps its identity while the same cards lie together (sheet, Jokers), unless only another
    joker that took its place makes the table legal.
    """
    declared = [declarations(meld, house) for meld in table]
    kept = [tuple(meld for meld in melds if meld in was) or melds for melds in declared]
    found = [after for after in product(*kept) if renamed_joker(was, after) is None]
    return found or [after for after in product(*declared) if renamed_joker(was, after) is None]


def depends_on(state: RummyState, table: Table) -> tuple[Table, Table] | None:
    """The recorded table in the meanings in which it may become this table, and in the others.

    None if it may in all: then the meld is legal whatever its jokers were said to stand for. None too if each of them
    may still stand for all its cards.
    """
    every = meanings(state.table, state.house)
    fits = [was for was in every if _possible_after(was, table, state.house)]
    others = [was for was in every if was not in fits]
    if not fits or not others or any_of(fits) == any_of(every):
        return None
    return any_of(fits), any_of(others)


def _meld(state: RummyState, action: Melded) -> Applied[RummyState]:
    table, laid = judge_meld(state, action)
    seat, hand = action.seat, state.hand(action.seat)
    left = clean_hand(tuple((Counter(hand.cards) - Counter(laid)).elements()))
    after = state.with_hand(seat, Hand(size=hand.size - len(laid), cards=left))
    after = replace(after, table=table, phase=Phase.END)
    rulings = [Ruling(seat, Says("{seat} lays {laid}", {"seat": seat, "laid": " ".join(laid)}), rule("Melds"))]
    if (was := depends_on(state, table)) is not None:
        rulings.append(Ruling(seat, Says("the joker stood for {card}", {"card": named(*was)}), rule("gap 28")))
    if hand.size > len(laid):
        return Applied(after, tuple(rulings))
    says = Says("{seat} played all cards: the round is over", {"seat": seat})
    rulings.append(Ruling(seat, says, rule("Scoring")))
    return _settle(replace(after, phase=Phase.SHOW, out=seat), tuple(rulings))


def _check_knock(state: RummyState, seat: str) -> None:
    hand = state.hand(seat)
    points = points_of(hand.cards, state.house)
    least = min(value_table(state.house.values).values())
    if points + least * (hand.size - len(hand.cards)) > sheet.KNOCK_POINTS:
        values = {
            "seat": seat,
            "points": points_says(points),
            "most": sheet.KNOCK_POINTS,
            "hand": cards_says(hand.size),
        }
        says = "{seat} holds {points} and may knock with {most} or fewer"
        if not hand.is_known:
            says = "{seat} holds {hand}, worth more than {most} points"
        raise Illegal(Says(says, values), rule("End of a Round"))


def _next_turn(state: RummyState, seat: str) -> Applied[RummyState]:
    after = replace(state, turn=left_of(state.seats, seat), phase=Phase.DRAW, draws=0)
    if state.exhausted_by is not None:
        if not state.last_turns:
            ruling = Ruling(None, Says("the last turns are over: the round is over"), rule("End of a Round"))
            return _settle(replace(state, phase=Phase.SHOW), (ruling,))
        turn, *rest = state.last_turns
        after = replace(after, turn=turn, last_turns=tuple(rest), phase=Phase.PLAY)
    says = Says("{seat} ends the turn, {turn} is next", {"seat": seat, "turn": after.turn})
    return Applied(after, (Ruling(seat, says, rule("Gameplay")),))


def _show(state: RummyState, action: Shown) -> Applied[RummyState]:
    seat, hand = action.seat, state.hand(action.seat)
    wrong = [card for card in action.cards if card not in PACK and card != JOKER]
    if wrong:
        raise Illegal(Says("{card} is not a card of a hand", {"card": wrong[0]}), rule("Deck"))
    cards = clean_hand(action.cards)
    if len(cards) != hand.size:
        values = {"seat": seat, "hand": cards_says(hand.size), "shown": len(cards)}
        raise Illegal(Says("{seat} holds {hand}, not {shown}", values), rule("Setup"))
    _check_copies(state, cards, hand)
    shown = state.with_hand(seat, Hand(size=hand.size, cards=cards))
    if state.phase is not Phase.SHOW:
        return Applied(shown, (Ruling(seat, Says("{seat} told the referee the hand", {"seat": seat}), rule("Setup")),))
    if seat == state.knocked:
        _check_knock(shown, seat)
    values = {"seat": seat, "points": points_says(points_of(cards, state.house))}
    ruling = Ruling(seat, Says("{seat} is left with {points}", values), rule("End of a Round"))
    return _settle(shown, (ruling,))


def most_held(state: RummyState, seat: str) -> int:
    """Maximum number of cards of a hand that is counted again: further cards come from the draw pile, if it has any."""
    if state.exhausted_by is not None:
        return state.packs * sheet.PACK_CARDS - sum(map(len, state.table))
    return state.hand(seat).size + state.stock - 1


def _count(state: RummyState, action: Counted) -> Applied[RummyState]:
    """A hand has another number of cards than was entered. The draw pile, if there is one, makes up the difference."""
    seat, hand, most = action.seat, state.hand(action.seat), most_held(state, action.seat)
    values = {"seat": seat, "hand": cards_says(action.cards), "most": most}
    if not 1 <= action.cards <= most:
        raise Illegal(Says("{seat} cannot hold {hand}: expected 1 to {most}", values), rule("gap 25"))
    if seat == state.out or (state.phase is Phase.SHOW and hand.is_known):
        raise Illegal(Says("the hand of {seat} is counted already", values), rule("gap 25"))
    counted = Hand(size=action.cards, cards=hand.cards if len(hand.cards) <= action.cards else ())
    stock = state.stock if state.exhausted_by else state.stock + hand.size - action.cards
    after = replace(state.with_hand(seat, counted), stock=stock)
    return Applied(after, (Ruling(seat, Says("{seat} holds {hand}", values), rule("gap 25")),))


def _withdraw(state: RummyState, seat: str) -> Applied[RummyState]:
    hand = state.hand(seat)
    if hand.is_known and points_of(hand.cards, state.house) <= sheet.KNOCK_POINTS:
        raise Illegal(Says("the hand of {seat} is counted already", {"seat": seat}), rule("gap 25"))
    says = Says("{seat} takes the knock back: the turn goes on", {"seat": seat})
    return Applied(replace(state, phase=Phase.END, knocked=None), (Ruling(seat, says, rule("gap 25")),))


def _settle(state: RummyState, rulings: tuple[Ruling, ...]) -> Applied[RummyState]:
    """Counts the round once every hand is known; until then the hands are awaited."""
    if not all(hand.is_known for hand in state.hands):
        return Applied(state, rulings)
    points = {seat: points_of(hand.cards, state.house) for seat, hand in zip(state.seats, state.hands, strict=True)}
    count = count_round(points, state.knocked, state.out)
    scored = tuple(count.scores[seat] for seat in state.seats)
    totals = tuple(total + points for total, points in zip(state.totals, scored, strict=True))
    rounds_won = tuple(won + (seat in count.winners) for seat, won in zip(state.seats, state.rounds_won, strict=True))
    is_over = max(totals) >= state.house.goal
    rulings = (*rulings, Ruling(None, count.says, count.rule))
    for seat in count.winners:
        scores = Says("{seat} scores {points}", {"seat": seat, "points": points_says(count.scores[seat])})
        rulings = (*rulings, Ruling(seat, scores, count.rule))
    if is_over:
        says = Says("a total of {goal} is reached: the match is over", {"goal": state.house.goal})
        rulings = (*rulings, Ruling(None, says, rule("Winning")))
    phase = Phase.OVER if is_over else Phase.DEAL
    after = replace(state, phase=phase, scored=scored, totals=totals, rounds_won=rounds_won)
    return Applied(after, rulings)


def _deal_on(state: RummyState) -> Applied[RummyState]:
    dealer = left_of(state.seats, state.dealer)
    after = deal(state.seats, state.house, state.round + 1, dealer, state.totals, state.rounds_won, state.scored)
    values = {"dealer": dealer, "round": after.round, "turn": after.turn}
    says = Says("{dealer} deals round {round}, {turn} has the first turn", values)
    return Applied(after, (Ruling(dealer, says, rule("gap 20")),))
