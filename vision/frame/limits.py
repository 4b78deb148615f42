"""Thresholds of motion, and sizes of the pictures that people see.

Values without a source were chosen by hand on drawn tables. Levels are those of a colour, of 255.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """One line per threshold: name with unit, value, meaning and source."""

    # Motion
    cell_px: int = 8  # side of the cells that are compared: a JPEG block; a ninja from above covers several
    noise_factor: float = 7.5  # a cell moved when it differs by more than this many noise widths ...
    min_levels: float = 3.0  # ... and by more than this
    min_moved_cells: int = 3  # fewer changed cells within three by three are noise
    tiles: int = 8  # rows and columns of the parts of a picture
    # largest flip of the picture, in largest flips of a part without motion. Seven rendered tables, JPEG of quality 40
    # to 75: 1.1 to 2.2
    flip_factor: float = 2.2
    max_flip_levels: float = 8.0  # a larger flip is motion; JPEG of quality 40 flips by up to this
    flip_frames: int = 60  # the newest frames without other motion that may show flips

    # Sway
    patient_s: float = 3.0  # of motion before a table's fiducials are checked: most throws are over by then
    sway_px: float = 0.1  # maximum movement of a still fiducial; noise moves it by a tenth of that

    # Pictures for people
    crop_mm: float = 120.0  # side of the part of the table that a ruling's picture shows
    # a piece nearer to a place than this share of `crop_mm` is there; also the margin around outlines. A foot whose
    # offset from the top is larger than this share of its size has its own outline
    apart_share: float = 0.1
    live_px: int = 640  # width of the live picture; an overview is twice as wide
    jpeg_quality: int = 80


LIMITS = Limits()
