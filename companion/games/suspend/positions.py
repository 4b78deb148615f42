"""Every reason why a position of Suspend is impossible."""

from collections.abc import Iterator

from companion.game.says import Says, each_as, listed, wrong_length
from companion.game.values import Fault
from companion.games.suspend.house import COLORS, COUNT_EACH, DRAW, ELIMINATED_AT, SEATS, Mode, no_color, rule
from companion.games.suspend.state import ALL_PIECES, Fallen, Phase, Pile, SuspendState


def faults(state: SuspendState) -> tuple[Fault, ...]:
    """Every reason why this position is impossible; empty if it is possible.

    A list that is shorter or longer than the seats is a reason of its own; the others go by the seats that it has.
    """
    parts = (_seat_faults, _piece_faults, _turn_faults, _round_faults, _end_faults)
    return tuple(fault for part in parts for fault in part(state))


def _seat_faults(state: SuspendState) -> Iterator[Fault]:
    count = len(state.seats)
    is_solo = state.house.mode is Mode.SOLO
    if not 1 <= count <= len(SEATS) or state.seats != SEATS[:count] or (count == 1) != is_solo:
        seats = listed(each_as("seat", state.seats) or [Says("nobody")])
        says = Says("the players are {seats}, in mode {mode}", {"seats": seats, "mode": state.house.mode})
        yield Fault(says, rule("gap 4"), "seats")
    for name in ("piles", "points", "removed"):
        entries = len(getattr(state, name))
        if entries != count and not (name == "removed" and not entries):
            yield Fault(wrong_length(name, entries, count), rule("Setup"), name)
    for name in ("starter", "turn", "mover", "lost_turn", "players", "winners"):
        named = getattr(state, name)
        for seat in named if isinstance(named, tuple) else (named,):
            if seat is not None and seat not in state.seats:
                says = Says("{field} names {seat}, who is not a player", {"field": name, "seat": seat})
                yield Fault(says, rule("Setup"), name)
    if not state.players or state.players != tuple(seat for seat in state.seats if seat in state.players):
        yield Fault(Says("the players still in are not the seats in their order"), rule("Setup"), "players")


def _piece_faults(state: SuspendState) -> Iterator[Fault]:
    names = [*state.seats, *(f"piles[{i}]" for i in range(len(state.seats), len(state.piles)))]
    piles = [*zip(names, state.piles, strict=False), (DRAW, state.draw_pile), ("hung", state.hung), ("off", state.off)]
    for name, pile in piles:
        if any(pile.count(color) < 0 for color in COLORS):
            yield Fault(Says("{pile} has a negative number of pieces", {"pile": name}), rule("gap 2"), name)
    for color in COLORS:
        count = sum(pile.count(color) for _, pile in piles)
        if count != COUNT_EACH:
            values: dict[str, object] = {"color": color, "count": count, "right": COUNT_EACH}
            yield Fault(Says("pieces in {color}: {count}, expected {right}", values), rule("gap 2"), color)
    for seat, pile in zip(state.seats, state.piles, strict=False):
        if seat not in state.players and state.phase is not Phase.OVER and not state.removed and pile.total:
            says = Says("{seat} is out and holds {pile}", {"seat": seat, "pile": pile.says})
            yield Fault(says, rule("Expert Tournament"), seat)
    if state.off.total and not state.removed:
        yield Fault(Says("pieces are out of play without a duel"), rule("Tie"), "off")


def _turn_faults(state: SuspendState) -> Iterator[Fault]:
    phase, color, is_solo = state.phase, state.color, state.house.mode is Mode.SOLO
    has_die = state.house.has_die
    if phase is Phase.ROLL and not has_die:
        yield Fault(Says("no die is rolled in this game"), rule("Beginner Game"), "phase")
    if phase is not Phase.OVER and state.turn not in state.players:
        yield Fault(Says("{seat} has the turn and is out", {"seat": state.turn}), rule("Tie"), "turn")
    if color is not None and color not in COLORS:
        yield Fault(no_color(color), rule("gap 1"), "color")
    needs = phase is Phase.REST or (phase is Phase.HANG and has_die)
    if needs != (color is not None) and phase is not Phase.OVER:
        yield Fault(Says("the color rolled or hung does not fit the phase"), rule("Intermediate Game"), "color")
    if phase is Phase.REST and state.source not in (*state.seats, DRAW):
        yield Fault(Says("the piece that hangs came from nowhere"), rule("gap 8"), "source")
    if phase is Phase.REST and state.mover != state.turn:
        yield Fault(Says("the player who hung the last piece does not have the turn"), rule("gap 12"), "mover")
    if state.fallen is not None and (phase is not Phase.REST or is_solo):
        yield Fault(Says("a piece has fallen that was not just hung"), rule("gap 11"), "fallen")
    # in a solo sculpture a fallen piece is put back, and nobody says which one it was
    if phase is Phase.REST and not is_solo and color in COLORS and not state.hung.count(color):
        if state.fallen is Fallen.UNTOLD:
            yield Fault(
                Says("no {color} piece hangs: the one just hung has fallen", {"color": color}), rule("gap 11"), "fallen"
            )
        elif state.fallen is None:
            says = Says("no {color} piece hangs, and the one just hung has not fallen", {"color": color})
            yield Fault(says, rule("gap 11"), "color")
    if (phase is Phase.REMOVE) and (not state.removed or len(state.players) < 2 or not state.hung.total):
        yield Fault(Says("a duel needs two players and a piece to remove"), rule("Tie"), "phase")


def _round_faults(state: SuspendState) -> Iterator[Fault]:
    """Rounds are counted from 1, there are several in a tournament only, and points are recorded at the end of one."""
    is_tournament, cited = state.house.mode is Mode.EXPERT, rule("Expert Tournament")
    if state.round < 1 or (state.round > 1 and not is_tournament):
        says = Says(
            "this is round {round}: rounds count from 1, and a second one is in a tournament only",
            {"round": state.round},
        )
        yield Fault(says, cited, "round")
    if is_tournament and any(points > 0 for points in state.points):
        if state.round <= 1 and state.phase is not Phase.OVER:
            yield Fault(Says("points are recorded when a round is over, and the first goes on"), cited, "points")
        elif state.round <= 1 + (state.phase is not Phase.OVER) and min(state.points) > 0:
            says = Says("one round was played, and nobody has run out of pieces in it: all have points")
            yield Fault(says, rule("gap 18"), "points")
    if not is_tournament and any(state.points):
        yield Fault(Says("points are recorded in a tournament only"), cited, "points")
    if min((*state.points, *state.removed), default=0) < 0:
        yield Fault(Says("points or pieces removed are below zero"), cited, "points")


def _end_faults(state: SuspendState) -> Iterator[Fault]:
    is_over = state.phase is Phase.OVER
    if state.winners and not is_over:
        yield Fault(Says("there is a winner, and the match goes on"), rule("gap 10"), "winners")
    if is_over and not state.winners and state.house.mode is not Mode.SOLO:
        yield Fault(Says("the match is over without a winner"), rule("gap 10"), "winners")
    for seat, pile in zip(state.seats, state.piles, strict=False):
        # a pile that is empty after a hanging ends the round, so no pile is empty before one
        is_empty = seat in state.players and pile == Pile() and state.hung != ALL_PIECES
        if is_empty and state.phase in (Phase.ROLL, Phase.HANG):
            yield Fault(Says("{seat} has run out, and the round goes on", {"seat": seat}), rule("gap 9"), seat)
    for seat, points in zip(state.seats, state.points, strict=False):
        is_out = points >= ELIMINATED_AT and state.house.mode is Mode.EXPERT
        if is_out and seat in state.players and not state.removed:
            says = Says("{seat} has {points} points and is still in", {"seat": seat, "points": points})
            yield Fault(says, rule("gap 17"), "points")
