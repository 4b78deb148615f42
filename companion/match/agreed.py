"""Decisions that need more than one side: a close call's answer, and the end of a match before it is over.

The log gets an entry only once all agree. Players alone or without a connected phone are not waited for.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from companion.match.inputs import Act, Answer


@dataclass(frozen=True, slots=True)
class Said:
    """The answers to one question by seat, each with the person's name, and the seats that want to end the match.

    `ending` is the move that would end it. None: they give it up, or nobody wants to end it.
    """

    question: str | None = None
    answers: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    enders: Mapping[str, str] = field(default_factory=dict)
    ending: Act | None = None

    def answered(self, given: Answer, seats: Collection[str]) -> Said:
        """With one more answer; answers to other questions are forgotten.

        >>> said = Said().answered(Answer(question="3:in", choice="yes", by="Ann", seat="red"), ("red", "blue"))
        >>> said.agreed(("red", "blue")), said.agreed(("red",))
        (None, 'Ann')
        """
        kept = self.answers if self.question == given.question else {}
        answers = {seat: answer for seat, answer in kept.items() if seat in seats}
        return replace(
            self, question=given.question, answers={**answers, given.seat or given.by: (given.choice, given.by)}
        )

    def agreed(self, seats: Collection[str]) -> str | None:
        """The names of those who gave the one answer of all these seats; None while the seats have not agreed."""
        choices = {choice for choice, _ in self.answers.values()}
        if len(choices) != 1 or not set(seats) <= self.answers.keys():
            return None
        return " + ".join(dict.fromkeys(name for _, name in self.answers.values()))

    def wants_end(self, seat: str, by: str, ending: Act | None = None) -> Said:
        """With one more seat that wants to end the match; wishes to end it by another move are forgotten."""
        enders = self.enders if ending == self.ending else {}
        return replace(self, enders={**enders, seat: by}, ending=ending)

    def plays_on(self) -> Said:
        """With no wishes to end the match."""
        return replace(self, enders={}, ending=None)


NOTHING_SAID = Said()
