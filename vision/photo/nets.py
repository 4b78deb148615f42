"""Inputs and answers of the networks that read photographs."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.measure.networks import BATCH, MODELS, Floats32, Run
from vision.readers import Picture

LONG_SIDE_PX = 640
"""A picture this long shows what people recognise in it; coarser and finer views start from it."""
POSSIBLE = 0.25
"""Minimum score of a detection that is looked at more closely."""
CLEAR = 0.9
"""Minimum probability of a finding without other evidence."""


def made_with(name: str) -> dict[str, Any]:
    """The constants of a family of networks (`NAME_nets.json`), as their training wrote them."""
    return dict(json.loads((MODELS / f"{name}_nets.json").read_text(encoding="utf-8")))


def asked(net: Run, things: Sequence[Any], eaten: Callable[[Any], Floats32]) -> Floats32:
    """A network's answers for things, each as `eaten` by it, (len(things), answers)."""
    said = [net(np.stack([eaten(one) for one in things[k : k + BATCH]])) for k in range(0, len(things), BATCH)]
    return np.concatenate(said)


def as_colours(picture: Picture) -> Floats32:
    """(3, rows, columns): red, green, blue from -0.5 to 0.5."""
    return np.ascontiguousarray(picture[..., ::-1].transpose(2, 0, 1), np.float32) / np.float32(255) - np.float32(0.5)


def softmax(logits: NDArray[Any]) -> NDArray[Any]:
    """Probabilities from logits, along the last axis."""
    e = np.exp(logits - logits.max(-1, keepdims=True))
    return np.asarray(e / e.sum(-1, keepdims=True))


def sigmoid(odds: NDArray[Any] | float) -> NDArray[Any]:
    """Probabilities from log odds."""
    return np.asarray(1 / (1 + np.exp(-np.asarray(odds))))


def logit(chance: float) -> float:
    """Log odds of a probability; no evidence is stronger than 1 in 1000.

    >>> round(logit(0.5), 3), round(logit(1.0), 1)
    (0.0, 6.9)
    """
    p = float(np.clip(chance, 1 / 1000, 1 - 1 / 1000))
    return float(np.log(p / (1 - p)))


def scaled(picture: Picture, scale: float) -> Picture:
    """The picture shrunk or enlarged, at least one pixel each way."""
    width, height = (max(1, round(side * scale)) for side in picture.shape[1::-1])
    if (height, width) == picture.shape[:2]:
        return picture
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(picture, (width, height), interpolation=how), np.uint8)


def halvings(picture: Picture) -> list[Picture]:
    """The picture, followed by its halvings, each half the size of the previous."""
    levels = [picture]
    while min(levels[-1].shape[:2]) > 1:
        levels.append(np.asarray(cv2.resize(levels[-1], None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8))
    return levels


def cut(
    pyramid: list[Picture],
    middle_px: tuple[float, float],
    times: float,
    size_px: tuple[int, int],
    *,
    angle: float = 0.0,
    is_mirrored: bool = False,
) -> Picture:
    """A crop of this size (width, height) around a place, upright for an object at this angle (rad).

    `pyramid`: a picture's `halvings`. `times`: pixels of the picture per pixel of the crop. Outside the picture its
    border is repeated.
    """
    depth = int(np.clip(np.log2(max(times, 1e-6)), 0, len(pyramid) - 1))
    k = times / 2**depth
    c, s = np.cos(angle) * k, np.sin(angle) * k
    turn = np.array([[c, -s], [s, c]]) * (-1 if is_mirrored else 1, 1)
    middle = (np.array(middle_px) + 0.5) / 2**depth - 0.5
    to = np.column_stack([turn, middle - turn @ ((np.array(size_px) - 1) / 2)])
    how = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    view = cv2.warpAffine(pyramid[depth], to, size_px, flags=how, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(view, np.uint8)
