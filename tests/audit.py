"""Known faults of the packages that are installed: `python -m tests.audit LIST...`; pip-audit asks PyPI."""

import re
import subprocess
import sys

UNREACHED = re.compile(r"ConnectionError|ServiceError|Max retries|NameResolution|timed out|could not be audited", re.I)


def main(lists: list[str]) -> int:
    """0 where none is known or nobody could be asked, which is said; 1 with each fault that is known."""
    options = ["--disable-pip", "--no-deps", "--progress-spinner", "off", "-s", "pypi"]
    command = [sys.executable, "-m", "pip_audit", *options]
    done = subprocess.run(
        [*command, *(word for name in lists for word in ("-r", name))], capture_output=True, text=True, check=False
    )
    said = done.stdout + done.stderr
    if re.search(r"^\S+ +\S+ +(PYSEC|GHSA|CVE)-", said, re.M):
        print(said)
        return 1
    if UNREACHED.search(said) or done.returncode:
        print(f"audit: PyPI could not be asked about all packages, so nothing is known of their faults: {said[-200:]}")
        return 0
    print(f"audit: no known fault in {', '.join(lists)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
