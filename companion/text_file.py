"""Text files that are there whole, as they were before or as they are now, whatever happens while they are written."""

from __future__ import annotations

import contextlib
from pathlib import Path


def keep_text(path: Path, text: str) -> None:
    """Writes a file whole or not at all: a full disk or a kill leaves what it held. Raises: OSError."""
    if path.exists() and not path.is_file():  # a device: nothing is lost there
        path.write_text(text, encoding="utf-8")
        return
    whole = path.resolve()
    draft = whole.with_name(f"{whole.name}.part")
    try:
        draft.write_text(text, encoding="utf-8")
        draft.replace(whole)
    except OSError:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise
