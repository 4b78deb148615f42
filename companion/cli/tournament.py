"""`companion tournament simulate`: random events through the code of real ones."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import msgspec

from companion.cli.options import FILE, FiniteRange
from companion.event.facts import settings_of, to_json
from companion.event.fold import fold
from companion.event.refused import EventRefused
from companion.event.settings import Format, Settings, check
from companion.event.simulate import CALM, Chances, Simulation, statistics
from companion.event.standings import Standings, standings
from companion.event.state import Event
from companion.event.sums import shown
from companion.event.why import difference, reasons
from companion.game.text_file import text_of_file, why_unread

SEATS = {Format.PODS: (3, 4), Format.LIMIT: (2, 4), Format.GOAL: (2, 4)}
"""Fewest and most seats at a table of more than two."""
ROUNDS = 5
FORMATS = click.Choice([str(each) for each in Format])
USUAL = Chances()
MOST_EVENTS, MOST_PLAYERS = 100_000, 5_000


@click.group("tournament")
def command() -> None:
    """Tournaments: pairings, standings and their reasons."""


def _chance(name: str, says: str, default: float) -> Callable[[Any], Any]:
    return click.option(name, type=FiniteRange(0, 1), default=default, show_default=True, help=says)


@command.command("simulate")
@click.option("--format", "format_", type=FORMATS, default="swiss", show_default=True, help="How rounds are paired.")
@click.option("--players", type=click.IntRange(2, MOST_PLAYERS), default=16, show_default=True, help="How many enter.")
@click.option(
    "--rounds", type=click.IntRange(1, 100), help=f"Default: {ROUNDS} for swiss and pods, else as many as needed."
)
@click.option("--settings", type=FILE, help="Settings as JSON instead, also tie-breaks and seats.")
@click.option(
    "--seed", type=int, default=1, show_default=True, help="The first event's; each further one has the next."
)
@click.option("--events", type=click.IntRange(1, MOST_EVENTS), default=1, show_default=True, help="How many events.")
@click.option("--calm", is_flag=True, help="Nobody is late, leaves, forfeits or is corrected.")
@_chance("--late", "Entrants who come after round 1 was paired.", USUAL.late)
@_chance("--withdraws", "Each entrant, each round.", USUAL.withdraws)
@_chance("--forfeits", "Each table.", USUAL.forfeits)
@_chance("--corrects", "Each round, a result of the last three rounds.", USUAL.corrects)
@click.option("--why", "with_why", is_flag=True, help="Also print each round's tables and why they play.")
@click.option(
    "--entries", type=click.Path(path_type=Path, dir_okay=False, writable=True), help="Write the entries, JSON."
)
def simulate(
    format_: str,
    players: int,
    rounds: int | None,
    settings: Path | None,
    seed: int,
    events: int,
    calm: bool,
    with_why: bool,
    entries: Path | None,
    **chances: float,
) -> None:
    """Play random events to their end: entries, pairings, results, corrections, all through the code of real ones.

    Prints the final standings of a single event, and for each event one JSON line: seed, format, players, rounds,
    tables, entries, refused, late, withdrawn, corrected, fixed, rematches, second_byes, points_apart, champion, ms.
    """
    try:
        chosen = _settings(settings, Format(format_), rounds)
        check(chosen)
    except EventRefused as refused:
        raise click.UsageError(str(refused)) from refused
    happens = CALM if calm else Chances(**chances)
    for number in range(seed, seed + events):
        began_s = time.perf_counter()
        own = chosen if settings is not None else msgspec.structs.replace(chosen, seed=str(number))
        simulation = Simulation(own, players, number, happens)
        for _ in simulation.run():
            pass
        event = fold(simulation.entries)
        table = standings(event)
        if events == 1:
            for line in (*(_rounds(event) if with_why else ()), *_table(event, table)):
                click.echo(line)
        champion = [row.entrant for row in table.rows if row.place == 1]
        ms = round(1000 * (time.perf_counter() - began_s), 1)
        told = {**statistics(simulation), "champion": champion, "ms": ms}
        click.echo(json.dumps(told, ensure_ascii=False))
        if entries is not None:
            entries.write_bytes(to_json(simulation.entries))


def _settings(path: Path | None, chosen: Format, rounds: int | None) -> Settings:
    """Raises: EventRefused."""
    if path is not None:
        try:
            return settings_of(text_of_file(path))
        except (OSError, UnicodeDecodeError) as error:
            raise EventRefused("{path} cannot be read ({why})", path=str(path), why=why_unread(error)) from error
    fewest, most = SEATS.get(chosen, (2, 2))
    needs_rounds = rounds is None and chosen in (Format.SWISS, Format.PODS)
    return Settings(format=chosen, rounds=ROUNDS if needs_rounds else rounds, fewest_seats=fewest, most_seats=most)


def _table(event: Event, table: Standings) -> list[str]:
    lines = [f"{event.name}: standings after round {table.after}"]
    lines.append("  ".join(["place", "name".ljust(16), *(str(column.says) for column in table.columns)]))
    for row in table.rows:
        values = [
            shown(each.value).rjust(len(str(column.says))) for each, column in zip(row.sums, table.columns, strict=True)
        ]
        away = "  (withdrawn)" if row.is_away else ""
        lines.append("  ".join([str(row.place).rjust(5), event.says(row.entrant).ljust(16), *values]) + away)
    return lines


def _rounds(event: Event) -> list[str]:
    lines = []
    for played in event.rounds:
        lines.append(f"Round {played.number}")
        told = reasons(event, played.number)
        lines += [f"  {said}" for said in difference(event, played.number)]
        for number, table in enumerate(played.tables, 1):
            names = " - ".join(map(event.says, table.seats))
            lines.append(f"  {number}. {names}: {' '.join(map(str, told[table.seats[0]]))}")
        lines += [f"  -  {event.says(who)}: {' '.join(map(str, told[who]))}" for who in (*played.byes, *played.rests)]
    return lines
