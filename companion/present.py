"""Makes the whole view of a match for one seat. Pure but for the look-up of kept pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from companion.entries import Entry
from companion.errors import CompanionError
from companion.fold import Folded, Kind, Step, authors_of
from companion.game import Checked, Doubt, Game, Laid, PutBack, SetUp
from companion.looker import LaidNow, taken_back
from companion.pointing import pointing_view, shown_of, thinned
from companion.referee import CropAbout
from companion.says import Says
from companion.view import (
    CAMERA,
    ByHandView,
    CallView,
    ChoiceView,
    CorrectionView,
    EvidenceView,
    HintView,
    HistoryLine,
    MatchView,
    OverView,
    PutBackView,
    QuestionView,
    RulingCard,
    SeatView,
    SetUpLine,
    SetUpView,
    SightView,
    UndoView,
)

HISTORY_LINES = 60
HISTORY_RULINGS = 3
ASKED = "asked"
"""The reason of an amendment that answers the referee's own question."""
MOST_CORNERS = 60
"""More corners of an outline than this no eye tells apart on a phone, and every phone gets them with every view."""
Picture = Callable[[str], bytes | None]


@dataclass(frozen=True, slots=True)
class Seen:
    """Everything that a view is made of."""

    folded: Folded[Any, Any]
    sight: SightView
    waiting: Says | None
    refused: Says | None
    connected: frozenset[str]
    match: str
    laid: LaidNow


def present(game: Game[Any, Any], seen: Seen, picture: Picture, seat: str | None) -> MatchView:
    """The newest whole view for a seat, or for a watcher (None)."""
    folded = seen.folded
    state = folded.state
    seats = game.seats(state)
    outcome = game.outcome(state)
    hints = game.hints(state, seat) if seat in seats and outcome is None else ()
    return MatchView(
        seq=folded.seq,
        match=seen.match,
        game=game.name,
        title=game.title,
        seat=seat,
        seats=tuple(
            SeatView(seat=s, name=folded.seats[s].name if s in folded.seats else None, is_connected=s in seen.connected)
            for s in seats
        ),
        sight=seen.sight,
        table=game.view(state, seat),
        last=_cards(game, folded.last, picture),
        question=_question(game, folded, picture),
        waiting=seen.waiting,
        refused=seen.refused,
        hints=tuple(HintView(says=h.text, why=h.why, rule=h.rule) for h in hints),
        undo=_undo(game, folded),
        put_back=_put_back(game, folded, seen.laid.back, picture),
        set_up=_set_up(folded, seen.laid.set_up),
        calls=tuple(CallView(entry=c.seq, by=c.by, words=c.body.get("words", ""), at_s=c.at_s) for c in folded.calls),
        corrections=(corrections := _corrections(game, folded)),
        pointing=pointing_view(game, folded, corrections, picture),
        history=_history(game, folded),
        over=None
        if outcome is None
        else OverView(winners=outcome.winners, says=outcome.says, rule=outcome.rule, points=outcome.points),
    )


def _cards(game: Game[Any, Any], step: Step[Any, Any] | None, picture: Picture) -> tuple[RulingCard, ...]:
    """The rulings of the last action that stands, the deciding one first."""
    if step is None:
        return ()
    # who ended the throw did not rule: where a look was judged the camera did, until a person amends it
    looked = CAMERA if step.entry.body.get("shown") else step.entry.by
    return tuple(
        RulingCard(
            entry=step.entry.seq,
            seat=ruling.seat,
            says=ruling.says,
            rule=ruling.rule,
            by=author.by if author else looked,
            at_s=author.at_s if author else step.entry.at_s,
            margin_mm=ruling.margin.margin_mm if ruling.margin else None,
            sigma_mm=ruling.margin.sigma_mm if ruling.margin else None,
            evidence=evidence_of(step.entry, shown_as(game, step, ruling.piece), picture),
            piece=ruling.piece,
            pieces=ruling.pieces,
        )
        for ruling, author in reversed(list(zip(step.rulings, authors_of(game, step), strict=True)))
    )


def shown_as(game: Game[Any, Any], step: Step[Any, Any], piece: str | None) -> str | None:
    """The name under which a picture of a piece was kept: people may have named it otherwise since."""
    if piece is None or not step.amended_by:
        return piece
    try:
        shown = [one.piece for one in shown_of(step.entry) if one.piece is not None]
    except msgspec.MsgspecError:
        return piece
    recorded = game.action_of_json(step.entry.body["action"])
    place = game.place_mm(step.action, piece)
    return next((name for name in shown if place is not None and game.place_mm(recorded, name) == place), piece)


def evidence_of(entry: Entry, piece: str | None, picture: Picture) -> EvidenceView | None:
    """The kept picture of a piece, else the overview; None when the entry has none or it was pruned."""
    try:
        shown = shown_of(entry)
        found = next((s for s in shown if piece is not None and s.piece == piece), None)
        found = found or next((s for s in shown if s.piece is None), None)
        about = picture(found.about) if found else None
        if found is None or about is None:
            return None
        told = msgspec.json.decode(about, type=CropAbout)
    except msgspec.MsgspecError:  # another version's: what rests on a picture stands without it
        return None
    outlines = tuple(replace(o, points_px=thinned(o.points_px, MOST_CORNERS)) for o in told.outlines)
    return EvidenceView(sha256=found.picture, width_px=told.width_px, height_px=told.height_px, outlines=outlines)


def _question(game: Game[Any, Any], folded: Folded[Any, Any], picture: Picture) -> QuestionView | None:
    asked = game.question(folded.state)
    about = None if asked is None else asked_about(game, folded, asked)
    if asked is None or about is None:
        return None
    return QuestionView(
        id=question_id(about.entry, asked.key),
        says=asked.says,
        choices=tuple(ChoiceView(key=c.key, says=c.says) for c in asked.choices),
        rule=asked.rule,
        margin_mm=asked.margin.margin_mm if asked.margin else None,
        sigma_mm=asked.margin.sigma_mm if asked.margin else None,
        evidence=evidence_of(about.entry, shown_as(game, about, asked.pieces[0] if asked.pieces else None), picture),
        seats=asked.seats,
    )


def asked_about(game: Game[Any, Any], folded: Folded[Any, Any], asked: Doubt[Any]) -> Step[Any, Any] | None:
    """The action that a question is about: the newest with facts, or the newest of all where an answer is an action."""
    if any(choice.action for choice in asked.choices):
        return folded.last
    return next((s for s in reversed(folded.steps) if game.is_amendable(s.action) and s.after != s.before), None)


def question_id(entry: Entry, key: str) -> str:
    """The id of a question: the entry it is about and the fact it asks for."""
    return f"{entry.seq}:{key}"


def _undo(game: Game[Any, Any], folded: Folded[Any, Any]) -> UndoView | None:
    entry = folded.undoable()
    last = folded.last
    if entry is None or last is None:
        return None
    if entry.kind == Kind.AMENDED:
        amended = next(step for step in folded.steps if step.entry.seq == entry.body["entry"])
        told = game.says_fact(amended.action, entry.body["fact"], entry.body["value"])
        says = Says("take back what {by} said: {what}", {"by": entry.by, "what": str(told)})
        return UndoView(entry=entry.seq, says=says)
    what = str(game.says(last.action))
    ruling = str(last.rulings[-1].says) if last.rulings else ""
    words = "take back {what} ({ruling})" if ruling else "take back {what}"
    if ruling.startswith(what):  # it tells the action too
        words = "take back: {what}"
    says = Says(words, {"what": what, "ruling": ruling})
    return UndoView(entry=entry.seq, says=says, put_back=tuple(t.whole for t in game.put_back(last.before, last.after)))


def _put_back(
    game: Game[Any, Any], folded: Folded[Any, Any], checked: tuple[Checked, ...], picture: Picture
) -> PutBackView | None:
    """What is to be put back by hand and is seen back: the newest action was taken back, and none judged since."""
    states = taken_back(game, folded)
    things = game.put_back(*states) if states else ()
    if not states or not things:
        return None
    moved = {piece.id for thing in things for piece in (thing.lies, thing.lay) if piece is not None}
    looked = next((step for step in reversed(folded.steps) if step.entry.body.get("shown")), None)
    back, others = checked[: len(things)], checked[len(things) :]
    seen: tuple[Checked | None, ...] = back or (None,) * len(things)
    laid, says = _how_far(back, others)
    return PutBackView(
        entry=max(e.seq for e in folded.entries if e.kind == Kind.RETRACTED),
        things=tuple(
            ByHandView(says=t.says, lies=t.lies, lay=t.lay, laid=c.laid, why=c.says or _away(t, c), seen=c.seen)
            if c
            else ByHandView(says=t.whole, lies=t.lies, lay=t.lay)
            for t, c in zip(things, seen, strict=True)
        ),
        says=says,
        laid=laid,
        others=tuple(other.says for other in others if other.says is not None),
        stays=tuple(piece for piece in game.layout(states[1]) if moved and piece.id not in moved),
        evidence=evidence_of(looked.entry, None, picture) if looked else None,
    )


def _away(thing: PutBack, checked: Checked) -> Says | None:
    """How far a piece was moved, where the camera does not tell better where it is."""
    return thing.away if checked.laid is Laid.UNSEEN else None


def _how_far(back: tuple[Checked, ...], others: tuple[Checked, ...]) -> tuple[Laid | None, Says | None]:
    """How far all is seen back, for the card's head and for the scoreboard."""
    if not back:
        return None, None
    told = [checked.laid for checked in (*back, *others)]
    count = {"back": sum(checked.laid is Laid.YES for checked in back), "all": len(back)}
    if Laid.NO in told:
        return Laid.NO, Says("{back} of {all} back", count)
    if Laid.UNSEEN not in told:
        return Laid.YES, Says("all is back where it lay")
    if count["back"] == 0:
        return Laid.UNSEEN, Says("whether all is back cannot be seen")
    return Laid.UNSEEN, Says("{back} of {all} back, the rest cannot be seen", count)


SET_UP = {
    Laid.YES: Says("the table is set up"),
    Laid.UNSEEN: Says("not all of the set-up can be seen"),
    Laid.NO: Says("the table is not set up yet"),
}
ORDER = (Laid.NO, Laid.UNSEEN, Laid.YES)


def _set_up(folded: Folded[Any, Any], seen: SetUp | None) -> SetUpView | None:
    """How far the table is seen to be set up, what is wrong first."""
    if seen is None:
        return None
    return SetUpView(
        entry=folded.last.entry.seq if folded.last else 0,
        laid=seen.laid,
        says=SET_UP[seen.laid],
        lines=tuple(
            SetUpLine(laid=line.laid, says=line.says, rule=line.rule)
            for line in sorted(seen.lines, key=lambda line: ORDER.index(line.laid))
            if line.says is not None
        ),
        beyond=seen.beyond,
    )


def _corrections(game: Game[Any, Any], folded: Folded[Any, Any]) -> tuple[CorrectionView, ...]:
    last = folded.amendable(game)
    if last is None or game.question(folded.state) is not None:
        return ()
    return tuple(
        CorrectionView(
            entry=last.entry.seq,
            fact=c.fact,
            says=c.says,
            value=c.value,
            choices=tuple(ChoiceView(key=key, says=words) for key, words in c.choices),
            piece=c.piece,
        )
        for c in game.corrections(folded.state)
    )


def _history(game: Game[Any, Any], folded: Folded[Any, Any]) -> tuple[HistoryLine, ...]:
    steps = {step.entry.seq: step for step in folded.steps}
    entries = {entry.seq: entry for entry in folded.entries}
    lines = []
    for entry in reversed(folded.entries[-HISTORY_LINES:]):
        lines.append(
            HistoryLine(
                entry=entry.seq,
                says=folded.misfits.get(entry.seq) or _words(game, entry, steps, entries),
                by=entry.by,
                at_s=entry.at_s,
                is_retracted=entry.seq in folded.retracted,
            )
        )
    return tuple(lines)


def _words(
    game: Game[Any, Any], entry: Entry, steps: Mapping[int, Step[Any, Any]], entries: Mapping[int, Entry]
) -> Says:
    """An entry in words; what people answered is told as the question and the answer. That one was taken back is told
    beside it."""
    if entry.seq in steps:
        return _told(game, steps[entry.seq])
    if entry.kind == Kind.ACTION:
        with suppress(CompanionError, KeyError):  # another version's
            return game.says(game.action_of_json(entry.body["action"]))
    action = _amended_action(game, entry, steps, entries) if entry.kind == Kind.AMENDED else None
    if action is None:
        return entry_words(entry)
    says = game.says_fact(action, entry.body["fact"], entry.body["value"])
    words = "{what}" if entry.body["reason"] == ASKED else "corrected: {what} ({reason})"
    return Says(words, {"what": str(says), "reason": entry.body["reason"]})


def _amended_action(
    game: Game[Any, Any], entry: Entry, steps: Mapping[int, Step[Any, Any]], entries: Mapping[int, Entry]
) -> Any | None:
    """The action that an answer or a correction is about, also where it was taken back since."""
    if entry.body["entry"] in steps:
        return steps[entry.body["entry"]].action
    try:
        return game.action_of_json(entries[entry.body["entry"]].body["action"])
    except (CompanionError, KeyError):  # another version's
        return None


def _told(game: Game[Any, Any], step: Step[Any, Any]) -> Says:
    """An action with what the rules said of it, the deciding ruling first; one that tells the action is enough."""
    what = str(game.says(step.action))
    rulings = [str(ruling.says) for ruling in reversed(step.rulings)][:HISTORY_RULINGS]
    if rulings and rulings[0].startswith(what.removeprefix("a ")):
        return Says("{rulings}", {"rulings": "; ".join(rulings)})
    words = "{what}: {rulings}" if rulings else "{what}"
    return Says(words, {"what": what, "rulings": "; ".join(rulings)})


def entry_words(entry: Entry) -> Says:
    """An entry that is no standing action, in words."""
    body: Mapping[str, Any] = entry.body
    match entry.kind:
        case Kind.BEGAN:
            return Says("the match begins")
        case Kind.ACTION:
            return Says("a throw that was taken back")
        case Kind.AMENDED:
            words = "{fact} = {value} ({reason})"
            return Says(words, {"fact": body["fact"], "value": body["value"], "reason": body["reason"]})
        case Kind.RETRACTED:
            return Says("{by} took entry {entry} back", {"by": entry.by, "entry": body["entry"]})
        case Kind.TOOK_SEAT:
            return Says("{name} takes the seat {seat}", {"name": body["name"], "seat": body["seat"]})
        case Kind.LEFT_SEAT:
            return Says("the seat {seat} is free", {"seat": body["seat"]})
        case Kind.CALLED:
            return Says(
                "calls the referee: {words}" if body["words"] else "calls the referee", {"words": body["words"]}
            )
        case Kind.CAME:
            return Says("the referee came")
        case Kind.GIVEN_UP:
            return Says("{by} ended the match before it was over", {"by": entry.by})
        case Kind.SIGHT:
            return Says("sight: {says}", {"says": body["says"]})
        case _:
            return Says("{kind}", {"kind": entry.kind})
