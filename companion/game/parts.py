"""Optional parts of a game beyond its rules: eyes, checks of the table's layout, questions to people.

Each part is a class with neutral answers: a game inherits from the parts that it has. `seeing`, `checking` and `asking`
give a game's part, or the neutral one, so that callers need not ask whether it exists.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Generic, TypeVar

from companion.game.board import Board, load_board
from companion.game.errors import KitError, NotationError
from companion.game.game import Checked, Correctable, Doubt, Proposal, PutBack, SetUp
from companion.game.kit import Kit
from companion.game.known import game_named, names
from companion.game.says import Says
from companion.game.table import Placed

S = TypeVar("S")
A = TypeVar("A")


class SeesTable(Generic[S, A]):
    """A game that is played under a camera: it interprets a settled table."""

    reader: ClassVar[str | None] = None
    """The name of the reader that reads its table, a key of `vision.readers.READERS`; None: no camera looks."""

    def board(self, state: S) -> Board | None:
        """The board on the table; None if there is none."""
        return None

    def interpret(self, state: S, reading: Any, before: A | None = None) -> Proposal[A] | Doubt[A] | None:
        """The action that a reading of the settled table shows, or a question about it; None if nothing happened.

        `before` is the action inferred from an earlier look of this match, so that pieces keep their names.
        Raises: Illegal if the table cannot be judged.
        """
        return None

    tells_whole_turns: ClassVar[bool] = False
    """Whether `is_whole` can say yes, so that turns are entered without a press."""

    def is_whole(self, state: S, actions: Sequence[A]) -> bool:
        """Whether proposed actions are a whole turn, or a whole part of one: nobody is about to do more to them."""
        return False

    def settled(self, reading: Any, before: Any | None) -> Any:
        """A reading of the settled table, merged with the settled one before it for pieces that have not moved."""
        return reading

    def is_start(self, action: A) -> bool:
        """Whether an action shows a table that is set up and nothing else: worth remembering for its pieces."""
        return False

    def remembers(self, action: A) -> bool:
        """Whether an action records how pieces lay: the next look is compared with the newest such action."""
        return True

    def has_moved(self, before: A, after: A) -> bool:
        """Whether the table of `after` differs from that of `before`; if not, nobody has done anything."""
        return before != after

    def place_mm(self, action: A, piece: str) -> tuple[float, float] | None:
        """The place of an action's piece on the table, to cut out its picture; None if it has no place."""
        return None


def board_of_kit(kit: Kit) -> Board | None:
    """The board on a kit's mat: the board that the kit names, else the one that its game begins on; None without
    either.

    Raises: KitError for a name that no game brings, and if the kit names no board and its game is unknown.
    """
    if kit.board is not None:
        return load_board(kit.board)
    if kit.game not in names():
        found = f"the kit names no board, and its game {kit.game!r} is not known here"
        raise KitError(f"{found}, expected one of them: give a board, or the game's folder with --game")
    game = game_named(kit.game)
    return seeing(game).board(game.start())


class PlaysItself:
    """A game that plays whole matches by itself at the virtual table, for `demo --autoplay`."""

    def player(self, at: Any) -> Any:
        """The player that throws and moves its pieces there: a `Player` of `companion.app.autoplay.run` for its
        `Autoplay`."""
        raise NotImplementedError


class ChecksTable(Generic[S]):
    """A game that knows which things go back by hand, and whether they are seen back and set up."""

    def put_back(self, before: S, after: S) -> tuple[PutBack, ...]:
        """The things to do by hand on the table when the step from `before` to `after` is taken back."""
        return ()

    def moves_pieces(self, action: Any) -> bool:
        """Whether an action changes the places of pieces on the table. If not, it also contains none."""
        return True

    def as_left(self, state: S, action: Any) -> S | None:
        """A state with the table as a retracted action left it; `state` is the match as it stands.

        None: the table is as after the action. Raises: Illegal if the action does not fit the state.
        """
        return None

    def layout(self, state: S) -> tuple[Placed, ...]:
        """The pieces as they lay when the state was judged, to draw them; empty if the game keeps no places."""
        return ()

    def seen_back(
        self, before: S, after: S, reading: Any | None, was: Sequence[Checked] = (), earlier: Any | None = None
    ) -> tuple[Checked, ...]:
        """Whether each thing of `put_back` is seen done, in its order; then other misplaced things (NO).

        `reading` is None while the table cannot be seen. `was` is the result of the previous look, so that a tick does
        not flicker for a piece at the limit. `earlier` is the reading of that look: the changes since then show how a
        stack was built. Empty for games without eyes.
        """
        return ()

    def seen_set_up(self, state: S, reading: Any, kit: Kit | None = None, *, was_right: bool = False) -> SetUp | None:
        """How much of the set-up is seen; None if play has begun, or nothing is looked at.

        `was_right`: an earlier look saw a complete set-up, so pieces elsewhere have been thrown. `kit` is the set in
        use.
        """
        return None


class AsksPeople(Generic[S, A]):
    """A game whose actions have facts that people answer, or correct afterwards."""

    def question(self, state: S) -> Doubt[A] | None:
        """The question that a person has to answer before the match goes on. It follows from the state: a restart asks
        again."""
        return None

    def amended(self, action: A, fact: str, value: str) -> A:
        """The action with one fact changed by a person. Raises: NotationError if it has no such fact."""
        raise NotationError(f"{fact} is no fact of this entry: nothing to amend", fact)

    def corrections(self, state: S, before: S, action: A) -> tuple[Correctable, ...]:
        """The facts that a person may correct in the last action that has any, made in `before`; `state` is now."""
        return ()

    def says_fact(self, action: A, fact: str, value: str) -> Says:
        """A person's answer or correction of one fact of an action, in words."""
        return Says("{fact} = {value}", {"fact": fact, "value": value})

    def says_piece(self, piece: str) -> Says:
        """A piece as people call it."""
        return Says("{piece}", {"piece": piece})

    def camera_alone(self, action: A) -> A:
        """The action as the table showed it: without people's answers, also without earlier ones about pieces that have
        not moved."""
        return action

    def is_amendable(self, action: A) -> bool:
        """Whether an action has facts that people may answer or correct."""
        return False


class KeepsSecrets(Generic[S, A]):
    """A game in which a seat may give its own phone a secret: a hand of cards."""

    def secret_of(self, state: S, seat: str, text: str) -> Any:
        """The secret in a seat's words. Raises: Illegal; NotationError: it cannot be one now."""
        raise NotationError("this game has no secrets to tell", "secret")

    def kept(self, secret: Any, seat: str, before: S, after: S) -> Any | None:
        """A seat's secret after the match went from `before` to `after`; None: it is to be forgotten."""
        return None

    def known_to(self, state: S, seat: str, secret: Any) -> S:
        """The state as known to the seat with this secret."""
        return state

    def check(self, state: S, seat: str, secret: Any, move: str, action: A | None) -> None:
        """Checks a move of the seat with this secret: its own phone must not offer a move that it knows to be illegal.

        `action` is None for a move that needs more values first. Raises: Illegal.
        """


_SEES_NOTHING: SeesTable[Any, Any] = SeesTable()
_CHECKS_NOTHING: ChecksTable[Any] = ChecksTable()
_ASKS_NOTHING: AsksPeople[Any, Any] = AsksPeople()
_KEEPS_NOTHING: KeepsSecrets[Any, Any] = KeepsSecrets()


def seeing(game: object) -> SeesTable[Any, Any]:
    """The eyes of a game, which see nothing where it has none."""
    return game if isinstance(game, SeesTable) else _SEES_NOTHING


def checking(game: object) -> ChecksTable[Any]:
    """The checks of a game's table; neutral ones if the game has none."""
    return game if isinstance(game, ChecksTable) else _CHECKS_NOTHING


def asking(game: object) -> AsksPeople[Any, Any]:
    """The questions of a game to people; neutral ones if the game has none."""
    return game if isinstance(game, AsksPeople) else _ASKS_NOTHING


def keeping(game: object) -> KeepsSecrets[Any, Any]:
    """The secrets of a game's seats; neutral ones if the game has none."""
    return game if isinstance(game, KeepsSecrets) else _KEEPS_NOTHING
