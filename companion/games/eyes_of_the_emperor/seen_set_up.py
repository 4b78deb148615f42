"""The set-up before the first throw as a look sees it (Instructions 1 to 5): a list that never holds up the game.

Only the sheet's own requirements are checked. The sheet does not say who sits at which end, nor anything about ninjas'
faces.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from companion.game.kit import Kit
from companion.game.readings import SURE, EyesReading, Kind, Piece
from companion.game.says import Says
from companion.game.values import Checked, InPlace, SeenSetUp
from companion.games.eyes_of_the_emperor.facts import is_there
from companion.games.eyes_of_the_emperor.scene import NINJAS, SAMURAI_EACH, SEATS, Sizes, apart_mm, default_sizes
from companion.games.eyes_of_the_emperor.set_up import MIDDLE_MM
from companion.games.eyes_of_the_emperor.state import State
from companion.games.eyes_of_the_emperor.status import RULE_DICE, RULE_NINJAS, RULE_SAMURAI, RULE_TERRITORIES

INCH_MM, ABOUT_MM = 25.4, 12.7
"""Gap between the territories, and its tolerance: about an inch (Instructions 1), half an inch more or less."""
CENTRE_MM = 50.0
"""Maximum distance from the centre, which the sheet names and does not mark: beyond it anybody sees the error."""
ACROSS_DEG = 20.0
"""Maximum turn of the line through the territories from the kit's line, with a territory towards each player's end."""

BEYOND = Says(
    "no camera sees the lower die of a stack, or what is outside: {samurai} samurai each and {ninjas} ninjas",
    {"samurai": SAMURAI_EACH, "ninjas": NINJAS},
)


def seen_set_up(
    state: State, reading: EyesReading, kit: Kit | None = None, *, was_right: bool = False
) -> SeenSetUp | None:
    """The lines of the set-up as a look sees them; None once play has begun.

    `was_right`: an earlier look saw it set up. A ninja in the valley since then has been thrown, and misplaced pieces
    were hit. A samurai has not been thrown, for both emperors begin with ninjas (Instructions 8).
    """
    if state.scene is not None or state.open is not None or state.winner is not None:
        return None
    kinds = {piece.kind for piece in reading.pieces if is_there(piece)}
    if was_right and Kind.NINJA in kinds and Kind.SAMURAI not in kinds:
        return None
    sizes = default_sizes() if kit is None else Sizes.of(kit)
    lines = (*_territories(reading, sizes), *_dice(reading, sizes), *_thrown(reading))
    return SeenSetUp(lines, BEYOND)


def _territories(reading: EyesReading, sizes: Sizes) -> Iterator[Checked]:
    lands = {}
    for seat in SEATS:
        found = [p for p in reading.pieces if p.kind == Kind.TERRITORY and p.color == seat]
        if not found:
            yield _line(InPlace.UNSEEN, "the {seat} territory is not seen", RULE_TERRITORIES, seat=seat)
        elif len(found) > 1:
            words = "{count} {seat} territories are in the valley: one of each colour belongs there"
            yield _line(InPlace.NO, words, RULE_TERRITORIES, count=len(found), seat=seat)
        else:
            lands[seat] = found[0]
    if len(lands) < len(SEATS):
        return
    red, blue = (lands[seat] for seat in SEATS)
    wrong = [*_apart(red, blue, sizes), *_off_centre(red, blue, sizes)]
    yield from wrong
    if not wrong:
        words = "both territories belong in the middle, about an inch apart"
        yield _line(InPlace.YES, words, RULE_TERRITORIES)


def _apart(red: Piece, blue: Piece, sizes: Sizes) -> Iterator[Checked]:
    gap_mm = apart_mm(red, blue) - 2 * sizes.territory_radius_mm
    if abs(gap_mm - INCH_MM) <= ABOUT_MM:
        return
    if gap_mm < 1.0:
        yield _line(InPlace.NO, "the territories touch: they belong about an inch (25 mm) apart", RULE_TERRITORIES)
    else:
        words = "the territories are {mm} mm apart: about an inch (25 mm) is right"
        yield _line(InPlace.NO, words, RULE_TERRITORIES, mm=round(gap_mm))


def _off_centre(red: Piece, blue: Piece, sizes: Sizes) -> Iterator[Checked]:
    """Territories compared with the kit's places, if it gives any; the sheet does not say which place is red's."""
    if len(sizes.start_mm) < len(SEATS):
        return
    (x0, y0), (x1, y1) = (sizes.start_mm[seat] for seat in SEATS)
    off_mm = math.hypot((red.x_mm + blue.x_mm - x0 - x1) / 2, (red.y_mm + blue.y_mm - y0 - y1) / 2)
    if off_mm > CENTRE_MM:
        words = "the territories are {cm} cm off the middle of the valley"
        yield _line(InPlace.NO, words, RULE_TERRITORIES, cm=round(off_mm / 10))
    turned = math.degrees(math.atan2(blue.y_mm - red.y_mm, blue.x_mm - red.x_mm) - math.atan2(y1 - y0, x1 - x0))
    if abs((turned + 90) % 180 - 90) > ACROSS_DEG:
        words = "the territories are across the valley: one belongs towards each player's end"
        yield _line(InPlace.NO, words, RULE_TERRITORIES)


def _dice(reading: EyesReading, sizes: Sizes) -> Iterator[Checked]:
    stray = [p for p in reading.pieces if p.kind == Kind.EMPIRE_DIE]
    for seat in SEATS:
        land = next((p for p in reading.pieces if p.kind == Kind.TERRITORY and p.color == seat), None)
        if land is None:
            continue
        upper = min(stray, key=lambda die: apart_mm(die, land), default=None)
        off_mm = math.inf if upper is None else apart_mm(upper, land)
        cover = next((p for p in reading.pieces if _covers(p, land, sizes)), None)
        if upper is not None and off_mm <= MIDDLE_MM:
            stray.remove(upper)
            yield _stack(seat, upper)
        elif cover is not None:
            words = "something covers the middle of the {seat} territory: its empire dice can't be seen"
            yield _line(InPlace.UNSEEN, words, RULE_DICE, seat=seat)
        elif upper is not None and off_mm < sizes.territory_radius_mm:
            stray.remove(upper)
            words = "{seat}: an empire die is {mm} mm from the middle of the territory"
            yield _line(InPlace.NO, words, RULE_DICE, seat=seat, mm=round(off_mm))
        else:
            words = "{seat}: no empire die is seen in the middle of the territory"
            yield _line(InPlace.NO, words, RULE_DICE, seat=seat)
    for seat in set(SEATS) - {p.color for p in reading.pieces if p.kind == Kind.TERRITORY}:
        stray = [die for die in stray if die.color not in (seat, None)]  # where these belong is not seen
    if len(stray) == 1:
        yield _line(InPlace.NO, "an empire die is next to the stacks", RULE_DICE)
    elif stray:
        yield _line(InPlace.NO, "{count} empire dice are next to the stacks", RULE_DICE, count=len(stray))


def _stack(seat: str, upper: Piece) -> Checked:
    """The check of a stack's upper die: its owner, where its eye is seen, and that its eye does not look up."""
    if upper.color not in (seat, None) and upper.confidence >= SURE:
        words = "{seat}: the die on its territory has the other side's eye"
        return _line(InPlace.NO, words, RULE_DICE, seat=seat)
    if upper.marked_up:
        words = "{seat}: the eye of the upper die looks up, but should look at the opponent"
        return _line(InPlace.NO, words, RULE_DICE, seat=seat)
    if upper.marked_up is None:
        words = "{seat}: can't see whether the eye of the upper die looks up"
        return _line(InPlace.UNSEEN, words, RULE_DICE, seat=seat)
    return _line(InPlace.YES, "{seat}: the empire dice stand in the middle of the territory", RULE_DICE, seat=seat)


def _thrown(reading: EyesReading) -> Iterator[Checked]:
    """Lines about pieces in the valley that belong outside (Instructions 4 and 5)."""
    is_clear = True
    for kind, color, rule in (
        (Kind.SAMURAI, "red", RULE_SAMURAI),
        (Kind.SAMURAI, "blue", RULE_SAMURAI),
        (Kind.NINJA, None, RULE_NINJAS),
    ):
        found = [p for p in reading.pieces if p.kind == kind and color in (None, p.color)]
        if not found:
            continue
        is_clear = False
        sure = [piece for piece in found if is_there(piece)]
        name = Says("ninja") if color is None else Says("{color} samurai", {"color": color})
        if not sure:
            yield _line(InPlace.UNSEEN, "perhaps a {name} in the valley: at the start all lie outside", rule, name=name)
        elif len(sure) == 1:
            yield _line(InPlace.NO, "a {name} is in the valley: at the start all are outside", rule, name=name)
        elif kind == Kind.NINJA:
            yield _line(
                InPlace.NO, "{count} ninjas are in the valley: at the start all are outside", rule, count=len(sure)
            )
        else:
            yield _line(
                InPlace.NO,
                "{count} {name} are in the valley: at the start all are outside",
                rule,
                count=len(sure),
                name=name,
            )
    if is_clear:
        yield _line(InPlace.YES, "neither a samurai nor a ninja is in the valley", RULE_NINJAS)


def _covers(piece: Piece, land: Piece, sizes: Sizes) -> bool:
    return piece.kind in (Kind.SAMURAI, Kind.NINJA) and apart_mm(piece, land) < sizes.across_mm(piece.kind) / 2


def _line(laid: InPlace, words: str, rule: str, **values: object) -> Checked:
    return Checked(laid, Says(words, values), rule)
