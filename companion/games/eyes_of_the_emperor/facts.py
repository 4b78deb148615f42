"""Facts that decide a throw: yes-or-no statements about a scene, each sure, answered by a person, or open.

An exact touch given in mm (sigma 0) does not count as overlap (Instructions 9 and 11). A measured margin within three
of its standard errors of zero is open. Everything the eyes were not sure of is open too.

The counts of a scene once every fact is decided: who has what where.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import product

from companion.game.margin import TOO_CLOSE_SIGMAS, Call, Margin
from companion.game.readings import SURE, Kind, Piece
from companion.game.says import Says, listed
from companion.games.eyes_of_the_emperor.house import cite
from companion.games.eyes_of_the_emperor.scene import (
    OTHER,
    RESTS_ERROR_MM,
    SEATS,
    Lying,
    Scene,
    above,
    below,
    dice_names,
    is_below,
    kind_of,
    spoken,
)

RULE_MARKINGS = cite("Instructions 3")
RULE_DIE_OUT = cite("Instructions 9")
RULE_OCCUPIES = cite("Instructions 10")
RULE_TOUCHING = cite("Instructions 11")
RULE_FACING_UP = cite("Instructions 12")
RULE_COCKED = cite("gap 15")
RULE_PIECES = cite("Instructions 4")
RULE_LEFT = cite("gap 8")
THERE = "there:"
"""Key prefix before a piece's name: whether this unseen piece is still in the valley."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One yes-or-no statement about a scene. `known` is None while it is open."""

    key: str
    says: Says
    yes: Says
    no: Says
    rule: str
    known: bool | None
    by_person: bool = False
    margin: Margin | None = None
    pieces: tuple[str, ...] = ()

    @property
    def close(self) -> Margin | None:
        """The margin if it is too close to call. A fact may be open for another reason, such as a doubted piece."""
        return self.margin if called(self.margin) is None else None


SHADOW = 0.8
"""Minimum confidence of a ninja that counts as thrown. The shadow in a crooked stack's side had 0.5."""
SURE_NINJA = 0.88
"""Minimum confidence of a ninja without read pips that nobody is asked about, chosen by hand. Few true ones have less.
The rim of a leaning samurai was read with 0.83 (virtual table, seed 3)."""


def is_there(piece: Lying | Piece) -> bool:
    """Whether a piece is surely there. An empire die always is: its confidence is about its face and owner."""
    sure = {Kind.SAMURAI: SURE, Kind.NINJA: SHADOW}
    return piece.confidence >= sure.get(piece.kind, 0.0)


def is_doubted(piece: Lying) -> bool:
    """Whether people are asked if a find is a piece, should it decide something."""
    is_unread = piece.kind is Kind.NINJA and piece.value is None
    return not is_there(piece) or (is_unread and piece.confidence < SURE_NINJA)


def called(margin: Margin | None) -> bool | None:
    """Whether a margin is an overlap: None while too close; a scene given exactly (sigma 0) is never too close."""
    if margin is None:
        return False
    if margin.sigma_mm == 0.0:
        return margin.margin_mm > 0.0
    call = margin.call()
    return None if call is Call.TOO_CLOSE else call is Call.OVERLAPS


TAKEN_BEFORE = tuple(product(("", "red.1"), ("", "blue.1")))
"""Sets of eyes that may have been taken before an action: the action does not name them."""


def owned(scene: Scene, answers: Mapping[str, bool], taken: Collection[str] = ()) -> Scene:
    """The scene with the owners that people named: an answered ``owner_red:ID`` names a die whose eye was not seen.

    `taken` are the dice that were taken before: they are not in the valley.
    """
    now = scene
    for die in nameless(scene):
        answer = answers.get(f"owner_red:{die.id}")
        if answer is not None:
            now = renamed(now, die.id, "red" if answer else "blue", taken, is_seen=False)
    ways = wholes(now, taken)
    return ways[0][0] if len(ways) == 1 else now


def nameless(scene: Scene) -> tuple[Lying, ...]:
    return tuple(die for die in scene.of(Kind.EMPIRE_DIE) if die.color is None)


def wholes(scene: Scene, taken: Collection[str] = ()) -> list[tuple[Scene, Mapping[str, str]]]:
    """All possible scenes in which every die has an owner, and to whom each nameless die, by id, was given: to either
    emperor who misses one. Never empty."""
    ways: list[tuple[Scene, Mapping[str, str]]] = [(scene, {})]
    for die in nameless(scene):
        ways = [
            (now, {**owners, die.id: seat})
            for was, owners in ways
            for seat in SEATS
            if (now := renamed(was, die.id, seat, taken)) is not was
        ] or ways  # a die beyond both emperors' numbers stays without an owner
    return ways


def renamed(scene: Scene, die: str, seat: str, taken: Collection[str] = (), *, is_seen: bool = True) -> Scene:
    """The scene with a nameless die given to a seat, under the first of its names that is free.

    `is_seen`: the owner follows from the eyes' report, and nobody named it.
    """
    used = {piece.id for piece in scene.pieces} | set(taken)
    free = [name for name in dice_names(seat) if name not in used]
    if not free:
        return scene
    now = scene.renamed({die: free[0]}, {free[0]: seat}, is_seen=is_seen)
    return replace(now, unseen=tuple(name for name in scene.unseen if name != free[0]))


def facts(scene: Scene, answers: Mapping[str, bool], cocked_deg: float) -> dict[str, Fact]:
    """All facts of an `owned` scene that can matter, by key. People's `answers` overrule the eyes."""
    found = dict(_by_key(scene, cocked_deg))
    for key, answer in answers.items():
        if key in found:
            found[key] = replace(found[key], known=answer, by_person=True)
        what, *ids = key.split(":")
        other = ":".join((what, *reversed(ids)))
        if what == "on" and answer and other in found and other not in answers:  # only one of two is on top
            found[other] = replace(found[other], known=False)
    for name in scene.unseen:
        there = lies_in_valley(scene, answers, name)
        if there is not None and f"{THERE}{name}" in found:
            found[f"{THERE}{name}"] = replace(found[f"{THERE}{name}"], known=there)
        if there is False:  # a piece outside the valley overlaps nothing in it and shows no eye
            for key in {f"in:{name}", f"up:{name}"} & found.keys():
                found[key] = replace(found[key], known=False)
    for piece in scene.of(Kind.SAMURAI):
        being, lying = f"is:{piece.id}", f"in:{piece.id}"
        if being not in found or lying not in found:
            continue
        is_confirmed = f"is:{below(piece.id)}" in answers  # both answers about one below say that this one is there
        if being not in answers and (is_confirmed or answers.get(lying)):  # what overlaps a territory is a piece
            found[being] = replace(found[being], known=True)
        if lying not in answers and (is_confirmed or being in answers):  # a find that is not a piece overlaps nothing
            found[lying] = replace(found[lying], known=answers.get(being, True) and called(found[lying].margin))
        if answers.get(being) is False:
            touching = [key for key, fact in found.items() if key.startswith("on:") and piece.id in fact.pieces]
            found |= {key: replace(found[key], known=False) for key in touching}
    return found


def _fact(
    key: str,
    question: str,
    rule: str,
    *pieces: str,
    answers: tuple[str, str] | None = None,
    known: bool | None = None,
    margin: Margin | None = None,
    **values: object,
) -> Fact:
    yes, no = (Says("Yes"), Says("No")) if answers is None else (Says(answers[0]), Says(answers[1]))
    return Fact(key, Says(question, values), yes, no, rule, known, margin=margin, pieces=pieces)


@lru_cache(maxsize=16)
def _by_key(scene: Scene, cocked_deg: float) -> Mapping[str, Fact]:
    return {fact.key: fact for fact in _all(scene, cocked_deg)}


def _all(scene: Scene, cocked_deg: float) -> Iterator[Fact]:
    without_owner = nameless(scene)
    for die in without_owner:
        words = "The eye of this empire die cannot be seen. Whose is it?"
        yield _fact(f"owner_red:{die.id}", words, RULE_MARKINGS, die.id, answers=("It is red's", "It is blue's"))
    for name in scene.unseen:
        if kind_of(name) is not Kind.EMPIRE_DIE:
            yield from _hidden(name, scene)
        elif not without_owner:  # a nameless die may be the one that is not seen
            yield from _unseen(name, scene)
    for piece in (*scene.of(Kind.SAMURAI), *scene.of(Kind.NINJA)):
        key = f"is:{piece.id}"
        if is_below(piece.id):
            words, upper = "Is another samurai under {piece}?", spoken(above(piece.id))
            yield _fact(key, words, RULE_PIECES, piece.id, piece=upper)
        elif is_doubted(piece):
            # it may be another one, read twice
            yield _fact(key, "Is this one more {kind}?", RULE_PIECES, piece.id, kind=piece.kind.value)
    for seat in SEATS:
        own, foreign = scene.territory(seat), scene.territory(OTHER[seat])
        for die in scene.of(Kind.EMPIRE_DIE, seat):
            if own is not None:
                yield _in(die, own, scene)
            yield _up(die, cocked_deg)
        samurai = scene.of(Kind.SAMURAI, seat)
        for piece in samurai:
            if foreign is not None:
                yield _on_land(piece, foreign, scene)
        mine, sure = {piece.id for piece in samurai}, {piece.id for piece in samurai if is_there(piece)}
        for rest in scene.rests_on:
            if rest.piece in mine and rest.on in mine:
                yield _fact(
                    f"on:{rest.piece}:{rest.on}",
                    "Is {piece} on {on}?",
                    RULE_OCCUPIES,
                    rest.piece,
                    rest.on,
                    known=True if rest.confidence >= SURE and rest.piece in sure else None,
                    piece=spoken(rest.piece),
                    on=spoken(rest.on),
                )


LEAST_NAMED = 0.01
"""Minimum chance of a hiding place that a question names."""
MOST_NAMED = 3
"""Maximum number of pieces that a question names as a possible cover of a die."""
THERE_WORDS = "Yes, it is there, hidden", "No, it has left the valley"


def _unseen(name: str, scene: Scene) -> Iterator[Fact]:
    likely = [hiding for hiding in scene.hidings if dict(hiding.chances).get(name, 1.0) >= LEAST_NAMED]
    behind = dict.fromkeys(id for hiding in likely for id in hiding.behind)
    covers = tuple(id for id in behind if (cover := scene.piece(id)) is not None and is_there(cover))
    piece, there = spoken(name), f"{THERE}{name}"
    if covers and len(covers) <= MOST_NAMED and all(hiding.behind for hiding in scene.hidings):
        told, words = listed([spoken(id) for id in covers]), "{piece} is not seen. Is it hidden by {covers}?"
        yield _fact(there, words, RULE_LEFT, name, *covers, answers=THERE_WORDS, piece=piece, covers=told)
    else:
        words = "{piece} is not seen. Is it still in the valley?"
        yield _fact(there, words, RULE_LEFT, name, *covers, answers=THERE_WORDS, piece=piece)
    words = "{piece} is hidden. Does it still overlap its territory?"
    yield _fact(f"in:{name}", words, RULE_DIE_OUT, name, piece=piece)
    words = "{piece} is hidden. Does its eye face up?"
    yield _fact(f"up:{name}", words, RULE_FACING_UP, name, piece=piece)


def _hidden(name: str, scene: Scene) -> Iterator[Fact]:
    """The facts of an unseen samurai or ninja: it has left, or it is on or under something."""
    color = name.partition(".")[0]
    words = "{piece} is not seen. Is it still in the valley?"
    yield _fact(f"{THERE}{name}", words, RULE_PIECES, name, answers=THERE_WORDS, piece=spoken(name))
    if color in SEATS:
        land = OTHER[color]
        # a hidden samurai is on or under another: if none of those is near the territory, neither is it
        margins = (scene.depth(piece.id, land) for piece in scene.of(Kind.SAMURAI))
        is_near = any(margin is not None and margin.margin_mm > -RESTS_ERROR_MM for margin in margins)
        yield _fact(
            f"in:{name}",
            "{piece} is hidden. Does it occupy the {color} territory?",
            RULE_OCCUPIES,
            name,
            known=None if is_near else False,
            piece=spoken(name),
            color=land,
        )


def facts_of(scene: Scene, answers: Mapping[str, bool], cocked_deg: float) -> Mapping[str, Fact]:
    """All facts of a throw by key: also a nameless die's owner, and the facts of that die after it was named."""
    found = dict(facts(scene, answers, cocked_deg))
    for taken in TAKEN_BEFORE:
        found |= facts(owned(scene, answers, taken), answers, cocked_deg)
    return found


def stray_answers(scene: Scene, answers: Mapping[str, bool], cocked_deg: float) -> tuple[str, ...]:
    """Answers that match no fact of the scene. The owner of a seen die, the order of two samurai, and all about an
    unseen die may always be answered: such answers are kept while the pieces do not move."""
    known = facts_of(scene, answers, cocked_deg) if answers else {}
    of_kind = {"owner_red": (1, Kind.EMPIRE_DIE), "on": (2, Kind.SAMURAI)}

    def may_be_told(key: str) -> bool:
        what, *ids = key.split(":")
        if f"{what}:" in (THERE, "in:", "up:") and len(ids) == 1 and kind_of(ids[0]) is Kind.EMPIRE_DIE:
            return ids[0] in scene.unseen
        count, kind = of_kind.get(what, (0, None))
        return len(ids) == count > 0 and all((p := scene.piece(id)) is not None and p.kind == kind for id in ids)

    return tuple(key for key in answers if key not in known and not may_be_told(key))


def lies_in_valley(scene: Scene, answers: Mapping[str, bool], name: str) -> bool | None:
    """Whether a piece is in the valley: it is seen there, or people said so. An answer about an unseen piece's
    territory or face says so too. None: nobody has said."""
    if name not in scene.unseen:
        return scene.piece(name) is not None
    told = [answers[key] for what in ("in:", "up:") if (key := what + name) in answers]
    return answers.get(f"{THERE}{name}", True if told else None)


def _in(die: Lying, land: Lying, scene: Scene) -> Fact:
    margin = scene.depth(die.id, land.id)
    return _fact(
        f"in:{die.id}",
        "Does {piece} still overlap its territory?",
        RULE_DIE_OUT,
        die.id,
        land.id,
        answers=("Overlaps: still in", "Apart or only touching: knocked out"),
        known=called(margin),
        margin=margin,
        piece=spoken(die.id),
    )


def _on_land(piece: Lying, land: Lying, scene: Scene) -> Fact:
    margin = scene.depth(piece.id, land.id)
    return _fact(
        f"in:{piece.id}",
        "Does {piece} overlap the {color} territory?",
        RULE_TOUCHING if margin is not None and margin.margin_mm <= 0 else RULE_OCCUPIES,
        piece.id,
        land.id,
        answers=("Overlaps: it occupies", "Apart or only touching: it does not occupy"),
        # without a margin it is beyond `NEAR_MM`: no doubt about the piece or its support reaches as far as the
        # territory
        known=called(margin) if piece.confidence >= SURE or margin is None else None,
        margin=margin,
        piece=spoken(piece.id),
        color=land.color or "?",
    )


def _up(die: Lying, cocked_deg: float) -> Fact:
    known = die.marked_up if die.confidence >= SURE else None
    rule = RULE_FACING_UP
    if known and die.tilt_deg is not None:
        beyond_deg = die.tilt_deg - cocked_deg
        if abs(beyond_deg) < TOO_CLOSE_SIGMAS * die.tilt_sigma_deg:
            known, rule = None, RULE_COCKED
        elif beyond_deg > 0:
            known, rule = False, RULE_COCKED
    words = "Is the eye of {piece} facing up?"
    return _fact(f"up:{die.id}", words, rule, die.id, known=known, piece=spoken(die.id))


@dataclass(frozen=True, slots=True)
class Tally:
    """The counts of a scene once every fact is decided. Per seat: its dice in the valley, those in its territory, and
    those with the eye up; its samurai that occupy, those that would with every open fact a yes, and the number of
    all its samurai in the valley. For both seats: the number of ninjas in the valley. `most_...`: those two numbers
    with every open fact a yes."""

    dice: Mapping[str, tuple[str, ...]]
    dice_in: Mapping[str, tuple[str, ...]]
    dice_up: Mapping[str, tuple[str, ...]]
    occupying: Mapping[str, tuple[str, ...]]
    may_occupy: Mapping[str, tuple[str, ...]]
    samurai: Mapping[str, int]
    ninjas: int
    most_samurai: Mapping[str, int]
    most_ninjas: int


def tally(scene: Scene, known: Mapping[str, Fact], assumed: Mapping[str, bool] | None = None) -> Tally:
    """Counts a scene. Open facts are taken as `assumed` says, else as no."""

    taken = assumed or {}

    def holds(key: str, default: bool = False) -> bool:
        fact = known.get(key)
        if fact is None:
            return False
        return bool(taken.get(key, default)) if fact.known is None else fact.known

    def lying(kind: Kind, seat: str | None, default: bool = False) -> int:
        """The number of pieces in the valley, seen or hidden. Open facts beyond `assumed` are taken as `default`."""
        counts = partial(holds, default=default)
        seen = sum(f"is:{p.id}" not in known or counts(f"is:{p.id}") for p in scene.of(kind, seat))
        return seen + len(_hidden_dice(scene, kind, seat, counts))

    none = {p.id for p in scene.of(Kind.SAMURAI) if f"is:{p.id}" in known and not holds(f"is:{p.id}", default=True)}
    dice = {
        seat: tuple(
            n for n in dice_names(seat) if scene.piece(n) is not None or (n in scene.unseen and holds(f"{THERE}{n}"))
        )
        for seat in SEATS
    }
    return Tally(
        dice=dice,
        dice_in={seat: tuple(d for d in dice[seat] if holds(f"in:{d}")) for seat in SEATS},
        dice_up={seat: tuple(d for d in dice[seat] if holds(f"up:{d}")) for seat in SEATS},
        occupying={seat: _occupying(scene, seat, none, holds) for seat in SEATS},
        may_occupy={seat: _occupying(scene, seat, none, lambda key: holds(key, default=True)) for seat in SEATS},
        samurai={seat: lying(Kind.SAMURAI, seat) for seat in SEATS},
        ninjas=lying(Kind.NINJA, None),
        most_samurai={seat: lying(Kind.SAMURAI, seat, True) for seat in SEATS},
        most_ninjas=lying(Kind.NINJA, None, True),
    )


def _hidden_dice(scene: Scene, kind: Kind, seat: str | None, holds: Callable[[str], bool]) -> list[str]:
    """The names of unseen pieces in the valley."""
    return [
        name
        for name in scene.unseen
        if kind_of(name) is kind and (seat is None or name.startswith(f"{seat}.")) and holds(f"{THERE}{name}")
    ]


def _occupying(scene: Scene, seat: str, none: Collection[str], holds: Callable[[str], bool]) -> tuple[str, ...]:
    """Samurai that occupy: on the land (A, B) or on own samurai that occupy, also in chains (C); none of `none`."""
    mine = [p.id for p in scene.of(Kind.SAMURAI, seat) if p.id not in none]
    mine += _hidden_dice(scene, Kind.SAMURAI, seat, holds)
    occupying = {piece for piece in mine if holds(f"in:{piece}")}
    grown = True
    while grown:
        grown = False
        for rest in scene.rests_on:
            is_new = rest.on in occupying and rest.piece in mine and rest.piece not in occupying
            if is_new and holds(f"on:{rest.piece}:{rest.on}"):
                occupying.add(rest.piece)
                grown = True
    return tuple(piece for piece in mine if piece in occupying)
