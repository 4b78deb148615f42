"""`companion verify` and `companion replay` on a match that was played."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest

from companion.event.hub.facts import HallCalled, HubEntry
from companion.event.hub.store import Store
from companion.game.says import Says
from companion.game.view import Sight
from companion.games.eyes_of_the_emperor import GAME
from companion.match.inputs import Answer, Correct, EndThrow, Undo
from companion.match.match import Match
from companion.record.log import Log, read_log
from tests.cli.conftest import Call
from tests.companion.looks import LANDS, START, TextLook

CLOSE = LANDS + "E red.1 377.5,350; E red.2 377.5,350; E blue.1 746.4,350; E blue.2 850,350; N n9 300,90"


@pytest.fixture
def played(tmp_path: Path) -> Path:
    path = tmp_path / "eyes.db"
    match = Match(GAME, Log(path), wall_s=lambda: 1.0, monotonic_s=lambda: 1.0)
    match.saw(Sight.SEES, Says("seen"))
    for text in (START, CLOSE):
        match.looked(TextLook(text))
        match.submit(EndThrow(by="red"))
    asked = match.view().question
    match.submit(Answer(question=asked.id, choice="no", by="Ann"))
    match.looked(
        TextLook(
            LANDS + "E red.1 1,1; E red.2 1,50; E blue.1 746.4,350; E blue.2 850,350; N n9 300,90; S red.s1 500,600"
        )
    )
    match.submit(EndThrow(by="red"))
    undo = match.view().undo
    match.submit(Undo(entry=undo.entry, by="Bo"))
    match.close()
    return path


def change_in(log: Path, statement: str) -> None:
    """As somebody who goes around the guard of a log."""
    with contextlib.closing(sqlite3.connect(log)) as db:
        db.execute("DROP TRIGGER entries_stay")
        db.execute(statement)
        db.commit()


def test_a_whole_log_verifies_and_a_changed_one_does_not(call: Call, played: Path) -> None:
    whole = call("verify", str(played))
    assert whole.status == 0
    assert "whole: 7 entries" in whole.out
    last = read_log(played)[-1]
    assert f"last entry 7 of 1970-01-01 00:00:01 UTC, last hash {last.hash}" in whole.out
    change_in(played, "UPDATE entries SET by = 'Eve' WHERE seq = 4")
    changed = call("verify", str(played))
    assert changed.status == 1
    assert "entry 4 was changed" in changed.err


def test_a_log_without_its_witness_is_whole_and_that_is_said(call: Call, played: Path) -> None:
    """Entries cut off at the end do not show without a witness, and nobody was told that there was none."""
    assert "no witness" not in call("verify", str(played)).out
    played.with_name("eyes.db-witness").unlink()
    told = call("verify", str(played))
    assert (told.status, told.err) == (0, "")
    assert "there is no witness (eyes.db-witness): entries that were cut off at the end do not show" in told.out


CHANGES = {
    "UPDATE entries SET \"by\" = 'Eve' WHERE seq = 2 AND event = 'cup'": "cup: entry 2 was changed",
    "DELETE FROM entries WHERE seq = 2 AND event = 'cup'": "cup: entry 3 was changed",
}


@pytest.mark.parametrize("change", ["", *CHANGES])
def test_verify_names_a_changed_entry_of_an_event(call: Call, tmp_path: Path, change: str) -> None:
    """The log of an event could be changed, and only a match log showed it."""
    path = tmp_path / "hub.db"
    store = Store(path)
    entries = [HubEntry(n, "Ann", HallCalled(1, n), 1.5, "device", f"k{n}") for n in (1, 2, 3)]
    for log, some in (("cup", entries[:2]), ("cup", entries[2:]), ("other", entries[:1])):
        with store.turn(log) as turn:
            turn.enter(some)
    store.close()
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute(change)
        db.commit()
    told = call("verify", str(path))
    assert told.status == (1 if change else 0)
    assert CHANGES.get(change, "") in told.err
    assert "other: whole: 1 entries" in told.out
    assert ("cup: whole: 3 entries" in told.out) is not bool(change)


def test_replay_judges_again_and_tells_what_the_camera_alone_would_have_said(call: Call, played: Path) -> None:
    lines = call("replay", str(played)).lines
    kinds = ["began", "sight", "action", "action", "amended", "action", "retracted"]
    assert [line["kind"] for line in lines[:-1]] == kinds
    assert "both blue empire dice are out" in lines[3]["rulings"][-1]["says"]
    assert lines[5]["is_retracted"] is True
    assert lines[-1]["state"]["red"]["phase"] == "II"
    rejudged = call("replay", str(played), "--rejudge").lines
    assert "Too close to call" in rejudged[3]["camera_alone"][0]["says"]
    assert "camera_alone" not in rejudged[2]


def test_an_owner_that_people_told_is_not_taken_for_seen(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "eyes.db"
    match = Match(GAME, Log(path), wall_s=lambda: 1.0, monotonic_s=lambda: 1.0)
    match.saw(Sight.SEES, Says("seen"))
    out = LANDS + "E red.1 377.5,350; E red.2 400,350; E blue.1 800,350; E blue.2 700,600"
    match.looked(TextLook(out))
    entry = match.submit(EndThrow(by="red")).entry
    match.submit(Correct(entry=entry, fact="owner:blue.2", value="red.1", by="Ann", reason="its eye is red"))
    match.looked(TextLook(out + "; N n1 500,100; S red.s1 500,600"))
    match.submit(EndThrow(by="red"))
    match.close()
    lines = [line for line in call("replay", str(path), "--rejudge").lines if line.get("kind") == "action"]
    assert [line["camera_alone"][-1]["says"] for line in lines] == [
        "both blue empire dice are out: red throws samurai",
        "Not clear: The eye of this empire die cannot be seen. Whose is it?",
    ]


@pytest.mark.parametrize("verb", ["verify", "replay"])
def test_what_is_no_log_is_refused_in_one_sentence(call: Call, tmp_path: Path, verb: str) -> None:
    missing = call(verb, str(tmp_path / "none.db"))
    assert missing.status == 1
    assert "there is no such file, expected a match log" in missing.err
    device = call(verb, "/dev/null")
    assert device.err == "companion: /dev/null: is a device, expected a match log\n"
    (tmp_path / "text.db").write_text("not a log" * 1000)
    damaged = call(verb, str(tmp_path / "text.db"))
    assert damaged.status == 1
    assert "is damaged or no match log" in damaged.err


def test_a_changed_log_that_cannot_be_judged_is_one_sentence(call: Call, played: Path) -> None:
    change_in(played, "UPDATE entries SET body = '{}' WHERE seq = 3")
    refused = call("replay", str(played))
    assert (refused.status, refused.out) == (1, "")
    said = "entry 3 (action) was changed after it was entered and cannot be used"
    assert refused.err.startswith(f"companion: {played}: {said}")
    assert refused.err.endswith(
        "check it with `companion verify`, and begin a new match by `companion serve` with --new\n"
    )
    assert refused.err.count("\n") == 1
