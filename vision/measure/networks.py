"""Runs the trained networks of `vision/models` with ONNX Runtime: on one core twice as fast as OpenCV."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import onnxruntime
from numpy.typing import NDArray

from calibration.arrays import Floats32
from vision.measure.limits import LIMITS

MODELS = Path(__file__).parents[1] / "models"
BATCH = LIMITS.batch
"""Number of crops that a network gets at once."""

Run = Callable[[Floats32], Floats32]
"""One network: its input and its output."""


class Network:
    """A network with one input and one output. Raises: FileNotFoundError: the package was installed without models."""

    def __init__(self, model: Path) -> None:
        self.name = model.stem
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = cv2.getNumThreads()
        options.log_severity_level = LIMITS.log_severity
        # a picture's memory is freed after its answer (60 to 170 MB), and waiting threads take no processor time
        options.enable_cpu_mem_arena = options.enable_mem_pattern = False
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session = onnxruntime.InferenceSession(model.read_bytes(), options, providers=["CPUExecutionProvider"])
        self._input = self._session.get_inputs()[0].name

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height of its pictures, if it takes only one size."""
        *_, rows, columns = self._session.get_inputs()[0].shape
        return columns, rows

    def __call__(self, batch: Floats32) -> Floats32:
        """The network's answers for a batch (N, channels, rows, columns)."""
        (said,) = self._session.run(None, {self._input: batch})
        return np.asarray(said, np.float32)


def as_colours(picture: NDArray[np.uint8]) -> Floats32:
    """(3, rows, columns): red, green, blue from -0.5 to 0.5."""
    return np.ascontiguousarray(picture[..., ::-1].transpose(2, 0, 1), np.float32) / np.float32(255) - np.float32(0.5)


def blob(pictures: Sequence[NDArray[np.integer[Any] | np.floating[Any]]]) -> Floats32:
    """Pictures of one size as a batch (N, 3, rows, columns), 0 to 1."""
    return np.ascontiguousarray(np.stack(pictures).transpose(0, 3, 1, 2), np.float32) / np.float32(255)
