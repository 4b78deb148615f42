"""The reader of Eyes of the Emperor tables: `open_eye` makes it, `detect` is one frame's way through.

`vision.measure` makes a picture ready and measures edges, colours and shapes. Here are the pieces of this game:

- `mat_checks` refuses a picture that cannot show all pieces; `pieces` says what a detection is.
- `samurai`, `rim_arcs`, `hidden_disks`, `shaded_disks` and `leaning_disks` find samurai; `ninjas`, `pip_matching`,
  `die_tops`, `ninja_towers` and `read_ninjas` ninjas; `dice_under_ninjas` the empire dice that those hide;
  `die_checks` asks whether a die is one.
- `support`, `stack_order`, `stacking`, `near_rims` and `tipping_disks` lay samurai on what is under them; `die_poses`,
  `leaning_die_fit` and `standing_dice` choose how a die stands, `leaning_ninjas` how a ninja leans, `platforms` what
  bears it.
- `raised_dice`, `raised_disks`, `disk_shadows`, `coinciding_disks`, `unexplained_color`, `incomplete_disks`,
  `occluded_ones` and `blurred_pieces` lower the confidence of what may be otherwise.
- `eye_owner`, `oblique_faces`, `eye_ink`, `edge_on_sides` and `lamp_reflections` read the eyes on empire dice.
- `margins` says how deep pieces overlap, `fuse` makes one reading of several of a table at rest, `annotate` draws it.
"""

from __future__ import annotations

from vision.eyes.reader import EyesEye, open_eye

__all__ = ["EyesEye", "open_eye"]
