"""From the eyes' report to a throw that can be entered: lasting names, owners by continuity, dice not seen.

Pieces keep their names from throw to throw by their places; the eyes number them afresh in every picture.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, count

from companion.game.readings import (
    ANOTHER_BELOW,
    HIGHEST_IN_DOUBT,
    EyesReading,
    Kind,
    Piece,
    RestsOn,
    owner_of,
    told_of,
)
from companion.game.says import Says
from companion.game.table import Outline, Placed, overlap_mm
from companion.game.values import Illegal, Proposal, PutBack
from companion.games.eyes_of_the_emperor import conserved, set_up
from companion.games.eyes_of_the_emperor.facts import called, facts, is_there, lies_in_valley, nameless, owned
from companion.games.eyes_of_the_emperor.owners import At, whose
from companion.games.eyes_of_the_emperor.scene import (
    OTHER,
    RESTS_ERROR_MM,
    SAMURAI_EACH,
    SEATS,
    Depth,
    Hiding,
    Lying,
    Rest,
    Scene,
    across_mm,
    apart_mm,
    below,
    dice_names,
    from_below,
    is_below,
    kind_of,
    says_place,
    spoken,
)
from companion.games.eyes_of_the_emperor.settled import DOUBTED, SAME_MM
from companion.games.eyes_of_the_emperor.state import Phase, State, ThrowSettled
from companion.games.eyes_of_the_emperor.status import RULE_DICE, RULE_TAKEN, RULE_TERRITORIES

STAYED_MM = 4.0
"""Maximum distance between a piece and its earlier place, to count as the same piece."""
TAKEN_MM = 15.0
"""Maximum distance between a die and the place of a taken one, to count as that one, left there and perhaps touched."""
BACK_MM = 10.0
"""Tolerance after a throw is taken back: a piece further from its old place is listed, a nearer one is back.

The camera errs by a third of a millimetre and could ask for 1 mm. But a hand that puts a piece back by eye is not so
exact. The rules see which territory a piece overlaps, which way up it is and what it is on. These are compared as well
as the place, so the remaining error is less than half the smallest die that a rule looks at (28 mm).
"""
TILT_SIGMA_DEG = 1.5
"""Standard error of a die's measured lean."""
LENGTH_DIGITS = 3
UNTOLD_CONFIDENCE = 0.5
"""Confidence of both orders of samurai that overlap without a reported order."""
BELOW_CONFIDENCE = 0.3
"""Confidence of a samurai that may be hidden under another."""


def interpret(
    state: State,
    reading: EyesReading,
    seen_before: Scene | None = None,
    *,
    begun: Scene | None = None,
    last: Mapping[str, At] | None = None,
    tells_by_place: bool = True,
) -> Proposal[ThrowSettled]:
    """The throw that a settled table shows. `seen_before` is a later reading than `state.scene`, if there was one.

    `begun`: the valley just before the throw, where it was seen. `last`: the last places of dice that left before.
    `tells_by_place`: whether the ways of the dice count for their owners.

    Raises: Illegal if the table cannot be judged: a territory is not seen, or there are too many pieces.
    """
    for seat in SEATS:
        if not any(p.kind == Kind.TERRITORY and p.color == seat for p in reading.pieces):
            raise Illegal(
                Says("the {seat} territory is not seen: uncover it and end the throw again", {"seat": seat}),
                RULE_TERRITORIES,
            )
    reading = with_told_owners(reading, state.scene, state.answers)
    before = _with_put_back(_as_judged(seen_before, state.scene) or state.scene, begun)
    begins = before is None and set_up.is_set_up(reading)
    if begins:
        reading = set_up.stacked(reading)
    below_others = () if before is None else tuple(set_up.still_below(reading.pieces, before, reading.table))
    last = last or {}
    names = _names(state, before, reading, [name for _, name in below_others], last, tells_by_place=tells_by_place)
    scene = Scene(
        pieces=tuple(_lying(piece, *names[piece.id]) for piece in reading.pieces),
        depths=tuple(
            Depth(
                piece=names[o.piece][0],
                over=names[o.over][0],
                margin_mm=round(o.margin_mm, LENGTH_DIGITS),
                sigma_mm=max(round(o.sigma_mm, LENGTH_DIGITS), 10**-LENGTH_DIGITS),
            )
            for o in reading.overlaps
        ),
        rests_on=tuple(
            Rest(piece=names[r.piece][0], on=names[r.on][0], confidence=round(r.confidence, 3))
            for r in _rests_measured(reading)
        ),
    )
    scene = _with_samurai_below(
        state, before, conserved.with_orders(before, scene) if tells_by_place else scene, reading, names
    )
    if begins:
        below_others = tuple((upper, lower) for upper, lower in map(dice_names, SEATS))
    for upper, lower in below_others:
        scene = set_up.with_below(scene, upper, lower)
    if not begins:
        lain = before.of(Kind.EMPIRE_DIE) if before else ()
        pieces = (replace(piece, is_owner_seen=_is_owner_seen(piece, lain)) for piece in scene.pieces)
        scene = replace(scene, pieces=tuple(pieces))
    dice = _unseen(state, scene, begun)
    if reading.hideouts is not None:
        # the pieces of the reading come first, in its order; some have other names by now
        named = {seen.id: piece.id for seen, piece in zip(reading.pieces, scene.pieces, strict=False)}
        hidings = [
            conserved.HidingSeen(
                hiding=Hiding(x_mm=h.x_mm, y_mm=h.y_mm, behind=tuple(named[id] for id in h.behind)),
                report=h,
                on_it=[named[id] for id in (*h.on_it, *h.one_on_it)],
            )
            for h in reading.hideouts
            if conserved.could_get_under(state, scene, [named[id] for id in h.on_it], [named[id] for id in h.one_on_it])
        ]
        # without any possible place the die has left the valley, and nobody is asked
        dice = tuple(d for d in dice if hidings and conserved.could_be_hidden(state, before, scene, d, hidings, last))
        scene = replace(scene, hidings=tuple(seen.hiding for seen in hidings) if dice else ())
        scene = replace(scene, hidings=conserved.with_chances(state, before, scene, dice, last))
    scene = replace(scene, unseen=(*dice, *conserved.missed(state, before, scene)))
    scene = conserved.perhaps_lifted(before, scene)
    return Proposal((ThrowSettled(scene=scene, answers=_still_answered(state, scene)),), Says("nothing moves"))


def _with_samurai_below(
    state: State,
    before: Scene | None,
    scene: Scene,
    reading: EyesReading,
    names: Mapping[str, tuple[str, str | None]],
) -> Scene:
    """A scene with the samurai that may be unseen under others, in the same places."""
    for seen in reading.pieces:
        name = names[seen.id][0]
        upper = scene.piece(name)
        assert upper is not None
        is_told = seen.kind == Kind.SAMURAI and seen.reason == ANOTHER_BELOW
        if not is_told or not conserved.could_lie_below(state, before, scene, upper):
            continue
        lower = replace(upper, id=below(name), confidence=BELOW_CONFIDENCE)
        depths = (replace(d, piece=lower.id) for d in scene.depths if d.piece == name)
        scene = replace(scene, pieces=(*scene.pieces, lower), depths=(*scene.depths, *depths))
    return scene


def _rests_measured(reading: EyesReading) -> Iterator[RestsOn]:
    """The measured order of pieces on each other. It is in doubt if the two are measured apart. It is
    left out if the gap is too wide for an error. Overlapping samurai of one colour without a reported order get
    both orders, in doubt."""
    outlines = {piece.id: Outline(piece.footprint_mm) for piece in reading.pieces if piece.footprint_mm}
    for rest in reading.rests_on:
        upper, lower = outlines.get(rest.piece), outlines.get(rest.on)
        depth_mm = overlap_mm(upper, lower) if upper is not None and lower is not None else None
        if depth_mm is None or depth_mm > 0.0:
            yield rest
        elif depth_mm > -RESTS_ERROR_MM:
            yield replace(rest, confidence=min(rest.confidence, HIGHEST_IN_DOUBT))
    told = {frozenset((rest.piece, rest.on)) for rest in reading.rests_on}
    samurai = [piece for piece in reading.pieces if piece.kind == Kind.SAMURAI and piece.id in outlines]
    for one, other in combinations(samurai, 2):
        is_untold = one.color == other.color and frozenset((one.id, other.id)) not in told
        if is_untold and overlap_mm(outlines[one.id], outlines[other.id]) > conserved.UNTOLD_MM:
            yield RestsOn(piece=one.id, on=other.id, confidence=UNTOLD_CONFIDENCE)
            yield RestsOn(piece=other.id, on=one.id, confidence=UNTOLD_CONFIDENCE)


def with_told_owners(reading: EyesReading, scene: Scene | None, answers: Mapping[str, bool]) -> EyesReading:
    """The reading with the owners that people named, for dice that have not moved since a scene: an owner does not
    change."""
    lain = [p for p in (scene.of(Kind.EMPIRE_DIE) if scene else ()) if f"owner_red:{p.id}" in answers]
    pieces = []
    for piece in reading.pieces:
        if piece.kind == Kind.EMPIRE_DIE:
            still = [p for p in lain if apart_mm(p, piece) <= SAME_MM]
            piece = told_of(piece, still[0].color) if still else piece
        pieces.append(piece)
    return replace(reading, pieces=tuple(pieces))


def _as_judged(before: Scene | None, judged: Scene | None) -> Scene | None:
    """A later look, in which the dice that have not moved since the judged scene have its names: people may have
    corrected them."""
    if before is None or judged is None:
        return before
    told = [p for p in judged.of(Kind.EMPIRE_DIE) if p.color is not None]
    same = {die.id: was for die in before.of(Kind.EMPIRE_DIE) for was in told if apart_mm(die, was) <= SAME_MM}
    names = {id: was.id for id, was in same.items() if id != was.id}
    names |= {new: old for old, new in names.items() if new not in names and before.piece(new) is not None}
    scene = before.renamed(names, {name: name.partition(".")[0] for name in names.values()}, is_seen=True)
    seen = {was.id: was.is_owner_seen for was in same.values()}
    pieces = (replace(p, is_owner_seen=seen.get(p.id, p.is_owner_seen)) for p in scene.pieces)
    return replace(scene, pieces=tuple(pieces))


def _with_put_back(before: Scene | None, begun: Scene | None) -> Scene | None:
    """The table before a throw, with the dice that were seen put back since it was judged (gap 8)."""
    if before is None or begun is None or nameless(before) or nameless(begun):
        return before
    back = [die for die in begun.of(Kind.EMPIRE_DIE) if before.piece(die.id) is None]
    return replace(before, pieces=(*before.pieces, *back))


def _is_owner_seen(piece: Lying, lain: Iterable[Lying]) -> bool:
    """Whether an owner comes from the eyes alone, not from people or the set-up."""
    if piece.kind != Kind.EMPIRE_DIE or piece.color is None:
        return False
    stayed = _nearest(piece, [p for p in lain if p.color == piece.color])
    return stayed is None or stayed.is_owner_seen


def _still_answered(state: State, scene: Scene) -> dict[str, bool]:
    """Answers about pieces that have not moved since, unless a new sure measurement contradicts them."""
    if state.scene is None:
        return {}
    kept = {}
    cocked_deg = state.options.cocked_deg
    was, now = (facts(owned(s, state.answers), {}, cocked_deg) for s in (state.scene, scene))
    for key, answer in state.answers.items():
        what, *ids = key.split(":")
        if ids[0] in state.scene.unseen and conserved.is_hidden_still(state.scene, scene, ids[0]):
            kept[key] = answer
        if what in ("in", "up", "on", "is", "owner_red") and all(
            _lies_still(state.scene, scene, id, what) for id in ids
        ):
            seen, seen_before = (found[key].known if key in found else None for found in (now, was))
            if what == "is" and key not in now:  # it is seen surely by now
                continue
            if seen in (None, answer, seen_before):
                kept[key] = answer
    return kept


def _lies_still(before: Scene, after: Scene, id: str, what: str) -> bool:
    """Whether a piece has not moved, nor the face that `what` is about. Territories count too. A die does not turn over
    within a few mm, and the place of one that leans is less certain."""
    for name in (id, *SEATS) if what == "in" else (id,):
        was, now = before.piece(name), after.piece(name)
        if was is None or now is None or apart_mm(was, now) > (STAYED_MM if what == "up" else SAME_MM):
            return False
        if was.marked_up != now.marked_up and what != "owner_red":
            return False
    return True


def _lying(piece: Piece, name: str, color: str | None) -> Lying:
    return Lying(
        id=name,
        kind=piece.kind,
        color=color,
        x_mm=round(piece.x_mm, LENGTH_DIGITS),
        y_mm=round(piece.y_mm, LENGTH_DIGITS),
        angle_deg=round(piece.angle_deg or 0.0, 2),
        value=piece.value,
        marked_up=piece.marked_up,
        tilt_deg=None if piece.tilt_deg is None else round(piece.tilt_deg, 2),
        tilt_sigma_deg=0.0 if piece.tilt_deg is None else TILT_SIGMA_DEG,
        confidence=round(piece.confidence, 4),
        owner_odds=round(piece.owner_odds, 2) if piece.kind == Kind.EMPIRE_DIE and color is None else 0.0,
    )


def _names(
    state: State,
    before: Scene | None,
    reading: EyesReading,
    below_others: Sequence[str],
    last: Mapping[str, At],
    *,
    tells_by_place: bool,
) -> Mapping[str, tuple[str, str | None]]:
    """The piece's lasting name and colour for each id of the reader."""
    pieces = reading.pieces
    names: dict[str, tuple[str, str | None]] = {
        p.id: (str(p.color), p.color) for p in pieces if p.kind == Kind.TERRITORY
    }
    dice = sorted((p for p in pieces if p.kind == Kind.EMPIRE_DIE), key=lambda die: -abs(die.owner_odds))
    _refuse_taken(state, dice)
    for seat in SEATS:
        samurai = [p for p in pieces if p.kind == Kind.SAMURAI and p.color == seat]
        free = [f"{seat}.s{i}" for i in range(1, max(SAMURAI_EACH, len(samurai)) + 1)]
        names |= {id: (name, seat) for id, name in _kept(samurai, before, Kind.SAMURAI, seat, free).items()}
    ninjas = [p for p in pieces if p.kind == Kind.NINJA]
    names |= {
        id: (name, None)
        for id, name in _kept(ninjas, before, Kind.NINJA, None, [f"n{i}" for i in range(1, len(ninjas) + 31)]).items()
    }
    is_doubted = any(die.reason == DOUBTED for die in dice)
    told = whose(
        state,
        before,
        dice,
        below_others,
        last,
        hideouts=reading.hideouts,
        is_doubted=is_doubted,
        tells_by_place=tells_by_place,
    )
    spare = (f"die.{i}" for i in count(1))
    names |= {
        die.id: (name, name.partition(".")[0]) if name else (next(spare), None)
        for die, name in zip(dice, told, strict=True)
    }
    return names


def _refuse_taken(state: State, pieces: Sequence[Piece]) -> None:
    """Raises: Illegal: a taken eye was left in the valley, and would be mistaken for the other die."""
    for seat in SEATS:
        emperor = state.emperor(seat)
        for name in emperor.taken:
            lay = state.scene.piece(name) if state.scene else None
            if lay is None:
                continue
            dice = [die for die in pieces if owner_of(die.owner_odds) in (seat, None)]
            nearest_mm = min((apart_mm(p, lay) for p in dice), default=TAKEN_MM + 1)
            if nearest_mm <= TAKEN_MM:
                words = "{piece} is still in the valley, though its eye was taken: take it out"
                other = next((die for die in dice_names(seat) if die not in emperor.taken), name)
                if len(dice) <= emperor.eyes_left and nearest_mm > SAME_MM:  # the other one may have rolled there
                    words = (
                        "a {seat} empire die is where {piece} was, whose eye was taken. If it is that die, remove it;"
                        " if not, push it 2 cm aside without turning it"
                    )
                elif len(dice) <= emperor.eyes_left:
                    words = "{piece} is still in the valley, though its eye was taken: take it out, not {die}"
                values = {"piece": spoken(name), "die": spoken(other), "seat": seat}
                raise Illegal(Says(words, values), RULE_TAKEN)
    left = {seat: state.emperor(seat).eyes_left for seat in SEATS}
    most = sum(left.values())
    if state.scene is not None:  # a wrong die may have been put back
        hidden = [name for name in state.scene.unseen if kind_of(name) is Kind.EMPIRE_DIE]
        most = len(state.scene.of(Kind.EMPIRE_DIE)) + len(hidden)
    for seat in SEATS if len(pieces) > most else ():
        mine = [die for die in pieces if owner_of(die.owner_odds) == seat]
        if len(mine) > left[seat]:
            words = "{count} {seat} empire dice are in the valley, expected {left}: remove the die whose eye was taken"
            says = Says(words, {"count": len(mine), "seat": seat, "left": left[seat]})
            raise Illegal(says, RULE_TAKEN if state.emperor(seat).taken else RULE_DICE)


def _nearest(piece: Lying | Piece, lain: Iterable[Lying]) -> Lying | None:
    near = [(apart_mm(piece, p), p.id, p) for p in lain]
    best = min(near, default=None)
    return best[2] if best is not None and best[0] <= STAYED_MM else None


def _kept(pieces: list[Piece], before: Scene | None, kind: Kind, color: str | None, free: list[str]) -> dict[str, str]:
    """Names for pieces: those that stayed keep theirs, nearest first."""
    lain = before.of(kind, color) if before else ()
    pairs = sorted((apart_mm(p, q), p.id, q.id) for p in pieces for q in lain if q.id in free)
    kept: dict[str, str] = {}
    for distance_mm, id, name in pairs:
        if distance_mm <= STAYED_MM and id not in kept and name not in kept.values():
            kept[id] = name
    rest = [name for name in free if name not in kept.values()]
    lost = [q.id for q in lain if q.id in rest]
    # a piece that moved takes the name of one that is missed before it takes a new one
    order = [*lost, *(name for name in rest if name not in lost)]
    moved = [piece.id for piece in pieces if piece.id not in kept]
    return kept | dict(zip(moved, order, strict=False))


def _known_gone(state: State, seat: str, begun: Scene | None) -> Iterator[str]:
    """Dice that had left the valley when it was last judged. In war phase III they are put back before the throw (gap
    8): then those that it was seen without."""
    if state.scene is None or nameless(state.scene):
        return
    for name in dice_names(seat):
        if name in state.emperor(seat).taken or lies_in_valley(state.scene, state.answers, name) is not False:
            continue
        if state.emperor(OTHER[seat]).phase is not Phase.III or (
            begun is not None and begun.piece(name) is None and not nameless(begun)
        ):
            yield name


def _unseen(state: State, scene: Scene, begun: Scene | None) -> tuple[str, ...]:
    """Dice that should be in the valley and were not found. Nameless dice may be the missing ones (gap 8)."""
    there = {p.id for p in scene.pieces}
    gone = {name for seat in SEATS for name in _known_gone(state, seat, begun) if name not in there}
    missed = [
        name
        for seat in SEATS
        for name in dice_names(seat)
        if name not in there and name not in state.emperor(seat).taken and name not in gone
    ]
    count = len(nameless(scene))
    return tuple(missed) if len(missed) > count or (count and gone) else ()


def has_moved(before: Scene, after: Scene) -> bool:
    """Whether anything came, went, turned over or moved between two readings: else nothing was thrown.

    Places are compared, not names: a die may have another name since people named its owner. Pieces that may be hidden
    under others are left out, since a shadow makes them come and go.
    """
    left, lie = ([p for p in scene.pieces if not is_below(p.id)] for scene in (before, after))
    if len(left) != len(lie):
        return True
    for piece in lie:
        alike = (was for was in left if was.kind == piece.kind and _looks_alike(was, piece))
        was = min(alike, key=lambda was: apart_mm(was, piece), default=None)
        if was is None or apart_mm(was, piece) > SAME_MM:
            return True
        left.remove(was)
    return False


def _looks_alike(was: Lying, now: Lying) -> bool:
    is_of_seat = was.kind in (Kind.TERRITORY, Kind.SAMURAI)
    has_turned = None not in (was.value, now.value) and was.value != now.value
    return was.marked_up == now.marked_up and not has_turned and (not is_of_seat or was.color == now.color)


def _phantoms(state: State, before: Scene, left: State, after: Scene) -> frozenset[str]:
    """Doubtful finds that were never pieces: people said so, or no thrown piece is still missing."""
    looks = ((before, state.answers), (after, left.answers))
    real = {p.id for scene, answers in looks for p in scene.pieces if answers.get(f"is:{p.id}", is_there(p))}
    for stock in conserved.stocks(state):
        unseen = stock.thrown - len(conserved.new_of(stock, after))
        doubted = (
            p for p in after.of(stock.kind, stock.color) if p.id not in real and f"is:{p.id}" not in left.answers
        )
        found = sorted(doubted, key=lambda p: -p.confidence)
        real.update(p.id for p in found[: max(0, unseen)])
    return frozenset(p.id for scene, _ in looks for p in scene.pieces) - real


def put_back(state: State, left: State) -> tuple[PutBack, ...]:
    """Steps to restore by hand the table of `state`, before a throw that is taken back, in the order to do them.

    `left` is the table that the throw left. Before the first throw the set-up is restored.
    """
    after = left.scene
    if after is None:
        return ()
    before = state.scene or set_up.set_up_around(after)
    phantoms = _phantoms(state, before, left, after)
    before, after = before.without(phantoms), after.without(phantoms)
    lain = {p.id for p in before.pieces}
    here = {p.id: p for p in after.pieces}
    unowned = {p.id for p in nameless(after)} - lain
    told = [
        _by_hand(Says("take {piece} out of the valley", _named(p)), p, None, says_place(p, after))
        for p in after.pieces
        if p.id not in lain | unowned and p.kind != Kind.TERRITORY and not is_below(p.id)
    ]
    for was in from_below(before):
        piece = here.get(was.id)
        if is_below(was.id):
            continue
        if piece is None and was.kind == Kind.EMPIRE_DIE and unowned:
            says = Says("put {piece} back: one whose eye can't be seen", _named(was))
            told.append(_by_hand(says, None, was, says_place(was, before)))
            continue
        if piece is None:
            says = Says("put {piece} back into the valley", _named(was))
            told.append(_by_hand(says, None, was, says_place(was, before)))
            continue
        away_mm = apart_mm(was, piece)
        eye = None if None in (piece.marked_up, was.marked_up) or piece.marked_up == was.marked_up else was.marked_up
        if away_mm > BACK_MM or _is_judged_otherwise(was, before, after):
            told.append(_by_hand(Says(_MOVE[eye], _named(was)), piece, was, says_place(was, before)))
        elif eye is not None:
            told.append(_by_hand(Says(_TURN[eye], _named(was)), piece, was))
    return tuple(told)


def judged_land(piece: Lying) -> str | None:
    """The colour of the territory that a rule compares a piece with (Instructions 9 to 11)."""
    if piece.kind == Kind.EMPIRE_DIE:
        return piece.color
    return OTHER.get(piece.color or "") if piece.kind == Kind.SAMURAI else None


def _is_judged_otherwise(piece: Lying, before: Scene, after: Scene) -> bool:
    """Whether a piece that hardly moved began or ceased to overlap its territory."""
    land = judged_land(piece)
    if land is None or not before.depths:  # the set-up has no measured overlaps
        return False
    was, now = (called(scene.depth(piece.id, land)) for scene in (before, after))
    return None not in (was, now) and was != now


_MOVE = {
    None: "put {piece} back",
    True: "put {piece} back with its eye up",
    False: "put {piece} back with its eye hidden",
}
_TURN = {True: "turn {piece} so that its eye looks up", False: "turn {piece} so that its eye is hidden"}


def _named(piece: Lying) -> dict[str, Says]:
    return {"piece": Says("a ninja") if piece.kind == Kind.NINJA else spoken(piece.id)}


def _by_hand(says: Says, lies: Lying | None, lay: Lying | None, away: Says | None = None) -> PutBack:
    return PutBack(says, placed(lies) if lies else None, placed(lay) if lay else None, away)


def laid_out(scene: Scene) -> tuple[Placed, ...]:
    """The pieces of a scene from below to above, to draw them, without what is hardly a ninja, such as a shadow."""
    return tuple(placed(piece) for piece in from_below(scene) if piece.kind is not Kind.NINJA or is_there(piece))


def placed(piece: Lying) -> Placed:
    """A piece to draw, in the size that the default set has."""
    return Placed(
        id=piece.id,
        kind=piece.kind,
        color=piece.color,
        x_mm=round(piece.x_mm, 1),
        y_mm=round(piece.y_mm, 1),
        angle_deg=round(piece.angle_deg, 1),
        size_mm=across_mm(piece.kind),
        value=piece.value,
        marked_up=piece.marked_up,
    )
