"""Cameras by a short text, as on a command line: ``pi``, ``usb:1``, ``film:throw.avi``, ``folder:frames``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from companion.errors import CameraError
from hardware.camera import Camera

KINDS = "pi, pi:1, usb, usb:1, film:FILE or folder:FOLDER"


def opener(text: str, size_px: tuple[int, int]) -> Callable[[], Camera]:
    """What opens the camera of a text, at a size (width, height) that live cameras are asked for.

    Raises: CameraError: the text names no kind of camera. Whether there is one is found out when it is opened.

    >>> opener("webcam", (640, 480))
    Traceback (most recent call last):
    companion.errors.CameraError: the camera is 'webcam', expected pi, pi:1, usb, usb:1, film:FILE or folder:FOLDER
    """
    kind, _, which = text.partition(":")
    if kind in ("pi", "usb") and (which.isdecimal() or not which):
        number = int(which or 0)
        return (lambda: _pi(number, size_px)) if kind == "pi" else (lambda: _usb(number, size_px))
    if kind == "film" and which:
        return lambda: _usb(which, size_px)
    if kind == "folder" and which:
        return lambda: _folder(Path(which))
    raise CameraError(f"the camera is {text!r}, expected {KINDS}")


def _pi(number: int, size_px: tuple[int, int]) -> Camera:
    from hardware.picamera import PiCamera

    return PiCamera(number, size_px)


def _usb(source: int | str, size_px: tuple[int, int]) -> Camera:
    from hardware.video import VideoCamera

    return VideoCamera(source, size_px)


def _folder(path: Path) -> Camera:
    from hardware.folder import FolderCamera

    return FolderCamera(path)
