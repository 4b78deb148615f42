"""Text that is given by a file: a pipe does not hang, what never ends is not read to its end."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from companion.game.text_file import keep_text, text_of_file


def test_a_pipe_that_nobody_writes_to_is_empty(tmp_path: Path) -> None:
    """A pipe given as a lens file hung for ever."""
    os.mkfifo(tmp_path / "pipe")
    assert text_of_file(tmp_path / "pipe") == ""


def test_a_text_is_on_the_disk_before_it_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a power cut a lens file could have its name and nothing in it, and the table did not start any more."""
    done: list[str] = []
    synced, replaced = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda file: (done.append("synced"), synced(file)))
    monkeypatch.setattr(Path, "replace", lambda path, to: (done.append("named"), replaced(path, to)))
    keep_text(tmp_path / "lens.json", "{}")
    assert done == ["synced", "named"]
    assert (tmp_path / "lens.json").read_text() == "{}"


def test_what_never_ends_is_refused() -> None:
    """/dev/zero given as a kit ate all memory."""
    with pytest.raises(OSError, match="holds more than 4 MB"):
        text_of_file(Path("/dev/zero"))
