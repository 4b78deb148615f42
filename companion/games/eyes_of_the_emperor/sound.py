"""Flaws that no scene may have, whoever gives it: impossible values and contradictions.

The text form, the JSON form and `status` ask here, so that all refuse the same.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from companion.game.readings import Kind
from companion.game.says import Says
from companion.game.values import Fault
from companion.games.eyes_of_the_emperor.house import cite
from companion.games.eyes_of_the_emperor.scene import SEATS, Lying, Scene, kind_of, spoken

RULE_PIECES = cite("Instructions 1")
RULE_DICE = cite("Instructions 2")
RULE_SAMURAI = cite("Instructions 4")
RULE_NINJAS = cite("Instructions 5")
RULE_DEPTH = cite("Instructions 9")
RULE_LIES_ON = cite("gap 11")
RULE_LEFT = cite("gap 8")
FARTHEST_MM = 10_000.0
"""Maximum coordinate in a scene: no kit's table is larger."""
FACES = 6
_RULE_OF = {
    Kind.TERRITORY: RULE_PIECES,
    Kind.EMPIRE_DIE: RULE_DICE,
    Kind.SAMURAI: RULE_SAMURAI,
    Kind.NINJA: RULE_NINJAS,
}


def flaws(scene: Scene) -> Iterator[Fault]:
    """The flaws of a scene, whichever eyes were taken before."""
    for piece in scene.pieces:
        yield from _of_piece(piece)
    yield from _of_depths(scene)
    yield from _of_rests(scene)
    for name in scene.unseen:
        if scene.piece(name) is not None:
            says = Says("{piece} is both there and unseen, expected one of the two", {"piece": spoken(name)})
            yield Fault(says, RULE_LEFT, "unseen")
        elif kind_of(name) is None:
            says = Says(
                "{piece} is listed as unseen but is not a piece, expected such as red.1, red.s1 or n1", {"piece": name}
            )
            yield Fault(says, RULE_PIECES, "unseen")
    for hiding in scene.hidings:
        far = [at for at in (hiding.x_mm, hiding.y_mm) if not abs(at) <= FARTHEST_MM]
        if far:
            yield Fault(
                Says("a die is hidden at {mm} mm, which is off the table", {"mm": f"{far[0]:g}"}), RULE_LEFT, "hidings"
            )
    for name, count in Counter(scene.unseen).items():
        if count > 1:
            says = Says("{piece} is listed as unseen more than once", {"piece": spoken(name)})
            yield Fault(says, RULE_LEFT, "unseen")


def _of_piece(piece: Lying) -> Iterator[Fault]:
    where, rule = f"pieces.{piece.id}", _RULE_OF[piece.kind]
    values: dict[str, object] = {"piece": spoken(piece.id)}
    far = [at for at in (piece.x_mm, piece.y_mm) if not abs(at) <= FARTHEST_MM]
    if far:
        says = Says("{piece} is at {mm} mm, which is off the table", values | {"mm": f"{far[0]:g}"})
        yield Fault(says, rule, where)
    if not math.isfinite(piece.angle_deg):
        yield Fault(Says("the angle of {piece} is not a number of degrees", values), rule, where)
    if piece.value is not None and not 1 <= piece.value <= FACES:
        says = Says("{piece} shows a {value}, expected 1 to 6", values | {"value": piece.value})
        yield Fault(says, rule, where)
    if piece.color is not None and piece.color not in SEATS:
        says = Says("{piece} is of color {color}, expected red or blue", values | {"color": piece.color})
        yield Fault(says, rule, where)


def _of_depths(scene: Scene) -> Iterator[Fault]:
    for depth in scene.depths:
        if not (abs(depth.margin_mm) <= FARTHEST_MM and depth.sigma_mm <= FARTHEST_MM):
            values = {"piece": spoken(depth.piece), "mm": f"{depth.margin_mm:g}", "sigma_mm": f"{depth.sigma_mm:g}"}
            says = Says("{piece} overlaps by {mm}+-{sigma_mm} mm, more than any table allows", values)
            yield Fault(says, RULE_DEPTH, "depths")
    told: dict[tuple[str, str], tuple[float, float]] = {}
    for depth in scene.depths:
        value = (depth.margin_mm, depth.sigma_mm)
        first = told.setdefault((depth.piece, depth.over), value)
        if value != first:
            values = {"piece": spoken(depth.piece), "over": spoken(depth.over), "mm": first[0], "other_mm": value[0]}
            words = "the overlap of {piece} and {over} is given twice: {mm} mm and {other_mm} mm"
            yield Fault(Says(words, values), RULE_DEPTH, "depths")


def _of_rests(scene: Scene) -> Iterator[Fault]:
    """Pieces on themselves, and circles of pieces on one another, where these were stated and not seen.

    A camera may report both orders of two overlapping pieces, each in doubt (gap 11): then people are asked.
    """
    for rest in scene.rests_on:
        if rest.piece == rest.on:
            yield Fault(Says("{piece} cannot be on itself", {"piece": spoken(rest.piece)}), RULE_LIES_ON, "rests_on")
    if any(depth.sigma_mm for depth in scene.depths):
        return
    under: dict[str, set[str]] = {}
    for rest in scene.rests_on:
        if rest.confidence == 1.0 and rest.piece != rest.on:
            under.setdefault(rest.piece, set()).add(rest.on)
    for piece in under:
        if piece in _all_below(piece, under):
            says = Says("{piece} cannot be on a piece that is on it", {"piece": spoken(piece)})
            yield Fault(says, RULE_LIES_ON, "rests_on")
            return  # the others of the circle say the same


def _all_below(piece: str, under: dict[str, set[str]]) -> set[str]:
    found: set[str] = set()
    waiting = list(under[piece])
    while waiting:
        each = waiting.pop()
        if each not in found:
            found.add(each)
            waiting += under.get(each, ())
    return found
