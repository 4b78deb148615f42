"""Measurements of accuracy and speed. A peer is measured in the same run."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as in the commands, so that times are of one thread
