"""Measurements that all table readers share: from a picture to edges, colours and shapes in mm. No game is known here.

- `prepared` makes a picture ready: linear light, the paper's white, the table seen straight from above.
  `light_direction`, `saturation` and `jpeg_quality` measure the conditions.
- `colors` and `masks` find red, blue, white, black and strange pixels. `components` splits masks into connected parts.
  `hands` finds a hand.
- `circles` and `white_squares` propose places of disks and white dice. `cutouts` are small turned views of the table.
  `pip_patterns` compares them with the tops of pipped dice.
- `overlaps` finds readings in the same place, `tags` printed fiducials.
- `bodies` are pieces as solids, `views` projects them into a camera.
- `edges` finds an edge to a part of a pixel. `rims`, `rim_shift` and `disk_fit` measure disks; `cube_edges`, `ridges`
  and `cube_fit` measure dice; `least_squares` is the step of both. `face_likelihood` weighs a die's pose by its faces'
  light.
"""
