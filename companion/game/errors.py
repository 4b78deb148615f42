"""Every error of Companion says what was found, what was expected and what to do."""

from enum import StrEnum

from companion.game.says import Says


class CompanionError(Exception):
    """The root of all errors that a person reads; phones show them as a translatable sentence.

    >>> str(LensError(Says("{n} pictures serve", {"n": 3})))
    '3 pictures serve'
    """

    status = 1
    """The exit status of a command that it ends."""

    def __init__(self, says: Says | str) -> None:
        super().__init__(str(says))
        self.sentence = says if isinstance(says, Says) else Says("{why}", {"why": says})


def first_line(error: BaseException) -> str:
    """The first line of another library's error, or of what caused it."""
    lines = str(getattr(error, "orig", None) or error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


class Refused(CompanionError):
    """An input that is not entered; the match stays as it was."""


class KitError(CompanionError, ValueError):
    """A kit or board file that cannot be used: ``kit.toml: pieces[2].side_mm is -4, expected > 0``."""


class LensError(CompanionError, ValueError):
    """A lens file or a set of calibration pictures that cannot be used."""


class NotationError(CompanionError, ValueError):
    """A state, an action or a position that does not parse; ``field`` names the part at fault."""

    def __init__(self, message: Says | str, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


class ImpossibleError(NotationError):
    """A position that parses but is impossible, with the first reason."""


class LogError(CompanionError, ValueError):
    """A match log that is damaged or not a log; readable parts are never thrown away."""


class CameraError(CompanionError, OSError):
    """A camera that is missing, silent or sends something other than pictures."""


class PinsError(CompanionError, OSError):
    """GPIO is missing, or another program holds a pin."""


class ReadingFault(StrEnum):
    """Reasons why a picture could not be read: the codes that the command line promises."""

    NOT_AN_IMAGE = "not_an_image"
    NO_FIDUCIALS = "no_fiducials"
    OUT_OF_PICTURE = "out_of_picture"
    WRONG_LENS = "wrong_lens"
    NOT_CALIBRATED = "not_calibrated"
    TOO_DARK = "too_dark"
    TOO_BRIGHT = "too_bright"
    BLURRED = "blurred"
    HAND_IN_VIEW = "hand_in_view"
    BOARD_NOT_FOUND = "board_not_found"
    CAMERA_MOVED = "camera_moved"


class ReadingError(CompanionError, ValueError):
    """A picture that cannot be read, with the code a script can test.

    >>> str(ReadingError(ReadingFault.TOO_DARK, "the paper of the fiducials is at 12 of 255: switch on a light"))
    'the paper of the fiducials is at 12 of 255: switch on a light'
    """

    def __init__(self, code: ReadingFault, says: Says | str) -> None:
        super().__init__(says)
        self.code = code

    def __reduce__(self) -> "tuple[type[ReadingError], tuple[ReadingFault, Says]]":
        """Pickles code and sentence, so that an error from another process arrives unchanged.

        >>> from pickle import dumps, loads
        >>> loads(dumps(ReadingError(ReadingFault.TOO_DARK, Says("at {n} of 255", {"n": 12})))).sentence.values
        {'n': 12}
        """
        return type(self), (self.code, self.sentence)
