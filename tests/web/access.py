"""Whether everybody can use a page: axe-core's rules, and nothing wider than the screen."""

from __future__ import annotations

import os
from pathlib import Path

from playwright.sync_api import Page

AXE = Path(__file__).resolve().parent.parent / "data" / "axe.min.js"


def axe(page: Page) -> list[str]:
    """Faults that axe-core finds, one on a line; the phones inside the virtual table's page are not read."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {iframes: false})")
    return [f"{v['id']}: {v['nodes'][0]['html']} {v['nodes'][0]['failureSummary']}" for v in found["violations"]]


def assert_clean(page: Page) -> None:
    """No scrolling sideways; in `make nightly` also no fault of accessibility, whose search takes a second a page."""
    found = axe(page) if "AXE" in os.environ else []
    assert found == [], (page.url, found)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), page.url
