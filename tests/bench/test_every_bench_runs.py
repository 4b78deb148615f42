"""Every benchmark and training recipe runs in small and gives figures. How good the figures are is not judged here.

The benchmark of a large hall crashed for weeks and nobody noticed.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from docs import sections
from tests.bench.small import FORMS, NEED, ROOT, STARTED_BY, Small, entry_points, make_shared

OLD_EXPORT = pytest.mark.filterwarnings("ignore::DeprecationWarning")
"""PyTorch's exporter that our recipes use warns of its end."""
MARKS = {name: [OLD_EXPORT] for name in FORMS if ".train." in name}
RUN = [name for name in entry_points() if name not in NEED and name not in STARTED_BY and name != "bench.__main__"]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Labelled pictures, a few of each kind."""
    return make_shared(tmp_path_factory.mktemp("shared"))


@pytest.mark.parametrize("name", [pytest.param(name, marks=MARKS.get(name, [])) for name in RUN])
def test_every_bench_runs_in_small_and_prints_figures(
    name: str, shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert name in FORMS, f"{name} has no small form: add one to FORMS in tests/bench/small.py"
    monkeypatch.setattr(sections, "PAGE", tmp_path / "accuracy.md")
    FORMS[name](Small(tmp_path, shared, monkeypatch))
    written = tmp_path / "accuracy.md"
    printed = capsys.readouterr().out + (written.read_text(encoding="utf-8") if written.exists() else "")
    assert re.search(r"\d", printed), f"{name} gave no figure: {printed!r}"


def test_a_list_of_benches_leaves_sockets_as_they_are() -> None:
    """`python -m bench` imported each module, and some replace sockets: all figures were of replaced ones."""
    says = "import sys; from bench.__main__ import benches; print(len(benches()), 'gevent' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", says], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    count, is_loaded = told.split()
    assert int(count) > 10
    assert is_loaded == "False"


def test_each_small_form_and_each_exception_is_of_a_program_that_there_is() -> None:
    assert {*FORMS, *NEED, *STARTED_BY} <= set(entry_points())
    assert set(STARTED_BY.values()) <= set(FORMS)
    assert not set(FORMS) & set(NEED)
