"""Help for one seat: what may be hung from where, colors and points at risk for each player. Nothing is secret here."""

from __future__ import annotations

from companion.game import Hint
from companion.games.suspend.house import COLORS, DRAW, ELIMINATED_AT, HEADINGS, Mode, rule
from companion.games.suspend.notation import event_text
from companion.games.suspend.rules import colors_open, sources
from companion.games.suspend.state import Event, Hung, Phase, Removed, SuspendState
from companion.says import Says


def hints(state: SuspendState, seat: str) -> tuple[Hint[Event], ...]:
    """What to do first, where it is the seat's turn; then the colors and points at risk, its own first."""
    if state.phase is Phase.OVER or seat not in state.seats:
        return ()
    found: list[Hint[Event]] = []
    if seat == state.turn:
        if state.phase is Phase.ROLL:
            found += _rolling(state, seat)
        elif state.phase is Phase.HANG:
            found += _hanging(state, seat)
        elif state.phase is Phase.REMOVE:
            found += _removing(state, seat)
        else:
            says = Says("hands off: what falls now is yours, until all is at rest")
            found.append(Hint(seat, None, None, says, (), rule("gap 10")))
    if state.phase is not Phase.REMOVE and state.house.mode is not Mode.SOLO:
        others = [player for player in state.players if player != seat]
        found += [_risk(state, seat, player) for player in ([seat] if seat in state.players else []) + others]
    return tuple(found)


def _rolling(state: SuspendState, seat: str) -> list[Hint[Event]]:
    own = state.pile(seat).colors
    says = Says("roll the die: {own} of {all} colors come from your own pile", {"own": len(own), "all": len(COLORS)})
    why = []
    for color in COLORS:
        if color not in own:
            found = sources(state, color)
            values = {"color": color, "sources": ", ".join(_named(source) for source in found)}
            told = (
                "{color}: you have none, it comes from {sources}" if found else "{color}: nobody has one, the turn ends"
            )
            why.append(Says(told, values))
    return [Hint(seat, None, None, says, tuple(why), rule("Intermediate Game"))]


def _named(source: str) -> str:
    return "the draw pile" if source == DRAW else source


def _hanging(state: SuspendState, seat: str) -> list[Hint[Event]]:
    """Every piece that may be hung: the draw pile helps nobody, then the pile of whoever has most left."""
    if state.house.mode is Mode.SOLO:
        return [Hint(seat, None, None, Says("hang any piece, or remove one"), (), rule("Solo Game"))]
    ranked = []
    for color in colors_open(state):
        for source in sources(state, color):
            left = state.draw_pile.total if source == DRAW else state.pile(source).total
            order = (source not in (seat, DRAW), -left if source not in (seat, DRAW) else 0, COLORS.index(color))
            ranked.append((order, color, source))
    found: list[Hint[Event]] = []
    for _, color, source in sorted(ranked):
        action = Hung(seat, color, None if source == seat else source)
        values = {"color": color, "source": _named(source)}
        says = Says("hang {color} from your own pile" if source == seat else "hang {color} from {source}", values)
        why = []
        if source not in (seat, DRAW):
            left = state.pile(source).total - 1
            told = (
                "{source} has {left} pieces left then"
                if left
                else "it is the last piece of {source}, who wins if it holds"
            )
            why.append(Says(told, {**values, "left": left}))
        cited = rule(HEADINGS[state.house.mode]) if source == seat else rule("gap 8")
        found.append(Hint(seat, action, event_text(action), says, tuple(why), cited))
    return found


def _removing(state: SuspendState, seat: str) -> list[Hint[Event]]:
    """What may be removed, the pieces hung most often first: the structure is likeliest to keep one of its like."""
    found: list[Hint[Event]] = []
    for color in sorted(state.hung.colors, key=lambda color: (-state.hung.count(color), -COLORS.index(color))):
        action = Removed(seat, color)
        says = Says("remove {color}, {count} of it hang", {"color": color, "count": state.hung.count(color)})
        found.append(Hint(seat, action, event_text(action), says, (), rule("Tie")))
    return found


def _risk(state: SuspendState, seat: str, player: str) -> Hint[Event]:
    """Colors and points at risk: what a player would get if somebody else ran out now."""
    pile = state.pile(player)
    at_risk = pile.notches(state.house)
    values = {"player": player, "pieces": pile.total, "pile": str(pile), "points": at_risk}
    why: list[Says] = []
    missing = [color for color in COLORS if color not in pile.colors]
    if missing and state.house.mode is not Mode.BEGINNER:
        why.append(Says("no {colors}: on these others' pieces are played", {"colors": ", ".join(missing)}))
    if pile.total == 1:
        why.append(Says("one piece from winning"))
    says, cited = Says("{player}: {pieces} pieces ({pile})", values), rule(HEADINGS[state.house.mode])
    if state.house.mode is Mode.EXPERT:
        total = state.points[state.seats.index(player)] + at_risk
        values = {**values, "total": total, "limit": ELIMINATED_AT}
        says = Says("{player}: {pieces} pieces ({pile}), {points} points at risk", values)
        if total >= ELIMINATED_AT:
            why.append(Says("would be out with {total} of {limit} points", values))
        else:
            why.append(Says("would have {total} of {limit} points", values))
    return Hint(seat, None, None, says, tuple(why), cited)
