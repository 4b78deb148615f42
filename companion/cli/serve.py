"""`companion serve`: a real table. Camera, eyes, referee, log, phones, and the box's buttons and lamp."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import click

from calibration.lens import load_lens
from companion.cli import pruning
from companion.cli.address import announce, reachable
from companion.cli.box import box
from companion.cli.matches import opened_match
from companion.cli.table import TableLoop, data_dir, supervised
from companion.errors import CameraError, CompanionError
from companion.games import game_named
from companion.kit import kit_for
from companion.text_file import why_unread
from hardware.camera import Camera
from vision.readers import READERS
from vision.watch import Watch
from web.app import create_app
from web.server import PortBusy, bound, serve

GAME = "eyes_of_the_emperor"
READER = "eyes"
_NUMBERED = re.compile(r"(?P<kind>pi|usb)(?::(?P<number>[0-9]{1,3}))?")
SETTINGS = ("port", "host", "data", "lens", "kit", "camera", "pins", "keep_days")


class ConfigError(CompanionError, ValueError):
    """A settings file that cannot be used."""


def _settings(ctx: click.Context, param: click.Parameter, path: Path | None) -> Path | None:
    """Takes the options' defaults from a TOML file."""
    if path is not None:
        try:
            given = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        except (OSError, ValueError, RecursionError) as error:
            raise click.BadParameter(
                f"{path} cannot be used ({why_unread(error)}), expected settings in TOML"
            ) from error
        strangers = [key for key in given if key not in SETTINGS]
        if strangers:
            raise click.BadParameter(f"{path}: {strangers[0]} is no setting, expected one of {', '.join(SETTINGS)}")
        ctx.default_map = {**(ctx.default_map or {}), **{key: str(value) for key, value in given.items()}}
    return path


@click.command("serve")
@click.option(
    "--config",
    type=click.Path(path_type=Path, dir_okay=False),
    is_eager=True,
    expose_value=False,
    callback=_settings,
    help="A TOML file with these options' values.",
)
@click.option(
    "--lens", required=True, type=click.Path(path_type=Path, dir_okay=False), help="LENS.json of this camera."
)
@click.option("--kit", type=click.Path(path_type=Path, dir_okay=False), help="The set on this table.")
@click.option("--camera", default="auto", show_default=True, help="auto, pi, pi:1, usb:0, a folder or a film.")
@click.option("--pins", type=click.Path(path_type=Path, dir_okay=False), help="TOML file of the pins in use.")
@click.option("--port", default=8000, show_default=True, type=int, help="The port of the pages; 0: any free one.")
@click.option("--host", default="0.0.0.0", show_default=True, help="The address to serve on.")
@click.option("--data", type=click.Path(path_type=Path, file_okay=False), help="Folder of the matches.")
@click.option("--new", "is_new", is_flag=True, help="Begin a new match.")
@pruning.keep_days
def command(
    lens: Path,
    kit: Path | None,
    camera: str,
    pins: Path | None,
    port: int,
    host: str,
    data: Path | None,
    is_new: bool,
    keep_days: int,
) -> int:
    """Referee a real table: the camera looks, phones show the rulings, buttons end throws.

    A match that was ended or killed goes on where it was. A camera that is missing or falls out is said aloud as blind,
    and is opened again by itself.
    """
    try:
        bound(host, port).close()  # before a match is begun: status 2 means that nothing was done
        the_kit = kit_for(GAME, kit)
        the_lens = load_lens(lens)
        watch = Watch(READERS[READER].open_table(the_lens, the_kit), the_lens, the_kit)
        loop = TableLoop(supervised(_opener(camera, (the_lens.width_px, the_lens.height_px))), watch)
        try:
            folder = data_dir(data) / "matches"
            pruning.prune(folder, keep_days)
            match = opened_match(folder, game_named(GAME), is_new=is_new, live=loop.live, kit=the_kit)
        except CompanionError:
            loop.stop()
            raise
        try:
            app = create_app(match, join_url=reachable(host, port))
            loop.start(match)
            with box(match, pins):
                serve(app, host, port, on_ready=lambda server: announce("The table", reachable(host, server.port)))
        finally:
            loop.stop()
            match.close()
    except PortBusy as busy:
        click.echo(f"companion: {busy}", err=True)
        return 2
    return 0


def _opener(spec: str, size_px: tuple[int, int]) -> Callable[[], Camera]:
    """What opens the camera that `spec` names; it is called again after every failure. Raises: click.BadParameter."""
    if spec == "auto":
        return lambda: _any(size_px)
    numbered = _NUMBERED.fullmatch(spec)
    if numbered:
        number = int(numbered["number"] or 0)
        open_it = _pi if numbered["kind"] == "pi" else _usb
        return lambda: open_it(number, size_px)
    path = Path(spec)
    if path.is_dir():
        return lambda: _folder(path)
    if path.is_file():
        return lambda: _usb(str(path), size_px)
    raise click.BadParameter(
        f"{spec!r} is no camera: expected auto, pi, pi:1, usb:0, a folder of pictures or a film", param_hint="--camera"
    )


def _pi(number: int, size_px: tuple[int, int]) -> Camera:
    from hardware.picamera import PiCamera

    return PiCamera(number, size_px)


def _usb(source: int | str, size_px: tuple[int, int]) -> Camera:
    from hardware.video import VideoCamera

    return VideoCamera(source, size_px)


def _folder(path: Path) -> Camera:
    from hardware.folder import FolderCamera

    return FolderCamera(path)


def _any(size_px: tuple[int, int]) -> Camera:
    """The Pi's own camera, else a USB camera."""
    try:
        return _pi(0, size_px)
    except CameraError as no_pi:
        try:
            return _usb(0, size_px)
        except CameraError as no_usb:
            raise CameraError(f"no camera is found: {no_pi}; {no_usb}") from no_usb
