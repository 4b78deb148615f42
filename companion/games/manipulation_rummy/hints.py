"""Help for one seat from its own hand and the open table: the best play as steps, may one knock, what comes next.

Nothing here reads another seat's cards: their number is open to all, the cards themselves are not used.
"""

from __future__ import annotations

from dataclasses import dataclass

from companion.game import Hint
from companion.games.manipulation_rummy.arrange import arranged
from companion.games.manipulation_rummy.house import KNOCK_POINTS, points_of, rule
from companion.games.manipulation_rummy.melds import Table
from companion.games.manipulation_rummy.notation import action_text
from companion.games.manipulation_rummy.solver import solve
from companion.games.manipulation_rummy.state import Action, Drew, Ended, Knocked, Melded, Phase, RummyState
from companion.games.manipulation_rummy.steps import Step, steps
from companion.says import Says


@dataclass(frozen=True, slots=True)
class Play:
    """A play: points that leave the hand, the cards laid, the table after, how to get there.

    `is_proven` is False when the time was up: then `most` is what no play can exceed.
    """

    points: int
    laid: tuple[str, ...]
    table: Table
    steps: tuple[Step, ...]
    is_proven: bool
    most: int


def best_play(state: RummyState, seat: str, within_ms: float) -> Play:
    """The play that leaves the fewest points in the hand of `seat` (as far as it was told); laid () is no play."""
    best = solve(state.table, state.hand(seat).cards, state.house, within_ms)
    table = arranged(state.table, best, state.house)
    way = steps(state.table, table, best.laid) if best.laid else ()
    return Play(best.points, best.laid, table, way, best.is_proven, best.most)


def hints(state: RummyState, seat: str, within_ms: float) -> tuple[Hint[Action], ...]:
    """Ranked help for `seat` now; from its own hand, the table and what is open to all."""
    if seat not in state.seats or state.phase in (Phase.DEAL, Phase.OVER):
        return ()
    hand = state.hand(seat)
    if state.phase is Phase.SHOW:
        return (
            () if hand.is_known else (_know(seat, Says("show your hand: it is counted now"), rule("End of a Round")),)
        )
    if not hand.is_known:
        says = Says("tell the referee your {size} cards to get plays", {"size": hand.size})
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
    return (_do(Drew(seat), Says("draw a card: the first one is always drawn"), rule("gap 3")),)


def _points(state: RummyState, seat: str) -> Hint[Action]:
    points = points_of(state.hand(seat).cards, state.house)
    return _know(seat, Says("you hold {points} points", {"points": points}), rule("End of a Round"))


def _proof(play: Play) -> Says:
    if play.is_proven:
        return Says("proven: no play leaves fewer points")
    return Says("the best found in the time given: {most} points at most can leave the hand", {"most": play.most})


def _preview(state: RummyState, seat: str, within_ms: float, when: Says) -> Hint[Action]:
    play = best_play(state, seat, within_ms)
    why = (when, *(step.says for step in play.steps), _proof(play))
    if not play.laid:
        return _know(seat, Says("nothing in your hand can be melded now"), rule("Melds"), why)
    values = {"laid": " ".join(play.laid), "points": play.points}
    return _know(seat, Says("you could lay {laid}, {points} points", values), rule("Melds"), why)


def _plays(state: RummyState, seat: str, within_ms: float) -> tuple[Hint[Action], ...]:
    play = best_play(state, seat, within_ms)
    hand = state.hand(seat)
    if not play.laid:
        says = Says("nothing can be melded") if play.is_proven else Says("no play was found in the time given")
        return (_know(seat, says, rule("Melds"), (_proof(play),)), *_onwards(state, seat))
    left = points_of(hand.cards, state.house) - play.points
    values = {"laid": " ".join(play.laid), "points": play.points, "left": left}
    template = "lay {laid}: {points} points leave your hand, {left} stay"
    cited = rule("Melds")
    if len(play.laid) == hand.size:
        template, cited = "lay {laid} and go out: that was your last card", rule("Scoring")
    why = (*(step.says for step in play.steps), _proof(play))
    found = [_do(Melded(seat, play.table, play.laid), Says(template, values), cited, why)]
    if left:
        may = (
            "after it you may knock with {left} points"
            if left <= KNOCK_POINTS
            else "after it you may not knock: {left} points"
        )
        found.append(_know(seat, Says(may, values), rule("End of a Round")))
    return (*found, *_onwards(state, seat))


def _onwards(state: RummyState, seat: str) -> tuple[Hint[Action], ...]:
    """What there is instead of melding: the next card, or the end of the turn where none can be drawn."""
    if state.exhausted_by is not None:
        return _endings(state, seat)
    nth = "second" if state.draws == 1 else "third"
    why = () if nth == "second" else (Says("after a third card there is no melding in this turn"),)
    return (_do(Drew(seat), Says("or draw a {nth} card", {"nth": nth}), rule("Gameplay"), why),)


def _endings(state: RummyState, seat: str) -> tuple[Hint[Action], ...]:
    """Knock or end the turn: what may be done, and what knocking risks."""
    points = points_of(state.hand(seat).cards, state.house)
    ending = _do(Ended(seat), Says("end the turn"), rule("Gameplay"))
    if points > KNOCK_POINTS:
        values = {"points": points, "most": KNOCK_POINTS}
        return (
            ending,
            _know(seat, Says("you may not knock: {points} points, {most} at most", values), rule("End of a Round")),
        )
    fewest = min(hand.size for name, hand in zip(state.seats, state.hands, strict=True) if name != seat)
    why = (
        Says("whoever holds as few points or fewer wins in your place, with the undercut bonus"),
        Says("the smallest other hand has {cards} cards", {"cards": fewest}),
    )
    return (
        _do(Knocked(seat), Says("you may knock with {points} points", {"points": points}), rule("End of a Round"), why),
        ending,
    )
