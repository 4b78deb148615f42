"""`companion` with the real picamera2 on libcamera's virtual camera, with stand-ins for parts that only a Pi has.

Stand-ins: pykms (the preview on a screen), the raw stream and its sensor modes, and the DMA allocator (the virtual
camera's pictures are in two planes). Also each frame's status, which libcamera 0.4.0 leaves unset on this camera. All
the rest is picamera2's and libcamera's own: requests, jobs, formats, the controls of this camera, stop and close.
"""

import sys
import types
from typing import Any
from unittest.mock import MagicMock


class AnyStatus:
    """Equal to every status."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


def stand_in() -> None:
    """Makes `import picamera2` find a camera class that works with the virtual camera."""
    sys.modules["pykms"] = MagicMock()
    import libcamera  # type: ignore[import-not-found]
    import picamera2
    from picamera2 import picamera2 as inside
    from picamera2.allocators import LibcameraAllocator

    class Libcamera(types.ModuleType):
        FrameMetadata = types.SimpleNamespace(Status=types.SimpleNamespace(Success=AnyStatus()))

        def __getattr__(self, name: str) -> Any:
            return getattr(libcamera, name)

    class Picamera2(picamera2.Picamera2):  # type: ignore[misc]
        def __init__(self, camera_num: int = 0, **how: Any) -> None:
            super().__init__(camera_num, **how)
            self.allocator = LibcameraAllocator(self.camera)

        def _get_raw_modes(self) -> list[dict[str, Any]]:
            return [{"format": "SRGGB10", "size": self.camera_properties["PixelArrayActiveAreas"][0][2:]}]

        @property
        def sensor_modes(self) -> list[dict[str, Any]]:
            return []

    inside.libcamera = Libcamera("libcamera")
    picamera2.Picamera2 = Picamera2


if __name__ == "__main__":
    stand_in()
    from companion.cli import main

    main(sys.argv[1:])
