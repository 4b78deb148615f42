"""Decisions that need more than one side: a close call's answer, an objection, and the early end of a match.

The log gets an entry only once all agree. Players alone or without a connected phone are not waited for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from companion.match.inputs import Act, Answer, Settle


@dataclass(frozen=True, slots=True)
class Said:
    """The answers to one question by seat, each with the person's name, and the seats that want to end the match.

    `ending` is the move that would end it. None: they give it up, or nobody wants to end it.
    """

    question: str | None = None
    answers: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    enders: Mapping[str, str] = field(default_factory=dict)
    ending: Act | None = None
    objection: int | None = None
    wishes: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """What becomes of the entry that the call `objection` is about: each seat's choice, and the person's name."""

    def wished(self, given: Settle, seats: Collection[str]) -> Said:
        """With one more wish about an objection; wishes about other objections are forgotten."""
        kept = self.wishes if self.objection == given.entry else {}
        wishes = {seat: wish for seat, wish in kept.items() if seat in seats}
        return replace(self, objection=given.entry, wishes={**wishes, given.seat: (given.choice, given.by)})

    def settled(self, seats: Collection[str]) -> tuple[str, str] | None:
        """The choice of these seats about the objection, with the names; None while they have not agreed.

        Two have to agree. Of more players all but one.

        >>> said = Said(objection=7, wishes={"red": ("stand", "Ann"), "blue": ("stand", "Ben")})
        >>> said.settled(("red", "blue")), said.settled(("red", "blue", "green", "yellow"))
        (('stand', 'Ann + Ben'), None)
        """
        choices = Counter(choice for choice, _ in self.wishes.values())
        for choice, count in choices.most_common(1):
            if count >= len(seats) - (len(seats) > 2):
                names = (name for one, name in self.wishes.values() if one == choice)
                return choice, " + ".join(dict.fromkeys(names))
        return None

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
