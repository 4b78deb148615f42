"""Builds what runs on a GPU with nvcc, and on a processor with g++ where there is none."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from pathlib import Path


def compiled(source: Path, on_gpu: bool) -> ctypes.CDLL:
    """A .cu file, built into a folder for temporary files. Raises: FileNotFoundError: no compiler."""
    compiler = shutil.which("nvcc" if on_gpu else "g++")
    if compiler is None:
        raise FileNotFoundError(f"No {'nvcc' if on_gpu else 'g++'} is installed; it builds {source.name}.")
    built = Path(tempfile.mkdtemp()) / f"{source.stem}.so"
    how = ["--use_fast_math", "-arch=native", "-Xcompiler", "-fPIC"] if on_gpu else ["-x", "c++", "-fPIC"]
    subprocess.run([compiler, "-O3", *how, "-shared", str(source), "-o", str(built)], check=True)
    return ctypes.CDLL(str(built))
