"""What the tables of reliability count: the chance that a reading states, and whether it was right."""

from __future__ import annotations

import pytest

from bench.board import dice_said, spots_said
from bench.cards import cards_said
from bench.eyes_cameras import margins, sides_said
from bench.harness import borne_out
from bench.rods import rods_said


def test_the_same_thing_twice_counts_once_where_one_is_there() -> None:
    assert borne_out([(0.5, "5H"), (0.9, "5H"), (0.7, "KC")], ["5H"]) == [(0.9, True), (0.7, False), (0.5, False)]


def test_an_unread_card_says_nothing() -> None:
    row = {"cards": [{"rank": None, "suit": None, "confidence": 0.9}, {"rank": "5", "suit": "H", "confidence": 0.8}]}
    hidden = {"rank": "5", "suit": "H", "face_down": True}
    assert cards_said({"cards": [hidden]}, row) == [(0.8, False)]


def test_a_rod_that_hangs_is_not_loose() -> None:
    rod = {"colour": "red", "zone": "1"}
    label = {"rods": [rod | {"loose": True}, rod | {"loose": False}]}
    told = {"color": "red", "zone": "1"}
    line = {"rods": [told | {"confidence": 0.9}], "perhaps": [told | {"confidence": 0.2}, {"color": None}]}
    assert rods_said(label, line) == [(0.9, True), (0.2, False)]


def test_a_spot_that_is_not_listed_is_surely_empty() -> None:
    label = {"spots_mm": ["1", "2", "3", "4"], "spaces": {"2": "red", "3": "blue"}, "between": [{"spots": ["4"]}]}
    line = {"spaces": {"2": {"color": "red", "confidence": 0.9}}, "maybe": {"3": {"": 0.6, "blue": 0.4}}}
    assert spots_said(label, line) == [(1.0, True), (0.9, True), (0.6, False)]
    assert spots_said(label, {"error": {}}) == []


def test_a_die_that_leans_has_no_right_value() -> None:
    box = [0, 0, 10, 10]
    die = {"box": box, "value": 3, "confidence": 0.9, "in_tray": True}
    assert dice_said({"dice": [{"box": box, "value": None}]}, {"dice": [die]}) == [(0.9, False)]
    assert dice_said({"dice": []}, {"dice": [die | {"in_tray": False}, die | {"value": None}]}) == []


def test_a_margin_states_the_chance_of_its_side() -> None:
    land = {"id": "land", "kind": "territory", "colour": "red", "centre_mm": [0, 0, 0]}
    die = {"id": "die", "kind": "empire_die", "colour": "blue", "centre_mm": [100, 0, 14]}
    pair = {"piece": "die", "territory": "land", "margin_mm": -0.5, "too_close_to_judge": False}
    label = {"pieces": [land, die], "territory_pairs": [pair]}
    pieces = [
        {"id": "a", "kind": "territory", "color": "red", "x_mm": 1, "y_mm": 0},
        {"id": "b", "kind": "empire_die", "color": None, "x_mm": 101, "y_mm": 0},
    ]
    line = {"pieces": pieces, "overlaps": [{"piece": "b", "over": "a", "margin_mm": 0.4, "sigma_mm": 0.4}]}
    assert margins(label, line) == [(0.4, 0.4, -0.5)]
    assert sides_said(label, line) == [(pytest.approx(0.8413, abs=1e-4), False)]
