"""Shared parts of all networks' training."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click
import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor, nn
from torch.nn import functional
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

Net = TypeVar("Net", bound=nn.Module)
WARMING, EVERY, CLIPPED = 200, 200, 3.0
"""Steps in which the rate rises; steps between two reports; maximum norm of a gradient."""
LEAST_RATE = 0.005
"""Share of the rate at the end."""


def half_precision() -> torch.autocast:
    """Sixteen-bit arithmetic inside the network on processors that support it; others would take eight times as
    long."""
    cpu = Path("/proc/cpuinfo")
    flags = cpu.read_text(encoding="ascii", errors="replace").split() if cpu.exists() else []
    return torch.autocast("cpu", torch.bfloat16, enabled="avx512_bf16" in flags or "amx_bf16" in flags)


Share = Callable[[int], float]
"""The share of the training that is done after some steps."""


def by_steps(steps: int) -> Share:
    """A training of this many batches."""
    return lambda step: step / steps


def by_minutes(minutes: float) -> Share:
    """A training of this long."""
    began_s = time.monotonic()
    return lambda step: (time.monotonic() - began_s) / (60 * minutes)


def trained(
    net: Net,
    batches: Iterable[tuple[Tensor, Any]],
    share_of: Share,
    loss_of: Callable[[Tensor, Any], Tensor],
    *,
    rate: float,
    decay: float,
    name: str,
    device: str = "cpu",
    kept: float = 0.0,
    keep: Callable[[Net], None] = lambda net: None,
) -> Net:
    """The network after AdamW on batches (inputs, targets), with a rate that rises and falls.

    `kept`: the share that the running mean of the weights keeps at each step; that mean is returned. `keep` gets the
    network from time to time.
    """
    net = net.to(device).to(memory_format=torch.channels_last).train()
    mean = AveragedModel(net, multi_avg_fn=get_ema_multi_avg_fn(kept), use_buffers=True) if kept else None
    taught = [weight for weight in net.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(taught, lr=rate, weight_decay=decay)
    for step, (x, want) in enumerate(batches):
        if (share := share_of(step)) >= 1:
            break
        for group in optimizer.param_groups:
            group["lr"] = rate * (min(1.0, (step + 1) / WARMING) * (1 + math.cos(math.pi * share)) / 2 + LEAST_RATE)
        with half_precision() if device == "cpu" else torch.autocast(device, torch.bfloat16):
            out = net(x.to(device, memory_format=torch.channels_last))
        loss = loss_of(out.float(), want.to(device) if isinstance(want, Tensor) else want)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(taught, CLIPPED)
        optimizer.step()
        if mean is not None:
            mean.update_parameters(net)
        if step % EVERY == 0:
            click.echo(f"{name} {share:.0%} step {step}: loss {float(loss.detach()):.4f}")
            keep(mean.module if mean is not None else net)
    return (mean.module if mean is not None else net).eval()


class Draws:
    """Random numbers on one device, the same for the same seed."""

    def __init__(self, seed: int, device: str) -> None:
        self.random = torch.Generator(device).manual_seed(seed)
        self.device = device

    def _uniform(self, shape: Sequence[int], low: float = 0.0, high: float = 1.0) -> Tensor:
        return low + (high - low) * torch.rand(shape, generator=self.random, device=self.device)

    def _normal(self, shape: Sequence[int]) -> Tensor:
        return torch.randn(shape, generator=self.random, device=self.device)


def soft(shown: Tensor, sigma: float) -> Tensor:
    """Blurred by a Gaussian."""
    reach = max(1, round(3 * sigma))
    weights = torch.exp(-0.5 * (torch.arange(-reach, reach + 1, device=shown.device) / sigma) ** 2)
    weights = (weights / weights.sum()).to(shown.dtype)
    many = shown.shape[1]
    down = weights[None, None, :, None].expand(many, 1, -1, 1)
    shown = functional.pad(shown, (reach,) * 4, "replicate")
    return functional.conv2d(functional.conv2d(shown, down, groups=many), down.transpose(2, 3), groups=many)


def export(net: nn.Module, sample: tuple[int, int, int], path: Path, *, of_any_size: bool = False) -> None:
    """Writes `net` as ONNX with weights of 16 bits; the batch, and pictures' sides where asked, stay free."""
    net = net.eval().cpu().to(memory_format=torch.contiguous_format).float()
    axes = {0: "n"} | ({2: "h", 3: "w"} if of_any_size else {})
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.onnx.export(
        net,
        (torch.zeros(1, *sample),),
        str(path),
        opset_version=17,
        dynamo=False,
        input_names=["picture"],
        output_names=["out"],
        dynamic_axes={"picture": axes},
    )
    model = onnx.load(str(path))
    unpacked = []
    for weight in list(model.graph.initializer):
        values = numpy_helper.to_array(weight)
        if values.dtype != np.float32 or values.size <= 64:
            continue
        model.graph.initializer.remove(weight)
        half = numpy_helper.from_array(values.astype(np.float16), f"{weight.name}_16")
        model.graph.initializer.append(half)
        unpacked.append(helper.make_node("Cast", [half.name], [weight.name], to=TensorProto.FLOAT))
    for node in reversed(unpacked):
        model.graph.node.insert(0, node)
    onnx.save(model, str(path))
