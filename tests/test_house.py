"""The layers of the house, read from the imports themselves."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import get_origin

import pytest

from companion.game import game as parts
from companion.game.brought import default_kit
from companion.game.game import Game
from companion.game.known import GAMES
from tests.plain_english import parts_of, statements

ROOT = Path(__file__).resolve().parent.parent
TOP = ("companion", "calibration", "vision", "hardware", "web")
_GAME, _SEEN = ("companion.game",), ("companion.game", "calibration")
_READER = (*_SEEN, "vision", "vision.measure")
LAYERS: dict[str, tuple[str, ...]] = {
    # package: what it may import, from the lowest to the highest; `web` is the folder's own docstring
    "companion": (),
    "companion.game": (),
    "companion.games": _GAME,
    "companion.record": _GAME,
    "companion.match": (*_GAME, "companion.record"),
    "companion.book": (*_GAME, "companion.record"),
    "companion.event": _GAME,
    "companion.event.hub": (*_GAME, "companion.record", "companion.event"),
    "calibration": _GAME,
    "calibration.paper": _SEEN,
    "hardware": _SEEN,
    "vision": _SEEN,
    "vision.measure": _SEEN,
    "vision.photo": _READER,
    "vision.frame": _READER,
    "vision.tables": (*_READER, "vision.photo"),
    "vision.sim": (*_SEEN, "vision.measure"),
    "web": (),
    "web.words": (*_GAME, "companion.event"),
    "web.site": (*_GAME, "companion.match", "web.words"),
    "web.table": (*_GAME, "companion.match", "companion.book", "web.words", "web.site"),
    "web.hub": ("companion", *_GAME, "companion.event", "companion.event.hub", "web.words", "web.site"),
}
for _top in ("companion.app", "companion.cli", "companion.__main__"):
    LAYERS[_top] = tuple(LAYERS)

HEAVY = {"numpy", "cv2", "flask", "werkzeug", "gevent", "gpiozero", "picamera2", "lgpio", "libcamera"}
"""Libraries that the domain does not need."""
DOMAIN = (
    "companion.game",
    "companion.games",
    "companion.record",
    "companion.match",
    "companion.event",
    "companion.book",
)
FOR_EVENTS = {"sqlalchemy", "paho", "rustworkx"}
"""Libraries of an event, which a table does without."""
PI_LIBRARIES = {"picamera2", "gpiozero", "lgpio", "libcamera"}


@cache
def modules() -> dict[str, Path]:
    """Every module of ours by its dotted name."""
    found = {}
    for path in (path for top in TOP for path in (ROOT / top).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def package_of(name: str) -> str:
    """The package that a module is in, by its longest name in `LAYERS`."""
    return max((package for package in LAYERS if f"{name}.".startswith(f"{package}.")), key=len)


def names_in(nodes: Iterator[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imported(path: Path) -> frozenset[str]:
    """The dotted names that a file imports anywhere."""
    return frozenset(names_in(statements(tree_of(path))))


def at_import(node: ast.AST) -> Iterator[ast.AST]:
    """The statements that run when the module is imported, without those for the type checker alone."""
    for inner in parts_of(node):
        is_typing = isinstance(inner, ast.If) and "TYPE_CHECKING" in ast.unparse(inner.test)
        if not is_typing and not isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef):
            yield inner
            yield from at_import(inner)


def imported_at_import(path: Path) -> set[str]:
    return set(names_in(at_import(tree_of(path))))


def mentions(path: Path, *words: str) -> bool:
    """Whether a file has one of these words: only then it need be parsed."""
    text = path.read_text(encoding="utf-8")
    return any(word in text for word in words)


def libraries(path: Path) -> set[str]:
    return {name.split(".")[0] for name in imported(path)}


def test_imports_point_downward() -> None:
    """The table has every package, and no cycle: a package imports only lower ones."""
    places = {package: at for at, package in enumerate(LAYERS)}
    folders = {".".join(name.split(".")[:2]) for name, path in modules().items() if path.name == "__init__.py"}
    assert folders - {"hardware", "calibration", "vision"} <= {*LAYERS}
    assert not {
        f"{package} before {other}"
        for package, below in LAYERS.items()
        for other in below
        if places[other] >= places[package]
    }
    upward = {
        f"{name} imports {other}"
        for name, path in modules().items()
        for other in imported(path) & {*modules()}
        if package_of(other) not in {package_of(name), *LAYERS[package_of(name)]} and not name.startswith(f"{other}.")
    }
    assert not upward, "\n".join(sorted(upward))


def test_no_module_imports_itself_by_way_of_others() -> None:
    graph = {
        name: {other for other in imported_at_import(path) if other in modules() and other != name}
        for name, path in modules().items()
    }
    for name, others in graph.items():  # a package's own docstring module is no step on the way
        graph[name] = {other for other in others if not name.startswith(f"{other}.")}
    TopologicalSorter(graph).prepare()  # raises CycleError with the cycle


def test_the_domain_imports_no_heavy_library() -> None:
    for name, path in modules().items():
        if package_of(name) in DOMAIN:
            assert not libraries(path) & (HEAVY | {"click"}), name


def test_only_events_import_what_an_event_needs() -> None:
    for name, path in modules().items():
        if package_of(name) not in ("companion.event", "companion.event.hub", "companion.app", "companion.cli"):
            assert not libraries(path) & FOR_EVENTS, name


def test_a_table_does_not_know_the_hub() -> None:
    for name, path in modules().items():
        if name.startswith(("web.table", "web.site", "companion.match")):
            known = {other for other in imported(path) if other.startswith(("companion.event", "web.hub"))}
            assert not known, f"{name} imports {known}"


ENDED_BY_ITS_OWN = {
    ("hardware/supervised.py", "run"),  # what it is given: `_supervise` and `_Worker.run`, looked at below
    ("web/site/https.py", "_serve"),  # asyncio's exception handler
    ("web/site/server.py", "run"),  # an end of the whole process, which systemd starts again
}


def test_every_thread_has_an_edge_that_no_fault_goes_past() -> None:
    """An uncaught exception ended the match, all streams, or the reports to the hub, and nothing said so."""
    for path in filter(lambda path: mentions(path, "threading.Thread"), modules().values()):
        tree = tree_of(path)
        functions = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        for name in thread_targets(tree):
            where = (str(path.relative_to(ROOT)), name)
            assert where in ENDED_BY_ITS_OWN or has_edge(functions[name], functions), where


def thread_targets(tree: ast.AST) -> set[str]:
    """The functions that threads of a module run; of a lambda the last name in it."""
    given = [
        keyword.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "threading.Thread"
        for keyword in node.keywords
        if keyword.arg == "target"
    ]
    return {ast.unparse(value).removesuffix("())").rpartition(".")[2] for value in given}


def has_edge(function: ast.FunctionDef, others: dict[str, ast.FunctionDef]) -> bool:
    """Whether a function catches whatever is raised in it, itself or by an `_attempt`."""
    catches = {ast.unparse(n.type) for n in ast.walk(function) if isinstance(n, ast.ExceptHandler) and n.type}
    suppresses = "contextlib.suppress(Exception)" in ast.unparse(function)
    calls = "self._attempt(" in ast.unparse(function) and has_edge(others["_attempt"], {})
    return "Exception" in catches or suppresses or calls


def test_pi_libraries_are_imported_inside_constructors() -> None:
    for name, path in modules().items():
        if mentions(path, *PI_LIBRARIES):
            assert not {found.split(".")[0] for found in imported_at_import(path)} & PI_LIBRARIES, name


def test_games_do_not_import_each_other() -> None:
    """Several games share `race`, which is no game itself."""
    for name, path in modules().items():
        if package_of(name) == "companion.games":
            for other in imported(path):
                if other.startswith("companion.games.") and other in modules():
                    game = other.split(".")[2]
                    assert game in (*name.split(".")[2:3], "race"), f"{name} imports {other}"


def test_a_game_and_its_parts_have_few_functions() -> None:
    """A function is declared as a Callable or by a protocol of `parts`; everything else is data."""
    kinds = (Callable, *(what for what in vars(parts).values() if getattr(what, "_is_protocol", False)))
    pieces = (Game, parts.Rules, parts.Text, parts.Page, parts.Eyes, parts.Table, parts.People, parts.Secrets)
    functions = [field.name for part in pieces for field in fields(part) if get_origin(field.type) in kinds]
    assert {"start", "apply", "view", "interpret", "seen_back", "check"} < set(functions)
    assert len(functions) <= 35, functions


def test_a_whole_game_is_short() -> None:
    files = [
        path for path in (ROOT / "tests/data/pig").glob("*") if path.name in ("__init__.py", "page.js", "page.css")
    ]
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files) <= 180


def test_what_readers_share_knows_no_reader() -> None:
    for name, path in modules().items():
        if name.startswith("vision.measure"):
            others = {other for other in imported(path) if other.startswith("vision.")}
            assert all(other.startswith("vision.measure") for other in others), f"{name} imports {others}"


def test_no_reader_imports_the_simulator() -> None:
    """A reader that takes its sizes or inks from what draws its test pictures measures itself."""
    for name, path in modules().items():
        if not name.startswith(("vision.sim", "companion.app", "companion.cli")):
            assert not {other for other in imported(path) if other.startswith("vision.sim")}, name


def test_each_class_name_stands_for_one_thing() -> None:
    """Nested ones count. Games repeat the contract's names, and each reader's folder has its `Limits`."""
    places: defaultdict[str, list[str]] = defaultdict(list)
    for path in (path for top in (*TOP, "bench") for path in sorted((ROOT / top).rglob("*.py"))):
        place = path.relative_to(ROOT).as_posix()
        if not place.startswith("companion/games/"):
            for node in statements(tree_of(path)):
                if isinstance(node, ast.ClassDef) and (node.name != "Limits" or path.name != "limits.py"):
                    places[node.name].append(f"{place}:{node.lineno}")
    assert not {name: found for name, found in places.items() if len(found) > 1}


def test_benchmarks_and_tests_do_not_import_each_other() -> None:
    """Only the tests of benchmarks import them; labelled pictures and servers are for both."""
    for path in (ROOT / "bench").rglob("*.py"):
        assert not mentions(path, "tests") or "tests" not in libraries(path), path
    for path in (ROOT / "tests").rglob("*.py"):
        if not path.is_relative_to(ROOT / "tests" / "bench") and mentions(path, "bench"):
            benches = [name for name in imported(path) if name.split(".")[0] == "bench"]
            assert all(name.startswith(("bench.drawn", "bench.servers")) for name in benches), path


@pytest.mark.parametrize("game", GAMES)
def test_each_default_kit_loads(game: str) -> None:
    kit = default_kit(game)
    assert kit.game == game
    assert len(kit.mat.markers) == 4
