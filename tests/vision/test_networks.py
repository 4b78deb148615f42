"""The networks say by ONNX Runtime what they say by OpenCV's engine, or in numbers with a point."""

from __future__ import annotations

import cv2
import numpy as np
import onnxruntime
import pytest

from vision.measure.networks import MODELS, Network

SHAPES = {
    "board_again": (2, 9, 41, 41),
    "cards_find": (1, 3, 64, 96),
    "cards_read": (3, 3, 56, 40),
    "dice_context": (2, 6, 64, 64),
    "dice_face": (2, 3, 64, 64),
    "dice_find": (1, 3, 64, 96),
    "dice_inks": (2, 6, 64, 64),
    "dice_pose": (2, 3, 64, 64),
    "die_poses": (2, 7, 64, 64),
    "rods": (1, 3, 64, 96),
    "rummy_read": (3, 3, 56, 40),
    "top_eye": (2, 3, 40, 40),
}

IN_BYTES = ["dice_context", "dice_face", "dice_find", "dice_inks", "dice_pose", "rods"]
"""These compute in whole numbers, which OpenCV's engine cannot."""


def test_every_network_that_is_shipped_is_known_here() -> None:
    assert {path.stem for path in MODELS.glob("*.onnx")} == SHAPES.keys()


@pytest.mark.parametrize("name", sorted(SHAPES.keys() - set(IN_BYTES)))
def test_two_engines_say_the_same(name: str) -> None:
    batch = np.random.default_rng(1).random(SHAPES[name], np.float32)
    other = cv2.dnn.readNetFromONNX(str(MODELS / f"{name}.onnx"), cv2.dnn.ENGINE_NEW)
    other.setInput(batch)
    np.testing.assert_allclose(Network(MODELS / f"{name}.onnx")(batch), other.forward(), atol=1e-3)


@pytest.mark.parametrize("name", IN_BYTES)
def test_whole_numbers_say_what_numbers_with_a_point_would(name: str) -> None:
    """Whatever instructions this processor has for whole numbers, none of their sums is cut off."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    batch = np.random.default_rng(1).random(SHAPES[name], np.float32) - np.float32(0.5)
    model = MODELS / f"{name}.onnx"
    plain = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    (expected,) = plain.run(None, {plain.get_inputs()[0].name: batch})
    said = Network(model)(batch)
    assert np.abs(said - expected).mean() < 0.01 * np.abs(expected).mean()
