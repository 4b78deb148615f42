"""Text that is given by a file: a pipe does not hang, what never ends is not read to its end."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from companion.text_file import MOST_TEXT_BYTES, text_of_file


def test_a_pipe_that_nobody_writes_to_is_empty(tmp_path: Path) -> None:
    """A pipe given as a lens file hung for ever."""
    os.mkfifo(tmp_path / "pipe")
    assert text_of_file(tmp_path / "pipe") == ""


def test_what_never_ends_is_refused() -> None:
    """/dev/zero given as a kit ate all memory."""
    with pytest.raises(OSError, match="holds more than 4 MB"):
        text_of_file(Path("/dev/zero"))


def test_as_much_as_is_allowed_is_read_and_a_mark_before_it_is_none_of_it(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_bytes(b"\xef\xbb\xbf" + b"a" * (MOST_TEXT_BYTES - 3))
    assert text_of_file(tmp_path / "a.toml") == "a" * (MOST_TEXT_BYTES - 3)
