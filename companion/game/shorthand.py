"""Short notations that some games add for the command line: a position of a race, a table and hand of a rummy."""

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from companion.game.values import JsonObject


@runtime_checkable
class TakesPosition(Protocol):
    """A race game: a short notation of a position gives a state."""

    def state_of_position(
        self,
        position: str,
        *,
        turn: str,
        die: int | None,
        held: tuple[int, ...],
        mode: str | None,
        options: Mapping[str, str],
        board: str | None,
    ) -> Any:
        """The state of a position such as ``r: A5 home*3; y: A52``. Raises: NotationError."""


@runtime_checkable
class TakesTable(Protocol):
    """A rummy: a short notation of table and hand gives a state; rounds are scored from points."""

    def state_of_table(self, table: str, hand: str, packs: int | None, options: Mapping[str, str]) -> Any:
        """The state of a table such as ``[5C 5D 5H] [7C 8C JK=9C]`` and a hand. Raises: NotationError."""

    def best_play(
        self, table: str, hand: str, packs: int | None, options: Mapping[str, str], *, within_ms: float = 300.0
    ) -> JsonObject:
        """The best play: the ``points`` that leave the hand, the cards ``laid``, and the ``table`` after."""

    def round_scores(
        self, points: Mapping[str, int], *, knocked: str | None, out: str | None, options: Mapping[str, str]
    ) -> Mapping[str, int]:
        """The scores of one round from the points left in the hands."""

    def final_scores(self, totals: Mapping[str, tuple[int, int]], *, options: Mapping[str, str]) -> Mapping[str, int]:
        """The scores at the end of the game from totals and rounds won."""
