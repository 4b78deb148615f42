"""Eyes of the Emperor: both throw at once, and the valley is judged when nothing moves."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

from companion.game.readings import Kind
from companion.game.values import Doubt
from companion.games.eyes_of_the_emperor.facts import facts, owned
from companion.games.eyes_of_the_emperor.one_throw import JUDGE
from companion.games.eyes_of_the_emperor.owners import PUT_BACK_MM
from companion.games.eyes_of_the_emperor.reading import judged_land
from companion.games.eyes_of_the_emperor.rules import away, counted, throws
from companion.games.eyes_of_the_emperor.scene import (
    NEAR_MM,
    OTHER,
    SEATS,
    Depth,
    Lying,
    Rest,
    Scene,
    apart_mm,
    kind_of,
)
from companion.games.eyes_of_the_emperor.state import Phase, State, ThrowSettled

SIGMA_MM = 1e-6
"""Standard error of true lengths, mm. It is not zero, so that a tilted disk may overlap more than its size allows."""
TOGETHER_MM = 25.0
"""Maximum distance between a piece as read and the true piece, mm. Only stacked dice have their middles closer
together."""
STEP_S = 0.5
"""Step of simulated time until all pieces have settled, s."""
LOOKS_ON = 0.7
"""Rate at which the camera sees the table between picking up pieces and the next throw."""
LOOKS = 8
ASIDE_MM, HARDEST_MM, GENTLEST = 60.0, 950.0, 0.5
"""Distance of a thrower from the table, distance to the target that needs full effort, and the least share of full
effort."""
CLEAR_MM = 45.0
"""Minimum distance between a die that is put back and all other pieces."""
NUDGED_MM, STIRRED_MM, CREEPS_MM = 25.0, 3.0, (0.02, 1.5)
"""A sleeve's push of a ninja, the least movement of a piece that counts, and the range of movements too small to see,
mm."""
ABOUT_THE_THROW = ("too_many", "moved_by_hand", "not_back")
SHORT = {"territory": "", "empire_die": ".", "samurai": ".s", "ninja": "n"}


class EyesPlayer:
    def __init__(self, at: Any) -> None:
        self._at = at
        self._throws: tuple[tuple[Any, ...], ...] = ()
        """Both throws, as `VirtualTable.throw` takes them: with the same seed they come out the same."""
        self._as_left: str | None = None
        """The pieces as the last throw left them, if it took an eye."""
        self._is_tidied = False
        self._put_in: dict[str, str] = {}
        """The rules' names of dice that were put back, by table id. That id may be the one of a taken eye."""

    @property
    def troubles(self) -> tuple[Any, ...]:
        if self._as_left is not None:
            return (self._at.bump, self.eye_left, self.nudged)
        if self._is_tidied:  # a press before the throw would count as one, because pieces were picked up
            return (self._at.bump, self.nudged)
        return (self._at.hand, self._at.dim_light, self._at.bump, self.nudged, self.pressed_early)

    def next(self, state: Any) -> Sequence[Any]:
        self._tidy(state)
        before, lain = self._at.table.saved(), self._scene()
        scene = lain
        # throw again if nothing moved (all went over the edge), or a piece moved too little for a camera to see
        while not _has_moved(lain, scene) or _creeps(lain, scene):
            self._throws = tuple(self._throw(state, seat) for seat in SEATS)
            self._let_go()
            scene = self._scene()
            self._at.table.restore(before)
        return (ThrowSettled(scene=scene),)

    def perform(self, state: Any, action: Any) -> None:
        """Throws as `next` tried it."""
        self._let_go()
        while self._at.table.state()["is_moving"]:
            self._at.clock.wait(STEP_S)

    def is_same(self, state: Any, expected: Any) -> bool:
        """Whether two states have the same rulings, and keep as many pieces at a refill; names of pieces differ."""
        return self._judged(state) == self._judged(expected)

    def _judged(self, state: Any) -> tuple[Any, ...]:
        emperors = tuple((state.emperor(seat).phase, state.emperor(seat).eyes_left) for seat in SEATS)
        count = counted(state) if "samurai" in state.refill else None
        stay = None if count is None else tuple(len(count.occupying[seat]) for seat in SEATS)
        return state.throw, emperors, state.refill, stay, state.winner

    def entered(self, state: Any, expected: Any) -> Any:
        """The state to continue from once a throw is entered: the true one. Counts the confident readings that were
        wrong."""
        self._at.played.wrong += len(self._seen_wrong(state, expected.scene))
        return expected

    def _seen_wrong(self, state: State, true: Scene) -> list[str]:
        """The facts that were read with confidence and are wrong."""
        assert state.scene is not None
        scene, cocked_deg = owned(state.scene, state.answers, state.taken), state.options.cocked_deg
        same = _same(scene.pieces, true.pieces)
        wrong = [
            f"owner:{piece.id}"
            for piece in scene.pieces
            if piece.id in same and piece.color not in (None, same[piece.id].color)
        ]
        for key, fact in facts(scene, state.answers, cocked_deg).items():
            if fact.known is not None and not fact.by_person:
                is_so = _is_so(key, scene, true, cocked_deg)
                wrong += [key] * (is_so is not None and is_so is not fact.known)
        return wrong

    def answer(self, doubt: Doubt[Any]) -> str:
        state: State = self._at.match.state
        if doubt.key.startswith(ABOUT_THE_THROW):  # both threw, whatever came of it
            return JUDGE
        assert state.open is not None
        scene = owned(state.open.scene, state.open.answers, state.taken)
        return "yes" if _is_so(doubt.key, scene, self._scene(), state.options.cocked_deg) else "no"

    # the true scene

    def _scene(self) -> Scene:
        truth = self._at.table.truth()
        pieces = tuple(
            Lying(
                id=self._name(piece["id"]),
                kind=Kind(piece["kind"]),
                color=piece["color"] if piece["kind"] != "ninja" else None,
                x_mm=piece["x_mm"],
                y_mm=piece["y_mm"],
                angle_deg=piece["angle_deg"],
                value=piece.get("value"),
                marked_up=piece.get("marked_up"),
                tilt_deg=min(piece["tilt_deg"], 90.0) if piece["kind"] == "empire_die" else None,
            )
            for piece in truth["pieces"]
        )
        depths = tuple(
            Depth(piece=self._name(piece), over=self._name(over), margin_mm=margin_mm, sigma_mm=SIGMA_MM)
            for piece, over, margin_mm in truth["overlaps"]
            if margin_mm > -NEAR_MM and not piece.startswith("ninja")
        )
        rests = tuple(Rest(piece=self._name(upper), on=self._name(lower)) for upper, lower in truth["stacks"])
        return Scene(pieces=pieces, depths=depths, rests_on=rests)

    def _name(self, id: str) -> str:
        """The rules' name of a table piece: ``empire_die_blue_2`` is blue.2."""
        kind = next(kind for kind in SHORT if id.startswith(kind))
        color, _, number = id.removeprefix(f"{kind}_").partition("_")
        return self._put_in.get(id, f"{'' if kind == 'ninja' else color}{SHORT[kind]}{number}")

    # what hands do

    def _throw(self, state: State, seat: str) -> tuple[Any, ...]:
        chance, scene, other = self._at.random, self._scene(), OTHER[seat]
        dice, phase = scene.of(Kind.EMPIRE_DIE, other), state.emperor(seat).phase
        if phase is Phase.I:
            dice = tuple(die for die in dice if (m := scene.depth(die.id, other)) is not None and m.margin_mm > 0)
        aim = chance.choice(dice if dice and phase is not Phase.II else scene.of(Kind.TERRITORY, other))
        mat, aim_mm = self._at.table.kit.mat, (aim.x_mm, aim.y_mm)
        from_mm = (-ASIDE_MM if seat == SEATS[0] else mat.width_mm + ASIDE_MM, mat.height_mm / 2)
        power = chance.uniform(GENTLEST, 1.0) * min(1.0, math.dist(from_mm, aim_mm) / HARDEST_MM)
        return seat, throws(state, seat), from_mm, aim_mm, power, chance.randrange(2**31)

    def _let_go(self) -> None:
        for throw in self._throws:
            self._at.table.throw(*throw)

    def _tidy(self, state: State) -> None:
        """Removes what the last throw took, picks up what has run out, puts back a die that left the valley."""
        self._as_left = None
        before, table, count = self._at.table.saved(), self._at.table, counted(state)
        if count is None:
            return
        stays = {name for seat in SEATS for name in count.occupying[seat]}
        for piece in table.state()["pieces"]:
            name, kind = self._name(piece["id"]), piece["kind"]
            if name in state.taken:
                self._as_left = before
            runs_out = (kind == "ninja" and "ninjas" in state.refill) or (
                kind == "samurai" and "samurai" in state.refill and name not in stays
            )
            if name in state.taken or runs_out:
                table.remove(piece["id"])
        for seat in SEATS:
            if state.emperor(OTHER[seat]).phase is Phase.III:
                for name in away(state, count, seat):
                    self._put_back(seat, name)
        self._is_tidied = table.saved() != before
        if self._at.random.random() < LOOKS_ON:
            for _ in range(LOOKS):
                self._at.look()

    def _put_back(self, seat: str, name: str) -> None:
        """Puts a die that left the valley 30 mm inside, on a free place, its eye towards the opponent (gap 8)."""
        table, mat = self._at.table, self._at.table.kit.mat
        is_left = seat == SEATS[0]
        x_mm = PUT_BACK_MM if is_left else mat.width_mm - PUT_BACK_MM
        lying = [(piece["x_mm"], piece["y_mm"]) for piece in table.state()["pieces"]]
        while True:
            y_mm = self._at.random.uniform(0.2, 0.8) * mat.height_mm
            if all(math.dist((x_mm, y_mm), at) > CLEAR_MM for at in lying):
                break
        id = table.place("empire_die", seat, x_mm, y_mm)
        self._put_in[id] = name
        eye = next(piece["eye"] for piece in table.state()["pieces"] if piece["id"] == id)
        table.turn(id, (0.0 if is_left else 180.0) - math.degrees(math.atan2(eye[1], eye[0])))

    # what goes wrong

    def eye_left(self, state: Any, actions: Sequence[Any]) -> bool:
        """An eye that was taken is left in the valley while somebody presses; then it is taken out."""
        assert self._as_left is not None
        tidied = self._at.table.saved()
        self._at.table.restore(self._as_left)
        return bool(self._at.asked_in_vain(lambda: self._at.table.restore(tidied)))

    def nudged(self, state: Any, actions: Sequence[Any]) -> bool:
        """A sleeve pushes a ninja aside, which no rule looks at, and it is put back; nobody presses."""
        ninjas = [piece for piece in self._at.table.state()["pieces"] if piece["kind"] == "ninja"]
        if not ninjas:
            return bool(self._at.bump(state, actions))
        before, ninja = self._at.table.saved(), self._at.random.choice(ninjas)
        self._at.table.move(ninja["id"], ninja["x_mm"] + NUDGED_MM, ninja["y_mm"])
        for _ in range(LOOKS):
            self._at.look()
        self._at.table.restore(before)
        return False

    def pressed_early(self, state: Any, actions: Sequence[Any]) -> bool:
        """Somebody presses before anything was thrown."""
        return bool(self._at.asked_in_vain(lambda: None))


def _has_moved(before: Scene, after: Scene) -> bool:
    """Whether any piece came, went, turned over or moved by more than `STIRRED_MM`."""
    lain = {piece.id: piece for piece in before.pieces}
    return lain.keys() != {piece.id for piece in after.pieces} or any(
        apart_mm(lain[piece.id], piece) > STIRRED_MM or lain[piece.id].marked_up != piece.marked_up
        for piece in after.pieces
    )


def _creeps(before: Scene, after: Scene) -> bool:
    """Whether a piece whose place counts has moved too little for a camera to see."""
    return any(
        CREEPS_MM[0] < apart_mm(was, now) < CREEPS_MM[1]
        for now in after.pieces
        if now.kind is not Kind.NINJA and (was := before.piece(now.id)) is not None
    )


def _same(read: Iterable[Any], true: Iterable[Any]) -> dict[str, Any]:
    """The true piece for each piece that was read, by name: the nearest of its kind, each used once."""
    near = sorted(
        (math.hypot(one.x_mm - piece.x_mm, one.y_mm - piece.y_mm), one.color != piece.color, one.id, piece.id, piece)
        for one in read
        for piece in true
        if one.kind == piece.kind
    )
    same: dict[str, Any] = {}
    for far_mm, _, name, id, piece in near:
        if far_mm < TOGETHER_MM and name not in same and id not in {p.id for p in same.values()}:
            same[name] = piece
    return same


def _is_so(key: str, scene: Scene, true: Scene, cocked_deg: float) -> bool | None:
    """Whether a fact of the read scene holds in the true scene. None if that lacks a piece (`is`, `there`: False)."""
    what, *ids = key.split(":")
    same = _same(scene.pieces, true.pieces)
    found = [piece for id in ids if (piece := same.get(id) or _hidden(id, true, same)) is not None]
    if what in ("is", "there"):
        return bool(found)
    if len(found) < len(ids):
        return None
    piece = found[0]
    match what:
        case "owner_red":
            return piece.color == "red"
        case "up":
            return piece.marked_up is True and (piece.tilt_deg or 0.0) <= cocked_deg
        case "on":
            return any((rest.piece, rest.on) == (piece.id, found[1].id) for rest in true.rests_on)
    margin = true.depth(piece.id, judged_land(piece) or "")
    return margin is not None and margin.margin_mm > 0


def _hidden(id: str, true: Scene, same: dict[str, Lying]) -> Lying | None:
    """A true piece of the kind and the color of `id` that was not read."""
    read, kind = {piece.id for piece in same.values()}, kind_of(id)
    alike = () if kind is None else true.of(kind, color if (color := id.partition(".")[0]) in SEATS else None)
    return next((piece for piece in alike if piece.id not in read), None)
