"""What the bench counts from labels besides the score."""

from __future__ import annotations

from typing import Any

from bench.eyes import facing_owners, stacks, unseen_pairs, unseen_stacks


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


def die(owner: str, x_mm: float, cosine: float, visible_frac: float = 1.0) -> dict[str, Any]:
    centre = [x_mm, 100.0, 14.0]
    return {
        "kind": "empire_die",
        "owner": owner,
        "centre_mm": centre,
        "eye_cos_to_camera": cosine,
        "visible_frac": visible_frac,
    }


def test_owners_of_eyes_that_are_seen_flat_are_counted_too() -> None:
    true = [die("red", 100, 0.03), die("blue", 200, 0.9), die("red", 300, 0.03), die("blue", 400, 0.5)]
    unseen = [die("red", 500, 0.01), die("red", 600, 0.5, visible_frac=0.7)]
    said = {101.0: "red", 200.0: "red", 300.0: None, 450.0: "blue", 500.0: "blue", 600.0: "blue"}
    read = [{"kind": "empire_die", "x_mm": x, "y_mm": 100.0, "color": color} for x, color in said.items()]
    label = {"hand_in_view": False, "pieces": true + unseen + [{"kind": "ninja"}]}
    hand = {"hand_in_view": True, "pieces": true}
    found = facing_owners([label, hand], [{"pieces": [{"kind": "ninja"}, *read]}, {"error": {}}])
    assert found == {"facing_eyes": 4, "facing_right": 0.25, "facing_wrong": 1}
    assert facing_owners([hand], [{}])["facing_right"] is None
