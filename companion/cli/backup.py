"""`companion backup`: matches, lens, certificate and settings in one file, and restored from it."""

import time
from pathlib import Path

import click

from companion.app.backup import packed_into, restored
from companion.app.camera_loop import box_dir


@click.command("backup")
@click.option("--data", type=click.Path(path_type=Path, file_okay=False), help="Folder of the matches.")
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="Default: companion-DATE.tar.gz.")
@click.option("--restore", type=click.Path(path_type=Path, dir_okay=False, exists=True), help="Put a backup back.")
def command(data: Path | None, output: Path | None, restore: Path | None) -> int:
    """Copy matches, lens, certificate and settings into one file, also while a match is played; or put them back.

    Restored files replace nothing: an existing file stays and is reported (status 1).
    """
    folder = box_dir(data)
    if restore is not None:
        return restored(restore, folder)
    if not folder.is_dir():
        raise click.BadParameter(
            f"there is no folder {folder}, expected one with matches: give it with --data", param_hint="--data"
        )
    packed_into(output or Path(time.strftime("companion-%Y%m%d-%H%M%S.tar.gz")), folder)
    return 0
