"""Rounds of Suspend: the deal, whose turn, the end of a round and of a match, the removal duel.

The duel reverses the order of the game, one piece off at a time (sheet, the note under the tournament).
"""

from dataclasses import replace

from companion.game.says import Says, each_as, listed, points_says
from companion.game.values import Applied, Illegal, Ruling
from companion.games.suspend.events import Removed
from companion.games.suspend.house import COLORS, COUNT_EACH, ELIMINATED_AT, HEADINGS, House, Mode, rule
from companion.games.suspend.state import Phase, Pile, SuspendState, pieces_says


def deal(
    seats: tuple[str, ...],
    house: House,
    players: tuple[str, ...],
    number: int,
    starter: str,
    points: tuple[int, ...],
) -> SuspendState:
    """Round `number` as it begins: the same number of each color for each player, the rest in the draw pile (gap 5)."""
    share = COUNT_EACH // len(players)
    return SuspendState(
        seats=seats,
        house=house,
        players=players,
        round=number,
        starter=starter,
        turn=starter,
        phase=Phase.ROLL if house.has_die else Phase.HANG,
        piles=tuple(Pile.of(COLORS * share) if seat in players else Pile() for seat in seats),
        draw_pile=Pile.of(COLORS * (COUNT_EACH - share * len(players))),
        hung=Pile(),
        points=points,
    )


def left_of(state: SuspendState, seat: str, among: tuple[str, ...]) -> str:
    """The next seat clockwise that is among the given ones."""
    at = state.seats.index(seat) + 1
    return next(seat for seat in (*state.seats[at:], *state.seats[:at]) if seat in among)


def next_turn(state: SuspendState) -> SuspendState:
    """The next player clockwise rolls, or hangs if no die is rolled."""
    if state.phase is Phase.REMOVE:
        return replace(state, turn=right_of(state, state.turn, state.players))
    return replace(
        state,
        turn=left_of(state, state.turn, state.players),
        phase=Phase.ROLL if state.house.has_die else Phase.HANG,
        color=None,
        source=None,
        fallen=None,
    )


def close_round(state: SuspendState, winner: str) -> Applied[SuspendState]:
    """Somebody has run out: the match is won, or a tournament's round is recorded and the next one dealt."""
    mode = state.house.mode
    if mode is Mode.SOLO:
        says = Says("all pieces hang: the sculpture is complete")
        return Applied(_over(state), (Ruling(winner, says, rule("Solo Game")),))
    values = {"seat": winner, "round": state.round}
    if mode is not Mode.EXPERT:
        ruling = Ruling(winner, Says("{seat} has run out of pieces and wins", values), rule(HEADINGS[mode]))
        return Applied(replace(_over(state), winners=(winner,)), (ruling,))
    rulings = [Ruling(winner, Says("{seat} has run out: round {round} is over", values), rule("Expert Tournament"))]
    points = list(state.points)
    for seat in state.players:
        scored = state.pile(seat).notches(state.house)
        at = state.seats.index(seat)
        points[at] += scored
        values = {"seat": seat, "points": points_says(scored), "total": points[at]}
        says = Says("{seat} gets {points}, {total} in all", values)
        rulings.append(Ruling(seat, says, rule("Expert Tournament")))
    got = (seat in state.players for seat in state.seats)
    row = tuple(now - was if is_in else None for now, was, is_in in zip(points, state.points, got, strict=True))
    sheet = (*state.sheet, row)
    left = tuple(seat for seat in state.players if points[state.seats.index(seat)] < ELIMINATED_AT)
    for seat in state.players:
        if seat not in left:
            says = Says("{seat} reached {limit} points and is out", {"seat": seat, "limit": ELIMINATED_AT})
            rulings.append(Ruling(seat, says, rule("Expert Tournament")))
    if len(left) == 1:
        says = Says("{seat} is the champion", {"seat": left[0]})
        rulings.append(Ruling(left[0], says, rule("Expert Tournament")))
        over = replace(_over(state), points=tuple(points), players=left, winners=left, sheet=sheet)
        return Applied(over, tuple(rulings))
    starter = left_of(state, state.starter, left)
    after = replace(deal(state.seats, state.house, left, state.round + 1, starter, tuple(points)), sheet=sheet)
    says = Says("round {round} is dealt, {seat} begins", {"round": after.round, "seat": starter})
    return Applied(after, (*rulings, Ruling(starter, says, rule("gap 21"))))


def stop(state: SuspendState) -> Applied[SuspendState]:
    """Time is up by agreement: the best standing wins; an equal one is settled by the removal duel (gaps 18, 22)."""
    if state.house.mode is Mode.SOLO:
        says = stands(state)
        return Applied(_over(state), (Ruling(None, says, rule("Solo Game")),))
    standing = {seat: state.pile(seat).total for seat in state.players}
    if state.house.mode is Mode.EXPERT:
        standing = {seat: state.points[state.seats.index(seat)] for seat in state.players}
    best = min(standing.values())
    tied = tuple(seat for seat in state.players if standing[seat] == best)
    left = Says("{pieces} left", {"pieces": pieces_says(best)})
    values = {
        "seats": listed(each_as("seat", tied)),
        "best": points_says(best) if state.house.mode is Mode.EXPERT else left,
    }
    if len(tied) > 1:
        says = Says("{seats} are tied with {best}", values)
        return begin_duel(state, tied, Ruling(None, says, rule("gap 22")))
    says = Says("time is up: {seats} wins with {best}", values)
    over = replace(state, phase=Phase.OVER, color=None, source=None, winners=tied)
    return Applied(over, (Ruling(tied[0], says, rule("gap 22")),))


def stands(state: SuspendState) -> Says:
    return Says("the sculpture stands with {pieces}", {"pieces": pieces_says(state.hung.total)})


def _over(state: SuspendState) -> SuspendState:
    return replace(state, phase=Phase.OVER, fallen=None)


def right_of(state: SuspendState, seat: str, among: tuple[str, ...]) -> str:
    """The next seat backward, counter-clockwise, that is among the given ones."""
    at = state.seats.index(seat)
    before = (*reversed(state.seats[:at]), *reversed(state.seats[at:]))
    return next(seat for seat in before if seat in among)


def begin_duel(state: SuspendState, tied: tuple[str, ...], told: Ruling) -> Applied[SuspendState]:
    """The tied players remove pieces. The one who hung the last piece begins, else the next tied player backward."""
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
    state = state.unhung(piece)
    ruling = Ruling(seat, Says("{seat} removes {color}", values), rule("Tie"))
    if state.house.mode is Mode.SOLO:
        after = replace(state, piles=(state.piles[0].plus(piece),))
        after = replace(after, phase=Phase.HANG, color=None, source=None)
        return Applied(after, (Ruling(seat, ruling.says, rule("Solo Game")),))
    at = state.seats.index(seat)
    removed = (*state.removed[:at], state.removed[at] + 1, *state.removed[at + 1 :])
    after = replace(state, off=state.off.plus(piece), removed=removed, mover=seat, lost_turn=None)
    return _go_on(replace(after, turn=right_of(state, seat, state.players)), (ruling,))


def duel_fall(state: SuspendState, seat: str, pieces: Pile) -> Applied[SuspendState]:
    """A player who makes pieces fall is out of the duel; what fell is out of play."""
    if seat not in state.players:
        raise Illegal(Says("{seat} is out of the duel already", {"seat": seat}), rule("Tie"))
    left = tuple(player for player in state.players if player != seat)
    values = {"seat": seat, "pieces": pieces.says}
    ruling = Ruling(seat, Says("{pieces} fell: {seat} is eliminated", values), rule("Tie"))
    after = replace(state.unhung(pieces), off=state.off.plus(pieces), players=left)
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
