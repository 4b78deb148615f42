"""What more than one side has to say before it counts: a close call's answer, a match's end before it is over.

Nothing of it is in the log before all agree: whoever plays alone, or whose phone is away, is not waited for.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from companion.match.inputs import Act, Answer


@dataclass(frozen=True, slots=True)
class Said:
    """What has been said so far of one question, by seat: the answer and the name; and who wants to end the match.

    `ending` is the move by which they want to end it; None: it is given up, or nobody wants to.
    """

    question: str | None = None
    answers: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    enders: Mapping[str, str] = field(default_factory=dict)
    ending: Act | None = None

    def answered(self, given: Answer, seats: Collection[str]) -> Said:
        """With one more answer; what is about another question than the open one is forgotten.

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
        """By whom the one answer is that all of these seats gave; None while they have not."""
        choices = {choice for choice, _ in self.answers.values()}
        if len(choices) != 1 or not set(seats) <= self.answers.keys():
            return None
        return " + ".join(dict.fromkeys(name for _, name in self.answers.values()))

    def wants_end(self, seat: str, by: str, ending: Act | None = None) -> Said:
        """With one more who wants to end the match; who wanted to end it otherwise is forgotten."""
        enders = self.enders if ending == self.ending else {}
        return replace(self, enders={**enders, seat: by}, ending=ending)

    def plays_on(self) -> Said:
        """With nobody who wants to end the match."""
        return replace(self, enders={}, ending=None)


NOTHING_SAID = Said()
