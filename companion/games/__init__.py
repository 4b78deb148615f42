"""The games, one folder and one line each. Folders do not import each other.

A folder elsewhere is played as well, by its path: `game_named("my/games/pig")`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from companion.errors import NotationError
from companion.game import Game

GAMES: tuple[str, ...] = (
    # one line a game, in the order people see them
    "eyes_of_the_emperor",
    "basic_manipulation",
    "manipulation_rummy",
    "suspend",
    "center_point",
)


_ELSEWHERE: dict[str, Path] = {}
"""Folders of games that were asked for by their path, by the game's name."""


def game_named(name: str) -> Game[Any, Any]:
    """The game called `name`, or the one in the folder of that path. Raises: NotationError where there is none."""
    if name in GAMES:
        game: Game[Any, Any] = import_module(f"companion.games.{name}").GAME
        return game
    folder = _ELSEWHERE.get(name, Path(name))
    if not (folder / "__init__.py").is_file():
        expected = f"one of {', '.join(GAMES)}, or a game's folder"
        raise NotationError(f"there is no game {name!r}, expected {expected}", "game")
    found = _game_in(folder.resolve())
    _ELSEWHERE[found.name] = folder.resolve()
    return found


def folder_of(name: str) -> Path:
    """The folder of a game: its rules' words, kit, page and what else it brings. Raises: NotationError."""
    if name in GAMES:
        return Path(__file__).parent / name
    if name in _ELSEWHERE:
        return _ELSEWHERE[name]
    raise NotationError(f"there is no game {name!r}, expected one of {', '.join((*GAMES, *_ELSEWHERE))}", "game")


@cache
def _game_in(folder: Path) -> Game[Any, Any]:
    """The game of a folder outside of this package. Raises: NotationError where it declares none."""
    module_name = f"companion_game_{folder.name}"
    spec = spec_from_file_location(module_name, folder / "__init__.py", submodule_search_locations=[str(folder)])
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[module_name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    game = getattr(module, "GAME", None)
    if not isinstance(game, Game):
        raise NotationError(f"{folder}: declares no GAME, expected an object of companion.game.Game", "game")
    return game


@cache
def paragraphs(name: str, lang: str = "en") -> Mapping[str, str]:
    """What a game's rulings cite: the paragraphs of its RULES.md by heading; an empty line parts their parts.

    In another language they are those of RULES.de.md or the like beside it, as far as there is one. Empty for a game
    that is not here.

    >>> paragraphs("eyes_of_the_emperor")["Instructions 14"]
    'Who first takes both eyes of the other wins.'
    """
    if name not in (*GAMES, *_ELSEWHERE):
        return {}
    told: dict[str, str] = {}
    for path in (folder_of(name) / "RULES.md", folder_of(name) / f"RULES.{lang}.md"):
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        parts = re.split(r"^#+ +(.+?) *$", text, flags=re.M)[1:]
        told |= {
            heading: "\n\n".join(" ".join(block.split()) for block in body.strip().split("\n\n"))
            for heading, body in zip(parts[::2], parts[1::2], strict=True)
        }
    return told


@cache
def signs(name: str) -> frozenset[str]:
    """How a game's paragraphs are cited, without their numbers; gaps of its sheet are cited otherwise.

    >>> sorted(signs("eyes_of_the_emperor"))
    ['§ Instructions', '§ Rules', '§ Where the sheet is silent']
    """
    _title, *headings = paragraphs(name) or [""]
    cited = [heading for heading in headings if not heading.startswith("gap ")]
    return frozenset("§ " + re.sub(r" (\d+|[a-z])$", "", heading) for heading in cited)
