"""The view of a match: one whole view, newest wins, JSON-able by msgspec. Pages draw it and decide nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from companion.game.game import Laid
from companion.game.says import Says
from companion.game.table import Placed


class Sight(StrEnum):
    """Whether the table can see; phones, lamp and rulings share it. Only in `SEES` may a ruling be made."""

    SEES = "sees"
    MOVING = "moving"
    HAND = "hand"
    BLIND = "blind"
    MOVED = "moved"
    BY_HAND = "by_hand"
    """No camera looks at all: people tap what happens."""


CAMERA = "camera"
"""Who ruled or reported where no person did."""
MEASURED_ANEW = "measured_anew"
"""The code of a sight that was regained by itself after the camera had moved; it goes on record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SightView:
    """The state of sight, why, and since when (monotonic seconds: the wall clock of a Pi is set while it runs)."""

    state: Sight
    says: Says
    since_s: float
    code: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatView:
    """A seat: who took it and whether that phone is connected now."""

    seat: str
    name: str | None = None
    is_connected: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceView:
    """A kept picture: `sha256` names it; outlines are pixel polygons in that crop, each with a role for drawing.

    Roles: ``piece``, ``territory``, ``overlap``, and ``beside`` for pieces that the picture is not about. ``foot`` is
    the footprint of a piece whose top is seen elsewhere, and ``place`` the place in question. `width_px` and
    `height_px` are the crop's size.
    """

    sha256: str
    width_px: int
    height_px: int
    outlines: tuple[OutlineView, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlineView:
    """One outline to draw over a kept picture."""

    role: str
    label: str
    points_px: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RulingCard:
    """One ruling as people see it. `entry` is the number of the entry it follows from; `by` a name, None: the camera;
    `piece` the id of the piece that it is about, `pieces` of all where it is about several. `is_minor`: it changes
    nothing, and is said in small."""

    entry: int
    seat: str | None
    says: Says
    rule: str
    by: str | None
    at_s: float
    margin_mm: float | None = None
    sigma_mm: float | None = None
    evidence: EvidenceView | None = None
    piece: str | None = None
    pieces: tuple[str, ...] = ()
    is_minor: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceView:
    """One answer that may be given. `likely` is its probability, where told; `needs_reason`: say why with it."""

    key: str
    says: Says
    likely: float | None = None
    needs_reason: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionView:
    """A question to the people. It stays until it is answered or what it is about was taken back."""

    id: str
    says: Says
    choices: tuple[ChoiceView, ...]
    rule: str
    margin_mm: float | None = None
    sigma_mm: float | None = None
    evidence: EvidenceView | None = None
    seats: tuple[str, ...] = ()
    """Who may answer; empty: any seat."""
    said: tuple[SaidView, ...] = ()
    """Answers that wait for others: a close call counts once all phones of the table agree."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidView:
    """The answer of one seat: the choice's key, and the person's name."""

    seat: str
    name: str
    choice: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ByHandView:
    """One thing to do by hand: the piece's place now and its place before (None: it is or was not on the table)."""

    says: Says
    lies: Placed | None = None
    lay: Placed | None = None
    laid: Laid | None = None
    """Whether it is seen done; None where no camera looks."""
    why: Says | None = None
    """Why it is not seen done."""
    seen: Placed | None = None
    """The place of the piece as seen now; None if unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PutBackView:
    """A throw was taken back: what to do by hand until another is judged, in order. `entry` is the retraction's."""

    entry: int
    things: tuple[ByHandView, ...]
    says: Says | None = None
    """How far it is seen done, in a line; None where no camera looks."""
    laid: Laid | None = None
    """YES: all is seen back and nothing is misplaced; NO: something is not back; UNSEEN: not all of it is visible."""
    others: tuple[Says, ...] = ()
    """Other things that are not where they were before the throw."""
    stays: tuple[Placed, ...] = ()
    """The other pieces on the table, to draw around those that are to be put back."""
    evidence: EvidenceView | None = None
    """The table as it lay before, where a picture of it is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetUpLine:
    """One thing of the set-up, whether it is seen so, and its paragraph."""

    laid: Laid
    says: Says
    rule: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SetUpView:
    """How far the table is seen to be set up before the first throw: a warning at most, people may begin anyway.

    `entry` is the log's number that the beginning follows, 0 for the first; `beyond` is what no camera sees of it.
    """

    entry: int
    laid: Laid
    says: Says
    lines: tuple[SetUpLine, ...]
    beyond: Says


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoView:
    """The entry that undo would take back now, and the things to put back on the table by hand."""

    entry: int
    says: Says
    put_back: tuple[Says, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HintView:
    """One hint for the seat that sees this view."""

    says: Says
    why: tuple[Says, ...] = ()
    rule: str | None = None
    move: str | None = None
    """The move of `MatchView.moves` that it speaks of."""
    chance: float | None = None
    """Probability of winning with it, from 0 to 1; None if unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HintsView:
    """The hints for a seat, a message of their own: they are thought out while the view is on the phones already.

    They are for the views of `match` that say the same `judged`.
    """

    match: str
    judged: int
    seat: str
    hints: tuple[HintView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskView:
    """One thing that a move asks for: its key, the words and the answers it may have."""

    key: str
    says: Says
    choices: tuple[ChoiceView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveView:
    """A move that the seat of this view may make by a tap (`companion.match.inputs.Act`).

    `is_tapped`: False where only the table shows it; then it stands here to be read. `is_private`: others may not see
    it.
    """

    move: str
    says: Says
    effects: tuple[Says, ...] = ()
    rule: str = ""
    asks: tuple[AskView, ...] = ()
    is_tapped: bool = True
    is_private: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectionView:
    """The newest entry, which others may object to until the monotonic moment `until_s`."""

    entry: int
    says: Says
    by: str
    until_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryLine:
    """One entry of the log in words, newest first; `is_retracted` ones stay and are struck through."""

    entry: int
    says: Says
    by: str
    at_s: float
    is_retracted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CallView:
    """Somebody has called the referee and nobody has come yet; `about` is what that person objects to."""

    entry: int
    by: str
    words: str | Says
    """A person's own words, or a sentence of the box."""
    at_s: float
    about: Says | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionView:
    """Something a person may correct: a fact of the table, its value now and the values it may have.

    `piece` is the id of the piece that it is about (`PointingView`), None where it is about no one piece.
    """

    entry: int
    fact: str
    says: Says
    value: str
    choices: tuple[ChoiceView, ...]
    piece: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PointView:
    """A piece to point at: its outline in the picture, a polygon in pixels; empty where none shows it."""

    piece: str
    says: Says
    outline_px: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PartView:
    """A kept picture of a part of the table, as sharp as the camera gave it, and its position in the whole picture."""

    sha256: str
    x_px: float
    y_px: float
    width_px: float
    height_px: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PointingView:
    """The last throw as it lay, to point at the pieces that facts are about.

    `picture` is the whole table and `parts` are sharper ones within it; where none is kept `pieces` are to be drawn.
    """

    points: tuple[PointView, ...]
    picture: EvidenceView | None = None
    parts: tuple[PartView, ...] = ()
    pieces: tuple[Placed, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OverView:
    """How the match ended. `points` are shares of the win, `standing` is how each seat stood at the end; `facts` tell
    of the match as a whole; `evidence` is the picture of its closest call."""

    winners: tuple[str, ...]
    says: Says
    rule: str
    points: Mapping[str, float]
    standing: Mapping[str, Says] = field(default_factory=dict)
    facts: tuple[Says, ...] = ()
    evidence: EvidenceView | None = None
    closest: Says | None = None
    """The ruling on that picture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchView:
    """The newest whole view of a match for one seat, or for a watcher (`seat` None). `seq` is the log's last number."""

    seq: int
    match: str
    game: str
    title: str
    seat: str | None
    seats: tuple[SeatView, ...]
    sight: SightView
    table: Mapping[str, Any]
    """The game's own view (`Game.view`): for Eyes of the Emperor phases, eyes, what each throws and still needs."""
    last: tuple[RulingCard, ...]
    """The rulings of the last settled entry, newest first."""
    question: QuestionView | None
    waiting: Says | None
    """A throw was ended and the table has not come to rest yet, or cannot be seen: what is waited for."""
    undo: UndoView | None
    judged: int = 0
    """The log's number of the last entry that changed the state: hints with the same number belong to this view."""
    moves: tuple[MoveView, ...] = ()
    """The moves of this view's seat, from the rules' own list of legal moves."""
    objection: ObjectionView | None = None
    put_back: PutBackView | None = None
    set_up: SetUpView | None = None
    refused: Says | None = None
    """Why the throw that was ended last was not judged; None once another was ended or something was entered."""
    calls: tuple[CallView, ...]
    corrections: tuple[CorrectionView, ...]
    pointing: PointingView | None = None
    """Where the pieces lay that `corrections` are about; None where there are none."""
    history: tuple[HistoryLine, ...]
    over: OverView | None
    enders: tuple[str, ...] = ()
    """Seats whose phones want to end the match before it is over, and wait for the others."""
    ending: MoveView | None = None
    """The move that they want to end it with; None: it is given up."""
    has_before: bool = False
    """Whether a match was played to its end before this one, whose sheet can still be had."""
