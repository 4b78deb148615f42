"""The reader of Suspend tables: loose rods by zone, fallen pieces around the stand, the colour die.

It takes the table straight from above at the height of the wires (`board.view`) and asks a small network. The answer
gives candidates for tips (`tips`) and for wires between them (`wires`). `choice` picks the rods, `die` reads the colour
die. `fuse` makes several pictures one reading, and draws it. Hanging rods appear in another plane: they are recognised,
but not listed.
"""

import numpy as np

from calibration.arrays import Floats, Picture
from calibration.lens import Lens
from calibration.light import judge
from calibration.pose import Pose, find_pose
from companion.game.errors import KitError
from companion.game.kit import BoxMm, Kit
from companion.game.readings import HIGHEST_IN_DOUBT, BoardFit, ColorDie, RodSeen, RodsReading
from vision.tables.board.view import view_of
from vision.tables.rods.choice import choose, far_mm
from vision.tables.rods.die import read_die
from vision.tables.rods.fuse import drawn, fused
from vision.tables.rods.left import may_be_of, pieces_of
from vision.tables.rods.limits import LIMITS
from vision.tables.rods.tips import Tip, find_tips, seen
from vision.tables.rods.wires import Wire, lines_of

STAND = "stand"
HALF_HIDDEN = "only one of its ends is visible: uncover it"


class RodsEye:
    """Reads pictures of rods. Raises: KitError: a kit without piles, a stand, a die's place or rods."""

    def __init__(self, lens: Lens, kit: Kit) -> None:
        areas = kit.mat.areas_mm
        for name in ("die_mm", "stand_mm"):
            if name not in areas:
                raise KitError(f"the kit of {kit.game} has no mat.{name}, expected a place [x0, y0, x1, y1]")
        self.lens, self.kit = lens, kit
        self._die_box, self._stand = areas["die_mm"], areas["stand_mm"]
        self._zones: dict[str, BoxMm] = {
            name.removeprefix("pile_").removesuffix("_mm"): box
            for name, box in areas.items()
            if name.startswith("pile_")
        }
        if "draw_pile_mm" in areas:
            self._zones["draw"] = areas["draw_pile_mm"]
        self._zones[STAND] = self._stand
        rod = kit.piece("rod")
        self._rod, self._wire_mm, self._tip_mm = rod, rod.size_mm("wire"), rod.size_mm("tip")
        self._wires_mm = {color: length - self._tip_mm for color, length in rod.lengths_mm.items()}
        self._side_mm = kit.piece("color_die").size_mm("side")

    def read(self, picture: Picture) -> RodsReading:
        """The rods that the picture shows. Raises: ReadingError."""
        return self.read_at(picture, find_pose(picture, self.lens, self.kit))

    def read_at(self, picture: Picture, pose: Pose) -> RodsReading:
        mat, light = self.kit.mat, judge(picture, pose, self.kit)
        box = (0.0, 0.0, mat.width_mm, mat.height_mm)
        view = view_of(picture, pose, light, box, self._wire_mm * LIMITS.fair)
        looks, rod_kind = seen(view), self._rod
        die = read_die(view_of(picture, pose, light, self._die_box, self._side_mm), self._die_box, self._side_mm)
        tips = [tip for tip in find_tips(view, looks) if self._is_of_a_rod(tip, die)]
        middle = np.array(self._stand).reshape(2, 2).mean(axis=0)
        lines = lines_of(view, looks)
        chosen = choose(lines, tips, self._wires_mm, rod_kind.count_each, middle)
        rods = [self._rod_of(wire) for wire in chosen.lying] + [self._half_hidden(tips[i]) for i, _ in chosen.lone]
        hidden = {color for color, share in chosen.more.items() if share > LIMITS.hardly}
        paths = [wire.path_mm for wire in (*chosen.lying, *chosen.hanging)]
        perhaps = [self._perhaps(*one) for one in chosen.perhaps]
        die_mm = None if die is None else np.array([die.x_mm, die.y_mm])
        for length_mm, at_mm in pieces_of(lines, paths, box, middle, die_mm):
            may_be = {
                color
                for color in may_be_of(length_mm, self._wires_mm)
                if sum(rod.color == color for rod in rods) < rod_kind.count_each
            }
            hidden |= may_be
            if may_be:
                perhaps.append(self._perhaps(None, at_mm[None], LIMITS.one_more))
        return RodsReading(
            die=die,
            rods=tuple(rods),
            table=BoardFit(reprojection_px=round(pose.reprojection_px, 4), die_mm=self._side_mm),
            wire_mm=self._wire_mm,
            hidden=tuple(color for color in rod_kind.colors if color in hidden),
            perhaps=tuple(perhaps),
            tips=tuple(_place(tip) for tip in tips if far_mm(tip, middle) <= 2 * LIMITS.stand_mm),
        )

    fuse = staticmethod(fused)

    def draw(self, picture: Picture, reading: RodsReading) -> Picture:
        """A copy of the picture with the rods and the die."""
        return drawn(picture, reading, find_pose(picture, self.lens, self.kit))

    def zone_of(self, path_mm: Floats) -> str | None:
        """The zone that holds most of a rod, or else the zone near the rod's middle; None: no zone is near."""
        shares = {name: self._inside(path_mm, name) for name in self._zones}
        best = max(shares, key=lambda name: shares[name])
        if shares[best] >= 0.5:
            return best
        x, y = path_mm.mean(axis=0)
        far = {
            name: float(np.hypot(max(x0 - x, 0, x - x1), max(y0 - y, 0, y - y1)))
            for name, (x0, y0, x1, y1) in self._zones.items()
        }
        near = min(far, key=lambda name: far[name])
        return near if far[near] <= LIMITS.near_zone_mm else None

    def _may_hang(self, path_mm: Floats, zone: str) -> bool:
        """Whether a rod that seems to be in a pile may hang: it is near the stand and reaches out of the pile."""
        x0, y0, x1, y1 = self._stand
        near_mm = float(np.linalg.norm(path_mm - ((x0 + x1) / 2, (y0 + y1) / 2), axis=1).min())
        return zone != STAND and near_mm < 2 * LIMITS.stand_mm and self._inside(path_mm, zone) < LIMITS.fair

    def _inside(self, path_mm: Floats, zone: str) -> float:
        box = self._zones[zone]
        return float(((path_mm >= box[:2]) & (path_mm <= box[2:])).all(axis=1).mean())

    def _is_of_a_rod(self, tip: Tip, die: ColorDie | None) -> bool:
        """Whether a spot is on the mat and not on the die."""
        mat, (x, y) = self.kit.mat, (tip.x_mm, tip.y_mm)
        is_inside = (
            -LIMITS.half_tip_mm < x < mat.width_mm + LIMITS.half_tip_mm
            and -LIMITS.half_tip_mm < y < mat.height_mm + LIMITS.half_tip_mm
        )
        return is_inside and (die is None or float(np.hypot(x - die.x_mm, y - die.y_mm)) > LIMITS.die_shadow_mm)

    def _half_hidden(self, tip: Tip) -> RodSeen:
        """A rod with one visible tip and no visible wire."""
        return RodSeen(
            color=tip.color,
            zone=self.zone_of(np.array([[tip.x_mm, tip.y_mm]])),
            x_mm=round(tip.x_mm, 1),
            y_mm=round(tip.y_mm, 1),
            confidence=LIMITS.even_chance,
            reason=HALF_HIDDEN,
        )

    def _perhaps(self, color: str | None, path_mm: Floats, share: float, hangs: float = 0.0) -> RodSeen:
        """A possible further rod."""
        x, y = path_mm.mean(axis=0)
        return RodSeen(
            color=color,
            zone=self.zone_of(path_mm),
            x_mm=round(float(x), 1),
            y_mm=round(float(y), 1),
            confidence=round(float(share), 3),
            path_mm=_told(path_mm),
            hangs=round(hangs, 3),
        )

    def is_between(self, path_mm: Floats) -> bool:
        """Whether two zones are about equally near to a rod."""
        x, y = path_mm.mean(axis=0)
        far = sorted(max(x0 - x, x - x1, y0 - y, y - y1) for x0, y0, x1, y1 in self._zones.values())
        return bool(far[1] - far[0] < LIMITS.near_zone_mm / 2)

    def _rod_of(self, wire: Wire) -> RodSeen:
        zone = self.zone_of(wire.path_mm)
        is_sure = (
            zone not in (None, STAND)
            and wire.likely >= LIMITS.sure_rod
            and not self.is_between(wire.path_mm)
            and not self._may_hang(wire.path_mm, zone)
        )
        most = 1.0 if zone in (None, STAND) else HIGHEST_IN_DOUBT
        x, y = wire.middle_mm
        return RodSeen(
            color=wire.color,
            zone=zone,
            x_mm=round(float(x), 1),
            y_mm=round(float(y), 1),
            confidence=LIMITS.plain if is_sure else round(min(most, wire.likely), 4),
            path_mm=_told(wire.path_mm),
        )


def _place(tip: Tip) -> tuple[str, float, float]:
    plainly_hangs = tip.plain >= LIMITS.even_chance and tip.hangs >= LIMITS.fair
    return tip.color if plainly_hangs else "", round(tip.x_mm, 1), round(tip.y_mm, 1)


def _told(path_mm: Floats) -> tuple[tuple[float, float], ...]:
    return tuple(map(tuple, path_mm.round(1).tolist()))


open_eye = RodsEye
