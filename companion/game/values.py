"""The values that a game gives and takes: moves, rulings, proposals, questions, hints. All are frozen."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Generic, TypeVar

from companion.game.errors import CompanionError
from companion.game.margin import Margin
from companion.game.says import Says, each_as, joined, listed, points_says
from companion.game.table import Placed

S = TypeVar("S")
A = TypeVar("A")
JsonObject = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Ruling:
    """One statement of the rules about an action and a `seat`. `rule` cites document and paragraph."""

    seat: str | None
    says: Says
    rule: str
    piece: str | None = None
    margin: Margin | None = None
    pieces: tuple[str, ...] = ()
    """The pieces, if the ruling is about several alike: then `piece` is None."""
    is_minor: bool = False
    """The ruling changes nothing: pages show it in small letters."""


@dataclass(frozen=True, slots=True)
class PutBack:
    """One thing to do by hand when a step is taken back: where the piece is, and was (None: not on the table)."""

    says: Says
    lies: Placed | None = None
    lay: Placed | None = None
    away: Says | None = None
    """The place where the piece belongs, or its place now if it goes out."""

    @property
    def whole(self) -> Says:
        """The sentence with the place."""
        return self.says if self.away is None else Says("{what}, {away}", {"what": self.says, "away": self.away})


class InPlace(StrEnum):
    """Whether a thing is seen in its right place. Covered, doubtful and unseen things are UNSEEN, never NO."""

    YES = "yes"
    NO = "no"
    UNSEEN = "unseen"


@dataclass(frozen=True, slots=True)
class Checked:
    """Result of one check of the table in the newest reading, with an explanation in words."""

    laid: InPlace
    says: Says | None = None
    rule: str | None = None
    seen: Placed | None = None
    """The place where it is seen instead (NO)."""


@dataclass(frozen=True, slots=True)
class SeenSetUp:
    """The set-up by a reading of the table before the first throw. `beyond` names the parts that no camera sees."""

    lines: tuple[Checked, ...]
    beyond: Says

    @property
    def laid(self) -> InPlace:
        """NO if one line is NO, else UNSEEN if one is UNSEEN, else YES."""
        return next(
            (laid for laid in (InPlace.NO, InPlace.UNSEEN) if laid in {line.laid for line in self.lines}), InPlace.YES
        )


@dataclass(frozen=True, slots=True)
class ChoiceView:
    """One possible answer. `likely` is its probability, if known; `needs_reason`: it needs a reason."""

    key: str
    says: Says
    likely: float | None = None
    needs_reason: bool = False


@dataclass(frozen=True, slots=True)
class Asks:
    """One thing that a move asks a person: its key, words, and choices, or the `span` of a whole number."""

    key: str
    says: Says
    choices: tuple[ChoiceView, ...] = ()
    span: tuple[int, int] | None = None
    given: str | None = None
    """The choice that a page shows as taken until the person takes another."""

    def allows(self, given: str | None) -> bool:
        if self.span is None:
            return given in {choice.key for choice in self.choices}
        return (
            re.fullmatch(r"-?[0-9]{1,9}", given or "") is not None and self.span[0] <= int(given or 0) <= self.span[1]
        )

    @property
    def expected(self) -> str:
        """Text for an error: the accepted values."""
        keys = ", ".join(choice.key for choice in self.choices)
        return f"one of {keys}" if self.span is None else f"a number from {self.span[0]} to {self.span[1]}"


@dataclass(frozen=True, slots=True)
class Move(Generic[A]):
    """One legal action; if actions cannot be listed, None and the constraints of this kind in `effects`.

    `asks`: values that a person gives first; `made` makes the action of them (None: only the table can show it; raises
    Illegal, NotationError). `seats`: empty: those to move. `needs_all`: the other players have to agree."""

    action: A | None
    move: str
    text: Says
    effects: tuple[Says, ...]
    rule: str
    asks: tuple[Asks, ...] = ()
    seats: tuple[str, ...] = ()
    needs_all: bool = False
    made: Callable[[Mapping[str, str]], A | None] | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Applied(Generic[S]):
    state: S
    rulings: tuple[Ruling, ...] = ()


@dataclass(frozen=True, slots=True)
class Explanation:
    is_legal: bool
    says: Says
    rule: str


@dataclass(frozen=True, slots=True)
class Fault:
    """One reason why an observed position is impossible."""

    says: Says
    rule: str
    where: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of a match. `points` is each seat's share in tournament play (win 1, draw 1/2, loss 0)."""

    winners: tuple[str, ...]
    says: Says
    rule: str
    points: Mapping[str, float] = field(default_factory=dict, hash=False)

    @classmethod
    def of(cls, sides: Sequence[tuple[str, ...]], seats: Iterable[str], rule: str) -> "Outcome":
        """The sides that win: one, or several that share the win equally."""
        winners = tuple(seat for side in sides for seat in side)
        words = "{winners} wins" if len(winners) == 1 else "{winners} win"
        if len(sides) > 1:
            words = "{winners} share the win"
        points = {seat: 1 / len(sides) if seat in winners else 0.0 for seat in seats}
        return cls(winners, Says(words, {"winners": listed(each_as("seat", winners))}), rule, points)


@dataclass(frozen=True, slots=True)
class Tally:
    """A seat's points without the bonuses of a match's end, and the rounds it won; None: the game has no rounds."""

    points: float
    rounds_won: int | None = None


@dataclass(frozen=True, slots=True)
class Score:
    """A seat's points, its standing in words, and what an event adds up (`tally`). None: the points."""

    points: float
    says: Says | None = None
    tally: Tally | None = None

    @property
    def words(self) -> Says:
        return self.says or points_says(round(self.points))

    @property
    def summed(self) -> Tally:
        return self.tally or Tally(self.points)


@dataclass(frozen=True, slots=True)
class Hint(Generic[A]):
    """A recommended action, or a fact worth knowing (`action` is None).

    `error`: half of the 95 % interval of `chance`.
    """

    seat: str
    action: A | None
    move: str | None
    text: Says
    why: tuple[Says, ...] = ()
    rule: str | None = None
    chance: float | None = None
    error: float | None = None


@dataclass(frozen=True, slots=True)
class Option:
    """A house rule: its key, default, possible values, its effect, and the gap or paragraph it answers.

    `is_counted`: a number of each thing, as ``red:6,blue:4``. `is_asked`: pages ask for it at once. `brings`: what each
    choice brings for other house rules that are left open."""

    key: str
    default: str
    choices: tuple[str, ...]
    says: Says
    rule: str
    is_counted: bool = False
    is_asked: bool = False
    brings: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


def yes_no(key: str, is_usual: bool, says: Says, rule: str) -> Option:
    return Option(key, "true" if is_usual else "false", ("true", "false"), says, rule)


LOOK_AGAIN = "look_again"
"""Key of the answer that the table is readable now: it is read and judged again at once."""
NOT_YET = "not_yet"
"""Key of the answer that nobody has acted yet. Where it stands first, only a press asks."""
AS_IT_LIES = "as_it_lies"
"""Key of the answer that the table counts without changes. After any other answer the table is put right by hand."""


@dataclass(frozen=True, slots=True)
class Choice(Generic[A]):
    """One answer to a question, with its actions. The most probable one (`likely`) stands first."""

    key: str
    says: Says
    action: A | None = None
    then: tuple[A, ...] = ()
    likely: float | None = None
    needs_reason: bool = False

    @property
    def actions(self) -> tuple[A, ...]:
        return () if self.action is None else (self.action, *self.then)


@dataclass(frozen=True, slots=True)
class Correctable:
    """A fact of the last entry that a person may correct: its value, its choices, and its piece if it is about one."""

    fact: str
    says: Says
    value: str
    choices: tuple[ChoiceView, ...]
    piece: str | None = None
    called: Says | None = None
    """The piece as people call it; None: by its id."""


@dataclass(frozen=True, slots=True)
class Proposal(Generic[A]):
    """An inference of the referee that is certain enough to be entered; `note` is something people should know about
    it. `is_whole`: a whole turn, or part of one; else `says` what is missing. `is_early`: nobody has acted yet. `done`:
    urgent hints seen done."""

    actions: tuple[A, ...]
    says: Says
    note: Says | None = None
    is_whole: bool = False
    is_early: bool = False
    done: tuple[Says, ...] = ()


@dataclass(frozen=True, slots=True)
class Doubt(Generic[A]):
    """A question to the people that the table cannot answer, with the margin and the pieces it is about."""

    key: str
    says: Says
    choices: tuple[Choice[A], ...]
    rule: str
    margin: Margin | None = None
    pieces: tuple[str, ...] = ()
    seats: tuple[str, ...] = ()
    """Seats that may answer; empty: any seat."""
    places_mm: tuple[tuple[str, float, float], ...] = ()
    """Places on the table that the question is about: name, x and y, for the pictures shown with it."""
    shows: A | None = None
    """The table as it was seen, if the rules forbid to enter it. It is not kept with the question."""
    done: tuple[Says, ...] = ()
    """Urgent hints that are seen done. Not kept either."""
    is_whole: bool = False
    """Whether a whole turn is seen, so that it is asked without a press. Not kept either."""
    seen: Says | None = None
    """The reason for the doubt, shown before it is asked. Not kept either."""

    @property
    def is_of_mistake(self) -> bool:
        """Whether the table fits no turn. It is then put right, or counts unchanged."""
        keys = [choice.key for choice in self.choices]
        return AS_IT_LIES in keys or keys[:1] == [LOOK_AGAIN]

    @property
    def is_early(self) -> bool:
        """Whether probably nobody has acted yet."""
        return [choice.key for choice in self.choices[:1]] == [NOT_YET]


class Illegal(CompanionError, ValueError):
    """An action that the rules do not allow, with the paragraph that forbids it."""

    def __init__(self, says: Says, rule: str) -> None:
        super().__init__(says)
        self.says = says
        self.rule = rule


class NotYet(Illegal):
    """Nobody has acted yet; the sentence says what to do."""


def tried(apply: Callable[[S, A], Applied[S]], state: S, action: A) -> Explanation:
    """The refusal of an action, else everything that is ruled about it and the rule of the last ruling."""
    try:
        rulings = apply(state, action).rulings
    except Illegal as refused:
        return Explanation(False, refused.says, refused.rule)
    said = joined([ruling.says for ruling in rulings])
    return Explanation(True, Says("legal: {said}", {"said": said}), rulings[-1].rule)


@dataclass(frozen=True, slots=True)
class RuleSheet:
    """A game's rule sheet. Called with a paragraph, a heading of the game's RULES.md, it returns the citation.

    >>> RuleSheet("Suspend")("gap 3")
    'Suspend, gap 3'
    """

    title: str

    def __call__(self, paragraph: str) -> str:
        return f"{self.title}, {paragraph}"
