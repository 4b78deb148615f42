"""`companion print`: a file, how many sheets, and what to do with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Call


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("posters",), 2, "'posters' is not one of"),
        (("tokens", "--game", "suspend"), 1, "the kit of suspend has no tokens, expected round pieces"),
        (("fiducials", "-o", "/none/one.pdf"), 1, "(No such file or directory): give a path in a folder that exists"),
        (("fiducials", "-o", "/dev/full"), 1, "(No space left on device): free the disk"),
    ],
)
def test_what_cannot_be_printed_is_one_sentence(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], status: int, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    ended = call("print", *arguments)
    assert (ended.status, ended.err.count("\n")) == (status, 1)
    assert said in ended.err
    assert not list(tmp_path.glob("*.pdf"))
