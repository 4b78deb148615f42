"""The examples in docstrings give what they show."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("companion", "calibration", "vision", "hardware", "web", "docs", "tests")


def modules() -> list[str]:
    """The modules with examples. The others are not imported: pytest's own search takes seconds in each process."""
    paths = (path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py")))
    return [
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for path in paths
        if "    >>> " in path.read_text(encoding="utf-8") and path != Path(__file__)
    ]


@pytest.mark.parametrize("module", modules())
def test_examples_of_a_module_give_what_they_show(module: str) -> None:
    done = doctest.testmod(import_module(module))
    assert done.attempted
    assert not done.failed
