"""Corrects a die that the camera gave to the wrong emperor: people name its owner and the die that it changes places
with.

Each emperor has two dice (Instructions 2 and 3), so two change places. If a die of the other emperor is not seen, the
corrected die is that die, and its former name becomes the missing one.

`whose` weighs all assignments of both emperors' dice to the seen dice. It uses the log odds of each die's eye, and how
far each die would have moved. So an untouched die keeps its owner. If no owner is almost certain, people are asked, and
the same weights give the more probable answer (`likely_red`).
"""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count, permutations

from companion.game.errors import NotationError
from companion.game.readings import CHANCE_WRONG, Hideout, Kind, Piece
from companion.game.says import Says
from companion.game.values import ChoiceView, Correctable
from companion.games.eyes_of_the_emperor.facts import TAKEN_BEFORE, lies_in_valley, nameless, owned
from companion.games.eyes_of_the_emperor.scene import (
    DICE_EACH,
    OTHER,
    SEATS,
    Lying,
    Scene,
    dice_names,
    kind_of,
    own_kit,
    spoken,
)
from companion.games.eyes_of_the_emperor.set_up import set_up_around
from companion.games.eyes_of_the_emperor.settled import SAME_MM
from companion.games.eyes_of_the_emperor.state import Action, Phase, State, ThrowSettled

FACT = "owner:"
"""Key prefix before a die's name: the fact of its owner."""
KNOCKED_MM = 60.0
"""Assumed mean distance that a throw moves an empire die. On the virtual table the mean is 23 mm."""
ANYWHERE, LEAVES = 1 / 500, 0.2
"""Chance that a die ends anywhere in the valley, wherever it was; chance that an unseen die has left it.

Of 187 dice that throws moved on the virtual table none moved by more than 72 mm.
"""
UNTOUCHED = 0.5
"""Chance that a throw does not touch a die, so that it stays where it is, seen or hidden."""
PUT_BACK_MM, RING_STEP_MM = 30.0, 50
"""Distance of a die that is put back from the edge that it crossed (gap 8), and between the places to try there."""
OTHER_EDGE = 1 / 20
"""Assumed chance that hands put a die back without regard to the edge that it crossed."""

At = tuple[float, float]
Places = Sequence[tuple[float, At]]
"""Possible places with their chances."""


def whose(
    state: State,
    before: Scene | None,
    dice: Sequence[Piece | Lying],
    here: Collection[str],
    last: Mapping[str, At],
    *,
    hideouts: Sequence[Hideout] | None = None,
    is_doubted: bool = False,
    tells_by_place: bool = True,
) -> list[str | None]:
    """The names of dice whose owners are almost certain, in their order.

    `before` is the previous table, None: nobody has looked. `here` are dice that are known elsewhere in the valley.
    `last`: the last places of dice that left. `hideouts`: all places where a missing die may be hidden, None: nobody
    looked. `is_doubted`: owners that were only seen before are open again. `tells_by_place`: whether a way counts.
    """
    tells_by_place = tells_by_place and before is not None
    ways = _ways(state, before, dice, here, last, hideouts, is_doubted=is_doubted, tells_by_place=tells_by_place)
    whole = sum(chance for chance, _ in ways)
    _, likeliest = max(ways, key=lambda way: way[0])
    others = (sum(chance for chance, given in ways if given[i][:1] != name[:1]) for i, name in enumerate(likeliest))
    return [
        name or None if other <= CHANCE_WRONG * whole else None for name, other in zip(likeliest, others, strict=True)
    ]


def _ways(
    state: State,
    before: Scene | None,
    dice: Sequence[Piece | Lying],
    here: Collection[str],
    last: Mapping[str, At],
    hideouts: Sequence[Hideout] | None,
    *,
    is_doubted: bool,
    tells_by_place: bool,
) -> list[tuple[float, tuple[str, ...]]]:
    """All assignments of names to the dice seen, each with its weight: the odds of the eyes, how far each die would
    have moved, and which dice would have left. "": a die too many."""
    names = [
        name
        for seat in SEATS
        for name in dice_names(seat)
        if name not in state.emperor(seat).taken and name not in here
    ]
    lay = {name: () if before is None else places_before(state, before, name, last) for name in names}
    if before is not None and is_doubted:
        was_seen = [name for name in names if (was := before.piece(name)) is not None and was.is_owner_seen]
        open_places = _shared(tuple(place for name in was_seen for place in lay[name]), 1.0)
        lay |= dict.fromkeys(was_seen, open_places)
    weights = {
        (name, i): _came(lay[name], (die.x_mm, die.y_mm), tells_by_place=tells_by_place)
        * math.exp((die.owner_odds if name in dice_names("red") else -die.owner_odds) / 2)
        for i, die in enumerate(dice)
        for name in names
    }
    missed = {name: _missed(state, before, name, hideouts) for name in names}
    ways = []
    for given in _assignments(names, len(dice)):
        chance = math.prod(weights[name, i] for i, name in enumerate(given) if name)
        ways.append((chance * math.prod(missed[name] for name in names if name not in given), given))
    return ways


def _missed(state: State, before: Scene | None, name: str, hideouts: Sequence[Hideout] | None) -> float:
    """The chance that a die is not seen: it has left the valley, or is hidden."""
    was = None if before is None else before.piece(name)
    if before is not None and was is None:
        return UNTOUCHED if name in before.unseen and lies_in_valley(before, state.answers, name) is not False else 1.0
    areas_mm2 = [hideout.area_mm2 for hideout in hideouts or () if hideout.area_mm2 is not None]
    if was is None or hideouts is None or len(areas_mm2) < len(hideouts):
        return LEAVES
    at, mat = (was.x_mm, was.y_mm), own_kit().mat
    way = 2 * max(0.0, min(*at, mat.width_mm - was.x_mm, mat.height_mm - was.y_mm)) / KNOCKED_MM
    hidden = sum(
        area_mm2 * moved_to(((1.0, at),), (hideout.x_mm, hideout.y_mm))
        for area_mm2, hideout in zip(areas_mm2, hideouts, strict=True)
    )
    return min(LEAVES, ANYWHERE + (1 + way) * math.exp(-way)) + hidden


def _assignments(names: Sequence[str], dice: int) -> Iterator[tuple[str, ...]]:
    """All assignments of names to this number of dice; "": a die too many."""
    if dice <= len(names):
        yield from permutations(names, dice)
        return
    for which in permutations(range(dice), len(names)):
        given = dict(zip(which, names, strict=True))
        yield tuple(given.get(i, "") for i in range(dice))


def _came(places: Places, at: At, *, tells_by_place: bool) -> float:
    """Probability density, per mm2, that a die from one of these places is here now, touched or not."""
    mat = own_kit().mat
    anywhere = 1 / (mat.width_mm * mat.height_mm)
    still = sum(chance * math.exp(-((math.dist(place, at) / SAME_MM) ** 2) / 2) for chance, place in places)
    moved = (moved_to(places, at) or ANYWHERE * anywhere) if tells_by_place else anywhere
    return UNTOUCHED * still / (2 * math.pi * SAME_MM**2) + (1 - UNTOUCHED) * moved


def last_places(past: Iterable[Action], taken: Collection[str]) -> dict[str, At]:
    """The last place of each die, from the newest throw back until one leaves open which die is where."""
    last: dict[str, At] = {}
    for action in past:
        if not isinstance(action, ThrowSettled):
            continue
        scene = owned(action.scene, action.answers, taken)
        if nameless(scene) or len(last) == len(SEATS) * DICE_EACH:
            break
        last = {die.id: (die.x_mm, die.y_mm) for die in scene.of(Kind.EMPIRE_DIE)} | last
    return last


def places_before(state: State, before: Scene, name: str, last: Mapping[str, At]) -> Places:
    """The possible places of a die before a throw, with their chances: its own; those of nameless dice, and those where
    it was hidden; inside the edge that it crossed, by its `last` place, if a die had to be put back."""
    was = before.piece(name)
    if was is not None:
        return ((1.0, (was.x_mm, was.y_mm)),)
    unnamed = tuple((1.0, (die.x_mm, die.y_mm)) for die in nameless(before))
    if name in before.unseen and lies_in_valley(before, state.answers, name) is not False:
        missing = sum(kind_of(other) is Kind.EMPIRE_DIE for other in before.unseen)
        hidden = _shared(_hidden_before(state, before, name), max(0, missing - len(unnamed)))
        return _shared((*unnamed, *hidden), 1.0)
    if unnamed:
        return _shared(unnamed, 1.0)
    # a hand that has to put one back may take another that is out
    attacked = [die for seat in SEATS if state.emperor(OTHER[seat]).phase is Phase.III for die in dice_names(seat)]
    gone = [die for die in attacked if before.piece(die) is None and die not in (*before.unseen, *state.taken)]
    out = [name] if name in gone else gone
    return _shared(tuple(place for die in out for place in _put_back(last.get(die))), 1.0)


def _hidden_before(state: State, before: Scene, name: str) -> Places:
    """The places where a die was hidden: as weighed then, else by the way from its start."""
    known = [(dict(hiding.chances).get(name), (hiding.x_mm, hiding.y_mm)) for hiding in before.hidings]
    told = tuple((chance, at) for chance, at in known if chance is not None)
    if told:
        return told
    land = before.territory(name.partition(".")[0])
    start = () if land is None else ((1.0, (land.x_mm, land.y_mm)),)
    return tuple((moved_to(start, at, throws=max(1, state.throw)), at) for _, at in known)


def _shared(places: Places, whole: float) -> Places:
    """The places with their chances scaled to add up to `whole`."""
    total = sum(chance for chance, _ in places)
    return tuple((chance * whole / total, at) for chance, at in places) if total > 0 else ()


def _put_back(last: At | None) -> Places:
    """The places of a die that is put back inside the edge that it crossed, by its last place; None: unknown."""
    mat = own_kit().mat
    width, height = mat.width_mm, mat.height_mm
    x_mm, y_mm = last or (width / 2, height / 2)
    along_x, along_y = (range(0, int(size_mm), RING_STEP_MM) for size_mm in (width, height))
    edges = (
        (x_mm, [(PUT_BACK_MM, float(y)) for y in along_y]),
        (width - x_mm, [(width - PUT_BACK_MM, float(y)) for y in along_y]),
        (y_mm, [(float(x), PUT_BACK_MM) for x in along_x]),
        (height - y_mm, [(float(x), height - PUT_BACK_MM) for x in along_x]),
    )
    crossed = [ANYWHERE + _crossed(edge_mm) for edge_mm, _ in edges]
    chances = [(1 - OTHER_EDGE) * one / sum(crossed) + OTHER_EDGE / len(edges) for one in crossed]
    return tuple(
        (chance / len(places), at) for chance, (_, places) in zip(chances, edges, strict=True) for at in places
    )


def moved_to(places: Places, at: At, slack_mm: float = 0.0, throws: int = 1) -> float:
    """Probability density, per mm2, that throws moved a die here from one of these places.

    `slack_mm`: the distance may be shorter by this much.
    """
    if not places:
        return 0.0
    mat = own_kit().mat
    mean_mm = KNOCKED_MM * math.sqrt(throws)
    near = sum(chance * _knocked(max(math.dist(place, at) - slack_mm, 0.0), mean_mm) for chance, place in places)
    return (1 - ANYWHERE) * near + ANYWHERE / (mat.width_mm * mat.height_mm)


def left_from(at: At) -> float:
    """Minimum chance that a throw knocks a die over the nearest edge. Only directions within 45 degrees of it count."""
    mat = own_kit().mat
    return _crossed(min(*at, mat.width_mm - at[0], mat.height_mm - at[1]))


def _crossed(edge_mm: float) -> float:
    """Minimum chance that a throw knocks a die over an edge this far away."""
    way = 2 * math.sqrt(2) * max(0.0, edge_mm) / KNOCKED_MM
    return (1 + way) * math.exp(-way) / 4


def _knocked(far_mm: float, mean_mm: float = KNOCKED_MM) -> float:
    """Probability density, per mm2, that a throw moves a die this far: exponential, with this mean."""
    return 2 / (math.pi * mean_mm**2) * math.exp(-2 * far_mm / mean_mm)


def likely_red(state: State, scene: Scene, die: str) -> float | None:
    """The probability that a die without an owner is red's, from its eye and from the earlier places of both emperors'
    missing dice."""
    unnamed = nameless(scene)
    here = [piece.id for piece in scene.of(Kind.EMPIRE_DIE) if piece.color is not None]
    before = state.scene or set_up_around(scene)
    ways = _ways(state, before, unnamed, here, {}, None, is_doubted=False, tells_by_place=True)
    i = next((i for i, other in enumerate(unnamed) if other.id == die), None)
    whole = sum(chance for chance, _ in ways)
    if i is None or whole <= 0:
        return None
    return sum(chance for chance, given in ways if given[i].startswith("red.")) / whole


def corrections(state: State) -> Iterator[Correctable]:
    scene = state.scene
    for die in scene.of(Kind.EMPIRE_DIE) if scene is not None else ():
        if scene is not None and die.color is not None:
            other = OTHER[die.color]
            left = [name for name in dice_names(other) if name not in state.emperor(other).taken]
            there = [name for name in left if scene.piece(name) is not None]
            values = there + [name for name in left if name not in there][:1]
            choices = (ChoiceView(v, says(die.id, v, is_there=v in there)) for v in (die.color, *values))
            yield Correctable(f"{FACT}{die.id}", question(die.id), die.color, tuple(choices), die.id, spoken(die.id))


def question(die: str) -> Says:
    return Says("Whose is {piece}?", {"piece": spoken(die)})


def says(die: str, value: str, *, is_there: bool) -> Says:
    """An answer to the question. `value` is the seat that the die was seen to belong to, or the other emperor's die
    that it is. If that other die is in the valley too, the two change places."""
    seat, _, is_other = value.partition(".")
    words = "It is {seat}'s, and {piece} is {other}'s" if is_other and is_there else "It is {seat}'s"
    return Says(words, {"seat": seat, "piece": spoken(value), "other": die.partition(".")[0]})


def told(scene: Scene, answers: Mapping[str, bool], die: str, value: str) -> tuple[Scene, dict[str, bool]]:
    """A throw's scene and answers after somebody named the owner of `die`. Confirming the seen owner counts too: later
    readings then cannot bring it into doubt. Raises: NotationError if the owner is impossible."""
    for taken in TAKEN_BEFORE:
        whole = owned(scene, answers, taken)
        piece = whole.piece(die)
        if piece is None or piece.kind != Kind.EMPIRE_DIE or piece.color is None:
            continue
        if value == piece.color:
            now = whole.renamed({die: die}, {die: piece.color})
            return now, {**answers, f"owner_red:{die}": piece.color == "red"}
        if value in dice_names(OTHER[piece.color]) and value not in taken:
            names = {die: value, value: die}
            now = whole.renamed(names, {die: piece.color, value: OTHER[piece.color]})
            if whole.piece(value) is None:
                now = replace(now, unseen=(*(name for name in whole.unseen if name != value), die))
            known = tuple(name for name in (die, value) if now.piece(name) is not None)
            return now, _answers(answers, names, known)
    raise NotationError(f"{die} cannot be {value}: no such dice are there", f"{FACT}{die}")


def untold(scene: Scene, answers: Mapping[str, bool]) -> Scene:
    """A throw's scene without the owners that people named: those dice are nameless again."""
    dice = [
        d.id for d in scene.of(Kind.EMPIRE_DIE) if d.color and not d.is_owner_seen and f"owner_red:{d.id}" in answers
    ]
    free = (name for i in count(1) if scene.piece(name := f"die.{i}") is None)
    names = dict(zip(dice, free, strict=False))
    return scene.renamed(names, dict.fromkeys(names.values()))


def _answers(answers: Mapping[str, bool], names: Mapping[str, str], known: tuple[str, ...]) -> dict[str, bool]:
    """The answers about renamed dice, under their new names. Named owners are remembered while the dice do not move."""
    kept = {}
    for key, answer in answers.items():
        what, *ids = key.split(":")
        if what != "owner_red" or (names.keys().isdisjoint(ids) and not ids[0].startswith("die.")):
            kept[":".join([what, *(names.get(id, id) for id in ids)])] = answer
    for name in known:
        kept[f"owner_red:{name}"] = name in dice_names("red")
    return kept
