"""House rules that people gave a name: a TOML file each, in `presets/GAME` of the matches' folder."""

import hashlib
import json
import logging
import tomllib
from collections.abc import Mapping
from pathlib import Path

from companion.game.text_file import keep_text, text_of_file

NAMED_BY = "called"
"""The option of a game that gives its house rules a name."""
PLAYERS = "players"
_LOGGER = logging.getLogger(__name__)


def keep_preset(folder: Path, game: str, players: int | None, options: Mapping[str, str]) -> None:
    """Stores house rules that have a name, and no others. Never raises: a full disk must not stop a match."""
    if not (name := options.get(NAMED_BY, "").strip()):
        return
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in options.items()]
    lines += [] if players is None else [f"{PLAYERS} = {players}"]
    path = folder / "presets" / game / f"{hashlib.sha256(name.casefold().encode()).hexdigest()[:12]}.toml"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        keep_text(path, "\n".join(lines) + "\n")
    except OSError as error:
        _LOGGER.warning("%s: is not kept (%s)", path, error.strerror)


def kept_presets(folder: Path, game: str) -> dict[str, tuple[int | None, dict[str, str]]]:
    """The kept house rules of a game by name: players and options, the newest first. A broken file is left out."""
    found: dict[str, tuple[int | None, dict[str, str]]] = {}
    files = (folder / "presets" / game).glob("*.toml")
    for path in sorted(files, key=lambda path: -path.stat().st_mtime):
        try:
            told = tomllib.loads(text_of_file(path))
        except (OSError, ValueError) as error:
            _LOGGER.warning("%s: is left out (%s)", path, error)
            continue
        players = told.pop(PLAYERS, None)
        options = {key: str(value) for key, value in told.items()}
        if options.get(NAMED_BY):
            found[options[NAMED_BY]] = (players if isinstance(players, int) else None, options)
    return found
