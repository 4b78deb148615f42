"""Every console example of docs/notation.md is run and gives what the page says; ``...`` stands for anything."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import Call, call  # noqa: F401 - a fixture

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "notation.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```console\n(.*?)```", PAGE, re.S)


def examples() -> list[tuple[str, str]]:
    """Each command of the page with the output below it. A backslash at a line's end continues the command."""
    found = []
    for block in BLOCKS:
        for part in re.split(r"^\$ ", block.replace("\\\n", ""), flags=re.M)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


def matches(expected: str, found: str) -> bool:
    pattern = ".*".join(re.escape(part) for part in expected.strip().split("..."))
    return re.fullmatch(pattern, found.strip(), re.S) is not None


@pytest.mark.parametrize(("command", "output"), examples(), ids=lambda text: text[:60])
def test_an_example_gives_what_the_page_says(command: str, output: str, call: Call) -> None:  # noqa: F811
    words = shlex.split(command)
    assert words[0] == "companion"
    if "|" in words:
        cut = words.index("|")
        first = call(*words[1:cut])
        words, stdin = words[cut + 1 :], first.out
    else:
        stdin = ""
    ended = call(*words[1:], stdin=stdin)
    said = ended.out + ended.err
    assert matches(output, said), f"the page says:\n{output}\nbut found:\n{said}"
