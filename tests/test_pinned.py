"""Nothing is installed that is not listed by version and hash, on any Python and processor that we name."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LISTS = {"run": (), "hub": ("hub",), "pi": ("hub", "pi"), "dev": ("hub", "dev")}
LINE = re.compile(r"^([A-Za-z0-9_.-]+)(?:\[\w+\])?==(\S+)(?: ; (.*?))? \\$(.*?)(?=^\S|\Z)", re.M | re.S)


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pinned(name: str) -> list[tuple[str, str, int]]:
    """Package, version and how many hashes it has, line by line."""
    text = (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
    return [(plain(m[1]), m[2], m[4].count("--hash=sha256:")) for m in LINE.finditer(text)]


@pytest.mark.parametrize("name", LISTS)
def test_each_dependency_is_listed_with_its_hashes(name: str) -> None:
    """numpy, scipy and simplejpeg were not pinned on Python 3.12 and later."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *(d for e in LISTS[name] for d in project["optional-dependencies"][e])]
    names = {plain(re.split(r"[\[<>=!~ ;]", each)[0]) for each in wanted} - {"tabletop-companion"}
    listed = pinned(name)
    assert names | {"setuptools"} <= {package for package, _, _ in listed}
    assert min(hashes for _, _, hashes in listed) >= 1
    assert [package for package, _, _ in listed].count("numpy") == 2  # Python 3.11, and those after it


@pytest.mark.parametrize("name", LISTS)
def test_what_is_listed_is_what_the_tests_passed_with(name: str) -> None:
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    passed: dict[str, set[str]] = {}
    for package, version in re.findall(r"^([A-Za-z0-9_.-]+)==([^;\s]+)", text, re.M):
        passed.setdefault(plain(package), set()).add(version)
    wrong = {p: v for p, v, _ in pinned(name) if p in passed and v not in passed[p]}
    assert wrong == {}, "run requirements/pin.sh"


@pytest.mark.parametrize(("python", "venv"), [("python3", ".venv"), ("/opt/bin/python3.13", ".venv-python3.13")])
def test_each_python_runs_the_tests_in_a_venv_of_its_own(python: str, venv: str) -> None:
    """`make quick PYTHON=python3.13` used the Python of the venv that was there."""
    command = ["make", "--dry-run", "--no-print-directory", "quick", f"PYTHON={python}"]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert f'"{venv}/bin/python" -m pytest' in said
