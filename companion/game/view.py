"""The view of a match: one whole view, newest wins, JSON-able by msgspec. Pages draw it and decide nothing."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from companion.game.says import Says
from companion.game.table import Placed
from companion.game.values import Asks, Checked, ChoiceView, InPlace


class Sight(StrEnum):
    """Whether the table can be seen; phones, lamp and rulings share it. Rulings are possible only in `SEES`."""

    SEES = "sees"
    MOVING = "moving"
    HAND = "hand"
    BLIND = "blind"
    MOVED = "moved"
    BY_HAND = "by_hand"
    """No camera at all: people tap what happens."""


CAMERA = "camera"
"""Author of rulings and reports that no person made."""
READING = "reading"
"""Code of a settled table that is being read: the state is `MOVING` until that is done."""
MEASURED_ANEW = "measured_anew"
"""Code of a sight that was regained automatically after the camera had moved; the log records it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SightView:
    """The state of sight, its reason, and its start (seconds of the monotonic clock)."""

    state: Sight
    says: Says
    since_s: float
    code: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatView:
    """A seat and its player. `is_stand_in`: a phone drawn at the virtual table; a real one may take the seat."""

    seat: str
    name: str | None = None
    is_connected: bool = False
    is_kept: bool = False
    is_stand_in: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceView:
    """A kept picture (`sha256`), and outlines in its pixels. Roles: ``piece``, ``beside`` (others), ``territory``,
    ``overlap``, ``foot`` (of a piece whose top is elsewhere), ``place``."""

    sha256: str
    width_px: int
    height_px: int
    outlines: "tuple[OutlineView, ...]" = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlineView:
    """One outline to draw over a kept picture."""

    role: str
    label: str
    points_px: tuple[tuple[float, float], ...]
    name: str | None = None
    """The name of a place without a piece, or the number of a piece that a question names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RulingCard:
    """One ruling as people see it. `by`: a name, None: the camera. `is_minor`: it changes nothing."""

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
class QuestionView:
    """A question to the people. It stays until it is answered, or its subject is taken back."""

    id: str
    says: Says
    choices: tuple[ChoiceView, ...]
    rule: str
    margin_mm: float | None = None
    sigma_mm: float | None = None
    evidence: EvidenceView | None = None
    seats: tuple[str, ...] = ()
    """Seats that may answer; empty: any seat."""
    said: "tuple[SaidView, ...]" = ()
    """Answers that wait for others: a close call counts once all phones of the table agree."""
    is_again: bool = False
    """The same was asked and answered with another look, which shows the same."""


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
    laid: InPlace | None = None
    """Whether it is seen done; None without a camera."""
    why: Says | None = None
    seen: Placed | None = None
    """The place of the piece as seen now; None if unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PutBackView:
    """The things to do by hand after an undo or a wrong move (`is_mistake`) of `entry`, in order."""

    entry: int
    is_mistake: bool = False
    things: tuple[ByHandView, ...]
    says: Says | None = None
    """The seen progress, in a line; None without a camera."""
    laid: InPlace | None = None
    """YES: all is seen back and nothing is misplaced; NO: something is not back; UNSEEN: not all of it is visible."""
    others: tuple[Says, ...] = ()
    """Other things that are not where they were before the throw."""
    stays: tuple[Placed, ...] = ()
    """The other pieces on the table, drawn around those to put back."""
    evidence: EvidenceView | None = None
    """The table before, if a picture of it is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetUpView:
    """Seen progress of the set-up after `entry`; only a warning. `beyond`: the parts that no camera sees."""

    entry: int
    laid: InPlace
    says: Says
    lines: tuple[Checked, ...]
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
    """The move of `MatchView.moves` that the hint is about."""
    chance: float | None = None
    """Probability of winning with it, from 0 to 1; None if unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HintsView:
    """The hints for a seat, sent after the views of `match` with the same `judged`."""

    match: str
    judged: int
    seat: str
    hints: tuple[HintView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveView:
    """A move that this view's seat may make by a tap; not `is_tapped`: only the table can show it."""

    move: str
    says: Says
    effects: tuple[Says, ...] = ()
    rule: str = ""
    asks: tuple[Asks, ...] = ()
    is_tapped: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectionView:
    """The newest entry, which others may object to until the monotonic moment `until_s`."""

    entry: int
    says: Says
    by: str
    until_s: float
    mover: str | None = None
    """The seat whose move the camera entered: undo and correction are for it, and the objection for the others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryLine:
    """One entry of the log in words, newest first; `is_retracted` ones stay and are struck through."""

    entry: int
    says: Says
    by: str
    at_s: float
    is_retracted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StepView:
    """One standing action of a match, with its rulings and the game's view after it, as a watcher sees it."""

    entry: int
    by: str
    at_s: float
    says: Says
    table: Mapping[str, Any]
    last: tuple[RulingCard, ...]
    pieces: tuple[Placed, ...] = ()
    """The places of the pieces, for a game without a board."""
    question: QuestionView | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LostSeatView:
    """Another phone says that it is that of a seat's player. `asks`: the seats that may agree.
    Without any it gets the seat at `until_s` of the table's clock."""

    claim: int
    seat: str
    name: str
    asks: tuple[str, ...]
    until_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CallView:
    """A call for the referee, while nobody has come yet; `about` is the entry that the person objects to, in words."""

    entry: int
    by: str
    words: str | Says
    """A person's own words, or a sentence of the box."""
    at_s: float
    about: Says | None = None
    said: tuple[SaidView, ...] = ()
    """The wishes about an objection: ``take_back`` or ``stand``."""
    is_past: bool = False
    """Whether the match has gone on since that entry, so that it cannot be taken back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionView:
    """A fact that a person may correct: its value, its choices, and its piece if it is about one."""

    entry: int
    fact: str
    says: Says
    value: str
    choices: tuple[ChoiceView, ...]
    piece: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PointView:
    """A piece to point at: its outline in the picture, a polygon in pixels; empty if the picture does not show it."""

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
    """The pieces after the last throw, to point at in the `picture` and its sharper `parts`, else in a drawing."""

    points: tuple[PointView, ...]
    picture: EvidenceView | None = None
    parts: tuple[PartView, ...] = ()
    pieces: tuple[Placed, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OverView:
    """Result of the match: shares of the win, standings, facts, and the picture of its closest call."""

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
class TableNow:
    """The part of a view that does not follow from the log; the same for every seat."""

    match: str
    sight: SightView
    waiting: Says | None = None
    """The reason for waiting with an ended throw: the table has not settled yet, or cannot be seen."""
    refused: Says | None = None
    """Why the last ended throw was not judged; None after another was ended or something was entered."""
    claims: tuple[LostSeatView, ...] = ()
    has_before: bool = False
    """Whether an earlier match was played to its end, so that its sheet is available."""
    has_referee: bool = True
    """Whether a referee can be called; else players settle objections themselves."""
    enters_itself: bool = False
    """Whether the camera enters whole turns without a press."""
    is_unsure: bool = False
    """Whether the table shows something new that the camera does not enter without a press."""
    wrong: Says | None = None
    """The fault that has to be put right before it counts."""
    seen: Says | None = None
    """The visible part of a turn that may not be over."""
    done: tuple[Says, ...] = ()
    """Urgent hints that the camera has seen done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchView(TableNow):
    """The newest whole view of a match for one seat, or for a watcher (`seat` None). `seq` is the log's last number."""

    seq: int
    game: str
    title: str
    seat: str | None
    seats: tuple[SeatView, ...]
    table: Mapping[str, Any]
    """The game's own view (`Game.view`). For Eyes of the Emperor: phases, eyes, each seat's throw and needs."""
    last: tuple[RulingCard, ...]
    """The rulings of the last settled entry, newest first."""
    question: QuestionView | None
    undo: UndoView | None
    judged: int = 0
    """The log's number of the last entry that changed the state: hints with the same number belong to this view."""
    moves: tuple[MoveView, ...] = ()
    """The moves of this view's seat, from the rules' own list of legal moves."""
    objection: ObjectionView | None = None
    put_back: PutBackView | None = None
    set_up: SetUpView | None = None
    calls: tuple[CallView, ...]
    corrections: tuple[CorrectionView, ...]
    pointing: PointingView | None = None
    """The places of the pieces that `corrections` are about; None without corrections."""
    history: tuple[HistoryLine, ...]
    house_rules: Mapping[str, str] = field(default_factory=dict)
    """The options that differ from the sheet, by their keys."""
    over: OverView | None
    standing: Mapping[str, Says] = field(default_factory=dict)
    """How each seat stands now: shown when a match is ended early."""
    enders: tuple[str, ...] = ()
    """Seats whose phones want to end the match early, and wait for the others."""
    ending: MoveView | None = None
    """The move that they want to end it with; None: it is given up."""
