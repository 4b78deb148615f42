"""Lots from the published seed: anybody with a SHA-256 program can draw each one again."""

import hashlib
from functools import cache

LOT_DIGITS = 6
"""Hexadecimal digits of the SHA-256 that make a lot."""


@cache
def lot(seed: str, entrant: str) -> int:
    """The lot of an entrant: the first six hexadecimal digits of the SHA-256 of ``SEED:ENTRANT``, higher is better.

    >>> lot("2026", "ann") == int(hashlib.sha256(b"2026:ann").hexdigest()[:6], 16)
    True
    """
    return int(hashlib.sha256(f"{seed}:{entrant}".encode()).hexdigest()[:LOT_DIGITS], 16)
