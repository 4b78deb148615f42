"""All readers. `Reader.open` makes an eye; an eye reads a picture and draws its reading."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar, cast

from calibration.arrays import Picture
from calibration.lens import Lens
from calibration.pose import Pose
from companion.game.board import Board, board_of_text
from companion.game.brought import board_file, boards, load_board
from companion.game.errors import KitError
from companion.game.game import Game
from companion.game.kit import MOST_THICK_MM, Kit
from companion.game.known import GAMES, REGISTRY
from companion.game.readings import Reading
from companion.game.text_file import text_of_file, why_unread

R = TypeVar("R", bound=Reading)


class Eye(Protocol):
    """Reads pictures of one kind. Pictures are BGR, shape (H, W, 3)."""

    def read(self, picture: Picture) -> Any:
        """A reading (a frozen dataclass of `companion.game.readings`). Raises: ReadingError."""

    def draw(self, picture: Picture, reading: Any) -> Picture:
        """A copy of the picture with the reading drawn on it."""


@dataclass(frozen=True, slots=True)
class Fused(Generic[R]):
    """One reading fused from several, and whether these agreed in all that matters. If not, another picture helps."""

    reading: R
    agree: bool


class TableEye(Eye, Protocol):
    """An eye for a watched table: several pictures of the settled table are read and fused."""

    def read(self, picture: Picture) -> Reading:
        """The table as the picture shows it. Raises: ReadingError."""

    def read_at(self, picture: Picture, pose: Pose) -> Reading:
        """Like `read`, with a known pose."""

    def fuse(self, readings: Sequence[Any]) -> Fused[Any]:
        """Fuses several readings of one table, oldest first. Raises: ValueError: no readings."""


@dataclass(frozen=True, slots=True)
class ReaderOption:
    """An option of a reader besides lens and kit: ``--name`` on the command line, ``name`` for `open`.

    `value` makes the value from a text and raises CompanionError in one sentence.
    """

    name: str
    says: str
    value: Callable[[str], Any]
    metavar: str
    is_required: bool = False

    @property
    def key(self) -> str:
        """The option's name as `open` takes it.

        >>> ReaderOption("token-height", "", float, "MM").key
        'token_height'
        """
        return self.name.replace("-", "_")


@dataclass(frozen=True, slots=True)
class Reader:
    """A reader: its module, and what it needs. A reader that measures needs a lens and the kit of one of its
    `games`."""

    name: str
    says: str
    module: str
    games: tuple[str, ...] = ()
    options: tuple[ReaderOption, ...] = ()

    @property
    def is_calibrated(self) -> bool:
        """Whether the reader needs a lens and a kit."""
        return bool(self.games)

    def game_of(self, options: Mapping[str, Any]) -> str:
        """The game whose kit the reader needs: that of the given board, or else its only game."""
        board: Board | None = options.get("board")
        return board.game if board is not None else self.games[0]

    def open(self, lens: Lens | None = None, kit: Kit | None = None, **options: Any) -> Eye:
        """Makes the eye, by the module's `open_eye(lens, kit, **options)` or `open_eye()`."""
        make: Callable[..., Eye] = import_module(self.module).open_eye
        return make(lens, kit, **options) if self.is_calibrated else make()

    def open_table(self, lens: Lens, kit: Kit, **options: Any) -> TableEye:
        """Makes the eye for a watched table. Raises: ValueError: this reader measures no table."""
        if not self.is_calibrated:
            raise ValueError(f"the reader {self.name!r} watches no table: expected one with a game")
        return cast(TableEye, self.open(lens, kit, **options))


def any_board(name: str) -> Board:
    """A built-in board by its name, or a board from a file. Raises: KitError."""
    if board_file(name) is not None:
        return load_board(name)
    try:
        return board_of_text(text_of_file(Path(name)), Path(name).name)
    except (OSError, UnicodeDecodeError) as error:
        raise KitError(
            f"{name} cannot be used ({why_unread(error)}), expected one of {', '.join(boards())} or a board file"
        ) from error


def height_mm(text: str) -> float:
    """A piece's height. Raises: KitError."""
    try:
        height = float(text)
    except ValueError:
        height = 0.0
    if not 0 < height <= MOST_THICK_MM:
        raise KitError(f"{text!r} is no height of a piece, expected millimetres from 0 to {MOST_THICK_MM:g}")
    return height


READERS: dict[str, Reader] = {
    reader.name: reader
    for reader in (
        Reader("dice", "Dice on any photograph, no calibration.", "vision.photo.dice.reader"),
        Reader("cards", "Playing cards on any photograph, no calibration.", "vision.photo.cards.reader"),
        Reader(
            "eyes",
            "An Eyes of the Emperor table from a calibrated overhead picture.",
            "vision.tables.eyes",
            ("eyes_of_the_emperor",),
        ),
        Reader(
            "board",
            "A race board: the markers on its spots and the dice, from a calibrated overhead picture.",
            "vision.tables.board.reader",
            ("center_point", "basic_manipulation"),
            (
                ReaderOption(
                    "board",
                    f"{', '.join(boards(GAMES))} or a board file.",
                    any_board,
                    "|".join((*boards(GAMES), "FILE")),
                    is_required=True,
                ),
                ReaderOption("token-height", "How high the markers are; default: the kit's.", height_mm, "MM"),
            ),
        ),
        Reader(
            "tray",
            "The dice in a table's tray, from a calibrated overhead picture.",
            "vision.tables.tray.reader",
            ("center_point",),
        ),
        Reader(
            "rummy",
            "Cards and melds on a mat, from a calibrated overhead picture.",
            "vision.tables.rummy.reader",
            ("manipulation_rummy",),
        ),
        Reader(
            "rods",
            "A Suspend table: the color die, and the loose rods by zone, from a calibrated overhead picture.",
            "vision.tables.rods.reader",
            ("suspend",),
        ),
    )
}


def reader_of(game: Game[Any, Any]) -> Reader | None:
    """The reader that a game names or brings in its folder; None: no camera can read this game."""
    name = game.eyes.reader or ""
    if name.startswith("."):
        return Reader(game.name, f"A table of {game.title}.", REGISTRY.package(game.name) + name, (game.name,))
    return READERS.get(name)
