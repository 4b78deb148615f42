"""Pages of referees and organisers: set-up, entries, rounds, results and their corrections, devices, the audit."""

import re
import secrets

from flask import Blueprint, Response, redirect, request
from werkzeug.datastructures import MultiDict

from companion.event.changes import Preview, preview
from companion.event.facts import (
    Apart,
    AskedOut,
    Corrected,
    Edited,
    Entered,
    EntryRetracted,
    EventBegan,
    Fixed,
    Named,
    Paired,
    Reordered,
    Reported,
    Result,
    Returned,
    RoundRetracted,
    RoundsChanged,
    Withdrew,
)
from companion.event.hub.audit import words_of
from companion.event.hub.check_in import choices, missing, paired
from companion.event.hub.desk import HubLog, Person
from companion.event.hub.entry_list import NAME_LIMIT, entered_of, text_of
from companion.event.hub.export import log_of
from companion.event.hub.facts import (
    Assigned,
    CheckedIn,
    CheckInOpened,
    ClockSet,
    Fact,
    GameChosen,
    HallCallClosed,
    HubEntry,
    JoinBy,
    Joining,
)
from companion.event.hub.results import answer_of, form_of, result_of
from companion.event.hub.roles import Permission, Role
from companion.event.hub.store import HUB_ID
from companion.event.presets import ANY_GAME, presets, settings_for, title_of
from companion.event.refused import EventRefused
from companion.event.settings import MOST_MINUTES, TieBreak
from companion.event.state import Event, known
from companion.event.trf import facts_of_trf
from companion.game.names import Borne, cleaned
from companion.game.says import Says
from companion.game.whole import whole_of
from web.hub.set_up import BASIC, FIELDS, OPTIONS, ORDERED, filled, game_of, settings_in, values_of
from web.hub.site import at_table, me, page, say, site
from web.hub.who import need, tokens
from web.site.app import qr_svg
from web.site.refusals import ended

staff = Blueprint("hub_staff", __name__)
NAME_MOST, REASON_LIMIT = 80, 200


def to(path: str) -> Response:
    response: Response = redirect(path, 303)  # type: ignore[assignment]
    return response


def _staff(event_id: str, act: Permission) -> tuple[HubLog, Person]:
    """The log and the person of the request. Raises: Refusal, EventRefused."""
    log = site().desk.log(event_id)
    person = me(log)
    need(person, act)
    return log, person


def _reason(*, is_needed: bool = False) -> str:
    """The reason in a form. Raises: EventRefused: there is none, and it is needed."""
    reason = cleaned(request.form.get("reason", ""))[:REASON_LIMIT]
    if is_needed and not reason:
        raise EventRefused("a change needs a reason")
    return reason


def _say(
    event_id: str, fact: Fact | tuple[Fact, ...], person: Person, page: str = "desk", *, is_seen: bool = False
) -> Response:
    """Enters facts, and leads to a page of the event."""
    seen = whole_of(request.form.get("seen", "")) if is_seen else None
    site().desk.say(event_id, fact, person, seen=seen)
    return to(f"/e/{event_id}/{page}")


def _organiser() -> Person:
    person = site().people.person(tokens(request), HUB_ID)
    need(person, Permission.SETTINGS)
    return person


@staff.get("/new")
def new() -> Response:
    _organiser()
    return _set_up()


def _set_up(given: MultiDict[str, str] | None = None, wrong: str | None = None) -> Response:
    """The form, with everything that was typed in it and its error; at first as the first game fills it."""
    return page(
        "new.html",
        presets=presets(),
        title_of=lambda preset: ANY_GAME[preset].says if preset in ANY_GAME else title_of(preset),
        values={preset: values_of(settings_for(preset, None, "")) for preset in presets()},
        basic=BASIC,
        fields=FIELDS,
        options=OPTIONS,
        ordered=ORDERED,
        seed=secrets.token_hex(4),
        tie_breaks=list(TieBreak),
        given=filled(presets()[0], {}) if given is None else given,
        wrong=wrong,
    )


@staff.post("/new")
def begin() -> Response:
    """Begins an event, or shows its form again with the error."""
    person, given = _organiser(), request.form
    if given.get("of", (preset := given.get("game", ""))) != preset and preset in presets():
        return _set_up(filled(preset, given))  # another preset was chosen, and no script fills the form
    try:
        return to(f"/e/{_begun(person)}/desk")
    except EventRefused as refused:
        response = _set_up(given, ended(say(refused.says)))
        response.status_code = 409
        return response


def _begun(person: Person) -> str:
    """A new event from the form; returns its id. Raises: EventRefused."""
    given = request.form
    name = cleaned(given.get("name", ""))[:NAME_MOST]
    if not name:
        raise EventRefused("an event needs a name")
    began = EventBegan(name, settings_in(given, secrets.token_hex(4)))
    joining = _joining(given.get("joining", JoinBy.CODE))
    facts: tuple[Fact, ...] = (began, GameChosen(game_of(given)), joining, *entered_of(given.get("entrants", "")))
    event_id = f"{slug(name)}-{secrets.token_hex(2)}"
    site().desk.begin(event_id, facts, person)
    return event_id


def _joining(way: str) -> Joining:
    """Sets how players' phones join, with a new key for the hall's codes. Raises: EventRefused."""
    if way not in set(JoinBy):
        raise EventRefused("{found} is not one of: {known}", found=way[:20], known=", ".join(JoinBy))
    return Joining(JoinBy(way), secrets.token_hex(16))


def slug(name: str) -> str:
    """A name in a form for addresses.

    >>> slug("Emperor's Cup, Köln 2026")
    'emperor-s-cup-k-ln-2026'
    """
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:30] or "event"


@staff.post("/import")
def import_() -> Response:
    """Imports an exported event, or a FIDE report file, as a new one."""
    person = _organiser()
    upload = request.files.get("file")
    if upload is None:
        raise EventRefused("choose the JSON file of an event")
    told, event_id = upload.read(), f"copy-{secrets.token_hex(3)}"
    if told.lstrip()[:1] in (b"{", b"["):
        site().desk.copy(event_id, log_of(told))
    else:
        facts = facts_of_trf(told.decode("utf-8", "replace"), secrets.token_hex(4))
        site().desk.begin(event_id, (*facts, _joining(JoinBy.CODE)), person)
    name = own = site().desk.log(event_id).tournament.name
    known = {each.tournament.name for each in site().desk.events() if each.id != event_id}
    while name in known:
        name = say(Says("{name} (copy)", {"name": name[:NAME_MOST]}))
    if name != own:
        return _say(event_id, Named(name), person)
    return to(f"/e/{event_id}/desk")


@staff.post("/e/<event_id>/name")
def rename(event_id: str) -> Response:
    """Gives the event another name, archives it, or brings it back."""
    _, person = _staff(event_id, Permission.SETTINGS)
    name = cleaned(request.form.get("name", ""))[:NAME_MOST]
    _say(event_id, Named(name, is_archived=request.form.get("do") == "archive"), person)
    return to("/")


@staff.get("/e/<event_id>/desk")
def desk(event_id: str) -> Response:
    """The open tasks, the tables and the calls."""
    log, person = _staff(event_id, Permission.ENTER)
    shown = site().shown(event_id)
    return page(
        "desk.html",
        log,
        shown_view=shown,
        can_pair=person.may(Permission.PAIR),
        boxes=site().boxes(),
        number=_asked_round(log),
        choices=choices(log.tournament),
        done=_done(log, person),
        code=site().people.hall_code(log),
    )


@staff.get("/e/<event_id>/boxes")
def boxes(event_id: str) -> Response:
    """The state of the tables with a camera, for an open desk. Their changes make no entries, so the desk gets no news
    of them."""
    log, person = _staff(event_id, Permission.ENTER)
    return page(
        "boxes.html",
        log,
        shown_view=site().shown(event_id),
        can_pair=person.may(Permission.PAIR),
        boxes=site().boxes(),
    )


def _asked_round(log: HubLog) -> int:
    rounds = len(log.tournament.rounds)
    number = whole_of(request.args.get("round", "")) or rounds
    return min(number, rounds)


@staff.post("/e/<event_id>/pair")
def pair(event_id: str) -> Response:
    """Pairs the next round, and gives its tables to the available boxes."""
    log, person = _staff(event_id, Permission.PAIR)
    if "seen_missing" not in request.form and missing(log):
        return to(f"/e/{event_id}/missing")
    round_, facts = paired(log, request.form)
    return _say(event_id, (*facts, round_, *to_boxes(log, round_)), person, is_seen=True)


@staff.get("/e/<event_id>/missing")
def ask_missing(event_id: str) -> Response:
    """Asks about everybody who is missing before the next round is paired."""
    log, _ = _staff(event_id, Permission.PAIR)
    return page("missing.html", log, missing=missing(log), choices=choices(log.tournament))


@staff.post("/e/<event_id>/check_in")
def check_in(event_id: str) -> Response:
    """Opens the check-in for the next round; or an entrant is here, or is not."""
    log, person = _staff(event_id, Permission.ENTER)
    number, who = log.tournament.next_number, request.form.get("entrant", "")
    if not who:
        return _say(event_id, CheckInOpened(number), person)
    known(log.tournament, who)
    return _say(event_id, CheckedIn(number, who, is_here=request.form.get("do") == "here"), person)


@staff.post("/e/<event_id>/clock")
def clock(event_id: str) -> Response:
    """Starts the round's clock, pauses it, or adds minutes."""
    log, person = _staff(event_id, Permission.ENTER)
    number, now = len(log.tournament.rounds), log.hall.clock
    minutes = whole_of(request.form.get("minutes", "").strip(), most=MOST_MINUTES)
    if minutes is None or not number:
        raise EventRefused("type the minutes for the clock of a round")
    is_new = now is None or now.round != number
    left_s = 0.0 if now is None or is_new else max(0.0, now.left_at(site().desk.wall_s()))
    is_running = not is_new and now is not None and now.ends_at_s is not None
    match request.form.get("do", ""):
        case "start":
            left_s, is_running = (60.0 * minutes if is_new else left_s), True
        case "pause":
            is_running = False
        case "add":
            left_s += 60.0 * minutes
    return _say(event_id, ClockSet(number, left_s, is_running), person)


def to_boxes(log: HubLog, paired: Paired) -> list[Fact]:
    """The first tables of a round, each given to one of the available boxes, if these know the game."""
    boxes = site().desk.log(HUB_ID).hall.boxes if site().views.of(log).is_judged else ()
    numbers = range(1, len(paired.tables) + 1)
    return [Assigned(paired.round, number, box) for number, box in zip(numbers, boxes, strict=False)]


@staff.post("/e/<event_id>/assign")
def assign(event_id: str) -> Response:
    """Gives a table to a box, or to none."""
    log, person = _staff(event_id, Permission.SETTINGS)
    round_, table = at_table(request.form)
    log.tournament.table(round_, table)
    if not site().views.of(log).is_judged:
        raise EventRefused("no table with a camera can judge this event's game")
    return _say(event_id, Assigned(round_, table, request.form.get("box") or None), person)


@staff.post("/e/<event_id>/came")
def came(event_id: str) -> Response:
    log, person = _staff(event_id, Permission.COME)
    entry = request.form.get("entry", "")
    if any(str(call.seq) == entry for call in log.calls):
        return _say(event_id, HallCallClosed(int(entry)), person)
    return to(f"/e/{event_id}/desk")


@staff.get("/e/<event_id>/result/<int:round_>/<int:table>")
def result(event_id: str, round_: int, table: int) -> Response:
    log, _ = _staff(event_id, Permission.ENTER)
    return _form(log, round_, table, None)


def _form(log: HubLog, round_: int, table: int, effects: Preview | None, given: Result | None = None) -> Response:
    event = log.tournament
    seated = event.table(round_, table)
    shown = site().views.of(log)
    claims = [claim.result for claim in log.hall.claims.get((round_, table), {}).values()]
    is_agreed = len(claims) == len(seated.seats) and all(each == claims[0] for each in claims)
    now = given or seated.result or (claims[0] if is_agreed else None)
    return page(
        "result.html",
        log,
        shown_view=shown,
        number=round_,
        table=shown.tables(round_)[table - 1],
        seated=seated,
        form=form_of(event, seated.seats),
        answer={} if now is None else answer_of(event, seated.seats, now),
        effects=effects,
        reason=request.form.get("reason", ""),
        late=log.hall.late.get((round_, table), ()),
        is_earlier=round_ < len(event.rounds),
        history=[
            (entry, words_of(log, entry))
            for entry in log.entries
            if (getattr(entry.fact, "round", None), getattr(entry.fact, "table", None)) == (round_, table)
        ],
    )


@staff.post("/e/<event_id>/result/<int:round_>/<int:table>")
def enter(event_id: str, round_: int, table: int) -> Response:
    """Enters a first result. A change first shows its effects, and is entered once these were seen."""
    log, person = _staff(event_id, Permission.ENTER)
    event = log.tournament
    seated = event.table(round_, table)
    given = result_of(event, seated.seats, request.form)
    if seated.result is None:
        _say(event_id, Reported(round_, table, given), person)
        return to(f"/e/{event_id}/desk?round={round_}")
    fact = Corrected(round_, table, given, _reason())
    site().desk.checked(log, (fact,), person)
    if request.form.get("do") != "enter":
        return _form(log, round_, table, preview(log.of_tournament, fact, person.name), given)
    _say(event_id, fact, person, is_seen=True)
    return to(f"/e/{event_id}/desk?round={round_}")


@staff.get("/e/<event_id>/back")
def back(event_id: str) -> Response:
    """Shows the effects of taking the newest round back."""
    log, person = _staff(event_id, Permission.PAIR)
    number = len(log.tournament.rounds)
    if not number:
        raise EventRefused("no round is paired yet")
    shown = site().views.of(log)
    effects = preview(log.of_tournament, RoundRetracted(number, "-"), person.name)
    return page("back.html", log, number=number, tables=shown.tables(number), effects=effects)


@staff.post("/e/<event_id>/back")
def take_back(event_id: str) -> Response:
    """Takes the newest round back, with its results."""
    _, person = _staff(event_id, Permission.PAIR)
    number = whole_of(request.form.get("round", "")) or 0
    return _say(event_id, RoundRetracted(number, _reason()), person, is_seen=True)


@staff.get("/e/<event_id>/entrants")
def entrants(event_id: str) -> Response:
    log, person = _staff(event_id, Permission.ENTRANTS)
    can_pair = person.may(Permission.PAIR)
    return page(
        "entrants.html",
        log,
        shown_view=site().shown(event_id),
        wishes=_wishes(log, AskedOut),
        can_pair=can_pair,
        done=_done(log, person),
    )


def _wishes(log: HubLog, *kinds: type[Fact]) -> list[tuple[HubEntry, Says]]:
    """The wishes of these kinds that still matter for a round to come, with their words."""
    number, found = log.tournament.next_number, []
    for entry in log.entries:
        fact = entry.fact
        until = fact.until if isinstance(fact, Apart) else getattr(fact, "round", None)
        if isinstance(fact, kinds) and entry.seq not in log.gone and (until is None or until >= number):
            found.append((entry, words_of(log, entry)))
    return found


@staff.post("/e/<event_id>/retract")
def retract(event_id: str) -> Response:
    """Takes a wish for a round to come back, with a reason."""
    log, person = _staff(event_id, Permission.PAIR)
    wishes = {str(entry.seq): entry.fact for entry, _ in _wishes(log, AskedOut, Apart, Fixed)}
    fact = wishes.get(entry := request.form.get("entry", ""))
    if fact is None:
        raise EventRefused("that is taken back already")
    _say(event_id, EntryRetracted(int(entry), _reason()), person)
    return to(f"/e/{event_id}/{'entrants' if isinstance(fact, AskedOut) else 'rounds'}")


@staff.post("/e/<event_id>/entrants")
def change_entrants(event_id: str) -> Response:
    """Enters by CSV paste; or an entrant withdraws, comes back, sits a round out."""
    log, person = _staff(event_id, Permission.ENTRANTS)
    event, who = log.tournament, request.form.get("entrant", "")
    match request.form.get("do", ""):
        case "enter":
            upload = request.files.get("file")
            file = upload.read() if upload else b""
            more = entered_of(text_of(file) if file else request.form.get("lines", ""), event)
            if not more:
                raise EventRefused("the list is empty: type a name on each line")
            _say(event_id, more, person)
        case "withdraw":
            _say(event_id, Withdrew(who), person)
        case "return":
            _say(event_id, Returned(who), person)
        case "sit_out":
            worth = event.settings.points.draw if request.form.get("half") else None
            _say(event_id, AskedOut(who, _round_typed(event), worth), person)
        case "edit":
            rating, name = request.form.get("rating", "").strip(), cleaned(request.form.get("name", ""))[:NAME_LIMIT]
            number = whole_of(rating or "0")
            if number is None:
                raise EventRefused("{found} is not a whole number", found=rating[:20])
            club = cleaned(request.form.get("club", ""))[:NAME_LIMIT]
            if other := Borne(each.name for id_, each in event.entrants.items() if id_ != who).like(name):
                raise EventRefused("{name} looks like {known}, who is entered already", name=name, known=other)
            _say(event_id, Edited(who, name, number, club), person)
    return to(f"/e/{event_id}/{'desk' if request.form.get('to') == 'desk' else 'entrants'}?since={log.seq}")


MOST_DONE = 8
"""Maximum number of sentences about what was just done."""


def _done(log: HubLog, person: Person) -> list[Says]:
    """This device's entries since the number in the page's address, in words."""
    since = whole_of(request.args.get("since", ""))
    if since is None or log.event is None:
        return []
    of_event = (each for each in log.entries if each.seq > since and not each.is_hall)
    mine = [each for each in of_event if each.device == person.device]
    words = [words_of(log, each) for each in mine]
    if log.event.rounds and any(isinstance(each.fact, Entered) for each in mine):
        words.append(Says("New players play from round {round} on.", {"round": log.event.next_number}))
    if len(words) > MOST_DONE:
        words = [*words[: MOST_DONE - 1], Says("and {n} more", {"n": len(words) - MOST_DONE + 1})]
    return words


def _round_typed(event: Event) -> int:
    """The round that was typed, else the next. Raises: EventRefused: the event has fewer rounds."""
    typed, last = whole_of(request.form.get("round", "").strip()) or event.next_number, event.settings.rounds
    if last and typed > last:
        raise EventRefused("the event has {n} rounds: round {round} is too high", round=typed, n=last)
    return typed


@staff.post("/e/<event_id>/apart")
def apart(event_id: str) -> Response:
    """Keeps players apart, for good or up to a round."""
    _, person = _staff(event_id, Permission.PAIR)
    return _say(event_id, Apart(_together(), whole_of(request.form.get("until", "").strip())), person, "rounds")


def _together() -> tuple[str, ...]:
    """The entrants in a form, each once."""
    return tuple(filter(None, dict.fromkeys(request.form.getlist("entrant"))))


@staff.get("/e/<event_id>/rounds")
def rounds(event_id: str) -> Response:
    """The rounds, the organiser's wishes for the next one, and the order of tie-breaks."""
    log, _ = _staff(event_id, Permission.PAIR)
    fixed, apart = _wishes(log, Fixed), _wishes(log, Apart)
    return page(
        "rounds.html", log, shown_view=site().shown(event_id), tie_breaks=list(TieBreak), fixed=fixed, apart=apart
    )


@staff.post("/e/<event_id>/fix")
def fix(event_id: str) -> Response:
    """Puts entrants together at a table in the next round, as the organiser wants it, with a reason."""
    log, person = _staff(event_id, Permission.PAIR)
    reason = _reason(is_needed=True)
    return _say(event_id, Fixed(_round_typed(log.tournament), _together(), reason), person, "rounds")


@staff.post("/e/<event_id>/reorder")
def reorder(event_id: str) -> Response:
    """Sets another order of tie-breaks, with its reason."""
    _, person = _staff(event_id, Permission.SETTINGS)
    order = tuple(TieBreak(word) for word in request.form.getlist("tie_break") if word in set(TieBreak))
    return _say(event_id, Reordered(order, _reason(is_needed=True)), person, "rounds")


@staff.post("/e/<event_id>/rounds")
def change_rounds(event_id: str) -> Response:
    """Sets another number of rounds, with its reason."""
    _, person = _staff(event_id, Permission.SETTINGS)
    rounds = whole_of(request.form.get("rounds", "").strip())
    if rounds is None:
        raise EventRefused("type the number of rounds")
    return _say(event_id, RoundsChanged(rounds, _reason(is_needed=True)), person, "rounds")


@staff.get("/e/<event_id>/devices")
def devices(event_id: str) -> Response:
    """The devices that are let in, and links for more. The hub's own devices are organisers'."""
    log, _ = _staff(event_id, Permission.DEVICES)
    return _devices(log)


def _devices(log: HubLog, **more: object) -> Response:
    here, of_hub = site(), site().desk.log(HUB_ID)
    person = here.people.person(tokens(request), HUB_ID)
    has_hub = log.id != HUB_ID and person.may(Permission.DEVICES)
    return page("devices.html", log, roles=_roles(log.id), of_hub=of_hub if has_hub else None, **more)


def _roles(event_id: str) -> list[Role]:
    """The roles that a link can give; a link to the whole hub makes an organiser."""
    return [Role.ORGANISER] if event_id == HUB_ID else [role for role in Role if role is not Role.PLAYER]


@staff.post("/e/<event_id>/devices")
def change_devices(event_id: str) -> Response:
    """Makes a link, or removes a device."""
    log, person = _staff(event_id, Permission.DEVICES)
    here = site()
    if request.form.get("do") == "joining" and log.event is not None:
        return _say(event_id, _joining(request.form.get("way", "")), person, "devices")
    if request.form.get("do") == "revoke":
        here.people.revoke(log, request.form.get("device", ""), person)
        return to(f"/e/{event_id}/devices")
    role, entrant = request.form.get("role", ""), request.form.get("entrant") or None
    if entrant is not None and entrant not in log.tournament.entrants:
        raise EventRefused("unknown entrant {entrant}", entrant=entrant)
    if entrant is None and role not in _roles(event_id):
        raise EventRefused("{found} is not one of: {known}", found=role[:20], known=", ".join(_roles(event_id)))
    if request.form.get("do") == "program":
        token = here.people.let_in(event_id, Role(role), "a program", None, person)
        return _devices(here.desk.log(event_id), token=token)
    name = log.tournament.says(entrant) if entrant else request.form.get("name", "").strip()
    code = here.people.invite(event_id, Role.PLAYER if entrant else Role(role), name, entrant)
    link = f"{here.join_url}in/{code}"
    return _devices(log, link=link, qr=qr_svg(link))


@staff.get("/e/<event_id>/audit")
def audit(event_id: str) -> Response:
    """All entries: author, time, and whether it was taken back."""
    log, _ = _staff(event_id, Permission.AUDIT)
    lines = [(entry, words_of(log, entry), entry.seq in log.gone) for entry in reversed(log.entries)]
    return page("audit.html", log, lines=lines, says=Says)
