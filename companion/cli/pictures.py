"""One way through for all picture readers: decode, read, time, print, draw."""

from __future__ import annotations

import io
import json
import os
import struct
import sys
import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import click
import cv2
import msgspec
import numpy as np
from PIL import Image

from calibration.lens import load_lens
from companion.errors import CompanionError, ReadingError, ReadingFault
from companion.kit import kit_for
from companion.readings import Reading
from vision.readers import READERS, Eye, Option, Picture, Reader

MOST_JPEG_PX = 65500
MOST_PX = 120_000_000
MOST_BYTES = 100_000_000
TOO_LARGE = "is a picture too large to be decoded: give a smaller one"
JPEG_START = b"\xff\xd8"
PICTURE_STARTS = (JPEG_START, b"\x89PNG")
DAMAGED = (b"premature end of data segment", b"bad Huffman code", b"bad arithmetic code", b"instead of RST")
"""What libjpeg says where part of the picture is lost; of a few bytes too many it speaks too, and nothing is lost."""
UNNOTED = (
    "does not say how its camera was set: what is read is as sure as it says only if these pictures are of that very "
    "camera, sensor mode and focus"
)
DRAWN = b"\xff\xfe" + (2 + len(b"drawn by companion read")).to_bytes(2, "big") + b"drawn by companion read"
"""A JPEG's comment, right after its start, by which a drawing is known from other pictures."""


def decoded(path: Path) -> Picture:
    """A picture file as BGR, shape (H, W, 3). Raises: ReadingError(not_an_image)."""
    raw = np.frombuffer(_file(path), np.uint8)
    said: list[bytes] = []
    try:
        with _kept_off_standard_error(said):
            picture = cv2.imdecode(raw, cv2.IMREAD_COLOR) if raw.size else None
    except cv2.error as error:  # of a header that tells of more pixels than OpenCV takes, or than there is memory for
        raise ReadingError(ReadingFault.NOT_AN_IMAGE, f"{path} {TOO_LARGE}") from error
    if picture is None:
        raise ReadingError(ReadingFault.NOT_AN_IMAGE, f"{path} {_why_undecoded(raw.tobytes())}")
    if any(words in b"".join(said) for words in DAMAGED):
        raise ReadingError(
            ReadingFault.NOT_AN_IMAGE, f"{path} is a damaged JPEG, part of its picture is lost: copy or take it again"
        )
    return np.asarray(picture, np.uint8)


def _why_undecoded(raw: bytes) -> str:
    """What is wrong with a file that is no picture, and what to do.

    >>> _why_undecoded(b""), _why_undecoded(b"%PDF")
    ('is empty: copy or take it again', 'is not a picture that can be decoded: give a JPEG or PNG file')
    """
    if not raw:
        return "is empty: copy or take it again"
    if raw.startswith(PICTURE_STARTS):
        return "begins as a picture does and cannot be decoded, it is damaged or cut off: copy or take it again"
    return "is not a picture that can be decoded: give a JPEG or PNG file"


def _file(path: Path) -> bytes:
    """The bytes of a picture file, its header looked at first. Raises: ReadingError(not_an_image)."""
    try:
        if path.exists() and not path.is_file():
            kind = "a folder" if path.is_dir() else "a device or a pipe"
            raise ReadingError(ReadingFault.NOT_AN_IMAGE, f"{path} is {kind}, expected a picture: give a picture file")
        if path.stat().st_size > MOST_BYTES:
            raise ReadingError(ReadingFault.NOT_AN_IMAGE, f"{path} {TOO_LARGE}")
        raw = path.read_bytes()
    except OSError as error:
        why = error.strerror or "no reason given"
        raise ReadingError(
            ReadingFault.NOT_AN_IMAGE, f"{path} cannot be opened ({why}): give a picture file"
        ) from error
    must_be_small(raw, str(path))
    return raw


def must_be_small(raw: bytes, name: str) -> None:
    """Looks at a picture's header before it is decoded. Raises: ReadingError(not_an_image): of too many pixels."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(raw)) as header:
                width_px, height_px = header.size
    except (Image.DecompressionBombError, MemoryError) as error:
        raise ReadingError(ReadingFault.NOT_AN_IMAGE, f"{name} {TOO_LARGE}") from error
    except (OSError, ValueError, SyntaxError, struct.error):
        return  # what Pillow does not know OpenCV may, or says that it does not
    if width_px * height_px > MOST_PX:
        raise ReadingError(ReadingFault.NOT_AN_IMAGE, f"{name} {TOO_LARGE}")


@contextmanager
def _kept_off_standard_error(said: list[bytes]) -> Iterator[None]:
    """Puts into `said` what libpng, libjpeg and OpenCV write to standard error meanwhile: no call keeps them quiet.

    The whole process's standard error is turned aside: for commands of one thread.
    """
    try:
        before, aside = os.dup(2), TemporaryFile()  # noqa: SIM115 - closed below
    except OSError:  # standard error is closed, or there is no room: then they write where they would
        yield
        return
    sys.stderr.flush()
    os.dup2(aside.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(before, 2)
        os.close(before)
        aside.seek(0)
        said.append(aside.read())
        aside.close()


def read_pictures(reader: str, paths: Sequence[str], eye: Eye, explain: Path | None, warning: str | None = None) -> int:
    """Reads and prints each picture; returns the exit status (1 when one could not be read, or not explained).
    `warning` is said once of all that was read."""
    status, read = 0, 0
    drawings = Drawings(explain, map(Path, paths)) if explain is not None else None
    for name in paths:
        line: dict[str, Any] = {"image": _readable(name), "reader": reader}
        try:
            picture = decoded(Path(name))
            began = time.perf_counter()
            try:
                reading = eye.read(picture)
            finally:
                line["ms"] = round((time.perf_counter() - began) * 1000, 2)
            line |= msgspec.to_builtins(reading)
            read += 1
            for notice in reading.notices() if isinstance(reading, Reading) else ():
                click.echo(_readable(f"{name}: {notice.says}"), err=True)
            if drawings is not None:
                drawings.keep(Path(name), eye.draw(picture, reading))
        except ReadingError as error:
            line["error"] = {"code": error.code.value, "message": _readable(str(error))}
            click.echo(_readable(about(name, str(error))), err=True)
            status = 1
        except DrawingError as error:
            click.echo(_readable(about(name, str(error))), err=True)
            status = 1
        click.echo(json.dumps(line, allow_nan=False))
    if warning is not None and read:
        click.echo(_readable(warning), err=True)
    return status


def about(name: str, sentence: str) -> str:
    """A sentence that says which picture it is about, once."""
    return sentence if sentence.startswith(f"{name} ") else f"{name}: {sentence}"


def _readable(name: str) -> str:
    """A file's name as text: bytes that are not UTF-8, half a character to Python, are shown as the sign for that.

    >>> _readable("caf\\udce9.jpg") == "caf\\ufffd.jpg"
    True
    """
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


class DrawingError(CompanionError, OSError):
    """A picture that could not be written where `--explain` asks for it; what was read is printed all the same."""


class Drawings:
    """The folder of `--explain`: a JPEG a picture, of its name. Raises: click.BadParameter: no such folder can be.

    A drawing takes the place of an earlier call's and of nothing else: neither of another picture's of the same name,
    nor of a picture given, nor of any other file that was there.
    """

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
    """The file of a picture. Raises: DrawingError: a JPEG is at most 65 500 pixels wide and high."""
    height, width = picture.shape[:2]
    if max(height, width) > MOST_JPEG_PX:
        raise DrawingError(f"{width} x {height} pixels are too many for a drawing, expected at most {MOST_JPEG_PX}")
    plain = cv2.imencode(".jpg", picture)[1].tobytes()
    return JPEG_START + DRAWN + plain.removeprefix(JPEG_START)


def readers() -> dict[str, click.Command]:
    """The readers' commands, from `vision.readers`, each with the options that it needs."""
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
        params.append(
            click.Option(["--lens"], required=True, type=click.Path(path_type=Path), help="LENS.json of this camera.")
        )
        params.append(
            click.Option(
                ["--kit"], type=click.Path(path_type=Path), help="The set on this table; default: the game's own."
            )
        )

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


def _value_of(option: Option, ctx: click.Context, param: click.Parameter, text: str | None) -> Any:
    """What the text of a reader's option means. Raises: click.BadParameter."""
    if text is None:
        return None
    try:
        return option.value(text)
    except CompanionError as error:
        raise click.BadParameter(str(error)) from error
