"""`companion serve`: a real table. Camera, eyes, referee, log, phones, and the box's buttons and lamp."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from calibration.lens import load_lens
from companion.app import pruning
from companion.app.address import ANYWHERE, TableAddress, announce, named, own_name
from companion.app.box import box
from companion.app.data import with_games
from companion.app.hand import HandEye
from companion.app.house import TableHouse
from companion.app.kept import Kept
from companion.app.matches import unfinished
from companion.app.mdns import Announced
from companion.app.notify import Heartbeat, answers
from companion.app.playing import MatchChoice, at_event, choices, chosen, thresholds
from companion.app.spare import spare_memory
from companion.app.standing import AddressFollower, Standing
from companion.app.to_hub import needs_hub, reports, to_hub
from companion.app.values import FILE, FiniteRange
from companion.game.brought import kit_for
from companion.game.errors import CameraError
from companion.game.kit import load_kit
from companion.game.says import Says
from companion.game.text_file import text_of_file, why_unread
from hardware.camera import Camera, CameraSettings
from hardware.pins import default_pins, load_pins
from web.site.app import create_app
from web.site.captive import captive
from web.site.https import certificate_page, own_certificate
from web.site.server import PortBusy, Secure, Server, bound, serve
from web.table.hand import hand_reader
from web.table.start import start_page

SIZE_PX = (2304, 1296)
"""Picture size asked of a camera until its lens is known."""
CAMERA_DEFAULT = CameraSettings()
_NUMBERED = re.compile(r"(?P<kind>pi|usb)(?::(?P<number>[0-9]{1,3}))?")
SETTINGS = (
    "hints",
    "button",
    "objection",
    "port", "host", "https", "data", "lens", "kit", "camera", "pins", "keep_days", "game", "seats", "board",
    "focus", "mains", "fps", "hub", "option", "with_hub", "hub_port")  # fmt: skip
"""`new` is left out: every restart of the table would begin another match."""


def _settings(ctx: click.Context, param: click.Parameter, path: Path | None) -> Path | None:
    """Takes the options' defaults from a TOML file."""
    if path is not None:
        try:
            given = tomllib.loads(text_of_file(path))
        except (OSError, ValueError, RecursionError) as error:
            raise click.BadParameter(
                f"{path} cannot be used ({why_unread(error)}), expected settings in TOML"
            ) from error
        strangers = [key for key in given if key not in SETTINGS]
        if strangers:
            raise click.BadParameter(f"{path}: {strangers[0]} is no setting, expected one of {', '.join(SETTINGS)}")
        values = {key: _value(path, key, value) for key, value in given.items()}
        ctx.default_map = {**(ctx.default_map or {}), **values}
    return path


def _value(path: Path, key: str, value: Any) -> str | list[str]:
    """Sets an option as the command line would. Raises: click.BadParameter."""
    if key == "option":
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise click.BadParameter(f'{path}: option is {value!r}, expected house rules such as ["mode=two"]')
        return value
    if isinstance(value, list | dict):
        raise click.BadParameter(f"{path}: {key} is {value!r}, expected one value")
    return str(value)


@click.command("serve")
@click.option(
    "--config",
    type=click.Path(path_type=Path, dir_okay=False),
    is_eager=True,
    expose_value=False,
    callback=_settings,
    help="A TOML file with these options' values.",
)
@click.option("--lens", type=FILE, help="LENS.json of this camera; else the set-up's own.")
@click.option("--kit", type=FILE, help="The set on this table.")
@click.option("--camera", default="auto", show_default=True, help="auto, pi, pi:1, usb:0, a folder or a film.")
@click.option("--focus", type=FiniteRange(0, 32), help="Where a lens with a motor stands: 1 / distance in m.")
@click.option("--mains", type=click.Choice(["50", "60"]), default="50", show_default=True, help="Mains frequency, Hz.")
@click.option("--fps", type=FiniteRange(2, 60), default=15.0, show_default=True, help="Pictures a second.")
@click.option("--pins", type=FILE, help="TOML file of the pins in use.")
@click.option("--port", default=8000, show_default=True, type=int, help="The port of the pages; 0: any free one.")
@click.option("--host", default="0.0.0.0", show_default=True, help="The address to serve on.")
@click.option(
    "--https", type=click.IntRange(1, 65535), help="Phones come by https, on this port: a certificate is made here."
)
@click.option("--data", type=click.Path(path_type=Path, file_okay=False), help="Folder of the matches.")
@click.option("--new", "is_new", is_flag=True, help="Begin a new match.")
@click.option("--with-hub", is_flag=True, help="Keep events here too: the hub and this table in one process.")
@click.option("--hub-port", default=8100, show_default=True, type=int, help="The port of the hub's pages.")
@to_hub
@choices
@at_event
@pruning.keep_days
def command(
    lens: Path | None,
    kit: Path | None,
    camera: str,
    focus: float | None,
    mains: str,
    fps: float,
    pins: Path | None,
    port: int,
    host: str,
    https: int | None,
    data: Path | None,
    is_new: bool,
    with_hub: bool,
    hub_port: int,
    hub: Path | None,
    game: str | None,
    seats: int | None,
    option: tuple[str, ...],
    board: Path | None,
    hints: bool,
    button: bool | None,
    objection: float,
    keep_days: int,
) -> int:
    """Referee a real table: the camera looks, phones show the rulings, buttons end throws.

    A match that was ended or killed goes on where it was. A camera that is missing or falls out is said aloud as blind,
    and is opened again by itself. Without a lens file the pages begin with the set-up.
    """
    spare_memory()
    try:
        where = with_games(data)
        played = chosen(game, seats, option, board, where)
        bound(host, port).close()  # before a match begins: status 2 means that nothing was done
        reporting = reports(hub, where)
        kept = Kept(where / "table")
        if kit is not None and played is not None:
            kit_for(played.game, kit)
        elif kit is not None:
            load_kit(kit)
        the_lens = load_lens(lens) if lens is not None else kept.lens()
        folder = where / "matches"
        settings = CameraSettings(
            frames_per_s=fps, focus_dioptres=focus, mains_hz=float(mains), mode=the_lens.mode if the_lens else None
        )
        size_px = (the_lens.width_px, the_lens.height_px) if the_lens else SIZE_PX
        wired = tuple((load_pins(pins) if pins is not None else default_pins()).buttons)
        standing = Standing(
            kept,
            opener(camera, size_px, settings),
            lens=lens,
            kit=kit,
            pins=pins,
            buttons=wired,
            is_hardware=is_hardware(camera),
            hub=hub,
        )
        house = TableHouse(
            folder,
            standing.open_eyes,
            fit=lambda match: box(match, pins, heard=kept.press, trouble=kept.trouble),
            thresholds=thresholds(
                hints=hints,
                objection=objection,
                button=button if button is not None else pins is not None or hub is not None,
                has_referee=hub is not None or with_hub,
            ),
            keep_days=keep_days,
        )
        standing.house = house
        beside = ExitStack()
        try:
            if played is None and not is_new and (unended := unfinished(folder)) is not None:
                played = MatchChoice(game=unended)
            if played is not None:
                house.open(played, is_new=is_new)
            beside.enter_context(reporting(house))
            if with_hub:
                needs_hub()
                from companion.app.with_hub import hub_beside

                beside.enter_context(hub_beside(house, where, host, hub_port))
            _pages(standing, house, TableAddress(host, port, https))
        finally:
            beside.close()
            house.close()
            standing.close()
    except PortBusy as busy:
        click.echo(f"companion: {busy}", err=True)
        return 2
    return 0


def _pages(standing: Standing, house: TableHouse, doors: TableAddress) -> None:
    """Serves the pages until a signal ends it, with systemd's heartbeat, the network name and the QR code."""
    host = doors.host
    secure = None if doors.https is None else Secure(doors.https, own_certificate(standing.kept.folder, *named(host)))
    own = () if secure is None else (certificate_page(secure.certificate),)
    more = (*standing.pages(doors), start_page(house), hand_reader(HandEye()), captive(), *own)
    app = create_app(house, join_url=doors.url, more=more, hosts=(own_name(),))
    with ExitStack() as open_while_served:

        def ready(server: Server) -> None:
            here = replace(doors, port=server.port)
            announce("The table", here.url)
            if standing.setup.is_needed:
                click.echo(f"The lens file is missing: set the table up at {here.url}setup")
            beat = Heartbeat(lambda: answers(server.port))
            beat.start()
            open_while_served.callback(beat.close)
            open_while_served.callback(AddressFollower(app, here).close)
            if host in ANYWHERE:
                open_while_served.enter_context(Announced(here))

        serve(app, host, doors.port, secure=secure, on_ready=ready)


def opener(spec: str, size_px: tuple[int, int], settings: CameraSettings = CAMERA_DEFAULT) -> Callable[[], Camera]:
    """A function that opens the camera named by `spec`; it is called again after every failure. Raises:
    click.BadParameter."""
    if spec == "auto":
        return lambda: _any(size_px, settings)
    numbered = _NUMBERED.fullmatch(spec)
    if numbered:
        number = int(numbered["number"] or 0)
        open_it = _pi if numbered["kind"] == "pi" else _usb
        return lambda: open_it(number, size_px, settings)
    if is_hardware(spec):  # it may be plugged in later
        return lambda: _usb(spec, size_px, settings)
    path = Path(spec)
    if path.is_dir():
        told: set[str] = set()
        return lambda: _folder(path, told)
    if path.is_file():
        return lambda: _usb(str(path), size_px, settings)
    raise click.BadParameter(
        f"{spec!r} is no camera: expected auto, pi, pi:1, usb:0, /dev/v4l/by-id/NAME, a folder of pictures or a film",
        param_hint="--camera",
    )


def is_hardware(spec: str) -> bool:
    """Whether `--camera` names a camera, and not pictures or a film."""
    from hardware.video import is_device

    return spec == "auto" or _NUMBERED.fullmatch(spec) is not None or is_device(spec)


def _pi(number: int, size_px: tuple[int, int], settings: CameraSettings) -> Camera:
    from hardware.picamera import PiCamera

    return PiCamera(number, size_px, settings)


def _usb(source: int | str, size_px: tuple[int, int], settings: CameraSettings) -> Camera:
    from hardware.video import VideoCamera

    return VideoCamera(source, size_px, settings)


def _folder(path: Path, told: set[str]) -> Camera:
    from hardware.picture_file import FolderCamera

    return FolderCamera(path, told=told)


def _any(size_px: tuple[int, int], settings: CameraSettings) -> Camera:
    """The Pi's own camera, else a USB camera."""
    try:
        return _pi(0, size_px, settings)
    except CameraError as no_pi:
        try:
            return _usb(0, size_px, settings)
        except CameraError as no_usb:
            found = {"pi": no_pi.sentence, "usb": no_usb.sentence}
            raise CameraError(Says("no camera is found: {pi}; {usb}", found)) from no_usb
