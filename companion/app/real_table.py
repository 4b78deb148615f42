"""A real table: its kept files and its camera, shared by the set-up, the doctor and the match."""

import logging
import math
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click
from flask import Blueprint, redirect, request

from calibration.lens import UNTOLD, load_lens
from calibration.paper.boards import PRINTABLES, PrintRequest
from calibration.paper.paper import PAPERS_MM, pdf
from companion.app import checks
from companion.app.address import ANYWHERE, Announced, TableAddress, announce, named, own_name
from companion.app.camera_loop import SLOW_S, CameraLoop, is_read, supervised, watch_of
from companion.app.door import TableDoor
from companion.app.hand import HandEye
from companion.app.kept import Kept
from companion.app.matches import MatchLibrary
from companion.app.playing import MatchChoice
from companion.app.process import Heartbeat, answers, start_anew
from companion.app.setup import TableSetUp
from companion.app.steps import expired
from companion.game.errors import PinsError, ReadingFault
from companion.game.findings import Finding, Level
from companion.game.game import Game
from companion.game.says import Says, joined
from companion.game.view import Sight
from companion.match.stage import Stage
from hardware.buttons import Buttons, Gesture
from hardware.camera import Camera, Frame
from hardware.machine import examine
from hardware.pins import load_pins
from vision.frame.watch import Glance, Watch
from web.site.captive import captive
from web.site.https import certificate_page, own_certificate
from web.site.server import Server, serve
from web.table.app import create_app
from web.table.book import book_pages
from web.table.doctor import doctor_page
from web.table.hand import hand_reader
from web.table.pages import reached_at
from web.table.setup import setup_pages
from web.table.start import start_page

EXPIRED = "certificate_expired"
BOX_ILL = "box_ill"
CHANGED = Says("this is another camera, or its settings differ")
EXAMINED_S = 20.0
"""Interval between examinations of the box: heat and supply change in minutes."""


class TableChecks:
    """Adds faults of the certificate and of the box to the view of a table that is seen."""

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
        now_s = self._clock()
        if now_s >= self._due_s:
            self._due_s = now_s + EXAMINED_S
            self._ill = next((found for found in self._examine() if found.level is Level.BAD), None)
        return self._ill

    def _certified(self, glance: Glance, watch: Watch) -> Glance:
        certificate = self._kept.certificate()  # read anew: a drill may just have been run
        if certificate is None:
            return glance
        why = certificate.expired
        if why is None:
            white = None if watch.light is None else watch.light.white_bgr
            is_other = glance.code == ReadingFault.WRONG_LENS.value
            why = CHANGED if is_other else expired(certificate, watch.pose, white, self._lens_sha256, watch.kit)
            if why is None:
                return glance
            self._kept.expire(why)
        if glance.sight is not Sight.SEES:
            return glance
        words = "the table is seen; its certificate has expired ({why}): run the drill again at /setup"
        return replace(glance, says=Says(words, {"why": why}), code=EXPIRED)


_LOGGER = logging.getLogger(__name__)


class RealTable:
    """The kept files, the camera and the set-up of a real table; `door` opens its matches."""

    def __init__(
        self,
        kept: Kept,
        open_camera: Callable[[], Camera],
        *,
        pins: Path | None = None,
        is_hardware: bool = False,
        hub: Path | None = None,
    ) -> None:
        self.kept = kept
        self._hub = hub
        self._is_hardware = is_hardware
        self._pins = pins
        self.camera = supervised(open_camera, on_stuck=start_anew)
        self.setup = TableSetUp(
            kept,
            self.camera,
            changed=self._changed,
            buttons=tuple(load_pins(pins).buttons),
            table=own_name().removesuffix(".local"),
        )
        self.door: TableDoor | None = None
        self._hearing = threading.Lock()
        """Held while the buttons change hands: the set-up must not take them from a match that is being prepared."""
        self._heard: Buttons | None = None
        self.setup.listen = self._listen

    def close(self) -> None:
        self._hear_no_more()
        self.camera.close()

    def open_eyes(self, game: Game[Any, Any], chosen: MatchChoice) -> CameraLoop | None:
        """The eyes for a match of this game; None: people tap what happens. Raises: CompanionError."""
        self._hear_no_more()  # the match listens to the buttons now
        if not is_read(game, chosen.options) or not self.kept.lens_file.exists():
            return None
        lens = load_lens(self.kept.lens_file)
        if lens.mode is None and self._is_hardware:  # it may be set differently than when the lens was calibrated
            lens = replace(lens, mode=UNTOLD)
        watch = watch_of(game, lens, self.kept.kit(game.name), chosen.board_of(game))
        slow_s = SLOW_S if self._is_hardware else math.inf  # a folder or a film has its own rate
        checked = TableChecks(self.kept, lambda: examine(self.kept.folder))
        return CameraLoop(self.camera, watch, checked, slow_s=slow_s)

    def examine(self, address: TableAddress) -> list[Finding]:
        """The doctor's findings by the newest frames."""
        return checks.examined(
            self.kept,
            self._frames,
            self.kept.kit(self.setup.game),
            pins=self._pins,
            address=address,
            hub=self._hub,
        )

    def pages(self, address: TableAddress) -> tuple[Blueprint, ...]:
        """The pages of the set-up and the doctor. Until the lens file exists, plain addresses lead to the set-up."""

        def sheets(what: str, paper: str) -> bytes:
            if paper not in PAPERS_MM:
                raise KeyError(paper)
            kit = self.kept.kit(self.setup.game)
            return pdf(PRINTABLES[what][1](PrintRequest(kit=kit, url=address.url)), paper)

        front = Blueprint("setup_first", __name__)

        @front.before_app_request
        def set_up_first() -> Any:
            is_plain = request.method == "GET" and request.path in ("/", "/start") and not request.args
            if is_plain and self.setup.is_needed and (self.door is None or self.door.playing is None):
                return redirect("/setup")
            return None

        return front, setup_pages(self.setup, sheets), doctor_page(lambda: self.examine(address))

    def _frames(self) -> list[Frame]:
        found: list[Frame] = []
        sequence = -1
        for _ in range(checks.FRAMES // 2):
            frame = self.camera.newer(sequence, 1.0)
            if frame is None:
                break
            sequence = frame.sequence
            found.append(frame)
        return found

    def _listen(self) -> None:
        idle = (Stage.NO_MATCH, Stage.LOOKING_BACK)
        with self._hearing:
            if self._heard is not None or (self.door is not None and self.door.stage not in idle):
                return
            try:
                self._heard = Buttons(
                    load_pins(self._pins),
                    self.kept.press,
                    lambda name: self.kept.trouble(name, Gesture.STUCK),
                    lambda name: self.kept.trouble(name, Gesture.BOUNCED),
                )
                self._heard.start()
            except PinsError as error:
                _LOGGER.info("no buttons: %s", error)

    def _hear_no_more(self) -> None:
        with self._hearing:
            heard, self._heard = self._heard, None
        if heard is not None:
            heard.close()

    def _changed(self) -> None:
        """Makes the match use a lens or a kit that was just written."""
        if self.door is not None:
            self.door.look_anew()


def serve_table(table: RealTable, door: TableDoor, address: TableAddress) -> None:
    """Serves the pages until a signal ends it, with systemd's heartbeat, the network name and the QR code."""
    host = address.host
    secure = None if address.https is None else (address.https, own_certificate(table.kept.folder, *named(host)))
    own = () if secure is None else (certificate_page(secure[1]),)
    library = book_pages(MatchLibrary(door.folder, door.lends))
    more = (*table.pages(address), start_page(door), library, hand_reader(HandEye()), captive(), *own)
    app = create_app(door, join_url=address.url, more=more, hosts=(own_name(),))
    with ExitStack() as open_while_served:

        def ready(server: Server) -> None:
            here = replace(address, port=server.port)
            reached_at(app, here.url)
            announce("The table", here.url)
            if table.setup.is_needed:
                click.echo(f"The lens file is missing: set the table up at {here.url}setup")
            beat = Heartbeat(lambda: answers(server.port))
            beat.start()
            open_while_served.callback(beat.close)
            if host in ANYWHERE:
                open_while_served.enter_context(Announced(here, partial(reached_at, app)))

        serve(app, host, address.port, secure=secure, on_ready=ready)
