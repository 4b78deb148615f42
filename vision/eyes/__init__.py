"""The reader of Eyes of the Emperor tables: `open_eye` makes it, `look` is one frame's way through.

`sight` makes a picture ready, `mat` refuses one that cannot show all pieces, `color`, `circles`, `samurai`, `cubes`
and `ninjas` find pieces in the view from above, `rims` and `ridges` measure edges in the picture itself, `support`
and `laying` lay pieces on each other, `stand`, `patches` and `leaning` choose how a die stands, `genuine` whether it
is one, `lone` doubts samurai by their size, `propped` finds samurai that lean on dice, `bearing` dice under ninjas,
`inks` and `grazing` read their eyes, `pips` ninjas' tops, `soft` doubts what the lens shows softly, `margins` says how
deep pieces overlap, `fuse` makes one reading of several of a table at rest.
"""

from __future__ import annotations

from vision.eyes.reader import EyesEye, open_eye

__all__ = ["EyesEye", "open_eye"]
