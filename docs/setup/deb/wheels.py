"""Downloads the wheels of a requirements file for another machine: wheels.py REQUIREMENTS FOLDER ARCH PYTHON...

pip chooses by the markers of the Python that runs it. Here the markers are those of the target. Each wheel is checked
against its hash. ARCH is Debian's name (arm64, amd64), PYTHON a version such as 3.13.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from packaging.requirements import Requirement

MACHINES = {"arm64": "aarch64", "amd64": "x86_64"}
LEVELS = ("2_17", "2_24", "2_26", "2_27", "2_28", "2_31", "2_34", "2_35", "2_36")  # glibc 2.36 is bookworm's


def target_lines(text: str, machine: str, python: str) -> list[str]:
    """The requirements that hold on the target, each on one line with its hashes and without its marker."""
    environment = {
        "python_version": python,
        "python_full_version": f"{python}.0",
        "platform_machine": machine,
        "sys_platform": "linux",
        "os_name": "posix",
        "platform_system": "Linux",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
    }
    lines = []
    for line in text.replace("\\\n", " ").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        words, *hashes = line.split(" --hash=")
        requirement = Requirement(words.strip())
        if requirement.marker is None or requirement.marker.evaluate(environment):
            requirement.marker = None
            lines.append(" --hash=".join([str(requirement), *(each.strip() for each in hashes)]))
    return lines


def main(requirements: Path, folder: Path, arch: str, pythons: list[str]) -> int:
    """Downloads for each Python; ends with pip's status if a wheel is missing."""
    if arch not in MACHINES:
        raise SystemExit(
            f"there are no wheels for {arch}, expected {' or '.join(MACHINES)}: take a 64-bit Raspberry Pi OS"
        )
    machine = MACHINES[arch]
    platforms = [f"--platform=manylinux_{level}_{machine}" for level in LEVELS]
    platforms += [f"--platform=manylinux2014_{machine}", f"--platform=linux_{machine}"]
    for python in pythons:
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as chosen:
            chosen.write("\n".join(target_lines(requirements.read_text(), machine, python)))
            chosen.flush()
            words = [sys.executable, "-m", "pip", "download", "-qqq", "--disable-pip-version-check", "--no-deps"]
            words += ["--require-hashes", "--only-binary=:all:", "--implementation=cp", f"--python-version={python}"]
            ended = subprocess.run([*words, *platforms, "-d", str(folder), "-r", chosen.name], check=False)
        if ended.returncode:
            return ended.returncode
    return 0


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], sys.argv[4:]))
