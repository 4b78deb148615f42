"""Rounds of Suspend: the deal, whose turn, the end of a round and of a match."""

from dataclasses import replace

from companion.game.says import Says, each_as, listed, points_says
from companion.game.values import Applied, Ruling
from companion.games.suspend.duel import begin_duel, right_of
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
    """The next player clockwise rolls, or hangs where no die is rolled."""
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
    standing = {seat: _standing(state, seat) for seat in state.players}
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


def _standing(state: SuspendState, seat: str) -> int:
    """The count when the players stop, less is better: recorded points in a tournament, else pieces left."""
    if state.house.mode is Mode.EXPERT:
        return state.points[state.seats.index(seat)]
    return state.pile(seat).total
