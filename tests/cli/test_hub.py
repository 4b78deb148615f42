"""`companion hub` and what stands beside it: broker, tables, links."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from companion.event.hub.mqtt import LinkError, read_credentials
from tests.cli.conftest import Call


def test_a_table_that_there_is_not_is_not_removed(call: Call, tmp_path: Path) -> None:
    """With a slip of the pen it was said that the table may no longer report, and it went on reporting."""
    data = ("--data", str(tmp_path))
    call("hub", "broker", "--plain", "--host", "127.0.0.1", *data)
    call("hub", "enroll", "north", "-o", str(tmp_path / "north.json"), *data)
    ended = call("hub", "enroll", "nort", "--remove", *data)
    assert (ended.status, ended.err) == (1, "companion: this hub has no table nort, expected one of north\n")
    assert call("hub", "enroll", "north", "--remove", *data).status == 0


@pytest.mark.parametrize("size", [0, 5_000_000])
def test_a_pipe_or_a_large_file_is_no_file_of_credentials(call: Call, tmp_path: Path, size: int) -> None:
    """A pipe was waited for without end, and a large file read whole."""
    given = tmp_path / "north.json"
    if size:
        given.write_bytes(b"{" * size)
    else:
        os.mkfifo(given)
    with pytest.raises(LinkError, match=r"north\.json"):
        read_credentials(given)
    assert call("tournament", "simulate", "--settings", str(given)).status == 2
