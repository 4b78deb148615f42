"""The reader of Eyes of the Emperor tables: `open_eye` makes it, `detect` is one frame's way through.

`vision.measure` makes a picture ready and measures edges, colours and shapes. Here are the pieces of this game:

- `reader` is the door; `mat_checks` refuses a picture that cannot show all pieces; `pieces` says what a detection is.
- `samurai`, `shaded_disks` and `leaning_disks` find samurai; `ninjas` finds the tops of black dice, `read_ninjas` makes
  ninjas of them.
- `die_poses` weighs the ways in which a die may stand near a rim, `support` says how a piece rests on what is under it,
  `stacking` lays samurai on each other and weighs the ways in which one may lie near a rim.
- `disk_doubts` and `die_doubts` lower the confidence of what may be otherwise, `strange_things` of what is covered by
  something that is no piece; where that may hide a samurai the table is not read.
- `eye_owner`, `oblique_faces` and `edge_on_sides` read the eyes on empire dice.
- `margins` says how deep pieces overlap, `fuse` makes one reading of several of a table at rest.
"""

from __future__ import annotations

from vision.tables.eyes.reader import EyesEye, open_eye

__all__ = ["EyesEye", "open_eye"]
