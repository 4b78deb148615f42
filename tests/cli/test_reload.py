"""`demo --reload`: whoever writes a game sees each change without a new start by hand."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import pytest

from companion.app import process
from companion.app.process import reload_on_change


def test_a_changed_file_starts_the_program_anew_once_it_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    started, looked = threading.Event(), threading.Semaphore(0)
    seen = process._seen

    def looks(folder: Path) -> dict[str, int]:
        found = seen(folder)
        looked.release()
        return found

    def starts(program: str, arguments: list[str]) -> None:
        assert (program, arguments) == (sys.executable, sys.orig_argv)
        started.set()

    monkeypatch.setattr(process, "EVERY_S", 0.01)
    monkeypatch.setattr(process, "_seen", looks)
    monkeypatch.setattr(os, "execv", starts)
    rules = tmp_path / "rules.py"
    rules.write_text("a = 1\n", encoding="utf-8")
    reload_on_change(tmp_path)
    assert looked.acquire(timeout=20)
    rules.write_text("a = (\n", encoding="utf-8")
    os.utime(rules, ns=(1, 1))  # some clocks of files tick every 4 ms
    for _ in range(3):
        assert looked.acquire(timeout=20)
    assert not started.is_set()
    assert "is not loaded again" in caplog.text
    rules.write_text("a = 22\n", encoding="utf-8")
    assert started.wait(20)
