"""`companion read READER IMAGE...`: pictures in, JSON Lines out, one object a picture in the order given."""

import json
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import click
import cv2
import msgspec

from calibration.arrays import Picture
from calibration.lens import load_lens
from companion.cli.options import FILE
from companion.game.brought import kit_for
from companion.game.errors import CompanionError, ReadingError
from companion.game.readings import Reading
from hardware.picture_file import decoded, readable
from vision.readers import READERS, Eye, Reader, ReaderOption

MOST_JPEG_PX = 65500
JPEG_START = b"\xff\xd8"
UNNOTED = (
    "does not say how its camera was set: what is read is as sure as it says only if these pictures are of that very "
    "camera, sensor mode and focus"
)
DRAWN = b"\xff\xfe" + (2 + len(b"drawn by companion read")).to_bytes(2, "big") + b"drawn by companion read"
"""JPEG comment, right after the start of the file. It marks our drawings: only these may be written over."""


def read_pictures(reader: str, paths: Sequence[str], eye: Eye, explain: Path | None, warning: str | None = None) -> int:
    """Reads and prints each picture, then once the `warning`; returns the exit status."""
    status, read = 0, 0
    drawings = Drawings(explain, map(Path, paths)) if explain is not None else None
    for name in paths:
        line: dict[str, Any] = {"image": readable(name), "reader": reader, "ms": 0.0}
        try:
            picture = decoded(Path(name), is_calibrated=READERS[reader].is_calibrated)
            began = time.perf_counter()
            try:
                reading = eye.read(picture)
            finally:
                line["ms"] = round((time.perf_counter() - began) * 1000, 2)
            line |= msgspec.to_builtins(reading)
            read += 1
            for notice in reading.notices() if isinstance(reading, Reading) else ():
                click.echo(readable(f"{name}: {notice.says}"), err=True)
            if drawings is not None:
                drawings.keep(Path(name), eye.draw(picture, reading))
        except ReadingError as error:
            line["error"] = {"code": error.code.value, "message": readable(str(error))}
            click.echo(readable(about(name, str(error))), err=True)
            status = 1
        except DrawingError as error:
            click.echo(readable(about(name, str(error))), err=True)
            status = 1
        click.echo(json.dumps(line, allow_nan=False))
    if warning is not None and read:
        click.echo(readable(warning), err=True)
    return status


def about(name: str, sentence: str) -> str:
    """The sentence, with the picture's name in front if it lacks it."""
    return sentence if sentence.startswith(f"{name} ") else f"{name}: {sentence}"


class DrawingError(CompanionError, OSError):
    """A picture that could not be written for `--explain`; its reading is printed all the same."""


class Drawings:
    """The folder of `--explain`: a JPEG for each picture. It replaces only drawings of an earlier call.
    Raises: click.BadParameter."""

    def __init__(self, folder: Path, pictures: Iterable[Path]) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise click.BadParameter(
                f"{folder} cannot be made ({error.strerror}), expected a folder to write pictures in",
                param_hint="--explain",
            ) from error
        self._folder = folder
        self._taken = {picture.resolve() for picture in pictures}

    def keep(self, picture: Path, drawn: Picture) -> None:
        """Writes the drawing of a picture: NAME.jpg, or NAME-2.jpg and so on. Raises: DrawingError."""
        path = next(path for path in self._names(picture.stem) if self._is_free(path))
        self._taken.add(path.resolve())
        try:
            path.write_bytes(_jpeg(drawn))
        except OSError as error:
            raise DrawingError(
                f"{path} cannot be written ({error.strerror}): what was read is printed, mend the folder of --explain"
            ) from error

    def _is_free(self, path: Path) -> bool:
        if path.resolve() in self._taken:
            return False
        if not path.is_file():
            return True
        try:
            with path.open("rb") as there:
                return there.read(len(JPEG_START + DRAWN)) == JPEG_START + DRAWN
        except OSError:
            return False

    def _names(self, stem: str) -> Iterator[Path]:
        yield self._folder / f"{stem}.jpg"
        for number in count(2):
            yield self._folder / f"{stem}-{number}.jpg"


def _jpeg(picture: Picture) -> bytes:
    """The JPEG file of a picture. Raises: DrawingError: a JPEG is at most 65 500 pixels wide and high."""
    height, width = picture.shape[:2]
    if max(height, width) > MOST_JPEG_PX:
        raise DrawingError(f"{width} x {height} pixels are too many for a drawing, expected at most {MOST_JPEG_PX}")
    plain = cv2.imencode(".jpg", picture)[1].tobytes()
    return JPEG_START + DRAWN + plain.removeprefix(JPEG_START)


def readers() -> dict[str, click.Command]:
    """The readers' commands, from `vision.readers`, each with its options."""
    return {name: _command_of(reader) for name, reader in READERS.items()}


def _command_of(reader: Reader) -> click.Command:
    params: list[click.Parameter] = [
        click.Argument(["images"], nargs=-1, required=True, metavar="IMAGE..."),
        click.Option(
            ["--explain"],
            type=click.Path(path_type=Path, file_okay=False),
            help="Also write each picture here, with the reading drawn.",
        ),
    ]
    if reader.is_calibrated:
        params.append(click.Option(["--lens"], required=True, type=FILE, help="LENS.json of this camera."))
        params.append(click.Option(["--kit"], type=FILE, help="The set on this table; default: the game's own."))

    params += [
        click.Option(
            [f"--{option.name}"],
            required=option.is_required,
            metavar=option.metavar,
            callback=partial(_value_of, option),
            help=option.says,
        )
        for option in reader.options
    ]

    def run(
        images: tuple[str, ...], explain: Path | None, lens: Path | None = None, kit: Path | None = None, **given: Any
    ) -> int:
        options = {key: value for key, value in given.items() if value is not None}
        if lens is not None:
            of_camera = load_lens(lens)
            eye = reader.open(of_camera, kit_for(reader.game_of(options), kit), **options)
            warning = f"{lens} {UNNOTED}" if of_camera.mode is None else None
        else:
            eye, warning = reader.open(), None
        return read_pictures(reader.name, images, eye, explain, warning)

    return click.Command(reader.name, params=params, callback=run, help=reader.says)


def _value_of(option: ReaderOption, ctx: click.Context, param: click.Parameter, text: str | None) -> Any:
    """The value of a reader's option. Raises: click.BadParameter."""
    if text is None:
        return None
    try:
        return option.value(text)
    except CompanionError as error:
        raise click.BadParameter(str(error)) from error


command = click.Group(
    "read",
    help="Read pictures. Prints JSON Lines, one object a picture; status 1 when a picture could not be read.",
    commands=readers(),
)
