"""Actors and places that tests of several packages share."""

from __future__ import annotations

import contextlib
import gc
import hashlib
import importlib
import os
import shutil
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from flask import Flask
from hypothesis import HealthCheck, settings
from jinja2 import BytecodeCache
from jinja2.bccache import Bucket
from werkzeug.routing import Rule

from companion.game.game import Game
from companion.game.known import GAMES, REGISTRY
from companion.game.registry import Registry
from tests.web import shown
from tests.web.fake_door import NOW_S, FakeDoor
from web.site.bundle import blocks_of
from web.site.server import Server
from web.table.app import create_app

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.web.player import Player

# no test is judged by how fast a busy machine runs it
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


class Templates(BytecodeCache):
    """The compiled templates of this process. Each site compiled its own: a third of the time of the hub's tests."""

    def __init__(self) -> None:
        self._compiled: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fills the bucket if its template was compiled before."""
        if compiled := self._compiled.get(bucket.key):
            bucket.bytecode_from_string(compiled)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keeps what was compiled, with a checksum of its source."""
        self._compiled[bucket.key] = bucket.bytecode_to_string()


Flask.jinja_options = {"bytecode_cache": Templates()}

compile_builder = Rule._compile_builder
builders: dict[tuple[object, ...], Any] = {}
"""The code that makes an address, by its rule. Each site compiled its own: two thirds of the time to make a site."""


def builder_of(rule: Rule, append_unknown: bool = True) -> Any:
    key = (*rule._trace, repr(rule.defaults), append_unknown)
    if key not in builders:
        builders[key] = compile_builder(rule, append_unknown)
    return builders[key]


Rule._compile_builder = builder_of  # type: ignore[method-assign]

READERS = str(Path(__file__).parent / "vision")
"""The folder of tests of readers."""
EXPECT_MS = 60_000
"""How long a page is waited for."""
MEMORY, MEMORY_BYTES = Path("/dev/shm"), 4 * 1024**3  # noqa: S108
"""A file system in memory, and the room that lets it hold the tests' folders: each entry waits for its disk."""
if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > MEMORY_BYTES and not os.statvfs(MEMORY).f_flag & os.ST_NOEXEC:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))
CHROMIUM_FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage")


def pytest_xdist_auto_num_workers() -> int:
    """One process more than processors: a quarter of the time tests wait for browsers and servers."""
    return len(os.sched_getaffinity(0)) + 1


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Chooses the tests that run nightly alone, and sorts slow tests to the front, so that none runs on at the end.

    Browser tests run nightly, apart from the journeys through each page. A parametrized test of a reader runs its
    first value always.
    """
    values: dict[tuple[Path, str], list[pytest.Item]] = {}
    for item in items:
        if str(item.path).startswith(READERS):
            values.setdefault((item.path, item.name.partition("[")[0]), []).append(item)
    for item in chain.from_iterable(each[1:] for each in values.values()):
        item.add_marker(pytest.mark.nightly)
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)
    for item in items:
        if item.get_closest_marker("browser") and item.get_closest_marker("journey") is None:
            item.add_marker(pytest.mark.nightly)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Thousands of tests are collected and stay to the end: the garbage collector need not look through them.

    A fresh clone has no compiled tests. Each process imports a share of its own first and finds the others' compiled.
    """
    gc.disable()
    worker = getattr(session.config, "workerinput", None)
    if worker and session.config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        files = sorted(Path(__file__).parent.rglob("test_*.py"))
        for file in files[int(worker["workerid"].removeprefix("gw")) :: worker["workercount"]]:
            with contextlib.suppress(Exception, pytest.skip.Exception):  # said when the file is collected
                importlib.import_module(".".join(file.relative_to(session.config.rootpath).with_suffix("").parts))


def pytest_collection_finish() -> None:
    """From here on it looks through what is new, seldom: a parsed file alone has more than 10,000 new parts."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    gc.enable()


PIG = Path(__file__).parent / "data" / "pig"
"""The folder of a game that is none of the product's; it is called pig-2."""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data folder of this user, and a registry that knows the product's games only."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    for key, value in vars(Registry(GAMES)).items():
        monkeypatch.setattr(REGISTRY, key, value)
    blocks_of.cache_clear()
    return tmp_path / "home" / "companion"


@pytest.fixture
def pig(home: Path) -> Game[Any, Any]:
    """That game, known by its folder."""
    return REGISTRY.add(PIG)


MOST_GROWTH_BYTES = 150 * 1024**2
"""Memory that tests may leave behind before it is freed."""
_freed_at_bytes = 0


def _resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """Frees matches and virtual tables, which refer to themselves: a worker grew to 4 GB."""
    global _freed_at_bytes
    if _resident_bytes() > _freed_at_bytes + MOST_GROWTH_BYTES:
        gc.collect()
        _freed_at_bytes = _resident_bytes()


@pytest.fixture
def door() -> Iterator[FakeDoor]:
    """A match in the middle of a war that shows what the test tells it, with its pictures kept."""
    made = FakeDoor(shown.match_view())
    made.shows(hints=shown.hints())
    for over_px in (shown.RULED_PX, shown.ASKED_PX):
        picture = shown.close_up(over_px)
        made.pictures[hashlib.sha256(picture).hexdigest()] = picture
    yield made
    made.close()


@pytest.fixture
def server(door: FakeDoor) -> Iterator[Server]:
    """The pages of `door` on a free port of this machine."""
    app = create_app(door, join_url="http://192.168.4.1:8080/", max_streams=20, clock=lambda: NOW_S)
    with Server(app, "127.0.0.1", 0).running() as running:
        yield running


def chromium() -> str | None:
    """Debian's Chromium; its headless shell where it is installed, which takes a third of the processor time."""
    return next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "chromium-browser"))), None)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium, started once."""
    from playwright.sync_api import expect, sync_playwright

    found = chromium()
    if found is None:
        pytest.fail(
            "no chromium on PATH, expected Debian's: make test installs it, or type: "
            "apt-get install chromium-headless-shell"
        )
    expect.set_options(timeout=EXPECT_MS)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=found, args=list(CHROMIUM_FLAGS))
        yield started
        started.close()


@pytest.fixture
def player(browser: Browser, server: Server) -> Iterator[Callable[..., Player]]:
    """`player("red")` sits down with a phone of its own, `player(None)` watches or opens a page (`opens=`); `at=` is
    another server."""
    from tests.web.player import Player

    players: list[Player] = []

    def come(seat: str | None, name: str | None = None, *, at: str | None = None, **context: object) -> Player:
        made = Player(browser, at or server.url, seat, name or (seat or "").title(), **context)
        players.append(made)
        return made

    yield come
    for one in players:
        one.leaves()
