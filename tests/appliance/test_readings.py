"""What `make arm64` takes for the same reading on two processors."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from tests.appliance.readings import differences

DIE: dict[str, Any] = {"value": 3, "box": [10.0, 10.0, 40.0, 40.0], "confidence": 0.9, "reason": None}
ROD: dict[str, Any] = {
    "color": "red",
    "zone": "2",
    "x_mm": 100.0,
    "y_mm": 50.0,
    "confidence": 0.99,
    "path_mm": [[60.0, 50.0], [140.0, 50.0]],
}
READINGS: dict[str, Any] = {
    "dice": {"reader": "dice", "dice": [DIE]},
    "rods": {"reader": "rods", "rods": [ROD, {**ROD, "color": "blue", "x_mm": 100.4, "confidence": 0.985}]},
    "tray": {"reader": "tray", "dice": [{"value": 3, "x_mm": 5.0, "y_mm": 5.0, "confidence": 0.9}]},
}


@pytest.mark.parametrize(
    ("reader", "path", "other", "same"),
    [
        ("dice", "dice 0 box 0", 10.9, True),
        ("dice", "dice 0 box 0", 11.1, False),
        ("dice", "dice 0 confidence", 0.865, True),
        ("dice", "dice 0 value", 4, False),
        ("dice", "dice 0 reason", "it is not clear enough", False),
        ("rods", "rods 0 x_mm", 101.9, True),
        ("rods", "rods 0 confidence", 0.97, False),
        ("rods", "rods 0 zone", "3", False),
        ("rods", "rods 0 color", "green", False),
        ("rods", "rods 0 path_mm", [[141.0, 50.0], [61.0, 50.0]], True),
        ("rods", "rods", [READINGS["rods"]["rods"][1], ROD], True),
        ("rods", "rods", [ROD], False),
        ("tray", "dice 0 x_mm", 5.1, True),
        ("tray", "dice 0 x_mm", 5.2, False),
    ],
)
def test_networks_may_round_but_not_decide_differently(reader: str, path: str, other: Any, same: bool) -> None:
    changed = deepcopy(READINGS[reader])
    *way, last = (int(key) if key.isdigit() else key for key in path.split())
    at: Any = changed
    for key in way:
        at = at[key]
    at[last] = other
    assert (not differences(READINGS[reader], changed)) is same
