"""Draws a virtual table as a camera would show it, accurate to a few hundredths of a pixel.

`Renderer.light` adds the pieces to the empty table in linear light: rays through the lens hit rounded solids, 16 rays
per pixel at edges. `film.Darkroom` turns the light into a picture. Unchanged parts are kept between frames: the lens's
rays, the empty table, each piece's patch, and all pixels far from moved pieces.

>>> from calibration.lens import Lens
>>> from companion.game.brought import default_kit
>>> lens = Lens(width_px=320, height_px=240, fx_px=280, fy_px=280, cx_px=160, cy_px=120, distortion=(0,) * 5, rms_px=0)
>>> renderer = Renderer(default_kit("eyes_of_the_emperor"), overhead(lens, height_mm=1100))
>>> renderer.picture(Scene()).shape
(240, 320, 3)

Convention: pixels (x, y) with centres at whole numbers; pictures are BGR.
"""

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Floats, Floats32, Picture
from calibration.lens import Lens
from calibration.pose import PAPER_MM, Pose
from companion.game.kit import Kit
from vision.sim import light, rod_film
from vision.sim.film import Darkroom, Film
from vision.sim.marks import Color, linear, paint, paint_card
from vision.sim.pieces import MATERIALS
from vision.sim.rod_table import Rod
from vision.sim.scene import Body, Lighting, RoundBox, RoundCube, RoundDisk, Scene, Solid, Surface
from vision.sim.sheet import PrintedBoard, lay_on
from vision.sim.solids import Capsule, capsules, cast, front_last
from vision.sim.tumble import FLOOR, lay_floor

Window = tuple[int, int, int, int]
"""Pixels from (x0, y0) up to but excluding (x1, y1)."""

BLURS_PX = 12
"""Reach of the camera's blur and sharpening."""
SHADES_PX = 16
"""Margin around a piece's outlines for its soft shadow, also on other pieces."""
RAYS = 16
"""Rays per pixel at edges: a lattice with every offset once in x and once in y, so edges are accurate to 1/32 px."""
LATTICE = [((i + 0.5) / RAYS - 0.5, ((7 * i) % RAYS + 0.5) / RAYS - 0.5) for i in range(RAYS)]
RAYS_AT_ONCE = 20_000
"""With more rays the arrays leave the processor's cache; few rays take as long as many."""
SHEEN = 0.012
"""Share of the room's light that lacquer mirrors."""


def overhead(
    lens: Lens,
    *,
    height_mm: float = 1150.0,
    tilt_deg: float = 0.0,
    toward_deg: float = 0.0,
    roll_deg: float = 0.0,
    aim_mm: tuple[float, float] = (500.0, 350.0),
) -> Pose:
    """A camera that looks at `aim_mm` from `height_mm` above the table, tilted by `tilt_deg` from the side
    `toward_deg`."""
    tilt, toward, roll = map(math.radians, (tilt_deg, toward_deg, roll_deg))
    out = math.tan(tilt) * height_mm
    centre = np.array([aim_mm[0] + out * math.cos(toward), aim_mm[1] + out * math.sin(toward), -height_mm])
    ahead = np.array([*aim_mm, 0.0]) - centre
    ahead /= np.linalg.norm(ahead)
    right = np.array([math.cos(roll), math.sin(roll), 0.0])
    right -= ahead * (right @ ahead)
    right /= np.linalg.norm(right)
    rotation = np.stack([right, np.cross(ahead, right), ahead])
    return Pose(lens, rotation, -rotation @ centre, np.zeros((6, 6)), 0.0, 4)


@dataclass(frozen=True, slots=True)
class _Patch:
    """A piece in the picture: corner, premultiplied light of lamps and room, and its share of each pixel."""

    x: int
    y: int
    lamps: Floats32
    room: Floats32
    share: Floats32
    level_mm: float


class Renderer:
    """Draws scenes of one kit through one camera. Not thread-safe."""

    def __init__(self, kit: Kit, pose: Pose, film: Film | None = None) -> None:
        self.kit = kit
        self.film = film or Film()
        lens = pose.lens
        self._darkroom = Darkroom(self.film, lens.width_px, lens.height_px)
        self._rays = _ray_map(lens)
        self._patches: dict[object, _Patch] = {}
        self._rods: dict[Rod, rod_film.DrawnRod] = {}
        self._lighting: Lighting | None = None
        """The lighting at full level: visibility does not depend on the level, only the film's result does."""
        self._light_level = 0.0
        self._surface: Surface | None = None
        self._sheet: PrintedBoard | None = None
        size = (lens.height_px, lens.width_px, 3)
        self._seen = np.zeros(size, np.float32)
        self._developed = np.zeros(size, np.float32), np.zeros(size, np.float32)
        self._last: Scene | None = None
        self._stale: list[Window] = []
        self.pose = pose

    @property
    def pose(self) -> Pose:
        """The camera's pose."""
        return self._pose

    @pose.setter
    def pose(self, pose: Pose) -> None:
        self._pose = pose
        flip = np.array([1.0, 1.0, -1.0])
        self._to_table = (pose.rotation * flip).astype(np.float64)  # ray (camera) @ this: direction in the table frame
        self._centre = pose.centre_mm
        self._patches.clear()
        self._rods.clear()
        self._lighting = None
        self._last = None

    def picture(self, scene: Scene, seed: int = 0) -> Picture:
        """One frame (H, W, 3) of the scene; `seed` is for its noise."""
        return self._darkroom.expose(*self.develop(scene), seed)

    def develop(self, scene: Scene) -> tuple[Floats32, Floats32]:
        """The noiseless picture and the standard deviation of its noise; pass both to `expose` for each frame of a
        still scene.

        Both belong to the renderer and are valid until it draws another scene.
        """
        picture, spread = self._developed
        windows = self._draw(scene)
        if scene.lighting.level != self._light_level:
            self._light_level, windows = scene.lighting.level, [self._whole]
        for x0, y0, x1, y1 in windows:
            u, v = max(0, x0 - BLURS_PX), max(0, y0 - BLURS_PX)
            light = self._seen[v : y1 + BLURS_PX, u : x1 + BLURS_PX] * np.float32(scene.lighting.level)
            inner = np.s_[y0 - v : y1 - v, x0 - u : x1 - u]
            fresh = self._darkroom.develop(light, at_px=(u, v))
            picture[y0:y1, x0:x1], spread[y0:y1, x0:x1] = (part[inner] for part in fresh)
        return picture, spread

    def expose(self, developed: tuple[Floats32, Floats32], seed: int) -> Picture:
        """A frame of `develop`'s result, with the noise of `seed`."""
        return self._darkroom.expose(*developed, seed)

    def light(self, scene: Scene) -> Floats32:
        """Light on the sensor, linear BGR (H, W, 3), 1 for a white sheet under full light."""
        self._stale = self._draw(scene)
        return self._seen * np.float32(scene.lighting.level)

    def _draw(self, scene: Scene) -> list[Window]:
        """Draws the changes since the last scene, and returns the windows to develop again."""
        is_new = self._last is None
        lighting = replace(scene.lighting, level=1.0)
        if (lighting, scene.surface, scene.sheet) != (self._lighting, self._surface, self._sheet):
            self._set_up(lighting, scene.surface, scene.sheet)
            is_new = True
        is_all = is_new or scene.hand or (self._last and self._last.hand)
        windows = [self._whole] if is_all else self._changed(scene)
        self._last = scene
        if not windows:
            return self._taken([])
        limbs = capsules(scene.hand) if scene.hand else ()
        casters: tuple[Body | Capsule, ...] = (*scene.bodies, *(limb for limb, _ in limbs))
        maps: dict[float, tuple[NDArray[np.uint8], NDArray[np.uint8]] | None] = {0.0: self._shadows.maps(casters, 0.0)}
        for window in windows:
            x0, y0, x1, y1 = window
            part = np.s_[y0:y1, x0:x1]
            lamps_left, room_left = self._left(maps[0.0], window, 0.0)
            cover = self._cover[part]
            lamps, room = cover * self._falloff[part][..., None] * self._lamp_light, cover * self._room_light
            if lamps_left is not None and room_left is not None:
                lamps, room = lamps * lamps_left[..., None], room * room_left[..., None]
            self._seen[part] = lamps + room
        fresh: dict[object, _Patch] = {}
        for body in front_last(scene.bodies, self._centre):
            patch = self._patches.get(body) or self._patch(body)
            if patch is not None:
                fresh[body] = patch
                if patch.level_mm not in maps:
                    maps[patch.level_mm] = self._shadows.maps(casters, patch.level_mm)
                for window in windows:
                    self._lay(patch, maps[patch.level_mm], window)
        for rod in scene.rods:
            drawn = self._rods.get(rod) or rod_film.drawn(rod, self._pose)
            if drawn is not None:
                self._rods[rod] = drawn
                for window in windows:
                    self._lay_rod(drawn, None if rod.is_hung else maps[0.0], window)
        self._rods = {rod: drawn for rod, drawn in self._rods.items() if rod in scene.rods}
        for limb, color in limbs:
            patch = self._patches.get((limb, color)) or self._limb(limb, color)
            if patch is not None:
                fresh[limb, color] = patch
                for window in windows:
                    self._lay(patch, None, window)
        self._patches = fresh
        return self._taken(windows)

    def _taken(self, windows: list[Window]) -> list[Window]:
        """The windows, with earlier windows that `light` drew and that were not developed yet."""
        stale, self._stale = self._stale, []
        return _apart([*stale, *windows])

    @property
    def _whole(self) -> Window:
        return 0, 0, self._lens.width_px, self._lens.height_px

    def _changed(self, scene: Scene) -> list[Window]:
        """The windows around pieces that appeared, vanished or moved, and around their shadows."""
        assert self._last is not None
        found = [
            self._window(points, SHADES_PX)
            for body in {*scene.bodies} ^ {*self._last.bodies}
            for points in (light.outline_points(body), self._shadows.on_table(body))
        ]
        found += [self._window(rod.path, SHADES_PX) for rod in {*scene.rods} ^ {*self._last.rods}]
        return _apart([window for window in found if window is not None])

    @property
    def _lens(self) -> Lens:
        return self._pose.lens

    def _set_up(self, lighting: Lighting, surface: Surface, sheet: PrintedBoard | None) -> None:
        """Draws the empty table under this light."""
        if self._lighting != lighting:
            self._patches.clear()
        self._lighting, self._surface, self._sheet = lighting, surface, sheet
        mat = self.kit.mat
        self._spots = light.spots_of(lighting)
        self._shadows = light.Shadows(self._spots, mat.width_mm, mat.height_mm)
        whole = (0, 0, self._lens.width_px, self._lens.height_px)
        self._ground_at = x, y = self._level(whole, 0.0)
        self._falloff = light.level_light(self._spots, x, y, (mat.width_mm / 2, mat.height_mm / 2))
        cover = light.covering(x, y, surface, mat)
        if sheet is not None:
            lay_on(cover, x, y, sheet)
        lay_floor(cover, x, y, mat, linear(FLOOR))
        for id in mat.markers:
            self._stick(cover, id)
        self._ground_color = linear(surface.color)
        self._lamp_light = light.tint(lighting) * np.float32(1 - lighting.ambient)
        self._room_light = light.skylight() * np.float32(lighting.ambient)
        self._cover = cover

    def _stick(self, cover: Floats32, id: int) -> None:
        """Lays a fiducial's paper on the covering."""
        mat = self.kit.mat
        cx, cy = mat.markers[id]
        half = mat.marker_mm * 0.75
        corners = np.array([(cx + u, cy + v, PAPER_MM) for u in (-half, half) for v in (-half, half)])
        window = self._window(corners, 2.0)
        if window is None:
            return
        x0, y0, x1, y1 = window
        total = np.zeros((y1 - y0, x1 - x0, 3), np.float32)
        share = np.zeros((y1 - y0, x1 - x0, 1), np.float32)
        for offset in LATTICE:
            x, y = self._level(window, PAPER_MM, offset)
            on, color = light.paper(x.ravel(), y.ravel(), mat, id)
            total += (color * on[:, None]).reshape(total.shape)
            share += on.reshape(share.shape)
        part = cover[y0:y1, x0:x1]
        part *= 1 - share / RAYS
        part += total / RAYS

    def _window(self, points_mm: Floats, pad_px: float) -> tuple[int, int, int, int] | None:
        """The window (x0, y0, x1, y1) around the points' images; None: outside the picture."""
        px = self._pose.to_pixels(points_mm)
        x0, y0 = np.maximum(np.floor(px.min(0) - pad_px), 0).astype(int)
        x1, y1 = np.ceil(px.max(0) + pad_px).astype(int) + 1
        x1, y1 = min(int(x1), self._lens.width_px), min(int(y1), self._lens.height_px)
        return (int(x0), int(y0), x1, y1) if x1 > x0 and y1 > y0 else None

    def _directions(self, window: tuple[int, int, int, int], offset: tuple[float, float]) -> Floats:
        """Directions (h, w, 3) in the table frame of the rays at the pixels' centres plus `offset` (px)."""
        x0, y0, x1, y1 = window
        flat = self._rays[y0 + 1 : y1 + 1, x0 + 1 : x1 + 1]
        if offset != (0.0, 0.0):
            along_x = (self._rays[y0 + 1 : y1 + 1, x0 + 2 : x1 + 2] - self._rays[y0 + 1 : y1 + 1, x0:x1]) / 2
            along_y = (self._rays[y0 + 2 : y1 + 2, x0 + 1 : x1 + 1] - self._rays[y0:y1, x0 + 1 : x1 + 1]) / 2
            flat = flat + along_x * offset[0] + along_y * offset[1]
        return np.asarray(flat @ self._to_table[:2] + self._to_table[2])

    def _level(
        self, window: tuple[int, int, int, int], height_mm: float, offset: tuple[float, float] = (0.0, 0.0)
    ) -> tuple[Floats32, Floats32]:
        """Table points x, y (h, w) at a height that the window's pixels show."""
        directions = self._directions(window, offset)
        reach = (height_mm - self._centre[2]) / directions[..., 2]
        x = self._centre[0] + reach * directions[..., 0]
        y = self._centre[1] + reach * directions[..., 1]
        return x.astype(np.float32), y.astype(np.float32)

    def _left(
        self,
        maps: tuple[NDArray[np.uint8], NDArray[np.uint8]] | None,
        window: tuple[int, int, int, int],
        height_mm: float,
    ) -> tuple[Floats32 | None, Floats32 | None]:
        """Shares of the lamps' and the room's light that remain in shadows at the window's pixels; None: all light."""
        if maps is None:
            return None, None
        x0, y0, x1, y1 = window
        x, y = self._level(window, height_mm) if height_mm else (at[y0:y1, x0:x1] for at in self._ground_at)
        u = (x + np.float32(light.MARGIN_MM)) / np.float32(light.CELL_MM) - np.float32(0.5)
        v = (y + np.float32(light.MARGIN_MM)) / np.float32(light.CELL_MM) - np.float32(0.5)
        lamps, room = (np.asarray(cv2.remap(one, u, v, cv2.INTER_LINEAR), np.float32) / np.float32(255) for one in maps)
        return 1 - lamps, 1 - room

    def _lay(self, patch: _Patch, maps: tuple[NDArray[np.uint8], NDArray[np.uint8]] | None, window: Window) -> None:
        """Draws a piece over the picture, within the window."""
        height, width = patch.share.shape
        x0, y0 = max(window[0], patch.x), max(window[1], patch.y)
        x1, y1 = min(window[2], patch.x + width), min(window[3], patch.y + height)
        if x1 <= x0 or y1 <= y0:
            return
        lamps_left, room_left = self._left(maps, (x0, y0, x1, y1), patch.level_mm)
        mine, part = np.s_[y0 - patch.y : y1 - patch.y, x0 - patch.x : x1 - patch.x], np.s_[y0:y1, x0:x1]
        lamps, room = patch.lamps[mine] * self._falloff[part][..., None], patch.room[mine]
        if lamps_left is not None and room_left is not None:
            lamps, room = lamps * lamps_left[..., None], room * room_left[..., None]
        seen = self._seen[part]
        seen *= 1 - patch.share[mine][..., None]
        seen += lamps + room

    def _lay_rod(
        self,
        drawn: rod_film.DrawnRod,
        maps: tuple[NDArray[np.uint8], NDArray[np.uint8]] | None,
        window: Window,
    ) -> None:
        """Draws a rod and its dark seam over the picture, within the window."""
        height, width = drawn.share.shape
        x0, y0 = max(window[0], drawn.x), max(window[1], drawn.y)
        x1, y1 = min(window[2], drawn.x + width), min(window[3], drawn.y + height)
        if x1 <= x0 or y1 <= y0:
            return
        lamps_left, room_left = self._left(maps, (x0, y0, x1, y1), 0.0)
        mine, part = np.s_[y0 - drawn.y : y1 - drawn.y, x0 - drawn.x : x1 - drawn.x], np.s_[y0:y1, x0:x1]
        falloff, paint = self._falloff[part][..., None], drawn.paint[mine]
        lamps = (paint + drawn.shine[mine][..., None]) * falloff * self._lamp_light
        room = paint * self._room_light
        if lamps_left is not None and room_left is not None:
            lamps, room = lamps * lamps_left[..., None], room * room_left[..., None]
        seen, share = self._seen[part], drawn.share[mine][..., None]
        seen *= 1 - drawn.shade[mine][..., None] * (1 - share)
        seen *= 1 - share
        seen += (lamps + room) * share

    def _patch(self, body: Body) -> _Patch | None:
        flat = not body.is_die
        is_round = isinstance(body.solid, RoundDisk)
        hull = light.outline_points(body)
        is_level = is_round and body.tilt_deg < 0.2
        top_mm = round(2 * body.highest_mm + (0.0 if is_level else 0.5)) / 2
        sample = _Sampler(self, body.solid, np.array(body.at_mm), body.rotation, hull)
        material = MATERIALS[body.material]
        to_camera = self._centre - np.array(body.at_mm)
        to_camera /= np.linalg.norm(to_camera)

        def shade(points: Floats32, normals: Floats32) -> tuple[Floats32, Floats32]:
            if body.card is not None and isinstance(body.solid, RoundBox):
                color = paint_card(body.card, body.solid.halves_mm, points, normals)
            else:
                color = paint(body, points, normals)
            outward = body.rotation.astype(np.float32) @ normals
            lamps, room = light.falling_on(self._spots, outward, np.array(body.at_mm), self._ground_color)
            glare = light.glare(self._spots, outward, to_camera, np.array(body.at_mm), material.roughness)
            mirror = np.float32(material.gloss) * glare
            by_lamps = (color * lamps[:, None] + mirror[:, None]) * self._lamp_light
            by_room = (color + np.float32(SHEEN)) * room * self._room_light
            return by_lamps, by_room

        return sample.patch(shade, top_mm, edges_only=flat)

    def _limb(self, limb: Capsule, color: Color) -> _Patch | None:
        """A part of the hand, drawn alone."""
        middle = (np.array(limb.start_mm) + np.array(limb.end_mm)) / 2
        moved = Capsule(
            tuple(np.subtract(limb.start_mm, middle)), tuple(np.subtract(limb.end_mm, middle)), limb.radius_mm
        )
        up = np.array([0.0, 0.0, limb.radius_mm])
        out = light.outline_points(limb)
        sample = _Sampler(self, moved, middle, np.eye(3), np.vstack([out, out + up, out - up]))
        skin = linear(color)

        def shade(points: Floats32, normals: Floats32) -> tuple[Floats32, Floats32]:
            lamps, room = light.falling_on(self._spots, normals, middle, self._ground_color)
            paint = np.repeat(skin[None], points.shape[1], 0)
            return paint * lamps[:, None] * self._lamp_light, paint * room * self._room_light

        return sample.patch(shade, 1000.0, edges_only=True)


class _Sampler:
    """Rays of a window of the picture against one solid."""

    def __init__(
        self, renderer: Renderer, solid: Solid | Capsule, at_mm: Floats, rotation: Floats, hull: Floats
    ) -> None:
        self._renderer, self._solid, self._rotation = renderer, solid, rotation
        self._centre = (renderer._centre - at_mm) @ rotation
        self._window = renderer._window(hull, 4.0)
        if self._window is not None:
            x0, y0, x1, y1 = self._window
            px = (renderer._pose.to_pixels(hull) - (x0, y0)).astype(np.float32)
            mask = np.zeros((y1 - y0, x1 - x0), np.uint8)
            outline = cv2.convexHull(np.round(px * 16).astype(np.int32))
            cv2.fillConvexPoly(mask, outline, 1, cv2.LINE_8, 4)
            self._mask = cv2.dilate(mask, np.ones((7, 7), np.uint8)).astype(bool)

    def _hits(self, rows, columns, offsets) -> tuple[NDArray[np.bool_], Floats32, Floats32]:  # type: ignore[no-untyped-def]
        x0, y0, _, _ = self._window  # type: ignore[misc]
        rays, y, x = self._renderer._rays, rows + y0 + 1, columns + x0 + 1
        along_x, along_y = (rays[y, x + 1] - rays[y, x - 1]) / 2, (rays[y + 1, x] - rays[y - 1, x]) / 2
        flat = rays[y, x] + along_x * offsets[:, :1] + along_y * offsets[:, 1:]
        directions = (flat @ self._renderer._to_table[:2] + self._renderer._to_table[2]) @ self._rotation
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        nearest = -(directions @ self._centre)
        reach = self._reach()
        origins = self._centre + directions * (nearest - reach)[:, None]
        return cast(self._solid, origins.T.astype(np.float32), directions.T.astype(np.float32))

    def _reach(self) -> float:
        solid = self._solid
        if isinstance(solid, RoundCube):
            return solid.half_mm * 1.75
        if isinstance(solid, RoundBox):
            return math.hypot(*solid.halves_mm)
        if isinstance(solid, RoundDisk):
            return solid.radius_mm + solid.half_mm
        return solid.radius_mm + math.dist(solid.start_mm, solid.end_mm) / 2 + 1

    def patch(self, shade, level_mm: float, *, edges_only: bool) -> _Patch | None:  # type: ignore[no-untyped-def]
        """The piece's patch; with `edges_only` inner pixels get one ray each."""
        if self._window is None:
            return None
        shape = self._mask.shape
        lamps, room = np.zeros((*shape, 3), np.float32), np.zeros((*shape, 3), np.float32)
        share = np.zeros(shape, np.float32)
        many = self._mask
        if edges_only:
            rows, columns = np.nonzero(self._mask)
            hit, points, normals = self._hits(rows, columns, np.zeros((1, 2)))
            label = np.zeros(shape, np.float32)
            label[rows, columns] = np.where(hit, np.where(np.abs(normals[2]) > 0.97, 2, 1), 0)
            square = np.ones((5, 5), np.uint8)
            if isinstance(self._solid, Capsule):
                label = np.minimum(label, 1)
            many = self._mask & (cv2.dilate(label, square) != cv2.erode(label, square))
            inner = hit & ~many[rows, columns]
            rows, columns = rows[inner], columns[inner]
            lamps[rows, columns], room[rows, columns] = shade(points[:, inner], normals[:, inner])
            share[rows, columns] = 1
        rows, columns = np.nonzero(many)
        at_once = max(1, RAYS_AT_ONCE // max(len(rows), 1))
        for offsets in (LATTICE[k : k + at_once] for k in range(0, RAYS, at_once)):
            each = np.repeat(np.array(offsets), len(rows), axis=0)
            hit, points, normals = self._hits(np.tile(rows, len(offsets)), np.tile(columns, len(offsets)), each)
            for total, fell in zip((lamps, room), shade(points[:, hit], normals[:, hit]), strict=True):
                by_ray = np.zeros((*hit.shape, 3), np.float32)
                by_ray[hit] = fell
                total[rows, columns] += by_ray.reshape(len(offsets), -1, 3).sum(axis=0) / RAYS
            share[rows, columns] += hit.reshape(len(offsets), -1).sum(axis=0) / RAYS
        x0, y0, _, _ = self._window
        return _Patch(x0, y0, lamps, room, share, level_mm)


def _apart(windows: list[Window]) -> list[Window]:
    """Disjoint windows that cover all given windows."""
    apart: list[Window] = []
    for x0, y0, x1, y1 in windows:
        while meets := [w for w in apart if w[0] < x1 and x0 < w[2] and w[1] < y1 and y0 < w[3]]:
            apart = [w for w in apart if w not in meets]
            for w in meets:
                x0, y0, x1, y1 = min(x0, w[0]), min(y0, w[1]), max(x1, w[2]), max(y1, w[3])
        apart.append((x0, y0, x1, y1))
    return apart


@lru_cache(maxsize=3)
def _ray_map(lens: Lens) -> Floats:
    """Rays (x/z, y/z) of all pixels and of one more pixel on each side (H + 2, W + 2, 2); read only."""
    x, y = np.meshgrid(np.arange(-1, lens.width_px + 1), np.arange(-1, lens.height_px + 1))
    rays = lens.rays(np.column_stack([x.ravel(), y.ravel()])).reshape(*x.shape, 2)
    rays.flags.writeable = False
    return rays
