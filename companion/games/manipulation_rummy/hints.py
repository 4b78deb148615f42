"""Help for one seat from its own hand and the open table: the best play as steps, may one knock, what comes next.

Nothing here reads another seat's cards: their number is open to all, the cards themselves are not used.
"""

from dataclasses import replace

from companion.game.says import Says, points_says
from companion.game.values import Hint
from companion.games.manipulation_rummy.arrange import arranged
from companion.games.manipulation_rummy.house import KNOCK_POINTS, cards_says, points_of, rule
from companion.games.manipulation_rummy.melds import Table, is_open, meanings
from companion.games.manipulation_rummy.notation import action_text
from companion.games.manipulation_rummy.rules import depends_on
from companion.games.manipulation_rummy.solver import Best, solve
from companion.games.manipulation_rummy.state import Action, Drew, Ended, Knocked, Melded, Phase, RummyState
from companion.games.manipulation_rummy.steps import steps


def best_play(state: RummyState, seat: str, within_ms: float) -> tuple[Best, Table]:
    """The play that leaves the fewest points in the known part of `seat`'s hand, and the table after it.

    It is legal whatever open jokers stand for. Candidates are the best play for each meaning of the table, and the best
    one that leaves melds with open jokers alone. It is proven if it brings as much as the meaning that allows least.
    """
    hand, house = state.hand(seat).cards, state.house
    every, alone = meanings(state.table, house), tuple(filter(is_open, state.table))
    share_ms = within_ms / (len(every) + bool(alone))
    plays, bounds = [], []
    for meant in every:
        best = solve(meant, hand, house, share_ms)
        bounds.append(best.most)
        stays = dict(zip(meant, state.table, strict=True))
        after = tuple(stays.get(meld, meld) for meld in arranged(meant, best, house))
        if not best.laid or depends_on(state, after) is None:
            plays.append((best, after))
    if alone:
        rest = tuple(meld for meld in state.table if not is_open(meld))
        best = solve(rest, hand, house, share_ms)
        plays.append((best, (*arranged(rest, best, house), *alone)))
    best, after = max(plays, key=lambda play: play[0].points)
    most = max(min(bounds), best.points)
    return replace(best, most=most, is_proven=most <= best.points), after


def hints(state: RummyState, seat: str, *, within_ms: float = 300.0, **limits: object) -> tuple[Hint[Action], ...]:
    if seat not in state.seats or state.phase in (Phase.DEAL, Phase.OVER):
        return ()
    hand = state.hand(seat)
    if state.phase is Phase.SHOW:
        return (
            () if hand.is_known else (_know(seat, Says("show your hand: it is counted now"), rule("End of a Round")),)
        )
    if not hand.is_known:
        says = Says("tell the referee your {cards} to get plays", {"cards": cards_says(hand.size)})
        return (*_turn(state, seat), _know(seat, says, rule("Setup")))
    if seat != state.turn:
        return (_preview(state, seat, within_ms, Says("not your turn yet")), _points(state, seat))
    if state.phase is Phase.DRAW:
        return (
            *_turn(state, seat),
            _preview(state, seat, within_ms, Says("before the card you draw")),
            _points(state, seat),
        )
    if state.phase is Phase.PLAY:
        return _plays(state, seat, within_ms)
    return _endings(state, seat)


def _know(seat: str, says: Says, cited: str, why: tuple[Says, ...] = ()) -> Hint[Action]:
    return Hint(seat, None, None, says, why, cited)


def _do(action: Action, says: Says, cited: str, why: tuple[Says, ...] = ()) -> Hint[Action]:
    return Hint(action.seat, action, action_text(action), says, why, cited)  # type: ignore[union-attr]


def _turn(state: RummyState, seat: str) -> tuple[Hint[Action], ...]:
    if seat != state.turn or state.phase is not Phase.DRAW:
        return ()
    return (_do(Drew(seat), Says("draw a card: the first card is always drawn"), rule("gap 3")),)


def _points(state: RummyState, seat: str) -> Hint[Action]:
    points = points_of(state.hand(seat).cards, state.house)
    says = Says("you hold {points}", {"points": points_says(points)})
    return _know(seat, says, rule("End of a Round"))


def _proof(best: Best) -> Says:
    if best.is_proven:
        return Says("proven: no play leaves fewer points")
    return Says("the best play found in time; no play brings more than {points}", {"points": points_says(best.most)})


def _preview(state: RummyState, seat: str, within_ms: float, when: Says) -> Hint[Action]:
    best, table = best_play(state, seat, within_ms)
    why = (when, *steps(state.table, table, best.laid), _proof(best))
    if not best.laid:
        return _know(seat, Says("nothing in your hand can be melded now"), rule("Melds"), why)
    values = {"laid": " ".join(best.laid), "points": points_says(best.points)}
    return _know(seat, Says("you could lay {laid}, {points}", values), rule("Melds"), why)


def _plays(state: RummyState, seat: str, within_ms: float) -> tuple[Hint[Action], ...]:
    best, table = best_play(state, seat, within_ms)
    hand = state.hand(seat)
    if not best.laid:
        says = Says("nothing can be melded") if best.is_proven else Says("no play was found in the time given")
        return (_know(seat, says, rule("Melds"), (_proof(best),)), *_onwards(state, seat))
    left = points_of(hand.cards, state.house) - best.points
    values = {"laid": " ".join(best.laid), "points": points_says(best.points), "left": points_says(left)}
    says, cited = Says("lay {laid}, {points}; then left in your hand: {left}", values), rule("Melds")
    if len(best.laid) == hand.size:
        says, cited = Says("lay {laid} and go out: that was your last card", values), rule("Scoring")
    why = (*steps(state.table, table, best.laid), _proof(best))
    found = [_do(Melded(seat, table, best.laid), says, cited, why)]
    if left:
        may = "after it you may knock with {points}" if left <= KNOCK_POINTS else "after it you may not knock: {points}"
        found.append(_know(seat, Says(may, {"points": points_says(left)}), rule("End of a Round")))
    return (*found, *_onwards(state, seat))


def _onwards(state: RummyState, seat: str) -> tuple[Hint[Action], ...]:
    """The alternative to melding: the next card, or the end of the turn if none can be drawn."""
    if state.exhausted_by is not None:
        return _endings(state, seat)
    nth = Says("second") if state.draws == 1 else Says("third")
    why = () if state.draws == 1 else (Says("no melding after the third card of a turn"),)
    return (_do(Drew(seat), Says("or draw a {nth} card", {"nth": nth}), rule("Gameplay"), why),)


def _endings(state: RummyState, seat: str) -> tuple[Hint[Action], ...]:
    points = points_of(state.hand(seat).cards, state.house)
    ending = _do(Ended(seat), Says("end the turn"), rule("Gameplay"))
    if points > KNOCK_POINTS:
        values = {"points": points_says(points), "most": KNOCK_POINTS}
        says = Says("you may not knock: {points}, {most} at most", values)
        return ending, _know(seat, says, rule("End of a Round"))
    fewest = min(hand.size for name, hand in zip(state.seats, state.hands, strict=True) if name != seat)
    why = (
        Says("anyone with the same or fewer points wins instead of you, with the undercut bonus"),
        Says("the smallest other hand has {cards}", {"cards": cards_says(fewest)}),
    )
    says = Says("you may knock with {points}", {"points": points_says(points)})
    return _do(Knocked(seat), says, rule("End of a Round"), why), ending
