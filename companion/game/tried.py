"""Finds out why an action is legal or not, by trying it: for games whose `apply` gives enough reasons."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from companion.game.says import Says
from companion.game.values import Applied, Explanation, Illegal

S = TypeVar("S")
A = TypeVar("A")


def first_said(applied: Applied[S]) -> Explanation:
    """A legal action, in the words of its first ruling."""
    said = applied.rulings[0]
    return Explanation(True, Says("legal: {said}", {"said": said.says}), said.rule)


def tried(
    apply: Callable[[S, A], Applied[S]],
    state: S,
    action: A,
    when_legal: Callable[[Applied[S]], Explanation] = first_said,
) -> Explanation:
    """The refusal of an action, or the result of `when_legal` for the state after it."""
    try:
        applied = apply(state, action)
    except Illegal as refused:
        return Explanation(False, refused.says, refused.rule)
    return when_legal(applied)
