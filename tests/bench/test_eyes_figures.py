"""What the bench counts from labels besides the score."""

from __future__ import annotations

from typing import Any

from bench.eyes import stacks, unseen_pairs, unseen_stacks


def label(hand_in_view: bool = False) -> dict[str, Any]:
    shows = {"samurai_red_0": 0.02, "samurai_red_1": 0.6, "samurai_blue_0": 1.0, "ninja_0": 1.0}
    piled = (("samurai_red_0", "samurai_red_1"), ("samurai_blue_0", "samurai_red_1"), ("ninja_0", "samurai_blue_0"))
    beside = {"a": "samurai_red_0", "b": "samurai_blue_0", "upper": None}
    margins = (("samurai_red_0", 4.0, False), ("samurai_red_0", 0.1, True), ("samurai_red_0", -40.0, False))
    return {
        "hand_in_view": hand_in_view,
        "pieces": [{"id": id, "visible_frac": share} for id, share in shows.items()],
        "piece_pairs": [{"a": a, "b": b, "upper": a} for a, b in piled] + [beside],
        "territory_pairs": [
            {"piece": piece, "margin_mm": margin, "too_close_to_judge": is_close} for piece, margin, is_close in margins
        ]
        + [{"piece": "samurai_red_1", "margin_mm": 4.0, "too_close_to_judge": False}],
    }


def test_pairs_and_stacks_of_pieces_that_hardly_show_are_counted_apart() -> None:
    assert len(stacks(label())) == 2
    assert unseen_stacks(label()) == 1
    assert unseen_pairs(label()) == 1


def test_nothing_is_asked_where_a_hand_is_in_view() -> None:
    assert (len(stacks(label(True))), unseen_stacks(label(True)), unseen_pairs(label(True))) == (0, 0, 0)
