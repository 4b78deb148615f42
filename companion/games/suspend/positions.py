"""Every reason why a position of Suspend cannot be."""

from companion.game.says import Says, each_as, listed, wrong_length
from companion.game.values import Fault
from companion.games.suspend.house import COLORS, COUNT_EACH, DRAW, ELIMINATED_AT, SEATS, Mode, no_color, rule
from companion.games.suspend.state import ALL_PIECES, Fallen, Phase, Pile, SuspendState


def faults(state: SuspendState) -> tuple[Fault, ...]:
    """Every reason why this position cannot be; empty when it can.

    A list that is shorter or longer than the seats is a reason of its own; the others go by the seats that it has.
    """
    return (
        *_seat_faults(state),
        *_piece_faults(state),
        *_turn_faults(state),
        *_round_faults(state),
        *_end_faults(state),
    )


def _seat_faults(state: SuspendState) -> list[Fault]:
    found: list[Fault] = []
    count = len(state.seats)
    is_solo = state.house.mode is Mode.SOLO
    if not 1 <= count <= len(SEATS) or state.seats != SEATS[:count] or (count == 1) != is_solo:
        seats = listed(each_as("seat", state.seats) or [Says("nobody")])
        says = Says("the players are {seats}, in mode {mode}", {"seats": seats, "mode": state.house.mode})
        found.append(Fault(says, rule("gap 4"), "seats"))
    for name in ("piles", "points", "removed"):
        entries = len(getattr(state, name))
        if entries != count and not (name == "removed" and not entries):
            found.append(Fault(wrong_length(name, entries, count), rule("Setup"), name))
    named = [("starter", state.starter), ("turn", state.turn), ("mover", state.mover)]
    named += [("lost_turn", state.lost_turn)]
    named += [("players", seat) for seat in state.players] + [("winners", seat) for seat in state.winners]
    for name, seat in named:
        if seat is not None and seat not in state.seats:
            says = Says("{field} names {seat}, who is not a player", {"field": name, "seat": seat})
            found.append(Fault(says, rule("Setup"), name))
    if not state.players or state.players != tuple(seat for seat in state.seats if seat in state.players):
        found.append(Fault(Says("the players still in are not the seats in their order"), rule("Setup"), "players"))
    return found


def _piece_faults(state: SuspendState) -> list[Fault]:
    found: list[Fault] = []
    names = [*state.seats, *(f"piles[{i}]" for i in range(len(state.seats), len(state.piles)))]
    piles = [*zip(names, state.piles, strict=False), (DRAW, state.draw_pile), ("hung", state.hung), ("off", state.off)]
    for name, pile in piles:
        if any(pile.count(color) < 0 for color in COLORS):
            found.append(Fault(Says("{pile} has a negative number of pieces", {"pile": name}), rule("gap 2"), name))
    for color in COLORS:
        count = sum(pile.count(color) for _, pile in piles)
        if count != COUNT_EACH:
            values: dict[str, object] = {"color": color, "count": count, "right": COUNT_EACH}
            says = Says("pieces in {color}: {count}, expected {right}", values)
            found.append(Fault(says, rule("gap 2"), color))
    for seat, pile in zip(state.seats, state.piles, strict=False):
        if seat not in state.players and state.phase is not Phase.OVER and not state.removed and pile.total:
            says = Says("{seat} is out and holds {pile}", {"seat": seat, "pile": pile.says})
            found.append(Fault(says, rule("Expert Tournament"), seat))
    if state.off.total and not state.removed:
        found.append(Fault(Says("pieces are out of play without a duel"), rule("Tie"), "off"))
    return found


def _turn_faults(state: SuspendState) -> list[Fault]:
    found: list[Fault] = []
    has_die = state.house.mode in (Mode.INTERMEDIATE, Mode.EXPERT)
    phase = state.phase
    if phase is Phase.ROLL and not has_die:
        found.append(Fault(Says("no die is rolled in this game"), rule("Beginner Game"), "phase"))
    if phase is not Phase.OVER and state.turn not in state.players:
        found.append(Fault(Says("{seat} has the turn and is out", {"seat": state.turn}), rule("Tie"), "turn"))
    if state.color is not None and state.color not in COLORS:
        found.append(Fault(no_color(state.color), rule("gap 1"), "color"))
    needs = phase is Phase.REST or (phase is Phase.HANG and has_die)
    if needs != (state.color is not None) and phase is not Phase.OVER:
        found.append(Fault(Says("the color rolled or hung does not fit the phase"), rule("Intermediate Game"), "color"))
    if phase is Phase.REST and state.source not in (*state.seats, DRAW):
        found.append(Fault(Says("the piece that hangs came from nowhere"), rule("gap 8"), "source"))
    if phase is Phase.REST and state.mover != state.turn:
        found.append(Fault(Says("who hung the last piece does not have the turn"), rule("gap 12"), "mover"))
    if state.fallen is not None and (phase is not Phase.REST or state.house.mode is Mode.SOLO):
        found.append(Fault(Says("a piece has fallen that was not just hung"), rule("gap 11"), "fallen"))
    if state.fallen is Fallen.UNTOLD and state.color in COLORS and not state.hung.count(state.color):
        says = Says("no {color} hangs: the one just hung has fallen", {"color": state.color})
        found.append(Fault(says, rule("gap 11"), "fallen"))
    is_told = state.house.mode is not Mode.SOLO  # built freely, what falls is put back, and nobody says which it was
    if phase is Phase.REST and state.fallen is None and is_told and state.color in COLORS:
        found += _hangs(state, state.color)
    if (phase is Phase.REMOVE) and (not state.removed or len(state.players) < 2 or not state.hung.total):
        found.append(Fault(Says("a duel needs two players and a piece to remove"), rule("Tie"), "phase"))
    return found


def _hangs(state: SuspendState, color: str) -> list[Fault]:
    if state.hung.count(color):
        return []
    says = Says("no {color} hangs, and the one just hung has not fallen", {"color": color})
    return [Fault(says, rule("gap 11"), "color")]


def _round_faults(state: SuspendState) -> list[Fault]:
    """Rounds are counted from 1, there are several in a tournament only, and points are recorded at the end of one."""
    found: list[Fault] = []
    if state.round < 1:
        says = Says("the number of the round is {round}, expected 1 or more", {"round": state.round})
        found.append(Fault(says, rule("Expert Tournament"), "round"))
    is_tournament = state.house.mode is Mode.EXPERT
    if state.round > 1 and not is_tournament:
        says = Says("there is one round, and this is round {round}", {"round": state.round})
        found.append(Fault(says, rule("Expert Tournament"), "round"))
    if is_tournament and any(points > 0 for points in state.points):
        if state.round <= 1 and state.phase is not Phase.OVER:
            says = Says("points are recorded when a round is over, and the first goes on")
            found.append(Fault(says, rule("Expert Tournament"), "points"))
        elif state.round <= 1 + (state.phase is not Phase.OVER) and min(state.points) > 0:
            says = Says("one round was played, and nobody has run out of pieces in it: all have points")
            found.append(Fault(says, rule("gap 18"), "points"))
    return found


def _end_faults(state: SuspendState) -> list[Fault]:
    found: list[Fault] = []
    if state.winners and state.phase is not Phase.OVER:
        found.append(Fault(Says("there is a winner, and the match goes on"), rule("gap 10"), "winners"))
    if state.phase is Phase.OVER and not state.winners and state.house.mode is not Mode.SOLO:
        found.append(Fault(Says("the match is over without a winner"), rule("gap 10"), "winners"))
    # after a hanging an empty pile is judged; before it nobody's pile is empty
    piles = zip(state.seats, state.piles, strict=False)
    empty = [seat for seat, pile in piles if seat in state.players and pile == Pile()]
    if empty and state.phase in (Phase.ROLL, Phase.HANG) and state.hung != ALL_PIECES:
        says = Says("{seat} has run out, and the round goes on", {"seat": empty[0]})
        found.append(Fault(says, rule("gap 9"), empty[0]))
    if state.house.mode is Mode.EXPERT:
        for seat, points in zip(state.seats, state.points, strict=False):
            if points >= ELIMINATED_AT and seat in state.players and not state.removed:
                values = {"seat": seat, "points": points}
                found.append(
                    Fault(Says("{seat} has {points} points and is still in", values), rule("gap 17"), "points")
                )
    elif any(state.points):
        found.append(Fault(Says("points are recorded in a tournament only"), rule("Expert Tournament"), "points"))
    if min((*state.points, *state.removed), default=0) < 0:
        found.append(Fault(Says("points or pieces removed are below zero"), rule("Expert Tournament"), "points"))
    return found
