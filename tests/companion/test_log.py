"""The log keeps what it was given, refuses change, and shows a changed past."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from companion.errors import LogError
from companion.log import Log, read_log, verify


def written(path: Path, count: int = 3) -> Path:
    log = Log(path)
    for i in range(count):
        log.append(float(i), "action", "camera", {"number": i, "text": "ä"}, (f"picture {i}".encode(),))
    log.close()
    return path


def test_entries_come_back_in_order_and_verify(tmp_path: Path) -> None:
    path = written(tmp_path / "a match.db")
    entries = read_log(path)
    assert [e.body["number"] for e in entries] == [0, 1, 2]
    assert [e.previous for e in entries[1:]] == [e.hash for e in entries[:-1]]
    verdict = verify(path)
    assert (verdict.entries, verdict.faults, verdict.pruned) == (3, (), 0)


@pytest.mark.parametrize(
    "change", ["UPDATE entries SET by = 'me'", "DELETE FROM entries", "UPDATE evidence SET body = 'x'"]
)
def test_triggers_refuse_change(tmp_path: Path, change: str) -> None:
    db = sqlite3.connect(written(tmp_path / "m.db"))
    with pytest.raises(sqlite3.IntegrityError, match=r"append-only|never changed"):
        db.execute(change)
    db.close()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("UPDATE entries SET body = '{\"number\":7}' WHERE seq = 2", "entry 2 was changed"),
        ("DELETE FROM entries WHERE seq = 2", "entry 3 follows entry 1"),
        ("UPDATE evidence SET body = 'other' WHERE at_s = 1", "of entry 2 was changed"),
    ],
)
def test_verify_finds_a_changed_past(tmp_path: Path, change: str, said: str) -> None:
    path = written(tmp_path / "m.db")
    db = sqlite3.connect(path)
    for trigger in ("entries_stay", "entries_are_kept", "evidence_stays"):
        db.execute(f"DROP TRIGGER {trigger}")
    db.execute(change)
    db.commit()
    db.close()
    assert any(said in fault for fault in verify(path).faults)


def test_evidence_is_pruned_by_age_and_the_entries_stay(tmp_path: Path) -> None:
    path = written(tmp_path / "m.db")
    log = Log(path)
    kept = [e.evidence[0] for e in log.entries()]
    assert log.prune(before_s=1.5) == 2
    assert [log.picture(sha) for sha in kept] == [None, None, b"picture 2"]
    log.close()
    verdict = verify(path)
    assert (verdict.entries, verdict.faults, verdict.pruned) == (3, (), 2)


def test_one_writer_owns_a_match(tmp_path: Path) -> None:
    log = Log(tmp_path / "m.db")
    with pytest.raises(LogError, match="another Companion writes this match"):
        Log(tmp_path / "m.db")
    log.close()
    Log(tmp_path / "m.db").close()


def test_a_damaged_log_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    path.write_bytes(b"this is no database, but somebody's file" * 100)
    before = path.read_bytes()
    with pytest.raises(LogError, match="damaged or no match log"):
        Log(path)
    assert path.read_bytes() == before
    with pytest.raises(LogError, match="there is no such file"):
        read_log(tmp_path / "none.db")


def test_a_log_of_a_newer_format_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "m.db")
    db = sqlite3.connect(path)
    db.execute("UPDATE about SET value = '99'")
    db.commit()
    db.close()
    with pytest.raises(LogError, match="has format 99, expected 1"):
        Log(path)
