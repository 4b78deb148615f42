"""Random events of every format hold what every event must hold."""

from __future__ import annotations

import string
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.event.facts import Paired, to_json
from companion.event.fold import fold
from companion.event.formats import is_over
from companion.event.settings import Format, Settings, TieBreak
from companion.event.simulate import Chances, Simulation, second_byes
from companion.event.standings import standings
from companion.event.state import Event
from companion.event.why import difference, reasons
from tests.event.events import Desk, entries_of

SEATS = {Format.PODS: (3, 4), Format.LIMIT: (2, 4), Format.GOAL: (2, 5)}
WILD = Chances(late=0.2, withdraws=0.08, forfeits=0.08, corrects=0.8, undoes=0.5, fixes=0.4, draws=0.4)


def settings_of(format_: Format, seed: int) -> Settings:
    fewest, most = SEATS.get(format_, (2, 2))
    rounds = 4 if format_ in (Format.SWISS, Format.PODS) else None
    order = tuple(TieBreak)[: 1 + seed % len(TieBreak)]
    return Settings(format_, str(seed), rounds, tie_breaks=order, fewest_seats=fewest, most_seats=most)


def is_sound(event: Event) -> None:
    table = standings(event)
    places = [row.place for row in table.rows]
    assert sorted(row.entrant for row in table.rows) == sorted(event.entrants)
    assert places == sorted(places)
    assert places[:1] in ([], [1])
    for at, row in enumerate(table.rows):
        assert row.place == 1 + sum(other.place < row.place for other in table.rows)
        assert row.is_shared == (places.count(row.place) > 1)
        for each in row.sums:
            assert each.value == sum((term.value for term in each.terms if term.counts), Fraction(0))
        if at and not row.is_shared:
            signs = [-1 if column.fewer_wins else 1 for column in table.columns]
            above = [sign * each.value for sign, each in zip(signs, table.rows[at - 1].sums, strict=True)]
            assert above > [sign * each.value for sign, each in zip(signs, row.sums, strict=True)]
    for played in event.rounds:
        told = reasons(event, played.number)
        assert set(told) == set(event.entrants)
        for says in (*(each for mine in told.values() for each in mine), *difference(event, played.number)):
            assert str(says)
            assert set(says.values) >= {name for _, name, _, _ in string.Formatter().parse(says.template) if name}


@pytest.mark.parametrize("format_", Format)
@settings(max_examples=4, deadline=None, derandomize=True)
@given(players=st.integers(2, 14), seed=st.integers(0, 10**6))
def test_any_event_of_any_format_ends_folds_the_same_from_json_and_adds_up(
    format_: Format, players: int, seed: int
) -> None:
    simulation = Simulation(settings_of(format_, seed), players, seed, WILD)
    for event in simulation.run():
        assert all(played.is_over for played in event.rounds)
    event = simulation.event
    assert is_over(event) or len(event.entrants) < 3 or not event.rounds
    assert fold(entries_of(to_json(simulation.entries))) == event
    is_sound(event)


def test_a_second_bye_counts_where_the_engine_could_have_given_it_to_somebody_it_seated() -> None:
    """Of two byes in one round the second was counted, though nobody else had fewer; an organiser's was too."""
    pods = Desk(Settings(Format.PODS, rounds=4, fewest_seats=3, most_seats=3), "abcde")
    for number, (seats, byes) in enumerate((("abc", "de"), ("ade", "bc"), ("bcd", "ae"), ("bcd", "ae")), 1):
        pods.says(Paired(number, (tuple(seats),), tuple(byes)))
        pods.first_wins()
        assert second_byes(pods.event) == (number == 4)  # e has a third one then
    hand = Desk(Settings(Format.PODS, rounds=3, fewest_seats=3, most_seats=3), "abcde")
    for number, (seats, byes) in enumerate((("abc", "de"), ("ade", "bc")), 1):
        hand.says(Paired(number, (tuple(seats),), tuple(byes)))
        hand.first_wins()
    engine = (tuple("cde"), ("a",), ("b",))
    hand.says(Paired(3, (tuple("acd"),), ("b", "e"), engine=engine, reason="a came late"))
    assert second_byes(hand.event) == 0  # the engine gave one to a
