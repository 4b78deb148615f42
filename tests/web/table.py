"""A match in a folder with its pages on a port, as tests play it on phones."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

from companion.game.known import game_named
from companion.game.says import Says
from companion.game.view import Sight
from companion.match.match import Match
from companion.match.referee import Thresholds
from companion.record.log import Log
from web.site.server import Server
from web.table.app import create_app


class Table:
    """A match whose clock stands still, and the server of its pages."""

    now_s = 1000.0

    def __init__(self, folder: Path, name: str, *, port: int = 0, sees: bool = False, **of_match: Any) -> None:
        def clock() -> float:
            return self.now_s

        of_match = {"thresholds": Thresholds(), **of_match}
        self.match: Match[Any, Any] = Match(
            game_named(name), Log(folder / f"{name}.db"), wall_s=clock, monotonic_s=clock, **of_match
        )
        if sees:
            self.match.saw(Sight.SEES, Says("all four markers"))
        app = create_app(self.match, join_url="http://192.168.4.1/", max_streams=8, clock=clock)
        self.server = Server(app, "127.0.0.1", port)
        self._running = self.server.running()
        self._running.__enter__()

    @property
    def table(self) -> dict[str, Any]:
        """The game's part of what everybody sees."""
        return dict(self.match.view(None).table)

    def ends(self) -> None:
        self._running.__exit__(None, None, None)
        self.match.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.ends()
