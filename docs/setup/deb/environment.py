"""Installs a requirements file for another machine: environment.py REQUIREMENTS OUR_WHEEL|- FOLDER ARCH PYTHON...

Writes FOLDER/site-PYTHON.tar.gz, the site-packages of that Python, which a box only unpacks. Each wheel is checked
against its hash. pip applies the markers of the Python that runs it, so those of the target are applied here.
ARCH is Debian's name (arm64, amd64), PYTHON a version such as 3.13. If that Python runs here, byte code is included.
"""

from __future__ import annotations

import contextlib
import shutil
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


def install(site: Path, requirements: Path, ours: str, machine: str, python: str) -> int:
    """Fills a folder as pip would on the target. Returns pip's status."""
    pip = [sys.executable, "-m", "pip", "install", "-qqq", "--disable-pip-version-check", "--no-deps", "--no-compile"]
    pip += [
        "--target",
        str(site),
        "--only-binary=:all:",
        "--implementation=cp",
        f"--python-version={python}",
        "--ignore-requires-python",
    ]
    pip += [f"--platform=manylinux_{level}_{machine}" for level in LEVELS]
    pip += [f"--platform=manylinux2014_{machine}", f"--platform=linux_{machine}"]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as chosen:
        chosen.write("\n".join(target_lines(requirements.read_text(), machine, python)))
        chosen.flush()
        status = subprocess.run([*pip, "--require-hashes", "-r", chosen.name], check=False).returncode
    if status == 0 and ours != "-":
        status = subprocess.run([*pip, "--upgrade", ours], check=False).returncode
    return status


def main(requirements: Path, ours: str, folder: Path, arch: str, pythons: list[str]) -> int:
    """Writes one archive for each Python; ends with pip's status if a wheel is missing."""
    if arch not in MACHINES:
        raise SystemExit(
            f"there are no wheels for {arch}, expected {' or '.join(MACHINES)}: take a 64-bit Raspberry Pi OS"
        )
    for python in pythons:
        with tempfile.TemporaryDirectory() as work:
            site = Path(work)
            if status := install(site, requirements, ours, MACHINES[arch], python):
                return status
            shutil.rmtree(site / "bin", ignore_errors=True)  # its scripts name the Python of this machine
            compiler = [f"python{python}", "-m", "compileall", "-q", "-j", "0", str(site)]
            with contextlib.suppress(OSError):
                subprocess.run(compiler, check=False, capture_output=True)
            if not any(site.rglob("*.pyc")):
                print(f"python{python} does not run here: boxes compile their packages themselves", file=sys.stderr)
            pack = ["tar", "--sort=name", "--owner=0", "--group=0", "--mode=u+rwX,go=rX", "-C", str(site), "-czf"]
            subprocess.run([*pack, str(folder / f"site-{python}.tar.gz"), "."], check=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]), sys.argv[4], sys.argv[5:]))
