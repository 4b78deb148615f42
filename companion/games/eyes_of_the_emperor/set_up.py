"""Facts about dice that the set-up implies and the camera cannot see: their owners, and each side's lower die.

At the start each emperor's dice are stacked on the middle of his territory (Instructions 2). From above the upper
die hides the lower one, and both dice have their eye on a side. While the upper die is seen exactly in its place, the
lower one is there. If the upper one were gone, the lower one would be seen elsewhere, since its top is further from the
camera. Straight below the camera this does not show, and nothing is concluded there.

The set-up before the first throw, by a reading (Instructions 1 to 5): a list that never holds up the game.

Only the sheet's own requirements are checked. The sheet does not say who sits at which end, nor anything about ninjas'
faces.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace

from companion.game.kit import Kit
from companion.game.readings import SURE, EyesReading, Kind, Piece, TableFit, told_of
from companion.game.says import Says
from companion.game.values import Checked, InPlace, SeenSetUp
from companion.games.eyes_of_the_emperor.facts import is_there
from companion.games.eyes_of_the_emperor.scene import (
    NINJAS,
    SAMURAI_EACH,
    SEATS,
    Depth,
    Lying,
    Rest,
    Scene,
    across_mm,
    apart_mm,
    dice_names,
    own_kit,
)
from companion.games.eyes_of_the_emperor.settled import SAME_MM
from companion.games.eyes_of_the_emperor.state import State
from companion.games.eyes_of_the_emperor.status import RULE_DICE, RULE_NINJAS, RULE_SAMURAI, RULE_TERRITORIES

MIDDLE_MM = 15.0
"""Maximum distance of a stack from its territory's middle, which is not marked. The upper die, nearer to the camera, is
seen up to 4 mm further out than it stands."""
OBLIQUE_MM = 75.0
"""Minimum distance from the point below the camera, to notice that an upper die is gone. There a camera 1.2 m up sees a
lower die, its top 28 mm further down, 1.7 mm elsewhere."""
BELOW_SIGMA_MM = 3.0
"""Standard error of the lower die's place, which is not seen."""


def set_up_around(scene: Scene) -> Scene:
    """The valley at the start (Instructions 1 and 2), around the territories' places in a scene."""
    lands = scene.of(Kind.TERRITORY)
    dice = [
        Lying(id=name, kind=Kind.EMPIRE_DIE, color=land.color, x_mm=land.x_mm, y_mm=land.y_mm, marked_up=False)
        for land in lands
        for name in dice_names(land.color or "")
        if land.color in SEATS
    ]
    stacks = [Rest(piece=upper, on=lower) for upper, lower in map(dice_names, SEATS)]
    return Scene(pieces=(*lands, *dice), rests_on=tuple(stacks))


def is_set_up(reading: EyesReading) -> bool:
    """Whether a table shows a match that has not begun: nothing thrown, and nothing but the stacks on the lands."""
    kinds = [piece.kind for piece in reading.pieces]
    dice = [p for p in reading.pieces if p.kind == Kind.EMPIRE_DIE]
    if Kind.SAMURAI in kinds or Kind.NINJA in kinds or len(dice) != len(SEATS):
        return False
    lands = {p.color: p for p in reading.pieces if p.kind == Kind.TERRITORY}
    return all(seat in lands and sum(apart_mm(d, lands[seat]) < MIDDLE_MM for d in dice) == 1 for seat in SEATS)


def is_start(scene: Scene) -> bool:
    stacks = {(rest.piece, rest.on) for rest in scene.rests_on}
    return stacks == {dice_names(seat) for seat in SEATS} and not scene.of(Kind.SAMURAI) + scene.of(Kind.NINJA)


def stacked(reading: EyesReading) -> EyesReading:
    lands = [p for p in reading.pieces if p.kind == Kind.TERRITORY]
    pieces = []
    for piece in reading.pieces:
        if piece.kind == Kind.EMPIRE_DIE:
            mine = min(lands, key=lambda land: apart_mm(piece, land))
            piece = told_of(piece, mine.color)
        pieces.append(piece)
    return replace(reading, pieces=tuple(pieces))


def still_below(pieces: Iterable[Piece], before: Scene, table: TableFit) -> Iterator[tuple[str, str]]:
    """The dice that stood, unseen, below others that have not been touched since: the names of upper and lower."""
    if table.below_camera_mm is None:
        return
    dice = [
        p
        for p in pieces
        if p.kind == Kind.EMPIRE_DIE and math.dist((p.x_mm, p.y_mm), table.below_camera_mm) > OBLIQUE_MM
    ]
    for rest in before.rests_on:
        was, lower = before.piece(rest.piece), before.piece(rest.on)
        if was is None or lower is None or {was.kind, lower.kind} != {Kind.EMPIRE_DIE}:
            continue
        if any(apart_mm(upper, was) <= SAME_MM for upper in dice):
            yield was.id, lower.id


def with_below(scene: Scene, upper: str, lower: str) -> Scene:
    """The scene with a die of an emperor below his other one."""
    above = scene.piece(upper)
    if above is None:
        return scene
    below = Lying(
        id=lower,
        kind=above.kind,
        color=above.color,
        x_mm=above.x_mm,
        y_mm=above.y_mm,
        angle_deg=above.angle_deg,
        marked_up=False,  # both markings face the opponent (Instructions 2)
    )
    depths = tuple(
        Depth(piece=lower, over=d.over, margin_mm=d.margin_mm, sigma_mm=math.hypot(d.sigma_mm, BELOW_SIGMA_MM))
        for d in scene.depths
        if d.piece == upper
    )
    return replace(
        scene,
        pieces=(*scene.pieces, below),
        depths=(*scene.depths, *depths),
        rests_on=(*scene.rests_on, Rest(piece=upper, on=lower)),
    )


INCH_MM, ABOUT_MM = 25.4, 12.7
"""Gap between the territories, and its tolerance: about an inch (Instructions 1), half an inch more or less."""
CENTRE_MM = 50.0
"""Maximum distance from the centre, which the sheet names and does not mark: beyond it anybody sees the error."""
ACROSS_DEG = 20.0
"""Maximum turn of the line through the territories from the kit's line, with a territory towards each player's end."""

BEYOND = Says(
    "no camera sees the lower die of a stack or the pieces outside: {samurai} samurai each and {ninjas} ninjas",
    {"samurai": SAMURAI_EACH, "ninjas": NINJAS},
)


def seen_set_up(
    state: State, reading: EyesReading, kit: Kit | None = None, *, was_right: bool = False
) -> SeenSetUp | None:
    """The lines of the set-up, by a reading; None once play has begun.

    `was_right`: an earlier reading saw it set up. A ninja in the valley since then has been thrown, and misplaced
    pieces were hit. A samurai has not been thrown, for both emperors begin with ninjas (Instructions 8).
    """
    if state.scene is not None or state.open is not None or state.winner is not None:
        return None
    kinds = {piece.kind for piece in reading.pieces if is_there(piece)}
    if was_right and Kind.NINJA in kinds and Kind.SAMURAI not in kinds:
        return None
    kit = kit or own_kit()
    lines = (*_territories(reading, kit), *_dice(reading, kit), *_thrown(reading))
    return SeenSetUp(lines, BEYOND)


def _territories(reading: EyesReading, kit: Kit) -> Iterator[Checked]:
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
    wrong = [*_off_centre(red, blue, kit)]
    gap_mm = apart_mm(red, blue) - across_mm(Kind.TERRITORY, kit)
    if abs(gap_mm - INCH_MM) > ABOUT_MM:
        words = "the territories are {mm} mm apart: about an inch (25 mm) is right"
        wrong.insert(0, _line(InPlace.NO, words, RULE_TERRITORIES, mm=max(0, round(gap_mm))))
    yield from wrong
    if not wrong:
        words = "both territories belong in the middle, about an inch apart"
        yield _line(InPlace.YES, words, RULE_TERRITORIES)


def _off_centre(red: Piece, blue: Piece, kit: Kit) -> Iterator[Checked]:
    """Territories compared with the kit's places, if it gives any; the sheet does not say which place is red's."""
    start_mm = kit.piece("territory").start_mm
    if len(start_mm) < len(SEATS):
        return
    (x0, y0), (x1, y1) = (start_mm[seat] for seat in SEATS)
    off_mm = math.hypot((red.x_mm + blue.x_mm - x0 - x1) / 2, (red.y_mm + blue.y_mm - y0 - y1) / 2)
    if off_mm > CENTRE_MM:
        words = "the territories are {cm} cm off the middle of the valley"
        yield _line(InPlace.NO, words, RULE_TERRITORIES, cm=round(off_mm / 10))
    turned = math.degrees(math.atan2(blue.y_mm - red.y_mm, blue.x_mm - red.x_mm) - math.atan2(y1 - y0, x1 - x0))
    if abs((turned + 90) % 180 - 90) > ACROSS_DEG:
        words = "the territories are across the valley: one belongs towards each player's end"
        yield _line(InPlace.NO, words, RULE_TERRITORIES)


def _dice(reading: EyesReading, kit: Kit) -> Iterator[Checked]:
    stray = [p for p in reading.pieces if p.kind == Kind.EMPIRE_DIE]
    for seat in SEATS:
        land = next((p for p in reading.pieces if p.kind == Kind.TERRITORY and p.color == seat), None)
        if land is None:
            continue
        upper = min(stray, key=lambda die: apart_mm(die, land), default=None)
        off_mm = math.inf if upper is None else apart_mm(upper, land)
        thrown = [p for p in reading.pieces if p.kind in (Kind.SAMURAI, Kind.NINJA)]
        is_covered = any(apart_mm(p, land) < across_mm(p.kind, kit) / 2 for p in thrown)
        if upper is not None and off_mm <= MIDDLE_MM:
            stray.remove(upper)
            yield _stack(seat, upper)
        elif is_covered:
            words = "something covers the middle of the {seat} territory: its empire dice can't be seen"
            yield _line(InPlace.UNSEEN, words, RULE_DICE, seat=seat)
        elif upper is not None and off_mm < across_mm(Kind.TERRITORY, kit) / 2:
            stray.remove(upper)
            words = "{seat}: an empire die is {mm} mm from the middle of the territory"
            yield _line(InPlace.NO, words, RULE_DICE, seat=seat, mm=round(off_mm))
        else:
            words = "{seat}: no empire die is seen in the middle of the territory"
            yield _line(InPlace.NO, words, RULE_DICE, seat=seat)
    for seat in set(SEATS) - {p.color for p in reading.pieces if p.kind == Kind.TERRITORY}:
        stray = [die for die in stray if die.color not in (seat, None)]  # their territory is not seen
    if len(stray) == 1:
        yield _line(InPlace.NO, "an empire die is next to the stacks", RULE_DICE)
    elif stray:
        yield _line(InPlace.NO, "{count} empire dice are next to the stacks", RULE_DICE, count=len(stray))


def _stack(seat: str, upper: Piece) -> Checked:
    """The check of a stack's upper die: its owner if its eye is seen, and that its eye does not look up."""
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
        sure = sum(map(is_there, found))
        name = Says("ninja") if color is None else Says("{color} samurai", {"color": color})
        words = "{name}: {count} in the valley, at the start all are outside"
        if not sure:
            words = "{name}: perhaps one in the valley, at the start all are outside"
        yield _line(InPlace.NO if sure else InPlace.UNSEEN, words, rule, count=sure, name=name)
    if is_clear:
        yield _line(InPlace.YES, "neither a samurai nor a ninja is in the valley", RULE_NINJAS)


def _line(laid: InPlace, words: str, rule: str, **values: object) -> Checked:
    return Checked(laid, Says(words, values), rule)
