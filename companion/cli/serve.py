"""`companion serve`: a real table. Camera, eyes, referee, log, phones, and the box's buttons and lamp."""

import tomllib
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from calibration.lens import load_lens
from companion.app.address import TableAddress
from companion.app.box import box
from companion.app.camera_loop import is_hardware, opener
from companion.app.data import with_games
from companion.app.door import TableDoor
from companion.app.hub import needs_hub, reports
from companion.app.kept import Kept
from companion.app.process import spare_memory
from companion.app.real_table import RealTable, serve_table
from companion.cli.match_options import at_event, choices, chosen, keep_days_option, thresholds, to_hub
from companion.cli.options import FILE, FiniteRange
from companion.game.brought import kit_for
from companion.game.text_file import text_of_file, why_unread
from hardware.camera import CameraSettings
from web.site.server import bound

SIZE_PX = (2304, 1296)
"""Picture size asked of a camera until its lens is known."""
NO_SETTINGS = ("config", "is_new")
"""Options that no file of settings holds. With `new` every restart of the table would begin another match."""


def _settings(ctx: click.Context, param: click.Parameter, path: Path | None) -> Path | None:
    if path is not None:
        try:
            given = tomllib.loads(text_of_file(path))
        except (OSError, ValueError, RecursionError) as error:
            raise click.BadParameter(
                f"{path} cannot be used ({why_unread(error)}), expected settings in TOML"
            ) from error
        known = [option.name for option in ctx.command.params if option.name and option.name not in NO_SETTINGS]
        strangers = [key for key in given if key not in known]
        if strangers:
            raise click.BadParameter(f"{path}: {strangers[0]} is no setting, expected one of {', '.join(known)}")
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
@keep_days_option
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
) -> None:
    """Referee a real table: the camera looks, phones show the rulings, buttons end throws.

    A match that was ended or killed goes on where it was. A missing or failed camera is announced as blind, and
    reopened automatically. Without a lens file the pages begin with the set-up.
    """
    spare_memory()
    where = with_games(data)
    played = chosen(game, seats, option, board, where)
    bound(host, port).close()  # before a match begins: status 2 means that nothing was done
    reporting = reports(hub, where)
    kept = Kept(where / "table", lens, kit)
    if kit is not None and played is not None:
        kit_for(played.game, kit)
    the_lens = load_lens(lens) if lens is not None else kept.lens()
    settings = CameraSettings(
        frames_per_s=fps, focus_dioptres=focus, mains_hz=float(mains), mode=the_lens.mode if the_lens else None
    )
    size_px = (the_lens.width_px, the_lens.height_px) if the_lens else SIZE_PX
    open_camera = opener(camera, size_px, settings)
    table = RealTable(kept, open_camera, pins=pins, is_hardware=is_hardware(camera), hub=hub)
    door = TableDoor(
        where / "matches",
        table.open_eyes,
        fit=lambda match: box(match, pins, heard=kept.press, trouble=kept.trouble),
        thresholds=thresholds(
            hints=hints,
            objection=objection,
            button=button if button is not None else pins is not None or hub is not None,
            has_referee=hub is not None or with_hub,
        ),
        keep_days=keep_days,
    )
    table.door = door
    with ExitStack() as opened:
        opened.callback(table.close)
        opened.callback(door.close)
        door.open(played, is_new=is_new)
        opened.enter_context(reporting(door))
        if with_hub:
            needs_hub()
            from companion.app.hub_server import hub_beside

            opened.enter_context(hub_beside(door, where, host, hub_port))
        serve_table(table, door, TableAddress(host, port, https))
