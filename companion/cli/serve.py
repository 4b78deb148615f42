"""`companion serve`: a real table: a camera over it, buttons, lamp and buzzer beside it, phones around it."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from calibration.lens import load_lens
from companion.cli.address import announce, reachable
from companion.cli.matches import opened_match
from companion.cli.table import TableLoop, data_dir
from companion.errors import PinsError
from companion.games import game_named
from companion.inputs import CallReferee, EndThrow, Input, Subscription
from companion.kit import default_kit, load_kit
from companion.match import Match
from hardware.bench import Bench
from hardware.pins import default_pins, load_pins
from hardware.sources import KINDS, opener
from hardware.supervised import SupervisedCamera
from vision.readers import READERS, Picture
from vision.watch import Watch
from web.app import create_app
from web.server import serve

BUTTON = "button"
FOLLOW_S = 1.0

_LOGGER = logging.getLogger(__name__)


@click.command("serve")
@click.option("--lens", "lens_file", required=True, type=click.Path(path_type=Path), help="LENS.json of this camera.")
@click.option("--camera", "camera_text", default="pi", show_default=True, metavar="CAMERA", help=f"{KINDS}.")
@click.option("--kit", "kit_file", type=click.Path(path_type=Path), help="The set on this table; default: the game's.")
@click.option("--pins", "pins_file", type=click.Path(path_type=Path), help="How the bench is wired; default: our own.")
@click.option("--no-pins", is_flag=True, help="Without buttons, lamp and buzzer: phones end the throws.")
@click.option("--port", default=8000, show_default=True, type=int, help="The port of the pages; 0: any free one.")
@click.option("--host", default="0.0.0.0", show_default=True, help="The address to serve on; 0.0.0.0: all.")
@click.option("--data", type=click.Path(path_type=Path, file_okay=False), help="Folder of the matches.")
@click.option("--new", "is_new", is_flag=True, help="Begin a new match.")
@click.option(
    "--game",
    "game_name",
    default="eyes_of_the_emperor",
    show_default=True,
    type=click.Choice([reader.game for reader in READERS.values() if reader.game]),
    help="The game on the table.",
)
def command(
    lens_file: Path,
    camera_text: str,
    kit_file: Path | None,
    pins_file: Path | None,
    no_pins: bool,
    port: int,
    host: str,
    data: Path | None,
    is_new: bool,
    game_name: str,
) -> int:
    """Serve a real table to phones.

    A match that was ended or killed goes on where it was. Ends cleanly on SIGTERM.
    """
    lens = load_lens(lens_file)
    kit = load_kit(kit_file) if kit_file else default_kit(game_name)
    reader = next(reader for reader in READERS.values() if reader.game == game_name)
    watch = Watch(reader.open(lens, kit), lens, kit)
    frames = Frames(SupervisedCamera(opener(camera_text, (lens.width_px, lens.height_px))))
    loop = TableLoop(frames.next, watch, time.monotonic, why=lambda: frames.camera.why_blind)
    folder = data_dir(data)
    folder.mkdir(parents=True, exist_ok=True)
    match = opened_match(folder, game_named(game_name), is_new=is_new, live=loop.live)
    try:
        app = create_app(match, join_url=reachable(host, port))
        with _bench(match, pins_file, no_pins):
            frames.camera.start()
            loop.start(match)
            serve(app, host, port, on_ready=lambda server: announce("The table", server.url))
    finally:
        loop.stop()
        frames.camera.close()
        match.close()
    return 0


class Frames:
    """The frames of a supervised camera for one looker: each at most once, the newest first."""

    def __init__(self, camera: SupervisedCamera) -> None:
        self.camera = camera
        self._last = -1

    def next(self, timeout_s: float) -> tuple[Picture, float] | None:
        """The newest frame not yet given and its monotonic time; None when none came in time."""
        frame = self.camera.newer(self._last, timeout_s)
        if frame is None:
            return None
        self._last = frame.sequence
        return frame.picture, frame.at_s


def pressed(match: Match[Any, Any], name: str) -> str | None:
    """A button of the bench does to a match what it says; gives the reason where that was refused."""
    if name == "undo":
        return match.undo_newest(BUTTON).refused
    given: Input = EndThrow(by=BUTTON) if name == "end_throw" else CallReferee(by=BUTTON)
    return match.submit(given).refused


@contextlib.contextmanager
def _bench(match: Match[Any, Any], pins_file: Path | None, no_pins: bool) -> Iterator[None]:
    """Buttons, lamp and buzzer as long as the block lasts; without pins that nobody asked for, a word and no bench."""
    if no_pins:
        yield
        return
    pins = load_pins(pins_file) if pins_file else default_pins()
    opened: list[Bench] = []

    def on_press(name: str) -> None:
        refused = pressed(match, name)
        if refused is None:
            opened[0].taken()
        else:
            _LOGGER.warning("the button %s was refused: %s", name, refused)

    try:
        bench = Bench(pins, on_press)
    except PinsError as error:
        if pins_file is not None:
            raise
        click.echo(f"{error}", err=True)
        yield
        return
    opened.append(bench)
    views = match.subscribe()
    follower = threading.Thread(target=_follow, args=(views, bench), name="bench", daemon=True)
    try:
        bench.start()
        follower.start()
        yield
    finally:
        views.close()
        follower.join(2 * FOLLOW_S)
        bench.close()


def _follow(views: Subscription, bench: Bench) -> None:
    """The lamp follows the match, until the stream of its views ends."""
    while not views.is_closed:
        view = views.next(FOLLOW_S)
        if view is not None:
            bench.show(view)
