"""The games, one folder and one line each. Folders do not import each other."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.resources import files
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


def game_named(name: str) -> Game[Any, Any]:
    """The game called `name`. Raises: NotationError where there is none."""
    if name not in GAMES:
        raise NotationError(f"there is no game {name!r}, expected one of {', '.join(GAMES)}", "game")
    game: Game[Any, Any] = import_module(f"companion.games.{name}").GAME
    return game


@cache
def paragraphs(name: str) -> Mapping[str, str]:
    """What a game's rulings cite: the paragraphs of its RULES.md by heading; an empty line parts their parts.

    Empty for a game that is not here.

    >>> paragraphs("eyes_of_the_emperor")["Instructions 14"]
    'Who first takes both eyes of the other wins.'
    """
    if name not in GAMES:
        return {}
    text = (files(__package__) / name / "RULES.md").read_text(encoding="utf-8")
    parts = re.split(r"^#+ +(.+?) *$", text, flags=re.M)[1:]
    return {
        heading: "\n\n".join(" ".join(block.split()) for block in body.strip().split("\n\n"))
        for heading, body in zip(parts[::2], parts[1::2], strict=True)
    }
