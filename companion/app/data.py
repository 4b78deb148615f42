"""The data folder: matches, settings, and the games that people added."""

import os
from pathlib import Path

from companion.game.known import REGISTRY
from companion.game.registry import GAMES_FILE


def data_dir(given: Path | None) -> Path:
    """The folder of matches and settings: the given one, else the user's own data folder."""
    if given is not None:
        return given
    base = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(base) / "companion"


def with_games(given: Path | None) -> Path:
    """The data folder; its games are known from now on."""
    folder = data_dir(given)
    REGISTRY.use(folder / GAMES_FILE)
    return folder
