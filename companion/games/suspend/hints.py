"""Help for one seat: what may be hung from where, colors and points at risk for each player. Nothing is secret here."""

from companion.game.says import Says, either, points_says
from companion.game.values import Hint
from companion.games.suspend.events import Event, Hung, Removed, event_text
from companion.games.suspend.house import COLORS, DRAW, ELIMINATED_AT, HEADINGS, Mode, rule
from companion.games.suspend.rules import colors_open, is_hanging, sources
from companion.games.suspend.state import Phase, SuspendState, pieces_says, pile_says


def hints(state: SuspendState, seat: str, **limits: object) -> tuple[Hint[Event], ...]:
    """The first thing to do on the seat's turn; then the colors and points at risk, its own first."""
    if state.phase is Phase.OVER or seat not in state.seats:
        return ()
    found: list[Hint[Event]] = []
    if seat == state.turn:
        if state.phase is Phase.ROLL:
            found += _rolling(state, seat)
        elif is_hanging(state):
            found += _hanging(state, seat)
        elif state.phase is Phase.REMOVE:
            found += _removing(state, seat)
        else:
            says = Says("hands off: what falls now is yours, until nothing moves")
            found.append(Hint(seat, None, None, says, (), rule("gap 10")))
    if state.phase is not Phase.REMOVE and state.house.mode is not Mode.SOLO:
        others = [player for player in state.players if player != seat]
        found += [_risk(state, seat, player) for player in ([seat] if seat in state.players else []) + others]
    return tuple(found)


def _rolling(state: SuspendState, seat: str) -> list[Hint[Event]]:
    own = state.pile(seat).colors
    says = Says("roll the die: your own pile has {count} of the {all} colors", {"count": len(own), "all": len(COLORS)})
    why = []
    for color in COLORS:
        if color not in own:
            found = sources(state, color)
            told = Says("nobody has a {color} piece: the turn ends", {"color": color})
            if found:
                values = {"color": color, "sources": either([pile_says(source) for source in found])}
                told = Says("{color}: you have none, it comes from {sources}", values)
            why.append(told)
    return [Hint(seat, None, None, says, tuple(why), rule("Intermediate Game"))]


def _hanging(state: SuspendState, seat: str) -> list[Hint[Event]]:
    """Every piece that may be hung: the draw pile helps nobody, then the pile of whoever has most left."""
    if state.house.mode is Mode.SOLO:
        return [Hint(seat, None, None, Says("hang any piece, or remove one"), (), rule("Solo Game"))]
    ranked = []
    for color in colors_open(state):
        for source in sources(state, color):
            is_other = source not in (seat, DRAW)
            order = (is_other, -state.pile(source).total if is_other else 0, COLORS.index(color))
            ranked.append((order, color, source))
    found: list[Hint[Event]] = []
    for _, color, source in sorted(ranked):
        action = Hung(seat, color, None if source == seat else source)
        values = {"color": color, "source": pile_says(source)}
        says = Says("hang {color} from your own pile" if source == seat else "hang {color} from {source}", values)
        why = []
        if source not in (seat, DRAW):
            left = state.pile(source).total - 1
            words = "{seat} has {pieces} left then" if left else "it is the last piece of {seat}, who wins if it holds"
            why.append(Says(words, {"seat": source, "pieces": pieces_says(left)}))
        cited = rule(HEADINGS[state.house.mode]) if source == seat else rule("gap 8")
        found.append(Hint(seat, action, event_text(action), says, tuple(why), cited))
    return found


def _removing(state: SuspendState, seat: str) -> list[Hint[Event]]:
    """The pieces that may be removed, the most often hung kind first."""
    found: list[Hint[Event]] = []
    for color in sorted(state.hung.colors, key=lambda color: (-state.hung.count(color), -COLORS.index(color))):
        action = Removed(seat, color)
        says = Says("remove {color}; {count} of them hang", {"color": color, "count": state.hung.count(color)})
        found.append(Hint(seat, action, event_text(action), says, (), rule("Tie")))
    return found


def _risk(state: SuspendState, seat: str, player: str) -> Hint[Event]:
    """Colors and points at risk: what a player would get if somebody else ran out now."""
    pile = state.pile(player)
    at_risk = pile.notches(state.house)
    values: dict[str, object] = {"player": player, "pile": pile.says}
    why: list[Says] = []
    if pile.total == 1:
        is_round = state.house.mode is Mode.EXPERT
        why.append(Says("one piece from winning the round") if is_round else Says("one piece from winning"))
    says = Says("{player}: {pieces} ({pile})", {**values, "pieces": pieces_says(pile.total)})
    cited = rule(HEADINGS[state.house.mode])
    if state.house.mode is Mode.EXPERT:
        total = state.points[state.seats.index(player)] + at_risk
        values |= {"total": total, "limit": ELIMINATED_AT}
        says = Says("{pile}, at risk: {points}", {"pile": says, "points": points_says(at_risk)})
        if total >= ELIMINATED_AT:
            why.append(Says("out with {total} if the round ended now, the limit is {limit}", values))
        else:
            why.append(Says("if the round ended now: {total}, the limit is {limit}", values))
    return Hint(seat, None, None, says, tuple(why), cited)
