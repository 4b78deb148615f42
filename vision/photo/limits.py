"""Thresholds that the readers of photographs share: what a picture has to show (`legible`)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """One line per threshold: name with unit, value, meaning and source."""

    long_side_px: int = 640  # a picture this long shows what people recognise in it; its sharpness is measured there
    # Minimum difference from black, and from white, of anything that can be seen; levels of 255
    least_levels: int = 14
    # Share of the pixels that count: the brightest, and those on the sharpest edges. Labelled pictures are up to 77 %
    # black or 13 % white: small dice on black cloth leave few bright pixels.
    telling_share: float = 1 / 1000
    dark_share: float = 0.02  # share of the darkest pixels that count: overexposed pictures keep fewer
    # Maximum width of the sharpest edges. None of 685 labelled photographs exceeds 1.6; 44 of them blurred by 12 px and
    # saved as poor JPEGs all exceed 3.7. At 3 px three in four dice and cards are still read, beyond 3.5 px less than
    # half.
    widest_edges_px: float = 3.2
    least_slope: float = 0.6  # minimum slope of an edge, grey levels per pixel; smaller slopes are shading
    smoothed_px: float = 1.0  # blur before edges are measured; without it JPEG blocks and noise count as edges
    softened_px: float = 2.0  # further blur, which tells the edges' width


LIMITS = Limits()
