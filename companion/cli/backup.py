"""`companion backup`: matches, lens, certificate and settings in one file, and back again."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import sqlite3
import tarfile
import tempfile
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

import click

from companion.cli import table
from companion.cli.table import box_dir
from companion.errors import LogError
from companion.text_file import how_to_write, why_unread

KEPT = ("matches", "table", "demo", "hub")
"""Folders of the data folder that a backup holds."""
PACKED_SETTINGS = "settings/companion.toml"
PART_BYTES = 1 << 20


@click.command("backup")
@click.option("--data", type=click.Path(path_type=Path, file_okay=False), help="Folder of the matches.")
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="Default: companion-DATE.tar.gz.")
@click.option("--restore", type=click.Path(path_type=Path, dir_okay=False, exists=True), help="Put a backup back.")
def command(data: Path | None, output: Path | None, restore: Path | None) -> int:
    """Copy matches, lens, certificate and settings into one file, also while a match is played; or put them back.

    What is put back takes the place of nothing: a file that is there stays, and is said (status 1).
    """
    folder = box_dir(data)
    if restore is not None:
        return _restore(restore, folder)
    if not folder.is_dir():
        raise click.BadParameter(
            f"there is no folder {folder}, expected one with matches: give it with --data", param_hint="--data"
        )
    path = output or Path(time.strftime("companion-%Y%m%d-%H%M%S.tar.gz"))
    is_file = path.is_file() or not path.exists()  # and no device
    draft = path.with_name(f"{path.name}.part") if is_file else path  # an older backup of that name stays until then
    count, file = 0, folder
    try:
        with (
            open(draft, "wb", opener=lambda name, flags: os.open(name, flags, 0o600)) as raw,  # it holds secrets
            tarfile.open(fileobj=raw, mode="w:gz") as packed,
        ):
            for file in _files(folder):
                try:
                    _add(packed, file, str(file.relative_to(folder)))
                except FileNotFoundError:  # the hub acknowledged it meanwhile
                    if file.exists():
                        raise
                    continue
                count += 1
            if table.SETTINGS.exists():
                packed.add(table.SETTINGS, PACKED_SETTINGS)
        if is_file and count:
            draft.replace(path)
    except (OSError, sqlite3.Error) as error:
        if is_file:
            draft.unlink(missing_ok=True)
        if not isinstance(error, OSError) or (error.filename or "").startswith(str(folder)):
            what = f"{getattr(error, 'filename', None) or file} cannot be copied ({why_unread(error)})"
            help_ = "type sudo before it" if isinstance(error, PermissionError) else "mend that file, or move it away"
            raise LogError(f"{path}: no backup was written, for {what}: {help_}") from error
        why = f"{why_unread(error)}): {how_to_write(error)}"
        raise LogError(f"{path}: the backup could not be written ({why}") from error
    if not count:
        if is_file:
            draft.unlink(missing_ok=True)
        raise LogError(f"{folder} holds nothing to keep, expected {', '.join(KEPT)} in it: give it with --data")
    click.echo(f"{path}: {count} files of {folder}")
    return 0


def _files(folder: Path) -> Iterator[Path]:
    """What is kept, in order. Raises: OSError for a folder that may not be read."""

    def fails(error: OSError) -> None:
        raise error

    for name in KEPT:
        if not (folder / name).is_dir():
            continue
        found = (Path(at) / each for at, _, names in os.walk(folder / name, onerror=fails) for each in names)
        for file in sorted(found):
            is_passing = file.suffix in (".part", ".lock") or file.name.endswith(("-wal", "-shm", "-journal"))
            if file.is_file() and not is_passing:
                yield file


def _add(packed: tarfile.TarFile, file: Path, name: str) -> None:
    """Adds a file; a log is copied by the database itself, which a match may be writing to."""
    if file.suffix != ".db":
        packed.add(file, name)
        return
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / "copy.db"
        source, target = sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True), sqlite3.connect(copy)
        try:
            source.backup(target)
        finally:
            target.close()
            source.close()
        packed.add(copy, name)


def _restore(path: Path, folder: Path) -> int:
    kept, put, settings = 0, 0, False
    try:
        _check(path)
        with tarfile.open(path, "r:gz") as packed:
            for member in packed.getmembers():
                settings |= member.name == PACKED_SETTINGS
                top = Path(member.name).parts[0] if Path(member.name).parts else ""
                if not member.isfile() or top not in KEPT or ".." in Path(member.name).parts:
                    continue
                target = folder / member.name
                if target.exists():
                    kept += 1
                    continue
                content = packed.extractfile(member) or io.BytesIO()
                _put(folder, target, content.read(), member.mode & 0o777)
                put += 1
    except (tarfile.TarError, OSError, EOFError, zlib.error) as error:
        raise LogError(
            f"{path}: cannot be read ({why_unread(error)}), expected a file of `companion backup`"
        ) from error
    click.echo(f"{put} files put back into {folder}")
    if settings:
        click.echo(f"Its settings are not put back: compare {PACKED_SETTINGS} in it with {table.SETTINGS}")
    if kept:
        click.echo(
            f"companion: {kept} files were there already and stay: move them away to have the backup's", err=True
        )
    return 1 if kept else 0


def _check(path: Path) -> None:
    """Reads a backup to its end, where its checksum stands: tar takes damage in the middle for the end."""
    with gzip.open(path) as packed:
        while packed.read(PART_BYTES):
            pass


def _put(folder: Path, target: Path, content: bytes, mode: int) -> None:
    """Writes a file whole or not at all, as its owner's who has the folder. Raises: LogError."""
    draft = target.with_name(f"{target.name}.part")
    try:
        new = [each for each in (target, *target.parents) if each.is_relative_to(folder) and not each.exists()]
        target.parent.mkdir(parents=True, exist_ok=True)
        with open(draft, "wb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(target)
        if os.geteuid() == 0 and folder not in new:  # root puts back what the box's own user writes to
            owner = folder.stat()
            for each in new:
                os.chown(each, owner.st_uid, owner.st_gid)
    except OSError as error:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise LogError(f"{target}: cannot be put back ({why_unread(error)}): {how_to_write(error)}") from error
