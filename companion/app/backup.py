"""Matches, lens, certificate and settings in one file, and restored from it."""

import contextlib
import gzip
import os
import shutil
import sqlite3
import tarfile
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, cast

import click

from companion.app import camera_loop
from companion.game.errors import LogError
from companion.game.text_file import how_to_write, why_unread
from hardware.machine import LEAST_FREE_BYTES

KEPT = ("matches", "table", "demo", "hub")
"""Folders of the data folder that a backup holds."""
PACKED_SETTINGS = "settings/companion.toml"
PART_BYTES = 1 << 20
MOST_READ_BYTES = 4 * PART_BYTES
MOST_FILES = 200_000
MOST_SHOWN = 160
"""Maximum length of a path in an error, in letters."""
STAGED = ".restoring"
"""Folder of unpacked files that are not yet in their places."""


def packed_into(path: Path, folder: Path) -> None:
    """Writes a backup of a folder. Raises: LogError, and then an older file of that name stays."""
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
                except FileNotFoundError:  # the hub has acknowledged it meanwhile
                    if file.exists():
                        raise
                    continue
                count += 1
            if camera_loop.SETTINGS.exists():
                packed.add(camera_loop.SETTINGS, PACKED_SETTINGS)
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


def _files(folder: Path) -> Iterator[Path]:
    """The files to keep, in order. Raises: OSError for a folder that may not be read."""

    def fails(error: OSError) -> None:
        raise error

    for name in KEPT:
        if not (folder / name).is_dir():
            continue
        found = (Path(at) / each for at, _, names in os.walk(folder / name, onerror=fails) for each in names)
        for file in sorted(found):
            is_passing = file.suffix in (".part", ".lock") or file.name.endswith(("-wal", "-shm", "-journal"))
            if file.is_file() and not is_passing and STAGED not in file.parts:
                yield file


def _add(packed: tarfile.TarFile, file: Path, name: str) -> None:
    """Adds a file; a log is copied by the database itself, which a match may be writing to."""
    if file.suffix != ".db":
        packed.add(file, name)
        return
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / "copy.db"
        source = sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)
        with contextlib.closing(source), contextlib.closing(sqlite3.connect(copy)) as target:
            source.backup(target)
        packed.add(copy, name)


class _Bounded:
    """An unpacked backup that returns at most `MOST_READ_BYTES` at once: tar would read a long name whole."""

    def __init__(self, plain: gzip.GzipFile) -> None:
        self._plain = plain
        self.tell, self.seek = plain.tell, plain.seek

    def read(self, size: int) -> bytes:
        if size > MOST_READ_BYTES:
            raise tarfile.ReadError(f"a header of {size} bytes")
        return self._plain.read(size)


def restored(path: Path, folder: Path) -> int:
    """Checks all of a backup, unpacks it next to the existing files, then puts each file in its place."""
    made = [each for each in (*(folder / top for top in KEPT), folder) if not each.exists()]
    try:
        put, kept, settings = _checked(path, folder)
        staged = _staged(path, folder, {*put}, made)
    except (tarfile.TarError, OSError, EOFError, zlib.error) as error:
        raise LogError(
            f"{path}: cannot be read ({why_unread(error)}), expected a file of `companion backup`"
        ) from error
    try:
        for name, draft in staged.items():
            _put(folder, folder / name, draft, made)
    finally:
        _clear(folder)
    click.echo(f"{len(staged)} files put back into {folder}")
    if settings:
        click.echo(f"Its settings are not put back: compare {PACKED_SETTINGS} in it with {camera_loop.SETTINGS}")
    if kept:
        click.echo(
            f"companion: {kept} files were there already and stay: move them away to have the backup's", err=True
        )
    return 1 if kept else 0


def _members(plain: gzip.GzipFile) -> Iterator[tuple[tarfile.TarFile, tarfile.TarInfo]]:
    """Each member of a backup, with its reader. tar's own list of all members is cleared, to save memory."""
    with tarfile.open(fileobj=cast(IO[bytes], _Bounded(plain)), mode="r:") as packed:
        while (member := packed.next()) is not None:
            packed.members.clear()  # type: ignore[attr-defined]
            yield packed, member


def _checked(path: Path, folder: Path) -> tuple[list[str], int, bool]:
    """Reads a backup to its end. Returns its files, how many exist here, and whether it holds settings."""
    put: dict[str, int] = {}
    kept, settings = 0, False
    with gzip.open(path) as plain:
        for _, member in _members(plain):
            settings |= member.name == PACKED_SETTINGS
            parts = Path(member.name).parts
            if not member.isfile() or len(parts) < 2 or parts[0] not in KEPT or {"..", STAGED} & {*parts}:
                continue
            target = folder / member.name
            try:
                is_there = target.exists()
                blocked = next((each for each in target.parents if each.exists() and not each.is_dir()), None)
            except OSError as error:
                raise _cannot(target, error) from error
            if blocked is not None:
                raise LogError(f"{target}: cannot be put back ({blocked} is no folder): move that away")
            if is_there:
                kept += 1
            elif len(put) >= MOST_FILES:
                raise LogError(f"{path}: holds more than {MOST_FILES} files, expected a file of `companion backup`")
            else:
                put[str(Path(member.name))] = member.size
        while plain.read(PART_BYTES):
            pass
    there = next(each for each in (folder, *folder.absolute().parents) if each.exists())
    needed, free = sum(put.values()), shutil.disk_usage(there).free - LEAST_FREE_BYTES
    if needed > free:
        room = f"{needed / 1e9:.1f} GB, and {max(free, 0) / 1e9:.1f} GB may be filled"
        raise LogError(f"{path}: its files need {room}: free the disk, or give another folder with --data")
    return list(put), kept, settings


def _staged(path: Path, folder: Path, names: set[str], made: Sequence[Path]) -> dict[str, Path]:
    """Unpacks into drafts next to their places; returns them by name. `made`: new folders, the outermost last."""
    _clear(folder)  # left by a restore that was killed
    drafts: dict[str, Path] = {}
    beside = {top: folder / top / STAGED for top in KEPT}
    try:
        with gzip.open(path) as plain:
            for packed, member in _members(plain):
                name = str(Path(member.name))
                content = packed.extractfile(member) if member.isfile() and name in names else None
                if content is None:
                    continue
                parts = Path(name).parts
                draft = drafts[name] = beside[parts[0]].joinpath(*parts[1:])
                try:
                    draft.parent.mkdir(parents=True, exist_ok=True)
                    _unpack(content, draft, member.mode & 0o777)
                except OSError as error:
                    raise _cannot(folder / name, error) from error
    except BaseException:
        _clear(folder)
        for each in made:
            with contextlib.suppress(OSError):
                each.rmdir()
        raise
    return drafts


def _unpack(content: IO[bytes], draft: Path, mode: int) -> None:
    with open(draft, "wb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
        shutil.copyfileobj(content, file, PART_BYTES)
        file.flush()
        os.fsync(file.fileno())


def _put(folder: Path, target: Path, draft: Path, made: Sequence[Path]) -> None:
    """Puts a file in its place, owned by the owner of the folder. Raises: LogError."""
    try:
        of_folder = [each for each in (target, *target.parents) if each.is_relative_to(folder)]
        new = [each for each in of_folder if each in made or not each.exists()]
        target.parent.mkdir(parents=True, exist_ok=True)
        draft.replace(target)
        if os.geteuid() == 0 and folder not in new:  # root restores files that the box's own user must be able to write
            owner = folder.stat()
            for each in new:
                os.chown(each, owner.st_uid, owner.st_gid)
    except OSError as error:
        raise _cannot(target, error) from error


def _clear(folder: Path) -> None:
    for top in KEPT:
        shutil.rmtree(folder / top / STAGED, ignore_errors=True)


def _cannot(target: Path, error: OSError) -> LogError:
    name = str(target) if len(str(target)) <= MOST_SHOWN else f"{str(target)[:MOST_SHOWN]}..."
    return LogError(f"{name}: cannot be put back ({why_unread(error)}): {how_to_write(error)}")
