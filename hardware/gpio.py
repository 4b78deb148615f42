"""The Pi's pins by gpiozero, opened late and quietly; on a machine without pins, one sentence."""

from __future__ import annotations

import os
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from companion.game.errors import PinsError
from companion.game.says import Says


def open_factory(runtime: Path | None = None) -> Any:
    """gpiozero's pin factory for this machine. Raises: PinsError.

    Args:
        runtime: a folder for what lgpio drops at its import (a FIFO, else left in the current folder); None: the
            user's own runtime folder.
    """
    os.environ.setdefault("LG_WD", str(runtime or os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()))
    with told(Says("the pins cannot be opened")), warnings.catch_warnings():
        # on a laptop gpiozero warns of each of four libraries that is not there, and then raises
        warnings.simplefilter("ignore")
        from gpiozero import Device

        Device.ensure_pin_factory()
        return Device.pin_factory


@contextmanager
def told(what: Says) -> Iterator[None]:
    """Turns errors of gpiozero and of the libraries below it into a PinsError that begins with `what`."""
    try:
        yield
    except ImportError as error:  # gpiozero's BadPinFactory is one as well
        words = (
            "{what}: this machine has no GPIO that gpiozero can use ({error}): run on a Raspberry Pi with python3-lgpio"
            ", or end throws from a phone"
        )
        raise PinsError(Says(words, {"what": what, "error": _words(error)})) from error
    except Exception as error:
        if not _is_of_pins(error):
            raise
        words = (
            "{what} ({error}): close other programs that use the pins, run on a Raspberry Pi with python3-lgpio, or end"
            " throws from a phone"
        )
        raise PinsError(Says(words, {"what": what, "error": _words(error)})) from error


def _is_of_pins(error: Exception) -> bool:
    from gpiozero import GPIOZeroError

    lgpio = sys.modules.get("lgpio")  # its `error` is not derived from anything of gpiozero's
    return isinstance(error, GPIOZeroError | OSError) or (lgpio is not None and isinstance(error, lgpio.error))


def _words(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
