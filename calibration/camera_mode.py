"""How a camera took its pictures: model, sensor mode, crop, focus. A lens file holds for one of these only.

Pictures of equal size may show twice as much of a table: the same camera sends them from the whole of its sensor or
from its middle. Whoever takes pictures (`hardware`) says how, a lens file (`calibration`) keeps it, and the two are
compared.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from companion.game.says import Says

FOCUS_DIOPTRES = 0.06
"""Focus this far apart is another focus: at 1.1 m a module's picture grows by about 0.03 % for it."""
CROP_SHARE = 0.002
"""Crops whose edges lie this far apart, as a share of the crop's width, are the same: drivers align them."""
LEAST_PX, MOST_PX = 1, 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraMode:
    """How pictures were taken, as far as the camera reports it; None: unknown.

    `adapter` names the source (``picamera2``, ``v4l2``). `sensor_px` and `bit_depth` are the sensor mode. `crop_px` is
    the part of the sensor (x, y, width, height) in the picture. `focus_dioptres` is 1 / distance in m, or the driver's
    own number for other cameras. `zoom` is a USB camera's digital zoom, its driver's number.
    """

    adapter: str
    model: str | None = None
    sensor_px: tuple[int, int] | None = None
    bit_depth: int | None = None
    crop_px: tuple[int, int, int, int] | None = None
    focus_dioptres: float | None = None
    zoom: float | None = None

    @property
    def is_focus_known(self) -> bool:
        """Whether the camera reports a turned or moved focus."""
        return self.focus_dioptres is not None

    def unlike(self, now: CameraMode) -> Says | None:
        """In what a camera differs from this one, in words; None: in nothing that both tell.

        >>> whole = CameraMode(adapter="picamera2", model="imx708", sensor_px=(2304, 1296), crop_px=(0, 0, 4608, 2592))
        >>> from dataclasses import replace
        >>> middle = replace(whole, crop_px=(768, 432, 3072, 1728))
        >>> str(whole.unlike(middle))
        'its picture shows 3072 x 1728 from (768, 432) of the sensor, in the lens file 4608 x 2592 from (0, 0)'
        >>> whole.unlike(whole) is None
        True
        """
        if self == UNTOLD:
            return None
        if self.adapter != now.adapter:
            words = "it is read by {now}, the lens file is for {kept}"
            return Says(words, {"now": now.adapter, "kept": self.adapter})
        if None not in (self.model, now.model) and self.model != now.model:
            return Says("it is a {now}, the lens file is for a {kept}", {"now": now.model, "kept": self.model})
        if self.sensor_px and now.sensor_px and self.sensor_px != now.sensor_px:
            words = "its sensor gives {now} pixels, in the lens file {kept}"
            return Says(words, {"now": _size(now.sensor_px), "kept": _size(self.sensor_px)})
        if self.crop_px and now.crop_px and _crops_differ(self.crop_px, now.crop_px):
            words = "its picture shows {now} of the sensor, in the lens file {kept}"
            return Says(words, {"now": _box(now.crop_px), "kept": _box(self.crop_px)})
        if None not in (self.zoom, now.zoom) and self.zoom != now.zoom:
            words = "its zoom is at {now}, in the lens file at {kept}"
            return Says(words, {"now": f"{now.zoom:g}", "kept": f"{self.zoom:g}"})
        if self.focus_dioptres is not None and now.focus_dioptres is not None:
            # a Pi's lens reports dioptres; other drivers' numbers are whole and kept exactly
            apart = abs(self.focus_dioptres - now.focus_dioptres)
            if apart > (FOCUS_DIOPTRES if self.adapter == "picamera2" else 0.5):
                words = "its focus is at {now}, in the lens file at {kept}"
                return Says(words, {"now": f"{now.focus_dioptres:.2f}", "kept": f"{self.focus_dioptres:.2f}"})
        return None


UNTOLD = CameraMode(adapter="untold")
"""Said of a lens file without a note of the camera's settings, if the camera's settings can change."""


def mode_of(data: Any) -> CameraMode:
    """The mode that a JSON object holds. Raises: ValueError, saying what is wrong."""
    if not isinstance(data, Mapping):
        raise ValueError(f"mode is {data!r}")
    strange = sorted(data.keys() - {field.name for field in fields(CameraMode)})
    if strange:
        raise ValueError(f"mode has the strange field {strange[0]!r}")
    if not isinstance(data.get("adapter"), str):
        raise ValueError(f"mode.adapter is {data.get('adapter')!r}")
    model = data.get("model")
    if model is not None and not isinstance(model, str):
        raise ValueError(f"mode.model is {model!r}")
    depth = data.get("bit_depth")
    if depth is not None and (not isinstance(depth, int) or not 1 <= depth <= 32):
        raise ValueError(f"mode.bit_depth is {depth!r}")
    sensor, crop = _whole(data, "sensor_px", 2), _whole(data, "crop_px", 4)
    return CameraMode(
        adapter=data["adapter"],
        model=model,
        sensor_px=None if sensor is None else (sensor[0], sensor[1]),
        bit_depth=depth,
        crop_px=None if crop is None else (crop[0], crop[1], crop[2], crop[3]),
        focus_dioptres=_number(data, "focus_dioptres"),
        zoom=_number(data, "zoom"),
    )


def _number(data: Mapping[str, Any], name: str) -> float | None:
    value = data.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"mode.{name} is {value!r}")
    return float(value)


def _whole(data: Mapping[str, Any], name: str, length: int) -> list[int] | None:
    value = data.get(name)
    if value is None:
        return None
    is_whole = isinstance(value, list | tuple) and all(isinstance(n, int) and not isinstance(n, bool) for n in value)
    if not is_whole or len(value) != length or not all(LEAST_PX <= n <= MOST_PX for n in value[-2:]):
        raise ValueError(f"mode.{name} is {value!r}, expected {length} whole numbers")
    return list(value)


def _crops_differ(a: tuple[int, int, int, int], b: tuple[int, int, int, int]) -> bool:
    return max(abs(p - q) for p, q in zip(a, b, strict=True)) > max(2.0, CROP_SHARE * a[2])


def _size(size_px: tuple[int, int]) -> str:
    return f"{size_px[0]} x {size_px[1]}"


def _box(crop_px: tuple[int, int, int, int]) -> str:
    return f"{crop_px[2]} x {crop_px[3]} from ({crop_px[0]}, {crop_px[1]})"
