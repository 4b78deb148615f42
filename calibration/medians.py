"""The median of many numbers, quickly: numpy's own spends most of its time on looking for what is not a number."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def median(values: NDArray[Any]) -> float:
    """The median of all values of an array, none of which may be NaN.

    Raises: ValueError: there are no values.

    >>> median(np.array([[4.0, 1.0], [3.0, 9.0]]))
    3.5
    >>> median(np.array([5, 1, 2]))
    2.0
    """
    flat = values.ravel()
    if not len(flat):
        raise ValueError("the median of no values was asked for")
    half = len(flat) // 2
    parted = np.partition(flat, half)
    if len(flat) % 2:
        return float(parted[half])
    return (float(parted[:half].max()) + float(parted[half])) / 2
