"""Text files, always whole: in the old or the new version. Also explains why a file cannot be used."""

import contextlib
import errno
import os
from pathlib import Path


def why_unread(error: Exception) -> str:
    """The reason why a text file, or its contents, cannot be used, in words.

    >>> why_unread(FileNotFoundError(2, "No such file or directory")), why_unread(ValueError("fx_px is -3"))
    ('No such file or directory', 'fx_px is -3')
    """
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8 text"
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return getattr(error, "strerror", None) or str(error)


_HELPS = {
    errno.ENOSPC: "free the disk",
    errno.EDQUOT: "free the disk",
    errno.ENOENT: "give a path in a folder that exists",
    errno.ENOTDIR: "give a path in a folder that exists",
    errno.EACCES: "give a path where you may write",
    errno.EPERM: "give a path where you may write",
    errno.EROFS: "give a path where you may write",
}


def how_to_write(error: OSError) -> str:
    """Advice for a file that could not be written, by the cause.

    >>> how_to_write(OSError(errno.ENOSPC, "No space left on device")), how_to_write(OSError("so it is"))
    ('free the disk', 'give another path')
    """
    return _HELPS.get(error.errno or 0, "give another path")


MOST_TEXT_BYTES = 4_000_000
"""Maximum size of a text file: kits, boards, lens files, states and settings are far smaller."""


def text_of_file(path: Path) -> str:
    """The text of a UTF-8 file; a pipe without a writer is empty. Raises: OSError, UnicodeDecodeError."""
    # without O_NONBLOCK, opening a pipe would wait for its writer
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    os.set_blocking(handle, True)
    with open(handle, "rb") as file:
        raw = file.read(MOST_TEXT_BYTES + 1)
    if len(raw) > MOST_TEXT_BYTES:
        raise OSError(errno.EFBIG, f"it holds more than {MOST_TEXT_BYTES // 1_000_000} MB of text", str(path))
    return raw.decode("utf-8-sig")  # Notepad puts a byte order mark before the text


def keep_text(path: Path, text: str) -> None:
    keep(path, text.encode())


def keep(path: Path, content: bytes, mode: int = 0o666) -> None:
    """Writes a file (its `mode` before the umask) whole or not at all, whatever happens. Raises: OSError."""
    if path.exists() and not path.is_file():  # a device: it has no contents to lose
        path.write_bytes(content)
        return
    whole = path.resolve()
    draft = whole.with_name(f"{whole.name}.part")
    try:
        with open(draft, "wb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # without it, a power cut could leave an empty file under the new name
        draft.replace(whole)
    except BaseException:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise


def sync_folder(folder: Path) -> None:
    """Makes sure that files of a folder keep their new names after a power cut. Raises: OSError."""
    file = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
