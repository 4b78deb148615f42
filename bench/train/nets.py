"""What all networks' training shares."""

from __future__ import annotations

from pathlib import Path

import torch


def half_precision() -> torch.autocast:
    """Sixteen bits for what is inside, where the processor computes with them: others take eight times as long so."""
    cpu = Path("/proc/cpuinfo")
    flags = cpu.read_text(encoding="ascii", errors="replace").split() if cpu.exists() else []
    return torch.autocast("cpu", torch.bfloat16, enabled="avx512_bf16" in flags or "amx_bf16" in flags)
