"""The removal duel: the order of the game reversed, one piece off at a time (sheet, the note under the tournament)."""

from dataclasses import replace

from companion.game.says import Says, each_as, listed
from companion.game.values import Applied, Illegal, Ruling
from companion.games.suspend.events import Removed
from companion.games.suspend.house import COLORS, Mode, rule
from companion.games.suspend.state import Phase, Pile, SuspendState, pieces_says


def right_of(state: SuspendState, seat: str, among: tuple[str, ...]) -> str:
    """The next seat backward, counter-clockwise, that is among the given ones."""
    at = state.seats.index(seat)
    before = (*reversed(state.seats[:at]), *reversed(state.seats[at:]))
    return next(seat for seat in before if seat in among)


def begin_duel(state: SuspendState, tied: tuple[str, ...], told: Ruling) -> Applied[SuspendState]:
    """The tied players remove pieces: who placed last first, or the next one backward from him who is tied."""
    if not state.hung.total or state.mover is None:
        says = Says(
            "nothing hangs that could be removed: {seats} share the win", {"seats": listed(each_as("seat", tied))}
        )
        over = replace(state, phase=Phase.OVER, color=None, source=None, winners=tied)
        return Applied(over, (told, Ruling(None, says, rule("gap 22"))))
    first = state.mover if state.mover in tied else right_of(state, state.mover, tied)
    after = replace(
        state,
        phase=Phase.REMOVE,
        players=tied,
        turn=first,
        color=None,
        source=None,
        removed=(0,) * len(state.seats),
    )
    says = Says("{seat} removes the first piece", {"seat": first})
    return Applied(after, (told, Ruling(first, says, rule("Tie"))))


def remove(state: SuspendState, event: Removed) -> Applied[SuspendState]:
    """A piece comes off: in the duel it counts for its player, in a solo sculpture it goes back to the pile."""
    seat, color = event.seat, event.color
    values = {"seat": seat, "color": color}
    if color not in COLORS or not state.hung.count(color):
        raise Illegal(Says("no {color} piece hangs", values), rule("The Rules"))
    piece = Pile.of([color])
    hung = state.hung.minus(piece)
    ruling = Ruling(seat, Says("{seat} removes {color}", values), rule("Tie"))
    if state.house.mode is Mode.SOLO:
        after = replace(state, hung=hung, piles=(state.piles[0].plus(piece),))
        after = replace(after, phase=Phase.HANG, color=None, source=None)
        return Applied(after, (Ruling(seat, ruling.says, rule("Solo Game")),))
    at = state.seats.index(seat)
    removed = (*state.removed[:at], state.removed[at] + 1, *state.removed[at + 1 :])
    after = replace(state, hung=hung, off=state.off.plus(piece), removed=removed, mover=seat, lost_turn=None)
    return _go_on(replace(after, turn=right_of(state, seat, state.players)), (ruling,))


def duel_fall(state: SuspendState, seat: str, pieces: Pile) -> Applied[SuspendState]:
    """A player who makes pieces fall is out of the duel; what fell is out of play."""
    if seat not in state.players:
        raise Illegal(Says("{seat} is out of the duel already", {"seat": seat}), rule("Tie"))
    left = tuple(player for player in state.players if player != seat)
    values = {"seat": seat, "pieces": pieces.says}
    ruling = Ruling(seat, Says("{pieces} fell: {seat} is eliminated", values), rule("Tie"))
    after = replace(state, hung=state.hung.minus(pieces), off=state.off.plus(pieces), players=left)
    if seat == state.turn:
        after = replace(after, turn=right_of(state, seat, left))
    return _go_on(after, (ruling,))


def _go_on(state: SuspendState, rulings: tuple[Ruling, ...]) -> Applied[SuspendState]:
    """The duel ends with one player left, or with nothing left to remove: then most pieces removed wins (gap 23)."""
    if len(state.players) > 1 and state.hung.total:
        return Applied(state, rulings)
    removed = {seat: state.removed[state.seats.index(seat)] for seat in state.players}
    most = max(removed.values())
    removed_says = Says("{pieces} removed", {"pieces": pieces_says(most)})
    winners = tuple(seat for seat in state.players if removed[seat] == most)
    words = "{seats} wins the duel with {most}" if len(winners) == 1 else "{seats} share the duel with {most} each"
    says = Says(words, {"seats": listed(each_as("seat", winners)), "most": removed_says})
    cited = rule("Tie") if len(winners) == 1 else rule("gap 23")
    over = replace(state, phase=Phase.OVER, winners=winners)
    return Applied(over, (*rulings, Ruling(None, says, cited)))
