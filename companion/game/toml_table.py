"""The tables of a TOML file that people write, such as a kit. A value that does not fit is refused in one sentence."""

import difflib
import math
import sys
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NoReturn

from companion.game.errors import CompanionError
from companion.game.text_file import text_of_file, why_unread


@dataclass(frozen=True, slots=True, kw_only=True)
class FileKind:
    """A kind of file: its name in sentences, the error that it raises, and the largest length in it, mm."""

    called: str
    error: type[CompanionError]
    most_mm: float = math.inf


@dataclass(frozen=True, slots=True)
class TomlTable:
    """A table of a file. `file` is the file's name in errors, `at` the path of the table, such as ``mat.``.

    >>> TomlTable(FileKind(called="a kit file", error=CompanionError), "kit.toml", {"side": -4}).length_mm("side")
    Traceback (most recent call last):
    companion.game.errors.CompanionError: kit.toml: side is -4, expected a length above 0 in mm
    """

    kind: FileKind = field(repr=False)
    file: str
    values: Mapping[str, Any]
    at: str = ""

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def __iter__(self) -> Iterator[str]:
        return iter(self.values)

    def error(self, words: str) -> CompanionError:
        return self.kind.error(f"{self.file}: {words}")

    def refuse(self, key: str, expected: str) -> NoReturn:
        """Raises the error about a value. TOML has no null, so None means that the key is missing."""
        value = self.values.get(key)
        found = "is missing" if value is None else f"is {value!r}"
        raise self.error(f"{self.at}{key} {found}, expected {expected}")

    def only(self, known: Collection[str]) -> None:
        """Refuses a key that is not known."""
        for key in self.values:
            if key not in known:
                near = difflib.get_close_matches(key, sorted(known), n=1)
                hint = f"did you mean {near[0]!r}?" if near else f"expected one of {', '.join(sorted(known))}"
                raise self.error(f"{self.at}{key} is not a key of {self.kind.called}: {hint}")

    def table(self, key: str, expected: str = "a table") -> "TomlTable":
        value = self.values.get(key)
        if not isinstance(value, dict):
            self.refuse(key, expected)
        return replace(self, values=value, at=f"{self.at}{key}.")

    def table_or_none(self, key: str) -> "TomlTable":
        """A table inside this one, empty if it is missing."""
        return self.table(key) if key in self else replace(self, values={}, at=f"{self.at}{key}.")

    def text(self, key: str) -> str:
        """A text that is not empty."""
        value = self.values.get(key)
        if not isinstance(value, str) or not value:
            self.refuse(key, "a text")
        return value

    def text_or_none(self, key: str) -> str | None:
        return self.text(key) if key in self else None

    def one_of(self, key: str, choices: Collection[str]) -> str:
        text = self.text(key)
        if text not in choices:
            self.refuse(key, f"one of {', '.join(choices)}")
        return text

    def whole(self, key: str, least: int, most: int, what: str = "a whole number") -> int:
        value = self.values.get(key)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            self.refuse(key, f"{what} from {least} to {most}")
        return value

    def length_mm(self, key: str, least_mm: float = 0.0, most_mm: float | None = None) -> float:
        value: Any = self.values.get(key)
        most_mm = self.kind.most_mm if most_mm is None else most_mm
        if not _is_number(value) or value <= 0:
            self.refuse(key, "a length above 0 in mm")
        if not least_mm <= value <= most_mm:
            self.refuse(key, f"a length in mm from {least_mm:g} to {most_mm:g}")
        return float(value)

    def point_mm(self, key: str) -> tuple[float, float]:
        x, y = self._places(key, "[x, y] in mm", 2)
        return x, y

    def box_mm(self, key: str) -> tuple[float, float, float, float]:
        """An area that is not empty."""
        x0, y0, x1, y1 = self._places(key, "[x0, y0, x1, y1] in mm", 4)
        if x1 <= x0 or y1 <= y0:
            self.refuse(key, "x0 < x1 and y0 < y1")
        return x0, y0, x1, y1

    def _places(self, key: str, expected: str, count: int) -> list[float]:
        value, most_mm = self.values.get(key), 2 * self.kind.most_mm
        if not isinstance(value, list) or len(value) != count:
            self.refuse(key, expected)
        if not all(_is_number(each) and abs(each) <= most_mm for each in value):
            self.refuse(key, expected)
        return [float(each) for each in value]


def _is_number(value: Any) -> bool:
    # a comparison, because a whole number may be too large for a float
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def text_of(path: Path, kind: FileKind) -> str:
    """The text of a file. Raises: the kind's error."""
    try:
        return text_of_file(path)
    except (OSError, UnicodeDecodeError) as error:
        why = why_unread(error)
        raise kind.error(f"{path}: cannot be read ({why}), expected {kind.called} in TOML") from error


def table_of_text(text: str, file: str, kind: FileKind) -> TomlTable:
    """The whole of a file. Raises: the kind's error."""
    try:
        return TomlTable(kind, file, tomllib.loads(text))
    except (ValueError, RecursionError) as error:
        raise kind.error(f"{file}: is not TOML ({error}), expected {kind.called}: mend that line") from error
