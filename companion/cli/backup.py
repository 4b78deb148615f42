"""`companion backup`: matches, lens, certificate and settings in one file, and back again."""

from __future__ import annotations

import io
import sqlite3
import tarfile
import tempfile
import time
from pathlib import Path

import click

from companion.cli.table import data_dir
from companion.errors import LogError
from companion.text_file import how_to_write, why_unread

KEPT = ("matches", "table", "demo", "hub")
"""Folders of the data folder that a backup holds."""
SETTINGS = Path("/etc/companion/companion.toml")


@click.command("backup")
@click.option("--data", type=click.Path(path_type=Path, file_okay=False), help="Folder of the matches.")
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="Default: companion-DATE.tar.gz.")
@click.option("--restore", type=click.Path(path_type=Path, dir_okay=False, exists=True), help="Put a backup back.")
def command(data: Path | None, output: Path | None, restore: Path | None) -> int:
    """Copy matches, lens, certificate and settings into one file, also while a match is played; or put them back.

    What is put back takes the place of nothing: a file that is there stays, and is said (status 1).
    """
    folder = data_dir(data)
    if restore is not None:
        return _restore(restore, folder)
    if not folder.is_dir():
        raise click.BadParameter(
            f"there is no folder {folder}, expected one with matches: give it with --data", param_hint="--data"
        )
    path = output or Path(time.strftime("companion-%Y%m%d-%H%M%S.tar.gz"))
    count, file = 0, folder
    try:
        with tarfile.open(path, "w:gz") as packed:
            for name in KEPT:
                for file in sorted(p for p in (folder / name).rglob("*") if p.is_file()):
                    if file.suffix in (".part", ".lock") or file.name.endswith(("-wal", "-shm", "-journal")):
                        continue
                    _add(packed, file, str(file.relative_to(folder)))
                    count += 1
            if SETTINGS.exists():
                packed.add(SETTINGS, "settings/companion.toml")
    except (OSError, sqlite3.Error) as error:
        if path.is_file():  # and no device
            path.unlink()
        if not isinstance(error, OSError) or error.filename == str(file):
            what = f"{file} cannot be copied ({why_unread(error)}): mend that file, or move it away"
            raise LogError(f"{path}: no backup was written, for {what}") from error
        why = f"{why_unread(error)}): {how_to_write(error)}"
        raise LogError(f"{path}: the backup could not be written ({why}") from error
    click.echo(f"{path}: {count} files of {folder}")
    return 0


def _add(packed: tarfile.TarFile, file: Path, name: str) -> None:
    """Adds a file; a log is copied by the database itself, which a match may be writing to."""
    if file.suffix != ".db":
        packed.add(file, name)
        return
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / "copy.db"
        source, target = sqlite3.connect(f"file:{file}?mode=ro", uri=True), sqlite3.connect(copy)
        try:
            source.backup(target)
        finally:
            target.close()
            source.close()
        packed.add(copy, name)


def _restore(path: Path, folder: Path) -> int:
    kept, put = 0, 0
    try:
        with tarfile.open(path, "r:gz") as packed:
            for member in packed.getmembers():
                top = Path(member.name).parts[0] if Path(member.name).parts else ""
                if not member.isfile() or top not in KEPT or ".." in Path(member.name).parts:
                    continue
                target = folder / member.name
                if target.exists():
                    kept += 1
                    continue
                target.parent.mkdir(parents=True, exist_ok=True)
                content = packed.extractfile(member) or io.BytesIO()
                target.write_bytes(content.read())
                put += 1
    except (tarfile.TarError, OSError, EOFError) as error:
        raise LogError(
            f"{path}: cannot be read ({why_unread(error)}), expected a file of `companion backup`"
        ) from error
    click.echo(f"{put} files put back into {folder}")
    if kept:
        click.echo(
            f"companion: {kept} files were there already and stay: move them away to have the backup's", err=True
        )
    return 1 if kept else 0
