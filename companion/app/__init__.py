"""The application, where all packages meet. `cli` only parses the command line and calls this package.

Read in this order:
- `matches`: open, resume and close a match
- `camera_loop`: from a camera's frames to the match
- `standing`: one table with its camera
- `door`: one table and the matches played there
- `setup`: lens, marks and mat
- `checks`: the doctor
- `autoplay`: matches that play themselves
"""
