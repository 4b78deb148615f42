"""Small builders of tables: used by the tests of rules, geometry and vision alike. Sizes are the default kit's."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from calibration.lens import Lens
from companion.game.brought import default_kit
from companion.game.readings import Kind
from tests.lenses import lens
from vision.sim.pieces import lying
from vision.sim.render import Renderer, overhead
from vision.sim.scene import Body, value_top

KIT = default_kit("eyes_of_the_emperor")

SMALL_LENS = lens((960, 540), (730.0, 731.0), (476.0, 272.0))
"""A quick camera for tests: Camera Module 3's field of view, few pixels."""

WIDE_LENS = lens((1920, 1080), (1460.0, 1460.5), (955.0, 545.0), (-0.03, 0.02, 0.0, 0.0, 0.0))
"""One that shows the pips of ninjas well."""


@lru_cache(maxsize=1)  # 200 MB
def shared_renderer(lens: Lens, **mount: Any) -> Renderer:
    """A renderer of a camera that hangs as `overhead` says. It keeps the empty table, which costs most of a picture."""
    return Renderer(KIT, overhead(lens, **mount))


SIDE_UP = (0, 1)
"""A face of an empire die that is not marked."""


def territory(color: str, at: tuple[float, float] | None = None) -> Body:
    """A territory, where the kit sets it up unless told where."""
    return lying(KIT, Kind.TERRITORY, color, at or KIT.piece("territory").start_mm[color])


def empire_die(
    color: str,
    at: tuple[float, float],
    *,
    marked_up: bool = False,
    on_mm: float = 0.0,
    angle_deg: float = 0.0,
    id: str | None = None,
) -> Body:
    """An empire die lying level on something `on_mm` high."""
    top = (2, 1) if marked_up else SIDE_UP
    return lying(KIT, Kind.EMPIRE_DIE, color, at, id=id, on_mm=on_mm, top=top, angle_deg=angle_deg)


def samurai(color: str, at: tuple[float, float], *, on_mm: float = 0.0, id: str | None = None) -> Body:
    """A samurai lying level on something `on_mm` high."""
    return lying(KIT, Kind.SAMURAI, color, at, id=id, on_mm=on_mm)


def ninja(
    value: int, at: tuple[float, float], *, on_mm: float = 0.0, angle_deg: float = 0.0, id: str | None = None
) -> Body:
    """A ninja lying level with this face up."""
    return lying(KIT, Kind.NINJA, "black", at, id=id, on_mm=on_mm, top=value_top(value), angle_deg=angle_deg)
