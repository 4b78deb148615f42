"""Freed pictures go back to the system: glibc learns from each to keep the next one, 200 MB of them in a demo."""

from __future__ import annotations

import contextlib
import ctypes

M_MMAP_THRESHOLD = -3
"""Of malloc.h; once it is set it grows no more."""
LARGE_BYTES = 1024 * 1024
"""What is as large as this, as pictures are, is the system's again once it is free. To give back smaller things too
saves 8 MB more and takes twice the time in page faults: each page is one when it comes again."""


def spare_memory() -> None:
    """Tells the C library so, where it is glibc."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").mallopt(M_MMAP_THRESHOLD, LARGE_BYTES)
