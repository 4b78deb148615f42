"""Views of a match as phones get them, for every state a page must be able to show."""

from __future__ import annotations

import functools
import hashlib
from dataclasses import replace
from typing import Any

import cv2
import numpy as np

from companion.game.says import Says
from companion.game.table import Placed
from companion.game.values import ChoiceView, InPlace
from companion.game.view import (
    ByHandView,
    CallView,
    CorrectionView,
    EvidenceView,
    HintView,
    HistoryLine,
    MatchView,
    MoveView,
    OutlineView,
    OverView,
    PartView,
    PointingView,
    PointView,
    PutBackView,
    QuestionView,
    RulingCard,
    SeatView,
    Sight,
    SightView,
    UndoView,
)
from tests.web.fake_door import NOW_S

CROP_PX = (480, 360)
RULED_PX, ASKED_PX = 12.0, 1.0
"""How deep the die lies in the territory in the picture of the ruling and of the question."""


@functools.cache
def close_up(over_px: float = RULED_PX) -> bytes:
    """A picture of a white die at the rim of a blue territory, `over_px` deep in it: JPEG."""
    w, h = CROP_PX
    scene = np.full((h, w, 3), (120, 150, 165), np.uint8)
    for outline, color in ((DISK_PX, (150, 70, 30)), (die_px(over_px), (228, 236, 240))):
        cv2.fillPoly(scene, [np.array(outline, np.int32)], color, cv2.LINE_AA)
    return bytes(cv2.imencode(".jpg", scene)[1])


DISK_PX = ((0.0, 120.0), (190.0, 120.0), (450.0, 360.0), (0.0, 360.0))
"""The territory's rim as far as the picture shows it."""


def die_px(over_px: float = RULED_PX) -> tuple[tuple[float, float], ...]:
    """The die's outline in that picture."""
    x, y = 345.0 - over_px, 225.0 + over_px
    return ((x - 85, y), (x, y - 85), (x + 85, y), (x, y + 85))


def evidence(over_px: float = RULED_PX) -> EvidenceView:
    """That picture as evidence, named by its hash."""
    outlines = (
        OutlineView(role="territory", label="blue territory", points_px=DISK_PX),
        OutlineView(role="piece", label="blue die A", points_px=die_px(over_px)),
    )
    sha256 = hashlib.sha256(close_up(over_px)).hexdigest()
    return EvidenceView(sha256=sha256, width_px=CROP_PX[0], height_px=CROP_PX[1], outlines=outlines)


def emperor(phase: str, throws: str, needs: Says, dice: str, occupying: int = 0, outside: int = 10) -> dict[str, Any]:
    """One emperor in the game's own view; `dice` is a word a die: in, out, up or taken."""
    words = dice.split()
    return {
        "phase": phase,
        "throws": throws,
        "needs": needs,
        "dice_in": words.count("in") + words.count("up"),
        "dice": [
            {"name": name, "taken": w == "taken", "in": w in ("in", "up"), "up": w == "up"}
            for name, w in zip("AB", words, strict=True)
        ],
        "eyes_left": 2 - words.count("taken"),
        "occupying": occupying,
        "samurai_outside": outside,
    }


def table(**changes: Any) -> dict[str, Any]:
    """The game's own view in the middle of a match."""
    samurai = Says("land {count} more samurai on the {target} territory", {"count": 2, "target": "blue"})
    knock = Says("knock the other {target} empire die out", {"target": "red"})
    made = {
        "throw": 12,
        "game": 1,
        "haji": "red",
        "emperors": {
            "red": emperor("II", "samurai", samurai, "in out", occupying=1, outside=7),
            "blue": emperor("I", "ninja", knock, "out out"),
        },
        "ninjas_outside": 17,
        "refill": [],
        "edge": None,
        "winner": None,
    }
    return {**made, **changes}


def ruling() -> RulingCard:
    """A close ruling with its picture."""
    return RulingCard(
        entry=31,
        seat="blue",
        says=Says("Blue die A is still in: it overlaps the blue territory"),
        rule="Instructions 9",
        by=None,
        at_s=NOW_S - 12,
        margin_mm=1.2,
        sigma_mm=0.2,
        evidence=evidence(),
        piece="blue:A",
    )


def ruling_of(**changes: Any) -> RulingCard:
    """That ruling with other numbers or words, of a later throw."""
    if "says" in changes:
        changes["says"] = Says(changes["says"])
    return replace(ruling(), **{"entry": 32, **changes})


def question() -> QuestionView:
    """A question with both answers."""
    return QuestionView(
        id="q-32",
        says=Says("Is red samurai 4 on the blue territory?"),
        choices=(ChoiceView(key="yes", says=Says("It occupies")), ChoiceView(key="no", says=Says("It only touches"))),
        rule="Instructions 11",
        margin_mm=0.1,
        sigma_mm=0.2,
        evidence=evidence(ASKED_PX),
    )


def undo() -> UndoView:
    """What undo would take back."""
    return UndoView(
        entry=31,
        says=Says("Throw 12: red threw a samurai, blue a ninja"),
        put_back=(Says("take ninja 3 out of the valley"), Says("put red samurai 4 back into the valley")),
    )


def put_back() -> PutBackView:
    """What is to be put back by hand."""
    return PutBackView(
        entry=33,
        things=(
            ByHandView(says=Says("take ninja 3 out of the valley"), lies=placed("n3", "ninja", None, 690, 420, 16)),
            ByHandView(
                says=Says("put blue empire die 1 back, 13 cm from where the throw left it"),
                lies=placed("blue.1", "empire_die", "blue", 770, 330, 28),
                lay=placed("blue.1", "empire_die", "blue", 640, 350, 28),
            ),
            ByHandView(
                says=Says("put red samurai 4 back into the valley"),
                lay=placed("red.s4", "samurai", "red", 560, 440, 45),
            ),
        ),
        stays=(
            placed("red", "territory", "red", 377, 350, 220),
            placed("blue", "territory", "blue", 622, 350, 220),
            placed("red.1", "empire_die", "red", 350, 330, 28),
            placed("n1", "ninja", None, 480, 250, 16),
        ),
        evidence=evidence(),
    )


def seen_back(*laid: InPlace, whole: InPlace, says: str, others: tuple[str, ...] = ()) -> PutBackView:
    """The same as a camera sees it: how far each thing is done, and all of it."""
    whys = {
        InPlace.NO: Says("it is {cm} cm off its place", {"cm": 13}),
        InPlace.UNSEEN: Says("ninja 2 covers its place"),
    }
    made = put_back()
    things = zip(made.things, laid, strict=True)
    return replace(
        made,
        things=tuple(
            replace(thing, says=Says(str(thing.says).partition(",")[0]), laid=one, why=whys.get(one))
            for thing, one in things
        ),
        laid=whole,
        says=Says(says),
        others=tuple(Says(words) for words in others),
    )


def placed(id: str, kind: str, color: str | None, x_mm: float, y_mm: float, size_mm: float) -> Placed:
    """A piece to draw."""
    value, marked_up = (5 if kind == "ninja" else None), (True if kind == "empire_die" else None)
    at = {"x_mm": x_mm, "y_mm": y_mm, "angle_deg": 20.0, "size_mm": size_mm}
    return Placed(id=id, kind=kind, color=color, **at, value=value, marked_up=marked_up)


def over() -> OverView:
    """A won match."""
    return OverView(
        winners=("red",),
        says=Says("Red has taken both eyes of the blue emperor and wins"),
        rule="Instructions 14",
        points={"red": 1.0, "blue": 0.0},
        standing={"red": Says("{count} eyes left", {"count": 2}), "blue": Says("no eyes left")},
    )


def corrections() -> tuple[CorrectionView, ...]:
    """Two facts of a die that a person may correct."""
    yes_no = (ChoiceView(key="in", says=Says("overlaps")), ChoiceView(key="out", says=Says("apart")))
    facing = (ChoiceView(key="up", says=Says("faces up")), ChoiceView(key="not", says=Says("does not face up")))
    rows = (
        ("in:blue:A", "Does blue die A overlap its territory?", "in", yes_no),
        ("up:blue:A", "Is the eye of blue die A facing up?", "not", facing),
    )
    return tuple(
        CorrectionView(entry=31, fact=fact, says=Says(says), value=value, choices=choices, piece="blue:A")
        for fact, says, value, choices in rows
    )


def pointing() -> PointingView:
    """Where the die lay in the picture of the ruling."""
    outline = tuple((round(x), round(y)) for x, y in die_px())
    seen = evidence()
    part = PartView(sha256=seen.sha256, x_px=200.0, y_px=100.0, width_px=48.0, height_px=36.0)
    point = PointView(piece="blue:A", says=Says("blue die A"), outline_px=outline)
    return PointingView(points=(point,), picture=replace(seen, outlines=()), parts=(part,))


def history() -> tuple[HistoryLine, ...]:
    """Two entries, one of them taken back."""
    says = Says("Throw 12: blue die A is still in")
    return (
        HistoryLine(entry=31, says=says, by="camera", at_s=NOW_S - 40),
        HistoryLine(entry=28, says=says, by="Ann", at_s=NOW_S - 160, is_retracted=True),
    )


def hints() -> tuple[HintView, ...]:
    """What red throws next."""
    why = Says("land {count} more samurai on the {target} territory", {"count": 2, "target": "blue"})
    near = Says("near miss: samurai {piece} is {mm} mm short", {"piece": "red 3", "mm": 2.4})
    return (
        HintView(says=Says("throw a {piece}", {"piece": "samurai"}), why=(why,), rule="Instructions 10"),
        HintView(says=near),
    )


def call() -> CallView:
    """A call for the referee."""
    return CallView(entry=33, by="Ben", words="a ninja fell off the table", at_s=NOW_S - 5)


def match_view(**changes: Any) -> MatchView:
    """A match in the middle of a war: a ruling just made, everything to be seen."""
    view: dict[str, Any] = {
        "seq": 31,
        "match": "M-1",
        "game": "eyes_of_the_emperor",
        "title": "Eyes of the Emperor",
        "seat": None,
        "seats": (SeatView(seat="red"), SeatView(seat="blue")),
        "sight": SightView(state=Sight.SEES, says=Says("four fiducials, good light"), since_s=NOW_S - 42),
        "table": table(),
        "last": (ruling(),),
        "question": None,
        "waiting": None,
        "moves": (MoveView(move="edge", says=Says("somebody passed the edge while throwing")),),
        "undo": undo(),
        "calls": (),
        "corrections": corrections(),
        "pointing": pointing(),
        "history": history(),
        "over": None,
    }
    return MatchView(**{**view, **changes})
