"""What every reader of tables shares: from a picture to edges, colours and shapes in mm. No game is known here.

- `prepared` makes a picture ready: linear light, the paper's white, the table seen straight from above.
  `light_direction`, `saturation` and `jpeg_quality` tell what to expect of it.
- `colors` and `masks` tell what is red, blue, white, black or strange, `components` splits masks into connected parts,
  `hands` finds a hand.
- `circles` and `white_squares` tell where disks and white dice may be. `cutouts` are small turned views of the table,
  `pip_patterns` compares them with the tops of pipped dice.
- `overlaps` finds readings that lie on each other.
- `bodies` are pieces as solids, `views` how a camera sees them.
- `edges` finds an edge to a part of a pixel. `rims`, `rim_shift` and `disk_fit` measure disks; `cube_edges`, `ridges`
  and `cube_fit` dice; `least_squares` is the step of both. `face_likelihood` weighs a die's pose by its faces' light.
"""
