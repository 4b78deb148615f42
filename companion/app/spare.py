"""Returns the memory of freed pictures to the system. Otherwise glibc raises its threshold with each and keeps the next
one: 200 MB in a demo."""

from __future__ import annotations

import contextlib
import ctypes

M_MMAP_THRESHOLD = -3
"""`mallopt` parameter from malloc.h. Setting it turns off glibc's growing threshold."""
LARGE_BYTES = 1024 * 1024
"""Blocks of at least this size, such as pictures, go back to the system once they are freed. A lower limit saves 8 MB
more and takes twice the time in page faults, because each page must be mapped again."""


def spare_memory() -> None:
    """Sets the threshold, if the C library is glibc."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").mallopt(M_MMAP_THRESHOLD, LARGE_BYTES)
