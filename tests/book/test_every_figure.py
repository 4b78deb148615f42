"""Every figure on every page of the book, read from the page, equals a plain count over the logs."""

from __future__ import annotations

import html
import os
import re
from collections import Counter
from itertools import groupby
from typing import Any

import pytest
from flask.testing import FlaskClient

from companion.app.door import TableDoor
from companion.app.matches import MatchLibrary
from companion.book.facts import LeagueTold
from tests.book import naive
from tests.book.evenings import BEGAN_S, DAY_S, PEOPLE, evenings
from web.table.app import create_app
from web.table.book import book_pages

EVENINGS = int(os.environ.get("EVENINGS", "5"))
POINTS = (5.0, 3.0, 1.0)


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> tuple[FlaskClient, naive.Plays]:
    """The pages of these evenings, on the last of them, and the plays as the naive program counts them."""
    folder = tmp_path_factory.mktemp("every_figure")
    evenings(folder, EVENINGS)
    library = MatchLibrary(folder)
    library.book.tell("Ann", [LeagueTold("All", POINTS)])
    library.book.known(60.0)
    now_s = BEGAN_S + 7 * DAY_S * (EVENINGS - 1) + 9000.0
    more = [book_pages(library, lambda: now_s)]
    door = TableDoor(folder, lambda game, chosen: None)
    return create_app(door, join_url="http://192.168.4.1/", more=more).test_client(), naive.plays(folder)


def words(text: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split())


def opened(client: FlaskClient, page: str, **asked: str) -> str:
    answer = client.get(f"/book{page}", query_string=asked)
    assert answer.status_code == 200, page
    return answer.get_data(as_text=True)


def table(page: str, heading: str = "") -> list[list[str]]:
    """The rows of the first table after a heading, each cell in words."""
    body = page.split(f"<h2>{heading}</h2>", 1)[-1].split("<tbody>", 1)[1].split("</tbody>", 1)[0]
    return [
        [words(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.S)]
        for row in body.split("</tr>")[:-1]
    ]


def pairs(page: str) -> dict[str, str]:
    found = re.findall(r"<dt>(.*?)</dt>\s*<dd>(.*?)</dd>", page, re.S)
    return {words(name): words(value) for name, value in found}


def facts(page: str) -> list[str]:
    return [
        words(one) for one in re.findall(r"<li>(.*?)</li>", page.split('class="facts-of">')[1].split("</ul>")[0], re.S)
    ]


def chart(page: str, heading: str) -> list[int]:
    """The values over the bars of a chart; a bar without a value is 0."""
    body = page.split(f"<h2>{heading}</h2>", 1)[1].split("</figure>", 1)[0]
    return [int(n or 0) for n in re.findall(r"<rect[^>]*/>(?:<text[^>]*>(\d+)</text>)?<text", body)]


def listed(page: str) -> list[tuple[str, dict[str, str]]]:
    """The list of plays: the title, and what stands behind each name."""
    found = []
    for card in page.split('<ul class="plays">', 1)[1].split("</ul>", 1)[0].split('<li class="card">')[1:]:
        title = re.search(r"<strong>(.*?)</strong>", card)
        people = [one.split("</a>") for one in card.split('<a class="person"')[1:]]
        assert title is not None
        found.append(
            (
                html.unescape(title[1]),
                {words(f"<a{name}"): words(rest.split("not finished")[0]) for name, rest in people},
            )
        )
    return found


def hours(time_s: float) -> str:
    minutes = round(time_s / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"


def counted(n: int) -> str:
    return "one play" if n == 1 else f"{n} plays"


def shown(points: float | None) -> str:
    return "" if points is None else f"{points:g}"


def as_listed(plays: naive.Plays) -> list[tuple[str, dict[str, str]]]:
    def behind(play: dict[str, Any], seat: dict[str, Any]) -> str:
        points = shown(seat["points"]) if play["over"] else ""
        return " ".join(filter(None, ("★" if seat["won"] else "", points)))

    return [(play["title"], {name: behind(play, seat) for name, seat in naive.who(play).items()}) for play in plays]


def as_table(lines: list[tuple[Any, ...]]) -> list[list[str]]:
    return [[str(cell) for cell in line] for line in lines]


def test_the_list_of_plays(evening: Any) -> None:
    client, plays = evening
    page = opened(client, "")
    assert f"<h2>{counted(len(plays))}</h2>" in page
    assert listed(page) == as_listed(plays[:50])
    year = [play for play in plays if naive.day(play)[:4] == "2025"]
    assert table(page, "Who leads this year") == as_table(naive.leaders(year)[:6])
    title = plays[0]["title"]
    chosen = opened(client, "", game=title.casefold(), person="ann")
    assert listed(chosen) == as_listed([play for play in plays if play["title"] == title and "Ann" in naive.who(play)])


def test_the_evenings_and_the_year(evening: Any) -> None:
    client, plays = evening
    year = [play for play in plays if naive.day(play)[:4] == "2025"]
    page = opened(client, "/year/2025")
    assert facts(page) == [counted(len(year)), hours(sum(play["time"] for play in year))]
    assert table(page, "Who leads this year") == as_table(naive.leaders(year))
    assert chart(page, "Plays in each month") == [
        sum(naive.day(p)[5:7] == f"{m:02d}" for p in year) for m in range(1, 13)
    ]
    assert pairs(page) == {title: counted(n) for title, n in Counter(play["title"] for play in year).items()}
    today = [play for play in plays if naive.day(play) == naive.day(plays[0])]
    page = opened(client, "/evening")
    assert facts(page) == [counted(len(today)), hours(sum(play["time"] for play in today))]
    assert table(page, "Who leads this evening") == as_table(naive.leaders(today))
    assert listed(page) == as_listed(today)
    wall = client.get("/book/evening.json").get_json()
    won = [{"title": p["title"], "names": [n for n, s in naive.who(p).items() if s["won"]]} for p in today if p["over"]]
    assert [one | {"names": sorted(one["names"])} for one in wall["plays"]] == [
        one | {"names": sorted(one["names"])} for one in reversed(won[:6])
    ]
    assert [(one["name"], one["wins"], one["plays"]) for one in wall["leaders"]] == [
        line[:3] for line in naive.leaders(today)
    ]


@pytest.mark.parametrize("name", PEOPLE[:2])
def test_a_person(evening: Any, name: str) -> None:
    client, plays = evening
    page, told = opened(client, f"/person/{name.casefold()}"), pairs(opened(client, f"/person/{name.casefold()}"))
    mine = [play for play in plays if name in naive.who(play)]
    wins, contests = naive.tally(mine, name)
    assert facts(page) == [counted(len(mine)), f"won {wins} of {contests}", hours(sum(play["time"] for play in mine))]
    results = [naive.who(play)[name]["won"] for play in reversed(mine) if naive.is_contest(play)]
    series = [(won, len(list(same))) for won, same in groupby(results)]
    last_won, length = series[-1]
    said = f"{'won' if last_won else 'lost'} the last match"
    assert told["Now"] == (said if length == 1 else f"{length} {'wins' if last_won else 'losses'} in a row")
    assert told["Longest series of wins"] == str(max((n for won, n in series if won), default=0))
    favourites = Counter(play["title"] for play in mine)
    assert favourites[told["Favourite game"]] == max(favourites.values())
    met = naive.met(plays, name)
    rival = max(met, key=lambda other: (met[other][0], -abs(met[other][1] / met[other][0] - 0.5), other.casefold()))
    assert told["Rival"] == f"{rival} {met[rival][0] - met[rival][1]} to {met[rival][1]}"
    above = {other: (won / count, count) for other, (count, won) in met.items() if 2 * won > count}
    if above:
        nemesis = max(above, key=lambda other: (*above[other], other.casefold()))
        assert told["Nemesis"] == f"{nemesis} won {met[nemesis][1]} of {met[nemesis][0]}"
    assert ("Nemesis" in told) == bool(above)
    beside = Counter(other for play in mine for other in naive.who(play) if other != name)
    assert told["Plays most with"] == min(beside, key=lambda other: (-beside[other], other))
    dice = [sum(play["dice"][name, value] for play in plays) for value in range(1, 7)]
    assert (chart(page, "Dice") if sum(dice) else dice) == dice
    assert listed(page) == as_listed(mine[:20])


def test_the_games(evening: Any) -> None:
    client, plays = evening
    for title in {play["title"] for play in plays}:
        page, told = opened(client, f"/game/{title.casefold()}"), pairs(opened(client, f"/game/{title.casefold()}"))
        mine = [play for play in plays if play["title"] == title]
        assert facts(page) == [counted(len(mine)), hours(sum(play["time"] for play in mine))]
        leaders = naive.leaders(mine)
        assert not leaders or table(page, "Wins") == as_table(leaders)
        timed = [play["time"] for play in mine if play["over"] and play["time"] > 0]
        assert (told.get("Shortest"), told.get("Longest")) == (
            (hours(min(timed)), hours(max(timed))) if timed else (None, None)
        )
        logs = [play for play in mine if play["log"]]
        if logs:
            assert told["The box asked"] == f"{sum(play['asked'] for play in logs)} {counted(len(logs))}"
            assert told["People overruled it"] == "0"
        assert listed(page) == as_listed(mine[:20])


def test_each_play(evening: Any) -> None:
    client, plays = evening
    for play in plays:
        page = opened(client, f"/play/{play['name']}")
        for row, seat in zip(table(page), play["seats"], strict=True):
            assert row[1:] == [shown(seat["points"]), f"{seat['place'] or ''}{' ★' if seat['won'] else ''}"]
            assert seat["name"] in (None, row[0])
        assert ("not finished" in page) is not play["over"]


def test_a_league(evening: Any) -> None:
    client, plays = evening
    points: Counter[str] = Counter()
    for play in filter(naive.is_contest, plays):
        people = naive.who(play)
        places = [seat["place"] or len(people) for seat in people.values()]
        for name, seat in people.items():
            place = seat["place"] or len(people)
            shared = range(place, place + places.count(place))
            points[name] += sum(POINTS[i - 1] for i in shared if i <= len(POINTS)) / places.count(place)  # type: ignore[assignment]
    read = {row[0]: row[1:] for row in table(opened(client, "/leagues"), "All")}
    assert read == {name: [f"{points[name]:g}", *map(str, reversed(naive.tally(plays, name)))] for name in points}


def test_every_play_is_exported(evening: Any) -> None:
    client, plays = evening
    assert counted(len(plays)) in words(opened(client, "/exchange"))
    lines = client.get("/book/export/csv").get_data(as_text=True).splitlines()
    assert len(lines) == 1 + sum(len(play["seats"]) for play in plays)
