"""Whether the pieces are back after a throw was taken back, as far as a reading of the table shows.

Pieces of one kind and colour are alike, so any of them may take another's place. A piece is ticked only if it is seen
as clearly as when the throw before was judged. These stay unseen: covered pieces, such as the lower one of a stack; a
die whose eye is not seen; a close call at the rim.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from companion.game.readings import SURE, EyesReading, Kind
from companion.game.says import Says
from companion.game.table import Placed
from companion.game.values import Checked, Illegal, InPlace
from companion.games.eyes_of_the_emperor.facts import called, is_there
from companion.games.eyes_of_the_emperor.reading import (
    BACK_MM,
    interpret,
    judged_land,
    placed,
    put_back,
    with_told_owners,
)
from companion.games.eyes_of_the_emperor.scene import (
    Lying,
    Scene,
    across_mm,
    apart_mm,
    from_below,
    spoken,
)
from companion.games.eyes_of_the_emperor.set_up import is_set_up, set_up_around, stacked
from companion.games.eyes_of_the_emperor.settled import SAME_MM
from companion.games.eyes_of_the_emperor.state import State

STAYS_BACK_MM = BACK_MM + 2.0
"""Maximum distance to keep a tick: it does not flicker for a piece at the limit."""

_SEEN = Checked(InPlace.YES)


def seen_back(
    state: State, after: State, reading: EyesReading | None, was: Sequence[Checked] = ()
) -> tuple[Checked, ...]:
    """The check of each item of `put_back` from `after` to `state`, in its order; then other misplaced pieces.

    Both states have their scenes as they settled. Nothing is checked if `after` has none.
    """
    if after.scene is None:
        return ()
    things = put_back(state, after)
    if reading is None:
        return tuple(Checked(InPlace.UNSEEN) for _ in things)
    named = [piece.id for thing in things if (piece := thing.lay or thing.lies) is not None]
    kept = {id for id, checked in zip(named, was, strict=False) if checked.laid is InPlace.YES}
    try:
        compared = _looked(state, after, after.scene, reading, kept)
    except Illegal as refused:
        return tuple(Checked(InPlace.UNSEEN, refused.says) for _ in things)
    back = tuple(
        compared.lies(piece.id, piece.id in kept) if thing.lay is not None else compared.is_out(piece.id)
        for thing in things
        if (piece := thing.lay or thing.lies) is not None
    )
    return (*back, *compared.others(set(named)))


def _looked(state: State, after: State, left: Scene, reading: EyesReading, kept: set[str]) -> "_Compared":
    """A reading compared with the scene that should be there. Raises: Illegal if pieces cannot be identified."""
    if state.scene is None and is_set_up(reading):
        reading = stacked(reading)  # the set-up decides a stack's owner, as for the first throw
    for told in (state, after):
        reading = with_told_owners(reading, told.scene, told.answers)
    # not `state.scene`: a die without an eye must not take the name of the one that belongs where it is now
    seen = interpret(replace(state, scene=None), reading, left, tells_by_place=False).actions[0].scene
    return _compared(state.scene or set_up_around(left), left, seen, kept)


@dataclass(frozen=True, slots=True)
class _Compared:
    """Three scenes of a table: as it should be, as it was judged, and as seen now; and which pieces match."""

    should: Scene
    after: Scene
    seen: Scene
    found: dict[str, Lying]
    """The seen piece for each expected piece in its place, by name."""
    spare: dict[str, Lying]
    """The seen piece that may be the misplaced one, by the misplaced piece's name."""
    more: tuple[Lying, ...]
    """Seen pieces that are neither in `found` nor in `spare`."""

    def lies(self, id: str, was_back: bool) -> Checked:
        """The check of a piece that should be there."""
        should, piece = self.should.piece(id), self.found.get(id)
        assert should is not None
        if piece is None:
            return self._missed(should)
        if None not in (should.marked_up, piece.marked_up) and should.marked_up != piece.marked_up:
            says = Says("its eye looks up" if piece.marked_up else "its eye is hidden")
            return Checked(InPlace.NO, says, seen=_drawn(id, piece))
        wrong = self._at_the_rim(should, piece) or self._upside_down(should)
        if wrong is not None and (wrong.laid is InPlace.NO or not was_back):
            return wrong
        if was_back:
            return _SEEN
        if should.marked_up is not None and piece.marked_up is None:
            return Checked(InPlace.UNSEEN, Says("it is there, but can't see whether its eye looks up"))
        # a piece that was not clear when it was judged cannot be clear now: a die on a samurai hides half of it
        is_clear = is_there(piece) or not is_there(should)
        return _SEEN if is_clear else Checked(InPlace.UNSEEN, Says("it is not seen clearly"))

    def is_out(self, id: str) -> Checked:
        """The check of a piece that should be gone."""
        if id in self.spare:
            return (
                Checked(InPlace.NO, seen=_drawn(id, self.spare[id]))
                if is_there(self.spare[id])
                else Checked(InPlace.UNSEEN, Says("something may still be there"))
            )
        lay = self.after.piece(id)
        cover = None if lay is None else _over(lay, self.seen.pieces)
        was = None if cover is None else self.after.piece(cover.id)
        if cover is not None and (was is None or apart_mm(was, cover) > SAME_MM):
            return Checked(InPlace.UNSEEN, Says("{piece} is where it was", {"piece": spoken(cover.id)}))
        return _SEEN

    def others(self, named: set[str]) -> Iterable[Checked]:
        """Pieces that nobody was asked to move and that are seen elsewhere, and pieces that were not there before."""
        for piece in self.should.pieces:
            checked = None if piece.id in named else self.lies(piece.id, was_back=True)
            if checked is not None and checked.laid is InPlace.NO:
                yield Checked(
                    InPlace.NO, Says("{piece}: {what}", {"piece": spoken(piece.id), "what": checked.says or ""})
                )
        for name, count in Counter(_alike(p) for p in self.more if is_there(p)).items():
            words = "{piece}: {count} more in the valley than before"
            yield Checked(InPlace.NO, Says(words, {"piece": name, "count": count}))

    def _missed(self, should: Lying) -> Checked:
        if should.kind == Kind.EMPIRE_DIE and any(
            die.color is None and apart_mm(should, die) <= BACK_MM for die in self.seen.of(Kind.EMPIRE_DIE)
        ):
            return Checked(InPlace.UNSEEN, Says("an empire die is there; can't see whose it is"))
        spare = self.spare.get(should.id)
        if spare is not None:
            seen = _drawn(should.id, spare) if is_there(spare) else None
            cm = max(1, round(apart_mm(spare, should) / 10))
            return Checked(InPlace.NO, Says("it is {cm} cm off its place", {"cm": cm}), seen=seen)
        cover = _over(should, self.seen.pieces)
        if cover is None:
            return Checked(InPlace.NO, Says("it is not seen there"))
        if (cover.kind, cover.color) == (should.kind, should.color):
            return Checked(InPlace.UNSEEN, Says("from above only one of the two is seen"))
        return Checked(InPlace.UNSEEN, Says("{piece} covers its place", {"piece": spoken(cover.id)}))

    def _at_the_rim(self, should: Lying, piece: Lying) -> Checked | None:
        """The verdict if a rule sees another overlap than before (Instructions 9 to 11)."""
        land = judged_land(should)
        if land is None or not self.should.depths:
            return None
        was, now = called(self.should.depth(should.id, land)), called(self.seen.depth(piece.id, land))
        if was is None or was == now:
            return None
        if now is None:
            words = "too close to the rim of the {color} territory to call"
            return Checked(InPlace.UNSEEN, Says(words, {"color": land}))
        seen = _drawn(should.id, piece)
        words = (
            "it is close, but now it overlaps the {color} territory"
            if now
            else "it is close, but no longer overlaps the {color} territory"
        )
        return Checked(InPlace.NO, Says(words, {"color": land}), seen=seen)

    def _upside_down(self, should: Lying) -> Checked | None:
        """The verdict on a samurai that was on another (Instructions 10 C)."""
        for rest in self.should.rests_on:
            lower = self.found.get(rest.on)
            if rest.piece != should.id or should.kind != Kind.SAMURAI or lower is None:
                continue
            upper = self.found[should.id]
            orders = {(r.piece, r.on): r.confidence for r in self.seen.rests_on}
            values = {"piece": spoken(rest.on)}
            if orders.get((lower.id, upper.id), 0.0) >= SURE:
                return Checked(InPlace.NO, Says("it should be on {piece}, but is under it", values))
            told = orders.get((upper.id, lower.id), 0.0)
            if told < SURE and not (told > 0.0 and rest.confidence < SURE):
                return Checked(InPlace.UNSEEN, Says("can't see whether it is on {piece}", values))
        return None


def _drawn(id: str, piece: Lying) -> Placed:
    """A piece where it is seen, under the name of the piece it should be."""
    return replace(placed(piece), id=id)


def _compared(should: Scene, after: Scene, seen: Scene, kept: set[str]) -> _Compared:
    found: dict[str, Lying] = {}
    spare: dict[str, Lying] = {}
    more: list[Lying] = []
    goals, here = from_below(should), {piece.id for piece in should.pieces}
    for kind, color in sorted({(p.kind, p.color or "") for p in (*goals, *after.pieces, *seen.pieces)}):
        alike = [p for p in goals if (p.kind, p.color or "") == (kind, color)]
        pieces = [p for p in seen.pieces if (p.kind, p.color or "") == (kind, color)]
        found |= _in_place(alike, pieces, after, kept)
        taken = {piece.id for piece in found.values()}
        free = [p for p in pieces if p.id not in taken]
        thrown = [p for p in after.pieces if (p.kind, p.color or "") == (kind, color) and p.id not in here]
        missing = [goal for goal in alike if goal.id not in found]
        lost = [*missing, *thrown]
        for piece in lost:  # a find still in the place where the throw left a piece is that piece
            left = after.piece(piece.id)
            still = next((p for p in free if left is not None and apart_mm(p, left) <= BACK_MM), None)
            if still is not None:
                spare[piece.id] = still
                free.remove(still)
        for piece in lost:
            if piece.id not in spare and free:
                spare[piece.id] = min(free, key=lambda p: apart_mm(p, piece))
                free.remove(spare[piece.id])
        if (kind, color) != (Kind.EMPIRE_DIE, ""):
            more += free
    return _Compared(should, after, seen, found, spare, tuple(more))


def _in_place(goals: Iterable[Lying], pieces: Iterable[Lying], after: Scene, kept: set[str]) -> dict[str, Lying]:
    """For each expected piece, by name, the nearest seen piece in its place; of a stack the one that is there still,
    then the lower one."""
    left = {piece.id: piece for piece in after.pieces}
    pairs = sorted(
        (
            round(apart_mm(goal, piece), 1),
            goal.id != piece.id or goal.id not in left or apart_mm(left[goal.id], piece) > BACK_MM,
            order,
            piece.id,
            goal.id,
            piece,
        )
        for order, goal in enumerate(goals)
        for piece in pieces
        if apart_mm(goal, piece) <= (STAYS_BACK_MM if goal.id in kept else BACK_MM)
    )
    found: dict[str, Lying] = {}
    taken: set[str] = set()
    for *_, id, goal, piece in pairs:
        if goal not in found and id not in taken:
            found[goal] = piece
            taken.add(id)
    return found


def _over(place: Lying, pieces: Iterable[Lying]) -> Lying | None:
    """A seen piece that covers the middle of a place and may hide a piece there."""
    return next((p for p in pieces if p.kind != Kind.TERRITORY and apart_mm(place, p) < across_mm(p.kind) / 2), None)


def _alike(piece: Lying) -> str:
    """A piece's colour and kind, shared by all pieces like it."""
    return " ".join(word for word in (piece.color if piece.kind != Kind.NINJA else None, piece.kind.value) if word)
