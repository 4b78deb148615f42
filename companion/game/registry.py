"""All games that are known here, by name: for all commands, pages and the hub.

A game comes with the product, by `--game FOLDER`, from a settings file (`GAMES_FILE`), or by an entry point of the
group `companion.games`. Code is loaded only from folders that the person or their settings file named."""

import json
import logging
import re
import sys
import tomllib
from hashlib import sha256
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from companion.game.errors import NotationError
from companion.game.game import Game
from companion.game.text_file import keep_text, text_of_file, why_unread

_LOGGER = logging.getLogger(__name__)

GROUP = "companion.games"
"""The entry points of packages that bring games: the game's name, and the module that declares `GAME`."""
GAMES_FILE = "games.toml"
"""The settings file's name in a data folder: a table `[games]` of names and folders."""
HEAD = "# Games in folders of their own, as `--game FOLDER` adds them.\n[games]\n"
NAME = re.compile(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*")
"""The form of a game's name: it is part of file names and addresses."""
LONGEST_NAME = 40

AnyGame = Game[Any, Any]
Source = Path | EntryPoint


class Registry:
    """The games of the product, and games from elsewhere. The first game found with a name keeps that name."""

    def __init__(self, shipped: tuple[str, ...]) -> None:
        self._shipped = shipped
        self._settings: list[Path] = []
        self._given: dict[str, Path] = {}
        self._sources: dict[str, Source] | None = None
        self._loaded: dict[str, tuple[AnyGame, ModuleType]] = {}
        self._names: tuple[str, ...] | None = None

    def use(self, settings: Path) -> None:
        """Adds the games of a settings file, if it exists; a later file has priority over an earlier one."""
        if settings not in self._settings:
            self._settings.append(settings)
            self._sources = self._names = None

    def add(self, folder: Path) -> AnyGame:
        """Registers the game in a folder. Raises: NotationError if it declares none that can be used."""
        folder = folder.resolve()
        if not (folder / "__init__.py").is_file():
            raise NotationError(f"{folder} is no game's folder, expected one with an __init__.py that declares it")
        module = _module_in(folder)
        game = _declared(module, str(folder))
        if game.name in self._shipped:
            raise NotationError(f"{folder}: its game is called {game.name!r} as one of the product's, rename it")
        self._given[game.name] = folder
        self._loaded[game.name] = game, module
        self._sources = self._names = None
        return game

    def names(self) -> tuple[str, ...]:
        """All names, the product's first. A game that cannot be loaded is left out and logged."""
        if self._names is None:
            found = list(self._shipped)
            for name in sorted(self._elsewhere()):
                try:
                    self.game(name)
                except NotationError as error:
                    _LOGGER.warning("the game %s is left out: %s", name, error)
                else:
                    found.append(name)
            self._names = tuple(found)
        return self._names

    def game(self, name: str) -> AnyGame:
        """The game with a name. Raises: NotationError if it is unknown, or cannot be loaded."""
        if name in self._shipped:
            game: AnyGame = import_module(f"companion.games.{name}").GAME
            return game
        return self._found(name)[0]

    def folder(self, name: str) -> Path:
        """The folder of a game, with all its files. Raises: NotationError."""
        if name in self._shipped:
            return Path(__file__).parents[1] / "games" / name
        return _where(self._found(name)[1])

    def package(self, name: str) -> str:
        """The package of a game, to import its modules by. Raises: NotationError."""
        return f"companion.games.{name}" if name in self._shipped else self._found(name)[1].__name__

    def keep(self, name: str, settings: Path) -> None:
        """Writes a game's folder into a settings file, so that later calls know it. Raises: OSError, NotationError."""
        folder = self._given.get(name)
        listed = _listed(settings)
        if folder is not None and listed.get(name) != folder:
            listed[name] = folder
            lines = [f"{json.dumps(each)} = {json.dumps(str(listed[each]), ensure_ascii=False)}" for each in listed]
            settings.parent.mkdir(parents=True, exist_ok=True)
            keep_text(settings, HEAD + "\n".join(lines) + "\n")

    def _elsewhere(self) -> dict[str, Source]:
        """The source of each game outside the product: folders given now come before settings, then packages."""
        if self._sources is None:
            found: dict[str, Source] = {each.name: each for each in entry_points(group=GROUP)}
            for settings in self._settings:
                try:
                    found |= _listed(settings)
                except NotationError as error:
                    _LOGGER.warning("%s", error)
            found |= self._given
            self._sources = {name: found[name] for name in found if name not in self._shipped}
        return self._sources

    def _found(self, name: str) -> tuple[AnyGame, ModuleType]:
        """Raises: NotationError."""
        if name not in self._loaded:
            source = self._elsewhere().get(name)
            if source is None:
                known = ", ".join((*self._shipped, *sorted(self._elsewhere())))
                raise NotationError(f"unknown game {name!r}, expected one of {known}", "game")
            module = _module_in(source) if isinstance(source, Path) else _module_of(source)
            game = _declared(module, str(source) if isinstance(source, Path) else source.value)
            if game.name != name:
                raise NotationError(f"{_where(module)}: its game is called {game.name!r}, expected {name!r}", "game")
            self._loaded[name] = game, module
        return self._loaded[name]


def _listed(settings: Path) -> dict[str, Path]:
    """The games of a settings file; empty without the file. Raises: NotationError."""
    if not settings.exists():
        return {}
    try:
        data = tomllib.loads(text_of_file(settings))
    except (OSError, ValueError, RecursionError) as error:
        why = why_unread(error)
        raise NotationError(f"{settings} cannot be used ({why}), expected TOML: mend that line", "game") from error
    games = data.get("games", {})
    if not isinstance(games, dict) or not all(isinstance(folder, str) for folder in games.values()):
        raise NotationError(f"{settings}: games is {games!r}, expected a table of names and folders")
    return {name: settings.parent / folder for name, folder in games.items()}


def _module_in(folder: Path) -> ModuleType:
    """The package of a folder. Raises: NotationError."""
    folder = folder.resolve()
    name = f"companion_game_{folder.name}_{sha256(str(folder).encode()).hexdigest()[:8]}"
    if name in sys.modules:
        return sys.modules[name]
    spec = spec_from_file_location(name, folder / "__init__.py", submodule_search_locations=[str(folder)])
    if spec is None or spec.loader is None or not folder.is_dir():
        raise NotationError(f"{folder} is no game's folder, expected one with an __init__.py that declares it", "game")
    module = sys.modules[name] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # foreign code: whatever it raises, the other games must stay playable
        del sys.modules[name]
        raise _unloaded(str(folder), error) from error
    return module


def _module_of(entry: EntryPoint) -> ModuleType:
    """The module of an installed package's entry point. Raises: NotationError."""
    try:
        return import_module(entry.module)
    except Exception as error:  # foreign code, as above
        raise _unloaded(entry.value, error) from error


def _unloaded(where: str, error: Exception) -> NotationError:
    why = f"{type(error).__name__}: {error}"
    return NotationError(f"{where} cannot be loaded ({why}), expected a game: mend it", "game")


def _where(module: ModuleType) -> Path:
    return Path(module.__file__ or "").parent


def _declared(module: ModuleType, where: str) -> AnyGame:
    """The game that a package declares. Raises: NotationError."""
    game = getattr(module, "GAME", None)
    if not isinstance(game, Game):
        raise NotationError(f"{where}: declares no GAME, expected an object of companion.game.game.Game", "game")
    if not hasattr(module, "__path__"):
        raise NotationError(f"{where} is one file, expected a folder: a game brings its kit, rules and page", "game")
    if not NAME.fullmatch(game.name) or len(game.name) > LONGEST_NAME:
        expected = f"small letters, digits and single hyphens, at most {LONGEST_NAME}"
        raise NotationError(f"{where}: its game is called {game.name!r}, expected {expected}", "game")
    return game
