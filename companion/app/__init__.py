"""The application, where all packages meet. `cli` has a module for each command: the short ones are whole,
the others call this package.

Read in this order:
- `matches`: open, resume and close a match
- `camera_loop`: from a camera's frames to the match
- `playing`: the choice of a match
- `door`: one table and the matches played there
- `kept`: the files of a table besides its matches
- `real_table`: a real table with its camera, `virtual`: the virtual one
- `box`: the table's buttons and lamp
- `setup` and `steps`: lens, marks and mat
- `checks`: the doctor
- `autoplay`: matches that play themselves
- `reporting` and `hub_server`: a table's way to an event, and the hub of events
"""
