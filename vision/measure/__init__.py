"""Measurements that all table readers share: from a picture to edges, colours and shapes in mm. No game is known here.

- `prepared` makes a picture ready: linear light, the paper's white, the table seen straight from above. It samples the
  light across outlines. `room_light` finds lamps by shadows, and where the camera saturates.
- `colors` finds red, blue, white, black and strange pixels, `hands` a hand.
- `white_squares` proposes places of white dice. `pip_patterns` are the tops of pipped dice.
- `bodies` are pieces as solids, as a camera sees them. `pictures` are samples, overlaps and tags.
- `rims` and `disk_fit` find and measure disks, `cube_fit` measures dice.
"""
