"""Networks in whole numbers say what they said before."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs the extra `train`")

import torch

from bench.train.dice_nets import FaceNet
from bench.train.in_bytes import in_bytes
from bench.train.nets import export
from vision.measure.networks import Network
from vision.photo.dice.face import CROP_PX

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
SIZE = (3, CROP_PX, CROP_PX)


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path, np.ndarray]:
    """A face reader of chance weights as training writes it, the same in whole numbers, and crops."""
    torch.manual_seed(3)
    crops = np.random.default_rng(2).random((24, *SIZE), np.float32) - 0.5
    net = FaceNet(3)
    for norm in (m for m in net.modules() if isinstance(m, torch.nn.BatchNorm2d)):
        torch.nn.init.normal_(norm.bias, std=0.1)
    export(net, SIZE, tmp_path / "before.onnx")
    in_bytes(tmp_path / "before.onnx", [crops[:8], crops[8:16]], tmp_path / "after.onnx")
    return tmp_path / "before.onnx", tmp_path / "after.onnx", crops[16:]


def test_a_network_in_whole_numbers_says_nearly_the_same(two: tuple[Path, Path, np.ndarray]) -> None:
    before, after, crops = two
    was, now = Network(before)(crops), Network(after)(crops)
    assert np.corrcoef(was.ravel(), now.ravel())[0, 1] > 0.98
    assert after.stat().st_size < 0.6 * before.stat().st_size
