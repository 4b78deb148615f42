"""Every page in every state as pictures, in a small form: two states, two sizes, one language."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.web import every_page


@pytest.mark.browser
def test_the_pages_of_two_states_become_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes_px = ((360, 640), (1280, 800))
    sheets = (("phones", sizes_px[:1], 2, 100), ("screens", sizes_px[1:], 2, 100))
    for name, value in (("SIZES_PX", sizes_px), ("SCHEMES", ("light",)), ("SHEETS", sheets)):
        monkeypatch.setattr(every_page, name, value)
    monkeypatch.setattr(sys, "argv", ["every_page", str(tmp_path), "hub refusal", "center_point table", "--lang", "en"])
    with ThreadPoolExecutor(1) as own:  # another browser may run in this one
        own.submit(every_page.main).result()
    assert len([*tmp_path.glob("*.jpg")]) >= 4
    assert (tmp_path / "faults.txt").exists()
