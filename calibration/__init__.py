"""From pixels to millimetres, with their error.

Read in this order: `edges` (where black meets white, to a few hundredths of a pixel), `lens` (what the glass does,
kept in LENS.json), `charuco` and `from_boards` (a lens from pictures of a board), `markers` (the fiducials' corners),
`pose` (where the camera hangs over the table: pixels to mm and back, with their error), `health` and `light` (pictures
that are too dark, too bright or blurred), `moved` (a camera that was bumped).

Convention: pixels (x, y), origin top-left, pixel centres at integers; table mm, x right, y down, heights positive up.
The table frame is left-handed: for OpenCV's calls a point is (x, y, -height), see `kit/README` of the default set.
"""
