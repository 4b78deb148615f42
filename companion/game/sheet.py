"""Rule sheets: how their paragraphs are cited."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sheet:
    """A game's rule sheet. Called with a paragraph, a heading of the game's RULES.md, it returns the citation.

    >>> Sheet("Suspend")("gap 3")
    'Suspend, gap 3'
    """

    title: str

    def __call__(self, paragraph: str) -> str:
        return f"{self.title}, {paragraph}"
