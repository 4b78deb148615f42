"""Help for one seat from its own hand and the open table: the best play as steps, may one knock, what comes next.

Nothing here reads another seat's cards: their number is open to all, the cards themselves are not used.
"""

from dataclasses import dataclass

from companion.game.says import Says, counted
from companion.game.values import Hint
from companion.games.manipulation_rummy.arrange import arranged
from companion.games.manipulation_rummy.house import KNOCK_POINTS, points_of, points_says, rule
from companion.games.manipulation_rummy.melds import Table
from companion.games.manipulation_rummy.notation import action_text
from companion.games.manipulation_rummy.solver import solve
from companion.games.manipulation_rummy.state import Action, Drew, Ended, Knocked, Melded, Phase, RummyState
from companion.games.manipulation_rummy.steps import Step, steps


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
    """The play that leaves the fewest points in the known part of `seat`'s hand; laid () means no play."""
    best = solve(state.table, state.hand(seat).cards, state.house, within_ms)
    table = arranged(state.table, best, state.house)
    way = steps(state.table, table, best.laid) if best.laid else ()
    return Play(best.points, best.laid, table, way, best.is_proven, best.most)


def hints(state: RummyState, seat: str, *, within_ms: float = 300.0, **limits: object) -> tuple[Hint[Action], ...]:
    """Ranked help for `seat` now; from its own hand, the table and what is open to all."""
    if seat not in state.seats or state.phase in (Phase.DEAL, Phase.OVER):
        return ()
    hand = state.hand(seat)
    if state.phase is Phase.SHOW:
        return (
            () if hand.is_known else (_know(seat, Says("show your hand: it is counted now"), rule("End of a Round")),)
        )
    if not hand.is_known:
        says = counted(
            hand.size,
            "tell the referee your card to get plays",
            "tell the referee your {count} cards to get plays",
        )
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
    says = counted(points, "you hold one point", "you hold {count} points", none="you hold no points")
    return _know(seat, says, rule("End of a Round"))


def _proof(play: Play) -> Says:
    if play.is_proven:
        return Says("proven: no play leaves fewer points")
    return counted(
        play.most,
        "the best play found in time: no play can take more than one point out of the hand",
        "the best play found in time: no play can take more than {count} points out of the hand",
    )


def _preview(state: RummyState, seat: str, within_ms: float, when: Says) -> Hint[Action]:
    play = best_play(state, seat, within_ms)
    why = (when, *(step.says for step in play.steps), _proof(play))
    if not play.laid:
        return _know(seat, Says("nothing in your hand can be melded now"), rule("Melds"), why)
    words = ("you could lay {laid}, one point", "you could lay {laid}, {count} points")
    return _know(seat, counted(play.points, *words, {"laid": " ".join(play.laid)}), rule("Melds"), why)


def _plays(state: RummyState, seat: str, within_ms: float) -> tuple[Hint[Action], ...]:
    play = best_play(state, seat, within_ms)
    hand = state.hand(seat)
    if not play.laid:
        says = Says("nothing can be melded") if play.is_proven else Says("no play was found in the time given")
        return (_know(seat, says, rule("Melds"), (_proof(play),)), *_onwards(state, seat))
    left = points_of(hand.cards, state.house) - play.points
    words = ("lay {laid}: one point leaves your hand, {left}", "lay {laid}: {count} points leave your hand, {left}")
    stay = counted(left, "one stays", "{count} stay", none="none stay")
    says, cited = counted(play.points, *words, {"laid": " ".join(play.laid), "left": stay}), rule("Melds")
    if len(play.laid) == hand.size:
        says = Says("lay {laid} and go out: that was your last card", {"laid": " ".join(play.laid)})
        cited = rule("Scoring")
    why = (*(step.says for step in play.steps), _proof(play))
    found = [_do(Melded(seat, play.table, play.laid), says, cited, why)]
    if left:
        may = counted(left, "after it you may knock with one point", "after it you may knock with {count} points")
        if left > KNOCK_POINTS:
            may = Says("after it you may not knock: {points}", {"points": points_says(left)})
        found.append(_know(seat, may, rule("End of a Round")))
    return (*found, *_onwards(state, seat))


def _onwards(state: RummyState, seat: str) -> tuple[Hint[Action], ...]:
    """The alternative to melding: the next card, or the end of the turn if none can be drawn."""
    if state.exhausted_by is not None:
        return _endings(state, seat)
    nth = Says("second") if state.draws == 1 else Says("third")
    why = () if state.draws == 1 else (Says("no melding after the third card of a turn"),)
    return (_do(Drew(seat), Says("or draw a {nth} card", {"nth": nth}), rule("Gameplay"), why),)


def _endings(state: RummyState, seat: str) -> tuple[Hint[Action], ...]:
    """Knock or end the turn: what may be done, and what knocking risks."""
    points = points_of(state.hand(seat).cards, state.house)
    ending = _do(Ended(seat), Says("end the turn"), rule("Gameplay"))
    if points > KNOCK_POINTS:
        values = {"points": points_says(points), "most": KNOCK_POINTS}
        says = Says("you may not knock: {points}, {most} at most", values)
        return ending, _know(seat, says, rule("End of a Round"))
    fewest = min(hand.size for name, hand in zip(state.seats, state.hands, strict=True) if name != seat)
    why = (
        Says("anyone with the same or fewer points wins instead of you, with the undercut bonus"),
        counted(fewest, "the smallest other hand has one card", "the smallest other hand has {count} cards"),
    )
    says = counted(
        points, "you may knock with one point", "you may knock with {count} points", none="you may knock with no points"
    )
    return _do(Knocked(seat), says, rule("End of a Round"), why), ending
