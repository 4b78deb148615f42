"""Shared parts of all networks' training."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import click
import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor, nn
from torch.nn import functional


def half_precision() -> torch.autocast:
    """Sixteen-bit arithmetic inside the network on processors that support it; others would take eight times as
    long."""
    cpu = Path("/proc/cpuinfo")
    flags = cpu.read_text(encoding="ascii", errors="replace").split() if cpu.exists() else []
    return torch.autocast("cpu", torch.bfloat16, enabled="avx512_bf16" in flags or "amx_bf16" in flags)


def trained(
    net: nn.Module,
    batches: Iterable[tuple[Tensor, Tensor]],
    steps: int,
    loss_of: Callable[[Tensor, Tensor], Tensor],
    *,
    rate: float,
    decay: float,
    name: str,
    device: str = "cpu",
) -> nn.Module:
    """The network after `steps` batches (inputs, targets), its norms as its mode says."""
    net = net.to(device).to(memory_format=torch.channels_last)
    optimizer = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=decay)
    cycle = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=rate, total_steps=steps, pct_start=0.1)
    for step, (x, want) in zip(range(steps), batches, strict=False):
        with half_precision() if device == "cpu" else torch.autocast(device, torch.bfloat16):
            out = net(x.to(device, memory_format=torch.channels_last))
        loss = loss_of(out.float(), want.to(device))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 3.0)
        optimizer.step()
        cycle.step()
        if step % 20 == 0:
            click.echo(f"{name} step {step} of {steps}: loss {float(loss.detach()):.4f}")
    return net


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
