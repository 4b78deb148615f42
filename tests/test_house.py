"""The layering of the house, read from the imports themselves."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

from companion.game.errors import KitError
from companion.game.kit import default_kit, kit_of_text
from companion.games import game_named

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("companion", "calibration", "vision", "hardware", "web")
HEAVY = {
    "numpy",
    "cv2",
    "flask",
    "gpiozero",
    "picamera2",
    "waitress",
    "segno",
    "click",
    "werkzeug",
    "lgpio",
    "libcamera",
}
FOR_HUB = {"segno", "reportlab", "sqlalchemy", "alembic", "paho"}
"""What an event's hub adds to the domain, and only it imports."""
ALLOWED = {  # our packages that each may import, beside itself
    "companion": set(),
    "calibration": {"companion"},
    "vision": {"companion", "calibration"},
    "hardware": {"companion", "calibration"},
    "web": {"companion"},
}
PI_LIBRARIES = {"picamera2", "gpiozero", "lgpio", "libcamera"}


def modules(package: str) -> list[Path]:
    return sorted(p for p in (ROOT / package).rglob("*.py"))


@cache  # most tests ask again what whole packages import
def imported(path: Path, *, top_level_only: bool = False) -> frozenset[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = tree.body if top_level_only else list(ast.walk(tree))
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names.add(node.module)
            if node.module in PACKAGES:  # from vision import sim
                names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return frozenset(names)


def is_hub(path: Path) -> bool:
    return (ROOT / "companion" / "hub") in path.parents


def is_cli(path: Path) -> bool:
    return (ROOT / "companion" / "cli") in path.parents or path.name == "__main__.py"


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_imports_only_what_the_house_allows(package: str) -> None:
    assert modules(package)
    for path in modules(package):
        if is_cli(path):
            continue
        for name in imported(path):
            top = name.split(".")[0]
            if top in PACKAGES and top != package:
                assert top in ALLOWED[package], f"{path.relative_to(ROOT)} imports {name}"
            assert not name.startswith("companion.cli"), f"{path.relative_to(ROOT)} imports {name}"


def test_the_domain_imports_no_heavy_library() -> None:
    for path in modules("companion"):
        if not is_cli(path):
            tops = {name.split(".")[0] for name in imported(path)} - (FOR_HUB if is_hub(path) else set())
            assert not tops & HEAVY, f"{path.relative_to(ROOT)} imports {tops & HEAVY}"


def test_what_the_hub_adds_is_imported_by_nothing_else() -> None:
    for package in PACKAGES:
        for path in modules(package):
            if not is_hub(path) and not is_cli(path):
                tops = {name.split(".")[0] for name in imported(path)}
                drawn = {"segno", "reportlab"}
                assert not tops & (FOR_HUB - drawn), f"{path.relative_to(ROOT)} imports {tops & FOR_HUB}"


def test_only_the_hubs_pages_know_the_hub() -> None:
    for package in PACKAGES:
        for path in modules(package):
            if not is_hub(path) and not is_cli(path) and (ROOT / "web" / "hub") not in path.parents:
                known = {name for name in imported(path) if name.startswith(("companion.event.hub", "web.hub"))}
                assert not known, f"{path.relative_to(ROOT)} imports {known}"


def test_matchings_are_made_in_one_place() -> None:
    using = [path for package in PACKAGES for path in modules(package) if "rustworkx" in imported(path)]
    assert using == [ROOT / "companion" / "tournament" / "matching.py"]


ENDED_BY_ITS_OWN = {
    ("hardware/supervised.py", "run"),  # what it is given: `_supervise` and `_Worker.run`, looked at below
    ("web/site/https.py", "_serve"),  # asyncio's exception handler
    ("web/site/server.py", "run"),  # an end of the whole process, which systemd starts again
}


def test_every_thread_has_an_edge_that_no_fault_goes_past() -> None:
    """An uncaught exception ended the match, all streams, or the reports to the hub, and nothing said so."""
    for package in PACKAGES:
        for path in modules(package):
            tree = ast.parse(path.read_text(encoding="utf-8"))
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
    for package in PACKAGES:
        for path in modules(package):
            tops = {name.split(".")[0] for name in imported(path, top_level_only=True)}
            assert not tops & PI_LIBRARIES, f"{path.relative_to(ROOT)} imports {tops & PI_LIBRARIES} at its top"


def test_games_do_not_import_each_other() -> None:
    games = ROOT / "companion" / "games"
    for path in games.rglob("*.py"):
        mine = path.relative_to(games).parts[0]
        for name in imported(path):
            if name.startswith("companion.games.") and not name.startswith(f"companion.games.{mine}"):
                # a leading underscore marks what several games share, such as the race core
                assert name.split(".")[2].startswith("_"), f"{path.relative_to(ROOT)} imports {name}"


def test_what_readers_share_knows_no_reader_and_no_drawing() -> None:
    allowed = ("vision.measure", "vision.measure.tone")
    for path in (ROOT / "vision" / "measure").rglob("*.py"):
        for name in imported(path):
            assert not name.startswith("vision") or name.startswith(allowed), f"{path.relative_to(ROOT)} imports {name}"


def test_no_reader_imports_the_simulator() -> None:
    """A reader that takes its sizes or inks from what draws its test pictures measures itself."""
    simulator = ROOT / "vision" / "sim"
    for package in ("vision", "calibration", "hardware", "web"):
        for path in modules(package):
            if simulator not in path.parents:
                found = [name for name in imported(path) if f"{name}.".startswith("vision.sim.")]
                assert not found, f"{path.relative_to(ROOT)} imports {found}"


@pytest.mark.parametrize(
    "game", ["eyes_of_the_emperor", "center_point", "basic_manipulation", "manipulation_rummy", "suspend"]
)
def test_each_default_kit_loads(game: str) -> None:
    kit = default_kit(game)
    assert kit.game == game
    assert len(kit.mat.markers) == 4


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ("mat.width_mm", "mat.width_mm is -4, expected a length above 0 in mm"),
        ("wrong key", "pieces[0].diametre_mm is not a key of a kit file: did you mean 'diameter_mm'?"),
    ],
)
def test_a_bad_kit_is_refused_in_one_sentence(found: str, said: str) -> None:
    text = (ROOT / "companion/games/eyes_of_the_emperor/kit.toml").read_text(encoding="utf-8")
    bad = (
        text.replace("width_mm = 1000", "width_mm = -4")
        if found == "mat.width_mm"
        else text.replace("diameter_mm = 220", "diametre_mm = 220")
    )
    with pytest.raises(KitError, match=said.replace("[", r"\[").replace("]", r"\]").replace("?", r"\?")):
        kit_of_text(bad, name="kit.toml")


def test_an_unknown_game_is_refused() -> None:
    with pytest.raises(ValueError, match="there is no game 'chess'"):
        game_named("chess")
