"""The state of a match and what can happen to it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct

from companion.games.eyes_of_the_emperor.house import Options
from companion.games.eyes_of_the_emperor.scene import DICE_EACH, OTHER, SEATS, Scene

LOSS_DRAW = "loss_draw"
WINNERS = ("red", "blue", LOSS_DRAW)
Seat = Annotated[str, Meta(pattern="^(red|blue)$")]


class Phase(StrEnum):
    """War phases; each emperor has his own (Instructions 8, 10, 12)."""

    I = "I"  # noqa: E741
    II = "II"
    III = "III"


@dataclass(frozen=True, slots=True, kw_only=True)
class Emperor:
    """One emperor: his phase, his dice that were taken, and his dice that were ever knocked out."""

    phase: Phase = Phase.I
    taken: tuple[str, ...] = ()
    ever_out: tuple[str, ...] = ()

    @property
    def eyes_left(self) -> int:
        return DICE_EACH - len(self.taken)


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """A match after some throws. `scene` is the last settled valley, `open` a throw that waits for an answer."""

    throw: Annotated[int, Meta(ge=0)] = 0
    restarts: Annotated[int, Meta(ge=0)] = 0
    red: Emperor = field(default_factory=Emperor)
    blue: Emperor = field(default_factory=Emperor)
    options: Options = field(default_factory=Options)
    haji: Seat | None = None
    scene: Scene | None = None
    answers: Mapping[str, bool] = field(default_factory=dict)
    open: "Open | None" = None
    refill: tuple[Annotated[str, Meta(pattern="^(ninjas|samurai)$")], ...] = ()
    """Pieces that must come out before the next throw: ``ninjas``, ``samurai``."""
    edge: Seat | None = None
    """The thrower whose body passed the edge; his opponent has to choose."""
    winner: str | None = None
    """``red``, ``blue`` or ``loss_draw``."""

    def emperor(self, seat: str) -> Emperor:
        return self.red if seat == "red" else self.blue

    def with_emperor(self, seat: str, now: Emperor) -> "State":
        """The state with that emperor's part replaced; one that stays as he was is not kept twice."""
        if now == self.emperor(seat):
            return self
        return replace(self, red=now) if seat == "red" else replace(self, blue=now)

    @property
    def taken(self) -> tuple[str, ...]:
        return (*self.red.taken, *self.blue.taken)

    @property
    def end(self) -> str | None:
        """The winner by the eyes that are left: ``red``, ``blue`` or ``loss_draw`` (Instructions 14, Rules 4)."""
        blind = [seat for seat in SEATS if self.emperor(seat).eyes_left <= 0]
        if len(blind) == len(SEATS):
            return LOSS_DRAW
        return OTHER[blind[0]] if blind else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Open:
    """A settled throw that cannot be judged before a person has answered."""

    scene: Scene
    answers: Mapping[str, bool]


class ThrowSettled(Struct, frozen=True, kw_only=True, tag="throw_settled", forbid_unknown_fields=True):
    """Both throws have landed and everything has settled. `answers` are people's answers about open or misread
    facts."""

    scene: Scene
    answers: Mapping[str, bool] = {}


class HajiChosen(Struct, frozen=True, kw_only=True, tag="haji_chosen", forbid_unknown_fields=True):
    """The emperors agreed who says HAJI (Instructions 6)."""

    seat: str


class EdgeCrossed(Struct, frozen=True, kw_only=True, tag="edge_crossed", forbid_unknown_fields=True):
    """While throwing, body or clothing passed above the valley's edge (Rules 3)."""

    thrower: str


class OpponentChose(Struct, frozen=True, kw_only=True, tag="opponent_chose", forbid_unknown_fields=True):
    """The choice of the thrower's opponent after an edge was crossed: to restart, or to play on (Rules 3)."""

    restart: bool


Action = ThrowSettled | HajiChosen | EdgeCrossed | OpponentChose
