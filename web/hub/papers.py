"""Printouts and exports."""

from collections.abc import Callable

from flask import Blueprint, Response, request

from companion.event.hub.export import exported, pairings_csv, results_csv, standings_csv
from companion.event.hub.roles import Permission, Role
from companion.event.hub.views import HubViews
from companion.event.refused import EventRefused
from companion.event.trf import trf
from companion.game.says import Says
from web.hub import printed as pdf
from web.hub.site import me, say, site
from web.hub.who import need
from web.site import languages
from web.words import translate

MOST_TABLES = 1_000

papers = Blueprint("hub_papers", __name__)


def _file(content: bytes | str, kind: str, name: str, *, is_kept: bool = False) -> Response:
    response = Response(content, mimetype=kind)
    how = "attachment" if is_kept else "inline"
    response.headers["Content-Disposition"] = f'{how}; filename="{name}"'
    return response


def _round(shown: HubViews) -> int:
    text = request.args.get("round", "")
    return int(text) if text.isdecimal() and len(text) < 6 else len(shown.event.rounds)


@papers.get("/e/<event_id>/print/<what>.pdf")
def printed(event_id: str, what: str) -> Response:
    """A printout: pairings by table, the same by name, standings, slips, table-cards or player-cards."""
    shown = site().shown(event_id)
    round_, lang = _round(shown), languages.asked()

    def words(says: Says | str) -> str:  # outside of the request too
        return translate(says, lang)

    if what in ("slips", "table-cards", "player-cards"):
        need(me(shown.log), Permission.DEVICES if what == "player-cards" else Permission.ENTER)
    public: dict[str, Callable[[], bytes]] = {
        "pairings": lambda: pdf.pairings(shown, round_, words),
        "names": lambda: pdf.names(shown, round_, words),
        "standings": lambda: pdf.standings(shown, words),
    }
    made: dict[str, Callable[[], bytes]] = {
        "slips": lambda: pdf.slips(shown, round_, say),
        "table-cards": lambda: pdf.table_cards(shown, _tables(shown), f"{site().join_url}e/{event_id}/join", say),
        "player-cards": lambda: pdf.player_cards(shown, _links(shown), say),
    }
    if what in public:
        content = site().computed(shown.log, f"{what} {round_} {lang}", public[what])
    elif what in made:
        content = made[what]()
    else:
        known = ", ".join((*public, *made))
        raise EventRefused("unknown printout {what}, expected {known}", what=what, known=known)
    return _file(content, "application/pdf", f"{event_id}-{what}.pdf")


def _tables(shown: HubViews) -> int:
    seats = shown.event.settings.fewest_seats
    return max(1, min(MOST_TABLES, len(shown.event.entrants) // seats))


def _links(shown: HubViews) -> list[tuple[str, str]]:
    here = site()
    found = []
    for who, each in shown.event.entrants.items():
        code = here.people.invite(shown.log.id, Role.PLAYER, each.name, who)
        found.append((each.name, f"{here.join_url}in/{code}"))
    return found


@papers.get("/e/<event_id>/export/<what>")
def export(event_id: str, what: str) -> Response:
    """The standings or a round as CSV; for the organiser the whole event as JSON."""
    shown = site().shown(event_id)
    match what:
        case "standings.csv":
            content = site().computed(shown.log, what, lambda: standings_csv(shown))
            return _file(content, "text/csv", f"{event_id}-standings.csv", is_kept=True)
        case "pairings.csv":
            round_ = _round(shown)
            content = site().computed(shown.log, f"{what} {round_}", lambda: pairings_csv(shown, round_))
            return _file(content, "text/csv", f"{event_id}-round-{round_}.csv", is_kept=True)
        case "results.csv":
            content = site().computed(shown.log, what, lambda: results_csv(shown))
            return _file(content, "text/csv", f"{event_id}-results.csv", is_kept=True)
        case "event.json":
            need(me(shown.log), Permission.AUDIT)
            return _file(exported(shown.log), "application/json", f"{event_id}.json", is_kept=True)
        case "event.trf" | "event-26.trf":
            is_new = what == "event-26.trf"
            content = site().computed(shown.log, what, lambda: trf(shown.event, is_new=is_new))
            return _file(content, "text/plain", f"{event_id}-trf{26 if is_new else 16}.trf", is_kept=True)
    known = "standings.csv, pairings.csv, results.csv, event.trf, event-26.trf or event.json"
    raise EventRefused("unknown export {what}, expected {known}", what=what, known=known)
