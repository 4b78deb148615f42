"""Benchmarks and training run nightly, apart from the tests of known faults."""

from pathlib import Path

import pytest

from tests.faults.undone import FIXES

FOLDER = str(Path(__file__).parent)
KNOWN = tuple(fix.test for fix in FIXES)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the others `nightly`."""
    for item in items:
        if str(item.path).startswith(FOLDER) and not item.nodeid.partition("[")[0].endswith(KNOWN):
            item.add_marker(pytest.mark.nightly)
