"""What README and docs name is there: commands with their options, paths, make targets, pages and their headings."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from companion.cli import companion

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
CODE = re.compile(r"`([^`\n]+)`|^(?: {4,}|\$ )(\S.*)$", re.M)
FOLDERS = ("bench", "calibration", "companion", "docs", "hardware", "requirements", "tests", "vision", "web")
NO_PATHS = {"companion/up", "companion/down", "web/words/fr.toml"}
"""Topics, and a file that a translator would write."""


def codes(page: Path) -> Iterator[str]:
    """Each piece of code on a page: in backticks, or an indented line. A line's end `\\` continues it."""
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    for found in CODE.finditer(text):
        yield found[1] or found[2]


def test_each_command_has_the_options_that_a_page_gives_it() -> None:
    wrong = [f"{page.name}: {code}" for page in PAGES for code in codes(page) for _ in faults_of(code)]
    assert not wrong, "\n".join(wrong)


def faults_of(code: str) -> Iterator[str]:
    """What is wrong with each call of `companion` in a piece of code: an unknown command or option."""
    for call in re.findall(r"(?:^|[\s/])companion ([a-z](?:(?! \| )[^;&#])*)", code):
        words = re.findall(r"[\w-]+", call.replace("rules GAME", "rules suspend"))
        group: click.Command = companion
        while words and isinstance(group, click.Group):
            name = words.pop(0)
            found = group.get_command(click.Context(group), name)
            if found is None:
                if group is companion:
                    yield name
                break
            group = found
        known = {option for param in group.params for option in (*param.opts, *param.secondary_opts)} | {"--help"}
        yield from (word for word in re.findall(r"(?<![\w-])--[a-z][a-z-]+", call) if word not in known)


def test_each_path_that_a_page_names_exists() -> None:
    named = re.compile(rf"(?<![\w./:@-])(?:{'|'.join(FOLDERS)})/[\w./-]*\w/?(?![\w*{{])")
    wrong = {
        f"{page.name}: {path}"
        for page in PAGES
        for code in codes(page)
        for path in named.findall(code)
        if not path.isupper() and not re.search(r"[A-Z]{3,}(?!\w*\.md)", path) and path.rstrip("/") not in NO_PATHS
        if not any((ROOT / above / path).exists() for above in ("", "tests"))
    }
    assert not wrong, "\n".join(sorted(wrong))


def test_each_symptom_in_the_docs_is_a_sentence_of_the_pages() -> None:
    # `test_words` keeps the German catalogues complete: their left sides are all the sentences
    catalogues = [*ROOT.glob("web/words/de.toml"), *ROOT.glob("companion/games/*/words/de.toml")]
    said = "\n".join(key for path in catalogues for key in tomllib.loads(path.read_text(encoding="utf-8")))
    table = (
        (ROOT / "docs" / "appliance.md").read_text(encoding="utf-8").partition("## By symptom")[2].partition("##")[0]
    )
    symptoms = re.findall(
        r'"(?:\.\.\. )?([^"]+)"', "\n".join(line.split("|")[1] for line in table.splitlines() if "|" in line)
    )
    assert len(symptoms) > 5
    assert not [symptom for symptom in symptoms if symptom.lower() not in said.lower()]


def test_each_make_target_exists() -> None:
    targets = set(re.findall(r"^([a-z0-9]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    for page in PAGES:
        for code in codes(page):
            assert set(re.findall(r"(?:^|and |; )make ([a-z0-9]+)", code)) <= targets, f"{page.name}: {code}"


def test_each_module_that_a_page_runs_exists() -> None:
    for page in PAGES:
        for code in codes(page):
            for module in re.findall(r"python3? -m ([\w.]+)", code):
                path = ROOT.joinpath(*module.split("."))
                assert path.with_suffix(".py").exists() or (path / "__main__.py").exists(), f"{page.name}: {code}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_each_link_leads_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if not target.startswith(("http:", "https:")):
            path, _, heading = target.partition("#")
            file = page.parent / path if path else page
            assert file.exists(), target
            assert not heading or heading in anchors(file), target


def anchors(page: Path) -> set[str]:
    """The headings of a page, as addresses name them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
