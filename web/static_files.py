"""What a page fetches besides itself: named all at once, small, and kept by the phone until one of them changes.

Choice: one version for all of them, a hash of their contents, stands in their path. Modules import each other by
relative paths, so each is fetched under the version of the page that began it, and the phone asks for none of them
again. The price: when one file changes, the phone fetches them all.
"""

from __future__ import annotations

import functools
import gzip
import hashlib
import posixpath
import re
from pathlib import Path

from flask import Request, Response

KEPT_S = 86400 * 365
IMPORT = re.compile(r'^(?:import|export)\b[^;"]*"(\.[^"]+)";', re.MULTILINE)
COMPRESSED = ("text/", "application/javascript", "image/svg+xml")
SMALL_BYTES = 500
"""Below this compressing gains nothing."""


def version_of(folder: Path) -> str:
    """A word that is another one as soon as any file in `folder` is."""
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(f"{path.relative_to(folder).as_posix()}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:12]


def modules(folder: Path, *first: str) -> list[str]:
    """The modules `first` and all that they import, so that a page can ask for them at once and not in a chain."""
    found = list(first)
    for name in found:  # it grows while it is walked through
        text = (folder / name).read_text(encoding="utf-8")
        imported = [posixpath.normpath(posixpath.join(posixpath.dirname(name), to)) for to in IMPORT.findall(text)]
        found += [other for other in dict.fromkeys(imported) if other not in found]
    return found


def kept_and_small(response: Response, request: Request) -> None:
    """Lets the phone keep a file whose address names its content, and sends it compressed."""
    if response.status_code != 200:
        return
    response.cache_control.immutable = True
    response.vary.add("Accept-Encoding")
    if not (response.mimetype.startswith(COMPRESSED) and request.accept_encodings["gzip"]):
        return
    response.direct_passthrough = False
    whole = response.get_data()
    if len(whole) > SMALL_BYTES:
        response.set_data(gzipped(whole))
        response.content_encoding = "gzip"


@functools.lru_cache(maxsize=64)
def gzipped(whole: bytes) -> bytes:
    """The bytes compressed, each file once."""
    return gzip.compress(whole, mtime=0)
