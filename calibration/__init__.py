"""From pixels to millimetres, with their error.

Read in this order: `edges` (where black meets white, to a few hundredths of a pixel), `lens` (camera matrix and
distortion, kept in LENS.json for each camera mode), `charuco` and `from_boards` (a lens from pictures of a board). Then
`markers` (the fiducials' corners) and `pose` (the camera over the table: pixels to mm and back, with their error; a
camera that was bumped). Last `health` (a lens of another camera, a blurred picture) and `light` (too dark, too
bright).

Convention: pixels (x, y), origin top-left, pixel centres at integers; table mm, x right, y down, heights positive up.
The table frame is left-handed: for OpenCV's calls a point is (x, y, -height).
"""
