"""From pixels to millimetres, with their error.

Read in this order: `lens` (what the glass does, from ChArUco pictures), `markers` (the fiducials' corners, to a
fraction of a pixel), `pose` (where the camera hangs over the table), `rectify` (pixels to mm and back).

Convention: pixels (x, y), origin top-left, pixel centres at integers; table mm, x right, y down, heights positive up.
The table frame is left-handed: for OpenCV's calls a point is (x, y, -height), see `kit/README` of the default set.
"""
