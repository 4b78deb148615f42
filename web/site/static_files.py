"""The further files that a page fetches: listed at once, small, and kept by the phone until one of them changes.

Choice: one version for all of them, a hash of their contents, is part of their path, and the phone never asks for them
again. The price: when one file changes, the phone fetches them all. A game's script and style are in its own folder,
but have addresses like ours, as if `games/NAME` were in `static`. A page's scripts come as one file (`bundle`).
"""

import functools
import gzip
import hashlib
import re
from importlib.resources import files
from pathlib import Path

from flask import Request, Response

from companion.game.known import file_of, folder_of, names

KEPT_S = 86400 * 365
GAMES = Path(str(files("companion.games")))
STATIC = Path(__file__).parents[1] / "static"
OF_A_GAME = re.compile(r"games/([a-z0-9_-]+)/([a-z_]+\.(?:js|css|svg))")
PLAIN_SCRIPT = "plain.js"
"""The script that draws a game without its own script."""
COMPRESSED = ("text/", "application/javascript", "image/svg+xml")
SMALL_BYTES = 500
"""Minimum size for compression: smaller files gain nothing."""


def game_folders() -> dict[str, Path]:
    """The folders of all games by name, and the folders that the product's games share."""
    shared = {path.name: path for path in GAMES.iterdir() if (path / "__init__.py").is_file()}
    return shared | {name: folder_of(name) for name in names()}


def version_of(folder: Path) -> str:
    """A hash that changes with any file in `folder` and with any game's script, style or picture."""
    digest = hashlib.sha256()
    named = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    for game, where in game_folders().items():
        files_of = [path for kind in ("*.js", "*.css", "*.svg", "boards/*") for path in where.glob(kind)]
        named |= {f"games/{game}/{path.relative_to(where).as_posix()}": path for path in files_of}
    for name, path in sorted(named.items()):
        digest.update(f"{name}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:12]


def path_of(folder: Path, name: str) -> Path:
    """The path of a file that pages know by `name`: in `folder`, or in its game's folder.

    >>> path_of(Path("static"), "games/suspend/page.js").relative_to(GAMES).as_posix()
    'suspend/page.js'
    """
    of_game = OF_A_GAME.fullmatch(name)
    if of_game is None:
        return folder / name
    where = game_folders().get(of_game[1])
    return folder / name if where is None else where / of_game[2]


def game_script(game: str) -> str:
    """The script that draws a game's part of the page: the game's file, else the default.

    >>> game_script("../secret")
    'plain.js'
    """
    return PLAIN_SCRIPT if file_of(game, "page.js") is None else f"games/{game}/page.js"


def kept_and_small(response: Response, request: Request) -> None:
    """Lets the phone keep a file with a hash of the contents in its address, and sends it compressed."""
    if response.status_code != 200:
        return
    response.cache_control.max_age = KEPT_S
    response.cache_control.immutable = True
    small(response, request)


def small(response: Response, request: Request) -> None:
    response.vary.add("Accept-Encoding")
    if not ((response.mimetype or "").startswith(COMPRESSED) and request.accept_encodings["gzip"]):
        return
    response.direct_passthrough = False
    whole = response.get_data()
    if len(whole) > SMALL_BYTES:
        response.set_data(gzipped(whole))
        response.content_encoding = "gzip"


@functools.lru_cache(maxsize=64)
def gzipped(whole: bytes) -> bytes:
    """The bytes compressed, each file once."""
    return gzip.compress(whole, mtime=0)
