"""The reader of Eyes of the Emperor tables: `open_eye` makes it, `look` is one frame's way through.

`sight` makes a picture ready, `color`, `circles` and `cubes` find candidates in the view from above, `rims` and
`ridges` measure edges in the picture itself, `support` lays pieces on each other, `stand` and `patches` choose how a
die stands, `propped` finds samurai that lean on dice, `margins` says how deep pieces overlap.
"""

from __future__ import annotations

from vision.eyes.reader import EyesEye, open_eye

__all__ = ["EyesEye", "open_eye"]
