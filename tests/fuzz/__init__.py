"""Whatever is read from outside is given nonsense: it is taken, or refused in a sentence. `FUZZ=2000` tries so many."""

from __future__ import annotations

import os
from datetime import timedelta

from hypothesis import HealthCheck, settings

TRIES = int(os.environ.get("FUZZ", "40"))
FUZZED = settings(
    max_examples=TRIES,
    deadline=timedelta(seconds=5),  # longer is a hang
    suppress_health_check=list(HealthCheck),
    derandomize=TRIES <= 40,
)
