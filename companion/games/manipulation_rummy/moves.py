"""The moves that are open now, why others are not, and how a match ended: the answers around `rules.apply`."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from companion.game.says import Says
from companion.game.values import Asks, Illegal, Move, Outcome, PutBack, Score, Tally, tried
from companion.games.manipulation_rummy.house import KNOCK_POINTS, MOST_DRAWS, cards_says, rule
from companion.games.manipulation_rummy.melds import same_table, table_text
from companion.games.manipulation_rummy.notation import NO_CARDS, action_text, cards_of_text, table_of_text
from companion.games.manipulation_rummy.rules import apply, judge_meld, most_held, open_kinds, to_move
from companion.games.manipulation_rummy.scoring import count_finals
from companion.games.manipulation_rummy.state import (
    Action,
    Counted,
    Dealt,
    Drew,
    Ended,
    Knocked,
    Melded,
    Phase,
    RummyState,
    Shown,
    Withdrew,
)

_MELDING = (
    Says("every meld on the table is a group or a sequence of three cards or more at the end"),
    Says("at least one card is laid from the hand, and none is taken from the table"),
    Says("a joker keeps what it stands for until the real card replaces it"),
)


def legal(state: RummyState) -> tuple[Move[Action], ...]:
    """The actions open now. Melding and showing a hand cannot be listed: their kinds, with the constraints."""
    kinds = open_kinds(state)
    seat, hand = state.turn, state.hand(state.turn)
    moves: list[Move[Action]] = []
    if Drew in kinds:
        last = Says("this is the third card: after it {seat} may not meld in this turn", {"seat": seat})
        left = Says("left in the draw pile then: {cards}", {"cards": cards_says(state.stock - 1)})
        effects = (last, left) if state.draws == MOST_DRAWS - 1 else (left,)
        moves.append(_move(Drew(seat), "gap 1", *effects))
    if Melded in kinds:
        text = Says("{seat} melds: one rearrangement of the table, judged when {seat} says done", {"seat": seat})
        moves.append(Move(None, f"{seat} melds ...", text, _MELDING, rule("Melds"), made=partial(_melds, state, seat)))
    if Knocked in kinds and tried(apply, state, Knocked(seat)).is_legal:
        effects = (Says("the hands are shown and counted"),)
        if not hand.is_known:
            effects = (Says("allowed with {most} points or fewer in hand", {"most": KNOCK_POINTS}), *effects)
        moves.append(_move(Knocked(seat), "End of a Round", *effects))
    if Ended in kinds:
        moves.append(_move(Ended(seat), "Gameplay"))
    if Shown in kinds:
        for name in to_move(state):
            values = {"seat": name, "hand": cards_says(state.hand(name).size)}
            if state.phase is Phase.SHOW:
                text, cited = Says("{seat} shows the hand, {hand}", values), rule("End of a Round")
            else:
                text, cited = Says("{seat} may tell the referee the hand, {hand}", values), rule("Setup")
            show = partial(_shows, state, name)
            moves.append(Move(None, f"{name} shows ...", text, (), cited, seats=(name,), made=show))
    if Withdrew in kinds and state.knocked and tried(apply, state, Withdrew(state.knocked)).is_legal:
        moves.append(replace(_move(Withdrew(state.knocked), "gap 25"), seats=(state.knocked,)))
    if Counted in kinds:
        for name in state.seats:
            if name == state.out or (state.phase is Phase.SHOW and state.hand(name).is_known):
                continue
            values = {"seat": name, "hand": cards_says(state.hand(name).size)}
            text = Says("{seat} counts the hand again, entered as {hand}", values)
            asked = Asks("cards", Says("how many cards does {seat} hold?", values), span=(1, most_held(state, name)))
            made = partial(lambda name, given: Counted(name, int(given["cards"])), name)
            moves.append(Move(None, f"{name} holds ...", text, (), rule("gap 25"), (asked,), (name,), made=made))
    if Dealt in kinds:
        text = Says("{dealer} deals the next round", {"dealer": to_move(state)[0]})
        moves.append(replace(_move(Dealt(), "gap 20"), text=text))
    return tuple(moves)


def _move(action: Action, paragraph: str, *effects: Says) -> Move[Action]:
    return Move(action, action_text(action), says(action), effects, rule(paragraph))


def _melds(state: RummyState, seat: str, values: Mapping[str, str]) -> Action:
    """Melding as a phone sends it, with the whole ``table``. Raises: NotationError: it is not a table; Illegal."""
    table, laid = judge_meld(state, Melded(seat, table_of_text(values.get("table", ""))))
    return Melded(seat, table, laid)


def _shows(state: RummyState, seat: str, values: Mapping[str, str]) -> Action:
    """Showing as a phone sends it, with the ``cards``. Raises: Illegal before the end; NotationError: not a hand."""
    if state.phase is not Phase.SHOW:
        raise Illegal(
            Says("your hand stays hidden until it is counted at the end: keep it on your own phone"), rule("Setup")
        )
    return Shown(seat, cards_of_text(values.get("cards", "").replace(NO_CARDS, "")))


def finals(state: RummyState) -> dict[str, int]:
    """Points of each seat: totals of the rounds counted, with the bonuses once the match is over."""
    if state.phase is not Phase.OVER:
        return dict(zip(state.seats, state.totals, strict=True))
    both = zip(state.totals, state.rounds_won, strict=True)
    return count_finals(
        dict(zip(state.seats, both, strict=True)), state.house.box_bonus_for_finishers, state.house.goal
    )


def score(state: RummyState) -> dict[str, Score]:
    """Points of each seat; an event adds up totals and rounds won, without the bonuses."""
    told = zip(finals(state).items(), state.totals, state.rounds_won, strict=True)
    return {seat: Score(float(points), tally=Tally(total, won)) for (seat, points), total, won in told}


def outcome(state: RummyState) -> Outcome | None:
    """The seats with the most points once somebody reached 150 (sheet, Winning; a tie is shared, gap 23)."""
    if state.phase is not Phase.OVER:
        return None
    points = finals(state)
    most = max(points.values())
    winners = tuple(seat for seat, own in points.items() if own == most)
    cited = "Winning" if len(winners) == 1 else "gap 23"
    return Outcome.of([(seat,) for seat in winners], state.seats, rule(cited))


def says(action: Action) -> Says:
    """The action in words that everybody may read: cards of a hand are left out."""
    match action:
        case Drew(seat):
            return Says("{seat} draws a card", {"seat": seat})
        case Shown(seat, cards):
            return Says("{seat} shows {hand} to the referee", {"seat": seat, "hand": cards_says(len(cards))})
        case Melded(seat, table, laid):
            if laid is None:  # as an older version entered it
                return Says("{seat} melds: {table}", {"seat": seat, "table": table_text(table)})
            return Says("{seat} lays {laid}", {"seat": seat, "laid": " ".join(laid)})
        case Knocked(seat):
            return Says("{seat} knocks", {"seat": seat})
        case Ended(seat):
            return Says("{seat} ends the turn", {"seat": seat})
        case Counted(seat, cards):
            return Says("{seat} counted the hand: {hand}", {"seat": seat, "hand": cards_says(cards)})
        case Withdrew(seat):
            return Says("{seat} takes the knock back", {"seat": seat})
        case Dealt():
            return Says("the next round is dealt")


def put_back(before: RummyState, after: RummyState) -> tuple[PutBack, ...]:
    told = []
    if not same_table(before.table, after.table):
        values = {"table": table_text(before.table) or Says("empty")}
        told.append(PutBack(Says("lay the table as it was: {table}; the cards laid go back to the hand", values)))
    if after.stock < before.stock:
        told.append(PutBack(Says("put the card drawn back on the draw pile")))
    return tuple(told)
