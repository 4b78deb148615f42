"""The hub's large benchmark in a small form."""

from __future__ import annotations

import json

import pytest

from bench.load.hall import main


def test_the_large_hall_plays_its_rounds(capsys: pytest.CaptureFixture[str]) -> None:
    """Orders got another form, the benchmark kept the old one, and nobody noticed that it crashed."""
    sizes = {"tables": 4, "rounds": 2, "hubs": 2, "phones": 16, "a-second": 50, "rest": 0.3}
    main([*(f"--{name}={value}" for name, value in sizes.items()), "--threads"])
    rounds = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(each["round"], each["tables"]) for each in rounds] == [(1, 4), (2, 4)]
    # 4 boxes, 8 entrants; a round adds its pairing, 4 assignments and 4 results
    assert rounds[1]["entries"] - rounds[0]["entries"] == 1 + 4 + 4
    assert [each["reported"] for each in rounds] == [4, 8]
    assert all(each["news_of_a_result"] > 0 for each in rounds)
