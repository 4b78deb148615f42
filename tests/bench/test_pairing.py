"""The pairing bench says who is measured beside us, and who is not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import pairing


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(pairing, "SPEED_PLAYERS", (12,))
    monkeypatch.setattr(pairing, "HISTORIES", 2)
    monkeypatch.setattr(pairing, "FIDE_PLAYERS", (6, 9))
    at = tmp_path / "accuracy.md"
    monkeypatch.setattr(pairing, "write_section", lambda name, text: at.write_text(f"{name}\n{text}", encoding="utf-8"))
    return at


def test_a_peer_that_is_not_there_is_said_on_the_page(
    page: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The table said "not run" and the run was taken for one with its peer."""
    monkeypatch.setattr(pairing, "peer_version", lambda: None)
    monkeypatch.setattr(pairing, "py4swiss", lambda event: None)
    assert pairing.run(page.parent) == 0
    assert "it was not installed (requirements/peers.txt)" in page.read_text(encoding="utf-8")
    assert "| not installed |" in page.read_text(encoding="utf-8")
    assert "py4swiss is not installed" in capsys.readouterr().err
