"""The reader of Eyes of the Emperor tables: `open_eye` makes it, `detect` follows one frame from picture to pieces.

`vision.measure` prepares a picture and measures edges, colours and shapes. The modules here know the pieces of this
game:

- `reader` is the entry: it measures how deep pieces overlap, and makes one reading of several. `checks` rejects a
  picture that cannot show all pieces; `pieces` defines a detection.
- `samurai` and `hidden_disks` find samurai. `ninjas` finds the tops of black dice and makes ninjas of them.
- `die_poses` weighs the possible poses of a die near a rim. `support` finds the pose of a piece on its supports.
- `stacking` puts samurai on each other and weighs their possible poses near a rim.
- `disk_doubts` and `die_doubts` lower the confidence of pieces that may be otherwise. `checks` lowers that of pieces
  covered by foreign things. A table where such a thing may hide a samurai is not read.
- `hideouts` lists the places where a die that was not found could be.
- `eye_owner` and `oblique_faces` read the eyes on empire dice, `top_eye` those that are too faint for both.
"""

from vision.tables.eyes.reader import EyesEye, open_eye

__all__ = ["EyesEye", "open_eye"]
