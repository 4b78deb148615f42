"""Makes the whole view of a match for one seat. Pure, apart from the look-up of kept pictures."""

import contextlib
import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any, cast

import msgspec

from companion.game import view as views
from companion.game.evidence import CropAbout, CropOutline
from companion.game.game import Game, seats_of
from companion.game.says import Says, counted, joined, listed
from companion.game.table import Placed
from companion.game.values import (
    Checked,
    ChoiceView,
    Correctable,
    Illegal,
    InPlace,
    Move,
    Ruling,
    Score,
    SeenSetUp,
)
from companion.match.inputs import author
from companion.match.people import NOTHING_SAID, Held, Said, known_to, question_of
from companion.match.referee import LaidNow, looked_at, looked_at_again, to_lay
from companion.record import entry as bodies
from companion.record.entry import ASKED, Acted, Amended, Answered, Asked, Called, Entry, Exhibit
from companion.record.fold import Folded, Step, action_body, action_of, authors_of, house_rules

HISTORY_LINES = 60
HISTORY_RULINGS = 3
MOST_CORNERS = 60
"""Maximum number of corners of an outline: every phone gets them with every view."""
POINTED_CORNERS = 16
"""Maximum number of corners of an outline to point at."""
SAME_MM = 0.3
"""Maximum distance between an outline and its piece, mm: places are rounded to 0.1 mm."""
Picture = Callable[[str], bytes | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewInputs(views.TableNow):
    folded: Folded[Any, Any]
    connected: frozenset[str] = frozenset()
    laid: LaidNow = field(default_factory=LaidNow)
    kept: frozenset[str] = frozenset()
    """The seats that no other phone may take."""
    objection_until_s: float | None = None
    said: Said = NOTHING_SAID
    secrets: Held = field(default_factory=dict, repr=False)
    """Each seat's own secrets: shown on its phone and nowhere else."""


def present(
    game: Game[Any, Any], seen: ViewInputs, picture: Picture, seat: str | None, other: views.MatchView | None = None
) -> views.MatchView:
    """The newest whole view for a seat, or for a watcher (None). `other`: one of the same inputs, for another seat."""
    folded = seen.folded
    state = folded.state
    known, past = known_to(game, state, seat, seen.secrets), [step.action for step in folded.steps]
    table = {**game.page.view(known, seat, past)}
    if other is not None:
        moves = _moves(game, state, seat, seen.secrets) if other.over is None else ()
        return replace(other, seat=seat, table=table, moves=moves)
    seats = seats_of(game, state)
    outcome, correctable = game.rules.outcome(state), _correctable(game, folded)
    closest = None if outcome is None else closest_call(folded)
    return views.MatchView(
        **{each.name: getattr(seen, each.name) for each in fields(views.TableNow)},
        seq=folded.seq,
        judged=folded.judged,
        game=game.name,
        title=getattr(state, "title", None) or game.title,
        seat=seat,
        seats=tuple(
            views.SeatView(
                seat=s,
                name=folded.seats[s].name if s in folded.seats else None,
                is_connected=s in seen.connected,
                is_kept=s in seen.kept and folded.seats[s].has_phone,
                is_stand_in=s in folded.seats and folded.seats[s].is_stand_in,
            )
            for s in seats
        ),
        table=table,
        last=_cards(game, folded, folded.last, picture),
        question=_question(game, folded, picture, seen.said),
        moves=_moves(game, state, seat, seen.secrets) if outcome is None else (),
        objection=_objection(game, folded, seen.objection_until_s),
        undo=_undo(game, folded),
        put_back=_put_back(game, seen, picture),
        set_up=_set_up(folded, seen.laid.set_up),
        calls=tuple(_call(game, folded, call, seen.said) for call in folded.calls),
        corrections=tuple(_correction(last.entry, fact) for fact in correctable)
        if (last := folded.amendable(game))
        else (),
        pointing=pointing_view(game, folded, correctable, picture),
        history=history(game, folded, HISTORY_LINES),
        house_rules=_house_rules(game, folded),
        over=None
        if outcome is None
        else views.OverView(
            winners=outcome.winners,
            says=outcome.says,
            rule=outcome.rule,
            points=outcome.points,
            standing=_ranked(game.rules.score(state), outcome.winners),
            facts=facts_of(folded),
            evidence=None if closest is None else evidence_of(closest[0].entry, closest[1].piece, picture),
            closest=None if closest is None else closest[1].says,
        ),
        standing=_ranked(game.rules.score(state), ()),
        enders=tuple(seen.said.enders),
        ending=_ending(game, state, seen.said),
    )


def _house_rules(game: Game[Any, Any], folded: Folded[Any, Any]) -> dict[str, str]:
    """The options that differ from the sheet, except those that the start page asks for at once."""
    given = house_rules(folded.entries)
    return {
        option.key: given[option.key]
        for option in game.options
        if not option.is_asked and given.get(option.key, option.default) != option.default
    }


def _ranked(scores: Mapping[str, Score], winners: Sequence[str]) -> dict[str, Says]:
    """The standing of each seat, the winners first and then by the distance from their points."""
    best = next((scores[seat].points for seat in winners if seat in scores), None)
    if best is None:
        return {seat: score.words for seat, score in scores.items()}
    order = sorted(scores, key=lambda seat: (seat not in winners, abs(scores[seat].points - best)))
    return {seat: scores[seat].words for seat in order}


def _cards(
    game: Game[Any, Any], folded: Folded[Any, Any], step: Step[Any, Any] | None, picture: Picture
) -> tuple[views.RulingCard, ...]:
    if step is None:
        return ()
    # the person who ended the throw is not the author: after a reading the camera is, until a person amends it
    by = None if shown_of(step.entry) else step.entry.by
    return tuple(
        views.RulingCard(
            entry=step.entry.seq,
            seat=ruling.seat,
            says=ruling.says,
            rule=ruling.rule,
            by=author.by if author else by,
            at_s=author.at_s if author else step.entry.at_s,
            margin_mm=ruling.margin.margin_mm if ruling.margin else None,
            sigma_mm=ruling.margin.sigma_mm if ruling.margin else None,
            evidence=_evidence(game, folded, step, ruling.piece, picture),
            piece=ruling.piece,
            pieces=ruling.pieces,
            is_minor=ruling.is_minor,
        )
        for ruling, author in reversed(list(zip(step.rulings, authors_of(game, step), strict=True)))
    )


def steps_of(game: Game[Any, Any], folded: Folded[Any, Any], picture: Picture) -> tuple[views.StepView, ...]:
    """A match step by step, oldest first."""
    past = [step.action for step in folded.steps]
    return tuple(
        views.StepView(
            entry=step.entry.seq,
            by=step.entry.by,
            at_s=step.entry.at_s,
            says=_told(game, step),
            table=game.page.view(step.after, None, past[: i + 1]),
            last=_cards(game, folded, step, picture),
            pieces=_lie(game, step.after),
        )
        for i, step in enumerate(folded.steps)
    )


def _lie(game: Game[Any, Any], state: Any) -> tuple[Placed, ...]:
    layout = game.table.layout(state)
    return () if layout.board else layout.pieces


def film_of(game: Game[Any, Any], text: str) -> tuple[views.MatchView, tuple[views.StepView, ...]]:
    """The scenes of a game's film, and the view of the last: a line ``= STATE`` sets the table, ``> ACTION`` plays."""
    state: Any = None
    view, steps = None, []
    folded: Folded[Any, Any] = Folded(None, (), ())
    for n, line in enumerate(text.splitlines()):
        if line.startswith("= "):
            state = game.text.state_of(line[2:])
        if not line.startswith("> "):
            continue
        action = game.text.action_of(line[2:], state)
        applied = game.rules.apply(state, action)
        body = action_body(game, action)
        entry = Entry(seq=n, at_s=0.0, kind="acted", by=views.CAMERA, body=body, evidence=(), previous="", hash="")
        step = Step(entry, action, state, applied.state, applied.rulings)
        state = applied.state
        # the closest call is that of all scenes
        folded = Folded(state, (*folded.steps, step), (*folded.entries, entry))
        sight = views.SightView(state=views.Sight.SEES, says=Says("the table is seen"), since_s=0.0)
        view = present(game, ViewInputs(folded=folded, sight=sight, match="film"), _no_picture, None)
        steps.append(replace(steps_of(game, folded, _no_picture)[-1], table=view.table, question=view.question))
    assert view is not None
    assert view.over is not None
    return replace(view, over=replace(view.over, facts=())), tuple(steps)  # scenes have no duration and no count


def _no_picture(sha256: str) -> None:
    return None


def shown_as(game: Game[Any, Any], step: Step[Any, Any], looked: Entry, piece: str | None) -> str | None:
    """The name under which a picture of a piece was kept: a correction may have renamed the piece since."""
    if piece is None or not step.amended_by:
        return piece
    shown = [one.piece for one in shown_of(looked) if one.piece is not None]
    recorded = action_of(step.entry)
    place_mm = game.eyes.place_mm
    place = place_mm(step.action, piece)
    return next((name for name in shown if place is not None and place_mm(recorded, name) == place), piece)


def _evidence(
    game: Game[Any, Any],
    folded: Folded[Any, Any],
    step: Step[Any, Any],
    piece: str | None,
    picture: Picture,
    numbered: Collection[str] = (),
) -> views.EvidenceView | None:
    """The picture of a piece after a step. The outlines of `numbered` pieces are named by their numbers."""
    looked = looked_at(folded, step.entry)
    at_mm = None if piece is None else game.eyes.place_mm(step.action, piece)
    numbers = {
        found[0]: place
        for name in numbered
        if (found := re.findall(r"\d+$", name)) and (place := game.eyes.place_mm(step.action, name)) is not None
    }
    return evidence_of(looked, shown_as(game, step, looked, piece), picture, at_mm, numbers)


def evidence_of(
    entry: Entry,
    piece: str | None,
    picture: Picture,
    at_mm: tuple[float, float] | None = None,
    places_mm: Mapping[str, tuple[float, float]] = MappingProxyType({}),
) -> views.EvidenceView | None:
    """The kept picture of a piece, else the overview with it marked; None without one. `places_mm`: names by places."""
    shown = shown_of(entry)
    found = next((s for s in shown if piece is not None and s.piece == piece), None)
    found = found or next((s for s in shown if s.piece is None), None)
    told = _about_of(found, picture) if found else None
    if found is None or told is None:
        return None
    meant = at_mm if found.piece is None else None
    outlines = tuple(
        views.OutlineView(
            role=role,
            label=o.label,
            points_px=thinned(o.points_px, MOST_CORNERS),
            name=o.name if o.at_mm is None else _called(o.at_mm, places_mm),
        )
        for o, role in zip(told.outlines, _roles(told.outlines, meant), strict=True)
    )
    return views.EvidenceView(sha256=found.picture, width_px=told.width_px, height_px=told.height_px, outlines=outlines)


def _about_of(shown: Exhibit, picture: Picture) -> CropAbout | None:
    """The circumstances of a picture; None if it is not kept, or is another version's: the ruling stands without it."""
    with contextlib.suppress(msgspec.MsgspecError):
        about = picture(shown.about)
        return None if about is None else msgspec.json.decode(about, type=CropAbout)
    return None


def _called(at_mm: tuple[float, float], places_mm: Mapping[str, tuple[float, float]]) -> str | None:
    """The name of the piece nearest to a place; None: none is there."""
    name = min(places_mm, key=lambda name: math.dist(places_mm[name], at_mm), default=None)
    return name if name is not None and math.dist(places_mm[name], at_mm) <= SAME_MM else None


def _roles(outlines: tuple[CropOutline, ...], at_mm: tuple[float, float] | None) -> list[str]:
    """The role of each outline, with only the piece at a place marked, and the other pieces less."""
    pieces = [o for o in outlines if o.role == "piece" and at_mm is not None]
    far = [math.inf if o.at_mm is None or at_mm is None else math.dist(o.at_mm, at_mm) for o in pieces]
    others = [o for i, o in enumerate(pieces) if i != far.index(min(far))]
    return ["beside" if any(o is other for other in others) else o.role for o in outlines]


def _moves(game: Game[Any, Any], state: Any, seat: str | None, held: Held) -> tuple[views.MoveView, ...]:
    """The moves of a seat, from the rules' own list, without those that its own phone knows to be illegal."""
    if seat is None:
        return ()
    to_move = game.rules.to_move(state)
    open_to = [move for move in game.rules.legal(state) if seat in (move.seats or to_move)]
    return tuple(_move(move) for move in open_to if _may_be_legal(game, state, seat, held, move))


def _ending(game: Game[Any, Any], state: Any, said: Said) -> views.MoveView | None:
    wanted = said.ending
    return next(
        (_move(move) for move in game.rules.legal(state) if wanted is not None and move.move == wanted.move), None
    )


def _may_be_legal(game: Game[Any, Any], state: Any, seat: str, held: Held, move: Move[Any]) -> bool:
    try:
        if seat in held:
            game.secrets.check(state, seat, held[seat], move.move, move.action)
    except Illegal:
        return False
    return True


def _move(move: Move[Any]) -> views.MoveView:
    return views.MoveView(
        move=move.move,
        says=move.text,
        effects=move.effects,
        rule=move.rule,
        asks=move.asks,
        is_tapped=move.action is not None or bool(move.asks),
    )


def _objection(game: Game[Any, Any], folded: Folded[Any, Any], until_s: float | None) -> views.ObjectionView | None:
    """The newest action or correction, while the others may object to it and nobody has; else None."""
    newest = folded.undoable()
    if until_s is None or not newest or newest[0].seq != folded.judged:
        return None
    entry, says = newest[0], _entered(game, folded, newest[0].seq)
    if says is None or any(call.body.entry == entry.seq for call in folded.calls if isinstance(call.body, Called)):
        return None
    holders = {holder.name for holder in folded.seats.values()}
    if holders and holders <= set(entry.by.split(" + ")):
        return None  # all have agreed to it
    entered = {step.entry.seq: step for step in folded.steps}
    movers = game.rules.to_move(entered[newest[-1].seq].before) if entry.by == views.CAMERA else ()
    mover = movers[0] if len(movers) == 1 else None
    return views.ObjectionView(entry=entry.seq, says=says, by=entry.by, until_s=until_s, mover=mover)


def _entered(game: Game[Any, Any], folded: Folded[Any, Any], number: int) -> Says | None:
    """A standing action, with all that was entered together with it, or what a person said of a fact."""
    for step in folded.steps:
        if step.entry.seq == number:
            return _named(game, folded.together(step.entry))
    for entry in folded.undoable():
        if entry.seq == number and isinstance(entry.body, Amended):
            amended = next(step for step in folded.steps if step.entry.seq == entry.body.entry)
            told = game.people.says_fact(amended.action, entry.body.fact, entry.body.value)
            words = "what {by} said: {what}" if entry.body.reason == ASKED else "{by} corrected: {what}"
            return Says(words, {"by": author(entry.by), "what": told})
    return None


def _named(game: Game[Any, Any], steps: Sequence[Step[Any, Any]]) -> Says:
    """Actions that were entered together, with the deciding ruling unless one says what the other does."""
    *before, last = steps
    what, rulings = listed([*(_ruled(game, step) for step in before), game.text.says(last.action)]), last.rulings
    told = sorted(rulings, key=lambda one: not one.is_minor)  # the deciding one is the last that is not minor
    ruling = told[-1].says if told else what
    if str(ruling).startswith(str(what)) or str(ruling) in str(what):
        return what
    if str(ruling).startswith(str(what).removeprefix("a ")):  # "throw 5 changes nothing" of "a throw"
        return ruling
    return Says("{what} ({ruling})", {"what": what, "ruling": ruling})


def _ruled(game: Game[Any, Any], step: Step[Any, Any]) -> Says:
    what = game.text.says(step.action)
    return next((ruling.says for ruling in step.rulings if str(ruling.says).startswith(f"{what}:")), what)


def _call(game: Game[Any, Any], folded: Folded[Any, Any], call: Entry, said: Said) -> views.CallView:
    assert isinstance(call.body, Called)
    about = None if call.body.entry is None else _entered(game, folded, call.body.entry)
    is_past = about is not None and call.body.entry not in {entry.seq for entry in folded.undoable()}
    words = call.body.sentence or call.body.words
    wishes = said.wishes if said.objection == call.seq else {}
    told = tuple(views.SaidView(seat=seat, name=name, choice=choice) for seat, (choice, name) in wishes.items())
    return views.CallView(
        entry=call.seq, by=call.by, words=words, at_s=call.at_s, about=about, said=told, is_past=is_past
    )


def _question(
    game: Game[Any, Any], folded: Folded[Any, Any], picture: Picture, said: Said
) -> views.QuestionView | None:
    found = question_of(game, folded)
    if found is None:
        return None
    id, asked, about = found
    piece = asked.pieces[0] if asked.pieces else None
    evidence = None
    if about is not None:
        lying = (name for name in asked.pieces if game.eyes.place_mm(about.action, name) is not None)
        evidence = _evidence(game, folded, about, next(lying, piece), picture, asked.pieces)
    elif folded.asked is not None:
        named = piece or next((name for name, *_ in asked.places_mm), None)
        evidence = evidence_of(folded.asked, named, picture)
    return views.QuestionView(
        id=id,
        says=asked.says,
        choices=tuple(
            ChoiceView(key=c.key, says=c.says, likely=c.likely, needs_reason=c.needs_reason) for c in asked.choices
        ),
        rule=asked.rule,
        margin_mm=asked.margin.margin_mm if asked.margin else None,
        sigma_mm=asked.margin.sigma_mm if asked.margin else None,
        evidence=evidence,
        seats=asked.seats,
        said=tuple(views.SaidView(seat=s, name=name, choice=c) for s, (c, name) in said.answers.items())
        if said.question == id
        else (),
        is_again=about is None and folded.asked is not None and looked_at_again(folded, folded.asked.seq) == asked.says,
    )


def _undo(game: Game[Any, Any], folded: Folded[Any, Any]) -> views.UndoView | None:
    entries, last = folded.undoable(), folded.last
    if not entries:
        return None
    number, body = entries[0].seq, entries[0].body
    if isinstance(body, Asked):
        return views.UndoView(entry=number, says=Says("the question: {question}", {"question": body.says}))
    says = _entered(game, folded, number)
    if says is None or last is None:
        return None
    back = () if isinstance(body, Amended) else game.table.put_back(folded.steps[-len(entries)].before, last.after)
    return views.UndoView(entry=number, says=says, put_back=tuple(thing.whole for thing in back))


def _put_back(game: Game[Any, Any], seen_by: ViewInputs, picture: Picture) -> views.PutBackView | None:
    folded, checked = seen_by.folded, seen_by.laid.back
    lay = to_lay(game, folded)
    things = game.table.put_back(lay.now, lay.left) if lay else ()
    if not lay or not things or lay.entry == seen_by.said.back:
        return None
    moved = {piece.id for thing in things for piece in (thing.lies, thing.lay) if piece is not None}
    looked = next((step for step in reversed(folded.steps) if shown_of(step.entry)), None)
    back, others = checked[: len(things)], checked[len(things) :]
    seen: tuple[Checked | None, ...] = back or (None,) * len(things)
    laid, says = _how_far(back, others)
    return views.PutBackView(
        entry=lay.entry,
        is_mistake=lay.is_mistake,
        things=tuple(
            views.ByHandView(
                says=t.says,
                lies=t.lies,
                lay=t.lay,
                laid=c.laid,
                why=c.says or (None if c.laid is InPlace.YES else t.away),
                seen=c.seen,
            )
            if c
            else views.ByHandView(says=t.whole, lies=t.lies, lay=t.lay)
            for t, c in zip(things, seen, strict=True)
        ),
        says=says,
        laid=laid,
        others=tuple(other.says for other in others if other.says is not None),
        stays=tuple(piece for piece in game.table.layout(lay.left).pieces if moved and piece.id not in moved),
        evidence=evidence_of(looked.entry, None, picture) if looked else None,
    )


def _how_far(back: tuple[Checked, ...], others: tuple[Checked, ...]) -> tuple[InPlace | None, Says | None]:
    if not back:
        return None, None
    told = [checked.laid for checked in (*back, *others)]
    count = {"back": sum(checked.laid is InPlace.YES for checked in back), "all": len(back)}
    if InPlace.NO in told:
        return InPlace.NO, Says("{back} of {all} in place", count)
    if InPlace.UNSEEN not in told:
        return InPlace.YES, Says("everything is in its place")
    if count["back"] == 0:
        return InPlace.UNSEEN, Says("can't see whether everything is in its place")
    return InPlace.UNSEEN, Says("{back} of {all} in place, the rest cannot be seen", count)


SET_UP = {
    InPlace.YES: Says("the table is set up"),
    InPlace.UNSEEN: Says("not all of the set-up can be seen"),
    InPlace.NO: Says("the table is not set up yet"),
}
ORDER = (InPlace.NO, InPlace.UNSEEN, InPlace.YES)


def _set_up(folded: Folded[Any, Any], seen: SeenSetUp | None) -> views.SetUpView | None:
    """Whether the camera sees the set-up, a line for each part of it, faults first."""
    if seen is None:
        return None
    return views.SetUpView(
        entry=folded.last.entry.seq if folded.last else 0,
        laid=seen.laid,
        says=SET_UP[seen.laid],
        lines=tuple(
            sorted((line for line in seen.lines if line.says is not None), key=lambda line: ORDER.index(line.laid))
        ),
        beyond=seen.beyond,
    )


def _correctable(game: Game[Any, Any], folded: Folded[Any, Any]) -> tuple[Correctable, ...]:
    """The facts that may be corrected now. If no other move was legal there was nothing to choose."""
    last = folded.amendable(game)
    found = () if last is None else game.people.corrections(folded.state, last.before, last.action)
    return tuple(c for c in found if any(choice.key != c.value for choice in c.choices))


def _correction(about: Entry, c: Correctable) -> views.CorrectionView:
    return views.CorrectionView(
        entry=about.seq, fact=c.fact, says=c.says, value=c.value, choices=c.choices, piece=c.piece
    )


def history(game: Game[Any, Any], folded: Folded[Any, Any], most: int = 0) -> tuple[views.HistoryLine, ...]:
    """The entries in words, newest first. `most` limits them to the newest, each person's seat once; 0: all."""
    steps = {step.entry.seq: step for step in folded.steps}
    entries = {entry.seq: entry for entry in folded.entries}
    newest = folded.entries[-most:]
    gone = folded.retracted | {entry.body.entry for entry in newest if isinstance(entry.body, bodies.CallWithdrawn)}
    again = _seated_again(newest) if most else ()
    lines = []
    for entry in reversed(newest):
        if entry.seq in again:
            continue
        lines.append(
            views.HistoryLine(
                entry=entry.seq,
                says=folded.misfits.get(entry.seq) or _words(game, entry, steps, entries),
                by=entry.by,
                at_s=entry.at_s,
                is_retracted=entry.seq in gone,
            )
        )
    return tuple(lines)


def _seated_again(entries: Sequence[Entry]) -> set[int]:
    held: dict[str, str] = {}
    found = set()
    for entry in entries:
        match entry.body:
            case bodies.TookSeat(seat=seat, name=name):
                if held.get(seat) == name:
                    found.add(entry.seq)
                held[seat] = name
            case bodies.LeftSeat(seat=seat):
                held.pop(seat, None)
    return found


def _words(
    game: Game[Any, Any], entry: Entry, steps: Mapping[int, Step[Any, Any]], entries: Mapping[int, Entry]
) -> Says:
    """An entry in words; an answer is the question and the answer. An undo does not change the words."""
    if entry.seq in steps:
        return _told(game, steps[entry.seq])
    match entry.body:
        case Acted(action=action):
            return game.text.says(cast(Any, action))
        case Answered() as answer if (asked := entries.get(answer.entry)) is not None and isinstance(asked.body, Asked):
            return _answered(asked.body, answer)
        case Amended() as given:
            about = steps[given.entry].action if given.entry in steps else action_of(entries.get(given.entry))
            if about is not None:
                says = game.people.says_fact(about, given.fact, given.value)
                words = "{what}" if given.reason == ASKED else "corrected: {what} ({reason})"
                return Says(words, {"what": says, "reason": given.reason})
    return entry_words(entry)


def _answered(asked: Asked, answer: Answered) -> Says:
    said = next((choice.says for choice in asked.choices if choice.key == answer.choice), answer.choice)
    words = "{question} {answer}" if str(asked.says).endswith("?") else "{question}: {answer}"
    told = Says(words, {"question": asked.says, "answer": said})
    return Says("{told} ({reason})", {"told": told, "reason": answer.reason}) if answer.reason else told


def _told(game: Game[Any, Any], step: Step[Any, Any]) -> Says:
    """An action with its rulings, the deciding one first. A ruling that begins with its words replaces them."""
    what = game.text.says(step.action)
    note = step.entry.body.note if isinstance(step.entry.body, Acted) else None
    if note is not None:
        what = Says("{what} ({note})", {"what": what, "note": note})
    rulings = [ruling.says for ruling in reversed(step.rulings)][:HISTORY_RULINGS]
    if not rulings:
        return Says("{what}", {"what": what})
    told = joined(rulings)
    if any(str(ruling).startswith(str(what).removeprefix("a ")) for ruling in rulings):
        return Says("{rulings}", {"rulings": told})
    return Says("{what}: {rulings}", {"what": what, "rulings": told})


def entry_words(entry: Entry) -> Says:
    """An entry that is not a standing action, in words."""
    match entry.body:
        case bodies.MatchBegan():
            return Says("the match begins")
        case Acted():
            return Says("a throw that was taken back")
        case Amended(fact=fact, value=value, reason=reason):
            return Says("{fact} = {value} ({reason})", {"fact": fact, "value": value, "reason": reason})
        case Asked(says=question):
            return Says("asked: {question}", {"question": question})
        case Answered(choice=choice, reason=reason):
            words = "answered: {choice} ({reason})" if reason else "answered: {choice}"
            return Says(words, {"choice": choice, "reason": reason})
        case bodies.Retracted(entry=about) | bodies.CallWithdrawn(entry=about):
            return Says("{by} took entry {entry} back", {"by": author(entry.by), "entry": about})
        case bodies.TookSeat(name=name, seat=seat):
            return Says("{name} takes the seat {place}", {"name": name, "place": seat})
        case bodies.LeftSeat(seat=seat):
            return Says("the seat {place} is free", {"place": seat})
        case Called(words=said, sentence=sentence):
            words = "calls the referee: {words}" if said else "calls the referee"
            return Says(words, {"words": sentence or said})
        case bodies.CallClosed(settled=settled):
            return Says("the objection is settled") if settled else Says("the referee came")
        case bodies.GivenUp():
            return Says("{by} ended the match before it was over", {"by": author(entry.by)})
        case bodies.Redacted():
            return Says("a name was taken out of this record")
        case bodies.Sealed(seat=seat):
            return Says("{seat} keeps the hand on the phone", {"seat": seat})
        case bodies.Sighted(says=said, sentence=sentence):
            return Says("{says}", {"says": sentence or said})
        case _:
            return Says("{kind}", {"kind": entry.kind})


def shown_of(entry: Entry) -> tuple[Exhibit, ...]:
    return entry.body.shown if isinstance(entry.body, Acted | Asked) else ()


def pointing_view(
    game: Game[Any, Any], folded: Folded[Any, Any], corrections: tuple[Correctable, ...], picture: Picture
) -> views.PointingView | None:
    """The view to point at the pieces of the corrections; None if no correction is about a piece."""
    wanted = {c.piece: c.called or Says("{piece}", {"piece": c.piece}) for c in corrections if c.piece is not None}
    last = folded.amendable(game)
    if not wanted or last is None:
        return None
    layout = game.table.layout(folded.state).pieces
    whole, parts = _pictures(last.entry, picture)
    lying = {piece.id: piece for piece in layout}
    outlines = whole[1].outlines if whole is not None else ()
    points = tuple(
        views.PointView(piece=id, says=says, outline_px=_outline(outlines, lying.get(id)))
        for id, says in wanted.items()
    )
    if whole is None or not any(point.outline_px for point in points):
        return views.PointingView(points=points, pieces=layout)
    shown, about = whole
    return views.PointingView(
        points=points,
        picture=views.EvidenceView(sha256=shown.picture, width_px=about.width_px, height_px=about.height_px),
        parts=tuple(_part(part, told, about) for part, told in parts),
    )


def _pictures(
    entry: Entry, picture: Picture
) -> tuple[tuple[Exhibit, CropAbout] | None, list[tuple[Exhibit, CropAbout]]]:
    found = [(shown, about) for shown in shown_of(entry) if (about := _about_of(shown, picture)) is not None]
    whole = next((one for one in found if one[0].piece is None), None)
    return whole, [one for one in found if one[0].piece is not None]


def _outline(outlines: tuple[CropOutline, ...], piece: Placed | None) -> tuple[tuple[int, int], ...]:
    """The corners of a piece in the picture. A die below another, where the set-up stacks them, has its outline."""
    if piece is None:
        return ()
    near = (
        (math.hypot(o.at_mm[0] - piece.x_mm, o.at_mm[1] - piece.y_mm), i)
        for i, o in enumerate(outlines)
        if o.at_mm is not None and o.kind == piece.kind
    )
    best = min(near, default=None)
    if best is None or best[0] > SAME_MM:
        return ()
    return tuple((round(x), round(y)) for x, y in thinned(outlines[best[1]].points_px, POINTED_CORNERS))


def thinned(corners: tuple[tuple[float, float], ...], most: int) -> tuple[tuple[float, float], ...]:
    """Every n-th corner of a smooth outline, so that at most `most` remain.

    >>> thinned(((0, 0), (1, 0), (2, 1), (2, 2), (1, 3)), 3)
    ((0, 0), (2, 1), (1, 3))
    """
    return corners[:: math.ceil(len(corners) / most)] if len(corners) > most else corners


def _part(shown: Exhibit, about: CropAbout, whole: CropAbout) -> views.PartView:
    by = whole.scale / about.scale
    return views.PartView(
        sha256=shown.picture,
        x_px=round(about.at_px[0] * whole.scale, 2),
        y_px=round(about.at_px[1] * whole.scale, 2),
        width_px=round(about.width_px * by, 2),
        height_px=round(about.height_px * by, 2),
    )


MINUTE_S = 60


def facts_of(folded: Folded[Any, Any]) -> tuple[Says, ...]:
    entries = [entry for entry in folded.entries if entry.seq not in folded.retracted]
    if not folded.steps:
        return ()
    minutes = round((folded.steps[-1].entry.at_s - folded.entries[0].at_s) / MINUTE_S)
    asked = sum(
        isinstance(entry.body, Asked) or (isinstance(entry.body, Amended) and entry.body.reason == ASKED)
        for entry in entries
    )
    with_another = {entry.seq for entry in folded.entries if isinstance(entry.body, Acted) and entry.body.follows}
    taken_back = (entry.body.entry for entry in folded.entries if isinstance(entry.body, bodies.Retracted))
    undone = sum(number not in with_another for number in taken_back)
    rulings = sum(step.entry.seq not in with_another for step in folded.steps)
    said: list[Says] = []
    if minutes >= 0:  # a clock that was set back meanwhile gives no duration
        words = ("played in one minute", "played in {count} minutes")
        said.append(counted(minutes, *words, none="played in less than a minute"))
    said += [
        counted(rulings, "one ruling", "{count} rulings"),
        counted(asked, "one question was asked", "{count} questions were asked", none="no question was asked"),
    ]
    if undone:
        said.append(counted(undone, "one undo", "{count} undos"))
    found = closest_call(folded)
    if found is not None and found[1].margin is not None:
        said.append(Says("the closest call: {mm} mm", {"mm": round(abs(found[1].margin.margin_mm), 1)}))
    return tuple(said)


def closest_call(folded: Folded[Any, Any]) -> tuple[Step[Any, Any], Ruling] | None:
    """The ruling with the smallest margin, with its step; None if nothing was measured."""
    measured = [
        (abs(ruling.margin.margin_mm), -step.entry.seq, step, ruling)
        for step in folded.steps
        for ruling in step.rulings
        if ruling.margin is not None
    ]
    if not measured:
        return None
    *_, step, ruling = min(measured, key=lambda row: row[:2])
    return step, ruling
