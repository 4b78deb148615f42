"""`companion doctor`: green, or one line with the remedy."""

import json
from dataclasses import asdict
from pathlib import Path

import click

from companion.app.address import TableAddress
from companion.app.camera_loop import box_dir, of_the_box, opener
from companion.app.checks import examined, frames_of
from companion.app.kept import Kept
from companion.cli.options import game_given
from companion.game.findings import Level, plain, worst
from hardware.camera import CameraSettings

GAME = "eyes_of_the_emperor"
SIZE_PX = (2304, 1296)
FILE = click.Path(path_type=Path, dir_okay=False)


@click.command("doctor")
@click.option(
    "--camera",
    default=of_the_box("camera", "auto"),
    show_default="auto",
    help="auto, pi, pi:1, usb:0, a folder or a film.",
)
@click.option("--game", default=GAME, show_default=True, callback=game_given, help="Whose mat lies on the table.")
@click.option("--pins", type=FILE, default=of_the_box("pins"), help="TOML file of the pins in use.")
@click.option("--data", type=click.Path(path_type=Path, file_okay=False), help="Folder of the matches.")
@click.option("--port", default=of_the_box("port", 8000), show_default="8000", type=int, help="The port of the pages.")
@click.option("--hub", type=FILE, default=of_the_box("hub"), help="What the organiser gave for this table.")
@click.option("--speed", is_flag=True, help="Measure instead how long a look at each game's table takes (a minute).")
@click.option("--json", "as_json", is_flag=True, help="JSON Lines, an object a finding.")
def command(
    camera: str,
    game: str,
    pins: Path | None,
    data: Path | None,
    port: int,
    hub: Path | None,
    speed: bool,
    as_json: bool,
) -> int:
    """Look at camera, light, calibration, buttons, disk, heat, voltage, clock and network.

    While `serve` runs it holds the camera: open its page /doctor instead. Status 1: something is bad.
    """
    if speed:
        _measure(as_json=as_json)
        return 0
    kept = Kept(box_dir(data) / "table")
    mode, size_px = None, SIZE_PX
    if kept.lens_file.exists():
        from calibration.lens import load_lens

        lens = load_lens(kept.lens_file)
        mode, size_px = lens.mode, (lens.width_px, lens.height_px)
    open_camera = opener(camera, size_px, CameraSettings(mode=mode))
    found = examined(
        kept, lambda: frames_of(open_camera), kept.kit(game), pins=pins, address=TableAddress("0.0.0.0", port), hub=hub
    )
    for finding in found:
        click.echo(json.dumps(plain(finding)) if as_json else finding.line)
    return 1 if worst(found) is Level.BAD else 0


def _measure(*, as_json: bool) -> None:
    from companion.app.speed import machine, speeds

    if not as_json:
        click.echo(f"{machine()}: processor time of one look, ms\n{'game':<24}{'median':>8}{'slowest':>9}")
    for each in speeds():
        line = f"{each.game:<24}{each.median_ms:>8.0f}{each.slowest_ms:>9.0f}"
        click.echo(json.dumps({"machine": machine(), **asdict(each)}) if as_json else line)
