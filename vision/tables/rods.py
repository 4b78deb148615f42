"""The reader of Suspend tables: loose rods by zone, what lies fallen around the stand, the colour die.

First the table straight from above at the height of the wires (`board_view`), then what may be a tip (`rods_tips`), the
wires between tips (`rods_wires`), and which tips belong together (`rods_match`). `rods_die` reads the colour die.
`rods_fuse` makes several pictures one reading and `rods_drawing` draws it. Hanging rods show in another plane: their
wires do not fit, and they are not listed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibration.lens import Lens
from calibration.light import judge
from calibration.pose import Pose, find_pose
from companion.errors import KitError
from companion.kit import BoxMm, Kit
from companion.readings import HIGHEST_IN_DOUBT, BoardFit, RodSeen, RodsReading
from vision.readers import Fused, Picture
from vision.tables.board_view import Floats, view_of
from vision.tables.rods_die import read_die
from vision.tables.rods_drawing import drawn
from vision.tables.rods_fuse import fused
from vision.tables.rods_match import Wire, matched
from vision.tables.rods_tips import BLACK, Tip, find_tips, hidden_colors, tones_of
from vision.tables.rods_wires import lines_of

STAND = "stand"
NEAR_ZONE_MM = 30.0
"""A rod's middle may lie so far outside of its zone."""
BETWEEN_MM = 16.0
"""Two zones that are as near as this to each other from a rod's middle both may be its own."""
FOOT_MM = 34.0
"""No rod lies within this distance of the stand's middle: its foot stands there."""
SURE_WIRE, SURE_TIPS = 0.93, (0.6, 1.35)
"""A sure rod's wire is seen so plainly, and its tips are so broad beside the usual one."""
BROADER = 1.45
"""Tips that show broader than the usual one by this factor are none, or two."""
HANG_MM = 120.0
"""What hangs shows within this distance of the stand's middle, a part of it at least."""
LEAST_TIP, PLAIN_TIP, PLAIN_ALONE = 0.12, 0.4, 0.6
"""How plainly both tips of a rod stand out at least, those of a sure one; and one that tells of a rod by itself, as a
share of the usual tip here."""
WIRE_GLINT = 0.8
"""What is nearer to a wire's middle than so many of its breadths is a glint on it."""
ALONE_MM, HALF, HUNG_REACH_MM = 10.0, 0.5, 230.0
"""A tip alone is so far from others; nearer to the stand than the last it may hang."""
SURELY, PERHAPS = 0.99, 0.8
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
        tones = tones_of(view)
        tips = find_tips(view, tones, self._tip_mm, self._wire_mm)
        rod, lines = self._rod, lines_of(view, tones)
        wires, hung = matched(lines, tips, rod.lengths_mm, self._tip_mm, rod.count_each, self)
        hidden = hidden_colors(tones, tuple(rod.colors))
        across = self._across(wires, tips)
        rods = [seen for wire in wires if (seen := self._rod_of(wire, tips, across, hidden)) is not None]
        rods += self._half_hidden([*wires, *hung], tips, hidden)
        die = read_die(view_of(picture, pose, light, self._die_box, self._side_mm), self._die_box, self._side_mm)
        return RodsReading(
            die=die,
            rods=tuple(rods),
            table=BoardFit(reprojection_px=round(pose.reprojection_px, 4), die_mm=self._side_mm),
            wire_mm=self._wire_mm,
            hidden=hidden,
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

    def in_zone(self, path_mm: Floats) -> float:
        """The largest share of a path that lies in one zone, or near it."""
        near = NEAR_ZONE_MM
        return max(
            float(((path_mm >= (x0 - near, y0 - near)) & (path_mm <= (x1 + near, y1 + near))).all(axis=1).mean())
            for x0, y0, x1, y1 in self._zones.values()
        )

    def is_by_stand(self, path_mm: Floats) -> bool:
        """Whether a path comes near the stand's middle."""
        x0, y0, x1, y1 = self._stand
        return bool(np.linalg.norm(path_mm - ((x0 + x1) / 2, (y0 + y1) / 2), axis=1).min() < HANG_MM)

    def _half_hidden(self, wires: Sequence[Wire], tips: Sequence[Tip], hidden: tuple[str, ...]) -> list[RodSeen]:
        """Tips in the piles that belong to no wire: a rod each, whose other end lies under others."""
        matched_ones = [tips[i] for wire in wires for i in wire.tips if wire.color != BLACK]
        if not matched_ones:
            return []
        usual = float(np.median([tip.plain for tip in matched_ones]))
        across_mm = float(np.median([tip.across_mm for tip in matched_ones]))
        along = np.vstack([wire.path_mm for wire in wires])
        stand = np.array(self._stand).reshape(2, 2).mean(axis=0)
        used = np.array([[tips[i].x_mm, tips[i].y_mm] for wire in wires for i in wire.tips]).reshape(-1, 2)
        found: list[RodSeen] = []
        for tip in tips:
            at = np.array([tip.x_mm, tip.y_mm])
            zone = self.zone_of(at[None])
            if {BLACK, *hidden} & set(tip.colors) or tip.plain < max(1.0, PLAIN_ALONE * usual):
                continue
            if zone in (STAND, None) or not 1 / BROADER < tip.across_mm / across_mm < BROADER:
                continue
            if (
                np.hypot(*(at - stand)) < HUNG_REACH_MM
                or np.linalg.norm(along - at, axis=1).min() < WIRE_GLINT * self._wire_mm
            ):
                continue
            taken = np.vstack([used, *([[rod.x_mm, rod.y_mm]] for rod in found)])
            if len(taken) and np.linalg.norm(taken - at, axis=1).min() < ALONE_MM:
                continue
            found.append(
                RodSeen(
                    color=tip.colors[0],
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

    def _across(self, wires: Sequence[Wire], tips: Sequence[Tip]) -> float:
        """How broad the tips of lying rods show here, in the piles."""
        found = [tips[i].across_mm for wire in wires if self.zone_of(wire.path_mm) != STAND for i in wire.tips]
        return float(np.median(found)) if found else 0.0

    def _rod_of(self, wire: Wire, tips: Sequence[Tip], across_mm: float, hidden: tuple[str, ...]) -> RodSeen | None:
        """A rod as it is reported; None for one that hangs."""
        zone = self.zone_of(wire.path_mm)
        x0, y0, x1, y1 = self._stand
        from_foot = np.linalg.norm(wire.path_mm - ((x0 + x1) / 2, (y0 + y1) / 2), axis=1).min()
        plain = min(tips[i].plain for i in wire.tips)
        if from_foot < FOOT_MM or plain < LEAST_TIP:
            return None
        broad = [tips[i].across_mm / max(across_mm, 1e-6) for i in wire.tips]
        is_sure = (
            wire.seen >= SURE_WIRE
            and wire.is_only
            and plain >= PLAIN_TIP
            and zone not in (STAND, None)  # there it may hang, which one picture from above hardly tells
            and SURE_TIPS[0] < min(broad)
            and max(broad) < SURE_TIPS[1]
            and wire.color not in hidden
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
