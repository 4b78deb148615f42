"""What is measured: accuracy and speed, with the peer beside us in the same run."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the commands have it: times are of one thread
