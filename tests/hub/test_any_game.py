"""An event of any game: its name, its kind of result and its words, from the form to slips, phones and sheets."""

from __future__ import annotations

import re

import pytest
from werkzeug.datastructures import MultiDict

from companion.event.facts import Result
from companion.event.hub.desk import HUB
from companion.event.hub.facts import Enrolled
from companion.event.hub.results import form_of, result_of, said
from companion.event.hub.store import HUB_ID
from companion.event.hub.views import HubViews
from companion.event.presets import presets, settings_for
from companion.event.refused import EventRefused
from companion.event.state import Entrant, Event
from tests.hub.hall import Hall, posts, text_of
from web.hub.set_up import filled, settings_in

PLAYERS = "Ann\nBen\nCora\nDan\nEve\nFinn"


@pytest.mark.parametrize("preset", presets())
def test_the_form_as_a_preset_fills_it_makes_the_settings_of_the_preset(preset: str) -> None:
    usual = settings_for(preset, 3, "7")
    assert settings_in(filled(preset, {"seed": "7"}), "0") == usual


def event_of(preset: str, seats: int, **more: str) -> tuple[Event, list[str]]:
    settings = settings_in(MultiDict(filled(preset, {}).to_dict(flat=False) | more), "0")
    who = [f"p{n}" for n in range(1, seats + 1)]
    return Event("Cup", settings, {each: Entrant(each, each, 0, (), 1) for each in who}), who


@pytest.mark.parametrize(
    ("best_of", "has_draws", "ends"),
    [
        ("3", "", ["2-0", "2-1", "1-2", "0-2"]),
        ("3", "on", ["2-0", "2-1", "1-0", "1-1", "0-0", "1-2", "0-1", "0-2"]),
        ("1", "", ["1-0", "0-1"]),
    ],
)
def test_a_series_offers_the_ends_it_can_have(best_of: str, has_draws: str, ends: list[str]) -> None:
    event, who = event_of("any_series", 2, best_of=best_of, has_draws=has_draws, unit="legs")
    form = form_of(event, who, is_referee=False)
    assert [each.key for each in form.choices] == ends
    assert str(form.about) == f"Best of {best_of} legs"
    assert result_of(event, who, {"end": ends[-1]}).winner == 1
    assert str(said(event, who, result_of(event, who, {"end": ends[-1]}))).startswith("p2 won ")
    with pytest.raises(EventRefused, match="choose how the table ended"):
        result_of(event, who, {"end": "draw"})


@pytest.mark.parametrize(
    ("typed", "fewer", "result"),
    [
        (["10", "-3", "7"], "", Result((1, 3, 2), (10, -3, 7))),
        (["10", "-3", "7"], "on", Result((3, 1, 2), (10, -3, 7))),
        (["10", "-", "-3"], "", Result((1, 3, 2), (10, 0, -3), absent=(1,))),
    ],
)
def test_points_say_places_and_who_did_not_come(typed: list[str], fewer: str, result: Result) -> None:
    event, who = event_of("any_points", 3, fewer_wins=fewer)
    assert result_of(event, who, {f"score{at}": text for at, text in enumerate(typed)}) == result


def test_an_event_of_any_game_speaks_its_words_and_has_no_camera(hall: Hall) -> None:
    """A Catan open had to call itself "Eyes of the Emperor"."""
    hall.desk.say(HUB_ID, Enrolled("north"), HUB)
    client = hall.organiser()
    given = filled("any_points", {"name": "Open", "game_name": "Catan", "entrants": PLAYERS, "rounds": "1"})
    answer = posts(client, "/new", **{**given.to_dict(), "unit": "victory points", "minutes": "90"})
    at = answer.headers["Location"].removesuffix("/desk")
    posts(client, f"{at}/pair")
    log = hall.desk.log(at.split("/")[-1])
    assert not log.hall.assigned
    assert "no table with a camera can judge" in text_of(
        posts(client, f"{at}/assign", round="1", table="1", box="north")
    )
    page = text_of(client.get(f"{at}/result/1/1"))
    first, second, third = (log.tournament.says(who) for who in log.tournament.table(1, 1).seats)
    assert f"victory points of {first}" in page
    posts(client, f"{at}/result/1/1", score0="10", score1="8", score2="7")
    posts(client, f"{at}/result/1/2", score0="10", score1="5", score2="5")
    everybody = text_of(client.get(at))
    assert "Catan" in everybody
    assert "victory points, share of the table" in everybody
    assert f"{first} 10 {second} 8 {third} 7" in re.sub(r"[,;·]| and", "", everybody)
    rows = client.get(f"{at}/export/results.csv").text.splitlines()
    assert rows[0] == '"round","table","seat","id","name","how","place","victory points","rounds_won","points"'
    assert sorted(row.split(",", 6)[6] for row in rows[1:]) == [
        '1,10,"",4', '1,10,"",4', '2,5,"",2.5', '2,5,"",2.5', '2,8,"",3', '3,7,"",2',
    ]  # fmt: skip
    standings = client.get(f"{at}/export/standings.csv").text
    assert re.search(r'1,"p\d","\w+",4,0\.5\r', standings)  # 10 of 20
    assert "victory points" in text_of(client.get(f"{at}/print/slips"))
    assert "The game is Catan" in text_of(client.get(f"{at}/audit"))


def test_who_is_named_first_has_the_colour_that_the_event_says(hall: Hall) -> None:
    """A Go event: no page said who had black, and the FIDE report gave white to whom the phones named first. Its first
    colour contradicted its first round."""
    client = hall.organiser()
    given = filled("any_ends", {"name": "Go", "game_name": "Go", "entrants": PLAYERS, "rounds": "3"})
    at = posts(client, "/new", **{**given.to_dict(), "first": "black"}).headers["Location"].removesuffix("/desk")
    posts(client, f"{at}/pair")
    view = HubViews(hall.desk.log(at.split("/")[-1]))
    first, second = view.event.table(1, 1).seats
    sits = [str(view.me(who).at.sits) for who in (first, second)]
    assert sits == [f"You have {word}" for word in ("black", "white")]
    file = client.get(f"{at}/export/event.trf").text
    colour = {line[14:47].strip(): line[96] for line in file.splitlines() if line.startswith("001")}
    assert [colour[view.event.says(who)] for who in (first, second)] == ["b", "w"]
    best = next(line for line in file.splitlines() if line.startswith("001    1"))
    assert ("XXC white1" in file) == (best[96] == "w")
