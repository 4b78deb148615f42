"""Warnings added to the view of a table that is seen: its certificate has expired, or its box is not well."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from companion.app.drill import expired
from companion.app.kept import Kept
from companion.game.errors import ReadingFault
from companion.game.findings import Finding, Level
from companion.game.says import Says, joined
from companion.game.view import Sight
from vision.frame.watch import Glance, Watch

EXPIRED = "certificate_expired"
BOX_ILL = "box_ill"
CHANGED = Says("this is another camera, or its settings differ")
EXAMINED_S = 20.0
"""Interval between examinations of the box: heat and supply change in minutes."""


class TableChecks:
    """Checks the table's certificate and its box, and adds their faults to the view of a table that is seen.

    The certificate expires when camera, lens or light change. `examine` examines the box now and then.
    """

    def __init__(
        self,
        kept: Kept,
        examine: Callable[[], Sequence[Finding]] = lambda: (),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._kept = kept
        self._examine, self._clock = examine, clock
        self._due_s = -math.inf
        self._ill: Finding | None = None
        self._certificate = kept.certificate()
        self._lens_sha256 = kept.lens_sha256()

    def __call__(self, glance: Glance, watch: Watch) -> Glance:
        told = self._certified(glance, watch)
        ill = self._found_ill()
        if ill is None or told.sight is not Sight.SEES:
            return told
        says = Says("the table is seen, but the box needs you: {says}", {"says": ill.says})
        if ill.todo is not None:
            says = joined([says, ill.todo])
        return replace(told, says=says, code=BOX_ILL)

    def _found_ill(self) -> Finding | None:
        """The first bad finding about the box: its supply, heat, disk or clock."""
        now_s = self._clock()
        if now_s >= self._due_s:
            self._due_s = now_s + EXAMINED_S
            self._ill = next((found for found in self._examine() if found.level is Level.BAD), None)
        return self._ill

    def _certified(self, glance: Glance, watch: Watch) -> Glance:
        certificate = self._certificate
        if certificate is None:
            return glance
        if certificate.expired is None:
            newest = self._kept.certificate()  # a drill may just have been run
            self._certificate = certificate = newest if newest is not None else certificate
        if certificate.expired is None:
            white = None if watch.light is None else watch.light.white_bgr
            is_other = glance.code == ReadingFault.WRONG_LENS.value
            why = CHANGED if is_other else expired(certificate, watch.pose, white, self._lens_sha256, watch.kit)
            if why is None:
                return glance
            self._kept.expire(why)
            self._certificate = certificate = replace(certificate, expired=why)
        if glance.sight is not Sight.SEES:
            return glance
        renewed = self._kept.certificate()
        if renewed is not None and renewed.expired is None:
            self._certificate = renewed
            return glance
        words = "the table is seen; its certificate has expired ({why}): run the drill again at /setup"
        return replace(glance, says=Says(words, {"why": certificate.expired}), code=EXPIRED)
