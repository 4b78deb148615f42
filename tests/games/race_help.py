"""Short ways to put a race position and ask what may be done there."""

from __future__ import annotations

from companion.game.known import game_named


def moves(game: str, position: str, die: int, turn: str = "r", held: tuple[int, ...] = (), **more: object) -> set[str]:
    """The texts of the legal moves, as the command line gives them; a move may not be listed twice."""
    the = game_named(game)
    state = the.shorthand.state_of_position(position, turn=turn, die=die, held=held, **more)
    texts = [move.move for move in the.rules.legal(state)]
    assert len(texts) == len(set(texts))
    return set(texts)


def after(game: str, position: str, die: int, move: str, turn: str = "r", **more: object):
    """What `apply` makes of a move told in text."""
    the = game_named(game)
    state = the.shorthand.state_of_position(position, turn=turn, die=die, **more)
    return the.rules.apply(state, the.text.action_of(move, state))
