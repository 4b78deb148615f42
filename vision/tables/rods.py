"""The reader of Suspend tables: loose rods by zone, what lies fallen around the stand, the colour die.

First the table straight from above at the height of the wires (`board_view`), then what a small network sees there
(`rods_net`): what may be a tip (`rods_tips`), the wires between tips (`rods_wires`), and which tips belong together
(`rods_match`). `rods_die` reads the colour die. `rods_fuse` makes several pictures one reading and `rods_drawing` draws
it. Hanging rods show in another plane: their wires do not fit, and they are not listed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibration.lens import Lens
from calibration.light import judge
from calibration.pose import Pose, find_pose
from companion.errors import KitError
from companion.kit import BoxMm, Kit
from companion.readings import HIGHEST_IN_DOUBT, BoardFit, ColorDie, RodSeen, RodsReading
from vision.readers import Fused, Picture
from vision.tables.board_view import Floats, view_of
from vision.tables.rods_die import read_die
from vision.tables.rods_drawing import drawn
from vision.tables.rods_fuse import fused
from vision.tables.rods_match import Wire, matched
from vision.tables.rods_net import seen
from vision.tables.rods_tips import Tip, find_tips, places_of
from vision.tables.rods_wires import lines_of, may_join

STAND = "stand"
NEAR_ZONE_MM = 30.0
"""A rod's middle may lie so far outside of its zone."""
BETWEEN_MM = 16.0
"""Two zones that are as near as this to each other from a rod's middle both may be its own."""
FOOT_MM = 34.0
"""No rod lies within this distance of the stand's middle: its foot stands there."""
SURE_WIRE, SURE_TIP, SURE_COLOR, SURE_LIES = 0.95, 0.6, 0.5, 0.4
"""A sure rod's wire is seen so plainly, its tips too, all of them nearly of one colour, and hardly likely to hang."""
SPARE_TIP, SPARE_LIES = 0.2, 0.6
"""A tip that belongs to no rod told, and shows as plainly as this, may be of one more; unless it hangs."""
MAY_BE = 0.25
"""Such a tip may be of each colour that has this share of it."""
STAND_MM, DIE_SIDES, OFF_MAT_MM = 75.0, 1.6, 5.0
"""Spots this near to the stand's middle are of its foot, so many sides from the die's middle of the die, and
this far beside the mat of the fiducials."""
HUNG_REACH_MM = 230.0
"""Nearer to the stand's middle a lone tip may be of a rod that hangs."""
LONE_TIP = 0.55
"""As plain as this it is one: the other end is hidden."""
OF_ROD_MM = 9.0
"""Spots this near to a tip of a rod that is told are that tip's."""
SURELY, PERHAPS = 0.99, 0.8
HALF = 0.5
HALF_HIDDEN = "only one of its ends is seen: lay it free"


def open_eye(lens: Lens, kit: Kit) -> RodsEye:
    """The eye of one camera over one Suspend table."""
    return RodsEye(lens, kit)


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
        self._side_mm = kit.piece("color_die").size_mm("side")

    def read(self, picture: Picture) -> RodsReading:
        """The rods that the picture shows. Raises: ReadingError."""
        return self.read_at(picture, find_pose(picture, self.lens, self.kit))

    def read_at(self, picture: Picture, pose: Pose) -> RodsReading:
        """The same where the pose is known."""
        mat, light = self.kit.mat, judge(picture, pose, self.kit)
        box = (0.0, 0.0, mat.width_mm, mat.height_mm)
        view = view_of(picture, pose, light, box, self._wire_mm * 0.85)
        looks, rod = seen(view), self._rod
        die = read_die(view_of(picture, pose, light, self._die_box, self._side_mm), self._die_box, self._side_mm)
        tips = [tip for tip in find_tips(view, looks) if self._is_on_mat(tip, die)]
        lines, middle = lines_of(view, looks), np.array(self._stand).reshape(2, 2).mean(axis=0)
        wires, hung = matched(lines, tips, rod.lengths_mm, self._tip_mm, rod.count_each, middle)
        wires = [wire for wire in wires if self._from_stand(wire.path_mm) >= FOOT_MM]
        spare = [tip for tip in _spare(tips, [*wires, *hung]) if self._from_stand(_place(tip)) > STAND_MM]
        rods = [self._rod_of(wire, tips) for wire in wires] + self._half_hidden(spare)
        hidden = {color for tip in spare for color, share in tip.colors.items() if share >= MAY_BE}
        return RodsReading(
            die=die,
            rods=tuple(rods),
            table=BoardFit(reprojection_px=round(pose.reprojection_px, 4), die_mm=self._side_mm),
            wire_mm=self._wire_mm,
            hidden=tuple(color for color in rod.colors if color in hidden),
        )

    def fuse(self, readings: Sequence[RodsReading]) -> Fused[RodsReading]:
        """One reading of several of the same table at rest. Raises: ValueError: none."""
        return fused(readings)

    def draw(self, picture: Picture, reading: RodsReading) -> Picture:
        """A copy of the picture with the rods and the die."""
        return drawn(picture, reading, find_pose(picture, self.lens, self.kit))

    def zone_of(self, path_mm: Floats) -> str | None:
        """The zone in which most of a rod lies, or to which its middle is near."""
        shares = {
            name: float(((path_mm >= box[:2]) & (path_mm <= box[2:])).all(axis=1).mean())
            for name, box in self._zones.items()
        }
        best = max(shares, key=lambda name: shares[name])
        if shares[best] >= 0.5:
            return best
        x, y = path_mm.mean(axis=0)
        far = {
            name: float(np.hypot(max(x0 - x, 0, x - x1), max(y0 - y, 0, y - y1)))
            for name, (x0, y0, x1, y1) in self._zones.items()
        }
        near = min(far, key=lambda name: far[name])
        return near if far[near] <= NEAR_ZONE_MM else None

    def _from_stand(self, path_mm: Floats) -> float:
        """How near a path comes to the stand's middle."""
        x0, y0, x1, y1 = self._stand
        return float(np.linalg.norm(path_mm - ((x0 + x1) / 2, (y0 + y1) / 2), axis=1).min())

    def _is_on_mat(self, tip: Tip, die: ColorDie | None) -> bool:
        """Whether a spot is on the mat, and not of the die."""
        mat, (x, y) = self.kit.mat, _place(tip)[0]
        is_inside = -OFF_MAT_MM < x < mat.width_mm + OFF_MAT_MM and -OFF_MAT_MM < y < mat.height_mm + OFF_MAT_MM
        return is_inside and (die is None or float(np.hypot(x - die.x_mm, y - die.y_mm)) > DIE_SIDES * self._side_mm)

    def _half_hidden(self, spare: Sequence[Tip]) -> list[RodSeen]:
        """Plain tips in the piles that belong to no wire: a rod each, whose other end lies under others, or a rod both
        of whose ends show and not its wire."""
        found: list[RodSeen] = []
        for tip in spare:
            zone, (x, y) = self.zone_of(_place(tip)), _place(tip)[0]
            if tip.plain < LONE_TIP or zone in (STAND, None) or self._from_stand(_place(tip)) < HUNG_REACH_MM:
                continue
            length_mm = self._rod.lengths_mm[tip.color] - self._tip_mm
            ends = [rod for rod in found if (rod.color, rod.zone) == (tip.color, zone)]
            if any(may_join(np.hypot(rod.x_mm - x, rod.y_mm - y), length_mm) for rod in ends):
                continue
            found.append(
                RodSeen(
                    color=tip.color,
                    zone=zone,
                    x_mm=round(tip.x_mm, 1),
                    y_mm=round(tip.y_mm, 1),
                    confidence=HALF,
                    reason=HALF_HIDDEN,
                )
            )
        return found

    def is_between(self, path_mm: Floats) -> bool:
        """Whether another zone is nearly as near to a rod as its own."""
        x, y = path_mm.mean(axis=0)
        far = sorted(max(x0 - x, x - x1, y0 - y, y - y1) for x0, y0, x1, y1 in self._zones.values())
        return bool(far[1] - far[0] < BETWEEN_MM)

    def _rod_of(self, wire: Wire, tips: Sequence[Tip]) -> RodSeen:
        """A rod as it is reported."""
        zone = self.zone_of(wire.path_mm)
        ends = [tips[i] for i in wire.tips]
        is_sure = (
            wire.seen >= SURE_WIRE
            and wire.is_only
            and zone not in (STAND, None)  # there it may hang, which one picture from above hardly tells
            and max(wire.hangs, *(tip.hangs for tip in ends)) < SURE_LIES
            and min(tip.plain for tip in ends) >= SURE_TIP
            and min(tip.colors[wire.color] for tip in ends) >= SURE_COLOR
            and not self.is_between(wire.path_mm)
        )
        x, y = wire.middle_mm
        return RodSeen(
            color=wire.color,
            zone=zone,
            x_mm=round(float(x), 1),
            y_mm=round(float(y), 1),
            confidence=round(SURELY if is_sure else min(HIGHEST_IN_DOUBT, PERHAPS * wire.seen), 3),
            path_mm=tuple((round(float(px), 1), round(float(py), 1)) for px, py in wire.path_mm),
        )


def _place(tip: Tip) -> Floats:
    """Where a tip is, as a path of one point."""
    return np.array([[tip.x_mm, tip.y_mm]])


def _spare(tips: Sequence[Tip], wires: Sequence[Wire]) -> list[Tip]:
    """Tips that may lie and belong to no rod."""
    used = {i for wire in wires for i in wire.tips}
    at = places_of([tips[i] for i in used])
    return [
        tip
        for i, tip in enumerate(tips)
        if i not in used
        and tip.plain >= SPARE_TIP
        and tip.hangs < SPARE_LIES
        and not (len(at) and np.linalg.norm(at - (tip.x_mm, tip.y_mm), axis=1).min() < OF_ROD_MM)
    ]
