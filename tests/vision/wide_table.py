"""Tables under one lamp as a camera 1.15 m up sees them, a pixel 0.8 mm wide."""

from __future__ import annotations

from companion.game.readings import EyesReading
from tests.scenes import KIT, WIDE_LENS, shared_renderer, territory
from vision.sim.scene import Body, Lighting, Scene, SceneLamp
from vision.tables.eyes import open_eye

LIT = Lighting(lamps=(SceneLamp((900.0, -500.0, 1700.0), 400.0),), ambient=0.35)


def read(*pieces: Body) -> EyesReading:
    """What the eye sees of both territories where they are set up and of these pieces."""
    scene = Scene(bodies=(territory("red"), territory("blue"), *pieces), lighting=LIT)
    return open_eye(WIDE_LENS, KIT).read(shared_renderer(WIDE_LENS, height_mm=1150.0).picture(scene))
